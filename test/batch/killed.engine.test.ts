import { type IDataObject } from 'n8n-workflow';

import { ProcessedItems, useProcessedItems } from '../engine/processedItems';
import type { RunResult } from '../engine/runNode';
import { useService } from '../engine/service';
import {
	untilSent,
	bank,
	bankRows,
	created,
	outcomes,
	posted,
	referenceOf,
	references,
	reported,
	strike,
	transactionIds,
} from './batch';

// The service would accept a second payment: only n8n’s store knows what a killed process sent.
const service = useService({ duplicateReferences: 'accept' });

/** The most rows that may be unknown after a kill: a chunk, and the ten in flight. */
const MAX_UNKNOWN = 90;

/** Calls back each time that a payment arrives at the sandbox, before it is created. */
function atEachPayment(callback: (body: IDataObject) => void): void {
	const { faults } = service.sandbox.core;
	const plan = faults.planFor.bind(faults);
	faults.planFor = (request) => {
		if (request.method === 'POST' && request.visit.path.includes('/transactions/')) {
			callback(request.body as IDataObject);
		}
		return plan(request);
	};
}

/** The sandbox lives as long as the file, so each test restores it. */
let planFor: typeof service.sandbox.core.faults.planFor;
beforeEach(() => ({ planFor } = service.sandbox.core.faults));
afterEach(() => {
	service.sandbox.core.faults.planFor = planFor;
});

/**
 * Ends the process in the middle of a batch: only what n8n’s database held at that moment survives. The execution itself
 * has no part in what follows.
 */
async function killedAfter(arrivals: number, count: number, concurrency = 10): Promise<void> {
	let cancel = (): void => {};
	const running = service.run(bank({ concurrency }), {
		items: bankRows(count),
		onStart: (execution) => {
			cancel = () => execution.cancel();
		},
	});
	await untilSent(service, arrivals);
	const database = new Map(
		[...service.processed.rows].map(([key, row]) => [key, structuredClone(row)]),
	);
	// The lock is held for moments; other tests wait out the lock of a killed holder.
	database.delete('workflow-1 ');
	cancel();
	await running;

	service.processed = useProcessedItems();
	for (const [key, row] of database) service.processed.rows.set(key, row);
}

const again = async (options = {}): Promise<RunResult> =>
	await service.run(bank(options), { items: bankRows(400) });

describe('before a payment is sent', () => {
	test('waits until references are recorded', async () => {
		let write = (): void => {};
		const written = new Promise<void>((resolve) => {
			write = resolve;
		});
		let ask = (): void => {};
		const asked = new Promise<void>((resolve) => {
			ask = resolve;
		});
		let arrived = 0;
		atEachPayment(() => arrived++);
		service.processed = useProcessedItems(
			new ProcessedItems(async () => {
				ask();
				await written;
			}),
		);
		const running = service.run(bank({}), { items: bankRows(3) });
		await asked;
		// Time for a payment that does not wait.
		for (let trip = 0; trip < 20; trip++) await fetch(service.sandbox.baseUrl);
		expect(arrived).toBe(0);
		write();
		expect(outcomes(await running)).toEqual(['created', 'created', 'created']);
	});

	test('records references in at most three calls a turn of the lock, and removes nothing', async () => {
		await service.run(bank({}), { items: bankRows(600) });
		const countOf = (call: RegExp) =>
			service.processed.calls.filter((one) => call.test(one)).length;
		expect(countOf(/^remove \d+ in node/)).toBe(0);
		expect(countOf(/^record \d+ in node/)).toBeLessThanOrEqual(3 * countOf(/^clear workflow/));
	});
});

test('leaves only requests in flight unknown after a cancelled batch', async () => {
	for (const number of [20, 21, 22]) {
		strike(service, referenceOf(number), { type: 'hang', when: 'after' });
	}
	const lastRequest = new Promise<void>((resolve) => {
		atEachPayment(({ external_reference }) => {
			if (external_reference === referenceOf(22)) resolve();
		});
	});
	let cancel = (): void => {};
	const running = service.run(bank({ concurrency: 3 }), {
		items: bankRows(300),
		onStart: (execution) => {
			cancel = () => execution.cancel();
		},
	});
	await lastRequest;
	cancel();
	await running;

	// Unsent rows are forgotten a moment after the end; the next run waits for the lock.
	const second = await service.run(bank({}), { items: bankRows(300) });
	expect(outcomes(second).slice(0, 23)).toEqual([
		...Array(20).fill('alreadySent'),
		...Array(3).fill('unknown'),
	]);
	expect(created(service).sort()).toEqual(references(300));
	expect(posted(service)).toHaveLength(300);
});

describe('a killed process', () => {
	test('pays each row once after a killed run, and leaves few unknown', async () => {
		await killedAfter(237, 400);
		const paid = new Set(created(service));
		expect(paid.size).toBeGreaterThan(200);
		expect(paid.size).toBeLessThan(260);

		const second = await again();
		expect(new Set(created(service)).size).toBe(created(service).length);
		const rows = reported(second);
		expect(rows).toHaveLength(400);
		const ids = transactionIds(service);
		for (const { outcome, reference, transactionId } of rows) {
			if (outcome === 'created') expect(transactionId).toBe(ids.get(reference));
			else expect(['alreadySent', 'unknown']).toContain(outcome);
			// What nobody has paid is not called sent.
			if (outcome === 'alreadySent') expect(paid.has(reference)).toBe(true);
		}

		const held = rows.filter(({ outcome }) => outcome === 'unknown');
		const exists = new Set(created(service));
		const unpaid = held.map(({ reference }) => reference).filter((one) => !exists.has(one));
		expect(unpaid.length).toBeLessThanOrEqual(MAX_UNKNOWN);

		// A person has looked up each of them: exactly those that do not exist are paid again.
		const third = await again({
			ifAlreadySent: 'payAgain',
			referencesToPayAgain: unpaid.join('\n') || 'none',
		});
		expect(created(service).sort()).toEqual(references(400));
		expect(
			reported(third)
				.filter(({ outcome }) => outcome === 'created')
				.map(({ reference }) => reference)
				.sort(),
		).toEqual(unpaid.sort());
	}, 90_000);

	test('pays each row once after a kill at any other moment', async () => {
		for (const moment of [1, 11, 79, 80, 81, 160]) {
			service.renew();
			await killedAfter(moment, 200);
			const result = await service.run(bank({}), { items: bankRows(200) });
			expect(new Set(created(service)).size).toBe(created(service).length);
			const missing = references(200).filter((one) => !created(service).includes(one));
			expect(missing.length).toBeLessThanOrEqual(MAX_UNKNOWN);
			const byReference = new Map(reported(result).map((row) => [row.reference, row.outcome]));
			for (const reference of missing) expect(byReference.get(reference)).toBe('unknown');
		}
	}, 60_000);
});
