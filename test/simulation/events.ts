/* eslint-disable @n8n/community-nodes/no-restricted-imports -- runs beside n8n, not in it */
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import type { IDataObject, INode } from 'n8n-workflow';

import { Clock, inTurn, seeded } from './clock';
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
import { LOGIN_FAULTS, type LoginFaultName } from './service';
import { Installation, type Execution, type Trigger, type Workflow } from './trigger';

/*
 * The events scenario: transactions change their status, and triggers on one or two installations of n8n are told of
 * it, by deliveries and by the logs, while processes are killed, people publish, retry and change webhooks, and the
 * service and the database fail. Each event then has to be handled, and by each trigger once.
 */

const MINUTE_MS = 60_000;

const HOUR_MS = 60 * MINUTE_MS;

const STATUSES = ['completed_transaction', 'failed_transaction', 'pending_transaction'] as const;

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
	/** All but the last of the statuses, or all. */
	wantsAll: fc.boolean(),
	/** Only those of the first type. */
	isFiltered: fc.constantFrom(false, false, false, true),
});

type Settings = typeof settings extends fc.Arbitrary<infer One> ? One : never;

/** Where a trigger is. The same workflow and node in two installations is an export. */
const place = fc.record({
	installation: fc.constantFrom(0, 0, 0, 1),
	workflow: fc.constantFrom(0, 0, 1),
	node: fc.constantFrom(0, 0, 1),
});

type Place = typeof place extends fc.Arbitrary<infer One> ? One : never;

/** What goes round: nothing happens where it is empty. */
const sometimes = <T>(one: fc.Arbitrary<T>, maxLength: number) =>
	fc.array(fc.option(one), { maxLength });

const rarely = <T>(one: fc.Arbitrary<T[]>, weight: number) =>
	fc.oneof({ weight, arbitrary: fc.constant<T[]>([]) }, { weight: 1, arbitrary: one });

/** What somebody does to a webhook at the service. */
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

/** How somebody forges a delivery who knows the address. */
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

const deed = fc.oneof(
	{
		weight: 8,
		arbitrary: fc.record({
			type: fc.constant('events' as const),
			/** One after the other, with so many milliseconds in between. */
			count: fc.integer({ min: 1, max: 4 }),
			pause: fc.constantFrom(0, 0, 20, 2_000),
			status: fc.nat(STATUSES.length - 1),
			kind: fc.nat(TYPES.length - 1),
			/** Without an identifier its content tells one event from another. */
			isNamed: fc.constantFrom(true, true, true, true, true, false),
		}),
	},
	{
		weight: 5,
		arbitrary: fc.record({
			type: fc.constant('kill' as const),
			/** So many events happen at that moment. */
			count: fc.constantFrom(0, 1, 1, 2),
			installation: which,
			/** Main, or one of the workers. */
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
		weight: 1,
		arbitrary: fc.record({ type: fc.constant('outage' as const), forMs: fc.nat(90 * MINUTE_MS) }),
	},
	{
		weight: 1,
		/** It ends, and starts again under another address. */
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

type Deed = typeof deed extends fc.Arbitrary<infer One> ? One : never;

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
		/** An export may bring along what n8n kept for the workflow. */
		exportHasData: fc.boolean(),
		exportHasId: fc.boolean(),
		handlerMs: fc.array(fc.oneof(fc.constant(0), fc.nat(50), fc.nat(90_000)), {
			minLength: 1,
			maxLength: 4,
		}),
		failures: fc.oneof(fc.constant([]), fc.array(fc.boolean(), { maxLength: 4 })),
		isListed: fc.array(fc.boolean(), { minLength: 1, maxLength: 3 }),
		/** n8n's Remove Duplicates node keeps entries in the row that our nodes lock. */
		removeDuplicates: fc.constantFrom(false, false, false, false, false, false, false, false, true),
		smallPages: fc.boolean(),
		offset,
	}),
	/** Webhooks of others in the same account. */
	others: fc.array(fc.constantFrom('elsewhere' as const, 'near' as const, 'export' as const), {
		maxLength: 2,
	}),
	deeds: fc.array(
		fc.record({
			/** Milliseconds after the one before. */
			after: fc.oneof(
				fc.nat(40),
				fc.nat(2_000),
				fc.nat(2_000),
				fc.nat(20 * MINUTE_MS),
				fc.nat(80 * MINUTE_MS),
			),
			deed,
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
	/** Of what the package leaves to chance. */
	seed: fc.noBias(fc.integer()),
});

export type Scenario = typeof scenario extends fc.Arbitrary<infer One> ? One : never;

/** So many pages are read while entries arrive and leave. */
const MAX_CHANGING_PAGES = 300;

/** So that a few rows fill several pages. */
const SMALL_PAGES: Patch = {
	file: 'nodes/webhooks/logPages.ts',
	find: 'const PAGE_SIZE = 100;',
	replace: 'const PAGE_SIZE = 3;',
};

/** The package for such scenarios, with patches. */
export const computersWith = (patches: readonly Patch[] = []): Computers =>
	new Computers(SMALL_PAGES, patches);

/** Figures of many scenarios. */
export class Figures {
	executions = 0;

	events = 0;

	owed = 0;

	kills = 0;

	retried = 0;

	webhooks = 0;

	/** Events that a killed worker had begun with: n8n's log names them, and a person replays them. */
	needHand = 0;

	/** Events that were older than the time that is looked back before anybody could look. */
	tooOld = 0;

	/** Scenarios in which the window of the guides is open, and events handled twice in them. */
	worldsWithWindow = 0;

	handledTwiceInWindow = 0;
}

/** How long n8n takes to start. */
const RESTART_MS = 10_000;

/** Longer than any request or restart takes. */
const SETTLING_MS = 5 * MINUTE_MS;

const PERIODS: Record<string, number> = {
	every5Minutes: 5 * MINUTE_MS,
	every15Minutes: 15 * MINUTE_MS,
	everyHour: HOUR_MS,
};

/** Problems that only a publication puts right, as the guides tell people. */
const NEED_PUBLICATION: string[] = [
	'webhookMissing',
	'secretLost',
	'deliveriesRejected',
] satisfies EventCode[];

const WEBHOOK_MISSING: EventCode = 'webhookMissing';

/** What happens in a scenario. */
class Happening {
	readonly clock = new Clock();

	readonly service: EventService;

	readonly installations: Installation[];

	readonly triggers: Trigger[] = [];

	readonly settings = new Map<Trigger, Settings>();

	readonly events: TransactionEvent[] = [];

	/** What did not hold while it happened. */
	readonly violations: string[] = [];

	/** The triggers that have had a reason to tell that their webhook is gone. */
	readonly mayMissWebhook = new Set<Trigger>();

	/** From when on nothing fails any more. */
	calmFrom = Infinity;

	kills = 0;

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
		const nextLatency = inTurn(service.latencies);
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
		await this.clock.pause(SETTLING_MS);
		for (const { after, deed } of this.scenario.deeds) {
			await this.clock.pause(after);
			await this.do(deed);
		}
		await this.aftermath();
	}

	/** How long a trigger may take to look at its logs. */
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

	/** The webhooks that a trigger has registered, and nobody has taken away. */
	webhooksOf(trigger: Trigger): Webhook[] {
		return this.service.webhooks.filter(
			({ creator, isTakenAway }) => creator === trigger.name && !isTakenAway,
		);
	}

	/** A trigger that reads the list without a webhook of its own may tell so, unless n8n is about to register one. */
	private hasSeenWebhooks(name: string): void {
		const trigger = this.triggers.find((one) => one.name === name);
		if (!trigger || this.installationOf(trigger).isPublishing(trigger.workflow)) return;
		if (this.webhooksOf(trigger).length === 0) this.mayMissWebhook.add(trigger);
	}

	/** One whose publication made no webhook may tell so as well, also while it is published again. */
	private wasPublished({ triggers }: Workflow): void {
		for (const trigger of triggers) {
			if (this.webhooksOf(trigger).length === 0) this.mayMissWebhook.add(trigger);
		}
	}

	/** In which respects a trigger has no live webhook. */
	faultsOf(trigger: Trigger): string[] {
		const [webhook] = this.webhooksOf(trigger);
		if (webhook === undefined) return ['webhook is not there'];
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
			const next = inTurn(list);
			return () => next() ?? undefined;
		};
		// Three rows without an order may look like the newest first, and end the reading: a hundred do not.
		const looksBackLess = this.scenario.settings.some(({ lookbackHours }) => lookbackHours < 24);
		const isOrdered = this.scenario.n8n.smallPages && looksBackLess;
		const nextChange = round(changes.flatMap((change) => [change, null, null, null]));
		let pages = 0;
		return {
			...how,
			order: how.order === 'none' && isOrdered ? 'newest' : how.order,
			// An entry that counts attempts keeps the date of the first, and stands where the last was.
			isRowForEach: how.isRowForEach || isOrdered,
			nextFault: round(faults),
			nextLoginFault: round(loginFaults),
			nextMishap: round(mishaps),
			nextOddity: round(oddities),
			// At every page they would be in another place before they can be read; and for ever, each look at a
			// log in pages of three entries would make the next one longer.
			nextChange: () => (pages++ < MAX_CHANGING_PAGES ? nextChange() : undefined),
			nextLatency: inTurn(latencies),
		};
	}

	private install(index: number): Installation {
		const { n8n, database } = this.scenario;
		const nextFault = inTurn(database.faults);
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
			inTurn(database.latencies),
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
				nextHandlerMs: inTurn(n8n.handlerMs),
				nextFailure: inTurn(n8n.failures.length > 0 ? n8n.failures : [false]),
				nextIsListed: inTurn(n8n.isListed),
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

	private async do(deed: Deed): Promise<void> {
		switch (deed.type) {
			case 'events':
				return await this.happenEvents(deed);
			case 'kill':
				this.kill(deed);
				for (let count = 0; count < deed.count; count++) {
					this.happenEvent(STATUSES[0], TYPES[0], true);
				}
				return;
			case 'retry':
				return this.retry(deed);
			case 'publish':
			case 'unpublish':
			case 'republish': {
				const trigger = this.trigger(deed.which);
				const home = this.installationOf(trigger);
				if (deed.type !== 'publish') home.unpublish(trigger.workflow);
				if (deed.type !== 'unpublish') home.publish(trigger.workflow);
				return;
			}
			case 'change':
				return this.change(this.trigger(deed.which), deed.what);
			case 'forge':
				return this.forge(this.trigger(deed.which), deed.how);
			case 'outage':
				this.outageUntil = this.clock.now + deed.forMs;
				return;
			case 'move':
				return this.move(this.installation(deed.installation));
			case 'lose queue':
				return this.installation(deed.installation).loseQueue();
			case 'listen': {
				const trigger = this.trigger(deed.which);
				void this.installationOf(trigger).listen(trigger, deed.ms);
			}
		}
	}

	private async happenEvents({
		count,
		pause,
		status,
		kind,
		isNamed,
	}: Extract<Deed, { type: 'events' }>): Promise<void> {
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
	}: Extract<Deed, { type: 'kill' }>): void {
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
				else home.start();
			});
		});
	}

	private move(home: Installation): void {
		home.main?.kill();
		home.address = `https://${home.id}-moved-${this.clock.now}.example`;
		for (const trigger of home.triggers) this.isNobodys(trigger);
		this.clock.in(RESTART_MS, () => home.start());
	}

	private retry({ which: number, times }: Extract<Deed, { type: 'retry' }>): void {
		const all = this.installations.flatMap((home) =>
			home.executions
				.filter(({ status }) => status === 'error' || status === 'crashed')
				.map((execution) => ({ home, execution })),
		);
		if (all.length === 0) return;
		const { home, execution } = all[number % all.length];
		for (let time = 0; time < times; time++) home.retry(execution);
	}

	/** Somebody changes a trigger's webhook at the service. */
	private change(trigger: Trigger, what: (typeof CHANGES)[number]): void {
		const [webhook] = this.webhooksOf(trigger);
		if (!webhook) return;
		// What its trigger may not know any more counts as gone.
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
				// What n8n does not know as its own either counts as another's: what came before is not given out.
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

	/** Whether n8n has stored which webhook is a trigger's. */
	private isKept({ node, workflow }: Trigger, webhook: Webhook): boolean {
		const stored = JSON.parse(workflow.staticData) as Record<string, IDataObject | undefined>;
		return stored[`node:${node.name}`]?.webhookId === webhook.id;
	}

	/** A webhook belongs to nobody when neither its mark, nor its secret, nor its address says whose it is. */
	private isNobodys(trigger: Trigger): void {
		const address = this.installationOf(trigger).addressOf(trigger);
		for (const webhook of this.webhooksOf(trigger)) {
			const { search, origin } = new URL(webhook.url);
			if (search === '' && !address.startsWith(origin)) webhook.isTakenAway = true;
		}
	}

	/** Somebody who knows the address of a trigger sends an event of their own. */
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
			// The next one: where it is believed, the true one would be left out.
			details: { transactionId: isBelieved ? reference : `transaction-${this.events.length + 1}` },
		};
		const headers = { 'x-api-key': apiKey };
		home.receive({ url: url.toString(), headers, body: JSON.stringify(payload) }, (code) => {
			if (!isBelieved && code === 200) {
				this.violations.push(`${trigger.name} answered a forged delivery with 200: ${how}`);
			}
		});
	}

	/** Nothing fails any more, and people do what the guides tell them. */
	private async aftermath(): Promise<void> {
		// What a killed n8n has sent arrives before n8n has started again.
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
		await this.clock.pause(SETTLING_MS);
		for (const home of this.installations) {
			for (const workflow of home.workflows) {
				if (workflow.isFailed) home.unpublish(workflow);
				if (workflow.isFailed || !workflow.isPublished) home.publish(workflow);
			}
		}
		const longest = Math.max(...this.triggers.map((trigger) => this.periodOf(trigger)));
		await this.clock.pause(longest + SETTLING_MS);
		// What was to be told may be listed as crashed, where the queue was lost.
		this.retryAll();
		await this.clock.pause(SETTLING_MS);
		this.isRepaired();
		const needed = new Set(
			this.triggers.filter((trigger) => this.toldSince(trigger)).map(({ workflow }) => workflow),
		);
		for (const home of this.installations) {
			for (const workflow of home.workflows.filter((one) => needed.has(one))) {
				home.unpublish(workflow);
				home.publish(workflow);
			}
		}
		await this.clock.pause(SETTLING_MS);
		for (const status of STATUSES) this.happenEvent(status, TYPES[0], true);
		await this.clock.pause(HOUR_MS + longest + SETTLING_MS);
		this.retryAll();
		await this.clock.pause(SETTLING_MS);
	}

	/** Whether a trigger has told of what only a publication puts right. */
	private toldSince(trigger: Trigger): boolean {
		return this.executionsOf(trigger).some(({ code = '' }) => NEED_PUBLICATION.includes(code));
	}

	/** After a turn that reached the service, the webhook is as it should be, or a person was told. */
	private isRepaired(): void {
		for (const trigger of this.triggers) {
			const faults = this.faultsOf(trigger);
			if (faults.length > 0 && !this.toldSince(trigger)) {
				this.violations.push(
					`the ${faults.join(', the ')} of ${trigger.name}, and nobody was told`,
				);
			}
		}
	}

	/** A person retries what n8n lists as failed or crashed, each once. */
	private retryAll(): void {
		for (const home of this.installations) {
			const done = new Set(
				home.executions.filter(({ status }) => status === 'success').map(({ root }) => root),
			);
			// Of one that was dropped n8n keeps nothing to go on from: then it is the one before.
			const retriable = home.executions.filter(({ status }) => status !== 'dropped');
			const byRoot = new Map(retriable.map((execution) => [execution.root, execution]));
			for (const [root, last] of byRoot) {
				const isProblem = last.code !== undefined && NEED_PUBLICATION.includes(last.code);
				if (!done.has(root) && !isProblem) home.retry(last);
			}
		}
	}
}

/** What n8n's Remove Duplicates node may have there. */
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

/** What must hold in every scenario, and does not in this one. */
class Invariants {
	private readonly found: string[] = [];

	constructor(
		private readonly happening: Happening,
		private readonly figures: Figures,
	) {}

	checkInvariants(): string[] {
		const { service, triggers, installations, violations } = this.happening;
		if (this.isWindow) this.figures.worldsWithWindow += 1;
		this.found.push(...violations, ...service.trespasses);
		for (const home of installations) this.found.push(...home.violations);
		for (const trigger of triggers) {
			this.isRegistered(trigger);
			this.isGoneIfTold(trigger);
			this.isTrue(trigger);
			this.onceEach(trigger);
		}
		for (const owed of service.owed) this.isHandled(owed);
		return this.found;
	}

	/** The window of docs/reliability.md: Remove Duplicates in its workflow, and more than one worker. */
	private get isWindow(): boolean {
		const { removeDuplicates, isQueue } = this.happening.scenario.n8n;
		return removeDuplicates && isQueue;
	}

	private isRegistered(trigger: Trigger): void {
		for (const kind of [trigger.name, `${trigger.name} test`]) {
			const own = this.happening.service.webhooks.filter(
				({ creator, isTakenAway }) => creator === kind && !isTakenAway,
			);
			if (own.length > 1) this.found.push(`${kind} has ${own.length} webhooks`);
		}
		const faults = this.happening.faultsOf(trigger);
		if (faults.length > 0) {
			this.found.push(`at the end, the ${faults.join(', the ')} of ${trigger.name}`);
		}
	}

	/** Nobody is told that a webhook is gone that nobody has touched, also while n8n registers it. */
	private isGoneIfTold(trigger: Trigger): void {
		const { mayMissWebhook } = this.happening;
		const isTold = this.happening
			.executionsOf(trigger)
			.some(({ code }) => code === WEBHOOK_MISSING);
		if (isTold && !mayMissWebhook.has(trigger)) {
			this.found.push(`${trigger.name} told that its webhook is gone, and it was not`);
		}
	}

	/** What is given out is what happened, and what the trigger wants. */
	private isTrue(trigger: Trigger): void {
		const { verification } = this.happening.settingsOf(trigger);
		for (const { id, given = [] } of this.happening.executionsOf(trigger)) {
			for (const payload of given) {
				const event = this.happening.events.find(
					(one) => one.payload.externalReference === payload.externalReference,
				);
				if (payload.isForged === true && verification === 'none') continue;
				if (!event || !isDeepStrictEqual(event.payload, payload)) {
					this.found.push(`${id} gave out what never happened: ${JSON.stringify(payload)}`);
				} else if (!this.wants(trigger, event)) {
					this.found.push(`${id} gave out ${event.name}, which ${trigger.name} does not want`);
				}
			}
		}
	}

	/** Two retries of an execution each get its event: that is one taking, and a person who retried twice. */
	private onceEach(trigger: Trigger): void {
		const roots = new Map<string, Set<Execution>>();
		for (const { id, given = [], root } of this.happening.executionsOf(trigger)) {
			const names = given.map(({ externalReference }) => String(externalReference));
			if (new Set(names).size < names.length) {
				this.found.push(`${id} gave out an event twice: ${names.join(', ')}`);
			}
			for (const name of names) roots.set(name, (roots.get(name) ?? new Set()).add(root));
		}
		for (const [name, takers] of roots) {
			if (takers.size < 2) continue;
			if (this.isWindow) this.figures.handledTwiceInWindow += takers.size - 1;
			else {
				const ids = [...takers].map(({ id }) => id).join(', ');
				this.found.push(`${trigger.name} gave out ${name} ${takers.size} times: ${ids}`);
			}
		}
	}

	private wants(trigger: Trigger, { status, payload }: TransactionEvent): boolean {
		const { isFiltered } = this.happening.settingsOf(trigger);
		return (
			(trigger.node.parameters.events as string[]).includes(status) &&
			(!isFiltered || payload.transactionType === TYPES[0])
		);
	}

	/** An event that the service owed a trigger is handled, or a person was told. */
	private isHandled(owed: Owed): void {
		const { event, webhook, at } = owed;
		const trigger = this.happening.triggers.find(({ name }) => name === webhook.creator);
		if (!trigger || !this.wants(trigger, event)) return;
		// Its logs are nobody's any more.
		if (webhook.isTakenAway) return;
		this.figures.owed += 1;
		const executions = this.happening.executionsOf(trigger);
		const isOf = ({ externalReference }: IDataObject) =>
			externalReference === event.payload.externalReference;
		if (executions.some(({ given, isHandled }) => isHandled && given?.some(isOf))) return;
		// One without an identifier is named by what is made of its content.
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

	/** Whether it was older than what is looked back at, before there was a turn in which nothing failed. */
	private isTooOld(trigger: Trigger, { date, isDelivered }: Owed): boolean {
		const { calmFrom, scenario } = this.happening;
		const { lookbackHours, startWorkflow } = this.happening.settingsOf(trigger);
		const isSeenAtOnce = startWorkflow === 'allNewEvents' || !isDelivered;
		const within = isSeenAtOnce ? 0 : HOUR_MS;
		const looked =
			BEGINNING +
			calmFrom +
			scenario.n8n.offset +
			this.happening.periodOf(trigger) +
			within +
			2 * SETTLING_MS;
		return date < looked - lookbackHours * HOUR_MS;
	}
}

let scenarios = 0;

/**
 * Lets a scenario happen.
 *
 * @returns what does not hold in it, in words
 */
export async function checkInvariants(
	one: Scenario,
	computers: Computers,
	figures = new Figures(),
): Promise<string[]> {
	const happening = new Happening(one, computers, ++scenarios);
	try {
		await happening.clock.finish(happening.happen());
	} catch (error) {
		return [`the scenario did not end: ${(error as Error).stack}`];
	} finally {
		computers.clear();
	}
	const executions = happening.installations.flatMap((home) => home.executions);
	figures.executions += executions.length;
	figures.events += happening.events.length;
	figures.kills += happening.kills;
	figures.retried += executions.filter((execution) => execution.root !== execution).length;
	figures.webhooks += happening.service.webhooks.length;
	return new Invariants(happening, figures).checkInvariants();
}
