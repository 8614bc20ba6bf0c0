/* eslint-disable @n8n/community-nodes/no-restricted-globals -- runs outside n8n */
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import type { Intent, Ledger } from '../../nodes/ledger/ledger';
import { isOpen } from '../../nodes/batch/decide';
import type { FinishedPayment } from '../../nodes/batch/facts';
import { LOOK_UP } from '../../nodes/messages/en';
import type { BatchOptions } from '../../nodes/batch/options';
import type { Row } from '../../nodes/batch/payment';
import { type BatchContext } from '../../nodes/batch/batchContext';
import { Limiter } from '../../nodes/batch/limiter';
import { finishAll } from '../../nodes/batch/runBatch';
import { send } from '../../nodes/batch/send';
import { ServiceError, toServiceError } from '../../nodes/service/errors';
import {
	batchOf,
	contextOf,
	CRYPTO,
	executionState,
	factsOf,
	knownOf,
	payAgain,
	sentOf,
} from './builders';

const ACCOUNT = 'account-1';

/** The payment of a letter: `A` is reference A, whose key is `a`. */
function rowOf(reference: string, itemIndex: number): Row {
	const values = { amount: '10', asset: 'USDC', destinationWallet: `0x${reference}` };
	const body = { ...values, externalReference: reference };
	return {
		itemIndex,
		reference,
		idempotencyKey: reference.toLowerCase(),
		values,
		body,
		errors: [],
	};
}

const answerOf = (reference: string): IDataObject => ({
	transactionId: `transaction-${reference}`,
	status: 'pending',
});

/** An error response with this status. */
const status = (code: number, headers: IDataObject = {}): ServiceError =>
	toServiceError({ response: { status: code, headers, data: { message: 'Said' } } });

const REJECTED = status(422);
const LOST = status(500);
const EXISTS = status(409);
const NO_TOKEN = status(401);
const TOO_MANY = status(429);
const UNREACHABLE = toServiceError({ code: 'ECONNREFUSED' });

const FAULTS: Array<[string, ServiceError]> = [
	['a rejected request', REJECTED],
	['an existing reference', EXISTS],
	['an unknown outcome', LOST],
	['an unreachable service', UNREACHABLE],
];

/** A response that the test holds back. */
const HELD = Symbol('held');

/** Waits until only held responses are left. */
const rest = async (): Promise<void> => await new Promise((resolve) => setImmediate(resolve));

/** An answer comes after what may be sent together was sent. */
const network = async (): Promise<void> => {
	for (let jobs = 0; jobs < 100; jobs++) await Promise.resolve();
};

/** A ledger by keys alone: `record` and `lookUp` give those that were created with the same money. */
interface Sent {
	chunkSize: number;
	record(keys: string[]): Promise<Set<string>>;
	lookUp(keys: string[]): Promise<Set<string>>;
	release(key: string): void;
	flush(): Promise<void>;
}

/** The same as the batch uses it. */
function ledgerOf(sent: Sent): BatchContext['ledger'] {
	const keysOf = (intents: Intent[]): string[] => intents.map(({ key }) => key);
	const ledger: Pick<Ledger, 'claim' | 'prove' | 'release' | 'flush' | 'lookUp'> = {
		claim: async (intents, choose) => {
			const known = knownOf(intents, [...(await sent.record(keysOf(intents)))]);
			choose(known);
			return known;
		},
		prove: () => undefined,
		release: (key) => sent.release(key),
		flush: async () => await sent.flush(),
		lookUp: async (intents) => knownOf(intents, [...(await sent.lookUp(keysOf(intents)))]),
	};
	const entries = {
		chunkSize: sent.chunkSize,
		isEmpty: false,
		trim: async () => await Promise.resolve(),
	};
	return Object.assign(ledger, { entries }) as unknown as BatchContext['ledger'];
}

interface Given {
	options?: Partial<BatchOptions>;
	/** Responses by reference, one for each attempt; after them the payment is created. */
	answers?: Record<string, unknown[]>;
	/** Keys of references that another execution of the node has sent. */
	known?: string[];
	chunkSize?: number;
	/** Cancelled before the batch begins. */
	isCancelled?: boolean;
	/** Overrides of the ledger; null for none. */
	sent?: Partial<Sent> | null;
	parts?: Omit<Partial<BatchContext>, 'options'>;
}

/** Sends the payments of some letters. */
function sending(letters: string, given: Given = {}) {
	const { known = [], chunkSize = 80, parts = {} } = given;
	/** What happened, in order. */
	const events: string[] = [];
	const requests: unknown[] = [];
	const answers = new Map(Object.entries(given.answers ?? {}).map(([at, list]) => [at, [...list]]));
	const held = new Map<string, { resolve(value: unknown): void; reject(error: unknown): void }>();
	const signal = { aborted: given.isCancelled ?? false };
	const count = { inFlight: 0, most: 0 };
	const state = parts.state ?? executionState(contextOf('execution-1'));

	const request = async (asked: { body: IDataObject }): Promise<unknown> => {
		const reference = String(asked.body.externalReference);
		events.push(`send ${reference}`);
		requests.push(asked);
		count.most = Math.max(count.most, ++count.inFlight);
		try {
			const [answer = answerOf(reference)] = answers.get(reference)?.splice(0, 1) ?? [];
			if (answer !== HELD) await network();
			if (answer instanceof Error) throw answer;
			if (answer !== HELD) return answer;
			return await new Promise((resolve, reject) => held.set(reference, { resolve, reject }));
		} finally {
			count.inFlight--;
		}
	};
	const sentOf = (keys: string[]): Set<string> =>
		new Set(keys.filter((key) => known.includes(key)));
	const sent: Sent = {
		chunkSize,
		record: async (keys) => {
			events.push(`record ${keys.join()}`);
			return sentOf(keys);
		},
		release: (key) => void events.push(`release ${key}`),
		flush: async () => void events.push('flush'),
		lookUp: async (keys) => {
			events.push(`look up ${keys.join()}`);
			return sentOf(keys);
		},
		...given.sent,
	};
	const batch = batchOf({
		context: { getExecutionCancelSignal: () => signal } as unknown as IExecuteFunctions,
		endpoint: CRYPTO,
		service: { account: ACCOUNT, request } as unknown as BatchContext['service'],
		ledger: given.sent === null ? undefined : ledgerOf(sent),
		...parts,
		state,
		options: { concurrency: 1, requestsPerSecond: 0, ...given.options },
	});
	const { referencesToPayAgain } = batch.options;
	const facts = [...letters].map((letter, item) => {
		const row = rowOf(letter, item);
		const request = referencesToPayAgain.get(row.idempotencyKey) ?? 0;
		const sent = state.get(row.idempotencyKey);
		return factsOf(row, { request, ...(sent && { sentHere: { sent, as: 'unknown' as const } }) });
	});
	const done = send(
		batch,
		facts.filter((one) => isOpen(one, batch.options)),
	).then(async () => await finishAll(batch, facts));
	return {
		done,
		events,
		requests,
		state,
		count,
		/** The references that were sent, in order. */
		posted: () => events.flatMap((event) => /^send (.*)/.exec(event)?.[1] ?? []).join(''),
		outcomes: async () => outcomesOf(await done),
		cancel: () => void (signal.aborted = true),
		/** Releases the held response of a reference: a success, or this fault. */
		answer: async (reference: string, fault?: Error) => {
			const waiting = held.get(reference);
			held.delete(reference);
			if (fault) waiting?.reject(fault);
			else waiting?.resolve(answerOf(reference));
			await rest();
		},
	};
}

const outcomesOf = (ended: FinishedPayment[]): string[] =>
	ended.map(({ result }) =>
		[result.reference, result.outcome, ...(result.code ? [result.code] : [])].join(' '),
	);

const CREATED = (letters: string): string[] => [...letters].map((letter) => `${letter} created`);

/** A promise that the test resolves. */
function deferred<T>(): {
	promise: Promise<T>;
	resolve(value: T): void;
	reject(error: Error): void;
} {
	const parts = {} as ReturnType<typeof deferred<T>>;
	parts.promise = new Promise<T>((resolve, reject) => Object.assign(parts, { resolve, reject }));
	return parts;
}

describe('requests', () => {
	test('sends each payment once, in the form that the endpoint expects', async () => {
		const batch = sending('AB');
		await batch.done;
		expect(batch.requests).toEqual(
			['A', 'B'].map((reference, item) => ({
				method: 'POST',
				path: '/v2/transactions/payouts/crypto',
				body: rowOf(reference, item).body,
			})),
		);
	});

	test('returns a created payment with the response of the service', async () => {
		const [{ row, result }] = await sending('A').done;
		expect(row).toEqual(rowOf('A', 0));
		expect(result).toEqual({
			outcome: 'created',
			reference: 'A',
			transactionId: 'transaction-A',
			status: 'pending',
			message: '',
			item: { json: answerOf('A') },
		});
	});

	test('returns results in the order of the rows, not of the responses', async () => {
		const batch = sending('ABC', { options: { concurrency: 3 }, answers: { A: [HELD] } });
		await rest();
		await batch.answer('A');
		expect(await batch.outcomes()).toEqual(CREATED('ABC'));
	});

	test('is known to the execution before the service has answered', async () => {
		const batch = sending('AB', { answers: { B: [HELD] } });
		await rest();
		expect(batch.state.get('b')).toMatchObject({
			reference: 'B',
			money: { amount: '10', currency: 'USDC' },
			requestDigest: expect.any(String) as string,
			run: 0,
			item: 1,
			outcome: 'unknown',
		});
		expect(batch.state.get('a')).toMatchObject({ outcome: 'created', answer: answerOf('A') });
		expect(batch.state.ownerOf('transaction-A')).toBe('a');
		expect(batch.state.sentFor(1)?.reference).toBe('B');
		await batch.answer('B');
		expect(batch.state.get('b')).toMatchObject({ outcome: 'created', answer: answerOf('B') });
	});
});

describe('concurrency', () => {
	test.each([1, 2, 5])('never has more than %d requests in flight', async (concurrency) => {
		const letters = 'ABCDEFG';
		const batch = sending(letters, {
			options: { concurrency },
			answers: Object.fromEntries([...letters].map((letter) => [letter, [HELD]])),
		});
		for (const [index, letter] of [...letters].entries()) {
			await rest();
			expect(batch.posted()).toBe(letters.slice(0, index + concurrency));
			await batch.answer(letter);
		}
		expect(await batch.outcomes()).toEqual(CREATED(letters));
		expect(batch.count.most).toBe(concurrency);
	});

	test('sends all rows at once if concurrency exceeds their number', async () => {
		const batch = sending('AB', { options: { concurrency: 100 } });
		expect(await batch.outcomes()).toEqual(CREATED('AB'));
		expect(batch.posted()).toBe('AB');
	});

	test('waits for requests in flight after the batch has stopped', async () => {
		const batch = sending('ABC', {
			options: { concurrency: 2 },
			answers: { A: [REJECTED], B: [HELD] },
		});
		let hasEnded = false;
		void batch.done.then(() => (hasEnded = true));
		await rest();
		expect(hasEnded).toBe(false);
		await batch.answer('B');
		expect(await batch.outcomes()).toEqual([
			'A rejected requestRejected',
			'B created',
			'C notSent earlierItemFailed',
		]);
	});
});

describe('recording references', () => {
	test('records references before they are sent, chunk by chunk', async () => {
		const batch = sending('ABCDE', { chunkSize: 2 });
		await batch.done;
		expect(batch.events).toEqual([
			'record a,b',
			'send A',
			'send B',
			'record c,d',
			'send C',
			'send D',
			'record e',
			'send E',
			'flush',
		]);
	});

	test('records no reference earlier than needed', async () => {
		const batch = sending('ABC', { chunkSize: 1 });
		await batch.done;
		expect(batch.events).toEqual([
			'record a',
			'send A',
			'record b',
			'send B',
			'record c',
			'send C',
			'flush',
		]);
	});

	test('records as many references as concurrency allows, even with smaller chunks', async () => {
		const batch = sending('ABCD', { chunkSize: 1, options: { concurrency: 3 } });
		await batch.done;
		expect(batch.events[0]).toBe('record a,b,c');
		expect(batch.events).toContain('record d');
		expect(batch.events.indexOf('record d')).toBeLessThan(batch.events.indexOf('send D'));
	});

	test('records a chunk once, although several rows wait for it', async () => {
		const writing = deferred<Set<string>>();
		const record = jest.fn(async () => await writing.promise);
		const batch = sending('ABC', { options: { concurrency: 3 }, sent: { record } });
		await rest();
		expect(record.mock.calls).toEqual([[['a', 'b', 'c']]]);
		expect(batch.posted()).toBe('');
		expect(batch.state.get('a')).toBeUndefined();

		writing.resolve(new Set());
		expect(await batch.outcomes()).toEqual(CREATED('ABC'));
		expect(batch.posted()).toBe('ABC');
		expect(record).toHaveBeenCalledTimes(1);
	});

	test('records the next chunk while requests are in flight', async () => {
		const batch = sending('ABCD', {
			chunkSize: 2,
			options: { concurrency: 2 },
			answers: { A: [HELD], B: [HELD] },
		});
		await rest();
		expect(batch.posted()).toBe('AB');
		expect(batch.events).toContain('record c,d');
		await batch.answer('A');
		await batch.answer('B');
		expect(await batch.outcomes()).toEqual(CREATED('ABCD'));
	});

	test('sends nothing if references cannot be recorded', async () => {
		const record = async (): Promise<never> => await Promise.reject(new Error('disk full'));
		const batch = sending('AB', { sent: { record } });
		expect((await batch.done).map(({ result }) => result)).toEqual(
			['A', 'B'].map((reference) => ({
				outcome: 'notSent',
				code: 'referencesNotRecorded',
				reference,
				message: 'Not sent: n8n could not record which references are sent (disk full)',
				hint: 'Check that n8n’s database works, then run the workflow again.',
			})),
		);
		expect(batch.requests).toEqual([]);
	});

	test('keeps earlier results if a later chunk cannot be recorded', async () => {
		const record = async ([key]: string[]): Promise<Set<string>> => {
			if (key === 'b') throw new Error('disk full');
			return await Promise.resolve(new Set());
		};
		const batch = sending('ABC', { chunkSize: 1, sent: { record } });
		expect(await batch.outcomes()).toEqual([
			'A created',
			'B notSent referencesNotRecorded',
			'C notSent referencesNotRecorded',
		]);
		expect(batch.posted()).toBe('A');
	});

	test('records nothing if the node does not remember sent references', async () => {
		const batch = sending('ABC', { sent: null });
		expect(await batch.outcomes()).toEqual(CREATED('ABC'));
		expect(batch.events).toEqual(['send A', 'send B', 'send C']);
	});
});

describe('a failed request', () => {
	const failed = (outcome: string, code: string, message: string, more: IDataObject = {}) => ({
		outcome,
		code,
		reference: 'A',
		message,
		hint: expect.stringMatching(/^Nothing was created\./) as string,
		...more,
	});

	test.each<[string, Error, object]>([
		[
			'the service rejected it',
			REJECTED,
			failed('rejected', 'requestRejected', 'The service rejected the request: Said', {
				hint: expect.stringMatching(/If an earlier run may have sent this payment/) as string,
				httpStatus: 422,
			}),
		],
		[
			'the service cannot be reached',
			UNREACHABLE,
			failed(
				'notSent',
				'unreachable',
				'The service cannot be reached: nothing answers at its address',
				{ failure: { cause: 'temporarily-unavailable' } },
			),
		],
	])('frees the reference if %s', async (_, fault, result) => {
		const batch = sending('A', { answers: { A: [fault] } });
		expect((await batch.done)[0].result).toEqual(result);
		expect(batch.state.get('a')).toBeUndefined();
		expect(batch.state.sentFor(0)).toBeUndefined();
		expect(batch.events).toEqual(['record a', 'send A', 'release a', 'flush']);
	});

	test.each<[string, Error, object]>([
		[
			'the service failed',
			LOST,
			failed(
				'unknown',
				'serviceFailed',
				'The service could not complete the request (status 500): Said',
				{
					hint: LOOK_UP,
					httpStatus: 500,
					failure: { cause: 'temporarily-unavailable' },
				},
			),
		],
		[
			'the service already has it',
			EXISTS,
			failed('unknown', 'referenceExists', 'The service already has this reference: Said', {
				hint: LOOK_UP,
				httpStatus: 409,
			}),
		],
	])('keeps the reference as unknown if %s', async (_, fault, result) => {
		const batch = sending('A', { answers: { A: [fault] } });
		expect((await batch.done)[0].result).toEqual(result);
		expect(batch.state.get('a')).toMatchObject({ outcome: 'unknown' });
		expect(batch.events).toEqual(['record a', 'send A', 'flush']);
	});

	test('frees a rejected reference without an idempotency store', async () => {
		const batch = sending('AB', { answers: { A: [REJECTED] }, sent: null });
		expect(await batch.outcomes()).toEqual([
			'A rejected requestRejected',
			'B notSent earlierItemFailed',
		]);
		expect(batch.state.get('a')).toBeUndefined();
	});

	test('sends no further row after a failure without an idempotency store', async () => {
		const batch = sending('ABCD', {
			options: { concurrency: 2 },
			answers: { A: [REJECTED], B: [HELD] },
			sent: null,
		});
		await rest();
		await batch.answer('B');
		expect(await batch.outcomes()).toEqual([
			'A rejected requestRejected',
			'B created',
			'C notSent earlierItemFailed',
			'D notSent earlierItemFailed',
		]);
		expect(batch.posted()).toBe('AB');
	});

	test('treats a success without a transaction ID as unknown', async () => {
		const batch = sending('AB', { answers: { A: [{ status: 'pending' }] } });
		expect(await batch.outcomes()).toEqual([
			'A unknown noTransactionId',
			'B notSent earlierItemFailed',
		]);
		expect(batch.state.get('a')).toMatchObject({ outcome: 'unknown' });
		expect(batch.state.get('a')).not.toHaveProperty('answer');
		expect(batch.events).not.toContain('release a');
	});

	test.each(FAULTS)('stops the batch after %s', async (_, fault) => {
		const batch = sending('ABC', { answers: { A: [fault] } });
		const [, second, third] = await batch.done;
		expect(second.result).toEqual({
			outcome: 'notSent',
			code: 'earlierItemFailed',
			reference: 'B',
			message: 'Not sent: an earlier item did not succeed',
		});
		expect(third.result).toMatchObject({ outcome: 'notSent', code: 'earlierItemFailed' });
		expect(batch.posted()).toBe('A');
	});

	test.each(FAULTS)('ends only its own row where all are tried: %s', async (_, fault) => {
		const batch = sending('ABC', { answers: { A: [fault] }, parts: { continueOnFail: true } });
		const [first, ...others] = await batch.outcomes();
		expect(first).toMatch(/^A (rejected|unknown|notSent) /);
		expect(others).toEqual(CREATED('BC'));
	});
});

describe('a stopped batch', () => {
	test('releases recorded references that were not sent', async () => {
		const batch = sending('ABC', { answers: { A: [REJECTED] } });
		await batch.done;
		expect(batch.events).toEqual([
			'record a,b,c',
			'send A',
			'release a',
			'release b',
			'release c',
			'flush',
		]);
	});

	test('records no further references after the batch has stopped', async () => {
		const batch = sending('ABC', { chunkSize: 1, answers: { A: [LOST] } });
		await batch.done;
		expect(batch.events).toEqual([
			'record a',
			'send A',
			'record b',
			'release b',
			'flush',
			'look up c',
		]);
	});

	test('waits for a chunk being recorded, then forgets it unsent', async () => {
		const writing = deferred<Set<string>>();
		const record = async ([key]: string[]): Promise<Set<string>> =>
			await (key === 'a' ? Promise.resolve(new Set<string>()) : writing.promise);
		const batch = sending('ABCD', {
			chunkSize: 2,
			options: { concurrency: 2 },
			answers: { A: [REJECTED] },
			sent: { record },
		});
		await rest();
		expect(batch.events).toEqual(['send A', 'send B', 'release a']);
		writing.resolve(new Set());
		expect(await batch.outcomes()).toEqual([
			'A rejected requestRejected',
			'B created',
			'C notSent earlierItemFailed',
			'D notSent earlierItemFailed',
		]);
		expect(batch.events.slice(3)).toEqual(['release c', 'release d', 'flush']);
	});

	test.each<[string, (writing: ReturnType<typeof deferred<Set<string>>>) => void]>([
		['cannot be recorded', ({ reject }) => reject(new Error('disk full'))],
		['was already sent', ({ resolve }) => resolve(new Set(['d']))],
	])('reports the first reason for stopping if a later row %s', async (_, finish) => {
		const writing = deferred<Set<string>>();
		const record = async ([key]: string[]): Promise<Set<string>> =>
			await (key === 'a' ? Promise.resolve(new Set<string>()) : writing.promise);
		const batch = sending('ABCD', {
			chunkSize: 2,
			options: { concurrency: 2 },
			answers: { A: [REJECTED] },
			sent: { record },
		});
		await rest();
		finish(writing);
		expect((await batch.outcomes())[2]).toBe('C notSent earlierItemFailed');
	});

	test('reports a row as alreadySent if another execution sent it', async () => {
		const lookUp = async (): Promise<Set<string>> => await Promise.resolve(new Set(['c']));
		const batch = sending('ABC', { chunkSize: 1, answers: { A: [REJECTED] }, sent: { lookUp } });
		expect(await batch.outcomes()).toEqual([
			'A rejected requestRejected',
			'B notSent earlierItemFailed',
			'C alreadySent alreadySent',
		]);
	});

	test('reports a row as unknown if an earlier attempt sent it', async () => {
		const state = executionState(contextOf('execution-1'));
		state.sending('b', sentOf('B', 1));
		const batch = sending('AB', { answers: { A: [REJECTED] }, parts: { state } });
		expect(await batch.outcomes()).toEqual([
			'A rejected requestRejected',
			'B unknown unknownNotResent',
		]);
	});

	test('reports rows as notSent if the store cannot be read', async () => {
		const lookUp = async (): Promise<never> => await Promise.reject(new Error('disk full'));
		const batch = sending('AB', { answers: { A: [REJECTED] }, sent: { lookUp } });
		expect(await batch.outcomes()).toEqual([
			'A rejected requestRejected',
			'B notSent earlierItemFailed',
		]);
	});
});

describe('flushing the store', () => {
	test('waits until pending removals are stored', async () => {
		const writing = deferred<undefined>();
		const flush = async (): Promise<undefined> => await writing.promise;
		const batch = sending('A', { sent: { flush } });
		let hasEnded = false;
		void batch.done.then(() => (hasEnded = true));
		await rest();
		expect([batch.posted(), hasEnded]).toEqual(['A', false]);
		writing.resolve(undefined);
		expect(await batch.outcomes()).toEqual(CREATED('A'));
	});

	test('reports created rows even if the store cannot be flushed', async () => {
		const flush = async (): Promise<never> => await Promise.reject(new Error('disk full'));
		expect(await sending('A', { sent: { flush } }).outcomes()).toEqual(CREATED('A'));
	});
});

describe('cancellation', () => {
	test('sends, records and looks up nothing if cancelled before the start', async () => {
		const batch = sending('AB', { isCancelled: true });
		expect((await batch.done).map(({ result }) => result)).toEqual(
			['A', 'B'].map((reference) => ({
				outcome: 'notSent',
				code: 'cancelled',
				reference,
				message: 'Not sent: the execution was cancelled',
			})),
		);
		expect(batch.events).toEqual(['flush']);
	});

	test('waits only for the request in flight after cancellation', async () => {
		const flush = async (): Promise<undefined> => await deferred<undefined>().promise;
		const batch = sending('ABC', { answers: { A: [HELD] }, sent: { flush } });
		await rest();
		batch.cancel();
		await batch.answer('A');
		expect(await batch.outcomes()).toEqual([
			'A created',
			'B notSent cancelled',
			'C notSent cancelled',
		]);
		expect(batch.events).toEqual(['record a,b,c', 'send A', 'release b', 'release c']);
	});

	test.each([true, false])(
		'reports cancellation as the reason for an aborted request (stop on a fault: %p)',
		async (continueOnFail) => {
			const batch = sending('AB', { answers: { A: [HELD] }, parts: { continueOnFail } });
			await rest();
			batch.cancel();
			await batch.answer('A', toServiceError({ code: 'ERR_CANCELED' }));
			expect(await batch.outcomes()).toEqual(['A unknown cancelledWaiting', 'B notSent cancelled']);
		},
	);

	test('sends all rows in a version of n8n without a cancel signal', async () => {
		const context = { getExecutionCancelSignal: () => undefined } as unknown as IExecuteFunctions;
		expect(await sending('AB', { parts: { context } }).outcomes()).toEqual(CREATED('AB'));
	});
});

describe('status 401', () => {
	const each = (letters: string, fault: Error): Record<string, unknown[]> =>
		Object.fromEntries([...letters].map((letter) => [letter, [fault]]));
	const parts = { continueOnFail: true };

	test('stops the batch after three rejected tokens in a row', async () => {
		const batch = sending('ABCDE', { answers: each('ABCDE', NO_TOKEN), parts });
		const ended = await batch.done;
		expect(outcomesOf(ended)).toEqual([
			'A rejected tokenRejected',
			'B rejected tokenRejected',
			'C rejected tokenRejected',
			'D notSent tokensRejected',
			'E notSent tokensRejected',
		]);
		expect(ended[3].result).toEqual({
			outcome: 'notSent',
			code: 'tokensRejected',
			reference: 'D',
			message: 'Not sent: the service rejected every new access token (status 401)',
			hint: 'Test the Partner Payments credential and check the rights of the account.',
			failure: { cause: 'credential-invalid' },
		});
		expect(batch.posted()).toBe('ABC');
	});

	test.each<[string, Record<string, unknown[]>]>([
		['a success', {}],
		['another error', { C: [REJECTED] }],
	])('counts rejected tokens from zero after %s', async (_, between) => {
		const answers = { ...each('ABDE', NO_TOKEN), ...between };
		const batch = sending('ABCDEF', { answers, parts });
		expect(await batch.outcomes()).toContain('F created');
		expect(batch.posted()).toBe('ABCDEF');
	});

	test('stops the batch at the third rejected token after a success', async () => {
		const batch = sending('ABCDEFG', { answers: each('ABDEF', NO_TOKEN), parts });
		expect((await batch.outcomes())[6]).toBe('G notSent tokensRejected');
		expect(batch.posted()).toBe('ABCDEF');
	});

	test('stops the batch if several requests in flight get status 401', async () => {
		const batch = sending('ABCDEFGHI', {
			options: { concurrency: 5 },
			answers: each('ABCDEFGHI', NO_TOKEN),
			parts,
		});
		const outcomes = await batch.outcomes();
		// F and G start after the first two.
		expect(outcomes.slice(0, 7)).toEqual(
			[...'ABCDEFG'].map((letter) => `${letter} rejected tokenRejected`),
		);
		expect(outcomes.slice(7)).toEqual(['H notSent tokensRejected', 'I notSent tokensRejected']);
	});

	test('keeps the first reason if rejected tokens follow', async () => {
		const batch = sending('ABCD', {
			options: { concurrency: 3 },
			answers: { A: [NO_TOKEN], B: [HELD], C: [HELD] },
		});
		await rest();
		await batch.answer('B', NO_TOKEN);
		await batch.answer('C', NO_TOKEN);
		expect((await batch.outcomes())[3]).toBe('D notSent earlierItemFailed');
	});
});

describe('login errors', () => {
	const noLogin = (isRejected: boolean): ServiceError =>
		new ServiceError(
			{ code: 'loginRejected', message: 'Not accepted', hint: 'Check it.', outcome: 'notSent' },
			{ isLogin: true, ...(isRejected && { status: 401 }) },
		);
	const notSent = (reference: string, more: IDataObject = {}) => ({
		outcome: 'notSent',
		code: 'loginRejected',
		reference,
		message: 'Not accepted',
		hint: 'Check it.',
		failure: { cause: 'credential-invalid' },
		...more,
	});

	test('stops the batch after a rejected login', async () => {
		const batch = sending('ABC', {
			answers: { A: [noLogin(true)] },
			parts: { continueOnFail: true },
		});
		expect((await batch.done).map(({ result }) => result)).toEqual([
			notSent('A', { httpStatus: 401 }),
			notSent('B'),
			notSent('C'),
		]);
		expect(batch.posted()).toBe('A');
	});

	test('reports a rejected login as the reason after two rejected tokens', async () => {
		const batch = sending('ABCD', {
			answers: { A: [NO_TOKEN], B: [NO_TOKEN], C: [noLogin(true)] },
			parts: { continueOnFail: true },
		});
		expect((await batch.outcomes())[3]).toBe('D notSent loginRejected');
	});

	test('stops the batch after a failed login', async () => {
		const batch = sending('AB', {
			answers: { A: [noLogin(false)] },
			parts: { continueOnFail: true },
		});
		expect((await batch.done).map(({ result }) => result)).toEqual([notSent('A'), notSent('B')]);
	});

	test('keeps the first reason if a rejected login follows', async () => {
		const batch = sending('ABC', {
			options: { concurrency: 2 },
			answers: { A: [REJECTED], B: [HELD] },
		});
		await rest();
		await batch.answer('B', noLogin(true));
		expect((await batch.outcomes())[2]).toBe('C notSent earlierItemFailed');
	});
});

describe('status 429', () => {
	beforeEach(() => void jest.useFakeTimers({ now: 1_000_000, doNotFake: ['setImmediate'] }));
	afterEach(() => void jest.useRealTimers());

	const pass = async (ms: number): Promise<void> => await jest.advanceTimersByTimeAsync(ms);
	const times = (count: number): ServiceError[] => Array.from({ length: count }, () => TOO_MANY);

	test('sends the same payment again after Retry-After', async () => {
		const batch = sending('AB', { answers: { A: [status(429, { 'retry-after': '2' })] } });
		await pass(1_999);
		expect(batch.posted()).toBe('A');
		expect(batch.state.get('a')).toMatchObject({ outcome: 'unknown' });
		await pass(1);
		expect(batch.posted()).toBe('AA');
		await pass(300);
		expect(await batch.outcomes()).toEqual(CREATED('AB'));
		expect(batch.posted()).toBe('AAB');
		expect(batch.events.filter((event) => event.startsWith('record'))).toEqual(['record a,b']);
	});

	test('holds all rows after a 429 until one request succeeds', async () => {
		const batch = sending('ABCD', {
			options: { concurrency: 2 },
			answers: { A: [TOO_MANY, HELD], B: [TOO_MANY] },
		});
		await pass(999);
		expect(batch.posted()).toBe('AB');
		await pass(1_000);
		expect(batch.posted()).toBe('ABA');
		await batch.answer('A');
		await pass(1_000);
		expect(await batch.outcomes()).toEqual(CREATED('ABCD'));
		expect(batch.posted()).toHaveLength(6);
	});

	test('stops the batch after six pauses that did not help', async () => {
		const batch = sending('ABC', { answers: { A: times(8) }, parts: { continueOnFail: true } });
		await pass(64_000);
		const ended = await batch.done;
		expect(ended.map(({ result }) => result)).toEqual([
			{
				outcome: 'rejected',
				code: 'tooManyRequests',
				reference: 'A',
				message: 'The service is receiving too many requests: Said',
				hint: 'Nothing was created. Run this item again later, or send fewer requests at once.',
				httpStatus: 429,
				failure: { cause: 'rate-limited' },
			},
			...['B', 'C'].map((reference) => ({
				outcome: 'notSent',
				code: 'rateLimited',
				reference,
				message:
					'Not sent: the service kept answering that it receives too many requests (status 429)',
				hint: 'Run the workflow again later, or send fewer requests at once.',
				failure: { cause: 'rate-limited' },
			})),
		]);
		expect(batch.posted()).toBe('AAAAAAA');
		expect(batch.state.get('a')).toBeUndefined();
	});

	test('gives up a payment alone after twenty times, while others are accepted', async () => {
		// The others are accepted before a pause has lasted too long.
		const refused = jest.spyOn(Limiter.prototype, 'rejected').mockReturnValue(true);
		const batch = sending('ABC', { answers: { A: times(30) }, parts: { continueOnFail: true } });
		expect(await batch.outcomes()).toEqual([
			'A rejected tooManyRequests',
			'B created',
			'C created',
		]);
		expect(batch.posted()).toBe(`${'A'.repeat(20)}BC`);
		expect(refused).toHaveBeenCalledTimes(20);
		refused.mockRestore();
	});

	test('keeps the first reason if the rate limit does not end', async () => {
		const batch = sending('ABC', {
			options: { concurrency: 2 },
			answers: { A: [...times(6), HELD], B: [HELD] },
		});
		await pass(64_000);
		expect(batch.posted()).toBe('ABAAAAAA');
		await batch.answer('B', REJECTED);
		await batch.answer('A', TOO_MANY);
		expect(await batch.outcomes()).toEqual([
			'A rejected tooManyRequests',
			'B rejected requestRejected',
			'C notSent earlierItemFailed',
		]);
	});

	test('ends a pause at once on cancellation, and frees the reference', async () => {
		const batch = sending('AB', { answers: { A: [TOO_MANY] } });
		await pass(100);
		batch.cancel();
		await pass(250);
		const [first, second] = await batch.done;
		expect(first.result).toEqual({
			outcome: 'notSent',
			code: 'cancelled',
			reference: 'A',
			message: 'Not sent: the execution was cancelled',
		});
		expect(second.result).toMatchObject({ outcome: 'notSent', code: 'cancelled' });
		expect(batch.posted()).toBe('A');
		expect(batch.state.get('a')).toBeUndefined();
		expect(batch.events).toContain('release a');
	});

	test('ends a pause with the first reason if the batch stops meanwhile', async () => {
		const batch = sending('AB', {
			options: { concurrency: 2 },
			answers: { A: [TOO_MANY], B: [HELD] },
		});
		await pass(100);
		await batch.answer('B', LOST);
		await pass(250);
		expect((await batch.done)[0].result).toEqual({
			outcome: 'notSent',
			code: 'earlierItemFailed',
			reference: 'A',
			message: 'Not sent: an earlier item did not succeed',
		});
		expect(batch.posted()).toBe('AB');
	});

	test('spreads requests over time with a limit per second', async () => {
		const batch = sending('ABC', { options: { concurrency: 3, requestsPerSecond: 2 } });
		await pass(499);
		expect(batch.posted()).toBe('A');
		await pass(1);
		expect(batch.posted()).toBe('AB');
		await pass(500);
		expect(await batch.outcomes()).toEqual(CREATED('ABC'));
	});
});

describe('rows that another execution sent meanwhile', () => {
	test('skips a row that another execution sent meanwhile, and sends the others', async () => {
		const batch = sending('ABC', { known: ['b'] });
		const ended = await batch.done;
		expect(outcomesOf(ended)).toEqual(['A created', 'B alreadySent alreadySent', 'C created']);
		expect(ended[1].result).not.toHaveProperty('cause');
		// It needs no second look-up, and stays recorded.
		expect(batch.events).toEqual(['record a,b,c', 'send A', 'send C', 'flush']);
	});
});

describe('Pay Again', () => {
	const again = (references: string[]): Partial<BatchOptions> => ({
		ifAlreadySent: 'payAgain',
		referencesToPayAgain: payAgain(...references),
	});

	test('pays again what is requested, and nothing else', async () => {
		const batch = sending('ABC', { known: ['a', 'c'], options: again(['A', 'B']) });
		expect(await batch.outcomes()).toEqual(['A created', 'B created', 'C alreadySent alreadySent']);
		expect(batch.posted()).toBe('AB');
	});

	test('leaves a repeated payment unknown if it is rejected, and continues', async () => {
		const batch = sending('AB', {
			known: ['a'],
			options: again(['A']),
			answers: { A: [REJECTED] },
		});
		const [first, second] = await batch.done;
		expect(first.result).toEqual({
			outcome: 'unknown',
			code: 'remainsUnknown',
			reference: 'A',
			message:
				'An earlier attempt may have created it, and sending it again did not clarify it. The service rejected the request: Said',
			hint: LOOK_UP,
			httpStatus: 422,
		});
		expect(second.result.outcome).toBe('created');
		expect(batch.state.get('a')).toMatchObject({ outcome: 'unknown' });
		// It was not paid again: only the earlier attempt counts.
		expect(batch.events).toContain('release a');
	});

	test('leaves a repeated payment unknown if it exists, and continues', async () => {
		const batch = sending('AB', { known: ['a'], options: again(['A']), answers: { A: [EXISTS] } });
		expect(await batch.outcomes()).toEqual(['A unknown remainsUnknown', 'B created']);
		expect(batch.events).toContain('release a');
	});

	test.each([
		['an unknown outcome', LOST, false],
		['an unreachable service', UNREACHABLE, true],
	])('stops if paying again ends with %s', async (_, fault, isForgotten) => {
		const batch = sending('AB', { known: ['a'], options: again(['A']), answers: { A: [fault] } });
		expect(await batch.outcomes()).toEqual([
			'A unknown remainsUnknown',
			'B notSent earlierItemFailed',
		]);
		expect(batch.state.get('a')).toMatchObject({ outcome: 'unknown' });
		expect(batch.events.includes('release a')).toBe(isForgotten);
	});

	test('leaves a rejected payment unknown if this execution sent it before', async () => {
		const state = executionState(contextOf('execution-1'));
		state.sending('a', sentOf('A', 0));
		const batch = sending('AB', {
			answers: { A: [REJECTED] },
			parts: { state },
			options: again(['A']),
		});
		expect(await batch.outcomes()).toEqual(['A unknown remainsUnknown', 'B created']);
		expect(state.get('a')).toMatchObject({ outcome: 'unknown' });
	});

	test('reports a repeated payment as alreadySent if the batch stops before it', async () => {
		const lookUp = async (): Promise<Set<string>> => await Promise.resolve(new Set());
		const batch = sending('ABC', {
			known: ['b'],
			options: again(['B']),
			answers: { A: [REJECTED] },
			sent: { lookUp },
		});
		expect(await batch.outcomes()).toEqual([
			'A rejected requestRejected',
			'B alreadySent alreadySent',
			'C notSent earlierItemFailed',
		]);
		// The earlier payment stays recorded: only what was recorded to pay it again is removed.
		expect(batch.events).toContain('release b');
		expect(batch.events).toContain('release c');
	});
});
