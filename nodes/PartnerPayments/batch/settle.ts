import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import type { MoneyEndpoint } from './endpoint';
import { digest, type Ledger, type LedgerEntry } from './ledger';
import { LOOK_UP, type RowResult } from './outcome';
import type { Row } from './rows';

/**
 * The rows that an earlier attempt of this execution sent (Retry On Fail, "Retry execution", a
 * loop), with what became of them. They come before every other check: a balance that they have
 * lowered, or an option that was changed since, must not make them look as if they had not been sent.
 *
 * @param resendUnknown leaves out rows whose outcome is unknown, so that they are sent again
 */
export async function settleKnownRows(
	context: IExecuteFunctions,
	endpoint: MoneyEndpoint,
	ledger: Ledger,
	rows: Row[],
	resendUnknown: boolean,
): Promise<Map<Row, RowResult>> {
	const settled = new Map<Row, RowResult>();
	for (const row of rows) {
		const known =
			row.reference === '' || row.isDuplicate
				? undefined
				: ledger.get(endpoint.path, row.reference);
		if (!known) continue;
		if (known.request !== digest(row.body)) settled.set(row, usedBefore(endpoint, row, known));
		else if (known.outcome === 'created' && known.answer) {
			settled.set(row, await createdResult(context, endpoint, row, known.answer));
		} else if (!resendUnknown || row.problems.length) settled.set(row, heldBack(row));
	}
	return settled;
}

/** A row that the service created, with its output item. */
export async function createdResult(
	context: IExecuteFunctions,
	{ created, toItem }: MoneyEndpoint,
	{ reference, itemIndex }: Row,
	answer: IDataObject,
): Promise<RowResult> {
	const facts = created(answer) ?? { transactionId: '', status: '', message: '' };
	try {
		const item = await toItem?.(context, answer, itemIndex, reference);
		return { outcome: 'created', reference, created: facts, item: item ?? { json: answer } };
	} catch (error) {
		// It was created, whatever became of its file.
		const message = `Created, but the file could not be stored: ${(error as Error).message}`;
		return {
			outcome: 'created',
			reference,
			created: { ...facts, message },
			item: { json: answer },
		};
	}
}

/**
 * The reference was sent in this execution with other values: another payment by mistake, or the
 * same one with a value that changes from try to try (a time, a random number).
 */
function usedBefore(
	{ created }: MoneyEndpoint,
	{ reference }: Row,
	{ answer }: LedgerEntry,
): RowResult {
	const earlier = answer && created(answer);
	return {
		outcome: 'unknown',
		reference,
		message: earlier
			? `This execution already created transaction ${earlier.transactionId} with this reference, from other values, so nothing was sent now`
			: 'This execution already sent this reference with other values, and the outcome is unknown, so nothing was sent now',
		transactionId: earlier?.transactionId,
		advice:
			'Look the transaction up. If this item is another payment, give it a reference of its own; if it is the same, take values that change with every try out of its fields.',
	};
}

/** A row that may have been created by an earlier attempt, and is not sent again. */
export function heldBack({ reference }: Row): RowResult {
	return {
		outcome: 'unknown',
		reference,
		message: 'An earlier attempt of this execution ended unknown, so it was not sent again',
		advice: `${LOOK_UP} If the service refuses a reference that it already has, Send Unknown Again in Options may be turned on.`,
	};
}
