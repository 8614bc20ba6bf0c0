import { type IDataObject, type INodeParameters } from 'n8n-workflow';

import { catalogueMessages } from '../docs/catalogue';
import { FAULT_CASES } from './faultCases';
import { useQuickSleep } from './quickSleep';
import { BANK_MINIMAL, UNKNOWN_ID } from './samples';
import { useService } from './service';

const service = useService();
useQuickSleep();

const BANK_PATH = '/v3/transactions/payouts/bank';
const reference = (number: number): string =>
	`00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

const MAY_BE_CREATED = /may have been created/;
const MAY_BE_DUPLICATE = /If an earlier run may have sent this reference, look it up/;

describe('a failing payout', () => {
	test.each(FAULT_CASES)(
		'ends a payout after $name as $outcome',
		async ({ fault, times, outcome, message, httpStatus, received = 1, created = 0 }) => {
			await service.sandbox.admin.addFault({ match: { path: BANK_PATH }, times, fault });

			const { outputs, json } = await service.run(BANK_MINIMAL, {
				onError: 'continueRegularOutput',
			});

			expect(service.sent()).toHaveLength(received);
			expect(service.sandbox.core.transactions.counters().transactionsCreated).toBe(created);
			expect(json).toEqual([
				expect.objectContaining({
					outcome,
					reference: BANK_MINIMAL.externalReference,
					message: typeof message === 'string' ? message : expect.stringMatching(message),
				}),
			]);
			expect(outputs[0][0].pairedItem).toEqual({ item: 0 });
			if (outcome === 'created') return;
			expect(json[0]).toMatchObject({ transactionId: '', status: '' });
			const { hint, ...error } = json[0].error as IDataObject;
			expect(error.httpStatus).toBe(httpStatus);
			expect(error.code).toBe(json[0].code);
			expect(catalogueMessages).toContainEqual(
				expect.objectContaining({ code: error.code, outcome }),
			);
			expect(hint).toEqual(
				outcome === 'unknown'
					? expect.stringMatching(MAY_BE_CREATED)
					: expect.stringMatching(
							[400, 422].includes(Number(httpStatus)) ? MAY_BE_DUPLICATE : /^Nothing was created/,
						),
			);
		},
	);

	test.each([
		['nothing that listens', 'http://127.0.0.1:1/api', /nothing answers there/],
		['a host that does not exist', 'http://nobody.localhost:1/api', /./],
	])('sends nothing to %s', async (_, baseUrl, words) => {
		service.credentials.save('credential-1', { ...service.login, baseUrl });

		const { json } = await service.run(BANK_MINIMAL, { onError: 'continueRegularOutput' });

		expect(json).toEqual([
			expect.objectContaining({ outcome: 'notSent', message: expect.stringMatching(words) }),
		]);
	});
});

describe('a batch with one rejected payout', () => {
	const parameters: INodeParameters = {
		...BANK_MINIMAL,
		destinationIdNumber: '={{ String(5000000 + $json.employee) }}',
		destinationAccount: '={{ String(7000000 + $json.employee) }}',
		externalReference: '={{ $json.reference }}',
		options: { concurrency: 1 },
	};
	const items = [1, 2, 3].map((number) => ({ reference: reference(number), employee: number }));
	const errorResponse = { statusCode: 400, message: 'account is closed', error: 'Bad Request' };

	beforeEach(async () => {
		await service.sandbox.admin.addFault({
			match: { path: BANK_PATH, bodyContains: reference(2) },
			times: 'always',
			fault: { type: 'status', status: 400, body: errorResponse },
		});
	});

	test('stops after a rejected row, and reports the outcome of every row', async () => {
		const { error, thrown, outputs } = await service.run(parameters, { items });

		expect(outputs).toEqual([]);
		expect(service.bodies().map((body) => body.external_reference)).toEqual([
			reference(1),
			reference(2),
		]);
		const [paid] = service.sandbox.core.state.transactions.values();
		expect(error?.message).toMatch(
			/^Row 2, María José, 1,250\.50 BOB, reference \S+: The service rejected the request: account is closed/,
		);
		expect(error?.description).toContain('1 created, 1 rejected, 1 not sent');
		expect(error?.description).toContain(paid.id);
		for (const { reference: given } of items) expect(error?.description).toContain(given);
		const { rows, code } = (thrown[0] as { context: IDataObject }).context;
		expect(code).toBe('requestRejected');
		expect(rows).toMatchObject([
			{ item: 0, outcome: 'created', reference: reference(1), transactionId: paid.id },
			{ item: 1, outcome: 'rejected', reference: reference(2) },
			{ item: 2, outcome: 'notSent', reference: reference(3) },
		]);
	});

	test('continues after a rejected row, and marks it', async () => {
		const { error, outputs } = await service.run(parameters, {
			items,
			onError: 'continueRegularOutput',
		});

		expect(error).toBeUndefined();
		expect(outputs).toHaveLength(1);
		expect(outputs[0]).toMatchObject([
			{ json: { outcome: 'created', reference: reference(1) }, pairedItem: { item: 0 } },
			{
				json: {
					outcome: 'rejected',
					reference: reference(2),
					message: 'The service rejected the request: account is closed',
					error: { httpStatus: 400 },
				},
				pairedItem: { item: 1 },
			},
			{ json: { outcome: 'created', reference: reference(3) }, pairedItem: { item: 2 } },
		]);
	});

	test('sends an invalid row to the error output, and pays the others', async () => {
		const { outputs } = await service.run(
			{ ...parameters, amount: '={{ $json.employee === 3 ? -1 : 5 }}' },
			{ items, onError: 'continueErrorOutput' },
		);

		const [success, failure] = outputs;
		expect(success.map(({ json }) => json.reference)).toEqual([reference(1)]);
		expect(failure).toMatchObject([
			{ json: { employee: 2, error: { outcome: 'rejected' } }, pairedItem: { item: 1 } },
			{
				json: {
					employee: 3,
					error: { outcome: 'notSent', message: expect.stringMatching(/^Amount \("-1"\) must be/) },
				},
				pairedItem: { item: 2 },
			},
		]);
		expect(service.bodies().map((body) => body.external_reference)).toEqual([
			reference(1),
			reference(2),
		]);
	});
});

describe('operations that move no money', () => {
	const parameters = { resource: 'webhook', operation: 'get', webhookId: '={{ $json.id }}' };
	const items = [{ id: UNKNOWN_ID }, { id: 'no UUID' }];
	const notFound = `The service does not know the address or the ID: Webhook ${UNKNOWN_ID} not found`;

	test('stops with an error that names the item', async () => {
		const { error, thrown } = await service.run(parameters, { items });

		expect(error?.message).toBe(`[Item 0] ${notFound}`);
		expect(error?.description).toBe(
			'Nothing was created. Check the ID, and Base URL in the credential.',
		);
		expect(thrown).toMatchObject([
			{ name: 'NodeApiError', httpCode: '404', context: { code: 'notFound' } },
		]);
	});

	test('returns an error for each failed item if it continues', async () => {
		const { outputs } = await service.run(parameters, { items, onError: 'continueRegularOutput' });

		expect(outputs[0]).toMatchObject([
			{
				json: { message: `[Item 0] ${notFound}`, error: { httpCode: '404', code: 'notFound' } },
				pairedItem: { item: 0 },
			},
			{
				json: { message: '[Item 1] Webhook must be a UUID', error: { code: 'notUuid' } },
				pairedItem: { item: 1 },
			},
		]);
	});
});

describe('reads', () => {
	const parameters = { resource: 'payout', operation: 'getBalances' };
	const match = { path: '/v2/transactions/payouts/balance' };

	test('retries a read after a lost connection', async () => {
		await service.sandbox.admin.addFault({ match, fault: { type: 'reset' } });

		const { json } = await service.run(parameters);

		expect(json).toEqual(service.business.balances);
		expect(service.sent()).toHaveLength(2);
	});
});
