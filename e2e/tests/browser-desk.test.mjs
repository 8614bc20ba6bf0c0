/** The payroll desk as a bookkeeper and an approver see it. The requests to the service are the evidence. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { afterEach, beforeEach, describe } from 'node:test';
import { readExample } from '../harness/examples.mjs';
import { ensureN8n } from '../harness/install.mjs';
import { EXAMPLES_DIR } from '../harness/paths.mjs';
import { editSheet, sheetRows, writeSheet } from '../harness/spreadsheet.mjs';
import { chosenVersion } from '../harness/versions.mjs';
import {
	answerPage,
	answerQuestions,
	chooseDecision,
	lookAgain,
	openSignedInForm,
	useBrowser,
} from './browser-support.mjs';
import { allExecutions, drain, publish, startAgain, unpublish, until } from './trigger-support.mjs';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const PAYOUTS = '/v3/transactions/payouts/bank';
const PLANILLA = path.join(EXAMPLES_DIR, 'planilla.xlsx');
/** With titles, an empty row, a total, whole names, names of banks and places of issue. */
const MESSY = path.join(EXAMPLES_DIR, 'planilla-con-titulos.xlsx');
/** Its columns. */
const [NAME, DOCUMENT, ACCOUNT, NET] = [1, 2, 6, 9];

/** The words of the desk in each language. */
const DESKS = {
	'payroll-desk': {
		file: 'Payroll file',
		period: 'Payroll',
		check: 'Check the file',
		next: 'Continue',
		leaveOut: 'Leave it out',
		name: 'Your name',
		approve: 'Approve',
		refuse: 'Refuse',
		reason: 'Reason',
		send: 'Send the decision',
		sending: /Approved: the payments are being sent/,
		again: 'would be paid AGAIN',
		nothingSent: 'Nothing was sent now',
		approved: 'Approved by Rosa Mamani',
		onTheWay: 'The statuses are looked up again',
		arrived: 'Arrived',
	},
	'mesa-de-planillas': {
		file: 'Archivo de la planilla',
		period: 'Planilla',
		check: 'Revisar el archivo',
		next: 'Continuar',
		leaveOut: 'No pagar',
		name: 'Tu nombre',
		approve: 'Aprobar',
		refuse: 'Rechazar',
		reason: 'Motivo',
		send: 'Enviar la decisión',
		sending: /Aprobada: se están enviando los pagos/,
		again: 'se pagaría OTRA VEZ',
		nothingSent: 'Ahora no se envió nada',
		approved: 'Aprobada por Rosa Mamani',
		onTheWay: 'se consultan otra vez los estados',
		arrived: 'Abonado',
	},
};
const ENGLISH = DESKS['payroll-desk'];

describe('the payroll desk in a browser', () => {
	let bookkeeper, approver, browser;
	const { stage, inBrowser, contactsOnlyThisMachine } = useBrowser(
		'browser-desk',
		async (_, started) => {
			browser = started;
			bookkeeper = await browser.openPage();
			approver = await browser.openPage();
			return bookkeeper;
		},
		{ sandboxArgs: ['--state-clock', '0'] },
	);

	/** @type {string[]} */
	const published = [];

	beforeEach(async () => {
		await stage.sandbox.reset();
	});

	afterEach(async () => {
		for (const id of published.splice(0)) await unpublish(stage.n8n, id);
	});

	/** The payments that reached the service. */
	const sent = async () =>
		(await stage.sandbox.requests({ method: 'POST', path: PAYOUTS })).filter(
			({ status }) => status !== 401,
		);

	/** How often the logs were looked up. */
	const looked = async () =>
		(await stage.sandbox.requests({ method: 'GET', path: '/v2/webhooks/logs' })).length;

	/**
	 * Imports and publishes an example; gives its ID and the address of its form.
	 *
	 * @param {string} name
	 * @param {number} [seconds] what it waits at most before it looks up the payments once more
	 */
	async function open(name, seconds = 600) {
		const example = readExample(name, stage);
		const form = example.nodes.find(({ type }) => type.endsWith('.formTrigger'));
		const report = example.nodes.find(({ parameters }) => parameters.limitWaitTime);
		Object.assign(report.parameters, { resumeAmount: seconds, resumeUnit: 'seconds' });
		// A copy of its own in n8n.
		form.webhookId = randomUUID();
		const { id } = await stage.n8n.createWorkflow(example);
		await publish(stage.n8n, id);
		published.push(id);
		return { id, address: `${stage.n8n.url}/form/${form.parameters.options.path}` };
	}

	async function upload(page, { address }, file = PLANILLA, words = ENGLISH) {
		await page.goto(address);
		await fillUpload(page, file, words);
	}

	async function fillUpload(page, file, words = ENGLISH, period = 'salaries 2026-11') {
		await page.getByLabel(words.file).setInputFiles(file);
		await page.getByLabel(words.period, { exact: true }).fill(period);
		await page.getByRole('button', { name: words.check }).click();
	}

	/** Answers what is asked, and gives the address of the page on which somebody decides. */
	async function decisionPage(page, words = ENGLISH, choice) {
		await answerQuestions(page, words, choice);
		return page.url();
	}

	async function decide(page, decision, words = ENGLISH) {
		await page.getByLabel(words.name).fill('Rosa Mamani');
		const option = await chooseDecision(page, decision);
		await page.getByRole('button', { name: words.send }).click();
		return option;
	}

	/** Takes a picture of a page, which has to be accessible: a report as a whole, n8n's page where it shows our HTML. */
	async function picture(page, name) {
		await page.screenshot({ path: path.join(stage.folder, `${name}.png`), fullPage: true });
		writeFileSync(path.join(stage.folder, `${name}.txt`), await page.locator('body').innerText());
		await page.evaluate(AXE);
		const { violations } = await page.evaluate(() => {
			const isPage = globalThis.document.querySelector('#n8n-form, .card, .container');
			const ours = globalThis.document.querySelector('.html');
			// Browsers focus the box with the list themselves, and n8n keeps no tabindex.
			const rules = { 'scrollable-region-focusable': { enabled: false } };
			return isPage && !ours
				? { violations: [] }
				: globalThis.axe.run(ours ?? globalThis.document, { rules });
		});
		assert.deepEqual(
			violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`)),
			[],
			name,
		);
	}

	/** Waits until so many requests to pay were made; then all of the money arrives. */
	async function complete(count) {
		await until(async () => (await sent()).length === count, `${count} requests are made`);
		await stage.sandbox.admin('POST', '/transactions/status', { status: 'completed_transaction' });
		await drain(stage);
	}

	/** Waits until the page says that the payments are being sent. */
	async function saysWhatIsSent(words) {
		await until(async () => {
			const content = await approver.evaluate(() => {
				const form = globalThis.document.querySelector('#n8n-form');
				return form ? globalThis.getComputedStyle(form, '::after').content : '';
			});
			return words.sending.test(content);
		}, 'the page says what is being done');
	}

	for (const [name, words] of Object.entries(DESKS)) {
		inBrowser(`${name}: a file is checked, approved, paid and reported`, async () => {
			const desk = await open(name);
			await upload(bookkeeper, desk, PLANILLA, words);
			const address = await decisionPage(bookkeeper, words);
			await picture(bookkeeper, `${name}-decide`);
			assert.deepEqual(await sent(), []);

			await approver.setViewportSize({ width: 390, height: 844 });
			await approver.goto(address);
			const width = await approver.evaluate(() => globalThis.document.documentElement.scrollWidth);
			assert.equal(width, 390);
			assert.match(await decide(approver, words.approve, words), / 30 (payments|pagos), /);
			await saysWhatIsSent(words);

			// The first report, before any money has arrived.
			await approver.getByText(words.approved).waitFor();
			await approver.getByText(words.onTheWay).waitFor();
			const looks = await looked();
			await approver.reload();
			await picture(approver, `${name}-first-report`);
			// Opening the page does not end the wait.
			assert.equal(await looked(), looks);
			await complete(30);
			await lookAgain(approver);
			await approver.getByText(words.arrived).first().waitFor();
			await picture(approver, `${name}-report`);
			const text = await approver.locator('body').innerText();
			for (const { body } of await sent()) {
				const {
					first_name: first,
					last_name: last,
					destination_account: account,
				} = body.transaction;
				assert.ok(text.includes(`${first} ${last}`) && text.includes(account), `${first} ${last}`);
			}
			assert.ok(text.split(words.arrived).length > 30, text);

			await upload(bookkeeper, desk, PLANILLA, words);
			await bookkeeper.getByText(words.nothingSent).waitFor();
			await picture(bookkeeper, `${name}-again`);
			await bookkeeper.goto(desk.address);
			await fillUpload(bookkeeper, PLANILLA, words, 'the same under another name');
			await decisionPage(bookkeeper, words);
			await bookkeeper.getByText(words.again).first().waitFor();
			await picture(bookkeeper, `${name}-other-name`);
			assert.equal((await sent()).length, 30);
		});
	}

	inBrowser('a refused payroll is not paid, and the page says who refused it', async () => {
		const desk = await open('payroll-desk');
		await upload(bookkeeper, desk);
		await decisionPage(bookkeeper);
		await bookkeeper.getByLabel(ENGLISH.reason).fill('Row 7 is <b>too</b> much');
		await decide(bookkeeper, ENGLISH.refuse);
		await bookkeeper.getByText('Rosa Mamani refused it.').waitFor();
		await picture(bookkeeper, 'refused');
		assert.deepEqual(await sent(), []);
	});

	inBrowser('a file that cannot be read asks nobody, and the page leads back', async () => {
		const desk = await open('payroll-desk');
		const file = path.join(stage.folder, 'planilla.xlsx');
		writeFileSync(file, '%PDF-1.7 this is no spreadsheet');
		await upload(bookkeeper, desk, file);
		await bookkeeper.getByText('Back to the form').waitFor();
		await picture(bookkeeper, 'unreadable');
		await bookkeeper.getByText('Back to the form').click();
		await bookkeeper.getByRole('button', { name: ENGLISH.check }).waitFor();

		writeSheet(await ensureN8n(), file, []);
		await upload(bookkeeper, desk, file);
		await bookkeeper.getByText('Back to the form').waitFor();
		await picture(bookkeeper, 'empty');
		assert.deepEqual(await sent(), []);
	});

	inBrowser('rows that were wrong are corrected and paid, and nobody is paid twice', async () => {
		const desk = await open('payroll-desk');
		const lines = readFileSync(path.join(EXAMPLES_DIR, 'planilla.csv'), 'latin1')
			.trim()
			.split('\r\n');
		const file = path.join(stage.folder, 'planilla.csv');
		const wrong = lines.map((line, row) =>
			row === 2
				? line.replace(/"?5\.105,22"?/, '-5,00')
				: row === 4
					? line.replace('1014', '')
					: line,
		);
		writeFileSync(file, `${wrong.join('\r\n')}\r\n`, 'latin1');
		await upload(bookkeeper, desk, file);
		await decisionPage(bookkeeper, ENGLISH, /Leave it out/);
		await bookkeeper.getByText('Rows of the file that are not paid: 2').waitFor();
		await picture(bookkeeper, 'two-wrong');
		await decide(bookkeeper, ENGLISH.approve);
		await complete(28);
		await bookkeeper.getByText('Approved by Rosa Mamani').waitFor();
		await picture(bookkeeper, 'two-wrong-report');
		assert.equal((await sent()).length, 28);

		writeFileSync(file, `${lines.join('\r\n')}\r\n`, 'latin1');
		await upload(bookkeeper, desk, file);
		await decisionPage(bookkeeper);
		await bookkeeper.getByText('Paid before, not paid again').waitFor();
		await picture(bookkeeper, 'corrected');
		await decide(bookkeeper, ENGLISH.approve);
		await complete(30);
		await bookkeeper.getByText('Approved by Rosa Mamani').waitFor();
		await picture(bookkeeper, 'corrected-report');
		assert.equal((await sent()).length, 30);
	});

	inBrowser(
		'a bookkeeper pays 40 people from her own messy file, and corrects two of them',
		async (t) => {
			const installation = await ensureN8n();
			const words = DESKS['mesa-de-planillas'];
			const file = path.join(stage.folder, 'planilla noviembre.xlsx');
			const started = Date.now();
			let clicks = 0;
			const uploadFile = async () => {
				await upload(bookkeeper, desk, file, words);
				// The file field, the file, the button.
				clicks += 3;
			};
			const approve = async (count) => {
				await approver.goto(await decisionPage(bookkeeper, words));
				assert.match(await decide(approver, words.approve, words), new RegExp(` ${count} pagos, `));
				clicks += 4;
				await saysWhatIsSent(words);
			};
			const desk = await open('mesa-de-planillas');

			editSheet(installation, MESSY, file, {});
			await uploadFile();
			await decisionPage(bookkeeper, words, /Líquido pagable/);
			await picture(bookkeeper, 'messy-decide');
			const checked = await bookkeeper.locator('body').innerText();
			for (const text of ['40 pagos, 163.712,37 BOB', 'la suma de las filas de arriba'])
				assert.ok(checked.includes(text), `${text}: ${checked}`);

			const rows = [...sheetRows(installation, MESSY)].filter(([, [nro]]) => /^\d+$/.test(nro));
			const declined = [rows[4], rows[30]];
			for (const [, cells] of declined) {
				await stage.sandbox.addFault({
					match: { method: 'POST', path: PAYOUTS, bodyContains: cells[ACCOUNT] },
					fault: { type: 'status', status: 422, body: { message: 'The account is closed' } },
				});
			}
			await approve(40);
			await complete(40);
			await approver.getByText(words.approved).waitFor();
			await picture(approver, 'messy-report');
			const reported = await approver.locator('body').innerText();
			for (const [number, cells] of declined) {
				assert.match(reported, new RegExp(`Rechazado: [^]*?${cells[ACCOUNT]}\\s+${number}\\s`));
			}
			assert.equal((await stage.sandbox.transactions()).length, 38);

			// She corrects the two accounts.
			const corrected = declined.map(([number]) => [`G${number}`, `200${number}7654321`]);
			editSheet(installation, MESSY, file, Object.fromEntries(corrected));
			await uploadFile();
			// What was answered is not asked again.
			await bookkeeper.getByRole('button', { name: words.send }).waitFor();
			await bookkeeper.getByText('Pagados antes, no se pagan otra vez').waitFor();
			for (const [number, cells] of declined) {
				const [before, now] = [cells[ACCOUNT], `200${number}7654321`];
				const line = bookkeeper.getByRole('row').filter({ hasText: before });
				await line.filter({ hasText: now }).waitFor();
			}
			await picture(bookkeeper, 'messy-again');
			await approve(2);
			await complete(42);
			await approver.getByText(words.approved).waitFor();
			await picture(approver, 'messy-again-report');
			const minutes = (Date.now() - started) / 60_000;

			const paid = (await stage.sandbox.transactions()).map(({ request: { transaction } }) => [
				`${transaction.last_name} ${transaction.first_name}`,
				transaction.destination_id_number,
				transaction.destination_account,
				transaction.amount.toFixed(2),
			]);
			const newAccounts = new Map(corrected.map(([address, account]) => [address, account]));
			const due = rows.map(([number, cells]) => [
				cells[NAME],
				cells[DOCUMENT].split(' ')[0],
				newAccounts.get(`G${number}`) ?? cells[ACCOUNT],
				cells[NET].replace('.', '').replace(',', '.'),
			]);
			assert.deepEqual(paid.toSorted(), due.toSorted());

			const download = approver.waitForEvent('download');
			await approver.getByText('Descargar las filas (CSV)').click();
			clicks++;
			const csv = path.join(stage.folder, 'reporte.csv');
			await (await download).saveAs(csv);
			const lines = readFileSync(csv, 'utf8').trim().split('\r\n');
			assert.equal(lines.length, 41);
			for (const [name, , account] of due) {
				assert.ok(
					lines.some((line) => line.includes(account)),
					name,
				);
			}
			t.diagnostic(
				`${clicks} clicks in two uploads, two decisions and a download; ${minutes.toFixed(1)} minutes`,
			);
			renderReport(t, await approver.content());
		},
	);

	/** Opens a report in LibreOffice, where it is installed. */
	function renderReport(t, content) {
		const report = path.join(stage.folder, 'reporte.html');
		writeFileSync(report, content);
		const profile = `-env:UserInstallation=file://${path.join(stage.folder, 'libreoffice')}`;
		const command = [
			profile,
			'--headless',
			'--convert-to',
			'pdf',
			'--outdir',
			stage.folder,
			report,
		];
		try {
			execFileSync('soffice', command, { stdio: 'ignore', timeout: 120_000 });
		} catch (error) {
			if (error.code !== 'ENOENT') throw error;
			return t.diagnostic('LibreOffice is not installed: the report was not opened in it');
		}
		assert.match(readFileSync(report.replace('.html', '.pdf'), 'latin1'), /^%PDF/);
	}

	inBrowser('the report is made even if every page is closed after the decision', async () => {
		const desk = await open('payroll-desk', 1);
		const page = await browser.openPage();
		await upload(page, desk);
		await decisionPage(page);
		const [{ id }] = await allExecutions(stage.n8n, desk.id);
		await decide(page, ENGLISH.approve);
		await until(async () => (await sent()).length > 0, 'it is being paid');
		await page.close();
		await complete(30);
		await until(
			async () =>
				(await stage.n8n.getExecution(id)).json('Send the report (replace me)').length > 0,
			'the report is sent',
		);
		assert.equal((await sent()).length, 30);
	});

	inBrowser(
		'a page that is out of date pays nothing, and the decision is asked again',
		async () => {
			const desk = await open('payroll-desk');
			// With other headers, nobody has answered its questions yet.
			const file = path.join(stage.folder, 'other headers.xlsx');
			editSheet(await ensureN8n(), MESSY, file, { A6: 'N°' });
			await upload(bookkeeper, desk, file);
			const next = bookkeeper.getByRole('button', { name: ENGLISH.next });
			await next.waitFor();
			await approver.setViewportSize({ width: 390, height: 844 });
			await approver.goto(bookkeeper.url());
			await answerPage(approver, ENGLISH, /Líquido pagable/);
			const boxes = '.multiselect';
			await approver.locator(boxes).first().waitFor();

			// The bookkeeper's page still asks the first questions. n8n gives its answers to the page that waits now.
			await answerPage(bookkeeper, ENGLISH, /Líquido pagable/);
			await bookkeeper.locator(boxes).first().waitFor();
			await decisionPage(approver, ENGLISH);
			await answerPage(bookkeeper, ENGLISH, /(?!)/);
			await bookkeeper.getByLabel(ENGLISH.name).waitFor();
			await picture(bookkeeper, 'out-of-date');
			assert.deepEqual(await sent(), []);
		},
	);

	inBrowser(
		'an outage leaves nobody unsaid, and the same file does not pay them again',
		async () => {
			const desk = await open('payroll-desk');
			await upload(bookkeeper, desk);
			await approver.goto(await decisionPage(bookkeeper));
			// One request arrives, and no answer comes back.
			const match = { method: 'POST', path: PAYOUTS };
			await stage.sandbox.addFault({ match, fault: { type: 'reset', when: 'before' } });
			await decide(approver, ENGLISH.approve);
			await approver.getByText(ENGLISH.approved).waitFor();
			await picture(approver, 'outage-report');
			const tried = (await sent()).length;
			await approver.getByText('Not known: it was perhaps paid').waitFor();

			await stage.sandbox.clearFaults();
			await upload(bookkeeper, desk);
			await bookkeeper.getByText(ENGLISH.nothingSent).waitFor();
			await bookkeeper.getByText('Not known: it was perhaps paid').waitFor();
			await picture(bookkeeper, 'outage-again');
			assert.equal((await sent()).length, tried);
		},
	);

	inBrowser(
		'n8n is killed while a decision waits, and again when the payments were requested',
		async () => {
			const killed = async () => {
				await stage.n8n.kill('SIGKILL');
				await startAgain(stage);
			};
			const desk = await open('payroll-desk');
			await upload(bookkeeper, desk);
			const address = await decisionPage(bookkeeper);
			await killed();
			assert.deepEqual(await sent(), []);

			await approver.goto(address);
			await decide(approver, ENGLISH.approve);
			await until(async () => (await sent()).length === 30, 'all payments are requested');
			await killed();

			// n8n does not go on with what it was doing. The same file says what became of it.
			await upload(bookkeeper, desk);
			await bookkeeper.getByText(ENGLISH.nothingSent).waitFor();
			await picture(bookkeeper, 'killed-again');
			assert.equal((await sent()).length, 30);
		},
	);

	/** Signs a new user of n8n in, in a browser of his own. */
	async function openAs(name) {
		const email = `${name}@example.com`;
		const [{ user }] = await stage.n8n.rest('POST', '/invitations', [
			{ email, role: 'global:member' },
		]);
		const password = `${randomUUID()}A1`;
		const accepted = await stage.n8n.fetch('/rest/invitations/accept', {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify({
				token: new URL(user.inviteAcceptUrl).searchParams.get('token'),
				firstName: name,
				lastName: 'Mamani',
				password,
			}),
		});
		assert.equal(accepted.status, 200, await accepted.text());
		const page = await browser.openPage();
		await page.goto(`${stage.n8n.url}/signin`);
		await page.locator('input[name=emailOrLdapLoginId]').fill(email);
		await page.locator('input[type=password]').fill(password);
		await page.getByTestId('form-submit-button').click();
		await page.waitForURL((url) => !url.pathname.includes('signin'));
		return page;
	}

	// n8n 1 has no sign-in for forms.
	if (!chosenVersion().startsWith('1.')) {
		inBrowser('two people approve a large payroll, and never who uploaded it', async () => {
			const desk = await open('payroll-desk-with-two-approvers');
			const [ana, luis, rosa] = [await openAs('ana'), await openAs('luis'), await openAs('rosa')];
			await openSignedInForm(ana, desk.address);
			await fillUpload(ana, PLANILLA);
			const address = await decisionPage(ana);
			const approve = async (page) => {
				await chooseDecision(page, 'Approve');
				await page.getByRole('button', { name: ENGLISH.send }).click();
			};
			await approve(ana);
			await ana.getByText('You uploaded this file').waitFor();
			await openSignedInForm(luis, address);
			for (let times = 0; times < 2; times++) {
				await approve(luis);
				// The page is there again, without an answer.
				await luis.locator('#submit-btn:disabled').waitFor({ state: 'detached' });
				await luis.getByText('luis@example.com has approved it').waitFor();
			}
			await picture(luis, 'second-approver');
			assert.deepEqual(await sent(), []);

			await openSignedInForm(rosa, address);
			await approve(rosa);
			await complete(30);
			await rosa
				.getByText('Uploaded by ana@example.com, approved by luis@example.com and rosa@example.com')
				.waitFor();
			await picture(rosa, 'two-approvers-report');
			assert.equal((await sent()).length, 30);
		});
	}

	contactsOnlyThisMachine();
});
