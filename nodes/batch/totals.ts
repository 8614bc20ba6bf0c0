import { grouped } from '../fields/grouped';
import { addDecimals, parseDecimal } from '../fields/money';
import { type UserMessage, userMessage, type Words } from '../messages/userMessage';

export interface Money {
	/** A canonical decimal. */
	amount: string;
	currency: string;
}

/** What a row pays; undefined if it has no amount, or none that can be read. */
export function moneyOf(amount: unknown, currency: unknown): Money | undefined {
	const decimal = canonicalAmount(amount);
	return decimal === undefined ? undefined : { amount: decimal, currency: String(currency ?? '') };
}

/**
 * Why payments cannot be held against the limits of an option; undefined if they can.
 *
 * @param wordsOf what the row of a payment is called
 */
export function withoutLimit<T extends { money?: Money }>(
	option: string,
	limits: ReadonlyMap<string, string>,
	payments: readonly T[],
	wordsOf: (payment: T) => Words,
): UserMessage | undefined {
	const unknown = payments.find(({ money }) => !money);
	if (unknown) return userMessage('totalUnknown', { option, row: wordsOf(unknown) });
	const [other] = [...totalsOf(payments)].filter(([currency]) => !limits.has(currency));
	if (!other) return undefined;
	const [currency, total] = other;
	return userMessage('currencyWithoutLimit', { option, currency, total });
}

/** Totals by currency, in the order in which currencies appear. What is not known is not in them. */
export function totalsOf(payments: ReadonlyArray<{ money?: Money }>): Map<string, string> {
	const known = payments.flatMap(({ money }) => money ?? []);
	return new Map(
		[...grouped(known, ({ currency }) => currency)].map(([currency, list]) => [
			currency,
			addDecimals(list.map(({ amount }) => amount)),
		]),
	);
}

/** An amount as a canonical decimal; undefined when it is none. */
export function canonicalAmount(amount: unknown): string | undefined {
	const decimal = parseDecimal(amount);
	return decimal.ok ? decimal.value : undefined;
}
