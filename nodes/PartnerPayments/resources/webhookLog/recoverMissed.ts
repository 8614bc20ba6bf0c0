import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { workflowIn } from '../../../shared/callbackSecret';
import {
	orForget,
	rememberable,
	REMEMBERED_EVENTS,
	takeLogged,
	type LoggedEvent,
} from '../../../shared/eventMemory';
import { EVENT, eventItem, isObject, transactionIdOf } from '../../../shared/events';
import { eachItem, type Operation } from '../../../shared/operation';
import { SIMPLIFY } from '../../../shared/simplify';
import { pathId, type Service } from '../../../shared/transport';
import {
	ACTIVE,
	listWebhooks,
	sameAddress,
	triggerWebhooks,
	type RegisteredWebhook,
} from '../../../shared/webhooks';
import { WEBHOOK_ID_PROPERTY } from '../webhook/webhook';
import { webhookLogs } from './logs';

/** Logs this much older than the last run's are read again: they may have been written late. */
const OVERLAP_MS = 10 * 60_000;

const HOUR_MS = 3_600_000;

/** The cursor of all webhooks together. */
const ALL = 'all';

/**
 * Section 4.12: `GET /v2/webhooks/logs`. Gives out the events that this workflow has not seen, in
 * the trigger's shape: those that came while n8n was down, or that it could not take.
 */
export const recoverMissed: Operation = {
	value: 'recoverMissed',
	name: 'Recover Missed Events',
	action: 'Recover missed events',
	description:
		'Get the events that this workflow has not processed yet, in the same shape as the Partner Payments Trigger. Put it after a Schedule Trigger, in the workflow of the trigger.',
	properties: [
		{
			displayName: 'Webhook Source',
			name: 'webhookSource',
			type: 'options',
			options: [
				{
					name: 'All Webhooks of the Account',
					value: 'all',
					description: 'Events of every webhook, also of other workflows',
				},
				{
					name: 'By ID',
					value: 'id',
				},
				{
					name: 'Trigger of This Workflow',
					value: 'trigger',
					description: 'The webhook that the Partner Payments Trigger of this workflow registered',
				},
			],
			default: 'trigger',
			description: 'Whose events to look for',
		},
		{ ...WEBHOOK_ID_PROPERTY, displayOptions: { show: { webhookSource: ['id'] } } },
		{
			displayName: 'Period',
			name: 'period',
			type: 'options',
			options: [
				{
					name: 'Between Dates',
					value: 'between',
					description:
						'For a run by hand. n8n remembers the last 10,000 events: older ones come again.',
				},
				{
					name: 'Since the Last Run',
					value: 'sinceLast',
				},
			],
			default: 'sinceLast',
			description: 'Which logs to read',
		},
		{
			displayName: 'First Run Looks Back (Hours)',
			name: 'lookBackHours',
			type: 'number',
			typeOptions: { minValue: 0 },
			default: 24,
			description: 'How far the first run looks back, before there is a last run',
			displayOptions: { show: { period: ['sinceLast'] } },
		},
		{
			displayName: 'From',
			name: 'from',
			type: 'dateTime',
			default: '',
			required: true,
			description: 'Only events that were delivered at this time or later',
			displayOptions: { show: { period: ['between'] } },
		},
		{
			displayName: 'To',
			name: 'to',
			type: 'dateTime',
			default: '',
			description: 'Only events that were delivered before this time. Left empty, up to now.',
			displayOptions: { show: { period: ['between'] } },
		},
		SIMPLIFY,
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			placeholder: 'Add Option',
			default: {},
			options: [
				{
					displayName: 'Repeat Transactions',
					name: 'repeatTransactions',
					type: 'string',
					default: '',
					placeholder: 'e.g. 1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed',
					description:
						'Transaction IDs, separated by commas. Their events are given out again, and no others. For a run by hand after n8n lost an execution that was handling them.',
					displayOptions: { show: { '/period': ['between'] } },
				},
				{
					displayName: 'Stop When Webhook Is Not Working',
					name: 'stopWhenUnhealthy',
					type: 'boolean',
					default: false,
					description:
						'Whether to stop with a message, before anything is given out, when the webhook is missing, switched off or points elsewhere. Otherwise a hint tells it.',
				},
			],
		},
	],
	output: EVENT,
	async execute() {
		const taken: IDataObject[] = [];
		const cursors: Cursors = {};
		const items = await orForget(
			this,
			() => taken,
			async () =>
				await eachItem(this, async (service, itemIndex) => {
					const found = await recover(this, service, itemIndex, cursors);
					taken.push(...found.taken);
					const simplify = this.getNodeParameter('simplify', itemIndex, false) === true;
					return found.given.map((payload) => eventItem(payload, simplify));
				}),
		);
		if (Object.keys(cursors).length) {
			const kept = this.getWorkflowStaticData('node') as KeptCursors;
			kept.seenUntil = { ...kept.seenUntil, ...cursors };
		}
		return items;
	},
};

/** By webhook: the time of the newest log that was read (milliseconds since 1970). */
type Cursors = Record<string, number>;

interface KeptCursors {
	seenUntil?: Cursors;
}

interface Found {
	/** What is given out, the oldest first. */
	given: IDataObject[];
	/** Those of them that count as processed since now. */
	taken: IDataObject[];
}

/** The missed events that one input item asks for. Moves the cursors on. */
async function recover(
	context: IExecuteFunctions,
	service: Service,
	itemIndex: number,
	cursors: Cursors,
): Promise<Found> {
	const own = await ownWebhooks(context, service);
	const chosen = chosenWebhooks(context, itemIndex, own.webhooks);
	if (chosen) await checkHealth(context, service, itemIndex, chosen);

	const { seenUntil: kept = {} } = context.getWorkflowStaticData('node') as KeptCursors;
	const moved: Cursors = {};
	const logged: LoggedEvent[] = [];
	for (const id of chosen?.map((webhook) => webhook.id) ?? [undefined]) {
		const cursor = kept[id ?? ALL];
		const { from, to, isByHand } = periodOf(context, itemIndex, cursor);
		const logs = webhookLogs(service, id === undefined ? {} : { webhookId: id }, { since: from });
		let newest = cursor ?? from;
		for await (const log of logs) {
			const time = timeOf(log);
			if (time < from || time >= to || !isObject(log.payload)) continue;
			newest = Math.max(newest, time);
			logged.push({ time, payload: log.payload });
		}
		if (!isByHand && own.mayKeepCursors) moved[id ?? ALL] = newest;
	}
	const repeated = transactionsToRepeat(context, itemIndex);
	if (repeated.size) return await repeat(context, logged, repeated);

	const { events, tooOld } = rememberable(logged);
	if (tooOld > 0) {
		const remembered = REMEMBERED_EVENTS.toLocaleString('en');
		context.addExecutionHints({
			message: `${tooOld} events of this period were left out: n8n remembers ${remembered} of a workflow, and cannot tell whether these older ones were handled. Choose a shorter period, or look at them with Webhook Log > Get Many.`,
			type: 'warning',
		});
	}
	const missed = await takeLogged(context, events);
	Object.assign(cursors, moved);
	const taken = missed.map(({ payload }) => payload);
	return { given: taken, taken };
}

function transactionsToRepeat(context: IExecuteFunctions, itemIndex: number): Set<string> {
	if (!isBetweenDates(context, itemIndex)) return new Set();
	const { repeatTransactions = '' } = context.getNodeParameter('options', itemIndex, {}) as {
		repeatTransactions?: string;
	};
	return new Set(
		String(repeatTransactions)
			.split(/[\s,;]+/)
			.filter((id) => id !== ''),
	);
}

/** The events of some transactions, whether or not the workflow has processed them. */
async function repeat(
	context: IExecuteFunctions,
	logged: LoggedEvent[],
	transactions: Set<string>,
): Promise<Found> {
	const { events } = rememberable(
		logged.filter(({ payload }) => transactions.has(transactionIdOf(payload) ?? '')),
	);
	const found = new Set(events.map(({ payload }) => transactionIdOf(payload)));
	const missing = [...transactions].filter((id) => !found.has(id));
	if (missing.length) {
		context.addExecutionHints({
			message: `The logs of this period have no event of the transaction ${missing.join(', ')}. Check the ID, or choose a longer period.`,
			type: 'warning',
		});
	}
	const taken = await takeLogged(context, events);
	return {
		given: events.map(({ payload }) => payload),
		taken: taken.map(({ payload }) => payload),
	};
}

/** When a log was written. One without a readable time counts as new: better twice looked at than missed. */
function timeOf(log: IDataObject): number {
	const written = log.createdAt ?? log.updatedAt;
	const time = typeof written === 'string' ? Date.parse(written) : NaN;
	return Number.isNaN(time) ? Date.now() : time;
}

interface ChosenWebhook {
	id: string;
	/** Where it should point, if this workflow knows. */
	address?: string;
}

interface OwnWebhooks {
	webhooks: ChosenWebhook[];
	/** Whether what is written into static data leaves the trigger's registration in it. */
	mayKeepCursors: boolean;
}

/**
 * The webhooks of this workflow's triggers. In queue mode n8n 2 gives a worker no static data, and
 * stores what the worker writes in place of all that was there: then the service is asked.
 */
async function ownWebhooks(context: IExecuteFunctions, service: Service): Promise<OwnWebhooks> {
	const registered = Object.values(triggerWebhooks(context));
	if (registered.length) {
		const inUse = registered.filter(({ isUnused }) => isUnused !== true);
		const webhooks = (inUse.length ? inUse : registered).map(({ webhookId, address }) => ({
			id: webhookId,
			address,
		}));
		return { webhooks, mayKeepCursors: true };
	}
	const workflowId = context.getWorkflow().id;
	const webhooks = (await listWebhooks(service))
		.filter(({ address }) => workflowId !== undefined && workflowIn(address) === workflowId)
		.map(({ id }) => ({ id }));
	return { webhooks, mayKeepCursors: webhooks.length === 0 };
}

/** @returns nothing for all webhooks of the account */
function chosenWebhooks(
	context: IExecuteFunctions,
	itemIndex: number,
	own: ChosenWebhook[],
): ChosenWebhook[] | undefined {
	const source = context.getNodeParameter('webhookSource', itemIndex, 'trigger');
	if (source === 'all') return undefined;
	if (source === 'id') {
		const id = pathId(
			context,
			'Webhook',
			context.getNodeParameter('webhookId', itemIndex, ''),
			itemIndex,
		);
		return [{ id }];
	}
	if (own.length === 0) {
		throw new NodeOperationError(
			context.getNode(),
			'This workflow has no Partner Payments Trigger that registered a webhook',
			{
				itemIndex,
				description:
					'Publish the workflow once with the trigger in it, or choose another Webhook Source.',
			},
		);
	}
	return own;
}

/** Tells which of the webhooks do not work, in a hint or, if the user wants that, in an error. */
async function checkHealth(
	context: IExecuteFunctions,
	service: Service,
	itemIndex: number,
	chosen: ChosenWebhook[],
): Promise<void> {
	const registered = await listWebhooks(service);
	const { stopWhenUnhealthy } = context.getNodeParameter('options', itemIndex, {}) as {
		stopWhenUnhealthy?: boolean;
	};
	for (const webhook of chosen) {
		const finding = whatIsWrong(registered, webhook);
		if (finding === undefined) continue;
		if (stopWhenUnhealthy === true) {
			throw new NodeOperationError(context.getNode(), finding, {
				itemIndex,
				description:
					'Publish the workflow of the trigger again, so that it registers its webhook. No event was given out, so the next run finds them.',
			});
		}
		context.addExecutionHints({ message: finding, type: 'warning' });
	}
}

/** Why events do not arrive by the webhook, as far as the service shows it. */
function whatIsWrong(
	registered: RegisteredWebhook[],
	{ id, address }: ChosenWebhook,
): string | undefined {
	const webhook = registered.find((entry) => entry.id === id);
	if (!webhook) return `The webhook ${id} is not registered at the service any more`;
	if (webhook.status !== ACTIVE) {
		return `The webhook ${id} has the status ${webhook.status} at the service, so it gets no events`;
	}
	if (address !== undefined && !sameAddress(webhook.address, address)) {
		return `The webhook ${id} points to ${withoutQuery(webhook.address)} and not to this workflow (${address})`;
	}
	return undefined;
}

/** The query may hold a secret. */
function withoutQuery(address: string): string {
	return address.split('?')[0];
}

function isBetweenDates(context: IExecuteFunctions, itemIndex: number): boolean {
	return context.getNodeParameter('period', itemIndex, 'sinceLast') === 'between';
}

function periodOf(
	context: IExecuteFunctions,
	itemIndex: number,
	seenUntil: number | undefined,
): { from: number; to: number; isByHand: boolean } {
	if (isBetweenDates(context, itemIndex)) {
		const from = dateOf(context, 'From', 'from', itemIndex);
		const to = dateOf(context, 'To', 'to', itemIndex) ?? Infinity;
		if (from === undefined) {
			throw new NodeOperationError(
				context.getNode(),
				`[Item ${itemIndex}] From is required when Period is Between Dates`,
				{ itemIndex },
			);
		}
		return { from, to, isByHand: true };
	}
	const hours = Number(context.getNodeParameter('lookBackHours', itemIndex, 24));
	const from =
		seenUntil === undefined
			? Date.now() - (Number.isFinite(hours) ? hours : 24) * HOUR_MS
			: seenUntil - OVERLAP_MS;
	return { from, to: Infinity, isByHand: false };
}

function dateOf(
	context: IExecuteFunctions,
	label: string,
	name: string,
	itemIndex: number,
): number | undefined {
	const value: unknown = context.getNodeParameter(name, itemIndex, '');
	if (value === '' || value === null || value === undefined) return undefined;
	// Dates of expressions are Luxon objects, whose text is ISO 8601.
	const time = Date.parse(String(value));
	if (Number.isNaN(time)) {
		throw new NodeOperationError(
			context.getNode(),
			`[Item ${itemIndex}] ${label} must be a date and time`,
			{ itemIndex, description: 'For example 2026-11-21T08:00:00Z.' },
		);
	}
	return time;
}
