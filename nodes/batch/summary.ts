import { grouped } from '../fields/grouped';
import { approvalTexts, readyText, type Approval } from '../report/approval';
import type { Cost } from '../report/costText';
import { shownText } from '../report/shownText';
import { sumsToFund, type FundingSum } from '../report/toFund';
import type { Environment, Target } from '../service/baseUrl';
import { inLanguage, TEXTS } from '../messages/userMessage';
import type { BatchContext } from './batchContext';
import { fingerprint } from './fingerprint';
import type { Flag } from './flags';
import { flagsOf } from './decide';
import { isBatchRejected, type FinishedPayment, type Outcome, type Row } from './payment';
import { paidFields, rowNumber } from './rowName';
import { sum, totalsOf } from './totals';

/** The summary of a whole batch in a dry run, for the person who approves it. */
export type Summary = {
	/** All valid payments, including those that were already sent. */
	count: number;
	/** Those that would be sent now. */
	ready: number;
	/** Invalid rows. Nothing else here counts them. */
	invalidRows: number;
	/** Payments whose amount is unknown: no total includes them. */
	unknownAmounts: number;
	totals: Array<{ currency: string; fundingSource: string; count: number; amount: string }>;
	/** What the payments fund, by asset and blockchain. Only a dry run of Fund Conversions has it. */
	toFund?: FundingSum[];
	/** What the conversions that would be sent now cost, by asset. */
	costs: Cost[];
	/** Which money it is, as the credential says; empty when it does not. */
	environment: Environment | '';
	/** Empty when no credential could be read. */
	host: string;
	/** Rows that another execution of this node sent: they are not sent again. */
	alreadySent: number;
	/** Rows whose reference was sent with other values: they are not sent. */
	conflicts: number;
	/** Payees of whom this node knows nothing. */
	newPayees: number;
	/** Rows that a person should look at: possible duplicates, and changed accounts. */
	flagged: Array<{ flag: Flag; row: number; item: number; reference: string }>;
	/** Whether this node had sent nothing before. A copied node begins empty. */
	isStoreEmpty: boolean;
	/** Rows that were sent, or may have been, with these values or others. */
	recorded: number;
	/** What would be sent now, as text: `40 payments, 163,712.37 BOB`. */
	readyText: string;
	/** Empty if the batch was rejected: it cannot be approved. */
	fingerprint: string;
	/** What would be sent without the rows that repeat an earlier payment. Missing if none does, or all do. */
	withoutRepeated?: { readyText: string; fingerprint: string };
	/** All of this for the person who approves it: for a form page or an email, and for a message. */
	html: string;
	text: string;
};

/**
 * @param rows all payable rows, including those that were already sent
 * @param payments all of the batch, at the end of the dry run
 * @param target where they would be sent, if a credential could be read
 */
export function summarize(
	batch: Pick<BatchContext, 'endpoint' | 'options' | 'facts' | 'ledger' | 'costs'>,
	rows: Row[],
	payments: FinishedPayment[],
	target: Target | undefined,
): Summary {
	const { endpoint, options, facts, ledger } = batch;
	const money = rows.flatMap(({ values }) => {
		const paid = endpoint.amount(values);
		const fundingSource = String(values[endpoint.fundingField] ?? '');
		return paid ? { ...paid, fundingSource } : [];
	});
	const totals = grouped(money, ({ currency, fundingSource }) =>
		JSON.stringify([currency, fundingSource]),
	);
	const flagged = rows.flatMap((row) =>
		flagsOf(facts.get(row) ?? {}, options).map((flag) => ({ flag, row })),
	);
	const { text } = fingerprint(endpoint, rows, target, flagged);
	const ready = payments.flatMap(({ row, result }) => (result.outcome === 'ready' ? row : []));
	const repeated = new Set(flagged.filter(isRepeated).map(({ row }) => row));
	const isRejected = payments.some(isBatchRejected);
	const textOf = (some: readonly Row[]) =>
		readyText(some.length, [...totalsOf(endpoint, some)], options.language);
	const { fromResults } = endpoint;
	const countOf = (outcome: Outcome) =>
		payments.filter(({ result }) => result.outcome === outcome).length;
	const summary: Omit<Summary, 'html' | 'text'> = {
		count: rows.length,
		ready: countOf('ready'),
		invalidRows: payments.length - rows.length,
		unknownAmounts: rows.length - money.length,
		totals: [...totals.values()].map((list) => ({
			currency: list[0].currency,
			fundingSource: list[0].fundingSource,
			count: list.length,
			amount: sum(list.map(({ amount }) => amount)),
		})),
		...(fromResults && {
			toFund: sumsToFund(rows.map(({ values }) => fromResults.toFund(values))),
		}),
		costs: batch.costs ?? [],
		environment: target?.environment ?? '',
		host: target?.host ?? '',
		alreadySent: countOf('alreadySent'),
		conflicts: countOf('conflict'),
		newPayees: newPayees(batch, rows).size,
		flagged: flagged.map(({ flag, row }) => ({
			flag,
			row: rowNumber(row),
			item: row.itemIndex,
			reference: row.reference,
		})),
		isStoreEmpty: ledger?.entries.isEmpty === true,
		recorded: payments.filter(({ result }) =>
			['alreadySent', 'conflict', 'unknown'].includes(result.outcome),
		).length,
		readyText: textOf(ready),
		fingerprint: isRejected ? '' : text,
		...(repeated.size > 0 &&
			repeated.size < ready.length &&
			!isRejected && {
				withoutRepeated: {
					readyText: textOf(ready.filter((row) => !repeated.has(row))),
					// It shows the others only: those that repeat a payment stay held.
					fingerprint: fingerprint(
						endpoint,
						rows,
						target,
						flagged.filter((one) => !isRepeated(one)),
					).text,
				},
			}),
	};
	return { ...summary, ...pageTexts(batch, summary, payments, flagged) };
}

/** The summary as a person reads it: everybody who would be paid, and the rows that are not. */
function pageTexts(
	batch: Pick<BatchContext, 'endpoint' | 'options' | 'facts' | 'ledger'>,
	summary: Omit<Summary, 'html' | 'text'>,
	payments: FinishedPayment[],
	flagged: Array<{ flag: Flag; row: Row }>,
): Pick<Summary, 'html' | 'text'> {
	const { endpoint, options, facts, ledger } = batch;
	const { language } = options;
	const line = (row: Row) => ({ row: rowNumber(row), ...paidFields(endpoint, row) });
	const rejected = payments.find(isBatchRejected);
	const isNew = (row: Row) => {
		const known = facts.get(row)?.ledger;
		return known?.reads === 'none' && known.isPayeeNew && ledger?.entries.isEmpty === false;
	};
	const flags = grouped(flagged, ({ row }) => row);
	const approval: Approval = {
		...summary,
		listed: payments.flatMap(({ row, result }) => {
			if (result.outcome !== 'ready') return [];
			const found = (flags.get(row) ?? []).map(({ flag }) => flag);
			const notes = [...new Set<Flag>(isNew(row) ? [...found, 'payee'] : found)];
			return [{ ...line(row), notes }];
		}),
		fundingSources: [
			...new Set(
				payments.flatMap(({ row, result }) => {
					const source = row.values[endpoint.fundingField];
					return result.outcome === 'ready' && source ? String(source) : [];
				}),
			),
		],
		repeatedText: readyTextOfRepeated(batch, flagged),
		rejection: rejected ? inLanguage(rejected.result, language).message : '',
		notPaid: payments.flatMap((payment) => {
			const { row, result } = payment;
			if (['ready', 'alreadySent'].includes(result.outcome) || isBatchRejected(payment)) return [];
			// Whoever reads that it is not paid must not pay it in another way.
			const reason =
				result.outcome === 'unknown'
					? TEXTS[language].report.toDo.runLater
					: shownText(inLanguage(result, language).message);
			return [{ ...line(row), reason }];
		}),
	};
	return approvalTexts(approval, language);
}

/** Whether paying a row may pay somebody twice. */
const isRepeated = ({ flag }: { flag: Flag }): boolean => flag === 'duplicate' || flag === 'again';

function readyTextOfRepeated(
	{ endpoint, options: { language } }: Pick<BatchContext, 'endpoint' | 'options'>,
	flagged: Array<{ flag: Flag; row: Row }>,
): string {
	const rows = flagged.filter(isRepeated).map(({ row }) => row);
	return rows.length === 0 ? '' : readyText(rows.length, [...totalsOf(endpoint, rows)], language);
}

/** The payees of new rows whom the ledger was asked for and does not know. */
function newPayees(
	{ endpoint, options, facts }: Pick<BatchContext, 'endpoint' | 'options' | 'facts'>,
	rows: Row[],
): Set<string> {
	if (!endpoint.hasAccounts || options.accountChanges === 'off') return new Set();
	return new Set(
		rows.flatMap((row) => {
			const known = facts.get(row)?.ledger;
			const payee = endpoint.payee?.(row.values);
			return payee && known?.reads === 'none' && known.isPayeeNew ? payee.id : [];
		}),
	);
}
