import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeProperties,
	INodePropertyOptions,
} from 'n8n-workflow';

import type { OutputShape } from '../../fields/outputShape';

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
