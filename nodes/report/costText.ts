import { moneyWithCurrency, moneyText, type Language } from './language';
import { filled } from './texts';

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

export const COST_TEXTS = {
	en: {
		label: 'Cost',
		known: 'about {amount} (estimate)',
		unknown: '{asset}: not known',
		quote: '{total} at {rate}, fee {fee}%, quote of {time}',
		noQuote: '{total} without a quote for {pair}',
		noCurrency: 'the service does not say in which currency the amounts are',
	},
	es: {
		label: 'Costo',
		known: 'unos {amount} (estimación)',
		unknown: '{asset}: no se sabe',
		quote: '{total} a {rate}, comisión {fee} %, cotización de {time}',
		noQuote: '{total} sin cotización de {pair}',
		noCurrency: 'el servicio no dice en qué moneda están los montos',
	},
} as const satisfies Record<Language, Record<string, string>>;

/** The cost in an asset as text: `about 36.12 USDC (estimate): 250.00 BOB at 6.9252, fee 0.5%, quote of …`. */
export function costText(
	{ asset, amount, quotes }: Omit<Cost, 'text'>,
	language: Language,
): string {
	const texts = COST_TEXTS[language];
	const parts = quotes.map(({ pair, currency, total, rate, feePercent, quotedAt }) =>
		filled(rate === '' ? texts.noQuote : texts.quote, {
			total: moneyWithCurrency(total, currency, language),
			pair,
			rate: moneyText(rate, language),
			fee: feePercent || '?',
			time: quotedAt || '?',
		}),
	);
	const start = filled(amount === '' ? texts.unknown : texts.known, {
		asset,
		amount: moneyWithCurrency(amount, asset, language),
	});
	return `${start}: ${parts.join('; ') || texts.noCurrency}`;
}
