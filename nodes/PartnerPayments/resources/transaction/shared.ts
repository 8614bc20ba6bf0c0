import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import type { Transaction } from '../../../logs/transactions';
import type { Output } from '../../../fields/form';
import { showHint, userMessage } from '../../../messages/userMessage';

/** The output fields of a transaction, in the order of the table. */
export const TRANSACTION: Output = {
	status: 'string',
	isFinal: 'boolean',
	transactionId: 'string',
	reference: 'string',
	since: 'string',
	message: 'string',
	transactionHash: 'string',
	history: [{ status: 'string', at: 'string' }],
};

/** Those that matter most. */
export const SIMPLIFIED_TRANSACTION = [
	'status',
	'isFinal',
	'transactionId',
	'reference',
	'since',
	'message',
];

/**
 * The output fields of a transaction.
 *
 * @param notes that precede the service's message
 */
export function transactionFields(transaction: Transaction, notes: string[] = []): IDataObject {
	const { status, isFinal, transactionId, reference, since, message, transactionHash, history } =
		transaction;
	return {
		status,
		isFinal,
		transactionId,
		reference,
		since,
		message: [...notes, ...contradiction(transaction), ...(message === '' ? [] : [message])].join(
			' ',
		),
		transactionHash,
		history: history.map((state) => ({ ...state })),
	};
}

/** What to know if the logs have several final statuses. */
export function contradiction({ finalStates }: Transaction): string[] {
	if (finalStates.length < 2) return [];
	const states = finalStates.map(({ status, at }) => `${status} (${at})`);
	return [userMessage('severalFinalStatuses', { states: states.join(', ') }).message];
}

/** Shows a hint if log entries were skipped. */
export function showSkippedEntries(
	context: IExecuteFunctions,
	{ unreadable }: { unreadable: number },
): void {
	if (unreadable > 0) showHint(context, userMessage('entriesSkipped', { count: unreadable }));
}
