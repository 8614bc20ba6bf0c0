import { fail, ok, type Result } from '../service/result';
import { userMessage } from './messages';

const PLAIN = /^-?(\d+\.?|\d*\.\d+)$/;
const GROUPED_WITH_DECIMALS =
	/^-?[1-9]\d{0,2}(,\d{3})+\.\d+$|^-?[1-9]\d{0,2}([ \u00a0\u202f]\d{3})+\.\d+$/;
const DIGITS_AND_MARKS = /^-?[\d.,\s]+$/;

/** How amounts are written, where that is known of their column. */
export interface AmountFormat {
	/** The decimal separator; the other one then separates thousands. */
	decimal: ',' | '.';
	/** Whether a person chose it. Otherwise the other amounts of the column prove it. */
	isChosen: boolean;
}

/** More digits than this are not carried exactly by a JSON number or a spreadsheet cell. */
export const EXACT_DIGITS = 15;

/**
 * Reads an amount as spreadsheets and expressions really hold it.
 *
 * Accepts numbers, plain decimal text and thousands separators where the decimal point leaves no
 * doubt (`1,250.00`). Everything that two people could read as two amounts (`1.234,50`, `1,250`)
 * is refused unless the format is known: an amount is never guessed.
 *
 * @param places decimals that count: a number that differs from a decimal of so many places only by
 *   the error of binary arithmetic is read as that decimal
 * @returns canonical text: `-?digits[.digits]`, without leading or trailing zeros
 */
export function parseDecimal(raw: unknown, places = 2, format?: AmountFormat): Result<string> {
	if (typeof raw === 'number') return parseNumber(raw, places);
	if (typeof raw !== 'string') return fail(userMessage('notNumber'));

	const text = raw.trim();
	if (format) {
		const read = readAs(text, format.decimal);
		if (read !== undefined) return ok(read);
		if (DIGITS_AND_MARKS.test(text)) {
			const separator = format.decimal === ',' ? 'comma' : 'dot';
			return fail(userMessage('otherDecimalSeparator', { separator }));
		}
	}
	if (PLAIN.test(text)) return ok(canonical(text));
	if (GROUPED_WITH_DECIMALS.test(text)) {
		return ok(canonical(text.replace(/[,\s]/g, '')));
	}
	if (DIGITS_AND_MARKS.test(text)) return fail(userMessage('ambiguousNumber'));
	if (/^-?\d+(\.\d+)?e[+-]?\d+$/i.test(text)) return fail(userMessage('scientificAmount'));
	return fail(userMessage('notPlainNumber'));
}

const KNOWN = {
	'.': /^-?(?:\d+\.?|\d*\.\d+|[1-9]\d{0,2}(?:(?:,\d{3})+|(?:[ \u00a0\u202f]\d{3})+)(?:\.\d+)?)$/,
	',': /^-?(?:\d+,?|\d*,\d+|[1-9]\d{0,2}(?:(?:\.\d{3})+|(?:[ \u00a0\u202f]\d{3})+)(?:,\d+)?)$/,
};

/** A text with a known decimal separator as a canonical decimal; undefined when it is none. */
function readAs(text: string, decimal: AmountFormat['decimal']): string | undefined {
	if (!KNOWN[decimal].test(text)) return undefined;
	const plain = text.replace(decimal === ',' ? /[.\s]/g : /[,\s]/g, '').replace(',', '.');
	return canonical(plain);
}

/**
 * The format that a column of amounts proves: at least one amount can be read only in this format, and
 * none only in the other.
 *
 * @param cells as they are; a cell that is no text proves nothing
 */
export function provenFormat(cells: Iterable<unknown>): AmountFormat | undefined {
	const proven = new Set<AmountFormat['decimal']>();
	for (const cell of cells) {
		if (typeof cell !== 'string') continue;
		const text = cell.trim();
		const [point, comma] = [readAs(text, '.'), readAs(text, ',')];
		if (point !== undefined && comma === undefined) proven.add('.');
		if (comma !== undefined && point === undefined) proven.add(',');
	}
	const [decimal] = proven;
	return proven.size === 1 ? { decimal, isChosen: false } : undefined;
}

/** Digits after the decimal point of a canonical decimal. */
export function decimalPlaces(text: string): number {
	const point = text.indexOf('.');
	return point === -1 ? 0 : text.length - point - 1;
}

/**
 * The JSON number for a canonical decimal, or undefined when a JSON number cannot carry all of its
 * digits (binary floating point is exact to 15 significant digits only).
 */
export function exactNumber(text: string): number | undefined {
	return significantDigits(text) > EXACT_DIGITS ? undefined : Number(text);
}

function significantDigits(text: string): number {
	return text.replace(/[-.]/g, '').replace(/^0+/, '').length;
}

/** Sum of canonical decimals, as a canonical decimal: no floating point is involved. */
export function addDecimals(texts: Iterable<string>): string {
	let sum = 0n;
	let places = 0;
	for (const text of texts) {
		const own = decimalPlaces(text);
		if (own > places) {
			sum *= 10n ** BigInt(own - places);
			places = own;
		}
		sum += BigInt(text.replace('.', '')) * 10n ** BigInt(places - own);
	}
	const sign = sum < 0n ? '-' : '';
	const digits = (sum < 0n ? -sum : sum).toString().padStart(places + 1, '0');
	const point = digits.length - places;
	return canonical(`${sign}${digits.slice(0, point)}${places ? `.${digits.slice(point)}` : ''}`);
}

/** -1, 0 or 1 as the canonical decimal `a` is below, equal to or above `b`. */
export function compareDecimals(a: string, b: string): number {
	const difference = addDecimals([a, negate(b)]);
	if (difference === '0') return 0;
	return difference.startsWith('-') ? -1 : 1;
}

function negate(text: string): string {
	if (text === '0') return text;
	return text.startsWith('-') ? text.slice(1) : `-${text}`;
}

function parseNumber(value: number, places: number): Result<string> {
	if (!Number.isFinite(value)) return fail(userMessage('notNumber'));
	if (Math.abs(value) >= 10 ** EXACT_DIGITS) return fail(userMessage('tooLargeNumber'));
	const text = canonical(expandExponent(value.toPrecision(EXACT_DIGITS)));
	return Number(text) === value || isDust(value, text, places)
		? ok(text)
		: fail(userMessage('lostDigits'));
}

/**
 * Whether a number differs from `text` only by the error of binary arithmetic: 0.1 + 0.2 is 0.3. Such an
 * error is a unit or two in the last binary place, or much less than the field can hold, and comes after
 * zeros. So a number that somebody wrote with more digits is not taken for one.
 */
function isDust(value: number, text: string, places: number): boolean {
	const difference = Math.abs(value - Number(text));
	const lastPlaces = 2 * Number.EPSILON * Math.abs(value);
	const isTiny = difference <= Math.max(lastPlaces, 10 ** -(places + 3));
	return isTiny && significantDigits(text) <= EXACT_DIGITS - 2;
}

function expandExponent(text: string): string {
	const match = /^(-?)(\d+)(?:\.(\d+))?e([+-]\d+)$/.exec(text);
	if (!match) return text;
	const [, sign, whole, fraction = '', exponent] = match;
	const shift = Number(exponent);
	const digits = whole + fraction;
	const point = whole.length + shift;
	if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
	if (point >= digits.length) return `${sign}${digits}${'0'.repeat(point - digits.length)}`;
	return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}

function canonical(text: string): string {
	const negative = text.startsWith('-');
	const [whole, fraction = ''] = (negative ? text.slice(1) : text).split('.');
	const cleanWhole = whole.replace(/^0+(?=\d)/, '') || '0';
	const cleanFraction = fraction.replace(/0+$/, '');
	const unsigned = cleanFraction ? `${cleanWhole}.${cleanFraction}` : cleanWhole;
	return negative && unsigned !== '0' ? `-${unsigned}` : unsigned;
}
