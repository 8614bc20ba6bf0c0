import { fill, TEXTS } from '../messages/userMessage';
import { moneyText } from '../fields/money';
import { localTime, moneyWithCurrency, type Language } from './language';

/** What conversions with one asset cost, by the quotes of the service. Decimal text. */
export type Cost = {
	asset: string;
	/** The estimated total in the asset. Empty if a quote is missing. */
	amount: string;
	/** None if nobody knows the currency of the payments. */
	quotes: QuotedCost[];
	/** All of it, for people. */
	text: string;
};

/** What conversions of one pair cost. */
export type QuotedCost = {
	pair: string;
	currency: string;
	count: number;
	/** In the currency. */
	total: string;
	/** Units of the currency for one of the asset. Empty without a quote, as all that follows. */
	rate: string;
	feePercent: string;
	/** When the quote was made, as the service says it. */
	quotedAt: string;
	/** The estimated crypto. */
	estimate: string;
};

/** The cost in an asset as text: `about 36.12 USDC (estimate): 250.00 BOB at 6.9252, fee 0.5%, quote of …`. */
export function costText(
	{ asset, amount, quotes }: Omit<Cost, 'text'>,
	language: Language,
): string {
	const texts = TEXTS[language].cost;
	const parts = quotes.map(({ pair, currency, total, rate, feePercent, quotedAt }) =>
		fill(rate === '' ? texts.noQuote : texts.quote, {
			total: moneyWithCurrency(total, currency, language),
			pair,
			rate: moneyText(rate, language),
			fee: feePercent || '?',
			time: quotedAt ? `${localTime(quotedAt, 'UTC')} (UTC)` : '?',
		}),
	);
	const start = fill(amount === '' ? texts.unknown : texts.known, {
		asset,
		amount: moneyWithCurrency(amount, asset, language),
	});
	return `${start}: ${parts.join('; ') || texts.noCurrency}`;
}
