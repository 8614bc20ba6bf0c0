/* eslint-disable @n8n/community-nodes/require-node-api-error -- runs outside n8n */
import type {
	IDataObject,
	IExecuteFunctions,
	IHookFunctions,
	INode,
	INodeExecutionData,
	INodeType,
	IRun,
	ITriggerFunctions,
	IWebhookFunctions,
	WebhookSetupMethodNames,
} from 'n8n-workflow';

import type { Operation } from '../../nodes/PartnerPayments/operations/operation';
import type { Clock } from './clock';
import type { Database } from './database';
import type { Delivery } from './eventService';
import { valueAt } from './n8n';
import type { Network } from './network';
import { BEGINNING } from './package';
import type { Process } from './process';
import { FINAL } from './transactionEvents';

/** Why n8n calls the hooks: somebody publishes, n8n starts, or somebody listens for a test event. */
type Activation = 'activate' | 'init' | 'manual';

/** A workflow as n8n stores it. */
export interface Workflow {
	id: string;
	name: string;
	triggers: Trigger[];
	isPublished: boolean;
	/** Whether its last publication failed. n8n reports that and does not try again. */
	isFailed: boolean;
	/** As JSON. */
	staticData: string;
	/** What was stored of it at first. */
	oldData?: string;
}

/** A trigger node of a workflow. */
export interface Trigger {
	/** The name that violations contain. */
	name: string;
	node: INode;
	workflow: Workflow;
	/** Whether its path is in n8n's table of webhooks. */
	isRouted: boolean;
}

/** A trigger from its publication, or n8n's start, to its end. */
export interface Life {
	trigger: Trigger;
	from: number;
	to: number;
	/** When it polled, by n8n's schedule and at first. */
	polls: number[];
	/** Whether n8n goes on with the schedule of a former life. */
	isShared: boolean;
}

/** What the main process holds of a published trigger. */
interface Active {
	life: Life;
	/** Cancels its schedule. */
	stop: () => void;
	close: () => Promise<void>;
}

/**
 * - new: it is stored but has not started
 * - crashed: n8n lists it as crashed and has its data
 * - lost: n8n does not list it, and it never ends
 * - dropped: it ended with an error, and its data is lost
 */
export type Status = 'new' | 'running' | 'success' | 'error' | 'crashed' | 'lost' | 'dropped';

/** An execution, or the retry of one. */
export class Execution {
	status: Status = 'new';

	endedAt = Infinity;

	process?: Process;

	/** The events that the trigger has emitted. */
	given?: IDataObject[];

	/** Whether the rest of the workflow has succeeded. */
	isHandled = false;

	/** The code of the trigger's error, and its text with the hint. */
	code?: string;

	message = '';

	/** What the node keeps with the execution, and with its retries. */
	readonly context: IDataObject = {};

	/** The lines that the trigger wrote to n8n's log. */
	readonly log: string[] = [];

	/** The execution that was retried first, or this one. */
	readonly root: Execution;

	/** When the trigger asked n8n for it, which takes a moment to store it. */
	emittedAt: number;

	/** Called when n8n knows that it has ended. */
	onEnd = (): void => {};

	constructor(
		readonly id: string,
		readonly trigger: Trigger,
		readonly items: INodeExecutionData[],
		readonly at: number,
		/** What started it, as the node is told: a delivery, or the trigger itself. */
		readonly startedBy: 'webhook' | 'trigger',
		from?: Execution,
	) {
		this.root = from?.root ?? this;
		this.emittedAt = at;
		// A retry of an execution that ended does not run the trigger again. n8n has no output of one that crashed.
		if (from?.status === 'error') this.given = from.given;
	}
}

/** An operation that runs for one item after the other. */
type ItemOperation = Extract<Operation, { executeItem: unknown }>;

/** What Get Status finds out. */
interface LookedUp {
	/** The final statuses that the account's webhooks cover. */
	covered: string[];
	/** The statuses of the transactions of each reference. */
	statuses: string[][];
}

/** How n8n behaves. */
export interface N8nBehaviour {
	/** The milliseconds that the rest of the workflow takes in the next execution. */
	nextHandlerMs: () => number;
	/** Whether the rest of the workflow fails in the next execution. */
	nextFailure: () => boolean;
	/** Whether n8n lists an execution as crashed that had not started when n8n was killed. */
	nextIsListed: () => boolean;
}

/** The time until n8n gives up the executions of a killed worker. */
const GIVEN_UP_MS = 60_000;

/** The time after which n8n gives up a publication (`workflow-publication-outbox-consumer.js` of n8n). */
const PUBLICATION_MS = 84_000;

/** How often n8n tries to publish a trigger (`retryTriggerActivation` of n8n 2). */
const MAX_ATTEMPTS = 5;

/** An installation of n8n with its database and workflows: a main process and, in queue mode, workers. */
export class Installation {
	readonly workflows: Workflow[] = [];

	readonly executions: Execution[] = [];

	readonly lives: Life[] = [];

	/** The invariants that were violated. */
	readonly violations: string[] = [];

	main?: Process;

	/** The workers that are alive. */
	readonly workers: Process[] = [];

	private jobs: Execution[] = [];

	private next = 0;

	private listening = new Set<Trigger>();

	/** What the main process holds, by trigger. */
	private active = new Map<Trigger, Active>();

	/** When the main process began to publish a workflow, by workflow. */
	private publishing = new Map<Workflow, number>();

	/** The publications of a workflow, one after the other, by workflow. */
	private publications = new Map<Workflow, Promise<void>>();

	/**
	 * @param isQueue whether workers run the executions
	 * @param address the URL under which the service reaches it
	 */
	constructor(
		readonly id: string,
		readonly isQueue: boolean,
		public address: string,
		private readonly clock: Clock,
		readonly database: Database,
		private readonly network: Network,
		private readonly newProcess: () => Process,
		public behaviour: N8nBehaviour,
		private readonly onPublished: (workflow: Workflow) => void = () => {},
	) {}

	get triggers(): Trigger[] {
		return this.workflows.flatMap(({ triggers }) => triggers);
	}

	/** The URL under which the service reaches a trigger. */
	addressOf({ node }: Trigger, folder = 'webhook'): string {
		return `${this.address}/${folder}/${node.webhookId}/webhook`;
	}

	/** Starts the main process, which activates the published workflows. */
	start(): void {
		if (this.main?.isAlive) return;
		const main = this.newProcess();
		this.main = main;
		main.onEnd = () => this.mainEnded(main);
		for (const workflow of this.workflows) {
			if (workflow.isPublished)
				this.enqueue(workflow, async () => await this.activate(workflow, 'init'));
			else for (const trigger of workflow.triggers) trigger.isRouted = false;
		}
	}

	/** Stops the main process as its service manager does: n8n closes the triggers, and calls no hook. */
	async stop(): Promise<void> {
		const { main } = this;
		await Promise.all(
			[...this.active.values()].map(async (active) => {
				active.stop();
				this.endLife(active);
				await active.close();
			}),
		);
		main?.kill();
	}

	/** Starts a worker. */
	work(): void {
		const worker = this.newProcess();
		this.workers.push(worker);
		worker.onEnd = () => this.workerEnded(worker);
		this.handOutJobs();
	}

	publish(workflow: Workflow): void {
		if (!this.main?.isAlive) return;
		workflow.isPublished = true;
		this.enqueue(workflow, async () => await this.activate(workflow, 'activate'));
	}

	unpublish(workflow: Workflow): void {
		if (!this.main?.isAlive) return;
		workflow.isPublished = false;
		this.enqueue(workflow, async () => await this.deactivate(workflow));
	}

	/** Whether n8n is publishing a workflow and has not given up. */
	isPublishing(workflow: Workflow): boolean {
		const since = this.publishing.get(workflow) ?? -Infinity;
		return this.clock.now - since < PUBLICATION_MS;
	}

	/** Listens for a test event for a while. Nothing of it is stored. */
	async listen(trigger: Trigger, ms: number): Promise<void> {
		const { main, listening } = this;
		// n8n has one test webhook for a path.
		if (!main?.isAlive || listening.has(trigger)) return;
		listening.add(trigger);
		const staticData: IDataObject = {};
		try {
			await this.hooks(main, trigger, staticData, 'manual');
		} catch {
			listening.delete(trigger);
			return;
		}
		await main.pause(ms);
		await this.hook(main, trigger, staticData, 'manual', 'delete');
		listening.delete(trigger);
	}

	/**
	 * A person asks for the status of payments.
	 *
	 * @returns what Get Status finds out; undefined if n8n is down
	 * @throws ServiceError if the service fails
	 */
	async lookUp(
		trigger: Trigger,
		references: string[],
		since: number,
	): Promise<LookedUp | undefined> {
		const { main } = this;
		if (!main?.isAlive) return undefined;
		const { Service, readCoverage, TransactionSearch } = main.package;
		const context = {
			...this.contextOf(main, trigger, 'a person'),
			getExecutionCancelSignal: () => undefined,
			getMode: () => 'trigger',
		};
		const service = await Service.connect(context as unknown as IExecuteFunctions);
		const names = references.map((reference) => ({ reference, transactionId: '' }));
		const search = new TransactionSearch(names);
		await search.read(service, { since });
		const { missing } = await readCoverage(service);
		return {
			covered: FINAL.filter((status) => !missing.includes(status)),
			statuses: names.map((name) => search.find(name).map(({ status }) => status)),
		};
	}

	/**
	 * A person runs an operation of the action node.
	 *
	 * @returns its output; undefined if n8n is down
	 * @throws ServiceError if the service fails
	 */
	async operate(
		trigger: Trigger,
		name: 'replay' | 'getManyLogs',
		parameters: IDataObject,
	): Promise<IDataObject[] | undefined> {
		const { main } = this;
		if (!main?.isAlive) return undefined;
		const context = {
			...this.contextOf(main, trigger, 'a person'),
			getExecutionCancelSignal: () => undefined,
			getMode: () => 'trigger',
			getNodeParameter: (path: string, _item: number, fallback: unknown) =>
				valueAt(parameters, path) ?? fallback,
			addExecutionHints: () => {},
		} as unknown as IExecuteFunctions;
		const service = await main.package.Service.connect(context);
		const { executeItem } = main.package[name] as ItemOperation;
		const items = await executeItem.call(context, service, 0);
		return items.map(({ json }) => json);
	}

	/** A person retries an execution that n8n lists as failed or crashed. Without its data, the retry fails at once. */
	retry(execution: Execution): void {
		if (!this.main?.isAlive || !['error', 'crashed', 'dropped'].includes(execution.status)) return;
		const again = new Execution(
			this.nextId(),
			execution.trigger,
			execution.items,
			this.clock.now,
			execution.startedBy,
			execution,
		);
		this.executions.push(again);
		if (execution.status === 'dropped') this.end(again, 'dropped');
		else this.run(again);
	}

	/** The queue is lost. n8n lists all its executions as crashed, but workers continue with what they were running. */
	loseQueue(): void {
		if (!this.isQueue) return;
		this.jobs = [];
		for (const execution of this.executions) this.end(execution, 'crashed');
	}

	/**
	 * A delivery arrives.
	 *
	 * @param answer gets the status of the response, or undefined if nobody answers
	 */
	receive(delivery: Delivery, answer: (status: number | undefined) => void): void {
		const { main } = this;
		if (!main?.isAlive) return answer(undefined);
		void this.webhook(main, delivery).then(answer);
	}

	private nextId(): string {
		return `${this.id}-execution-${this.executions.length + 1}`;
	}

	private endLife({ life }: Active): void {
		life.to = Math.min(life.to, this.clock.now);
	}

	private mainEnded(main: Process): void {
		for (const active of this.active.values()) this.endLife(active);
		this.active = new Map();
		this.listening = new Set();
		this.publications = new Map();
		this.publishing = new Map();
		for (const execution of this.executions) {
			if (execution.process === main && execution.status === 'running') {
				this.end(execution, 'crashed');
			}
			if (execution.status === 'new' && !this.jobs.includes(execution)) {
				this.end(execution, this.behaviour.nextIsListed() ? 'crashed' : 'lost');
			}
		}
	}

	private workerEnded(worker: Process): void {
		this.workers.splice(this.workers.indexOf(worker), 1);
		for (const execution of this.executions) {
			if (execution.process !== worker || execution.status !== 'running') continue;
			this.clock.in(GIVEN_UP_MS, () => this.end(execution, 'dropped'));
		}
	}

	private end(execution: Execution, status: Status): void {
		if (!['new', 'running'].includes(execution.status)) return;
		execution.status = status;
		execution.endedAt = this.clock.now;
		execution.onEnd();
	}

	/** Runs a step of a publication after the steps before it. */
	private enqueue(workflow: Workflow, work: () => Promise<void>): void {
		const before = this.publications.get(workflow) ?? Promise.resolve();
		this.publications.set(workflow, before.then(work));
	}

	/** n8n 2 uses one workflow object for the hooks and `trigger`, and stores its static data at the end. */
	private async activate(workflow: Workflow, mode: Activation): Promise<void> {
		const { main } = this;
		if (!main) return;
		this.publishing.set(workflow, this.clock.now);
		await this.database.query(main);
		const staticData = JSON.parse(workflow.staticData) as IDataObject;
		const areRegistered = await Promise.all([
			...workflow.triggers.map(
				async (trigger) => await this.register(main, trigger, staticData, mode),
			),
			...workflow.triggers.map(
				async (trigger) => await this.startTrigger(main, trigger, staticData, mode),
			),
		]);
		this.publishing.delete(workflow);
		this.onPublished(workflow);
		workflow.isFailed = areRegistered.includes(false);
		await this.save(main, workflow, staticData);
	}

	private async register(
		main: Process,
		trigger: Trigger,
		staticData: IDataObject,
		mode: Activation,
	): Promise<boolean> {
		for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
			if (attempt > 0) await main.pause(1_000 * 2 ** (attempt - 1));
			await this.database.query(main);
			trigger.isRouted = true;
			try {
				await this.hooks(main, trigger, staticData, mode);
				return true;
			} catch (error) {
				if (mode === 'init')
					this.violations.push(`${trigger.name} failed when n8n started: ${error}`);
				await this.hook(main, trigger, staticData, mode, 'delete');
				await this.save(main, trigger.workflow, staticData);
				trigger.isRouted = false;
			}
		}
		return false;
	}

	private async hooks(
		main: Process,
		trigger: Trigger,
		staticData: IDataObject,
		mode: Activation,
	): Promise<void> {
		if (!(await this.hook(main, trigger, staticData, mode, 'checkExists'))) {
			await this.hook(main, trigger, staticData, mode, 'create');
		}
	}

	private async hook(
		main: Process,
		trigger: Trigger,
		staticData: IDataObject,
		mode: Activation,
		name: WebhookSetupMethodNames,
	): Promise<boolean> {
		const work = typeOf(main).webhookMethods?.default?.[name];
		const folder = mode === 'manual' ? 'webhook-test' : 'webhook';
		const context = {
			...this.contextOf(main, trigger, mode === 'manual' ? `${trigger.name} test` : trigger.name),
			getMode: () => (name === 'delete' ? 'internal' : mode === 'manual' ? 'manual' : 'trigger'),
			getActivationMode: () => (name === 'delete' ? 'update' : mode),
			getNodeWebhookUrl: () => this.addressOf(trigger, folder),
			getWorkflowStaticData: () => dataOf(staticData, trigger),
		};
		try {
			return (await work?.call(context as unknown as IHookFunctions)) ?? false;
		} catch (error) {
			if (name === 'delete')
				this.violations.push(`${trigger.name} threw when it was removed: ${error}`);
			throw error;
		}
	}

	private async deactivate(workflow: Workflow): Promise<void> {
		const { main } = this;
		if (!main) return;
		await this.database.query(main);
		for (const trigger of workflow.triggers) trigger.isRouted = false;
		const staticData = JSON.parse(workflow.staticData) as IDataObject;
		await Promise.all(
			workflow.triggers.map(async (trigger) => {
				const active = this.active.get(trigger);
				active?.stop();
				if (active) this.endLife(active);
				await active?.close();
				this.active.delete(trigger);
				await this.hook(main, trigger, staticData, 'activate', 'delete');
			}),
		);
		await this.save(main, workflow, staticData);
	}

	private async save(main: Process, workflow: Workflow, staticData: IDataObject): Promise<void> {
		await this.database.query(main);
		workflow.staticData = JSON.stringify(staticData);
		workflow.oldData ??= workflow.staticData;
	}

	private async startTrigger(
		main: Process,
		trigger: Trigger,
		staticData: IDataObject,
		mode: Activation,
	): Promise<undefined> {
		let isStopped = false;
		// A failed publication leaves its schedule, and n8n accepts only one schedule of a trigger
		// (`scheduled-task-manager.js` of n8n), so the polls stay those of the failed publication.
		const former = this.active.get(trigger);
		const life: Life = {
			trigger,
			from: this.clock.now,
			to: Infinity,
			polls: [this.clock.now],
			isShared: former !== undefined,
		};
		this.lives.push(life);
		if (former) this.endLife(former);
		const active: Active = {
			life,
			stop:
				former?.stop ??
				(() => {
					isStopped = true;
				}),
			close: async () => {},
		};
		this.active.set(trigger, active);
		const schedule = (expression: string, tick: () => void) => {
			const now = BEGINNING + this.clock.now + main.offset;
			main.in(nextTick(expression, now) - now, () => {
				if (isStopped) return;
				life.polls.push(this.clock.now);
				tick();
				schedule(expression, tick);
			});
		};
		const context = {
			...this.contextOf(main, trigger, trigger.name),
			getMode: () => 'trigger',
			getActivationMode: () => mode,
			getWorkflowStaticData: () => dataOf(staticData, trigger),
			emit: ([items]: INodeExecutionData[][], _: undefined, done: Deferred<IRun>) =>
				this.emit(main, trigger, items, done),
		};
		Object.assign(context.helpers, {
			createDeferredPromise: deferred,
			registerCron: ({ expression }: { expression: string }, tick: () => void) => {
				if (!former) schedule(expression, tick);
			},
		});
		const response = await typeOf(main).trigger?.call(context as unknown as ITriggerFunctions);
		active.close = async () => await response?.closeFunction?.();
	}

	private emit(
		main: Process,
		trigger: Trigger,
		items: INodeExecutionData[],
		done: Deferred<IRun>,
	): void {
		const begun = this.store(main, trigger, items, 'trigger').then((execution) => {
			execution.onEnd = () => {
				if (main.isAlive) reportEnd(done, execution);
			};
			this.run(execution);
		});
		begun.catch(done.reject);
	}

	private async webhook(main: Process, { url, body }: Delivery): Promise<number> {
		await this.database.query(main);
		const { searchParams, pathname } = new URL(url);
		const trigger = this.triggers.find(
			(one) =>
				one.isRouted && new URL(this.addressOf(one)).pathname === pathname.replace(/\/+$/, ''),
		);
		if (!trigger) return 404;
		const staticData = JSON.parse(trigger.workflow.staticData) as IDataObject;
		let status = 200;
		const response = {
			status: (code: number) => {
				status = code;
				return response;
			},
			setHeader: () => {},
			json: () => {},
		};
		const context = {
			...this.contextOf(main, trigger, trigger.name),
			getMode: () => 'webhook',
			getWorkflowStaticData: () => dataOf(staticData, trigger),
			getQueryData: () => Object.fromEntries(searchParams),
			getHeaderData: () => ({}),
			getRequestObject: () => ({ rawBody: Buffer.from(body) }),
			getResponseObject: () => response,
		};
		const { workflowData } =
			(await typeOf(main).webhook?.call(context as unknown as IWebhookFunctions)) ?? {};
		if (!workflowData) return status;
		try {
			this.run(await this.store(main, trigger, workflowData[0], 'webhook'));
		} catch {
			return 500;
		}
		return 200;
	}

	private async store(
		main: Process,
		trigger: Trigger,
		items: INodeExecutionData[],
		startedBy: Execution['startedBy'],
	): Promise<Execution> {
		const emittedAt = this.clock.now;
		const fault = this.database.nextFault();
		await this.database.query(main);
		if (fault === 'before') throw new Error('SQLITE_BUSY: database is locked');
		// n8n stores a copy, which the node cannot change any more.
		const stored = JSON.parse(JSON.stringify(items)) as INodeExecutionData[];
		const execution = new Execution(this.nextId(), trigger, stored, this.clock.now, startedBy);
		execution.emittedAt = emittedAt;
		this.executions.push(execution);
		if (fault === 'after') throw new Error('Connection terminated unexpectedly');
		return execution;
	}

	private run(execution: Execution): void {
		if (this.isQueue) {
			this.jobs.push(execution);
			this.clock.in(this.database.nextLatency(), () => this.handOutJobs());
		} else if (this.main) {
			void this.execute(execution, this.main);
		}
	}

	private handOutJobs(): void {
		while (this.jobs.length > 0 && this.workers.length > 0) {
			const execution = this.jobs[0];
			this.jobs.shift();
			void this.execute(execution, this.workers[this.next++ % this.workers.length]);
		}
	}

	private async execute(execution: Execution, process: Process): Promise<void> {
		execution.process = process;
		execution.status = 'running';
		await this.database.query(process);
		const { behaviour } = this;
		if (execution.given === undefined) {
			try {
				execution.given = await this.emitted(execution, process);
			} catch (error) {
				const { context, message, description } = error as {
					context?: IDataObject;
					message: string;
					description?: string | null;
				};
				execution.code = String(context?.code ?? String(error));
				execution.message = `${message} ${description ?? ''}`;
				await this.database.query(process);
				return this.end(execution, 'error');
			}
		}
		if (execution.given.length > 0) {
			await process.pause(behaviour.nextHandlerMs());
			const isFailure = this.behaviour.nextFailure();
			execution.isHandled = !isFailure;
			await this.database.query(process);
			return this.end(execution, isFailure ? 'error' : 'success');
		}
		await this.database.query(process);
		this.end(execution, 'success');
	}

	private async emitted(execution: Execution, process: Process): Promise<IDataObject[]> {
		const { trigger, id, items } = execution;
		const common = this.contextOf(process, trigger, trigger.name, (line) =>
			execution.log.push(line),
		);
		const { helpers, getNodeParameter } = common;
		const context = {
			...common,
			getMode: () => (execution.root === execution ? execution.startedBy : 'retry'),
			getExecutionId: () => id,
			getInputData: () => items,
			getContext: () => execution.root.context,
			getNodeParameter: (name: string, _item: number, fallback: unknown) =>
				getNodeParameter(name, fallback),
			helpers: {
				...helpers,
				...this.database.helpersOf(process, trigger.node, {
					id: trigger.workflow.id,
					active: trigger.workflow.isPublished,
				}),
			},
		};
		const output = await typeOf(process).execute?.call(context as unknown as IExecuteFunctions);
		return (output as INodeExecutionData[][])[0].map(({ json }) => json);
	}

	/** The functions that all contexts of n8n have. */
	private contextOf(
		process: Process,
		{ node, workflow }: Trigger,
		origin: string,
		log: (line: string) => void = () => {},
	) {
		const { database } = this;
		return {
			getNode: () => node,
			getWorkflow: () => ({ id: workflow.id, name: workflow.name, active: true }),
			getInstanceId: () => this.id,
			getNodeParameter: (path: string, fallback: unknown) =>
				valueAt(node.parameters, path) ?? fallback,
			getCredentials: async () => await database.readCredential(process, node),
			logger: { info: log, warn: log },
			helpers: {
				...this.network.helpersOf({ process, origin, node, database }),
			},
		};
	}
}

const types = new WeakMap<object, INodeType>();

/** The trigger of a process, which creates one of each node type. */
function typeOf({ package: { PartnerPaymentsTrigger } }: Process): INodeType {
	const type = types.get(PartnerPaymentsTrigger) ?? new PartnerPaymentsTrigger();
	types.set(PartnerPaymentsTrigger, type);
	return type;
}

/** The static data of a node. */
function dataOf(staticData: IDataObject, { node }: Trigger): IDataObject {
	return (staticData[`node:${node.name}`] ??= {}) as IDataObject;
}

interface Deferred<T> {
	promise: Promise<T>;
	resolve: (value: T) => void;
	reject: (error: Error) => void;
}

function deferred<T>(): Deferred<T> {
	let resolve: (value: T) => void = () => {};
	let reject: (error: Error) => void = () => {};
	const promise = new Promise<T>((yes, no) => {
		resolve = yes;
		reject = no;
	});
	return { promise, resolve, reject };
}

/** n8n reports the end of an execution, unless it is listed as crashed. */
function reportEnd(done: Deferred<IRun>, { status, trigger, code }: Execution): void {
	const lastNodeExecuted = status === 'dropped' ? undefined : trigger.node.name;
	const run = {
		status: status === 'success' ? status : 'error',
		data: {
			resultData: {
				runData: {},
				lastNodeExecuted,
				error: status === 'error' && { context: { code } },
			},
		},
	};
	if (status !== 'crashed') done.resolve(run as unknown as IRun);
}

const MINUTE_MS = 60_000;

/** The next moment of a schedule. Its seconds are a number; its minutes are a number, `*` or a step. */
function nextTick(expression: string, now: number): number {
	const [second, minute] = expression.split(' ');
	const [, each] = minute.split('/');
	const isDue = (time: number) => {
		const current = Math.floor(time / MINUTE_MS) % 60;
		if (minute === '*') return true;
		return each === undefined ? current === Number(minute) : current % Number(each) === 0;
	};
	let time = Math.floor(now / MINUTE_MS) * MINUTE_MS + Number(second) * 1_000;
	while (time <= now || !isDue(time)) time += MINUTE_MS;
	return time;
}
