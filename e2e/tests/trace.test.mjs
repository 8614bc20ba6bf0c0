/**
 * Compares n8n's calls to the bank payout operation and the credential, their order, and the end of the execution, with
 * test/simulation/trace/recorded.json. test/simulation/trace.test.ts compares the simulated n8n with the
 * same record.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { after, describe, it } from 'node:test';
import { E2E_DIR, RECORD_VARIABLE, ROOT_DIR } from '../harness/paths.mjs';
import { chosenVersion, N8N_VERSIONS } from '../harness/versions.mjs';
import { chainOf, connectionTo, payRows, injectFault } from './batch-support.mjs';
import { NODE, useStage } from './support.mjs';
import { startAgain, until } from './trigger-support.mjs';

const TRACE = path.join(ROOT_DIR, 'test/simulation/trace');
const RECORDED = path.join(TRACE, 'recorded.json');
const DIFFERING = path.join(TRACE, 'recordedInOldest.json');
const require = createRequire(import.meta.url);
const { ROWS, PARAMETERS, SCENARIOS, rowOf } = require(path.join(TRACE, 'scenarios.cjs'));
const { endOf, isQuiet, normalised } = require(path.join(TRACE, 'probe.cjs'));

/** The sandbox's fault for each name in the simulated service. */
const FAULTS = {
	422: { type: 'status', status: 422 },
	'500, created': { type: 'status', status: 500, when: 'after' },
	'silence after': { type: 'hang', when: 'after' },
};

const GET_ROWS = {
	name: 'Get Rows',
	type: 'n8n-nodes-base.splitOut',
	typeVersion: 1,
	parameters: { fieldToSplitOut: 'body.rows', options: {} },
};

const LOOP = {
	name: 'Loop',
	type: 'n8n-nodes-base.splitInBatches',
	typeVersion: 3,
	parameters: { batchSize: 1, options: {} },
};

/** For steps that take a second or two. */
const TIMEOUT = { timeoutMs: 30_000 };

const isRecording = Boolean(process.env[RECORD_VARIABLE]);

const folder = mkdtempSync(path.join(os.tmpdir(), 'partner-payments-trace-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** The trace file. n8n's probe writes its actions there, and this test a person's actions. */
const file = path.join(folder, 'lines.txt');
const env = {
	NODE_OPTIONS: `--require=${path.join(E2E_DIR, 'harness/probe.cjs')}`,
	TRACE_FILE: file,
};

/** n8n 1 doesn't say whether an agent calls the node. */
const isNewest = chosenVersion() === N8N_VERSIONS[0];
const isExpected = (line) => isNewest || !line.startsWith('node: isToolExecution');

const read = (file) => JSON.parse(readFileSync(file, 'utf8'));
const write = (file, content) => writeFileSync(file, `${JSON.stringify(content, null, '\t')}\n`);

describe('a real n8n behaves as the recorded trace says', () => {
	const stage = useStage('trace', { sandboxArgs: ['--state-clock', '0'], env });
	const recorded = isRecording && isNewest ? {} : read(RECORDED);
	/**
	 * The scenarios in which an older n8n differs from the newest one, always or sometimes: if an execution is stopped,
	 * n8n 1 may store what the node has kept, or nothing.
	 */
	const differing = isNewest || isRecording ? {} : read(DIFFERING);

	for (const [number, scenario] of SCENARIOS.entries()) {
		const { name } = scenario;
		it(name, async () => {
			const lines = normalised(await new Happening(stage, scenario, number).lines());
			const expected = recorded[name]?.filter(isExpected);
			const isAsInNewest = isDeepStrictEqual(lines, expected);
			if (isRecording && isNewest) recorded[name] = lines;
			else if (isRecording && !isAsInNewest) differing[name] = lines;
			else if (!isAsInNewest) assert.deepEqual(lines, differing[name] ?? expected);
		});
	}

	it('has recorded exactly these scenarios', () => {
		assert.deepEqual(
			Object.keys(recorded),
			SCENARIOS.map(({ name }) => name),
		);
		if (isRecording) write(isNewest ? RECORDED : DIFFERING, isNewest ? recorded : differing);
	});
});

/** A scenario in the real n8n. */
class Happening {
	#executions = [];

	#workflow = '';

	/** The address of the workflow's webhook. */
	#route = randomUUID();

	#rows;

	constructor(stage, scenario, number) {
		this.stage = stage;
		this.scenario = scenario;
		this.number = number;
		this.#rows = scenario.rows ?? ROWS;
	}

	async lines() {
		await this.#prepare();
		for (const action of this.scenario.actions) await this.#do(action);
		return this.#lines();
	}

	async #prepare() {
		const { stage, scenario, number } = this;
		writeFileSync(file, '');
		await stage.sandbox.reset();
		let skip = 0;
		for (const fault of scenario.faults ?? []) {
			if (fault) await injectFault(stage, '', FAULTS[fault], { skip });
			// A request that one fault stops doesn't reach the next one.
			else skip++;
		}
		// A new user, whose token no earlier scenario of this process has.
		const user = { email: `user-${number}@example.com`, password: 'secret' };
		await stage.sandbox.admin('POST', '/users', user);
		const credential = await stage.n8n.createCredential(stage.sandbox.credential(user));
		const node = payRows({ credential }, { parameters: PARAMETERS, ...scenario.settings });
		const paying = { ...node, parameters: PARAMETERS };
		const workflow = this.#workflowOf(paying);
		this.#workflow = (await stage.n8n.createWorkflow(workflow)).id;
		await stage.n8n.activate(this.#workflow);
	}

	/** Production executions: n8n stores less of manual ones. */
	#workflowOf(paying) {
		const { loops = false, timeLimit } = this.scenario;
		const nodes = [GET_ROWS, ...(loops ? [LOOP] : []), paying];
		const workflow = chainOf(nodes, {
			trigger: {
				type: 'n8n-nodes-base.webhook',
				typeVersion: 2,
				webhookId: this.#route,
				parameters: {
					httpMethod: 'POST',
					path: this.#route,
					responseMode: 'onReceived',
					options: {},
				},
			},
			settings: timeLimit === undefined ? {} : { executionTimeout: timeLimit },
		});
		if (loops) {
			Object.assign(workflow.connections, {
				[LOOP.name]: connectionTo(null, NODE),
				[NODE]: connectionTo(LOOP.name),
			});
		}
		return workflow;
	}

	async #post() {
		const init = {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify({ rows: this.#rows.map(rowOf) }),
		};
		const answer = async () => await this.stage.n8n.fetch(`/webhook/${this.#route}`, init);
		await until(async () => (await answer()).ok, 'n8n takes the rows', TIMEOUT);
	}

	/** Starts an execution and returns its identifier as soon as it has one. */
	async #start(how) {
		const list = async () => await this.stage.n8n.listExecutions(this.#workflow);
		const before = (await list()).length;
		await how();
		const [{ id }] = await until(
			async () => {
				const executions = await list();
				return executions.length > before && executions;
			},
			'the execution is there',
			TIMEOUT,
		);
		return id;
	}

	async #do({ is, rows, of, interrupted }) {
		const { sandbox } = this.stage;
		if (is === 'endTokens') {
			tell('person: ends all tokens at the service');
			return await sandbox.admin('POST', '/tokens/revoke', {});
		}
		if (rows) this.#rows = rows;
		const before = this.#lines().length;
		const from = is === 'retry' ? this.#executions[of - 1] : undefined;
		tell(from ? `person: retries <execution ${from.id}>` : 'person: runs the workflow');
		if (from && !interrupted) return await this.#retry(from);
		// n8n answers at the end, or not at all if it is killed.
		const retry = async () => void this.stage.n8n.retryExecution(from.id).catch(() => {});
		const id = await this.#start(from ? retry : async () => await this.#post());
		if (interrupted) await this.#interrupt(id, before, interrupted);
		await this.#end(await this.stage.n8n.waitForExecution(id));
	}

	async #retry({ id }) {
		let retried;
		try {
			retried = await this.stage.n8n.retryExecution(id);
		} catch (error) {
			return tell(`n8n: rejects with ${error.status}`);
		}
		await this.#end(retried);
	}

	async #interrupt(id, before, { by, at, times = 1, then }) {
		const written = async (line, count, from) => {
			const isReported = () => this.#lines().slice(from).filter(startsWith(line)).length >= count;
			await until(isReported, `${line} is written`, TIMEOUT);
		};
		await written(at, times, before);
		const interrupted = this.#lines().length;
		if (by === 'kill') {
			tell('person: kills n8n');
			await this.stage.n8n.kill();
			await startAgain(this.stage, { env });
		} else if (by === 'stop') {
			tell('person: stops it');
			await this.stage.n8n.stopExecution(id);
		}
		if (then) await written(then, 1, interrupted);
		if (by === 'timeLimit') await this.stage.n8n.waitForExecution(id);
		await this.#quiet();
	}

	async #end(execution) {
		this.#executions.push(execution);
		await this.#quiet();
		const { id, status, data } = execution;
		const outputs = [0, 1].map((output) =>
			execution.items(NODE, { output }).map(({ pairedItem }) => [pairedItem].flat()[0].item),
		);
		const context = data?.executionData?.contextData?.[`node:${NODE}`];
		tell(endOf({ id, status, outputs, context }));
	}

	/** n8n writes entries after Stop without waiting. */
	async #quiet() {
		await until(() => isQuiet(this.#lines()), 'nothing is in flight', TIMEOUT);
	}

	#lines() {
		return readFileSync(file, 'utf8').split('\n').slice(0, -1);
	}
}

/** @param {string} beginning */
const startsWith = (beginning) => (line) => line.startsWith(beginning);

/** @param {string} line */
function tell(line) {
	appendFileSync(file, `${line}\n`);
}
