import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	INodeProperties,
	INodePropertyOptions,
} from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import type { OutputShape } from '../../fields/form';
import { isObject } from '../../service/responses';
import { ServiceError, toApiError } from '../../service/errors';
import { Service } from '../../service/transport';

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

/**
 * A resource of the action node, as its `index.ts` gives it. What its operations share is in a `shared.ts`
 * next to it, because files must not import each other in a circle.
 */
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
 * Runs `work` for one input item after the other. With On Error set to continue, an item that fails
 * becomes an item with `error` in it, in the shape that n8n sends to the error output
 * (`handleNodeErrorOutput` in `workflow-execute.js` of n8n-core).
 *
 * @returns the output items, paired with the input
 * @throws NodeApiError or NodeOperationError of the first item that fails, if On Error is set to stop
 */
export async function eachItem(
	context: IExecuteFunctions,
	work: (service: Service, itemIndex: number) => Promise<INodeExecutionData[]>,
): Promise<INodeExecutionData[]> {
	// Credentials are read once, for all items. If they cannot be read, every item says so.
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
	if (error instanceof ServiceError) return toApiError(context.getNode(), error, itemIndex);
	if (error instanceof NodeOperationError || error instanceof NodeApiError) return error;
	return new NodeOperationError(context.getNode(), error as Error, { itemIndex });
}

/**
 * The JSON of an item for the error output: only `error` and `message`, the keys that n8n 1 accepts there
 * as well as n8n 2 (`handleNodeErrorOutput` in `workflow-execute.js` of n8n-core).
 */
function errorJson(error: NodeApiError | NodeOperationError): IDataObject {
	const { code } = error.context;
	const details: IDataObject = {
		...(typeof code === 'string' && { code }),
		message: error.message,
	};
	if (error.description) details.description = error.description;
	if (error instanceof NodeApiError && error.httpCode) details.httpCode = error.httpCode;
	return { error: details, message: error.message };
}

/** One answer as output items: a list becomes an item each, anything else one item. */
export function toItems(answer: unknown): INodeExecutionData[] {
	const entries = Array.isArray(answer) ? answer : [answer];
	return entries.map((entry) => ({ json: toJson(entry) }));
}

function toJson(entry: unknown): IDataObject {
	return isObject(entry) ? entry : { value: entry as IDataObject[string] };
}
