import type { INode, JsonObject } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import type { ServiceError } from './errors';
import type { Told } from './message';

/**
 * n8n's error for a message of a catalogue. Its code is in the error's `context`, which n8n keeps with the
 * execution.
 */
export function toOperationError(
	node: INode,
	{ code, message, advice }: Told,
	itemIndex?: number,
): NodeOperationError {
	const error = new NodeOperationError(node, ofItem(message, itemIndex), {
		itemIndex,
		description: advice,
	});
	error.context.code = code;
	return error;
}

/**
 * n8n's error for what the service, or the way to it, said. The original is left behind on purpose: n8n's own carries
 * the Authorization header and the request body in its `cause`.
 */
export function toApiError(node: INode, error: ServiceError, itemIndex?: number): NodeApiError {
	const shown: JsonObject = {
		message: error.message,
		...(error.status !== undefined && { httpCode: String(error.status) }),
	};
	const nodeError = new NodeApiError(node, shown, {
		message: ofItem(error.message, itemIndex),
		description: error.advice,
		...(error.status !== undefined && { httpCode: String(error.status) }),
		itemIndex,
	});
	nodeError.context.code = error.code;
	return nodeError;
}

function ofItem(message: string, itemIndex: number | undefined): string {
	return itemIndex === undefined ? message : `[Item ${itemIndex}] ${message}`;
}
