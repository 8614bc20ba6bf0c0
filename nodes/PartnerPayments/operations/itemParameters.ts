import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { validateFields, validationErrorText, toBody } from '../../fields/validateFields';
import { isUuid } from '../../fields/validators';
import type { Field } from '../../fields/field';
import { COLLECTION, fieldReaders, inCollection, plainValue } from '../../fields/parameters';
import { userMessage as fieldMessage } from '../../fields/messages';
import { toOperationError } from '../../service/errors';
import { userMessage } from './messages';

/**
 * The request body from the form of item `itemIndex`.
 *
 * @throws NodeOperationError that lists every field of the item that breaks a rule
 */
export function readBody(
	context: IExecuteFunctions,
	fields: Field[],
	itemIndex: number,
	collection = COLLECTION,
): IDataObject {
	const { values, errors } = validateFields(
		fields,
		fieldReaders(context, fields, inCollection(collection))(itemIndex),
	);
	if (errors.length) {
		const told = {
			code: errors[0].code,
			message: errors.map(validationErrorText).join(' '),
			hint: 'Nothing was sent for this item.',
		};
		throw toOperationError(context.getNode(), told, itemIndex);
	}
	return toBody(fields, values);
}

/**
 * An identifier as a part of a path. Only a UUID gets through (section 2), so that no crafted
 * identifier can lead to another path.
 *
 * @throws NodeOperationError that names the field and the item
 */
export function pathId(
	context: IExecuteFunctions,
	label: string,
	value: unknown,
	itemIndex: number,
): string {
	const text = String(plainValue(value) ?? '').trim();
	if (!isUuid(text)) {
		const told = fieldMessage('notUuid', {
			hint: 'For example 5f0c6f6e-3b1d-4f7e-9a53-0c1d2e3f4a5b.',
		});
		throw toOperationError(
			context.getNode(),
			{ ...told, message: `${label} ${told.message}` },
			itemIndex,
		);
	}
	return encodeURIComponent(text);
}

/**
 * A date and time in the form of item `itemIndex`, in milliseconds since 1970; undefined when it is
 * left empty.
 *
 * @throws NodeOperationError when it is none
 */
export function readDate(
	context: IExecuteFunctions,
	label: string,
	name: string,
	itemIndex: number,
): number | undefined {
	const value: unknown = context.getNodeParameter(name, itemIndex, '');
	if (value === '' || value === null || value === undefined) return undefined;
	// A date that an expression gives is a Luxon object, whose text is ISO 8601.
	const time = Date.parse(String(value));
	if (Number.isNaN(time)) {
		throw toOperationError(context.getNode(), userMessage('notADate', { label }), itemIndex);
	}
	return time;
}

/** The fields Return All and Limit of a Get Many operation. */
export const LIST_PROPERTIES: INodeProperties[] = [
	{
		displayName: 'Return All',
		name: 'returnAll',
		type: 'boolean',
		default: false,
		description: 'Whether to return all results or only up to a given limit',
	},
	{
		displayName: 'Limit',
		name: 'limit',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 50,
		description: 'Max number of results to return',
		displayOptions: { show: { returnAll: [false] } },
	},
];

/**
 * How many entries item `itemIndex` asks for: Infinity for all.
 *
 * @throws NodeOperationError when Limit is not a whole number of 1 or more
 */
export function readLimit(context: IExecuteFunctions, itemIndex: number): number {
	if (context.getNodeParameter('returnAll', itemIndex, false) === true) return Infinity;
	const limit = Number(context.getNodeParameter('limit', itemIndex, 50));
	if (!Number.isInteger(limit) || limit < 1) {
		throw toOperationError(context.getNode(), userMessage('wrongLimit'), itemIndex);
	}
	return limit;
}

/**
 * Whether a filter lets a value through. Where nothing is chosen, everything passes. An expression may give
 * one text instead of a list.
 */
export function isChosen(chosen: string | string[] | undefined, value: unknown): boolean {
	const list = (Array.isArray(chosen) ? chosen : [chosen ?? '']).filter((entry) => entry !== '');
	return list.length === 0 || list.includes(String(value));
}
