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
		const code = partsOf(raw).map((part, index) =>
			isCode(part, index) ? part.replace(CLOCK, (clock) => timeAt(moment, clock)) : part,
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

/** The parts of an expression, without its `=`: text and code by turns, the code with its `{{ }}`. */
function partsOf(raw: string): string[] {
	const parts: string[] = [];
	for (let from = 1; ;) {
		const start = raw.indexOf('{{', from);
		const end = start === -1 ? -1 : raw.indexOf('}}', start + 2);
		if (end === -1) return [...parts, raw.slice(from)];
		parts.push(raw.slice(from, start), raw.slice(start, end + 2));
		from = end + 2;
	}
}

const isCode = (_: string, index: number): boolean => index % 2 === 1;

/** The code inside each `{{ }}` of a parameter; empty if it is not an expression. */
function codesOf(raw: unknown): string[] {
	if (typeof raw !== 'string' || !raw.startsWith('=')) return [];
	return partsOf(raw)
		.filter(isCode)
		.map((part) => part.slice(2, -2));
}

/**
 * Why a text of several parts (`payroll-{{ $json.month }}`) is incomplete for an item: a part is empty, or an
 * object. What is one expression has no parts.
 */
export function validateParts(
	context: IExecuteFunctions,
	raw: unknown,
	itemIndex: number,
): EditorMessage | undefined {
	const codes = codesOf(raw);
	if (raw === `={{${codes[0]}}}`) return undefined;
	for (const code of codes) {
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
