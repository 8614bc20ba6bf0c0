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
import { hintOfPassedOver, TRANSACTION, transactionFields } from './shared';

/** The status of a payment that is not in the logs. */
const NOT_FOUND = 'notFound';

/** The pauses after which the logs are read again; the last one is repeated. */
const PAUSES_MS = [2_000, 4_000, 8_000, 15_000, 30_000];

/** Waiting is done in such pieces, so that a cancelled execution ends soon. */
const NAP_MS = 100;

const MINUTE_MS = 60_000;

/** Half a year: longer than anybody waits, and no number too large for a date. */
const MAX_MINUTES = 262_800;

/** How much further back than the one before a reading goes, for entries that are logged late. */
const LOGGED_LATE_MS = 60 * MINUTE_MS;

/**
 * Section 4.12: `GET /v2/webhooks/logs`. The service has no address to ask for a transaction, but each
 * change of a status is an event (section 6), and the logs have the events. They are read once for all
 * items. Nothing is changed, so it can be run again at any time.
 */
export const getStatus: Operation = {
	value: 'getStatus',
	name: 'Get Status',
	action: 'Get status of transactions',
	description:
		'Get what became of payments and deposits: the newest status of each, and whether it is final. Use it after a payout, or for rows with a reference or transaction ID.',
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
					description: 'A reference or transaction ID for each item, with an expression',
				},
				{
					name: 'Input Columns',
					value: 'input',
					description:
						'The reference and transaction ID that a payout or deposit gave out, or columns with these names',
				},
				{
					name: 'List Below',
					value: 'list',
					description: 'References and transaction IDs that you enter',
				},
			],
			default: 'input',
			description: 'How to tell which transactions are meant',
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
						'How long to wait until all are final. The logs are read again and again, and the node goes on as soon as all are. 0 does not wait.',
				},
			],
		},
	],
	output: { ...TRANSACTION, outcome: 'string' },
	async execute() {
		// Read only once there is a connection: if there is none, every item says so.
		let found: Promise<StatusResults> | undefined;
		return await eachItem(this, async (service, itemIndex) => {
			found ??= readUntilFinal(this, service);
			return (await found)(itemIndex);
		});
	},
};

/** Gives the output of an item. */
type StatusResults = (itemIndex: number) => INodeExecutionData[];

/** Reads the logs once for all items, and again while it waits. */
async function readUntilFinal(
	context: IExecuteFunctions,
	service: Service,
): Promise<StatusResults> {
	const items = readItems(context);
	const waitMs = readWait(context);
	const sought = items.flatMap((item) => (item instanceof Error ? [] : item));
	if (sought.length === 0) return (itemIndex) => answer(items[itemIndex], () => []);

	const keys = (names: string[]) =>
		new Set(names.filter((name) => name !== '').map(idempotencyKey));
	const book = new TransactionIndex({
		references: keys(sought.map(({ reference }) => reference)),
		transactionIds: keys(sought.map(({ transactionId }) => transactionId)),
	});
	const isOpen = (one: Lookup) => {
		const transactions = transactionsOf(book, one);
		return transactions.length === 0
			? !NOT_CREATED.includes(one.outcome)
			: transactions.some(({ isFinal }) => !isFinal);
	};
	const endsAt = Date.now() + waitMs;
	const newest = await readLogs(service, book);
	const isUnseen = sought.some((one) => transactionsOf(book, one).length === 0);
	const hasNoWebhook = isUnseen && (await hasNone(service));
	// Without a webhook nothing will be logged.
	if (!hasNoWebhook) await readAgain(context, service, book, { newest, endsAt, isOpen, sought });
	hintOfPassedOver(context, book);
	return (itemIndex) => answer(items[itemIndex], (one) => toItems(book, one, hasNoWebhook));
}

function answer(
	item: Lookup[] | Error,
	itemsOf: (sought: Lookup) => INodeExecutionData[],
): INodeExecutionData[] {
	if (item instanceof Error) throw item;
	return item.flatMap(itemsOf);
}

/** Reads what was logged meanwhile, until nothing is open, the time is over, or nobody waits any more. */
async function readAgain(
	context: IExecuteFunctions,
	service: Service,
	book: TransactionIndex,
	{
		newest,
		endsAt,
		isOpen,
		sought,
	}: {
		newest: number | undefined;
		endsAt: number;
		isOpen: (one: Lookup) => boolean;
		sought: Lookup[];
	},
): Promise<void> {
	const isCancelled = () => context.getExecutionCancelSignal()?.aborted === true;
	let since = sinceOf(newest);
	let open = sought.filter(isOpen);
	let outage: ServiceError | undefined;
	for (let round = 0; open.length && Date.now() < endsAt && !isCancelled(); round++) {
		const wakeAt = Math.min(
			Date.now() + (PAUSES_MS[round] ?? PAUSES_MS[PAUSES_MS.length - 1]),
			endsAt,
		);
		while (Date.now() < wakeAt && !isCancelled()) {
			await sleep(Math.min(NAP_MS, Math.max(1, wakeAt - Date.now())));
		}
		if (isCancelled()) return;
		// A user who waits for an hour also accepts a service that is away for a minute.
		const read = await readLogs(service, book, since).catch(async (error: Error) =>
			error instanceof ServiceError && error.isOutage ? error : Promise.reject(error),
		);
		outage = read instanceof ServiceError ? read : undefined;
		if (!(read instanceof ServiceError)) since = sinceOf(read) ?? since;
		open = open.filter(isOpen);
	}
	if (!outage) return;
	context.addExecutionHints({
		message: userMessage('logsNotReread', { reason: outage.message }).message,
		type: 'warning',
	});
}

/** How far back the next reading has to go; undefined for all. A date in the future is not relied on. */
function sinceOf(newest: number | undefined): number | undefined {
	return newest === undefined ? undefined : Math.min(newest, Date.now()) - LOGGED_LATE_MS;
}

/** Whether the account is known to have no webhook; false where that cannot be known. */
async function hasNone(service: Service): Promise<boolean> {
	return await listWebhooks(service).then(
		(webhooks) => webhooks.length === 0,
		() => false,
	);
}

function transactionsOf(
	book: TransactionIndex,
	{ reference, transactionId }: Lookup,
): Transaction[] {
	return book.find({
		...(reference !== '' && { reference: idempotencyKey(reference) }),
		...(transactionId !== '' && { transactionId: idempotencyKey(transactionId) }),
	});
}

/** The output of one that is sought: an item, or one for each of several transactions. */
function toItems(
	book: TransactionIndex,
	sought: Lookup,
	hasNoWebhook: boolean,
): INodeExecutionData[] {
	const { columns, outcome, own } = sought;
	const transactions = transactionsOf(book, sought);
	/** Own fields come first, to be seen first in a table, and again last, so that no column replaces them. */
	const toItem = (fields: IDataObject) => ({ json: { ...fields, ...columns, ...fields } });
	if (transactions.length === 0) {
		return [
			toItem({
				...(outcome !== '' && { outcome }),
				status: NOT_FOUND,
				isFinal: NEVER_CREATED.includes(outcome),
				...own,
				since: '',
				message: notFoundItem(outcome, hasNoWebhook),
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
					// Not every event names both.
					transactionId: transaction.transactionId || own.transactionId,
					reference: transaction.reference || own.reference,
				},
				remarks(sought, transactions),
			),
		}),
	);
}

/** Why a payment that is not in the logs may exist all the same. */
function notFoundItem(outcome: string, hasNoWebhook: boolean): string {
	if (NOT_CREATED.includes(outcome)) return userMessage('neverCreated', { outcome }).message;
	const hints = [
		...(hasNoWebhook ? [userMessage('noWebhook')] : []),
		userMessage('notInLogs'),
		...(UNKNOWN_OUTCOMES.includes(outcome) ? [userMessage('askTheService')] : []),
	];
	return hints.map(({ message }) => message).join(' ');
}

/** What has to be said of a row before the service's words. */
function remarks({ outcome, transactionId, reference }: Lookup, found: Transaction[]): string[] {
	const ids = found.map((one) => one.transactionId || 'one without a transaction ID').join(', ');
	const isAnother = found.every(
		(one) =>
			one.transactionId !== '' &&
			idempotencyKey(one.transactionId) !== idempotencyKey(transactionId),
	);
	const isElsewhere = transactionId !== '' && transactionId !== reference && isAnother;
	return [
		...(found.length > 1 ? [userMessage('severalTransactions', { count: found.length, ids })] : []),
		...(isElsewhere ? [userMessage('otherTransaction', { transaction: transactionId })] : []),
		...(NOT_CREATED.includes(outcome) ? [userMessage('contradictsOutcome', { outcome })] : []),
	].map(({ message }) => message);
}

/** Options are the same for all items. */
function readWait(context: IExecuteFunctions): number {
	const raw: unknown = context.getNodeParameter('options.waitMinutes', 0, 0);
	const minutes = isEmpty(raw) ? 0 : Number(raw);
	if (minutes >= 0 && minutes <= MAX_MINUTES) return minutes * MINUTE_MS;
	throw toOperationError(context.getNode(), userMessage('wrongWait', { max: MAX_MINUTES }));
}
