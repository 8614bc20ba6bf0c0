import { normalizeText } from '../fields/text';

/** The longest text of a report, in characters. */
export const MAX_SHOWN = 600;

/** A text from outside as a report shows it: one line, cut, without invisible characters. */
export function shownText(text: string, max = MAX_SHOWN): string {
	const characters = [...normalizeText(text.slice(0, 2 * max))];
	return characters.length > max || text.length > 2 * max
		? `${characters.slice(0, max - 1).join('')}…`
		: characters.join('');
}

/** A value from outside as text; empty if it is neither a text nor a number. */
export function shownValue(value: unknown, max?: number): string {
	return typeof value === 'string' || Number.isFinite(value) ? shownText(String(value), max) : '';
}
