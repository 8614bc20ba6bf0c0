import type { IDataObject } from 'n8n-workflow';

import { grouped } from '../fields/grouped';
import { moneyText, parseDecimal, withCents } from '../fields/money';
import { idempotencyKey } from '../fields/text';
import { FINAL_STATUSES, PENDING_STATUSES } from '../service/enums';
import { isObject } from '../service/json';
import { afterColon, fill, TEXTS } from '../messages/userMessage';
import { NOT_FOUND, statusKind } from '../service/transactionStatus';
import type { Language } from './language';
import { paymentResult } from './paymentResult';
import { MAX_SHOWN, shownText, shownValue } from './shownText';
import { type Column, type Verdict } from './verdicts';
import { readToFund, type FundingSum, type ToFund } from './toFund';

/** A payment in a report, as it was sent. Texts are cut, and empty if it is not known. */
export interface ReportRow {
	/** The item that it comes from. */
	itemIndex: number;
	verdict: Verdict;
	/** The verdict as text, with the reason: one line. */
	verdictText: string;
	payee: string;
	/** Canonical decimal text. */
	amount: string;
	currency: string;
	paidTo: string;
	/** The crypto that it waits for. */
	toFund?: ToFund;
	/** Its row in the file. */
	row: number | undefined;
	since: string;
	status: string;
	outcome: string;
	transactionId: string;
	reference: string;
	message: string;
	/** Whether its status could not be looked up. */
	isLookupFailed: boolean;
}

const [PENDING] = PENDING_STATUSES;
const [COMPLETED] = FINAL_STATUSES;

const MAX_SHORT = 120;
/** The reason in a verdict, so that it stays on one line. */
const MAX_REASON = 140;

/** What an item says about a payment. */
interface Facts {
	json: IDataObject;
	/** Empty if the item is not the result of a payment. */
	outcome: string;
	status: string;
	/** Whether Get Status looked it up. */
	isLookedUp: boolean;
	/** What the payment says, or else Get Status. */
	message: string;
	isLookupFailed: boolean;
	toFund: ToFund | undefined;
}

/**
 * Reads the results of payments and of Get Status. Payee, amount and account are what was sent: they come from the
 * fields of the result, which no input column replaces, and never from an item that is not a result.
 */
export function readRows(items: readonly IDataObject[], language: Language): ReportRow[] {
	const rows = items.map((item, itemIndex) => toRow(readFacts(item), itemIndex, language));
	markSameReferences(rows, language);
	const inOrder = rows.every(({ row }) => row !== undefined);
	return inOrder ? rows.sort((a, b) => (a.row ?? 0) - (b.row ?? 0)) : rows;
}

function readFacts(item: IDataObject): Facts {
	const result = paymentResult(item);
	const json = { ...item, ...result };
	const outcome = textOf(result?.outcome);
	return {
		json,
		outcome,
		status: textOf(json.status),
		isLookedUp: typeof json.isFinal === 'boolean',
		// An error of Get Status keeps that of the payment.
		message: textOf(result?.paymentMessage ?? json.message, MAX_SHOWN),
		isLookupFailed: result?.paymentMessage !== undefined,
		toFund: outcome === 'created' ? fundsIn(json.toFund) : undefined,
	};
}

function textOf(value: unknown, max = MAX_SHORT): string {
	return shownValue(value, max);
}

function fundsIn(value: unknown): ToFund | undefined {
	const funds = readToFund(value);
	return (
		funds && {
			amount: textOf(funds.amount),
			asset: textOf(funds.asset),
			blockchain: textOf(funds.blockchain),
			address: textOf(funds.address),
		}
	);
}

function toRow(facts: Facts, itemIndex: number, language: Language): ReportRow {
	const { json, outcome, status, isLookedUp, isLookupFailed, message, toFund } = facts;
	const [verdict, reason] = verdictOf(facts, language);
	const isPayment = outcome !== '';
	const amount = isPayment ? parseDecimal(json.amount, 8) : undefined;
	return {
		itemIndex,
		verdict,
		verdictText: verdictText(verdict, shownText(reason, MAX_REASON), language),
		payee: isPayment ? textOf(json.payee) : '',
		amount: amount?.ok ? amount.value : '',
		currency: isPayment ? textOf(json.currency) : '',
		paidTo: isPayment ? textOf(json.paidTo) : '',
		...(verdict === 'waitsForFunds' && { toFund }),
		row: rowNumberIn(json.row),
		since: isLookedUp ? textOf(json.since) : '',
		status,
		outcome,
		transactionId: textOf(json.transactionId),
		reference: textOf(json.reference),
		message,
		isLookupFailed,
	};
}

/** A verdict, and why or what for if that has to be said. */
function verdictText(verdict: Verdict, reason: string, language: Language): string {
	return `${TEXTS[language].report.labels[verdict]}${afterColon(reason)}`;
}

/** The number of a row. A file has it as text. */
export function rowNumberIn(value: unknown): number | undefined {
	return /^[1-9]\d{0,6}$/.test(textOf(value)) ? Number(value) : undefined;
}

/** How a payment stands, and why, if that has to be said. */
function verdictOf(facts: Facts, language: Language): [Verdict, string] {
	const { json, outcome, status, isLookedUp, message, toFund } = facts;
	const texts = TEXTS[language].report;
	const isFound = status !== '' && status !== NOT_FOUND;
	if (outcome === 'conflict') return ['conflict', texts.earlierPayment];
	if (outcome !== '' && json.isOtherPayment === true) return ['unclear', texts.conflicting];
	if (outcome === 'rejected' || outcome === 'notSent' || outcome === 'ready') {
		if (isLookedUp && isFound) return ['unclear', texts.contradiction];
		return [outcome, outcome === 'ready' ? '' : message];
	}
	if (outcome === 'unknown') return ['unknown', texts.perhapsPaid];
	if (outcome === '' && !isFound)
		return ['unknown', status === '' ? texts.noResult : texts.notLogged];
	if (finalStatuses(json).size > 1) return ['unclear', texts.severalStatuses];
	if (outcome === 'created' && (!isFound || status === PENDING)) {
		if (toFund) return ['waitsForFunds', fundsText(toFund, language)];
		if (json.isFundingUnknown === true) return ['fundingUnknown', ''];
	}
	if (!isFound) {
		if (isLookedUp) return ['unconfirmed', ''];
		return [outcome === 'alreadySent' ? 'alreadySent' : 'created', ''];
	}
	if (status === COMPLETED) return ['arrived', ''];
	switch (statusKind(status)) {
		case 'failed':
			return [
				'failed',
				[(texts.statuses as Record<string, string>)[status] ?? status, message]
					.filter(Boolean)
					.join('. '),
			];
		case 'undocumented':
			return ['unclear', `${texts.columns.status} ${status}`];
		default:
			if (isLookedUp) return ['onItsWay', ''];
			return [outcome === 'alreadySent' ? 'alreadySent' : 'created', ''];
	}
}

function finalStatuses({ history }: IDataObject): Set<string> {
	const states: unknown[] = Array.isArray(history) ? history : [];
	const statuses = states.map((state) => (isObject(state) ? textOf(state.status) : ''));
	return new Set(statuses.filter((status) => FINAL_STATUSES.includes(status)));
}

/** Verdicts of payments that exist, or may exist. */
const ALIVE: readonly Verdict[] = [
	'arrived',
	'onItsWay',
	'created',
	'alreadySent',
	'fundingUnknown',
	'waitsForFunds',
	'unconfirmed',
];

/**
 * Rows with the same reference: if they are one transaction, one of them was paid and the others are repetitions,
 * which no total counts. If they are several, it was perhaps paid twice.
 */
function markSameReferences(rows: ReportRow[], language: Language): void {
	const { sameAsRow, severalTransactions } = TEXTS[language].report;
	const alive = rows.filter(
		({ verdict, reference }) => ALIVE.includes(verdict) && reference !== '',
	);
	for (const group of grouped(alive, ({ reference }) => idempotencyKey(reference)).values()) {
		// The row that was paid comes first.
		const [first, ...others] = [...group].sort((a, b) => rank(a) - rank(b));
		const isSame = ({ transactionId: id }: ReportRow) => id === '' || id === first.transactionId;
		for (const row of others.filter(isSame)) {
			row.verdict = 'repeated';
			const reason = fill(sameAsRow, { row: first.row ?? '?' });
			row.verdictText = verdictText(row.verdict, reason, language);
			row.amount = '';
		}
		if (others.every(isSame)) continue;
		for (const row of group.filter(({ verdict }) => verdict !== 'repeated')) {
			row.verdict = 'twice';
			row.verdictText = verdictText(row.verdict, severalTransactions, language);
		}
	}
}

const rank = ({ outcome, transactionId }: ReportRow): number =>
	2 * Number(transactionId === '') + Number(outcome === 'alreadySent');

/** Crypto with its asset: `36.12 USDC`. */
export function fundsText({ amount, asset }: ToFund, language: Language): string {
	return [amount === '' ? '?' : moneyText(amount, language), asset].join(' ').trim();
}

/** The same, with where to send it. */
export function fundingText(funds: ToFund, language: Language): string {
	const { on, to } = TEXTS[language].report;
	const { blockchain, address } = funds;
	return [
		fundsText(funds, language),
		...(blockchain === '' ? [] : [`${on} ${blockchain}`]),
		...(address === '' ? [] : [`${to} ${address}`]),
	].join(' ');
}

/** What several payments wait for, with how many of them have no known amount. */
export function sumText(funds: FundingSum, language: Language): string {
	const { unknownAmounts: count } = funds;
	const text = fundingText(funds, language);
	return count === 0 ? text : `${text}, ${fill(TEXTS[language].report.unknownAmounts, { count })}`;
}

/** A row's cells by column, as text. The amount is decimal text, with at least two decimals. */
export function cellsOf(row: ReportRow, language: Language): Record<Column, string> {
	const { verdictText, amount, toFund, row: number } = row;
	return {
		...row,
		verdict: verdictText,
		amount: amount === '' ? '' : withCents(amount),
		toFund: toFund ? fundingText(toFund, language) : '',
		row: number === undefined ? '' : String(number),
	};
}
