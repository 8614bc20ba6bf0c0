import type { IDataObject, IDisplayOptions, INodeProperties } from 'n8n-workflow';

import type { Condition, Field } from './field';
import { COLLECTION } from './parameters';

/** The form of a list of fields: those that are not optional in their order, then a collection with the others. */
export function toProperties(
	fields: Field[],
	{ collection = COLLECTION, collectionLabel = 'Additional Fields', show = {} as Condition } = {},
): INodeProperties[] {
	const properties = fields
		.filter(({ optional }) => !optional)
		.flatMap((field) => fieldProperties(field, show));
	if (fields.some(({ optional }) => optional)) {
		properties.push({
			displayName: collectionLabel,
			name: collection,
			type: 'collection',
			placeholder: 'Add Field',
			default: {},
			...displayOptions(show),
			options: optionalProperties(fields),
		});
	}
	return properties;
}

/**
 * The entries of a collection for the optional ones of these fields, in alphabetical order.
 *
 * @param show conditions on other entries, or on parameters outside, whose names begin with `/`
 */
export function optionalProperties(fields: Field[], show: Condition = {}): INodeProperties[] {
	return fields
		.filter(({ optional }) => optional)
		.map((field) => {
			const { displayName, ...more } = property(
				field,
				{ ...show, ...outside(field.shownWhen) },
				false,
			);
			return { displayName: [field.group ?? [], displayName].flat().join(': '), ...more };
		})
		.sort((a, b) => a.displayName.localeCompare(b.displayName));
}

/** A condition as the entry of a collection states it. */
function outside(condition: Condition = {}): Condition {
	return Object.fromEntries(
		Object.entries(condition).map(([name, values]) => [`/${name}`, values]),
	);
}

function fieldProperties(field: Field, show: Condition): INodeProperties[] {
	const shown = { ...show, ...field.onlyWhen, ...field.shownWhen };
	if (!field.requiredWhen) return [property(field, shown, field.required)];
	// Variants of one parameter: the editor marks as required the one whose value it knows. A condition in `hide`, because
	// n8n shows whatever depends on an expression, and runs no node without a required value (`displayParameter` in
	// node-helpers.js of n8n-workflow).
	const [[name, values]] = Object.entries(field.requiredWhen);
	const others = Object.fromEntries(Object.entries(shown).filter(([key]) => key !== name));
	return [
		...values.map((value) => property(field, others, true, { [name]: [{ _cnd: { not: value } }] })),
		property(field, shown, false, field.requiredWhen),
	];
}

function property(
	field: Field,
	show: Condition,
	required: boolean,
	hide: Hidden = {},
): INodeProperties {
	return {
		displayName: field.label,
		name: field.name,
		...field.form,
		...(required && { required }),
		...displayOptions(show, hide),
	};
}

type Hidden = NonNullable<IDisplayOptions['hide']>;

function displayOptions(show: Condition, hide: Hidden = {}): Partial<INodeProperties> {
	const options = {
		...(Object.keys(show).length && { show }),
		...(Object.keys(hide).length && { hide }),
	};
	return Object.keys(options).length ? { displayOptions: options } : {};
}

/** A collection of parameters that a user adds: Options with Add Option, Filters with Add Filter. */
export function collection(
	displayName: 'Options' | 'Filters',
	options: INodeProperties[],
): INodeProperties {
	return {
		displayName,
		name: displayName.toLowerCase(),
		type: 'collection',
		placeholder: `Add ${displayName.slice(0, -1)}`,
		default: {},
		options,
	};
}

/** A parameter for a text. */
export function textProperty(
	displayName: string,
	name: string,
	more: Partial<INodeProperties>,
): INodeProperties {
	return { displayName, name, type: 'string', default: '', ...more };
}

/** What a `fixedCollection` needs so that a user can add several entries. */
export function entries(displayName: string, name: string, values: INodeProperties[]) {
	return {
		typeOptions: { multipleValues: true },
		placeholder: `Add ${displayName}`,
		options: [{ displayName, name, values }],
	};
}

/** The fields of an output item and their types, a list as an array with one entry. Any of them may be null. */
type OutputShape =
	'boolean' | 'integer' | 'number' | 'string' | [OutputShape] | { [field: string]: OutputShape };

/** An output item of an operation. Further fields of the service are passed on, too. */
export type Output = Record<string, OutputShape>;

/** For outputs of more than ten fields. Off by default: a record of money or of a delivery should be complete. */
export const SIMPLIFY: INodeProperties = {
	displayName: 'Simplify',
	name: 'simplify',
	type: 'boolean',
	default: false,
	description: 'Whether to return a simplified version of the response instead of the raw data',
};

/** A copy with only these fields. */
export function pick(json: IDataObject, fields: string[]): IDataObject {
	return Object.fromEntries(
		fields.filter((field) => json[field] !== undefined).map((field) => [field, json[field]]),
	);
}
