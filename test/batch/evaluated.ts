import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	INodeParameters,
	INodeType,
	NodeTypeAndVersion,
	NodeParameterValueType,
} from 'n8n-workflow';
import { Workflow } from 'n8n-workflow';

const NODE = 'Node';

const TYPE: INodeType = {
	description: {
		displayName: NODE,
		name: 'node',
		group: ['input'],
		version: 1,
		description: '',
		defaults: {},
		inputs: ['main'],
		outputs: ['main'],
		properties: [],
	},
};

/** A node with its input, as far as reading its parameters asks. n8n evaluates its expressions. */
export function contextOf(
	parameters: INodeParameters,
	items: IDataObject[] = [{}],
	parents: Array<Partial<NodeTypeAndVersion>> = [],
): IExecuteFunctions {
	const types = {
		getByName: () => TYPE,
		getByNameAndVersion: () => TYPE,
		getKnownTypes: () => ({}),
	};
	const { expression } = new Workflow({
		id: 'workflow-1',
		nodes: [
			{ id: 'node', name: NODE, type: 'test.node', typeVersion: 1, position: [0, 0], parameters },
		],
		connections: {},
		active: false,
		nodeTypes: types,
	});
	const input: INodeExecutionData[] = items.map((json) => ({ json }));
	const evaluated = (value: unknown, itemIndex: number): unknown =>
		expression.getParameterValue(
			value as NodeParameterValueType,
			null,
			0,
			itemIndex,
			NODE,
			input,
			'manual',
			{},
		);
	const rawAt = (path: string): unknown =>
		path
			.split(/[.[\]]+/)
			.filter((step) => step !== '')
			.reduce<unknown>((value, step) => (value as IDataObject | undefined)?.[step], parameters);
	return {
		getNode: () => ({ name: NODE }),
		getParentNodes: () => parents,
		evaluateExpression: (code: string, itemIndex: number) => evaluated(`=${code}`, itemIndex),
		getInputData: () => input,
		getNodeParameter: (
			path: string,
			itemIndex: number,
			fallback?: unknown,
			options?: { rawExpressions?: boolean },
		) => {
			const raw = rawAt(path) ?? fallback;
			return options?.rawExpressions ? raw : evaluated(raw, itemIndex);
		},
	} as unknown as IExecuteFunctions;
}
