/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/require-node-api-error -- runs outside n8n */
import { randomUUID } from 'node:crypto';
import {
	ExecutionLifecycleHooks,
	HookContext,
	TriggerContext,
	WebhookContext,
	WorkflowExecute,
} from 'n8n-core';
import type {
	IDataObject,
	INode,
	INodeExecutionData,
	INodeParameters,
	IRun,
	ITriggerFunctions,
	IWebhookData,
	IWorkflowExecuteAdditionalData,
	WorkflowActivateMode,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import { createRunExecutionData, Workflow } from 'n8n-workflow';

import { PartnerPaymentsTrigger } from '../../nodes/PartnerPaymentsTrigger/PartnerPaymentsTrigger.node';
import { isObject } from '../../nodes/service/json';
import { type Webhook, type WebhookLog } from '../../sandbox/state';
import { installProcessedItems } from '../engine/processedItems';
import { additionalData, CREDENTIAL_ID, CREDENTIAL_TYPE } from '../engine/runNode';
import { type TestService } from '../engine/service';

export const TRIGGER_TYPE = 'n8n-nodes-partner-payments.partnerPaymentsTrigger';

/** How far time passes until requests are waited for. */
const STEP_MS = 1_000;

/** Where a trigger is. Two that differ in any of it are not the same. */
interface Place {
	instance?: string;
	workflowId?: string;
	nodeId?: string;
	/** Of n8n, under which the service reaches it. */
	address?: string;
}

/** An execution that a poll started. */
export interface Started {
	items: INodeExecutionData[];
	/** Ends it, as n8n does. */
	end: (run?: object) => void;
}

/** How an execution ended. */
interface Executed {
	id: string;
	/** What the trigger emitted. */
	json: IDataObject[];
	error?: Error & { description?: string | null };
}

/** A delivery of the service, or of somebody else. */
interface Delivery {
	/** Of the address that is called. */
	query?: IDataObject;
	headers?: Record<string, string>;
	body?: string | Buffer;
	/** Whether n8n has read the body: it reads only what it knows how to parse. */
	isRead?: boolean;
	mode?: WorkflowExecuteMode;
}

/** What came of a delivery. */
interface Delivered {
	/** What the node answered; nothing where n8n answers. */
	status?: number;
	message?: string;
	headers?: Record<string, string>;
	/** What n8n answers. */
	response?: unknown;
	/** With what an execution starts. */
	items?: INodeExecutionData[];
}

/** The parameters that stand under Options in the form. */
const OPTION_NAMES = ['simplify', 'verifyDeliveries'];

/** A node's parameters with further ones: tests name those under Options like any other. */
function withOptions(parameters: INodeParameters, more: INodeParameters): INodeParameters {
	const options: INodeParameters = {
		...(parameters.options as INodeParameters),
		...(more.options as INodeParameters),
	};
	const merged: INodeParameters = { ...parameters, ...more, options };
	for (const name of OPTION_NAMES) {
		if (!(name in merged)) continue;
		options[name] = merged[name];
		delete merged[name];
	}
	return merged;
}

/** The triggers that poll. They end with their test, and with the last one ends what they share. */
const polling = new Set<TestTrigger>();

afterEach(async () => {
	for (const trigger of polling) await trigger.end();
	polling.clear();
});

/** The trigger in a workflow of n8n's own, published and unpublished as n8n does it. */
export class TestTrigger {
	readonly place: Required<Place>;

	/** What polls started, the oldest first. */
	readonly started: Started[] = [];

	/** The items of accepted deliveries whose executions were not run. */
	private accepted: INodeExecutionData[][] = [];

	/** Whether executions end as soon as they have begun. */
	isQuick = true;

	/** What n8n answers instead of starting an execution. */
	startError: Error | undefined;

	/** By n8n, for its schedule. */
	expressions: string[] = [];

	private readonly node: INode;

	private readonly workflow: Workflow;

	private readonly type = new PartnerPaymentsTrigger();

	private onTick = () => {};

	private close: (() => Promise<void>) | undefined;

	private requests = 0;

	constructor(
		private readonly service: TestService,
		parameters: INodeParameters = {},
		place: Place = {},
	) {
		const nodeId = place.nodeId ?? randomUUID();
		this.place = {
			instance: 'instance-1',
			workflowId: 'workflow-1',
			address: 'http://n8n.example/webhook/',
			...place,
			nodeId,
		};
		this.node = {
			id: nodeId,
			name: 'Trigger',
			type: TRIGGER_TYPE,
			typeVersion: 1.1,
			position: [0, 0],
			webhookId: `path-of-${nodeId}`,
			parameters: withOptions({}, parameters),
			credentials: { [CREDENTIAL_TYPE]: { id: CREDENTIAL_ID, name: CREDENTIAL_ID } },
		};
		this.workflow = new Workflow({
			id: this.place.workflowId,
			name: 'Orders',
			nodes: [this.node],
			connections: {},
			active: true,
			nodeTypes: {
				getByName: () => this.type,
				getByNameAndVersion: () => this.type,
				getKnownTypes: () => ({}),
			},
		});
	}

	/** What the node keeps in the workflow, as it is now. */
	get kept(): IDataObject {
		return JSON.parse(JSON.stringify(this.staticData)) as IDataObject;
	}

	keep(data: IDataObject): void {
		Object.assign(this.staticData, data);
	}

	/** The names of the events of each execution that was started. */
	get transactions(): string[][] {
		return this.started.map(({ items }) =>
			items.map(({ json }) => String((json.payload as IDataObject | undefined)?.externalReference)),
		);
	}

	/** What failing executions reported. */
	get errors(): string[] {
		return this.started.flatMap(({ items }) =>
			items.flatMap(({ json: { partnerPaymentsAlarm: alarm } }) =>
				isObject(alarm) ? [`${String(alarm.message)}. ${String(alarm.hint)}`] : [],
			),
		);
	}

	set(parameters: INodeParameters): void {
		this.node.parameters = withOptions(this.node.parameters, parameters);
	}

	chooseCredential(id: string): void {
		this.node.credentials = { [CREDENTIAL_TYPE]: { id, name: id } };
	}

	/** n8n's hooks, as at a publication: registers the webhook. */
	async register(
		mode: WorkflowActivateMode = 'activate',
		executionMode?: WorkflowExecuteMode,
	): Promise<void> {
		const { checkExists, create } = this.hooks;
		if (!(await checkExists.call(this.hookContext(mode, executionMode)))) {
			expect(await create.call(this.hookContext(mode, executionMode))).toBe(true);
		}
	}

	/** n8n's hook at the end of a publication. */
	async remove(
		mode: WorkflowActivateMode = 'activate',
		executionMode?: WorkflowExecuteMode,
	): Promise<void> {
		expect(await this.hooks.delete.call(this.hookContext(mode, executionMode))).toBe(true);
	}

	/** n8n's hooks when a person listens for a test event (`test-webhooks.js` of n8n). */
	async listen(): Promise<void> {
		await this.register('manual', 'manual');
	}

	/** n8n's hook when that is over. */
	async endListening(): Promise<void> {
		await this.remove('update', 'internal');
	}

	/** Starts to poll, and polls once. */
	async start(
		mode: WorkflowActivateMode = 'activate',
		executionMode?: WorkflowExecuteMode,
	): Promise<void> {
		const context = this.triggerContext(mode, executionMode);
		const { closeFunction } = (await this.type.trigger?.call(context)) ?? {};
		this.close = closeFunction;
		polling.add(this);
		await this.untilIdle();
	}

	/** n8n's schedule comes round. */
	async poll(): Promise<void> {
		this.onTick();
		await this.untilIdle();
	}

	/** A poll during an outage, in which it tries again. The clock has to be stopped. */
	async pollInOutage(): Promise<void> {
		this.onTick();
		await this.outlastOutage();
	}

	/** The time in which a poll tries again. */
	async outlastOutage(): Promise<void> {
		await this.pass(150_000);
	}

	/** Lets time pass, and everything happen that is due. */
	async pass(milliseconds: number): Promise<void> {
		for (let passed = 0; passed < milliseconds; passed += STEP_MS) {
			await this.untilIdle();
			await jest.advanceTimersByTimeAsync(STEP_MS);
		}
		await this.untilIdle();
	}

	/** A poll that is not waited for. */
	beginPoll(): void {
		this.onTick();
	}

	async end(): Promise<void> {
		await this.close?.();
	}

	/** The references of the events that an execution emits, which must not fail. */
	async emitted(...execution: Parameters<TestTrigger['execute']>): Promise<unknown[]> {
		const { json, error } = await this.execute(...execution);
		expect(error).toBeUndefined();
		return names(json);
	}

	/** An execution that n8n starts at the trigger with these items, or runs again. */
	async execute(
		items: INodeExecutionData[],
		mode: WorkflowExecuteMode = 'trigger',
	): Promise<Executed> {
		installProcessedItems();
		const { node, workflow, data } = this;
		const { id, name } = workflow;
		data.hooks = new ExecutionLifecycleHooks(mode, String(data.executionId), {
			id,
			name: String(name),
			active: true,
			activeVersionId: null,
			isArchived: false,
			createdAt: new Date(),
			updatedAt: new Date(),
			nodes: [node],
			connections: {},
		});
		const begun = createRunExecutionData({
			executionData: { nodeExecutionStack: [{ node, data: { main: [items] }, source: null }] },
		});
		const run = await new WorkflowExecute(data, mode, begun).processRunExecutionData(workflow);
		const { error, runData } = run.data.resultData;
		const output = runData[node.name]?.at(-1)?.data?.main[0] ?? [];
		return { id: String(data.executionId), json: output.map(({ json }) => json), error };
	}

	/** Runs the executions of all accepted deliveries, which n8n would run at once. */
	async executeAccepted(): Promise<void> {
		for (const items of this.accepted.splice(0)) await this.execute(items, 'webhook');
	}

	/** A delivery reaches n8n. */
	async deliver({
		query = {},
		headers = {},
		body = '',
		isRead = true,
		mode = 'webhook',
	}: Delivery): Promise<Delivered> {
		const answered: Delivered = {};
		const rawBody = Buffer.from(body);
		const request = {
			query,
			headers,
			body: {},
			...(isRead && { rawBody }),
			readRawBody: async () => void Object.assign(request, { rawBody }),
		};
		const response = {
			status(status: number) {
				answered.status = status;
				return response;
			},
			setHeader: (name: string, value: string) => {
				answered.headers = { ...answered.headers, [name]: value };
			},
			json: ({ message }: IDataObject) => void (answered.message = String(message)),
		};
		const data = {
			...this.data,
			httpRequest: request,
			httpResponse: response,
		} as unknown as IWorkflowExecuteAdditionalData;
		const context = new WebhookContext(
			this.workflow,
			this.node,
			data,
			mode,
			{} as IWebhookData,
			[],
			null,
		);
		const result = await this.type.webhook?.call(context);
		expect(result?.noWebhookResponse === true).toBe(answered.status !== undefined);
		const [items] = result?.workflowData ?? [];
		if (items) this.accepted.push(items);
		return { ...answered, ...(items && { items, response: result?.webhookResponse as unknown }) };
	}

	/** Waits until every answer is read and handled. */
	async untilIdle(): Promise<void> {
		for (let quiet = 0; quiet < 50; quiet++) {
			if (this.requests > 0) quiet = 0;
			await new Promise((resolve) => setImmediate(resolve));
		}
	}

	/** Waits until something has happened that needs no time to pass. */
	async until(hasHappened: () => boolean): Promise<void> {
		while (!hasHappened()) await new Promise((resolve) => setImmediate(resolve));
	}

	private get staticData(): IDataObject {
		return this.workflow.getStaticData('node', this.node);
	}

	private get hooks() {
		const hooks = this.type.webhookMethods?.default;
		if (!hooks) throw new Error('The trigger has no hooks');
		return hooks;
	}

	private get data() {
		const { address } = this.place;
		return {
			...additionalData(this.service.credentials),
			webhookBaseUrl: address,
			webhookTestBaseUrl: `${address}test/`,
		};
	}

	private hookContext(
		mode: WorkflowActivateMode,
		executionMode: WorkflowExecuteMode = 'trigger',
	): HookContext {
		const { workflow, node, data } = this;
		const webhook = { isTest: executionMode !== 'trigger' } as IWebhookData;
		const context = new HookContext(workflow, node, data, executionMode, mode, webhook);
		context.getInstanceId = () => this.place.instance;
		return context;
	}

	private triggerContext(
		mode: WorkflowActivateMode,
		executionMode: WorkflowExecuteMode = 'trigger',
	): ITriggerFunctions {
		const emit: ITriggerFunctions['emit'] = ([items], _, done) => {
			if (this.startError) throw this.startError;
			const end = (run: object = {}) => done?.resolve(run as IRun);
			this.started.push({ items, end });
			if (this.isQuick) end();
		};
		const context = new TriggerContext(
			this.workflow,
			this.node,
			this.data,
			executionMode,
			mode,
			emit,
			undefined,
			undefined,
			{
				registerCron: ({ expression }, onTick) => {
					this.expressions.push(expression);
					this.onTick = onTick as () => void;
				},
			},
		);
		context.getInstanceId = () => this.place.instance;
		this.count(context.helpers);
		return context as unknown as ITriggerFunctions;
	}

	/** Knows of each request until its answer is read. */
	private count(helpers: ITriggerFunctions['helpers']): void {
		const request = helpers.httpRequestWithAuthentication;
		const ended = (body: unknown) => {
			const stream = body as NodeJS.ReadableStream | undefined;
			if (typeof stream?.once === 'function') stream.once('close', () => this.requests--);
			else this.requests--;
		};
		helpers.httpRequestWithAuthentication = async function (this: never, ...call) {
			counted();
			try {
				const answer = (await request.apply(this, call)) as { body?: unknown };
				ended(answer.body);
				return answer;
			} catch (error) {
				type Fault = { response?: { data?: unknown }; cause?: Fault };
				const fault = error as Fault;
				ended((fault.cause?.response ?? fault.response)?.data);
				throw error;
			}
		};
		const counted = () => this.requests++;
	}
}

/** The only webhook that the service has. */
export function onlyWebhook(service: TestService): Webhook {
	const webhooks = [...service.business.webhooks.values()];
	expect(webhooks).toHaveLength(1);
	return webhooks[0];
}

/** What was asked of the service that changes something. */
export function writings(service: TestService): string[] {
	return service
		.sent()
		.filter(({ method }) => method !== 'GET')
		.map(({ method }) => method);
}

/** An entry of the service's logs. */
interface Attempt {
	/** Distinguishes the event from others. */
	name: string;
	status?: WebhookLog['status'];
	/** So long ago. */
	minutes?: number;
	payload?: IDataObject;
	createdAt?: string;
	/** Of the answer to a delivery that failed. */
	statusCode?: number;
}

/** The references of events, in their order. */
export const names = (json: IDataObject[]): unknown[] =>
	json.map(({ externalReference }) => externalReference);

export function eventPayload(name: string, changes: IDataObject = {}): IDataObject {
	return {
		externalReference: name,
		status: 'completed_transaction',
		transactionType: 'withdrawal_ach',
		details: { transactionId: `id-of-${name}`, amount: '10.5' },
		...changes,
	};
}

/** An event on its way to the trigger's execution. */
export function eventItem(
	name: string,
	id: string = randomUUID(),
	payload: IDataObject = {},
): INodeExecutionData {
	return { json: { partnerPaymentsEventId: id, payload: eventPayload(name, payload) } };
}

/** Lets the service log an attempt to deliver. */
export function logged(
	service: TestService,
	webhookId: string,
	{ name, status = 'ERROR', minutes = 1, payload, createdAt, statusCode = 503 }: Attempt,
): void {
	const at = createdAt ?? new Date(Date.now() - minutes * 60_000).toISOString();
	service.business.logs.add({
		id: randomUUID(),
		webhookId,
		name: 'Orders',
		webhookUrl: 'http://n8n.example/webhook/',
		status,
		payload: eventPayload(name, payload),
		statusCode: status === 'SUCCESS' ? 200 : statusCode,
		duration: 12,
		retries: 0,
		createdAt: at,
		updatedAt: at,
	});
}

/** Lets time pass, in steps of so many milliseconds, until something is done or has failed. The clock has to be stopped. */
export async function untilDone<T>(running: Promise<T>, stepMs: number): Promise<T> {
	let isDone = false;
	void running.finally(() => (isDone = true)).catch(() => {});
	while (!isDone) {
		await new Promise((resolve) => setImmediate(resolve));
		await jest.advanceTimersByTimeAsync(stepMs);
	}
	return await running;
}

/** Time stands still, but for what a test lets pass; timers of the network go on. */
export function stopClock(): void {
	jest.useFakeTimers({
		doNotFake: [
			'hrtime',
			'nextTick',
			'performance',
			'queueMicrotask',
			'setImmediate',
			'clearImmediate',
			'setInterval',
			'clearInterval',
		],
	});
}
