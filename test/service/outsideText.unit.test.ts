import fc from 'fast-check';

import { idempotencyKey, normalizeText, trimmed } from '../../nodes/fields/text';
import { emailAddress, listedNames, listOf, webAddress } from '../../nodes/fields/validators';
import {
	matches,
	MAX_EXAMINED,
	piecesOf,
	replaceCharacters,
	startOf,
	withoutTrailing,
} from '../../nodes/service/outsideText';
import { serviceMessage } from '../../nodes/service/errors';
import { examined } from '../patterns';
import { runsOr, SEED } from '../random';

const UUID = '5f0c6f6e-3b1d-4f7e-9a53-0c1d2e3f4a5b';

const RUNS = { seed: SEED, numRuns: runsOr(50) };

/** Texts around the length at which they are cut, with characters of one and two code units. */
const longText = fc
	.array(fc.constantFrom('a', '😀', ' ', '\u200b', '\u0301', '\ud83d', '.'), { maxLength: 12 })
	.chain((parts) =>
		fc
			.integer({ min: MAX_EXAMINED - 12, max: 2 * MAX_EXAMINED + 12 })
			.map((length) => 'x'.repeat(length) + parts.join('') + 'y'.repeat(MAX_EXAMINED)),
	);

describe('pieces of a text', () => {
	test('pieces of a text are short, complete and end between characters', () => {
		fc.assert(
			fc.property(longText, (text) => {
				const pieces = piecesOf(text);
				expect(pieces.join('')).toBe(text);
				expect(pieces.flatMap((piece) => [...piece])).toEqual([...text]);
				expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(MAX_EXAMINED);
			}),
			RUNS,
		);
	});

	test.each([
		['', ['']],
		['x'.repeat(MAX_EXAMINED), ['x'.repeat(MAX_EXAMINED)]],
		['x'.repeat(MAX_EXAMINED) + 'y', ['x'.repeat(MAX_EXAMINED), 'y']],
		['x'.repeat(MAX_EXAMINED - 1) + '😀', ['x'.repeat(MAX_EXAMINED - 1), '😀']],
		['x'.repeat(MAX_EXAMINED - 2) + '😀y', ['x'.repeat(MAX_EXAMINED - 2) + '😀', 'y']],
		['x'.repeat(MAX_EXAMINED + 1) + '😀', ['x'.repeat(MAX_EXAMINED), 'x😀']],
		['x'.repeat(MAX_EXAMINED - 1) + '\uffffy', ['x'.repeat(MAX_EXAMINED - 1) + '\uffff', 'y']],
	])('pieces of a text are as long as they may be: case %#', (text, pieces) => {
		expect(piecesOf(text)).toEqual(pieces);
	});

	test('give the same replacements as the whole text', () => {
		fc.assert(
			fc.property(longText, (text) => {
				const replaced = text.replace(/[\p{Cs}\u200b .]/gu, '-');
				expect(replaceCharacters(text, /[\p{Cs}\u200b .]/gu, '-')).toBe(replaced);
			}),
			RUNS,
		);
	});

	test('normalizes a long text like its short parts', () => {
		const spaces = ' '.repeat(2 * MAX_EXAMINED);
		const word = 'a'.repeat(MAX_EXAMINED);
		expect(normalizeText(`${spaces}${word}${spaces}😀${spaces}b${spaces}`)).toBe(`${word} 😀 b`);
	});
});

test('cuts a text to what patterns may see', () => {
	expect(startOf('a'.repeat(MAX_EXAMINED + 1))).toBe('a'.repeat(MAX_EXAMINED));
	expect(startOf('short')).toBe('short');
});

test('matches no text that is longer than what patterns may see', () => {
	expect(matches(/^a+$/, 'a'.repeat(MAX_EXAMINED))).toBe(true);
	expect(matches(/^a+$/, 'a'.repeat(MAX_EXAMINED + 1))).toBe(false);
});

test.each([
	['', ''],
	['///', ''],
	['a/b', 'a/b'],
	['a/b//', 'a/b'],
	['a. .', 'a'],
])('removes the end of %j', (text, rest) => {
	expect(withoutTrailing(text, '/. ')).toBe(rest);
});

describe('a text of 1 MB', () => {
	const MEGABYTE = 1_000_000;
	const long = (part: string) => part.repeat(MEGABYTE / part.length);

	test.each([' ', 'a ', 'a\n', '\u0301', ','])(
		'a text of 1 MB of %j is longer than what it is compared with, so patterns see little of it',
		async (part) => {
			const text = long(part);
			const one = await examined(async () => {
				expect(normalizeText(text)).toBe(text);
				expect(idempotencyKey(text)).toBe(text);
				trimmed(text);
				webAddress()(`https://${text}`, {});
				listedNames(text.replaceAll('\n', ' '));
				await Promise.resolve();
			});
			expect(one.total).toBeLessThan(3 * MEGABYTE);
			// Each line of a list is seen as a UUID, as words and as a name.
			const lines = await examined(async () => await Promise.resolve(void listedNames(text)));
			expect(lines.total).toBeLessThan(10 * MEGABYTE);
		},
	);

	test('a text of 1 MB is no choice, and no web address', () => {
		expect(listOf([{ name: 'A', value: 'a' }])(long('a,'), {}).ok).toBe(false);
		expect(webAddress()(`https://a/${long('a')}`, {}).ok).toBe(false);
	});
});

test.each([
	['a,A , a', ['a']],
	[
		['a', 'b'],
		['a', 'b'],
	],
	['b', ['b']],
])('reads the choices in %j', (raw, chosen) => {
	const options = ['a', 'b'].map((value) => ({ name: value, value }));
	expect(listOf(options)(raw, {})).toEqual({ ok: true, value: chosen });
});

test.each([
	[' , ; ', []],
	[`,${UUID},${UUID};${UUID}`, [UUID, UUID, UUID]],
	[`${UUID}, order 1`, [`${UUID}, order 1`]],
	[' order 1 \r\n\norder 2, and 3', ['order 1', 'order 2, and 3']],
	[
		['a', null, 'b\nc'],
		['a', 'b', 'c'],
	],
])('reads the names in %j', (raw, names) => {
	expect(listedNames(raw)).toEqual(names);
});

test('takes the same addresses for email addresses as the usual pattern', () => {
	fc.assert(
		fc.property(fc.string({ unit: fc.constantFrom('a', '@', '.', ' ', '\n', '😀') }), (text) => {
			const isEmail = /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text.trim());
			expect(emailAddress()(text, {}).ok).toBe(isEmail);
		}),
		{ ...RUNS, numRuns: runsOr(5_000) },
	);
});

describe('a long message of the service', () => {
	const secret = 'a secret of 24 characters';

	test.each([
		['a known secret', secret],
		['a token', `eyJ${'a'.repeat(30)}.${'b'.repeat(30)}.${'c'.repeat(30)}`],
		['the beginning of a token', `eyJ${'a'.repeat(2_000)}`],
	])('hides %s that the cut goes through', (_, hidden) => {
		for (let position = MAX_EXAMINED - 60; position < MAX_EXAMINED; position++) {
			// Hidden tokens make the text shorter, so that its end comes into sight.
			const before = `Bearer ${'1'.repeat(600)} `;
			const words = 'x '.repeat(position).slice(0, position - before.length);
			const text = `${before}${words} ${hidden}`;
			const shown = serviceMessage({ message: text }, [secret]);
			expect(shown).not.toMatch(/aaaaaa|a secret/);
		}
	});
});
