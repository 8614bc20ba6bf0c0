import type { Intent, Known } from '../ledger/ledger';
import { type BatchContext, rejectBatch } from './batchContext';
import { duplicateKeys, materialDigest, normalizedPurpose } from './duplicates';
import type { Facts } from './facts';
import { userMessage } from '../messages/userMessage';

/** What a row leaves in the ledger. */
export function intentOf(
	{ endpoint, options, isTool, sharedPurpose }: BatchContext,
	facts: Facts,
): Intent {
	const { row } = facts;
	const payee = endpoint.payee?.(row.values);
	return (facts.intent ??= {
		key: row.idempotencyKey,
		digest: materialDigest(endpoint, row),
		...(endpoint.purpose !== undefined && {
			purpose: normalizedPurpose(row.values[endpoint.purpose]),
			// A model words the purpose differently each time.
			ignoresPurpose: isTool || sharedPurpose !== undefined,
		}),
		...(payee && !endpoint.fromResults && { duplicateKeys: duplicateKeys(endpoint, row) }),
		...(payee &&
			endpoint.hasAccounts &&
			options.accountChanges !== 'off' && { payee: { id: payee.id, account: payee.account } }),
	});
}

/** Notes what the ledger knows of rows. */
export function noteKnown(
	{ state }: Pick<BatchContext, 'state'>,
	asked: readonly Facts[],
	all: ReadonlyMap<string, Known>,
): void {
	for (const facts of asked) {
		const known = all.get(facts.row.idempotencyKey);
		facts.ledger =
			known?.reads === 'none'
				? { ...known, hasPaidOthers: state.hasPaidBefore(known.hasPaidOthers) }
				: known;
	}
}

/**
 * Asks the ledger about rows that it was not asked about. Of several with one reference, only about the first: the
 * others are invalid.
 */
export async function askLedger(batch: BatchContext, rows: readonly Facts[]): Promise<void> {
	const { ledger } = batch;
	const first = new Map<string, Facts>();
	for (const facts of rows) {
		const { idempotencyKey: key } = facts.row;
		if (key !== '' && !first.has(key)) first.set(key, facts);
	}
	const asked = [...first.values()].filter(
		(facts) => facts.ledger === undefined && (!facts.sentHere || facts.request > 0),
	);
	if (!ledger || asked.length === 0) return;
	try {
		const known = await ledger.lookUp(asked.map((facts) => intentOf(batch, facts)));
		noteKnown(batch, asked, known);
	} catch (error) {
		rejectBatch(batch, userMessage('storeUnreadable', { reason: (error as Error).message }));
	}
}

/**
 * Whether what the ledger knows matters before the first claim, which asks it anyway: to ask about all rows takes as
 * long as to pay them.
 */
export async function isLedgerNeededFirst(
	{ endpoint, options, rejection, dailyLimit, ledger }: BatchContext,
	all: readonly Facts[],
): Promise<boolean> {
	const { dryRun, checkBalance, ifAlreadySent, accountChanges } = options;
	if (endpoint.fromResults !== undefined || dryRun || checkBalance || rejection) return true;
	if (ifAlreadySent === 'payAgainIfNotInLogs' || accountChanges === 'reject') return true;
	// An empty one is asked at no cost, and then the logs are asked before anything is claimed.
	if ((await ledger?.entries.size().catch(() => undefined)) === 0) return true;
	// Rows that were sent do not count for today's limit.
	const valid = all.filter(({ errors }) => errors.length === 0);
	return (await dailyLimit?.aboveLimit(valid))?.code === 'aboveDailyLimit';
}
