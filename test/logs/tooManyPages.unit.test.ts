import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { webhookLogResource } from '../../nodes/PartnerPayments/resources/webhookLog';
import { transactionResource } from '../../nodes/PartnerPayments/resources/transaction';
import { PartnerPaymentsTrigger } from '../../nodes/PartnerPaymentsTrigger/PartnerPaymentsTrigger.node';
import type { BatchContext } from '../../nodes/batch/batchContext';
import { askLogs } from '../../nodes/batch/askLogs';
import type { Facts } from '../../nodes/batch/facts';
import type { Service } from '../../nodes/service/transport';
import { readLogPages } from '../../nodes/logs/logReader';
import { TransactionSearch } from '../../nodes/logs/transactionSearch';

/** A service with more pages than are read, which lists the newest or the oldest entries first. */
function endless(isNewestFirst = true): Service {
	let number = 0;
	const request = async ({ path }: { path: string }) => {
		if (path === '/v2/webhooks') return [];
		const logs = Array.from({ length: 3 }, () => {
			const seconds = ++number * (isNewestFirst ? -1 : 1);
			return { id: number, createdAt: new Date(Date.now() + seconds * 1_000).toISOString() };
		});
		return { logs, pagination: { totalPages: 10 ** 9 } };
	};
	return { request, endsAt: Infinity } as unknown as Service;
}

/** Runs an operation of a resource with parameters. */
async function run(
	{ operations }: typeof webhookLogResource,
	operation: string,
	parameters: IDataObject,
): Promise<unknown> {
	const found = operations.find(({ value }) => value === operation);
	if (!found || !('executeItem' in found)) throw new Error(`no ${operation}`);
	const context = {
		getNodeParameter: (name: string, _: number, fallback: unknown) => parameters[name] ?? fallback,
	};
	return await found.executeItem.call(context as unknown as IExecuteFunctions, endless(), 0);
}

/** The labels of fields and of what is in them. */
const labels = (properties: INodeProperties[]): string[] =>
	properties.flatMap(({ displayName, options = [] }) => [
		displayName,
		...labels(options.filter((one): one is INodeProperties => 'displayName' in one)),
	]);

const fieldsOf = ({ operations }: typeof webhookLogResource, operation: string): string[] =>
	labels(operations.find(({ value }) => value === operation)?.properties ?? []);

const from = new Date(0).toISOString();

test.each<[string, string[], string, () => Promise<unknown>]>([
	[
		'Webhook Log > Get Many',
		fieldsOf(webhookLogResource, 'getAll'),
		'Return All, Status or Webhook',
		async () => await run(webhookLogResource, 'getAll', { returnAll: true }),
	],
	[
		'Replay Events of a period',
		fieldsOf(webhookLogResource, 'replay'),
		'From',
		async () => await run(webhookLogResource, 'replay', { from }),
	],
	[
		'Replay Events of transactions',
		fieldsOf(webhookLogResource, 'replay'),
		'Lookback Window',
		async () =>
			await run(webhookLogResource, 'replay', {
				replayBy: 'transactions',
				transactions: 'a',
				'filters.lookbackDays': 99,
			}),
	],
	[
		'Transaction > Get Many',
		fieldsOf(transactionResource, 'getAll'),
		'From',
		async () => await run(transactionResource, 'getAll', { returnAll: true }),
	],
	[
		'Get Status',
		fieldsOf(transactionResource, 'getStatus'),
		'Lookback Window',
		async () =>
			await new TransactionSearch([{ reference: 'a', transactionId: '' }]).read(endless(), {
				since: 0,
			}),
	],
	[
		'the trigger',
		labels(new PartnerPaymentsTrigger().description.properties),
		'Lookback Window',
		async () => {
			for await (const log of readLogPages(endless(), {}, { since: 0 })) void log;
		},
	],
	[
		'a payout',
		['Check Delivery Logs'],
		'Check Delivery Logs',
		async () => {
			const batch = { service: endless(), options: { checkDeliveryLogs: 99 }, hints: [] };
			const row = { errors: [], idempotencyKey: 'a' };
			const context = { ...batch, endpoint: {} } as unknown as BatchContext;
			await askLogs(context, [{ row, errors: [] }] as unknown as Facts[]);
			return await Promise.reject(context.rejection);
		},
	],
])(
	'%s names a field of its form that reads fewer pages',
	async (_, fields, setting, running) => {
		await expect(running()).rejects.toMatchObject({
			code: 'tooManyLogPages',
			message: 'The service has more than 10000 pages of webhook logs',
			hint: `To read less, change ${setting}.`,
		});
		for (const name of setting.split(/, | or /)) {
			expect(fields).toContainEqual(expect.stringMatching(new RegExp(`^${name}($| \\()`)));
		}
	},
	60_000,
);

test.each([
	[{}, 'tooManyLogPages'],
	[{ since: 0 }, 'tooManyUnorderedLogPages'],
])(
	'blames the order of a service only if the range %j has a beginning',
	async (range, code) => {
		const reading = async () => {
			for await (const log of readLogPages(endless(false), {}, range)) void log;
		};
		await expect(reading()).rejects.toMatchObject({ code });
	},
	60_000,
);
