import { compareDecimals } from '../fields/money';
import { idempotencyKey } from '../fields/text';
import { toServiceError } from '../service/errors';
import { phrase } from '../messages/userMessage';
import { DAY_MS } from '../service/time';
import { hasMovedOn, statusKind } from '../service/transactionStatus';
import type { Known } from '../ledger/idempotencyStore';
import { readCoverage } from '../logs/coverage';
import { readLogs, TransactionIndex, type Transaction } from '../logs/transactions';
import { rejectBatch, type BatchContext, type Stage } from './batchContext';
import type { MoneyEndpoint } from './endpoint';
import { userMessage } from './messages';
import { finish, type Row, type UnpaidResult } from './payment';
import { lookUpRows } from './skipAlreadySent';
import { canonicalAmount } from './totals';

/**
 * The stage that finishes payments whose reference is in the service's delivery logs, whoever sent them: another
 * node, a copy of the workflow, another n8n. A reference that is not there proves nothing, because the logs have
 * only what a webhook was registered for.
 */
export const skipLogged: Stage = async (batch, open) => {
	const { endpoint, options, service, rejection } = batch;
	const asked = open.filter(({ row }) => !row.errors.length);
	if (options.checkDeliveryLogs === undefined || !service || rejection || asked.length === 0)
		return open;
	const index = new TransactionIndex({
		references: new Set(asked.map(({ row }) => row.idempotencyKey)),
		transactionIds: new Set(asked.flatMap(({ row }) => earlierTransaction(endpoint, row))),
	});
	try {
		const { hasWebhook, missing } = await readCoverage(service, true);
		if (!hasWebhook) batch.hints.push(userMessage('logsWithoutWebhook').message);
		else if (missing.length > 0)
			batch.hints.push(userMessage('logsNotCovering', { statuses: missing.join(', ') }).message);
		const since = Date.now() - options.checkDeliveryLogs * DAY_MS;
		await readLogs(service, index, { since, setting: 'Check Delivery Logs' });
	} catch (error) {
		rejectBatch(batch, toServiceError(error));
		return open;
	}
	const logged = new Map<Row, Transaction>();
	for (const { row } of asked) {
		const transactions = index.find({ reference: row.idempotencyKey });
		// If one of several has not failed, the reference is paid.
		const transaction =
			transactions.find(({ status }) => statusKind(status) !== 'failed') ?? transactions[0];
		if (transaction) logged.set(row, transaction);
	}
	if (options.ifAlreadySent === 'stop' && logged.size > 0)
		rejectBatch(batch, userMessage('referencesAlreadySent'));
	for (const { row } of asked) {
		const [transactionId] = earlierTransaction(endpoint, row);
		const [earlier] = transactionId === undefined ? [] : index.find({ transactionId });
		if (earlier && hasMovedOn(earlier.status)) {
			const { status } = earlier;
			batch.serviceErrors.set(row, userMessage('movedOn', { status }));
		}
	}
	const sentHere = await lookUpRows(batch, [...logged.keys()]);
	return open.map((payment) => {
		const { row } = payment;
		const transaction = logged.get(row);
		return transaction
			? finish(payment, loggedResult(batch, row, transaction, sentHere.get(row)?.earlier))
			: payment;
	});
};

/** The transaction that a row is for, if it is the result of another payment. */
function earlierTransaction({ fromResults }: MoneyEndpoint, { values }: Row): string[] {
	return fromResults ? [idempotencyKey(fromResults.transactionId(values))] : [];
}

/**
 * The result of a row that the service has logged. The logs do not say to which account it was paid, so only what
 * this node has stored shows that it was sent with the values that the row has now.
 *
 * @param earlier what this node has sent under the reference
 */
function loggedResult(
	{ endpoint }: BatchContext,
	row: Row,
	{ transactionId, status, amount, asset }: Transaction,
	earlier: Known['earlier'] | undefined,
): UnpaidResult {
	const facts = { reference: row.reference, transactionId, status };
	const transaction = transactionId || phrase('withoutId');
	if (statusKind(status) === 'failed')
		return { ...facts, ...userMessage('loggedAsFailed', { transaction, status }) };
	if (earlier === 'other') return { ...facts, ...userMessage('conflict') };
	const money = endpoint.amount(row.values);
	const [logged, own] = [canonicalAmount(amount), canonicalAmount(money?.amount)];
	// Logs name the asset of a crypto payment. For others they may name the crypto amount that funded it.
	const isComparable = asset === money?.currency && logged !== undefined && own !== undefined;
	if (isComparable && compareDecimals(logged, own) !== 0)
		return {
			...facts,
			...userMessage('loggedWithOtherAmount', { transaction, amount: `${logged} ${asset}` }),
		};
	return earlier === 'same'
		? { ...facts, ...userMessage('logged', { transaction, status }) }
		: {
				...facts,
				...userMessage('loggedUnverified', { transaction, status }),
				isOtherPayment: true,
			};
}
