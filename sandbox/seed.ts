import { randomUUID } from 'node:crypto';
import { transactionStatuses } from './schemas';
import { newWalletAsset } from './state';
import type { Business, Webhook } from './state';

/** How much made-up data to add. */
export interface SeedCounts {
	wallets?: number;
	businessClients?: number;
	webhooks?: number;
	webhookLogs?: number;
}

const clientStatuses = ['Pending', 'Onboarding', 'Active', 'Rejected', 'Suspended'];
const minute = 60_000;

function numbers(count = 0): number[] {
	return Array.from({ length: count }, (_, index) => index + 1);
}

/** Inactive, because nothing listens at its address. */
function newWebhook(number: number, at: string): Webhook {
	return {
		id: randomUUID(),
		url: `http://127.0.0.1:9/seeded/${number}`,
		apiKey: '',
		description: `Seeded webhook ${number}`,
		status: 'INACTIVE',
		events: [...transactionStatuses],
		createdAt: at,
		updatedAt: at,
	};
}

/** Adds made-up data to a business, for trying long lists. */
export function seed(business: Business, counts: SeedCounts): void {
	const { clients, wallets, webhooks, logs } = business;
	const start = Date.now();
	const at = new Date(start).toISOString();

	for (const number of numbers(counts.wallets)) {
		const walletId = randomUUID();
		const assets = [
			number % 2 === 0 ? newWalletAsset('USDT', 'TRON') : newWalletAsset('USDC', 'Polygon'),
		];
		wallets.set(walletId, { walletId, status: 'ACTIVE', createdAt: at, assets });
	}

	for (const number of numbers(counts.businessClients)) {
		const status = clientStatuses[number % clientStatuses.length];
		clients.push({
			id: randomUUID(),
			name: `Seeded client ${number}`,
			type: number % 2 === 0 ? 'company' : 'individual',
			status,
			country: 'BO',
			email: `client-${number}@example.com`,
			externalClientId: status === 'Pending' ? null : `ext-${number}`,
		});
	}

	for (const number of numbers(counts.webhooks)) {
		const webhook = newWebhook(number, at);
		webhooks.set(webhook.id, webhook);
	}

	const logCount = counts.webhookLogs ?? 0;
	if (logCount > 0 && webhooks.size === 0) {
		const webhook = newWebhook(1, at);
		webhooks.set(webhook.id, webhook);
	}
	const [webhook] = webhooks.values();
	for (const number of numbers(logCount)) {
		const succeeded = number % 2 === 0;
		// One per minute, the last one now.
		const timestamp = new Date(start - (logCount - number) * minute).toISOString();
		const transactionId = randomUUID();
		logs.add({
			id: randomUUID(),
			webhookId: webhook.id,
			name: webhook.description,
			webhookUrl: webhook.url,
			status: succeeded ? 'SUCCESS' : 'ERROR',
			payload: {
				externalReference: `seeded-${number}`,
				status: 'completed_transaction',
				transactionType: 'withdrawal_crypto',
				timestamp,
				details: {
					amount: '10.5',
					asset: 'USDC',
					blockchain: 'Polygon',
					message: `Transaction ${transactionId} changed to status completed_transaction`,
					transactionId,
				},
			},
			statusCode: succeeded ? 200 : 500,
			duration: 12,
			retries: 0,
			createdAt: timestamp,
			updatedAt: timestamp,
		});
	}
}
