import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { checkFields } from '../../fields/checkFields';
import { isUuid } from '../../fields/checks';
import type { Field } from '../../fields/field';
import { COLLECTION, fieldReaders, inCollection, plainValue } from '../../fields/fieldReaders';
import { tell as tellOfField } from '../../fields/messages';
import { problemText } from '../../fields/problem';
import { toBody } from '../../fields/requestBody';
import { toOperationError } from '../../service/nodeErrors';
import { tell } from './messages';

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
	const { values, problems } = checkFields(
		fields,
		fieldReaders(context, fields, inCollection(collection))(itemIndex),
	);
	if (problems.length) {
		const told = {
			code: problems[0].code,
			message: problems.map(problemText).join(' '),
			advice: 'Nothing was sent for this item.',
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
		const told = tellOfField('notUuid', {
			advice: 'For example 5f0c6f6e-3b1d-4f7e-9a53-0c1d2e3f4a5b.',
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
	// Dates of expressions are Luxon objects, whose text is ISO 8601.
	const time = Date.parse(String(value));
	if (Number.isNaN(time)) {
		throw toOperationError(context.getNode(), tell('notADate', { label }), itemIndex);
	}
	return time;
}
