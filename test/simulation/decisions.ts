import type { INode } from 'n8n-workflow';

import { inForm } from '../fixtures/form.cjs';
import { Clock, cycle, HOUR_MS, seeded } from './clock';
import { Database } from './database';
import { Invariants } from './decisionModel';
import {
	ambiguousIn,
	ANSWERS,
	answerTo,
	changed,
	DAY_MS,
	itemOf,
	LOG_DAYS,
	NO_LIMIT,
	type Row,
	type Run,
	type Scenario,
	type Settings,
	total,
} from './decisionScenarios';
import { N8n, type Execution } from './n8n';
import { Network } from './network';
import type { Patch } from './patch';
import { PaymentLogs } from './paymentLogs';
import { chunks } from './payments';
import { Computers, Process } from './process';
import { failureToEnd } from './search';
import { json, referenceIn, Service, type Asked, type FaultName } from './service';

export { scenario, type Scenario } from './decisionScenarios';

/** The package for these scenarios, with patches. */
export const computersWith = (patches: readonly Patch[] = []): Computers =>
	new Computers([], patches);

/** Figures over all scenarios. */
export class Figures {
	executions = 0;

	payments = 0;

	/** Rows by what the model said of them. */
	sent = 0;

	alreadySent = 0;

	invalid = 0;

	held = 0;

	/** Rows that were not sent because their whole batch was rejected. */
	batchRejected = 0;

	/** Rows of which the guides allow more than one outcome. */
	open = 0;
}

const NODE_IDS = ['node-1', 'node-2', 'node-3'];

const BATCH_IDS = ['payroll-2026-11', 'payroll-2026-12'];

/** An execution that pays, or a dry run, with what the model needs to know of it. */
export interface Started {
	run: Run;
	execution: Execution;
	/** The rows of each run of the node. */
	rows: Row[][];
	batch: number;
	node: number;
	from?: Started;
	isDry: boolean;
	/** The limit in cents, or in rows. */
	limit?: number;
	/** What the dry run showed whose fingerprint this execution has. */
	approved?: { rows: Row[]; environment: string };
	environment: string;
}

/** One run of a scenario. */
export class ScenarioRun {
	readonly clock = new Clock();

	readonly service: Service;

	readonly logs: PaymentLogs;

	readonly n8n: N8n;

	/** The executions in their order, each after the one before has ended. */
	readonly started: Started[] = [];

	private balance = 1e9;

	private readonly process: Process;

	private readonly database: Database;

	/** How often each payment of an execution was asked for. */
	private readonly tries = new Map<string, number>();

	constructor(
		readonly scenario: Scenario,
		computers: Computers,
		number: number,
	) {
		const { service, seed } = scenario;
		const nextFails = cycle(service.logs.fails);
		this.logs = new PaymentLogs(this.clock, {
			order: 'newest',
			counts: true,
			events: ['completed_transaction', 'failed_transaction'],
			amounts: service.logs.amounts,
			nextStatuses: () => [nextFails() ? 'failed_transaction' : 'completed_transaction'],
			nextDelay: () => 0,
			nextShape: () => 'documented',
			nextLogFault: () => undefined,
			nextChange: () => undefined,
		});
		this.service = new Service(
			this.clock,
			{
				duplicates: 'accept',
				forgetsAfter: 1e12,
				tokenLifetime: 1e12,
				nextFault: (request) => this.faultOf(request),
				nextLoginFault: () => undefined,
				nextLatency: () => service.latency,
			},
			{
				created: (payment, isFailed) => this.logs.created(payment, isFailed),
				answer: (request) =>
					request.path.endsWith('/balance')
						? json(200, [{ type: 'withdrawal_ach', fiat: 'BOB', balance: this.balance / 100 }])
						: this.logs.answer(request),
			},
		);
		const network = new Network(
			this.clock,
			this.service,
			() => service.latency,
			() => false,
		);
		this.database = new Database(
			{ id: `decisions-${number}`, active: true },
			{
				baseUrl: 'https://service.example/api',
				email: `decisions-${number}@example.com`,
				password: 'secret',
				loginVersion: 'v2',
				environment: '',
				sessionToken: '',
			},
			() => 0,
			() => undefined,
		);
		this.n8n = new N8n(this.clock, this.database, network, function (process) {
			return process.package.createBank.execute.call(this);
		});
		this.process = new Process(this.clock, seeded(seed), computers.usual);
	}

	async happen(): Promise<void> {
		let before: Started | undefined;
		for (const one of this.scenario.runs) {
			await this.clock.pause(
				{ 'at once': 0, hour: HOUR_MS, day: DAY_MS, '8 days': 8 * DAY_MS }[one.after],
			);
			before = (await this.do(one, before)) ?? before;
		}
	}

	private async do(one: Run, before: Started | undefined): Promise<Started | undefined> {
		const { rows } = one;
		if (rows.are === 'new') return await this.pay(one, rows.list);
		if (!before) return undefined;
		const nextChange = cycle(rows.changes);
		const list = before.rows.flat().map((own) => changed(own, nextChange()));
		const isFailed = before.execution.status === 'error' && before.rows.length === 1;
		if (rows.are === 'those before' || !isFailed) return await this.pay(one, list);
		const { batch, node, isDry, environment } = before;
		return await this.start(
			{ ...one, limit: NO_LIMIT },
			{ rows: [list], batch, node, isDry, environment, from: before },
		);
	}

	/** Pays a file, after a person has approved it if that is asked for. */
	private async pay(one: Run, list: Row[]): Promise<Started | undefined> {
		const { settings } = this.scenario;
		const isLoop = one.perRun > 0;
		// Each run of a loop has payees and keys of its own: what runs have in common is judged elsewhere.
		const rows = isLoop
			? list.filter(
					({ key, payee }, index) =>
						list.findIndex((other) => other.key === key || other.payee === payee) === index,
				)
			: list;
		const runs = isLoop ? chunks(rows, one.perRun) : [rows];
		const { batch, node } = one;
		const start = { rows: runs, batch, node, isDry: one.dryRun, environment: '' };
		if (one.approval === 'none' || isLoop || one.dryRun) {
			const { is } = one.limit;
			const needsAll = isLoop && !['none', 'maximumAmount', 'maximumTotal'].includes(is);
			const own = needsAll ? { ...one, limit: NO_LIMIT } : one;
			return await this.start(own, { ...start, limit: limitOf(own.limit, rows, settings) });
		}
		const unlimited = { ...one, limit: NO_LIMIT };
		const shown = approvedRows(rows, one.approval);
		const environment = one.approval === 'other environment' ? 'production' : '';
		const dry = await this.start(unlimited, { ...start, rows: [shown], isDry: true, environment });
		const fingerprint = fingerprintIn(dry.execution);
		// Without one, nobody has anything to approve.
		if (fingerprint === '') return dry;
		const approved = { rows: shown, environment };
		return await this.start(unlimited, { ...start, approved }, fingerprint);
	}

	private async start(
		one: Run,
		start: Omit<Started, 'run' | 'execution'>,
		approvalCode?: string,
	): Promise<Started> {
		const { settings } = this.scenario;
		const { rows, batch, from } = start;
		if (one.limit.is === 'balance') this.balance = start.limit ?? this.balance;
		this.database.credential.environment = start.environment;
		// A page that the node reads may have older entries than it asks for.
		this.logs.forgetBefore(this.clock.now - (LOG_DAYS - 1) * DAY_MS);
		const node = this.node(one, start, approvalCode);
		const items = rows.map((list) => list.map((own) => itemOf(own, batch, settings)));
		const execution = this.n8n.start(this.process, node, items, from?.execution);
		const started: Started = { ...start, run: one, execution };
		this.started.push(started);
		await execution.ended;
		// What a request has caused is in the logs.
		await this.clock.pause(10_000);
		return started;
	}

	private node(
		{ limit: { is }, checkDeliveryLogs }: Run,
		{ batch, node, isDry, limit: value = 0 }: Omit<Started, 'run' | 'execution'>,
		approvalCode?: string,
	): INode {
		const { settings } = this.scenario;
		const { references, columns, amounts, dailyLimit, concurrency } = settings;
		const inBob = (cents: number) => ({ total: [{ currency: 'BOB', amount: decimal(cents) }] });
		return {
			id: NODE_IDS[node],
			name: `Pay ${node}`,
			type: 'n8n-nodes-partner-payments.partnerPayments',
			typeVersion: 1,
			position: [0, 0],
			onError: settings.onError,
			credentials: { partnerPaymentsApi: { id: 'credential', name: 'Credential' } },
			parameters: inForm({
				resource: 'payout',
				operation: 'createBank',
				mappingMode: 'autoMapInputData',
				referenceSource: references === 'given' ? 'given' : 'generated',
				batchId: BATCH_IDS[batch],
				keyColumns: references === 'key' ? 'legajo' : '',
				...(columns === 'chosen' && {
					columnMapping: { column: [{ field: 'amount', header: 'Neto' }] },
				}),
				options: {
					...(concurrency !== undefined && { concurrency }),
					...(amounts === 'chosen comma' && { decimalSeparator: 'comma' }),
					...(dailyLimit > 0 && { dailyLimit: inBob(dailyLimit) }),
					...(is === 'maximumAmount' && { maximumAmount: value / 100 }),
					...(is === 'maximumTotal' && { maximumTotals: inBob(value) }),
					...(is === 'expectedTotal' && { expectedTotals: inBob(value) }),
					...(is === 'expectedCount' && { expectedCount: value }),
					...(is === 'balance' && { checkBalance: true }),
					...(approvalCode !== undefined && { approvalCode }),
					...(checkDeliveryLogs && { checkDeliveryLogs: LOG_DAYS }),
					requestsPerSecond: settings.requestsPerSecond,
					duplicatePayments: settings.duplicatePayments,
					accountChanges: settings.accountChanges,
					ifAlreadySent: settings.ifAlreadySent,
					dryRun: isDry,
					timeout: 5,
				},
			}) as INode['parameters'],
		};
	}

	/** The fault of a request to pay: the answers to its payment, one after the other. */
	private faultOf({ origin, body }: Asked): FaultName | undefined {
		const started = this.started.find(({ execution }) => execution.id === origin);
		const name = started && answerTo(body, started.run);
		const key = `${origin} ${referenceIn(body)}`;
		const tried = this.tries.get(key) ?? 0;
		this.tries.set(key, tried + 1);
		return name && (ANSWERS[name].faults as FaultName[])[tried];
	}
}

const decimal = (cents: number): string => (cents / 100).toFixed(2);

/** The value of a limit: what the file has, a cent or a row more, or one less. */
function limitOf({ is, more }: Run['limit'], rows: Row[], settings: Settings): number | undefined {
	switch (is) {
		case 'none':
			return undefined;
		case 'maximumAmount':
			return Math.max(...rows.map(({ cents }) => cents)) + more;
		case 'expectedCount':
			return rows.length + more;
		default:
			// What has no certain amount has no certain total either.
			return total(rows.filter((one) => !ambiguousIn(rows, settings).has(one))) + more;
	}
}

/** The rows that a person sees before these are paid. */
function approvedRows(rows: Row[], approval: Run['approval']): Row[] {
	const [first, second, ...others] = rows;
	switch (approval) {
		case 'other order':
			return [...rows].reverse();
		case 'other amount':
			return [changed(first, 'amount'), ...rows.slice(1)];
		case 'swapped amounts':
			return second
				? [{ ...first, cents: second.cents }, { ...second, cents: first.cents }, ...others]
				: rows;
		default:
			return rows;
	}
}

function fingerprintIn({ outputs }: Execution): string {
	const [item] = outputs.flat();
	const { fingerprint } = (item?.json.summary ?? {}) as { fingerprint?: string };
	return fingerprint ?? '';
}

let scenarios = 0;

/**
 * Runs a scenario.
 *
 * @returns the invariants that it violates, as sentences
 */
export async function checkInvariants(
	one: Scenario,
	computers: Computers,
	figures = new Figures(),
): Promise<string[]> {
	const scenarioRun = new ScenarioRun(one, computers, ++scenarios);
	const failure = await failureToEnd(scenarioRun, computers);
	if (failure !== undefined) return [failure];
	figures.executions += scenarioRun.started.length;
	figures.payments += scenarioRun.service.payments.length;
	return new Invariants(scenarioRun, figures).checkInvariants();
}
