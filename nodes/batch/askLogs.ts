import { idempotencyKey } from '../fields/text';
import { coversAllSince, readCoverage } from '../logs/coverage';
import { firstTime } from '../logs/payload';
import { readLogs, TransactionIndex } from '../logs/transactions';
import { toServiceError } from '../service/errors';
import { DAY_MS } from '../service/time';
import type { Logged } from '../ledger/ledger';
import { hasMovedOn, statusKind } from '../service/transactionStatus';
import { askLedger, intentOf } from './askLedger';
import { type BatchContext, rejectBatch } from './batchContext';
import { decide, isOpen, type DecidingOptions } from './decide';
import type { Facts } from './facts';
import { type EditorMessage, userMessage } from '../messages/userMessage';
import type { Service } from '../service/transport';

/** How far back the logs are read without being asked: a copy of a workflow is run soon, or on another day. */
const UNASKED_DAYS = 3;

/** How many entries are read without being asked, at most: five pages for few payments. */
const UNASKED_ENTRIES = { few: 500, many: 10_000 };

/** Fewer payments than this are few. */
const MANY = 20;

/**
 * Whether the ledger does not know enough of a row: it was recorded and not proved, or somebody may have sent it. A Batch
 * ID is the same in a copy of the workflow, and a node that never sent anything may be that copy.
 */
function isUncertain(batch: BatchContext, facts: Facts): boolean {
	const { ledger: known, sentHere } = facts;
	if (!known || sentHere) return false;
	if (known.reads !== 'none') return known.reads === 'unknown';
	const mayBeOfAnother =
		known.isAsked || batch.isGenerated || batch.ledger?.entries.isEmpty === true;
	// A row that is not sent needs no certainty.
	return mayBeOfAnother && isOpen(facts, batch.options);
}

/** The rows of which the logs are to say whether they are paid again. */
function unproved({ options }: BatchContext, rows: readonly Facts[]): Facts[] {
	if (options.ifAlreadySent !== 'payAgainIfNotInLogs') return [];
	return rows.filter(({ ledger, sentHere }) => ledger?.reads === 'unknown' && !sentHere);
}

/** Whether the logs are still to be read: because the user said so, or because it is uncertain what was sent. */
export function needsLogs(batch: BatchContext, rows: readonly Facts[]): boolean {
	const { options, service, areLogsRead, rejection } = batch;
	if (areLogsRead || !service || rejection) return false;
	const { checkDeliveryLogs: days } = options;
	if (days !== undefined && days > 0) return true;
	return (
		(days === undefined || unproved(batch, rows).length > 0) &&
		rows.some((facts) => isUncertain(batch, facts))
	);
}

/**
 * Reads the delivery logs, once for a batch: if the user has set Check Delivery Logs, or if it is uncertain what was sent.
 * What they have is written into the ledger, so that the next execution knows it, too. A reference that is not there
 * proves nothing, because the logs have only what a webhook was registered for.
 */
export async function askLogs(batch: BatchContext, all: readonly Facts[]): Promise<void> {
	const { endpoint, options, service } = batch;
	const asked = all.filter(
		({ row, sentHere, request }) => row.idempotencyKey !== '' && (!sentHere || request > 0),
	);
	if (asked.length === 0 || !service || !needsLogs(batch, asked)) return;
	const { checkDeliveryLogs: days } = options;
	const isAsked = days !== undefined;
	// Invalid rows keep the others from being sent.
	const isStopped = !batch.continueOnFail && all.some(({ errors }) => errors.length > 0);
	if (isStopped && !isAsked) return;
	batch.areLogsRead = true;
	const fundedBy = ({ row: { values } }: Facts) =>
		endpoint.fromResults ? idempotencyKey(endpoint.fromResults.transactionId(values)) : undefined;
	const index = new TransactionIndex({
		references: new Set(asked.map(({ row }) => row.idempotencyKey)),
		transactionIds: new Set(asked.flatMap((facts) => fundedBy(facts) ?? [])),
	});
	const open = unproved(batch, asked);
	try {
		if (isAsked) await warnOfCoverage(service, batch.hints);
		const claimed = await claimDays(batch, open);
		const few = asked.length < MANY ? UNASKED_ENTRIES.few : UNASKED_ENTRIES.many;
		const max = isAsked || claimed.length > 0 ? Infinity : few;
		const since = Math.min(
			Date.now() - (isAsked ? days : UNASKED_DAYS) * DAY_MS,
			// From the day before.
			...claimed.map((day) => day - DAY_MS),
		);
		const { count } = await readLogs(service, index, {
			since,
			max,
			setting: 'Check: Delivery Logs',
			isOnce: !isAsked && open.length === 0,
		});
		if (count >= max) batch.hints.push(userMessage('logsTooLong', { count }));
	} catch (error) {
		const reason = toServiceError(error);
		if (isAsked) rejectBatch(batch, reason);
		else batch.hints.push(userMessage('logsNotRead', { reason: reason.message }));
		return;
	}
	for (const facts of asked) {
		const transactions = index.find({ reference: facts.row.idempotencyKey });
		// If one of several has not failed, the reference is paid.
		facts.logged =
			transactions.find(({ status }) => statusKind(status) !== 'failed') ?? transactions[0];
		facts.loggedCount = transactions.length;
		const transactionId = fundedBy(facts);
		const [funded] = transactionId === undefined ? [] : index.find({ transactionId });
		if (funded && hasMovedOn(funded.status))
			facts.errors.unshift({
				field: INPUT_ITEM,
				...userMessage('movedOn', { status: funded.status }),
			});
	}
	await adoptLogged(batch, asked);
	if (open.length > 0) await markAbsent(batch, service, asked, index.unreadable);
}

/** The field of an error that is about a whole result of another payment. */
export const INPUT_ITEM = 'Input item';

async function warnOfCoverage(service: Service, hints: EditorMessage[]): Promise<void> {
	const { hasWebhook, missing } = await readCoverage(service);
	if (!hasWebhook) hints.push(userMessage('noWebhook'));
	else if (missing.length > 0)
		hints.push(userMessage('partlyCovered', { missing: missing.join(', ') }));
}

/** Writes into the ledger what the logs have: the next execution may not read them, and must not pay it. */
async function adoptLogged(batch: BatchContext, asked: readonly Facts[]): Promise<void> {
	const { ledger, options } = batch;
	if (!ledger) return;
	const logged = asked.filter((facts) => facts.logged);
	await askLedger(batch, logged);
	const open = logged.filter((facts) => facts.ledger?.reads !== 'alreadySent');
	try {
		await ledger.adopt(
			new Map(
				open.map((facts) => [
					intentOf(batch, facts),
					{ as: loggedAs(facts, options), at: firstTime([facts.logged?.history[0]?.at]) },
				]),
			),
		);
		// The batch may end before it sends anything.
		await ledger.entries.trim();
	} catch (error) {
		rejectBatch(batch, userMessage('storeUnreadable', { reason: (error as Error).message }));
	}
}

function loggedAs(facts: Facts, options: DecidingOptions): Logged {
	const decision = decide(facts, options);
	if (decision === 'loggedWithOtherAmount') return 'sent';
	// What failed, or what an invalid row had, would read as sent with other values once the row is corrected.
	return decision === 'logged' && facts.row.errors.length === 0 ? 'created' : 'seen';
}

/** Asks when the last attempts of rows were recorded, as far as anybody knows. */
async function claimDays(batch: BatchContext, rows: readonly Facts[]): Promise<number[]> {
	const attempts = new Map(
		rows.map((facts) => [intentOf(batch, facts), facts.ledger?.request ?? 0]),
	);
	const days = await batch.ledger?.claimDays(attempts);
	for (const facts of rows) facts.claimedAt = days?.get(facts.row.idempotencyKey);
	return rows.flatMap(({ claimedAt }) => claimedAt ?? []);
}

/**
 * Marks rows that are not in logs which cover them. Logs cover a row if they were read without a gap, if an active webhook
 * with all events is unchanged since before the day on which it was recorded, and if they have every payment of these rows
 * that was recorded since and proved.
 *
 * @param unreadable how many entries could not be read: any may be of a row
 */
async function markAbsent(
	batch: BatchContext,
	service: Service,
	asked: readonly Facts[],
	unreadable: number,
): Promise<void> {
	const { hints } = batch;
	try {
		const isComplete = unreadable === 0 && Date.now() <= service.endsAt;
		const coveredSince = isComplete ? await coversAllSince(service) : Infinity;
		const notLogged = asked.filter(({ logged }) => logged === undefined);
		const missed = notLogged.filter(({ ledger }) => ledger?.reads === 'alreadySent');
		const lastMissed = Math.max(-Infinity, ...(await claimDays(batch, missed)));
		const unknown = notLogged.filter(({ ledger }) => ledger?.reads === 'unknown');
		const absent = unknown.filter(
			({ claimedAt = -Infinity }) => coveredSince < claimedAt && lastMissed < claimedAt,
		);
		for (const facts of absent) facts.absent = facts.ledger?.request;
		const left = unknown.length - absent.length;
		if (absent.length > 0) hints.push(userMessage('logsAbsent', { count: absent.length }));
		if (left > 0) hints.push(userMessage('logsNotCoveringUnknown', { count: left }));
	} catch (error) {
		hints.push(userMessage('logsNotRead', { reason: toServiceError(error).message }));
	}
}
