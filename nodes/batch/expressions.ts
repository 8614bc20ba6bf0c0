import type { IExecuteFunctions } from 'n8n-workflow';

import { userMessage as fieldMessage } from '../fields/messages';
import { rawParameter } from '../fields/parameters';
import { fail, ok, type Result, type UserMessage } from '../service/messages';
import { userMessage } from './messages';

/**
 * Reads a parameter that counts for the whole batch, and rejects an expression whose value differs between
 * items: reading it for the first item only would apply that value to all.
 *
 * @param label the parameter's label in the editor
 * @param labelOf the label of an entry, if the parameter is a collection
 */
export function readBatchParameter<T>(
	context: IExecuteFunctions,
	path: string,
	label: string,
	fallback: T,
	labelOf = (name: string) => name,
): Result<T> {
	const partsOf = (value: unknown) => asTexts(value, label, labelOf);
	const read = (itemIndex: number) => context.getNodeParameter(path, itemIndex, fallback) as T;
	try {
		const value = read(0);
		const raw = rawParameter(context, path, fallback);
		if (!hasExpression(raw)) return ok(value);

		const first = new Map(Object.entries(partsOf(value)));
		for (let itemIndex = 1; itemIndex < context.getInputData().length; itemIndex++) {
			for (const [part, text] of Object.entries(partsOf(read(itemIndex)))) {
				if (first.get(part) === text) continue;
				return fail(
					userMessage('differsFromRowToRow', {
						field: part,
						first: first.get(part) ?? 'not set',
						value: text,
						row: itemIndex + 1,
						item: itemIndex,
					}),
				);
			}
		}
		return ok(value);
	} catch (error) {
		return fail(expressionFailed(label, error));
	}
}

/** Why a parameter of the whole batch cannot be read. */
export function expressionFailed(label: string, error: unknown): UserMessage {
	const message = fieldMessage('expressionFails', { reason: (error as Error).message });
	return { ...message, message: `${label} ${message.message}` };
}

/** Whether a parameter holds an expression, at whatever depth. */
export function hasExpression(raw: unknown): boolean {
	if (typeof raw === 'string') return raw.startsWith('=');
	if (typeof raw !== 'object' || raw === null) return false;
	return Object.values(raw).some(hasExpression);
}

/** The entries of a collection, or the one value, as texts to compare and to show. */
function asTexts(
	value: unknown,
	label: string,
	labelOf: (name: string) => string,
): Record<string, string> {
	const text = (one: unknown) => JSON.stringify(one) ?? 'empty';
	if (typeof value !== 'object' || value === null || Array.isArray(value)) {
		return { [label]: text(value) };
	}
	return Object.fromEntries(
		Object.entries(value).map(([name, entry]) => [labelOf(name), text(entry)]),
	);
}
