import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import type { Transaction, TransactionIndex } from '../../../webhooks/transactions';
import type { OutputShape } from '../../../fields/form';
import { userMessage } from '../../operations/messages';

/** What is said of a transaction, in the order in which a table shows it. */
export const TRANSACTION: Record<string, OutputShape> = {
	status: 'string',
	isFinal: 'boolean',
	transactionId: 'string',
	reference: 'string',
	since: 'string',
	message: 'string',
	transactionHash: 'string',
	history: [{ status: 'string', at: 'string' }],
};

/** The fields of a transaction, with what has to be said before the service's own words. */
export function transactionFields(transaction: Transaction, said: string[] = []): IDataObject {
	const { status, isFinal, transactionId, reference, since, message, transactionHash, history } =
		transaction;
	return {
		status,
		isFinal,
		transactionId,
		reference,
		since,
		message: [...said, ...contradiction(transaction), ...(message === '' ? [] : [message])].join(
			' ',
		),
		transactionHash,
		history: history.map((state) => ({ ...state })),
	};
}

function contradiction({ finalStates }: Transaction): string[] {
	if (finalStates.length < 2) return [];
	const states = finalStates.map(({ status, at }) => `${status} (${at})`);
	return [userMessage('severalFinalStatuses', { states: states.join(', ') }).message];
}

/** Tells the user that some log entries could not be read. */
export function hintOfPassedOver(
	context: IExecuteFunctions,
	{ unreadable }: TransactionIndex,
): void {
	if (unreadable === 0) return;
	context.addExecutionHints({
		message: userMessage('entriesSkipped', { count: unreadable }).message,
		type: 'warning',
	});
}
