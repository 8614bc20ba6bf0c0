/**
 * The faults of the crash test: what happens to a file of payments, and what a person does then. The same for every
 * contestant.
 */
import { BANK_PAYOUT } from './contestants.mjs';

/** Settings of a node, as n8n's documentation recommends them for errors that pass. */
const RETRY_ON_FAIL = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1_000 };

/** Results of the other items are kept. With Retry On Fail, n8n would not try again then. */
const ERROR_OUTPUT = { onError: 'continueErrorOutput' };

/** The row that meets a fault. */
const ROW = 100;

/** From this payment on, the service does not answer. It still makes the first of them. */
const SILENT_FROM = 100;
const MADE_IN_SILENCE = 5;

const CORRECTED = 10;

/** The seconds that a workflow may take. */
const TIME_LIMIT = 20;

/**
 * @typedef {object} Fault
 * @property {string} id
 * @property {string} title what happens, and what a person does
 * @property {Record<string, any>} [nodeSettings] of the node that pays
 * @property {object} [settings] of the workflow
 * @property {boolean} [isCalled] another workflow calls the one that pays, with Retry On Fail
 * @property {(desk: import('./crash.mjs').Desk) => Promise<unknown>} happen
 */

/** @type {Fault[]} */
export const FAULTS = [
	{
		id: 'kill',
		title: 'n8n is killed in the middle. What is not reported as paid is run again.',
		nodeSettings: ERROR_OUTPUT,
		async happen(desk) {
			await silence(desk);
			const running = desk.start().catch(() => {});
			await desk.untilStuck(SILENT_FROM);
			await desk.kill();
			await running;
			await desk.sandbox.clearFaults();
			await desk.startN8n();
			await desk.payTheRest();
		},
	},
	{
		id: 'stop',
		title: 'The execution is stopped in the middle. What is not reported as paid is run again.',
		nodeSettings: ERROR_OUTPUT,
		async happen(desk) {
			await silence(desk);
			const running = desk.start();
			await desk.untilStuck(SILENT_FROM);
			await desk.stop();
			await running;
			await desk.sandbox.clearFaults();
			await desk.payTheRest();
		},
	},
	{
		id: 'time limit',
		title: 'The workflow’s time limit ends it in the middle. _Retry execution_.',
		settings: { executionTimeout: TIME_LIMIT },
		async happen(desk) {
			await silence(desk);
			await desk.start();
			await desk.sandbox.clearFaults();
			await desk.retry();
		},
	},
	...['after', 'before'].map((when) => ({
		id: `reset ${when}`,
		title: `The connection breaks ${when} the service made a payment. What is not reported as paid is run again.`,
		nodeSettings: ERROR_OUTPUT,
		async happen(desk) {
			await atRow(desk, { type: 'reset', when });
			await desk.start();
			await desk.payTheRest();
		},
	})),
	{
		id: '500 after',
		title: 'The service answers 500 although it made a payment. _Retry execution_.',
		async happen(desk) {
			await atRow(desk, { type: 'status', status: 500, when: 'after' });
			await desk.start();
			await desk.retry();
		},
	},
	{
		id: 'retry on fail',
		title: 'The same 500, with Retry On Fail.',
		nodeSettings: RETRY_ON_FAIL,
		async happen(desk) {
			await atRow(desk, { type: 'status', status: 500, when: 'after' });
			await desk.start();
		},
	},
	{
		id: '429',
		title: 'A tenth of the requests gets a 429 with Retry-After, with Retry On Fail.',
		nodeSettings: RETRY_ON_FAIL,
		async happen(desk) {
			await desk.sandbox.addFault({
				match: { method: 'POST', path: BANK_PAYOUT },
				times: 'always',
				probability: 0.1,
				seed: 1,
				fault: { type: 'status', status: 429, retryAfter: 1 },
			});
			await desk.start();
		},
	},
	{
		id: 'caller',
		title:
			'A payment is rejected with a 422 once. The workflow that called this one has Retry On Fail.',
		isCalled: true,
		async happen(desk) {
			await atRow(desk, { type: 'status', status: 422 });
			await desk.start();
		},
	},
	{
		id: 'twice at once',
		title: 'The file is started twice at once.',
		happen: async (desk) => await Promise.all([desk.start(), desk.start()]),
	},
	{
		id: 'again',
		title: 'The file is run again by mistake, after it was paid.',
		async happen(desk) {
			await desk.start();
			await desk.start();
		},
	},
	{
		id: 'corrected',
		title: `${CORRECTED} amounts are corrected after the file was paid, and it is run again.`,
		async happen(desk) {
			await desk.start();
			desk.write((row, number) =>
				number < CORRECTED ? { ...row, amount: (Number(row.amount) + 10).toFixed(2) } : row,
			);
			await desk.start();
		},
	},
];

/** @param {import('./crash.mjs').Desk} desk */
async function silence({ sandbox }) {
	const match = { method: 'POST', path: BANK_PAYOUT };
	const hang = (when) => ({ type: 'hang', when });
	await sandbox.addFault({
		match,
		skip: SILENT_FROM,
		times: MADE_IN_SILENCE,
		fault: hang('after'),
	});
	// Requests that the first fault stops don't count for the second.
	await sandbox.addFault({ match, skip: SILENT_FROM, times: 'always', fault: hang('before') });
}

/**
 * @param {import('./crash.mjs').Desk} desk
 * @param {object} fault
 */
async function atRow({ sandbox, rows }, fault) {
	await sandbox.addFault({
		match: { method: 'POST', path: BANK_PAYOUT, bodyContains: rows[ROW].external_reference },
		fault,
	});
}
