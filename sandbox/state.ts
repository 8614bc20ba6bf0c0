import { createHash, randomUUID } from 'node:crypto';
import { newAddress } from './addresses';
import type { Clock } from './clock';
import { Newest } from './newest';
import type { TransactionStatus } from './schemas';

/** Section 2.1, with the password. */
export interface User {
	id: string;
	name: string;
	email: string;
	password: string;
	role: string;
	status: string;
	completedOnboardingSteps: string[];
}

/** Section 2.2. */
export interface BusinessClient {
	id: string;
	name: string;
	type: 'individual' | 'company';
	status: string;
	country: string;
	email: string;
	externalClientId: string | null;
}

/** Section 2.3. */
export interface WalletAsset {
	id: string;
	symbol: string;
	blockchain: string;
	walletAddress: string;
	legacyAddress: string | null;
}

/** Section 2.3. */
export interface Wallet {
	walletId: string;
	status: string;
	createdAt: string;
	assets: WalletAsset[];
}

/** Section 2.5. */
export interface Balance {
	type: string;
	balance: number;
	fiat: string;
	lastCredit: string;
	lastDebit: string;
}

/** Section 2.7. */
export interface Webhook {
	id: string;
	url: string;
	apiKey: string;
	description: string;
	status: string;
	events: string[];
	createdAt: string;
	updatedAt: string;
}

/** Section 2.8, with the reason of a failure, which only the admin API shows. */
export interface WebhookLog {
	id: string;
	webhookId: string;
	name: string;
	webhookUrl: string;
	status: 'SUCCESS' | 'ERROR';
	payload: unknown;
	statusCode: number;
	duration: number;
	retries: number;
	createdAt: string;
	updatedAt: string;
	reason?: string;
}

export type TransactionType =
	| 'withdrawal_ach'
	| 'withdrawal_express'
	| 'withdrawal_crypto'
	| 'deposit_express'
	| 'deposit_crypto';

/** A transaction with all its data. */
export interface Transaction {
	id: string;
	business: string;
	type: TransactionType;
	reference: string | null;
	status: TransactionStatus;
	history: Array<{ status: TransactionStatus; at: string }>;
	createdAt: string;
	amount?: string;
	asset?: string;
	blockchain?: string;
	walletId?: string;
	transactionHash?: string;
	/** Of a payout by conversion: the crypto that it waits for, and what has arrived of it. */
	funding?: Funding;
	request: unknown;
}

/** Crypto that funds a payout. Amounts are decimal text. */
export interface Funding {
	address: string;
	asset: string;
	blockchain: string;
	amount: string;
	received: string;
}

/** A partner business with all its data (section 5, point 6). */
export interface Business {
	user: User;
	clients: BusinessClient[];
	wallets: Map<string, Wallet>;
	balances: Balance[];
	webhooks: Map<string, Webhook>;
	logs: Newest<WebhookLog>;
	references: Set<string>;
}

/** The user of every new sandbox. */
export const exampleUser = {
	email: 'partner@example.com',
	password: 'sandbox-only-password',
	name: 'Example Partner',
};

const logLimit = 100_000;

/** An identifier that is the same in every sandbox, so that examples are repeatable. */
function stableId(...names: string[]): string {
	const hash = createHash('sha1').update(names.join('/')).digest('hex');
	return [
		hash.slice(0, 8),
		hash.slice(8, 12),
		`5${hash.slice(13, 16)}`,
		`8${hash.slice(17, 20)}`,
		hash.slice(20, 32),
	].join('-');
}

/** An asset with a fresh address. */
export function newWalletAsset(symbol: string, blockchain: string): WalletAsset {
	return {
		id: randomUUID(),
		symbol,
		blockchain,
		walletAddress: newAddress(blockchain),
		legacyAddress: null,
	};
}

function newBusiness({ email, password, name }: typeof exampleUser, createdAt: string): Business {
	const wallet = (symbol: string, blockchain: string): [string, Wallet] => {
		const walletId = stableId(email, 'wallet', symbol);
		const assets = [newWalletAsset(symbol, blockchain)];
		return [walletId, { walletId, status: 'ACTIVE', createdAt, assets }];
	};
	const client = (
		clientName: string,
		type: BusinessClient['type'],
		status: string,
		externalClientId: string | null,
	): BusinessClient => ({
		id: stableId(email, 'client', clientName),
		name: clientName,
		type,
		status,
		country: 'BO',
		email: `${clientName.toLowerCase().replace(/\W+/g, '.')}@example.com`,
		externalClientId,
	});
	const balance = (type: string, available: number, fiat: string): Balance => ({
		type,
		balance: available,
		fiat,
		lastCredit: createdAt,
		lastDebit: createdAt,
	});

	return {
		user: {
			id: stableId(email, 'user'),
			name,
			email,
			password,
			role: 'partner',
			status: 'ACTIVE',
			completedOnboardingSteps: ['registration', 'verification'],
		},
		clients: [
			client('Ana Flores', 'individual', 'Active', 'ext-1001'),
			client('Andes Trading', 'company', 'Onboarding', 'ext-1002'),
			client('Luis Rojas', 'individual', 'Pending', null),
		],
		wallets: new Map([wallet('USDC', 'Polygon'), wallet('USDT', 'TRON')]),
		balances: [
			balance('withdrawal_ach', 1_000_000, 'BOB'),
			balance('withdrawal_ach', 250_000, 'USD'),
			balance('withdrawal_express', 500_000, 'BOB'),
		],
		webhooks: new Map(),
		logs: new Newest(logLimit),
		references: new Set(),
	};
}

/** The sandbox's data, in memory only. */
export class State {
	private readonly businesses = new Map<string, Business>();
	readonly transactions = new Map<string, Transaction>();

	constructor(private readonly clock: Clock) {
		this.reset();
	}

	/** Goes back to the example user alone. */
	reset(): void {
		this.businesses.clear();
		this.transactions.clear();
		this.addUser(exampleUser);
	}

	/** Adds a user with their own business, or replaces the one with this email. */
	addUser(user: typeof exampleUser): Business {
		const business = newBusiness(user, this.clock.text());
		this.businesses.set(user.email.toLowerCase(), business);
		return business;
	}

	/** The business of a user. */
	business(email: string): Business | undefined {
		return this.businesses.get(email.toLowerCase());
	}

	allBusinesses(): Business[] {
		return [...this.businesses.values()];
	}
}
