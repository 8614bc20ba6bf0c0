import { useService } from '../engine/service';
import {
	untilSent,
	bank,
	bankRows,
	created,
	GOING_ON,
	keptOutcomes,
	listen,
	ON_ERROR,
	outcomes,
	PATH,
	posted,
	referenceOf,
	references,
	type reported,
	strike,
	transactionIds,
} from './batch';

const service = useService({ duplicateReferences: 'accept' });

/** Cancels the execution when that many payments have arrived at the sandbox. */
async function cancelledAfter(
	arrivals: number,
	parameters: Parameters<typeof service.run>[0],
	options: Parameters<typeof service.run>[1],
) {
	let cancel = (): void => {};
	const running = service.run(parameters, {
		...options,
		onStart: (execution) => {
			cancel = () => execution.cancel();
		},
	});
	await untilSent(service, arrivals);
	cancel();
	return await running;
}

describe.each(ON_ERROR)('cancelling with On Error %s', (onError) => {
	test('sends no further row, and reports rows in flight as unknown', async () => {
		const said = listen();
		for (const number of [2, 3, 4]) {
			strike(service, referenceOf(number), { type: 'hang', when: 'after' });
		}
		// The first two are answered; then three at a time are in flight.
		const result = await cancelledAfter(5, bank({ concurrency: 3 }), {
			items: bankRows(12),
			onError,
		});

		expect(posted(service).sort()).toEqual(references(5));
		const kept = keptOutcomes(result);
		expect(kept).toEqual({
			[referenceOf(0)]: 'created',
			[referenceOf(1)]: 'created',
			[referenceOf(2)]: 'unknown',
			[referenceOf(3)]: 'unknown',
			[referenceOf(4)]: 'unknown',
		});
		const [line, ...others] = said().filter((text) => text.startsWith('warn Partner Payments: '));
		expect(others).toHaveLength(5);
		expect(line).toContain('3 unknown, 2 created, 7 not sent');
		// The messages themselves must say it: n8n’s usual log shows nothing else.
		const message = others.map((text) => text.slice(0, text.lastIndexOf(' {'))).join('\n');
		for (const [reference, id] of transactionIds(service)) {
			expect(message).toContain(reference);
			const answered = kept[reference] === 'created';
			expect(message.includes(id)).toBe(answered);
		}
		expect(message).not.toContain('Quispe');
	});

	test('does not retry a cancelled batch', async () => {
		for (const number of [0, 1]) strike(service, referenceOf(number), { type: 'hang' });
		const result = await cancelledAfter(2, bank({ concurrency: 2 }), {
			items: bankRows(6),
			onError,
			retryOnFail: true,
		});
		expect(posted(service).sort()).toEqual(references(2));
		expect(created(service)).toEqual([]);
		expect(keptOutcomes(result)).toEqual({
			[referenceOf(0)]: 'unknown',
			[referenceOf(1)]: 'unknown',
		});
	});

	test('ends a pause for Retry-After at once', async () => {
		service.sandbox.core.faults.add({
			match: { path: PATH.bank },
			times: 'always',
			fault: { type: 'status', status: 429, retryAfter: 50 },
		});
		const result = await cancelledAfter(1, bank({ concurrency: 1 }), {
			items: bankRows(3),
			onError,
		});
		expect(posted(service)).toEqual([referenceOf(0)]);
		expect(created(service)).toEqual([]);
		expect(Object.values(keptOutcomes(result))).not.toContain('created');
	});
});

test('pays nothing twice in a retry of a cancelled execution, and holds rows in flight', async () => {
	strike(service, referenceOf(1), { type: 'hang', when: 'after' });
	const cancelled = await cancelledAfter(2, bank({ concurrency: 1 }), { items: bankRows(4) });
	expect(created(service)).toEqual(references(2));

	const retried = await service.run(bank({ concurrency: 1 }), {
		items: bankRows(4),
		resumeFrom: cancelled.run.data,
	});
	expect(outcomes(retried)).toEqual(['created', 'unknown', 'created', 'created']);
	expect(created(service)).toEqual(references(4));
	expect(posted(service)).toHaveLength(4);
});

test('pays nothing twice in a retry that n8n stored before the node ran', async () => {
	const items = bankRows(4);
	strike(service, referenceOf(1), { type: 'hang', when: 'after' });
	const cancelled = await cancelledAfter(2, bank({ concurrency: 1 }), { items });
	const { executionData } = cancelled.run.data;
	if (executionData) executionData.contextData = {};

	const retried = await service.run(bank({ concurrency: 1 }), {
		items,
		resumeFrom: cancelled.run.data,
	});
	// The responses are lost with the state. The answer of the second was never recorded.
	expect(outcomes(retried)).toEqual(['alreadySent', 'unknown', 'created', 'created']);
	expect(created(service)).toEqual(references(4));
	expect(posted(service)).toHaveLength(4);
});

test('reports rows after the cancellation as notSent', async () => {
	strike(service, referenceOf(0), { type: 'hang', when: 'before' });
	const result = await cancelledAfter(1, bank({ concurrency: 1 }), { items: bankRows(3) });
	const [error] = result.thrown as Array<{ context: { rows: ReturnType<typeof reported> } }>;
	expect(error.context.rows.map(({ outcome }) => outcome)).toEqual([
		'unknown',
		'notSent',
		'notSent',
	]);
	expect(error.context.rows[1].message).toContain('cancelled');
});

test.each(GOING_ON)('logs no cancellation of a finished batch (%s)', async (onError) => {
	const said = listen();
	await service.run(bank({}), { items: bankRows(3), onError });
	expect(said().filter((line) => /cancelled/.test(line))).toEqual([]);
});
