import type { IExecuteFunctions } from 'n8n-workflow';

import { type EditorMessage, userMessage } from '../messages/userMessage';

/** Expressions with a new value in each execution, or at each evaluation. */
const VOLATILE = [
	/\$execution(?:Id)?\b|\$resumeWebhookUrl\b|\$runIndex\b|\bcurrentRunIndex\b/,
	/\bMath\s*\.\s*random\b|\brandom(UUID|Bytes|Int)\b|\bgetRandomValues\b|\.randomItem\s*\(/,
];

/** How an expression reads the time. */
const CLOCK =
	/\$now\b|\$today\b|\bDateTime\s*\.\s*(?:now|local|utc)\s*\(\s*(?:\{[^{}]*\}\s*)?\)|\bnew\s+Date(?!\s*\(\s*[^\s)])(?:\s*\(\s*\))?|\bDate\s*(?:\.\s*now\s*)?\(\s*\)/g;

/**
 * Why an expression is volatile; undefined if it is not. A reference or Batch ID that changes between attempts would pay
 * the same payment again. A date or month is not volatile: it is the same at the start and at the end of today.
 *
 * @param raw the parameter as it is in the workflow, with its expressions
 */
export function volatility(
	context: IExecuteFunctions,
	raw: unknown,
	itemIndex: number,
): EditorMessage | undefined {
	const codes = codesOf(raw);
	if (VOLATILE.some((pattern) => pattern.test(codes.join('\n')))) return userMessage('volatile');
	if (typeof raw !== 'string' || codes.every((code) => code.search(CLOCK) === -1)) return undefined;
	const at = (moment: string) => {
		const code = partsOf(raw).map(({ isCode, text }) =>
			isCode ? text.replace(CLOCK, (clock) => timeAt(moment, clock)) : text,
		);
		return JSON.stringify(context.evaluateExpression(code.join(''), itemIndex));
	};
	try {
		return at('startOf("day")') === at('endOf("day")') ? undefined : userMessage('volatile');
	} catch {
		// Nothing proves that it stays the same.
		return userMessage('volatile');
	}
}

/** The code with another time of today in place of the present time. */
function timeAt(moment: string, clock: string): string {
	const time = `$now.${moment}`;
	if (clock.startsWith('$today')) return `${time}.startOf("day")`;
	if (clock.startsWith('new')) return `${time}.toJSDate()`;
	return clock.startsWith('Date') && !clock.startsWith('DateTime') ? `${time}.toMillis()` : time;
}

/** The parts of an expression, without its `=`: text, and code with its `{{ }}`. */
function partsOf(raw: string): Array<{ isCode: boolean; text: string }> {
	const parts: Array<{ isCode: boolean; text: string }> = [];
	let position = 1;
	while (position < raw.length) {
		const start = raw.indexOf('{{', position);
		const end = start === -1 ? -1 : raw.indexOf('}}', start + 2);
		if (end === -1) break;
		parts.push({ isCode: false, text: raw.slice(position, start) });
		parts.push({ isCode: true, text: raw.slice(start, end + 2) });
		position = end + 2;
	}
	return [...parts, { isCode: false, text: raw.slice(position) }];
}

/** The code inside each `{{ }}` of a parameter; empty if it is not an expression. */
function codesOf(raw: unknown): string[] {
	if (typeof raw !== 'string' || !raw.startsWith('=')) return [];
	return partsOf(raw).flatMap(({ isCode, text }) => (isCode ? [text.slice(2, -2)] : []));
}

/** Whether a parameter consists of several parts, not of one expression. */
export function isConcatenation(raw: unknown): boolean {
	const codes = codesOf(raw);
	return codes.length > 1 || (codes.length === 1 && String(raw) !== `={{${codes[0]}}}`);
}

/**
 * Why a text of several parts (`payroll-{{ $json.month }}`) is incomplete for an item: a part is empty, or an
 * object.
 */
export function validateParts(
	context: IExecuteFunctions,
	raw: unknown,
	itemIndex: number,
): EditorMessage | undefined {
	for (const code of codesOf(raw)) {
		const value: unknown = context.evaluateExpression(`{{${code}}}`, itemIndex);
		if (value === undefined || value === null || value === '') {
			return userMessage('partEmpty', { part: `{{${code}}}` });
		}
		// A date in an expression is a Luxon object, which prints as text.
		if (typeof value === 'object' && value !== null && !('toISO' in value)) {
			const kind = Array.isArray(value) ? 'a list' : 'an object';
			return userMessage('partNotText', { part: `{{${code}}}`, kind });
		}
	}
	return undefined;
}
