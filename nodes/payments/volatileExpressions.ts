import type { IExecuteFunctions } from 'n8n-workflow';

import type { UserMessage } from '../service/messages';
import { userMessage } from './messages';

/** What n8n gives a new value for each execution, or each time it is evaluated. */
const VOLATILE = [
	[/\$execution(?:Id)?\b|\$resumeWebhookUrl\b/, 'volatileExecution'],
	[
		/\bMath\s*\.\s*random\b|\brandom(UUID|Bytes|Int)\b|\bgetRandomValues\b|\.randomItem\s*\(/,
		'volatileRandomness',
	],
] as const;

/** The ways in which an expression asks for the time. */
const CLOCK =
	/\$now\b|\$today\b|\bDateTime\s*\.\s*(?:now|local|utc)\s*\(\s*(?:\{[^}]*\}\s*)?\)|\bnew\s+Date\s*(?:\(\s*\))?(?!\s*\()|\bDate\s*(?:\.\s*now\s*)?\(\s*\)/g;

/**
 * Says why an expression does not give the same reference or Batch ID whenever the payment is the
 * same. A payment is recognised by it, so one that changes from try to try would be paid again.
 *
 * @param raw the parameter as it is in the workflow, with its expressions
 */
export function volatility(
	context: IExecuteFunctions,
	raw: unknown,
	itemIndex: number,
): UserMessage | undefined {
	const code = codesOf(raw).join('\n');
	const found = VOLATILE.find(([pattern]) => pattern.test(code));
	if (found) return userMessage(found[1]);
	const times = valuesAtOtherTimes(context, raw, itemIndex);
	return times && times.morning !== times.evening ? userMessage('volatileTime') : undefined;
}

/** Whether an expression gives something else tomorrow. */
export function changesDaily(context: IExecuteFunctions, raw: unknown, itemIndex: number): boolean {
	const times = valuesAtOtherTimes(context, raw, itemIndex);
	return times !== undefined && times.tomorrow !== times.morning;
}

/** What an expression that asks for the time gives at other times; undefined when it does not ask. */
function valuesAtOtherTimes(
	context: IExecuteFunctions,
	raw: unknown,
	itemIndex: number,
): { morning: string; evening: string; tomorrow: string } | undefined {
	if (typeof raw !== 'string' || !codesOf(raw).some((code) => code.search(CLOCK) !== -1)) {
		return undefined;
	}
	const at = (moment: string): string => {
		const moved = raw
			.slice(1)
			.replace(CODE, (part) => part.replace(CLOCK, (clock) => timeAt(moment, clock)));
		return JSON.stringify(context.evaluateExpression(moved, itemIndex)) ?? '';
	};
	try {
		return {
			morning: at('startOf("day")'),
			evening: at('endOf("day")'),
			tomorrow: at('plus({ days: 1 }).startOf("day")'),
		};
	} catch {
		// It cannot be evaluated for another time, so nothing shows that it gives the same all day.
		return { morning: 'morning', evening: 'evening', tomorrow: 'tomorrow' };
	}
}

/** The code for another time of today, in place of one for the time of now. */
function timeAt(moment: string, clock: string): string {
	const time = `$now.${moment}`;
	if (clock.startsWith('$today')) return `${time}.startOf("day")`;
	if (clock.startsWith('new')) return `${time}.toJSDate()`;
	return clock.startsWith('Date') && !clock.startsWith('DateTime') ? `${time}.toMillis()` : time;
}

const CODE = /\{\{([^]*?)\}\}/g;

/** The codes inside `{{ }}` of a parameter; none where it is no expression. */
function codesOf(raw: unknown): string[] {
	if (typeof raw !== 'string' || !raw.startsWith('=')) return [];
	return [...raw.matchAll(CODE)].map(([, code]) => code);
}

/** Whether a parameter is put together of parts, and is not one expression alone. */
export function isConcatenation(raw: unknown): boolean {
	const codes = codesOf(raw);
	return codes.length > 1 || (codes.length === 1 && String(raw) !== `={{${codes[0]}}}`);
}

/**
 * Why a text that is put together of parts (`payroll-{{ $json.month }}`) does not say what it should
 * for an item: a part is empty, or is an object.
 */
export function validateParts(
	context: IExecuteFunctions,
	raw: unknown,
	itemIndex: number,
): UserMessage | undefined {
	for (const code of codesOf(raw)) {
		const value: unknown = context.evaluateExpression(`{{${code}}}`, itemIndex);
		if (value === undefined || value === null || value === '') {
			return userMessage('partEmpty', { part: `{{${code}}}` });
		}
		// A date in an expression is a Luxon object, which has a text of its own.
		if (typeof value === 'object' && value !== null && !('toISO' in value)) {
			const kind = Array.isArray(value) ? 'a list' : 'an object';
			return userMessage('partNotText', { part: `{{${code}}}`, kind });
		}
	}
	return undefined;
}
