import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { withoutCallbackSecret } from '../../../logs/callbackSecret';
import { LOG, payloadIn } from '../../../logs/logEntry';
import { LogReader, type LogFilters } from '../../../logs/logReader';
import { readPayload } from '../../../logs/payload';
import { isEmpty } from '../../../fields/validators';
import { collection, textProperty } from '../../../fields/form';
import { idempotencyKey } from '../../../fields/text';
import { LOG_ERROR, LOG_STATUSES } from '../../../service/enums';
import type { Operation } from '../../operations/operation';
import { LIST_PROPERTIES, pathId, readLimit } from '../../operations/itemParameters';
import { WEBHOOK_LOCATOR } from '../webhook/shared';

/** Section 4.12: `GET /v2/webhooks/logs`. */
export const getAll: Operation = {
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many webhook logs',
	description:
		'Get the events that were sent to your webhooks. Use it to find those that did not arrive.',
	properties: [
		...LIST_PROPERTIES,
		collection('Filters', [
			textProperty('Reference', 'reference', {
				placeholder: 'e.g. 5f0c6f6e-3b1d-…',
				description: 'Only deliveries of events with this reference',
			}),
			{
				displayName: 'Status',
				name: 'status',
				type: 'options',
				options: LOG_STATUSES,
				default: LOG_ERROR,
				description: 'Only deliveries with this result',
			},
			textProperty('Transaction ID', 'transactionId', {
				placeholder: 'e.g. 1b9d6bcd-bbfd-…',
				description: 'Only deliveries of events of this transaction',
			}),
			{
				displayName: 'Webhook',
				name: 'webhookId',
				description: 'Only deliveries to this webhook',
				...WEBHOOK_LOCATOR,
			},
		]),
	],
	output: LOG,
	simplified: [
		'id',
		'webhookId',
		'name',
		'status',
		'statusCode',
		'retries',
		'createdAt',
		'payload',
	],
	async executeItem(service, itemIndex) {
		const wanted = readLimit(this, itemIndex);
		const { status, webhookId, reference, transactionId } = this.getNodeParameter(
			'filters',
			itemIndex,
			{},
		) as LogFilters & { reference?: unknown; transactionId?: unknown };
		const filters: LogFilters = {
			...(status && { status }),
			...(webhookId && { webhookId: pathId(this, 'Webhook', 'filters.webhookId', itemIndex) }),
		};
		const passes = eventFilter(reference, transactionId);
		const items: INodeExecutionData[] = [];
		// If the node filters the entries itself, the number of pages is unknown.
		const range = { ...(!passes && { max: wanted }), setting: 'Return All, Status or Webhook' };
		for await (const logs of new LogReader(service, filters, range).pages()) {
			for (const log of logs) {
				if (!passes || passes(log)) items.push({ json: withoutCallbackSecret(log) });
			}
			if (items.length >= wanted) break;
		}
		return items.slice(0, wanted);
	},
};

/** The filters that the service does not have, as one test; undefined if none is set. */
function eventFilter(
	reference: unknown,
	transactionId: unknown,
): ((log: IDataObject) => boolean) | undefined {
	if (isEmpty(reference) && isEmpty(transactionId)) return undefined;
	const isSame = (wanted: unknown, names: string[]) =>
		isEmpty(wanted) ||
		names.some((name) => idempotencyKey(name) === idempotencyKey(String(wanted)));
	return (log) => {
		const payload = payloadIn(log);
		if (!payload) return false;
		const { references, transactionId: id } = readPayload(payload);
		return isSame(reference, references) && isSame(transactionId, id === undefined ? [] : [id]);
	};
}
