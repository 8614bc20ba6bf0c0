import * as fc from 'fast-check';
import { type IDataObject } from 'n8n-workflow';

import { type Fault } from '../../sandbox/faults';
import { useQuickSleep } from '../engine/quickSleep';
import { useService } from '../engine/service';
import { runsOr, SEED } from '../random';
import {
	bank,
	bankRow,
	hurry,
	ON_ERROR,
	PATH,
	referenceOf,
	reported,
	type Reported,
} from './batch';

const service = useService();
useQuickSleep();

const RUNS = runsOr(20);

/** Every response of the sandbox arrives in this time, also on a busy machine. A response that is late breaks no property. */
const TIMEOUT_MS = 400;

const TIME_LIMIT_MS = Math.max(60_000, RUNS * 2_000);

const when = fc.constantFrom('before' as const, 'after' as const);
/** The body of a success that does not name what was created. */
const invalidBody = fc.constantFrom<unknown>(
	{},
	{ transaction_id: '' },
	{ transaction_id: 7 },
	{ success: true, message: 'created' },
	[],
	'created',
	null,
);

/** A fault of the service while it creates a payment. It never creates one that it answers with 4xx. */
const fault: fc.Arbitrary<Fault> = fc.oneof(
	fc.record({ type: fc.constant('reset' as const), when }),
	fc.record({ type: fc.constant('hang' as const), when }),
	fc.record({
		type: fc.constant('status' as const),
		status: fc.constantFrom(500, 502, 503, 504, 408),
		when,
	}),
	fc.record({
		type: fc.constant('status' as const),
		status: fc.constantFrom(400, 401, 403, 404, 409, 418, 422, 302, 307),
	}),
	fc.record({
		type: fc.constant('status' as const),
		status: fc.constant(429),
		retryAfter: fc.constant(0),
	}),
	fc.record({ type: fc.constant('truncate' as const), abort: fc.boolean() }),
	fc.record({ type: fc.constant('html' as const), status: fc.constantFrom(200, 201, 502) }),
	fc.record({ type: fc.constant('empty' as const), status: fc.constantFrom(200, 201, 204) }),
	fc.record({ type: fc.constant('json' as const), body: invalidBody, when }),
	fc.record({ type: fc.constant('latency' as const), ms: fc.integer({ min: 1, max: 20 }), when }),
);

const scenario = fc.record({
	rows: fc.array(
		fc.record({
			/** The number in the row's reference. */
			number: fc.oneof(
				{ weight: 12, arbitrary: fc.integer({ min: 100, max: 100_000 }) },
				{ weight: 1, arbitrary: fc.integer({ min: 0, max: 3 }) },
			),
			upperCase: fc.boolean(),
			/** Whether a cell of the row is invalid. */
			bad: fc.boolean().chain((maybe) => (maybe ? fc.boolean() : fc.constant(false))),
		}),
		{ minLength: 1, maxLength: 30 },
	),
	/** Whether all rows are valid: one invalid row keeps a batch that stops on errors from sending anything. */
	clean: fc.boolean(),
	faults: fc.array(
		fc.record({
			fault,
			skip: fc.integer({ min: 0, max: 25 }),
			times: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.constant('always' as const)),
		}),
		{ maxLength: 4 },
	),
	loginFault: fc.option(
		fc.record({
			fault: fc.constantFrom<Fault>(
				{ type: 'status', status: 503 },
				{ type: 'reset' },
				{ type: 'json', body: {} },
			),
			skip: fc.integer({ min: 0, max: 1 }),
		}),
		{ freq: 6 },
	),
	checkBalance: fc.boolean(),
	/** The first request for balances that fails, and with it all later ones. */
	balanceFault: fc.option(fc.integer({ min: 0, max: 2 }), { freq: 2 }),
	onError: fc.constantFrom(...ON_ERROR),
	/** Retry On Fail; 0 turns it off. */
	maxTries: fc.constantFrom(0, 0, 2, 3),
	concurrency: fc.constantFrom(1, 3, 10),
	duplicateReferences: fc.constantFrom(
		'accept' as const,
		'conflict' as const,
		'badRequest' as const,
	),
	/** Whether a failed execution is retried with "Retry execution". */
	retriedAfterwards: fc.boolean(),
	/** The options that somebody changes before the retry. */
	changed: fc.constantFrom<IDataObject>(
		{},
		{},
		{ maximumAmount: 50 },
		{ expectedCount: 99 },
		{ concurrency: 2 },
	),
	/** Whether the retry pays all references again. */
	referencesToPayAgain: fc.boolean(),
	/** Whether a new execution sends the same rows: it shares only the idempotency store with the first. */
	runAgain: fc.boolean(),
});

type Scenario = typeof scenario extends fc.Arbitrary<infer One> ? One : never;

function itemsOf({ rows, clean }: Scenario): IDataObject[] {
	return rows.map(({ number, upperCase, bad }, position) => {
		// The UUID contains letters, so upper case changes it.
		const reference = referenceOf(clean ? position : number).replace(/^0{8}/, 'abcdefab');
		return bankRow(position, {
			external_reference: upperCase ? reference.toUpperCase() : reference,
			...(bad && !clean && { amount: 'all' }),
		});
	});
}

/** Runs a scenario: the first execution, its retry and a new execution, as far as the scenario has them. */
async function run(one: Scenario): Promise<Reported[][]> {
	const { onError, maxTries, concurrency, duplicateReferences, retriedAfterwards } = one;
	service.sandbox.core.change({ duplicateReferences });
	hurry(service, TIMEOUT_MS);
	for (const rule of one.faults) {
		service.sandbox.core.faults.add({ match: { path: PATH.bank }, ...rule });
	}
	if (one.loginFault) {
		service.sandbox.core.faults.add({ match: { path: '/v2/auth/login' }, ...one.loginFault });
	}

	if (one.balanceFault !== null) {
		service.sandbox.core.faults.add({
			match: { path: '/v2/transactions/payouts/balance' },
			skip: one.balanceFault,
			times: 'always',
			fault: { type: 'status', status: 503 },
		});
	}

	const parameters = { concurrency, checkBalance: one.checkBalance };
	const options = {
		items: itemsOf(one),
		onError,
		node: maxTries === 0 ? {} : { retryOnFail: true, maxTries, waitBetweenTries: 1 },
	};
	const first = await service.run(bank(parameters), options);
	const executions = [reported(first)];
	if (first.error && retriedAfterwards) {
		// It is safe to pay a reference again only if the service rejects duplicate references.
		const again = one.referencesToPayAgain && duplicateReferences !== 'accept';
		const changed = bank({
			...parameters,
			...one.changed,
			...(again && {
				ifAlreadySent: 'payAgain',
				referencesToPayAgain: itemsOf(one).map(({ external_reference: reference }) => reference),
			}),
		});
		const retried = await service.run(changed, { ...options, resumeFrom: first.run.data });
		executions.push(reported(retried));
	}
	if (one.runAgain) executions.push(reported(await service.run(bank(parameters), options)));
	return executions;
}

test(
	`creates no payment twice and reports every payment that it created (${RUNS} scenarios, seed ${SEED})`,
	async () => {
		await fc.assert(
			fc.asyncProperty(scenario, async (one) => {
				service.renew();
				const items = itemsOf(one);
				const executions = await run(one);

				const transactions = [...service.sandbox.core.state.transactions.values()];
				const idOf = new Map(
					transactions.map(({ id, reference }) => [String(reference).toLowerCase(), id]),
				);
				expect(idOf.size).toBe(transactions.length);

				// The last report of a row counts.
				const lastReport = new Map<string, Reported>();
				for (const row of executions.flat()) {
					lastReport.set(String(items[row.item].external_reference).toLowerCase(), row);
				}
				const repeated = new Set<string>();
				const seen = new Set<string>();
				for (const { external_reference } of items) {
					const reference = String(external_reference).toLowerCase();
					if (seen.has(reference)) repeated.add(reference);
					seen.add(reference);
				}
				for (const [reference, { outcome, transactionId }] of lastReport) {
					// Of two rows with one reference, the second is rejected, whatever the outcome of the first.
					if (repeated.has(reference)) continue;
					const id = idOf.get(reference);
					if (outcome === 'created') expect(transactionId).toBe(id);
					else if (id !== undefined) expect(['unknown', 'alreadySent']).toContain(outcome);
				}
				// Every created payment is reported, and every payment that is reported as created exists.
				for (const [reference, id] of idOf) {
					const reports = executions.flatMap((rows) =>
						rows.filter(
							({ item }) => String(items[item].external_reference).toLowerCase() === reference,
						),
					);
					expect(reports.map(({ outcome }) => outcome)).toEqual(
						expect.arrayContaining([expect.stringMatching(/^(created|unknown|alreadySent)$/)]),
					);
					for (const { outcome, transactionId } of reports) {
						if (outcome === 'created') expect(transactionId).toBe(id);
					}
				}
				for (const { outcome, transactionId } of executions.flat()) {
					if (outcome === 'created') expect([...idOf.values()]).toContain(transactionId);
				}
			}),
			{
				numRuns: RUNS,
				seed: SEED,
				// This leaves time to print the scenario that failed.
				interruptAfterTimeLimit: TIME_LIMIT_MS * 0.8,
				markInterruptAsFailure: true,
			},
		);
	},
	TIME_LIMIT_MS,
);
