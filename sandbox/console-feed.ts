import type { Core } from './core';
import type { TransactionStatus } from './schemas';
import type { Business, Transaction, TransactionType } from './state';

/** The number of rows that the console shows of a list. Its filter searches all transactions. */
export const rowLimit = 100;

/** The longest text of a body or payload that is sent to the console. */
const textLimit = 4000;
/** A QR payout may carry a whole image. */
const valueLimit = 300;

const typeNames: Record<TransactionType, string> = {
	withdrawal_ach: 'Bank payout',
	withdrawal_express: 'QR payout',
	withdrawal_crypto: 'Crypto payout',
	deposit_express: 'QR deposit',
	deposit_crypto: 'Crypto deposit',
};

export const statusNames: Record<TransactionStatus, string> = {
	pending_transaction: 'Pending',
	processing_transaction: 'Processing',
	completed_transaction: 'Completed',
	reject_transaction: 'Rejected',
	failed_transaction: 'Failed',
	expired_transaction: 'Expired',
};

function shortened(text: string, limit: number): string {
	return text.length <= limit
		? text
		: `${text.slice(0, limit)} … (${text.length} characters in all)`;
}

/** A body as readable text of limited length. */
function readable(value: unknown): string | undefined {
	const text = JSON.stringify(
		value,
		(_name, inner: unknown) => (typeof inner === 'string' ? shortened(inner, valueLimit) : inner),
		2,
	) as string | undefined;
	return text === undefined ? undefined : shortened(text, textLimit);
}

/** The payee that a payout's request names. QR codes are not read, and a deposit has no payee. */
interface Payee {
	name: string;
	account?: string;
}

function payeeOf({ type, request }: Transaction): Payee | undefined {
	const said = (request ?? {}) as Record<string, unknown>;
	if (type === 'withdrawal_crypto') return { name: textOf(said.destinationWallet) };
	if (type !== 'withdrawal_ach') return undefined;
	const bank = (said.transaction ?? {}) as Record<string, unknown>;
	return {
		name: `${textOf(bank.first_name)} ${textOf(bank.last_name)}`.trim(),
		account: `bank ${textOf(bank.bank_code)}, account ${textOf(bank.destination_account)}`,
	};
}

function textOf(value: unknown): string {
	return typeof value === 'string' ? shortened(value, valueLimit) : '';
}

const searched = new WeakMap<Transaction, string>();

/** The text that the filter searches, without the status. It never changes. */
function searchText(transaction: Transaction): string {
	let text = searched.get(transaction);
	if (text === undefined) {
		const { id, type, reference, amount, asset, blockchain, business } = transaction;
		const { name, account } = payeeOf(transaction) ?? {};
		text = [
			...[id, type, typeNames[type], reference, name, account],
			...[amount, asset, blockchain, business],
		]
			.join(' ')
			.toLowerCase();
		searched.set(transaction, text);
	}
	return text;
}

function found(transaction: Transaction, words: string[]): boolean {
	const { status } = transaction;
	const text = searchText(transaction);
	const name = statusNames[status].toLowerCase();
	return words.every((word) => text.includes(word) || name.includes(word) || status.includes(word));
}

function newestFirst<Item>(items: Item[]): Item[] {
	return items.slice(-rowLimit).reverse();
}

function transactionsOf({ state }: Core, find: string) {
	const words = find.toLowerCase().split(/\s+/).filter(Boolean);
	const all = [...state.transactions.values()];
	const matching = words.length === 0 ? all : all.filter((one) => found(one, words));
	return {
		total: all.length,
		matching: matching.length,
		rows: newestFirst(matching).map((transaction) => {
			const { id, type, reference, amount, asset, blockchain, status, createdAt, business } =
				transaction;
			return {
				id,
				type,
				typeName: typeNames[type],
				payee: payeeOf(transaction),
				reference,
				amount,
				asset,
				blockchain,
				status,
				statusName: statusNames[status],
				createdAt,
				business,
			};
		}),
	};
}

function deliveriesOf({ state, deliveries }: Core) {
	const attempts = state
		.allBusinesses()
		.flatMap(({ user, logs }) =>
			logs.newest(rowLimit).map((log) => ({ ...log, business: user.email })),
		)
		.sort((one, other) => Date.parse(one.updatedAt) - Date.parse(other.updatedAt));
	return {
		total: state.allBusinesses().reduce((sum, { logs }) => sum + logs.size, 0),
		pending: deliveries.counters().pending,
		rows: newestFirst(attempts).map(({ payload, ...attempt }) => {
			const { status } = (payload ?? {}) as { status?: TransactionStatus };
			return { ...attempt, event: status, payload: readable(payload) };
		}),
	};
}

/** The console's content by section. It is built only while a console is open. */
export function consoleSections(core: Core, find: string): Record<string, unknown> {
	const { state, traffic, transactions, deliveries, faults, settings } = core;
	const businesses = state.allBusinesses();
	const owned = <Item extends object>(listOf: (business: Business) => Item[]) => {
		let total = 0;
		const rows = businesses.flatMap((business) => {
			const list = listOf(business);
			total += list.length;
			return list.slice(-rowLimit).map((item) => ({ ...item, business: business.user.email }));
		});
		return { total, rows: newestFirst(rows) };
	};
	const balances = owned((business) => business.balances);
	const webhooks = owned((business) => [...business.webhooks.values()]);
	return {
		counters: {
			...traffic.counters(),
			...transactions.counters(),
			deliveries: deliveries.counters(),
			businesses: businesses.length,
		},
		settings,
		faults: faults.all(),
		transactions: transactionsOf(core, find),
		requests: {
			total: traffic.remembered,
			rows: traffic
				.requests(rowLimit)
				.reverse()
				.map(({ query, headers, body, ...request }) => ({
					...request,
					query: readable(query),
					headers: readable(headers),
					body: readable(body),
				})),
		},
		deliveries: deliveriesOf(core),
		webhooks: {
			total: webhooks.total,
			rows: webhooks.rows.map(({ apiKey, ...webhook }) => ({
				...webhook,
				hasApiKey: apiKey !== '',
			})),
		},
		balances: { total: balances.total, rows: balances.rows.reverse() },
		wallets: owned(({ wallets }) => [...wallets.values()]),
		clients: owned(({ clients }) => clients),
	};
}

/** Sends one listener what has changed since its last update. */
export class ConsoleFeed {
	private readonly sent = new Map<string, string>();

	constructor(
		private readonly core: Core,
		private readonly find: string,
	) {}

	/** The sections that changed, as JSON; undefined when none did. */
	news(): string | undefined {
		const changed: string[] = [];
		for (const [name, section] of Object.entries(consoleSections(this.core, this.find))) {
			const text = JSON.stringify(section);
			if (this.sent.get(name) === text) continue;
			this.sent.set(name, text);
			changed.push(`${JSON.stringify(name)}:${text}`);
		}
		return changed.length === 0 ? undefined : `{${changed.join(',')}}`;
	}
}
