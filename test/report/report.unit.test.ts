import type { IDataObject } from 'n8n-workflow';

import { TEXTS } from '../../nodes/messages/userMessage';
import { makeReport } from '../../nodes/report/page';
import { cellsOf, readRows } from '../../nodes/report/reportRow';

const OPTIONS = {
	language: 'en',
	title: 'Payroll',
	subtitle: '',
	time: 'now',
	timeZone: 'America/La_Paz',
	csvName: 'report.csv',
	costs: [],
} as const;

const LABELS = TEXTS.en.report.labels;

/** The CSV file in a page. */
function csvIn(html: string): string {
	const [, base64] = /href="data:text\/csv;charset=utf-8;base64,([^"]+)"/.exec(html) ?? [];
	return Buffer.from(base64, 'base64').toString();
}

/** What a payment leaves. */
const paid = (outcome: string, more: IDataObject = {}): IDataObject => ({
	outcome,
	payee: 'Ana Rojas',
	amount: '900.00',
	currency: 'BOB',
	message: `why ${outcome}`,
	reference: `r-${JSON.stringify(more.row ?? 1)}`,
	transactionId: outcome === 'created' ? 't-1' : '',
	status: outcome === 'created' ? 'pending_transaction' : '',
	paidTo: '1001 00123',
	row: 1,
	...more,
});

/** The same after Get Status. */
const lookedUp = (outcome: string, status: string, more: IDataObject = {}): IDataObject =>
	paid(outcome, {
		status,
		isFinal: !['notFound', 'pending_transaction', 'processing_transaction'].includes(status),
		since: '2026-11-24T08:00:00.000Z',
		history: status === 'notFound' ? [] : [{ status, at: '2026-11-24T08:00:00.000Z' }],
		...more,
	});

const TO_FUND = { amount: '36.12', asset: 'USDC', blockchain: 'Polygon', address: '0xabc' };

describe('the verdict of a row', () => {
	const CASES: Array<[string, string, string, IDataObject]> = [
		['arrived', 'Arrived', 'Abonado', lookedUp('created', 'completed_transaction')],
		[
			'that is on its way',
			'On its way',
			'En camino',
			lookedUp('created', 'processing_transaction'),
		],
		['nobody looked up', 'Created', 'Creado', paid('created')],
		[
			'that waits for crypto',
			'Created, waits for crypto: 36.12 USDC',
			'Creado, espera cripto: 36,12 USDC',
			paid('created', { toFund: TO_FUND }),
		],
		[
			'that waits for crypto and is not in the logs',
			'Created, waits for crypto: 36.12 USDC',
			'Creado, espera cripto: 36,12 USDC',
			lookedUp('created', 'notFound', { toFund: TO_FUND }),
		],
		[
			'that was funded and arrived',
			'Arrived',
			'Abonado',
			lookedUp('created', 'completed_transaction', { toFund: TO_FUND }),
		],
		[
			'the logs do not have',
			'Sent, arrival not known',
			'Enviado, no se sabe si llegó',
			lookedUp('created', 'notFound'),
		],
		[
			'that failed',
			'Did not arrive: the transaction failed. why created',
			'No llegó: la transacción falló. why created',
			lookedUp('created', 'failed_transaction'),
		],
		[
			'that expired',
			'Did not arrive: the transaction expired. why created',
			'No llegó: la transacción venció. why created',
			lookedUp('created', 'expired_transaction'),
		],
		[
			'with a status that nobody documented',
			'To be checked: status on_hold',
			'Por revisar: status on_hold',
			lookedUp('created', 'on_hold'),
		],
		[
			'with two final statuses',
			'To be checked: the logs have more than one final status',
			'Por revisar: los registros tienen más de un estado final',
			lookedUp('created', 'completed_transaction', {
				history: [{ status: 'failed_transaction' }, { status: 'completed_transaction' }],
			}),
		],
		['that was rejected', 'Rejected: why rejected', 'Rechazado: why rejected', paid('rejected')],
		[
			'that was rejected although the logs have it',
			'To be checked: it was not created, but the logs have a transaction with its reference',
			'Por revisar: no se creó, pero los registros tienen una transacción con su referencia',
			lookedUp('rejected', 'completed_transaction'),
		],
		['that was not sent', 'Not paid: why notSent', 'No pagado: why notSent', paid('notSent')],
		[
			'that is unknown',
			'Not known: it was perhaps paid',
			'Por confirmar: quizás se pagó',
			paid('unknown'),
		],
		[
			'that is unknown and not in the logs',
			'Not known: it was perhaps paid',
			'Por confirmar: quizás se pagó',
			lookedUp('unknown', 'notFound'),
		],
		[
			'in conflict, whose earlier payment arrived',
			'Not paid (conflict): an earlier payment has its reference',
			'No pagado (conflicto): un pago anterior tiene su referencia',
			lookedUp('conflict', 'completed_transaction', {
				payee: '',
				amount: '',
				isOtherPayment: true,
			}),
		],
		[
			'whose reference arrived, perhaps with other values',
			'To be checked: its reference was perhaps paid with other values than the row has now',
			'Por revisar: su referencia quizás se pagó con otros valores que los de la fila',
			lookedUp('created', 'completed_transaction', { payee: '', amount: '', isOtherPayment: true }),
		],
		[
			'that an earlier run sent',
			'Sent in an earlier run',
			'Enviado en una ejecución anterior',
			paid('alreadySent'),
		],
		[
			'that an earlier run sent, and that is not in the logs',
			'Sent, arrival not known',
			'Enviado, no se sabe si llegó',
			lookedUp('alreadySent', 'notFound'),
		],
		['of a dry run', 'Not sent: dry run', 'No enviado: simulación', paid('ready')],
		[
			'that is no result at all',
			'Not known: the item is not the result of a payment',
			'Por confirmar: el dato no es el resultado de un pago',
			{ payee: 'Ana', amount: '900', currency: 'BOB' },
		],
	];

	test.each(CASES)('says of a row %s: %s', (_, english, spanish, item) => {
		expect(readRows([item], 'en')[0].verdictText).toBe(english);
		expect(readRows([item], 'es')[0].verdictText).toBe(spanish);
	});
});

describe('what a report says was paid', () => {
	test('comes from the fields of a failed payment, not from the columns of the file beside them', () => {
		const [row] = readRows(
			[
				{
					...paid('notSent', { payee: 'of the file', amount: '5', currency: 'EUR', paidTo: 'x' }),
					error: paid('notSent', { payee: '', amount: '', currency: '', paidTo: '', row: 7 }),
				},
			],
			'en',
		);
		expect(row).toMatchObject({ payee: '', amount: '', currency: '', paidTo: '', row: 7 });
	});

	test('leaves out the values of an item that is not the result of a payment', () => {
		const item = { ...lookedUp('created', 'completed_transaction'), outcome: 'paid' };
		expect(readRows([item], 'en')[0]).toMatchObject({
			verdict: 'arrived',
			payee: '',
			amount: '',
			currency: '',
		});
	});

	test('counts a payment once if two rows are the same transaction', () => {
		const rows = readRows(
			[
				lookedUp('alreadySent', 'completed_transaction', {
					row: 5,
					reference: 'R',
					transactionId: '',
				}),
				lookedUp('created', 'completed_transaction', {
					row: 2,
					reference: 'r',
					transactionId: 't',
				}),
			],
			'en',
		);
		expect(rows.map(({ row, verdictText, amount }) => [row, verdictText, amount])).toEqual([
			[2, 'Arrived', '900'],
			[5, 'Not paid again: the same payment as row 2', ''],
		]);
		expect(makeReport(rows, OPTIONS)).toMatchObject({
			totals: [
				{ currency: 'BOB', verdict: 'arrived', label: LABELS.arrived, count: 1, amount: '900' },
			],
			toReview: 1,
		});
	});

	test('warns of a reference with two transactions that did not fail', () => {
		const two = (second: string) =>
			readRows(
				['t-1', 't-2'].map((transactionId, index) =>
					lookedUp('created', index === 0 ? 'completed_transaction' : second, {
						reference: 'r',
						transactionId,
					}),
				),
				'en',
			).map(({ verdict }) => verdict);
		expect(two('processing_transaction')).toEqual(['twice', 'twice']);
		expect(two('failed_transaction')).toEqual(['arrived', 'failed']);
	});
});

describe('a report', () => {
	const rows = readRows(
		[
			lookedUp('created', 'completed_transaction', { row: 4, amount: '0.10' }),
			lookedUp('created', 'completed_transaction', { row: 3, amount: '0.20' }),
			paid('rejected', { row: 2, amount: '1250.50' }),
			paid('conflict', { row: 1, amount: '', payee: '', currency: '', isOtherPayment: true }),
			paid('created', { row: 6, currency: 'USD', toFund: TO_FUND }),
			paid('created', { row: 5, currency: 'USD', toFund: TO_FUND, amount: '100' }),
		],
		'en',
	);

	test('adds up exactly by currency and verdict', () => {
		const { totals, toFund, counts, count, toReview, unknownAmounts } = makeReport(rows, OPTIONS);
		expect(totals).toEqual([
			{ currency: 'BOB', verdict: 'rejected', label: LABELS.rejected, count: 1, amount: '1250.5' },
			{ currency: 'BOB', verdict: 'arrived', label: LABELS.arrived, count: 2, amount: '0.3' },
			{
				currency: 'USD',
				verdict: 'waitsForFunds',
				label: LABELS.waitsForFunds,
				count: 2,
				amount: '1000',
			},
		]);
		expect(toFund).toEqual([{ ...TO_FUND, amount: '72.24', count: 2, unknownAmounts: 0 }]);
		expect(counts).toEqual([
			{ verdict: 'conflict', label: LABELS.conflict, count: 1 },
			{ verdict: 'rejected', label: LABELS.rejected, count: 1 },
			{ verdict: 'waitsForFunds', label: LABELS.waitsForFunds, count: 2 },
			{ verdict: 'arrived', label: LABELS.arrived, count: 2 },
		]);
		expect([count, toReview, unknownAmounts]).toEqual([6, 4, 1]);
	});

	test('keeps the order of the file, and lists the rows to look at first, conflicts before others', () => {
		const { html, text } = makeReport(rows, OPTIONS);
		expect(rows.map(({ row }) => row)).toEqual([1, 2, 3, 4, 5, 6]);
		const look = html.slice(html.indexOf('Look at these first'), html.indexOf('All rows, in'));
		expect(look).toMatch(/an earlier payment.*Rejected: why.*waits for crypto: 36\.12 USDC/s);
		expect(look).not.toContain('Arrived');
		expect(text).toMatch(
			/Look at these first:\nNot paid \(conflict\): Ask the service [^]*\nRejected: Correct [^]*\n- Row 1.*\n- Row 2/,
		);
	});

	test('says that statuses could not be looked up, and what the payments say', () => {
		const json = {
			...{ outcome: 'unknown', payee: 'Ana Rojas', amount: '1', currency: 'BOB', reference: 'r' },
			...{ message: '[Item 0] The service cannot be reached', paymentMessage: 'No answer in time' },
		};
		const { html, text } = makeReport(readRows([{ error: json, message: json.message }], 'es'), {
			...OPTIONS,
			language: 'es',
		});
		expect(text).toContain('no se pudo consultar el estado de 1');
		expect(text).toContain('Por confirmar: No los pagues de otra manera');
		expect(html).toContain('No answer in time');
		expect(html).not.toContain('[Item 0]');
	});

	test('says once what several rows have in common, and the rest in their rows', () => {
		const all = 'This account has no webhook.';
		const unconfirmed = (row: number, message = all) =>
			lookedUp('created', 'notFound', { row, message, transactionId: `tx-${row}` });
		const shared = [unconfirmed(1), unconfirmed(2, 'Alone'), unconfirmed(3)];
		// The verdict has the reason.
		const rejected = [4, 5].map((row) => paid('rejected', { row, message: 'no such account' }));
		const { html } = makeReport(readRows([...shared, ...rejected], 'en'), OPTIONS);
		const look = html.slice(html.indexOf('Look at these first'), html.indexOf('All rows, in'));
		expect(look).toContain(`<p>Sent, arrival not known: ${all}</p>`);
		expect(look.split(all)).toHaveLength(2);
		expect(look).toContain('Alone · tx-2');
		expect(look).toContain('<td colspan="6">tx-1</td>');
		expect(look.split('no such account')).toHaveLength(3);
		// What to do about the unconfirmed and the rejected ones stands above it.
		expect(look.split('<p>')).toHaveLength(4);
	});

	test('has the rows as a CSV file that Excel opens in its language', () => {
		const read = (language: 'en' | 'es') => {
			return csvIn(makeReport(rows, { ...OPTIONS, language }).html).split('\r\n');
		};
		const [header, , second] = read('en');
		expect(header).toMatch(/^\ufeff"verdict","payee","amount","currency"/);
		expect(second).toMatch(/^"Rejected: why rejected","Ana Rojas","1250.50","BOB","1001 00123"/);
		const [encabezado, , segunda] = read('es');
		expect(encabezado).toMatch(/^\ufeff"resultado";"beneficiario";"monto";"moneda"/);
		expect(segunda).toContain('"1250,50";"BOB"');
	});

	test('has nothing that runs, loads or leaves the page', () => {
		const { html } = makeReport(rows, OPTIONS);
		expect(html).toContain(`default-src 'none'`);
		expect(html).not.toMatch(/<script|\son\w+=|<img|<link|url\(|https?:/i);
	});

	test('writes amounts as the language does', () => {
		const { html, text } = makeReport(readRows([paid('created', { amount: '1234567.5' })], 'es'), {
			...OPTIONS,
			language: 'es',
		});
		expect(html).toContain('1.234.567,50');
		expect(text).toContain('Creado: 1 (1.234.567,50 BOB)');
	});
});

describe('hostile texts', () => {
	const NAME = `<script>alert(1)</script>"'&\u202e`;
	const FORMULA = `=cmd|'/C calc'!A1`;
	const hostile = paid('rejected', {
		payee: NAME,
		currency: NAME,
		paidTo: FORMULA,
		reference: '+1',
		message: `@SUM(1)${NAME}${'x'.repeat(100_000)}`,
		status: NAME,
		transactionId: '-2',
	});

	test('are escaped in HTML', () => {
		const { html } = makeReport(readRows([hostile], 'en'), {
			...OPTIONS,
			title: NAME,
			subtitle: NAME,
			csvName: NAME,
		});
		expect(html).not.toContain('<script');
		expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;');
	});

	test('are no formulas in a spreadsheet', () => {
		const { html } = makeReport(readRows([hostile], 'en'), OPTIONS);
		const [, line] = csvIn(html).split('\r\n');
		for (const cell of [`"'${FORMULA}"`, `"'+1"`, `"'-2"`, `"'@SUM(1)<script>`])
			expect(line).toContain(cell);
		expect(line).toContain(`"<script>alert(1)</script>""'&"`);
	});

	test('are cut, and stay on one line', () => {
		const [row] = readRows([{ ...hostile, payee: `a\n\u0000b${'😀'.repeat(1000)}` }], 'en');
		expect(row.message.length).toBeLessThan(700);
		expect(row.payee.startsWith('a b😀')).toBe(true);
		expect([...row.payee]).toHaveLength(120);
		expect(row.verdictText.length).toBeLessThan(200);
	});

	test.each([null, [], {}, true, NaN])('of another type are nothing: %j', (value) => {
		const item = Object.fromEntries(Object.keys(hostile).map((name) => [name, value]));
		const [row] = readRows([item as IDataObject], 'en');
		expect(cellsOf(row, 'en')).toMatchObject({ payee: '', amount: '', reference: '', row: '' });
		expect(row.verdict).toBe('unknown');
	});
});
