import {
	clockTime,
	documentNumber,
	emailAddress,
	identifier,
	isEmpty,
	isUuid,
	listedNames,
	listOf,
	oneOf,
	referenceText,
	anyText,
	textBetween,
	uuid,
	webAddress,
	type Validator,
} from '../../nodes/fields/validators';

const read = (check: Validator, raw: unknown): unknown => {
	const checked = check(raw, {});
	return checked.ok ? checked.value : `rejected: ${checked.error.message}`;
};

const ROUNDED = /^rejected: has lost digits/;
const SIGN_OR_DECIMALS = /^rejected: must not be negative or have decimals$/;

/** Characters that files and web pages really contain, and control characters. */
const INVISIBLE = [
	...[0x200b, 0x200c, 0x200d, 0x2060, 0xfeff, 0x00ad, 0x200e, 0x200f],
	...[0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069],
	...[0x0000, 0x0007, 0x0009, 0x000a, 0x001b, 0x007f, 0x0085, 0x009f],
];

const named = (code: number): string => `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;

describe.each<[string, Validator]>([
	['an identifier', identifier()],
	['an identifier of digits', documentNumber(2, 20)],
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
		['12E5', ROUNDED],
		['12e5', ROUNDED],
		['1.2E+05', ROUNDED],
		['1.23457E+11', ROUNDED],
		['1,2E+05', ROUNDED],
		['-1.2E+05', ROUNDED],
		['1E-5', ROUNDED],
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

test('limits the length of an identifier to what is examined', () => {
	expect(read(identifier(), 'a'.repeat(1_000))).toBe('a'.repeat(1_000));
	expect(read(identifier(), 'a'.repeat(1_001))).toBe(
		'rejected: has 1001 characters, but may have at most 1000',
	);
});

test('rejects an identifier in digits of another script', () => {
	expect(read(identifier(), '１２３４５')).toBe('rejected: has digits of another script');
});

test('accepts letters and hyphens in an identifier', () => {
	for (const value of [
		'BISA-01',
		'4000-123',
		'12-E5',
		'E12',
		'CL 0012',
		'12.345.678-5',
		'CL 12.0',
		'X12E5',
		'12E5X',
		'-12A',
	]) {
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
		expect(read(textBetween(2, 4), 'BOL')).toBe('BOL');
		expect(read(textBetween(2, 4), 'Chile')).toMatch(/may have at most 4/);
	});
});

test('treats text without a visible character as empty', () => {
	for (const raw of ['', '  ', '\u200b', ' \ufeff\u2060\n', null, undefined, []]) {
		expect(isEmpty(raw)).toBe(true);
	}
	for (const raw of ['0', ' x ', 0, false, ['']]) expect(isEmpty(raw)).toBe(false);
});

describe('text', () => {
	test.each<[unknown, string]>([
		['  María  ', 'María'],
		[42, '42'],
		[1234567890123456, '1234567890123456'],
		[12.5, '12.5'],
		[0.1 + 0.2, '0.3'],
	])('text is sent for the cell %p as %j', (raw, sent) => {
		expect(read(anyText(), raw)).toBe(sent);
	});

	test.each([NaN, Infinity, 1 / 3, 1e20, true, null, { text: 'x' }, ['x']])(
		'text is not sent for %p, which would lose digits or is no text',
		(raw) => {
			expect(read(anyText(), raw)).toBe('rejected: must be text');
		},
	);
});

const ONE = '5f0c6f6e-3b1d-4f7e-9a53-0c1d2e3f4a5b';
const TWO = 'A1B2C3D4-0000-1000-8000-00805F9B34FB';

describe('a UUID', () => {
	test.each([ONE, TWO, ` ${ONE} `])('a UUID is accepted in any version and case: %j', (raw) => {
		expect(read(uuid(), raw)).toBe(raw.trim());
	});

	test.each([ONE.slice(1), `${ONE}0`, ONE.replaceAll('-', ''), ONE.replace('5f', 'xy'), 5, null])(
		'a UUID is not %j',
		(raw) => {
			expect(uuid()(raw, {})).toMatchObject({
				error: { code: 'notUuid', hint: expect.stringMatching(/^For example 5f0c6f6e/) },
			});
			expect(isUuid(String(raw))).toBe(false);
		},
	);

	test('that is missing has the hint of its field', () => {
		expect(uuid('Choose the wallet.')('main', {})).toMatchObject({
			error: { message: 'must be a UUID', hint: 'Choose the wallet.' },
		});
	});
});

const DOCUMENTS = [
	{ name: 'National ID', value: 'national_id' },
	{ name: 'Passport', value: 'passport' },
];

describe('a choice', () => {
	const choice = oneOf(DOCUMENTS, { national_id: ['CI', 'Cédula de identidad'] });

	test.each([
		['national_id', 'national_id'],
		['National ID', 'national_id'],
		[' PASSPORT ', 'passport'],
		['C.I.', 'national_id'],
		['CEDULA DE IDENTIDAD', 'national_id'],
	])('a choice is sent in the service’s spelling: %j as %s', (raw, sent) => {
		expect(read(choice, raw)).toBe(sent);
	});

	test.each(['DNI', '', 5, null, {}])('rejects %p and lists the choices', (raw) => {
		expect(read(choice, raw)).toBe('rejected: must be one of national_id, passport');
	});
});

describe('a list of choices', () => {
	const list = listOf(DOCUMENTS);

	test.each<[unknown, string[]]>([
		[
			['passport', 'national_id'],
			['passport', 'national_id'],
		],
		['passport, National-ID', ['passport', 'national_id']],
		['passport', ['passport']],
		[['passport', 'PASSPORT'], ['passport']],
	])('a list of choices is sent in the service’s spelling, each choice once: %j', (raw, sent) => {
		expect(read(list, raw)).toEqual(sent);
	});

	test.each([['passport, DNI'], [['passport', 5]], [5], ['passport,']])(
		'rejects %j, of which an entry is no choice',
		(raw) => {
			expect(read(list, raw)).toBe('rejected: must be one of national_id, passport');
		},
	);

	test('a list of choices needs an entry', () => {
		expect(read(list, [])).toBe('rejected: is required');
	});

	test('a list of choices is not taken apart if it is longer than any text that is examined', () => {
		expect(read(list, `passport${',passport'.repeat(110)}  `)).toEqual(['passport']);
		expect(read(list, `passport${',passport'.repeat(110)}   `)).toMatch(
			/^rejected: must be one of/,
		);
	});
});

describe('a time', () => {
	test.each(['00:00:00', '01:30:00', '19:05:09', '23:59:59'])('a time may be %s', (raw) => {
		expect(read(clockTime(), raw)).toBe(raw);
	});

	test.each([
		'24:00:00',
		'30:00:00',
		'12:60:00',
		'12:00:60',
		'1:00:00',
		'12:00',
		'112:00:00',
		'12:00:000',
		120000,
	])('a time is not %p', (raw) => {
		expect(clockTime()(raw, {})).toMatchObject({ error: { code: 'notClockTime' } });
	});
});

describe('an email address', () => {
	test.each(['maria@example.com', 'a@b.c', 'ana.flores+pagos@mail.example.com'])(
		'an email address may be %s',
		(raw) => {
			expect(read(emailAddress(), raw)).toBe(raw);
		},
	);

	test.each(['maria', 'maria@example', '@example.com', 'a@.com', 'a@b.', 'a@b@c.d', 'a b@c.d', 5])(
		'an email address is not %p',
		(raw) => {
			expect(emailAddress()(raw, {})).toMatchObject({ error: { code: 'notEmail' } });
		},
	);
});

describe('a web address', () => {
	test.each(['https://example.com/callback', 'HTTP://localhost:5678'])(
		'a web address may be %s',
		(raw) => {
			expect(read(webAddress(), raw)).toBe(raw);
		},
	);

	test.each([
		'example.com',
		'ftp://example.com',
		'ftp://example.com/?https://a.com',
		'https://',
		5,
	])('a web address is not %p', (raw) => {
		expect(webAddress()(raw, {})).toMatchObject({ error: { code: 'notWebAddress' } });
	});
});

describe('a list of references', () => {
	test.each<[string, unknown, string[]]>([
		['one on each line', 'order 1\norder 2', ['order 1', 'order 2']],
		['with the line ends of any system', 'a\r\nb\rc', ['a', 'b', 'c']],
		['with spaces and commas', 'invoice 7, part 2; rest', ['invoice 7, part 2; rest']],
		['with UUIDs that share a line', `${ONE}, ${TWO};${ONE}`, [ONE, TWO, ONE]],
		['with a UUID and other words on a line', `${ONE} paid`, [`${ONE} paid`]],
		['with other words and a UUID on a line', `paid ${ONE}`, [`paid ${ONE}`]],
		['as an array', ['order 1', 42, `${ONE} ${TWO}`], ['order 1', '42', ONE, TWO]],
		['with empty lines', ' \n\norder 1\n', ['order 1']],
		['that is normalized', 'order\u00a042\u200b', ['order 42']],
		['with an invisible line', 'a\n\u200b\nb', ['a', 'b']],
		['of separators only', ' , ;', []],
		['that is missing', undefined, []],
		['with a missing entry', [null, 'a'], ['a']],
	])('a list of references is read: %s', (_, raw, names) => {
		expect(listedNames(raw)).toEqual(names);
	});
});
