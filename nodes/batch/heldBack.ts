import type { UserMessage } from '../service/messages';
import type { Known } from '../ledger/idempotencyStore';
import type { BatchContext } from './batchContext';
import { flagToken, type Flag } from './flags';
import { userMessage } from './messages';
import type { Row } from './payment';

type Deciding = Pick<BatchContext, 'options'>;

/**
 * The flags of a row of which the idempotency store knows this.
 *
 * @param isCopy whether it duplicates another row of the file
 */
export function flagsOf(
	{ options }: Deciding,
	known: Pick<Known, 'earlier' | 'isDuplicate' | 'isAccountNew'> | undefined,
	isCopy = false,
): Flag[] {
	if (known && known.earlier !== 'none') return [];
	const isDuplicate = isCopy || known?.isDuplicate;
	return [
		...(isDuplicate && options.duplicatePayments !== 'allow' ? ['duplicate' as const] : []),
		...(known?.isAccountNew && options.accountChanges !== 'off' ? ['account' as const] : []),
	];
}

/**
 * Why a flagged row is not sent; undefined if it is: because the options only report it, or because the approved
 * dry run showed it.
 */
export function heldBack(
	batch: Deciding,
	row: Pick<Row, 'idempotencyKey'>,
	known: Known | undefined,
): UserMessage | undefined {
	const { duplicatePayments, accountChanges, approvalCode } = batch.options;
	const isApproved = (flag: Flag) => approvalCode?.shown.has(flagToken(flag, row)) === true;
	const flags = flagsOf(batch, known).filter((flag) => !isApproved(flag));
	if (flags.includes('duplicate') && duplicatePayments === 'reject')
		return userMessage('duplicateOfEarlierExecution');
	if (flags.includes('account') && accountChanges === 'hold') return userMessage('accountHeld');
	return undefined;
}
