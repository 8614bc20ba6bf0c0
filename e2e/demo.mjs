/**
 * npm run demo: a real n8n with the package, and the sandbox as its service, ready to use.
 *
 * It uses only Node.js and npm, so that it runs in a fresh clone before anything is installed.
 */
import { cpSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { parseCsv } from './harness/csv.mjs';
import { ExpectedError } from './harness/errors.mjs';
import { exampleNames, readExample } from './harness/examples.mjs';
import { claimFolder } from './harness/folders.mjs';
import { ensureN8n } from './harness/install.mjs';
import { ensureBuild, ensureRootInstall } from './harness/package.mjs';
import { EXAMPLES_DIR, ROOT_DIR } from './harness/paths.mjs';
import {
	ARRIVED,
	comparePayroll,
	compareStatuses,
	formatCents,
	totalsByCurrency,
} from './harness/payroll.mjs';
import { findPort } from './harness/ports.mjs';
import { endWithNpm, isEnding, onInterrupt, stopAll, wasAskedToEnd } from './harness/processes.mjs';
import { startStage } from './harness/stage.mjs';
import { formatTable } from './harness/table.mjs';

const USAGE = `Usage: npm run demo [-- options]

Starts the sandbox and a real n8n on this machine, with the package, a credential and the example workflows.
No data leaves this machine; the first start downloads what it needs. Ctrl-C stops everything.

  --once             pay a payroll in that n8n, wait for the final statuses, compare with the sandbox, and exit
  --n8n-port P       port for n8n (5678, or any free one)
  --sandbox-port P   port for the sandbox (3456, or any free one)
  --help             print this

n8n is installed once, into a cache outside this folder: about 2 GB. PARTNER_PAYMENTS_CACHE moves it.
`;

const REPORT_EXAMPLE = 'pay-and-report';
const BANK_PAYOUT = '/v3/transactions/payouts/bank';
const ROWS_SHOWN = 10;

const HOUR_MS = 3_600_000;

/** The events of a transaction. */
const ALL_EVENTS = ['pending', 'processing', 'completed', 'reject', 'failed', 'expired'].map(
	(status) => `${status}_transaction`,
);

/** The final statuses of payments with `--once`, by row. All others arrive. */
const BAD_ENDS = new Map([
	[57, 'failed_transaction'],
	[133, 'reject_transaction'],
	[180, 'expired_transaction'],
]);

const USUAL_PORTS = { n8n: 5678, sandbox: 3456 };

async function main() {
	const options = readCommandLine();
	if (options.help) {
		process.stdout.write(USAGE);
		return 0;
	}
	checkPlatform();
	onInterrupt({ before: () => say('\nStopping ...') });
	endWithNpm();

	await ensureRootInstall({ log: say });
	await ensureBuild({ log: say });
	const installation = await ensureN8n({ log: say });

	const folder = claimFolder(path.join(ROOT_DIR, '.demo'), 'run');
	let succeeded = false;
	try {
		say(`Starting n8n ${installation.version} and the sandbox ...`);
		const stage = await startStage({
			installation,
			folder,
			n8nPort: await choosePort('n8n', options.n8nPort),
			sandboxPort: await choosePort('sandbox', options.sandboxPort),
			// A person can watch payouts progress; the comparison needs them to stand still.
			sandboxArgs: options.once ? ['--state-clock', '0'] : [],
		});
		const workflows = await loadExamples(stage);
		if (options.once) succeeded = await runOnce(stage, workflows);
		else succeeded = await stay(stage, workflows, folder);
		await stage.stop();
		return succeeded ? 0 : 1;
	} finally {
		await stopAll();
		if (succeeded) rmSync(folder, { recursive: true, force: true });
		else if (!isEnding()) say(`Logs and data of this run: ${relative(folder)}`);
	}
}

function readCommandLine() {
	const { values } = parseArgs({
		options: {
			once: { type: 'boolean', default: false },
			'n8n-port': { type: 'string' },
			'sandbox-port': { type: 'string' },
			help: { type: 'boolean', default: false },
		},
	});
	return {
		once: values.once,
		help: values.help,
		n8nPort: readPort('--n8n-port', values['n8n-port']),
		sandboxPort: readPort('--sandbox-port', values['sandbox-port']),
	};
}

function readPort(option, text) {
	if (text === undefined) return undefined;
	const port = Number(text);
	if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
	throw new ExpectedError(`${option} needs a port from 1 to 65535, not '${text}'.`);
}

function checkPlatform() {
	if (process.platform === 'win32') {
		throw new ExpectedError('The demo runs on Linux and macOS. On Windows, use WSL.');
	}
}

async function choosePort(name, wanted) {
	const usual = wanted ?? USUAL_PORTS[name];
	const port = await findPort(usual);
	if (port === usual) return port;
	if (wanted) throw new ExpectedError(`Port ${wanted} is taken. Choose another one for ${name}.`);
	say(`Port ${usual} is taken: ${name} gets ${port}.`);
	return port;
}

/** Copies the example files to n8n's folder and imports the example workflows. */
async function loadExamples({ n8n, filesFolder, credential }) {
	for (const file of readdirSync(EXAMPLES_DIR).filter((name) => /\.(csv|xlsx)$/.test(name))) {
		cpSync(path.join(EXAMPLES_DIR, file), path.join(filesFolder, file));
	}
	const workflows = new Map();
	for (const name of exampleNames()) {
		const example = readExample(name, { filesFolder, credential });
		workflows.set(name, await n8n.createWorkflow(example));
	}
	return workflows;
}

/** Waits for the end. True if n8n or the sandbox was asked to end, instead of this process. */
async function stay({ n8n, sandbox, filesFolder }, workflows, folder) {
	const { email, password } = n8n.owner;
	const report = workflows.get(REPORT_EXAMPLE);
	say(`
Everything is running on this machine. Nothing is real, and nothing is saved.

  n8n                ${n8n.url}
    email            ${email}
    password         ${password}   (of this demo only)
  Sandbox's console  ${sandbox.consoleUrl}
    admin API        ${sandbox.adminUrl}/
    Base URL         ${sandbox.baseUrl}   (of the credential; not a page)
  Files              ${relative(filesFolder)}
  Logs               ${relative(path.join(folder, 'logs'))}

What to try:
  1. Open ${n8n.url}/workflow/${report.id} and sign in. Press "Publish", and again in the dialog: from now on the
     service logs the status of each payment.
  2. Hover over "When clicking 'Execute workflow'" and press "Execute workflow" next to it: it pays the ${readPayroll(filesFolder).length} rows of
     payroll.csv, and waits until all payments are final.
  3. Double-click "List rows" to see the verdict on each payment, or open the report (.html) under Files above.
  4. Execute it again: nothing is sent twice, and the statuses are the same.
  5. In "Settings", change payroll.csv to payroll-with-mistakes.csv, and execute it again: the valid rows are paid, and
     the message of each other row says what is wrong.
  6. Open "Payroll desk", and press "Execute workflow": a form takes a bookkeeper's file (planilla-con-titulos.xlsx), asks
     what is not certain, lists everybody, and asks for your approval. docs/demo.md has each step.

The other workflows:
${otherWorkflows(n8n, workflows)}
Ctrl-C stops everything.`);

	onInterrupt({
		before: () => say('\nStopping ...'),
		after: () => {
			rmSync(folder, { recursive: true, force: true });
			say('Stopped.');
		},
		exitCode: 0,
	});
	const [name, end] = await Promise.race([
		n8n.whenEnded.then((how) => ['n8n', how]),
		sandbox.whenEnded.then((how) => ['The sandbox', how]),
	]);
	// Ctrl-C ends them too, and then this process.
	if (isEnding()) await new Promise(() => {});
	if (wasAskedToEnd(end)) {
		say(`\n${name} was ended. Stopping the rest ...`);
		return true;
	}
	const logs = (name === 'n8n' ? n8n : sandbox).logs(15);
	throw new ExpectedError(`${name} has ended by itself. The last lines it wrote:\n\n${logs}`);
}

function otherWorkflows(n8n, workflows) {
	return [...workflows]
		.filter(([name]) => name !== REPORT_EXAMPLE)
		.map(([, { id, name }]) => `  - ${name}: ${n8n.url}/workflow/${id}\n`)
		.join('');
}

/** Publishes, pays, waits and compares. True if the file, the report, n8n and the sandbox agree and every row was paid. */
async function runOnce(stage, workflows) {
	const { n8n, sandbox, filesFolder } = stage;
	const rows = readPayroll(filesFolder);
	say('Publishing a workflow for all events: without one the service logs nothing ...');
	await n8n.activate((await n8n.createWorkflow(eventWorkflow(stage))).id);
	await decideEnds(sandbox, rows);

	const workflow = workflows.get(REPORT_EXAMPLE);
	say(`Running "${workflow.name}" with ${rows.length} rows ...`);
	const id = await n8n.startWorkflow(workflow.id);
	let isOver = false;
	const ended = n8n.waitForExecution(id).finally(() => (isOver = true));
	// The awaiting code reports the error.
	ended.catch(() => {});
	while (!isOver && (await sandbox.counters()).transactionsCreated < rows.length) await sleep(100);
	say(
		'All are created. Advancing the clock of the sandbox by two hours, for the final statuses ...',
	);
	await sandbox.advance(2 * HOUR_MS);
	const execution = await ended;

	const report = readReport(filesFolder);
	say(`n8n says: ${execution.status}, ${(execution.duration / 1000).toFixed(1)} s`);
	if (execution.error) say(`  ${execution.error.message}`);
	const [review] = execution.json('Report rows to review (replace me)');
	if (review) {
		say(
			`The workflow says: ${review.subject}. In this demo, ${BAD_ENDS.size} payments fail on purpose.`,
		);
	}

	const transactions = await sandbox.transactions();
	const counters = await sandbox.counters();
	say(`\n${describeRows(report)}\n`);
	say(`${describeStatuses(report, transactions)}\n\n${describeTotals(report)}\n`);
	say(describeSandbox(transactions, counters));

	const created = report.filter(({ outcome }) => outcome === 'created').length;
	const differences = [
		...comparePayroll(rows, report, transactions),
		...compareStatuses(report, transactions),
	];
	if (counters.duplicates) differences.push(`${counters.duplicates} references were sent twice`);
	const requests = counters.byEndpoint[`POST ${BANK_PAYOUT}`] ?? 0;
	if (requests !== rows.length) differences.push(`${rows.length} rows took ${requests} requests`);
	if (execution.status !== 'success') differences.push(`n8n says ${execution.status}`);
	const open = report.filter(({ verdict }) => verdict !== 'Arrived').length;
	if (open > 0 !== (review !== undefined)) {
		differences.push(`${open} payments have not arrived, and the workflow reports otherwise`);
	}
	say(
		'\nCompared row by row: reference, amount, currency, bank, account, names, document, description, final status.',
	);
	for (const difference of differences.slice(0, 20)) say(`  ${difference}`);
	if (differences.length > 20) say(`  ... and ${differences.length - 20} more`);
	const arrived = report.filter(({ status }) => status === ARRIVED).length;
	say(
		`${created} created, ${transactions.length} received, ${arrived} arrived, ${differences.length} differences`,
	);
	const isRight = created === rows.length && differences.length === 0;
	say(isRight ? 'All is as it should be.' : 'Something is wrong: see above.');
	return isRight;
}

/** A workflow with a trigger for all events, which does nothing with them. */
function eventWorkflow({ credential: { id, name, type } }) {
	return {
		name: 'All events',
		nodes: [
			{
				id: 'all-events',
				name: 'On any event',
				type: 'n8n-nodes-partner-payments.partnerPaymentsTrigger',
				typeVersion: 1.1,
				position: [0, 0],
				webhookId: 'c0ffee00-0000-4000-8000-000000000001',
				parameters: { events: ALL_EVENTS, startWorkflow: 'allNewEvents' },
				credentials: { [type]: { id, name } },
			},
			{
				id: 'nothing',
				name: 'Do nothing',
				type: 'n8n-nodes-base.noOp',
				typeVersion: 1,
				position: [224, 0],
				parameters: {},
			},
		],
		connections: { 'On any event': { main: [[{ node: 'Do nothing', type: 'main', index: 0 }]] } },
	};
}

/** Sets the lifecycles of the payments, within two hours. */
async function decideEnds(sandbox, rows) {
	for (const [row, status] of BAD_ENDS) {
		const { external_reference: reference } = rows[row - 1];
		await sandbox.addLifecycle({ match: { reference }, steps: [{ status, afterMs: HOUR_MS }] });
	}
	const states = ['processing_transaction', ARRIVED];
	await sandbox.addLifecycle({ steps: states.map((status) => ({ status, afterMs: HOUR_MS })) });
}

function readPayroll(filesFolder) {
	return parseCsv(readFileSync(path.join(filesFolder, 'payroll.csv'), 'utf8'));
}

/** In the order of the payroll. */
function readReport(filesFolder) {
	const file = readdirSync(filesFolder).find((name) => /^payroll-report-.*\.csv$/.test(name));
	if (!file) {
		say('The workflow wrote no report.');
		return [];
	}
	return parseCsv(readFileSync(path.join(filesFolder, file), 'utf8'));
}

/** The first rows, and all rows to review. */
function describeRows(report) {
	const shown = report.filter(
		({ verdict, row }) => Number(row) <= ROWS_SHOWN || verdict !== 'Arrived',
	);
	const table = formatTable(
		[
			{ title: 'row', right: true, value: ({ row }) => row },
			{ title: 'payee', width: 30, value: ({ payee }) => payee },
			{ title: 'amount', right: true, value: ({ amount }) => amount },
			{ title: '', value: ({ currency }) => currency },
			{ title: 'outcome', value: ({ outcome }) => outcome },
			{ title: 'final status', value: ({ status }) => status },
			{ title: 'verdict', width: 40, value: ({ verdict }) => verdict },
			{
				title: 'transaction or reason',
				width: 60,
				value: (row) => row.transactionId || row.message,
			},
		],
		shown,
	);
	const hidden = report.length - shown.length;
	return hidden ? `${table}\n  ... and ${hidden} more rows, all arrived` : table;
}

/** The number of rows of the report and of payments in the sandbox, by status. */
function describeStatuses(report, transactions) {
	const statuses = [...new Set([...report, ...transactions].map(({ status }) => status))].sort();
	const count = (list, status) => list.filter((entry) => entry.status === status).length;
	return formatTable(
		[
			{ title: 'final status', value: (status) => status },
			{ title: 'rows', right: true, value: (status) => count(report, status) },
			{ title: 'in the sandbox', right: true, value: (status) => count(transactions, status) },
		],
		statuses,
	);
}

function describeTotals(report) {
	return formatTable(
		[
			{ title: 'currency', value: ({ currency }) => currency },
			{ title: 'rows', right: true, value: ({ rows }) => rows },
			{ title: 'created', right: true, value: ({ created }) => created },
			{ title: 'paid', right: true, value: ({ paid }) => formatCents(paid) },
			{ title: 'arrived', right: true, value: ({ arrived }) => formatCents(arrived) },
		],
		totalsByCurrency(report),
	);
}

function describeSandbox(transactions, { byEndpoint, logins, maxInFlight, duplicates }) {
	const requests = byEndpoint[`POST ${BANK_PAYOUT}`] ?? 0;
	return [
		'What the sandbox received:',
		`  ${requests} requests to ${BANK_PAYOUT}, at most ${maxInFlight} at once, ${logins} login(s)`,
		`  ${transactions.length} bank payouts created, ${duplicates} with a reference used before`,
	].join('\n');
}

function relative(target) {
	return path.relative(process.cwd(), target) || '.';
}

function say(text) {
	process.stdout.write(`${text}\n`);
}

try {
	process.exitCode = await main();
} catch (error) {
	if (isEnding()) await new Promise(() => {});
	if (error instanceof ExpectedError || error.code?.startsWith?.('ERR_PARSE_ARGS')) {
		process.stderr.write(`\n${error.message}\n`);
	} else if (error.output) {
		process.stderr.write(`\n${error.message}. What it wrote:\n\n${error.output}\n`);
	} else {
		process.stderr.write(`\n${error.stack}\n`);
	}
	process.exitCode = 1;
}
