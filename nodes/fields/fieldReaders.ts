import type { IExecuteFunctions } from 'n8n-workflow';

import type { ReadField } from './checkFields';
import type { Field } from './field';
import { parameterReaders } from './parameters';

/** The parameter that holds the optional fields of an operation. */
export const COLLECTION = 'additionalFields';

/**
 * Readers of the node's own parameters, for an item each.
 *
 * @param pathOf where the value of a field is; optional fields are in a collection
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

/** Where fields are whose optional ones are in this collection. */
export function inCollection(collection: string): (field: Field) => string {
	return ({ name, optional }) => (optional ? `${collection}.${name}` : name);
}

/** The value of a parameter, also of one that was picked from a list. */
export function plainValue(raw: unknown): unknown {
	return typeof raw === 'object' && raw !== null && '__rl' in raw && 'value' in raw
		? raw.value
		: raw;
}
