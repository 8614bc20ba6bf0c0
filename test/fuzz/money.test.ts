import * as fc from 'fast-check';

import {
	addDecimals,
	compareDecimals,
	decimalPlaces,
	exactNumber,
	parseDecimal,
} from '../../nodes/shared/money';
import { amount, decimalText } from '../../nodes/shared/rules';
import { holds } from './holds';

/** A decimal as an integer and a number of places: the second opinion, without any text. */
interface Scaled {
	integer: bigint;
	places: number;
}

const scaled = (most = 10n ** 25n, mostPlaces = 12): fc.Arbitrary<Scaled> =>
	fc.record({
		integer: fc.bigInt({ min: -most, max: most }),
		places: fc.integer({ min: 0, max: mostPlaces }),
	});

const toText = ({ integer, places }: Scaled): string => {
	const digits = (integer < 0n ? -integer : integer).toString().padStart(places + 1, '0');
	const point = digits.length - places;
	return `${integer < 0n ? '-' : ''}${digits.slice(0, point)}${places ? `.${digits.slice(point)}` : ''}`;
};

/** Reads plain decimal text, and what JSON makes of a number. */
const toScaled = (text: string): Scaled => {
	const [mantissa, exponent = '0'] = text.split(/e/i);
	const [whole, fraction = ''] = mantissa.split('.');
	const places = fraction.length - Number(exponent);
	const integer = BigInt(whole + fraction);
	return places >= 0
		? { integer, places }
		: { integer: integer * 10n ** BigInt(-places), places: 0 };
};

const difference = (a: Scaled, b: Scaled): bigint =>
	a.integer * 10n ** BigInt(b.places) - b.integer * 10n ** BigInt(a.places);

const expectSame = (text: string, value: Scaled): void =>
	expect({ text, difference: difference(toScaled(text), value) }).toEqual({ text, difference: 0n });

const parsed = (raw: unknown): string => {
	const decimal = parseDecimal(raw);
	if (!decimal.ok) throw new Error(`${String(raw)} ${decimal.rule}`);
	return decimal.text;
};

const CANONICAL = /^(0|-?[1-9]\d*|-?(0|[1-9]\d*)\.\d*[1-9])$/;

const zeros = fc.integer({ min: 0, max: 4 }).map((count) => '0'.repeat(count));
const space = fc.constantFrom('', ' ', '\t', '\u00a0', '\n');

/** A decimal in one of the ways in which the same value is written. */
const written = fc
	.record({ value: scaled(), leading: zeros, trailing: zeros, before: space, after: space })
	.map(({ value, leading, trailing, before, after }) => {
		const sign = value.integer < 0n ? '-' : '';
		const text = toText(value).replace('-', '');
		return {
			value,
			text: `${before}${sign}${leading}${text}${value.places ? trailing : ''}${after}`,
		};
	});

/** Digits and what stands between digits, as people and programs write amounts. */
const likeAnAmount = fc.oneof(
	fc.string({ unit: fc.constantFrom(...'0123456789.,-  \u00a0e+'), maxLength: 14 }),
	fc.stringMatching(/^-?\d{1,3}([., ]\d{3}){0,3}([.,]\d{1,4})?$/),
	fc.string(),
);

/** Amounts in whole cents, as far as fifteen digits go. */
const cents = fc.integer({ min: 0, max: 10 ** 13 });

describe('an amount', () => {
	holds(
		'amount: text keeps its value to the last digit, in canonical form',
		fc.property(written, ({ value, text }) => {
			const canonical = parsed(text);
			expect(canonical).toMatch(CANONICAL);
			expectSame(canonical, value);
		}),
	);

	holds(
		'amount: reading it again changes nothing',
		fc.property(written, ({ text }) => {
			expect(parsed(parsed(text))).toBe(parsed(text));
		}),
	);

	holds(
		'amount: no digit is ever invented, dropped or moved, whatever the text',
		fc.property(likeAnAmount, (text) => {
			const decimal = parseDecimal(text);
			if (!decimal.ok) return;
			const plain = text.replace(/[\s,]/g, '').replace(/\.$/, '');
			expectSame(decimal.text, toScaled(plain));
		}),
	);

	holds(
		'amount: what can be read as two amounts is refused',
		fc.property(
			fc.integer({ min: 1, max: 999 }),
			fc.array(fc.integer({ min: 0, max: 999 }), { minLength: 1, maxLength: 3 }),
			fc.constantFrom('.', ',', ' ', '\u00a0'),
			fc.option(fc.stringMatching(/^\d{1,3}$/), { nil: undefined }),
			(first, groups, separator, decimals) => {
				const whole = [String(first), ...groups.map((group) => String(group).padStart(3, '0'))];
				const text = `${whole.join(separator)}${decimals === undefined ? '' : `,${decimals}`}`;
				const isGroupedByComma = separator === ',' && decimals === undefined;
				const isOneDot = separator === '.' && groups.length === 1 && decimals === undefined;
				const checked = amount({ places: 2 })(text, {});
				expect({ text, ok: checked.ok }).toEqual({ text, ok: false });
				// Crypto has more than two decimals: there a dot is one.
				if (!isOneDot || isGroupedByComma) expect(parseDecimal(text).ok).toBe(false);
			},
		),
	);

	holds(
		'amount: cents as a number, as text and as binary arithmetic are one amount',
		fc.property(cents, cents, (a, b) => {
			const sum = toText({ integer: BigInt(a) + BigInt(b), places: 2 });
			expectSame(parsed(a / 100), { integer: BigInt(a), places: 2 });
			expect(parsed(a / 100)).toBe(parsed(toText({ integer: BigInt(a), places: 2 })));
			// The dust of adding binary fractions is below what cents can be.
			if (a + b < 10 ** 13) expect(parsed(a / 100 + b / 100)).toBe(parsed(sum));
		}),
	);

	holds(
		'amount: the JSON number that is sent has exactly the digits that were given',
		fc.property(
			fc.oneof(
				written.map(({ text }) => text),
				likeAnAmount,
				fc.double(),
			),
			(raw) => {
				const checked = amount({ places: 2 })(raw, {});
				if (!checked.ok) return;
				const sent = toScaled(JSON.stringify(checked.value));
				expect(sent.integer > 0n).toBe(true);
				expectSame(parsed(raw), sent);
				expect(decimalPlaces(parsed(raw))).toBeLessThanOrEqual(2);
			},
		),
	);

	holds(
		'amount: a number with more than 15 digits is not rounded, as far as a number can show them',
		fc.property(
			fc.bigInt({ min: 10n ** 15n, max: 10n ** 17n - 1n }),
			fc.integer({ min: 1, max: 12 }),
			(integer, places) => {
				const written = toText({ integer, places });
				const decimal = parseDecimal(Number(written), 8);
				if (!decimal.ok) return;
				// Two written numbers that are one in binary cannot be told apart.
				const off = Math.abs(Number(decimal.text) - Number(written));
				if (off === 0) return;
				expect(off).toBeLessThanOrEqual(Math.max(5e-16 * Number(written), 1e-11));
				const free = 15 - decimal.text.replace('.', '').replace(/^0+/, '').length;
				expect(free).toBeGreaterThanOrEqual(2);
			},
		),
	);

	holds(
		'amount: a number that JSON would change is not sent',
		fc.property(scaled(), (value) => {
			const text = parsed(toText(value));
			const number = exactNumber(text);
			if (number === undefined) return;
			expectSame(text, toScaled(JSON.stringify(number)));
		}),
	);

	holds(
		'amount: crypto text is positive, has at most 8 decimals and its own value',
		fc.property(
			fc.oneof(
				written.map(({ text }) => text),
				likeAnAmount,
				fc.double(),
			),
			(raw) => {
				const checked = decimalText(8)(raw, {});
				if (!checked.ok) return;
				// Section 4.10.
				expect(checked.value).toMatch(/^[0-9]+(\.[0-9]{1,8})?$/);
				expectSame(parsed(raw), toScaled(checked.value as string));
				expect(toScaled(checked.value as string).integer > 0n).toBe(true);
			},
		),
	);
});

describe('sums', () => {
	const texts = fc.array(scaled(), { maxLength: 40 });

	holds(
		'sum: is exact, in canonical form',
		fc.property(texts, (values) => {
			const places = Math.max(0, ...values.map((value) => value.places));
			const integer = values.reduce(
				(sum, value) => sum + value.integer * 10n ** BigInt(places - value.places),
				0n,
			);
			const sum = addDecimals(values.map((value) => parsed(toText(value))));
			expect(sum).toMatch(CANONICAL);
			expectSame(sum, { integer, places });
		}),
	);

	holds(
		'sum: does not depend on order or grouping',
		fc.property(texts, fc.nat(), (values, cut) => {
			const decimals = values.map((value) => parsed(toText(value)));
			const at = cut % (decimals.length + 1);
			const apart = addDecimals([
				addDecimals(decimals.slice(at)),
				addDecimals(decimals.slice(0, at)),
			]);
			expect(apart).toBe(addDecimals(decimals));
		}),
	);

	holds(
		'compare: is the order of the values',
		fc.property(scaled(), scaled(), (a, b) => {
			const [left, right] = [parsed(toText(a)), parsed(toText(b))];
			const expected = difference(a, b);
			expect(compareDecimals(left, right)).toBe(expected === 0n ? 0 : expected < 0n ? -1 : 1);
			expect(compareDecimals(right, left) + compareDecimals(left, right)).toBe(0);
			expect(compareDecimals(left, left)).toBe(0);
		}),
	);
});
