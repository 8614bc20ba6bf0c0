import { type IDataObject } from 'n8n-workflow';

import type { Fault } from '../../sandbox/faults';
import { CREDENTIAL_ID } from '../engine/runNode';
import { useService } from '../engine/service';
import {
	BANK,
	bank,
	bankRow,
	bankRows,
	created,
	GOING_ON,
	KINDS,
	listen,
	ON_ERROR,
	outcomes,
	posted,
	referenceOf,
	references,
	reported,
	rowsOf,
	strike,
	transactionIds,
} from './batch';

/** Success responses that belong to another payment, or that contradict their status. */
const service = useService({ duplicateReferences: 'accept' });

const IN_ORDER = { concurrency: 1 };
const ANOTHER = '11111111-1111-4111-8111-111111111111';
const ID = '22222222-2222-4222-8222-222222222222';

const answer = (body: IDataObject): Fault => ({ type: 'json', status: 201, body });

/** The service’s response to a bank payout. */
const ok = (
	{ status = 'pending_transaction', message = 'Accepted', ...more }: IDataObject = {},
	id = ID,
): IDataObject => ({
	transaction_id: id,
	transactions: [{ transaction_id: id, status, message }],
	...more,
});

interface Case {
	name: string;
	body: IDataObject;
	said: RegExp;
	transactionId?: string;
	status?: string;
}

const CASES: Case[] = [
	{
		name: 'for another reference',
		body: ok({ external_reference: ANOTHER }),
		said: /answered for another reference, "11111111-1111-4111-8111-111111111111"/,
	},
	...['failed_transaction', 'reject_transaction', 'expired_transaction'].map((status) => ({
		name: `with the status ${status} at once`,
		body: ok({ status, message: 'Account is closed' }),
		said: new RegExp(`${status}.*Account is closed`),
		transactionId: ID,
		status,
	})),
	{
		name: 'with such a status outside its transactions',
		body: { ...ok(), status: 'failed_transaction' },
		said: /failed_transaction/,
		transactionId: ID,
		status: 'failed_transaction',
	},
	...[400, '400', 503].map((statusCode) => ({
		name: `with the status code ${JSON.stringify(statusCode)} in it`,
		body: { ...ok({ statusCode }), message: 'Limit of the day is reached' },
		said: /did not succeed.*Limit of the day is reached/,
	})),
	{
		name: 'that says "False"',
		body: ok({ success: 'False' }),
		said: /did not succeed/,
	},
	{
		name: 'that says that it did not succeed',
		body: { ...ok({ success: false }), message: 'Limit of the day is reached' },
		said: /did not succeed.*Limit of the day is reached/,
	},
];

describe.each(CASES)('a response $name', ({ body, said, transactionId = '', status = '' }) => {
	test.each(ON_ERROR)(
		'ends the row as unknown, and quotes the service’s words (%s)',
		async (onError) => {
			strike(service, referenceOf(1), answer(body));
			const result = await service.run(bank(IN_ORDER), { items: bankRows(3), onError });

			const last = onError === 'stopWorkflow' ? 'notSent' : 'created';
			expect(outcomes(result)).toEqual(['created', 'unknown', last]);
			const row = reported(result)[1];
			expect(row).toMatchObject({ reference: referenceOf(1), transactionId, status });
			expect(row.message).toMatch(said);
			expect(row.hint).toMatch(/may have been created/);
			if (onError === 'stopWorkflow') expect(result.error?.message).toMatch(said);
		},
	);

	test('sends a row with a contradictory response only once', async () => {
		strike(service, referenceOf(1), answer(body));
		const options = { items: bankRows(3), retryOnFail: true };
		expect(outcomes(await service.run(bank(IN_ORDER), options))[1]).toBe('unknown');
		expect(outcomes(await service.run(bank(IN_ORDER), options))[1]).toBe('alreadySent');
		expect(posted(service)).toEqual(references(3));
	});
});

describe('several transactions in one response', () => {
	test('ends the row as unknown if one of them failed', async () => {
		const [pending, failed] = ['pending_transaction', 'failed_transaction'].map((status) => ({
			transaction_id: ID,
			status,
			message: `It is ${status}`,
		}));
		strike(
			service,
			referenceOf(0),
			answer({ transaction_id: ID, transactions: [pending, failed] }),
		);
		const result = await service.run(BANK, {
			items: bankRows(1),
			onError: 'continueRegularOutput',
		});
		expect(result.json[0]).toMatchObject({
			outcome: 'unknown',
			code: 'failedAtOnce',
			transactionId: ID,
			status: 'failed_transaction',
			message: expect.stringContaining('It is failed_transaction') as string,
		});
	});
});

describe('statuses in other words', () => {
	test.each([
		...[
			'error',
			'denied',
			'reversed',
			'REVERSED ',
			'refused',
			'bounced',
			'chargeback',
			'cancelled',
		],
		...['rolled-back', 'terminated', 'rechazada', 'devuelta', 'negada', 'extornada', 'caducada'],
	])('ends the row as unknown if it is %p', async (status) => {
		strike(service, referenceOf(0), answer(ok({ status })));
		const result = await service.run(BANK, {
			items: bankRows(1),
			onError: 'continueRegularOutput',
		});
		expect(result.json[0]).toMatchObject({ outcome: 'unknown', code: 'failedAtOnce' });
	});
});

describe('undocumented statuses', () => {
	test.each(['on_hold', 'Under Review', 7])(
		'says that the status %p is unknown',
		async (status) => {
			strike(service, referenceOf(0), answer(ok({ status } as IDataObject)));
			const result = await service.run(BANK, { items: bankRows(1) });
			expect(result.json[0]).toMatchObject({
				outcome: 'created',
				code: 'undocumentedStatus',
				transactionId: ID,
				status: String(status),
				message: `Created with the status ${status}, which is not documented: Accepted`,
				hint: 'Look it up with Transaction > Get Status before you rely on it.',
			});
		},
	);

	test.each(['PENDING_TRANSACTION', ' pending transaction', 'completed'])(
		'accepts the status %p without a word',
		async (status) => {
			strike(service, referenceOf(0), answer(ok({ status })));
			const result = await service.run(BANK, { items: bankRows(1) });
			expect(result.json[0]).toMatchObject({ outcome: 'created', status, message: 'Accepted' });
			expect(result.json[0]).not.toHaveProperty('code');
		},
	);
});

describe('duplicates that the service rejects as invalid', () => {
	test.each([400, 422])(
		'says of a rejection with %i that the reference may exist',
		async (status) => {
			const body = { statusCode: status, message: 'External reference already exists' };
			strike(service, referenceOf(0), { type: 'status', status, body });
			const result = await service.run(BANK, {
				items: bankRows(1),
				onError: 'continueRegularOutput',
			});
			const error = result.json[0].error as IDataObject;
			expect(error).toMatchObject({ outcome: 'rejected', code: 'requestRejected' });
			expect(error.hint).toMatch(/If an earlier run may have sent this reference, look it up/);
			expect(JSON.stringify(result.json)).not.toContain('Nothing was created');
		},
	);
});

describe('deposits', () => {
	test('ends a deposit of 100 BOB as unknown if the response has 1,000 USD', async () => {
		const deposit = KINDS.find(({ name }) => /deposit/i.test(name)) as (typeof KINDS)[number];
		const rows = rowsOf(deposit, 1, service);
		await service.sandbox.admin.addFault({
			match: { path: '/v2/transactions/deposit/qr' },
			fault: answer({
				transactionId: ID,
				transactionStatus: 'pending_transaction',
				fiatCurrency: 'USD',
				calculatedFiatAmount: '1000.00',
			}),
		});
		const result = await service.run(deposit.parameters, {
			items: rows,
			onError: 'continueRegularOutput',
		});
		expect(result.json[0]).toMatchObject({
			outcome: 'unknown',
			code: 'echoDiffers',
			transactionId: ID,
		});
	});
});

describe('repeated transaction IDs', () => {
	test.each(GOING_ON)('accepts an ID for the first row only (On Error %s)', async (onError) => {
		for (const number of [0, 1, 2, 3]) strike(service, referenceOf(number), answer(ok()));
		const result = await service.run(bank(IN_ORDER), { items: bankRows(5), onError });
		expect(outcomes(result)).toEqual(['created', 'unknown', 'unknown', 'unknown', 'created']);
		const [first, second] = reported(result);
		expect(first.transactionId).toBe(ID);
		expect(second.message).toContain(
			`answered with transaction ${ID}, which belongs to the reference ${referenceOf(0)}`,
		);
		expect(second.transactionId).toBe('');
	});

	test('finds a repeated transaction ID among requests in flight', async () => {
		for (const reference of references(10)) strike(service, reference, answer(ok()));
		const result = await service.run(bank({ concurrency: 10 }), {
			items: bankRows(10),
			onError: 'continueRegularOutput',
		});
		expect(outcomes(result).sort()).toEqual(['created', ...references(9).map(() => 'unknown')]);
	});

	test('finds a repeated transaction ID in a later run of a loop', async () => {
		for (const number of [0, 1]) strike(service, referenceOf(number), answer(ok()));
		const result = await service.run(BANK, {
			items: [bankRow(0)],
			furtherRuns: [[bankRow(1)]],
			onError: 'continueRegularOutput',
		});
		expect(outcomes(result)).toEqual(['unknown']);
	});
});

describe('additional fields of a response', () => {
	test.each([
		{ success: 'true' },
		{ statusCode: 201 },
		{ statusCode: 'pending' },
		{ external_reference: null },
		{ message: 'failed_transaction is another matter' },
	])('accepts a response with %p', async (more) => {
		strike(service, referenceOf(0), answer(ok(more)));
		const result = await service.run(BANK, { items: bankRows(1) });
		expect(outcomes(result)).toEqual(['created']);
	});

	test('accepts the reference in another letter case', async () => {
		const reference = 'abcdefab-cdef-4abc-8def-abcdefabcdef';
		strike(service, reference, answer(ok({ external_reference: reference.toUpperCase() })));
		const result = await service.run(BANK, {
			items: [bankRow(0, { external_reference: reference })],
		});
		expect(outcomes(result)).toEqual(['created']);
	});

	test('puts the row’s own outcome fields first', async () => {
		strike(
			service,
			referenceOf(0),
			answer({ zeta: 1, outcome: 'rejected', reference: ANOTHER, ...ok(), error: 'none' }),
		);
		const result = await service.run(bank({ includeInput: true }), { items: bankRows(1) });
		expect(Object.keys(result.json[0]).slice(0, 5)).toEqual([
			'outcome',
			'payee',
			'amount',
			'currency',
			'message',
		]);
		expect(result.json[0]).toMatchObject({
			outcome: 'created',
			reference: referenceOf(0),
			transactionId: ID,
			zeta: 1,
			destination_account: '1000',
		});
	});

	test.each(KINDS)('puts the outcome fields of a $name first', async (kind) => {
		const result = await service.run(kind.parameters, { items: rowsOf(kind, 1, service) });
		expect(Object.keys(result.json[0]).slice(0, 5)).toEqual([
			'outcome',
			'payee',
			'amount',
			'currency',
			'message',
		]);
	});
});

describe('responses that repeat the token', () => {
	/** The token of the stored credential. */
	const token = (): string => String(service.credentials.stored(CREDENTIAL_ID).sessionToken);

	test.each<[string, (secret: string) => Fault]>([
		[
			'in an error response',
			(secret) => ({
				type: 'status',
				status: 400,
				body: { message: `Bad header Authorization: Bearer ${secret}` },
			}),
		],
		[
			'in a list of messages',
			(secret) => ({ type: 'status', status: 422, body: { message: ['no', `Bearer ${secret}`] } }),
		],
		[
			'in a server error',
			(secret) => ({ type: 'status', status: 500, body: { error: `token ${secret} failed` } }),
		],
		['in a success', (secret) => answer(ok({ request: `Authorization: Bearer ${secret}` }))],
		[
			'in a contradictory success',
			(secret) => answer({ ...ok({ success: false }), message: `Bearer ${secret}` }),
		],
	])('reveals no token %s', async (_, fault) => {
		await service.run(BANK, { items: [bankRow(99)] });
		const secret = token();
		expect(secret.length).toBeGreaterThan(10);
		for (const onError of ON_ERROR) {
			const said = listen();
			const number = ON_ERROR.indexOf(onError);
			strike(service, referenceOf(number), fault(secret));
			const result = await service.run(BANK, { items: [bankRow(number)], onError });
			expect(JSON.stringify(result.run)).not.toContain(secret);
			expect(JSON.stringify(result.error?.message ?? '')).not.toContain(secret);
			expect(said().join('\n')).not.toContain(secret);
			expect(outcomes(result)).not.toEqual(['notSent']);
		}
		expect(created(service)).toContain(referenceOf(99));
		expect(transactionIds(service).size).toBeGreaterThan(0);
	});
});
