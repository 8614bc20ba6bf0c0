import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { validateFields, validationErrorText, toBody } from '../../fields/validateFields';
import { uuid } from '../../fields/validators';
import type { Field } from '../../fields/field';
import { COLLECTION, fieldReaders, inCollection, plainValue } from '../../fields/parameters';
import { toOperationError } from '../../service/errors';
import { userMessage } from '../../messages/userMessage';

const validateUuid = uuid();

/**
 * Makes the request body from the form of an item.
 *
 * @throws NodeOperationError that lists all invalid fields of the item
 */
export function requestBody(
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
		const error = {
			code: errors[0].code,
			message: errors.map((error) => validationErrorText(error)).join(' '),
			hint: 'Nothing was sent for this item.',
		};
		throw toOperationError(context, error, itemIndex);
	}
	return toBody(fields, values);
}

/**
 * Reads an ID (a UUID, section 2) for use in a path, so that no other value can lead to another path.
 *
 * @param label of its field, for the error
 * @param name of its parameter
 * @throws NodeOperationError if it is not a UUID
 */
export function pathId(
	context: IExecuteFunctions,
	label: string,
	name: string,
	itemIndex: number,
): string {
	const value = plainValue(context.getNodeParameter(name, itemIndex));
	const id = validateUuid(String(value), {});
	if (!id.ok) {
		const message = `${label} ${id.error.message}`;
		throw toOperationError(context, { ...id.error, message }, itemIndex);
	}
	return encodeURIComponent(String(id.value));
}

/**
 * Reads a date and time from the form of an item.
 *
 * @param label of its field, for the error
 * @param name of its parameter
 * @returns milliseconds since 1970; undefined if it is empty
 * @throws NodeOperationError if it is not a date
 */
export function readDate(
	context: IExecuteFunctions,
	label: string,
	name: string,
	itemIndex: number,
): number | undefined {
	const value: unknown = context.getNodeParameter(name, itemIndex, '');
	if (value === '' || value === null || value === undefined) return undefined;
	// An expression may return a Luxon object, whose text is ISO 8601.
	const time = Date.parse(String(value));
	if (Number.isNaN(time)) {
		throw toOperationError(context, userMessage('notADate', { label }), itemIndex);
	}
	return time;
}

/** Return All and Limit of a Get Many operation. */
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
 * Reads how many entries an item asks for.
 *
 * @returns Infinity for all
 * @throws NodeOperationError if Limit is not a whole number of 1 or more
 */
export function readLimit(context: IExecuteFunctions, itemIndex: number): number {
	if (context.getNodeParameter('returnAll', itemIndex, false) === true) return Infinity;
	const limit = Number(context.getNodeParameter('limit', itemIndex, 50));
	if (!Number.isInteger(limit) || limit < 1) {
		throw toOperationError(context, userMessage('wrongLimit', { label: 'Limit' }), itemIndex);
	}
	return limit;
}

/** Whether a value passes a filter. An empty filter passes all. An expression may return a text instead of a list. */
export function isChosen(chosen: string | string[] | undefined, value: unknown): boolean {
	const list = (Array.isArray(chosen) ? chosen : [chosen ?? '']).filter((entry) => entry !== '');
	return list.length === 0 || list.includes(value as string);
}
