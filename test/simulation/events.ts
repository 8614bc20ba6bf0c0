/* eslint-disable @n8n/community-nodes/no-restricted-imports -- runs outside n8n */
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';

import { Clock, cycle, HOUR_MS, MINUTE_MS, seeded } from './clock';
import { LOG_CHANGES, type LogChange } from './deliveryLogs';
import { Figures, IDLE_MS, Invariants, MAX_PIECE } from './eventInvariants';
import { Database, type DatabaseFault } from './database';
import {
	API_FAULTS,
	EventService,
	MISHAPS,
	LATE_MS,
	ODDITIES,
	type ApiFaultName,
	type Delivery,
	type EventBehaviour,
	type Repairs,
	type Webhook,
} from './eventService';
import { AlarmInvariants, type Failure, type FailureKind } from './eventAlarms';
import { LogReaders, type Conditions } from './eventReaders';
import { forged, FORGERIES, type Forgery } from './forgeries';
import { Network } from './network';
import type { EventCode } from './package';
import type { Patch } from './patch';
import { Computers, Process, type Computer } from './process';
import { failureToEnd } from './search';
import { LOGIN_FAULTS, type LoginFaultName } from './service';
import {
	DATE_STYLES,
	eventOf,
	FINAL,
	OTHER_STATUSES,
	SHAPE_COUNT,
	STATUSES,
	TYPES,
	uuidOf,
	type DateStyle,
	type Transaction,
	type TransactionEvent,
} from './transactionEvents';
import { Installation, type Execution, type Trigger, type Workflow } from './trigger';

/*
 * The scenario of events: transactions change their status. Triggers in one or two installations of n8n learn it from
 * deliveries and from the logs. Meanwhile processes are killed, people publish, retry and change webhooks, and the
 * service and the database fail. Each trigger must handle each event, and only once.
 */

/** The statuses of events: the documented ones and others. */
const ALL_STATUSES = [...STATUSES, ...OTHER_STATUSES];

const settings = fc.record({
	startWorkflow: fc.constantFrom('eachEvent', 'eachEvent', 'allNewEvents'),
	checkForMissedEvents: fc.constantFrom(
		'every15Minutes',
		'every15Minutes',
		'every15Minutes',
		'everyHour',
		'everyHour',
		'everyHour',
		'everyHour',
		'every5Minutes',
	),
	verifyDeliveries: fc.constantFrom(true, true, true, true, true, false),
	lookbackHours: fc.constantFrom(24, 24, 24, 2),
	/** The statuses that it wants: `all`, or some. */
	events: fc.constantFrom<string[]>(['all'], STATUSES.slice(0, 3), STATUSES.slice(0, 2), [
		STATUSES[3],
		STATUSES[0],
	]),
	/** The types that it wants, by their place among `TYPES`: a documented one, another one, or all. */
	type: fc.constantFrom(null, null, null, null, 0, 3),
});

type Settings = typeof settings extends fc.Arbitrary<infer One> ? One : never;

/** The place of a trigger. A workflow that is in both installations was exported. */
const place = fc.record({
	installation: fc.constantFrom(0, 0, 0, 1),
	workflow: fc.constantFrom(0, 0, 1),
	node: fc.constantFrom(0, 0, 1),
});

type Place = typeof place extends fc.Arbitrary<infer One> ? One : never;

/** A list that is repeated. Null means that nothing happens. */
const sometimes = <T>(one: fc.Arbitrary<T>, maxLength: number) =>
	fc.array(fc.option(one), { maxLength });

const rarely = <T>(one: fc.Arbitrary<T[]>, weight: number) =>
	fc.oneof({ weight, arbitrary: fc.constant<T[]>([]) }, { weight: 1, arbitrary: one });

/** How somebody changes a webhook at the service. */
const CHANGES = [
	'switch off',
	'change events',
	'remove secret',
	'remove mark',
	'remove query',
	'other address',
	'delete',
] as const;

/** The addresses of webhooks of somebody else, by what they have in common with that of a trigger. */
const OTHERS: Record<string, (address: string) => string> = {
	elsewhere: () => 'https://other.example/callback',
	near: (address) => `${address}-of-another`,
	below: (address) => `${address}/more`,
	above: (address) => address.replace(/\/[^/]*$/, ''),
	'other port': (address) => address.replace('.example', '.example:8443'),
	'other letters': (address) => address.replace('/path', '/Path'),
	export: (address) =>
		`${address.replace('//n8n-0', '//n8n-9')}?owner=0123456789abcdef&secret=${'a'.repeat(64)}`,
};

const which = fc.nat(3);

const steps = fc.oneof(fc.nat(6), fc.nat(40), fc.nat(40), fc.nat(120));

const downMs = fc.oneof(
	fc.integer({ min: 5_000, max: 60_000 }),
	fc.integer({ min: 5_000, max: 100 * MINUTE_MS }),
);

const action = fc.oneof(
	{
		weight: 8,
		arbitrary: fc.record({
			type: fc.constant('events' as const),
			/** They happen one after the other, `pause` milliseconds apart. */
			count: fc.integer({ min: 1, max: 4 }),
			pause: fc.constantFrom(0, 0, 20, 2_000),
			status: fc.oneof(fc.nat(2), fc.nat(2), fc.nat(ALL_STATUSES.length - 1)),
			kind: fc.oneof(fc.nat(1), fc.nat(TYPES.length - 1)),
			/** Whether the event has an identifier. Without one, its content is its key. */
			isNamed: fc.constantFrom(true, true, true, true, true, false),
			/** The earlier transaction whose next statuses they are, by its number from the end; null for new ones. */
			of: fc.constantFrom(null, null, null, 0, 0, 1, 2),
			/** What its payload looks like. */
			shape: fc.constantFrom(0, 0, ...Array.from({ length: SHAPE_COUNT }, (_, shape) => shape)),
		}),
	},
	{
		weight: 5,
		arbitrary: fc.record({
			type: fc.constant('kill' as const),
			/** How many events happen at that moment. */
			count: fc.constantFrom(0, 1, 1, 2),
			installation: which,
			/** The main process or one of the workers. */
			process: fc.nat(2),
			steps,
			downMs,
		}),
	},
	{
		weight: 3,
		arbitrary: fc.record({
			type: fc.constant('retry' as const),
			which: fc.nat(9),
			times: fc.constantFrom(1, 1, 2),
		}),
	},
	{
		weight: 3,
		arbitrary: fc.record({
			type: fc.constantFrom('publish' as const, 'unpublish' as const, 'republish' as const),
			which,
		}),
	},
	{
		weight: 2,
		arbitrary: fc.record({
			type: fc.constant('change' as const),
			which,
			what: fc.constantFrom(...CHANGES),
		}),
	},
	{
		weight: 1,
		arbitrary: fc.record({
			type: fc.constant('forge' as const),
			which,
			how: fc.constantFrom(...FORGERIES),
		}),
	},
	{
		weight: 3,
		arbitrary: fc.record({
			type: fc.constant('outage' as const),
			forMs: fc.oneof(fc.nat(3 * MINUTE_MS), fc.nat(90 * MINUTE_MS)),
			/** What the service does, or that nobody reaches it. */
			how: fc.constantFrom<FailureKind>('unreachable', 'unreachable', '503', '403', 'login'),
			/** Whether n8n starts again while the service is away, or when it is back. */
			restart: fc.constantFrom('no' as const, 'within' as const, 'after' as const),
		}),
	},
	{
		weight: 2,
		/** Somebody asks for the status of all payments so far. */
		arbitrary: fc.record({
			type: fc.constant('look up' as const),
			installation: which,
			/** Whether somebody has just switched all webhooks off. */
			isOff: fc.constantFrom(false, false, true),
		}),
	},
	{
		weight: 1,
		/** n8n ends and starts again with another address. */
		arbitrary: fc.record({ type: fc.constant('move' as const), installation: which }),
	},
	{
		weight: 1,
		/** n8n starts again with what it had stored of a trigger before, or with what belongs to another one. */
		arbitrary: fc.record({
			type: fc.constant('restore' as const),
			which,
			what: fc.constantFrom(
				'old data' as const,
				'no data' as const,
				'identifier of another' as const,
			),
		}),
	},
	{
		weight: 1,
		arbitrary: fc.record({ type: fc.constant('lose queue' as const), installation: which }),
	},
	{
		weight: 1,
		arbitrary: fc.record({
			type: fc.constant('listen' as const),
			which,
			ms: fc.nat(100_000),
		}),
	},
);

type Action = typeof action extends fc.Arbitrary<infer One> ? One : never;

const offset = fc.constantFrom(0, 0, 0, 0, 20 * MINUTE_MS, -20 * MINUTE_MS);

export const scenario = fc.record({
	places: fc.uniqueArray(place, {
		minLength: 1,
		maxLength: 3,
		selector: ({ installation, workflow, node }) => `${installation} ${workflow} ${node}`,
	}),
	settings: fc.array(settings, { minLength: 1, maxLength: 2 }),
	n8n: fc.record({
		isQueue: fc.boolean(),
		workers: fc.integer({ min: 1, max: 2 }),
		/** Whether an export contains what n8n has stored for the workflow. */
		exportHasData: fc.boolean(),
		exportHasId: fc.boolean(),
		handlerMs: fc.array(fc.oneof(fc.constant(0), fc.nat(50), fc.nat(90_000)), {
			minLength: 1,
			maxLength: 4,
		}),
		failures: fc.oneof(fc.constant([]), fc.array(fc.boolean(), { maxLength: 4 })),
		isListed: fc.array(fc.boolean(), { minLength: 1, maxLength: 3 }),
		/** Whether n8n's Remove Duplicates node has entries in the row that is the lock. */
		removeDuplicates: fc.constantFrom(false, false, false, false, false, false, false, false, true),
		smallPages: fc.boolean(),
		/** Whether the trigger remembers few events. */
		smallMemory: fc.constantFrom(false, false, true),
		offset,
	}),
	/** Webhooks of other systems in the same account. */
	others: fc.array(fc.constantFrom(...Object.keys(OTHERS)), { maxLength: 2 }),
	actions: fc.array(
		fc.record({
			/** Milliseconds after the previous action. */
			after: fc.oneof(
				fc.nat(40),
				fc.nat(2_000),
				fc.nat(2_000),
				fc.nat(20 * MINUTE_MS),
				fc.nat(80 * MINUTE_MS),
			),
			action,
		}),
		{ minLength: 1, maxLength: 9 },
	),
	service: fc.record({
		offset,
		order: fc.constantFrom(
			'newest' as const,
			'newest' as const,
			'oldest' as const,
			'none' as const,
		),
		isRowForEach: fc.boolean(),
		counts: fc.boolean(),
		retries: fc.array(fc.constantFrom(1_000, 30_000, 5 * MINUTE_MS), { maxLength: 3 }),
		namesId: fc.constantFrom(true, true, true, false),
		addsSlash: fc.constantFrom(false, false, false, true),
		rowsBefore: fc.constantFrom(0, 0, 1, 4, 7),
		tokenLifetime: fc.constantFrom(1e12, 100_000),
		/** How many requests the service accepts in a minute; 0 for all. */
		requestsPerMinute: fc.constantFrom(0, 0, 0, 0, 30, 8),
		faults: fc.oneof(
			{ weight: 2, arbitrary: fc.constant<Array<ApiFaultName | null>>([]) },
			{
				weight: 2,
				arbitrary: sometimes(fc.constantFrom(...(Object.keys(API_FAULTS) as ApiFaultName[])), 8),
			},
			{
				weight: 1,
				/** One request fails now and then. */
				arbitrary: fc
					.tuple(fc.constantFrom(...(Object.keys(API_FAULTS) as ApiFaultName[])), fc.nat(20))
					.map(([fault, more]): Array<ApiFaultName | null> => [
						...Array<null>(11 + more).fill(null),
						fault,
					]),
			},
		),
		loginFaults: rarely(
			sometimes(fc.constantFrom(...(Object.keys(LOGIN_FAULTS) as LoginFaultName[])), 3),
			9,
		),
		mishaps: rarely(sometimes(fc.constantFrom(...MISHAPS), 6), 1),
		oddities: rarely(sometimes(fc.constantFrom(...ODDITIES), 5), 2),
		changes: rarely(sometimes(fc.constantFrom(...LOG_CHANGES), 4), 2),
		/** How it writes dates, one after the other. */
		dates: fc.oneof(
			fc.constant<DateStyle[]>(['iso']),
			fc.array(fc.constantFrom(...(Object.keys(DATE_STYLES) as DateStyle[])), {
				minLength: 1,
				maxLength: 3,
			}),
		),
		/** Whether an attempt or entry has the event in another spelling. */
		respells: rarely(fc.array(fc.boolean(), { minLength: 1, maxLength: 3 }), 1),
		sendsAll: fc.constantFrom(false, false, false, false, false, true),
		ignoresFilters: fc.constantFrom(false, false, false, false, false, true),
		/** What it does with the changes that triggers make. */
		repairs: fc.constantFrom<Repairs>(
			'kept',
			'kept',
			'kept',
			'kept',
			'kept',
			'rejected',
			'ignored',
		),
		latencies: fc.array(fc.nat(300), { minLength: 1, maxLength: 6 }),
	}),
	database: fc.record({
		latencies: fc.array(fc.nat(40), { minLength: 1, maxLength: 8 }),
		faults: rarely(sometimes(fc.constantFrom<DatabaseFault>('before', 'after'), 12), 5),
	}),
	/** The seed of everything random in the package. */
	seed: fc.noBias(fc.integer()),
});

export type Scenario = typeof scenario extends fc.Arbitrary<infer One> ? One : never;

/** How many pages are read while entries arrive and leave. */
const MAX_CHANGING_PAGES = 300;

/**
 * What happens to the logs before some pages. If the entries moved at every page, they could never be read. If they moved
 * for ever, each poll of a log in pages of three entries would make the next poll longer.
 */
function seldom(changes: Array<LogChange | null>): () => LogChange | undefined {
	const next = cycle(changes.flatMap((change) => [change, null, null, null]));
	let pages = 0;
	return () => (pages++ < MAX_CHANGING_PAGES ? (next() ?? undefined) : undefined);
}

/** With small pages a few entries fill several. With small limits two deliveries or missed events are many. */
const SMALL: Patch[] = [
	{
		file: 'nodes/logs/logReader.ts',
		find: 'const PAGE_SIZE = 100;',
		replace: 'const PAGE_SIZE = 3;',
	},
	{
		file: 'nodes/PartnerPaymentsTrigger/load.ts',
		find: 'const MAX_WAITING = 30;',
		replace: 'const MAX_WAITING = 1;',
	},
	{
		file: 'nodes/PartnerPaymentsTrigger/look.ts',
		find: 'const MAX_PIECE = 4_000;',
		replace: `const MAX_PIECE = ${MAX_PIECE};`,
	},
];

/** With a small memory, a few events fill it. */
const FULL: Patch[] = [
	['const MAX_EVENTS = 15_000;', 'const MAX_EVENTS = 50;'],
	['const MAX_AT_ONCE = 1_000;', 'const MAX_AT_ONCE = 5;'],
	['const MAX_MEANWHILE = 500;', 'const MAX_MEANWHILE = 6;'],
	['const MAX_NEVER_FULL = MAX_ENTRIES - 10_000;', 'const MAX_NEVER_FULL = MAX_ENTRIES - 64;'],
	['{ length: HOUR_MS, count: 48 },', '{ length: HOUR_MS, count: 5 },'],
	['{ length: DAY_MS, count: 365 },', '{ length: DAY_MS, count: 1 },'],
	['const MAX_PIECE = 4_000;', 'const MAX_PIECE = 20;', 'look.ts'],
].map(([find, replace, file = 'deduplication.ts']) => ({
	file: `nodes/PartnerPaymentsTrigger/${file}`,
	find,
	replace,
}));

export { Figures };

/** The package for these scenarios, with patches. */
export const computersWith = (patches: readonly Patch[] = []): Computers =>
	new Computers(SMALL, patches, FULL);

/** How long after its last request a trigger does nothing more, unless the service asks it to wait. */
const FINISHED_MS = 2 * MINUTE_MS;

/** How long n8n takes to start. */
const RESTART_MS = 10_000;

const PERIODS: Record<string, number> = {
	every5Minutes: 5 * MINUTE_MS,
	every15Minutes: 15 * MINUTE_MS,
	everyHour: HOUR_MS,
};

/** The problems that, according to the guides, only a publication solves. */
const NEED_PUBLICATION: string[] = [
	'webhookMissing',
	'secretLost',
	'deliveriesRejected',
	'repairNotKept',
] satisfies EventCode[];

/** One run of a scenario. */
export class ScenarioRun {
	readonly clock = new Clock();

	readonly service: EventService;

	readonly installations: Installation[];

	readonly triggers: Trigger[] = [];

	readonly settings = new Map<Trigger, Settings>();

	readonly events: TransactionEvent[] = [];

	private readonly transactions: Transaction[] = [];

	/** The invariants that were violated during the run. */
	readonly violations: string[] = [];

	/** The triggers that somebody gave the webhook of another one: until they are published, they read its logs. */
	readonly misled = new Map<Trigger, Webhook>();

	/** The triggers that have had a reason to report that their webhook is missing. */
	readonly mayMissWebhook = new Set<Trigger>();

	/** The moment from which on nothing fails any more. */
	calmFrom = Infinity;

	kills = 0;

	startsInOutage = 0;

	startsWithMissed = 0;

	lookedUp = 0;

	uncovered = 0;

	/** The most requests that a trigger sent at rest, as a share of what it may send. */
	shareAtRest = 0;

	private readonly network: Network;

	private readonly computer: Computer;

	private readonly random: () => number;

	/** The times in which the service was not available. */
	readonly failures: Failure[] = [];

	private isCalm = false;

	private forged = 0;

	constructor(
		readonly scenario: Scenario,
		computers: Computers,
		private readonly number: number,
	) {
		const { n8n, seed, service } = scenario;
		const { smallPages, smallMemory } = n8n;
		this.computer = computers[smallPages ? 'small' : smallMemory ? 'full' : 'usual'];
		this.random = seeded(seed);
		this.service = new EventService(
			this.clock,
			this.behaviour(),
			(delivery, answer) => this.deliver(delivery, answer),
			(name) => this.hasSeenWebhooks(name),
		);
		const nextLatency = cycle(service.latencies);
		this.network = new Network(
			this.clock,
			this.service,
			() => (this.isCalm ? 1 : nextLatency()),
			() => this.failure?.how === 'unreachable',
		);
		const count = Math.max(...scenario.places.map(({ installation }) => installation)) + 1;
		this.installations = Array.from({ length: count }, (_, index) => this.install(index));
		for (const [index, one] of scenario.places.entries()) this.addTrigger(index, one);
		for (const kind of scenario.others) this.addOther(kind);
	}

	async happen(): Promise<void> {
		this.begin();
		await this.clock.pause(IDLE_MS);
		for (const { after, action } of this.scenario.actions) {
			await this.clock.pause(after);
			await this.do(action);
		}
		await this.aftermath();
	}

	/** The time between two polls of a trigger. */
	periodOf(trigger: Trigger): number {
		return PERIODS[this.settingsOf(trigger).checkForMissedEvents];
	}

	settingsOf(trigger: Trigger): Settings {
		const found = this.settings.get(trigger);
		if (!found) throw new Error(`There is no ${trigger.name}`);
		return found;
	}

	/** The types of transactions that a trigger wants; none for all. */
	typesOf(trigger: Trigger): string[] {
		const { type } = this.settingsOf(trigger);
		return type === null ? [] : [TYPES[type]];
	}

	installationOf(trigger: Trigger): Installation {
		const found = this.installations.find(({ workflows }) => workflows.includes(trigger.workflow));
		if (!found) throw new Error(`There is no ${trigger.name}`);
		return found;
	}

	executionsOf(trigger: Trigger): Execution[] {
		return this.installationOf(trigger).executions.filter((one) => one.trigger === trigger);
	}

	/** The webhooks of a trigger that nobody has taken away. */
	webhooksOf(trigger: Trigger): Webhook[] {
		return this.service.webhooks.filter(
			({ creator, isTakenAway }) => creator === trigger.name && !isTakenAway,
		);
	}

	/** A trigger that reads the list and has no webhook may report that, unless n8n is registering one. */
	private hasSeenWebhooks(name: string): void {
		const trigger = this.triggers.find((one) => one.name === name);
		if (!trigger || this.installationOf(trigger).isPublishing(trigger.workflow)) return;
		if (this.webhooksOf(trigger).length === 0) this.mayMissWebhook.add(trigger);
	}

	/** A trigger whose publication created no webhook may report that, also while it is published again. */
	private wasPublished({ triggers }: Workflow): void {
		for (const trigger of triggers) {
			if (this.webhooksOf(trigger).length === 0) this.mayMissWebhook.add(trigger);
		}
	}

	/** Whether single requests fail: a list of webhooks may be wrong, and a check may wait. */
	get hasFaults(): boolean {
		return this.scenario.service.faults.some((fault) => fault !== null);
	}

	private get wasLoginRejected(): boolean {
		return (
			this.failures.some(({ how }) => how === 'login') ||
			this.scenario.service.loginFaults.some((fault) => fault !== null)
		);
	}

	/** What is wrong with the webhook of a trigger. */
	faultsOf(trigger: Trigger): string[] {
		const [webhook] = this.webhooksOf(trigger);
		if (webhook === undefined) return ['webhook is missing'];
		const address = this.installationOf(trigger).addressOf(trigger);
		const url = new URL(webhook.url);
		const { events: chosen } = this.settingsOf(trigger);
		const events = chosen.includes('all') ? STATUSES : chosen;
		return [
			...(webhook.status === 'ACTIVE' ? [] : [`webhook is ${webhook.status}`]),
			...(`${url.origin}${url.pathname}`.replace(/\/+$/, '') === address
				? []
				: [`webhook calls ${webhook.url}`]),
			...(isDeepStrictEqual([...webhook.events].sort(), [...events].sort())
				? []
				: [`webhook is for ${webhook.events.join(', ')}`]),
			...(url.searchParams.has('owner') ? [] : ['webhook does not name its owner']),
		];
	}

	private behaviour(): EventBehaviour {
		const { faults, loginFaults, mishaps, oddities, changes, dates, respells, latencies, ...how } =
			this.scenario.service;
		const round = <T>(list: readonly (T | null)[]): (() => T | undefined) => {
			const next = cycle(list);
			return () => next() ?? undefined;
		};
		// Three entries without an order may look like the newest first and end the reading. A hundred entries do not.
		const isShortWindow = this.scenario.settings.some(({ lookbackHours }) => lookbackHours < 24);
		const isOrdered = this.scenario.n8n.smallPages && isShortWindow;
		return {
			...how,
			order: how.order === 'none' && isOrdered ? 'newest' : how.order,
			// An entry that counts attempts has the date of the first attempt and the place of the last.
			isRowForEach: how.isRowForEach || isOrdered,
			nextFault: round(faults),
			nextLoginFault: round(loginFaults),
			nextMishap: round(mishaps),
			nextOddity: round(oddities),
			nextChange: seldom(changes),
			nextLatency: cycle(latencies),
			nextDateStyle: cycle(dates),
			nextIsRespelled: cycle(respells.length > 0 ? respells : [false]),
		};
	}

	private install(index: number): Installation {
		const { n8n, database } = this.scenario;
		const nextFault = cycle(database.faults);
		const stored = new Database(
			{ id: '', active: true },
			{
				baseUrl: 'https://service.example/api',
				email: `user-${this.number}-${index}@example.com`,
				password: 'secret',
				loginVersion: 'v2',
				environment: '',
				sessionToken: '',
			},
			cycle(database.latencies),
			() => nextFault() ?? undefined,
		);
		return new Installation(
			`n8n-${index}`,
			n8n.isQueue,
			`https://n8n-${index}.example`,
			this.clock,
			stored,
			this.network,
			() => {
				const process = new Process(this.clock, this.random, this.computer);
				process.offset = n8n.offset;
				return process;
			},
			{
				nextHandlerMs: cycle(n8n.handlerMs),
				nextFailure: cycle(n8n.failures.length > 0 ? n8n.failures : [false]),
				nextIsListed: cycle(n8n.isListed),
			},
			(workflow) => this.wasPublished(workflow),
		);
	}

	private addTrigger(index: number, { installation, workflow, node }: Place): void {
		const { settings: all, n8n } = this.scenario;
		const chosen = all[index % all.length];
		const home = this.installations[installation];
		const foreign = installation === 1 && !n8n.exportHasId ? 'imported-' : '';
		const id = `${foreign}workflow-${this.number}-${workflow}`;
		let stored = home.workflows.find((one) => one.id === id);
		if (!stored) {
			stored = {
				id,
				name: `Workflow ${workflow}`,
				triggers: [],
				isPublished: false,
				isFailed: false,
				staticData: '{}',
			};
			home.workflows.push(stored);
			if (n8n.removeDuplicates) home.database.rows.set(`${id} `, { ...FOREIGN_ROW });
		}
		const trigger: Trigger = {
			name: `trigger ${installation}-${workflow}-${node}`,
			// What the code of a process remembers of an earlier scenario is of another credential.
			node: nodeOf(workflow, node, chosen, `credential-${this.number}`),
			workflow: stored,
			isRouted: false,
		};
		stored.triggers.push(trigger);
		this.triggers.push(trigger);
		this.settings.set(trigger, chosen);
	}

	private addOther(kind: string): void {
		const address = this.installations[0].addressOf(this.triggers[0]);
		this.service.add({
			creator: 'somebody else',
			url: OTHERS[kind](address),
			description: 'n8n: Workflow 0',
			status: 'ACTIVE',
			events: [...STATUSES],
		});
	}

	private begin(): void {
		const [first, second] = this.installations;
		for (const installation of [first]) this.start(installation);
		if (!second) return;
		void this.clock.pause(MINUTE_MS).then(() => {
			for (const workflow of second.workflows) {
				const original = first.workflows.find(({ name }) => name === workflow.name);
				if (this.scenario.n8n.exportHasData && original) workflow.staticData = original.staticData;
			}
			this.start(second);
		});
	}

	private start(installation: Installation): void {
		installation.start();
		if (this.scenario.n8n.isQueue) {
			for (let number = 0; number < this.scenario.n8n.workers; number++) installation.work();
		}
		for (const workflow of installation.workflows) installation.publish(workflow);
	}

	private deliver(delivery: Delivery, answer: (status: number | undefined) => void): void {
		const { origin } = new URL(delivery.url);
		const home = this.installations.find(({ address }) => address === origin);
		if (home) home.receive(delivery, answer);
		else answer(origin === 'https://other.example' ? 200 : undefined);
	}

	private trigger(which: number): Trigger {
		return this.triggers[which % this.triggers.length];
	}

	private installation(which: number): Installation {
		return this.installations[which % this.installations.length];
	}

	private async do(action: Action): Promise<void> {
		switch (action.type) {
			case 'events':
				return await this.happenEvents(action);
			case 'kill':
				this.kill(action);
				for (let count = 0; count < action.count; count++) this.happenEvent();
				return;
			case 'retry':
				return this.retry(action);
			case 'publish':
			case 'unpublish':
			case 'republish': {
				const trigger = this.trigger(action.which);
				const home = this.installationOf(trigger);
				if (action.type !== 'publish') home.unpublish(trigger.workflow);
				if (action.type !== 'unpublish') home.publish(trigger.workflow);
				return;
			}
			case 'change':
				return this.change(this.trigger(action.which), action.what);
			case 'forge':
				return this.forge(this.trigger(action.which), action.how);
			case 'outage':
				return this.outage(action);
			case 'look up':
				if (action.isOff) this.switchAllOff();
				void this.lookUp(this.installation(action.installation));
				return;
			case 'move':
				return this.move(this.installation(action.installation));
			case 'restore':
				return this.restore(this.trigger(action.which), action.what);
			case 'lose queue':
				return this.installation(action.installation).loseQueue();
			case 'listen': {
				const trigger = this.trigger(action.which);
				void this.installationOf(trigger).listen(trigger, action.ms);
			}
		}
	}

	private async happenEvents({
		count,
		pause,
		status,
		kind,
		isNamed,
		of,
		shape,
	}: Extract<Action, { type: 'events' }>): Promise<void> {
		const known = of === null ? undefined : this.transactions.at(-1 - of);
		// Enough to fill a small memory.
		const all = this.scenario.n8n.smallMemory ? 4 * count : count;
		for (let number = 0; number < all; number++) {
			if (number > 0) await this.clock.pause(pause);
			const transaction = known ?? this.newTransaction(TYPES[kind]);
			this.happenEvent(ALL_STATUSES[(status + number) % ALL_STATUSES.length], transaction, {
				isNamed,
				shape,
			});
		}
	}

	private newTransaction(type: string = TYPES[0]): Transaction {
		const number = this.transactions.length + 1;
		const transaction = {
			id: number % 4 === 0 ? `transaction-${number}` : uuidOf('1b9d6bcd', number),
			reference: `reference-${number}`,
			type,
			statuses: [],
		};
		this.transactions.push(transaction);
		return transaction;
	}

	/** A transaction has each status once. */
	private happenEvent(
		status: string = STATUSES[0],
		transaction = this.newTransaction(),
		{ isNamed = true, shape = 0 } = {},
	): void {
		const { statuses } = transaction;
		if (statuses.includes(status)) return;
		statuses.push(status);
		const { date } = this.service;
		const timestamp = this.service.dateOf(date);
		const number = this.events.length + 1;
		const event = eventOf(transaction, status, number, { isNamed, shape, date, timestamp });
		this.events.push(event);
		this.service.happen(event);
	}

	private kill({
		installation: at,
		process: which,
		steps: ahead,
		downMs: down,
	}: Extract<Action, { type: 'kill' }>): void {
		const home = this.installation(at);
		const isWorker = home.isQueue && which > 0;
		const process = isWorker ? home.workers[which % home.workers.length] : home.main;
		if (!process?.isAlive) return;
		process.atStep(ahead, () => {
			if (this.isCalm || !process.isAlive) return;
			process.kill();
			this.kills++;
			this.clock.in(down, () => {
				if (this.isCalm) return;
				if (isWorker) home.work();
				else this.startAgain(home);
			});
		});
	}

	private switchAllOff(): void {
		for (const trigger of this.triggers) this.change(trigger, 'switch off');
		for (const webhook of this.service.webhooks) webhook.status = 'INACTIVE';
	}

	/** Somebody reads the logs, while requests may fail. */
	private async lookUp(home: Installation): Promise<void> {
		const isHidden = this.scenario.service.changes.length > 0;
		await this.readLogs(home, { mayFail: true, isHidden, isMoving: true });
	}

	/** Somebody reads the logs, first as they are, then while entries come and leave. Nothing fails. */
	private async lookUpAtLast(home: Installation): Promise<void> {
		await this.readLogs(home, { mayFail: false, isHidden: false, isMoving: false });
		const { changes, counts } = this.scenario.service;
		// Only a service that counts its entries shows that some have left, and not if as many have come.
		const visible = changes.map((change) =>
			change === null ? null : !counts || change === 'both' ? 'arrives' : change,
		);
		if (visible.every((change) => change === null)) return;
		const nextChange = seldom(visible);
		this.service.moveEntries(nextChange);
		await this.readLogs(home, { mayFail: false, isHidden: false, isMoving: true });
		this.service.moveEntries(() => undefined);
	}

	private async readLogs(
		home: Installation,
		conditions: Omit<Conditions, 'pageSize'>,
	): Promise<void> {
		const [trigger] = home.triggers;
		if (!trigger || !home.main?.isAlive) return;
		const pageSize = this.scenario.n8n.smallPages ? 3 : 100;
		const readers = new LogReaders(this.service, home, { ...conditions, pageSize });
		const transactions = [...this.transactions];
		const covered = await readers.getStatus(trigger, transactions);
		if (covered !== undefined) {
			this.lookedUp++;
			if (covered < FINAL.length) this.uncovered++;
		}
		const isOdd = this.lookedUp % 2 === 1;
		const middle = this.events[this.events.length >> 1];
		await readers.getMany(trigger, isOdd ? 'ERROR' : undefined);
		if (isOdd && middle) await readers.replayPeriod(trigger, middle.date);
		else if (middle) {
			const some = transactions.filter((_, index) => index % 2 === 0);
			await readers.replayTransactions(trigger, some);
		}
		this.violations.push(...readers.violations);
	}

	/** The service cannot be reached for a while, in which n8n may start again. */
	private outage({ forMs, how, restart }: Extract<Action, { type: 'outage' }>): void {
		const { now } = this.clock;
		this.endFailure();
		const busy = this.triggers.filter(
			({ name }) => now - (this.service.lastRequest.get(name) ?? -Infinity) < FINISHED_MS,
		);
		this.failures.push({ from: now, to: now + forMs, how, busy });
		this.service.failure = () => this.failure?.how;
		if (restart === 'no') return;
		this.clock.in(restart === 'within' ? forMs / 2 : forMs, () => {
			const [home] = this.installations;
			if (this.isCalm || !home.main?.isAlive) return;
			home.main.kill();
			this.clock.in(RESTART_MS, () => {
				if (!this.isCalm) this.startAgain(home);
			});
		});
	}

	/** What keeps requests from the service at the moment. */
	private get failure(): Failure | undefined {
		const last = this.failures.at(-1);
		return last && this.clock.now < last.to ? last : undefined;
	}

	private endFailure(): void {
		if (this.failure) this.failure.to = this.clock.now;
	}

	private startAgain(home: Installation): void {
		if (home.main?.isAlive) return;
		if (this.failure) this.startsInOutage++;
		if (this.service.owed.some(({ isDelivered }) => !isDelivered)) this.startsWithMissed++;
		home.start();
	}

	private move(home: Installation): void {
		home.main?.kill();
		home.address = `https://${home.id}-moved-${this.clock.now}.example`;
		for (const trigger of home.triggers) this.isNobodys(trigger);
		this.clock.in(RESTART_MS, () => this.startAgain(home));
	}

	private restore(trigger: Trigger, what: Extract<Action, { type: 'restore' }>['what']): void {
		const isNamed = (webhook: Webhook) => parameterOf(webhook, 'owner') !== undefined;
		// A webhook that neither names its owner nor is known belongs to nobody, and its earlier events are lost.
		if (!this.webhooksOf(trigger).every(isNamed)) return;
		const home = this.installationOf(trigger);
		const { workflow, node } = trigger;
		const name = `node:${node.name}`;
		const stored = JSON.parse(workflow.staticData) as Record<string, IDataObject | undefined>;
		const isOfAnother = what === 'identifier of another';
		// Without one, the trigger has stored no address either.
		if (isOfAnother && stored[name]?.webhookId === undefined) return;
		home.main?.kill();
		const old = JSON.parse(workflow.oldData ?? '{}') as typeof stored;
		const [other] = this.service.webhooks.filter(
			({ creator, url }) => creator !== trigger.name && !isAtPath(url, home.addressOf(trigger)),
		);
		if (isOfAnother) stored[name] = { ...stored[name], webhookId: other?.id };
		else stored[name] = what === 'old data' ? old[name] : undefined;
		workflow.staticData = JSON.stringify(stored);
		if (isOfAnother && other) this.misled.set(trigger, other);
		this.mayMissWebhook.add(trigger);
		this.clock.in(RESTART_MS, () => this.startAgain(home));
	}

	private retry({ which: number, times }: Extract<Action, { type: 'retry' }>): void {
		const all = this.installations.flatMap((home) =>
			home.executions
				.filter(({ status }) => status === 'error' || status === 'crashed')
				.map((execution) => ({ home, execution })),
		);
		if (all.length === 0) return;
		const { home, execution } = all[number % all.length];
		for (let time = 0; time < times; time++) home.retry(execution);
	}

	/** Somebody changes the webhook of a trigger at the service. */
	private change(trigger: Trigger, what: (typeof CHANGES)[number]): void {
		const [webhook] = this.webhooksOf(trigger);
		if (!webhook) return;
		// A webhook that its trigger may no longer recognize counts as missing.
		this.mayMissWebhook.add(trigger);
		const url = new URL(webhook.url);
		switch (what) {
			case 'switch off':
				webhook.status = 'INACTIVE';
				return;
			case 'change events':
				webhook.events = webhook.events.slice(1);
				return;
			case 'remove secret':
				url.searchParams.delete('secret');
				break;
			case 'remove mark':
			case 'remove query':
				// A webhook that n8n does not recognize as its own either belongs to nobody, and its earlier events are lost.
				if (!this.isKept(trigger, webhook)) return;
				if (what === 'remove mark') url.searchParams.delete('owner');
				else url.search = '';
				break;
			case 'other address':
				webhook.isTakenAway = true;
				webhook.url = 'https://other.example/callback';
				return;
			case 'delete':
				return this.service.delete(webhook);
		}
		webhook.url = url.toString();
		this.isNobodys(trigger);
	}

	/** Whether n8n has stored that a webhook belongs to a trigger. */
	private isKept({ node, workflow }: Trigger, webhook: Webhook): boolean {
		const stored = JSON.parse(workflow.staticData) as Record<string, IDataObject | undefined>;
		return stored[`node:${node.name}`]?.webhookId === webhook.id;
	}

	/** A webhook belongs to nobody if neither its owner, nor its secret, nor its address names its trigger. */
	private isNobodys(trigger: Trigger): void {
		const address = this.installationOf(trigger).addressOf(trigger);
		for (const webhook of this.webhooksOf(trigger)) {
			const { search, origin } = new URL(webhook.url);
			if (search === '' && !address.startsWith(origin)) webhook.isTakenAway = true;
		}
	}

	/** Somebody who knows the address of a trigger sends a forged event. */
	private forge(trigger: Trigger, how: Forgery): void {
		const home = this.installationOf(trigger);
		const isBelieved = !this.settingsOf(trigger).verifyDeliveries;
		const [own] = this.webhooksOf(trigger);
		const others = this.service.webhooks.filter(({ creator }) => creator !== trigger.name);
		const owner = (own && parameterOf(own, 'owner')) ?? '';
		const other = others.map((webhook) => parameterOf(webhook, 'secret')).find(Boolean) ?? '';
		const secret = forged(own && parameterOf(own, 'secret'), how, { owner, other });
		const url = new URL(home.addressOf(trigger));
		if (owner) url.searchParams.set('owner', owner);
		if (secret !== undefined) url.searchParams.set('secret', secret);
		const mark = `forged-${++this.forged}`;
		// It is the next transaction. If it were accepted, the true event would be dropped.
		const next = isBelieved ? mark : uuidOf('1b9d6bcd', this.transactions.length + 1);
		const payload: IDataObject = {
			externalReference: mark,
			status: STATUSES[0],
			transactionType: TYPES[0],
			isForged: true,
			details: { transactionId: next },
		};
		home.receive({ url: url.toString(), body: JSON.stringify(payload) }, (code) => {
			if (isBelieved || code === undefined || [401, 404].includes(code)) return;
			this.violations.push(`${trigger.name} answered a forged delivery with ${code}: ${how}`);
		});
	}

	/** Events that each trigger wants: without a type, no filter of types leaves them out. */
	private happenLastEvents(): void {
		const transaction = this.newTransaction('');
		for (const status of [STATUSES[2], STATUSES[0]]) this.happenEvent(status, transaction);
	}

	/** Nothing fails any more, and people follow the guides. */
	private async aftermath(): Promise<void> {
		// The requests of a killed n8n arrive before it has started again.
		await this.clock.pause(RESTART_MS);
		this.isCalm = true;
		this.endFailure();
		this.service.calm();
		for (const home of this.installations) {
			home.database.nextFault = () => undefined;
			home.database.nextLatency = () => 1;
			home.behaviour = { ...home.behaviour, nextFailure: () => false, nextHandlerMs: () => 1 };
			if (this.scenario.n8n.isQueue)
				while (home.workers.length < this.scenario.n8n.workers) home.work();
			home.start();
		}
		// After a rejected login, nothing logs in for an hour.
		if (this.wasLoginRejected) await this.clock.pause(HOUR_MS);
		this.calmFrom = this.clock.now;
		await this.clock.pause(IDLE_MS);
		for (const home of this.installations) {
			for (const workflow of home.workflows) {
				if (workflow.isFailed) home.unpublish(workflow);
				if (workflow.isFailed || !workflow.isPublished) home.publish(workflow);
			}
		}
		const longest = Math.max(...this.triggers.map((trigger) => this.periodOf(trigger)));
		await this.clock.pause(longest + IDLE_MS);
		// To a trigger whose n8n is ahead of the service, the first attempts seem older than its publication.
		await this.clock.pause(Math.max(0, this.scenario.n8n.offset - this.scenario.service.offset));
		// A secret that the service does not show may only be hidden, until a delivery is rejected.
		this.happenLastEvents();
		await this.clock.pause(longest + IDLE_MS);
		// An execution that reports a problem may be listed as crashed if the queue was lost.
		this.retryAll();
		// A trigger repairs its webhook once an hour.
		await this.clock.pause(HOUR_MS + longest);
		this.isRepaired();
		const needed = new Set(
			this.triggers
				.filter((trigger) => this.needsPublication(trigger))
				.map(({ workflow }) => workflow),
		);
		for (const home of this.installations) {
			for (const workflow of home.workflows.filter((one) => needed.has(one))) {
				home.unpublish(workflow);
				home.publish(workflow);
			}
		}
		await this.clock.pause(IDLE_MS);
		this.happenLastEvents();
		await this.clock.pause(longest + IDLE_MS);
		await this.publishOthers();
		const last = this.events.length;
		this.happenLastEvents();
		await this.clock.pause(IDLE_MS);
		for (const event of this.events.slice(last)) this.isAnswered(event);
		await this.clock.pause(longest + IDLE_MS);
		this.service.requests.clear();
		await this.clock.pause(HOUR_MS);
		this.isCheapAtRest();
		this.retryAll();
		await this.clock.pause(IDLE_MS);
		for (const trigger of this.triggers) {
			for (const how of FORGERIES) this.forge(trigger, how);
		}
		await this.clock.pause(IDLE_MS);
		for (const home of this.installations) await this.lookUpAtLast(home);
	}

	/** People unpublish all workflows, perhaps while a trigger polls, and publish them again. */
	private async publishOthers(): Promise<void> {
		const [trigger] = this.triggers;
		const { polls } = this.installationOf(trigger).lives.findLast(
			(life) => life.trigger === trigger,
		) ?? { polls: [0] };
		const next = (polls.at(-1) ?? 0) + this.periodOf(trigger) - this.clock.now;
		await this.clock.pause(Math.max(0, next) + Math.floor(this.random() * 20));
		const publish = (isPublished: boolean) => {
			for (const home of this.installations) {
				for (const workflow of home.workflows) {
					if (isPublished) home.publish(workflow);
					else home.unpublish(workflow);
				}
			}
		};
		publish(false);
		await this.clock.pause(IDLE_MS);
		for (const one of this.triggers) {
			const [webhook] = this.webhooksOf(one);
			if (webhook && webhook.status !== 'ACTIVE')
				this.violations.push(`${one.name} was unpublished, but its webhook is ${webhook.status}`);
		}
		this.happenLastEvents();
		await this.clock.pause(MINUTE_MS);
		publish(true);
		await this.clock.pause(IDLE_MS);
	}

	/** If nothing fails, n8n answers a delivery as received, or that it is busy. */
	private isAnswered(event: TransactionEvent): void {
		for (const owed of this.service.owed.filter((one) => one.event === event)) {
			const isOwn = this.triggers.some(({ name }) => name === owed.webhook.creator);
			const { code } = owed.attempts.at(-1) ?? {};
			if (!isOwn || owed.webhook.isTakenAway || [200, 503].includes(code ?? 0)) continue;
			this.violations.push(`${owed.webhook.creator} answered a delivery with ${code}`);
		}
	}

	/** If nothing happens, a look reads the webhook and no page of its logs twice, but for the first and the last. */
	private isCheapAtRest(): void {
		const pageSize = this.scenario.n8n.smallPages ? 3 : 100;
		// Without an order, the first page is read again: entries may have moved. An entry that counts attempts has the date
		// of the first attempt and the place of the last, one with an odd date is out of order, and strange ones have none.
		const { order, isRowForEach, oddities, rowsBefore, counts } = this.scenario.service;
		const isOrdered =
			order === 'newest' &&
			isRowForEach &&
			rowsBefore === 0 &&
			!oddities.some((oddity) => oddity?.includes('date'));
		// Without counts, a page that has nothing new is the end.
		const again = (isOrdered ? 0 : 1) + (counts ? 0 : 1);
		for (const trigger of this.triggers) {
			const [webhook] = this.webhooksOf(trigger);
			if (!webhook) continue;
			const looks = HOUR_MS / this.periodOf(trigger) + 1;
			const pages = Math.floor(this.service.entriesOf(webhook) / pageSize) + 1 + again;
			const most = looks * (1 + pages);
			const requests = this.service.requests.get(trigger.name) ?? 0;
			this.shareAtRest = Math.max(this.shareAtRest, requests / most);
			if (requests > most)
				this.violations.push(`${trigger.name} sent ${requests} requests at rest, not ${most}`);
		}
	}

	/** Whether a trigger has reported a problem that only a publication solves. */
	private needsPublication(trigger: Trigger): boolean {
		return this.service.unrepaired.has(trigger.name) || this.hasReported(trigger);
	}

	private hasReported(trigger: Trigger): boolean {
		return this.executionsOf(trigger).some(({ code = '' }) => NEED_PUBLICATION.includes(code));
	}

	/** After a poll that reached the service, the webhook is correct, or the trigger has reported the problem. */
	private isRepaired(): void {
		for (const trigger of this.triggers) {
			const faults = this.faultsOf(trigger);
			// The service showed something else than the trigger had written, and deliveries arrive.
			// An entry that appears late looks like one of a later delivery.
			const late = this.scenario.service.oddities.includes('late') ? LATE_MS : 0;
			const since = (this.service.unrepaired.get(trigger.name) ?? Infinity) - late;
			const isWorking = this.service.owed.some(
				({ webhook, attempts }) =>
					webhook.creator === trigger.name &&
					attempts.some(({ at, code }) => at > since && code === 200),
			);
			// Of two publications at once, the polls of the first go on. They may know deliveries from before the last repair.
			const { lives } = this.installationOf(trigger);
			const isUnsure =
				this.service.unrepaired.has(trigger.name) &&
				lives.some((life) => life.trigger === trigger && life.isShared);
			if (faults.length > 0 && !isWorking && !isUnsure && !this.hasReported(trigger)) {
				this.violations.push(
					`${trigger.name}: the ${faults.join(', the ')}, which was not reported`,
				);
			}
		}
	}

	/** A person retries each execution that n8n lists as failed or crashed, once. */
	private retryAll(): void {
		for (const home of this.installations) {
			const done = new Set(
				home.executions.filter(({ status }) => status === 'success').map(({ root }) => root),
			);
			// n8n keeps no data of a dropped execution. Then the one before it is retried.
			const retriable = home.executions.filter(({ status }) => status !== 'dropped');
			const byRoot = new Map(retriable.map((execution) => [execution.root, execution]));
			for (const [root, last] of byRoot) {
				const isProblem = last.code !== undefined && NEED_PUBLICATION.includes(last.code);
				if (!done.has(root) && !isProblem) home.retry(last);
			}
		}
	}
}

function filtersOf(type: Settings['type']): INodeParameters {
	return type === null ? {} : { transactionTypes: ['withdrawal_other', TYPES[type]] };
}

/** A parameter of the address that a webhook calls. */
function parameterOf({ url }: Webhook, name: string): string | undefined {
	return new URL(url).searchParams.get(name) ?? undefined;
}

/** Whether the path of an address is that of a node: no other system has it, unless n8n was copied. */
const isAtPath = (address: string, node: string): boolean =>
	new URL(address).pathname.replace(/\/+$/, '') === new URL(node).pathname;

/** The entries of n8n's Remove Duplicates node. */
const FOREIGN_ROW = { mode: 'entries', data: ['somebody', 'else’s'] };

function nodeOf(workflow: number, node: number, chosen: Settings, credential: string): INode {
	return {
		id: `node-${workflow}-${node}`,
		name: `Trigger ${node}`,
		type: 'n8n-nodes-partner-payments.partnerPaymentsTrigger',
		typeVersion: 1.1,
		position: [0, 0],
		webhookId: `path-${workflow}-${node}`,
		credentials: { partnerPaymentsApi: { id: credential, name: 'Credential' } },
		parameters: {
			events: chosen.events,
			startWorkflow: chosen.startWorkflow,
			checkForMissedEvents: chosen.checkForMissedEvents,
			filters: filtersOf(chosen.type),
			options: {
				lookbackHours: chosen.lookbackHours,
				verifyDeliveries: chosen.verifyDeliveries,
			},
		},
	};
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
	const executions = scenarioRun.installations.flatMap((home) => home.executions);
	figures.executions += executions.length;
	figures.events += scenarioRun.events.length;
	figures.kills += scenarioRun.kills;
	figures.retried += executions.filter((execution) => execution.root !== execution).length;
	figures.webhooks += scenarioRun.service.webhooks.length;
	figures.rateLimited += scenarioRun.service.rateLimited;
	figures.startsInOutage += scenarioRun.startsInOutage;
	figures.startsWithMissed += scenarioRun.startsWithMissed;
	figures.lookedUp += scenarioRun.lookedUp;
	figures.uncovered += scenarioRun.uncovered;
	figures.shareAtRest = Math.max(figures.shareAtRest, scenarioRun.shareAtRest);
	return [
		...new Invariants(scenarioRun, figures).checkInvariants(),
		...new AlarmInvariants(scenarioRun).check(),
	];
}
