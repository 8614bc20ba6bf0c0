import { grouped } from '../fields/grouped';
import { TEXTS } from '../messages/userMessage';
import { addDecimals } from '../fields/money';
import type { Language } from './language';
import { MADE, needsReview, TO_DO, VERDICTS, type Verdict } from './verdicts';
import type { ReportRow } from './reportRow';
import { sumsToFund, type FundingSum } from './toFund';

/** The figures of a report. */
export interface Figures {
	count: number;
	/** How many payments were made, whether their money has arrived or not. */
	made: number;
	/** How many rows somebody has to look at. */
	toReview: number;
	/** The rows by verdict, those to look at first. */
	counts: Array<{ verdict: Verdict; label: string; count: number }>;
	/** By currency, in the order in which they appear, and by verdict. */
	totals: Array<{
		currency: string;
		verdict: Verdict;
		label: string;
		count: number;
		amount: string;
	}>;
	/** How many rows have no known amount: no total includes them. */
	unknownAmounts: number;
	/** How many payments that may exist have a status that could not be looked up. */
	notLookedUp: number;
	/** The crypto that payments wait for, by asset and blockchain. */
	toFund: FundingSum[];
}

/** The figures of rows, with labels in a language. */
export function figuresOf(rows: readonly ReportRow[], language: Language): Figures {
	const { labels } = TEXTS[language].report;
	const amounts = grouped(
		rows.filter(({ amount }) => amount !== ''),
		({ currency }) => currency,
	);
	return {
		count: rows.length,
		made: rows.filter(({ verdict }) => MADE.has(verdict)).length,
		toReview: rows.filter(({ verdict }) => needsReview(verdict)).length,
		counts: byVerdict(rows).map(([verdict, { length: count }]) => ({
			verdict,
			label: labels[verdict],
			count,
		})),
		totals: [...amounts].flatMap(([currency, ofCurrency]) =>
			byVerdict(ofCurrency).map(([verdict, list]) => ({
				currency,
				verdict,
				label: labels[verdict],
				count: list.length,
				amount: addDecimals(list.map(({ amount }) => amount)),
			})),
		),
		unknownAmounts: rows.filter(({ amount, verdict }) => amount === '' && verdict !== 'repeated')
			.length,
		notLookedUp: rows.filter(
			({ isLookupFailed, verdict }) => isLookupFailed && TO_DO[verdict] !== 'correct',
		).length,
		toFund: sumsToFund(rows.flatMap(({ toFund }) => toFund ?? [])),
	};
}

function byVerdict(rows: readonly ReportRow[]): Array<[Verdict, ReportRow[]]> {
	const groups = grouped(rows, ({ verdict }) => verdict);
	return VERDICTS.flatMap((verdict): Array<[Verdict, ReportRow[]]> => {
		const list = groups.get(verdict);
		return list ? [[verdict, list]] : [];
	});
}
