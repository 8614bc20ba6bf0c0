/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- runs outside n8n */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { INode } from 'n8n-workflow';

import { Clock, cycle } from './clock';
import { Database } from './database';
import { N8n, type Execution } from './n8n';
import { Network } from './network';
import { Sources } from './package';
import { Computer, Process } from './process';
import { Service } from './service';
import { endOf, normalised, pathIn, watchedCredential, watchedExecute } from './trace/probe.cjs';
import {
	PARAMETERS,
	ROWS,
	rowOf,
	SCENARIOS,
	type Action,
	type Scenario,
} from './trace/scenarios.cjs';

/*
 * The simulated n8n is put through what the real one was put through when the trace was recorded (`npm run e2e -- --only
 * trace --record`), with the same eyes on it. Where it differs, it is the simulation that is wrong.
 */

const RECORDED = JSON.parse(readFileSync(join(__dirname, 'trace/recorded.json'), 'utf8')) as Record<
	string,
	string[]
>;

const computer = new Computer(new Sources());

/** So long after a line somebody does something: what it describes has arrived. */
const REACTION_MS = 1_000;

/** Longer than anything takes that nobody waits for. */
const AFTERMATH_MS = 60_000;

/** A scenario in the simulated n8n. */
class Happening {
	private readonly clock = new Clock();

	private readonly written: string[] = [];

	private readonly service: Service;

	private readonly database: Database;

	private readonly n8n: N8n;

	private process: Process;

	/** What happens at one of the lines to come. */
	private readonly interruptions: Array<{ at: string; times: number; do: () => void }> = [];

	private rows: number[];

	constructor(private readonly scenario: Scenario) {
		this.rows = scenario.rows ?? ROWS;
		const { faults = [] } = scenario;
		const nextFault = [...faults, ...Array.from({ length: 99 }, () => null)];
		this.service = new Service(this.clock, {
			duplicates: 'accept',
			forgetsAfter: 1e9,
			tokenLifetime: 1e9,
			nextFault: () => nextFault.shift() ?? undefined,
			nextLoginFault: () => undefined,
			nextLatency: cycle([10]),
		});
		const credential = {
			baseUrl: 'https://service.example/api',
			email: `${scenario.name}@example.com`,
			password: 'secret',
			loginVersion: 'v2',
			environment: '',
			sessionToken: '',
		};
		const workflow = { id: scenario.name, active: true };
		this.database = new Database(workflow, credential, cycle([1]), () => undefined);
		this.database.onStatement = (statement) => this.tell(`database: ${statement}`);
		const network = new Network(this.clock, this.service, cycle([10]), () => false);
		this.watch(network);
		this.n8n = new N8n(this.clock, this.database, network, function (process) {
			return process.package.createBank.execute.call(this);
		});
		this.process = this.newProcess();
	}

	async lines(): Promise<string[]> {
		await this.clock.finish(this.happen());
		return normalised(this.written);
	}

	private readonly tell = (line: string): void => {
		this.written.push(line);
		const [next] = this.interruptions;
		if (!next || !line.startsWith(next.at) || --next.times > 0) return;
		this.interruptions.shift();
		this.clock.in(REACTION_MS, next.do);
	};

	private watch(network: Network): void {
		const request = network.request.bind(network);
		network.request = async (process, origin, options) => {
			this.tell(`network: ${options.method} ${pathIn(options.url)}`);
			const answer = request(process, origin, options);
			const tell = (status?: number) => {
				if (status !== undefined) this.tell(`network: ${status}`);
			};
			answer.then(
				({ statusCode }) => tell(statusCode),
				({ status }: { status?: number }) => tell(status),
			);
			return await answer;
		};
	}

	private newProcess(): Process {
		const process = new Process(this.clock, () => 0.5, computer);
		process.onEnd = () => this.n8n.crash(process);
		const { createBank, PartnerPaymentsApi } = process.package;
		const watched = {
			createBank: { ...createBank, execute: watchedExecute(createBank.execute, this.tell) },
			PartnerPaymentsApi: watchedCredential(PartnerPaymentsApi, this.tell),
		};
		return Object.assign(process, { package: { ...process.package, ...watched } });
	}

	private async happen(): Promise<void> {
		for (const action of this.scenario.actions) await this.do(action);
	}

	private async do({ is, rows, of = 1, interrupted }: Action): Promise<void> {
		if (is === 'endTokens') {
			this.tell('person: ends all tokens at the service');
			return this.service.logins.end();
		}
		this.rows = rows ?? this.rows;
		const from = is === 'retry' ? this.n8n.executions[of - 1] : undefined;
		this.tell(from ? `person: retries <execution ${from.id}>` : 'person: runs the workflow');
		if (from && !from.isRetriable) return this.tell('n8n: rejects with 409');
		if (interrupted) this.interrupt(interrupted);
		const items = this.rows.map(rowOf);
		const runs = this.scenario.loops ? items.map((item) => [item]) : [items];
		const execution = this.n8n.start(this.process, this.node, runs, from);
		await execution.ended;
		await this.clock.pause(AFTERMATH_MS);
		this.end(execution);
	}

	private interrupt({ by, at, times = 1 }: NonNullable<Action['interrupted']>): void {
		const interruption = () => {
			const execution = this.n8n.executions.at(-1) as Execution;
			if (by === 'timeLimit') return void this.n8n.cancel(execution, 'timeLimit');
			this.tell(by === 'kill' ? 'person: kills n8n' : 'person: stops it');
			if (by === 'stop') return void this.n8n.cancel(execution);
			this.process.kill();
			this.process = this.newProcess();
		};
		this.interruptions.push({ at, times, do: interruption });
	}

	private end({ id, status, outputs, stored }: Execution): void {
		const context = JSON.parse(stored.context) as object;
		const items = outputs.map((output) =>
			output.map(({ pairedItem }) => (pairedItem as { item: number }).item),
		);
		this.tell(endOf({ id, status, outputs: items, context }));
	}

	private get node(): INode {
		return {
			id: 'node',
			name: 'Node',
			type: 'n8n-nodes-partner-payments.partnerPayments',
			typeVersion: 1,
			position: [0, 0],
			credentials: { partnerPaymentsApi: { id: 'credential', name: 'Credential' } },
			parameters: PARAMETERS,
			...this.scenario.settings,
		};
	}
}

test.each(SCENARIOS)('the simulated n8n does what the real one did: $name', async (scenario) => {
	expect(await new Happening(scenario).lines()).toEqual(RECORDED[scenario.name]);
});
