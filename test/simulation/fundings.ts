import fc from 'fast-check';
import type { IDataObject, INode } from 'n8n-workflow';

import { inForm } from '../fixtures/form.cjs';
import { Clock, cycle, seeded } from './clock';
import { Database, type DatabaseFault } from './database';
import { API_FAULTS, type ApiFaultName } from './eventService';
import { N8n, type Execution, type Reported } from './n8n';
import { Network } from './network';
import type { Patch } from './patch';
import { PaymentLogs } from './paymentLogs';
import { computersWith as computersOfPayments } from './payments';
import { Process, type Computer, type Computers } from './process';
import { failureToEnd } from './search';
import {
	CRYPTO,
	DEPOSIT,
	FAULTS,
	fundingOf,
	json,
	LOGIN_FAULTS,
	referenceIn,
	Service,
	type FaultName,
	type LoginFaultName,
	type Payment,
	type Receiver,
} from './service';

/*
 * The scenario of fundings: bank, QR and crypto payouts and QR deposits of two accounts in one workflow, with conversions
 * that wait for crypto. Their results are stored, and other nodes fund them, while everything fails. Each payout must be funded
 * at most once, with its exact amount, and nothing that does not exist or has ended.
 */

const PAYMENTS = ['createBank', 'createQr', 'createCrypto', 'createQrDeposit'] as const;

type Operation = (typeof PAYMENTS)[number] | 'fundConversions';

/** Each has a wallet, payouts and fundings of its own. */
const ACCOUNTS = ['1', '2'];

/** A fund node, and a copy of it whose idempotency store is another one. */
const FUND_NODES = 2;

const SLOTS = 2;

/** What becomes of a payout that nobody funds, and of one that is funded. */
const UNFUNDED = [
	['pending_transaction'],
	['pending_transaction', 'expired_transaction'],
	['pending_transaction', 'failed_transaction'],
] as const;
const FUNDED = ['processing_transaction', 'completed_transaction'];
const ENDED = ['completed_transaction', 'failed_transaction', 'expired_transaction'];
const EVENTS = ['pending_transaction', ...FUNDED, 'failed_transaction', 'expired_transaction'];

const sometimes = <T>(one: fc.Arbitrary<T>, maxLength: number, weight: number) =>
	fc.oneof(
		{ weight, arbitrary: fc.constant<Array<T | null>>([]) },
		{ weight: 1, arbitrary: fc.array(fc.option(one), { maxLength }) },
	);

const interruption = fc.oneof(
	{ weight: 4, arbitrary: fc.constant(null) },
	{
		weight: 1,
		arbitrary: fc.record({
			is: fc.constantFrom('killed' as const, 'killed' as const, 'stopped' as const),
			steps: fc.oneof(fc.nat(25), fc.nat(100)),
		}),
	},
);

const common = {
	account: fc.constantFrom(0, 0, ACCOUNTS.length - 1),
	slot: fc.nat(SLOTS - 1),
	interruption,
};

const action = fc.oneof(
	{
		weight: 4,
		arbitrary: fc.record({
			...common,
			type: fc.constant('pay' as const),
			operation: fc.constantFrom('createBank' as const, ...PAYMENTS),
			/** The payments of the file. Every fourth one is from the balance. */
			payments: fc.uniqueArray(fc.nat(7), { minLength: 1, maxLength: 6 }),
			/** Whether n8n lives until the results are stored. */
			isStored: fc.constantFrom(true, true, true, false),
		}),
	},
	{
		weight: 6,
		arbitrary: fc.record({
			...common,
			type: fc.constant('fund' as const),
			node: fc.constantFrom(0, 0, 0, FUND_NODES - 1),
			/** What is stored, or what a payout node has put on its outputs. */
			source: fc.constantFrom('table' as const, 'table' as const, 'results' as const),
			dryRun: fc.constantFrom(false, false, false, false, true),
		}),
	},
	{
		weight: 2,
		arbitrary: fc.record({ ...common, type: fc.constant('retry' as const), which: fc.nat(9) }),
	},
	{
		weight: 1,
		arbitrary: fc.record({ type: fc.constant('kill' as const), slot: fc.nat(SLOTS - 1) }),
	},
);

type Action = typeof action extends fc.Arbitrary<infer One> ? One : never;

const nameOf = <T extends string>(list: Record<T, unknown>) =>
	fc.constantFrom(...(Object.keys(list) as T[]));

export const scenario = fc.record({
	onError: fc.constantFrom(
		'stopWorkflow' as const,
		'continueRegularOutput' as const,
		'continueErrorOutput' as const,
	),
	concurrency: fc.constantFrom<Array<number | undefined>>(1, 3, undefined),
	/** The tries of Retry On Fail; 1 turns it off. */
	tries: fc.constantFrom(1, 1, 2),
	smallPortions: fc.boolean(),
	actions: fc.array(
		fc.record({
			/** Milliseconds after the previous action, or when nothing is running. */
			after: fc.oneof(
				fc.nat(400),
				fc.nat(20_000),
				fc.constantFrom('quiet' as const, 'quiet' as const, 'a day' as const),
			),
			action,
		}),
		{ minLength: 2, maxLength: 9 },
	),
	service: fc.record({
		duplicates: fc.constantFrom('accept' as const, 'accept' as const, 'conflict' as const),
		tokenLifetime: fc.constantFrom(1e9, 1_000),
		faults: sometimes(nameOf(FAULTS), 8, 2),
		loginFaults: sometimes(nameOf(LOGIN_FAULTS), 3, 9),
		logFaults: sometimes(nameOf(API_FAULTS), 6, 4),
		latencies: fc.array(fc.nat(300), { minLength: 1, maxLength: 8 }),
		lives: fc.array(fc.nat(UNFUNDED.length - 1), { minLength: 1, maxLength: 4 }),
		delays: fc.array(fc.oneof(fc.nat(40), fc.nat(4_000), fc.constant(20 * 60_000)), {
			minLength: 1,
			maxLength: 6,
		}),
		amounts: fc.constantFrom('none' as const, 'bare' as const, 'fiat' as const),
	}),
	database: fc.record({
		latencies: fc.array(fc.nat(80), { minLength: 1, maxLength: 8 }),
		faults: sometimes(fc.constantFrom<DatabaseFault>('before', 'after'), 12, 6),
	}),
	/** The seed of everything random in the package. */
	seed: fc.noBias(fc.integer()),
});

export type Scenario = typeof scenario extends fc.Arbitrary<infer One> ? One : never;

export const computersWith = (patches: readonly Patch[] = []): Computers =>
	computersOfPayments(patches);

/** Figures over all scenarios. */
export class Figures {
	executions = 0;

	payouts = 0;

	deposits = 0;

	conversions = 0;

	fundings = 0;

	/** Rows that were not funded because of what the logs say. */
	heldByLogs = 0;

	kills = 0;
}

/** After this time nothing is in flight, and all that happened is in the logs. */
const AFTERMATH_MS = 60 * 60_000;
const DAY_MS = 24 * 60 * 60_000;

const walletOf = (account: string): string => `aaaaaaaa-000${account}-4000-8000-000000000000`;

/** The row of a payment. */
function rowOf(operation: Operation, payment: number, account: string): IDataObject {
	const isConversion = payment % 4 !== 3;
	const reference = `abcdefab-000${account}-4000-8000-${String(payment).padStart(12, '0')}`;
	const crypto = { asset_deposit: 'USDC', blockchain: 'Polygon' };
	const funding = {
		funding_source: isConversion ? 'conversion' : 'balance',
		...(isConversion && crypto),
	};
	switch (operation) {
		case 'createBank':
			return {
				external_reference: reference,
				first_name: 'María José',
				last_name: `Quispe ${payment}`,
				destination_id_number: String(812_345 + payment),
				bank_code: '0010',
				destination_account: String(1_000 + payment),
				amount: String(payment + 1),
				currency_type: 'BOB',
				description: 'Salary November 2026',
				...funding,
			};
		case 'createQr':
			return {
				external_reference: `qr-${account}-${payment}`,
				image: `content of QR code ${payment}`,
				amount: String(payment + 1),
				...funding,
			};
		case 'createQrDeposit':
			return {
				referenceId: `deposit-${account}-${payment}`,
				fundingSource: 'balance',
				fiatAmount: String(payment + 1),
				fiatCurrency: 'BOB',
				country: 'BO',
			};
		default:
			return {
				externalReference: `crypto-${account}-${payment}`,
				walletId: walletOf(account),
				destinationWallet: `0x${String(payment).padStart(40, '1')}`,
				amount: String(payment + 1),
				asset: 'USDC',
				blockchain: 'Polygon',
			};
	}
}

/** What is known of an execution. */
interface Started {
	execution: Execution;
	account: string;
	operation: Operation;
	dryRun: boolean;
}

/** Where an execution begins. */
type Start = Pick<Extract<Action, { type: 'fund' }>, 'slot' | 'interruption'> &
	Omit<Started, 'execution'> & { node: number; isStored?: boolean };

/** The service of one account, and its logs. */
class Account {
	readonly service: Service;

	readonly logs: PaymentLogs;

	/** What the workflow has stored of payouts, by transaction. */
	readonly table = new Map<string, IDataObject>();

	/** What the last payout node has put on its outputs. */
	results: IDataObject[] = [];

	constructor(
		readonly name: string,
		clock: Clock,
		{ service }: Scenario,
	) {
		const round = <T>(list: ReadonlyArray<T | null>): (() => T | undefined) => {
			const next = cycle(list);
			return () => next() ?? undefined;
		};
		this.logs = new PaymentLogs(clock, {
			order: 'newest',
			counts: true,
			events: EVENTS,
			amounts: service.amounts,
			nextStatuses: cycle(service.lives.map((life) => UNFUNDED[life])),
			nextDelay: cycle(service.delays),
			nextShape: () => 'documented',
			nextLogFault: round<ApiFaultName>(service.logFaults),
			nextChange: () => undefined,
		});
		const { logs } = this;
		this.service = new Service(
			clock,
			{
				account: name,
				duplicates: service.duplicates,
				forgetsAfter: 1e9,
				tokenLifetime: service.tokenLifetime,
				nextFault: round<FaultName>(service.faults),
				nextLoginFault: round<LoginFaultName>(service.loginFaults),
				nextLatency: cycle(service.latencies),
			},
			{
				created: (payment, isFailed) => {
					if (payment.path !== CRYPTO) return logs.created(payment, isFailed);
					logs.happen(payment, ['pending_transaction', 'completed_transaction']);
					const payout = this.fundedBy(payment.body);
					if (payout) logs.happen(payout, FUNDED);
				},
				answer: (request) =>
					request.path === '/v2/wallets'
						? json(200, {
								wallets: [
									{
										walletId: walletOf(name),
										assets: [{ symbol: 'USDC', blockchain: 'Polygon' }],
									},
								],
							})
						: logs.answer(request),
			},
		);
	}

	/** The payout that waits at the address of a crypto payout. */
	fundedBy({ destinationWallet }: IDataObject): Payment | undefined {
		return this.service.payments.find((one) => fundingOf(one)?.address === destinationWallet);
	}

	/** Ends all faults. */
	calm(): void {
		this.logs.calm();
		this.service.behaviour = {
			...this.service.behaviour,
			// What the idempotency store has lost is then created a second time.
			duplicates: 'accept',
			tokenLifetime: 1e9,
			nextFault: () => undefined,
			nextLoginFault: () => undefined,
		};
	}
}

/** One run of a scenario. */
class ScenarioRun {
	readonly clock = new Clock();

	readonly accounts: Account[];

	readonly started: Started[] = [];

	/** The executions at the end, when nothing fails any more. */
	readonly audits = new Set<Execution>();

	readonly n8n: N8n;

	private readonly database: Database;

	private readonly slots: Process[];

	private readonly running = new Set<Promise<void>>();

	private readonly computer: Computer;

	private readonly random: () => number;

	constructor(
		readonly scenario: Scenario,
		computers: Computers,
		number: number,
	) {
		const { service, database, smallPortions, seed } = scenario;
		this.computer = smallPortions ? computers.small : computers.usual;
		this.random = seeded(seed);
		this.accounts = ACCOUNTS.map((name) => new Account(name, this.clock, scenario));
		const credentials = new Map(
			ACCOUNTS.map((name) => [
				name,
				{
					baseUrl: 'https://service.example/api',
					email: `user-${name}-${number}@example.com`,
					password: 'secret',
					loginVersion: 'v2',
					environment: '',
					sessionToken: '',
				},
			]),
		);
		const fault = cycle(database.faults);
		this.database = new Database(
			{ id: `fundings-${number}`, active: true },
			{},
			cycle(database.latencies),
			() => fault() ?? undefined,
		);
		this.database.credentialOf = ({ credentials: own }) =>
			credentials.get(own?.partnerPaymentsApi.id ?? '') ?? {};
		const receiver: Receiver = {
			receive: (request, reply) => {
				const sender = request.path.endsWith('/auth/login')
					? /^user-(\d)/.exec(String(request.body.email))
					: /-of-(\d)$/.exec(request.token ?? '');
				const own = this.accounts.find(({ name }) => name === sender?.[1]) ?? this.accounts[0];
				own.service.receive(request, reply);
			},
		};
		this.n8n = new N8n(
			this.clock,
			this.database,
			new Network(this.clock, receiver, cycle(service.latencies), () => false),
			function (process) {
				const { operation } = this.getNode().parameters as { operation: Operation };
				return process.package[operation].execute.call(this);
			},
		);
		this.slots = Array.from({ length: SLOTS }, () => this.newProcess());
	}

	async happen(): Promise<void> {
		for (const { after, action: one } of this.scenario.actions) {
			if (typeof after === 'string') await this.quiet();
			await this.clock.pause(after === 'a day' ? DAY_MS : after === 'quiet' ? 0 : after);
			this.do(one);
		}
		await this.quiet();
		await this.clock.pause(AFTERMATH_MS);
		await this.audit();
	}

	private newProcess(): Process {
		const process = new Process(this.clock, this.random, this.computer);
		process.onEnd = () => {
			this.n8n.crash(process);
			const slot = this.slots.indexOf(process);
			if (slot >= 0) this.slots[slot] = this.newProcess();
		};
		return process;
	}

	private async quiet(): Promise<void> {
		while (this.running.size > 0) await Promise.all(this.running);
	}

	private do(one: Action): void {
		if (one.type === 'kill') return this.slots[one.slot].kill();
		const own = this.accounts[one.account];
		if (one.type === 'pay') {
			const { operation } = one;
			const items = one.payments.map((payment) => rowOf(operation, payment, own.name));
			return this.begin({ ...one, account: own.name, dryRun: false, node: 0 }, items);
		}
		if (one.type === 'fund') {
			const items = one.source === 'table' ? [...own.table.values()] : own.results;
			const start = { ...one, account: own.name, operation: 'fundConversions' as const };
			return items.length > 0 ? this.begin(start, items) : undefined;
		}
		const ended = this.started.filter(({ execution }) => execution.isRetriable);
		const from = ended[one.which % ended.length];
		if (from) this.begin({ ...from, ...one, account: from.account, node: 0 }, [], from.execution);
	}

	private begin(start: Start, items: IDataObject[], from?: Execution): void {
		const { account, operation, dryRun, slot, interruption: end, isStored = true } = start;
		const process = this.slots[slot];
		const node = from?.node ?? this.node(start);
		const execution = this.n8n.start(process, node, from?.runs ?? [items], from);
		this.started.push({ execution, account, operation, dryRun });
		if (end?.is === 'killed') process.atStep(end.steps, () => process.kill());
		if (end?.is === 'stopped') process.atStep(end.steps, () => void this.n8n.cancel(execution));
		const running = execution.ended.then(() => {
			if (execution.status !== 'success' || operation === 'fundConversions' || !isStored) return;
			this.store(account, execution);
		});
		this.running.add(running);
		void running.then(() => this.running.delete(running));
	}

	/** Stores what the next nodes of the workflow get. */
	private store(account: string, { outputs }: Execution): void {
		const own = this.accounts.find(({ name }) => name === account) as Account;
		own.results = outputs.flat().map(({ json: result }) => result);
		for (const { transactionId, reference, toFund } of own.results) {
			if (!toFund) continue;
			const row = { transactionId, reference, toFund: JSON.stringify(toFund) };
			own.table.set(String(transactionId), row);
		}
	}

	private async audit(): Promise<void> {
		for (const own of this.accounts) {
			own.calm();
			this.database.nextFault = () => undefined;
			if (own.table.size === 0) continue;
			const start = {
				account: own.name,
				operation: 'fundConversions' as const,
				dryRun: false,
				node: 0,
			};
			const node: INode = {
				...this.node(start),
				retryOnFail: false,
				onError: 'continueRegularOutput',
			};
			const execution = this.n8n.start(this.newProcess(), node, [[...own.table.values()]]);
			this.started.push({ execution, ...start });
			this.audits.add(execution);
			await execution.ended;
		}
	}

	private node({ operation, account, dryRun, node }: Omit<Start, 'slot' | 'interruption'>): INode {
		const { onError, tries, concurrency } = this.scenario;
		return {
			id: `${operation} ${account} ${node}`,
			name: `${operation} ${account} ${node}`,
			type: 'n8n-nodes-partner-payments.partnerPayments',
			typeVersion: 1,
			position: [0, 0],
			onError,
			retryOnFail: tries > 1,
			maxTries: tries,
			waitBetweenTries: 1_000,
			credentials: { partnerPaymentsApi: { id: account, name: 'Credential' } },
			parameters: inForm({
				resource: 'payout',
				operation,
				mappingMode: 'autoMapInputData',
				referenceSource: 'given',
				walletId: walletOf(account),
				options: {
					dryRun,
					timeout: 5,
					...(concurrency !== undefined && { concurrency }),
					...(operation === 'createBank' && { duplicatePayments: 'allow' }),
					// By default, only payouts are remembered.
					...(operation === 'createQrDeposit' && { rememberSent: true }),
				},
			}) as INode['parameters'],
		};
	}
}

const isCut = ({ status, process }: Execution): boolean =>
	status === 'crashed' || (status === 'canceled' && !process.isAlive);

const keyOf = (reference: unknown): string => String(reference).toLowerCase();

/** Checks the invariants of a scenario that has ended. */
class Invariants {
	readonly found: string[] = [];

	private readonly byId: Map<string, Started>;

	constructor(
		private readonly scenarioRun: ScenarioRun,
		private readonly figures: Figures,
	) {
		this.byId = new Map(scenarioRun.started.map((one) => [one.execution.id, one]));
	}

	check(): string[] {
		for (const own of this.scenarioRun.accounts) {
			this.onceEach(own);
			this.fundedOnce(own);
			this.rightRequests(own);
			for (const payment of own.service.payments) this.isReported(payment);
		}
		for (const one of this.scenarioRun.started) {
			this.found.push(...one.execution.violations);
			for (const reported of one.execution.reported) this.isTrue(one, reported);
		}
		this.audit();
		return this.found;
	}

	private started(origin: string): Started {
		return this.byId.get(origin) as Started;
	}

	private nodeOf({ origin }: Pick<Payment, 'origin'>): string {
		return this.started(origin).execution.node.id;
	}

	/** No node creates a reference twice. */
	private onceEach({ service }: Account): void {
		const made = new Map<string, Payment>();
		for (const payment of service.payments) {
			const key = `${this.nodeOf(payment)} ${payment.reference}`;
			const before = made.get(key);
			if (before)
				this.found.push(
					`${payment.reference} was created twice: by ${before.origin} and ${payment.origin}`,
				);
			made.set(key, payment);
		}
	}

	/** No node funds a payout twice, whatever its rows say. */
	private fundedOnce(own: Account): void {
		const funded = new Map<string, string>();
		for (const { body, origin, path } of own.service.payments) {
			const payout = path === CRYPTO ? own.fundedBy(body) : undefined;
			if (!payout) continue;
			const key = `${this.nodeOf({ origin })} ${payout.id}`;
			const before = funded.get(key);
			if (before) this.found.push(`${payout.id} was funded twice: by ${before} and ${origin}`);
			funded.set(key, origin);
		}
	}

	private rightRequests(own: Account): void {
		for (const { body, path, origin, at } of own.service.asked) {
			const { account, operation, dryRun, execution } = this.started(origin);
			const says = (what: string) => this.found.push(`${origin} ${what}: ${JSON.stringify(body)}`);
			if (account !== own.name) says('of another account sent');
			if (dryRun) says('is a dry run and sent');
			if (operation !== 'fundConversions') {
				const isOwn = execution.runs[0].some(
					(row) => keyOf(referenceIn(row)) === keyOf(referenceIn(body)),
				);
				if (!isOwn) says('sent a payout that none of its rows has');
				continue;
			}
			const payout = own.fundedBy(body);
			const funding = payout && fundingOf(payout);
			if (path !== CRYPTO || !payout || payout.at > at) {
				says('funded a payout that does not exist');
				continue;
			}
			const { walletId, asset, blockchain, amount } = body;
			const isExact =
				amount === funding?.amount &&
				asset === 'USDC' &&
				blockchain === 'Polygon' &&
				walletId === walletOf(account);
			if (!isExact) says(`sent not exactly ${funding?.amount} USDC to ${payout.id}`);
			const { startedAt } = execution;
			const seen = own.logs.entries.filter(({ visibleFrom }) => visibleFrom < startedAt);
			const ended = seen.find((one) => one.payment === payout && ENDED.includes(one.status));
			if (ended) says(`funded ${payout.id}, which the logs had as ${ended.status}`);
			const before = seen.find((one) => one.payment.reference === keyOf(referenceIn(body)));
			if (before) says(`funded ${payout.id}, whose funding ${before.payment.id} was in the logs`);
		}
	}

	/** What is reported for a row must be true. */
	private isTrue({ execution, account }: Started, reported: Reported): void {
		const { outcome, reference, code, transactionId, at } = reported;
		const own = this.scenarioRun.accounts.find(({ name }) => name === account) as Account;
		if (code === 'movedOn' || code?.startsWith('logged')) this.figures.heldByLogs += 1;
		if (outcome === 'created') {
			const made = own.service.payments.find(({ id }) => id === transactionId);
			if (made?.reference !== keyOf(reference))
				this.found.push(
					`${execution.id} reports ${transactionId} as ${reference}, which it is not`,
				);
		}
		if (!['rejected', 'notSent', 'ready'].includes(outcome) || reference === '') return;
		// The second of two rows with one reference is rejected.
		const isTwin = execution.reported.some(
			(one) => one !== reported && one.reference === reference && one.item !== reported.item,
		);
		const made = own.service.payments.find(
			(one) => one.reference === keyOf(reference) && one.origin === execution.id && one.at <= at,
		);
		if (made && !isTwin)
			this.found.push(`${execution.id} reports ${reference} as ${outcome}, but created it`);
	}

	/** A payment is reported by the execution that created it, unless that was killed. */
	private isReported({ reference, origin }: Payment): void {
		const { execution } = this.started(origin);
		if (isCut(execution)) return;
		const isSaid = execution.reported.some(
			(one) =>
				keyOf(one.reference) === reference &&
				['created', 'unknown', 'alreadySent'].includes(one.outcome),
		);
		if (!isSaid) this.found.push(`${origin} created ${reference} and does not report it`);
	}

	/** When nothing fails any more, all that is stored is funded, or has ended. */
	private audit(): void {
		const { started, audits, accounts, scenario: one } = this.scenarioRun;
		const isAnyCut = started.some(({ execution }) => isCut(execution));
		const mayBeLost = isAnyCut || one.database.faults.some((fault) => fault !== null);
		const unknown = new Set(
			started.flatMap(({ execution }) =>
				execution.reported
					.filter(({ outcome }) => outcome === 'unknown')
					.map(({ reference }) => keyOf(reference)),
			),
		);
		for (const execution of audits) {
			const { account } = this.started(execution.id);
			const own = accounts.find(({ name }) => name === account) as Account;
			for (const { item, outcome, code, reference } of execution.reported) {
				const row = execution.runs[0][item];
				const funded = own.service.payments.find(
					(payment) =>
						payment.path === CRYPTO && own.fundedBy(payment.body)?.id === row.transactionId,
				);
				const isLost = mayBeLost || unknown.has(keyOf(reference));
				if (outcome === 'created' || code === 'movedOn') continue;
				if (outcome === 'alreadySent' && (funded || isLost)) continue;
				if (outcome === 'unknown' && code === 'sentNotProved' && isLost) continue;
				// A funding that failed at once.
				if (outcome === 'conflict' && code === 'loggedAsFailed') continue;
				this.found.push(
					`at the end, ${String(row.transactionId)} is ${outcome} (${code}), and ${funded ? '' : 'not '}funded`,
				);
			}
		}
	}
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
	for (const { service, fundedBy } of scenarioRun.accounts.map((own) => ({
		service: own.service,
		fundedBy: (body: IDataObject) => own.fundedBy(body),
	}))) {
		const fundings = service.payments.filter(({ path, body }) => path === CRYPTO && fundedBy(body));
		figures.fundings += fundings.length;
		const deposits = service.payments.filter(({ path }) => path === DEPOSIT);
		figures.deposits += deposits.length;
		figures.payouts += service.payments.length - fundings.length - deposits.length;
		figures.conversions += service.payments.filter(fundingOf).length;
	}
	const { executions } = scenarioRun.n8n;
	figures.executions += executions.length;
	figures.kills += executions.filter(isCut).length;
	return new Invariants(scenarioRun, figures).check();
}
