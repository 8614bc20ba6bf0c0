import { FLAG_NAMES, flagToken, type Flag } from '../../nodes/batch/flags';
import { flagsOf, heldBack } from '../../nodes/batch/heldBack';
import type { BatchOptions } from '../../nodes/batch/options';
import { UNKNOWN_PAYMENT, type Known } from '../../nodes/ledger/idempotencyStore';
import { batchOf } from './builders';

const ROW = { idempotencyKey: 'ref-0' };

const known = (more: Partial<Known>): Known => ({ ...UNKNOWN_PAYMENT, ...more });

const DUPLICATE = known({ isDuplicate: true });
const NEW_ACCOUNT = known({ isAccountNew: true });
const BOTH = known({ isDuplicate: true, isAccountNew: true });

const batch = (options: Partial<BatchOptions>) => batchOf({ options });

describe('the flags of a row', () => {
	const REPORT = { duplicatePayments: 'report', accountChanges: 'report' } as const;

	test.each<[string, Partial<BatchOptions>, Known | undefined, boolean, Flag[]]>([
		['unknown', REPORT, undefined, false, []],
		['not flagged', REPORT, known({}), false, []],
		['a copy in the file', REPORT, undefined, true, ['duplicate']],
		['a duplicate', REPORT, DUPLICATE, false, ['duplicate']],
		['of another account', REPORT, NEW_ACCOUNT, false, ['account']],
		['both', REPORT, BOTH, false, ['duplicate', 'account']],
		['a copy of another account', REPORT, NEW_ACCOUNT, true, ['duplicate', 'account']],
		['sent before', REPORT, { ...BOTH, earlier: 'same' }, true, []],
		['sent with other values', REPORT, { ...BOTH, earlier: 'other' }, true, []],
		['an allowed duplicate', { duplicatePayments: 'allow' }, BOTH, true, ['account']],
		['of an account that does not matter', { accountChanges: 'off' }, BOTH, false, ['duplicate']],
	])('that is %s', (_, options, one, isCopy, flags) => {
		expect(flagsOf(batch(options), one, isCopy)).toEqual(flags);
	});
});

describe('a flagged row', () => {
	const HOLD = { duplicatePayments: 'reject', accountChanges: 'hold' } as const;

	test.each<[string, Partial<BatchOptions>, Known | undefined, string | undefined]>([
		['a duplicate', HOLD, DUPLICATE, 'duplicateOfEarlierExecution'],
		['of another account', HOLD, NEW_ACCOUNT, 'accountHeld'],
		['both', HOLD, BOTH, 'duplicateOfEarlierExecution'],
		['neither', HOLD, known({}), undefined],
		['unknown', HOLD, undefined, undefined],
		['sent before', HOLD, { ...BOTH, earlier: 'same' }, undefined],
		['a reported duplicate', { ...HOLD, duplicatePayments: 'report' }, DUPLICATE, undefined],
		['of a reported account', { ...HOLD, accountChanges: 'report' }, NEW_ACCOUNT, undefined],
		[
			'of a rejected account, which validation rejects',
			{ ...HOLD, accountChanges: 'reject' },
			NEW_ACCOUNT,
			undefined,
		],
	])('that is %s is held back because of %s', (_, options, one, code) => {
		expect(heldBack(batch(options), ROW, one)?.code).toBe(code);
	});

	test('is sent if the approved dry run showed the flag', () => {
		const approved = (...flags: Flag[]) =>
			batch({
				...HOLD,
				approvalCode: { shown: new Set(flags.map((flag) => flagToken(flag, ROW))) } as never,
			});
		expect(heldBack(approved('duplicate'), ROW, DUPLICATE)).toBeUndefined();
		expect(heldBack(approved('account'), ROW, NEW_ACCOUNT)).toBeUndefined();
		expect(heldBack(approved('account'), ROW, DUPLICATE)?.code).toBe('duplicateOfEarlierExecution');
		expect(heldBack(approved('duplicate'), ROW, BOTH)?.code).toBe('accountHeld');
		expect(heldBack(approved('account', 'duplicate'), ROW, BOTH)).toBeUndefined();
		expect(heldBack(approved(), ROW, BOTH)?.code).toBe('duplicateOfEarlierExecution');
		const other = { idempotencyKey: 'ref-1' };
		expect(heldBack(approved('duplicate'), other, DUPLICATE)?.code).toBe(
			'duplicateOfEarlierExecution',
		);
	});
});

test('each flag of each row has its own token of eight digits', () => {
	expect(FLAG_NAMES).toEqual(['duplicate', 'account']);
	const tokens = FLAG_NAMES.flatMap((flag) =>
		['a', 'b'].map((idempotencyKey) => flagToken(flag, { idempotencyKey })),
	);
	expect(new Set(tokens).size).toBe(4);
	for (const token of tokens) expect(token).toMatch(/^[0-9a-f]{8}$/);
	// An approval code has them: it must stay valid when this package is updated.
	expect(flagToken('account', ROW)).toBe('b3fa9b60');
});
