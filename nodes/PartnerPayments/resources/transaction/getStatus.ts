import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { collection, textProperty } from '../../../fields/form';
import { LANGUAGE, toLanguage, type Language } from '../../../report/language';
import { readCoverage, type Coverage } from '../../../logs/coverage';
import type { Transaction } from '../../../logs/transactions';
import { TransactionSearch } from '../../../logs/transactionSearch';
import { isEmpty } from '../../../fields/validators';
import { idempotencyKey } from '../../../fields/text';
import { rethrow, ServiceError, toOperationError } from '../../../service/errors';
import { FINAL_STATUSES } from '../../../service/enums';
import { hasMovedOn, NOT_FOUND } from '../../../service/transactionStatus';
import { pauseUnless } from '../../../service/readBackoff';
import type { Service } from '../../../service/transport';
import { eachItem, type Operation } from '../../operations/operation';
import {
	fullText,
	inLanguage,
	phrase,
	showHint,
	userMessage,
	type UserMessage,
} from '../../../messages/userMessage';
import {
	CONFLICT,
	NEVER_CREATED,
	NOT_CREATED,
	paymentIn,
	readItems,
	UNKNOWN_OUTCOMES,
	type Lookup,
} from './lookup';
import {
	showSkippedEntries,
	SIMPLIFIED_TRANSACTION,
	TRANSACTION,
	transactionFields,
} from './shared';
import { LOOKBACK, readLookback, showReading } from '../webhookLog/shared';

const SIMPLIFIED = ['outcome', ...SIMPLIFIED_TRANSACTION, 'allFinal', 'mayBecomeFinal'];

/** The pauses before the logs are read again. The last one is repeated. */
const PAUSES_MS = [2_000, 4_000, 8_000, 15_000, 30_000];

const MINUTE_MS = 60_000;

const WAIT = 'Wait Until Final (Minutes)';

/** A waiting node holds a worker, and its wait ends with n8n. */
const MAX_MINUTES = 30;

/** How much earlier than necessary reading begins, for entries that are logged late, or by another clock. */
const LOGGED_LATE_MS = 60 * MINUTE_MS;

/**
 * Section 4.12: `GET /v2/webhooks/logs`. The service has no endpoint for a transaction, but every change of
 * status is an event in the logs (section 6). They are read once for all items.
 */
export const getStatus: Operation = {
	value: 'getStatus',
	name: 'Get Status',
	action: 'Get status of transactions',
	description:
		'Get the newest status of payouts and deposits, and whether it is final. Use it after a payout, or for rows with a reference or transaction ID.',
	properties: [
		{
			displayName: 'Find By',
			name: 'findBy',
			type: 'options',
			noDataExpression: true,
			options: [
				{
					name: 'Field Below',
					value: 'field',
					description:
						'References and transaction IDs that you enter, or an expression for each item',
				},
				{
					name: 'Input Columns',
					value: 'input',
					description:
						'The reference and transaction ID in the output of a payout or deposit, or in columns with these names',
				},
			],
			default: 'input',
			description: 'Where the references and transaction IDs come from',
		},
		textProperty('Reference or Transaction ID', 'referenceOrId', {
			typeOptions: { rows: 2 },
			required: true,
			placeholder: 'e.g. 5f0c6f6e-3b1d-…',
			description: 'One in each line: your reference, or the transaction ID of the service',
			displayOptions: { show: { findBy: ['field'] } },
		}),
		collection('Options', [
			{ ...LANGUAGE, name: 'language', description: 'The language of the messages' },
			{
				...LOOKBACK,
				description:
					'How far back to read the logs, if the service lists the newest entries first. By default since the payments were sent, if all rows say when, or 31 days.',
			},
			{
				displayName: WAIT,
				name: 'waitMinutes',
				type: 'number',
				typeOptions: { minValue: 0, maxValue: MAX_MINUTES },
				default: 0,
				description:
					'How long to wait until all are final, at most 30 minutes. For longer waits, loop back through a Wait node while mayBecomeFinal is not false.',
			},
		]),
	],
	output: {
		...TRANSACTION,
		allFinal: 'boolean',
		mayBecomeFinal: 'boolean',
		outcome: 'string',
	},
	simplified: SIMPLIFIED,
	async execute() {
		// Needs the connection. If this fails, it is the error of every item.
		let results: Promise<StatusResults> | undefined;
		// A status that cannot be read takes no payment out of a report, or out of a loop that asks again.
		return await eachItem(this, {
			simplified: SIMPLIFIED,
			kept: paymentIn,
			async executeItem(service, itemIndex) {
				results ??= readUntilFinal(this, service);
				return (await results)(itemIndex);
			},
		});
	},
};

/** Returns the output of an item, or throws its error. */
type StatusResults = (itemIndex: number) => INodeExecutionData[];

/** What the rows are looked up in. */
interface Found {
	search: TransactionSearch;
	/** From when on the logs were read (milliseconds since 1970). */
	since: number;
	/** Undefined if it doesn't matter, or can't be found out. */
	coverage: Coverage | undefined;
	language: Language;
	/** The IDs of transactions that another row names: that row shows them. */
	claimed: ReadonlySet<string>;
}

/** Reads the logs once for all items, and repeatedly while it waits. */
async function readUntilFinal(
	context: IExecuteFunctions,
	service: Service,
): Promise<StatusResults> {
	const items = readItems(context);
	const endsAt = Date.now() + readWait(context);
	const lookups = items.flatMap((item) => (item instanceof Error ? [] : item));
	const search = new TransactionSearch(lookups);
	const since = readSince(context, lookups);
	const isOpen = (lookup: Lookup) => {
		const found = search.find(lookup);
		return found.length === 0 ? mayExist(lookup) : found.some(({ isFinal }) => !isFinal);
	};
	let coverage: Coverage | undefined;
	if (lookups.length > 0) {
		const reading = await search.read(service, { since, awaited: lookups.filter(mayExist) });
		const open = lookups.filter(isOpen);
		if (open.length > 0) coverage = await readCoverage(service).catch(() => undefined);
		if (canBecomeFinal(coverage)) {
			service.endsAt = endsAt;
			await rereadLogs(context, service, search, reading.newest, open, isOpen);
		}
		showReading(context, reading);
		showSkippedEntries(context, search);
	}
	const claimed = new Set(lookups.map(claimOf).filter((id) => id !== ''));
	const language = toLanguage(context.getNodeParameter('options.language', 0, 'en'));
	const found = { search, since, coverage, language, claimed };
	const outputs = items.map((item) =>
		item instanceof Error ? item : item.flatMap((lookup) => toItems(found, lookup)),
	);
	const mayBecomeFinal = lookups.some(isOpen) && canBecomeFinal(coverage);
	const allFinal = outputs.every(
		(output) => output instanceof Error || output.every(({ json }) => json.isFinal === true),
	);
	return (itemIndex) => {
		const output = outputs[itemIndex];
		if (output instanceof Error) throw output;
		return output.map(({ json }) => ({ json: { ...json, allFinal, mayBecomeFinal } }));
	};
}

/** Whether the logs can still get a final status. */
function canBecomeFinal(coverage: Coverage | undefined): boolean {
	return coverage?.missing.length !== FINAL_STATUSES.length;
}

/** Whether the logs can have a transaction for a row, as its outcome says. */
function mayExist({ outcome }: Lookup): boolean {
	return !NOT_CREATED.includes(outcome);
}

/** Where reading may end: by default where the payments began, if all rows say when that was. */
function readSince(context: IExecuteFunctions, lookups: Lookup[]): number {
	const lookback = readLookback(context, 'options.lookbackDays', 0);
	const starts = lookups.filter(mayExist).map(({ startedAt }) => startedAt ?? NaN);
	const isGiven = !isEmpty(context.getNodeParameter('options.lookbackDays', 0, ''));
	const first = starts.reduce((a, b) => Math.min(a, b), Infinity);
	return isGiven || !Number.isFinite(first) ? lookback : first - LOGGED_LATE_MS;
}

/** Reads new log entries until all lookups are final, `endsAt` of the service or the execution is cancelled. */
async function rereadLogs(
	context: IExecuteFunctions,
	service: Service,
	search: TransactionSearch,
	newest: number,
	open: Lookup[],
	isOpen: (lookup: Lookup) => boolean,
): Promise<void> {
	const { endsAt } = service;
	const isCancelled = () => context.getExecutionCancelSignal()?.aborted === true;
	let outage: ServiceError | undefined;
	for (let round = 0; open.length && Date.now() < endsAt && !isCancelled(); round++) {
		const pause = PAUSES_MS[Math.min(round, PAUSES_MS.length - 1)];
		await pauseUnless(isCancelled, Math.min(pause, endsAt - Date.now()));
		if (isCancelled()) return;
		// Ignores dates in the future.
		const since = Math.min(newest, Date.now()) - LOGGED_LATE_MS;
		const reading = await search
			.read(service, { since, awaited: open })
			// A wait of minutes should survive a short outage.
			.catch((error: Error) =>
				error instanceof ServiceError && error.isOutage ? error : rethrow(error),
			);
		outage = reading instanceof ServiceError ? reading : undefined;
		if (!(reading instanceof ServiceError)) newest = Math.max(newest, reading.newest);
		open = open.filter(isOpen);
	}
	if (outage) showHint(context, userMessage('logsNotReread', { reason: outage.message }));
}

/** The ID of the transaction that a row is about, if it names it in addition to its reference. */
function claimOf({ reference, transactionId }: Lookup): string {
	return transactionId === reference ? '' : idempotencyKey(transactionId);
}

/** The output of a lookup: one item, or one for each of several transactions. */
function toItems(found: Found, lookup: Lookup): INodeExecutionData[] {
	const { columns, outcome, own } = lookup;
	const all = found.search.find(lookup);
	// First, so that a table begins with them, and last, so that no column replaces them.
	const toItem = (fields: IDataObject) => ({ json: { ...fields, ...columns, ...fields } });
	if (all.length === 0) {
		return [
			toItem({
				...(outcome !== '' && { outcome }),
				status: NOT_FOUND,
				isFinal: NEVER_CREATED.includes(outcome),
				...own,
				since: '',
				message: notFoundMessage(lookup, found),
				transactionHash: '',
				history: [],
			}),
		];
	}
	return shownFor(lookup, all, found.claimed).map((transaction) => {
		const fields = transactionFields(
			{
				...transaction,
				// Some events have only one of the two.
				transactionId: transaction.transactionId || own.transactionId,
				reference: transaction.reference || own.reference,
			},
			notesOf(lookup, all, found.language),
		);
		const isFundingUnknown = columns.isFundingUnknown === true && !hasMovedOn(transaction.status);
		const notes = [
			...(transaction.isFinal ? [] : coverageNotes(found)),
			...(isFundingUnknown
				? [fullText(inLanguage(userMessage('fundingDetailsUnknown'), found.language))]
				: []),
		];
		return toItem({
			...(outcome !== '' && { outcome: UNKNOWN_OUTCOMES.includes(outcome) ? 'created' : outcome }),
			...fields,
			message: [String(fields.message), ...notes].filter((text) => text !== '').join(' '),
		});
	});
}

/**
 * The transactions of a row, without those of other rows. Otherwise a loop would double the items of a reference that
 * belongs to several transactions in each round.
 */
function shownFor(lookup: Lookup, all: Transaction[], claimed: ReadonlySet<string>): Transaction[] {
	const claim = claimOf(lookup);
	const shown = all.filter((one) => {
		const id = idempotencyKey(one.transactionId);
		return id === claim || !claimed.has(id);
	});
	return shown.length > 0 ? shown : all;
}

/** Why a payment was not created, or why one that is not in the logs may still exist. */
function notFoundMessage({ outcome, message }: Lookup, found: Found): string {
	const say = (note: UserMessage) => inLanguage(note, found.language).message;
	if (NOT_CREATED.includes(outcome))
		return message === '' ? say(userMessage('neverCreated', { outcome })) : message;
	const since = new Date(found.since).toISOString().slice(0, 10);
	const notInLogs = say(userMessage('notInLogs', { since }));
	const notes = coverageNotes(found);
	return [
		...(found.coverage?.hasWebhook === false ? [...notes, notInLogs] : [notInLogs, ...notes]),
		...(UNKNOWN_OUTCOMES.includes(outcome) ? [say(userMessage('askTheService'))] : []),
	].join(' ');
}

/** Why the logs may not have the final status of a transaction. */
function coverageNotes({ coverage, language }: Found): string[] {
	if (!coverage || coverage.missing.length === 0) return [];
	const note = coverage.hasWebhook
		? userMessage('partlyCovered', { missing: coverage.missing.join(', ') })
		: userMessage('noWebhook');
	return [inLanguage(note, language).message];
}

/** Notes on a row, for its message. */
function notesOf(
	{ outcome, transactionId, reference }: Lookup,
	found: Transaction[],
	language: Language,
): string[] {
	const ids = found.map((one) => one.transactionId || phrase('withoutId')[language]).join(', ');
	const isOther = found.every(
		(one) =>
			one.transactionId !== '' &&
			idempotencyKey(one.transactionId) !== idempotencyKey(transactionId),
	);
	const hasOtherId = transactionId !== '' && transactionId !== reference && isOther;
	return [
		...(found.length > 1 ? [userMessage('severalTransactions', { count: found.length, ids })] : []),
		...(hasOtherId ? [userMessage('otherTransaction', { transaction: transactionId })] : []),
		...(NOT_CREATED.includes(outcome) ? [userMessage('contradictsOutcome', { outcome })] : []),
		...(outcome === CONFLICT ? [userMessage('earlierPayment')] : []),
	].map((note) => inLanguage(note, language).message);
}

/** Reads how long to wait, in milliseconds. Options are the same for all items. */
function readWait(context: IExecuteFunctions): number {
	const raw: unknown = context.getNodeParameter('options.waitMinutes', 0, 0);
	const minutes = isEmpty(raw) ? 0 : Number(raw);
	if (minutes >= 0 && minutes <= MAX_MINUTES) return minutes * MINUTE_MS;
	const range = { min: 0, max: MAX_MINUTES, kind: '', hint: '' };
	const value = JSON.stringify(raw);
	throw toOperationError(context, userMessage('notInRange', { option: WAIT, value, ...range }));
}
