import { type INodeParameters } from 'n8n-workflow';

import { BANK_MINIMAL, UNKNOWN_ID } from './samples';
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

describe('identifiers in a path', () => {
	const BAD = [
		'..',
		'../..',
		'%2e%2e',
		'%2e%2e%2f',
		'a/b',
		`${UNKNOWN_ID}/assets`,
		`${UNKNOWN_ID}/../../v2/webhooks`,
		`${UNKNOWN_ID}?x=1`,
		`${UNKNOWN_ID}#`,
		`${UNKNOWN_ID}%00`,
		`${UNKNOWN_ID}\n/x`,
		'logs',
		'',
		'{}',
		'http://127.0.0.1:9/x',
	];
	const cases: Array<[string, INodeParameters, string]> = [
		['webhook get', { resource: 'webhook', operation: 'get' }, 'webhookId'],
		[
			'webhook update',
			{ resource: 'webhook', operation: 'update', updateFields: { description: 'x' } },
			'webhookId',
		],
		[
			'wallet add asset',
			{ resource: 'wallet', operation: 'addAsset', symbol: 'USDC', blockchain: 'TRON' },
			'walletId',
		],
	];

	describe.each(cases)('%s', (_, parameters, field) => {
		test.each(BAD)('rejects an identifier that leads to another path: %j', async (id) => {
			const { error } = await service.run(
				{ ...parameters, [field]: `={{ $json.id }}` },
				{
					items: [{ id }],
				},
			);

			expect(error?.message).toMatch(/^\[Item 0\] (Webhook|Wallet) must be a UUID/);
			expect(service.sent()).toEqual([]);
		});

		test('accepts an identifier with spaces around it', async () => {
			await service.run({ ...parameters, [field]: ` ${UNKNOWN_ID} ` });

			expect(service.sent()).toMatchObject([
				{ path: expect.stringMatching(new RegExp(`/${UNKNOWN_ID}(/assets)?$`)) },
			]);
		});
	});

	test.each(BAD.filter((id) => id !== ''))(
		'rejects a log filter Webhook that is no UUID: %j',
		async (webhookId) => {
			const { error } = await service.run(
				{
					resource: 'webhookLog',
					operation: 'getAll',
					filters: { webhookId: '={{ $json.id }}' },
				},
				{ items: [{ id: webhookId }] },
			);

			expect(error?.message).toMatch(/^\[Item 0\] Webhook must be a UUID/);
			expect(service.sent()).toEqual([]);
		},
	);
});
