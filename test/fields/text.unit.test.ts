import fc from 'fast-check';

import { runsOr, SEED } from '../random';
import {
	findInvisible,
	hasBrokenLetters,
	idempotencyKey,
	isBlank,
	joinWords,
	listedWords,
	normalizeText,
	normalizeWord,
	trimmed,
	wordsOf,
} from '../../nodes/fields/text';

describe('normalized text', () => {
	test.each<[string, string, string]>([
		['composed and decomposed letters', 'Peña', 'Pen\u0303a'],
		['a no-break space', 'order 42', 'order\u00a042'],
		['a narrow no-break space', 'order 42', 'order\u202f42'],
		['an ideographic space', 'order 42', 'order\u300042'],
		['a run of blanks', 'order 42', 'order \t\n 42'],
		['blanks at the ends', 'order 42', ' \u00a0order 42\r\n'],
		['a zero-width space', 'order 42', 'or\u200bder 42'],
		['a zero-width space between blanks', 'order 42', 'order \u200b 42'],
		['a byte order mark', 'order 42', '\ufefforder 42'],
		['a soft hyphen', 'order 42', 'or\u00adder 42'],
		['marks of direction', 'order 42', '\u202eorder\u202c \u206642\u2069'],
		['a joiner that keeps a letter from being composed', 'Peña', 'Pen\u034f\u0303a'],
	])('normalizes text in spite of %s', (_, one, other) => {
		expect(normalizeText(other)).toBe(normalizeText(one));
		expect(normalizeText(one)).toBe(one);
	});

	test.each([
		['order 42', 'order42'],
		['order 42', 'Order 42'],
		['Peña', 'Pena'],
		['order-42', 'order_42'],
		['①', '1'],
	])('normalized text keeps %s and %s apart', (one, other) => {
		expect(normalizeText(one)).not.toBe(normalizeText(other));
	});

	test('leaves normalized text unchanged', () => {
		const any = fc.string({
			unit: fc.oneof(
				fc.constantFrom(...' \t\u00a0\u200b\u200d\ufeff\u0301\u0303\u034f\ud800', 'e', 'n', '각'),
				fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
			),
		});
		fc.assert(
			fc.property(any, (text) => {
				const same = normalizeText(text);
				expect(normalizeText(same)).toBe(same);
				expect(findInvisible(same)).toBeUndefined();
				expect(trimmed(same)).toBe(same);
			}),
			{ numRuns: runsOr(200), seed: SEED },
		);
	});
});

describe('invisible characters', () => {
	test.each<[string, string, number]>([
		['12\u200b34', 'U+200B', 3],
		['12\u200c34', 'U+200C', 3],
		['12\u200d34', 'U+200D', 3],
		['12\u200e34', 'U+200E', 3],
		['12\u202a34', 'U+202A', 3],
		['12\u202e34', 'U+202E', 3],
		['12\u206034', 'U+2060', 3],
		['12\u206634', 'U+2066', 3],
		['12\u206934', 'U+2069', 3],
		['12\ufeff34', 'U+FEFF', 3],
		['12\u00ad34', 'U+00AD', 3],
		['12\u000034', 'U+0000', 3],
		['12\n34', 'U+000A', 3],
		['12\u007f34', 'U+007F', 3],
		['12\u008534', 'U+0085', 3],
		['12\ud80034', 'U+D800', 3],
		['🧾\u{e0061}', 'U+E0061', 2],
	])('finds an invisible character in %j', (text, character, place) => {
		expect(findInvisible(text)).toEqual({ character, place });
	});

	test.each(['', '0012 345', 'Peña', 'Pen\u0303a', 'order\u00a042', '🧾', '각', 'ا'])(
		'finds no invisible character in %j',
		(text) => {
			expect(findInvisible(text)).toBeUndefined();
		},
	);

	test('trims invisible characters at the ends, not inside', () => {
		expect(trimmed(' \u200b\ufeff 12\u200b 34 \u00a0\u2060\n')).toBe('12\u200b 34');
		expect(trimmed(' \u200b ')).toBe('');
		expect(trimmed('')).toBe('');
	});
});

describe('a text that is longer than any reference', () => {
	const longest = 'x'.repeat(9_998);

	test('a text that is longer than any reference is trimmed and normalized up to 10,000 characters', () => {
		expect(trimmed(` ${longest} `)).toBe(longest);
		expect(normalizeText(` ${longest} `)).toBe(longest);
	});

	test('a text that is longer than any reference stays as it is beyond them', () => {
		const text = ` ${longest}  `;
		expect(trimmed(text)).toBe(text);
		expect(normalizeText(text)).toBe(text);
	});

	test('a text that is longer than any reference is blank only if all of it is', () => {
		expect(isBlank(' \u200b'.repeat(2_000))).toBe(true);
		expect(isBlank(`${' '.repeat(2_000)}x`)).toBe(false);
		expect(isBlank(`x${' '.repeat(2_000)}`)).toBe(false);
	});
});

test('compares references in lower case, of which n8n stores the hash', () => {
	expect(idempotencyKey(' Order  42')).toBe('order 42');
	expect(idempotencyKey('straße')).not.toBe(idempotencyKey('STRASSE'));
	expect(idempotencyKey('Order\u00a042')).toBe(idempotencyKey('ORDER 42'));
	expect(idempotencyKey('order-42')).not.toBe(idempotencyKey('order 42'));
});

describe('text that was read with the wrong encoding', () => {
	test.each(['Mar\ufffda', 'MarÃ\u00ada', 'ï»¿Nombre', 'Mar√≠a', 'Jos‚', 'Nu¤ez'])(
		'text that was read with the wrong encoding is recognized: %j',
		(text) => {
			expect(hasBrokenLetters(text)).toBe(true);
			expect(hasBrokenLetters(`${'x'.repeat(2_000)}${text}`)).toBe(true);
		},
	);

	test.each(['', 'María', 'SÃO PAULO', '“Unión”', '¡Hola!', '£ 100', '√2'])(
		'text that was read with the wrong encoding is not %j',
		(text) => {
			expect(hasBrokenLetters(text)).toBe(false);
		},
	);
});

describe('words', () => {
	test.each([
		['Número de Cuenta:', 'numerodecuenta'],
		['  N.º  ', 'no'],
		['Monto ($)', 'monto$'],
		['S/N', 's/n'],
		['% IVA', '%iva'],
		['', ''],
	])('words of the header or choice %j are compared as %j', (text, word) => {
		expect(normalizeWord(text)).toBe(word);
	});

	test.each([
		['Nro. de cuenta', ['nro', 'de', 'cuenta']],
		['destinationAccount', ['destination', 'account']],
		['MONTO_TOTAL (Bs)', ['monto', 'total', 'bs']],
		['% IVA', ['%', 'iva']],
		[' - ', []],
	])('words of the header %j are %j', (header, words) => {
		expect(wordsOf(header)).toEqual(words);
	});

	test('words of a header that is longer than any are those of its start', () => {
		expect(wordsOf(`Monto${' '.repeat(1_000)}Total`)).toEqual(['monto']);
		expect(wordsOf('aB'.repeat(500)).join('').length).toBeLessThanOrEqual(1_000);
	});

	test('words in a list are separated by spaces, commas or semicolons', () => {
		expect(listedWords(' a, b;c\n d ,; ')).toEqual(['a', 'b', 'c', 'd']);
		expect(listedWords(' , ')).toEqual([]);
	});

	test.each<[string[], 'and' | 'or', string, string]>([
		[[], 'and', '', ''],
		[['a'], 'and', 'a', 'a'],
		[['a', 'b'], 'and', 'a and b', 'a y b'],
		[['a', 'b', 'c'], 'or', 'a, b or c', 'a, b o c'],
	])('%j are joined by %j in each language', (texts, word, english, spanish) => {
		expect(joinWords(texts, word)).toBe(english);
		expect(joinWords(texts, word, 'es')).toBe(spanish);
	});
});

describe('a header or choice that is longer than any', () => {
	test('a header or choice that is longer than any is normalized only at its start', () => {
		expect(normalizeWord('é'.repeat(1_000_000)).length).toBeLessThanOrEqual(1_001);
	});

	test('a header or choice that is longer than any is not the name that it begins with', () => {
		expect(normalizeWord(`Monto${' '.repeat(2_000)}`)).toBe('monto…');
		expect(normalizeWord(`Monto${' '.repeat(900)}`)).toBe('monto');
	});
});
