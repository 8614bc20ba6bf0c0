/** The scenarios that run in a real n8n and in the simulated one. */
'use strict';

const { bankRow, referenceOf } = require('../../fixtures/rows.cjs');

/**
 * What interrupts an execution: it happens when `times` lines that begin with `at` have been logged, and then, with
 * `then`, a line that begins with that.
 *
 * @typedef {{ by: 'stop' | 'timeLimit' | 'kill', at: string, times?: number, then?: string }} Interruption
 */

/**
 * What a person does. The next action follows when it has ended.
 *
 * @typedef {object} Action
 * @property {'run' | 'retry' | 'endTokens'} is
 * @property {number[]} [rows] that are paid from here on
 * @property {number} [of] which execution is retried: the first is 1
 * @property {Interruption} [interrupted]
 */

/**
 * @typedef {object} Scenario
 * @property {string} name
 * @property {Action[]} actions
 * @property {number[]} [rows] by their numbers; a negative one is invalid
 * @property {boolean} [loops] over one row at a time
 * @property {number} [timeLimit] of the workflow, in seconds
 * @property {Record<string, any>} [settings] of the node
 * @property {Array<null | '422' | '500, created' | 'silence after'>} [faults] of one creation after the other
 */

const POST = 'network: POST /v3';
const RUNS = 'n8n: runs the node';

/** @type {Action} */
const RUN = { is: 'run' };

/** @type {Action} */
const RETRY = { is: 'retry', of: 1 };

const TRIES = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1_000 };

/** @type {Scenario[]} */
const SCENARIOS = [
	{ name: 'three rows are paid, and once more', actions: [RUN, RUN] },
	{
		name: 'Retry On Fail after what the node throws',
		settings: TRIES,
		faults: [null, '422'],
		actions: [RUN],
	},
	{
		name: 'Retry On Fail after a first item with an error',
		settings: { ...TRIES, onError: 'continueRegularOutput' },
		faults: ['422'],
		actions: [RUN],
	},
	{
		name: 'Retry On Fail, and a second item with an error',
		settings: { ...TRIES, onError: 'continueRegularOutput' },
		faults: [null, '422'],
		actions: [RUN],
	},
	{
		name: 'Retry On Fail without success',
		settings: { ...TRIES, maxTries: 2 },
		faults: ['422', '422'],
		actions: [RUN],
	},
	{
		name: 'rejected and invalid rows go on',
		settings: { onError: 'continueRegularOutput' },
		rows: [0, 1, -2, 3],
		faults: [null, '422'],
		actions: [RUN],
	},
	{
		name: 'rejected and invalid rows go to the error output',
		settings: { onError: 'continueErrorOutput' },
		rows: [0, 1, -2, 3],
		faults: [null, '422'],
		actions: [RUN],
	},
	{
		name: 'the service has ended the token',
		rows: [0],
		actions: [RUN, { is: 'endTokens' }, { ...RUN, rows: [1, 2] }],
	},
	{
		name: 'a failed execution is retried, twice',
		faults: [null, '500, created'],
		actions: [RUN, RETRY, RETRY],
	},
	{
		name: 'a failed execution is retried, and then its retry',
		faults: ['422', '422'],
		actions: [RUN, RETRY, { is: 'retry', of: 2 }],
	},
	{
		name: 'a loop that fails is retried',
		loops: true,
		faults: [null, '422'],
		actions: [RUN, RETRY],
	},
	{
		name: 'Stop while the node waits for an answer, and a retry',
		faults: [null, 'silence after'],
		actions: [
			{ ...RUN, interrupted: { by: 'stop', at: POST, times: 2 } },
			RETRY,
			{ is: 'retry', of: 2 },
		],
	},
	{
		name: 'Stop between two tries, and a retry',
		settings: { ...TRIES, maxTries: 2, waitBetweenTries: 3_000 },
		faults: [null, '422'],
		actions: [{ ...RUN, interrupted: { by: 'stop', at: 'node: throws', then: RUNS } }, RETRY],
	},
	{
		name: 'Stop in a loop, and a retry',
		loops: true,
		faults: [null, 'silence after'],
		actions: [{ ...RUN, interrupted: { by: 'stop', at: POST, times: 2 } }, RETRY],
	},
	{
		name: 'the time limit of the workflow, and a retry',
		timeLimit: 2,
		faults: [null, 'silence after'],
		actions: [{ ...RUN, interrupted: { by: 'timeLimit', at: POST, times: 2 } }, RETRY],
	},
	{
		name: 'the time limit of the workflow, between two tries, and a retry',
		timeLimit: 2,
		settings: { ...TRIES, maxTries: 2, waitBetweenTries: 4_000 },
		faults: [null, '422'],
		actions: [{ ...RUN, interrupted: { by: 'timeLimit', at: 'node: throws', then: RUNS } }, RETRY],
	},
	{
		name: 'n8n is killed while the node waits for an answer',
		faults: [null, 'silence after'],
		actions: [{ ...RUN, interrupted: { by: 'kill', at: POST, times: 2 } }, RETRY],
	},
	{
		name: 'a retry is stopped, and retried',
		faults: [null, '500, created', 'silence after'],
		actions: [RUN, { ...RETRY, interrupted: { by: 'stop', at: POST } }, { is: 'retry', of: 2 }],
	},
	{
		name: 'n8n is killed during a retry, which is retried',
		faults: [null, '500, created', 'silence after'],
		actions: [RUN, { ...RETRY, interrupted: { by: 'kill', at: POST } }, { is: 'retry', of: 2 }],
	},
	{ name: 'processed items', settings: { notes: 'processedItems' }, actions: [RUN] },
	{
		name: 'a node that throws, where n8n goes on',
		settings: { notes: 'throws', onError: 'continueRegularOutput' },
		actions: [RUN],
	},
	{
		name: 'a node that throws, where n8n goes on with its error output',
		settings: { notes: 'throws', onError: 'continueErrorOutput' },
		actions: [RUN],
	},
	{
		name: 'which errors of a first item are failures',
		settings: { ...TRIES, maxTries: 5, notes: 'errors' },
		actions: [RUN],
	},
	{
		name: 'which items go to the error output',
		settings: { notes: 'outputs', onError: 'continueErrorOutput' },
		rows: [0, 1, 2, 3, 4, 5],
		actions: [RUN],
	},
];

const ROWS = [0, 1, 2];

const PARAMETERS = {
	resource: 'payout',
	operation: 'createBank',
	mappingMode: 'autoMapInputData',
	// One after the other, so that their order is always the same.
	// The simulated service of these scenarios has no delivery logs.
	options: { checkDeliveryLogs: 0, referenceSource: 'given', concurrency: 1 },
};

/** @param {number} number */
const rowOf = (number) => (number < 0 ? bankRow(-number, { amount: 'all' }) : bankRow(number));

module.exports = { SCENARIOS, ROWS, PARAMETERS, rowOf, referenceOf };
