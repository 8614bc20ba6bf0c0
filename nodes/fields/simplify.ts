import type { IDataObject, INodeProperties } from 'n8n-workflow';

/**
 * The switch for outputs of more than ten fields. It is off at first: a record of money or of a
 * delivery is complete unless its reader wants less.
 */
export const SIMPLIFY: INodeProperties = {
	displayName: 'Simplify',
	name: 'simplify',
	type: 'boolean',
	default: false,
	description: 'Whether to return a simplified version of the response instead of the raw data',
};

/** Only these fields, where they are. */
export function pick(json: IDataObject, fields: string[]): IDataObject {
	return Object.fromEntries(
		fields.filter((field) => json[field] !== undefined).map((field) => [field, json[field]]),
	);
}
