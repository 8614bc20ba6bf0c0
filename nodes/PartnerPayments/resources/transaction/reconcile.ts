import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { collection } from '../../../fields/form';
import { cellOf, currencyOf, mapColumns } from '../../../fields/headers';
import { grouped } from '../../../fields/grouped';
import { compareDecimals, parseDecimal, provenFormat } from '../../../fields/money';
import { idempotencyKey } from '../../../fields/text';
import { isEmpty } from '../../../fields/validators';
import { fill, TEXTS, userMessage } from '../../../messages/userMessage';
import { LANGUAGE, toLanguage, type Language } from '../../../report/language';
import { paymentResult } from '../../../report/paymentResult';
import { findingLabel, FINDINGS, isToReview, type Finding } from '../../../report/reconcileTexts';
import { rowNumberIn } from '../../../report/reportRow';
import { shownText, shownValue } from '../../../report/shownText';
import { ASSETS, TRANSACTION_TYPES } from '../../../service/enums';
import { toOperationError } from '../../../service/errors';
import { DAY_MS, HOUR_MS } from '../../../service/time';
import { statusKind } from '../../../service/transactionStatus';
import type { Service } from '../../../service/transport';
import { readLogs, TransactionIndex, type Transaction } from '../../../logs/transactions';
import { eachItem, type BatchOperation } from '../../operations/operation';
import { BANK_PAYOUT } from '../payout/createBank';
import { LOOKBACK, readLookback, showReading } from '../webhookLog/shared';
import { CONFLICT, NOT_CREATED, readRow } from './lookup';
import { contradiction, showSkippedEntries } from './shared';

const DEFAULT_OVERDUE_HOURS = 24;

/** Deposits are no payments of ours. */
const PAYOUT_TYPES = TRANSACTION_TYPES.map(({ value }) => value).filter((value) =>
	value.startsWith('withdrawal_'),
);

/** The fields that rows of a file have. A column with whole names is the first name: nothing has to be split. */
const FIELDS = BANK_PAYOUT.fields.map((field) => {
	const { names = [], namesWith, whole = [], parts } = field.headerAliases ?? {};
	return {
		...field,
		headerAliases: { names: [...names, ...(namesWith?.names ?? []), ...whole], parts },
	};
});

const CRYPTO = ASSETS.map(({ value }) => value);

/**
 * Section 4.12: `GET /v2/webhooks/logs`. Compares rows that were to be paid with the transactions in the logs, which are
 * read once.
 */
export const reconcile: BatchOperation = {
	value: 'reconcile',
	name: 'Reconcile',
	action: 'Reconcile transactions',
	description:
		'Compare the rows of a file or the results of payouts with the delivery logs: who was paid, who was not, and what was paid in addition',
	properties: [
		{ ...LANGUAGE, name: 'language' },
		collection('Options', [
			{
				...LOOKBACK,
				description:
					'How far back to read the logs. It must reach back to before the first payment of the rows.',
			},
			{
				displayName: 'Overdue After (Hours)',
				name: 'overdueHours',
				type: 'number',
				typeOptions: { minValue: 0 },
				default: DEFAULT_OVERDUE_HOURS,
				description: 'How long a payment may be on its way before somebody has to look at it',
			},
		]),
	],
	output: {
		verdict: 'string',
		payee: 'string',
		amount: 'string',
		currency: 'string',
		loggedAmount: 'string',
		loggedCurrency: 'string',
		row: 'integer',
		finding: 'string',
		needsReview: 'boolean',
		status: 'string',
		since: 'string',
		transactionId: 'string',
		reference: 'string',
		message: 'string',
	},
	async execute() {
		let lines: Promise<INodeExecutionData[][]> | undefined;
		const output = await eachItem(this, {
			async executeItem(service, itemIndex) {
				lines ??= compareAll(this, service);
				return (await lines)[itemIndex];
			},
		});
		// What somebody has to look at comes first. An error has no finding.
		return output.sort((a, b) => rankOf(a) - rankOf(b));
	},
};

const rankOf = ({ json }: INodeExecutionData): number => FINDINGS.indexOf(json.finding as Finding);

/** A payment that a row expects. */
interface Expected {
	itemIndex: number;
	row: number;
	payee: string;
	/** Canonical decimal text; empty if the row has none that can be read. */
	amount: string;
	currency: string;
	reference: string;
	transactionId: string;
	/** Of a payment's result; otherwise empty. */
	outcome: string;
}

interface Comparison {
	language: Language;
	overdueHours: number;
	days: number;
}

/** The lines of each item. Those of transactions that no row has are with the last item. */
async function compareAll(
	context: IExecuteFunctions,
	service: Service,
): Promise<INodeExecutionData[][]> {
	const language = toLanguage(context.getNodeParameter('language', 0, 'en'));
	const hours: unknown = context.getNodeParameter('options.overdueHours', 0, '');
	const since = readLookback(context, 'options.lookbackDays', 0);
	const comparison = {
		language,
		overdueHours: isEmpty(hours) ? DEFAULT_OVERDUE_HOURS : Number(hours),
		days: Math.round((Date.now() - since) / DAY_MS),
	};
	const items = context.getInputData().map(({ json }) => json);
	const expected = merged(readExpected(items));
	if (!expected.some(({ reference, transactionId }) => reference !== '' || transactionId !== ''))
		throw toOperationError(context, userMessage('nothingToReconcile'));

	const index = new TransactionIndex();
	showReading(context, await readLogs(service, index, { since }));
	showSkippedEntries(context, index);

	const lines: INodeExecutionData[][] = items.map(() => []);
	const seen = new Set<string>();
	const keyOf = ({ reference }: Expected) => idempotencyKey(reference);
	const rowsOf = grouped(expected, keyOf);
	for (const one of expected) {
		const transactions = index.find(one);
		for (const { transactionId, reference } of transactions)
			seen.add(JSON.stringify([transactionId, reference]));
		const isShared = one.reference !== '' && rowsOf.get(keyOf(one))?.length !== 1;
		lines[one.itemIndex].push(compare(one, transactions, isShared, comparison));
	}
	const others = index
		.all()
		.filter(
			({ transactionId, reference, transactionType }) =>
				!seen.has(JSON.stringify([transactionId, reference])) &&
				PAYOUT_TYPES.includes(transactionType),
		);
	const { notInFile } = TEXTS[language].reconcile;
	lines
		.at(-1)
		?.push(...others.map((one) => line(language, 'notInFile', notInFile, undefined, one)));
	return lines;
}

/** Reads what rows expect: the fields of a payment's result, or the columns of a file. */
function readExpected(items: IDataObject[]): Expected[] {
	// A result has its own names and always a decimal dot, whatever the file that it comes from has.
	const results = items.map(paymentResult);
	const rows = items.filter((_, itemIndex) => !results[itemIndex]);
	const map = mapColumns([...new Set(rows.flatMap((row) => Object.keys(row)))], FIELDS);
	const cell = (item: IDataObject, name: string): unknown => {
		const field = FIELDS.find((one) => one.name === name);
		return field && cellOf(item, map, field).value;
	};
	const format = provenFormat(rows.map((row) => cell(row, 'amount')));
	return items.map((item, itemIndex) => {
		const { reference, transactionId, outcome } = readRow(item);
		const result = results[itemIndex];
		const amount = result
			? parseDecimal(result.amount)
			: parseDecimal(cell(item, 'amount'), 2, format);
		const names = result ? [result.payee] : [cell(item, 'firstName'), cell(item, 'lastName')];
		return {
			itemIndex,
			row: rowNumberIn((result ?? item).row) ?? itemIndex + 1,
			payee: shownText(names.map((name) => shownValue(name)).join(' '), MAX_NAME),
			amount: amount.ok ? amount.value : '',
			currency: currencyIn(result ? result.currency : cell(item, 'currencyType')),
			reference: reference || shownValue(cell(item, 'externalReference')),
			transactionId,
			outcome,
		};
	});
}

/** A currency as the service writes it. */
function currencyIn(value: unknown): string {
	const text = shownValue(value);
	return currencyOf(text) ?? text.toUpperCase();
}

/** More than a name has. */
const MAX_NAME = 100;

/** Without rows that repeat another one, as those of a file that was paid and of its result do. */
function merged(rows: Expected[]): Expected[] {
	const sameMoney = grouped(rows, ({ reference, transactionId, itemIndex, payee, amount }) => {
		const name = reference || transactionId || String(itemIndex);
		return JSON.stringify([idempotencyKey(name), payee, amount]);
	});
	return [...sameMoney.values()].flatMap((group) => {
		const kept: Expected[] = [];
		for (const row of group) {
			const { currency } = row;
			// A file need not say the currency if the node that paid it did.
			const known = kept.find((one) => [one.currency, ''].includes(currency) || !one.currency);
			if (known) {
				known.transactionId ||= row.transactionId;
				known.outcome ||= row.outcome;
				known.currency ||= currency;
			} else kept.push(row);
		}
		return kept;
	});
}

const isFailed = ({ status }: Transaction): boolean => statusKind(status) === 'failed';

/** Compares an expected payment with its transactions, the last changed one first. */
function compare(
	row: Expected,
	transactions: Transaction[],
	isShared: boolean,
	{ language, overdueHours, days }: Comparison,
): INodeExecutionData {
	const texts = TEXTS[language].reconcile;
	const alive = transactions.filter((transaction) => !isFailed(transaction));
	const one = alive[0] ?? transactions[0];
	const found = (finding: Finding, message = '') => line(language, finding, message, row, one);
	if (row.outcome === CONFLICT) return found('conflict', texts.conflict);
	if (alive.length > 1) {
		const ids = alive.map(({ transactionId, status }) => `${transactionId}: ${status}`);
		return found('paidTwice', ids.join(', '));
	}
	if (isShared) return found('sameReference', texts.sameReference);
	if (!one) {
		if (row.reference === '' && row.transactionId === '')
			return found('notFound', texts.withoutReference);
		return NOT_CREATED.includes(row.outcome)
			? found('notPaid', fill(texts.notPaid, { outcome: row.outcome }))
			: found('notFound', fill(texts.notInLogs, { days }));
	}
	if (one.finalStates.length > 1 || statusKind(one.status) === 'undocumented')
		return found('unclear', [one.message, ...contradiction(one)].join(' '));
	if (isFailed(one)) return found('failed', one.message);

	const logged = parseDecimal(one.amount, 8);
	// A bank payout may be logged with the crypto amount that funded it.
	const isComparable =
		row.amount !== '' &&
		logged.ok &&
		one.asset !== '' &&
		(one.asset === row.currency || !CRYPTO.includes(one.asset));
	if (isComparable && row.currency !== '' && one.asset !== row.currency)
		return found('otherCurrency');
	if (isComparable && compareDecimals(logged.value, row.amount) !== 0) return found('otherAmount');
	const note = isComparable ? '' : texts.notCompared;
	if (one.isFinal) return found('arrived', note);
	const isOverdue = Date.now() - Date.parse(one.since) > overdueHours * HOUR_MS;
	return isOverdue
		? found('overdue', `${fill(texts.overdue, { hours: overdueHours })} ${note}`)
		: found('onItsWay', note);
}

/** The output of a comparison. */
function line(
	language: Language,
	finding: Finding,
	message: string,
	row?: Expected,
	one?: Transaction,
): INodeExecutionData {
	return {
		json: {
			verdict: findingLabel(finding, language),
			payee: row?.payee ?? '',
			amount: row?.amount ?? '',
			currency: row?.currency ?? '',
			loggedAmount: one?.amount ?? '',
			loggedCurrency: one?.asset ?? '',
			...(row && { row: row.row }),
			finding,
			needsReview: isToReview(finding),
			status: one?.status ?? '',
			since: one?.since ?? '',
			transactionId: one?.transactionId || (row?.transactionId ?? ''),
			reference: row?.reference || (one?.reference ?? ''),
			message: shownText(message),
		},
	};
}
