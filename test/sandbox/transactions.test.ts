import { randomUUID } from 'node:crypto';
import type { Step } from '../../sandbox/lifecycles';
import { transactionStatuses } from '../../sandbox/schemas';
import {
	anyTime,
	anyUuid,
	balanceDeposit,
	bankPayout,
	cryptoPayout,
	paths,
	qrPayout,
	Receiver,
	Service,
} from './service';

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

		it('recognizes a duplicate at all endpoints of a business', async () => {
			const { wallets } = (await service.call('GET', '/v2/wallets')).body;
			const reference = 'r-1';
			await service.call('POST', paths.deposit, balanceDeposit({ referenceId: reference }));
			const qr = qrPayout({ external_reference: reference });
			const crypto = cryptoPayout(String(wallets[0].walletId), { externalReference: reference });
			expect((await service.call('POST', paths.qrPayout, qr)).status).toBe(409);
			expect((await service.call('POST', paths.crypto, crypto)).status).toBe(409);

			await service.admin.addUser({ email: 'b@example.com', password: 'b' });
			await service.login('b@example.com', 'b');
			expect((await service.call('POST', paths.qrPayout, qr)).status).toBe(201);
		});

		it('allows a reference again if the first request was rejected', async () => {
			const request = bankPayout();
			await service.call('POST', paths.bank, { ...request, extra: 1 });
			expect((await service.call('POST', paths.bank, request)).status).toBe(201);
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

	it('changes a status on command, alone or with others', async () => {
		const ids = [await pay(), await pay(), await pay()];
		const moved = await service.admin.setStatus(ids[0], 'failed_transaction');
		expect(moved.history.map(({ status }) => status)).toEqual([
			'pending_transaction',
			'failed_transaction',
		]);
		const same = await service.admin.setStatus(ids[0], 'failed_transaction');
		expect(same.history).toHaveLength(2);
		const forced = await service.admin.setStatus(ids[0], 'failed_transaction', true);
		expect(forced.history).toHaveLength(3);

		expect(await service.admin.setStatuses('expired_transaction', ids.slice(0, 2))).toBe(2);
		expect(await service.admin.setStatuses('expired_transaction')).toBe(1);
		await expect(service.admin.setStatus(ids[0], 'done' as never)).rejects.toThrow(/400/);
		await expect(
			service.admin.setStatus('00000000-0000-4000-8000-000000000000', 'failed_transaction'),
		).rejects.toThrow(/404/);
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

	it('creates a transaction by a crypto deposit', async () => {
		const fields = { amount: '5.5', asset: 'USDC', blockchain: 'Polygon' };
		const deposit = await service.admin.createCryptoDeposit(fields);
		expect(deposit).toMatchObject({
			...fields,
			id: anyUuid,
			type: 'deposit_crypto',
			reference: null,
			walletId: anyUuid,
		});
		await expect(
			service.admin.createCryptoDeposit({
				...fields,
				walletId: '00000000-0000-4000-8000-000000000000',
			}),
		).rejects.toThrow(/404/);
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

		it('sends a late event after the last one, with its own time', async () => {
			const [processing, completed] = toCompleted;
			await service.admin.addLifecycle({ steps: [{ ...processing, eventLast: true }, completed] });
			await payWith(randomUUID());
			await advance(hour);
			expect(receiver.received).toHaveLength(1);
			await advance(hour);
			const [, last, late] = receiver.received.map(({ body }) => body);
			expect([last.status, late.status]).toEqual([
				'completed_transaction',
				'processing_transaction',
			]);
			expect(Date.parse(String(last.timestamp)) - Date.parse(String(late.timestamp))).toBe(hour);
		});

		it('ends a lifecycle when a person moves the transaction, and sends its late events', async () => {
			const [processing, completed] = toCompleted;
			await service.admin.addLifecycle({ steps: [{ ...processing, eventLast: true }, completed] });
			const id = await payWith(randomUUID());
			await advance(hour);
			await service.admin.setStatus(id, 'reject_transaction');
			await advance(hour);
			expect(receiver.received.map(({ body }) => body.status)).toEqual([
				'pending_transaction',
				'reject_transaction',
				'processing_transaction',
			]);
		});

		it('moves transactions in real time', async () => {
			await service.admin.addLifecycle({ steps: [{ status: 'expired_transaction', afterMs: 1 }] });
			const id = await pay();
			while ((await service.admin.transaction(id)).status === 'pending_transaction');
			expect((await service.admin.transaction(id)).status).toBe('expired_transaction');
		});

		it('selects transactions by type, reference, amount, number and probability', async () => {
			const { core } = service.sandbox;
			const [business] = core.state.allBusinesses();
			const draw = async (...references: string[]) => {
				for (const reference of references) {
					const draft = { type: 'withdrawal_ach', amount: '100.50', request: {} } as const;
					core.transactions.create(business, { ...draft, reference });
				}
				return (await service.admin.lifecycles()).map(({ seen, hits }) => [seen, hits]);
			};
			const match = { type: 'withdrawal_ach', amount: '100.50', reference: 'a*c' } as const;
			await service.admin.addLifecycle({ match, skip: 1, steps: [] });
			await service.admin.addLifecycle({ match: { ...match, amount: '100.5' }, steps: [] });
			await service.admin.addLifecycle({ match: { type: 'withdrawal_crypto' }, steps: [] });
			await service.admin.addLifecycle({ steps: [] });
			// The last rule takes the rest.
			expect(await draw('abc', 'a/c', 'ac', 'abd')).toEqual([
				[3, 2],
				[0, 0],
				[0, 0],
				[2, 2],
			]);

			const many = (name: string) => Array.from({ length: 100 }, (_, index) => `${name}-${index}`);
			const chances = async (name: string) => {
				await service.admin.clearLifecycles();
				await service.admin.addLifecycle({ probability: 0.5, seed: 3, steps: [] });
				return (await draw(...many(name)))[0][1];
			};
			const hits = await chances('first');
			expect(hits).toBeGreaterThan(25);
			expect(hits).toBeLessThan(75);
			expect(await chances('second')).toBe(hits);
		});

		it('rejects an invalid lifecycle', async () => {
			for (const steps of [
				undefined,
				[{ status: 'done' }],
				[{ status: 'failed_transaction', afterMs: -1 }],
			]) {
				await expect(service.admin.addLifecycle({ steps } as never)).rejects.toThrow(/400/);
			}
			await expect(service.admin.advance(-1)).rejects.toThrow(/400/);
		});

		it('removes lifecycles and the advanced clock on reset', async () => {
			await service.admin.addLifecycle({ steps: toCompleted });
			await advance(hour);
			await service.admin.reset();
			await service.login();
			expect(await service.admin.lifecycles()).toEqual([]);
			const { createdAt } = await service.admin.transaction(await pay());
			expect(Date.parse(createdAt)).toBeLessThanOrEqual(Date.now());
		});
	});

	it('moves a transaction through its states as fast as the clock is advanced', async () => {
		await service.admin.change({ stateClockMs: 60_000 });
		const id = await pay();
		expect(await service.admin.advance(60_000)).toMatchObject({ entered: 1 });
		expect((await service.admin.transaction(id)).status).toBe('processing_transaction');
		expect(await service.admin.advance(60_000)).toMatchObject({ entered: 1 });
		expect((await service.admin.transaction(id)).status).toBe('completed_transaction');
		// The token is still valid.
		expect((await service.call('GET', '/v2/wallets')).status).toBe(200);
	});
});
