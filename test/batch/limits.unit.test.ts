import type { IDataObject } from 'n8n-workflow';

import type { Values } from '../../nodes/fields/validators';
import type { ValidationError } from '../../nodes/fields/validateFields';
import { wrongEnvironment } from '../../nodes/batch/batchContext';
import { gather } from '../../nodes/batch/gather';
import { checkLimits } from '../../nodes/batch/limits';
import { finishAll } from '../../nodes/batch/runBatch';
import type { MoneyEndpoint } from '../../nodes/batch/endpoint';
import { fingerprint } from '../../nodes/batch/fingerprint';
import type { BatchOptions } from '../../nodes/batch/options';
import type { PaymentResult, Row } from '../../nodes/batch/payment';
import type { Target } from '../../nodes/service/baseUrl';
import { ServiceError } from '../../nodes/service/errors';
import type { UserMessage } from '../../nodes/messages/userMessage';
import type { Service } from '../../nodes/service/transport';
import { BANK, batchOf, CRYPTO, paidBy, QR, type BatchParts } from './builders';

/** An endpoint without duplicate keys. */
const WITHOUT_RECIPIENT: MoneyEndpoint = { ...BANK, payee: undefined };

const TARGET: Target = {
	credential: 'Payroll',
	host: 'partner.example',
	environment: 'sandbox',
	account: 'account-1',
};

/** A row of 10 BOB to a payee that no other row has. */
const row = (itemIndex = 0, values: Values = {}, more: Partial<Row> = {}): Row => ({
	itemIndex,
	reference: `Ref-${itemIndex}`,
	idempotencyKey: `ref-${itemIndex}`,
	values: {
		destinationIdNumber: `700${itemIndex}`,
		bankCode: '1001',
		destinationAccount: `100${itemIndex}`,
		description: 'Salary',
		amount: '10',
		currencyType: 'BOB',
		fundingSource: 'balance',
		...values,
	},
	body: { item: itemIndex },
	errors: [],
	...more,
});

const REQUIRED: ValidationError = {
	field: 'Bank Code',
	code: 'required',
	message: 'is required',
	hint: 'Enter it.',
	es: { message: 'falta' },
};

const bad = (itemIndex = 0, values: Values = {}, errors: ValidationError[] = [REQUIRED]): Row =>
	row(itemIndex, values, { errors });

/** A service that responds with these balances, and the requests it got. */
function serviceWith(answer: unknown = [], target = TARGET) {
	const request = jest.fn<Promise<unknown>, [object]>(async () => await Promise.resolve(answer));
	return { request, service: { request, target } as unknown as Service };
}

/** The results of rows; undefined for one that would be sent. */
async function validated(
	rows: Row[],
	more: BatchParts = {},
): Promise<Array<PaymentResult | undefined>> {
	const batch = batchOf(more);
	const all = await gather(batch, rows);
	await checkLimits(batch, all);
	const ended = await finishAll(batch, all);
	expect(ended.map((payment) => payment.row)).toEqual(rows);
	return ended.map(({ result }) => (result.code === 'notReached' ? undefined : result));
}

/** The result codes of rows; undefined for one that stays open. */
async function codes(rows: Row[], more: BatchParts = {}): Promise<unknown[]> {
	return (await validated(rows, more)).map((result) => result && 'code' in result && result.code);
}

const CORRECT_THE_OPTION = 'Compare the input with what you expected, or correct the option.';

const notSent = (item: number, code: string, message: string, more: IDataObject = {}) => ({
	outcome: 'notSent',
	code,
	reference: `Ref-${item}`,
	message,
	...more,
});

const invalid = (item: number, code: string, message: string) =>
	notSent(item, code, message, {
		hint: 'Nothing was sent for this item. Correct it and run it again.',
		cause: 'invalidRow',
	});

const rejected = (item: number, code: string, message: string, hint = CORRECT_THE_OPTION) =>
	notSent(item, code, message, { hint, cause: 'batchRejected' });

const total = (...totals: Array<[currency: string, amount: string]>) => new Map(totals);

const OPEN = undefined;

describe('invalid rows', () => {
	const OTHERS = notSent(1, 'otherItemsInvalid', 'Not sent: other items are invalid', {
		hint: 'Correct them, or set On Error to continue.',
	});

	test('sends no valid row if another row is invalid', async () => {
		const ended = await validated([bad(0), row(1)]);
		expect(ended).toEqual([invalid(0, 'required', 'Bank Code is required. Enter it.'), OTHERS]);
		// The batch as a whole was not rejected: the other rows have nothing to do with it.
		expect(ended[1]?.cause).toBeUndefined();
	});

	test('sends valid rows next to an invalid one with On Error set to continue', async () => {
		expect(await validated([bad(0), row(1)], { continueOnFail: true })).toEqual([
			invalid(0, 'required', 'Bank Code is required. Enter it.'),
			OPEN,
		]);
	});

	test('reports each error of a row on its own line, with the code of the first', async () => {
		const one = bad(0, { amount: '11' }, [
			{ ...REQUIRED, code: 'first', value: '"x"' },
			{ ...REQUIRED, code: 'second', field: 'Last Name' },
		]);
		expect(await validated([one], { options: { maximumAmount: '10' } })).toEqual([
			invalid(
				0,
				'first',
				[
					'Bank Code ("x") is required. Enter it.',
					'Last Name is required. Enter it.',
					'Amount ("11 BOB") is above the Maximum Amount of 10. Check the amount, or raise Check: Maximum Amount.',
				].join('\n'),
			),
		]);
	});

	test.each([false, true])(
		'does not ask for the balance if all rows are invalid (continue: %p)',
		async (continueOnFail) => {
			const { service, request } = serviceWith([]);
			const options = { checkBalance: true };
			expect(await codes([bad()], { service, options, continueOnFail })).toEqual(['required']);
			expect(request).not.toHaveBeenCalled();
		},
	);

	test('gives invalid rows their own reason if the whole batch is rejected', async () => {
		const es = { message: 'Cerrado' };
		const rejection: UserMessage = { code: 'own', message: 'Closed', hint: 'Wait.', es };
		const { service, request } = serviceWith([]);
		const ended = await validated([bad(0), row(1)], {
			rejection,
			service,
			options: { checkBalance: true },
		});
		expect(ended).toEqual([
			invalid(0, 'required', 'Bank Code is required. Enter it.'),
			rejected(1, 'own', 'Closed', 'Wait.'),
		]);
		expect(request).not.toHaveBeenCalled();
	});
});

describe('Maximum Amount', () => {
	const maximum = async (values: Values, endpoint = BANK) =>
		await validated([row(0, values)], { endpoint, options: { maximumAmount: '10.5' } });

	test.each(['10.5', '10.50', '10.49', '9'])('accepts the amount %s', async (amount) => {
		expect(await maximum({ amount })).toEqual([OPEN]);
	});

	test('rejects an amount above the maximum by one cent, with both amounts', async () => {
		expect(await maximum({ amount: '10.51' })).toEqual([
			invalid(
				0,
				'aboveMaximumAmount',
				'Amount ("10.51 BOB") is above the Maximum Amount of 10.5. Check the amount, or raise Check: Maximum Amount.',
			),
		]);
	});

	const UNKNOWN = invalid(
		0,
		'amountUnknown',
		'Amount is unknown, so Maximum Amount cannot be checked. Enter an amount, or remove Maximum Amount.',
	);

	test('rejects an unknown amount if a maximum is set', async () => {
		expect(await maximum({ amount: undefined, assetDeposit: 'USDC' }, QR)).toEqual([UNKNOWN]);
	});

	test('rejects an amount that cannot be read if a maximum is set', async () => {
		expect(await maximum({ amount: 'all' })).toEqual([UNKNOWN]);
	});

	test('accepts an unknown amount without a maximum', async () => {
		expect(await validated([row(0, { amount: undefined })], { endpoint: QR })).toEqual([OPEN]);
	});
});

describe('Duplicates: Same Payee and Amount', () => {
	const SAME = { destinationIdNumber: '7', destinationAccount: '7' };
	const copies = [row(0), row(1, SAME), row(2, SAME), row(3, SAME)];
	const copyOf = (item: number, original: string) =>
		invalid(
			item,
			'duplicatePayment',
			`Payment duplicates ${original}: same payee, amount and purpose. Remove the row if it was copied. If both are due, say in the description of each row what it is for.`,
		);

	test('rejects all duplicates but the first, which their messages name', async () => {
		expect(await validated(copies, { continueOnFail: true })).toEqual([
			OPEN,
			OPEN,
			expect.objectContaining(copyOf(2, 'row 2 (item 1)')),
			expect.objectContaining(copyOf(3, 'row 2 (item 1)')),
		]);
	});

	test('sends duplicate payments if the option allows them', async () => {
		const ended = await validated(copies, { options: { duplicatePayments: 'allow' } });
		expect(ended).toEqual([OPEN, OPEN, OPEN, OPEN]);
	});

	test('sends duplicate payments if the option only reports them', async () => {
		const ended = await validated(copies, { options: { duplicatePayments: 'report' } });
		expect(ended).toEqual([OPEN, OPEN, OPEN, OPEN]);
	});

	test('finds no duplicates at an endpoint without a recipient', async () => {
		const ended = await validated(copies, { endpoint: WITHOUT_RECIPIENT });
		expect(ended).toEqual([OPEN, OPEN, OPEN, OPEN]);
	});

	test.each<[string, Values]>([
		['purpose', { description: 'Bonus' }],
		['amount', { amount: '10.01' }],
		['currency', { currencyType: 'USD' }],
	])('does not treat a payment with another %s as a duplicate', async (_, values) => {
		expect(await validated([row(0, SAME), row(1, { ...SAME, ...values })])).toEqual([OPEN, OPEN]);
	});

	test('does not compare rows with an invalid row, which is not sent', async () => {
		const rows = [bad(0, SAME), row(1, SAME), bad(2, SAME)];
		expect(await codes(rows, { continueOnFail: true })).toEqual(['required', OPEN, 'required']);
		const [, , last] = await validated(rows, { continueOnFail: true });
		expect(last).toMatchObject({ message: 'Bank Code is required. Enter it.' });
	});
});

/** 10 BOB, 20.5 BOB and 3 USD. */
const mixed = (): Row[] => [
	row(0),
	row(1, { amount: '20.50' }),
	row(2, { amount: '3', currencyType: 'USD' }),
];

/** Why none of the mixed rows is sent; undefined if all are. */
async function rejectionFor(options: Partial<BatchOptions>, more: BatchParts = {}, rows = mixed()) {
	const [first, ...others] = await validated(rows, { ...more, options });
	for (const other of others)
		expect(other).toEqual(first && { ...first, reference: other?.reference });
	return first;
}

describe('Maximum Totals', () => {
	test.each([
		['equal', total(['BOB', '30.5'], ['USD', '3'])],
		['higher', total(['BOB', '1000'], ['USD', '3.01'], ['PEN', '1'])],
	])('accepts a batch if Maximum Totals are %s', async (_, maximumTotals) => {
		expect(await rejectionFor({ maximumTotals })).toBeUndefined();
	});

	test('rejects a batch above a maximum total by one cent, with both amounts', async () => {
		expect(await rejectionFor({ maximumTotals: total(['BOB', '30.5'], ['USD', '2.99']) })).toEqual(
			rejected(0, 'aboveMaximumTotal', 'Maximum Totals allows 2.99 USD, but the items total 3 USD'),
		);
	});

	test('rejects a batch with a currency that has no maximum', async () => {
		expect(await rejectionFor({ maximumTotals: total(['BOB', '30.5']) })).toEqual(
			rejected(0, 'currencyWithoutLimit', 'Maximum Totals has no USD, but the items total 3 USD'),
		);
	});
});

describe('totals of unknown amounts', () => {
	const rows = [
		row(0, { assetDeposit: 'USDC', amount: '1' }),
		row(1, { assetDeposit: 'USDC', amount: undefined }),
	];
	const known = total(['USDC', '1']);

	test('rejects a batch with an unknown amount if totals are limited', async () => {
		expect(await rejectionFor({ maximumTotals: known }, { endpoint: QR }, rows)).toEqual(
			rejected(
				0,
				'totalUnknown',
				'Maximum Totals cannot be checked: the amount of row 2 (item 1) is unknown',
			),
		);
	});

	test('accepts a batch with an unknown amount if no totals are set', async () => {
		expect(await rejectionFor({}, { endpoint: QR }, rows)).toBeUndefined();
	});
});

describe('Approval Code', () => {
	const DRY_RUN_AGAIN =
		'Repeat the dry run with these rows and settings, and have its fingerprint approved.';

	const approvedFor = (rows: Row[], target?: Target) => ({
		approvalCode: fingerprint(
			BANK,
			rows.map((one) => paidBy(BANK, one)),
			target,
		),
	});

	test('accepts an approval of the same payments from the same account', async () => {
		const { service } = serviceWith();
		expect(await rejectionFor(approvedFor(mixed(), TARGET), { service })).toBeUndefined();
	});

	test('compares no account if no credential can be read', async () => {
		expect(await rejectionFor(approvedFor(mixed()))).toBeUndefined();
		expect(await rejectionFor(approvedFor(mixed(), TARGET))).toMatchObject({
			code: 'approvalOfOtherPayments',
		});
	});

	test('compares only valid rows with the approval', async () => {
		const ended = await validated([...mixed(), bad(3)], {
			continueOnFail: true,
			options: approvedFor(mixed()),
		});
		expect(ended).toMatchObject([OPEN, OPEN, OPEN, { code: 'required' }]);
	});

	test('rejects an approval of other payments, and says what differs', async () => {
		expect(await rejectionFor(approvedFor(mixed().slice(1)))).toEqual(
			rejected(
				0,
				'approvalOfOtherPayments',
				'The approved fingerprint doesn’t match these payments. Approved: 2 payments, 20.50 BOB, 3.00 USD. Now: 3 payments, 30.50 BOB, 3.00 USD. If both are the same, a row or the paying account differs',
				DRY_RUN_AGAIN,
			),
		);
	});

	test('rejects an approval of other content with the same figures', async () => {
		const { service } = serviceWith();
		const other = { ...TARGET, account: 'account-2' };
		expect(await rejectionFor(approvedFor(mixed(), other), { service })).toEqual(
			rejected(
				0,
				'approvalOfOtherPayments',
				'The approved fingerprint doesn’t match these payments. Approved: 3 payments, 30.50 BOB, 3.00 USD, Sandbox. Now: 3 payments, 30.50 BOB, 3.00 USD, Sandbox. If both are the same, a row or the paying account differs',
				DRY_RUN_AGAIN,
			),
		);
	});

	test('checks the approval after the totals and before the balance', async () => {
		const { service, request } = serviceWith([]);
		const options = { ...approvedFor([]), checkBalance: true };
		expect(
			await rejectionFor({ ...options, maximumTotals: total(['USD', '3']) }, { service }),
		).toMatchObject({
			code: 'currencyWithoutLimit',
		});
		expect(await rejectionFor(options, { service })).toMatchObject({
			code: 'approvalOfOtherPayments',
		});
		expect(request).not.toHaveBeenCalled();
	});
});

describe('Check: Balance', () => {
	const HINT = 'Top up the balance, or pay fewer items.';

	const entry = (fiat: string, balance: unknown, type = 'withdrawal_ach') => ({
		fiat,
		balance,
		type,
	});

	const USD = entry('USD', '3');

	async function checked(balances: unknown, rows = mixed(), more: BatchParts = {}) {
		const { service, request } = serviceWith(balances);
		const rejection = await rejectionFor({ checkBalance: true }, { service, ...more }, rows);
		return { rejection, asked: request.mock.calls };
	}

	test('accepts a batch if the balance is just enough, with one request', async () => {
		expect(await checked([entry('BOB', 30.5), USD])).toEqual({
			rejection: undefined,
			asked: [[{ method: 'GET', path: '/v2/transactions/payouts/balance' }]],
		});
	});

	test('rejects a batch if the balance is one cent too low, with both amounts', async () => {
		expect((await checked([entry('BOB', 30.49), USD])).rejection).toEqual(
			rejected(
				0,
				'balanceTooLow',
				'The balance is 30.49 BOB, but these payouts total 30.5 BOB',
				HINT,
			),
		);
	});

	test('checks the balance of each currency', async () => {
		expect((await checked([entry('BOB', 31), entry('USD', 2)])).rejection).toMatchObject({
			code: 'balanceTooLow',
			message: 'The balance is 2 USD, but these payouts total 3 USD',
		});
	});

	test.each<[string, unknown[]]>([
		['in that currency', [USD, entry('PEN', 1000)]],
		[
			'that is the only one of several of another type',
			[USD, entry('BOB', 1000, 'express'), entry('BOB', 1000, 'other')],
		],
		['that is the only one of its type', [USD, entry('BOB', 1000), entry('BOB', 1000)]],
		['that can be read', [USD, entry('BOB', 'much')]],
		['at all', []],
	])('rejects a batch without a balance %s', async (_, balances) => {
		expect((await checked(balances)).rejection).toEqual(
			rejected(
				0,
				'noBalance',
				'Check: Balance finds no single BOB balance for these payouts, which total 30.5 BOB',
				HINT,
			),
		);
	});

	test('uses the balance of the payout’s type', async () => {
		const others = [entry('BOB', 1, 'express'), entry('BOB', 2, 'other')];
		expect((await checked([USD, ...others, entry('BOB', 31)])).rejection).toBeUndefined();
		expect(
			(await checked([USD, entry('BOB', 31, 'express'), entry('BOB', 1)])).rejection,
		).toMatchObject({ message: 'The balance is 1 BOB, but these payouts total 30.5 BOB' });
	});

	test('ignores list entries that are no balances', async () => {
		const balances = [null, 'BOB', USD, [], entry('BOB', 31)];
		expect((await checked(balances)).rejection).toBeUndefined();
	});

	test('uses the only balance in a currency, whatever its type', async () => {
		expect((await checked([USD, entry('BOB', 31, 'express')])).rejection).toBeUndefined();
	});

	test('compares the balance with known amounts that it pays', async () => {
		const rows = [
			row(0),
			row(1, { fundingSource: 'conversion', amount: '1000' }),
			row(2, { amount: undefined }),
		];
		expect((await checked([entry('BOB', 10)], rows)).rejection).toBeUndefined();
		expect((await checked([entry('BOB', 9)], rows)).rejection).toMatchObject({
			message: 'The balance is 9 BOB, but these payouts total 10 BOB',
		});
	});

	test('compares the balance with valid rows only', async () => {
		const { service } = serviceWith([entry('BOB', 10)]);
		const batch = { service, continueOnFail: true, options: { checkBalance: true } };
		expect(await codes([row(0), bad(1)], batch)).toEqual([OPEN, 'required']);
	});

	test('does not ask for the balance if no payment uses it', async () => {
		const rows = [row(0, { fundingSource: 'conversion' })];
		expect(await checked([], rows)).toEqual({ rejection: undefined, asked: [] });
		const crypto = [row(0, { asset: 'USDC', blockchain: 'Polygon' })];
		expect(await checked([], crypto, { endpoint: CRYPTO })).toEqual({
			rejection: undefined,
			asked: [],
		});
	});

	test('does not ask for the balance unless the option is set', async () => {
		const { service, request } = serviceWith([]);
		expect(await rejectionFor({ checkBalance: false }, { service })).toBeUndefined();
		expect(request).not.toHaveBeenCalled();
	});

	test('rejects a batch with the error of the service if balances cannot be read', async () => {
		const { service, request } = serviceWith();
		const message = { code: 'away', message: 'The service is away', hint: 'Wait.' };
		request.mockRejectedValue(new ServiceError(message, { status: 500 }));
		expect(await rejectionFor({ checkBalance: true }, { service })).toEqual(
			rejected(0, 'away', 'The service is away', 'Wait.'),
		);
	});

	test('rejects a batch if the response is no list of balances', async () => {
		expect((await checked({ balances: [] })).rejection).toMatchObject({
			code: 'responseWithoutList',
			cause: 'batchRejected',
		});
	});
});

describe('Required Environment', () => {
	const only = (requiredEnvironment: BatchOptions['requiredEnvironment'], target: Target) =>
		wrongEnvironment({ requiredEnvironment } as BatchOptions, target);

	test('accepts a credential for the required environment', () => {
		expect(only('sandbox', TARGET)).toBeUndefined();
	});

	test('accepts any credential without a required environment', () => {
		expect(only(undefined, TARGET)).toBeUndefined();
	});

	test('rejects another environment and names both', () => {
		expect(only('production', TARGET)).toEqual({
			code: 'wrongEnvironment',
			message:
				'Required Environment is Production, but the credential "Payroll" is for Sandbox (partner.example)',
			hint: 'Choose a credential whose Environment is Production, or change Required Environment.',
		});
	});

	test('rejects a credential that states no environment', () => {
		expect(only('sandbox', { ...TARGET, environment: undefined })?.message).toBe(
			'Required Environment is Sandbox, but the credential "Payroll" is for partner.example (Environment not stated)',
		);
	});
});
