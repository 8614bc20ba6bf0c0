import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import type { Operation } from '../../nodes/PartnerPayments/operations/operation';
import { getAll as getTransactions } from '../../nodes/PartnerPayments/resources/transaction/getAll';
import { getStatus } from '../../nodes/PartnerPayments/resources/transaction/getStatus';
import { getAll as getLogs } from '../../nodes/PartnerPayments/resources/webhookLog/getAll';
import { replay } from '../../nodes/PartnerPayments/resources/webhookLog/replay';
import { PartnerPaymentsTrigger } from '../../nodes/PartnerPaymentsTrigger/PartnerPaymentsTrigger.node';
import type { BatchContext } from '../../nodes/batch/batchContext';
import { askLogs } from '../../nodes/batch/askLogs';
import type { Facts } from '../../nodes/batch/facts';
import { CHECK } from '../../nodes/batch/options/check';
import type { Service } from '../../nodes/service/transport';
import { readLogPages } from './readLogPages';
import { TransactionSearch } from '../../nodes/logs/transactionSearch';

/** A service with more pages than are read, which lists the newest entries first. */
function endless(): Service {
	let number = 0;
	const request = async ({ path }: { path: string }) => {
		if (path === '/v2/webhooks') return [];
		const logs = Array.from({ length: 3 }, () => {
			number++;
			return { id: number, createdAt: new Date(Date.now() - number * 1_000).toISOString() };
		});
		return { logs, pagination: { totalPages: 10 ** 9 } };
	};
	return { request, endsAt: Infinity } as unknown as Service;
}

/** Runs an operation with parameters. */
async function run(operation: Operation, parameters: IDataObject): Promise<unknown> {
	if (!('executeItem' in operation)) throw new Error('handles all items at once');
	const context = {
		getNodeParameter: (name: string, _: number, fallback: unknown) => parameters[name] ?? fallback,
	};
	return await operation.executeItem.call(context as unknown as IExecuteFunctions, endless(), 0);
}

/** The labels of fields and of what is in them. */
const labels = (properties: INodeProperties[]): string[] =>
	properties.flatMap(({ displayName, options = [] }) => [
		displayName,
		...labels(options.filter((one): one is INodeProperties => 'displayName' in one)),
	]);

const from = new Date(0).toISOString();

test.each<[string, string[], string, () => Promise<unknown>]>([
	[
		'Webhook Log > Get Many',
		labels(getLogs.properties),
		'Return All, Status or Webhook',
		async () => await run(getLogs, { returnAll: true }),
	],
	[
		'Replay Events of a period',
		labels(replay.properties),
		'From',
		async () => await run(replay, { from }),
	],
	[
		'Replay Events of transactions',
		labels(replay.properties),
		'Lookback Window',
		async () =>
			await run(replay, {
				replayBy: 'transactions',
				transactions: 'a',
				'filters.lookbackDays': 99,
			}),
	],
	[
		'Transaction > Get Many',
		labels(getTransactions.properties),
		'From',
		async () => await run(getTransactions, { returnAll: true }),
	],
	[
		'Get Status',
		labels(getStatus.properties),
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
		[CHECK.checkDeliveryLogs.property.displayName],
		'Check: Delivery Logs',
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
			hint: expect.stringMatching(`^To read less, change ${setting}\\.`) as string,
		});
		for (const name of setting.split(/, | or /)) {
			expect(fields).toContainEqual(expect.stringMatching(new RegExp(`^${name}($| \\()`)));
		}
	},
	60_000,
);
