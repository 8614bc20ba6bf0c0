import type { IExecuteFunctions } from 'n8n-workflow';

import type { ReadField } from './validateFields';
import type { Field } from './field';

/** Reads a parameter (`amount`, or `additionalFields.country`) of one item. */
type ReadParameter = (path: string) => unknown;

/**
 * The value of a hidden parameter, for which n8n throws without a fallback (`node-execution-context.js` of
 * n8n-core).
 */
const NOTHING = null;

/** A parameter as it is stored, its expressions not evaluated. */
export function rawParameter(
	context: IExecuteFunctions,
	path: string,
	fallback: unknown = '',
): unknown {
	return context.getNodeParameter(path, 0, fallback, { rawExpressions: true });
}

/**
 * Reads parameters of many items: those without an expression once, for all of them.
 *
 * @param paths all parameters that will be read
 * @returns a function that returns the reader of an item
 */
export function parameterReaders(
	context: IExecuteFunctions,
	paths: string[],
): (itemIndex: number) => ReadParameter {
	const raw = new Map(paths.map((path) => [path, rawParameter(context, path, NOTHING)]));
	return (itemIndex) => (path) => {
		const value = raw.get(path);
		return isPlain(value) ? value : context.getNodeParameter(path, itemIndex, '');
	};
}

/** Whether a parameter is not an expression. Lists and objects may contain one. */
function isPlain(value: unknown): boolean {
	return typeof value === 'string'
		? !value.startsWith('=')
		: typeof value !== 'object' || value === null;
}

/** The parameter that holds the optional fields of an operation. */
export const COLLECTION = 'additionalFields';

/**
 * Reads fields of many items from the node's parameters.
 *
 * @param pathOf the path of a field's parameter
 * @returns a function that returns the reader of an item
 */
export function fieldReaders(
	context: IExecuteFunctions,
	fields: Field[],
	pathOf: (field: Field) => string = inCollection(COLLECTION),
): (itemIndex: number) => ReadField {
	const readers = parameterReaders(context, fields.map(pathOf));
	return (itemIndex) => {
		const read = readers(itemIndex);
		return (field) => plainValue(read(pathOf(field)));
	};
}

/** Gives the path of a field's parameter, if optional fields are in this collection. */
export function inCollection(collection: string): (field: Field) => string {
	return ({ name, optional }) => (optional ? `${collection}.${name}` : name);
}

/** The value of a parameter, also if it was chosen from a list. */
export function plainValue(raw: unknown): unknown {
	return typeof raw === 'object' && raw !== null && '__rl' in raw && 'value' in raw
		? raw.value
		: raw;
}
