import { startSandbox, type Sandbox } from '../../sandbox/server';
import type { Transaction } from '../../sandbox/state';

/** Payouts by conversion, which wait for a crypto payout to their address. */
describe('funding', () => {
	let sandbox: Sandbox;

	beforeAll(async () => {
		sandbox = await startSandbox();
	});
	beforeEach(() => {
		sandbox.core.reset(false);
		Object.assign(sandbox.core.settings, { waitForFunding: true, fundingExpiresMs: 60_000 });
	});
	afterAll(async () => await sandbox.close());

	let count = 0;

	function payout(): Transaction {
		const { state, transactions } = sandbox.core;
		count += 1;
		return transactions.create(state.allBusinesses()[0], {
			type: 'withdrawal_ach',
			reference: `payout-${count}`,
			funding: {
				address: `0x${String(count).padStart(40, '0')}`,
				asset: 'USDC',
				blockchain: 'Polygon',
				amount: '36.120000',
				received: '0',
			},
			request: {},
		});
	}

	/** A crypto payout that arrives. */
	function send(to: Transaction, amount: string, asset = 'USDC', blockchain = 'Polygon'): void {
		const { state, transactions } = sandbox.core;
		count += 1;
		const crypto = transactions.create(state.allBusinesses()[0], {
			type: 'withdrawal_crypto',
			reference: `crypto-${count}`,
			amount,
			asset,
			blockchain,
			request: { destinationWallet: to.funding?.address },
		});
		transactions.setStatus(crypto, 'completed_transaction');
	}

	test.each([
		['the exact amount', ['36.12'], 'processing_transaction', '36.12000000'],
		['more', ['40'], 'processing_transaction', '40.00000000'],
		['two parts of it', ['36', '0.12'], 'processing_transaction', '36.12000000'],
		['less', ['36.11999999'], 'pending_transaction', '36.11999999'],
	])('answers to %s as it should', (_, amounts, status, received) => {
		const transaction = payout();
		for (const amount of amounts) send(transaction, amount);
		expect(transaction).toMatchObject({ status, funding: { received } });
	});

	test('moves a funded payout on to its end', () => {
		const transaction = payout();
		send(transaction, '36.12');
		Object.assign(sandbox.core.settings, { stateClockMs: 1000 });
		sandbox.core.transactions.advance(1000);
		expect(transaction.status).toBe('completed_transaction');
	});

	test.each([
		['another asset', 'USDT', 'Polygon'],
		['the asset on another blockchain', 'USDC', 'Ethereum'],
	])('does not count %s', (_, asset, blockchain) => {
		const transaction = payout();
		send(transaction, '36.12', asset, blockchain);
		expect(transaction).toMatchObject({
			status: 'pending_transaction',
			funding: { received: '0' },
		});
	});

	test('lets a payout expire that is not funded in time, whatever arrives later', () => {
		const transaction = payout();
		sandbox.core.transactions.advance(60_000);
		expect(transaction.status).toBe('expired_transaction');
		send(transaction, '36.12');
		expect(transaction.status).toBe('expired_transaction');
	});
});
