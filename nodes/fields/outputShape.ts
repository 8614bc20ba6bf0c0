import type { IDataObject } from 'n8n-workflow';

/**
 * What an output item looks like: the service's fields and their types, a list as an array with one
 * entry. Where the service may give null, the type is that of a value.
 */
export type OutputShape =
	'boolean' | 'integer' | 'number' | 'string' | [OutputShape] | { [field: string]: OutputShape };

/**
 * The shape as the JSON schema from which n8n's editor offers the fields of a node that has not run
 * yet. The build writes one for each operation into `__schema__`, where n8n looks for it.
 */
export function toJsonSchema(shape: OutputShape): IDataObject {
	if (typeof shape === 'string') return { type: shape };
	if (Array.isArray(shape)) return { type: 'array', items: toJsonSchema(shape[0]) };
	const properties: IDataObject = {};
	for (const [field, inner] of Object.entries(shape)) properties[field] = toJsonSchema(inner);
	return { type: 'object', properties };
}
