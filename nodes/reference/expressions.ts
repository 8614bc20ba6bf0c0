import type { IExecuteFunctions } from 'n8n-workflow';

import { rawParameter } from '../fields/parameters';
import {
	fail,
	labelled,
	ok,
	type Result,
	type EditorMessage,
	userMessage,
} from '../messages/userMessage';

/**
 * Reads a parameter that counts for the whole batch, and rejects an expression whose value differs between
 * items: reading it for the first item only would apply that value to all.
 *
 * @param label the parameter's label in the editor
 * @returns undefined for a parameter that is not set
 */
export function readBatchParameter<T>(
	context: IExecuteFunctions,
	path: string,
	label: string,
	fallback?: T,
): Result<T, EditorMessage> {
	const read = (itemIndex: number) => context.getNodeParameter(path, itemIndex, fallback) as T;
	try {
		const value = read(0);
		if (!hasExpression(rawParameter(context, path, fallback))) return ok(value);

		const first = asText(value);
		for (let itemIndex = 1; itemIndex < context.getInputData().length; itemIndex++) {
			const other = asText(read(itemIndex));
			if (first === other) continue;
			return fail(
				userMessage('differsFromRowToRow', {
					field: label,
					first,
					value: other,
					row: itemIndex + 1,
					item: itemIndex,
				}),
			);
		}
		return ok(value);
	} catch (error) {
		return fail(expressionFailed(label, error));
	}
}

/** Why a parameter of the whole batch cannot be read. */
export function expressionFailed(label: string, error: unknown): EditorMessage {
	return labelled(label, userMessage('expressionFails', { reason: (error as Error).message }));
}

/** Whether a parameter holds an expression, at whatever depth. */
export function hasExpression(raw: unknown): boolean {
	if (typeof raw === 'string') return raw.startsWith('=');
	if (typeof raw !== 'object' || raw === null) return false;
	return Object.values(raw).some(hasExpression);
}

/** A value as text, to compare and to show. */
function asText(value: unknown): string {
	return JSON.stringify(value) ?? 'empty';
}
