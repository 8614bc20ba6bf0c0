import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { MoneyEndpoint } from '../../nodes/batch/endpoint';
import type { BatchOptions } from '../../nodes/batch/options';
import type { ToFund } from '../../nodes/report/toFund';
import type { Summary } from '../../nodes/batch/summary';
import type { FinishedPayment } from '../../nodes/batch/facts';
import type { PaymentResult, Row } from '../../nodes/batch/payment';
import { cancellationLog, batchError, summaryHint } from '../../nodes/batch/batchTexts';
import { toItems } from '../../nodes/batch/items';
import { report } from '../../nodes/batch/report';
import type { Target } from '../../nodes/service/baseUrl';
import type { Service } from '../../nodes/service/transport';
import { userMessage } from '../../nodes/messages/userMessage';
import { batchOf, executionState, paidBy, type BatchParts } from './builders';

const ENDPOINT = {
	amount: ({ amount, currency }) =>
		amount === undefined ? undefined : { amount: String(amount), currency: String(currency) },
	payeeName: ({ name }) => name as string | undefined,
	funding: {
		asset: ({ funded }) => (funded === 'conversion' ? 'USDC' : undefined),
		toFund: (_, answer) => answer.fund as ToFund | undefined,
	},
	simplified: ['fee', 'address'],
} as Partial<MoneyEndpoint> as MoneyEndpoint;

const TARGET: Target = {
	credential: 'Payments',
	host: 'sandbox.partner.example',
	environment: 'sandbox',
	account: 'account-1',
};

const WHERE = 'Sandbox (sandbox.partner.example)';

function contextOf(onError?: string, items: IDataObject[] = []): IExecuteFunctions {
	const node = { name: 'Pay', type: 'partnerPayments', typeVersion: 1, position: [0, 0], onError };
	return {
		getNode: () => node,
		getInputData: () => items.map((json) => ({ json })),
	} as unknown as IExecuteFunctions;
}

const payment = (
	itemIndex: number,
	result: PaymentResult,
	values: IDataObject = {},
): FinishedPayment => ({
	...paidBy(ENDPOINT, {
		itemIndex,
		reference: result.reference,
		idempotencyKey: result.reference,
		values: values as Row['values'],
		body: {},
		errors: [],
	}),
	result,
});

/** Of a row whose values say nothing. */
const NO_MONEY = { payee: '', amount: '', currency: '', paidTo: '' };

/** Values that name a payee and an amount. */
const MARIA: IDataObject = { name: 'María Quispe', amount: '900', currency: 'BOB' };

/** The response has fields that every row has too. */
const ANSWER: IDataObject = { fee: '0.10', message: 'of the answer', depth: 1 };

const created = (
	itemIndex: number,
	more: { code?: string; item?: INodeExecutionData } = {},
	values: IDataObject = {},
): FinishedPayment =>
	payment(
		itemIndex,
		{
			outcome: 'created',
			reference: `r-${itemIndex}`,
			transactionId: `t-${itemIndex}`,
			status: 'pending',
			message: 'Taken',
			item: { json: ANSWER },
			...more,
		},
		values,
	);

const ready = (itemIndex: number, values: IDataObject = {}): FinishedPayment =>
	payment(
		itemIndex,
		{
			outcome: 'ready',
			code: 'dryRun',
			reference: `r-${itemIndex}`,
			message: 'Not sent',
			request: { amount: 1 },
		},
		values,
	);

const notPaid = (
	itemIndex: number,
	outcome: PaymentResult['outcome'],
	more: Partial<PaymentResult> = {},
): FinishedPayment =>
	payment(itemIndex, {
		outcome,
		code: `${outcome}Code`,
		reference: `r-${itemIndex}`,
		message: `Why ${outcome}`,
		...more,
	});

const invalidRow = (
	itemIndex: number,
	message = 'Amount is required. Enter a value.',
): FinishedPayment => {
	const invalid = notPaid(itemIndex, 'notSent', {
		code: 'required',
		message,
		cause: 'invalidRow',
	});
	const errors = [{ field: 'Amount', ...userMessage('required') }];
	return { ...invalid, row: { ...invalid.row, errors } };
};

const batchRejected = (itemIndex: number, more: Partial<PaymentResult> = {}): FinishedPayment =>
	notPaid(itemIndex, 'notSent', { message: 'Too many', cause: 'batchRejected', ...more });

describe('output items', () => {
	const SUMMARY = { count: 1 } as Summary;
	const FUND = { amount: '12.5', asset: 'USDC', blockchain: 'Polygon', address: '0xA' };

	const items = async (
		payments: FinishedPayment[],
		{
			context = contextOf('continueRegularOutput'),
			includeInput = false,
			isTool = false,
			output = undefined as BatchOptions['output'],
			fieldsToInclude = [] as readonly string[],
			environment = undefined as 'sandbox' | undefined,
			summary = undefined as Summary | undefined,
			endpoint = ENDPOINT,
		} = {},
	) =>
		await toItems(
			batchOf({
				context,
				endpoint,
				state: executionState(),
				options: { includeInput, output, fieldsToInclude: [...fieldsToInclude] },
				isTool,
				service: { target: { environment } } as Service,
			}),
			payments,
			summary,
		);

	test('puts the stable fields of a created row first, then the response and the file', async () => {
		const binary = { image: { mimeType: 'image/png', data: '' } };
		const [item, ...more] = await items([created(3, { item: { json: ANSWER, binary } })]);
		expect(more).toEqual([]);
		expect(item).toStrictEqual({
			json: {
				outcome: 'created',
				...NO_MONEY,
				reference: 'r-3',
				row: 4,
				transactionId: 't-3',
				status: 'pending',
				message: 'Taken',
				fee: '0.10',
				depth: 1,
			},
			binary,
			pairedItem: { item: 3 },
		});
		expect(Object.keys(item.json)).toEqual([
			'outcome',
			'payee',
			'amount',
			'currency',
			'message',
			'reference',
			'transactionId',
			'status',
			'paidTo',
			'row',
			'fee',
			'depth',
		]);
	});

	test('gives a created row a code if there is something to report', async () => {
		const [{ json }] = await items([created(0, { code: 'fileNotStored' })]);
		expect(json).toMatchObject({ outcome: 'created', code: 'fileNotStored' });
	});

	const KEPT = ['outcome', 'payee', 'amount', 'currency', 'message', 'reference', 'transactionId'];
	const SIMPLIFIED = [...KEPT, 'status', 'fee'];
	const ALL = [...SIMPLIFIED.slice(0, -1), 'paidTo', 'row', 'fee', 'depth', 'environment'];

	test.each([
		['all fields', {}, ALL],
		['all fields with Raw', { output: 'raw', isTool: true }, ALL],
		['those that matter most with Simplified', { output: 'simplified' }, SIMPLIFIED],
		['those that matter most to an AI agent', { isTool: true }, SIMPLIFIED],
		[
			'the selected ones, and what became of the payment',
			{ output: 'selectedFields', fieldsToInclude: ['depth', 'status', 'not a field'] },
			[...KEPT, 'status', 'depth'],
		],
		[
			'what became of the payment, if none is selected',
			{ output: 'selectedFields', isTool: true },
			KEPT,
		],
	] as const)('gives a created row %s', async (_, choice, fields) => {
		const [{ json }] = await items([created(0)], { ...choice, environment: 'sandbox' });
		expect(Object.keys(json)).toEqual(fields);
	});

	test('shows no column of the input in place of a field that was not chosen', async () => {
		const [{ json }] = await items([created(0)], {
			context: contextOf('continueRegularOutput', [{ amount: '1.250', depth: 'x', area: 'A' }]),
			includeInput: true,
			output: 'selectedFields',
		});
		expect(json).toEqual({
			...{ outcome: 'created', message: 'Taken', reference: 'r-0', transactionId: 't-0' },
			...{ payee: '', amount: '', currency: '' },
			area: 'A',
		});
	});

	test.each(['raw', 'simplified', 'selectedFields'] as const)(
		'keeps what a payment waits for, and all fields of one that failed, with %s',
		async (output) => {
			const waits = created(0, { item: { json: { ...ANSWER, fund: FUND } } });
			const failed = notPaid(1, 'unknown');
			const [paid, unpaid] = await items([waits, failed], { output });
			expect(paid.json.toFund).toEqual(FUND);
			expect(unpaid).toEqual((await items([failed]))[0]);
		},
	);

	test('gives a ready row its request and no transaction', async () => {
		expect(await items([ready(1)])).toStrictEqual([
			{
				json: {
					outcome: 'ready',
					...NO_MONEY,
					code: 'dryRun',
					reference: 'r-1',
					row: 2,
					transactionId: '',
					status: '',
					message: 'Not sent',
					request: { amount: 1 },
				},
				pairedItem: { item: 1 },
			},
		]);
	});

	test('gives an alreadySent row a hint and no error', async () => {
		for (const onError of ['continueRegularOutput', 'continueErrorOutput']) {
			const payments = [notPaid(1, 'alreadySent', { hint: 'Look it up.' })];
			expect(await items(payments, { context: contextOf(onError) })).toStrictEqual([
				{
					json: {
						outcome: 'alreadySent',
						...NO_MONEY,
						code: 'alreadySentCode',
						reference: 'r-1',
						row: 2,
						transactionId: '',
						status: '',
						message: 'Why alreadySent',
						hint: 'Look it up.',
					},
					pairedItem: { item: 1 },
				},
			]);
		}
	});

	test.each(['rejected', 'unknown', 'notSent'] as const)(
		'repeats the fields of a row that is %s in its error',
		async (outcome) => {
			const row = {
				outcome,
				...NO_MONEY,
				code: `${outcome}Code`,
				reference: 'r-2',
				row: 3,
				transactionId: '',
				status: '',
				message: `Why ${outcome}`,
			};
			expect(await items([notPaid(2, outcome)])).toStrictEqual([
				{ json: { ...row, error: row }, pairedItem: { item: 2 } },
			]);
		},
	);

	test('puts the hint and the HTTP status of a failed row into its error', async () => {
		const more = { transactionId: 't-9', status: 'failed', hint: 'Look it up.', httpStatus: 503 };
		const row = {
			outcome: 'unknown',
			...NO_MONEY,
			code: 'unknownCode',
			reference: 'r-2',
			row: 3,
			transactionId: 't-9',
			status: 'failed',
			message: 'Why unknown',
		};
		expect((await items([notPaid(2, 'unknown', more)]))[0].json).toStrictEqual({
			...row,
			error: { ...row, hint: 'Look it up.', httpStatus: 503 },
		});
	});

	test('gives a failed row only error and message on the error output', async () => {
		const context = contextOf('continueErrorOutput', [{ Employee: 'E-1' }]);
		const options = { context, includeInput: true, summary: SUMMARY };
		expect(await items([notPaid(0, 'rejected')], options)).toStrictEqual([
			{
				json: {
					error: {
						outcome: 'rejected',
						...NO_MONEY,
						code: 'rejectedCode',
						reference: 'r-0',
						row: 1,
						transactionId: '',
						status: '',
						message: 'Why rejected',
					},
					message: 'Why rejected',
				},
				pairedItem: { item: 0 },
			},
		]);
	});

	test('adds the summary of the batch to each item', async () => {
		for (const { json } of await items([ready(0), notPaid(1, 'notSent')], { summary: SUMMARY })) {
			expect(json.summary).toBe(SUMMARY);
		}
	});

	test('adds the input columns after the other fields, and replaces none of them', async () => {
		const columns = {
			Employee: 'E-1',
			outcome: 'old',
			message: 'old',
			fee: 'old',
			summary: 'old',
			error: 'old',
		};
		const context = contextOf('continueRegularOutput', [{ Employee: 'E-0' }, columns]);
		const options = { context, includeInput: true, summary: SUMMARY };
		const [{ json }] = await items([created(1)], options);
		expect(json).toStrictEqual({
			outcome: 'created',
			...NO_MONEY,
			reference: 'r-1',
			row: 2,
			transactionId: 't-1',
			status: 'pending',
			message: 'Taken',
			fee: '0.10',
			depth: 1,
			summary: SUMMARY,
			Employee: 'E-1',
		});
		expect(Object.keys(json)).toEqual([
			'outcome',
			'payee',
			'amount',
			'currency',
			'message',
			'reference',
			'transactionId',
			'status',
			'paidTo',
			'row',
			'fee',
			'depth',
			'summary',
			'Employee',
		]);
		expect(columns.error).toBe('old');
	});

	test('adds no input columns without Include Input Columns', async () => {
		const context = contextOf('continueRegularOutput', [{ Employee: 'E-0' }]);
		expect((await items([created(0)], { context }))[0].json).not.toHaveProperty('Employee');
	});

	test('puts payee, amount, currency and message first', async () => {
		const [{ json }] = await items([created(0, {}, MARIA)]);
		expect(Object.entries(json).slice(0, 5)).toEqual([
			['outcome', 'created'],
			['payee', 'María Quispe'],
			['amount', '900.00'],
			['currency', 'BOB'],
			['message', 'Taken'],
		]);
	});

	test.each(['alreadySent', 'rejected', 'unknown', 'notSent'] as const)(
		'gives a row that is %s its payee and amount',
		async (outcome) => {
			const [{ json }] = await items([payment(0, notPaid(0, outcome).result, MARIA)]);
			expect(json).toMatchObject({ payee: 'María Quispe', amount: '900.00', currency: 'BOB' });
		},
	);

	test.each(['conflict', 'unknown'] as const)(
		'gives a row that is %s and was sent with other values no payee and no amount',
		async (outcome) => {
			const context = contextOf('continueRegularOutput', [{ amount: 900, currency: 'BOB' }]);
			const other = notPaid(0, outcome, { isOtherPayment: true }).result;
			const row = payment(0, other, MARIA);
			const [{ json }] = await items([row], { context, includeInput: true });
			const fields = {
				...NO_MONEY,
				message: `Row 1, María Quispe, 900.00 BOB: Why ${outcome}`,
			};
			expect(json).toMatchObject({ ...fields, error: fields });
		},
	);

	test('keeps the columns of an invalid row whose values could not be read', async () => {
		const context = contextOf('continueRegularOutput', [{ amount: 'all', outcome: 'old' }]);
		const [{ json }] = await items([invalidRow(0)], { context, includeInput: true });
		expect(json).toMatchObject({ outcome: 'notSent', payee: '', amount: 'all', currency: '' });
	});

	test('returns an item for every row, in the given order', async () => {
		const rows = [notPaid(2, 'notSent'), created(0), ready(1)];
		expect((await items(rows)).map(({ pairedItem }) => pairedItem)).toEqual([
			{ item: 2 },
			{ item: 0 },
			{ item: 1 },
		]);
	});
});

/** A batch whose rows were sent there. */
const batchAt = (target?: Target, parts: BatchParts = {}) =>
	batchOf({
		context: contextOf(),
		endpoint: ENDPOINT,
		state: executionState(),
		service: target && ({ target } as Service),
		...parts,
	});

describe('the error of a stopped batch', () => {
	const stop = (payments: FinishedPayment[], target?: Target) => {
		const { message, description, context } = batchError(batchAt(target), payments);
		return { message, description, context };
	};

	test('names the only row of a batch with its reference and hint', () => {
		expect(
			stop([notPaid(0, 'rejected', { hint: 'Correct it.', httpStatus: 400 })], TARGET),
		).toMatchObject({
			message: 'Row 1 (item 0), rejected: Why rejected',
			description: [
				`1 row: 1 rejected. ${WHERE}.`,
				'Correct it.',
				'<ul>',
				'<li>Row 1 (item 0), reference r-0, rejected: Why rejected</li>',
				'</ul>',
			].join('\n'),
			context: {
				code: 'rejectedCode',
				itemIndex: 0,
				rows: [
					{
						item: 0,
						outcome: 'rejected',
						...NO_MONEY,
						code: 'rejectedCode',
						reference: 'r-0',
						row: 1,
						transactionId: '',
						status: '',
						message: 'Why rejected',
						hint: 'Correct it.',
						httpStatus: 400,
					},
				],
			},
		});
	});

	test('names the payee and the amount of a row', () => {
		const rows = [
			payment(0, notPaid(0, 'rejected').result, MARIA),
			created(1, {}, { ...MARIA, name: 'Ana <b>', amount: '1250.5' }),
			payment(2, invalidRow(2).result, { name: 'Luis' }),
		];
		const { message, description, context } = stop(rows);
		expect(message).toBe('Row 1, María Quispe, 900.00 BOB, rejected: Why rejected');
		expect(description).toBe(
			[
				'3 rows: 1 rejected, 1 created, 1 not sent.',
				'<ul>',
				'<li>Row 2, Ana &lt;b>, 1,250.50 BOB, reference r-1, created: t-1</li>',
				'<li>Row 1, María Quispe, 900.00 BOB, reference r-0, rejected: Why rejected</li>',
				'<li>Row 3, Luis: Amount is required. Enter a value.</li>',
				'</ul>',
			].join('\n'),
		);
		expect(context.itemIndex).toBe(0);
	});

	test('says what the created rows of a stopped batch wait for', () => {
		const fund = { amount: '12.5', asset: 'USDC', blockchain: 'Polygon', address: '0xA' };
		const rows = [created(0, { item: { json: { fund } } }), notPaid(1, 'rejected')];
		const { description, context } = stop(rows);
		expect(description).toContain('2 rows: 1 rejected, 1 created.');
		expect(context.rows).toMatchObject([{ toFund: fund }, {}]);
	});

	test('begins with the first wrong value of the only row, and lists all', () => {
		const { message, description } = stop([invalidRow(0, 'A\nB')]);
		expect(message).toBe('Row 1 (item 0): A');
		expect(description).toMatch(/<li>Row 1 \(item 0\): A<.li>\n<li>Row 1 \(item 0\): B</);
	});

	test('names a row without a reference by its number alone', () => {
		expect(stop([notPaid(0, 'notSent', { reference: '' })]).message).toBe(
			'Row 1 (item 0), not sent: Why notSent',
		);
	});

	test.each<[string, FinishedPayment[], number]>([
		[
			'an unknown row before one that was rejected',
			[notPaid(0, 'rejected'), notPaid(1, 'unknown')],
			1,
		],
		['a row that was rejected before others', [notPaid(0, 'notSent'), notPaid(1, 'rejected')], 1],
		['the first of several rejected rows', [notPaid(0, 'rejected'), notPaid(1, 'rejected')], 0],
		['no row that was already sent', [notPaid(0, 'alreadySent'), notPaid(1, 'notSent')], 1],
		['no row that was created', [created(0), notPaid(1, 'notSent'), notPaid(2, 'notSent')], 1],
	])('begins the error with %s', (_, payments, itemIndex) => {
		const { message, context } = stop(payments);
		expect(message.startsWith(`Row ${itemIndex + 1} (item ${itemIndex}), `)).toBe(true);
		expect(context.itemIndex).toBe(itemIndex);
	});

	test('lists rows to look up first, each with its outcome', () => {
		const payments = [
			ready(0),
			notPaid(1, 'notSent'),
			notPaid(2, 'alreadySent'),
			created(3),
			notPaid(4, 'rejected'),
			notPaid(5, 'unknown'),
			created(6),
		];
		expect(stop(payments).description).toBe(
			[
				'7 rows: 1 unknown, 1 rejected, 2 created, 1 already sent, 1 not sent, 1 ready.',
				'<ul>',
				'<li>Row 6 (item 5), reference r-5, unknown: Why unknown</li>',
				'<li>Row 4 (item 3), reference r-3, created: t-3</li>',
				'<li>Row 7 (item 6), reference r-6, created: t-6</li>',
				'<li>Row 3 (item 2), reference r-2, already sent: Why alreadySent</li>',
				'<li>Row 5 (item 4), reference r-4, rejected: Why rejected</li>',
				'<li>Row 2 (item 1), reference r-1, not sent: Why notSent</li>',
				'<li>Row 1 (item 0), reference r-0, ready: Not sent</li>',
				'</ul>',
			].join('\n'),
		);
	});

	test('puts all rows into the error context, in their order', () => {
		const { context } = stop([created(0), notPaid(1, 'unknown', { hint: 'Look it up.' })]);
		expect(context.rows).toStrictEqual([
			{
				item: 0,
				outcome: 'created',
				...NO_MONEY,
				reference: 'r-0',
				row: 1,
				transactionId: 't-0',
				status: 'pending',
				message: 'Taken',
			},
			{
				item: 1,
				outcome: 'unknown',
				...NO_MONEY,
				code: 'unknownCode',
				reference: 'r-1',
				row: 2,
				transactionId: '',
				status: '',
				message: 'Why unknown',
				hint: 'Look it up.',
			},
		]);
	});

	test('escapes tags in the words of the service', () => {
		const { description } = stop([
			notPaid(0, 'rejected'),
			notPaid(1, 'rejected', { message: '<b>No</b>' }),
		]);
		expect(description).toContain('rejected: &lt;b>No&lt;/b></li>');
	});

	describe('with invalid rows', () => {
		test('counts the invalid rows and lists no others', () => {
			const payments = [
				notPaid(0, 'notSent', { code: 'otherItemsInvalid' }),
				invalidRow(1),
				invalidRow(2, 'Amount is required.\nBank Code is required.'),
			];
			expect(stop(payments, TARGET)).toMatchObject({
				message: 'Nothing was sent. Invalid items: 2 of 3',
				description: [
					`3 rows: 3 not sent. ${WHERE}.`,
					'<ul>',
					'<li>Row 2 (item 1): Amount is required. Enter a value.</li>',
					'<li>Row 3 (item 2): Amount is required.</li>',
					'<li>Row 3 (item 2): Bank Code is required.</li>',
					'</ul>',
				].join('\n'),
				context: { code: 'rowsInvalid', itemIndex: 1, rows: [{ item: 1 }, { item: 2 }] },
			});
		});

		test('says what is wrong with the only row', () => {
			expect(stop([invalidRow(0)])).toMatchObject({
				message: 'Row 1 (item 0): Amount is required. Enter a value.',
				description: [
					'1 row: 1 not sent.',
					'<ul>',
					'<li>Row 1 (item 0): Amount is required. Enter a value.</li>',
					'</ul>',
				].join('\n'),
				context: { code: 'required', itemIndex: 0, rows: [{ item: 0 }] },
			});
		});

		test.each<[string, FinishedPayment]>([
			['was created', created(0)],
			['may have been created', notPaid(0, 'unknown')],
		])('reports invalid rows with another row that %s', (_, sent) => {
			const { message, context } = stop([sent, invalidRow(1)]);
			expect(message).toMatch(/^Row \d \(item \d\)/);
			expect(context.rows).toMatchObject([{ item: 0 }, { item: 1 }]);
		});

		test('omits the reference of an invalid row in the first line', () => {
			expect(stop([created(0), invalidRow(1)]).message).toBe(
				'Row 2 (item 1): Amount is required. Enter a value.',
			);
		});
	});

	describe('with a rejected batch', () => {
		test('says that nothing was sent, and the reason once', () => {
			expect(stop([batchRejected(0, { hint: 'Pay fewer.' }), batchRejected(1)])).toMatchObject({
				message: 'Nothing was sent. Too many',
				description: '2 rows: 2 not sent.\nPay fewer.',
				context: {
					code: 'notSentCode',
					itemIndex: undefined,
					rows: [{ item: 0 }, { item: 1 }],
				},
			});
		});

		test.each<[string, FinishedPayment, string]>([
			['was created', created(0), 'created: t-0'],
			['was already sent', notPaid(0, 'alreadySent'), 'already sent: Why alreadySent'],
			[
				'stopped the batch as already sent',
				notPaid(0, 'alreadySent', { message: 'Too many', cause: 'batchRejected' }),
				'already sent: Too many',
			],
		])('lists each row that %s', (_, other, end) => {
			const { description } = stop([other, batchRejected(1)]);
			expect(description?.split('\n').slice(1)).toEqual([
				'<ul>',
				`<li>Row 1 (item 0), reference r-0, ${end}</li>`,
				'</ul>',
			]);
		});

		test('says that nothing more was sent if some rows were', () => {
			expect(stop([created(0), batchRejected(1)]).message).toBe('Nothing more was sent. Too many');
		});
	});

	describe('with a large batch', () => {
		const linesOf = (payments: FinishedPayment[]): string[] =>
			(stop(payments).description ?? '').split('\n').filter((line) => line.startsWith('<li>'));

		const many = (count: number, row: (itemIndex: number) => FinishedPayment): FinishedPayment[] =>
			Array.from({ length: count }, (_, itemIndex) => row(itemIndex));

		test('lists up to 1,000 rows that were not sent', () => {
			const lines = linesOf(many(1_000, (index) => notPaid(index, 'notSent')));
			expect(lines).toHaveLength(1_000);
			expect(lines[999]).toBe(
				'<li>Row 1000 (item 999), reference r-999, not sent: Why notSent</li>',
			);
		});

		test('counts the rows beyond 1,000 that were not sent', () => {
			const lines = linesOf(many(1_001, (index) => notPaid(index, 'notSent')));
			expect(lines).toHaveLength(1_001);
			expect(lines.slice(-2)).toEqual([
				'<li>Row 1000 (item 999), reference r-999, not sent: Why notSent</li>',
				'<li>… and 1 more that were not sent.</li>',
			]);
		});

		test('lists all rows that may have been paid', () => {
			const payments = many(1_200, (index) =>
				index === 1_199 ? notPaid(index, 'rejected') : created(index),
			);
			const lines = linesOf(payments);
			expect(lines).toHaveLength(1_200);
			expect(lines[1_198]).toBe('<li>Row 1199 (item 1198), reference r-1198, created: t-1198</li>');
		});
	});
});

describe('the log of a cancelled execution', () => {
	test('logs the counts by outcome and each row that may have been paid', () => {
		const payments = [
			created(0),
			notPaid(1, 'notSent'),
			notPaid(2, 'unknown'),
			notPaid(3, 'alreadySent'),
			notPaid(4, 'rejected'),
		];
		expect(cancellationLog(batchAt(TARGET), payments)).toEqual([
			`Partner Payments: the execution was cancelled. 5 rows: 1 unknown, 1 rejected, 1 created, 1 already sent, 1 not sent. ${WHERE}.`,
			'Partner Payments: row 3 (item 2) r-2 unknown: unknownCode',
			'Partner Payments: row 1 (item 0) r-0 created: t-0',
			'Partner Payments: row 4 (item 3) r-3 already sent: alreadySentCode',
		]);
	});

	test('is logged if the user stops while the items are made', async () => {
		const stop = new AbortController();
		const warnings: string[] = [];
		const context = {
			...contextOf('continueRegularOutput'),
			getExecutionCancelSignal: () => stop.signal,
			addExecutionHints: () => undefined,
			logger: { warn: (message: string) => warnings.push(message) },
		} as unknown as IExecuteFunctions;
		const payments = [created(0), notPaid(1, 'unknown')];
		const yieldNow = async () => await Promise.resolve(stop.abort());
		await report(
			batchOf({
				context,
				endpoint: ENDPOINT,
				state: executionState(),
				continueOnFail: true,
				yieldNow,
			}),
			payments,
		);
		expect(warnings).toEqual(cancellationLog(batchAt(), payments));
	});

	test('logs no names, no amounts, and nothing that the service said', () => {
		const message = 'The account of María Quispe is closed';
		const payments = [
			payment(0, notPaid(0, 'unknown', { message }).result, MARIA),
			payment(1, notPaid(1, 'conflict', { message }).result, MARIA),
			created(2, { code: 'undocumentedStatus' }, MARIA),
		];
		expect(cancellationLog(batchAt(), payments).join('\n')).not.toMatch(/María|900/);
	});

	test('logs one line if nothing was sent', () => {
		expect(cancellationLog(batchAt(), [notPaid(0, 'notSent')])).toEqual([
			'Partner Payments: the execution was cancelled. 1 row: 1 not sent.',
		]);
	});
});

describe('the hint above the output', () => {
	const bob = (amount: string): IDataObject => ({ amount, currency: 'BOB' });

	test('counts rows, totals created payments, and names the environment', () => {
		const payments = [
			created(0, {}, bob('100.25')),
			created(1, {}, bob('0.25')),
			created(2, {}, { amount: '7', currency: 'USD' }),
			created(3),
			payment(4, notPaid(4, 'rejected').result, bob('1000')),
		];
		expect(summaryHint(batchAt(TARGET), payments)).toBe(
			`5 items: 1 rejected, 4 created; total created 100.50 BOB, 7.00 USD; ${WHERE}`,
		);
	});

	test('totals ready rows of a dry run, and says that nothing was sent', () => {
		const payments = [ready(0, bob('5')), created(1, {}, bob('9'))];
		expect(summaryHint(batchAt(undefined, { options: { dryRun: true } }), payments)).toBe(
			'Dry run, nothing was sent. 2 items: 1 created, 1 ready; total ready 5.00 BOB',
		);
	});

	test('adds no total to the hint if nothing was created', () => {
		const payments = [payment(0, notPaid(0, 'notSent').result, bob('5'))];
		expect(summaryHint(batchAt(), payments)).toBe('1 item: 1 not sent');
	});
});
