import type { IDataObject } from 'n8n-workflow';

import { verifyResponse } from '../../nodes/payments/verifyResponse';
import type { MoneyEndpoint } from '../../nodes/payments/endpoint';
import type { Row } from '../../nodes/payments/payment';
import { BANK, CRYPTO, executionState } from './direct';

const REFERENCE = 'Abc-1';

/** What a row sent of a crypto payout. */
const SENT: IDataObject = {
	walletId: 'wallet-1',
	destinationWallet: '0xAbC',
	amount: '10.50',
	asset: 'USDC',
	blockchain: 'Polygon',
};

/** The answer of a success. */
const bank = (more: IDataObject = {}, transaction: IDataObject = {}): IDataObject => ({
	transaction_id: 'transaction-1',
	transactions: [{ status: 'pending_transaction', message: '', ...transaction }],
	...more,
});

const crypto = (more: IDataObject = {}): IDataObject => ({
	transactionId: 'transaction-1',
	status: 'pending_transaction',
	...more,
});

const doubt = (endpoint: MoneyEndpoint, answer: unknown, known = executionState()) =>
	verifyResponse(
		endpoint,
		known,
		{ reference: REFERENCE, idempotencyKey: 'abc-1', body: SENT } as unknown as Row,
		answer,
	);

const unknown = (code: string, message: string, more: IDataObject = {}) => ({
	outcome: 'unknown',
	code,
	reference: REFERENCE,
	message,
	hint: expect.stringMatching(/may have been created/) as string,
	...more,
});

describe('no doubt', () => {
	test.each<[string, MoneyEndpoint, IDataObject]>([
		['a bank payout', BANK, bank()],
		['a crypto payout', CRYPTO, crypto()],
		['one that repeats the reference in another case', BANK, bank({ external_reference: 'ABC-1' })],
		['one that repeats what was sent', CRYPTO, crypto(SENT)],
		[
			'one that repeats it in another spelling',
			CRYPTO,
			crypto({ ...SENT, amount: 10.5, destinationWallet: '0xABC' }),
		],
		['one that leaves it empty', CRYPTO, crypto({ amount: null, asset: '', walletId: undefined })],
		['one with a good status code', BANK, bank({ statusCode: 399 })],
		['one that says that it succeeded', BANK, bank({ success: true })],
	])('is there of %s', (_, endpoint, answer) => {
		expect(doubt(endpoint, answer)).toBeUndefined();
	});

	test('is there of a transaction that is this row’s already', () => {
		const known = executionState();
		known.created('abc-1', 'transaction-1', {});
		expect(doubt(BANK, bank(), known)).toBeUndefined();
	});
});

describe('a success that is denied', () => {
	test.each([{ success: false }, { success: 'FALSE' }, { statusCode: 400 }, { statusCode: '503' }])(
		'by %p is told',
		(more) => {
			expect(doubt(BANK, bank(more))).toEqual(
				unknown(
					'successContradicted',
					'The service answered with a success status, but its response says that it did not succeed',
				),
			);
		},
	);

	test('is told in the words of the service', () => {
		expect(doubt(BANK, bank({ success: false, message: 'Closed' }))?.message).toMatch(
			/says that it did not succeed: Closed$/,
		);
	});
});

test.each([null, undefined, 'created', 7, [], {}, { transaction_id: '' }])(
	'%p has no identifier',
	(answer) => {
		expect(doubt(BANK, answer)).toEqual(
			unknown('noTransactionId', 'The service answered with success, but without a transaction ID'),
		);
	},
);

test('an answer for another reference is told, with both', () => {
	expect(doubt(BANK, bank({ external_reference: 'other', message: 'Done' }))).toEqual(
		unknown(
			'responseForOtherReference',
			'The service answered for another reference, "other", so the outcome of this row is unknown: Done',
		),
	);
});

test('a transaction of another row is told, with its reference', () => {
	const known = executionState();
	known.created('other', 'transaction-1', {});
	expect(doubt(BANK, bank(), known)).toEqual(
		unknown(
			'transactionOfOtherReference',
			'The service answered with transaction transaction-1, which belongs to the reference other, so the outcome of this row is unknown',
		),
	);
});

describe('another value than was sent', () => {
	test.each<[string, unknown]>([
		['walletId', 'wallet-2'],
		['destinationWallet', '0xabd'],
		['amount', '10.51'],
		['amount', 'all'],
		['asset', 'USDT'],
		['blockchain', 'Solana'],
	])('%s %p is told, with the transaction', (name, value) => {
		expect(doubt(CRYPTO, crypto({ ...SENT, [name]: value } as IDataObject))).toEqual(
			unknown(
				'echoDiffers',
				`The service answered with transaction transaction-1, but its ${name} is not the one that was sent`,
				{ transactionId: 'transaction-1', status: 'pending_transaction' },
			),
		);
	});

	test('is none where the endpoint repeats nothing', () => {
		expect(doubt(BANK, bank({ amount: '99', 'Stryker was here': 1 }))).toBeUndefined();
	});
});

describe('a transaction that ended at once', () => {
	test.each(['failed_transaction', 'REJECTED', 'expired', 'cancelled', 'Declined'])(
		'with the status %s is told',
		(status) => {
			expect(doubt(BANK, bank({}, { status }))).toEqual(
				unknown(
					'failedAtOnce',
					`The service created transaction transaction-1 with the status ${status}`,
					{ transactionId: 'transaction-1', status },
				),
			);
		},
	);

	test('with a status for the whole is told, too', () => {
		expect(doubt(BANK, bank({ status: 'failed' }))).toMatchObject({ status: 'failed' });
	});

	test('is told in its own words, unless the service says more', () => {
		const own = { status: 'failed', message: 'No account' };
		expect(doubt(BANK, bank({}, own))?.message).toMatch(/the status failed: No account$/);
		expect(doubt(BANK, bank({ message: 'Closed' }, own))?.message).toMatch(/failed: Closed$/);
	});
});
