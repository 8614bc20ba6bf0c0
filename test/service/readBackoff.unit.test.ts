/* eslint-disable @n8n/community-nodes/no-restricted-globals -- runs beside n8n, not in it */
import { Service, type RequestContext } from '../../nodes/service/transport';
import { NODE } from '../engine/node';

const LOGIN = { baseUrl: 'https://service.example/api', email: 'ana@example.com', password: 'one' };

type Answer = () => unknown;

const ok: Answer = () => ({ body: { done: true }, statusCode: 200, headers: {} });

const failing =
	(status: number, retryAfter?: string): Answer =>
	() => {
		const headers = retryAfter === undefined ? {} : { 'retry-after': retryAfter };
		throw Object.assign(new Error(), { response: { status, headers, data: { message: 'Slow' } } });
	};

const lost: Answer = () => {
	throw Object.assign(new Error(), { code: 'ECONNRESET' });
};

const START = Date.parse('2026-11-21T08:00:00Z');

beforeEach(() => jest.useFakeTimers({ now: START }));
afterEach(() => jest.useRealTimers());

const executing = { getExecutionCancelSignal: () => undefined };

/** Reads from a service that gives these answers, the last one for ever. */
async function read(
	answers: Answer[],
	more: object = executing,
	{
		method = 'GET',
		endsAt = Infinity,
		isContinued,
	}: { method?: 'GET' | 'POST'; endsAt?: number; isContinued?: boolean } = {},
) {
	/** When each request was sent, in seconds since the start. */
	const startedAt = Date.now();
	const sent: number[] = [];
	const request = async () => {
		sent.push((Date.now() - startedAt) / 1000);
		return (answers.length > 1 ? answers.shift() : answers[0])?.();
	};
	const context = {
		getNode: () => NODE,
		getCredentials: async () => LOGIN,
		getMode: () => 'trigger',
		helpers: { httpRequestWithAuthentication: request },
		...more,
	};
	const service = await Service.connect(context as unknown as RequestContext);
	service.endsAt = endsAt;
	let outcome: unknown;
	const work = service.request({ method, path: '/v2/webhooks/logs', isContinued }).then(
		(answer) => (outcome = answer),
		(error: unknown) => (outcome = error),
	);
	while (outcome === undefined) await jest.advanceTimersByTimeAsync(250);
	await work;
	return { sent, outcome, waitedMs: service.waitedMs, context };
}

describe('a rate limit', () => {
	test.each<[string, string | undefined, number]>([
		['seconds', '7', 7],
		['a date', new Date(START + 90_000).toUTCString(), 90],
		['a date that has passed', new Date(START - 90_000).toUTCString(), 1],
		['no time', undefined, 1],
		['text', 'soon', 1],
		['no pause', '0', 1],
	])('waits as long as a Retry-After with %s says', async (_, retryAfter, seconds) => {
		const { sent, outcome, waitedMs } = await read([failing(429, retryAfter), ok]);

		expect(outcome).toEqual({ done: true });
		expect(sent).toEqual([0, seconds]);
		expect(waitedMs).toBe(seconds * 1000);
	});

	test('waits longer each time, and gives up after six times', async () => {
		const { sent, outcome } = await read([failing(429)]);

		expect(sent).toEqual([0, 1, 3, 7, 15, 31, 63]);
		expect(outcome).toMatchObject({
			code: 'tooManyRequests',
			status: 429,
			message: 'The service is receiving too many requests: Slow',
		});
	});

	test('a rate limit goes on for half an hour if earlier reads would be lost', async () => {
		const { sent } = await read([failing(429)], executing, { isContinued: true });

		expect(sent.slice(0, 10)).toEqual([0, 1, 3, 7, 15, 31, 63, 83, 103, 123]);
		expect(sent.at(-1)).toBe(1_783);
	});

	test('a rate limit goes on for half an hour if the service says how long to wait, unless somebody waits for a form', async () => {
		const { sent, outcome } = await read([failing(429, '5')]);
		expect(sent.slice(0, 9)).toEqual([0, 5, 10, 15, 23, 39, 71, 91, 111]);
		expect(sent.at(-1)).toBe(1_791);
		expect(outcome).toMatchObject({ code: 'tooManyRequests' });

		expect((await read([failing(429, '5')], {})).sent).toEqual([0, 5, 10, 15]);
	});

	test('waits half an hour in total, but not longer', async () => {
		expect((await read([failing(429, '900'), failing(429, '900'), ok])).sent).toEqual([
			0, 900, 1800,
		]);
		expect((await read([failing(429, '900'), failing(429, '901'), ok])).sent).toEqual([0, 900]);
		expect((await read([failing(429, '1801')])).sent).toEqual([0]);
	});

	test('a rate limit does not wait beyond a given time', async () => {
		const answers = () => [failing(429, '60'), failing(503), ok];
		expect((await read(answers(), executing, { endsAt: START + 61_000 })).sent).toEqual([
			0, 60, 60.5,
		]);
		jest.setSystemTime(START);
		expect((await read(answers(), executing, { endsAt: START + 60_400 })).sent).toEqual([0, 60]);
		jest.setSystemTime(START);
		expect((await read(answers(), executing, { endsAt: START + 59_000 })).sent).toEqual([0]);
	});

	test('waits as long in a trigger, but not where somebody waits for a form', async () => {
		const answers = () => [failing(429, '21'), ok];
		expect((await read(answers(), { emit: () => {} })).sent).toEqual([0, 21]);
		expect((await read(answers(), {})).sent).toEqual([0]);
	});
});

describe('an outage', () => {
	test.each<[string, Answer]>([
		['a 500', failing(500)],
		['a 502', failing(502)],
		['a 408', failing(408)],
		['a lost connection', lost],
	])('tries three more times after %s', async (_, answer) => {
		const { sent, outcome, waitedMs } = await read([answer]);

		expect(sent).toEqual([0, 0.5, 2, 6]);
		expect(outcome).toMatchObject({ hint: expect.stringMatching(/^Reading changes nothing/) });
		expect(waitedMs).toBe(0);
	});

	test('tries three more times after text instead of a list', async () => {
		const { sent, outcome } = await read([
			() => ({ body: '<html>', statusCode: 200, headers: {} }),
		]);

		expect(sent).toEqual([0, 0.5, 2, 6]);
		expect(outcome).toMatchObject({ code: 'responseWithoutList' });
	});

	test.each<[string, Answer]>([
		['a 503', failing(503)],
		['lost connections', lost],
	])('an outage lasts up to half an hour if earlier reads would be lost: %s', async (_, answer) => {
		const { sent, outcome, waitedMs } = await read([answer], executing, { isContinued: true });

		expect(sent.slice(0, 7)).toEqual([0, 0.5, 2, 6, 26, 46, 66]);
		expect(sent.at(-1)).toBe(1_786);
		expect(outcome).toMatchObject({ hint: expect.stringMatching(/^Reading changes nothing/) });
		expect(waitedMs).toBe(0);
	});

	test('waits for a Retry-After, within bounds', async () => {
		expect((await read([failing(503, '5'), ok])).sent).toEqual([0, 5]);
		expect((await read([failing(503, '500'), ok])).sent).toEqual([0, 20]);
	});

	test.each([400, 403, 404, 409, 302])(
		'an outage does not read again after a %i',
		async (status) => {
			expect((await read([failing(status)])).sent).toEqual([0]);
		},
	);

	test('sends once more, at once, after a 401', async () => {
		expect((await read([failing(401)])).sent).toEqual([0, 0]);
	});
});

test.each<[string, Answer]>([
	['a 429', failing(429, '1')],
	['a 502', failing(502)],
	['a lost connection', lost],
])('does not send a write again after %s', async (_, answer) => {
	expect((await read([answer], executing, { method: 'POST' })).sent).toEqual([0]);
});

test('stops waiting if the execution is cancelled', async () => {
	const cancel = new AbortController();
	const stopped = failing(429, '900');
	const cancelling = () => {
		setTimeout(() => cancel.abort(), 2_000);
		return stopped();
	};
	const { sent } = await read([cancelling], { getExecutionCancelSignal: () => cancel.signal });

	expect(sent).toEqual([0]);
	expect(Date.now() - START).toBeLessThan(3_000);
});
