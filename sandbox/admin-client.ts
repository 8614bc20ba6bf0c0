import type { LifecycleRule } from './lifecycles';
import type { DeliveryCounters } from './deliveries';
import type { ActiveFaultRule, FaultRule } from './faults';
import type { ActiveRule } from './rules';
import type { TransactionStatus } from './schemas';
import type { SeedCounts } from './seed';
import type { SandboxSettings } from './settings';
import type { Balance, Transaction, Webhook, WebhookLog } from './state';
import type { ReceivedRequest, TrafficCounters } from './traffic';
import type { TransactionCounters } from './transactions';

/** All counters of a sandbox. */
export interface Counters extends TrafficCounters, TransactionCounters {
	deliveries: DeliveryCounters;
}

type Owned<Item> = Item & { business: string };

/** A client of the admin API, for a sandbox in this or another process. It throws unless a request succeeds. */
export class SandboxAdmin {
	constructor(private readonly adminUrl: string) {}

	counters(): Promise<Counters> {
		return this.call('GET', '/counters');
	}

	async reset(options: { keepSettings?: boolean } = {}): Promise<void> {
		await this.call('POST', '/reset', options);
	}

	requests(filter: { method?: string; path?: string; limit?: number } = {}) {
		return this.call<ReceivedRequest[]>('GET', `/requests${query(filter)}`);
	}

	async clearRequests(): Promise<void> {
		await this.call('DELETE', '/requests');
	}

	settings(): Promise<SandboxSettings> {
		return this.call('GET', '/settings');
	}

	change(settings: Partial<SandboxSettings>): Promise<SandboxSettings> {
		return this.call('PATCH', '/settings', settings);
	}

	addUser(user: { email: string; password: string; name?: string }) {
		return this.call<{ id: string; email: string; name: string }>('POST', '/users', user);
	}

	async revokeTokens(email?: string): Promise<number> {
		return (await this.call<{ revoked: number }>('POST', '/tokens/revoke', { email })).revoked;
	}

	addFault(rule: FaultRule): Promise<ActiveFaultRule> {
		return this.call('POST', '/faults', rule);
	}

	faults(): Promise<ActiveFaultRule[]> {
		return this.call('GET', '/faults');
	}

	async clearFaults(): Promise<void> {
		await this.call('DELETE', '/faults');
	}

	addLifecycle(rule: LifecycleRule): Promise<ActiveRule<LifecycleRule>> {
		return this.call('POST', '/lifecycles', rule);
	}

	lifecycles(): Promise<Array<ActiveRule<LifecycleRule>>> {
		return this.call('GET', '/lifecycles');
	}

	async clearLifecycles(): Promise<void> {
		await this.call('DELETE', '/lifecycles');
	}

	/** Advances the clock at once. Resolves to the new time and the number of states entered. */
	advance(ms: number): Promise<{ now: string; entered: number }> {
		return this.call('POST', '/time/advance', { ms });
	}

	transactions(filter: { reference?: string; type?: string; limit?: number } = {}) {
		return this.call<Transaction[]>('GET', `/transactions${query(filter)}`);
	}

	transaction(id: string): Promise<Transaction> {
		return this.call('GET', `/transactions/${id}`);
	}

	setStatus(id: string, status: TransactionStatus, force?: boolean): Promise<Transaction> {
		return this.call('POST', `/transactions/${id}/status`, { status, force });
	}

	/** Sets the status of many transactions, or of all. Resolves to the number that changed. */
	async setStatuses(status: TransactionStatus, ids?: string[], force?: boolean): Promise<number> {
		const body = { status, ids, force };
		return (await this.call<{ changed: number }>('POST', '/transactions/status', body)).changed;
	}

	payDeposit(id: string): Promise<Transaction> {
		return this.call('POST', `/deposits/${id}/pay`);
	}

	createCryptoDeposit(deposit: {
		amount: string;
		asset: string;
		blockchain: string;
		walletId?: string;
		email?: string;
	}): Promise<Transaction> {
		return this.call('POST', '/crypto-deposits', deposit);
	}

	setBalances(balances: Array<Pick<Balance, 'type' | 'balance' | 'fiat'>>, email?: string) {
		return this.call<Balance[]>('PUT', '/balances', { balances, email });
	}

	async seed(counts: SeedCounts & { email?: string }): Promise<void> {
		await this.call('POST', '/seed', counts);
	}

	webhooks(): Promise<Array<Owned<Webhook>>> {
		return this.call('GET', '/webhooks');
	}

	deliveries(limit?: number): Promise<Array<Owned<WebhookLog>>> {
		return this.call('GET', `/deliveries${query({ limit })}`);
	}

	/** Changes a logged attempt, also to values that no service should log. */
	changeDelivery(id: string, changes: { [name in keyof WebhookLog]?: unknown }) {
		return this.call<WebhookLog>('PATCH', `/deliveries/${id}`, changes);
	}

	/** Resolves once no delivery is pending. */
	async drain(timeoutMs?: number): Promise<void> {
		await this.call('POST', `/deliveries/drain${query({ timeout: timeoutMs })}`);
	}

	/** Sends a payload to one webhook or to all active ones. Resolves to their number. */
	async sendEvent(payload: unknown, webhookId?: string): Promise<number> {
		const body = { payload, webhookId };
		return (await this.call<{ webhooks: number }>('POST', '/events', body)).webhooks;
	}

	private async call<Result>(method: string, path: string, body?: object): Promise<Result> {
		const response = await fetch(`${this.adminUrl}${path}`, {
			method,
			...(body && {
				headers: { 'content-type': 'application/json' },
				body: JSON.stringify(body),
			}),
		});
		const answer = await response.text();
		if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${answer}`);
		return JSON.parse(answer) as Result;
	}
}

function query(parameters: Record<string, string | number | undefined>): string {
	const given = new URLSearchParams();
	for (const [name, value] of Object.entries(parameters)) {
		if (value !== undefined) given.set(name, String(value));
	}
	return given.size === 0 ? '' : `?${given.toString()}`;
}
