import { type INodeParameters } from 'n8n-workflow';

import { BANK_MINIMAL } from './samples';
import { descriptionLines } from '../batch/batch';
import { useService } from './service';

// Rendering takes most of the time and is not tested here.
jest.mock('qrcode', () => ({ toDataURL: async () => 'data:image/png;base64,iVBORw0KGgo=' }));

const service = useService();

const uuid = (index: number): string =>
	`00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;

describe('a batch with invalid rows', () => {
	const parameters: INodeParameters = {
		...BANK_MINIMAL,
		amount: '={{ $json.amount }}',
		destinationIdNumber: '={{ $json.document }}',
		externalReference: '={{ $json.reference }}',
	};
	const items = [
		{ amount: 1, document: '12345', reference: uuid(1) },
		{ amount: -1, document: '12', reference: uuid(2) },
		{ amount: 2, document: '12345', reference: 'none' },
		{ amount: 3, document: '12345', reference: uuid(1).toUpperCase() },
	];

	test('sends nothing, and lists every invalid row, field and rule', async () => {
		const { error } = await service.run(parameters, { items });

		expect(service.sent()).toEqual([]);
		expect(service.sandbox.core.traffic.counters().requests).toBe(0);
		expect(error?.message).toBe('Nothing was sent: 3 of 4 items are invalid');
		const lines = descriptionLines(error);
		expect(lines[0]).toMatch(/^4 rows: 4 not sent\. /);
		expect(lines[1]).toMatch(/^Row 2, María José: Destination ID Number \("12"\)/);
		expect(lines[2]).toMatch(/^Row 2, María José: Amount \("-1"\)/);
		expect(lines[3]).toMatch(
			/^Row 3, María José, 2\.00 BOB: External Reference \("none"\) must be a UUID/,
		);
		expect(lines[4]).toMatch(
			/^Row 4, María José, 3\.00 BOB: External Reference .* is the same as in row 1, María José, 1\.00 BOB\. /,
		);
	});

	test('does not repeat an invalid secret', async () => {
		const { error } = await service.run(
			{
				resource: 'webhook',
				operation: 'create',
				url: 'http://127.0.0.1:9/c',
				events: ['completed_transaction'],
				status: 'ACTIVE',
				additionalFields: { apiKey: '={{ { key: "key-of-the-webhook" } }}' },
			},
			{},
		);

		expect(error?.message).toMatch(/^\[Item 0\] API Key must be text/);
		expect(service.sent()).toEqual([]);
	});
});

const WEBHOOK = { resource: 'webhook', webhookId: '../logs' };

test.each<INodeParameters>([
	{ ...WEBHOOK, operation: 'get' },
	{ ...WEBHOOK, operation: 'update', updateFields: { description: 'x' } },
	{ resource: 'wallet', operation: 'addAsset', walletId: '..', symbol: 'USDC', blockchain: 'TRON' },
	{ resource: 'webhookLog', operation: 'getAll', filters: { webhookId: '..' } },
])('sends no identifier that leads to another path: %j', async (parameters) => {
	const { error } = await service.run(parameters);

	expect(error?.message).toMatch(/^\[Item 0\] (Webhook|Wallet) must be a UUID/);
	expect(service.sent()).toEqual([]);
});
