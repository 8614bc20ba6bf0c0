import { withoutTrailing } from '../../service/outsideText';
import { LIMITS, type Cell } from '../sheet';

/** What a number format says about a number. */
export interface NumberFormat {
	readonly kind: 'number' | 'date' | 'percent';
	/** What it shows next to the number: `Bs`, `$us`, `€`. */
	readonly currency?: string;
	/** How many digits it shows at least: 8 for `00000000`. */
	readonly zeros?: number;
	/** How many decimals it shows. Missing if it shows those that there are. */
	readonly decimals?: number;
	/** What it divides the number by before it shows it: 1,000 for `#,##0,`. */
	readonly divisor?: number;
}

/** The formats that have no code in the file: dates, of which only that matters, and numbers. */
const DATES = [
	[14, 22],
	[27, 36],
	[45, 47],
	[50, 58],
];
const NUMBERS = new Map([
	...[1, 3, 37, 38].map((id) => [id, '0'] as const),
	...[2, 4, 39, 40].map((id) => [id, '0.00'] as const),
	...[9, 10].map((id) => [id, '0%'] as const),
]);

const builtIn = (id: number): string =>
	DATES.some(([first, last]) => id >= first && id <= last) ? 'd' : (NUMBERS.get(id) ?? '');

/**
 * Reads a number format.
 *
 * @param id of the format: below 164 it may be built in
 * @param code such as `"Bs" #,##0.00;[Red]-#,##0.00`; its first section is that of positive numbers
 */
export function numberFormat(id: number, code = builtIn(id)): NumberFormat {
	const { pattern, literal } = firstSection(code.slice(0, LIMITS.text));
	if (pattern.includes('%')) return { kind: 'percent' };
	if (/[dmyhs]/i.test(pattern)) return { kind: 'date' };
	const currency =
		(literal + pattern.replace(/[#0,.?/E+-]/g, '')).replace(/[\s()-]/g, '') || undefined;
	const zeros = /^0{2,}$/.test(pattern) ? pattern.length : undefined;
	const [whole, places = ''] = pattern.replace(/[^#0.?E/]/g, '').split('.');
	// A fraction and an exponent show what a count of decimals does not say.
	const isExact = whole === '' || /[#?E/]/.test(places) || /[E/]/.test(whole);
	const decimals = isExact ? undefined : places.length;
	// Commas behind the last digit of a part divide by a thousand each.
	const parts = pattern.replace(/[^#0?.,]/g, '').split('.');
	const commas = parts.map((part) => part.length - withoutTrailing(part, ',').length);
	const divisor = 1000 ** (commas[0] + (commas[1] ?? 0));
	return { kind: 'number', currency, zeros, decimals, divisor };
}

/**
 * The section of positive numbers: its pattern of digits, and what is shown as it is, which is quoted text, a
 * currency in brackets and single characters. Colors, conditions and blanks are left out.
 */
function firstSection(code: string): { pattern: string; literal: string } {
	let pattern = '';
	let literal = '';
	for (let at = 0; at < code.length && code[at] !== ';'; at++) {
		const sign = code[at];
		if (sign === '"' || sign === '[') {
			const end = code.indexOf(sign === '"' ? '"' : ']', at + 1);
			if (end === -1) break;
			const inside = code.slice(at + 1, end);
			if (sign === '"') literal += inside;
			else if (inside.startsWith('$')) literal += inside.slice(1).split('-')[0];
			at = end;
		} else if (sign === '\\') {
			at++;
			literal += code[at] ?? '';
		} else if (sign === '_' || sign === '*') {
			at++;
		} else {
			pattern += sign;
		}
	}
	return { pattern: pattern.replace(/general|\s/gi, ''), literal };
}

const DAY_MS = 86_400_000;

/** Half a cent: a smaller difference is no other amount of money. */
const SMALLEST = 0.005;

/** Excel keeps 15 digits. */
const EXACT = 15;

/** The cell that shows a number with a format. */
export function numberCell(
	value: number,
	{ kind, zeros, decimals, divisor = 1, currency }: NumberFormat,
): Cell {
	if (!Number.isFinite(value)) return { text: String(value), kind: 'error' };
	if (kind === 'date') return { text: dateText(value), kind };
	if (kind === 'percent') return { text: `${plainNumber(value * 100)}%`, kind };
	const shown = value / divisor;
	const number = Number(
		decimals === undefined ? shown.toPrecision(EXACT) : shown.toFixed(Math.min(decimals, 20)),
	);
	const hasZeros = zeros !== undefined && Number.isInteger(value) && value >= 0;
	return {
		text:
			hasZeros && value < 10 ** EXACT ? String(value).padStart(zeros, '0') : plainNumber(number),
		kind: zeros === undefined ? 'number' : 'text',
		number,
		exact: Math.abs(number - value) >= SMALLEST ? value : undefined,
		currency,
	};
}

/** A number with at most 15 digits. One with more has an exponent, as Excel shows it: its digits are lost. */
function plainNumber(value: number): string {
	return Math.abs(value) < 10 ** EXACT
		? String(Number(value.toPrecision(EXACT)))
		: value.toExponential();
}

/** A day. Excel counts days from 1900. */
function dateText(serial: number): string {
	const date = new Date(Date.UTC(1899, 11, 30) + Math.round(serial * DAY_MS));
	return Number.isNaN(date.getTime()) ? String(serial) : date.toISOString().slice(0, 10);
}
