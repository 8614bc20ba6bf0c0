import { LIMITS, type Cell } from '../sheet';

/** What a number format says about a number. */
export interface NumberFormat {
	/** `other` shows no number that somebody pays: a percentage, a fraction, or nothing. */
	readonly kind: 'number' | 'date' | 'other';
	/** What it shows next to the number: `Bs`, `$us`, `€`. */
	readonly currency?: string;
	/** How many digits it shows at least: 8 for `00000000`. */
	readonly zeros?: number;
	/** How many decimals it shows. Missing if it shows those that there are. */
	readonly decimals?: number;
	/** How many thousands it does not show: 2 of millions. */
	readonly thousands?: number;
}

/** The formats that have no code in the file: with decimals, of whole numbers, and of what is shown as it is. */
const BUILT_IN: ReadonlyMap<number, string> = new Map([
	...[2, 4, 39, 40].map((id) => [id, '0.00'] as const),
	...[1, 3, 37, 38].map((id) => [id, '0'] as const),
	...[0, 5, 6, 7, 8, 41, 42, 43, 44, 49].map((id) => [id, ''] as const),
	...[9, 10, 11, 12, 13, 48].map((id) => [id, '%'] as const),
]);

/** What is no digit of a pattern: the currency. */
const NO_DIGIT = /[^#0?.,%E/+]/g;

/** A pattern of digits with a fixed number of decimals, and commas behind it for the thousands that it does not show. */
const FIXED = /^[#0?,]*[#0?](?:\.(0+))?(,{0,3})$/;

/**
 * Reads a number format.
 *
 * @param id of the format: what is built in and not known is a date
 * @param code such as `"Bs" #,##0.00;[Red]-#,##0.00`; its first section is that of positive numbers
 */
export function numberFormat(id: number, code = BUILT_IN.get(id) ?? 'd'): NumberFormat {
	let signs = '';
	const named = code
		.slice(0, LIMITS.text)
		.replace(/general/i, '@')
		.replace(PESOS, '"pesos"');
	const [, section] = FIRST.exec(named) ?? [];
	const pattern = section.replace(LITERAL, (_, ...[quoted = '', currency = '', escaped = '']) => {
		signs += quoted + currency + escaped;
		return '';
	});
	const digits = pattern.replace(NO_DIGIT, '');
	if (/[dmyhs]/i.test(pattern)) return { kind: 'date' };
	const showsNumber = code === '' || /[#0?@]/.test(pattern);
	if (!showsNumber || /[%E/]|,\./.test(digits)) return { kind: 'other' };
	signs += (pattern.match(NO_DIGIT) ?? []).join('');
	const fixed = FIXED.exec(digits);
	return {
		kind: 'number',
		currency: signs.replace(/[\s()@-]/g, '') || undefined,
		zeros: /^0{2,}$/.test(digits) ? digits.length : undefined,
		decimals: fixed ? (fixed[1] ?? '').length : undefined,
		thousands: fixed?.[2].length,
	};
}

/** The section of positive numbers, which may stand behind that of zero. */
const FIRST = /^(?:\[=0\](?:"[^"]*"|\\.|[^;"\\])*;)?((?:"[^"]*"|\\.|[^;"\\])*)/;

/** What is shown as it is: quoted text, a currency in brackets, a single character. Or a color, a condition, a blank. */
const LITERAL = /"([^"]*)"|\[(?:\$([^\]-]{0,20}))?[^\]]{0,80}\]|\\(.)|[_*].|\s/gi;

/** The sign of a dollar or peso that is not that of the United States. */
const PESOS = /\[\$\$-(?!(?:0*409|en-US)\])[^\]]{1,80}\]/gi;

const DAY_MS = 86_400_000;

/** Half a cent: a smaller difference is no other amount of money. */
const SMALLEST = 0.005;

/** Excel keeps 15 digits. */
export const EXACT = 15;

/** The cell that shows a number with a format. One that does not show its thousands is paid as it holds them. */
export function numberCell(
	value: number,
	{ kind, zeros = 0, decimals, currency, thousands = 0 }: NumberFormat = { kind: 'number' },
): Cell {
	if (kind === 'date') return { text: dateText(value), kind: 'other' };
	if (kind === 'other' || !Number.isFinite(value))
		return { text: plainNumber(value), kind: 'other' };
	const part = value / 1000 ** thousands;
	const number = Number(
		decimals === undefined ? part.toPrecision(EXACT) : part.toFixed(Math.min(decimals, 20)),
	);
	const hasZeros = zeros > 0 && Number.isInteger(value) && value >= 0 && value < 10 ** EXACT;
	return {
		text: hasZeros ? String(value).padStart(zeros, '0') : plainNumber(number),
		kind: zeros > 0 ? 'text' : 'number',
		number: thousands > 0 ? value : number,
		exact: Math.abs(number - value) >= SMALLEST ? value : undefined,
		currency,
	};
}

/** A number with at most 15 digits. One with more has an exponent, as Excel shows it: its digits are lost. */
const plainNumber = (value: number): string =>
	Math.abs(value) < 10 ** EXACT ? String(Number(value.toPrecision(EXACT))) : value.toExponential();

/** A day. Excel counts days from 1900. */
function dateText(serial: number): string {
	const date = new Date(Date.UTC(1899, 11, 30) + Math.round(serial * DAY_MS));
	return Number.isNaN(date.getTime()) ? String(serial) : date.toISOString().slice(0, 10);
}
