/** The section `batch`: payouts of a whole spreadsheet. */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startN8n } from '../e2e/harness/n8n.mjs';
import { BANK_PAYOUT, CONTESTANTS, payingNodes, workflowOf } from './contestants.mjs';
import { fill, FIRST_STORE_ENTRY } from './processedItems.mjs';
import { cpuTime, forgetPeak, machineCpuTime, memory } from './processes.mjs';
import { makeRows, toBody, writeCsv } from './rows.mjs';

const BENCH_DIR = path.dirname(fileURLToPath(import.meta.url));

/** From this size, every run gets its own n8n, so that the peak memory is its own. */
const OWN_N8N_FROM = 5_000;

/** The rows of a warm-up run in an n8n that has just started. */
const WARM_UP_ROWS = 1_000;

/** Paying one row at a time, this would take longer than everything else together. */
const MAX_ONE_AT_A_TIME_MS = 120_000;

/**
 * @typedef {object} Measured one run of one contestant
 * @property {number} node milliseconds in the node, or the nodes, that pay
 * @property {number} execution milliseconds from the start of the execution to its end
 * @property {number} [longestBlock] the most milliseconds in which n8n's event loop stood still meanwhile
 * @property {number} cpu milliseconds of CPU time of the n8n process, saving the execution included
 * @property {number} [peakMemory] MiB, where it can be read
 * @property {number} [memoryBefore] MiB, where it can be read
 * @property {number} logins
 * @property {number} connections
 * @property {number} maxInFlight
 * @property {number} requests payout requests that reached the service
 * @property {number} [nodeFor1000] milliseconds in the node for 1,000 rows in the same n8n just before, for large sizes
 * @property {number} otherCpu CPU time that anything else on the machine used meanwhile, for each second
 */

/** @typedef {import('./contestants.mjs').Contestant} Contestant */

/**
 * @typedef {object} Setting
 * @property {import('../e2e/harness/install.mjs').Installation} installation
 * @property {import('../e2e/harness/sandbox.mjs').Sandbox} sandbox
 * @property {string} folder for the user folder of n8n and the files it reads
 * @property {number[]} sizes
 * @property {number[]} latencies milliseconds
 * @property {number} [rounds] for each size and latency, instead of the usual number
 * @property {RegExp} [only] ids of contestants
 * @property {Record<string, string>} [env] further environment variables for n8n
 * @property {(line: string) => void} log
 */

/** @param {Setting} setting */
export async function runBatch(setting) {
	const { sizes, latencies } = setting;
	const bench = new Batch(setting);
	const results = [];
	const skipped = [];
	try {
		for (const contestants of groups(setting)) {
			await bench.begin(contestants);
			for (const size of sizes) {
				bench.prepare(size);
				for (const latency of latencies) {
					const isTooSlow = (/** @type {Contestant} */ { oneAtATime }) =>
						oneAtATime && size * latency > MAX_ONE_AT_A_TIME_MS;
					for (const { id } of contestants.filter(isTooSlow))
						skipped.push({ contestant: id, size, latency });
					const fast = contestants.filter((one) => !isTooSlow(one));
					results.push(...(await runRounds(bench, fast, { size, latency, setting })));
				}
			}
		}
	} finally {
		await bench.close();
	}
	return { results, skipped };
}

/**
 * Lets the contestants run in turn, a few rounds.
 *
 * @param {Batch} bench
 * @param {Contestant[]} contestants
 * @param {{ size: number, latency: number, setting: Setting }} cell
 */
async function runRounds(bench, contestants, { size, latency, setting }) {
	const rounds = setting.rounds ?? roundsFor(size);
	/** @type {Measured[][]} */
	const runs = contestants.map(() => []);
	for (let round = 1; round <= rounds; round++) {
		for (const [index, contestant] of contestants.entries()) {
			// A minute of waiting gives the same figure every time.
			if (round > 1 && contestant.oneAtATime && size * latency > 10_000) continue;
			const run = await bench.run(contestant, size, latency);
			setting.log(`${size} rows, ${latency} ms, round ${round}: ${describe(contestant, run)}`);
			runs[index].push(run);
		}
	}
	return contestants.map(({ id }, index) => ({ contestant: id, size, latency, runs: runs[index] }));
}

/**
 * The chosen contestants, in the groups that share an n8n. Those with a full store run last: it slows down its n8n.
 *
 * @param {Setting} setting
 */
function groups({ only = /./ }) {
	const chosen = CONTESTANTS.filter(({ id }) => only.test(id));
	return [
		chosen.filter(({ storeEntries }) => !storeEntries),
		chosen.filter(({ storeEntries }) => storeEntries),
	];
}

function roundsFor(size) {
	if (size <= 100) return 5;
	return size <= 1_000 ? 3 : 1;
}

/**
 * @param {Contestant} contestant
 * @param {Measured} run
 */
function describe({ id }, { node, cpu, peakMemory, maxInFlight, longestBlock, otherCpu }) {
	const parts = [`${id} ${(node / 1000).toFixed(2)} s`, `CPU ${(cpu / 1000).toFixed(2)} s`];
	if (peakMemory !== undefined) parts.push(`${Math.round(peakMemory)} MiB`);
	parts.push(`${maxInFlight} in flight`);
	if (longestBlock !== undefined) parts.push(`blocked for ${Math.round(longestBlock)} ms`);
	if (otherCpu > 0.3) parts.push(`others used ${Math.round(otherCpu * 100)}% of a core`);
	return parts.join(', ');
}

class Batch {
	#n8n;
	#contestants = [];
	#starts = 0;
	#users = 0;

	/** @param {Setting} setting */
	constructor({ installation, sandbox, folder, env = {} }) {
		this.installation = installation;
		this.sandbox = sandbox;
		this.folder = folder;
		this.env = env;
	}

	/**
	 * Gives these contestants an n8n of their own.
	 *
	 * @param {Contestant[]} contestants
	 */
	async begin(contestants) {
		await this.close();
		this.#contestants = contestants;
	}

	/** The rows of a size, the same for every contestant. */
	prepare(size) {
		if (size < WARM_UP_ROWS) this.#write(size);
		this.#write(WARM_UP_ROWS);
		if (size > WARM_UP_ROWS) this.#write(size);
	}

	/** @returns {Promise<Measured>} */
	async run(contestant, size, latency) {
		if (contestant.bareConcurrency) return await this.#bare(contestant, size, latency);
		if (size < OWN_N8N_FROM) {
			if (!this.#n8n) {
				await this.#start();
				await this.#warmUp(this.#contestants.filter(({ payment }) => payment));
			}
			return await this.#pay(contestant, size, latency);
		}
		await this.close();
		await this.#start();
		await this.#warmUp([contestant]);
		const { node: nodeFor1000 } = await this.#pay(contestant, 1_000, latency);
		const measured = await this.#pay(contestant, size, latency);
		await this.close();
		return { ...measured, nodeFor1000 };
	}

	async close() {
		await this.#n8n?.stop();
		this.#n8n = undefined;
	}

	/** Where n8n notes when its event loop stood still (`peer/blocks.js`). */
	get #blocksFile() {
		return path.join(this.folder, 'blocks.jsonl');
	}

	#csvFile(size) {
		return path.join(this.folder, 'files', `payroll-${size}.csv`);
	}

	#write(size) {
		writeCsv(this.#csvFile(size), makeRows(size));
	}

	async #start() {
		this.#n8n = await startN8n({
			installation: this.installation,
			userFolder: path.join(this.folder, 'n8n'),
			// A new log: with the last one, n8n would seem ready at once.
			logFile: path.join(this.folder, `n8n-${++this.#starts}.log`),
			filesFolders: [path.join(this.folder, 'files')],
			env: {
				N8N_CUSTOM_EXTENSIONS: path.join(BENCH_DIR, 'peer'),
				BENCH_BLOCKS_FILE: this.#blocksFile,
				...this.env,
			},
		});
	}

	/** An n8n that has just started is slower for every contestant. */
	async #warmUp(contestants) {
		for (const contestant of contestants) await this.#pay(contestant, WARM_UP_ROWS, 0);
	}

	/** Resets the service and adds a user who has never logged in. */
	async #resetService(latency) {
		const { sandbox } = this;
		await sandbox.admin('POST', '/reset', { keepSettings: true });
		const user = { email: `bench-${++this.#users}@example.com`, password: 'Bench-only-password-1' };
		await sandbox.admin('POST', '/users', user);
		if (latency > 0) {
			await sandbox.addFault({
				match: { method: 'POST', path: BANK_PAYOUT },
				times: 'always',
				fault: { type: 'latency', ms: latency },
			});
		}
		return user;
	}

	/** @returns {Promise<Measured>} */
	async #pay(contestant, size, latency) {
		const { sandbox } = this;
		const n8n = this.#n8n;
		const user = await this.#resetService(latency);
		const { id, name } = await again(() => n8n.createCredential(sandbox.credential(user)));
		const workflow = await n8n.createWorkflow(
			workflowOf(contestant, {
				baseUrl: sandbox.baseUrl,
				csvFile: this.#csvFile(size),
				credential: { id, name },
			}),
		);

		if (contestant.storeEntries) {
			const [name] = payingNodes(contestant);
			const node = workflow.nodes.find((one) => one.name === name);
			fill(
				{ n8n, folder: this.folder },
				workflow.id,
				node.id,
				contestant.storeEntries,
				FIRST_STORE_ENTRY,
			);
		}
		rmSync(this.#blocksFile, { force: true });
		forgetPeak(n8n.pid);
		const { now: memoryBefore } = memory(n8n.pid);
		const watch = this.#watch(n8n.pid);
		const executionId = await n8n.startWorkflow(workflow.id);
		await waitUntilSaved(n8n, workflow.id);
		const used = watch();
		const { peak: peakMemory } = memory(n8n.pid);

		const execution = await again(() => n8n.getExecution(executionId));
		const where = `${contestant.id}, ${size} rows, ${latency} ms`;
		if (execution.status !== 'success') {
			throw new Error(
				`${where}: the execution ended as ${execution.status}: ${execution.error?.message}`,
			);
		}
		this.#checkOutput(where, contestant, size, execution);
		const counted = await this.#checkService(where, size);
		const { start, end } = timeIn(execution, payingNodes(contestant));
		return {
			node: end - start,
			execution: execution.duration,
			longestBlock: this.#longestBlock(start, end),
			...used,
			peakMemory,
			memoryBefore,
			...counted,
		};
	}

	/** The longest time that n8n's event loop stood still between two moments. */
	#longestBlock(start, end) {
		if (!existsSync(this.#blocksFile)) return 0;
		const blocks = readFileSync(this.#blocksFile, 'utf8')
			.trim()
			.split('\n')
			.map((line) => JSON.parse(line));
		const during = blocks.filter(({ at, ms }) => at > start && at - ms < end);
		return Math.max(0, ...during.map(({ ms }) => ms));
	}

	/** @returns {Promise<Measured>} */
	async #bare({ id, bareConcurrency: concurrency }, size, latency) {
		const { sandbox } = this;
		const user = await this.#resetService(latency);
		const file = path.join(this.folder, 'bare-client.json');
		const bodies = makeRows(size).map(toBody);
		const { baseUrl } = sandbox;
		writeFileSync(
			file,
			JSON.stringify({ baseUrl, ...user, path: BANK_PAYOUT, bodies, concurrency }),
		);
		const watch = this.#watch();
		const { stdout } = await promisify(execFile)(this.installation.node, [
			path.join(BENCH_DIR, 'bare-client.mjs'),
			file,
		]);
		const { time, cpu, cpuOfProcess, peakMemory, created } = JSON.parse(stdout);
		const { otherCpu } = watch(cpuOfProcess);
		rmSync(file);
		if (created !== size) throw new Error(`${id}: ${created} of ${size} rows were created`);
		const counted = await this.#checkService(`${id}, ${size} rows, ${latency} ms`, size);
		return { node: time, execution: time, cpu, peakMemory, otherCpu, ...counted };
	}

	/** Starts to measure CPU time. The returned function ends it, and takes the time of processes that ended meanwhile. */
	#watch(pid) {
		const sample = () => ({
			at: performance.now(),
			machine: machineCpuTime() ?? Number.NaN,
			known: (cpuTime(this.sandbox.pid) ?? 0) + (cpuTime(process.pid) ?? 0),
			cpu: pid === undefined ? 0 : (cpuTime(pid) ?? Number.NaN),
		});
		const before = sample();
		return (cpuOfEnded = 0) => {
			const after = sample();
			const of = (name) => after[name] - before[name];
			const other = of('machine') - of('known') - of('cpu') - cpuOfEnded;
			return { cpu: of('cpu'), otherCpu: Math.max(0, other / of('at')) };
		};
	}

	#checkOutput(where, contestant, size, execution) {
		const [first] = payingNodes(contestant);
		const rows = execution.json(first);
		if (rows.length !== size) throw new Error(`${where}: ${rows.length} items came out`);
		if (contestant.reportsOutcomes && !rows.every(({ outcome }) => outcome === 'created')) {
			throw new Error(`${where}: not every row was reported as created`);
		}
	}

	/** Checks that the service has received and created exactly these rows. */
	async #checkService(where, size) {
		const { sandbox } = this;
		const { transactionsCreated, duplicates, logins, connections, maxInFlight, byEndpoint } =
			await sandbox.counters();
		const references = new Set((await sandbox.transactions()).map(({ reference }) => reference));
		const expected = makeRows(size).map((row) => row.external_reference);
		const missing = expected.filter((reference) => !references.has(reference)).length;
		if (
			transactionsCreated !== size ||
			duplicates !== 0 ||
			references.size !== size ||
			missing !== 0
		) {
			throw new Error(
				`${where}: the service created ${transactionsCreated} payouts with ${references.size} references; ` +
					`${duplicates} were duplicates and ${missing} are missing`,
			);
		}
		return { logins, connections, maxInFlight, requests: byEndpoint[`POST ${BANK_PAYOUT}`] };
	}
}

/** Waits for the end without loading the execution's data, which would count as memory of the run. */
async function waitUntilSaved(n8n, workflowId, { timeoutMs = 1_800_000 } = {}) {
	const deadline = Date.now() + timeoutMs;
	const filter = encodeURIComponent(JSON.stringify({ workflowId }));
	for (let pause = 100; Date.now() < deadline; pause = Math.min(pause * 1.3, 1_000)) {
		await sleep(pause);
		const answer = await n8n
			.rest('GET', `/executions?filter=${filter}&limit=1`)
			.catch(lostConnection);
		const status = answer?.results[0]?.status ?? 'new';
		if (!['new', 'running', 'waiting'].includes(status)) return;
	}
	throw new Error(`The execution of workflow ${workflowId} did not end in time`);
}

/** An n8n that was busy for seconds may close connections as idle that were just used. */
function lostConnection(error) {
	if (error.cause?.code !== 'ECONNRESET' && error.cause?.code !== 'UND_ERR_SOCKET') throw error;
}

/** For calls that may safely be repeated. */
async function again(call) {
	try {
		return await call();
	} catch (error) {
		lostConnection(error);
		return await call();
	}
}

/** The milliseconds from the start of the first run of these nodes to the end of the last one. */
function timeIn(execution, names) {
	const runs = names.flatMap((name) => execution.runs(name));
	const starts = runs.map(({ startTime }) => startTime);
	const ends = runs.map(({ startTime, executionTime }) => startTime + executionTime);
	// A loop has more runs than a call may have arguments.
	return {
		start: starts.reduce((a, b) => Math.min(a, b)),
		end: ends.reduce((a, b) => Math.max(a, b)),
	};
}
