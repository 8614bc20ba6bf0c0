import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { readLogs, TransactionIndex, type Transaction } from '../../../webhooks/transactions';
import { listWebhooks } from '../../../webhooks/webhooks';
import { isEmpty } from '../../../fields/validators';
import { idempotencyKey } from '../../../fields/text';
import { ServiceError, toOperationError } from '../../../service/errors';
import type { Service } from '../../../service/transport';
import { eachItem, type Operation } from '../../operations/operation';
import { userMessage } from '../../operations/messages';
import { UNKNOWN_OUTCOMES, NEVER_CREATED, NOT_CREATED, readItems, type Lookup } from './lookup';
import { showSkippedEntries, TRANSACTION, transactionFields } from './shared';

/** The status of a transaction that is not in the logs. */
const NOT_FOUND = 'notFound';

/** The pauses before the logs are read again. The last one is repeated. */
const PAUSES_MS = [2_000, 4_000, 8_000, 15_000, 30_000];

/** How often a wait checks whether the execution was cancelled. */
const CHECK_MS = 100;

const MINUTE_MS = 60_000;

/** Half a year: longer than anyone waits. */
const MAX_MINUTES = 262_800;

/** The overlap with the previous read, for entries that are logged late. */
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
					description: 'A reference or transaction ID for each item, by an expression',
				},
				{
					name: 'Input Columns',
					value: 'input',
					description:
						'The reference and transaction ID in the output of a payout or deposit, or in columns with these names',
				},
				{
					name: 'List Below',
					value: 'list',
					description: 'References and transaction IDs that you enter',
				},
			],
			default: 'input',
			description: 'Where the references and transaction IDs come from',
		},
		{
			displayName: 'Reference or Transaction ID',
			name: 'referenceOrId',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. 5f0c6f6e-3b1d-4f7e-9a53-0c1d2e3f4a5b',
			description: 'Your reference, or the transaction ID of the service',
			displayOptions: { show: { findBy: ['field'] } },
		},
		{
			displayName: 'References or Transaction IDs',
			name: 'referencesOrIds',
			type: 'string',
			typeOptions: { rows: 3 },
			default: '',
			required: true,
			placeholder: 'e.g. 5f0c6f6e-3b1d-4f7e-9a53-0c1d2e3f4a5b',
			description: 'One in each line. UUIDs may share a line.',
			displayOptions: { show: { findBy: ['list'] } },
		},
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			placeholder: 'Add Option',
			default: {},
			options: [
				{
					displayName: 'Wait Until Final (Minutes)',
					name: 'waitMinutes',
					type: 'number',
					typeOptions: { minValue: 0, maxValue: MAX_MINUTES },
					default: 0,
					description:
						'How long to wait until all are final. The node reads the logs repeatedly and continues as soon as all are. 0 does not wait.',
				},
			],
		},
	],
	output: { ...TRANSACTION, outcome: 'string' },
	async execute() {
		// Needs the connection. If this fails, it is the error of every item.
		let results: Promise<StatusResults> | undefined;
		return await eachItem(this, async (service, itemIndex) => {
			results ??= readUntilFinal(this, service);
			return (await results)(itemIndex);
		});
	},
};

/** Returns the output of an item, or throws its error. */
type StatusResults = (itemIndex: number) => INodeExecutionData[];

/** Reads the logs once for all items, and repeatedly while it waits. */
async function readUntilFinal(
	context: IExecuteFunctions,
	service: Service,
): Promise<StatusResults> {
	const items = readItems(context);
	const endsAt = Date.now() + readWait(context);
	const lookups = items.flatMap((item) => (item instanceof Error ? [] : item));
	const keys = (names: string[]) =>
		new Set(names.filter((name) => name !== '').map(idempotencyKey));
	const index = new TransactionIndex({
		references: keys(lookups.map(({ reference }) => reference)),
		transactionIds: keys(lookups.map(({ transactionId }) => transactionId)),
	});
	const isOpen = (lookup: Lookup) => {
		const found = transactionsOf(index, lookup);
		return found.length === 0
			? !NOT_CREATED.includes(lookup.outcome)
			: found.some(({ isFinal }) => !isFinal);
	};
	let hasNoWebhook = false;
	if (lookups.length > 0) {
		const { newest } = await readLogs(service, index);
		const isMissing = lookups.some((lookup) => transactionsOf(index, lookup).length === 0);
		hasNoWebhook = isMissing && (await lacksWebhook(service));
		// Without a webhook, nothing will be logged.
		if (!hasNoWebhook) {
			const open = lookups.filter(isOpen);
			await rereadLogs(context, service, index, { newest, endsAt, open, isOpen });
		}
		showSkippedEntries(context, index);
	}
	return (itemIndex) => {
		const item = items[itemIndex];
		if (item instanceof Error) throw item;
		return item.flatMap((lookup) => toItems(index, lookup, hasNoWebhook));
	};
}

/** Reads new log entries until all lookups are final, the time is over or the execution is cancelled. */
async function rereadLogs(
	context: IExecuteFunctions,
	service: Service,
	index: TransactionIndex,
	wait: {
		newest: number | undefined;
		endsAt: number;
		open: Lookup[];
		isOpen: (lookup: Lookup) => boolean;
	},
): Promise<void> {
	const { endsAt, isOpen } = wait;
	const isCancelled = () => context.getExecutionCancelSignal()?.aborted === true;
	let since = sinceOf(wait.newest);
	let { open } = wait;
	let outage: ServiceError | undefined;
	for (let round = 0; open.length && Date.now() < endsAt && !isCancelled(); round++) {
		const pause = PAUSES_MS[round] ?? PAUSES_MS[PAUSES_MS.length - 1];
		const wakeAt = Math.min(Date.now() + pause, endsAt);
		while (Date.now() < wakeAt && !isCancelled()) {
			await sleep(Math.min(CHECK_MS, Math.max(1, wakeAt - Date.now())));
		}
		if (isCancelled()) return;
		// A wait of minutes should survive a short outage.
		const newest = await readLogs(service, index, { since }).catch(async (error: Error) =>
			error instanceof ServiceError && error.isOutage ? error : Promise.reject(error),
		);
		outage = newest instanceof ServiceError ? newest : undefined;
		if (!(newest instanceof ServiceError)) since = sinceOf(newest.newest) ?? since;
		open = open.filter(isOpen);
	}
	if (!outage) return;
	context.addExecutionHints({
		message: userMessage('logsNotReread', { reason: outage.message }).message,
		type: 'warning',
	});
}

/** How far back the next read goes; undefined for all entries. Ignores dates in the future. */
function sinceOf(newest: number | undefined): number | undefined {
	return newest === undefined ? undefined : Math.min(newest, Date.now()) - LOGGED_LATE_MS;
}

/** Whether the account has no webhook; false if that cannot be found out. */
async function lacksWebhook(service: Service): Promise<boolean> {
	return await listWebhooks(service).then(
		(webhooks) => webhooks.length === 0,
		() => false,
	);
}

function transactionsOf(
	index: TransactionIndex,
	{ reference, transactionId }: Lookup,
): Transaction[] {
	return index.find({
		...(reference !== '' && { reference: idempotencyKey(reference) }),
		...(transactionId !== '' && { transactionId: idempotencyKey(transactionId) }),
	});
}

/** The output of a lookup: one item, or one for each of several transactions. */
function toItems(
	index: TransactionIndex,
	lookup: Lookup,
	hasNoWebhook: boolean,
): INodeExecutionData[] {
	const { columns, outcome, own } = lookup;
	const transactions = transactionsOf(index, lookup);
	// First, so that a table begins with them, and last, so that no column replaces them.
	const toItem = (fields: IDataObject) => ({ json: { ...fields, ...columns, ...fields } });
	if (transactions.length === 0) {
		return [
			toItem({
				...(outcome !== '' && { outcome }),
				status: NOT_FOUND,
				isFinal: NEVER_CREATED.includes(outcome),
				...own,
				since: '',
				message: notFoundMessage(outcome, hasNoWebhook),
				transactionHash: '',
				history: [],
			}),
		];
	}
	return transactions.map((transaction) =>
		toItem({
			...(outcome !== '' && { outcome: UNKNOWN_OUTCOMES.includes(outcome) ? 'created' : outcome }),
			...transactionFields(
				{
					...transaction,
					// Some events have only one of the two.
					transactionId: transaction.transactionId || own.transactionId,
					reference: transaction.reference || own.reference,
				},
				notesOf(lookup, transactions),
			),
		}),
	);
}

/** Why a payment that is not in the logs may still exist. */
function notFoundMessage(outcome: string, hasNoWebhook: boolean): string {
	if (NOT_CREATED.includes(outcome)) return userMessage('neverCreated', { outcome }).message;
	return [
		...(hasNoWebhook ? [userMessage('noWebhook')] : []),
		userMessage('notInLogs'),
		...(UNKNOWN_OUTCOMES.includes(outcome) ? [userMessage('askTheService')] : []),
	]
		.map(({ message }) => message)
		.join(' ');
}

/** Notes on a row, for its message. */
function notesOf({ outcome, transactionId, reference }: Lookup, found: Transaction[]): string[] {
	const ids = found.map((one) => one.transactionId || 'one without a transaction ID').join(', ');
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
	].map(({ message }) => message);
}

/** Reads how long to wait, in milliseconds. Options are the same for all items. */
function readWait(context: IExecuteFunctions): number {
	const raw: unknown = context.getNodeParameter('options.waitMinutes', 0, 0);
	const minutes = isEmpty(raw) ? 0 : Number(raw);
	if (minutes >= 0 && minutes <= MAX_MINUTES) return minutes * MINUTE_MS;
	throw toOperationError(context.getNode(), userMessage('wrongWait', { max: MAX_MINUTES }));
}
