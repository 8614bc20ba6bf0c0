import { compareDecimals } from '../fields/money';
import type { Environment, Target } from '../service/environment';
import type { MoneyEndpoint } from './endpoint';
import { fingerprintOf } from './fingerprint';
import type { EndedPayment, Row } from './payment';
import { canonical, sum } from './totals';

/** What a dry run says of the whole batch, for whoever decides whether it is paid. */
export type Summary = {
	/** All payments that were asked for and can be made, those that were sent before too. */
	count: number;
	/** Those of them that would be sent now. */
	ready: number;
	/** Rows that break a rule: nothing else here counts them. */
	badRows: number;
	/** Payments whose amount is not known here, so that no total has it. */
	unknownAmounts: number;
	totals: Array<{ currency: string; fundingSource: string; count: number; amount: string }>;
	/** One for each currency: amounts of two currencies cannot be compared. */
	largest: Array<{
		currency: string;
		amount: string;
		reference: string;
		row: number;
		item: number;
	}>;
	/** Which money it is, as the credential says; empty when it does not. */
	environment: Environment | '';
	/** Empty when no credential could be read. */
	host: string;
	fingerprint: string;
};

/**
 * @param rows those that are to be paid, those that were sent before too
 * @param payments all of the batch, at the end of the dry run
 * @param target where they would be sent, if a credential could be read
 */
export function summaryOf(
	endpoint: MoneyEndpoint,
	rows: Row[],
	payments: EndedPayment[],
	target: Target | undefined,
): Summary {
	const amounts = new Map<string, { currency: string; fundingSource: string; list: string[] }>();
	const largest = new Map<string, Summary['largest'][number]>();
	for (const { values, reference, itemIndex } of rows) {
		const money = endpoint.amount(values);
		if (!money) continue;
		const { currency } = money;
		const amount = canonical(money.amount) ?? '0';
		const fundingSource = String(values[endpoint.fundedBy] ?? '');
		const key = JSON.stringify([currency, fundingSource]);
		const total = amounts.get(key) ?? { currency, fundingSource, list: [] };
		total.list.push(amount);
		amounts.set(key, total);

		const most = largest.get(currency);
		if (most && compareDecimals(amount, most.amount) <= 0) continue;
		largest.set(currency, { currency, amount, reference, row: itemIndex + 1, item: itemIndex });
	}
	const { text, unknownAmounts } = fingerprintOf(endpoint, rows, target);
	return {
		count: rows.length,
		ready: payments.filter(({ result }) => result.outcome === 'ready').length,
		badRows: payments.length - rows.length,
		unknownAmounts,
		totals: [...amounts.values()].map(({ currency, fundingSource, list }) => ({
			currency,
			fundingSource,
			count: list.length,
			amount: sum(list),
		})),
		largest: [...largest.values()],
		environment: target?.environment ?? '',
		host: target?.host ?? '',
		fingerprint: text,
	};
}
