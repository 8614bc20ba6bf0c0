import type { IDataObject } from 'n8n-workflow';

import { listIn } from '../../shared/operation';
import { addDecimals, compareDecimals, parseDecimal } from '../../shared/money';
import type { Service } from '../../shared/transport';
import { BALANCES_PATH } from '../resources/payout/getBalances';
import type { MoneyEndpoint } from './endpoint';
import type { BatchOptions } from './form';
import type { Row } from './rows';

/** Totals by currency, as canonical decimals, in the order in which currencies appear. */
export function totalsOf(
	endpoint: MoneyEndpoint,
	rows: Array<Pick<Row, 'values'>>,
): Map<string, string> {
	const amounts = new Map<string, string[]>();
	for (const { values } of rows) {
		const money = endpoint.amount(values);
		if (!money) continue;
		const list = amounts.get(money.currency);
		if (list) list.push(money.amount);
		else amounts.set(money.currency, [money.amount]);
	}
	return new Map([...amounts].map(([currency, list]) => [currency, sum(list)]));
}

function sum(amounts: string[]): string {
	return addDecimals(amounts.map((amount) => canonical(amount) ?? '0'));
}

function canonical(amount: unknown): string | undefined {
	const decimal = parseDecimal(amount);
	return decimal.ok ? decimal.text : undefined;
}

/** Why the batch is not what the user expects, with both figures; undefined when it is. */
export function unexpected(
	endpoint: MoneyEndpoint,
	options: BatchOptions,
	rows: Row[],
): string | undefined {
	const { expectedCount, expectedTotals } = options;
	if (
		expectedCount !== undefined &&
		expectedCount !== '' &&
		Number(expectedCount) !== rows.length
	) {
		return `Expected Count is ${expectedCount}, and there are ${rows.length} items`;
	}
	const expected = expectedTotals?.total ?? [];
	if (expected.length === 0) return undefined;

	const wanted = new Map<string, string>();
	for (const { currency, amount } of expected) {
		const decimal = parseDecimal(amount);
		if (!decimal.ok) return `Expected Totals for ${currency} ${decimal.rule}. ${decimal.fix}`;
		const key = String(currency).trim().toUpperCase();
		wanted.set(key, addDecimals([wanted.get(key) ?? '0', decimal.text]));
	}
	const actual = totalsOf(endpoint, rows);
	for (const currency of new Set([...wanted.keys(), ...actual.keys()])) {
		const want = wanted.get(currency);
		const have = actual.get(currency) ?? '0';
		if (want === undefined) {
			return `Expected Totals has no ${currency}, and the items come to ${have} ${currency}`;
		}
		if (compareDecimals(want, have) !== 0) {
			return `Expected Totals has ${want} ${currency}, and the items come to ${have} ${currency}`;
		}
	}
	return undefined;
}

/**
 * Why the payout balance does not cover the rows, with both figures; undefined when it does.
 *
 * @throws ServiceError when the balances cannot be read
 */
export async function balanceShortfall(
	endpoint: MoneyEndpoint,
	service: Service,
	rows: Row[],
): Promise<string | undefined> {
	const needed = new Map<string, { type: string; fiat: string; amounts: string[] }>();
	for (const { values } of rows) {
		const use = endpoint.balance?.(values);
		const money = use && endpoint.amount(values);
		if (!use || !money) continue;
		const entry = needed.get(use.fiat) ?? { ...use, amounts: [] };
		entry.amounts.push(money.amount);
		needed.set(use.fiat, entry);
	}
	if (needed.size === 0) return undefined;

	const balances = listIn(await service.request({ method: 'GET', path: BALANCES_PATH }));
	for (const { fiat, type, amounts } of needed.values()) {
		const need = sum(amounts);
		const have = availableIn(balances, fiat, type);
		if (have === undefined) {
			return `Check Balance First finds no single ${fiat} balance for these payouts, and they come to ${need} ${fiat}`;
		}
		if (compareDecimals(have, need) < 0) {
			return `The balance is ${have} ${fiat}, and these payouts come to ${need} ${fiat}`;
		}
	}
	return undefined;
}

/** The balance of the payout's own type; otherwise the only one in that currency. */
function availableIn(balances: IDataObject[], fiat: string, type: string): string | undefined {
	const inCurrency = balances.filter((entry) => entry.fiat === fiat);
	const own = inCurrency.filter((entry) => entry.type === type);
	const candidates = own.length ? own : inCurrency;
	return candidates.length === 1 ? canonical(candidates[0].balance) : undefined;
}
