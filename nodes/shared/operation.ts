import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	INodeProperties,
	INodePropertyOptions,
} from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import { checkFields } from '../fields/checkFields';
import { isUuid } from '../fields/checks';
import type { Field } from '../fields/field';
import { COLLECTION, fieldReaders, inCollection, plainValue } from '../fields/fieldReaders';
import { toProperties } from '../fields/form';
import type { OutputShape } from '../fields/outputShape';
import { problemText } from '../fields/problem';
import { toBody } from '../fields/requestBody';
import { isObject, listIn, objectIn } from '../service/answers';
import { ServiceError, toNodeError } from '../service/errors';
import { Service } from '../service/transport';

/** One operation of the action node: what the editor shows, and what it does. */
export interface Operation {
	value: string;
	name: string;
	/** Sentence case, without articles, as the node panel lists it. */
	action: string;
	description: string;
	/** The form, without the conditions on resource and operation: the resource adds them. */
	properties: INodeProperties[];
	/** One output item. The service may give more: everything is passed on. */
	output: OutputShape;
	/** Handles all input items at once and gives the output items, paired with the input. */
	execute(this: IExecuteFunctions): Promise<INodeExecutionData[]>;
}

/** One resource of the action node: its operations, by value. */
export interface Resource {
	value: string;
	name: string;
	operations: Operation[];
}

/** The form of a resource: its operation selector, and the forms of its operations. */
export function resourceProperties({ value, operations }: Resource): INodeProperties[] {
	const inAlphabeticalOrder = [...operations].sort((a, b) => a.name.localeCompare(b.name));
	const firstOperation = inAlphabeticalOrder[0].value;
	return [
		{
			displayName: 'Operation',
			name: 'operation',
			type: 'options',
			noDataExpression: true,
			displayOptions: { show: { resource: [value] } },
			options: inAlphabeticalOrder.map(
				({ value: operation, name, action, description }): INodePropertyOptions => ({
					name,
					value: operation,
					action,
					description,
				}),
			),
			default: firstOperation,
		},
		...inAlphabeticalOrder.flatMap((operation) =>
			operation.properties.map((property) => ({
				...property,
				displayOptions: {
					...property.displayOptions,
					show: {
						resource: [value],
						operation: [operation.value],
						...property.displayOptions?.show,
					},
				},
			})),
		),
	];
}

/**
 * Runs `work` for one input item after the other. With On Error set to continue, an item that does
 * not succeed becomes an item with `error` in it, in the shape that n8n sends to the error output.
 *
 * @throws NodeApiError or NodeOperationError of the first item that does not succeed, otherwise
 */
export async function eachItem(
	context: IExecuteFunctions,
	work: (service: Service, itemIndex: number) => Promise<INodeExecutionData[]>,
): Promise<INodeExecutionData[]> {
	// Credentials are read once. Where they cannot be, every item says so.
	let connection: Promise<Service> | undefined;
	const output: INodeExecutionData[] = [];
	for (let itemIndex = 0; itemIndex < context.getInputData().length; itemIndex++) {
		try {
			connection ??= Service.connect(context);
			for (const item of await work(await connection, itemIndex)) {
				output.push({ ...item, pairedItem: { item: itemIndex } });
			}
		} catch (error) {
			const shown = shownError(context, error, itemIndex);
			if (!context.continueOnFail()) throw shown;
			output.push({ json: errorJson(shown), pairedItem: { item: itemIndex } });
		}
	}
	return output;
}

function shownError(
	context: IExecuteFunctions,
	error: unknown,
	itemIndex: number,
): NodeApiError | NodeOperationError {
	if (error instanceof ServiceError) return toNodeError(context.getNode(), error, itemIndex);
	if (error instanceof NodeOperationError || error instanceof NodeApiError) return error;
	return new NodeOperationError(context.getNode(), error as Error, { itemIndex });
}

/** Only the keys that both n8n generations accept on the error output: `error` and `message`. */
function errorJson(error: NodeApiError | NodeOperationError): IDataObject {
	const details: IDataObject = { message: error.message };
	if (error.description) details.description = error.description;
	if (error instanceof NodeApiError && error.httpCode) details.httpCode = error.httpCode;
	return { error: details, message: error.message };
}

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
		throw new NodeOperationError(
			context.getNode(),
			`[Item ${itemIndex}] ${problems.map(problemText).join(' ')}`,
			{ itemIndex, description: 'Nothing was sent for this item.' },
		);
	}
	return toBody(fields, values);
}

/** One answer as output items: a list becomes an item each, anything else one item. */
export function toItems(answer: unknown): INodeExecutionData[] {
	const entries = Array.isArray(answer) ? answer : [answer];
	return entries.map((entry) => ({ json: toJson(entry) }));
}

function toJson(entry: unknown): IDataObject {
	return isObject(entry) ? entry : { value: entry as IDataObject[string] };
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
export function wantedCount(context: IExecuteFunctions, itemIndex: number): number {
	if (context.getNodeParameter('returnAll', itemIndex, false) === true) return Infinity;
	const limit = Number(context.getNodeParameter('limit', itemIndex, 50));
	if (!Number.isInteger(limit) || limit < 1) {
		throw new NodeOperationError(
			context.getNode(),
			`[Item ${itemIndex}] Limit must be a whole number of 1 or more`,
			{ itemIndex },
		);
	}
	return limit;
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
		throw new NodeOperationError(context.getNode(), `[Item ${itemIndex}] ${label} must be a UUID`, {
			itemIndex,
			description: `For example 5f0c6f6e-3b1d-4f7e-9a53-0c1d2e3f4a5b.`,
		});
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
		throw new NodeOperationError(
			context.getNode(),
			`[Item ${itemIndex}] ${label} must be a date and time`,
			{ itemIndex, description: 'For example 2026-11-21T08:00:00Z.' },
		);
	}
	return time;
}

/** Whether a filter lets a value through. Nothing chosen means everything; an expression may give one text for a list. */
export function isChosen(chosen: string | string[] | undefined, value: unknown): boolean {
	const list = (Array.isArray(chosen) ? chosen : [chosen ?? '']).filter((entry) => entry !== '');
	return list.length === 0 || list.includes(String(value));
}

/** A Get Many operation on a list that the service gives whole, in one answer. */
export function listOperation({
	path,
	key,
	...texts
}: Pick<Operation, 'name' | 'action' | 'description' | 'output'> & {
	path: string;
	key?: string;
}): Operation {
	return {
		...texts,
		value: 'getAll',
		properties: LIST_PROPERTIES,
		async execute() {
			return await eachItem(this, async (service, itemIndex) => {
				const wanted = wantedCount(this, itemIndex);
				const entries = listIn(await service.request({ method: 'GET', path }), key);
				return toItems(entries.slice(0, wanted));
			});
		},
	};
}

/** An operation that sends its fields and gives the answer: no money moves. */
export function sendOperation({
	fields,
	path,
	...texts
}: Pick<Operation, 'value' | 'name' | 'action' | 'description' | 'output'> & {
	fields: Field[];
	path: string;
}): Operation {
	return {
		...texts,
		properties: toProperties(fields),
		async execute() {
			return await eachItem(this, async (service, itemIndex) => {
				const body = readBody(this, fields, itemIndex);
				return [{ json: objectIn(await service.request({ method: 'POST', path, body })) }];
			});
		},
	};
}
