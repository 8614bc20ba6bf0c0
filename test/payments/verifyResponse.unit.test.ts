import type { IDataObject } from 'n8n-workflow';

import { verifyResponse } from '../../nodes/payments/verifyResponse';
import type { MoneyEndpoint } from '../../nodes/payments/endpoint';
import type { Row } from '../../nodes/payments/payment';
import { BANK, CRYPTO, executionState } from './builders';

const REFERENCE = 'Abc-1';

/** The request of a crypto payout. */
const SENT: IDataObject = {
	walletId: 'wallet-1',
	destinationWallet: '0xAbC',
	amount: '10.50',
	asset: 'USDC',
	blockchain: 'Polygon',
};

/** The response of a success. */
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

const verify = (endpoint: MoneyEndpoint, answer: unknown, known = executionState()) =>
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

describe('believable responses', () => {
	test.each<[string, MoneyEndpoint, IDataObject]>([
		['a bank payout', BANK, bank()],
		['a crypto payout', CRYPTO, crypto()],
		['the reference in another letter case', BANK, bank({ external_reference: 'ABC-1' })],
		['the values that were sent', CRYPTO, crypto(SENT)],
		[
			'the values in another spelling',
			CRYPTO,
			crypto({ ...SENT, amount: 10.5, destinationWallet: '0xABC' }),
		],
		['empty values', CRYPTO, crypto({ amount: null, asset: '', walletId: undefined })],
		['a good status code', BANK, bank({ statusCode: 399 })],
		['a statement of success', BANK, bank({ success: true })],
	])('accepts the response: %s', (_, endpoint, answer) => {
		expect(verify(endpoint, answer)).toBeUndefined();
	});

	test('accepts a transaction that already belongs to this row', () => {
		const known = executionState();
		known.created('abc-1', 'transaction-1', {});
		expect(verify(BANK, bank(), known)).toBeUndefined();
	});
});

describe('contradicted successes', () => {
	test.each([{ success: false }, { success: 'FALSE' }, { statusCode: 400 }, { statusCode: '503' }])(
		'does not believe a success with %p',
		(more) => {
			expect(verify(BANK, bank(more))).toEqual(
				unknown(
					'successContradicted',
					'The service answered with a success status, but its response says that it did not succeed',
				),
			);
		},
	);

	test('quotes the service about a contradicted success', () => {
		expect(verify(BANK, bank({ success: false, message: 'Closed' }))?.message).toMatch(
			/says that it did not succeed: Closed$/,
		);
	});
});

test.each([null, undefined, 'created', 7, [], {}, { transaction_id: '' }])(
	'finds no identifier in %p',
	(answer) => {
		expect(verify(BANK, answer)).toEqual(
			unknown('noTransactionId', 'The service answered with success, but without a transaction ID'),
		);
	},
);

test('does not believe a response for another reference, and names both', () => {
	expect(verify(BANK, bank({ external_reference: 'other', message: 'Done' }))).toEqual(
		unknown(
			'responseForOtherReference',
			'The service answered for another reference, "other", so the outcome of this row is unknown: Done',
		),
	);
});

test('does not believe the transaction of another row, and names its reference', () => {
	const known = executionState();
	known.created('other', 'transaction-1', {});
	expect(verify(BANK, bank(), known)).toEqual(
		unknown(
			'transactionOfOtherReference',
			'The service answered with transaction transaction-1, which belongs to the reference other, so the outcome of this row is unknown',
		),
	);
});

describe('echoed values', () => {
	test.each<[string, unknown]>([
		['walletId', 'wallet-2'],
		['destinationWallet', '0xabd'],
		['amount', '10.51'],
		['amount', 'all'],
		['asset', 'USDT'],
		['blockchain', 'Solana'],
	])('does not believe the echo %s %p, and names the transaction', (name, value) => {
		expect(verify(CRYPTO, crypto({ ...SENT, [name]: value } as IDataObject))).toEqual(
			unknown(
				'echoDiffers',
				`The service answered with transaction transaction-1, but its ${name} is not the one that was sent`,
				{ transactionId: 'transaction-1', status: 'pending_transaction' },
			),
		);
	});

	test('compares no values if the endpoint echoes none', () => {
		expect(verify(BANK, bank({ amount: '99', 'Stryker was here': 1 }))).toBeUndefined();
	});
});

describe('transactions that failed at once', () => {
	test.each(['failed_transaction', 'REJECTED', 'expired', 'cancelled', 'Declined'])(
		'does not believe a success with the status %s',
		(status) => {
			expect(verify(BANK, bank({}, { status }))).toEqual(
				unknown(
					'failedAtOnce',
					`The service created transaction transaction-1 with the status ${status}`,
					{ transactionId: 'transaction-1', status },
				),
			);
		},
	);

	test('does not believe a failed status of the whole response', () => {
		expect(verify(BANK, bank({ status: 'failed' }))).toMatchObject({ status: 'failed' });
	});

	test('quotes the message of the transaction, unless the response has another', () => {
		const own = { status: 'failed', message: 'No account' };
		expect(verify(BANK, bank({}, own))?.message).toMatch(/the status failed: No account$/);
		expect(verify(BANK, bank({ message: 'Closed' }, own))?.message).toMatch(/failed: Closed$/);
	});
});
