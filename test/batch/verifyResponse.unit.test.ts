import type { IDataObject } from 'n8n-workflow';

import { verifyResponse } from '../../nodes/batch/verifyResponse';
import type { MoneyEndpoint } from '../../nodes/batch/endpoint';
import type { Row } from '../../nodes/batch/payment';
import { BANK, CRYPTO, DEPOSIT, executionState, QR } from './builders';

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

const verify = (
	endpoint: MoneyEndpoint,
	answer: unknown,
	known = executionState(),
	body: IDataObject = SENT,
) => verifyResponse(endpoint, known, { idempotencyKey: 'abc-1', body } as unknown as Row, answer);

const unknown = (code: string, message: string, more: IDataObject = {}) => ({
	outcome: 'unknown',
	code,
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
			'responseForOtherReference',
			'The service answered for another reference, "other", so the outcome of this row is unknown',
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

	test('compares the letter case of a TRON address, and of no other text', () => {
		const tron = {
			...SENT,
			destinationWallet: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
			blockchain: 'TRON',
		};
		const echo = (changes: IDataObject) =>
			verify(CRYPTO, crypto({ ...tron, ...changes }), executionState(), tron);
		expect(echo({ asset: 'usdc', blockchain: 'Tron' })).toBeUndefined();
		expect(echo({ destinationWallet: 'tr7nhqjeKQxGTCi8q8ZY4pL8otSzgjLj6t' })).toMatchObject({
			code: 'echoDiffers',
		});
	});

	/** The request of a deposit, and the response to it. */
	const BALANCE = { fiatAmount: 100, fiatCurrency: 'BOB', country: 'BO' };
	const CONVERSION = { cryptoAmount: 10.5, asset: 'USDC', fiatCurrency: 'BOB', country: 'BO' };
	const deposit = (more: IDataObject = {}): IDataObject => ({
		transactionId: 'transaction-1',
		transactionStatus: 'pending_transaction',
		country: 'BO',
		asset: 'USDC',
		requestedCryptoAmount: '10.500000',
		calculatedFiatAmount: '100.00',
		fiatCurrency: 'BOB',
		...more,
	});

	test.each<[string, IDataObject, IDataObject]>([
		['calculatedFiatAmount', BALANCE, { calculatedFiatAmount: '1000.00' }],
		['fiatCurrency', BALANCE, { fiatCurrency: 'USD' }],
		['country', BALANCE, { country: 'PE' }],
		['requestedCryptoAmount', CONVERSION, { requestedCryptoAmount: '10.51' }],
		['asset', CONVERSION, { asset: 'USDT' }],
	])('does not believe a deposit with another %s', (name, body, more) => {
		expect(verify(DEPOSIT, deposit(more), executionState(), body)).toMatchObject({
			outcome: 'unknown',
			code: 'echoDiffers',
			message: expect.stringContaining(`but its ${name} is not the one that was sent`) as string,
		});
	});

	test.each<[string, IDataObject, IDataObject]>([
		['as it was sent', BALANCE, {}],
		[
			'with an amount that the service rounded',
			{ ...BALANCE, fiatAmount: 0.001 },
			{ calculatedFiatAmount: '0.00' },
		],
		['with the asset and amount that the service computed', BALANCE, { asset: 'USDT' }],
		[
			'with the fiat amount that the service computed',
			CONVERSION,
			{ calculatedFiatAmount: '73.4' },
		],
		['in other letter case', CONVERSION, { asset: ' usdc', fiatCurrency: 'bob', country: 'bo' }],
	])('accepts a deposit %s', (_, body, more) => {
		expect(verify(DEPOSIT, deposit(more), executionState(), body)).toBeUndefined();
	});

	test('compares no values if the endpoint echoes none', () => {
		expect(verify(BANK, bank({ amount: '99', 'Stryker was here': 1 }))).toBeUndefined();
	});
});

describe('transactions that failed at once', () => {
	test.each([
		'failed_transaction',
		'reject_transaction',
		'expired_transaction',
		' Failed Transaction ',
		'REJECTED',
		'expired',
		'cancelled',
		'Declined',
		'error',
		'denied',
		'reversed',
		'refunded',
		'returned_transaction',
		'voided',
		'aborted',
		'INVALID',
		'blocked',
		'rechazada',
		'anulado',
		'timed_out',
		'unsuccessful',
	])('does not believe a success with the status %s', (status) => {
		expect(verify(BANK, bank({}, { status }))).toEqual(
			unknown(
				'failedAtOnce',
				`The service created transaction transaction-1 with the status ${status}`,
				{ transactionId: 'transaction-1', status },
			),
		);
	});

	test('does not believe a failed status of the whole response', () => {
		expect(verify(BANK, bank({ status: 'failed' }))).toMatchObject({ status: 'failed' });
	});

	test.each([
		['pending_transaction', 'failed_transaction'],
		['reject_transaction', 'pending_transaction'],
		['processing_transaction', 'on_hold', 'Expired Transaction'],
	])('lets the worst of several transactions count: %s, %s', (...statuses) => {
		const transactions = statuses.map((status) => ({ transaction_id: 'transaction-1', status }));
		for (const endpoint of [BANK, QR]) {
			expect(verify(endpoint, bank({ transactions }))).toMatchObject({
				outcome: 'unknown',
				code: 'failedAtOnce',
				transactionId: 'transaction-1',
				status: statuses.find((status) => !/^p|hold/.test(status)),
			});
		}
	});

	test('does not believe a status that is no text', () => {
		expect(verify(BANK, bank({}, { status: { code: 'FAILED' } }))).toMatchObject({
			status: '{"code":"FAILED"}',
		});
	});

	test.each([
		'pending_transaction',
		'Processing Transaction',
		'blockchain_pending',
		'on_hold',
		null,
	])('takes the status %p for no failure', (status) => {
		expect(verify(BANK, bank({}, { status }))).toBeUndefined();
	});

	test('quotes the message of the transaction, unless the response has another', () => {
		const own = { status: 'failed', message: 'No account' };
		expect(verify(BANK, bank({}, own))?.message).toMatch(/the status failed: No account$/);
		expect(verify(BANK, bank({ message: 'Closed' }, own))?.message).toMatch(/failed: Closed$/);
	});
});
