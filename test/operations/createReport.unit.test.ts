import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { createReport } from '../../nodes/PartnerPayments/resources/transaction/createReport';
import { nodeWith, NOW, useOwnTime } from './context';

useOwnTime();

/** What a payment returned. */
const paid = (row: number, more: IDataObject = {}): IDataObject => ({
	outcome: 'created',
	payee: 'Ana Rojas',
	amount: '1250.50',
	currency: 'BOB',
	paidTo: '1001 00123',
	row,
	status: 'pending_transaction',
	transactionId: `t-${row}`,
	reference: `r-${row}`,
	message: '',
	...more,
});

/** Runs the operation as n8n does, and what it makes of a file. */
async function run(items: IDataObject[], parameters: INodeParameters = {}, timeZone = 'UTC') {
	const context = Object.assign(nodeWith(parameters, items), {
		getTimezone: () => timeZone,
		helpers: {
			prepareBinaryData: async (content: Buffer, fileName: string, mimeType: string) =>
				await Promise.resolve({ data: content.toString(), fileName, mimeType }),
		},
	});
	return await createReport.execute.call(context);
}

const rows = async (items: IDataObject[], parameters: INodeParameters = {}) =>
	await run(items, { output: 'rows', ...parameters });

/** The only item of a report. */
async function report(items: IDataObject[], parameters: INodeParameters = {}, timeZone?: string) {
	const output = await run(items, parameters, timeZone);
	expect(output).toHaveLength(1);
	const [{ json, binary = {}, pairedItem }] = output;
	const [[field, file]] = Object.entries(binary);
	return { json, field, file, pairedItem, text: String(json.text).split('\n') };
}

describe('Create Report > Rows', () => {
	test('gives each row the columns of a report, in the order of the file', async () => {
		expect(await rows([paid(2), paid(1, { outcome: 'rejected', message: 'closed' })])).toEqual([
			{
				json: {
					verdict: 'Rejected: closed',
					payee: 'Ana Rojas',
					amount: 1250.5,
					currency: 'BOB',
					account: '1001 00123',
					toFund: '',
					row: 1,
					since: '',
					status: 'pending_transaction',
					outcome: 'rejected',
					transactionId: 't-1',
					reference: 'r-1',
					message: 'closed',
				},
				pairedItem: { item: 1 },
			},
			expect.objectContaining({
				json: expect.objectContaining({ verdict: 'Created', row: 2 }) as unknown,
				pairedItem: { item: 0 },
			}),
		]);
	});

	test('names the columns in the language of the form, but no code', async () => {
		const [{ json }] = await rows([paid(1)], { language: 'es' });
		expect(Object.keys(json)).toEqual([
			...['resultado', 'beneficiario', 'monto', 'moneda', 'cuenta', 'por fondear', 'fila'],
			...['desde', 'status', 'outcome', 'transactionId', 'reference', 'detalle'],
		]);
		expect(json.resultado).toBe('Creado');
		const [english] = await rows([paid(1)], { language: 'xx' });
		expect(english.json.verdict).toBe('Created');
	});

	test.each<[unknown, unknown]>([
		['1250.5', 1250.5],
		[7, 7],
		['0', 0],
		// A spreadsheet has no number with so many digits.
		['12345678901234.56', '12345678901234.56'],
		['1234567890123456', '1234567890123456.00'],
		['', ''],
		['much', ''],
	])('of the amount %j it gives %j', async (amount, shown) => {
		const [{ json }] = await rows([paid(1, { amount } as IDataObject)]);
		expect(json.amount).toBe(shown);
	});

	test('lets no text be a formula in a file that n8n writes', async () => {
		const text = '=1+1';
		const [{ json }] = await rows([
			paid(1, { payee: text, paidTo: text, reference: text, transactionId: text, currency: '@a' }),
		]);
		expect(json).toMatchObject({
			payee: `'${text}`,
			account: `'${text}`,
			currency: `'@a`,
			reference: `'${text}`,
			transactionId: `'${text}`,
		});
	});

	test('of an item that is no result has what is known', async () => {
		const [{ json, pairedItem }] = await rows([{ name: 'Ana', amount: '5' }]);
		expect(json).toMatchObject({ payee: '', amount: '', row: '', outcome: '' });
		expect(json.verdict).toBe('Not known: the item is not the result of a payment');
		expect(pairedItem).toEqual({ item: 0 });
	});
});

describe('Create Report > Report', () => {
	test('gives one item with the page, its texts and its figures', async () => {
		const { json, field, file, pairedItem, text } = await report([paid(1), paid(2)]);
		expect(json).toMatchObject({ count: 2, toReview: 0, html: expect.any(String) });
		expect(field).toBe('data');
		expect(file).toEqual({ data: json.html, fileName: 'report.html', mimeType: 'text/html' });
		expect(json.html).toContain('download="report.csv"');
		expect(pairedItem).toEqual([{ item: 0 }, { item: 1 }]);
		expect(text.slice(0, 2)).toEqual(['Payments', '2 payments · Nothing to look at']);
	});

	test('is in the language of the form', async () => {
		const { text } = await report([paid(1)], { language: 'es' });
		expect(text[0]).toBe('Pagos');
	});

	test('says when it was made, in the time zone of the workflow', async () => {
		const made = async (timeZone: string) =>
			String((await report([paid(1)], {}, timeZone)).json.html);
		expect(new Date(NOW).toISOString()).toBe('2026-11-21T08:00:00.000Z');
		expect(await made('UTC')).toMatch(/Made on 21 November 2026 at 08:00/);
		expect(await made('America/La_Paz')).toMatch(/Made on 21 November 2026 at 04:00/);
	});

	test('has the title and the subtitle of the form', async () => {
		const options = { subtitle: ' Approved  by\nAna ' };
		const { text, json } = await report([paid(1)], { title: 'Payroll', options });
		expect(text.slice(0, 2)).toEqual(['Payroll', 'Approved by Ana']);
		expect(json.html).toContain('<title>Payroll</title>');
	});

	test.each<[unknown, string]>([
		[2026, '2026'],
		['', 'Payments'],
		[null, 'Payments'],
		[true, 'Payments'],
		[{ a: 1 }, 'Payments'],
	])('has for the title %j the title %s', async (title, shown) => {
		const { text } = await report([paid(1)], { title } as INodeParameters);
		expect(text[0]).toBe(shown);
	});

	test.each<[string, string, string]>([
		['november.html', 'november.html', 'november.csv'],
		['november', 'november', 'november.csv'],
		['v1.2-final.htm', 'v1.2-final.htm', 'v1.2-final.csv'],
		['a.b c', 'a.b c', 'a.b c.csv'],
		['a.x.html', 'a.x.html', 'a.x.csv'],
		['a.123456789', 'a.123456789', 'a.123456789.csv'],
		['', 'report.html', 'report.csv'],
	])('in the file %j is named %s, with the rows in %s', async (fileName, named, csvName) => {
		const { file, json } = await report([paid(1)], { options: { fileName } });
		expect(file.fileName).toBe(named);
		expect(json.html).toContain(`download="${csvName}"`);
	});

	test('cuts a title and a file name that are too long', async () => {
		const options = { fileName: `${'y'.repeat(210)}.html` };
		const { text, file } = await report([paid(1)], { title: 'x'.repeat(201), options });
		expect(text[0]).toBe('x'.repeat(200));
		expect(file.fileName).toBe('y'.repeat(200));
	});

	test('repeats the costs that a dry run has estimated', async () => {
		const costs = [{ text: 'About  36.12 USDC' }, 'no cost', { text: 'At least 1 USDT' }];
		const summary = { costs };
		const lines = (await report([paid(1), paid(2, { summary }), paid(3, { summary })])).text;
		expect(lines.filter((line) => /USDC|USDT/.test(line))).toEqual([
			'Cost: About 36.12 USDC',
			'Cost: At least 1 USDT',
		]);
		const without = await report([paid(1, { summary: 'About 5 USDC' })]);
		expect(without.json.text).not.toContain('About');
		expect((await report([paid(1)])).text).toHaveLength(3);
	});

	test('says of a row that somebody has to look at why', async () => {
		const { json, text } = await report([paid(1), paid(2, { outcome: 'notSent', message: 'Why' })]);
		expect(json).toMatchObject({ count: 2, toReview: 1 });
		expect(text).toContain('- Row 2, Ana Rojas, 1,250.50 BOB: Not paid: Why');
	});
});
