import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { listedWords } from '../../../fields/text';
import { EVENT, eventItem, eventKey, matchesFilter } from '../../../webhooks/event';
import { entryTime, identifiersIn, payloadIn } from '../../../webhooks/logEntry';
import { readLogPages } from '../../../webhooks/logPages';
import { SIMPLIFY } from '../../../fields/form';
import { toOperationError } from '../../../service/errors';
import { TRANSACTION_EVENTS } from '../../../service/enums';
import type { Operation } from '../../operations/operation';
import { pathId, readDate } from '../../operations/itemParameters';
import { userMessage } from '../../operations/messages';
import { WEBHOOK_LOCATOR } from '../webhook/shared';

/** Section 4.12: `GET /v2/webhooks/logs`. Returns logged events in the trigger's shape, without deduplication. */
export const replay: Operation = {
	value: 'replay',
	name: 'Replay Events',
	action: 'Replay events',
	description:
		'Get the logged events of a period or of some transactions again, as the Partner Payments Trigger outputs them. Events that were already processed are included.',
	properties: [
		{
			displayName: 'Replay',
			name: 'replayBy',
			type: 'options',
			options: [
				{
					name: 'Period',
					value: 'period',
					description: 'The events that were logged in a period',
				},
				{
					name: 'Transactions',
					value: 'transactions',
					description: 'The events of some transactions',
				},
			],
			default: 'period',
			description: 'Which events to get',
		},
		{
			displayName: 'From',
			name: 'from',
			type: 'dateTime',
			default: '',
			required: true,
			description: 'Only events that were logged at this time or later',
			displayOptions: { show: { replayBy: ['period'] } },
		},
		{
			displayName: 'To',
			name: 'to',
			type: 'dateTime',
			default: '',
			description: 'Only events that were logged before this time. If empty, up to now.',
			displayOptions: { show: { replayBy: ['period'] } },
		},
		{
			displayName: 'Transactions',
			name: 'transactions',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. 1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed',
			description: 'Transaction IDs or references, separated by commas',
			displayOptions: { show: { replayBy: ['transactions'] } },
		},
		SIMPLIFY,
		{
			displayName: 'Filters',
			name: 'filters',
			type: 'collection',
			placeholder: 'Add Filter',
			default: {},
			options: [
				{
					displayName: 'Events',
					name: 'events',
					type: 'multiOptions',
					options: TRANSACTION_EVENTS,
					default: [],
					description: 'Only these changes of status',
				},
				{
					displayName: 'Webhook',
					name: 'webhookId',
					description: 'Only deliveries to this webhook, including failed ones',
					...WEBHOOK_LOCATOR,
				},
			],
		},
	],
	output: EVENT,
	async executeItem(service, itemIndex) {
		const wanted = replayFilter(this, itemIndex);
		const { events = [], webhookId } = this.getNodeParameter('filters', itemIndex, {}) as {
			events?: string[];
			webhookId?: unknown;
		};
		const filters = webhookId ? { webhookId: pathId(this, 'Webhook', webhookId, itemIndex) } : {};
		const found = new Map<string, { time: number; payload: IDataObject }>();
		for await (const log of readLogPages(service, filters, { since: wanted.from })) {
			const payload = payloadIn(log);
			const time = entryTime(log);
			if (!payload || time < wanted.from || time >= wanted.to) continue;
			if (!wanted.has(payload) || !matchesFilter({ events, transactionTypes: [] }, payload))
				continue;
			const key = eventKey(payload);
			if (time < (found.get(key)?.time ?? Infinity)) found.set(key, { time, payload });
		}
		wanted.showMissing();
		const simplify = this.getNodeParameter('simplify', itemIndex, false) === true;
		return [...found.values()]
			.sort((a, b) => a.time - b.time)
			.map(({ payload }) => eventItem(payload, simplify));
	},
};

/** The events to return. */
interface ReplayFilter {
	from: number;
	to: number;
	has(payload: IDataObject): boolean;
	/** Shows a hint with the transactions that have no event. */
	showMissing(): void;
}

function replayFilter(context: IExecuteFunctions, itemIndex: number): ReplayFilter {
	if (context.getNodeParameter('replayBy', itemIndex, 'period') === 'period') {
		const from = readDate(context, 'From', 'from', itemIndex);
		if (from === undefined) {
			throw toOperationError(context.getNode(), userMessage('periodWithoutStart'), itemIndex);
		}
		const to = readDate(context, 'To', 'to', itemIndex) ?? Infinity;
		return { from, to, has: () => true, showMissing: () => {} };
	}
	const names = listedWords(String(context.getNodeParameter('transactions', itemIndex, '')));
	if (names.length === 0) {
		throw toOperationError(context.getNode(), userMessage('nothingToReplay'), itemIndex);
	}
	const missing = new Set(names);
	const all = new Set(names);
	return {
		from: -Infinity,
		to: Infinity,
		has(payload) {
			const { transactionId = '', references } = identifiersIn(payload);
			const own = [transactionId, ...references];
			for (const name of own) missing.delete(name);
			return own.some((name) => all.has(name));
		},
		showMissing() {
			if (missing.size === 0) return;
			context.addExecutionHints({
				message: userMessage('eventsNotFound', { names: [...missing].join(', ') }).message,
				type: 'warning',
			});
		},
	};
}
