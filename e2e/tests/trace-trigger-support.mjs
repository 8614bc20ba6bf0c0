/**
 * Compares n8n's calls to the trigger, their modes and results, and the ends of executions, with
 * test/simulation/trace/triggerRecorded.json. test/simulation/triggerTrace.test.ts compares the simulated n8n with the
 * same record.
 */
import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { after, before, it } from 'node:test';
import { startCollector } from '../harness/collector.mjs';
import { E2E_DIR, RECORD_VARIABLE, ROOT_DIR } from '../harness/paths.mjs';
import { chosenVersion } from '../harness/versions.mjs';
import { executionsByWorker } from './queue-support.mjs';
import {
	allExecutions,
	eventWorkflow,
	send,
	startAgain,
	TRIGGER,
	unpublish,
	until,
	withdrawal,
} from './trigger-support.mjs';

const TRACE = path.join(ROOT_DIR, 'test/simulation/trace');
const RECORDED = path.join(TRACE, 'triggerRecorded.json');
const require = createRequire(import.meta.url);
export const { SCENARIOS, QUEUE_SCENARIOS } = require(path.join(TRACE, 'triggerScenarios.cjs'));
const { byLane } = require(path.join(TRACE, 'triggerProbe.cjs'));

const WEBHOOKS = '/v2/webhooks';

/** If the service fails at n8n's start, the trigger tries for minutes before it raises an alarm. */
const TIMEOUT = { timeoutMs: 240_000 };

const ENDED = ['success', 'error', 'crashed', 'canceled'];

const isRecording = Boolean(process.env[RECORD_VARIABLE]);

/** By the n8n's name, then by scenario. */
const recorded = JSON.parse(readFileSync(RECORDED, 'utf8'));

const folder = mkdtempSync(path.join(os.tmpdir(), 'partner-payments-trace-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** The trace file. n8n's probe writes its actions there, and this test a person's actions. */
const file = path.join(folder, 'lines.txt');
const env = {
	NODE_OPTIONS: `--require=${path.join(E2E_DIR, 'harness/probe.cjs')}`,
	TRACE_FILE: file,
};
export const options = { sandboxArgs: ['--state-clock', '0', '--set', 'deliveryRetries=0'], env };

let collector;
before(async () => {
	collector = await startCollector();
});
after(() => collector?.close());

/**
 * Runs the scenarios, with one n8n for all.
 *
 * @param {any[]} scenarios
 * @param {() => any} theStage
 * @param {string} [mode] of n8n, if it is another than the usual
 */
export function follow(scenarios, theStage, mode = '') {
	const n8n = [chosenVersion(), mode].filter(Boolean).join(' ');
	for (const scenario of scenarios) {
		it(scenario.name, async () => {
			const lines = byLane(await new Happening(theStage(), scenario).lines());
			if (!isRecording) return assert.deepEqual(lines, recorded[n8n]?.[scenario.name]);
			recorded[n8n] = { ...recorded[n8n], [scenario.name]: lines };
			// At once: the scenarios take minutes.
			writeFileSync(RECORDED, `${JSON.stringify(recorded, null, '\t')}\n`);
		});
	}
}

/** A scenario in the real n8n. */
class Happening {
	/** The executions whose end is told. */
	#ended = [];

	#event = withdrawal();

	#id = '';

	constructor(stage, scenario) {
		this.stage = stage;
		this.scenario = scenario;
	}

	async lines() {
		const { stage, scenario } = this;
		writeFileSync(file, '');
		collector.clear();
		await stage.sandbox.reset();
		await stage.sandbox.change({ deliveryRetries: 0 });
		if (scenario.rejects) await this.#fail('POST', WEBHOOKS, 403);
		const workflow = eventWorkflow(stage, collector, {
			trigger: { checkForMissedEvents: 'everyHour' },
			name: scenario.name,
		});
		this.#id = (await stage.n8n.createWorkflow(workflow)).id;
		for (const action of scenario.actions) await this.#do(action);
		const lines = this.#lines();
		await stage.sandbox.clearFaults();
		await unpublish(stage.n8n, this.#id);
		return lines;
	}

	async #do({ is, then = [], handler, serviceFails }) {
		if (handler) collector.answer = HANDLERS[handler];
		if (serviceFails) await this.#fail('*', `${WEBHOOKS}*`, 500);
		const from = this.#lines().length;
		tell(`person: ${is}`);
		await this.#act(is);
		await until(
			async () => {
				if (then.some((line) => line.startsWith('n8n:'))) await this.#tellEnds();
				const lines = this.#lines().slice(from);
				return then.every((part) => lines.some((line) => line.includes(part)));
			},
			`${then.join(' and ')} are written`,
			TIMEOUT,
		);
	}

	/** @param {string} is */
	async #act(is) {
		const { n8n, sandbox } = this.stage;
		switch (is) {
			case 'publish':
				// A publication that fails is what the scenario is about.
				await n8n.activate(this.#id).catch(() => tell('n8n: the publication fails'));
				break;
			case 'unpublish':
				await unpublish(n8n, this.#id);
				break;
			case 'listen': {
				const workflowData = await n8n.rest('GET', `/workflows/${this.#id}`);
				const run = { workflowData, triggerToStartFrom: { name: TRIGGER } };
				await n8n.rest('POST', `/workflows/${this.#id}/run`, run);
				break;
			}
			case 'stop listening':
				await n8n.rest('DELETE', `/test-webhook/${this.#id}`);
				break;
			case 'event':
			case 'event again':
				await send(this.stage, this.#event);
				await sandbox.admin('POST', '/deliveries/drain', {});
				break;
			case 'stop':
				await n8n.stop();
				break;
			case 'kill':
				await n8n.kill();
				break;
			case 'kill worker': {
				const { id } = await this.#first();
				const running = executionsByWorker(this.stage).findIndex((ran) => ran.has(id));
				await this.stage.workers[running].kill();
				break;
			}
			case 'start':
				collector.clear();
				await (this.stage.revive?.() ?? startAgain(this.stage, { env }));
				break;
			case 'retry': {
				collector.clear();
				await n8n.retryExecution((await this.#first()).id);
			}
		}
	}

	async #first() {
		const executions = await allExecutions(this.stage.n8n, this.#id);
		return executions[executions.length - 1];
	}

	async #tellEnds() {
		for (const { id, status } of (await allExecutions(this.stage.n8n, this.#id)).reverse()) {
			if (this.#ended.includes(id) || !ENDED.includes(status)) continue;
			this.#ended.push(id);
			tell(`n8n: ends <execution ${id}>: ${status}`);
		}
	}

	async #fail(method, route, status) {
		await this.stage.sandbox.addFault({
			match: { ...(method !== '*' && { method }), path: route },
			times: 'always',
			fault: { type: 'status', status },
		});
	}

	#lines() {
		return readFileSync(file, 'utf8').split('\n').slice(0, -1);
	}
}

/** What the rest of the workflow gets from the collector. */
const HANDLERS = { fails: () => 500, hangs: () => new Promise(() => {}) };

/** @param {string} line */
function tell(line) {
	appendFileSync(file, `${line}\n`);
}
