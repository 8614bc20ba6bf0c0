/**
 * npm run screenshots: takes the pictures in docs/images from a real n8n and from the sandbox's console, in light
 * and dark mode, and a film of the payroll desk, which needs ffmpeg.
 */
import { randomUUID } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { startBrowser } from './harness/browser.mjs';
import { Editor } from './harness/editor.mjs';
import { readExample } from './harness/examples.mjs';
import { Film } from './harness/film.mjs';
import { claimFolder } from './harness/folders.mjs';
import { ensureN8n } from './harness/install.mjs';
import { ensureBuild, ensureRootInstall } from './harness/package.mjs';
import { E2E_DIR, EXAMPLES_DIR, ROOT_DIR } from './harness/paths.mjs';
import { checkSize, takePictures } from './harness/pictures.mjs';
import { findPort } from './harness/ports.mjs';
import { onInterrupt, stopAll } from './harness/processes.mjs';
import { startStage } from './harness/stage.mjs';
import { inForm } from '../test/fixtures/form.cjs';
import { answerQuestions, chooseDecision, lookAgain } from './tests/browser-support.mjs';
import { partnerPayments, runNode, workflowOf } from './tests/support.mjs';
import { drain, publish, until } from './tests/trigger-support.mjs';

const USAGE = `Usage: npm run screenshots [-- options]

Takes the pictures in docs/images from a real n8n and the sandbox's console.

  --only NAME   only groups whose name contains NAME; may be repeated
  --list        print the groups and end
  --help        print this
`;

const IMAGES_DIR = path.join(ROOT_DIR, 'docs/images');
const MAX_BYTES = 300_000;
const MAX_FILM_BYTES = 3_000_000;
/** @type {import('./harness/pictures.mjs').Scheme[]} */
const SCHEMES = ['light', 'dark'];

const PAYROLL_EXAMPLE = 'pay-payroll-from-spreadsheet';
const DESK_EXAMPLE = 'payroll-desk';
const EVENTS_EXAMPLE = 'react-to-completed-transactions';

const BANK_PAYOUTS = '/v3/transactions/payouts/bank';
const PLANILLA = 'planilla-con-titulos.xlsx';

/** The viewport for a canvas. */
const CANVAS = { width: 1600, height: 760 };
const EDITOR = { width: 1280, height: 800 };
const DESK = { width: 1000, height: 900 };
/** Larger than displayed, so that a table fits. */
const FILM = { width: 1440, height: 820 };
const FILM_WIDTH = 1200;

const DEPOSIT = {
	resource: 'deposit',
	operation: 'createQr',
	referenceId: 'order-2026-0042',
	fiatAmount: '150.50',
};
const BANK_PAYOUT = {
	resource: 'payout',
	operation: 'createBank',
	firstName: 'María José',
	lastName: 'Quispe Mamani',
	destinationIdNumber: '0812345',
	bankCode: '1001',
	destinationAccount: '0012345678',
	amount: '1250.50',
	description: 'Salary November 2026',
	batchId: 'payroll-2026-11',
};
/** The forms in the guides, filled in. */
const FORMS = {
	'payout-bank-balance': BANK_PAYOUT,
	'payout-bank-columns': {
		resource: 'payout',
		operation: 'createBank',
		mappingMode: 'autoMapInputData',
		batchId: 'payroll-2026-11',
		keyColumns: 'employee_id',
	},
	'payout-crypto': {
		resource: 'payout',
		operation: 'createCrypto',
		destinationWallet: '0x52908400098527886E0F7030069857D2E4169EE7',
		amount: '100.25',
		batchId: 'suppliers-2026-11',
	},
};

/** The pictures by group. Each group takes them with `picture(name, target)`. */
const GROUPS = {
	async nodes({ stage, editor, picture }) {
		const { id } = await stage.n8n.createWorkflow(
			workflowOfForms(stage, { ...FORMS, deposit: DEPOSIT }),
		);
		await editor.openWorkflow(id);

		await editor.openNodePanel();
		await editor.searchNodes('payout');
		await editor.listed('Partner Payments').click();
		await editor.listed('Create QR deposit').waitFor();
		await picture('node-panel-actions', editor.nodePanel);
		await editor.closeNodePanel();

		for (const name of Object.keys(FORMS)) {
			await editor.openNode(name);
			if (name === 'payout-crypto') {
				await editor.openList('walletId');
				await editor.listEntries.first().click();
			}
			await editor.page.setViewportSize({ ...EDITOR, height: await heightFor(editor.form) });
			await picture(`form-${name}`, editor.form);
			await editor.page.setViewportSize(EDITOR);
			await editor.closeNode();
		}

		await editor.openNode('deposit');
		await editor.executeNode();
		await editor.openBinary();
		await editor.output.locator('img').evaluate((image) => image.decode());
		await picture('qr-output');

		await editor.newCredential();
		const { baseUrl, email, password } = stage.sandbox;
		await editor.fillCredential({ baseUrl, email, password: 'not-the-password' });
		await editor.chooseInCredential('environment', 'Sandbox');
		await editor.saveCredential();
		await editor.credentialForm.getByText('More details').click();
		await picture('credential-wrong');
		await editor.fillCredential({ password });
		await editor.saveCredential();
		await editor.credentialForm.waitFor({ state: 'hidden' });
		await editor.editCredential();
		await editor.credentialTestSuccess.waitFor();
		await picture('credential-good');
	},

	async payroll({ stage, editor, picture }) {
		const { id } = await stage.n8n.createWorkflow(readExample(PAYROLL_EXAMPLE, stage));
		await editor.page.setViewportSize(CANVAS);
		await editor.openWorkflow(id);
		await editor.executeWorkflow();
		await editor.page.getByTestId('zoom-to-fit').click();
		await picture('canvas');
		await editor.openNode('Pay each row');
		await editor.output.getByTestId('radio-button-table').click();
		await picture('payroll-result');
		await editor.page.setViewportSize(EDITOR);
	},

	// Before a trigger exists, because webhook addresses contain secrets.
	async console({ stage, page, picture }) {
		const { sandbox } = stage;
		for (const referenceId of ['order-2026-0043', 'order-2026-0044']) {
			const parameters = { ...DEPOSIT, referenceId };
			await runNode(stage, partnerPayments(stage, parameters));
		}
		const [paid, open] = (await sandbox.transactions()).slice(-2);
		await sandbox.admin('POST', `/deposits/${paid.id}/pay`, {});
		await sandbox.addFault({
			match: { path: BANK_PAYOUTS },
			fault: { type: 'status', status: 503 },
		});
		await page.goto(sandbox.consoleUrl);
		await page.getByRole('status').getByText('Live').waitFor();
		await page.getByRole('button', { name: `Open QR deposit ${open.reference}` }).waitFor();
		await picture('console');
		await sandbox.clearFaults();
	},

	async desk({ stage, page, picture }) {
		// n8n's forms have only a light mode.
		const takeLight = (name, target) => picture(name, target, ['light']);
		const container = page.locator('.container');
		await page.setViewportSize(DESK);
		await payAtDesk(stage, page, {
			onUpload: () => takeLight('desk-upload', container),
			onApprove: () => takeLight('desk-approve', container),
			onReport: () => takeLight('desk-report', page),
		});
		await page.setViewportSize(EDITOR);
	},

	async tour({ stage, page, film }) {
		await page.setViewportSize(FILM);
		const scrollTo = (part) => part.evaluate((element) => element.scrollIntoView({ block: 'end' }));
		await payAtDesk(stage, page, {
			async onUpload(button) {
				await film.scene('Upload the payroll as it is', 1.5);
				await film.moveTo(button);
				await film.scene('Upload the payroll as it is', 1);
			},
			async onCheck() {
				await page.evaluate(() => globalThis.scrollTo(0, 0));
				await film.scene('Nothing is paid before somebody has looked at it', 4);
			},
			async onApprove(button) {
				await scrollTo(button);
				await film.moveTo(button);
				await film.scene('A second person decides', 2);
			},
			async onSend() {
				await scrollTo(page.locator('#n8n-form'));
				await film.scene('Every payment is sent once', 2);
			},
			onReport: () => film.scene('The report says what happened to each payment', 5),
		});
		film.write('tour');
		await page.setViewportSize(EDITOR);
	},

	async trigger({ stage, editor, picture }) {
		const { id } = await stage.n8n.createWorkflow(readExample(EVENTS_EXAMPLE, stage));
		const setup = await stage.n8n.runWorkflow(id);
		if (setup.status !== 'success') throw setup.error;
		await editor.openWorkflow(id);
		await editor.publish();
		const { id: depositId } = await stage.sandbox.admin('POST', '/crypto-deposits', {
			amount: '5.5',
			asset: 'USDC',
			blockchain: 'Polygon',
		});
		await stage.sandbox.admin('POST', `/transactions/${depositId}/status`, {
			status: 'completed_transaction',
		});
		await editor.openExecutions();
		// The credential of the setup already exists.
		await editor.executions.getByText('Succeeded').nth(1).waitFor();
		await editor.page.getByTestId('canvas-node-status-success').last().waitFor();
		await picture('trigger-execution');
	},
};

async function main() {
	const { values: options } = parseArgs({
		options: {
			only: { type: 'string', multiple: true, default: [] },
			list: { type: 'boolean', default: false },
			help: { type: 'boolean', default: false },
		},
	});
	if (options.help) return say(USAGE);
	const groups = Object.keys(GROUPS).filter(
		(group) => options.only.length === 0 || options.only.some((name) => group.includes(name)),
	);
	if (options.list) return say(groups.join('\n'));
	onInterrupt();

	await ensureRootInstall();
	await ensureBuild();
	const installation = await ensureN8n();
	const folder = claimFolder(path.join(E2E_DIR, 'results'), 'screenshots');
	mkdirSync(IMAGES_DIR, { recursive: true });
	if (options.only.length === 0) removePictures();

	let browser;
	try {
		const stage = await startStage({
			installation,
			folder,
			// The default ports if they are free, because some pictures show them.
			n8nPort: await findPort(5678),
			sandboxPort: await findPort(3456),
			sandboxArgs: ['--state-clock', '0'],
			// Hundreds of events arrive at once, and their cost doesn't matter here.
			env: { N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true' },
		});
		for (const file of readdirSync(EXAMPLES_DIR).filter((name) => name.endsWith('.csv'))) {
			cpSync(path.join(EXAMPLES_DIR, file), path.join(stage.filesFolder, file));
		}
		browser = await startBrowser();
		const page = await browser.openPage({ viewport: EDITOR });
		const editor = new Editor(page, stage.n8n);
		await editor.signIn();
		const picture = async (name, target = page, schemes = SCHEMES) => {
			// Moves the mouse away, so that no hover effect shows.
			await page.mouse.move(0, 0);
			const fileOf = (scheme) => path.join(IMAGES_DIR, `${name}-${scheme}.png`);
			await takePictures(page, target, schemes, fileOf);
			for (const scheme of schemes) checkSize(fileOf(scheme), MAX_BYTES);
		};
		const film = new Film(page, {
			folder,
			// n8n's forms and the report have only a light mode.
			schemes: ['light'],
			fileOf: (name, scheme) => path.join(IMAGES_DIR, `${name}-${scheme}.gif`),
			width: FILM_WIDTH,
			maxBytes: MAX_FILM_BYTES,
		});
		for (const group of groups) await GROUPS[group]({ stage, page, editor, picture, film });
	} finally {
		await browser?.close();
		await stopAll();
	}
}

function removePictures() {
	for (const file of readdirSync(IMAGES_DIR).filter((name) => /\.(?:png|gif)$/.test(name))) {
		rmSync(path.join(IMAGES_DIR, file));
	}
}

/**
 * Pays a messy payroll at the desk. One payment is declined, and one fails later.
 *
 * @param {import('./harness/stage.mjs').Stage} stage
 * @param {import('playwright-core').Page} page
 * @param {object} moments
 * @param {(button: import('playwright-core').Locator) => Promise<void>} moments.onUpload with the file chosen
 * @param {() => Promise<void>} [moments.onCheck] on the page of the decision
 * @param {(button: import('playwright-core').Locator) => Promise<void>} moments.onApprove with the decision filled in
 * @param {() => Promise<void>} [moments.onSend] while it is paid
 * @param {() => Promise<void>} moments.onReport
 */
async function payAtDesk(stage, page, { onUpload, onCheck, onApprove, onSend, onReport }) {
	const { sandbox, n8n } = stage;
	await sandbox.reset();
	const example = readExample(DESK_EXAMPLE, stage);
	const form = example.nodes.find(({ type }) => type.endsWith('.formTrigger'));
	form.webhookId = randomUUID();
	const { id } = await n8n.createWorkflow(example);
	await publish(n8n, id);

	await page.goto(`${n8n.url}/form/${form.parameters.options.path}`);
	await page.getByLabel('Payroll file').setInputFiles(path.join(EXAMPLES_DIR, PLANILLA));
	await page.getByLabel('Payroll', { exact: true }).fill('Salaries November 2026');
	const check = page.getByRole('button', { name: 'Check the file' });
	await onUpload(check);
	await check.click();

	await answerQuestions(page, { next: 'Continue', send: 'Send the decision' });
	await onCheck?.();
	await page.getByLabel('Your name').fill('Rosa Mamani');
	await chooseDecision(page, 'Approve');
	const decide = page.getByRole('button', { name: 'Send the decision' });
	await onApprove(decide);
	const [declined, failed] = ['Ana', 'Julio César'];
	for (const [name, fault] of [
		[declined, { type: 'status', status: 422, body: { message: 'The account is closed' } }],
		// Time for a picture.
		['Mauricio', { type: 'latency', ms: 3_000 }],
	]) {
		await sandbox.addFault({
			match: { method: 'POST', path: BANK_PAYOUTS, bodyContains: `"first_name":"${name}"` },
			fault,
		});
	}
	await decide.click();
	await page.locator('#submit-btn:disabled').waitFor();
	await onSend?.();
	const transactions = await until(async () => {
		const all = await sandbox.transactions();
		return all.length === 39 && all;
	}, 'all payments are made');
	const isFailed = ({ request }) => request.transaction.first_name === failed;
	const move = (status, list) =>
		sandbox.admin('POST', '/transactions/status', { status, ids: list.map(({ id: one }) => one) });
	await move('failed_transaction', transactions.filter(isFailed));
	await move(
		'completed_transaction',
		transactions.filter((one) => !isFailed(one)),
	);
	await drain(stage);
	await page.getByText('Approved by Rosa Mamani').waitFor();
	await lookAgain(page);
	await onReport();
	await n8n.deactivate(id);
}

/** One workflow with a node for each form. */
function workflowOfForms(stage, forms) {
	const { nodes, ...workflow } = workflowOf(partnerPayments(stage, {}), { name: 'Payments' });
	const [start, node] = nodes;
	const filledIn = Object.entries(forms).map(([name, parameters], index) => ({
		...node,
		id: name,
		name,
		parameters: inForm(parameters),
		position: [220, 160 * index],
	}));
	const toForms = filledIn.map(({ name }) => ({ node: name, type: 'main', index: 0 }));
	return {
		...workflow,
		nodes: [start, ...filledIn],
		connections: { [start.name]: { main: [toForms] } },
	};
}

/** The window height that shows a whole form. */
async function heightFor(form) {
	const room = 60;
	return await form.evaluate(
		(element, more) => element.scrollHeight + element.getBoundingClientRect().top + more,
		room,
	);
}

function say(text) {
	process.stdout.write(`${text}\n`);
}

await main();
