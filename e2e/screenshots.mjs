/**
 * npm run screenshots: takes the pictures in docs/images from a real n8n and from the sandbox's console, in light
 * and dark mode, and the animated one of the README, which needs ffmpeg.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { startBrowser } from './harness/browser.mjs';
import { parseCsv } from './harness/csv.mjs';
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
import { partnerPayments, runNode, workflowOf } from './tests/support.mjs';
import { drain, until } from './tests/trigger-support.mjs';

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
const REPORT_EXAMPLE = 'pay-and-report';
const APPROVAL_EXAMPLE = 'approve-payroll';
const EVENTS_EXAMPLE = 'react-to-completed-transactions';

const BANK_PAYOUTS = '/v3/transactions/payouts/bank';

/** The viewport for a canvas. */
const CANVAS = { width: 1600, height: 760 };
const EDITOR = { width: 1280, height: 800 };
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
	entityType: 'individual',
	firstName: 'María José',
	lastName: 'Quispe Mamani',
	destinationIdNumber: '0812345',
	bankCode: '1001',
	destinationAccount: '0012345678',
	amount: '1250.50',
	description: 'Salary November 2026',
	externalReference: '5f0c6f6e-3b1d-4f7e-9a53-0c1d2e3f4a5b',
};
/** The forms in the guides, filled in. */
const FORMS = {
	'payout-bank-balance': BANK_PAYOUT,
	'payout-bank-columns': {
		resource: 'payout',
		operation: 'createBank',
		mappingMode: 'autoMapInputData',
		referenceSource: 'generated',
		batchId: 'payroll-2026-11',
		keyColumns: 'employee_id',
	},
	'payout-crypto': {
		resource: 'payout',
		operation: 'createCrypto',
		destinationWallet: '0x52908400098527886E0F7030069857D2E4169EE7',
		amount: '100.25',
		externalReference: 'supplier-2026-0042',
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

	async approval({ stage, page, picture }) {
		await stage.sandbox.reset();
		const { id } = await stage.n8n.createWorkflow(readExample(APPROVAL_EXAMPLE, stage));
		const executionId = await stage.n8n.startWorkflow(id);
		const form = await until(async () => {
			const execution = await stage.n8n.getExecution(executionId);
			if (execution.status !== 'waiting') return false;
			return execution.json('Ask for approval (replace me)')[0]?.form;
		}, 'the form is open');
		await page.goto(form);
		await page.getByLabel('Your name').fill('Rosa Mamani');
		await page.getByLabel('Decision').selectOption('Approve');
		// n8n's forms have only a light mode.
		await picture('approval-form', page.locator('.container'), ['light']);
		await stage.n8n.stopExecution(executionId);
	},

	async report({ stage, editor, picture }) {
		await editor.page.setViewportSize(CANVAS);
		const id = await payAndReport(stage, editor);
		await picture('payroll-report', editor.output);
		await editor.page.setViewportSize(EDITOR);
		// The next group publishes the same example, whose webhook has the same path.
		await stage.n8n.deactivate(id);
	},

	async tour({ stage, editor, film }) {
		await editor.page.setViewportSize(FILM);
		await payAndReport(stage, editor, {
			async onOpen(button) {
				await film.scene('Pay the 200 rows of a spreadsheet', 1.5);
				await film.moveTo(button);
				await film.scene('Pay the 200 rows of a spreadsheet', 1);
			},
			async onEnd() {
				await film.scene('Every payment is sent once, and followed until it is final', 2);
			},
		});
		await film.scene('The verdict on each payment', 3);
		await editor.closeNode();

		const { sandbox, n8n } = stage;
		const { id: events } = await n8n.createWorkflow(readExample(EVENTS_EXAMPLE, stage));
		const setup = await n8n.runWorkflow(events);
		if (setup.status !== 'success') throw setup.error;
		const webhooks = () => sandbox.admin('GET', '/webhooks');
		const registered = (await webhooks()).length + 1;
		await n8n.activate(events);
		await until(async () => (await webhooks()).length === registered, 'the trigger is registered');
		await editor.openWorkflow(events);
		await editor.openExecutions();
		await editor.executions.first().waitFor();
		const before = await editor.executions.count();
		await film.scene('Another workflow waits for events', 1.5);
		const deposit = { amount: '250', asset: 'USDC', blockchain: 'Polygon' };
		const { id } = await sandbox.admin('POST', '/crypto-deposits', deposit);
		const status = 'completed_transaction';
		await sandbox.admin('POST', `/transactions/${id}/status`, { status });
		await editor.executions.nth(before).waitFor();
		await editor.executions.getByText('Succeeded').nth(before).waitFor();
		await editor.executions.first().click();
		await editor.page.getByTestId('canvas-node-status-success').last().waitFor();
		await film.scene('An event arrives and starts it', 3);
		film.write('tour');
		await editor.page.setViewportSize(EDITOR);
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
			schemes: SCHEMES,
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
 * Pays the payroll with the example that waits until all payments are final, with some failures, and opens
 * its report.
 *
 * @param {object} stage
 * @param {Editor} editor
 * @param {{ onOpen?: Function, onEnd?: Function }} [moments] called with the workflow before it is executed, with its
 *   button, and when it has ended
 * @returns {Promise<string>} the ID of the workflow, which stays published
 */
async function payAndReport(stage, editor, { onOpen, onEnd } = {}) {
	const { sandbox, n8n } = stage;
	await sandbox.reset();
	const example = readExample(REPORT_EXAMPLE, stage);
	const settings = example.nodes.find(({ name }) => name === 'Settings').parameters.assignments;
	// One payment never becomes final.
	settings.assignments.find(({ name }) => name === 'waitMinutes').value = 0.5;
	const { id } = await n8n.createWorkflow(example);
	await n8n.activate(id);
	const rows = readPayroll(stage);
	const [declined, never, failed] = [rows[3], rows[30], rows[90]];
	await failPayment(sandbox, declined, { type: 'status', status: 422 });
	await failPayment(sandbox, never, { type: 'reset', when: 'before' });

	await editor.openWorkflow(id);
	await editor.zoomToFit();
	const trigger = 'When clicking ‘Execute workflow’';
	await onOpen?.(editor.node(trigger));
	const whenDone = editor.executeWorkflow(trigger);
	const book = await until(async () => {
		const transactions = await sandbox.transactions();
		return transactions.length === rows.length - 2 && transactions;
	}, 'all payments are made');
	const move = (status, ids) => sandbox.admin('POST', '/transactions/status', { status, ids });
	const isFailed = ({ reference }) => reference === failed.external_reference;
	const idsOf = (transactions) => transactions.map((transaction) => transaction.id);
	await move('failed_transaction', idsOf(book.filter(isFailed)));
	await move('completed_transaction', idsOf(book.filter((entry) => !isFailed(entry))));
	// n8n also handles all these events.
	await drain(stage);
	await whenDone;
	await onEnd?.();
	await editor.openNode('List rows');
	await editor.output.getByTestId('radio-button-table').click();
	await editor.widenOutput();
	return id;
}

/** The rows of the examples' payroll. */
function readPayroll({ filesFolder }) {
	return parseCsv(readFileSync(path.join(filesFolder, 'payroll.csv'), 'utf8'));
}

/**
 * Injects a fault into the payment of a row, once.
 *
 * @param {import('./harness/sandbox.mjs').Sandbox} sandbox
 * @param {import('./harness/csv.mjs').Row} row
 * @param {object} fault
 */
async function failPayment(sandbox, { external_reference: reference }, fault) {
	await sandbox.addFault({
		match: { method: 'POST', path: BANK_PAYOUTS, bodyContains: reference },
		fault,
	});
}

/** One workflow with a node for each form. */
function workflowOfForms(stage, forms) {
	const { nodes, ...workflow } = workflowOf(partnerPayments(stage, {}), { name: 'Payments' });
	const [start, node] = nodes;
	const filledIn = Object.entries(forms).map(([name, parameters], index) => ({
		...node,
		id: name,
		name,
		parameters,
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
