/* eslint-disable @n8n/community-nodes/require-node-api-error -- runs outside n8n */
import { PartnerPayments } from '../../nodes/PartnerPayments/PartnerPayments.node';
import './log';

import { ExecutionLifecycleHooks, WorkflowExecute } from 'n8n-core';
import type {
	IDataObject,
	IExecuteFunctions,
	INode,
	INodeExecutionData,
	INodeParameters,
	INodeType,
	IRun,
	IRunExecutionData,
	IWorkflowExecuteAdditionalData,
	OnError,
} from 'n8n-workflow';
import { Workflow } from 'n8n-workflow';

import { inForm } from '../fixtures/form.cjs';
import { type StoredCredentials } from './credentials';
import { installProcessedItems } from './processedItems';

export const NODE_NAME = 'Partner Payments';
export const CREDENTIAL_ID = 'credential-1';
export const CREDENTIAL_TYPE = 'partnerPaymentsApi';

/** What a workflow is run with. */
export interface RunOptions {
	parameters: INodeParameters;
	/** Input items, or only their JSON; one empty item when left out. */
	items?: Array<INodeExecutionData | IDataObject>;
	credentials: StoredCredentials;
	onError?: OnError;
	/** Tries again after a failure, as often as n8n does. */
	retryOnFail?: boolean;
	/** Further settings of our node. */
	node?: Partial<INode>;
	/** Items of further runs of our node in the same execution, as a loop gives them. */
	furtherRuns?: IDataObject[][];
	/** Names of further nodes of ours, which get the same items and have the same settings. */
	furtherNodes?: string[];
	/** Data of an earlier execution to go on from, as "Retry execution" does. */
	resumeFrom?: IRunExecutionData;
	/** n8n's memory belongs to a workflow. Empty for one that was never saved. */
	workflowId?: string;
	/** The time zone of the workflow. */
	timezone?: string;
	/** n8n gives a node that an AI agent uses as a tool the type of the node with `Tool` at its end. */
	nodeType?: string;
	/** Gets the running execution, to cancel it. */
	onStart?: (execution: ReturnType<WorkflowExecute['run']>) => void;
}

/** How it ended. */
export interface RunResult {
	/** What left our node, by output: 0 is the regular one, 1 the error output. */
	outputs: INodeExecutionData[][];
	/** The regular output's JSON. */
	json: IDataObject[];
	/** What the node itself threw, the newest last. */
	thrown: unknown[];
	/** The error that stopped the execution, as n8n keeps and shows it. */
	error?: Error & { description?: string | null };
	/** All that n8n would save. */
	run: IRun;
}

/** n8n builds its own addresses from it, which nothing here calls. */
const UNUSED_ADDRESS = 'http://127.0.0.1:1';

const START_TYPE = 'test.start';
const NODE_TYPE = 'n8n-nodes-partner-payments.partnerPayments';

/** The type of the node where an AI agent has it as a tool. */
export const TOOL_TYPE = `${NODE_TYPE}Tool`;

/** How many executions there were: each has its own identifier, a retried one too. */
let executions = 0;

/** A node that gives the items of a test, one output for each run of ours. */
function startNode(runs: INodeExecutionData[][]): INodeType {
	return {
		description: {
			displayName: 'Start',
			name: 'start',
			group: ['input'],
			version: 1,
			description: '',
			defaults: {},
			inputs: ['main'],
			outputs: runs.map(() => 'main'),
			properties: [],
		},
		execute: async () => runs,
	};
}

/** The built node; what it throws is noted before n8n wraps it. */
function watchedNode(thrown: unknown[]): INodeType {
	const type = new PartnerPayments();
	const { execute } = type;
	type.execute = async function (this: IExecuteFunctions) {
		try {
			return (await execute?.call(this)) ?? [];
		} catch (error) {
			thrown.push(error);
			throw error;
		}
	};
	return type;
}

function notHere(): never {
	throw new Error('Not part of these tests');
}

export function additionalData(
	credentialsHelper: StoredCredentials,
): IWorkflowExecuteAdditionalData {
	executions += 1;
	return {
		credentialsHelper,
		executionId: `execution-${executions}`,
		currentNodeExecutionIndex: 0,
		restApiUrl: UNUSED_ADDRESS,
		instanceBaseUrl: UNUSED_ADDRESS,
		formBaseUrl: UNUSED_ADDRESS,
		formWaitingBaseUrl: UNUSED_ADDRESS,
		formTestBaseUrl: UNUSED_ADDRESS,
		webhookBaseUrl: UNUSED_ADDRESS,
		webhookWaitingBaseUrl: UNUSED_ADDRESS,
		webhookTestBaseUrl: UNUSED_ADDRESS,
		mcpBaseUrl: UNUSED_ADDRESS,
		mcpTestBaseUrl: UNUSED_ADDRESS,
		variables: {},
		executeWorkflow: notHere,
		getRunExecutionData: notHere,
		getRuntimeCredential: notHere,
		startRunnerTask: notHere,
		logAiEvent: () => {},
		externalSecretsProxy: {} as IWorkflowExecuteAdditionalData['externalSecretsProxy'],
	};
}

function isItem(item: INodeExecutionData | IDataObject): item is INodeExecutionData {
	return typeof item.json === 'object' && item.json !== null;
}

/**
 * What n8n goes on from at "Retry execution" (`execution.service.js` in the n8n package): the saved
 * data without the error, with the nodes as they are now.
 */
function savedForRetry(ended: IRunExecutionData, workflow: Workflow): IRunExecutionData {
	const saved = JSON.parse(JSON.stringify(ended)) as IRunExecutionData;
	const { resultData, executionData } = saved;
	resultData.runData[resultData.lastNodeExecuted ?? '']?.pop();
	delete resultData.error;
	for (const waiting of executionData?.nodeExecutionStack ?? []) {
		waiting.node = workflow.getNode(waiting.node.name) ?? waiting.node;
	}
	return saved;
}

/** Runs Start > our node in n8n's own engine. */
export async function runNode({
	parameters,
	items = [{}],
	credentials,
	onError,
	retryOnFail,
	node,
	furtherRuns = [],
	furtherNodes = [],
	resumeFrom,
	workflowId = 'workflow-1',
	timezone = 'America/La_Paz',
	nodeType = NODE_TYPE,
	onStart,
}: RunOptions): Promise<RunResult> {
	installProcessedItems();
	// n8n takes the last output first.
	const runs = [...furtherRuns.toReversed(), items].map((run) =>
		run.map((item) => (isItem(item) ? item : { json: item })),
	);
	const names = [NODE_NAME, ...furtherNodes];
	const thrown: unknown[] = [];
	const types = new Map([
		[START_TYPE, startNode(runs)],
		[nodeType, watchedNode(thrown)],
	]);
	const typeNamed = (name: string): INodeType => types.get(name) ?? notHere();

	const nodes: INode[] = [
		{
			id: 'start',
			name: 'Start',
			type: START_TYPE,
			typeVersion: 1,
			position: [0, 0],
			parameters: {},
		},
		...names.map((name, index) => ({
			id: `node-${index}`,
			name,
			type: nodeType,
			typeVersion: 1,
			position: [200, index * 200] as [number, number],
			parameters: inForm(parameters) as INodeParameters,
			credentials: { [CREDENTIAL_TYPE]: { id: CREDENTIAL_ID, name: CREDENTIAL_ID } },
			...(onError && { onError }),
			...(retryOnFail && { retryOnFail, maxTries: 3, waitBetweenTries: 1 }),
			...node,
		})),
	];
	const workflow = new Workflow({
		id: workflowId,
		name: 'Test',
		nodes,
		connections: {
			Start: {
				main: runs.map(() => names.map((name) => ({ node: name, type: 'main', index: 0 }))),
			},
		},
		active: false,
		nodeTypes: { getByName: typeNamed, getByNameAndVersion: typeNamed, getKnownTypes: () => ({}) },
		settings: { executionOrder: 'v1', timezone },
	});
	const data = additionalData(credentials);
	const mode = resumeFrom ? 'retry' : 'trigger';
	data.hooks = new ExecutionLifecycleHooks(mode, String(data.executionId), {
		id: workflowId,
		name: 'Test',
		active: false,
		activeVersionId: null,
		isArchived: false,
		createdAt: new Date(),
		updatedAt: new Date(),
		nodes,
		connections: workflow.connectionsBySourceNode,
	});

	const saved = resumeFrom && savedForRetry(resumeFrom, workflow);
	const engine = new WorkflowExecute(data, mode, saved);
	const execution = saved
		? engine.processRunExecutionData(workflow)
		: engine.run({ workflow, startNode: workflow.getNode('Start') ?? undefined });
	onStart?.(execution);
	const run = await execution;

	const { resultData } = run.data;
	const last = resultData.runData[NODE_NAME]?.at(-1);
	const outputs = (last?.data?.main ?? []).map((output) => output ?? []);
	return {
		outputs,
		json: (outputs[0] ?? []).map(({ json }) => json),
		thrown,
		error: resultData.error,
		run,
	};
}
