import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { EVENT, eventItem, eventKey, matchesFilter } from '../../../logs/event';
import { entryTime, payloadIn } from '../../../logs/logEntry';
import { LogReader, type LogRange } from '../../../logs/logReader';
import { readPayload } from '../../../logs/payload';
import { collection, SIMPLIFY, textProperty } from '../../../fields/form';
import { idempotencyKey } from '../../../fields/text';
import { listedNames } from '../../../fields/validators';
import { toOperationError } from '../../../service/errors';
import { TRANSACTION_EVENTS } from '../../../service/enums';
import type { Operation } from '../../operations/operation';
import { readDate } from '../../operations/itemParameters';
import { showHint, userMessage } from '../../../messages/userMessage';
import { showSkippedEntries } from '../transaction/shared';
import { LOOKBACK, readLookback, showReading } from './shared';

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
		textProperty('Transactions', 'transactions', {
			required: true,
			placeholder: 'e.g. 1b9d6bcd-bbfd-…',
			description: 'Transaction IDs or references, separated by commas or line breaks',
			displayOptions: { show: { replayBy: ['transactions'] } },
		}),
		SIMPLIFY,
		collection('Filters', [
			{
				displayName: 'Events',
				name: 'events',
				type: 'multiOptions',
				options: TRANSACTION_EVENTS,
				default: [],
				description: 'Only these changes of status',
			},
			{
				...LOOKBACK,
				displayOptions: { show: { '/replayBy': ['transactions'] } },
			},
		]),
	],
	output: EVENT,
	async executeItem(service, itemIndex) {
		const wanted = readWanted(this, itemIndex);
		const { events = [] } = this.getNodeParameter('filters', itemIndex, {}) as {
			events?: string[];
		};
		const missing = new Map(wanted.names);
		const isWanted = (payload: IDataObject) => {
			if (!wanted.names) return true;
			const { transactionId = '', references } = readPayload(payload);
			const own = [transactionId, ...references].map(idempotencyKey);
			for (const name of own) missing.delete(name);
			return own.some((name) => wanted.names?.has(name));
		};
		const found = new Map<string, { time: number; payload: IDataObject }>();
		let withoutEvent = 0;
		const reader = new LogReader(service, {}, wanted);
		for await (const logs of reader.pages()) {
			for (const log of logs) {
				const payload = payloadIn(log);
				const time = entryTime(log);
				if (time < wanted.from || time >= wanted.to) continue;
				if (!payload) withoutEvent++;
				else if (isWanted(payload) && matchesFilter({ events, transactionTypes: [] }, payload)) {
					const key = eventKey(payload);
					if (time < (found.get(key)?.time ?? Infinity)) found.set(key, { time, payload });
				}
			}
		}
		const names = [...missing.values()].join(', ');
		if (names !== '') showHint(this, userMessage('eventsNotFound', { names }));
		showReading(this, reader);
		showSkippedEntries(this, { unreadable: withoutEvent });
		const simplify = this.getNodeParameter('simplify', itemIndex, false) === true;
		return [...found.values()]
			.sort((a, b) => a.time - b.time)
			.map(({ payload }) => eventItem(payload, simplify));
	},
};

/** The events to return. */
interface Wanted extends Pick<LogRange, 'since' | 'setting'> {
	from: number;
	to: number;
	/** Only of these transactions: what was entered, by its idempotency key. */
	names?: ReadonlyMap<string, string>;
}

function readWanted(context: IExecuteFunctions, itemIndex: number): Wanted {
	const required = (label: string) =>
		toOperationError(context, userMessage('parameterRequired', { label }), itemIndex);
	if (context.getNodeParameter('replayBy', itemIndex, 'period') === 'period') {
		const from = readDate(context, 'From', 'from', itemIndex);
		if (from === undefined) throw required('From');
		const to = readDate(context, 'To', 'to', itemIndex) ?? Infinity;
		return { since: from, setting: 'From', from, to };
	}
	const raw = String(context.getNodeParameter('transactions', itemIndex, ''));
	const names = listedNames(raw.replaceAll(',', '\n').replaceAll(';', '\n'));
	if (names.length === 0) throw required('Transactions');
	return {
		since: readLookback(context, 'filters.lookbackDays', itemIndex),
		from: -Infinity,
		to: Infinity,
		names: new Map(names.map((name) => [idempotencyKey(name), name])),
	};
}
