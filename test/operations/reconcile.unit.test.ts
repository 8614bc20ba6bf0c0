import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { reconcile } from '../../nodes/PartnerPayments/resources/transaction/reconcile';
import { event, minutesAgo, runOperation, serviceWith, useOwnTime } from './context';

useOwnTime();

afterEach(() => jest.restoreAllMocks());

const HOUR = 60;

/** The event of a payout of 900 BOB. */
const log = (
	reference: string,
	word: string,
	{ minutes = HOUR, id = `t-${reference}`, type = 'withdrawal_ach', ...details }: IDataObject = {},
): IDataObject =>
	event(reference, String(id), word, Number(minutes), {
		transactionType: type,
		details: {
			transactionId: id,
			message: `now ${word}`,
			amount: '900',
			asset: 'BOB',
			...details,
		},
	});

/** A row of a file. */
const row = (reference: string, more: IDataObject = {}): IDataObject => ({
	external_reference: reference,
	first_name: 'Ana',
	last_name: 'Rojas',
	amount: '900.00',
	currency_type: 'BOB',
	...more,
});

/** What a payment returned for a row. */
const result = (outcome: string, reference: string, more: IDataObject = {}): IDataObject => ({
	outcome,
	payee: 'Ana Rojas',
	amount: '900.00',
	currency: 'BOB',
	reference,
	...more,
});

const run = async (
	items: IDataObject[],
	logs: IDataObject[] = [],
	options: INodeParameters = {},
	language = 'en',
) => {
	const service = serviceWith(logs);
	const ran = await runOperation(reconcile, { options, language }, items);
	return { ...ran, reads: service.reads() };
};

/** The only line of a row, as its finding and message. */
const found = async (item: IDataObject, logs: IDataObject[], options: INodeParameters = {}) => {
	const { json } = await run([item], logs, options);
	expect(json).toHaveLength(1);
	const [{ finding, message }] = json;
	return [finding, message];
};

const findings = async (
	items: IDataObject[],
	logs: IDataObject[] = [],
	options: INodeParameters = {},
) => (await run(items, logs, options)).json.map((one) => [one.reference, one.finding]);

const NOT_COMPARED = expect.stringMatching(/^The amount was not compared/) as string;
const NOT_IN_LOGS = 'The logs do not have it (days searched: 31). It may still have been paid.';

describe('a row', () => {
	test.each<[string, string, IDataObject[], string]>([
		['arrived', 'arrived', [log('r', 'completed')], ''],
		['is on its way', 'onItsWay', [log('r', 'pending')], ''],
		[
			'has been so for exactly the hours',
			'onItsWay',
			[log('r', 'processing', { minutes: 24 * HOUR })],
			'',
		],
		[
			'has been so for more than the hours',
			'overdue',
			[log('r', 'processing', { minutes: 24 * HOUR + 1 })],
			'For more than 24 h.',
		],
		['arrived long ago', 'arrived', [log('r', 'completed', { minutes: 99 * HOUR })], ''],
		['failed', 'failed', [log('r', 'failed')], 'now failed'],
		['was rejected by the bank', 'failed', [log('r', 'reject')], 'now reject'],
		['is not in the logs', 'notFound', [], NOT_IN_LOGS],
		['has a status that nobody documented', 'unclear', [log('r', 'held')], 'now held'],
		[
			'has two transactions that did not fail',
			'paidTwice',
			[log('r', 'completed', { id: 'a' }), log('r', 'pending', { id: 'b', minutes: 50 })],
			'b: pending_transaction, a: completed_transaction',
		],
		[
			'was paid again after it failed',
			'arrived',
			[log('r', 'failed', { id: 'a', minutes: 50 }), log('r', 'completed', { id: 'b' })],
			'',
		],
		[
			'failed twice',
			'failed',
			[log('r', 'failed', { id: 'a', minutes: 50 }), log('r', 'expired', { id: 'b' })],
			'now failed',
		],
	])('that %s is %s', async (_, finding, logs, message) => {
		expect(await found(row('r'), logs)).toEqual([finding, message]);
	});

	test('whose transaction has two final statuses is unclear, and says both', async () => {
		const logs = [log('r', 'completed'), log('r', 'expired', { minutes: 50 })];
		const [finding, message] = await found(row('r'), logs);
		expect(finding).toBe('unclear');
		expect(message).toMatch(/^now expired \S/);
		expect(message).toContain(`completed_transaction (${minutesAgo(60)})`);
		expect(message).toContain(`expired_transaction (${minutesAgo(50)})`);
	});

	test.each<[IDataObject, IDataObject, string, string]>([
		[{}, { amount: '900.00' }, 'arrived', ''],
		[{}, { amount: '900.001' }, 'otherAmount', ''],
		[{}, { amount: 90 }, 'otherAmount', ''],
		[{}, { amount: '1200' }, 'otherAmount', ''],
		[{}, { asset: 'EUR' }, 'otherCurrency', ''],
		[{}, { asset: 'EUR', amount: '5' }, 'otherCurrency', ''],
		// The crypto that funded it.
		[{}, { asset: 'USDC', amount: '130' }, 'arrived', NOT_COMPARED],
		[{}, { asset: '' }, 'arrived', NOT_COMPARED],
		[{}, { amount: '' }, 'arrived', NOT_COMPARED],
		[{}, { amount: 'much' }, 'arrived', NOT_COMPARED],
		[{ amount: '' }, {}, 'arrived', NOT_COMPARED],
		[{ amount: 'much' }, {}, 'arrived', NOT_COMPARED],
		[{ currency_type: '' }, {}, 'arrived', ''],
		[{ currency_type: '' }, { amount: '90' }, 'otherAmount', ''],
		[{ currency_type: '' }, { asset: 'USDC', amount: '130' }, 'arrived', NOT_COMPARED],
		[{ currency_type: 'bob' }, {}, 'arrived', ''],
		// As the payment node reads it.
		[{ currency_type: 'Bs.' }, {}, 'arrived', ''],
		[{ currency_type: 'Dólares' }, {}, 'otherCurrency', ''],
		[{ currency_type: 'usdc' }, { asset: 'USDC' }, 'arrived', ''],
		[{ currency_type: 'USDC' }, { asset: 'USDC' }, 'arrived', ''],
		[{ currency_type: 'USDC' }, { asset: 'USDC', amount: '130' }, 'otherAmount', ''],
	])('with %j of which the logs say %j is %s', async (more, logged, finding, message) => {
		expect(await found(row('r', more), [log('r', 'completed', logged)])).toEqual([
			finding,
			message,
		]);
	});

	test('that is on its way may have no amount to compare either', async () => {
		const logged = { amount: '' };
		expect(await found(row('r'), [log('r', 'pending', logged)])).toEqual([
			'onItsWay',
			NOT_COMPARED,
		]);
		expect(await found(row('r'), [log('r', 'pending', { ...logged, minutes: 30 * HOUR })])).toEqual(
			['overdue', expect.stringMatching(/^For more than 24 h\. The amount was not compared/)],
		);
	});

	test.each<[string, IDataObject, string, string]>([
		['rejected', {}, 'notPaid', 'Its outcome is rejected, and the logs do not have it.'],
		['notSent', {}, 'notPaid', 'Its outcome is notSent, and the logs do not have it.'],
		['ready', {}, 'notPaid', 'Its outcome is ready, and the logs do not have it.'],
		['created', {}, 'notFound', NOT_IN_LOGS],
		['unknown', {}, 'notFound', NOT_IN_LOGS],
		['created', { reference: '', transactionId: 't-7' }, 'notFound', NOT_IN_LOGS],
		[
			'conflict',
			{},
			'conflict',
			'An earlier payment has its reference with other values. This row was not paid.',
		],
	])('with the outcome %s and %j that the logs do not have', async (outcome, more, ...expected) => {
		expect(await found(result(outcome, 'r', more), [])).toEqual(expected);
	});

	test('with a conflict is one, whatever the logs have', async () => {
		const logs = [log('r', 'completed', { id: 'a' }), log('r', 'completed', { id: 'b' })];
		expect((await found(result('conflict', 'r'), logs))[0]).toBe('conflict');
		expect((await found(result('rejected', 'r'), logs))[0]).toBe('paidTwice');
		expect((await found(result('rejected', 'r'), [logs[0]]))[0]).toBe('arrived');
	});
});

describe('what is reported', () => {
	const LOGS = [
		log('arrived', 'completed', { amount: '900.5' }),
		log('stranger', 'pending', { amount: '7', asset: 'USDC', type: 'withdrawal_crypto' }),
	];

	test('of each row and transaction is what both have', async () => {
		const items = [row('arrived', { amount: '900.50' }), row('nobody', { transactionId: 't-1' })];
		expect((await run(items, LOGS)).output).toStrictEqual([
			{
				json: {
					verdict: 'Not in the file',
					payee: '',
					amount: '',
					currency: '',
					loggedAmount: '7',
					loggedCurrency: 'USDC',
					finding: 'notInFile',
					needsReview: true,
					status: 'pending_transaction',
					since: minutesAgo(60),
					transactionId: 't-stranger',
					reference: 'stranger',
					message: 'No row has its reference.',
				},
				pairedItem: { item: 1 },
			},
			{
				json: {
					verdict: 'Not known',
					payee: 'Ana Rojas',
					amount: '900',
					currency: 'BOB',
					loggedAmount: '',
					loggedCurrency: '',
					row: 2,
					finding: 'notFound',
					needsReview: true,
					status: '',
					since: '',
					transactionId: 't-1',
					reference: 'nobody',
					message: NOT_IN_LOGS,
				},
				pairedItem: { item: 1 },
			},
			{
				json: {
					verdict: 'Arrived',
					payee: 'Ana Rojas',
					amount: '900.5',
					currency: 'BOB',
					loggedAmount: '900.5',
					loggedCurrency: 'BOB',
					row: 1,
					finding: 'arrived',
					needsReview: false,
					status: 'completed_transaction',
					since: minutesAgo(60),
					transactionId: 't-arrived',
					reference: 'arrived',
					message: '',
				},
				pairedItem: { item: 0 },
			},
		]);
	});

	test('is in the language of the form', async () => {
		const json = async (language: string) =>
			(await run([row('nobody')], LOGS.slice(1), {}, language)).json.map(({ verdict, message }) => [
				verdict,
				message,
			]);
		expect(await json('es')).toEqual([
			['No está en el archivo', 'Ninguna fila tiene su referencia.'],
			['Por confirmar', expect.stringContaining('Aun así pudo pagarse.')],
		]);
		expect(await json('fr')).toEqual([
			['Not in the file', 'No row has its reference.'],
			['Not known', NOT_IN_LOGS],
		]);
	});

	test('shows an ID or reference of the row if the logs have none', async () => {
		const logs = [log('r', 'completed', { id: '' }), log('', 'pending', { id: 'T-2' })];
		const items = [row('r', { transactionId: 'T-1' }), { transactionId: 't-2', reference: 'q' }];
		expect((await run(items, logs)).json).toMatchObject([
			{ reference: 'q', transactionId: 'T-2', finding: 'onItsWay' },
			{ reference: 'r', transactionId: 'T-1', finding: 'arrived' },
		]);
		expect((await run([{ transactionId: 't-2' }], logs.slice(1))).json).toMatchObject([
			{ reference: '', transactionId: 'T-2' },
		]);
	});

	test('is first what somebody has to look at, otherwise in the order of the rows', async () => {
		const items = ['arrived', 'one', 'two'].map((reference) => row(reference));
		expect(await findings(items, LOGS)).toEqual([
			['stranger', 'notInFile'],
			['arrived', 'otherAmount'],
			['one', 'notFound'],
			['two', 'notFound'],
		]);
	});
});

describe('transactions that no row has', () => {
	const LOGS = [
		log('bank', 'completed'),
		log('crypto', 'completed', { type: 'withdrawal_crypto', minutes: 61 }),
		log('deposit', 'completed', { type: 'deposit_express', minutes: 62 }),
		log('qr', 'completed', { type: 'withdrawal_express', minutes: 63 }),
		log('unnamed', 'completed', { type: '', minutes: 64 }),
	];

	test('are reported if they are payouts', async () => {
		expect(await findings([row('r')], LOGS)).toEqual([
			...['bank', 'crypto', 'qr'].map((reference) => [reference, 'notInFile']),
			['r', 'notFound'],
		]);
	});

	test('are none that a row has by its reference or its ID, in any letters', async () => {
		const items = [row('BANK'), { transactionId: 'T-CRYPTO' }, row('x', { transactionId: 't-qr' })];
		expect((await findings(items, LOGS)).map(([, finding]) => finding)).not.toContain('notInFile');
	});

	test('are known by ID and reference', async () => {
		const logs = [log('', 'completed', { id: 'T-1' }), log('', 'completed', { id: 'T-2' })];
		expect((await run([{ transactionId: 'T-1' }], logs)).json).toMatchObject([
			{ transactionId: 'T-2', finding: 'notInFile' },
			{ transactionId: 'T-1', finding: 'arrived' },
		]);
		const withoutId = ['a', 'b'].map((reference) => log(reference, 'completed', { id: '' }));
		expect(await findings([row('a')], withoutId)).toEqual([
			['b', 'notInFile'],
			['a', 'arrived'],
		]);
	});
});

describe('rows', () => {
	test('that a file and its result have are one', async () => {
		const logs = [log('r', 'completed', { id: 'T-1' })];
		const items = [row('r'), result('created', 'R', { transactionId: 'T-1' })];
		for (const both of [items, items.toReversed()]) {
			const { output } = await run(both, logs);
			expect(output).toMatchObject([
				{ json: { finding: 'arrived', transactionId: 'T-1' }, pairedItem: { item: 0 } },
			]);
		}
	});

	test('that a file and its result have are known by the ID of either', async () => {
		const logs = [log('', 'completed', { id: 'T-1' })];
		const items = [row('r'), result('created', 'r', { transactionId: 'T-1' })];
		expect(await findings(items, logs)).toEqual([['r', 'arrived']]);
		expect(await findings(items.toReversed(), logs)).toEqual([['r', 'arrived']]);
	});

	test('that a file and its result have are not paid if the result says so', async () => {
		const items = [row('r'), result('rejected', 'r')];
		expect(await findings(items)).toEqual([['r', 'notPaid']]);
		expect(await findings(items.toReversed())).toEqual([['r', 'notPaid']]);
	});

	test('that a file and its result have are one if the currency is set in the node alone', async () => {
		const logs = [log('r', 'completed', { asset: 'USD' })];
		const items = [row('r', { currency_type: '' }), result('created', 'r', { currency: 'USD' })];
		for (const both of [items, items.toReversed()]) {
			expect((await run(both, logs)).json).toMatchObject([
				{ finding: 'arrived', currency: 'USD', row: 1 },
			]);
		}
	});

	test('with the same reference and other values are reported, all of them', async () => {
		const logs = [log('r', 'completed')];
		for (const more of [{ amount: '5' }, { currency_type: 'USD' }, { last_name: 'Roca' }]) {
			const { json } = await run([row('r'), row('R', more), row('q')], logs);
			expect(json).toMatchObject([
				{ reference: 'r', finding: 'sameReference', transactionId: 't-r' },
				{ reference: 'R', finding: 'sameReference', transactionId: 't-r' },
				{ reference: 'q', finding: 'notFound' },
			]);
			expect(json[0].message).toBe('Rows that differ have this reference.');
		}
	});

	test('without a reference are compared by their IDs, and do not count as rows with the same one', async () => {
		const logs = [log('', 'completed', { id: 'T-1' }), log('', 'failed', { id: 'T-2' })];
		const items = [{ transactionId: 'T-1' }, { transactionId: 'T-2' }].map((one) =>
			row('', { ...one, external_reference: undefined }),
		);
		expect((await run(items, logs)).json).toMatchObject([
			{ transactionId: 'T-2', finding: 'failed' },
			{ transactionId: 'T-1', finding: 'arrived' },
		]);
	});

	test('that name no transaction are reported next to others', async () => {
		const { json } = await run([row('r'), row(''), row('')], [log('r', 'completed')]);
		expect(json.map(({ row: number, finding, message }) => [number, finding, message])).toEqual([
			[2, 'notFound', 'The row has no reference.'],
			[3, 'notFound', 'The row has no reference.'],
			[1, 'arrived', ''],
		]);
		// The logs may have such a payment.
		expect(await findings([row('r'), result('rejected', '')])).toEqual([
			['r', 'notFound'],
			['', 'notFound'],
		]);
	});

	test('of which none names a transaction are rejected before the logs are read', async () => {
		const service = serviceWith([]);
		await expect(runOperation(reconcile, {}, [row(''), { name: 'Ana' }])).rejects.toThrow(
			/^No row has a reference or a transaction ID/,
		);
		const { json } = await runOperation(reconcile, {}, [row(''), row('')], {
			continueOnFail: true,
		});
		expect(json).toMatchObject([{ error: { code: 'nothingToReconcile' } }, { error: {} }]);
		expect(service.asked).toEqual([]);
	});

	test('need a reference or an ID in one of them', async () => {
		expect(await findings([row(''), { transactionId: 'T-1' }])).toHaveLength(2);
		expect(await findings([row(''), row('r')])).toHaveLength(2);
	});
});

describe('of a row of a file', () => {
	const read = async (item: IDataObject, more: IDataObject[] = []) => {
		const { json } = await run([item, ...more], []);
		const { payee, amount, currency, row: number, reference, transactionId } = json[0];
		return { payee, amount, currency, row: number, reference, transactionId };
	};

	test.each<[IDataObject, IDataObject]>([
		[{ Referencia: 'r' }, { payee: '', amount: '', currency: '', row: 1, reference: 'r' }],
		[{ 'Referencia externa': ' R  1 ' }, { reference: 'R 1' }],
		[
			{ 'Unique reference': 7, transactionId: 'T' },
			{ reference: '7', transactionId: 'T' },
		],
		[{ reference: 'a', 'Referencia única': 'b' }, { reference: 'a' }],
		[
			{ reference: 'r', Nombre: 'Íñigo', Apellidos: 'Núñez', Monto: '1.250,50', Moneda: 'bob' },
			{ payee: 'Íñigo Núñez', amount: '1250.5', currency: 'BOB' },
		],
		[{ reference: 'r', 'Apellidos y nombres': 'Rojas Ana' }, { payee: 'Rojas Ana' }],
		[{ reference: 'r', payee: 'Ana' }, { payee: 'Ana' }],
		[{ reference: 'r', first_name: 7, last_name: { a: 1 } }, { payee: '7' }],
		[{ reference: 'r', payee: 'x'.repeat(101) }, { payee: `${'x'.repeat(99)}…` }],
		[{ reference: 'r', amount: 1250.5 }, { amount: '1250.5' }],
		[{ reference: 'r', amount: 0.1 + 0.2 }, { amount: '0.3' }],
		[{ reference: 'r', row: 7 }, { row: 7 }],
		[{ reference: 'r', row: '7' }, { row: 7 }],
		[{ reference: 'r', row: 7.5 }, { row: 1 }],
		[{ reference: 'r', row: 'A' }, { row: 1 }],
	])('%j it reads %j', async (item, expected) => {
		expect(await read(item)).toMatchObject(expected);
	});

	test('it reads the amount as other rows are written', async () => {
		const other = { reference: 'x', Monto: '7,5' };
		expect(await read({ reference: 'r', Monto: '1.250' }, [other])).toMatchObject({
			amount: '1250',
		});
		expect(await read({ reference: 'r', Monto: '1.250' })).toMatchObject({ amount: '1.25' });
	});

	test('it reads columns that only other rows have', async () => {
		const { json } = await run([{ reference: 'a' }, { reference: 'b', Monto: 5 }], []);
		expect(json.map(({ amount }) => amount)).toEqual(['', '5']);
	});
});

describe('of the result of a payment', () => {
	test('it reads what was sent, not the columns of the file', async () => {
		const item = result('created', 'r', {
			row: 4,
			external_reference: 'q',
			first_name: 'Another',
			Monto: '7',
			Moneda: 'USD',
		});
		expect((await run([item], [log('r', 'completed')])).json).toMatchObject([
			{ payee: 'Ana Rojas', amount: '900', currency: 'BOB', row: 4, reference: 'r' },
		]);
		const error = result('created', 'r', { row: 4 });
		const failed = { reference: 'q', payee: 'Another', amount: '7', row: 9, error };
		expect((await run([failed], [log('r', 'completed')])).json).toMatchObject([
			{ payee: 'Ana Rojas', amount: '900', currency: 'BOB', row: 4, reference: 'r' },
		]);
	});

	test('it shows nothing of the file that the result does not say', async () => {
		const item = { outcome: 'created', reference: 'r', first_name: 'Ana', currency_type: 'BOB' };
		expect((await run([item], [])).json).toMatchObject([
			{ payee: '', amount: '', currency: '', row: 1 },
		]);
	});

	test('it reads the row and the amount of a result file, where they are text', async () => {
		const item = result('created', 'r', { row: '7', amount: '1250.25' });
		expect((await run([item])).json).toMatchObject([{ row: 7, amount: '1250.25' }]);
	});

	test('it reads the amount with a dot, and the file with the separator and headers of the file', async () => {
		const file = { Referencia: 'r', Beneficiario: 'Ana Rojas', 'Valor (Bs)': '1.250,50' };
		const paid = result('created', 'r', { amount: '1250.5' });
		for (const items of [
			[{ ...file, Moneda: 'BOB' }, paid],
			[paid, { ...file, Moneda: 'BOB' }],
		]) {
			expect((await run(items)).json).toMatchObject([
				{ payee: 'Ana Rojas', amount: '1250.5', currency: 'BOB', finding: 'notFound' },
			]);
		}
	});
});

describe('the options', () => {
	test.each<[unknown, number, string]>([
		[undefined, 24 * HOUR, 'onItsWay'],
		['', 24 * HOUR + 1, 'overdue'],
		[48, 48 * HOUR, 'onItsWay'],
		['48', 48 * HOUR + 1, 'overdue'],
		[0, 1, 'overdue'],
	])('say that after %j hours, %d minutes are %s', async (overdueHours, minutes, finding) => {
		const options = { overdueHours } as INodeParameters;
		const [one, message] = await found(row('r'), [log('r', 'pending', { minutes })], options);
		expect(one).toBe(finding);
		const hours = overdueHours === '' ? 24 : String(overdueHours);
		expect(message).toBe(finding === 'overdue' ? `For more than ${hours} h.` : '');
	});

	test('say how far back the logs are read', async () => {
		const logs = Array.from({ length: 6_000 }, (_, index) =>
			log(`r-${index}`, 'completed', { minutes: index, type: 'deposit_express' }),
		);
		const { json, reads } = await run([row('x')], logs, { lookbackDays: 1 });
		expect(reads.length).toBeLessThan(20);
		expect(json).toMatchObject([
			{ message: expect.stringContaining('The logs do not have it (days searched: 1)') },
		]);
		await expect(run([row('x')], [], { lookbackDays: 0 })).rejects.toThrow(
			/Lookback Window \(Days\) must be a whole number of 1 or more/,
		);
	});
});

test('reads the logs once for all rows', async () => {
	const items = Array.from({ length: 50 }, (_, n) => row(`r-${n}`));
	const { json, reads } = await run(items, [log('r-7', 'completed')]);
	expect(json).toHaveLength(50);
	expect(reads).toHaveLength(1);
});

test('says that log entries cannot be read, or are in no order', async () => {
	const unreadable = { id: '1', payload: 'x', createdAt: minutesAgo(50) };
	const { hints } = await run([row('r')], [log('r', 'completed'), unreadable]);
	expect(hints).toEqual([expect.stringMatching(/^Log entries .* were skipped: 1/)]);
	const logs = Array.from({ length: 300 }, (_, index) =>
		log(`r-${index}`, 'completed', { minutes: 300 - index }),
	);
	expect((await run([row('r')], logs)).hints).toEqual([
		expect.stringContaining('so all of them were read (300)'),
	]);
});

test('gives each row the error of the logs', async () => {
	const service = serviceWith([]);
	service.error = new Error('not read');
	const { json } = await runOperation(reconcile, {}, [row('a'), row('b')], {
		continueOnFail: true,
	});
	expect(json).toMatchObject([{ message: 'not read' }, { message: 'not read' }]);
	expect(service.reads()).toHaveLength(1);
});
