import { DAY_MS } from '../service/time';
import { StoredNumbers, type BitStore } from './storedNumbers';

/** The bits of an amount in a stored number. The bits above them are the day. */
const AMOUNT_BITS = 72n;

/** The most decimals of an amount: those of crypto (section 4.10). */
export const DECIMALS = 8;

/** More than can be counted, in units: 47 trillion of a currency. It fits in no limit. */
export const MAX_UNITS = 2n ** AMOUNT_BITS - 1n;

/** An amount in the smallest unit: a hundred-millionth of its currency. */
export interface Spending {
	currency: string;
	units: bigint;
}

/** Why amounts do not fit in the limits. */
export interface AboveLimit extends Spending {
	/** What counts already today; undefined if it was lost. */
	used: bigint | undefined;
	limit: bigint;
}

/** What was spent in a currency, and the number of the day. */
interface SpentOnDay {
	day: number;
	units: bigint;
}

/**
 * What a node spends on a day, in each currency that has a limit, counted over all its executions. Only the last
 * day on which it spent something is stored.
 *
 * An amount counts from its reservation. If the process is killed, or if n8n's database fails, an amount that was
 * being reserved may count although it is never sent. It never fails to count.
 */
export class DailySpending {
	private readonly currencies: readonly string[];

	private readonly numbers: StoredNumbers;

	/** What was reserved, by the key of the payment. */
	private readonly reserved = new Map<string, Spending & SpentOnDay>();

	private readonly released: Array<Spending & SpentOnDay> = [];

	/**
	 * @param limits the most for a day, in units, by currency
	 * @param timeZone a day begins at midnight there
	 */
	constructor(
		items: BitStore,
		private readonly limits: ReadonlyMap<string, bigint>,
		private readonly timeZone: string,
	) {
		this.currencies = [...limits.keys()];
		this.numbers = new StoredNumbers(
			items,
			this.currencies.map((currency) => `daily spending\n${currency}`),
		);
	}

	/** Whether `write` has anything to write. */
	get isPending(): boolean {
		return this.released.length > 0;
	}

	/**
	 * Checks whether amounts still fit today, without reserving them. Call it while the node holds the lock.
	 *
	 * @returns the first that does not fit
	 * @throws Error if n8n's database fails
	 */
	async check(amounts: Iterable<Spending>): Promise<AboveLimit | undefined> {
		let above: AboveLimit | undefined;
		await this.numbers.update((values) => {
			const spent = this.spentToday(values);
			above = this.aboveLimit(spent, amounts);
			// What was lost must not stay lost: from tomorrow on, the node can count again.
			return values.includes(undefined) ? spent.map(toNumber) : undefined;
		});
		return above;
	}

	/**
	 * Reserves amounts that are about to be sent: all of them, or none if they do not fit. Call it while the node
	 * holds the lock.
	 *
	 * @param payments by their keys
	 * @returns the first amount that does not fit
	 * @throws Error if n8n's database fails
	 */
	async reserve(payments: ReadonlyMap<string, Spending>): Promise<AboveLimit | undefined> {
		let above: AboveLimit | undefined;
		let reserved: Array<[string, SpentOnDay & Spending]> = [];
		await this.change((spent) => {
			above = this.aboveLimit(spent, payments.values());
			if (above) return;
			reserved = [...payments].map(([key, payment]) => {
				const own = spent[this.currencies.indexOf(payment.currency)];
				own.units += payment.units;
				return [key, { ...payment, day: own.day }];
			});
		});
		for (const [key, payment] of reserved) this.reserved.set(key, payment);
		return above;
	}

	/** Releases, with the next reservation or `write`, the amount of a payment that was certainly not created. */
	release(key: string): void {
		const reserved = this.reserved.get(key);
		if (reserved) this.released.push(reserved);
		this.reserved.delete(key);
	}

	/**
	 * Writes what was released. Call it while the node holds the lock.
	 *
	 * @throws Error if n8n's database fails
	 */
	async write(): Promise<void> {
		if (this.isPending) await this.change(() => undefined);
	}

	/** @param change changes what is spent in each currency, after what was released */
	private async change(change: (spent: SpentOnDay[]) => void): Promise<void> {
		// If this fails, they count on: released twice, another amount would fail to count.
		const released = this.released.splice(0);
		await this.numbers.update((values) => {
			const spent = this.spentToday(values);
			for (const { currency, units, day } of released) {
				const own = spent[this.currencies.indexOf(currency)];
				if (own.day === day && own.units < MAX_UNITS)
					own.units -= units < own.units ? units : own.units;
			}
			change(spent);
			return spent.map(toNumber);
		});
	}

	private spentToday(values: Array<bigint | undefined>): SpentOnDay[] {
		const today = this.today();
		return values.map((value) => spentOn(today, value));
	}

	private aboveLimit(spent: SpentOnDay[], amounts: Iterable<Spending>): AboveLimit | undefined {
		const totals = new Map<string, bigint>();
		for (const { currency, units } of amounts)
			totals.set(currency, (totals.get(currency) ?? 0n) + units);
		for (const [currency, units] of totals) {
			const limit = this.limits.get(currency) ?? 0n;
			const used = spent[this.currencies.indexOf(currency)]?.units ?? 0n;
			if (used + units > limit || used + units >= MAX_UNITS)
				return { currency, units, limit, used: used === MAX_UNITS ? undefined : used };
		}
		return undefined;
	}

	/** The number of the day in the time zone. */
	private today(): number {
		const parts = new Intl.DateTimeFormat('en', {
			timeZone: this.timeZone,
			year: 'numeric',
			month: 'numeric',
			day: 'numeric',
		}).formatToParts(new Date());
		const [year, month, day] = ['year', 'month', 'day'].map((type) =>
			Number(parts.find((part) => part.type === type)?.value),
		);
		return Date.UTC(year, month - 1, day) / DAY_MS;
	}
}

/**
 * What a stored number says of today. If it was lost, as much as can be counted may be spent.
 *
 * The stored day may be tomorrow, because the clocks of two workers differ around midnight: then tomorrow counts.
 * A later one is due to a wrong clock. What was spent then counts today, and never again.
 */
function spentOn(today: number, value: bigint | undefined): SpentOnDay {
	if (value === undefined) return { day: today, units: MAX_UNITS };
	const day = Number(value >> AMOUNT_BITS);
	const units = value & MAX_UNITS;
	if (day < today) return { day: today, units: 0n };
	return { day: day > today + 1 ? today : day, units };
}

function toNumber({ day, units }: SpentOnDay): bigint {
	return (BigInt(day) << AMOUNT_BITS) | units;
}
