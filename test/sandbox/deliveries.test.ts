/* eslint-disable @n8n/community-nodes/no-restricted-imports -- runs outside n8n */
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { transactionStatuses } from '../../sandbox/schemas';
import {
	anyTime,
	anyUuid,
	balanceDeposit,
	bankPayout,
	cryptoPayout,
	paths,
	Receiver,
	Service,
} from './service';

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

	it('delivers other transaction types in the same form', async () => {
		await register();
		await pay();
		const { body } = await service.call('POST', paths.deposit, balanceDeposit());
		await service.admin.drain();
		const byType = new Map(
			receiver.received.map((one) => [String(one.body.transactionType), one.body]),
		);
		expect([...byType.keys()].sort()).toEqual(['deposit_express', 'withdrawal_ach']);
		expect(byType.get('deposit_express')).toMatchObject({
			externalReference: body.referenceId,
			details: { amount: '69.60', asset: 'BOB', transactionId: body.transactionId },
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

	it('delivers nothing to other businesses', async () => {
		await register();
		await service.admin.addUser({ email: 'b@example.com', password: 'b' });
		await service.login('b@example.com', 'b');
		await pay();
		await service.admin.drain();
		expect(receiver.received).toEqual([]);
		expect(await logs()).toEqual([]);
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

	it('gives up a delivery after the last retry', async () => {
		await register();
		receiver.answers = [500, 500, 500, 500, 200];
		await pay();
		await service.admin.drain();
		expect((await service.admin.counters()).deliveries).toMatchObject({ attempts: 4, failed: 1 });
		expect(receiver.received).toHaveLength(4);
	});

	it('logs status code 0 if nothing listens at the address', async () => {
		await receiver.stop();
		await service.admin.change({ deliveryRetries: 0 });
		await register();
		await pay();
		await service.admin.drain();
		expect(await logs()).toEqual([expect.objectContaining({ status: 'ERROR', statusCode: 0 })]);
		const [attempt] = await service.admin.deliveries();
		expect(attempt.reason).toContain('ECONNREFUSED');
		receiver = new Receiver();
		await receiver.start();
	});

	it('ends an attempt at its timeout', async () => {
		const silent = createServer();
		await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
		const { port } = silent.address() as AddressInfo;
		await service.admin.change({ deliveryRetries: 0, deliveryTimeoutMs: 20 });
		await register({ url: `http://127.0.0.1:${port}/` });
		await pay();
		await service.admin.drain();
		expect((await service.admin.deliveries())[0].reason).toBe('no answer within 20 ms');
		silent.close();
	});

	it('does not deliver to other machines', async () => {
		await service.admin.change({ deliveryRetries: 0 });
		await register({ url: 'https://partner.example/hook' });
		await pay();
		await service.admin.drain();
		const [attempt] = await service.admin.deliveries();
		expect(attempt).toMatchObject({ status: 'ERROR', reason: expect.stringContaining('machine') });
	});

	it('survives an apiKey that is not allowed in a header', async () => {
		await service.admin.change({ deliveryRetries: 0 });
		await register({ apiKey: 'two\nlines' });
		await pay();
		await service.admin.drain();
		expect((await logs())[0]).toMatchObject({ status: 'ERROR', statusCode: 0 });
	});

	it('sends the apiKey in the header that is set, or not at all', async () => {
		await register();
		await service.admin.change({ apiKeyHeader: 'X-Webhook-Secret' });
		await pay();
		await service.admin.drain();
		await service.admin.change({ apiKeyHeader: null });
		await pay();
		await service.admin.drain();
		const [first, second] = receiver.received;
		expect(first.headers['x-webhook-secret']).toBe('secret');
		expect(Object.values(second.headers)).not.toContain('secret');
	});

	it('delivers an event twice if duplicates are set', async () => {
		await service.admin.change({ deliveryDuplicates: 1 });
		await register();
		await pay();
		await service.admin.drain();
		expect(receiver.received).toHaveLength(2);
		expect(receiver.received[0].body).toEqual(receiver.received[1].body);
	});

	it('delivers many events with limited concurrency', async () => {
		await service.admin.change({ deliveryConcurrency: 3 });
		await register({ events: { transaction: ['completed_transaction'] } });
		await Promise.all(Array.from({ length: 100 }, pay));
		expect(await service.admin.setStatuses('completed_transaction')).toBe(100);
		await service.admin.drain();
		const ids = new Set(receiver.received.map(({ body }) => body.details.transactionId));
		expect(ids.size).toBe(100);
	});

	it('delivers any payload on command', async () => {
		const id = await register({ status: 'INACTIVE' });
		expect(await service.admin.sendEvent({ any: 'thing' })).toBe(0);
		expect(await service.admin.sendEvent(['odd'], id)).toBe(1);
		await service.admin.drain();
		expect(receiver.received.map(({ body }) => body)).toEqual([['odd']]);
	});

	it('changes a logged attempt to any values', async () => {
		await register();
		await service.admin.sendEvent({ any: 'thing' });
		await service.admin.drain();
		const [{ id }] = await service.admin.deliveries();
		await service.admin.changeDelivery(id, { createdAt: null, status: 'LATE' });
		expect(await logs()).toMatchObject([
			{ id, createdAt: null, status: 'LATE', updatedAt: anyTime },
		]);
		await expect(service.admin.changeDelivery(id, { id: 'other' })).rejects.toThrow('400');
	});

	it('drops pending deliveries on reset', async () => {
		await service.admin.change({ deliveryRetryDelaysMs: [60_000] });
		await register();
		receiver.answers = [500];
		await pay();
		while ((await service.admin.counters()).deliveries.attempts === 0);
		await expect(service.admin.drain(1)).rejects.toThrow(/504.*1 deliveries are still pending/);
		const drained = service.admin.drain();
		await service.admin.reset();
		await drained;
		expect((await service.admin.counters()).deliveries.pending).toBe(0);
	});
});
