import {
	digitsOnly,
	identifier,
	isEmpty,
	referenceText,
	anyText,
	textBetween,
	type Validator,
} from '../../nodes/fields/validators';

const read = (check: Validator, raw: unknown): unknown => {
	const checked = check(raw, {});
	return checked.ok ? checked.value : `rejected: ${checked.error.message}`;
};

const ROUNDED = /^rejected: is a number with more than 15 digits, which spreadsheets round$/;
const SIGN_OR_DECIMALS = /^rejected: must not be negative or have decimals$/;
const SCIENTIFIC = /^rejected: is in scientific notation/;

/** Characters that files and web pages really contain, and control characters. */
const INVISIBLE = [
	...[0x200b, 0x200c, 0x200d, 0x2060, 0xfeff, 0x00ad, 0x200e, 0x200f],
	...[0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069],
	...[0x0000, 0x0007, 0x0009, 0x000a, 0x001b, 0x007f, 0x0085, 0x009f],
];

const named = (code: number): string => `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;

describe.each<[string, Validator]>([
	['an identifier', identifier()],
	['an identifier of digits', digitsOnly(2, 20)],
])('%s', (_, check) => {
	test.each<[unknown, string]>([
		[1234567, '1234567'],
		[999999999999999, '999999999999999'],
		['1234567890123456', '1234567890123456'],
		['12345678901234567890', '12345678901234567890'],
		['0012345678', '0012345678'],
		['1234567.0', '1234567'],
		['0012.00', '0012'],
		[' 1234 ', '1234'],
		['\u200b1234\ufeff\n', '1234'],
	])('sends %j as %s', (raw, sent) => {
		expect(read(check, raw)).toBe(sent);
	});

	test.each<[unknown, RegExp]>([
		[1000000000000000, ROUNDED],
		[1234567890123456, ROUNDED],
		[-1234567890123456, ROUNDED],
		[Number('12345678901234567890'), ROUNDED],
		[-77, SIGN_OR_DECIMALS],
		[1234.5, SIGN_OR_DECIMALS],
		[-0.5, SIGN_OR_DECIMALS],
		['-77', SIGN_OR_DECIMALS],
		['\u221277', SIGN_OR_DECIMALS],
		['-1,234.50', SIGN_OR_DECIMALS],
		['1234.5', SIGN_OR_DECIMALS],
		['1234,5', SIGN_OR_DECIMALS],
		['1234567,0', SIGN_OR_DECIMALS],
		['12E5', SCIENTIFIC],
		['12e5', SCIENTIFIC],
		['1.2E+05', SCIENTIFIC],
		['1,2E+05', SCIENTIFIC],
		['-1.2E+05', SCIENTIFIC],
		['1E-5', SCIENTIFIC],
		[true, /^rejected: must be text/],
		[NaN, /^rejected: must be text/],
		[[1234], /^rejected: must be text/],
	])('rejects the identifier %j', (raw, broken) => {
		expect(read(check, raw)).toMatch(broken);
	});

	test.each(INVISIBLE)('names an invisible character inside: %d', (code) => {
		const character = String.fromCodePoint(code);

		expect(read(check, `12${character}34`)).toBe(
			`rejected: has an invisible character (${named(code)}) at position 3`,
		);
		expect(read(check, `${character}1234${character}`)).toBe('1234');
	});
});

test('accepts letters and hyphens in an identifier', () => {
	for (const value of ['BISA-01', '4000-123', '12-E5', 'E12', 'CL 0012', '12.345.678-5']) {
		expect(read(identifier(), value)).toBe(value);
	}
});

describe('references', () => {
	test.each<[unknown, string]>([
		['supplier 2026-0042', 'supplier 2026-0042'],
		['Peña ①/🧾', 'Peña ①/🧾'],
		['order\u00a042', 'order\u00a042'],
		['\u200b order 42\u2060', 'order 42'],
		['12E5', '12E5'],
		['-77', '-77'],
		[42, '42'],
	])('sends the reference %j as %s', (raw, sent) => {
		expect(read(referenceText(), raw)).toBe(sent);
	});

	test.each(INVISIBLE)('rejects a reference with an invisible character: %d', (code) => {
		const raw = `🧾-${String.fromCodePoint(code)}1`;

		expect(read(referenceText({ max: 32 }), raw)).toBe(
			`rejected: has an invisible character (${named(code)}) at position 3`,
		);
	});

	test('rejects a reference that is a rounded number', () => {
		expect(read(referenceText(), 1234567890123456)).toMatch(ROUNDED);
		expect(read(referenceText(), '1234567890123456')).toBe('1234567890123456');
	});

	test('limits the length of a reference', () => {
		expect(read(referenceText({ max: 32 }), 'r'.repeat(32))).toBe('r'.repeat(32));
		expect(read(referenceText({ max: 32 }), 'r'.repeat(33))).toMatch(
			/has 33 characters, but may have at most 32/,
		);
	});
});

describe('lengths', () => {
	test('requires text to be short enough, however characters are counted', () => {
		expect(read(anyText({ max: 200 }), '🧾'.repeat(100))).toBe('🧾'.repeat(100));
		expect(anyText({ max: 200 })('🧾'.repeat(200), {})).toEqual({
			ok: false,
			error: {
				code: 'tooLong',
				message: 'has 400 characters, but may have at most 200',
				hint: 'Shorten it. An emoji counts as two or more.',
			},
		});
		expect(anyText({ max: 200 })('x'.repeat(201), {})).toMatchObject({
			error: { code: 'tooLong' },
		});
	});

	test('requires text to be long enough, however characters are counted', () => {
		expect(read(textBetween(2, 4), '🧾')).toMatch(/must have 2 to 4 characters/);
		expect(read(textBetween(2, 4), '🧾🧾')).toBe('🧾🧾');
	});
});

test('treats text without a visible character as empty', () => {
	for (const raw of ['', '  ', '\u200b', ' \ufeff\u2060\n', null, undefined, []]) {
		expect(isEmpty(raw)).toBe(true);
	}
	for (const raw of ['0', ' x ', 0, false, ['']]) expect(isEmpty(raw)).toBe(false);
});
