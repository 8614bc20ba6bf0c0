import * as fc from 'fast-check';

import { positiveAmount, decimalText } from '../../nodes/fields/validators';
import {
	addDecimals,
	compareDecimals,
	decimalPlaces,
	parseDecimal,
	provenFormat,
} from '../../nodes/fields/money';
import { holds } from './holds';

/** A decimal as an integer and a number of places: an independent check without text. */
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

/** Reads plain decimal text, and the JSON text of a number. */
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
	if (!decimal.ok) throw new Error(`${String(raw)} ${decimal.error.message}`);
	return decimal.value;
};

const CANONICAL = /^(0|-?[1-9]\d*|-?(0|[1-9]\d*)\.\d*[1-9])$/;

const zeros = fc.integer({ min: 0, max: 4 }).map((count) => '0'.repeat(count));
const space = fc.constantFrom('', ' ', '\t', '\u00a0', '\n');

/** A decimal in one of several spellings of the same value. */
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

/** Digits and separators, as people and programs write amounts. */
const likeAnAmount = fc.oneof(
	fc.string({ unit: fc.constantFrom(...'0123456789.,-  \u00a0e+'), maxLength: 14 }),
	fc.stringMatching(/^-?\d{1,3}([., ]\d{3}){0,3}([.,]\d{1,4})?$/),
	fc.string(),
);

/** Amounts in whole cents, up to fifteen digits. */
const cents = fc.integer({ min: 0, max: 10 ** 13 });

describe('amounts', () => {
	holds(
		'amount: keeps the value of text to the last digit, in canonical form',
		fc.property(written, ({ value, text }) => {
			const canonical = parsed(text);
			expect(canonical).toMatch(CANONICAL);
			expectSame(canonical, value);
		}),
	);

	holds(
		'amount: never invents, drops or moves a digit, whatever the text',
		fc.property(likeAnAmount, (text) => {
			const decimal = parseDecimal(text);
			if (!decimal.ok) return;
			const plain = text.replace(/[\s,]/g, '').replace(/\.$/, '');
			expectSame(decimal.value, toScaled(plain));
		}),
	);

	holds(
		'amount: rejects text that can be read as two amounts',
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
				const checked = positiveAmount({ places: 2 })(text, {});
				expect({ text, ok: checked.ok }).toEqual({ text, ok: false });
				// Crypto amounts have more than two decimals: for them one dot is not ambiguous.
				if (!isOneDot || isGroupedByComma) expect(parseDecimal(text).ok).toBe(false);
			},
		),
	);

	holds(
		'amount: reads cents in the same way as a number, as text and after binary arithmetic',
		fc.property(cents, cents, (a, b) => {
			const sum = toText({ integer: BigInt(a) + BigInt(b), places: 2 });
			expectSame(parsed(a / 100), { integer: BigInt(a), places: 2 });
			expect(parsed(a / 100)).toBe(parsed(toText({ integer: BigInt(a), places: 2 })));
			// The error of adding binary fractions is smaller than a cent.
			if (a + b < 10 ** 13) expect(parsed(a / 100 + b / 100)).toBe(parsed(sum));
		}),
	);

	holds(
		'amount: sends a JSON number with exactly the digits that were given',
		fc.property(
			fc.oneof(
				written.map(({ text }) => text),
				likeAnAmount,
				fc.double(),
			),
			(raw) => {
				const checked = positiveAmount({ places: 2 })(raw, {});
				if (!checked.ok) return;
				const sent = toScaled(JSON.stringify(checked.value));
				expect(sent.integer > 0n).toBe(true);
				expectSame(parsed(raw), sent);
				expect(decimalPlaces(parsed(raw))).toBeLessThanOrEqual(2);
			},
		),
	);

	holds(
		'amount: never rounds a number with more than 15 digits, as far as a number can show them',
		fc.property(
			fc.bigInt({ min: 10n ** 15n, max: 10n ** 17n - 1n }),
			fc.integer({ min: 1, max: 12 }),
			(integer, places) => {
				const written = toText({ integer, places });
				const decimal = parseDecimal(Number(written), 8);
				if (!decimal.ok) return;
				// Two spellings of the same binary number cannot be distinguished.
				const off = Math.abs(Number(decimal.value) - Number(written));
				if (off === 0) return;
				expect(off).toBeLessThanOrEqual(Math.max(5e-16 * Number(written), 1e-11));
				const free = 15 - decimal.value.replace('.', '').replace(/^0+/, '').length;
				expect(free).toBeGreaterThanOrEqual(2);
			},
		),
	);

	holds(
		'amount: sends crypto text that is positive, exact and has at most 8 decimals',
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
		'sum: adds exactly, in canonical form',
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
		'compare: orders decimals by their values',
		fc.property(scaled(), scaled(), (a, b) => {
			const [left, right] = [parsed(toText(a)), parsed(toText(b))];
			const expected = difference(a, b);
			expect(compareDecimals(left, right)).toBe(expected === 0n ? 0 : expected < 0n ? -1 : 1);
			expect(compareDecimals(right, left) + compareDecimals(left, right)).toBe(0);
			expect(compareDecimals(left, left)).toBe(0);
		}),
	);
});

/** An amount of cents as people write it with `decimal` as the decimal separator. */
const writtenWith = (decimal: ',' | '.'): fc.Arbitrary<{ cents: number; text: string }> =>
	fc
		.record({
			cents: fc.integer({ min: 1, max: 10 ** 11 }),
			thousands: fc.constantFrom('', decimal === ',' ? '.' : ',', ' ', '\u00a0'),
			isShort: fc.boolean(),
		})
		.map(({ cents: value, thousands, isShort }) => {
			const whole = String(Math.floor(value / 100)).replace(/\B(?=(\d{3})+$)/g, thousands);
			const fraction = String(value % 100).padStart(2, '0');
			const decimals = isShort ? fraction.replace(/0+$/, '') : fraction;
			return { cents: value, text: decimals === '' ? whole : `${whole}${decimal}${decimals}` };
		});

/** The amounts of a column of text: cents, or undefined if one is rejected. */
const readColumn = (texts: string[]): Array<number | undefined> => {
	const format = provenFormat(texts);
	const rule = positiveAmount({ places: 2 });
	return texts.map((text) => {
		const checked = rule(text, {}, format);
		return checked.ok ? Math.round(Number(checked.value) * 100) : undefined;
	});
};

/** The possible amounts of a text, by its digits and separators alone. */
const readings = (text: string): Set<number> => {
	const found = new Set<number>();
	for (const decimal of [',', '.']) {
		const [whole, fraction = '', ...more] = text.replace(/^-/, '').split(decimal);
		// Thousands are separated by a mark or by blanks, not by both.
		const groups = whole.split(/\s/.test(whole) ? /\s/ : decimal === ',' ? '.' : ',');
		const isGrouped = groups.slice(1).every((group) => /^\d{3}$/.test(group));
		const isLed = groups.length === 1 || /^[1-9]\d{0,2}$/.test(groups[0]);
		if (more.length || !isGrouped || !isLed || !/^\d*$/.test(groups[0] + fraction)) continue;
		found.add(Math.round(Number(`${groups.join('') || '0'}.${fraction || '0'}`) * 1000));
	}
	return found;
};

describe('columns of amounts', () => {
	for (const decimal of [',', '.'] as const) {
		holds(
			`amounts: reads a column with one clear decimal ${decimal} to the cent`,
			fc.property(fc.array(writtenWith(decimal), { maxLength: 8 }), (some) => {
				const column = [...some, { cents: 105, text: `1${decimal}05` }];
				expect(readColumn(column.map(({ text }) => text))).toEqual(column.map((one) => one.cents));
			}),
		);
	}

	holds(
		'amounts: rejects ambiguous amounts in a column that contradicts itself',
		fc.property(fc.array(fc.oneof(writtenWith(','), writtenWith('.'))), (some) => {
			const texts = [...some.map(({ text }) => text), '1,05', '1.05'];
			for (const [index, value] of readColumn(texts).entries()) {
				if (value === undefined) continue;
				expect(texts[index]).not.toMatch(/,\d{1,2}$|^\d{1,3}[.,]\d{3}$/);
			}
		}),
	);

	holds(
		'amounts: reads an ambiguous amount only if others of its column prove the separator',
		fc.property(
			fc.array(
				likeAnAmount.map((text) => text.trim()),
				{ maxLength: 6 },
			),
			(texts) => {
				const sole = texts.map(readings).filter(({ size }) => size === 1);
				for (const [index, value] of readColumn(texts).entries()) {
					if (value === undefined) continue;
					const all = readings(texts[index]);
					expect([...all]).toContain(value * 10);
					if (all.size > 1) {
						expect(sole.length).toBeGreaterThan(0);
						// The thousands, never three decimals.
						expect(value * 10).toBe(Math.max(...all));
					}
				}
			},
		),
	);
});
