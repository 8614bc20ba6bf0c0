import type { IDataObject } from 'n8n-workflow';

import { dataLink, toCsv, withoutFormula } from '../../nodes/report/csv';
import { figuresOf } from '../../nodes/report/figures';
import { Html, html } from '../../nodes/fields/html';
import { moneyText } from '../../nodes/fields/money';
import { moneyWithCurrency, localTime, timeText, toLanguage } from '../../nodes/report/language';
import { paymentResult } from '../../nodes/report/paymentResult';
import { findingLabel, FINDINGS, isToReview } from '../../nodes/report/reconcileTexts';
import type { ReportRow } from '../../nodes/report/reportRow';
import { shownText, shownValue } from '../../nodes/report/shownText';
import { fill } from '../../nodes/messages/userMessage';
import { needsReview, VERDICTS } from '../../nodes/report/verdicts';
import { readToFund, sumsToFund, type ToFund } from '../../nodes/report/toFund';

describe('an amount', () => {
	test.each([
		['900', '900.00', '900,00'],
		['1250.5', '1,250.50', '1.250,50'],
		['-12345678.123', '-12,345,678.123', '-12.345.678,123'],
		['0', '0.00', '0,00'],
		['0001', '1.00', '1,00'],
		['.5', '.5', '.5'],
		['5.', '5.', '5.'],
		['1,5', '1,5', '1,5'],
		['x1', 'x1', 'x1'],
		['1x', '1x', '1x'],
		['', '', ''],
		[`${'9'.repeat(41)}`, '9'.repeat(41), '9'.repeat(41)],
		[`1.${'1'.repeat(21)}`, `1.${'1'.repeat(21)}`, `1.${'1'.repeat(21)}`],
	])('%s is written %s in English and %s in Spanish', (amount, english, spanish) => {
		expect(moneyText(amount, 'en')).toBe(english);
		expect(moneyText(amount, 'es')).toBe(spanish);
	});

	test('is followed by its currency, if it has one', () => {
		expect(moneyWithCurrency('900', 'BOB', 'es')).toBe('900,00 BOB');
		expect(moneyWithCurrency('900', '', 'en')).toBe('900.00');
		expect(moneyWithCurrency('', 'BOB', 'en')).toBe('');
	});
});

test('a time is written in the language and time zone of the reader', () => {
	const time = Date.UTC(2026, 10, 21, 2, 5);
	expect(timeText(time, 'UTC', 'en')).toBe('21 November 2026 at 02:05 (UTC)');
	expect(localTime('2026-11-21T02:05:00.000Z', 'America/La_Paz')).toBe('2026-11-20 22:05');
	expect(localTime('', 'America/La_Paz')).toBe('');
	expect(timeText(time, 'America/La_Paz', 'es')).toMatch(/^20 de noviembre de 2026.*(10|22):05/);
});

test.each([
	['es', 'es'],
	['en', 'en'],
	['ES', 'en'],
	['', 'en'],
	[undefined, 'en'],
	[['es'], 'en'],
])('the language %j is %s', (value, language) => {
	expect(toLanguage(value)).toBe(language);
});

describe('a CSV file', () => {
	test('has quoted cells, semicolons in Spanish, and a mark that Excel looks for', () => {
		const rows = [
			['a', 'b"c'],
			['=1', ''],
		];
		expect(toCsv(rows, 'en')).toBe('\ufeff"a","b""c"\r\n"\'=1",""\r\n');
		expect(toCsv(rows, 'es')).toBe('\ufeff"a";"b""c"\r\n"\'=1";""\r\n');
	});

	test('has no text that a spreadsheet runs', () => {
		for (const start of ['=', '+', '-', '@', '\t', '\r', '\n'])
			expect(withoutFormula(`${start}a`)).toBe(`'${start}a`);
		for (const text of ['', 'a', 'a=1', ' =1', '1']) expect(withoutFormula(text)).toBe(text);
	});

	test('is within the page', () => {
		const [start, base64] = dataLink('ñ', 'text/csv').split(',');
		expect(start).toBe('data:text/csv;charset=utf-8;base64');
		expect(Buffer.from(base64, 'base64').toString()).toBe('ñ');
	});
});

describe('a text from outside', () => {
	test.each([
		['  a \n b ', 10, 'a b'],
		['abcde', 5, 'abcde'],
		['abcdef', 5, 'abcd…'],
		['abcdefghij', 5, 'abcd…'],
		// What is cut off may be nothing but spaces.
		['ab         ', 5, 'ab…'],
		['ab        ', 5, 'ab'],
		['😀😀😀😀😀', 5, '😀😀😀😀😀'],
	])('%j is shown with at most %i characters as %j', (text, max, shown) => {
		expect(shownText(text, max)).toBe(shown);
	});

	test('has 600 characters at most', () => {
		expect(shownText('x'.repeat(600))).toBe('x'.repeat(600));
		expect(shownText('x'.repeat(601))).toBe(`${'x'.repeat(599)}…`);
		expect(shownValue('x'.repeat(601))).toHaveLength(600);
	});

	test.each<[unknown, string]>([
		[7.5, '7.5'],
		[' a ', 'a'],
		[NaN, ''],
		[Infinity, ''],
		[true, ''],
		[null, ''],
		[['a'], ''],
	])('of the value %j is %j', (value, shown) => {
		expect(shownValue(value, 10)).toBe(shown);
	});
});

describe('the result of a payment', () => {
	const result = { outcome: ' created', payee: 'Ana' };

	test.each<[IDataObject, IDataObject | undefined]>([
		[result, result],
		[{ ...result, error: { message: 'x' } }, result],
		[{ ...result, error: { outcome: 'notSent' } }, { outcome: 'notSent' }],
		[{ error: result }, result],
		[{ error: [result] }, undefined],
		[{ outcome: 'paid' }, undefined],
		[{ outcome: ['created'] }, undefined],
		[{}, undefined],
	])('in %j is %j', (item, found) => {
		expect(paymentResult(item)).toEqual(found);
	});

	test.each(['created', 'rejected', 'unknown', 'notSent', 'alreadySent', 'conflict', 'ready'])(
		'may be %s',
		(outcome) => {
			expect(paymentResult({ outcome })).toEqual({ outcome });
		},
	);
});

describe('what payments wait for', () => {
	const fund = (amount: string, more: Partial<ToFund> = {}): ToFund => ({
		amount,
		asset: 'USDC',
		blockchain: 'Polygon',
		address: 'a',
		...more,
	});

	test('is added up by asset and blockchain, and has an address if all have the same', () => {
		const funds = [
			fund('1.1'),
			fund('5', { blockchain: 'TRON', address: 'b' }),
			fund('2.2'),
			fund('3', { asset: 'USDT' }),
			fund('4', { asset: 'USDT', address: 'c' }),
		];
		expect(sumsToFund(funds)).toEqual([
			{ ...fund('3.3'), count: 2, unknownAmounts: 0 },
			{ ...fund('5'), blockchain: 'TRON', address: 'b', count: 1, unknownAmounts: 0 },
			{ ...fund('7'), asset: 'USDT', address: '', count: 2, unknownAmounts: 0 },
		]);
		expect(sumsToFund([])).toEqual([]);
	});

	test.each([
		'',
		'much',
		'-1',
		'1.',
		'.5',
		'1,5',
		'1'.repeat(41),
		`1.${'1'.repeat(21)}`,
		'x1',
		'1x',
	])('has an unknown amount: %s', (amount) => {
		expect(sumsToFund([fund(amount)])).toEqual([{ ...fund(''), count: 1, unknownAmounts: 1 }]);
		expect(sumsToFund([fund(amount), fund('2')])).toEqual([
			{ ...fund('2'), count: 2, unknownAmounts: 1 },
		]);
	});

	test('is an object or its JSON text', () => {
		expect(readToFund(fund('1'))).toEqual(fund('1'));
		expect(readToFund(JSON.stringify(fund('1')))).toEqual(fund('1'));
		expect(readToFund('soon')).toBeUndefined();
		expect(readToFund(undefined)).toBeUndefined();
	});
});

test('figures count rows by verdict, and add up known amounts by currency', () => {
	const row = (verdict: ReportRow['verdict'], amount: string, currency = 'BOB') =>
		({ verdict, amount, currency }) as ReportRow;
	const toFund = { amount: '5', asset: 'USDC', blockchain: 'Polygon', address: 'a' };
	const rows = [
		row('arrived', '0.1'),
		row('repeated', ''),
		row('arrived', '', 'USD'),
		row('arrived', ''),
		row('arrived', '3', 'USD'),
		row('failed', '7'),
		{ ...row('waitsForFunds', '0.2'), toFund },
		row('arrived', '0.2'),
	];
	expect(figuresOf(rows, 'es')).toEqual({
		count: 8,
		made: 6,
		toReview: 3,
		counts: [
			{ verdict: 'failed', label: 'No llegó', count: 1 },
			{ verdict: 'waitsForFunds', label: 'Creado, espera cripto', count: 1 },
			{ verdict: 'repeated', label: 'No se pagó otra vez', count: 1 },
			{ verdict: 'arrived', label: 'Abonado', count: 5 },
		],
		totals: [
			{ currency: 'BOB', verdict: 'failed', label: 'No llegó', count: 1, amount: '7' },
			{
				currency: 'BOB',
				verdict: 'waitsForFunds',
				label: 'Creado, espera cripto',
				count: 1,
				amount: '0.2',
			},
			{ currency: 'BOB', verdict: 'arrived', label: 'Abonado', count: 2, amount: '0.3' },
			{ currency: 'USD', verdict: 'arrived', label: 'Abonado', count: 1, amount: '3' },
		],
		unknownAmounts: 2,
		notLookedUp: 0,
		toFund: [{ ...toFund, count: 1, unknownAmounts: 0 }],
	});
});

test('values in HTML are escaped, except other HTML', () => {
	const inner = html`<b>${'<&>"\''}</b>`;
	expect(inner.text).toBe('<b>&lt;&amp;&gt;&quot;&#39;</b>');
	const parts = html`${inner}${[new Html('<i>'), new Html('</i>')]}${undefined}${7}`;
	expect(parts.text).toBe('<b>&lt;&amp;&gt;&quot;&#39;</b><i></i>7');
	// The formatter indents a template.
	const spaced = Object.assign(['a\n\t\t', ' b'], { raw: ['', ''] });
	expect(html(spaced, '\n').text).toBe('a \n b');
});

describe('the texts', () => {
	test('fill in values, and leave other names in braces', () => {
		expect(fill('{a} of {count} {other} {b c}', { a: '{count}', count: 0 })).toBe(
			'{count} of 0 {other} {b c}',
		);
	});

	test('know which verdicts and findings somebody has to look at', () => {
		expect(VERDICTS.filter((verdict) => !needsReview(verdict))).toEqual([
			...['onItsWay', 'created', 'alreadySent', 'ready', 'arrived'],
		]);
		expect(FINDINGS.filter((finding) => !isToReview(finding))).toEqual(['onItsWay', 'arrived']);
	});

	test('name a finding as a report does, if it has a verdict for it', () => {
		expect(FINDINGS.map((finding) => findingLabel(finding, 'en'))).toEqual([
			...['Perhaps paid twice', 'Not paid (conflict)', 'Not in the file', 'Other amount'],
			...['Other currency', 'Same reference', 'To be checked', 'Did not arrive', 'Not paid'],
			...['Not known', 'On its way for too long', 'On its way', 'Arrived'],
		]);
		expect(findingLabel('overdue', 'es')).toBe('En camino hace demasiado');
		expect(findingLabel('paidTwice', 'es')).toBe('Quizás se pagó dos veces');
	});
});
