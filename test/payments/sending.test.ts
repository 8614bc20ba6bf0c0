import { useService } from '../engine/service';
import {
	BANK,
	arrival,
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

// A second payment would be accepted: the node alone has to prevent it.
const service = useService({ duplicateReferences: 'accept' });

const slow = (ms: number): void => {
	service.sandbox.core.faults.add({
		match: { path: '/v*/transactions/*' },
		times: 'always',
		fault: { type: 'latency', ms },
	});
};

const counters = () => service.sandbox.core.traffic.counters();

/** That all rows were created, once each. */
function expectAllOnce(count: number): void {
	expect(created(service).sort()).toEqual(references(count));
	expect(service.sandbox.core.transactions.counters().duplicates).toBe(0);
}

describe('concurrency', () => {
	test('of 1 sends strictly in the order of the rows', async () => {
		slow(2);
		await service.run(bank({ concurrency: 1 }), { items: bankRows(12) });
		expect(posted(service)).toEqual(references(12));
		expect(created(service)).toEqual(references(12));
		expect(counters().maxInFlight).toBe(1);
	});

	test('is 10 unless told', async () => {
		slow(20);
		await service.run(BANK, { items: bankRows(40) });
		expectAllOnce(40);
		expect(counters().maxInFlight).toBeGreaterThan(1);
		expect(counters().maxInFlight).toBeLessThanOrEqual(10);
	});

	test.each([3, 25])('of %d is never exceeded', async (concurrency) => {
		slow(20);
		await service.run(bank({ concurrency }), { items: bankRows(60) });
		expectAllOnce(60);
		expect(counters().maxInFlight).toBeGreaterThan(1);
		expect(counters().maxInFlight).toBeLessThanOrEqual(concurrency);
	});

	test.each([0, -3, 101, 1_000_000, 2.5, 'many', '', null])(
		'of %j is outside its limits, and sends nothing',
		async (value) => {
			const result = await service.run(bank({ concurrency: value }), { items: bankRows(3) });
			expect(service.sandbox.core.traffic.requests()).toEqual([]);
			expect(result.error?.message).toMatch(
				/^Nothing was sent\. Concurrency is .*Enter a whole number from 1 to 100/,
			);
		},
	);

	test.each([1, 100, '7', ' 7 '])('of %j is within its limits', async (value) => {
		await service.run(bank({ concurrency: value }), { items: bankRows(3) });
		expectAllOnce(3);
	});

	test.each(KINDS)('keeps the rows of a $name in order in the output', async (kind) => {
		const items = rowsOf(kind, 5, service);
		strike(service, String(items[0][kind.reference]), { type: 'latency', ms: 50 });
		const result = await service.run(kind.parameters, { items });
		expect(reported(result).map(({ item, reference }) => [item, reference])).toEqual(
			items.map((row, item) => [item, row[kind.reference]]),
		);
		expect(posted(service)).toHaveLength(5);
	});
});

test('a limit of requests per second spreads the requests out', async () => {
	await service.run(bank({ requestsPerSecond: 20 }), { items: bankRows(5) });
	const arrivals = service.sandbox.core.traffic
		.requests()
		.filter(({ path }) => path === PATH.bank)
		.map(({ at }) => Date.parse(at));
	expect(arrivals).toHaveLength(5);
	// Four pauses of 50 ms, and nearly none without the limit. The first may arrive late.
	expect(arrivals[4] - arrivals[0]).toBeGreaterThanOrEqual(100);
});

describe('a 429', () => {
	test.each([
		['a Retry-After of seconds', 1],
		['a Retry-After of no seconds', 0],
		['a Retry-After that is a date', 'date'],
		['a Retry-After that cannot be read', 'soon'],
		['no Retry-After', undefined],
	])('with %s is waited for: all are created, none twice', async (_, retryAfter) => {
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
		'that does not end is a refusal in the end, and ends the batch, with On Error %s',
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

	test('that does not end is not asked by each row on its own', async () => {
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
		const told = outcomes(result);
		expect(told).not.toContain('unknown');
		expect(told.filter((outcome) => outcome === 'notSent').length).toBeGreaterThanOrEqual(15);
	});

	test.each([0, 1])(
		'for many rows at once is one pause, also with a Retry-After of %d seconds',
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

describe('nothing else is sent again', () => {
	test.each([400, 403, 404, 408, 409, 422, 500, 502, 503, 504])(
		'after a %d, not even with Retry-After',
		async (status) => {
			strike(service, referenceOf(0), { type: 'status', status, retryAfter: 0 }, 'always');
			await service.run(BANK, { items: bankRows(2), onError: 'continueRegularOutput' });
			expect(posted(service).sort()).toEqual(references(2));
		},
	);

	test.each(['before', 'after'] as const)('after a reset %s the commit', async (when) => {
		strike(service, referenceOf(0), { type: 'reset', when }, 'always');
		await service.run(BANK, { items: bankRows(2), onError: 'continueRegularOutput' });
		expect(posted(service).sort()).toEqual(references(2));
	});

	test('at another address that the service names', async () => {
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
	test('one is enough for all rows, and the credential is read once', async () => {
		await service.run(BANK, { items: bankRows(30) });
		expectAllOnce(30);
		expect(counters().logins).toBe(1);
		expect(service.credentials.counters.decrypted).toBe(1);
	});

	test('there is none when the token of the last execution still holds', async () => {
		await service.run(BANK, { items: [bankRow(0)] });
		await service.run(BANK, { items: [bankRow(1)] });
		expectAllOnce(2);
		expect(counters().logins).toBe(1);
	});

	test('there is one more when 50 rows meet a 401 together', async () => {
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
		'there is one more when the token is revoked in the middle, at concurrency %d',
		async (concurrency) => {
			const running = service.run(bank({ concurrency }), { items: bankRows(30) });
			await arrival(service, 12);
			service.sandbox.core.tokens.revoke();
			const result = await running;

			expect(outcomes(result)).toEqual(bankRows(30).map(() => 'created'));
			expectAllOnce(30);
			expect(counters().logins).toBe(2);
		},
	);

	test('there is one more when the token expires in the middle, and no row is lost', async () => {
		service.sandbox.core.change({ tokenLifetimeSeconds: 1 });
		// The row is created while the token lives, and answered when it has expired.
		strike(service, referenceOf(5), { type: 'latency', when: 'after', ms: 1_100 });
		const running = service.run(bank({ concurrency: 1 }), { items: bankRows(10) });
		await arrival(service, 3);
		service.sandbox.core.change({ tokenLifetimeSeconds: 3600 });
		const result = await running;

		expect(outcomes(result)).toEqual(bankRows(10).map(() => 'created'));
		expectAllOnce(10);
		expect(counters().logins).toBe(2);
	});

	test('that are refused are one call, and nothing is sent', async () => {
		service.credentials.save('credential-1', { ...service.login, password: 'wrong' });
		const result = await service.run(BANK, { items: bankRows(20) });
		expect(counters().loginFailures).toBe(1);
		expect(created(service)).toEqual([]);
		expect(outcomes(result)).toEqual(bankRows(20).map(() => 'notSent'));
		expect(result.error?.message).toContain('does not accept this email and password');
	});

	test('a service that never accepts a token gets no payment', async () => {
		strike(service, referenceOf(0), { type: 'status', status: 401 }, 'always');
		const result = await service.run(BANK, { items: bankRows(1) });
		expect(created(service)).toEqual([]);
		expect(outcomes(result)).toEqual(['rejected']);
	});
});
