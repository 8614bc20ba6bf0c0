import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import { isObject } from '../../service/answers';
import { ServiceError } from '../../service/errors';
import { toApiError } from '../../service/nodeErrors';
import { Service } from '../../service/transport';

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
	if (error instanceof ServiceError) return toApiError(context.getNode(), error, itemIndex);
	if (error instanceof NodeOperationError || error instanceof NodeApiError) return error;
	return new NodeOperationError(context.getNode(), error as Error, { itemIndex });
}

/** Only the keys that both n8n generations accept on the error output: `error` and `message`. */
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
