/* eslint-disable @n8n/community-nodes/no-restricted-imports -- runs outside n8n */
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import type { IDataObject, INode, INodeExecutionData } from 'n8n-workflow';

import { inForm } from '../fixtures/form.cjs';
import { MAX, START } from '../../nodes/batch/limiter';
import { catalogueMessages } from '../docs/catalogue';
import { Clock, cycle, seeded } from './clock';
import { Database, type DatabaseFault } from './database';
import { N8n, type Execution, type Reported } from './n8n';
import { Network } from './network';
import { hash as hashOf } from './processedItems';
import { BEGINNING } from './package';
import { API_FAULTS, type ApiFaultName } from './eventService';
import type { Patch } from './patch';
import { AMOUNTS, PaymentLogs, SHAPES, type LoggedPayment } from './paymentLogs';
import { Computers, Process, type Computer } from './process';
import { failureToEnd } from './search';
import {
	FAULTS,
	LOGIN_FAULTS,
	Service,
	type Behaviour,
	type FaultName,
	type LoginFaultName,
	type Payment,
} from './service';

/*
 * The scenario of payments: people run, retry, stop and kill executions that pay, in several processes of n8n, while
 * the service and the database fail. What n8n's users see must then match what the service has.
 */

/** A row of a file. The same payment may be in several files. */
const rowWith = (isBad: fc.Arbitrary<boolean>) =>
	fc.record({
		payment: fc.nat(11),
		/** Another amount (1) or account (2) under the same reference, or both (3). */
		variant: fc.constantFrom(0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3),
		upperCase: fc.constantFrom(false, false, false, false, true),
		/** Whether the row is invalid. */
		isBad,
	});

const row = rowWith(fc.constantFrom(false, false, false, false, false, false, false, false, true));

/** Most files are valid, because an invalid row keeps a node that stops on errors from sending anything. */
const file = fc.oneof(
	fc.array(row, { minLength: 1, maxLength: 14 }),
	fc.uniqueArray(rowWith(fc.constant(false)), {
		minLength: 1,
		maxLength: 10,
		selector: ({ payment }) => payment,
	}),
);

type Row = typeof row extends fc.Arbitrary<infer One> ? One : never;

/** Valid rows of as many other payments. */
const moreRows = (count: number): Row[] =>
	Array.from({ length: count }, (_, number) => ({
		payment: 100 + number,
		variant: 0,
		upperCase: false,
		isBad: false,
	}));

const faultNames = Object.keys(FAULTS) as FaultName[];
const loginFaultNames = Object.keys(LOGIN_FAULTS) as LoginFaultName[];
const apiFaultNames = Object.keys(API_FAULTS) as ApiFaultName[];

/** A list that is repeated. Null means that nothing happens. */
const sometimes = <T>(one: fc.Arbitrary<T>, maxLength: number) =>
	fc.array(fc.option(one), { maxLength });

const rarely = <T>(one: fc.Arbitrary<T[]>, weight: number) =>
	fc.oneof({ weight, arbitrary: fc.constant<T[]>([]) }, { weight: 1, arbitrary: one });

const rarely1in = (count: number) => fc.nat(count - 1).map((number) => number === count - 1);

const SLOTS = 3;

/** The references that the node pays again: none, those that a person has looked up, or all without a look. */
const again = fc.oneof(
	{ weight: 6, arbitrary: fc.constant('no' as const) },
	{ weight: 2, arbitrary: fc.constant('lookedUp' as const) },
	{ weight: 1, arbitrary: fc.constant('all' as const) },
);

/** How an execution is interrupted, after a number of steps of its process. */
const interruption = fc.option(
	fc.record({
		is: fc.constantFrom(
			'killed' as const,
			'killed' as const,
			'stopped' as const,
			'timedOut' as const,
		),
		steps: fc.oneof(fc.nat(25), fc.nat(100)),
	}),
	{ freq: 3 },
);

/** The statuses of a payment in their order. */
const LIVES = [
	['pending_transaction', 'processing_transaction', 'completed_transaction'],
	['pending_transaction'],
	['pending_transaction', 'failed_transaction'],
	['reject_transaction'],
	['completed_transaction'],
] as const;

/** The statuses that a webhook covers. */
const COVERED = {
	all: [...new Set(LIVES.flat())],
	final: ['completed_transaction', 'failed_transaction', 'reject_transaction'],
	none: undefined,
};

const FAILED = ['failed_transaction', 'reject_transaction'];

/** What the service logs, and how it shows it. */
const logs = fc.record({
	events: fc.constantFrom('all' as const, 'all' as const, 'final' as const, 'none' as const),
	order: fc.constantFrom('newest' as const, 'newest' as const, 'oldest' as const, 'none' as const),
	counts: fc.boolean(),
	amounts: fc.constantFrom(...AMOUNTS),
	lives: fc.array(fc.nat(LIVES.length - 1), { minLength: 1, maxLength: 4 }),
	/** Milliseconds until something happens, and until its entry is in the logs. */
	delays: fc.array(
		fc.oneof(fc.nat(40), fc.nat(4_000), fc.constantFrom(20 * 60_000, 3 * 86_400_000)),
		{ minLength: 1, maxLength: 6 },
	),
	shapes: fc.oneof(
		fc.constant(['documented' as const]),
		fc.array(fc.constantFrom(...SHAPES), { minLength: 1, maxLength: 6 }),
	),
	faults: rarely(sometimes(fc.constantFrom(...apiFaultNames), 6), 3),
	changes: rarely(
		sometimes(fc.constantFrom('arrives' as const, 'leaves' as const, 'both' as const), 4),
		3,
	),
	/** Entries of others. */
	before: fc.constantFrom(0, 0, 0, 7),
});

const action = fc.oneof(
	{
		weight: 5,
		arbitrary: fc.record({
			type: fc.constant('run' as const),
			file: fc.nat(1),
			/** Whether the rows are in reverse order. */
			isTurned: fc.constantFrom(false, false, true),
			/** Whether the rows of the other file follow. */
			isExtended: fc.constantFrom(false, false, false, true),
			/** Whether somebody has changed amounts and accounts since. */
			isChanged: fc.constantFrom(false, false, false, false, true),
			/** In another batch, the same rows have other references. */
			batch: fc.constantFrom(0, 0, 0, 1),
			/** Another node of the workflow has an idempotency store of its own. */
			node: fc.constantFrom(0, 0, 0, 1),
			/** Whether Batch ID and key are spelled in another way. */
			isRespelled: fc.constantFrom(false, false, false, true),
			slot: fc.nat(SLOTS - 1),
			again,
			dryRun: fc.constantFrom(false, false, false, false, true),
			interruption,
		}),
	},
	{
		weight: 4,
		arbitrary: fc.record({
			type: fc.constant('retry' as const),
			which: fc.nat(9),
			/** Whether the node has been pasted again since, so that its idempotency store is another one. */
			isPasted: fc.constantFrom(false, false, false, false, true),
			slot: fc.nat(SLOTS - 1),
			again,
			interruption,
		}),
	},
	{
		weight: 3,
		/** What an execution has put on its outputs goes into the second node, together with the input of the first. */
		arbitrary: fc.record({
			type: fc.constant('chain' as const),
			which: fc.nat(9),
			/** Whether only failed rows go on. */
			output: fc.constantFrom('error' as const, 'error' as const, 'all' as const),
			/** Whether a person has corrected the rows in between. */
			isCorrected: fc.boolean(),
			batch: fc.constantFrom(0, 0, 1),
			slot: fc.nat(SLOTS - 1),
			interruption,
		}),
	},
	{
		weight: 1,
		arbitrary: fc.record({ type: fc.constant('cancel' as const), which: fc.nat(9) }),
	},
	{
		weight: 1,
		/** All processes run the same file at once, and one is killed while they wait for the lock. */
		arbitrary: fc.record({
			type: fc.constant('rush' as const),
			file: fc.nat(1),
			steps: fc.nat(15),
		}),
	},
	{
		weight: 1,
		arbitrary: fc.record({ type: fc.constant('kill' as const), slot: fc.nat(SLOTS - 1) }),
	},
);

export const scenario = fc.record({
	files: fc.array(file, { minLength: 1, maxLength: 2 }),
	/** Valid rows that each file has in addition: now and then it has a thousand, and sometimes enough for 30 runs. */
	moreRows: fc.oneof(
		{ weight: 2_000, arbitrary: fc.constant(0) },
		{ weight: 20, arbitrary: fc.constant(90) },
		{ weight: 1, arbitrary: fc.constant(1_000) },
	),
	settings: fc.record({
		/** Whether the node reads columns, or each of its fields has an expression. */
		mapping: fc.constantFrom('columns' as const, 'columns' as const, 'expressions' as const),
		concurrency: fc.constantFrom<Array<number | undefined>>(1, 3, 10, undefined),
		onError: fc.constantFrom(
			'stopWorkflow' as const,
			'continueRegularOutput' as const,
			'continueErrorOutput' as const,
		),
		/** The tries of Retry On Fail; 1 turns it off. */
		tries: fc.constantFrom(1, 1, 2, 3),
		references: fc.constantFrom(
			'given' as const,
			'given' as const,
			'payee' as const,
			'key' as const,
		),
		/** Whether each row has a description, or the node has one for all rows, which the batch's name is in. */
		describedBy: fc.constantFrom('row' as const, 'row' as const, 'node' as const),
		duplicatePayments: fc.constantFrom('reject' as const, 'reject' as const, 'allow' as const),
		remembers: fc.constantFrom(true, true, true, true, false),
		requestsPerSecond: fc.constantFrom(0, 0, 0, 20),
		checkBalance: fc.constantFrom(false, false, false, true),
		checkDeliveryLogs: fc.constantFrom(false, false, true),
		accountChanges: fc.constantFrom('report', 'report', 'hold', 'off'),
		/** The most that a node may pay on a day; 0 means no limit. */
		dailyLimit: fc.constantFrom(0, 0, 0, 0, 0, 0, 0, 40),
		/** The rows in each run of a loop; 0 means no loop. */
		perRun: fc.constantFrom(0, 0, 3),
		/** The tries of a parent workflow that runs this one; 1 means no parent. */
		parentTries: fc.constantFrom(1, 1, 2, 3),
		/** Whether references are recorded in chunks, and logs are read in pages, of 3, so that a file has several. */
		smallPortions: fc.boolean(),
		/** Whether the stores are full, so that whatever is recorded replaces the oldest entries. */
		isFull: rarely1in(12),
		/** Whether n8n's Remove Duplicates node has entries in the row that is the lock. */
		removeDuplicates: fc.constantFrom(false, false, false, false, false, false, false, false, true),
	}),
	actions: fc.array(
		fc.record({
			/** Milliseconds after the previous action, or when nothing is running. */
			after: fc.oneof(
				fc.nat(40),
				fc.nat(400),
				fc.nat(20_000),
				fc.constant('quiet' as const),
				fc.constantFrom('2 days' as const, '5 days' as const),
			),
			action,
		}),
		{ minLength: 1, maxLength: 8 },
	),
	service: fc.record({
		duplicates: fc.constantFrom(
			'accept' as const,
			'accept' as const,
			'conflict' as const,
			'badRequest' as const,
		),
		forgetsAfter: fc.constantFrom(1e9, 20_000),
		tokenLifetime: fc.constantFrom(1e9, 1_000),
		faults: fc.oneof(fc.constant([]), sometimes(fc.constantFrom(...faultNames), 8)),
		loginFaults: rarely(sometimes(fc.constantFrom(...loginFaultNames), 3), 9),
		latencies: fc.array(fc.nat(300), { minLength: 1, maxLength: 8 }),
		logs,
		/** Whether the service cannot be reached. */
		isDown: rarely(fc.array(fc.boolean(), { maxLength: 12 }), 6),
	}),
	database: fc.record({
		latencies: fc.array(fc.nat(80), { minLength: 1, maxLength: 12 }),
		/** Queries, by their numbers, for which the database takes long. */
		stalls: rarely(
			fc.array(fc.record({ query: fc.nat(150), ms: fc.integer({ min: 5_000, max: 40_000 }) }), {
				maxLength: 3,
			}),
			6,
		),
		faults: rarely(sometimes(fc.constantFrom<DatabaseFault>('before', 'after'), 12), 5),
	}),
	/** The seed of everything random in the package. */
	seed: fc.noBias(fc.integer()),
});

export type Scenario = typeof scenario extends fc.Arbitrary<infer One> ? One : never;

const PORTION = { usual: 80, small: 3, full: 400 };

/** How many entries a full store has. */
const MAX_ENTRIES = 400;

const FULL_STORE: Patch[] = [
	{
		file: 'nodes/ledger/storedEntries.ts',
		find: 'export const MAX_ENTRIES = 120_000;',
		replace: `export const MAX_ENTRIES = ${MAX_ENTRIES};`,
	},
];

const SMALL_PORTIONS: Patch[] = [
	{
		file: 'nodes/ledger/storedEntries.ts',
		find: `usual: ${PORTION.usual},`,
		replace: `usual: ${PORTION.small},`,
	},
	{
		file: 'nodes/logs/logReader.ts',
		find: 'const PAGE_SIZE = 100;',
		replace: 'const PAGE_SIZE = 3;',
	},
];

/** The package for these scenarios, with patches. */
export const computersWith = (patches: readonly Patch[] = []): Computers =>
	new Computers(SMALL_PORTIONS, patches, FULL_STORE);

/** Figures over all scenarios. */
export class Figures {
	executions = 0;

	requests = 0;

	payments = 0;

	kills = 0;

	cancelled = 0;

	retried = 0;

	/** Executions of the second node with the output of the first. */
	chained = 0;

	/** Rows that were found in the delivery logs. */
	logged = 0;

	/** Rows that were not sent because of what their input said. */
	heldByInput = 0;

	/** The most rows that one killed execution left recorded although they were neither created nor reported. */
	mostLeftover = 0;

	/** The same as a share of what the guides allow: a chunk and what is in flight. */
	leftoverShare = 0;

	/** Scenarios in the case of docs/reliability.md without the lock, and payments that were created twice in them. */
	scenariosWithWindow = 0;

	paidTwiceInWindow = 0;

	/** How often n8n's database stalled, and executions that said that old entries were dropped. */
	stalls = 0;

	saidFull = 0;

	/** The longest simulated time that an execution took at the end, after processes were killed. */
	longestSecondsAfterwards = 0;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** How far back the node looks for duplicates. */
const DUPLICATE_WINDOW_MS = 3 * DAY_MS;

/** How many pages of the logs are read while entries arrive and leave. */
const MAX_CHANGING_PAGES = 40;

/** Each batch in two spellings. */
const BATCH_IDS = [
	['payroll-2026-11', ' Payroll 2026–11'],
	['payroll-2026-11-again', 'PAYROLL_2026_11 again'],
];

const DESCRIPTION = 'Salary November 2026';

/** The UUID contains letters, so upper case changes it. */
const referenceOf = ({ payment, upperCase }: Row, batch: number): string => {
	const reference = `abcdefab-000${batch}-4000-8000-${String(payment).padStart(12, '0')}`;
	return upperCase ? reference.toUpperCase() : reference;
};

const accountOf = ({ payment, variant }: Row): string =>
	String((variant >= 2 ? 2_000 : 1_000) + payment);

const documentOf = ({ payment }: Row): string => String(812_345 + payment);

const amountOf = ({ payment, variant }: Row): number => payment + 1 + (variant % 2) / 2;

/** What a row or a request moves: payee, account, amount. */
const moneyOf = (one: Row): string =>
	JSON.stringify([documentOf(one), accountOf(one), amountOf(one)]);

const moneyIn = ({ transaction }: IDataObject): string => {
	const { destination_id_number, destination_account, amount } = transaction as IDataObject;
	return JSON.stringify([destination_id_number, destination_account, amount]);
};

/** Two payments of one payee with one amount are duplicates: all have the same purpose, or one that their rows share. */
const duplicateKeyIn = ({ transaction }: IDataObject): string => {
	const { destination_id_number, amount } = transaction as IDataObject;
	return JSON.stringify([destination_id_number, amount]);
};

const duplicateKeyOf = (one: Row): string => JSON.stringify([documentOf(one), amountOf(one)]);

/** A row with another amount, another account, or both. */
const changedRow = (one: Row): Row => ({
	...one,
	variant: one.variant === 0 ? (((one.payment % 3) + 1) as Row['variant']) : 0,
});

function itemOf(
	one: Row,
	{ references, describedBy }: Scenario['settings'],
	batch: number,
	isRespelled = false,
): IDataObject {
	return {
		...(references === 'given' && { external_reference: referenceOf(one, batch) }),
		employee: isRespelled ? ` e-${one.payment}` : `E-${one.payment}`,
		first_name: 'María José',
		last_name: `Quispe ${one.payment}`,
		destination_id_number: documentOf(one),
		bank_code: '0010',
		destination_account: accountOf(one),
		amount: one.isBad ? 'all' : String(amountOf(one)),
		currency_type: 'BOB',
		...(describedBy === 'row' && { description: DESCRIPTION }),
		funding_source: 'balance',
	};
}

/** Whether a request is the right one for a row. A generated reference may be any. */
function isBodyOf(
	body: IDataObject,
	one: Row,
	{ references, describedBy }: Scenario['settings'],
	batch: number,
): boolean {
	const { description, destination_id_number } = body.transaction as IDataObject;
	if (destination_id_number !== documentOf(one)) return false;
	const descriptions =
		describedBy === 'row' ? [DESCRIPTION] : BATCH_IDS[batch].map((name) => name.trim());
	const expected: IDataObject = {
		transaction: {
			first_name: 'María José',
			last_name: `Quispe ${one.payment}`,
			destination_id_number: documentOf(one),
			bank_code: '0010',
			destination_account: accountOf(one),
			amount: amountOf(one),
			currency_type: 'BOB',
			description,
		},
		funding_source: 'balance',
		external_reference: references === 'given' ? referenceOf(one, batch) : body.external_reference,
	};
	return (
		!one.isBad && descriptions.includes(String(description)) && isDeepStrictEqual(body, expected)
	);
}

/** How a person starts an execution. */
interface Start {
	again: 'no' | 'lookedUp' | 'all';
	dryRun?: boolean;
	/** A retry has those of the execution that it retries. */
	batch?: number;
	node?: number;
	isRespelled?: boolean;
	/** The items, if they are not those of the rows, and what their results were in the first node. */
	chained?: { items: IDataObject[][]; results: Reported[] };
	interruption: { is: 'killed' | 'stopped' | 'timedOut'; steps: number } | null;
}

/** After this time nothing of the scenario is in flight. */
const AFTERMATH_MS = 120_000;

/** One run of a scenario. */
class ScenarioRun {
	readonly clock = new Clock();

	readonly service: Service;

	readonly n8n: N8n;

	/** The executions at the end: one of each file, when nothing fails any more. */
	readonly audits: Execution[] = [];

	readonly rows = new Map<Execution, Row[][]>();

	/** The references that an execution pays again: all or these. */
	readonly named = new Map<Execution, '*' | Set<string>>();

	/** When a person found that the references of an execution do not exist at the service. */
	readonly lookedUp = new Map<Execution, number>();

	readonly dryRuns = new Set<Execution>();

	readonly batches = new Map<Execution, number>();

	/** The executions whose node spells Batch ID and Key Columns in another way. */
	private readonly respelled = new Set<Execution>();

	/** The results of the first node that the items of an execution had. */
	readonly chained = new Map<Execution, Reported[]>();

	readonly logs: PaymentLogs;

	readonly files: Row[][];

	/** Whether the stores are full. */
	readonly isFull: boolean;

	/** How often people have asked, by node, for a reference to be paid again. */
	readonly requests = new Map<string, number>();

	/** How often n8n's database stalled. */
	stalls = 0;

	/** Whether the next query removes the lock. */
	private isRemoval = false;

	private readonly network: Network;

	private readonly database: Database;

	private readonly slots: Process[];

	private readonly series = new Set<Promise<void>>();

	private readonly computer: Computer;

	private readonly random: () => number;

	constructor(
		readonly scenario: Scenario,
		computers: Computers,
		number: number,
	) {
		const { settings, seed, service, database } = scenario;
		// A thousand payments would replace each other.
		this.isFull = settings.isFull && scenario.moreRows === 0;
		const { smallPortions } = settings;
		this.computer = this.isFull
			? computers.full
			: smallPortions
				? computers.small
				: computers.usual;
		this.files = scenario.files.map((rows) => [...rows, ...moreRows(scenario.moreRows)]);
		this.random = seeded(seed);
		const round = <T>(list: readonly (T | null)[]): (() => T | undefined) => {
			const next = cycle(list);
			return () => next() ?? undefined;
		};
		const behaviour: Behaviour = {
			duplicates: service.duplicates,
			forgetsAfter: service.forgetsAfter,
			tokenLifetime: service.tokenLifetime,
			nextFault: round(service.faults),
			nextLoginFault: round(service.loginFaults),
			nextLatency: cycle(service.latencies),
		};
		// Without the number of entries, nobody can see that one has left, and another has moved to a page that was read.
		const { counts, changes } = service.logs;
		const nextChange = round(counts ? changes : changes.map((change) => change && 'arrives'));
		let pages = 0;
		this.logs = new PaymentLogs(this.clock, {
			...service.logs,
			events: COVERED[service.logs.events],
			nextStatuses: cycle(service.logs.lives.map((life) => LIVES[life])),
			nextDelay: cycle(service.logs.delays),
			nextShape: cycle(service.logs.shapes),
			nextLogFault: round(service.logs.faults),
			nextChange: () => (pages++ < MAX_CHANGING_PAGES ? nextChange() : undefined),
		});
		for (let number = 0; number < service.logs.before; number++)
			this.logs.logs.pad('webhook', BEGINNING - DAY_MS, {});
		this.service = new Service(this.clock, behaviour, this.logs);
		this.network = new Network(
			this.clock,
			this.service,
			cycle(service.latencies),
			() => isDown() === true,
		);
		const isDown = round(service.isDown);
		this.database = new Database(
			{ id: `workflow-${number}`, active: true },
			{
				baseUrl: 'https://service.example/api',
				email: `user-${number}@example.com`,
				password: 'secret',
				loginVersion: 'v2',
				environment: '',
				sessionToken: '',
			},
			this.nextDatabaseLatency(),
			round(database.faults),
		);
		if (settings.removeDuplicates) {
			this.database.rows.set(this.lockRow, { ...FOREIGN_ROW });
		}
		if (this.isFull) for (const number of NODE_IDS.keys()) this.fillStore(number);
		this.database.onStatement = (statement) => (this.isRemoval = statement.startsWith('DELETE'));
		this.n8n = new N8n(this.clock, this.database, this.network, function (process) {
			return process.package.createBank.execute.call(this);
		});
		this.slots = Array.from({ length: SLOTS }, () => this.newProcess());
	}

	get lockRow(): string {
		return `${this.database.workflow.id} `;
	}

	get foreignRow(): unknown {
		return this.database.rows.get(this.lockRow);
	}

	/** How many entries the store of a node has. */
	entriesOf(number: number): number {
		return this.database.rows.get(this.storeRow(number))?.data.length ?? 0;
	}

	private storeRow(number: number): string {
		return `${this.database.workflow.id} n:${NODE_IDS[number]}`;
	}

	async happen(): Promise<void> {
		for (const { after, action } of this.scenario.actions) {
			if (after === 'quiet') await this.quiet();
			else if (typeof after === 'string') {
				await this.quiet();
				await this.clock.pause(Number.parseInt(after, 10) * DAY_MS);
			} else await this.clock.pause(after);
			await this.do(action);
		}
		await this.quiet();
		await this.clock.pause(AFTERMATH_MS);
		if (this.scenario.settings.remembers) await this.audit();
	}

	/** The milliseconds of the next query of n8n's database, which stalls now and then. */
	private nextDatabaseLatency(): () => number {
		const { latencies, stalls } = this.scenario.database;
		const next = cycle(latencies);
		const byQuery = new Map(stalls.map(({ query, ms }) => [query, ms]));
		let query = 0;
		return () => {
			const ms = byQuery.get(query++);
			if (ms === undefined) return next();
			this.stalls += 1;
			// A removal of the lock that takes longer may remove the next one (docs/reliability.md).
			return this.isRemoval ? Math.min(ms, LONGEST_REMOVAL_MS) : ms;
		};
	}

	/** Fills the store of a node with what it has sent long ago. */
	private fillStore(number: number): void {
		const old = Array.from({ length: MAX_ENTRIES - 1 }, (_, entry) => `old ${entry}`);
		const data = ['partnerPayments:ledger 1', ...old].map(hashOf);
		this.database.rows.set(this.storeRow(number), { mode: 'entries', data });
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
		while (this.series.size > 0) await Promise.all(this.series);
	}

	private async do(action: Scenario['actions'][number]['action']): Promise<void> {
		const { executions } = this.n8n;
		const { settings } = this.scenario;
		switch (action.type) {
			case 'run':
				return await this.begin(action.slot, this.runsOf(action), settings.parentTries, action);
			case 'rush':
				for (const slot of this.slots.keys()) {
					const interruption = slot === 0 ? { is: 'killed' as const, steps: action.steps } : null;
					await this.begin(slot, this.runsOf(action), 1, { again: 'no', interruption });
				}
				return;
			case 'retry': {
				const ended = executions.filter(({ isRetriable }) => isRetriable);
				const from = ended[action.which % ended.length];
				if (from) {
					const results = this.chained.get(from);
					const start = {
						...action,
						batch: this.batches.get(from),
						node: action.isPasted ? 1 - nodeOf(from) : nodeOf(from),
						isRespelled: this.respelled.has(from),
						...(results && { chained: { items: from.runs, results } }),
					};
					await this.begin(action.slot, this.rows.get(from) ?? [], 1, start, from);
				}
				return;
			}
			case 'chain':
				return await this.chain(action);
			case 'cancel': {
				const running = executions.filter(({ status }) => status === 'running');
				const one = running[action.which % running.length];
				if (one) void this.n8n.cancel(one);
				return;
			}
			case 'kill':
				this.slots[action.slot].kill();
		}
	}

	/** The references of all rows that somebody has seen so far: who names them all does not look. */
	private allReported(): Set<string> {
		return new Set(
			this.n8n.executions
				.flatMap(({ reported }) => reported.map(({ reference }) => reference))
				.filter((reference) => reference !== ''),
		);
	}

	private runsOf({
		file,
		isTurned = false,
		isExtended = false,
		isChanged = false,
	}: {
		file: number;
		isTurned?: boolean;
		isExtended?: boolean;
		isChanged?: boolean;
	}): Row[][] {
		const { files } = this;
		const { settings } = this.scenario;
		const own = files[file % files.length];
		const rows = isExtended ? [...own, ...files[(file + 1) % files.length]] : own;
		const changed = isChanged ? rows.map(changedRow) : rows;
		const sorted = isTurned ? [...changed].reverse() : changed;
		return settings.perRun === 0 ? [sorted] : chunks(sorted, settings.perRun);
	}

	/** Starts an execution of the second node with what an execution of the first has put on its outputs. */
	private async chain(
		action: Extract<Scenario['actions'][number]['action'], { type: 'chain' }>,
	): Promise<void> {
		const { which, output, isCorrected, batch, slot, interruption } = action;
		const ended = this.n8n.executions.filter(
			(one) => one.status === 'success' && nodeOf(one) === 0 && one.outputs.flat().length > 0,
		);
		const withItems = (isMeant: (item: INodeExecutionData) => boolean) =>
			ended.filter(({ outputs }) => outputs.flat().some(isMeant));
		const onlyFailed = output === 'error' && withItems(isFailed).length > 0;
		const doubtful = withItems(isDoubtful);
		const preferred = doubtful.length > 0 ? doubtful : withItems(isFailed);
		const candidates = onlyFailed ? preferred : ended;
		const from = candidates[which % candidates.length];
		if (!from) return;
		const before = from.itemsBefore(from.runs.length - 1);
		const rows = this.rows.get(from)?.flat() ?? [];
		const items = from.outputs.flat().filter((one) => !onlyFailed || isFailed(one));
		const chosen = items.map(({ json, pairedItem }) => {
			const item = before + (pairedItem as { item: number }).item;
			const own = isCorrected ? { ...rows[item], variant: 0 as const, isBad: false } : rows[item];
			const result = from.reported.findLast((one) => one.item === item);
			return { own, result, json: { ...json, ...this.itemOf(own, batch) } };
		});
		const results = chosen.flatMap(({ result }) => result ?? []);
		if (results.length === 0 || results.length < chosen.length) return;
		const chained = { items: [chosen.map(({ json }) => json)], results };
		await this.begin(slot, [chosen.map(({ own }) => own)], 1, {
			again: 'no',
			batch,
			node: 1,
			chained,
			interruption,
		});
	}

	/** Starts an execution, and others for as long as a parent workflow tries again. */
	private async begin(
		slot: number,
		runs: Row[][],
		tries: number,
		start: Start,
		from?: Execution,
	): Promise<void> {
		const { again: wanted, dryRun = false, batch = 0, node: number = 0, interruption: end } = start;
		const { isRespelled = false, chained } = start;
		let named: '*' | Set<string> | undefined =
			wanted === 'all' && this.allReported().size > 0 ? '*' : undefined;
		if (wanted === 'lookedUp') {
			await this.quiet();
			await this.clock.pause(AFTERMATH_MS);
			named = this.missing(number);
			if (named.size === 0) return;
		}
		const lookedUpAt = this.clock.now;
		const node = this.node({ number, batch, named, dryRun, isRespelled });
		const process = this.slots[slot];
		let isFirst = true;
		const next = (): Execution => {
			const items =
				chained?.items ?? runs.map((run) => run.map((one) => this.itemOf(one, batch, isRespelled)));
			const execution = this.n8n.start(process, node, items, from);
			if (chained) this.chained.set(execution, chained.results);
			this.rows.set(execution, runs);
			this.batches.set(execution, batch);
			if (isRespelled) this.respelled.add(execution);
			if (named) this.named.set(execution, named);
			if (wanted === 'lookedUp' && isFirst) this.lookedUp.set(execution, lookedUpAt);
			if (dryRun) this.dryRuns.add(execution);
			if (isFirst && end?.is === 'killed') process.atStep(end.steps, () => process.kill());
			if (isFirst && (end?.is === 'stopped' || end?.is === 'timedOut')) {
				const by = end.is === 'stopped' ? 'stop' : 'timeLimit';
				process.atStep(end.steps, () => void this.n8n.cancel(execution, by));
			}
			isFirst = false;
			return execution;
		};
		const series = (async () => {
			for (let tried = 1; ; tried++) {
				const execution = next();
				await execution.ended;
				if (execution.status !== 'error' || tried >= tries) return;
				await this.clock.pause(1_000);
				if (!process.isAlive) return;
			}
		})();
		this.series.add(series);
		void series.then(() => this.series.delete(series));
	}

	/** The references that a person finds missing after looking up every row that may not have been created. */
	private missing(node: number): Set<string> {
		const mayBeMissing = this.n8n.executions
			.filter((execution) => nodeOf(execution) === node)
			.flatMap(({ reported }) => reported)
			.filter(({ outcome }) => outcome === 'unknown' || outcome === 'alreadySent')
			.map(({ reference }) => reference.toLowerCase());
		return new Set(mayBeMissing.filter((reference) => !this.service.has(reference)));
	}

	private async audit(): Promise<void> {
		const { scenario, service, network, database } = this;
		service.behaviour = {
			...service.behaviour,
			// A payment that the idempotency store has lost is then created a second time.
			duplicates: 'accept',
			tokenLifetime: 1e9,
			nextFault: () => undefined,
			nextLoginFault: () => undefined,
		};
		this.logs.calm();
		network.nextIsDown = () => false;
		database.nextFault = () => undefined;
		database.nextLatency = cycle(scenario.database.latencies);
		const node: INode = {
			...this.node({ number: 0, batch: 0, dryRun: false }, { ifAlreadySent: 'skip' }),
			retryOnFail: false,
			onError: 'continueRegularOutput',
		};
		for (const rows of this.files) {
			const process = this.newProcess();
			const items = [rows.map((one) => this.itemOf(one, 0))];
			const execution = this.n8n.start(process, node, items);
			this.rows.set(execution, [rows]);
			this.batches.set(execution, 0);
			this.audits.push(execution);
			await execution.ended;
		}
	}

	private itemOf(one: Row, batch: number, isRespelled = false): IDataObject {
		return itemOf(one, this.scenario.settings, batch, isRespelled);
	}

	/** A person asks for each reference once more than before: a request acts once. */
	private request(number: number, named: '*' | Set<string>, dryRun: boolean): string {
		return [...(named === '*' ? this.allReported() : named)]
			.map((reference) => {
				const key = requestKey(number, reference);
				const times = (this.requests.get(key) ?? 0) + 1;
				if (!dryRun) this.requests.set(key, times);
				return times === 1 ? reference : `${reference} #${times}`;
			})
			.join('\n');
	}

	private node(
		{
			number,
			batch,
			named,
			dryRun,
			isRespelled = false,
		}: {
			number: number;
			batch: number;
			named?: '*' | Set<string>;
			dryRun: boolean;
			isRespelled?: boolean;
		},
		more: IDataObject = {},
	): INode {
		const { settings } = this.scenario;
		const { references, concurrency, requestsPerSecond, remembers, duplicatePayments } = settings;
		const batchId = BATCH_IDS[batch][isRespelled ? 1 : 0];
		const { checkDeliveryLogs, accountChanges, dailyLimit } = settings;
		// It needs all rows at once.
		const checkBalance = settings.checkBalance && settings.perRun === 0;
		return {
			id: NODE_IDS[number],
			name: 'Pay',
			type: 'n8n-nodes-partner-payments.partnerPayments',
			typeVersion: 1,
			position: [0, 0],
			onError: settings.onError,
			retryOnFail: settings.tries > 1,
			maxTries: settings.tries,
			waitBetweenTries: 1_000,
			credentials: { partnerPaymentsApi: { id: 'credential', name: 'Credential' } },
			parameters: inForm({
				resource: 'payout',
				operation: 'createBank',
				...(settings.mapping === 'columns'
					? {
							mappingMode: 'autoMapInputData',
							...(settings.describedBy === 'node' && { defaultValues: { description: batchId } }),
						}
					: {
							mappingMode: 'defineBelow',
							...EXPRESSIONS,
							...(settings.describedBy === 'node' && { description: batchId }),
						}),
				referenceSource: references === 'given' ? 'given' : 'generated',
				batchId,
				keyColumns: references === 'key' ? (isRespelled ? 'Employee' : 'employee') : '',
				options: {
					...(concurrency !== undefined && { concurrency }),
					requestsPerSecond,
					checkBalance,
					dryRun,
					timeout: 5,
					duplicatePayments,
					rememberSent: remembers,
					...(checkDeliveryLogs && { checkDeliveryLogs: LOG_DAYS }),
					...(remembers && { accountChanges }),
					...(remembers &&
						dailyLimit > 0 && {
							dailyLimit: { total: [{ currency: 'BOB', amount: String(dailyLimit) }] },
						}),
					ifAlreadySent: 'skip',
					...(named && {
						ifAlreadySent: 'payAgain',
						referencesToPayAgain: this.request(number, named, dryRun),
					}),
					...more,
				},
			}) as INode['parameters'],
		};
	}
}

/** Fields with expressions: code alone, code and text, and a value that is the same in all rows. */
const EXPRESSIONS: IDataObject = {
	firstName: '={{ $json.first_name }}',
	lastName: '={{ $json.last_name }}',
	destinationIdNumber: '={{ $json.destination_id_number }}',
	bankCode: '0010',
	destinationAccount: '={{ $json["destination_account"] }}',
	amount: '={{ $json.amount }}',
	currencyType: '=BO{{ "B" }}',
	description: '={{ $json.description }}',
	fundingSource: 'balance',
	externalReference: '={{ $json.external_reference }}',
};

/** How long a removal of the lock may take at most, until it may remove the lock of the next holder. */
const LONGEST_REMOVAL_MS = 5_000;

const LOG_DAYS = 31;

/** How far the node reads back if nobody has set it. */
const UNASKED_DAYS = 3;

const isFailed = ({ json }: INodeExecutionData): boolean => json.error !== undefined;

/** Whether a failed item may have been paid, or duplicates what was paid. */
function isDoubtful({ json }: INodeExecutionData): boolean {
	const { outcome, code } = (json.error ?? {}) as Partial<Reported>;
	return ['unknown', 'conflict'].includes(outcome ?? '') || code === 'duplicateOfEarlierExecution';
}

const NODE_IDS = ['node-1', 'node-2'];

const nodeOf = ({ node }: Execution): number => NODE_IDS.indexOf(node.id);

const requestKey = (node: number, reference: string): string =>
	`${node} ${reference.toLowerCase()}`;

/** The entries of n8n's Remove Duplicates node. */
const FOREIGN_ROW = { mode: 'entries', data: ['somebody', 'else’s'] };

export function chunks<T>(list: readonly T[], size: number): T[][] {
	return Array.from({ length: Math.ceil(list.length / size) }, (_, number) =>
		list.slice(number * size, (number + 1) * size),
	);
}

/** A killed process delays the next one by about a minute. */
const LONGEST_AFTERWARDS_MS = 100_000;

/** How long a request takes at most if nothing fails: its way, its creation and the answer. */
const LONGEST_REQUEST_MS = 1_200;

/** Checks the invariants of a scenario that has ended. */
class Invariants {
	readonly found: string[] = [];

	/** By node and reference: each node has an idempotency store of its own. */
	private readonly byReference = new Map<string, Payment[]>();

	private readonly executions: Execution[];

	private readonly byId: Map<string, Execution>;

	constructor(
		private readonly scenarioRun: ScenarioRun,
		private readonly figures: Figures,
	) {
		const { service, n8n } = scenarioRun;
		this.executions = n8n.executions;
		this.byId = new Map(this.executions.map((execution) => [execution.id, execution]));
		for (const payment of service.payments) {
			const node = nodeOf(this.execution(payment.origin));
			this.byReference.set(requestKey(node, payment.reference), [
				...this.paymentsOf(node, payment.reference),
				payment,
			]);
		}
	}

	checkInvariants(): string[] {
		if (this.isWindow) this.figures.scenariosWithWindow += 1;
		this.rightBodies();
		this.onceEach();
		this.noDuplicates();
		this.nothingLogged();
		this.nothingReportedByInput();
		this.noNewAccounts();
		this.withinDailyLimit();
		this.saysThatItIsEmpty();
		this.saysWhatItDropped();
		for (const execution of this.executions) {
			this.found.push(...execution.violations);
			for (const reported of execution.reported) {
				this.isTrue(execution, reported);
				this.isReadable(execution, reported);
			}
			this.countsRight(execution);
		}
		for (const payment of this.scenarioRun.service.payments) this.isReported(payment);
		this.isPaid();
		this.audit();
		this.leftoverReferences();
		const { removeDuplicates } = this.settings;
		if (removeDuplicates && !isDeepStrictEqual(this.scenarioRun.foreignRow, FOREIGN_ROW)) {
			this.found.push('the row of n8n’s Remove Duplicates node was changed');
		}
		return this.found;
	}

	private get settings(): Scenario['settings'] {
		return this.scenarioRun.scenario.settings;
	}

	/** The case of docs/reliability.md without the lock: Remove Duplicates in the workflow, and more than one process. */
	private get isWindow(): boolean {
		return (
			this.settings.removeDuplicates &&
			this.settings.remembers &&
			new Set(this.executions.filter(this.isNoAudit).map(({ process }) => process)).size > 1
		);
	}

	private readonly isNoAudit = (execution: Execution): boolean =>
		!this.scenarioRun.audits.includes(execution);

	private get isAnyCut(): boolean {
		return this.executions.some(isCut);
	}

	private get databaseFails(): boolean {
		return this.scenarioRun.scenario.database.faults.some((fault) => fault !== null);
	}

	/**
	 * Whether an execution paid all references again without a look while another one was running: that one may remove
	 * what this one has sent.
	 */
	private get isAnyCareless(): boolean {
		return this.executions.some(
			(one) =>
				this.scenarioRun.named.get(one) === '*' &&
				this.executions.some(
					(other) =>
						other !== one && other.startedAt < one.endedAt && one.startedAt < goesOnUntil(other),
				),
		);
	}

	private paymentsOf(node: number, reference: string): Payment[] {
		return this.byReference.get(requestKey(node, reference)) ?? [];
	}

	private batchOf(execution: Execution): number {
		return this.scenarioRun.batches.get(execution) ?? 0;
	}

	/** Whether a request is the right one for a row of an execution. */
	private isBodyOf(body: IDataObject, one: Row, execution: Execution): boolean {
		return isBodyOf(body, one, this.settings, this.batchOf(execution));
	}

	private execution(id: string): Execution {
		const found = this.byId.get(id);
		if (!found) throw new Error(`There is no ${id}`);
		return found;
	}

	private rowsOf(execution: Execution): Row[][] {
		return this.scenarioRun.rows.get(execution) ?? [];
	}

	/** The executions whose state an execution continues with, itself first. */
	private lineage(execution: Execution): Execution[] {
		return [execution, ...(execution.from?.remembered ?? [])];
	}

	/** Whether an execution pays a reference again. */
	private isNamed(execution: Execution, reference: string): boolean {
		const named = this.scenarioRun.named.get(execution);
		return named === '*' || named?.has(reference) === true;
	}

	private rightBodies(): void {
		for (const { body, origin } of this.scenarioRun.service.asked) {
			const execution = this.execution(origin);
			const rows = this.rowsOf(execution).flat();
			if (!rows.some((one) => this.isBodyOf(body, one, execution))) {
				this.found.push(
					`${origin} sent a payment that none of its rows has: ${JSON.stringify(body)}`,
				);
			}
			if (this.scenarioRun.dryRuns.has(execution))
				this.found.push(`${origin} is a dry run and sent a payment`);
		}
	}

	/** Whether what a person had found was still true when the reference was paid again. */
	private wasTrue(execution: Execution, payments: Payment[]): boolean {
		const lookedUpAt = this.scenarioRun.lookedUp.get(execution);
		if (lookedUpAt === undefined) return false;
		const own = payments.find(({ origin }) => origin === execution.id)?.at ?? Infinity;
		return !payments.some(
			({ origin, at }) => origin !== execution.id && at >= lookedUpAt && at <= own,
		);
	}

	/**
	 * Without the lock, only executions that run at the same moment in several processes overwrite what the others have
	 * recorded.
	 */
	private mayBeOverwritten(payments: Payment[]): boolean {
		return payments.slice(0, -1).some(({ origin }) => {
			const one = this.execution(origin);
			return this.executions.some(
				(other) =>
					other.process !== one.process &&
					other.startedAt <= goesOnUntil(one) &&
					one.startedAt <= goesOnUntil(other),
			);
		});
	}

	private onceEach(): void {
		for (const [key, payments] of this.byReference) {
			if (payments.length < 2) continue;
			const { reference } = payments[0];
			const node = nodeOf(this.execution(payments[0].origin));
			const isNamed = (one: Execution) => nodeOf(one) === node && this.isNamed(one, reference);
			if (this.settings.remembers) {
				// Whoever looks a payment up first pays none twice. Otherwise each request may.
				const more = this.executions.some((one) => isNamed(one) && !this.wasTrue(one, payments))
					? (this.scenarioRun.requests.get(key) ?? 0)
					: 0;
				const tooMany = Math.max(0, payments.length - 1 - more);
				if (this.isWindow && this.mayBeOverwritten(payments)) {
					this.figures.paidTwiceInWindow += tooMany;
				} else if (tooMany > 0) {
					this.found.push(
						`${reference} was created ${payments.length} times: ${origins(payments)}`,
					);
				}
				continue;
			}
			for (const [index, second] of payments.entries()) {
				const execution = this.execution(second.origin);
				const lineage = this.lineage(execution);
				const before = payments.slice(0, index).map(({ origin }) => this.execution(origin));
				if (!this.isNamed(execution, reference) && before.some((one) => lineage.includes(one))) {
					this.found.push(
						`${reference} was created again within an execution: ${origins(payments)}`,
					);
				}
			}
		}
		if (!this.settings.remembers || this.scenarioRun.named.size > 0 || this.isWindow) return;
		// No batch of a node pays anybody twice under two references either, whatever a file says about the amount.
		const made = new Map<string, number>();
		for (const { body, origin } of this.scenarioRun.service.payments) {
			const execution = this.execution(origin);
			const payee = String((body.transaction as IDataObject).destination_id_number);
			const key = `${payee} in batch ${this.batchOf(execution)} of node ${nodeOf(execution)}`;
			made.set(key, (made.get(key) ?? 0) + 1);
		}
		for (const [payee, times] of made) {
			if (times > 1) this.found.push(`the payee ${payee} was paid ${times} times`);
		}
	}

	/** Nobody is paid the same amount for the same purpose twice within the duplicate window, under any reference. */
	private noDuplicates(): void {
		const { duplicatePayments, remembers } = this.settings;
		if (duplicatePayments !== 'reject' || !remembers || this.isWindow) return;
		if (this.scenarioRun.named.size > 0) return;
		const last = new Map<string, Payment>();
		for (const payment of this.scenarioRun.service.payments) {
			const execution = this.execution(payment.origin);
			// The description of one row alone is its own.
			const isAlone = this.rowsOf(execution).some((run) => run.length < 2);
			if (isAlone && this.settings.describedBy === 'node') continue;
			const key = `${nodeOf(execution)} ${duplicateKeyIn(payment.body)}`;
			const before = last.get(key);
			if (before && payment.at - before.at <= DUPLICATE_WINDOW_MS)
				this.found.push(`${before.id} and ${payment.id} are duplicates`);
			last.set(key, payment);
		}
	}

	private get logs(): PaymentLogs {
		return this.scenarioRun.logs;
	}

	/** The entries of the logs that are about a reference and were there at a moment. */
	private entriesOf(reference: string, at: number): LoggedPayment[] {
		const key = reference.toLowerCase();
		return this.logs.entries.filter(
			({ payment, visibleFrom }) => payment.reference === key && visibleFrom <= at,
		);
	}

	/** The payments of a reference that an execution finds in the logs. What is older than it reads may be missing. */
	private loggedBefore(reference: string, execution: Execution): Payment[] {
		const days = this.settings.checkDeliveryLogs ? LOG_DAYS : UNASKED_DAYS;
		const since = execution.startedAt - (days - 1) * DAY_MS;
		return this.entriesOf(reference, execution.startedAt - 1).flatMap(({ isNamed, at, payment }) =>
			isNamed && at > since ? payment : [],
		);
	}

	/** The payment that the logs name, and for which an execution sends nothing: a person may pay again what has failed. */
	private standsInLogs(reference: string, execution: Execution): Payment | undefined {
		const key = reference.toLowerCase();
		// An event without a transaction ID may be about any of several transactions.
		const isOf = ({ payment, hasId }: LoggedPayment, id: string) =>
			payment.id === id || (!hasId && payment.reference === key);
		const hasFailed = ({ id }: Payment) =>
			this.logs.entries.some((entry) => isOf(entry, id) && FAILED.includes(entry.status));
		const isRequested = this.isNamed(execution, key);
		return this.loggedBefore(reference, execution).find((one) => !isRequested || !hasFailed(one));
	}

	/** With Check Delivery Logs, nothing is sent that the logs name, or before they were read. */
	private nothingLogged(): void {
		if (!this.settings.checkDeliveryLogs) return;
		for (const { body, origin, at } of this.scenarioRun.service.asked) {
			const reference = String(body.external_reference);
			const payment = this.standsInLogs(reference, this.execution(origin));
			if (payment)
				this.found.push(`${origin} sent ${reference} although ${payment.id} is in the logs`);
			const readAt = this.logs.firstRead.get(origin);
			if (readAt === undefined || readAt > at)
				this.found.push(`${origin} sent ${reference} before it had read the logs`);
		}
	}

	/** The second node sends nothing of which its input says that it was sent, or may have been. */
	private nothingReportedByInput(): void {
		for (const { body, origin } of this.scenarioRun.service.asked) {
			const execution = this.execution(origin);
			const results = this.scenarioRun.chained.get(execution);
			// A person may have it paid again.
			const reference = String(body.external_reference).toLowerCase();
			if (!results || this.isNamed(execution, reference)) continue;
			const rows = this.rowsOf(execution).flat();
			const own = results.filter((_, item) => this.isBodyOf(body, rows[item], execution));
			if (own.length > 0 && own.every((result) => this.isSentByInput(result, body))) {
				const [{ outcome }] = own;
				this.found.push(`${origin} sent ${reference}, which its input says is ${outcome}`);
			}
		}
	}

	private isSentByInput(
		{ outcome, code, reference, amount }: Reported,
		body: IDataObject,
	): boolean {
		const isSame = reference.toLowerCase() === String(body.external_reference).toLowerCase();
		const paid = (body.transaction as IDataObject).amount;
		const isSameAmount = amount === undefined || amount === '' || Number(amount) === paid;
		if (outcome === 'unknown') return isSame || isSameAmount;
		// It names no payee, so it may be any.
		if (outcome === 'conflict') return true;
		if (outcome === 'created' || outcome === 'alreadySent') return isSame && isSameAmount;
		return (
			code === 'duplicateOfEarlierExecution' &&
			this.settings.onError === 'continueErrorOutput' &&
			this.settings.duplicatePayments === 'reject' &&
			isSameAmount
		);
	}

	/** With Hold, no payee whom a node has paid is paid to another account. */
	private noNewAccounts(): void {
		const { accountChanges, remembers } = this.settings;
		if (accountChanges !== 'hold' || !remembers || this.isWindow) return;
		// A process that is killed while it asks may leave the new account.
		if (this.isAnyCut || this.databaseFails || this.scenarioRun.named.size > 0) return;
		const accounts = new Map<string, string>();
		for (const { body, origin, id } of this.scenarioRun.service.payments) {
			const { destination_id_number, destination_account } = body.transaction as IDataObject;
			const key = `${nodeOf(this.execution(origin))} ${destination_id_number as string}`;
			const account = String(destination_account);
			if ((accounts.get(key) ?? account) !== account)
				this.found.push(`${id} pays a known payee to the new account ${account}`);
			accounts.set(key, account);
		}
	}

	private withinDailyLimit(): void {
		const { dailyLimit, remembers } = this.settings;
		if (dailyLimit === 0 || !remembers) return;
		const totals = new Map<string, number>();
		for (const { body, origin, at } of this.scenarioRun.service.payments) {
			const key = `node ${nodeOf(this.execution(origin))} on day ${Math.floor(at / DAY_MS)}`;
			const amount = Number((body.transaction as IDataObject).amount);
			totals.set(key, (totals.get(key) ?? 0) + amount);
		}
		for (const [key, total] of totals) {
			if (total > dailyLimit) this.found.push(`${key} paid ${total} of ${dailyLimit}`);
		}
	}

	/** The first execution of a node says that the node remembers nothing. */
	private saysThatItIsEmpty(): void {
		if (!this.settings.remembers || this.scenarioRun.isFull || this.databaseFails) return;
		for (const number of NODE_IDS.keys()) {
			const [first, second] = this.executions.filter((one) => nodeOf(one) === number);
			if (!first || !['success', 'error'].includes(first.status)) continue;
			if (second?.startedAt <= first.endedAt) continue;
			const hasSent = this.scenarioRun.service.asked.some(({ origin }) => origin === first.id);
			if (hasSent && !first.hints.some((hint) => hint.includes('has sent nothing before')))
				this.found.push(`${first.id} does not say that its node had sent nothing before`);
		}
	}

	/** A node that pays with a full store says that it drops the oldest entries, and keeps no more than it may. */
	private saysWhatItDropped(): void {
		const { isFull, service } = this.scenarioRun;
		if (!isFull || !this.settings.remembers || this.databaseFails || this.isWindow) return;
		// What a slow or killed process has written is dropped when the node pays the next time.
		if (this.scenarioRun.stalls > 0) return;
		for (const number of NODE_IDS.keys()) {
			const own = this.executions.filter((one) => nodeOf(one) === number);
			this.figures.saidFull += own.filter(({ hints }) => hints.some(saysDropped)).length;
			const [first, second] = own;
			const isAlone = second === undefined || second.startedAt > first.endedAt;
			if (first?.status !== 'success' || !isAlone) continue;
			const hasPaid = service.payments.some(({ origin }) => origin === first.id);
			if (hasPaid && !first.hints.some(saysDropped))
				this.found.push(`${first.id} does not say that it dropped entries`);
		}
		if (this.isAnyCut) return;
		const entries = this.scenarioRun.entriesOf(0);
		// The first entry is recorded again.
		if (entries > MAX_ENTRIES + 1) this.found.push(`a store has ${entries} entries`);
	}

	/** The texts that the editor and an error show for a row name it rightly, and its outcome. */
	private isReadable(execution: Execution, reported: Reported): void {
		const { item, outcome, code, message, payee, amount } = reported;
		// The log has no texts.
		if (message === undefined) return;
		const own = this.rowsOf(execution).flat()[item];
		const says = (what: string) =>
			this.found.push(`${execution.id} reports item ${item} with ${what}`);
		if (message.trim() === '' || /undefined|\[object|NaN|\{\w+\}/.test(message))
			says(`the message “${message}”`);
		// What keeps the logs or the balance from being read keeps the row from being sent.
		const meant = OUTCOMES.get(code ?? '') ?? outcome;
		if (![meant, 'notSent'].includes(outcome)) says(`the outcome ${outcome} and ${code}`);
		if (payee && payee !== payeeOf(own)) says(`the payee ${payee}`);
		if (amount && Number(amount) !== amountOf(own)) says(`the amount ${amount}`);
	}

	/** The hint above the output of a run, and the first line of an error, count what is reported of its rows. */
	private countsRight(execution: Execution): void {
		const { status, shownHints, error, reported, runs, stored } = execution;
		const says = (what: string) => this.found.push(`${execution.id} says “${what}”`);
		const rowsIn = (run: number) => {
			const [from, to] = [execution.itemsBefore(run), execution.itemsBefore(run + 1)];
			return reported.filter(({ item }) => item >= from && item < to);
		};
		if (status === 'success') {
			for (const [run, hints] of shownHints) {
				const rows = rowsIn(run);
				const isDry = this.scenarioRun.dryRuns.has(execution);
				const noun = rows.length === 1 ? 'item' : 'items';
				const start = `${isDry ? 'Dry run, nothing was sent. ' : ''}${rows.length} ${noun}: ${countsOf(rows)};`;
				const said = hints.find((hint) => /^(Dry run, [^.]+\. )?\d+ items?: /.test(hint)) ?? '';
				if (!said.startsWith(start)) says(`${said}” instead of “${start}`);
				const total = / total (?:created|ready) ([\d,.]+) BOB/.exec(said)?.[1] ?? '0';
				const counted = rows.filter(({ outcome }) => outcome === (isDry ? 'ready' : 'created'));
				const all = this.rowsOf(execution).flat();
				const sum = counted.reduce((rest, { item }) => rest + amountOf(all[item]), 0);
				if (Number(total.replaceAll(',', '')) !== sum)
					says(`${said}” instead of a total of “${sum}`);
			}
		}
		if (status !== 'error' || !error?.description) return;
		const [, count, counts] = /^(\d+) rows?: ([^.]+)\./.exec(error.description) ?? [];
		if (counts === undefined) return;
		const rows = rowsIn(stored.run);
		if (Number(count) !== runs[stored.run].length)
			says(`${count} rows”, not “${runs[stored.run].length}`);
		for (const outcome of ['created', 'unknown', 'rejected']) {
			const own = rows.filter((one) => one.outcome === outcome);
			const said = Number(new RegExp(`(\\d+) ${outcome}`).exec(counts)?.[1] ?? 0);
			if (said !== own.length) says(`${counts}”, but ${own.length} are “${outcome}`);
			const isNamed = ({ reference }: Reported) => error.description?.includes(reference);
			if (!own.every(isNamed)) says(`${error.description}” without each row that is “${outcome}`);
		}
	}

	/** What is reported of a row that is in the logs must be true. */
	private isTrueOfLogs(
		execution: Execution,
		{ item, outcome, code, reference, transactionId, status, amount, at }: Reported,
	): void {
		this.figures.logged += 1;
		const own = this.rowsOf(execution).flat()[item];
		const entries = this.entriesOf(reference, at);
		const says = (what: string) => this.found.push(`${execution.id} reports ${reference} ${what}`);
		if (!entries.some(({ isNamed }) => isNamed)) return void says('as logged, which it is not');
		// An event without a transaction ID may be about any of several transactions.
		const isReported = ({ payment, hasId }: LoggedPayment) =>
			!transactionId || !hasId || payment.id === transactionId;
		if (!entries.some((entry) => isReported(entry) && entry.status === status))
			says(`as ${transactionId} with the status ${status}, which is not in the logs`);

		const hasFailed = (id: string, logged: LoggedPayment[]) =>
			logged.some((entry) => entry.payment.id === id && FAILED.includes(entry.status));
		if (code === 'loggedAsFailed') {
			const alive = this.loggedBefore(reference, execution).find(
				({ id }) => !hasFailed(id, entries),
			);
			// An event without a transaction ID may be about any of several transactions.
			if (alive && entries.every(({ hasId }) => hasId))
				says(`as failed, but ${alive.id} has not failed`);
			return;
		}
		const before = this.entriesOf(reference, execution.startedAt - 1).filter(({ hasId }) => hasId);
		if (
			outcome === 'alreadySent' &&
			entries.every(({ hasId }) => hasId) &&
			hasFailed(transactionId ?? '', before)
		)
			says('as sent, but it has failed');

		// The service may have rejected what this node sent, because another node had sent the reference.
		const bodies = this.scenarioRun.service.asked
			.map(({ body }) => body)
			.filter((body) => String(body.external_reference).toLowerCase() === reference.toLowerCase());
		// The logs have no account, and the amount only if the service says it.
		const isAsSent =
			this.scenarioRun.scenario.service.logs.amounts === 'none' ||
			bodies.some(({ transaction }) => (transaction as IDataObject).amount === amountOf(own));
		// What a person has had paid again counts from when it was recorded, and may not have been sent. What was
		// recorded and not proved may have been sent by another node (docs/reliability.md).
		const isCertain =
			this.scenarioRun.named.size === 0 && !this.isAnyCut && !this.mayBeUnproved(reference);
		if (outcome === 'alreadySent' && amount && !isAsSent && isCertain)
			says('as sent with values that were never sent');
		const isOther = bodies.some(
			({ transaction }) => (transaction as IDataObject).amount !== amountOf(own),
		);
		if (code === 'loggedWithOtherAmount' && !isOther)
			says('as sent with another amount, which it was not');
	}

	/** Whether something may be the reason why a row counts as a duplicate of an earlier execution. */
	private mayBeDuplicate(execution: Execution, own: Row, reportedAt: number): boolean {
		if (this.isAnyCut || this.databaseFails || this.settings.removeDuplicates) return true;
		// A stopped execution waits for no removal, and a removal that fails is not tried again: it counts as sent.
		const isAnyStopped = this.executions.some(({ status }) => status === 'canceled');
		if (isAnyStopped && this.scenarioRun.stalls > 0) return true;
		// After the longest holding, a turn removes nothing: what was released counts as sent.
		const { stalls } = this.scenarioRun.scenario.database;
		if (stalls.some(({ ms }) => ms > MAX_HOLDING_MS)) return true;
		return this.executions.some((other) => {
			// What the logs have of another node, this one remembers, too.
			if (other.startedAt > reportedAt) return false;
			const isMeant = this.rowsOf(other)
				.flat()
				.some((one) => duplicateKeyOf(one) === duplicateKeyOf(own));
			if (!isMeant) return false;
			// Removing takes a moment after a stop.
			const isAround =
				other !== execution &&
				other.endedAt + (other.status === 'canceled' ? AFTERMATH_MS : 0) > execution.startedAt;
			// It may not have left n8n, or the logs have it without its amount.
			const isUnknown = other.reported.some(
				({ item, outcome, code }) =>
					(outcome === 'unknown' || code === 'loggedUnverified') &&
					duplicateKeyOf(this.rowsOf(other).flat()[item]) === duplicateKeyOf(own),
			);
			return (
				isAround ||
				isUnknown ||
				this.scenarioRun.service.asked.some(
					({ origin, body }) => origin === other.id && duplicateKeyIn(body) === duplicateKeyOf(own),
				)
			);
		});
	}

	/**
	 * Whether another row of the same run has the same reference, so that one of the two is rejected. If
	 * references are generated from the payee, it may be in any run of a loop.
	 */
	private isTwin(execution: Execution, item: number): boolean {
		if (this.settings.references === 'payee') {
			const rows = this.rowsOf(execution).flat();
			return rows.filter(({ payment }) => payment === rows[item].payment).length > 1;
		}
		let before = 0;
		for (const run of this.rowsOf(execution)) {
			const own = run[item - before];
			if (own && item >= before) {
				return run.filter(({ payment }) => payment === own.payment).length > 1;
			}
			before += run.length;
		}
		return false;
	}

	/** What is reported for a row must be true. */
	private isTrue(execution: Execution, reported: Reported): void {
		const { item, outcome, code, reference, transactionId, at: reportedAt } = reported;
		const { id, startedAt, status } = execution;
		const own = this.rowsOf(execution).flat()[item];
		const payments = this.paymentsOf(nodeOf(execution), reference);
		if (!this.isOf(own, reference, execution)) {
			this.found.push(
				`${id} reports ${reference} for payment ${own.payment}, which is a different payment`,
			);
		}
		if (outcome === 'created') {
			const { payments: all } = this.scenarioRun.service;
			const made = all.find((payment) => payment.id === transactionId);
			if (!made || !this.isBodyOf(made.body, own, execution)) {
				this.found.push(`${id} reports ${transactionId} as ${reference}, which it is not`);
			}
			return;
		}
		if (code?.startsWith('logged')) return this.isTrueOfLogs(execution, reported);
		// What a person has had paid again counts from when it was recorded, and may not have been sent. An invalid twin
		// is told what another execution was about to send, which may have failed before its twin was sent.
		// The logs prove a payment with the values of the row, unless they have another amount: they have no account.
		const isCertain =
			!this.isWindow &&
			this.scenarioRun.named.size === 0 &&
			!this.isTwin(execution, item) &&
			this.entriesOf(reference, reportedAt).length === 0;
		const sent = payments.filter(({ at }) => at <= reportedAt);
		// The log of a stopped execution names references alone.
		const isWithValues = Boolean(reported.amount) && !own.isBad;
		const isPaidByAny = this.scenarioRun.service.payments.some(
			(payment) => payment.at <= reportedAt && payment.reference === reference.toLowerCase(),
		);
		// In the window, an execution may take for a proof what others ask.
		if (outcome === 'alreadySent' && sent.length === 0 && !isPaidByAny && !this.isWindow)
			this.found.push(`${id} reports ${reference} as already sent, but nobody was paid`);
		if (outcome === 'alreadySent' && sent.length > 0 && isWithValues && isCertain) {
			if (!sent.some(({ body }) => moneyIn(body) === moneyOf(own))) {
				this.found.push(`${id} reports ${reference} as sent with values that were never sent`);
			}
		}
		if (outcome === 'conflict' && !own.isBad && !this.mayConflict(own)) {
			this.found.push(`${id} reports ${reference} as sent with other values, which no row has`);
		}
		if (
			outcome === 'conflict' &&
			status === 'success' &&
			this.settings.onError === 'stopWorkflow'
		) {
			const isAudit = this.scenarioRun.audits.includes(execution);
			if (!isAudit) this.found.push(`${id} succeeds although ${reference} is a conflict`);
		}
		if (
			code === 'duplicateOfEarlierExecution' &&
			!own.isBad &&
			// An item that another node has paid is a duplicate under any reference.
			!this.scenarioRun.chained.has(execution) &&
			!this.mayBeDuplicate(execution, own, reportedAt)
		) {
			this.found.push(`${id} reports ${reference} as a duplicate of nothing`);
		}
		if (INPUT_CODES.includes(code ?? '')) this.figures.heldByInput += 1;
		if (!['rejected', 'notSent', 'ready'].includes(outcome)) return;
		if (outcome === 'ready' && this.settings.checkDeliveryLogs) {
			const logged = this.standsInLogs(reference, execution);
			if (logged)
				this.found.push(`${id} reports ${reference} as ready, but ${logged.id} is logged`);
		}
		if (this.isTwin(execution, item) || this.isWindow) return;
		if (outcome === 'ready' && this.isNamed(execution, reference.toLowerCase())) return;
		const lineage = this.lineage(execution);
		// An invalid row is compared with the idempotency store and was not sent itself.
		if (own.isBad && !this.settings.remembers) return;
		const isBlind = this.databaseFails || !this.settings.remembers || this.isAnyCareless;
		const exists = payments.some(({ origin, at }) => {
			const creator = this.execution(origin);
			const isOwn = lineage.includes(creator);
			return at <= reportedAt && (isOwn || (!isBlind && creator.endedAt < startedAt));
		});
		if (exists) this.found.push(`${id} reports ${reference} as ${outcome}, but it exists`);
	}

	/** Whether a row of the scenario has the same reference, and other values or, after a kill, no valid ones. */
	private mayConflict(own: Row): boolean {
		// Without the lock, a part of what was recorded may be overwritten.
		if (this.settings.removeDuplicates) return true;
		return [...this.scenarioRun.rows.values()]
			.flat(2)
			.some(
				(one) =>
					one.payment === own.payment &&
					(moneyOf(one) !== moneyOf(own) || (one.isBad && (this.isAnyCut || this.databaseFails))),
			);
	}

	/** Whether a reference is that of a row. An empty one is. */
	private isOf(own: Row, reference: string, execution: Execution): boolean {
		const { references } = this.settings;
		if (reference === '') return true;
		if (references === 'given') {
			const expected = referenceOf(own, this.batchOf(execution));
			return expected.toLowerCase() === reference.toLowerCase();
		}
		const isOwn = ({ body }: Payment) =>
			(body.transaction as IDataObject).destination_id_number === documentOf(own);
		return this.paymentsOf(nodeOf(execution), reference).every(isOwn);
	}

	/** If nothing fails and nothing was already sent, every row is paid. */
	private isPaid(): void {
		const [first, second] = this.executions;
		const { scenario, dryRuns } = this.scenarioRun;
		if (!first || first.status !== 'success' || dryRuns.has(first)) return;
		if (scenario.service.tokenLifetime < 1e9) return;
		if (scenario.settings.dailyLimit > 0) return;
		const { faults, loginFaults, isDown, logs } = scenario.service;
		const isCalm = [...faults, ...loginFaults, ...logs.faults, ...scenario.database.faults].every(
			(one) => one === null,
		);
		if (!isCalm || this.scenarioRun.stalls > 0) return;
		if (isDown.includes(true) || second?.startedAt < first.endedAt) return;
		const rows = this.rowsOf(first).flat();
		for (const [item, own] of rows.entries()) {
			const isTwin = rows.filter(({ payment }) => payment === own.payment).length > 1;
			if (own.isBad || isTwin) continue;
			const reported = first.reported.find((one) => one.item === item);
			if (reported?.outcome !== 'created') {
				this.found.push(`payment ${own.payment} is ${reported?.outcome} without a reason`);
			}
		}
	}

	/** A payment is reported by the execution that created it. If that was killed, a later one reports it. */
	private isReported(payment: Payment): void {
		const { reference, origin, id } = payment;
		const creator = this.execution(origin);
		const says = ({ reported }: Execution, outcomes: string[]) =>
			reported.some(
				(one) => one.reference.toLowerCase() === reference && outcomes.includes(one.outcome),
			);
		// A later try of the execution may have found in the logs that it has failed since.
		const isFailed = creator.reported.some(
			(one) => one.code === 'loggedAsFailed' && one.transactionId === id,
		);
		if (!isCut(creator) && !isFailed && !says(creator, ['created', 'unknown', 'alreadySent'])) {
			this.found.push(`${origin} created ${reference} and does not report it`);
		}
		if (!payment.isAnswered) return;
		for (const execution of this.executions) {
			if (!['success', 'error'].includes(execution.status)) continue;
			if (
				!this.lineage(execution).includes(creator) ||
				!this.repeats(execution, creator, payment)
			) {
				continue;
			}
			const isSaid = execution.reported.some(
				(one) => one.outcome === 'created' && one.transactionId === id,
			);
			if (!isSaid) {
				this.found.push(`${execution.id} does not report ${id} of ${origin} (${reference})`);
			}
		}
	}

	/** Whether an execution reaches the row of a payment that it, or the one that it retries, has created. */
	private repeats(execution: Execution, creator: Execution, payment: Payment): boolean {
		const { from } = execution;
		if (execution === creator) return true;
		// Responses that came after a stop are not stored.
		if (from?.status !== 'error' || !this.lineage(from).includes(creator)) return false;
		if (creator !== from && creator.status !== 'error') return false;
		const isInRun = this.rowsOf(execution).map((run) =>
			run.some((one) => this.isBodyOf(payment.body, one, execution)),
		);
		const reached = execution.status === 'error' ? execution.stored.run : Infinity;
		return isInRun.every((isIn, run) => !isIn || (run >= from.stored.run && run <= reached));
	}

	/** When nothing fails any more, everything that is missing is paid. */
	private audit(): void {
		for (const execution of this.scenarioRun.audits) {
			const took = execution.endedAt - execution.startedAt;
			this.figures.longestSecondsAfterwards = Math.max(
				this.figures.longestSecondsAfterwards,
				took / 1_000,
			);
			const rows = this.rowsOf(execution).flat();
			if (took > LONGEST_AFTERWARDS_MS + rows.length * LONGEST_REQUEST_MS)
				this.found.push(`at the end, a file took ${took} ms`);
			for (const [item, one] of rows.entries()) {
				if (one.isBad || this.isTwin(execution, item)) continue;
				const reported = execution.reported.find((each) => each.item === item);
				const outcome = reported?.outcome;
				if (outcome === 'conflict' && this.mayConflict(one)) continue;
				if (outcome === 'conflict' && reported?.code?.startsWith('logged')) continue;
				if (outcome === 'notSent' && this.settings.dailyLimit > 0) continue;
				if (
					['accountHeld', 'payeeHeld'].includes(reported?.code ?? '') &&
					this.settings.accountChanges === 'hold'
				)
					continue;
				// Under the reference of another batch, it was paid already.
				if (reported?.code === 'duplicateOfEarlierExecution') continue;
				// It was recorded, and nothing proved it: a person has to look it up.
				if (reported && outcome === 'unknown' && this.mayBeUnproved(reported.reference)) continue;
				if (outcome !== 'created' && outcome !== 'alreadySent') {
					this.found.push(`at the end, row ${item} of payment ${one.payment} is ${outcome}`);
				}
			}
		}
	}

	/** Whether something may be the reason why a recorded reference is not proved. */
	private mayBeUnproved(reference: string): boolean {
		if (this.isAnyCut || this.databaseFails || this.settings.removeDuplicates) return true;
		// Whoever holds the lock for longer than that begins no write any more, of a proof neither.
		const { stalls } = this.scenarioRun.scenario.database;
		if (stalls.reduce((sum, { ms }) => sum + ms, 0) > MAX_HOLDING_MS) return true;
		const isMeant = (one: Reported) => one.reference.toLowerCase() === reference.toLowerCase();
		return this.executions.some(
			(execution) =>
				this.isNoAudit(execution) &&
				(execution.status === 'canceled' ||
					execution.reported.some((one) => isMeant(one) && saysRecorded(one))),
		);
	}

	/** References are recorded without a payment only if they were reported as unknown, or after a kill. */
	private leftoverReferences(): void {
		const { audits, scenario, isFull, stalls } = this.scenarioRun;
		if (this.settings.removeDuplicates || this.databaseFails) return;
		const isUnknown = new Set(
			this.executions
				.filter(this.isNoAudit)
				.flatMap(({ reported }) =>
					reported
						.filter(({ outcome }) => outcome === 'unknown')
						.map(({ reference }) => reference.toLowerCase()),
				),
		);
		// A payment that got an invalid response before the kill would have been unknown anyway.
		const isAnswered = new Set(
			this.scenarioRun.service.asked.map(({ body }) =>
				String(body.external_reference).toLowerCase(),
			),
		);
		const leftover = new Set(
			audits
				.flatMap(({ reported }) => reported)
				.filter(({ outcome }) => outcome === 'unknown')
				.map(({ reference }) => reference.toLowerCase())
				.filter((one) => !isUnknown.has(one) && !isAnswered.has(one))
				// A reference that a person pays again is never removed, even if it was not sent.
				.filter((one) => !this.executions.some((execution) => this.isNamed(execution, one)))
				.filter((one) => this.paymentsOf(0, one).length === 0),
		).size;
		const cut = this.executions.filter(isCut).length;
		// A stopped execution removes what it did not send in the background: for minutes, if the database stalls.
		const isLate = ({ status, process }: Execution) => status === 'canceled' && process.isAlive;
		const late = stalls > 0 ? this.executions.filter(isLate).length : 0;
		// After the longest holding, another process may have the lock: what was claimed in that turn stays.
		const stood = scenario.database.stalls.filter(({ ms }) => ms > MAX_HOLDING_MS).length;
		const { smallPortions, concurrency = MAX } = scenario.settings;
		const chunk = isFull ? PORTION.full : smallPortions ? PORTION.small : PORTION.usual;
		const most = (cut + late + stood) * (Math.max(chunk, START) + concurrency);
		if (leftover > most) {
			this.found.push(
				`${leftover} rows are recorded but do not exist after ${cut} executions were killed`,
			);
		}
		if (cut === 1 && late === 0) {
			this.figures.mostLeftover = Math.max(this.figures.mostLeftover, leftover);
			this.figures.leftoverShare = Math.max(this.figures.leftoverShare, leftover / most);
		}
	}
}

/** A holder of the workflow's lock begins no write after this time. */
const MAX_HOLDING_MS = 20_000;

/** Whether a row is reported as one that the next run does not pay. */
const saysRecorded = ({ outcome, message = '' }: Reported): boolean =>
	outcome === 'unknown' || message.includes('. It counts as sent, because');

const saysDropped = (hint: string): boolean => hint.includes('This run replaced the');

const payeeOf = ({ payment }: Row): string => `María José Quispe ${payment}`;

/** The outcomes of messages by their codes. */
const OUTCOMES = new Map(catalogueMessages.map(({ code, outcome }) => [code, outcome]));

/** How many rows have each outcome, as the package says it. */
function countsOf(rows: Reported[]): string {
	const words = { notSent: 'not sent', alreadySent: 'already sent' } as Record<string, string>;
	return ['unknown', 'conflict', 'rejected', 'created', 'alreadySent', 'notSent', 'ready']
		.map((outcome) => [outcome, rows.filter((row) => row.outcome === outcome).length] as const)
		.filter(([, count]) => count > 0)
		.map(([outcome, count]) => `${count} ${words[outcome] ?? outcome}`)
		.join(', ');
}

/** The codes of rows that are not sent because of what their input says. */
const INPUT_CODES = ['unknownOutcomeInInput', 'conflictInInput', 'duplicateInInput'];

/** Whether a kill kept an execution from reporting. A stopped one reports in the log a moment later. */
const isCut = ({ status, process }: Execution): boolean =>
	status === 'crashed' || (status === 'canceled' && !process.isAlive);

/** A stopped execution goes on in the background. */
const goesOnUntil = ({ status, endedAt }: Execution): number =>
	endedAt + (status === 'canceled' ? AFTERMATH_MS : 0);

const origins = (payments: Payment[]): string =>
	payments.map(({ id, origin, at }) => `${id} by ${origin} after ${at} ms`).join(', ');

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
	const { executions } = scenarioRun.n8n;
	figures.executions += executions.length;
	figures.requests += scenarioRun.service.asked.length;
	figures.payments += scenarioRun.service.payments.length;
	figures.kills += executions.filter(({ status }) => status === 'crashed').length;
	figures.cancelled += executions.filter(({ status }) => status === 'canceled').length;
	figures.retried += executions.filter(({ from }) => from).length;
	figures.chained += scenarioRun.chained.size;
	figures.stalls += scenarioRun.stalls;
	return new Invariants(scenarioRun, figures).checkInvariants();
}
