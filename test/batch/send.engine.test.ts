import { useQuickSleep } from '../engine/quickSleep';
import { useService } from '../engine/service';
import {
	BANK,
	untilSent,
	bank,
	bankRow,
	bankRows,
	created,
	KINDS,
	ON_ERROR,
	outcomes,
	PATH,
	posted,
	referenceOf,
	references,
	reported,
	rowsOf,
	strike,
} from './batch';

// The service would accept a second payment: only the node can prevent it.
const service = useService({ duplicateReferences: 'accept' });

const slow = (ms: number): void => {
	service.sandbox.core.faults.add({
		match: { path: '/v*/transactions/*' },
		times: 'always',
		fault: { type: 'latency', ms },
	});
};

const counters = () => service.sandbox.core.traffic.counters();

/** Expects that all rows were created once. */
function expectAllOnce(count: number): void {
	expect(created(service).sort()).toEqual(references(count));
	expect(service.sandbox.core.transactions.counters().duplicates).toBe(0);
}

describe('concurrency', () => {
	test('sends strictly in the order of the rows with a concurrency of 1', async () => {
		slow(2);
		await service.run(bank({ concurrency: 1 }), { items: bankRows(12) });
		expect(posted(service)).toEqual(references(12));
		expect(created(service)).toEqual(references(12));
		expect(counters().maxInFlight).toBe(1);
	});

	test('has 10 requests in flight at first by default', async () => {
		service.sandbox.core.faults.add({
			match: { path: PATH.bank },
			times: 'always',
			fault: { type: 'hang' },
		});
		await service.run(bank({ timeout: 1 }), { items: bankRows(40) });
		expect(counters().maxInFlight).toBe(10);
	});

	test('has more requests in flight by default at a service that keeps up', async () => {
		slow(100);
		await service.run(BANK, { items: bankRows(100) });
		expectAllOnce(100);
		expect(counters().maxInFlight).toBeGreaterThan(10);
	});

	test.each([3, 25])('never exceeds a concurrency of %d', async (concurrency) => {
		slow(20);
		await service.run(bank({ concurrency }), { items: bankRows(60) });
		expectAllOnce(60);
		expect(counters().maxInFlight).toBeGreaterThan(1);
		expect(counters().maxInFlight).toBeLessThanOrEqual(concurrency);
	});

	test.each([0, -3, 101, 1_000_000, 2.5, 'many', '', null])(
		'sends nothing with the invalid concurrency %j',
		async (value) => {
			const result = await service.run(bank({ concurrency: value }), { items: bankRows(3) });
			expect(service.sandbox.core.traffic.requests()).toEqual([]);
			expect(result.error?.message).toMatch(/^Nothing was sent\. Sending: Concurrency is /);
			expect(result.error?.description).toContain('Enter a whole number from 1 to 100');
		},
	);

	test.each([1, 100, '7', ' 7 '])('accepts the concurrency %j', async (value) => {
		await service.run(bank({ concurrency: value }), { items: bankRows(3) });
		expectAllOnce(3);
	});

	test.each(KINDS)('returns the rows of a $name in order', async (kind) => {
		const items = rowsOf(kind, 5, service);
		strike(service, String(items[0][kind.reference]), { type: 'latency', ms: 50 });
		const result = await service.run(kind.parameters, { items });
		expect(reported(result).map(({ item, reference }) => [item, reference])).toEqual(
			items.map((row, item) => [item, row[kind.reference]]),
		);
		expect(posted(service)).toHaveLength(5);
	});
});

test('spreads requests over time with a limit per second', async () => {
	await service.run(bank({ requestsPerSecond: 20 }), { items: bankRows(5) });
	const arrivals = service.sandbox.core.traffic
		.requests()
		.filter(({ path }) => path === PATH.bank)
		.map(({ at }) => Date.parse(at));
	expect(arrivals).toHaveLength(5);
	// Four pauses of 50 ms, and almost none without the limit. The first request may arrive late.
	expect(arrivals[4] - arrivals[0]).toBeGreaterThanOrEqual(100);
});

describe('status 429', () => {
	useQuickSleep();

	test.each([
		['a Retry-After of seconds', 1],
		['a Retry-After of no seconds', 0],
		['a Retry-After that is a date', 'date'],
		['a Retry-After that cannot be read', 'soon'],
		['no Retry-After', undefined],
	])('waits after a 429 with %s and creates all rows once', async (_, retryAfter) => {
		service.sandbox.core.faults.add({
			match: { path: PATH.bank },
			skip: 2,
			times: 3,
			fault: { type: 'status', status: 429, ...(retryAfter !== undefined && { retryAfter }) },
		});
		const result = await service.run(BANK, { items: bankRows(12) });
		expect(outcomes(result)).toEqual(bankRows(12).map(() => 'created'));
		expectAllOnce(12);
		expect(posted(service)).toHaveLength(15);
	});

	test.each(ON_ERROR)(
		'rejects a row after repeated 429s and stops the batch, with On Error %s',
		async (onError) => {
			strike(service, referenceOf(1), { type: 'status', status: 429, retryAfter: 0 }, 'always');
			const result = await service.run(bank({ concurrency: 1 }), { items: bankRows(4), onError });
			expect(outcomes(result)).toEqual(['created', 'rejected', 'notSent', 'notSent']);
			const [, , third, last] = reported(result);
			for (const { message } of [third, last]) expect(message).toMatch(/^Not sent: .*429/);
			expect(created(service)).toEqual([referenceOf(0)]);
			expect(
				posted(service).filter((reference) => reference === referenceOf(1)).length,
			).toBeLessThan(20);
		},
	);

	test('does not retry each row during lasting 429s', async () => {
		await service.run(BANK, { items: [bankRow(99)] });
		service.sandbox.core.faults.add({
			match: { path: PATH.bank },
			times: 'always',
			fault: { type: 'status', status: 429, retryAfter: 0 },
		});
		const result = await service.run(BANK, {
			items: bankRows(30),
			onError: 'continueRegularOutput',
		});
		expect(created(service)).toEqual([referenceOf(99)]);
		expect(posted(service).length).toBeLessThan(30);
		const ended = outcomes(result);
		expect(ended).not.toContain('unknown');
		expect(ended.filter((outcome) => outcome === 'notSent').length).toBeGreaterThanOrEqual(15);
	});

	test.each([0, 1])(
		'waits once for many 429s at the same time, with a Retry-After of %d seconds',
		async (retryAfter) => {
			service.sandbox.core.faults.add({
				match: { path: PATH.bank },
				times: 10,
				fault: { type: 'status', status: 429, retryAfter },
			});
			slow(20);
			const result = await service.run(BANK, { items: bankRows(20) });
			expect(outcomes(result)).toEqual(bankRows(20).map(() => 'created'));
			expectAllOnce(20);
			expect(posted(service)).toHaveLength(30);
		},
	);
});

describe('no other resend', () => {
	test.each([400, 403, 404, 408, 409, 422, 500, 502, 503, 504])(
		'does not resend after status %d, even with Retry-After',
		async (status) => {
			strike(service, referenceOf(0), { type: 'status', status, retryAfter: 0 }, 'always');
			await service.run(BANK, { items: bankRows(2), onError: 'continueRegularOutput' });
			expect(posted(service).sort()).toEqual(references(2));
		},
	);

	test.each(['before', 'after'] as const)('never resends after a reset %s commit', async (when) => {
		strike(service, referenceOf(0), { type: 'reset', when }, 'always');
		await service.run(BANK, { items: bankRows(2), onError: 'continueRegularOutput' });
		expect(posted(service).sort()).toEqual(references(2));
	});

	test('does not resend to another address that the service names', async () => {
		strike(service, referenceOf(0), {
			type: 'status',
			status: 307,
			headers: { location: `${service.sandbox.baseUrl}${PATH.bank}` },
		});
		const result = await service.run(BANK, { items: bankRows(1) });
		expect(outcomes(result)).toEqual(['unknown']);
		expect(posted(service)).toEqual([referenceOf(0)]);
	});
});

describe('logins', () => {
	test('logs in once and decrypts the credential once for all rows', async () => {
		await service.run(BANK, { items: bankRows(30) });
		expectAllOnce(30);
		expect(counters().logins).toBe(1);
		expect(service.credentials.counters.decrypted).toBe(1);
	});

	test('reuses the token of the last execution', async () => {
		await service.run(BANK, { items: [bankRow(0)] });
		await service.run(BANK, { items: [bankRow(1)] });
		expectAllOnce(2);
		expect(counters().logins).toBe(1);
	});

	test('logs in once more if 50 rows meet a 401 together', async () => {
		await service.run(BANK, { items: [bankRow(50)] });
		service.sandbox.core.tokens.revoke();
		slow(100);
		const before = service.credentials.counters.decrypted;
		const result = await service.run(bank({ concurrency: 50 }), { items: bankRows(50) });

		expect(outcomes(result)).toEqual(bankRows(50).map(() => 'created'));
		expectAllOnce(51);
		expect(counters().byStatus[401]).toBe(50);
		expect(counters().logins).toBe(2);
		expect(service.credentials.counters.decrypted - before).toBe(1);
	});

	test.each([1, 10])(
		'logs in once more if the token is revoked in mid-batch, at concurrency %d',
		async (concurrency) => {
			const running = service.run(bank({ concurrency }), { items: bankRows(30) });
			await untilSent(service, 12);
			service.sandbox.core.tokens.revoke();
			const result = await running;

			expect(outcomes(result)).toEqual(bankRows(30).map(() => 'created'));
			expectAllOnce(30);
			expect(counters().logins).toBe(2);
		},
	);

	test('logs in once more if the token expires in mid-batch, without losing a row', async () => {
		service.sandbox.core.change({ tokenLifetimeSeconds: 1 });
		// The row is created while the token is valid, and answered after it has expired.
		strike(service, referenceOf(5), { type: 'latency', when: 'after', ms: 1_100 });
		const running = service.run(bank({ concurrency: 1 }), { items: bankRows(10) });
		await untilSent(service, 3);
		service.sandbox.core.change({ tokenLifetimeSeconds: 3600 });
		const result = await running;

		expect(outcomes(result)).toEqual(bankRows(10).map(() => 'created'));
		expectAllOnce(10);
		expect(counters().logins).toBe(2);
	});

	test('tries a rejected login once and sends nothing', async () => {
		service.credentials.save('credential-1', { ...service.login, password: 'wrong' });
		const result = await service.run(BANK, { items: bankRows(20) });
		expect(counters().loginFailures).toBe(1);
		expect(created(service)).toEqual([]);
		expect(outcomes(result)).toEqual(bankRows(20).map(() => 'notSent'));
		expect(result.error?.message).toContain('does not accept this email and password');
	});

	test('creates no payment at a service that never accepts a token', async () => {
		strike(service, referenceOf(0), { type: 'status', status: 401 }, 'always');
		const result = await service.run(BANK, { items: bankRows(1) });
		expect(created(service)).toEqual([]);
		expect(outcomes(result)).toEqual(['rejected']);
	});
});
