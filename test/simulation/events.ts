/* eslint-disable @n8n/community-nodes/no-restricted-imports -- runs outside n8n */
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import type { IDataObject, INode } from 'n8n-workflow';

import { Clock, cycle, seeded } from './clock';
import { Database, type DatabaseFault } from './database';
import {
	API_FAULTS,
	EventService,
	MISHAPS,
	ODDITIES,
	type ApiFaultName,
	type Delivery,
	type EventBehaviour,
	type Owed,
	type TransactionEvent,
	type Webhook,
} from './eventService';
import { Network } from './network';
import { BEGINNING, type EventCode } from './package';
import type { Patch } from './patch';
import { Computers, Process, type Computer } from './process';
import { failureToEnd } from './search';
import { LOGIN_FAULTS, type LoginFaultName } from './service';
import { Installation, type Execution, type Trigger, type Workflow } from './trigger';

/*
 * The scenario of events: transactions change their status. Triggers in one or two installations of n8n learn it from
 * deliveries and from the logs. Meanwhile processes are killed, people publish, retry and change webhooks, and the
 * service and the database fail. Each trigger must handle each event, and only once.
 */

const MINUTE_MS = 60_000;

const HOUR_MS = 60 * MINUTE_MS;

const STATUSES = ['completed_transaction', 'failed_transaction', 'pending_transaction'] as const;

const FINAL: string[] = STATUSES.slice(0, 2);

const TYPES = ['withdrawal_crypto', 'deposit_crypto'] as const;

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
	verification: fc.constantFrom(
		'callbackSecret',
		'callbackSecret',
		'callbackSecret',
		'apiKey',
		'both',
		'none',
	),
	onDeactivation: fc.constantFrom('keep', 'keep', 'keep', 'switchOff'),
	lookbackHours: fc.constantFrom(24, 24, 24, 2),
	/** Whether it wants all statuses, or all but the last. */
	wantsAll: fc.boolean(),
	/** Whether it wants only transactions of the first type. */
	isFiltered: fc.constantFrom(false, false, false, true),
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
	'change description',
	'remove secret',
	'remove mark',
	'remove query',
	'change key',
	'other address',
	'delete',
] as const;

/** How somebody who knows the address forges a delivery. */
const FORGERIES = [
	'no secret',
	'wrong secret',
	'empty secret',
	'mark as secret',
	'secret of another',
] as const;

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
			status: fc.nat(STATUSES.length - 1),
			kind: fc.nat(TYPES.length - 1),
			/** Whether the event has an identifier. Without one, its content is its key. */
			isNamed: fc.constantFrom(true, true, true, true, true, false),
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
		offset,
	}),
	/** Webhooks of other systems in the same account. */
	others: fc.array(fc.constantFrom('elsewhere' as const, 'near' as const, 'export' as const), {
		maxLength: 2,
	}),
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
		keepsApiKey: fc.boolean(),
		rowsBefore: fc.constantFrom(0, 0, 1, 4, 7),
		tokenLifetime: fc.constantFrom(1e12, 100_000),
		/** How many requests the service accepts in a minute; 0 for all. */
		requestsPerMinute: fc.constantFrom(0, 0, 0, 0, 30, 8),
		faults: rarely(
			sometimes(fc.constantFrom(...(Object.keys(API_FAULTS) as ApiFaultName[])), 8),
			1,
		),
		loginFaults: rarely(
			sometimes(fc.constantFrom(...(Object.keys(LOGIN_FAULTS) as LoginFaultName[])), 3),
			9,
		),
		mishaps: rarely(sometimes(fc.constantFrom(...MISHAPS), 6), 1),
		oddities: rarely(sometimes(fc.constantFrom(...ODDITIES), 5), 2),
		changes: rarely(
			sometimes(fc.constantFrom('arrives' as const, 'leaves' as const, 'both' as const), 4),
			2,
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

/** With small pages a few entries fill several. With small limits two deliveries or missed events are many. */
const SMALL: Patch[] = [
	{
		file: 'nodes/webhooks/logPages.ts',
		find: 'const PAGE_SIZE = 100;',
		replace: 'const PAGE_SIZE = 3;',
	},
	{
		file: 'nodes/PartnerPaymentsTrigger/load.ts',
		find: 'const MAX_WAITING = 30;',
		replace: 'const MAX_WAITING = 1;',
	},
	{
		file: 'nodes/PartnerPaymentsTrigger/poll.ts',
		find: 'const MAX_ALONE = 100;',
		replace: 'const MAX_ALONE = 1;',
	},
];

/** The package for these scenarios, with patches. */
export const computersWith = (patches: readonly Patch[] = []): Computers =>
	new Computers(SMALL, patches);

/** Figures over all scenarios. */
export class Figures {
	executions = 0;

	events = 0;

	owed = 0;

	kills = 0;

	retried = 0;

	webhooks = 0;

	/** Requests that the service rejected because they were too many. */
	rateLimited = 0;

	/** Starts of n8n while the service could not be reached. */
	startsInOutage = 0;

	/** Starts of n8n after which it found events that nobody had delivered to it. */
	startsWithMissed = 0;

	/** How often somebody asked for the status of all payments, and how often a final status was not covered. */
	lookedUp = 0;

	uncovered = 0;

	/** Events that a killed worker was handling. n8n's log names them, and a person replays them. */
	needHand = 0;

	/** Events that were older than the lookback window before a poll could find them. */
	tooOld = 0;

	/** The most requests that a trigger sent at rest, as a share of what it may send. */
	shareAtRest = 0;

	/** Scenarios in the case of docs/reliability.md without the lock, and events that were handled twice in them. */
	scenariosWithWindow = 0;

	handledTwiceInWindow = 0;
}

/** How long n8n takes to start. */
const RESTART_MS = 10_000;

/** Longer than any request or restart takes. */
const IDLE_MS = 5 * MINUTE_MS;

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

const WEBHOOK_MISSING: EventCode = 'webhookMissing';

/** One run of a scenario. */
class ScenarioRun {
	readonly clock = new Clock();

	readonly service: EventService;

	readonly installations: Installation[];

	readonly triggers: Trigger[] = [];

	readonly settings = new Map<Trigger, Settings>();

	readonly events: TransactionEvent[] = [];

	/** The invariants that were violated during the run. */
	readonly violations: string[] = [];

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

	private outageUntil = 0;

	private isCalm = false;

	private forged = 0;

	constructor(
		readonly scenario: Scenario,
		computers: Computers,
		private readonly number: number,
	) {
		const { n8n, seed, service } = scenario;
		this.computer = n8n.smallPages ? computers.small : computers.usual;
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
			() => this.clock.now < this.outageUntil,
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

	/** What is wrong with the webhook of a trigger. */
	faultsOf(trigger: Trigger): string[] {
		const [webhook] = this.webhooksOf(trigger);
		if (webhook === undefined) return ['webhook is missing'];
		const address = this.installationOf(trigger).addressOf(trigger);
		const url = new URL(webhook.url);
		const events = trigger.node.parameters.events as string[];
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
		const { faults, loginFaults, mishaps, oddities, changes, latencies, ...how } =
			this.scenario.service;
		const round = <T>(list: readonly (T | null)[]): (() => T | undefined) => {
			const next = cycle(list);
			return () => next() ?? undefined;
		};
		// Three entries without an order may look like the newest first and end the reading. A hundred entries do not.
		const isShortWindow = this.scenario.settings.some(({ lookbackHours }) => lookbackHours < 24);
		const isOrdered = this.scenario.n8n.smallPages && isShortWindow;
		const nextChange = round(changes.flatMap((change) => [change, null, null, null]));
		let pages = 0;
		return {
			...how,
			order: how.order === 'none' && isOrdered ? 'newest' : how.order,
			// An entry that counts attempts has the date of the first attempt and the place of the last.
			isRowForEach: how.isRowForEach || isOrdered,
			nextFault: round(faults),
			nextLoginFault: round(loginFaults),
			nextMishap: round(mishaps),
			nextOddity: round(oddities),
			// If the entries moved at every page, they could never be read. If they moved for ever, each poll of a log in
			// pages of three entries would make the next poll longer.
			nextChange: () => (pages++ < MAX_CHANGING_PAGES ? nextChange() : undefined),
			nextLatency: cycle(latencies),
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
			node: nodeOf(workflow, node, chosen),
			workflow: stored,
			isRouted: false,
		};
		stored.triggers.push(trigger);
		this.triggers.push(trigger);
		this.settings.set(trigger, chosen);
	}

	private addOther(kind: Scenario['others'][number]): void {
		const address = this.installations[0].addressOf(this.triggers[0]);
		const urls = {
			elsewhere: 'https://other.example/callback',
			near: `${address}-of-another`,
			export: `${address.replace('//n8n-0', '//n8n-9')}?owner=0123456789abcdef&secret=${'a'.repeat(64)}`,
		};
		this.service.add({
			creator: 'somebody else',
			url: urls[kind],
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
				for (let count = 0; count < action.count; count++) {
					this.happenEvent(STATUSES[0], TYPES[0], true);
				}
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
	}: Extract<Action, { type: 'events' }>): Promise<void> {
		for (let number = 0; number < count; number++) {
			if (number > 0) await this.clock.pause(pause);
			this.happenEvent(STATUSES[status], TYPES[kind], isNamed);
		}
	}

	private happenEvent(status: string, transactionType: string, isNamed: boolean): void {
		const number = this.events.length + 1;
		const transactionId = `transaction-${number}`;
		const event: TransactionEvent = {
			name: isNamed ? `${transactionId}:${status}` : `reference-${number}`,
			status,
			payload: {
				externalReference: `reference-${number}`,
				status,
				transactionType,
				timestamp: new Date(this.service.date).toISOString(),
				details: { amount: '1.00', ...(isNamed && { transactionId }) },
			},
		};
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

	/**
	 * Get Status finds each event that was logged before, unless it fails, and says what the webhooks cover.
	 *
	 * @param mayFail whether the service may fail
	 */
	private async lookUp(home: Installation, mayFail = true): Promise<void> {
		const { service, scenario } = this;
		const events = [...this.events];
		const logged = service.loggedReferences();
		const references = events.map(({ payload }) => String(payload.externalReference));
		const since = BEGINNING - 31 * 24 * HOUR_MS;
		const coveredBefore = service.coveredStatuses();
		const [trigger] = home.triggers;
		if (!trigger) return;
		const found = await home.lookUp(trigger, references, since).catch((error: unknown) => {
			if (!mayFail) this.violations.push(`Get Status failed: ${String(error)}`);
		});
		if (!found) return;
		this.lookedUp++;
		for (const [index, statuses] of found.statuses.entries()) {
			const { status } = events[index];
			const isFound = isDeepStrictEqual(statuses, [status]);
			const isMissing = statuses.length === 0 && !logged.has(references[index]);
			// It may have been logged meanwhile.
			const isUnsure = mayFail && statuses.length === 0 && scenario.service.changes.length > 0;
			if (isFound || isMissing || isUnsure) continue;
			this.violations.push(
				`Get Status found “${statuses.join(', ')}” for ${references[index]}, which is ${status}`,
			);
		}
		const isStable = isDeepStrictEqual(service.coveredStatuses(), coveredBefore);
		const covered = FINAL.filter((one) => coveredBefore.includes(one));
		if (isStable && !isDeepStrictEqual(found.covered, covered)) {
			this.violations.push(`Get Status said that “${found.covered.join(', ')}” is covered`);
		}
		if (covered.length < FINAL.length) this.uncovered++;
	}

	/** The service cannot be reached for a while, in which n8n may start again. */
	private outage({ forMs, restart }: Extract<Action, { type: 'outage' }>): void {
		this.outageUntil = this.clock.now + forMs;
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

	private startAgain(home: Installation): void {
		if (home.main?.isAlive) return;
		if (this.clock.now < this.outageUntil) this.startsInOutage++;
		if (this.service.owed.some(({ isDelivered }) => !isDelivered)) this.startsWithMissed++;
		home.start();
	}

	private move(home: Installation): void {
		home.main?.kill();
		home.address = `https://${home.id}-moved-${this.clock.now}.example`;
		for (const trigger of home.triggers) this.isNobodys(trigger);
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
			case 'change description':
				webhook.description = 'Mine';
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
			case 'change key':
				webhook.apiKey = 'another key';
				return;
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
	private forge(trigger: Trigger, how: (typeof FORGERIES)[number]): void {
		const home = this.installationOf(trigger);
		const url = new URL(home.addressOf(trigger));
		const [own] = this.webhooksOf(trigger);
		const owner = own && new URL(own.url).searchParams.get('owner');
		const other = this.service.webhooks.find(({ creator }) => creator !== trigger.name);
		const secrets: Record<typeof how, string | null | undefined> = {
			'no secret': undefined,
			'wrong secret': 'f'.repeat(64),
			'empty secret': '',
			'mark as secret': owner,
			'secret of another': other && new URL(other.url).searchParams.get('secret'),
		};
		if (owner) url.searchParams.set('owner', owner);
		const secret = secrets[how];
		if (typeof secret === 'string') url.searchParams.set('secret', secret);
		const apiKey = secret ?? '';
		const [status] = STATUSES;
		const isBelieved = this.settingsOf(trigger).verification === 'none';
		const reference = `forged-${++this.forged}`;
		const payload: IDataObject = {
			externalReference: reference,
			status,
			transactionType: TYPES[0],
			isForged: true,
			// It is the next transaction. If it were accepted, the true event would be dropped.
			details: { transactionId: isBelieved ? reference : `transaction-${this.events.length + 1}` },
		};
		const headers = { 'x-api-key': apiKey };
		home.receive({ url: url.toString(), headers, body: JSON.stringify(payload) }, (code) => {
			if (!isBelieved && code === 200) {
				this.violations.push(`${trigger.name} answered a forged delivery with 200: ${how}`);
			}
		});
	}

	/** Nothing fails any more, and people follow the guides. */
	private async aftermath(): Promise<void> {
		// The requests of a killed n8n arrive before it has started again.
		await this.clock.pause(RESTART_MS);
		this.isCalm = true;
		this.outageUntil = 0;
		this.calmFrom = this.clock.now;
		this.service.calm();
		for (const home of this.installations) {
			home.database.nextFault = () => undefined;
			home.database.nextLatency = () => 1;
			home.behaviour = { ...home.behaviour, nextFailure: () => false, nextHandlerMs: () => 1 };
			if (this.scenario.n8n.isQueue)
				while (home.workers.length < this.scenario.n8n.workers) home.work();
			home.start();
		}
		await this.clock.pause(IDLE_MS);
		for (const home of this.installations) {
			for (const workflow of home.workflows) {
				if (workflow.isFailed) home.unpublish(workflow);
				if (workflow.isFailed || !workflow.isPublished) home.publish(workflow);
			}
		}
		const longest = Math.max(...this.triggers.map((trigger) => this.periodOf(trigger)));
		await this.clock.pause(longest + IDLE_MS);
		// A secret that the service does not show may only be hidden, until a delivery is rejected.
		for (const status of STATUSES) this.happenEvent(status, TYPES[0], true);
		await this.clock.pause(longest + IDLE_MS);
		// An execution that reports a problem may be listed as crashed if the queue was lost.
		this.retryAll();
		await this.clock.pause(IDLE_MS);
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
		for (const status of STATUSES) this.happenEvent(status, TYPES[0], true);
		await this.clock.pause(longest + IDLE_MS);
		this.service.requests.clear();
		await this.clock.pause(HOUR_MS);
		this.isCheapAtRest();
		this.retryAll();
		await this.clock.pause(IDLE_MS);
		for (const home of this.installations) await this.lookUp(home, false);
	}

	/**
	 * If nothing happens, a poll reads the webhooks, the failed entries of its logs, and no entry twice beside them. A full
	 * read, which there is one of in an hour at least, needs no failed entries.
	 */
	private isCheapAtRest(): void {
		const pageSize = this.scenario.n8n.smallPages ? 3 : 100;
		// Without an order, the first page is read again: entries may have moved.
		const again = this.scenario.service.order === 'newest' ? 0 : 1;
		// A page that is full may be the last.
		const pagesOf = (entries: number) => Math.floor(entries / pageSize) + 1 + again;
		for (const trigger of this.triggers) {
			const [webhook] = this.webhooksOf(trigger);
			if (!webhook) continue;
			const { startWorkflow } = this.settingsOf(trigger);
			const polls = HOUR_MS / this.periodOf(trigger) + 1;
			const pages = pagesOf(this.service.entriesOf(webhook));
			const failed = pagesOf(this.service.entriesOf(webhook, 'ERROR'));
			const fullReads = startWorkflow === 'allNewEvents' ? polls : 1;
			const most = polls * (1 + pages) + (polls - fullReads) * failed;
			const requests = this.service.requests.get(trigger.name) ?? 0;
			this.shareAtRest = Math.max(this.shareAtRest, requests / most);
			if (requests > most)
				this.violations.push(`${trigger.name} sent ${requests} requests at rest, not ${most}`);
		}
	}

	/** Whether a trigger has reported a problem that only a publication solves. */
	private needsPublication(trigger: Trigger): boolean {
		return this.executionsOf(trigger).some(({ code = '' }) => NEED_PUBLICATION.includes(code));
	}

	/** After a poll that reached the service, the webhook is correct, or the trigger has reported the problem. */
	private isRepaired(): void {
		for (const trigger of this.triggers) {
			const faults = this.faultsOf(trigger);
			if (faults.length > 0 && !this.needsPublication(trigger)) {
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

/** The entries of n8n's Remove Duplicates node. */
const FOREIGN_ROW = { mode: 'entries', data: ['somebody', 'else’s'] };

function nodeOf(workflow: number, node: number, chosen: Settings): INode {
	const events = chosen.wantsAll ? [...STATUSES] : STATUSES.slice(0, -1);
	return {
		id: `node-${workflow}-${node}`,
		name: `Trigger ${node}`,
		type: 'n8n-nodes-partner-payments.partnerPaymentsTrigger',
		typeVersion: 1.1,
		position: [0, 0],
		webhookId: `path-${workflow}-${node}`,
		credentials: { partnerPaymentsApi: { id: 'credential', name: 'Credential' } },
		parameters: {
			events,
			startWorkflow: chosen.startWorkflow,
			checkForMissedEvents: chosen.checkForMissedEvents,
			filters: chosen.isFiltered ? { transactionTypes: [TYPES[0]] } : {},
			options: {
				lookbackHours: chosen.lookbackHours,
				onDeactivation: chosen.onDeactivation,
				verification: chosen.verification,
				verificationHeader: 'X-Api-Key',
			},
		},
	};
}

/** Checks the invariants of a scenario that has ended. */
class Invariants {
	private readonly found: string[] = [];

	constructor(
		private readonly scenarioRun: ScenarioRun,
		private readonly figures: Figures,
	) {}

	checkInvariants(): string[] {
		const { service, triggers, installations, violations } = this.scenarioRun;
		if (this.isWindow) this.figures.scenariosWithWindow += 1;
		this.found.push(...violations, ...service.trespasses);
		for (const home of installations) this.found.push(...home.violations);
		for (const trigger of triggers) {
			this.isRegistered(trigger);
			this.isMissingIfReported(trigger);
			this.isTrue(trigger);
			this.onceEach(trigger);
		}
		for (const owed of service.owed) this.isHandled(owed);
		return this.found;
	}

	/** The case of docs/reliability.md without the lock: Remove Duplicates in the workflow, and more than one worker. */
	private get isWindow(): boolean {
		const { removeDuplicates, isQueue } = this.scenarioRun.scenario.n8n;
		return removeDuplicates && isQueue;
	}

	private isRegistered(trigger: Trigger): void {
		for (const kind of [trigger.name, `${trigger.name} test`]) {
			const own = this.scenarioRun.service.webhooks.filter(
				({ creator, isTakenAway }) => creator === kind && !isTakenAway,
			);
			if (own.length > 1) this.found.push(`${kind} has ${own.length} webhooks`);
		}
		const faults = this.scenarioRun.faultsOf(trigger);
		if (faults.length > 0) {
			this.found.push(`at the end, ${trigger.name}: the ${faults.join(', the ')}`);
		}
	}

	/** A webhook that nobody has touched is never reported as missing, also while n8n registers it. */
	private isMissingIfReported(trigger: Trigger): void {
		const { mayMissWebhook } = this.scenarioRun;
		const isReported = this.scenarioRun
			.executionsOf(trigger)
			.some(({ code }) => code === WEBHOOK_MISSING);
		if (isReported && !mayMissWebhook.has(trigger)) {
			this.found.push(`${trigger.name} reported that its webhook is missing, but it was not`);
		}
	}

	/** A trigger emits only events that happened and that it wants. */
	private isTrue(trigger: Trigger): void {
		const { verification } = this.scenarioRun.settingsOf(trigger);
		for (const { id, given = [] } of this.scenarioRun.executionsOf(trigger)) {
			for (const payload of given) {
				const event = this.scenarioRun.events.find(
					(one) => one.payload.externalReference === payload.externalReference,
				);
				if (payload.isForged === true && verification === 'none') continue;
				if (!event || !isDeepStrictEqual(event.payload, payload)) {
					this.found.push(`${id} emitted an event that never happened: ${JSON.stringify(payload)}`);
				} else if (!this.wants(trigger, event)) {
					this.found.push(`${id} emitted ${event.name}, which ${trigger.name} does not want`);
				}
			}
		}
	}

	/** A trigger emits an event in one execution only. Its retries count as the same execution. */
	private onceEach(trigger: Trigger): void {
		const roots = new Map<string, Set<Execution>>();
		for (const { id, given = [], root } of this.scenarioRun.executionsOf(trigger)) {
			const names = given.map(({ externalReference }) => String(externalReference));
			if (new Set(names).size < names.length) {
				this.found.push(`${id} emitted an event twice: ${names.join(', ')}`);
			}
			for (const name of names) roots.set(name, (roots.get(name) ?? new Set()).add(root));
		}
		for (const [name, takers] of roots) {
			if (takers.size < 2) continue;
			if (this.isWindow && this.mayBeOverwritten([...takers])) {
				this.figures.handledTwiceInWindow += takers.size - 1;
			} else {
				const ids = [...takers].map(({ id }) => id).join(', ');
				this.found.push(`${trigger.name} emitted ${name} ${takers.size} times: ${ids}`);
			}
		}
	}

	/** Without the lock, only executions that run at the same moment in several processes overwrite each other's claims. */
	private mayBeOverwritten(takers: Execution[]): boolean {
		const { workflow } = takers[0].trigger;
		const all = this.scenarioRun.installations
			.flatMap(({ executions }) => executions)
			.filter((one) => one.trigger.workflow === workflow);
		return all.some(
			(one) =>
				takers.includes(one.root) &&
				all.some(
					(other) =>
						other.process !== one.process && other.at <= one.endedAt && one.at <= other.endedAt,
				),
		);
	}

	private wants(trigger: Trigger, { status, payload }: TransactionEvent): boolean {
		const { isFiltered } = this.scenarioRun.settingsOf(trigger);
		return (
			(trigger.node.parameters.events as string[]).includes(status) &&
			(!isFiltered || payload.transactionType === TYPES[0])
		);
	}

	/** An event that the service owed a trigger is handled, or n8n's log names it. */
	private isHandled(owed: Owed): void {
		const { event, webhook, at } = owed;
		const trigger = this.scenarioRun.triggers.find(({ name }) => name === webhook.creator);
		if (!trigger || !this.wants(trigger, event)) return;
		// No trigger reads its logs any more.
		if (webhook.isTakenAway) return;
		this.figures.owed += 1;
		const executions = this.scenarioRun.executionsOf(trigger);
		const isOf = ({ externalReference }: IDataObject) =>
			externalReference === event.payload.externalReference;
		if (executions.some(({ given, isHandled }) => isHandled && given?.some(isOf))) return;
		// The name of an event without an identifier is made from its content.
		const name = event.name.includes(':') ? event.name : '';
		const isNamed = executions.some(
			({ status, log, items }) =>
				status === 'dropped' &&
				log.some((line) => line.includes(name)) &&
				items.some(({ json }) => isOf(json.payload as IDataObject)),
		);
		if (isNamed) this.figures.needHand += 1;
		else if (this.isTooOld(trigger, owed)) this.figures.tooOld += 1;
		else {
			this.found.push(`${trigger.name} never handled ${event.name}, which happened after ${at} ms`);
		}
	}

	/** Whether it was older than the lookback window before the first poll in which nothing failed. */
	private isTooOld(trigger: Trigger, { date, isDelivered }: Owed): boolean {
		const { calmFrom, scenario } = this.scenarioRun;
		const { lookbackHours, startWorkflow } = this.scenarioRun.settingsOf(trigger);
		const isSeenAtOnce = startWorkflow === 'allNewEvents' || !isDelivered;
		const within = isSeenAtOnce ? 0 : HOUR_MS;
		const looked =
			BEGINNING +
			calmFrom +
			scenario.n8n.offset +
			this.scenarioRun.periodOf(trigger) +
			within +
			2 * IDLE_MS;
		return date < looked - lookbackHours * HOUR_MS;
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
	return new Invariants(scenarioRun, figures).checkInvariants();
}
