import { transactionStatuses } from '../../sandbox/schemas';
import { anyTime, anyUuid, bankPayout, cryptoPayout, paths, Receiver, Service } from './service';

describe('the delivery of events (6)', () => {
	let service: Service;
	let receiver: Receiver;
	let url: string;

	beforeAll(async () => {
		service = await Service.start({ deliveryRetryDelaysMs: [1, 2] });
	});
	beforeEach(async () => {
		await service.admin.reset();
		await service.login();
		receiver = new Receiver();
		url = await receiver.start();
	});
	afterEach(() => receiver.stop());
	afterAll(() => service.sandbox.close());

	const register = async (fields: Record<string, unknown> = {}): Promise<string> => {
		const events = { transaction: transactionStatuses };
		const body = { url, description: 'mine', apiKey: 'secret', events, ...fields };
		return String((await service.call('POST', '/v2/webhooks', body)).body.id);
	};
	const pay = async (): Promise<string> =>
		String((await service.call('POST', paths.bank, bankPayout())).body.transaction_id);
	const logs = async () => (await service.call('GET', '/v2/webhooks/logs?limit=100')).body.logs;
	const statuses = () => receiver.received.map(({ body }) => body.status);

	it('delivers every status change of a crypto payout (6.1)', async () => {
		await register();
		const { wallets } = (await service.call('GET', '/v2/wallets')).body;
		const request = cryptoPayout(String(wallets[0].walletId));
		const { body } = await service.call('POST', paths.crypto, request);
		const transactionId = String(body.transactionId);
		await service.admin.drain();
		await service.admin.setStatus(transactionId, 'completed_transaction');
		await service.admin.setStatus(transactionId, 'completed_transaction');
		await service.admin.drain();

		expect(receiver.received).toHaveLength(2);
		const [pending, completed] = receiver.received.map(({ body }) => body);
		const payload = {
			externalReference: request.externalReference,
			status: 'pending_transaction',
			transactionType: 'withdrawal_crypto',
			timestamp: anyTime,
			details: {
				amount: request.amount,
				asset: 'USDC',
				blockchain: 'Polygon',
				message: `Transaction ${transactionId} changed to status pending_transaction`,
				transactionId,
			},
		};
		expect(pending).toEqual(payload);
		expect(completed).toMatchObject({
			status: 'completed_transaction',
			details: { transactionHash: expect.stringMatching(/^0x[0-9a-f]{64}$/) },
		});
		expect(receiver.received[0].headers).toMatchObject({
			'content-type': 'application/json',
			'x-api-key': 'secret',
		});
	});

	it('delivers crypto deposits without a reference and with their wallet (6.2)', async () => {
		await register();
		const { id, walletId } = await service.admin.createCryptoDeposit({
			amount: '5',
			asset: 'USDT',
			blockchain: 'TRON',
		});
		await service.admin.drain();
		expect(receiver.received[0].body).toEqual({
			status: 'pending_transaction',
			transactionType: 'deposit_crypto',
			timestamp: anyTime,
			details: {
				amount: '5',
				asset: 'USDT',
				blockchain: 'TRON',
				message: expect.stringContaining(id),
				transactionId: id,
				walletId,
			},
		});
	});

	it('delivers only events that a webhook registered for, and only while it is active', async () => {
		const id = await register({ events: { transaction: ['failed_transaction'] } });
		const transaction = await pay();
		await service.admin.setStatus(transaction, 'failed_transaction');
		await service.admin.drain();
		expect(statuses()).toEqual(['failed_transaction']);

		await service.call('PATCH', `/v2/webhooks/${id}`, { status: 'INACTIVE' });
		await service.admin.setStatus(transaction, 'failed_transaction', true);
		await service.admin.drain();
		expect(receiver.received).toHaveLength(1);
	});

	it('retries a failed delivery and logs every attempt', async () => {
		const webhookId = await register();
		receiver.answers = [500, 503];
		await pay();
		await service.admin.drain();

		const attempts = Object.values(await logs()).reverse();
		expect(attempts).toHaveLength(3);
		expect(attempts[0]).toEqual({
			id: anyUuid,
			webhookId,
			name: 'mine',
			webhookUrl: url,
			status: 'ERROR',
			payload: receiver.received[0].body,
			statusCode: 500,
			duration: expect.any(Number),
			retries: 0,
			createdAt: anyTime,
			updatedAt: anyTime,
		});
		expect(attempts[1]).toMatchObject({ status: 'ERROR', statusCode: 503, retries: 1 });
		expect(attempts[2]).toMatchObject({ status: 'SUCCESS', statusCode: 200, retries: 2 });
		expect((await service.admin.counters()).deliveries).toEqual({
			attempts: 3,
			succeeded: 1,
			failed: 0,
			pending: 0,
		});
	});

	it('does not deliver to other machines', async () => {
		await service.admin.change({ deliveryRetries: 0 });
		await register({ url: 'https://partner.example/hook' });
		await pay();
		await service.admin.drain();
		const [attempt] = await service.admin.deliveries();
		expect(attempt).toMatchObject({ status: 'ERROR', reason: expect.stringContaining('machine') });
	});
});
