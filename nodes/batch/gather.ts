import { compareDecimals } from '../fields/money';
import { idempotencyKey } from '../fields/text';
import { showValue, type ValidationError } from '../fields/validateFields';
import { digest } from '../ledger/executionState';
import { toServiceError } from '../service/errors';
import { type BatchContext, rejectBatch } from './batchContext';
import { isOpen } from './decide';
import { copyKeys, materialDigest, normalizedPurpose } from './duplicates';
import type { Facts } from './facts';
import { inputResult } from './inputResult';
import { askLedger, isLedgerNeededFirst } from './askLedger';
import { askLogs, INPUT_ITEM } from './askLogs';
import { userMessage } from '../messages/userMessage';
import type { Row } from './payment';
import { rowWords } from './rowName';

/**
 * Finds out what is known of each row. All input and output before the first claim happens here.
 *
 * @returns the facts, in the order of the rows. If the ledger, the logs or the service cannot be asked, the batch is
 *   rejected
 */
export async function gather(batch: BatchContext, rows: Row[]): Promise<Facts[]> {
	const all: Facts[] = [];
	for (const row of rows) {
		await batch.yieldNow();
		all.push(factsOf(batch, row));
	}
	batch.sharedPurpose = sharedPurpose(batch, rows);
	markCopies(batch, all);
	await askService(batch, all);
	const isNeeded = await isLedgerNeededFirst(batch, all);
	// A row that is not sent is never claimed, but it may have been sent already.
	await askLedger(batch, isNeeded ? all : all.filter((facts) => !isOpen(facts, batch.options)));
	await askLogs(batch, all);
	return all;
}

/** What is known of a row without asking anybody. */
function factsOf(batch: BatchContext, row: Row): Facts {
	const { endpoint, options } = batch;
	const facts = {
		row,
		money: endpoint.amount(row.values),
		sentHere: sentHere(batch, row),
		inputSays: inputResult(batch, row),
		request:
			row.errors.length > 0 ? 0 : (options.referencesToPayAgain.get(row.idempotencyKey) ?? 0),
	};
	const errors = [...row.errors, ...aboveMaximum(batch, facts)];
	return { ...facts, errors };
}

function sentHere({ endpoint, state }: BatchContext, row: Row): Facts['sentHere'] {
	const own = state.sentFor(row.itemIndex);
	const sent = own ?? state.get(row.idempotencyKey);
	if (!sent) return undefined;
	if (own && idempotencyKey(own.reference) !== row.idempotencyKey)
		return { sent, as: 'otherReference' };
	const isSame = own
		? own.requestDigest === digest(row.body)
		: sent.material === materialDigest(endpoint, row);
	if (!isSame) return { sent, as: 'conflict' };
	if (sent.outcome !== 'created' || !sent.answer) return { sent, as: 'unknown' };
	return { sent, as: own ? 'created' : 'createdForOtherItem' };
}

function aboveMaximum(
	{ options: { maximumAmount } }: BatchContext,
	{ money }: Pick<Facts, 'money'>,
): ValidationError[] {
	if (maximumAmount === undefined) return [];
	if (!money) return [{ field: 'Amount', ...userMessage('amountUnknown') }];
	const { amount, currency } = money;
	if (compareDecimals(amount, maximumAmount) <= 0) return [];
	return [
		{
			field: 'Amount',
			value: showValue(`${amount} ${currency}`),
			...userMessage('aboveMaximumAmount', { maximum: maximumAmount }),
		},
	];
}

/** The purpose of all rows, if there are two or more; undefined if they differ, or have none. */
function sharedPurpose({ endpoint }: BatchContext, rows: Row[]): string | undefined {
	const { purpose } = endpoint;
	if (purpose === undefined || rows.length < 2) return undefined;
	const all = new Set(rows.map(({ values }) => normalizedPurpose(values[purpose])));
	const [first] = all;
	return all.size === 1 && first !== '' ? first : undefined;
}

/**
 * Marks rows that are most likely copies, whatever their references: payee or account, amount and purpose are those of
 * an earlier row. What other runs of a loop have sent, the ledger knows.
 */
function markCopies({ endpoint }: BatchContext, all: Facts[]): void {
	const first = new Map<string, Row>();
	for (const facts of all) {
		const { row } = facts;
		if (row.errors.length > 0) continue;
		const keys = copyKeys(endpoint, row);
		const earlier = keys.map((key) => first.get(key)).find((one) => one !== undefined);
		if (earlier) facts.copyOf = rowWords(endpoint, earlier);
		for (const key of keys) if (!first.has(key)) first.set(key, row);
	}
}

/** Asks the service about rows that are results of other payments. */
async function askService(batch: BatchContext, all: Facts[]): Promise<void> {
	const { service, rejection, endpoint } = batch;
	const { fromResults } = endpoint;
	const asked = all.filter(({ errors, sentHere }) => errors.length === 0 && !sentHere);
	if (!fromResults || !service || rejection || asked.length === 0) return;
	try {
		const found = await fromResults.validate(
			service,
			asked.map(({ row }) => row.values),
		);
		asked.forEach((facts, index) => {
			const error = found[index];
			if (error) facts.errors.push({ field: INPUT_ITEM, ...error });
		});
	} catch (error) {
		rejectBatch(batch, toServiceError(error));
	}
}
