import { fail, type Language, ok, phrase, type Result, userMessage } from '../messages/userMessage';
import { matches, MAX_EXAMINED, withoutTrailing } from '../service/outsideText';

const PLAIN = /^-?(\d+\.?|\d*\.\d+)$/;
const GROUPED_WITH_DECIMALS =
	/^-?[1-9]\d{0,2}(,\d{3})+\.\d+$|^-?[1-9]\d{0,2}([ \u00a0\u202f]\d{3})+\.\d+$/;
const DIGITS_AND_MARKS = /^-?[\d.,\s]+$/;

/** How the amounts of a column are written. */
export interface AmountFormat {
	/** The decimal separator; the other one then separates thousands. */
	decimal: ',' | '.';
	/** Whether the user chose it. Otherwise the amounts of the column prove it. */
	isChosen: boolean;
}

/** The most digits that a JSON number and a spreadsheet cell hold exactly. */
export const EXACT_DIGITS = 15;

/**
 * Parses an amount from a spreadsheet or an expression: a number, plain decimal text, or text with
 * thousands separators and a decimal dot (`1,250.00`). Text that could be two amounts (`1.234,50`, `1,250`)
 * is rejected unless the format is known.
 *
 * @param places decimals that the field can have: a binary rounding error far below them is ignored
 * @returns canonical text: `-?digits[.digits]`, without leading or trailing zeros
 */
export function parseDecimal(raw: unknown, places = 2, format?: AmountFormat): Result<string> {
	if (typeof raw === 'number') return parseNumber(raw, places);
	if (typeof raw !== 'string') return fail(userMessage('notNumber'));

	const text = raw.trim();
	if (text.length > MAX_EXAMINED) return fail(userMessage('notNumber'));
	if (format) {
		const decimal = parseWith(format.decimal, text);
		if (decimal !== undefined) return ok(decimal);
		if (DIGITS_AND_MARKS.test(text)) {
			return fail(
				userMessage('otherDecimalSeparator', { separator: SEPARATOR_WORDS[format.decimal] }),
			);
		}
	}
	if (PLAIN.test(text)) return ok(canonical(text));
	if (GROUPED_WITH_DECIMALS.test(text)) {
		return ok(canonical(text.replace(/[,\s]/g, '')));
	}
	if (DIGITS_AND_MARKS.test(text)) return fail(userMessage('ambiguousAmount'));
	if (/^-?\d+(\.\d+)?e[+-]?\d+$/i.test(text)) return fail(userMessage('lostDigits'));
	return fail(userMessage('notNumber'));
}

const SEPARATOR_WORDS = { '.': phrase('dot'), ',': phrase('comma') };

/** An amount with this decimal separator. */
const WITH_SEPARATOR = {
	'.': /^-?(?:\d+\.?|\d*\.\d+|[1-9]\d{0,2}(?:(?:,\d{3})+|(?:[ \u00a0\u202f]\d{3})+)(?:\.\d+)?)$/,
	',': /^-?(?:\d+,?|\d*,\d+|[1-9]\d{0,2}(?:(?:\.\d{3})+|(?:[ \u00a0\u202f]\d{3})+)(?:,\d+)?)$/,
};

/** Parses text with a known decimal separator; undefined if it is not such an amount. */
function parseWith(decimal: AmountFormat['decimal'], text: string): string | undefined {
	if (!matches(WITH_SEPARATOR[decimal], text)) return undefined;
	return canonical(text.replace(decimal === ',' ? /[.\s]/g : /[,\s]/g, '').replace(',', '.'));
}

/**
 * The format that the cells of a column prove: at least one of them can be parsed only with this decimal
 * separator, and none only with the other. Cells that are not text prove nothing.
 */
export function provenFormat(cells: Iterable<unknown>): AmountFormat | undefined {
	const proven = new Set<AmountFormat['decimal']>();
	for (const cell of cells) {
		if (typeof cell !== 'string') continue;
		const text = cell.trim();
		const [dot, comma] = [parseWith('.', text), parseWith(',', text)];
		if (dot !== undefined && comma === undefined) proven.add('.');
		if (comma !== undefined && dot === undefined) proven.add(',');
	}
	const [decimal] = proven;
	return proven.size === 1 ? { decimal, isChosen: false } : undefined;
}

/** The number of decimals of a canonical decimal. */
export function decimalPlaces(text: string): number {
	const dot = text.indexOf('.');
	return dot === -1 ? 0 : text.length - dot - 1;
}

/** A canonical decimal with at least two decimals: `900` as `900.00`. */
export function withCents(text: string): string {
	const [whole, decimals = ''] = text.split('.');
	return `${whole}.${decimals.padEnd(2, '0')}`;
}

/** An amount as people write it: `12,345.60`, or `12.345,60` in Spanish. Anything but a decimal stays as it is. */
export function moneyText(amount: string, language: Language): string {
	const [, sign, whole, decimals = ''] = /^(-?)(\d{1,40})(?:\.(\d{1,20}))?$/.exec(amount) ?? [];
	if (whole === undefined) return amount;
	const [point, comma] = language === 'es' ? [',', '.'] : ['.', ','];
	const groups = BigInt(whole).toLocaleString('en-US').replaceAll(',', comma);
	return `${sign}${groups}${point}${decimals.padEnd(2, '0')}`;
}

/** The JSON number for a canonical decimal; undefined if it has more than 15 significant digits. */
export function exactNumber(text: string): number | undefined {
	return significantDigits(text) > EXACT_DIGITS ? undefined : Number(text);
}

function significantDigits(text: string): number {
	return text.replace(/[-.]/g, '').replace(/^0+/, '').length;
}

/** The exact sum of canonical decimals, as a canonical decimal. */
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
	return fromUnits(sum, places);
}

/** The canonical decimal of so many units of the last decimal place. */
function fromUnits(units: bigint, places: number): string {
	const sign = units < 0n ? '-' : '';
	const digits = (units < 0n ? -units : units).toString().padStart(places + 1, '0');
	const dot = digits.length - places;
	return canonical(`${sign}${digits.slice(0, dot)}${places ? `.${digits.slice(dot)}` : ''}`);
}

/** The quotient of two positive canonical decimals, rounded up to so many decimals. */
export function divideDecimals(a: string, b: string, places: number): string {
	const shift = (text: string, by: number) => BigInt(text.replace('.', '')) * 10n ** BigInt(by);
	const divisor = shift(b, decimalPlaces(a));
	const dividend = shift(a, decimalPlaces(b) + places);
	return fromUnits((dividend + divisor - 1n) / divisor, places);
}

/** -1, 0 or 1 if the canonical decimal `a` is less than, equal to or greater than `b`. */
export function compareDecimals(a: string, b: string): number {
	const difference = addDecimals([a, negate(b)]);
	if (difference === '0') return 0;
	return difference.startsWith('-') ? -1 : 1;
}

function negate(text: string): string {
	return text.startsWith('-') ? text.slice(1) : `-${text}`;
}

function parseNumber(value: number, places: number): Result<string> {
	if (!Number.isFinite(value)) return fail(userMessage('notNumber'));
	if (Math.abs(value) >= 10 ** EXACT_DIGITS) return fail(userMessage('lostDigits'));
	const text = canonical(expandExponent(value.toPrecision(EXACT_DIGITS)));
	return Number(text) === value || isRoundingError(value, text, places)
		? ok(text)
		: fail(userMessage('lostDigits'));
}

/**
 * Whether a number differs from `text` only by a binary rounding error, as 0.1 + 0.2 from 0.3. The error is
 * at most two units in the last binary place, or a thousandth of the field's last decimal, and comes after
 * zeros. So a number that was written with more digits does not count.
 */
function isRoundingError(value: number, text: string, places: number): boolean {
	const difference = Math.abs(value - Number(text));
	const lastPlaces = 2 * Number.EPSILON * Math.abs(value);
	const isTiny = difference <= Math.max(lastPlaces, 10 ** -(places + 3));
	return isTiny && significantDigits(text) <= EXACT_DIGITS - 2;
}

/** Writes a number below 0.000001 without its exponent. The only other one with an exponent, 1e15, has lost digits. */
function expandExponent(text: string): string {
	const match = /^(-?)(\d)\.(\d+)e-(\d+)$/.exec(text);
	if (!match) return text;
	const [, sign, whole, fraction, exponent] = match;
	return `${sign}0.${'0'.repeat(Number(exponent) - 1)}${whole}${fraction}`;
}

function canonical(text: string): string {
	const negative = text.startsWith('-');
	const [whole, fraction = ''] = (negative ? text.slice(1) : text).split('.');
	const cleanWhole = whole.replace(/^0+(?=\d)/, '') || '0';
	const cleanFraction = withoutTrailing(fraction, '0');
	const unsigned = cleanFraction ? `${cleanWhole}.${cleanFraction}` : cleanWhole;
	return negative && unsigned !== '0' ? `-${unsigned}` : unsigned;
}
