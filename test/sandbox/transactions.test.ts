import { anyTime, anyUuid, balanceDeposit, bankPayout, paths, qrPayout, Service } from './service';
import { cryptoPayout } from './service';

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

	describe('with a reference used before', () => {
		it.each([
			['conflict', 409, 'Conflict', 1],
			['badRequest', 400, 'Bad Request', 1],
			['accept', 201, undefined, 2],
		] as const)('mode %s', async (duplicateReferences, status, error, created) => {
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

		it('looks across all endpoints of a business', async () => {
			const { wallets } = (await service.call('GET', '/v2/wallets')).body;
			const reference = 'r-1';
			await service.call('POST', paths.deposit, balanceDeposit({ referenceId: reference }));
			const qr = qrPayout({ external_reference: reference });
			const crypto = cryptoPayout(wallets[0].walletId, { externalReference: reference });
			expect((await service.call('POST', paths.qrPayout, qr)).status).toBe(409);
			expect((await service.call('POST', paths.crypto, crypto)).status).toBe(409);

			await service.admin.addUser({ email: 'b@example.com', password: 'b' });
			await service.login('b@example.com', 'b');
			expect((await service.call('POST', paths.qrPayout, qr)).status).toBe(201);
		});

		it('does not take the reference of a request that was refused', async () => {
			const request = bankPayout();
			await service.call('POST', paths.bank, { ...request, extra: 1 });
			expect((await service.call('POST', paths.bank, request)).status).toBe(201);
		});

		it('refuses all but one of many at once', async () => {
			const request = bankPayout();
			const answers = await Promise.all(
				Array.from({ length: 20 }, () => service.call('POST', paths.bank, request)),
			);
			expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
			expect(answers.filter(({ status }) => status === 409)).toHaveLength(19);
		});
	});

	it('is kept in full', async () => {
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

	it('moves on command, one or many', async () => {
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

	it('completes a QR deposit that was paid', async () => {
		const { body } = await service.call('POST', paths.deposit, balanceDeposit());
		const paid = await service.admin.payDeposit(body.transactionId);
		expect(paid.history.map(({ status }) => status)).toEqual([
			'pending_transaction',
			'processing_transaction',
			'completed_transaction',
		]);
		await expect(service.admin.payDeposit(await pay())).rejects.toThrow(/not a QR deposit/);
	});

	it('arrives as a crypto deposit', async () => {
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

	it('walks its states on the clock', async () => {
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
});
