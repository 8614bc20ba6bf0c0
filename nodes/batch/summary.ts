import { grouped } from '../fields/grouped';
import { addDecimals } from '../fields/money';
import { approvalTexts, readyText, type ApprovalFigures } from '../report/approval';
import { shownText } from '../report/shownText';
import { sumsToFund } from '../report/toFund';
import { inLanguage, TEXTS } from '../messages/userMessage';
import type { BatchContext } from './batchContext';
import { estimateCosts } from './costs';
import type { Facts, FinishedPayment } from './facts';
import { fingerprint } from './fingerprint';
import type { Flag } from './flags';
import { attemptAgain, flagsOf } from './decide';
import { payable } from './limits';
import { isBatchRejected, type Outcome, type Row } from './payment';
import { paidFields, rowNumber } from './rowName';
import { totalsOf } from './totals';

/** The summary of a whole batch in a dry run, for the person who approves it. */
export type Summary = ApprovalFigures & {
	/** Invalid rows. Nothing else here counts them. */
	invalidRows: number;
	/** Rows that were sent, or may have been, with these values or others. */
	recorded: number;
	/** Rows that a person should look at: possible duplicates, and changed accounts. */
	flagged: Array<{ flag: Flag; row: number; item: number; reference: string }>;
	/** Empty if the batch was rejected: it cannot be approved. */
	fingerprint: string;
	/** What would be sent without the rows that repeat an earlier payment. Missing if none does, or all do. */
	withoutRepeated?: { readyText: string; fingerprint: string };
	/** All of this for the person who approves it: for a form page or an email, and for a message. */
	html: string;
	text: string;
};

/** @param payments all of the batch, at the end of the dry run */
export async function summarize(
	batch: BatchContext,
	payments: FinishedPayment[],
): Promise<Summary> {
	const { endpoint, options, ledger, service } = batch;
	const { language } = options;
	const { fromResults, fundingField } = endpoint;
	const rejected = payments.find(isBatchRejected);
	const withOutcome = (outcome: Outcome) =>
		payments.filter(({ result }) => result.outcome === outcome);
	const ready = withOutcome('ready');
	const all = payable(batch, payments);
	const sourceOf = ({ row }: Facts) => String(row.values[fundingField] ?? '');
	const amounts = all.flatMap((facts) =>
		facts.money ? { ...facts.money, fundingSource: sourceOf(facts) } : [],
	);
	const totals = grouped(amounts, ({ currency, fundingSource }) =>
		JSON.stringify([currency, fundingSource]),
	);
	const flagged = all.flatMap((facts) =>
		flagsOf(facts, options).map((flag) => ({
			flag,
			row: facts.row,
			attempt: attemptAgain(facts, options),
		})),
	);
	const isRepeated = (facts: Facts) => flagsOf(facts, options).some(repeatsPayment);
	const repeated = ready.filter(isRepeated);
	const others = ready.filter((facts) => !isRepeated(facts));
	const textOf = (some: Facts[]) => readyText(some.length, [...totalsOf(some)], language);
	/** What a person approves: rows, with the flags that are shown. */
	const approvable = (some: Facts[], shown: typeof flagged) => ({
		readyText: textOf(some),
		fingerprint: rejected ? '' : fingerprint(endpoint, all, service?.target, shown).text,
	});
	const isStoreEmpty = ledger?.entries.isEmpty === true;
	const figures = {
		count: all.length,
		ready: ready.length,
		invalidRows: payments.length - all.length,
		unknownAmounts: all.length - amounts.length,
		totals: [...totals.values()].map((list) => ({
			currency: list[0].currency,
			fundingSource: list[0].fundingSource,
			count: list.length,
			amount: addDecimals(list.map(({ amount }) => amount)),
		})),
		...(fromResults && {
			toFund: sumsToFund(all.map(({ row }) => fromResults.toFund(row.values))),
		}),
		costs: await estimateCosts(batch, ready),
		environment: service?.target.environment ?? ('' as const),
		host: service?.target.host ?? '',
		alreadySent: withOutcome('alreadySent').length,
		recorded: (['alreadySent', 'conflict', 'unknown'] as const).flatMap(withOutcome).length,
		flagged: flagged.map(({ flag, row }) => ({
			flag,
			row: rowNumber(row),
			item: row.itemIndex,
			reference: row.reference,
		})),
		isStoreEmpty,
		...approvable(ready, flagged),
		// Those that repeat a payment are not shown, so they stay held.
		...(repeated.length > 0 &&
			others.length > 0 && {
				withoutRepeated: approvable(
					others,
					flagged.filter(({ flag }) => !repeatsPayment(flag)),
				),
			}),
	};
	const line = (row: Row) => ({ row: rowNumber(row), ...paidFields(endpoint, row) });
	const page = approvalTexts(
		{
			...figures,
			listed: ready.map((facts) => {
				const { row, ledger: known } = facts;
				const isNew = known?.reads === 'none' && known.isPayeeNew && !isStoreEmpty;
				const notes = new Set([...flagsOf(facts, options), ...(isNew ? ['payee' as const] : [])]);
				return { ...line(row), notes: [...notes] };
			}),
			fundingSources: [...new Set(ready.map(sourceOf))].filter((source) => source !== ''),
			repeatedText: repeated.length === 0 ? '' : textOf(repeated),
			rejection: rejected ? inLanguage(rejected.result, language).message : '',
			notPaid: payments.flatMap((payment) => {
				const { row, result } = payment;
				if (['ready', 'alreadySent'].includes(result.outcome) || isBatchRejected(payment))
					return [];
				// Whoever reads that it is not paid must not pay it in another way.
				const reason =
					result.outcome === 'unknown'
						? TEXTS[language].report.toDo.runLater
						: shownText(inLanguage(result, language).message);
				return [{ ...line(row), reason }];
			}),
		},
		language,
	);
	return { ...figures, ...page };
}

/** Whether paying a row with this flag may pay somebody twice. */
const repeatsPayment = (flag: Flag): boolean => flag === 'duplicate' || flag === 'again';
