import { randomUUID } from 'node:crypto';
import type { Step } from '../../sandbox/lifecycles';
import { transactionStatuses } from '../../sandbox/schemas';
import { anyTime, balanceDeposit, bankPayout, paths, Receiver, Service } from './service';

describe('transactions', () => {
	let service: Service;

	beforeAll(async () => {
		service = await Service.start();
	});
	beforeEach(async () => {
		await service.admin.reset();
		await service.login();
	});
	afterAll(() => service.sandbox.close());

	const pay = async () => {
		const { body } = await service.call('POST', paths.bank, bankPayout());
		return String(body.transaction_id);
	};

	describe('a reference that was used before', () => {
		it.each([
			['conflict', 409, 'Conflict', 1],
			['badRequest', 400, 'Bad Request', 1],
			['accept', 201, undefined, 2],
		] as const)('handles it in mode %s', async (duplicateReferences, status, error, created) => {
			await service.admin.change({ duplicateReferences });
			const request = bankPayout();
			await service.call('POST', paths.bank, request);
			const answer = await service.call('POST', paths.bank, request);
			expect(answer.status).toBe(status);
			if (error !== undefined) {
				expect(answer.body).toEqual({ statusCode: status, message: expect.any(String), error });
			}
			expect(await service.admin.counters()).toMatchObject({
				duplicates: 1,
				transactionsCreated: created,
			});
		});

		it('creates one transaction for many simultaneous requests', async () => {
			const request = bankPayout();
			const answers = await Promise.all(
				Array.from({ length: 20 }, () => service.call('POST', paths.bank, request)),
			);
			expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
			expect(answers.filter(({ status }) => status === 409)).toHaveLength(19);
		});
	});

	it('stores a transaction in full', async () => {
		const request = bankPayout();
		const { body } = await service.call('POST', paths.bank, request);
		const [kept] = await service.admin.transactions({
			reference: String(request.external_reference),
		});
		expect(kept).toEqual({
			id: body.transaction_id,
			business: 'partner@example.com',
			type: 'withdrawal_ach',
			reference: request.external_reference,
			status: 'pending_transaction',
			history: [{ status: 'pending_transaction', at: anyTime }],
			createdAt: anyTime,
			amount: '100.50',
			asset: 'BOB',
			request,
		});
		expect(await service.admin.transaction(kept.id)).toEqual(kept);
		expect(await service.admin.transactions({ type: 'deposit_express' })).toEqual([]);
	});

	it('completes a transaction when its QR deposit is paid', async () => {
		const { body } = await service.call('POST', paths.deposit, balanceDeposit());
		const paid = await service.admin.payDeposit(String(body.transactionId));
		expect(paid.history.map(({ status }) => status)).toEqual([
			'pending_transaction',
			'processing_transaction',
			'completed_transaction',
		]);
		await expect(service.admin.payDeposit(await pay())).rejects.toThrow(/not a QR deposit/);
	});

	it('moves a transaction through its states on the state clock', async () => {
		jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
		try {
			const id = await pay();
			await service.admin.change({ stateClockMs: 1000 });
			const statusAfter = async (ms: number) => {
				jest.advanceTimersByTime(ms);
				return (await service.admin.transaction(id)).status;
			};
			expect(await statusAfter(900)).toBe('pending_transaction');
			expect(await statusAfter(100)).toBe('processing_transaction');
			expect(await statusAfter(1000)).toBe('completed_transaction');
			expect(await statusAfter(5000)).toBe('completed_transaction');
		} finally {
			await service.admin.change({ stateClockMs: null });
			jest.useRealTimers();
		}
	});

	describe('lifecycle rules', () => {
		const hour = 3_600_000;
		let receiver: Receiver;

		beforeEach(async () => {
			receiver = new Receiver();
			const url = await receiver.start();
			const events = { transaction: transactionStatuses };
			await service.call('POST', '/v2/webhooks', { url, events });
			await service.admin.change({ deliveryConcurrency: 1 });
		});
		afterEach(() => receiver.stop());

		/** Advances the clock and waits for all deliveries. */
		const advance = async (ms: number) => {
			const answer = await service.admin.advance(ms);
			await service.admin.drain();
			return answer;
		};
		const payWith = async (external_reference: string) => {
			const { body } = await service.call('POST', paths.bank, bankPayout({ external_reference }));
			return String(body.transaction_id);
		};
		/** The states of a transaction, with the time of each since the first. */
		const statesOf = async (id: string) => {
			const { history } = await service.admin.transaction(id);
			const start = Date.parse(history[0].at);
			return history.map(({ status, at }) => [status, Date.parse(at) - start]);
		};
		const toCompleted: Step[] = [
			{ status: 'processing_transaction', afterMs: hour },
			{ status: 'completed_transaction', afterMs: hour },
		];

		it('enters each state at its own time when the clock is advanced', async () => {
			const [well, badly, never] = [randomUUID(), randomUUID(), randomUUID()];
			const end = { status: 'failed_transaction', afterMs: 90 * 60_000 } as const;
			await service.admin.addLifecycle({ match: { reference: badly }, steps: [end] });
			await service.admin.addLifecycle({ match: { reference: never }, steps: [] });
			await service.admin.addLifecycle({ steps: toCompleted });
			const ids = [await payWith(well), await payWith(badly), await payWith(never)];
			expect((await advance(hour / 2)).entered).toBe(0);
			expect((await advance(10 * hour)).entered).toBe(3);

			const pending = ['pending_transaction', 0];
			expect(await statesOf(ids[0])).toEqual([
				pending,
				['processing_transaction', hour],
				['completed_transaction', 2 * hour],
			]);
			expect(await statesOf(ids[1])).toEqual([pending, ['failed_transaction', 1.5 * hour]]);
			expect(await statesOf(ids[2])).toEqual([pending]);
			// The order also holds across transactions.
			expect(receiver.received.slice(3).map(({ body }) => body.status)).toEqual([
				'processing_transaction',
				'failed_transaction',
				'completed_transaction',
			]);
			const { history } = await service.admin.transaction(ids[0]);
			const start = Date.parse(history[0].at);
			const { logs } = (await service.call('GET', '/v2/webhooks/logs')).body;
			const [{ createdAt, payload }] = Object.values(logs);
			expect(payload.status).toBe('completed_transaction');
			const happened = Date.parse(String(payload.timestamp));
			const logged = Date.parse(String(createdAt));
			expect(happened).toBe(start + 2 * hour);
			expect(logged - happened).toBeLessThan(hour / 4);
			expect(logged).toBeGreaterThanOrEqual(happened);
			// New transactions use the advanced time.
			const later = await service.admin.transaction(await payWith(randomUUID()));
			expect(Date.parse(later.createdAt)).toBeGreaterThanOrEqual(start + 10.5 * hour);
		});
	});
});
