import { ExecuteContext } from 'n8n-core';
import {
	createEmptyRunExecutionData,
	type IDataObject,
	type INode,
	type INodeExecutionData,
	Workflow,
	type WorkflowExecuteMode,
} from 'n8n-workflow';

import { PartnerPayments } from '../../nodes/PartnerPayments/PartnerPayments.node';
import { installProcessedItems } from '../engine/processedItems';
import { additionalData, CREDENTIAL_ID, CREDENTIAL_TYPE, TOOL_TYPE } from '../engine/runNode';
import { useService } from '../engine/service';
import { inForm } from '../fixtures/form.cjs';
import { BANK, bankRow, posted } from './batch';

/** Runs of one node outside a saved workflow, as n8n 2.41.1 makes them. */
const service = useService({ duplicateReferences: 'accept' });

const TYPE = TOOL_TYPE.replace(/Tool$/, '');

interface Run {
	type: string;
	name: string;
	workflow: { id?: string; name?: string };
	mode: WorkflowExecuteMode;
}

/** `execute-node.service.js`: a temporary workflow of one node, which is deleted afterwards. */
const ASSISTANT: Run = {
	type: TYPE,
	name: 'Node',
	workflow: { id: 'temporary', name: `Execute node ${TYPE}` },
	mode: 'manual',
};

/** `ephemeral-node-executor.js`: a tool of an agent, without a workflow and without execution data. */
const AGENT: Run = { type: TOOL_TYPE, name: 'Target Node', workflow: {}, mode: 'internal' };

/** A workflow that a person has saved, with this node alone on its canvas. */
const SAVED: Run = { ...ASSISTANT, workflow: { id: 'saved', name: 'Pay' }, name: 'Pay suppliers' };

async function execute(run: Run, options: IDataObject = {}): Promise<IDataObject[]> {
	const node: INode = {
		id: 'node',
		name: run.name,
		type: run.type,
		typeVersion: 1,
		position: [0, 0],
		parameters: inForm({ ...BANK, options: options as never }) as INode['parameters'],
		credentials: { [CREDENTIAL_TYPE]: { id: CREDENTIAL_ID, name: CREDENTIAL_ID } },
	};
	installProcessedItems();
	const type = new PartnerPayments();
	const nodeTypes = {
		getByName: () => type,
		getByNameAndVersion: () => type,
		getKnownTypes: () => ({}),
	};
	const workflow = new Workflow({
		...run.workflow,
		nodes: [node],
		connections: {},
		active: false,
		nodeTypes,
	});
	const items: INodeExecutionData[] = [{ json: bankRow(0) }];
	const input = { main: [items] };
	const context = new ExecuteContext(
		workflow,
		node,
		additionalData(service.credentials),
		run.mode,
		createEmptyRunExecutionData(),
		0,
		items,
		input,
		{ node, data: input, source: null },
		[],
	);
	const [first] = await type.execute.call(context);
	return first.map(({ json }) => json);
}

test.each([1, 2])('pays nothing in run %d of n8n’s assistant, and says what to do', async () => {
	await expect(execute(ASSISTANT)).rejects.toMatchObject({
		message: expect.stringContaining('outside a saved workflow') as string,
		description: expect.stringContaining('Put the node into') as string,
	});
	expect(posted(service)).toEqual([]);
});

test('pays nothing as a tool of an n8n agent, and says it in the item, which the agent reads', async () => {
	const [item] = await execute(AGENT);
	expect(item).toMatchObject({ outcome: 'notSent', code: 'runForgets' });
	expect(item.hint).toContain('Dry Run');
	expect(posted(service)).toEqual([]);
});

test.each([
	['n8n’s assistant', ASSISTANT],
	['an n8n agent', AGENT],
])('shows %s in a dry run what would be paid', async (_, run) => {
	const [item] = await execute(run, { dryRun: true });
	expect(item).toMatchObject({ outcome: 'ready' });
	expect(posted(service)).toEqual([]);
});

test('pays once where a person runs the node alone on the canvas of a saved workflow', async () => {
	// n8n gives the node of a saved workflow execution data.
	const [first] = await execute(SAVED);
	const [second] = await execute(SAVED);
	expect([first.outcome, second.outcome]).toEqual(['created', 'alreadySent']);
	expect(posted(service)).toHaveLength(1);
});
