import { PartnerPayments } from '../../nodes/PartnerPayments/PartnerPayments.node';
import './log';

import { ExecutionLifecycleHooks, WorkflowExecute } from 'n8n-core';
import {
	type IDataObject,
	type IExecuteFunctions,
	type INode,
	type INodeExecutionData,
	type INodeParameters,
	type INodeType,
	type IRun,
	type IRunExecutionData,
	type OnError,
	Workflow,
} from 'n8n-workflow';

import { additionalData, CREDENTIAL_ID, CREDENTIAL_TYPE } from './runNode';
import { aWebhook, addLog } from './samples';
import { useService } from './service';

/*
 * The loop of docs/reference/operations.md: Get Status > If > Wait > Get Status. If and Wait are stubs that do what n8n's do: one
 * looks at each item, the other one puts the execution to wait. While it waits, only its JSON is left, as in n8n's
 * database, so another process goes on with it.
 */

const service = useService({ deliveryRetries: 0 });

const GET_STATUS = 'Get Status';
const STATUS_TYPE = 'n8n-nodes-partner-payments.partnerPayments';

const stub = (outputs: number, execute: INodeType['execute']): INodeType => ({
	description: {
		displayName: 'Stub',
		name: 'stub',
		group: ['transform'],
		version: 1,
		description: '',
		defaults: {},
		inputs: ['main'],
		outputs: Array.from({ length: outputs }, () => 'main' as const),
		properties: [],
	},
	execute,
});

/** @param isTrue the condition, for an item and the number of the round */
function typesOf(
	runs: INodeExecutionData[][],
	isTrue: (json: IDataObject) => boolean,
): Record<string, INodeType> {
	return {
		'test.start': stub(runs.length, async () => runs),
		[STATUS_TYPE]: new PartnerPayments(),
		'test.if': stub(2, async function (this: IExecuteFunctions) {
			const items = this.getInputData();
			return [items.filter(({ json }) => isTrue(json)), items.filter(({ json }) => !isTrue(json))];
		}),
		'test.wait': stub(1, async function (this: IExecuteFunctions) {
			await this.putExecutionToWait(new Date(Date.now() + 3_600_000));
			return [this.getInputData()];
		}),
		'test.done': stub(1, async function (this: IExecuteFunctions) {
			return [this.getInputData()];
		}),
	};
}

const to = (node: string) => [{ node, type: 'main' as const, index: 0 }];

interface Loop {
	/** The items of each run of the node before the loop. */
	runs: IDataObject[][];
	isTrue: (json: IDataObject) => boolean;
	/** What happens while the execution waits for the first, the second, ... time. */
	meanwhile: Array<() => void>;
	onError?: OnError;
}

/** @returns the outputs of each run of Get Status, and what left the loop */
async function runLoop({ runs, isTrue, meanwhile, onError }: Loop) {
	const items = runs.map((run) => run.map((json) => ({ json })));
	const node = (name: string, type: string, parameters: INodeParameters = {}): INode => ({
		...{ id: name, name, type, typeVersion: 1, position: [0, 0], parameters },
		...(onError && { onError }),
	});
	const workflow = () => {
		const types = typesOf(items, isTrue);
		const getByName = (name: string) => types[name];
		const parameters = { resource: 'transaction', operation: 'getStatus', findBy: 'input' };
		const credentials = { [CREDENTIAL_TYPE]: { id: CREDENTIAL_ID, name: CREDENTIAL_ID } };
		return new Workflow({
			id: 'workflow-1',
			name: 'Loop',
			nodes: [
				node('Start', 'test.start'),
				{ ...node(GET_STATUS, STATUS_TYPE, parameters), credentials },
				node('If', 'test.if'),
				node('Wait', 'test.wait'),
				node('Done', 'test.done'),
			],
			connections: {
				Start: { main: runs.map(() => to(GET_STATUS)) },
				[GET_STATUS]: { main: [to('If')] },
				If: { main: [to('Wait'), to('Done')] },
				Wait: { main: [to(GET_STATUS)] },
			},
			active: false,
			nodeTypes: {
				getByName,
				getByNameAndVersion: getByName,
				getKnownTypes: () => ({}),
			},
			settings: { executionOrder: 'v1' },
		});
	};
	const start = async (saved?: IRunExecutionData): Promise<IRun> => {
		const data = additionalData(service.credentials);
		const own = workflow();
		data.hooks = new ExecutionLifecycleHooks('trigger', String(data.executionId), {
			...{ id: 'workflow-1', name: 'Loop', active: false, activeVersionId: null },
			...{ isArchived: false, createdAt: new Date(), updatedAt: new Date() },
			nodes: Object.values(own.nodes),
			connections: own.connectionsBySourceNode,
		});
		const engine = new WorkflowExecute(data, 'trigger', saved);
		const startNode = own.getNode('Start') ?? undefined;
		return await (saved
			? engine.processRunExecutionData(own)
			: engine.run({ workflow: own, startNode }));
	};

	let run = await start();
	let waits = 0;
	for (; run.waitTill; waits++) {
		if (waits >= meanwhile.length) throw new Error('The loop does not end');
		meanwhile[waits]();
		run = await start(JSON.parse(JSON.stringify(run.data)) as IRunExecutionData);
	}
	expect(run.data.resultData.error).toBeUndefined();
	const outputsOf = (name: string) =>
		(run.data.resultData.runData[name] ?? []).map(({ data }) =>
			(data?.main[0] ?? []).map(({ json }) => json),
		);
	return { waits, rounds: outputsOf(GET_STATUS), done: outputsOf('Done') };
}

let minute = 0;

function happens(reference: string, status: string): void {
	const at = new Date(Date.UTC(2026, 10, 21, 8, minute++)).toISOString();
	addLog(
		service,
		{
			externalReference: reference,
			status: `${status}_transaction`,
			transactionType: 'withdrawal_ach',
			timestamp: at,
			details: { transactionId: `T-${reference}` },
		},
		at,
	);
}

const mayBecomeFinal = (json: IDataObject) => json.mayBecomeFinal !== false;

const allFinalOf = (rounds: IDataObject[][]) =>
	rounds.map((round) => round.map(({ allFinal }) => allFinal));

beforeEach(async () => {
	minute = 0;
	await aWebhook(service);
	for (const reference of ['a', 'b']) happens(reference, 'pending');
});

test('allFinal is true in the round in which all of the input is final, after waits in other processes', async () => {
	const { waits, rounds, done } = await runLoop({
		runs: [[{ reference: 'a' }, { reference: 'b' }, { outcome: 'rejected', reference: 'd' }]],
		isTrue: mayBecomeFinal,
		meanwhile: [() => happens('a', 'completed'), () => happens('b', 'failed')],
	});

	expect(waits).toBe(2);
	expect(allFinalOf(rounds)).toEqual([
		[false, false, false],
		[false, false, false],
		[true, true, true],
	]);
	expect(done).toHaveLength(1);
	expect(done[0].map(({ reference, status }) => [reference, status])).toEqual([
		['a', 'completed_transaction'],
		['b', 'failed_transaction'],
		['d', 'notFound'],
	]);
});

test('rows stay in the loop if their status could not be read in one round', async () => {
	const { rounds, done } = await runLoop({
		runs: [['a', 'b'].map((reference) => ({ outcome: 'created', reference }))],
		isTrue: mayBecomeFinal,
		meanwhile: [
			() => {
				happens('a', 'completed');
				void service.sandbox.admin.addFault({
					match: { path: '/v2/webhooks/logs' },
					fault: { type: 'status', status: 403 },
				});
			},
			() => {},
			() => happens('b', 'completed'),
		],
		onError: 'continueRegularOutput',
	});

	expect(allFinalOf(rounds)).toEqual([
		[false, false],
		[undefined, undefined],
		[false, false],
		[true, true],
	]);
	expect(done.map((rows) => rows.map(({ reference }) => reference))).toEqual([['a', 'b']]);
});

test('each run of a node before the loop is a loop of its own', async () => {
	const { rounds, done } = await runLoop({
		runs: [[{ reference: 'a' }], [{ reference: 'b' }]],
		isTrue: mayBecomeFinal,
		meanwhile: [
			() => happens('a', 'completed'),
			() => happens('b', 'completed'),
			() => {},
			() => {},
		],
	});

	const references = done.flat().map(({ reference }) => reference);
	expect(references.sort()).toEqual(['a', 'b']);
	for (const round of rounds) {
		expect(round.map(({ allFinal }) => allFinal)).toEqual([round[0].isFinal]);
	}
});
