import { digest } from '../ledger/executionState';
import type { Row } from './payment';

/**
 * What a person should look at before a row is paid, because of what earlier executions sent:
 * - `duplicate`: the same payee, amount and purpose under another reference, within the duplicate window
 * - `account`: the payee was paid before, but never to this account, or the account belongs to another payee
 * - `payee`: the payee was never paid, but others were. Only looked at if Account Changes is Hold
 * - `again`: it was already sent, or may have been, and a person has it paid again
 */
export type Flag = 'duplicate' | 'account' | 'payee' | 'again';

/** A row that is flagged. */
export interface Flagged {
	flag: Flag;
	row: Pick<Row, 'idempotencyKey'>;
	/** As which attempt a person has it paid again: what an approval shows is no permission for the next one. */
	attempt?: number;
}

/** How a fingerprint names a flagged row that it showed. */
export function flagToken({ flag, row: { idempotencyKey }, attempt }: Flagged): string {
	return Buffer.from(digest({ flag: [flag, idempotencyKey, attempt] }), 'base64url')
		.subarray(0, TOKEN_BYTES)
		.toString('hex');
}

const TOKEN_BYTES = 4;
