import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	INodeProperties,
	INodePropertyOptions,
} from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import { pick } from '../../fields/form';
import { ServiceError, toApiError } from '../../service/errors';
import { showHint, userMessage } from '../../messages/userMessage';
import { Service } from '../../service/transport';
import { type ChosenOutput, fieldsToInclude, withOutputProperties } from '../../fields/output';

/** What the editor shows of an operation of the action node. */
interface OperationDescription extends ChosenOutput {
	value: string;
	name: string;
	/** Sentence case, without articles, as the node panel lists it. */
	action: string;
	description: string;
	/** For n8n's AI, which runs nodes to try them. */
	builderHint?: INodePropertyOptions['builderHint'];
	/** The form. The resource adds the conditions on resource and operation. */
	properties: INodeProperties[];
}

/** How an operation handles an input item. */
interface ItemHandler extends Pick<ChosenOutput, 'simplified'> {
	executeItem(
		this: IExecuteFunctions,
		service: Service,
		itemIndex: number,
	): Promise<INodeExecutionData[]>;
	/** Fields of an item that its error keeps, for nodes after this one. */
	kept?: (json: IDataObject) => IDataObject;
}

/** An operation that handles each input item alone. */
export type ItemOperation = OperationDescription & ItemHandler;

/** An operation that handles all input items at once. */
export interface BatchOperation extends OperationDescription {
	/** Returns the output items, paired with the input. */
	execute(this: IExecuteFunctions): Promise<INodeExecutionData[]>;
}

/** An operation with several outputs, by their names. */
export interface SplitOperation extends OperationDescription {
	outputs: readonly string[];
	/** Returns the items of each output, paired with the input. */
	executeOutputs(this: IExecuteFunctions): Promise<INodeExecutionData[][]>;
}

export type Operation = ItemOperation | BatchOperation | SplitOperation;

/**
 * A resource of the action node, with its operations. What they share is in a `shared.ts` of their
 * folder, because files must not import each other in a circle.
 */
export interface Resource {
	value: string;
	name: string;
	operations: Operation[];
}

/** The form of a resource: its operation selector and the forms of its operations. */
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
				({ value: operation, name, action, description, builderHint }): INodePropertyOptions => ({
					name,
					value: operation,
					action,
					...(builderHint && { builderHint }),
					description,
				}),
			),
			default: firstOperation,
		},
		...inAlphabeticalOrder.flatMap((operation) =>
			withOutputProperties(operation).map((property) => ({
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
 * Handles the input items one after the other. If On Error is set to continue, an item that fails becomes
 * an item with `error`, which n8n sends to the error output (`handleNodeErrorOutput` in
 * `workflow-execute.js` of n8n-core).
 *
 * @returns the output items, paired with the input
 * @throws NodeApiError or NodeOperationError of the first item that fails, if On Error is set to stop
 */
export async function eachItem(
	context: IExecuteFunctions,
	{ executeItem, simplified, kept }: ItemHandler,
): Promise<INodeExecutionData[]> {
	// Credentials are read once. If this fails, it is the error of every item.
	let connection: Promise<Service> | undefined;
	const output: INodeExecutionData[] = [];
	for (let itemIndex = 0; itemIndex < context.getInputData().length; itemIndex++) {
		try {
			connection ??= Service.connect(context);
			const service = await connection;
			const fields = fieldsToInclude(context, simplified, itemIndex);
			for (const item of await executeItem.call(context, service, itemIndex)) {
				const json = fields ? pick(item.json, fields) : item.json;
				output.push({ ...item, json, pairedItem: { item: itemIndex } });
			}
		} catch (error) {
			const failure = toNodeError(context, error, itemIndex);
			if (!context.continueOnFail()) throw failure;
			const { json } = context.getInputData()[itemIndex];
			output.push({ json: errorJson(failure, kept?.(json)), pairedItem: { item: itemIndex } });
		}
	}
	showWait(context, await connection?.catch(() => undefined));
	return output;
}

function showWait(context: IExecuteFunctions, service: Service | undefined): void {
	const seconds = Math.round((service?.waitedMs ?? 0) / 1000);
	if (seconds === 0) return;
	showHint(context, userMessage('waitedForService', { seconds }), 'info');
}

function toNodeError(
	context: IExecuteFunctions,
	error: unknown,
	itemIndex: number,
): NodeApiError | NodeOperationError {
	if (error instanceof ServiceError) return toApiError(context, error, itemIndex);
	if (error instanceof NodeOperationError || error instanceof NodeApiError) return error;
	return new NodeOperationError(context.getNode(), error as Error, { itemIndex });
}

/**
 * The JSON of an item for the error output: `error` and `message`, the only keys that both n8n 1 and n8n 2
 * accept there (`handleNodeErrorOutput` in `workflow-execute.js` of n8n-core).
 */
function errorJson(error: NodeApiError | NodeOperationError, kept?: IDataObject): IDataObject {
	const { code } = error.context;
	const details: IDataObject = {
		...kept,
		...(typeof code === 'string' && { code }),
		message: error.message,
	};
	if (error.failure) details.failure = error.failure;
	if (error.description) details.description = error.description;
	if (error instanceof NodeApiError && error.httpCode) details.httpCode = error.httpCode;
	return { error: details, message: error.message };
}

/** Converts entries of the service to output items. */
export function toItems(entries: readonly IDataObject[]): INodeExecutionData[] {
	return entries.map((json) => ({ json }));
}
