/**
 * The crash test: how nodes that pay behave when something goes wrong, in a real n8n, with the sandbox as the service
 * (docs/reliability.md). What the sandbox received is compared with what n8n's executions report.
 *
 * npm run crash-test -- --help
 */
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { inspect, parseArgs } from 'node:util';
import { ensureN8n } from '../e2e/harness/install.mjs';
import { startN8n } from '../e2e/harness/n8n.mjs';
import { ensureBuild, ensureRootInstall, installPackage } from '../e2e/harness/package.mjs';
import { stopAll } from '../e2e/harness/processes.mjs';
import { startSandbox } from '../e2e/harness/sandbox.mjs';
import { N8N_VERSIONS } from '../e2e/harness/versions.mjs';
import { CONTESTANTS, payingNodes, workflowOf } from './contestants.mjs';
import { FAULTS } from './faults.mjs';
import { makeRows, writeCsv } from './rows.mjs';

const { judge, reportedAsPaid } = createRequire(import.meta.url)('./judgement.cjs');

const ROWS = 200;

/** The contestants of the benchmark that take part. */
const IDS = ['http', 'loop', 'peer', 'columns'];

/** Partner Payments. It skips what it has sent, so a person gives it the whole file again. The others get what is missing. */
const TAKES_THE_WHOLE_FILE = 'columns';

const USAGE = `Usage: npm run crash-test -- [options]

  --n8n V,V        n8n versions, of ${N8N_VERSIONS.join(' and ')} (the newest)
  --only ID,ID     some contestants (${IDS.join(',')})
  --fault ID,ID    some faults: ${FAULTS.map(({ id }) => id).join(', ')}
  --duplicates D   how the service responds to a reference that it knows: accept, or conflict (accept)
  --json           only JSON on standard output
  --help           this

A run takes about ten minutes for each n8n. Progress goes to standard error. It fails if Partner Payments pays a row
twice, loses one, or leaves a payment unreported, except after the time limit in n8n 1.
`;

const HTTP_REQUEST = 'n8n-nodes-base.httpRequest';
const NEWEST_HTTP_REQUEST_OF_N8N_1 = 4.3;
const CALLED_TRIGGER = 'n8n-nodes-base.executeWorkflowTrigger';

const TIMEOUT_MS = 300_000;

/** So long the service has to be without a new payment until it counts as silent. */
const SILENT_MS = 1_500;

const BENCH_DIR = path.dirname(fileURLToPath(import.meta.url));
const ENDED = ['success', 'error', 'crashed', 'canceled'];

const isN8n1 = (version) => /^1\./.test(version);

const log = (line) => process.stderr.write(`${line}\n`);

/** One contestant, one fault: the workflow, and the person before it. */
export class Desk {
	#setting;
	#workflow = '';
	/** The workflow whose executions a person sees: that one, or the one that calls it. */
	#started = '';
	#route = randomUUID();
	#file;
	#contestant;
	#executions = 0;

	constructor(setting, contestant) {
		this.#setting = setting;
		this.#contestant = contestant;
		this.#file = path.join(setting.folder, 'files', `${this.#route}.csv`);
		this.rows = makeRows(ROWS);
	}

	get sandbox() {
		return this.#setting.sandbox;
	}

	get #n8n() {
		return this.#setting.n8n;
	}

	/** @param {import('./faults.mjs').Fault} fault */
	async prepare({ nodeSettings, settings, isCalled }) {
		const { sandbox } = this;
		await sandbox.reset();
		await sandbox.change({ duplicateReferences: this.#setting.duplicates });
		// A new user, so that no old token costs a request.
		const user = { email: `${this.#route}@example.com`, password: 'Bench-only-password-1' };
		await sandbox.admin('POST', '/users', user);
		const credential = await this.#n8n.createCredential(sandbox.credential(user));
		this.write((row) => row);

		const webhook = {
			type: 'n8n-nodes-base.webhook',
			typeVersion: 2,
			webhookId: this.#route,
			parameters: {
				httpMethod: 'POST',
				path: this.#route,
				responseMode: 'onReceived',
				options: {},
			},
		};
		const called = {
			type: CALLED_TRIGGER,
			typeVersion: 1.1,
			parameters: { inputSource: 'passthrough' },
		};
		this.#workflow = await this.#publish(
			workflowOf(this.#contestant, {
				baseUrl: sandbox.baseUrl,
				csvFile: this.#file,
				credential,
				trigger: isCalled ? called : webhook,
				nodeSettings,
				settings,
			}),
		);
		this.#started = isCalled
			? await this.#publish(callerOf(this.#workflow, webhook))
			: this.#workflow;
	}

	async #publish({ nodes, ...workflow }) {
		const { id } = await this.#n8n.createWorkflow({
			...workflow,
			nodes: nodes.map((node) =>
				this.#setting.isN8n1 && node.type === HTTP_REQUEST
					? { ...node, typeVersion: NEWEST_HTTP_REQUEST_OF_N8N_1 }
					: node,
			),
		});
		const isCalled = nodes.some(({ type }) => type === CALLED_TRIGGER);
		// n8n 1 runs a called workflow as it was saved, and refuses to publish it.
		if (!(isCalled && this.#setting.isN8n1)) await this.#n8n.activate(id);
		return id;
	}

	/**
	 * Writes the file anew.
	 *
	 * @param {(row: Record<string, string>, number: number) => Record<string, string>} change
	 */
	write(change) {
		writeCsv(this.#file, this.rows.map(change));
	}

	/** Runs the workflow, and waits until every execution has ended. */
	async start() {
		this.#executions += 1;
		await this.#until(
			async () => (await this.#n8n.fetch(`/webhook/${this.#route}`, { method: 'POST' })).ok,
		);
		await this.#ended();
	}

	async #ended() {
		await this.#until(async () => {
			const executions = await this.#n8n.listExecutions(this.#started);
			return (
				executions.length >= this.#executions &&
				executions.every(({ status }) => ENDED.includes(status))
			);
		});
	}

	/** Presses "Retry execution", if n8n offers it; otherwise runs what is missing. */
	async retry() {
		const [{ id, status }] = await this.#n8n.listExecutions(this.#started);
		if (status === 'success') return;
		try {
			await this.#n8n.retryExecution(id, { timeoutMs: TIMEOUT_MS });
			this.#executions += 1;
		} catch (error) {
			if (error.status === undefined) throw error;
			log(`    n8n rejects the retry: ${error.status}`);
			await this.payTheRest();
		}
	}

	/** Runs the file again as the contestant's documentation says, or a careful person would. */
	async payTheRest() {
		if (this.#contestant.id !== TAKES_THE_WHOLE_FILE) {
			const paid = reportedAsPaid(await this.sandbox.transactions(), await this.#results());
			this.rows = this.rows.filter(({ external_reference }) => !paid.has(external_reference));
			if (this.rows.length === 0) return;
			this.write((row) => row);
		}
		await this.start();
	}

	/** Waits until that many payments are made and no more come. */
	async untilStuck(count) {
		let last = -1;
		let since = 0;
		await this.#until(async () => {
			const { transactionsCreated } = await this.sandbox.counters();
			if (transactionsCreated !== last) since = Date.now();
			last = transactionsCreated;
			return last >= count && Date.now() - since > SILENT_MS;
		});
	}

	async kill() {
		await this.#n8n.kill();
	}

	async startN8n() {
		await this.#setting.start();
	}

	async stop() {
		const [{ id }] = await this.#n8n.listExecutions(this.#started);
		await this.#n8n.stopExecution(id);
	}

	/** Waits until it is so. n8n may be away meanwhile, unless it has ended. */
	async #until(isSo) {
		const n8n = this.#n8n;
		const deadline = Date.now() + TIMEOUT_MS;
		while (!(await isSo().catch(() => false))) {
			if (n8n.hasEnded) throw new Error('n8n has ended');
			if (Date.now() > deadline) throw new Error('It takes too long');
			await sleep(100);
		}
	}

	/** Whatever the paying nodes returned or threw, in all executions. */
	async #results() {
		const results = [];
		for (const { id } of await this.#n8n.listExecutions(this.#workflow)) {
			const execution = await this.#n8n.getExecution(id);
			const runs = payingNodes(this.#contestant).flatMap((name) => execution.runs(name));
			results.push(execution.error, ...runs.map(({ data, error }) => ({ data, error })));
		}
		return results;
	}

	/** How n8n lists the executions, the first one first. */
	async statuses() {
		const executions = await this.#n8n.listExecutions(this.#started);
		return executions.map(({ status }) => status).reverse();
	}

	async judge() {
		const status = (await this.statuses()).at(-1);
		return judge({
			references: makeRows(ROWS).map((row) => row.external_reference),
			transactions: await this.sandbox.transactions(),
			results: await this.#results(),
			succeeded: status === 'success',
		});
	}
}

/** A workflow that calls another one, again if it fails. */
function callerOf(workflowId, trigger) {
	const node = (name, more) => ({ id: randomUUID(), name, position: [0, 0], ...more });
	return {
		name: 'Caller',
		nodes: [
			node('Start', trigger),
			node('Call', {
				type: 'n8n-nodes-base.executeWorkflow',
				typeVersion: 1.2,
				parameters: { workflowId: { __rl: true, mode: 'id', value: workflowId }, options: {} },
				retryOnFail: true,
				maxTries: 3,
				waitBetweenTries: 1_000,
			}),
		],
		connections: { Start: { main: [[{ node: 'Call', type: 'main', index: 0 }]] } },
		settings: { executionOrder: 'v1' },
	};
}

function readCommandLine() {
	const { values } = parseArgs({
		options: {
			n8n: { type: 'string', default: N8N_VERSIONS[0] },
			only: { type: 'string', default: IDS.join(',') },
			fault: { type: 'string', default: FAULTS.map(({ id }) => id).join(',') },
			duplicates: { type: 'string', default: 'accept' },
			json: { type: 'boolean', default: false },
			help: { type: 'boolean', default: false },
		},
	});
	const chosen = (option, known) => {
		const names = values[option].split(',').map((name) => name.trim());
		const unknown = names.find((name) => !known.includes(name));
		if (unknown !== undefined) throw new Error(`--${option}: there is no ${unknown}`);
		return known.filter((name) => names.includes(name));
	};
	const faults = chosen(
		'fault',
		FAULTS.map(({ id }) => id),
	);
	const ids = chosen('only', IDS);
	return {
		...values,
		versions: chosen('n8n', N8N_VERSIONS),
		contestants: ids.map((id) => CONTESTANTS.find((one) => one.id === id)),
		faults: FAULTS.filter(({ id }) => faults.includes(id)),
	};
}

/** All faults for all contestants in one n8n. */
async function crash(version, options) {
	const { contestants, faults, duplicates } = options;
	const installation = await ensureN8n({ version, log });
	const folder = mkdtempSync(path.join(os.tmpdir(), 'partner-payments-crash-'));
	mkdirSync(path.join(folder, 'files'));
	await installPackage(path.join(folder, 'n8n'));
	const sandbox = await startSandbox({
		logFile: path.join(folder, 'sandbox.log'),
		args: ['--state-clock', '0', '--set', 'recordRequests=false'],
	});
	/** @type {{ isN8n1: boolean, sandbox: typeof sandbox, folder: string, duplicates: string, n8n?: import('../e2e/harness/n8n.mjs').N8n, start: typeof start }} */
	const setting = { isN8n1: isN8n1(version), sandbox, folder, duplicates, start };
	let starts = 0;
	async function start() {
		setting.n8n = await startN8n({
			installation,
			userFolder: path.join(folder, 'n8n'),
			port: setting.n8n?.port,
			// A new log: with the last one, n8n would seem ready at once.
			logFile: path.join(folder, `n8n-${++starts}.log`),
			filesFolders: [path.join(folder, 'files')],
			env: { N8N_CUSTOM_EXTENSIONS: path.join(BENCH_DIR, 'peer') },
		});
	}
	try {
		await start();
		const results = [];
		for (const fault of faults) {
			const found = {};
			for (const contestant of contestants) {
				const started = Date.now();
				const desk = new Desk(setting, contestant);
				await desk.prepare(fault);
				await fault.happen(desk);
				found[contestant.id] = await desk.judge();
				const seconds = Math.round((Date.now() - started) / 1000);
				log(
					`n8n ${version}, ${fault.id}, ${contestant.id}, ${seconds} s: ${describe(found[contestant.id])}; executions: ${(await desk.statuses()).join(', ')}`,
				);
			}
			results.push({ id: fault.id, fault: fault.title, found });
		}
		return results;
	} finally {
		await stopAll();
		rmSync(folder, { recursive: true, force: true });
	}
}

const describe = (found) =>
	Object.entries(found)
		.map(([name, count]) => `${name} ${count}`)
		.join(', ');

async function main() {
	const options = readCommandLine();
	if (options.help) {
		process.stdout.write(USAGE);
		return;
	}
	await ensureRootInstall({ log });
	await ensureBuild({ log });
	const all = [];
	for (const version of options.versions) {
		const results = await crash(version, options);
		all.push({ n8n: version, duplicates: options.duplicates, results });
	}
	for (const { n8n, results } of all) {
		for (const { id, found } of results) {
			const { twice = 0, lost = 0, unreported = 0 } = found[TAKES_THE_WHOLE_FILE] ?? {};
			if (twice > 0 || (lost + unreported > 0 && !isUpToN8n(n8n, id))) process.exitCode = 1;
		}
	}
	if (options.json) process.stdout.write(`${JSON.stringify(all, undefined, 2)}\n`);
	else for (const run of all) process.stdout.write(`${toTable(run)}\n\n`);
}

/** n8n 1 doesn't wait for a node that the time limit ends, and its Retry then runs no node, whichever it is. */
const isUpToN8n = (version, fault) => fault === 'time limit' && isN8n1(version);

/** The figures of one n8n, in Markdown. */
function toTable({ n8n, results }) {
	const ids = Object.keys(results[0].found);
	const line = (cells) => `| ${cells.join(' | ')} |`;
	return [
		`n8n ${n8n}: paid twice / lost / unreported (not paid, and said so)`,
		'',
		line(['fault', ...ids]),
		line(['---', ...ids.map(() => '---')]),
		...results.map(({ fault, found }) =>
			line([
				fault,
				...ids.map((id) => {
					const { twice, lost, unreported, open } = found[id];
					return `${twice} / ${lost} / ${unreported} (${open})`;
				}),
			]),
		),
	].join('\n');
}

main().catch((error) => {
	log(inspect(error));
	process.exitCode = 1;
});
