import type { IDataObject } from 'n8n-workflow';

import { grouped } from '../fields/grouped';
import { addDecimals, compareDecimals, divideDecimals } from '../fields/money';
import { costText, type Cost, type QuotedCost } from '../report/costText';
import { shownText } from '../report/shownText';
import { toServiceError } from '../service/errors';
import { entriesIn, textIn } from '../service/responses';
import { firstTime } from '../logs/payload';
import type { BatchContext } from './batchContext';
import { userMessage } from '../messages/userMessage';
import type { Facts } from './facts';
import { canonicalAmount } from './totals';

/** Section 4.8. */
export const QUOTES_PATH = '/v2/quotes';

/** The decimals of USDC and USDT. */
const CRYPTO_PLACES = 6;

/** More than a date and time have. */
const MAX_TIME = 40;

/** Estimates what conversions cost, by asset. Without conversions, it asks nothing. */
export async function estimateCosts(
	{ endpoint, options, service, hints }: BatchContext,
	payments: ReadonlyArray<Pick<Facts, 'row' | 'money'>>,
): Promise<Cost[]> {
	const { funding, transactionType: type } = endpoint;
	const conversions = payments.flatMap(({ row, money }) => {
		const asset = funding?.asset(row.values);
		return asset !== undefined && money ? { ...money, asset } : [];
	});
	if (conversions.length === 0) return [];

	let quotes: IDataObject[] = [];
	let reason = 'the service has no quote for it';
	try {
		if (!service) reason = 'there is no credential';
		else if (type !== undefined)
			quotes = entriesIn(await service.request({ method: 'GET', path: QUOTES_PATH }));
	} catch (error) {
		reason = toServiceError(error).message;
	}
	const fitting = quotes.filter(({ transactionType }) => transactionType === type);
	const all = [...grouped(conversions, ({ asset }) => asset)].map(([asset, ofAsset]) => {
		const byCurrency = grouped(type === undefined ? [] : ofAsset, ({ currency }) => currency);
		const costs = [...byCurrency].map(([currency, list]) =>
			quotedCost(fitting, {
				pair: `${asset}/${currency}`,
				currency,
				count: list.length,
				total: addDecimals(list.map(({ amount }) => amount)),
			}),
		);
		const isKnown = costs.length > 0 && costs.every(({ rate }) => rate !== '');
		const amount = isKnown ? addDecimals(costs.map(({ estimate }) => estimate)) : '';
		const cost = { asset, amount, quotes: costs };
		return { ...cost, text: costText(cost, options.language) };
	});
	for (const { pair, rate } of all.flatMap((cost) => cost.quotes))
		if (rate === '') hints.push(userMessage('rateUnknown', { pair, reason }));
	return all;
}

/**
 * The cost by the newest quote of a pair. Of several that are equally new, or whose time nobody can read, the lowest
 * rate counts: it costs the most.
 */
function quotedCost(
	quotes: readonly IDataObject[],
	money: Pick<QuotedCost, 'pair' | 'currency' | 'count' | 'total'>,
): QuotedCost {
	const [quote] = quotes
		.filter(({ pair }) => pair === money.pair)
		.sort((a, b) => timeOf(b) - timeOf(a) || compareDecimals(rateIn(a), rateIn(b)));
	const rate = quote ? rateIn(quote) : '0';
	if (compareDecimals(rate, '0') <= 0)
		return { ...money, rate: '', feePercent: '', quotedAt: '', estimate: '' };
	return {
		...money,
		rate,
		feePercent: decimalIn(quote.partnerPctFee),
		quotedAt: shownText(textIn(quote, 'timeStamp') ?? '', MAX_TIME),
		estimate: divideDecimals(money.total, rate, CRYPTO_PLACES),
	};
}

/** In milliseconds since 1970; long ago if nobody can read it. */
const timeOf = ({ timeStamp }: IDataObject): number => firstTime([timeStamp]) ?? 0;

/** Zero if it is no rate. */
const rateIn = ({ partnerExchangeRate }: IDataObject): string =>
	decimalIn(partnerExchangeRate) || '0';

/** A rate may have more digits than a number holds exactly. */
function decimalIn(value: unknown): string {
	return canonicalAmount(typeof value === 'number' ? String(+value.toPrecision(12)) : value) ?? '';
}
