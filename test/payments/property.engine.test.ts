/* eslint-disable @n8n/community-nodes/no-restricted-globals -- runs beside n8n, not in it */
import * as fc from 'fast-check';
import { type IDataObject } from 'n8n-workflow';

import { type Fault } from '../../sandbox/faults';
import { useService } from '../engine/service';
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

/**
 * More runs, or the same ones again: PROPERTY_RUNS=2000 PROPERTY_SEED=7 npx jest test/payments/property.
 * Each run has other scenarios; one that fails names its seed.
 */
const RUNS = Number(process.env.PROPERTY_RUNS ?? 60);
const SEED = Number(process.env.PROPERTY_SEED ?? Date.now() % 2 ** 31);

/** Long enough for an answer that comes, on a busy machine too; a wrong guess breaks no property. */
const TIMEOUT_MS = 400;

const TIME_LIMIT_MS = Math.max(60_000, RUNS * 2_000);

const when = fc.constantFrom('before' as const, 'after' as const);
const lie = fc.constantFrom<unknown>(
	{},
	{ transaction_id: '' },
	{ transaction_id: 7 },
	{ success: true, message: 'created' },
	[],
	'created',
	null,
);

/**
 * What can happen to a payment. A service that refuses with 4xx and creates all the same is not
 * among it: nobody could pay through that.
 */
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
	fc.record({ type: fc.constant('json' as const), body: lie, when }),
	fc.record({ type: fc.constant('latency' as const), ms: fc.integer({ min: 1, max: 20 }), when }),
);

const scenario = fc.record({
	/** Number of a row's reference, and whether a cell of it is bad. */
	rows: fc.array(
		fc.record({
			number: fc.oneof(
				{ weight: 12, arbitrary: fc.integer({ min: 100, max: 100_000 }) },
				{ weight: 1, arbitrary: fc.integer({ min: 0, max: 3 }) },
			),
			upperCase: fc.boolean(),
			bad: fc.boolean().chain((maybe) => (maybe ? fc.boolean() : fc.constant(false))),
		}),
		{ minLength: 1, maxLength: 30 },
	),
	/** Batches that are good, too: with any bad row a batch that stops sends nothing. */
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
	/** From which time on the balances cannot be read. */
	balanceFault: fc.option(fc.integer({ min: 0, max: 2 }), { freq: 2 }),
	onError: fc.constantFrom(...ON_ERROR),
	/** 0 is off. */
	maxTries: fc.constantFrom(0, 0, 2, 3),
	concurrency: fc.constantFrom(1, 3, 10),
	duplicateReferences: fc.constantFrom(
		'accept' as const,
		'conflict' as const,
		'badRequest' as const,
	),
	/** "Retry execution", which happens to what failed. */
	retriedAfterwards: fc.boolean(),
	/** What was changed in the node in between. */
	changed: fc.constantFrom<IDataObject>(
		{},
		{},
		{ maximumAmount: 50 },
		{ expectedCount: 99 },
		{ concurrency: 2 },
	),
	/** Whether a person then says that all may be sent again. */
	referencesToPayAgain: fc.boolean(),
	/** The same rows in an execution of its own, which has nothing left of the first but n8n's memory. */
	runAgain: fc.boolean(),
});

type Scenario = typeof scenario extends fc.Arbitrary<infer One> ? One : never;

function itemsOf({ rows, clean }: Scenario): IDataObject[] {
	return rows.map(({ number, upperCase, bad }, position) => {
		// A UUID with letters in it, so that upper case makes a difference.
		const reference = referenceOf(clean ? position : number).replace(/^0{8}/, 'abcdefab');
		return bankRow(position, {
			external_reference: upperCase ? reference.toUpperCase() : reference,
			...(bad && !clean && { amount: 'all' }),
		});
	});
}

/** Runs it, and again as "Retry execution" and as a new execution where that is part of it. */
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
	const told = [reported(first)];
	if (first.error && retriedAfterwards) {
		// Sending again a payment that may exist is safe only where the service refuses the second one.
		const again = one.referencesToPayAgain && duplicateReferences !== 'accept';
		const changed = bank({
			...parameters,
			...one.changed,
			...(again && { ifAlreadySent: 'payAgain', referencesToPayAgain: '*' }),
		});
		const retried = await service.run(changed, { ...options, resumeFrom: first.run.data });
		told.push(reported(retried));
	}
	if (one.runAgain) told.push(reported(await service.run(bank(parameters), options)));
	return told;
}

test(
	'whatever happens, nothing is created twice and nothing that was created goes unreported',
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

				// What an execution says of a row is the last word about it, unless it says nothing.
				const lastWord = new Map<string, Reported>();
				for (const row of executions.flat()) {
					lastWord.set(String(items[row.item].external_reference).toLowerCase(), row);
				}
				const twins = new Set<string>();
				const seen = new Set<string>();
				for (const { external_reference } of items) {
					const reference = String(external_reference).toLowerCase();
					if (seen.has(reference)) twins.add(reference);
					seen.add(reference);
				}
				for (const [reference, { outcome, transactionId }] of lastWord) {
					// Of two rows with one reference, the second is a bad row whatever became of the first.
					if (twins.has(reference)) continue;
					const id = idOf.get(reference);
					if (outcome === 'created') expect(transactionId).toBe(id);
					else if (id !== undefined) expect(['unknown', 'alreadySent']).toContain(outcome);
				}
				// Nothing that was created goes unreported, and what was reported as created was.
				for (const [reference, id] of idOf) {
					const words = executions.flatMap((rows) =>
						rows.filter(
							({ item }) => String(items[item].external_reference).toLowerCase() === reference,
						),
					);
					expect(words.map(({ outcome }) => outcome)).toEqual(
						expect.arrayContaining([expect.stringMatching(/^(created|unknown|sentBefore)$/)]),
					);
					for (const { outcome, transactionId } of words) {
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
				// Leaves time to say which case it was that failed.
				interruptAfterTimeLimit: TIME_LIMIT_MS * 0.8,
				markInterruptAsFailure: true,
			},
		);
	},
	TIME_LIMIT_MS,
);
