import { idempotencyKey } from '../fields/text';
import { readCoverage } from '../logs/coverage';
import { readLogs, TransactionIndex } from '../logs/transactions';
import { toServiceError } from '../service/errors';
import { DAY_MS } from '../service/time';
import { hasMovedOn, statusKind } from '../service/transactionStatus';
import { askLedger, intentOf } from './askLedger';
import { type BatchContext, rejectBatch } from './batchContext';
import { decide } from './decide';
import type { Facts } from './facts';
import { userMessage } from './messages';

/** How far back the logs are read without being asked: a copy of a workflow is run soon, or on another day. */
const UNASKED_DAYS = 3;

/** How many entries are read without being asked, at most: five pages for few payments. */
const UNASKED_ENTRIES = { few: 500, many: 10_000 };

/** Fewer payments than this are few. */
const MANY = 20;

/**
 * Whether the ledger does not know enough of a row: it was recorded and not proved, or another node may have sent it. A
 * Batch ID is the same in a copy of the workflow, and a node that never sent anything may be that copy.
 */
function isUncertain(batch: BatchContext, facts: Facts): boolean {
	const { ledger: known, sentHere } = facts;
	if (!known || sentHere) return false;
	if (known.reads !== 'none') return known.reads === 'unknown';
	const mayBeOfAnother = batch.isGenerated || batch.ledger?.entries.isEmpty === true;
	// A row that is not sent needs no certainty.
	return mayBeOfAnother && 'attempt' in decide(facts, batch.options);
}

/** Whether the logs are still to be read: because the user said so, or because it is uncertain what was sent. */
export function needsLogs(batch: BatchContext, rows: readonly Facts[]): boolean {
	const { options, service, areLogsRead, rejection } = batch;
	if (areLogsRead || !service || rejection) return false;
	const { checkDeliveryLogs: days } = options;
	return days === undefined ? rows.some((facts) => isUncertain(batch, facts)) : days > 0;
}

/**
 * Reads the delivery logs, once for a batch: if the user has set Check Delivery Logs, or if it is uncertain what was sent.
 * What they have is written into the ledger, so that the next execution knows it, too. A reference that is not there
 * proves nothing, because the logs have only what a webhook was registered for.
 */
export async function askLogs(batch: BatchContext, all: readonly Facts[]): Promise<void> {
	const { endpoint, options, service } = batch;
	const asked = all.filter(({ row, sentHere }) => row.idempotencyKey !== '' && !sentHere);
	if (asked.length === 0 || !service || !needsLogs(batch, asked)) return;
	batch.areLogsRead = true;
	const { checkDeliveryLogs: days } = options;
	const isAsked = days !== undefined;
	const fundedBy = ({ row: { values } }: Facts) =>
		endpoint.fromResults ? idempotencyKey(endpoint.fromResults.transactionId(values)) : undefined;
	const index = new TransactionIndex({
		references: new Set(asked.map(({ row }) => row.idempotencyKey)),
		transactionIds: new Set(asked.flatMap((facts) => fundedBy(facts) ?? [])),
	});
	try {
		if (isAsked) await warnOfCoverage(batch);
		const max = isAsked
			? Infinity
			: asked.length < MANY
				? UNASKED_ENTRIES.few
				: UNASKED_ENTRIES.many;
		const since = Date.now() - (isAsked ? days : UNASKED_DAYS) * DAY_MS;
		const { count } = await readLogs(service, index, {
			since,
			max,
			setting: 'Check Delivery Logs',
		});
		if (count >= max) batch.hints.push(userMessage('logsTooLong', { count }).message);
	} catch (error) {
		const reason = toServiceError(error);
		if (isAsked) rejectBatch(batch, reason);
		else batch.hints.push(userMessage('logsNotRead', { reason: reason.message }).message);
		return;
	}
	for (const facts of asked) {
		const transactions = index.find({ reference: facts.row.idempotencyKey });
		// If one of several has not failed, the reference is paid.
		facts.logged =
			transactions.find(({ status }) => statusKind(status) !== 'failed') ?? transactions[0];
		const transactionId = fundedBy(facts);
		const [funded] = transactionId === undefined ? [] : index.find({ transactionId });
		if (funded && hasMovedOn(funded.status))
			facts.errors.unshift({
				field: INPUT_ITEM,
				...userMessage('movedOn', { status: funded.status }),
			});
	}
	await adoptLogged(batch, asked);
}

/** The field of an error that is about a whole result of another payment. */
export const INPUT_ITEM = 'Input item';

async function warnOfCoverage({ service, hints }: BatchContext): Promise<void> {
	if (!service) return;
	const { hasWebhook, missing } = await readCoverage(service, true);
	if (!hasWebhook) hints.push(userMessage('logsWithoutWebhook').message);
	else if (missing.length > 0)
		hints.push(userMessage('logsNotCovering', { statuses: missing.join(', ') }).message);
}

/** Writes into the ledger what the logs prove and it does not know. */
async function adoptLogged(batch: BatchContext, asked: readonly Facts[]): Promise<void> {
	const { ledger, options } = batch;
	if (!ledger) return;
	const logged = asked.filter((facts) => facts.logged !== undefined);
	await askLedger(batch, logged);
	const isProved = (facts: Facts) => {
		const decision = decide(facts, options);
		return 'reason' in decision && decision.reason === 'logged';
	};
	const proved = logged.filter((facts) => isProved(facts) && facts.ledger?.reads !== 'alreadySent');
	try {
		await ledger.adopt(
			proved.map(({ row, ledger: known, logged: transaction }) => {
				const createdAt = Date.parse(transaction?.history[0]?.at ?? '');
				return {
					intent: intentOf(batch, row),
					attempt: known?.request ?? 0,
					...(Number.isFinite(createdAt) && { createdAt }),
				};
			}),
		);
	} catch (error) {
		rejectBatch(batch, userMessage('storeUnreadable', { reason: (error as Error).message }));
	}
}
