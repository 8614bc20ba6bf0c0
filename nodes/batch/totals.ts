import { grouped } from '../fields/grouped';
import { addDecimals, parseDecimal } from '../fields/money';
import { type UserMessage, userMessage } from '../messages/userMessage';
import type { MoneyEndpoint } from './endpoint';
import type { Facts } from './facts';
import { rowWords } from './rowName';

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

/** Why payments cannot be held against the limits of an option; undefined if they can. */
export function withoutLimit(
	option: string,
	limits: ReadonlyMap<string, string>,
	endpoint: MoneyEndpoint,
	payments: ReadonlyArray<Pick<Facts, 'row' | 'money'>>,
): UserMessage | undefined {
	const unknown = payments.find(({ money }) => !money);
	if (unknown) return userMessage('totalUnknown', { option, row: rowWords(endpoint, unknown.row) });
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
