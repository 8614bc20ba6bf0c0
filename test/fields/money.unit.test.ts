import fc from 'fast-check';

import { runsOr, SEED } from '../random';
import {
	decimalPlaces,
	divideDecimals,
	exactNumber,
	parseDecimal,
	provenFormat,
	withCents,
	type AmountFormat,
} from '../../nodes/fields/money';

const read = (raw: unknown, format?: AmountFormat): string => {
	const decimal = parseDecimal(raw, 2, format);
	return decimal.ok ? decimal.value : `rejected: ${decimal.error.message}`;
};

describe('amounts', () => {
	test.each<[unknown, string]>([
		[0, '0'],
		[-0, '0'],
		[5, '5'],
		[-5.5, '-5.5'],
		[0.1 + 0.2, '0.3'],
		[1.005, '1.005'],
		[10.005, '10.005'],
		[1e-7, '0.0000001'],
		[1.5e-10, '0.00000000015'],
		[-2e-7, '-0.0000002'],
		[4.35 * 100, '435'],
		[999999999999999, '999999999999999'],
		[123456789012.34, '123456789012.34'],
		[1100.1 * 3, '3300.3'],
		[10.005 - 0.005, '10'],
		[12345678.9 - 11000000.15, '1345678.75'],
		[1234567.12345678, '1234567.12345678'],
		[9999999999999.99, '9999999999999.99'],
		[Array.from({ length: 300 }, () => 4321.07).reduce((a, b) => a + b), '1296321'],
		['0', '0'],
		['-0', '0'],
		['0.00', '0'],
		['12', '12'],
		[' 12 ', '12'],
		['\t12\n', '12'],
		['12.', '12'],
		['.5', '0.5'],
		['-.5', '-0.5'],
		['007.50', '7.5'],
		['1234567.0', '1234567'],
		['1,250.00', '1250'],
		['1,234,567.89', '1234567.89'],
		['1 250.00', '1250'],
		['1\u00a0250.00', '1250'],
		['1\u202f250.50', '1250.5'],
		['-1,250.00', '-1250'],
		['123456789012345678901234567890.123456789', '123456789012345678901234567890.123456789'],
	])('reads %j as %s', (raw, text) => {
		expect(read(raw)).toBe(text);
	});

	test.each<[unknown, RegExp]>([
		['1.234,50', /more than one amount/],
		['1,250', /more than one amount/],
		['1.250.000', /more than one amount/],
		['1,25', /more than one amount/],
		['1,2,3.0', /more than one amount/],
		['12,50.00', /more than one amount/],
		['1 250', /more than one amount/],
		['1 2.5', /more than one amount/],
		['1..5', /more than one amount/],
		['.', /more than one amount|must be a number/],
		[',', /more than one amount|must be a number/],
		['1e5', /scientific notation/],
		['1.25E+06', /scientific notation/],
		['-12.5e-3', /scientific notation/],
		['USD 1e5', /must be a number/],
		['1e5 BOB', /must be a number/],
		['USD 5', /must be a number/],
		['$5', /must be a number/],
		['5 BOB', /must be a number/],
		['(5)', /must be a number/],
		['5-', /must be a number/],
		['--5', /must be a number/],
		['+5', /must be a number/],
		['five', /must be a number/],
		['0x10', /must be a number/],
		['١٢', /must be a number/],
		['Infinity', /must be a number/],
		['NaN', /must be a number/],
		['', /must be a number/],
		[Infinity, /must be a number/],
		[-Infinity, /must be a number/],
		[NaN, /must be a number/],
		[1e15, /has lost digits/],
		[999999999999999.9, /has lost digits/],
		[1234567890123.456, /has lost digits/],
		[Number('9007199254740.993'), /has lost digits/],
		[Number('12345678901234.567'), /has lost digits/],
		[12345678.12345678, /has lost digits/],
		[-12345678.12345678, /has lost digits/],
		[1 / 3, /has lost digits/],
		[null, /must be a number/],
		[undefined, /must be a number/],
		[true, /must be a number/],
		[[5], /must be a number/],
		[{}, /must be a number/],
		[5n, /must be a number/],
	])('rejects %p as an amount', (raw, rule) => {
		expect(read(raw)).toMatch(/^rejected: /);
		expect(read(raw)).toMatch(rule);
	});

	test('says what to do about a rejected amount', () => {
		for (const raw of ['1,250', '1e5', 'USD 5', NaN, 1e15, 12345678.12345678]) {
			expect(parseDecimal(raw)).toMatchObject({
				ok: false,
				error: {
					hint: expect.stringMatching(/dot before the decimals|decimals but 3|whole value again/),
				},
			});
		}
	});
});

describe('amounts whose decimal separator is known', () => {
	const COMMA: AmountFormat = { decimal: ',', isChosen: true };
	const DOT: AmountFormat = { decimal: '.', isChosen: false };

	test.each<[string, AmountFormat, string]>([
		['1234,5', COMMA, '1234.5'],
		['1.234,50', COMMA, '1234.5'],
		['1.250', COMMA, '1250'],
		['1.250.000', COMMA, '1250000'],
		['1 250 000,75', COMMA, '1250000.75'],
		['1\u00a0250', COMMA, '1250'],
		['-1.250,00', COMMA, '-1250'],
		['12,', COMMA, '12'],
		[',5', COMMA, '0.5'],
		[' 007,50 ', COMMA, '7.5'],
		['1234', COMMA, '1234'],
		['1.250', DOT, '1.25'],
		['1,250', DOT, '1250'],
		['1,250,000.75', DOT, '1250000.75'],
		['1 250', DOT, '1250'],
		['-.5', DOT, '-0.5'],
	])('reads %j with %j as %s', (raw, format, text) => {
		expect(read(raw, format)).toBe(text);
	});

	test('reads a number, which has no separator, with any format', () => {
		expect(read(1250.5, COMMA)).toBe('1250.5');
	});

	test.each(['1,250.00', '1250.5', '12.50', '1,2,3', '1. 5'])(
		'rejects %j in a column with decimal commas, and names the comma',
		(raw) => {
			expect(parseDecimal(raw, 2, COMMA)).toMatchObject({
				error: {
					code: 'otherDecimalSeparator',
					message: 'does not use a decimal comma',
					es: { message: 'no usa coma decimal' },
				},
			});
		},
	);

	test.each(['1.250,00', '1250,5', '1.250.000'])(
		'rejects %j in a column with decimal dots, and names the dot',
		(raw) => {
			expect(parseDecimal(raw, 2, DOT)).toMatchObject({
				error: {
					code: 'otherDecimalSeparator',
					message: 'does not use a decimal dot',
					es: { message: 'no usa punto decimal' },
				},
			});
		},
	);

	test.each([
		['USD 5,00', 'notNumber'],
		['1e5', 'lostDigits'],
	])('rejects %j for what it is, whatever the format', (raw, code) => {
		expect(parseDecimal(raw, 2, COMMA)).toMatchObject({ error: { code } });
	});
});

describe('the format that a column proves', () => {
	test.each<[unknown[], AmountFormat['decimal'] | undefined]>([
		[[], undefined],
		[['100', '250'], undefined],
		[['1.250', '1,250'], undefined],
		[['1.250', '3,5'], ','],
		[['1.234,50'], ','],
		[[' 1,5 '], ','],
		[['1.250.000'], ','],
		[['1,250', '3.5'], '.'],
		[['1,234.50'], '.'],
		[['1,250,000'], '.'],
		[['2,5', '3.5'], undefined],
		[['2,5', 3.5, null, 'to be agreed', ''], ','],
		[['to be agreed', 3.5], undefined],
	])('the format that a column proves of %j is %p', (cells, decimal) => {
		expect(provenFormat(cells)).toEqual(decimal && { decimal, isChosen: false });
	});
});

describe('a text of more digits than any amount', () => {
	test('a text of more digits than any amount is read up to 1,000 characters, and rejected beyond them', () => {
		const longest = '1'.repeat(1_000);
		expect(read(longest)).toBe(longest);
		expect(parseDecimal(`${longest}1`)).toMatchObject({ error: { code: 'notNumber' } });
	});
});

describe('numbers with binary rounding errors', () => {
	test('tolerates the error of a product or sum, also if 8 decimals are allowed', () => {
		expect(parseDecimal(543967.2 * 3, 8)).toEqual({ ok: true, value: '1631901.6' });
		expect(parseDecimal(541832.4 * 3, 8)).toEqual({ ok: true, value: '1625497.2' });
	});

	test('tolerates an error in an amount of 13 digits, because zeros come before it', () => {
		expect(read(56568149210.4 + 29614701207.89)).toBe('86182850418.29');
		expect(parseDecimal(56413273061.14 * 3)).toMatchObject({ error: { code: 'lostDigits' } });
	});

	test('tolerates an error smaller than the required decimals', () => {
		const off = 12345678.00000001;
		expect(parseDecimal(off, 2)).toEqual({ ok: true, value: '12345678' });
		expect(parseDecimal(off, 8)).toMatchObject({
			ok: false,
			error: { code: 'lostDigits', hint: expect.stringMatching(/^Format the cell as text/) },
		});
	});

	test('rejects nine decimals instead of rounding them to eight', () => {
		for (const raw of [1234567.123456789, 8234567.123456787, 12345678.123456789]) {
			expect(parseDecimal(raw, 8)).toMatchObject({ ok: false });
		}
		expect(parseDecimal(0.123456789, 8)).toEqual({ ok: true, value: '0.123456789' });
	});
});

const RUNS = { numRuns: 500 };
function toText(units: bigint, places: number): string {
	const sign = units < 0n ? '-' : '';
	const digits = (units < 0n ? -units : units).toString().padStart(places + 1, '0');
	const fraction = digits.slice(digits.length - places).replace(/0+$/, '');
	const whole = places === 0 ? digits : digits.slice(0, -places);
	const text = places === 0 || fraction === '' ? whole : `${whole}.${fraction}`;
	return text === '0' ? text : sign + text;
}

describe('decimal arithmetic', () => {
	test('preserves cents through a binary sum, such as a spreadsheet’s', () => {
		fc.assert(
			fc.property(fc.array(fc.integer({ min: 0, max: 10_000_000 }), { maxLength: 20 }), (list) => {
				const binary = list.reduce((total, cents) => total + cents / 100, 0);
				const exact = toText(BigInt(list.reduce((total, cents) => total + cents, 0)), 2);
				expect(read(binary)).toBe(exact);
			}),
			RUNS,
		);
	});

	test.each([
		['0', 0],
		['1', 0],
		['-1.5', 1],
		['0.00000001', 8],
	])('finds in %s %i decimals', (text, places) => {
		expect(decimalPlaces(text)).toBe(places);
	});

	test.each([
		['999999999999999', 999999999999999],
		['9999999999999.99', 9999999999999.99],
		['0.000000000000001', 1e-15],
		['0.00123456789012345', 0.00123456789012345],
		['1000000000000000', undefined],
		['1234567890.1234567', undefined],
	])('converts %s to the exact number %p', (text, number) => {
		expect(exactNumber(text)).toBe(number);
	});
});

test.each([
	['900', '900.00'],
	['900.5', '900.50'],
	['-3', '-3.00'],
	['0.125', '0.125'],
])('shows %s with at least two decimals', (text, shown) => {
	expect(withCents(text)).toBe(shown);
});

describe('a quotient', () => {
	test.each([
		['250', '6.9252', 6, '36.100041'],
		['100.5', '7', 6, '14.357143'],
		['7', '7', 6, '1'],
		['0.01', '4105.25', 6, '0.000003'],
		['1', '3', 0, '1'],
		['1000000000000.01', '0.000001', 2, '1000000000000010000'],
	])(
		'a quotient of %s and %s has at most %i decimals and is rounded up',
		(a, b, places, expected) => {
			expect(divideDecimals(a, b, places)).toBe(expected);
		},
	);

	test('a quotient is the smallest one that is enough', () => {
		const positive = fc.integer({ min: 1, max: 1e9 });
		fc.assert(
			fc.property(positive, positive, (a, b) => {
				const [whole, fraction = ''] = divideDecimals(`${a}`, `${b}`, 6).split('.');
				const units = BigInt(whole + fraction.padEnd(6, '0'));
				const wanted = BigInt(a) * 1_000_000n;
				return units * BigInt(b) >= wanted && (units - 1n) * BigInt(b) < wanted;
			}),
			{ numRuns: runsOr(300), seed: SEED },
		);
	});
});
