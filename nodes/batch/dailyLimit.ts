import type { IExecuteFunctions } from 'n8n-workflow';

import {
	DailySpending,
	DECIMALS,
	MAX_UNITS,
	type AboveLimit,
	type Spending,
} from '../ledger/dailySpending';
import { moneyWithCurrency } from '../report/language';
import type { StoredEntries } from '../ledger/storedEntries';
import { forPage, type UserMessage, userMessage } from '../messages/userMessage';
import type { MoneyEndpoint } from './endpoint';
import type { Facts } from './facts';
import type { Row } from './payment';
import { rowWords } from './rowName';
import { canonicalAmount, withoutLimit } from './totals';

type Paid = Pick<Facts, 'row' | 'money'>;

const OPTION = 'Daily Limit (This Node)';

/**
 * What this node may send in a day, over all its executions and on every worker. An amount is reserved before it
 * is sent, and counts unless the payment was certainly not created.
 */
export class DailyLimit {
	private readonly spending: DailySpending;

	/** @param limits the most for a day, as canonical decimals, by currency */
	constructor(
		private readonly batch: { context: IExecuteFunctions; endpoint: MoneyEndpoint },
		private readonly entries: StoredEntries,
		private readonly limits: ReadonlyMap<string, string>,
	) {
		this.spending = new DailySpending(
			entries,
			new Map([...limits].map(([currency, limit]) => [currency, unitsOf(limit)])),
			batch.context.getTimezone(),
		);
	}

	/** Why payments may not be sent today; undefined if they may. Reserves nothing. */
	async aboveLimit(payments: readonly Paid[]): Promise<UserMessage | undefined> {
		const { endpoint } = this.batch;
		const unlimited = withoutLimit(OPTION, this.limits, payments, ({ row }) =>
			rowWords(endpoint, row),
		);
		if (unlimited) return unlimited;
		if (!this.entries.isAvailable) return forPage(userMessage('dailyLimitWithoutStore'));
		try {
			return await this.exclusively(
				async () => await this.spending.check(amountsOf(payments).values()),
			);
		} catch (error) {
			return userMessage('storeUnreadable', { reason: (error as Error).message });
		}
	}

	/**
	 * Reserves the amounts of payments that are about to be sent: all of them, or none.
	 *
	 * @returns why they may not be sent
	 * @throws Error if n8n's database fails
	 */
	async reserve(payments: readonly Paid[]): Promise<UserMessage | undefined> {
		const amounts = amountsOf(payments);
		return await this.exclusively(async () => await this.spending.reserve(amounts));
	}

	/** Releases the amount of a row that was certainly not created. */
	release({ idempotencyKey }: Row): void {
		this.spending.release(idempotencyKey);
	}

	/**
	 * Writes what was released since the last reservation. If that fails, it counts on.
	 *
	 * @throws Error if n8n's database fails
	 */
	async flush(): Promise<void> {
		if (this.spending.isPending)
			await this.entries.withLock(async () => await this.spending.write());
	}

	/**
	 * Does work in a turn of the lock in which nobody else can have written: otherwise an amount that another
	 * process reserved may not count.
	 */
	private async exclusively(
		work: () => Promise<AboveLimit | undefined>,
	): Promise<UserMessage | undefined> {
		// The turn that takes the lock over from a killed process is not exclusive, but the next one is.
		for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
			const { value, wasExclusive } = await this.entries.withLock(async (isLocked) => {
				return isLocked ? { above: await work() } : undefined;
			});
			if (!value) break;
			if (wasExclusive) return value.above && aboveLimitMessage(value.above);
		}
		return forPage(userMessage('dailyLimitWithoutLock'));
	}
}

const ATTEMPTS = 3;

function aboveLimitMessage({ currency, units, used, limit }: AboveLimit): UserMessage {
	const money = (amount: bigint) => moneyWithCurrency(decimalOf(amount), currency, 'en');
	if (used === undefined) return userMessage('dailySpendingLost', { currency });
	const left = limit > used ? limit - used : 0n;
	return userMessage('aboveDailyLimit', {
		limit: money(limit),
		used: money(used),
		left: money(left),
		total: money(units),
	});
}

function amountsOf(payments: readonly Paid[]): Map<string, Spending> {
	return new Map(
		payments.map(({ row, money }) => [
			row.idempotencyKey,
			{ currency: money?.currency ?? '', units: unitsOf(money?.amount) },
		]),
	);
}

/** An amount in the smallest units; more than any limit if it is unknown. */
function unitsOf(amount: string | undefined): bigint {
	const decimal = canonicalAmount(amount);
	if (decimal === undefined) return MAX_UNITS;
	const [whole, fraction = ''] = decimal.split('.');
	return BigInt(whole + fraction.slice(0, DECIMALS).padEnd(DECIMALS, '0'));
}

/** As a decimal. */
function decimalOf(units: bigint): string {
	const digits = String(units).padStart(DECIMALS + 1, '0');
	return canonicalAmount(`${digits.slice(0, -DECIMALS)}.${digits.slice(-DECIMALS)}`) ?? digits;
}
