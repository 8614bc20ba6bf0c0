/* eslint-disable @n8n/community-nodes/require-node-api-error -- runs beside n8n, not in it */
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

import type { Clock } from './clock';
import type { Database } from './database';
import type { Delivery } from './eventService';
import { valueAt } from './n8n';
import type { Network } from './network';
import { BEGINNING } from './package';
import type { Process } from './process';

/** Why n8n calls the hooks: somebody publishes, n8n starts, or somebody listens for a test event. */
type Activation = 'activate' | 'init' | 'manual';

/** A workflow as n8n has it stored. */
export interface Workflow {
	id: string;
	name: string;
	triggers: Trigger[];
	isPublished: boolean;
	/** Whether its last publication failed: n8n says so, and leaves it at that. */
	isFailed: boolean;
	/** As JSON. */
	staticData: string;
}

/** A trigger node of a workflow. */
export interface Trigger {
	/** For whoever looks on. */
	name: string;
	node: INode;
	workflow: Workflow;
	/** Whether n8n's table of webhooks has its path. */
	isRouted: boolean;
}

/** What main holds of a published trigger. */
interface Active {
	/** Takes its schedule back. */
	stop: () => void;
	close: () => Promise<void>;
}

/**
 * - new: stored, and not begun with
 * - crashed: n8n lists it so, and has its data
 * - lost: it is listed as nothing, and never comes to an end
 * - dropped: it ended as an error, and its data is gone
 */
export type Status = 'new' | 'running' | 'success' | 'error' | 'crashed' | 'lost' | 'dropped';

/** One execution, or one that runs it again. */
export class Execution {
	status: Status = 'new';

	process?: Process;

	/** What the trigger gave out, once it has. */
	given?: IDataObject[];

	/** Whether the handler got to its end. */
	isHandled = false;

	/** The code of what the trigger failed with. */
	code?: string;

	/** What the trigger wrote to n8n's log. */
	readonly log: string[] = [];

	/** The first of those that run the same again. */
	readonly root: Execution;

	/** Told when n8n knows that it is over. */
	onEnd = (): void => {};

	constructor(
		readonly id: string,
		readonly trigger: Trigger,
		readonly items: INodeExecutionData[],
		readonly at: number,
		from?: Execution,
	) {
		this.root = from?.root ?? this;
		// What has run through is not run again, but n8n has it of an execution that ended alone.
		if (from?.status === 'error') this.given = from.given;
	}
}

/** How n8n and what it stands on behave. */
export interface N8nBehaviour {
	/** In whole seconds: how long the rest of the workflow takes, for one execution after the other. */
	nextHandlerMs: () => number;
	/** Whether the rest of the workflow fails, for one execution after the other. */
	nextFailure: () => boolean;
	/** Whether n8n lists as crashed what was stored and not begun with when it was killed. */
	nextIsListed: () => boolean;
}

/** After a worker was killed, n8n takes so long to give up what it executed. */
const GIVEN_UP_MS = 60_000;

/** After this time n8n gives up a publication (`workflow-publication-outbox-consumer.js` of n8n). */
const PUBLICATION_MS = 84_000;

/** n8n tries so often to publish a trigger (`retryTriggerActivation` of n8n 2). */
const MAX_ATTEMPTS = 5;

/** An installation of n8n: main, and in queue mode workers, on one database, with its workflows. */
export class Installation {
	readonly workflows: Workflow[] = [];

	readonly executions: Execution[] = [];

	/** What is wrong whatever else is so. */
	readonly violations: string[] = [];

	main?: Process;

	/** Those that are there. In queue mode workers come again by themselves. */
	readonly workers: Process[] = [];

	private jobs: Execution[] = [];

	private next = 0;

	private listening = new Set<Trigger>();

	/** By trigger: what main holds. */
	private active = new Map<Trigger, Active>();

	/** By workflow: when main began to publish it. */
	private publishing = new Map<Workflow, number>();

	/** By workflow: what main does with its publication, one after the other. */
	private publications = new Map<Workflow, Promise<void>>();

	/**
	 * @param isQueue whether executions are run by workers
	 * @param address under which it is reached
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

	/** Where the service reaches a trigger. */
	addressOf({ node }: Trigger, folder = 'webhook'): string {
		return `${this.address}/${folder}/${node.webhookId}/webhook`;
	}

	/** Starts main, which activates what is published. */
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

	/** Whether n8n is about to publish a workflow, and has not given it up. */
	isPublishing(workflow: Workflow): boolean {
		const since = this.publishing.get(workflow) ?? -Infinity;
		return this.clock.now - since < PUBLICATION_MS;
	}

	/** "Listen for test event", for a while: nothing of it is kept. */
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

	/** "Retry execution", by a person who sees it as failed or crashed. */
	retry(execution: Execution): void {
		if (!this.main?.isAlive || !['error', 'crashed'].includes(execution.status)) return;
		const again = new Execution(
			this.nextId(),
			execution.trigger,
			execution.items,
			this.clock.now,
			execution,
		);
		this.executions.push(again);
		this.run(again);
	}

	/** The queue is gone: n8n lists as crashed what was in it, and what workers are at, which go on all the same. */
	loseQueue(): void {
		if (!this.isQueue) return;
		this.jobs = [];
		for (const execution of this.executions) this.end(execution, 'crashed');
	}

	/**
	 * A delivery arrives.
	 *
	 * @param answer is told the status of the answer, or nothing where nobody is there
	 */
	receive(delivery: Delivery, answer: (status: number | undefined) => void): void {
		const { main } = this;
		if (!main?.isAlive) return answer(undefined);
		void this.webhook(main, delivery).then(answer);
	}

	private nextId(): string {
		return `${this.id}-execution-${this.executions.length + 1}`;
	}

	private mainEnded(main: Process): void {
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
		execution.onEnd();
	}

	/** Does something with a publication when what was begun before is done. */
	private enqueue(workflow: Workflow, work: () => Promise<void>): void {
		const before = this.publications.get(workflow) ?? Promise.resolve();
		this.publications.set(workflow, before.then(work));
	}

	/** n8n 2 keeps one workflow for hooks and `trigger`, and stores its static data when all are done. */
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
				if (mode === 'init') this.violations.push(`${trigger.name} failed at the start: ${error}`);
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
	}

	private async startTrigger(
		main: Process,
		trigger: Trigger,
		staticData: IDataObject,
		mode: Activation,
	): Promise<undefined> {
		let isStopped = false;
		// A publication that failed leaves its schedule, and n8n takes no second one of a trigger
		// (`scheduled-task-manager.js` of n8n): the turns stay those of the publication that failed.
		const former = this.active.get(trigger);
		const active: Active = {
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
		const begun = this.store(main, trigger, items).then((execution) => {
			execution.onEnd = () => {
				if (main.isAlive) settle(done, execution);
			};
			this.run(execution);
		});
		begun.catch(done.reject);
	}

	private async webhook(main: Process, { url, headers, body }: Delivery): Promise<number> {
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
			json: () => {},
		};
		const context = {
			...this.contextOf(main, trigger, trigger.name),
			getMode: () => 'webhook',
			getWorkflowStaticData: () => dataOf(staticData, trigger),
			getQueryData: () => Object.fromEntries(searchParams),
			getHeaderData: () => headers,
			getRequestObject: () => ({ rawBody: Buffer.from(body) }),
			getResponseObject: () => response,
		};
		const { workflowData } =
			(await typeOf(main).webhook?.call(context as unknown as IWebhookFunctions)) ?? {};
		if (!workflowData) return status;
		try {
			this.run(await this.store(main, trigger, workflowData[0]));
		} catch {
			return 500;
		}
		return 200;
	}

	private async store(
		main: Process,
		trigger: Trigger,
		items: INodeExecutionData[],
	): Promise<Execution> {
		const fault = this.database.nextFault();
		await this.database.query(main);
		if (fault === 'before') throw new Error('SQLITE_BUSY: database is locked');
		// As n8n stores it: what the node goes on to change is its own.
		const stored = JSON.parse(JSON.stringify(items)) as INodeExecutionData[];
		const execution = new Execution(this.nextId(), trigger, stored, this.clock.now);
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
				execution.given = await this.giveOut(execution, process);
			} catch (error) {
				execution.code = String((error as { context?: IDataObject }).context?.code ?? error);
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

	private async giveOut(execution: Execution, process: Process): Promise<IDataObject[]> {
		const { trigger, id, items } = execution;
		const common = this.contextOf(process, trigger, trigger.name, (line) =>
			execution.log.push(line),
		);
		const { helpers, getNodeParameter } = common;
		const context = {
			...common,
			getMode: () => (execution.root === execution ? 'trigger' : 'retry'),
			getExecutionId: () => id,
			getInputData: () => items,
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

	/** What all contexts of n8n have in common. */
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
			getCredentials: async () => await database.readCredential(process),
			logger: { info: log, warn: log },
			helpers: {
				...this.network.helpersOf({ process, origin, node, database }),
			},
		};
	}
}

const types = new WeakMap<object, INodeType>();

/** A process makes one of each node type. */
function typeOf({ package: { PartnerPaymentsTrigger } }: Process): INodeType {
	const type = types.get(PartnerPaymentsTrigger) ?? new PartnerPaymentsTrigger();
	types.set(PartnerPaymentsTrigger, type);
	return type;
}

/** What n8n keeps under the name of a node. */
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

/** What n8n tells of an execution when it is over: of one that is listed as crashed nothing. */
function settle(done: Deferred<IRun>, { status, trigger }: Execution): void {
	const lastNodeExecuted = status === 'dropped' ? undefined : trigger.node.name;
	const run = {
		status: status === 'success' ? status : 'error',
		data: { resultData: { runData: {}, lastNodeExecuted } },
	};
	if (status !== 'crashed') done.resolve(run as unknown as IRun);
}

const MINUTE_MS = 60_000;

/** When a schedule comes round: the seconds are a number, the minutes a number, all, or each so many. */
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
