import type { BatchOptions } from '../../nodes/batch/options';
import { decide, flagsOf, type DecidingOptions } from '../../nodes/batch/decide';
import type { Facts, InputResult } from '../../nodes/batch/facts';
import { flagToken, type Flag } from '../../nodes/batch/flags';
import type { Row } from '../../nodes/batch/payment';
import type { SentPayment } from '../../nodes/ledger/executionState';
import { NEVER_SENT, type Known } from '../../nodes/ledger/ledger';
import type { Transaction } from '../../nodes/logs/transactions';
import { userMessage } from '../../nodes/messages/userMessage';

const ROW: Row = {
	itemIndex: 0,
	reference: 'A',
	idempotencyKey: 'a',
	values: {},
	body: {},
	errors: [],
};

const ERROR = { field: 'Amount', ...userMessage('required') };

const sentHere = (as: NonNullable<Facts['sentHere']>['as'], attempt = 0): Partial<Facts> => ({
	sentHere: { as, sent: { attempt } as SentPayment },
});

const ledger = (reads: Known['reads'], more: Partial<Known> = {}): Partial<Facts> => ({
	ledger: { ...NEVER_SENT, isPayeeNew: false, reads, ...more },
});

const logged = (status: string, amount = '10', asset = 'BOB'): Partial<Facts> => ({
	logged: { status, amount, asset, transactionId: 't' } as Transaction,
	loggedCount: 1,
});

const input = (says: InputResult['says'], more: Partial<InputResult> = {}): Partial<Facts> => ({
	inputSays: {
		says,
		reference: 'X',
		transactionId: 't',
		isSameReference: false,
		payee: 'unknown',
		money: 'unknown',
		isOtherPayment: false,
		...more,
	},
});

const SAME_REFERENCE = { isSameReference: true };
const SAME_PAYEE = { payee: 'same' } as const;
const SAME_MONEY = { ...SAME_PAYEE, money: 'same' } as const;
const OTHER_MONEY = { money: 'other' } as const;
const OTHER_PAYEE = { ...OTHER_MONEY, payee: 'other' } as const;
const INVALID: Partial<Facts> = { errors: [ERROR] };
const COPY: Partial<Facts> = { copyOf: { en: 'row 1', es: 'la fila 1' } };
const IF_NOT_IN_LOGS: Partial<DecidingOptions> = { ifAlreadySent: 'payAgainIfNotInLogs' };
const COMPLETED = logged('completed_transaction');
const FAILED = logged('failed_transaction');

const OPTIONS: DecidingOptions = {
	dryRun: false,
	ifAlreadySent: 'skip',
	duplicatePayments: 'reject',
	accountChanges: 'hold',
	approvalCode: undefined,
};

const approved = (flag: Flag, attempt?: number): Partial<DecidingOptions> => ({
	approvalCode: {
		shown: new Set([flagToken({ flag, row: ROW, attempt })]),
	} as unknown as BatchOptions['approvalCode'],
});

const decided = (facts: Partial<Facts>, options: Partial<DecidingOptions> = {}): unknown => {
	const all = { row: ROW, errors: [], money: { amount: '10', currency: 'BOB' }, request: 0 };
	return decide({ ...all, ...facts }, { ...OPTIONS, ...options });
};

/** One row for each rule, and for each of its limits. A number is the attempt that is sent. */
test.each<[string, unknown, Partial<Facts>, Partial<DecidingOptions>?]>([
	['nothing is known', 0, {}],
	['the ledger has nothing', 0, ledger('none')],

	['this execution sent it as another reference', 'referenceChanged', sentHere('otherReference')],
	['this execution sent it with other values', 'valuesChanged', sentHere('conflict')],
	['this execution created it', 'createdHere', sentHere('created')],
	['it created it for another item', 'sentInThisExecution', sentHere('createdForOtherItem')],
	['this execution does not know', 'unknownNotResent', sentHere('unknown')],
	['... and a person requests it', 1, { ...sentHere('unknown'), request: 1 }],
	['... once more', 'unknownNotResent', { ...sentHere('unknown', 1), request: 1 }],
	['... but is invalid', 'unknownNotResent', { ...sentHere('unknown'), request: 1, ...INVALID }],
	['... and the logs have it', 'logged', { ...sentHere('unknown'), ...COMPLETED }],
	[
		'this execution created it, invalid or not',
		'createdHere',
		{ ...sentHere('created'), ...INVALID },
	],

	['the logs have it', 'logged', COMPLETED],
	['the logs have it, requested or not', 'logged', { ...COMPLETED, request: 1 }],
	['the logs have another amount', 'loggedWithOtherAmount', logged('created', '11')],
	['... of another currency', 'logged', logged('created', '11', 'USDC')],
	['... and a request', 'loggedWithOtherAmount', { ...logged('created', '11'), request: 1 }],
	['logs and ledger differ', 'conflict', { ...COMPLETED, ...ledger('conflict') }],
	['... in the purpose', 'purposeDiffers', { ...COMPLETED, ...ledger('otherPurpose') }],
	['the logs have it, the ledger no proof', 'logged', { ...COMPLETED, ...ledger('unknown') }],
	['it failed', 'loggedAsFailed', FAILED],
	['it failed and is requested', 1, { ...FAILED, ...ledger('unknown'), request: 1 }],
	['it failed, requested, invalid', 'loggedAsFailed', { ...FAILED, request: 1, ...INVALID }],
	[
		'it failed, and was paid again since',
		'sentNotProved',
		{ ...FAILED, ...ledger('unknown', { request: 1 }), request: 1 },
	],
	[
		'... and that was proved',
		'alreadyPaidAgain',
		{ ...FAILED, ...ledger('alreadySent', { request: 1 }), request: 1 },
	],
	[
		'... by this execution',
		'unknownNotResent',
		{ ...FAILED, ...sentHere('unknown', 1), request: 1 },
	],
	['... and is requested once more', 2, { ...FAILED, ...sentHere('unknown', 1), request: 2 }],
	[
		'both attempts failed',
		'loggedAsFailed',
		{ ...FAILED, loggedCount: 2, ...ledger('unknown', { request: 1 }) },
	],

	['a request of what is unknown', 1, { ...ledger('unknown'), request: 1 }],
	['a request of what was created', 1, { ...ledger('alreadySent'), request: 1 }],
	['a request with other values', 2, { ...ledger('conflict', { request: 1 }), request: 2 }],
	['a request of what was never sent', 3, { ...ledger('none'), request: 3 }],
	[
		'a request that the approval has not shown',
		'alreadySent',
		{ ...ledger('alreadySent'), request: 1 },
		approved('account'),
	],
	[
		'... of an unknown one',
		'sentNotProved',
		{ ...ledger('unknown'), request: 1 },
		approved('account'),
	],
	['... and that it has shown', 1, { ...ledger('unknown'), request: 1 }, approved('again', 1)],
	[
		'... as another attempt',
		'sentNotProved',
		{ ...ledger('unknown', { request: 1 }), request: 2 },
		approved('again', 1),
	],
	[
		'... of what was never sent needs none',
		1,
		{ ...ledger('none'), request: 1 },
		approved('account'),
	],
	[
		'a request that was sent',
		'alreadyPaidAgain',
		{ ...ledger('alreadySent', { request: 1 }), request: 1 },
	],
	['... and not proved', 'sentNotProved', { ...ledger('unknown', { request: 1 }), request: 1 }],
	[
		'a request of an invalid row',
		'sentNotProved',
		{ ...ledger('unknown'), request: 1, ...INVALID },
	],

	['other values were sent', 'conflict', ledger('conflict')],
	['it was created', 'alreadySent', ledger('alreadySent')],
	['it was not proved', 'sentNotProved', ledger('unknown')],
	['... for another purpose', 'purposeDiffers', ledger('otherPurpose')],
	['it was sent, and is invalid by now', 'alreadySent', { ...ledger('alreadySent'), ...INVALID }],
	['it was sent, the input says so', 'alreadySent', { ...ledger('alreadySent'), ...input('sent') }],

	['the input says unknown', 'unknownInInput', input('unknown')],
	['... of other money', 0, input('unknown', OTHER_MONEY)],
	[
		'... of other money, same reference',
		'unknownInInput',
		input('unknown', { ...OTHER_MONEY, ...SAME_REFERENCE }),
	],
	['... and a person requests it', 1, { ...input('unknown'), request: 1 }],
	[
		'the input says conflict of the payee',
		'conflictInInput',
		input('conflict', { ...SAME_PAYEE, ...OTHER_MONEY }),
	],
	['... and names no payee', 'conflictInInput', input('conflict', OTHER_MONEY)],
	['... of another payee', 0, input('conflict', OTHER_PAYEE)],
	['the input says held of the payee', 'heldInInput', input('held', SAME_PAYEE)],
	['... and names no payee', 'heldInInput', input('held', OTHER_MONEY)],
	['... of another payee', 0, input('held', OTHER_PAYEE)],
	[
		'... under every setting',
		'heldInInput',
		input('held', SAME_PAYEE),
		{ accountChanges: 'off', duplicatePayments: 'allow' },
	],
	[
		'the input says sent, same reference',
		'sentAccordingToInput',
		input('sent', { ...SAME_MONEY, ...SAME_REFERENCE }),
	],
	[
		'... with other money',
		'conflictInInput',
		input('sent', { ...SAME_PAYEE, ...OTHER_MONEY, ...SAME_REFERENCE }),
	],
	['... and no payee, as a deposit', 0, input('sent', SAME_REFERENCE)],
	['... to another payee', 0, input('sent', { ...OTHER_PAYEE, ...SAME_REFERENCE })],
	[
		'the input says sent, other reference',
		'duplicateOfEarlierExecution',
		input('sent', SAME_MONEY),
	],
	['... and duplicates are allowed', 0, input('sent', SAME_MONEY), { duplicatePayments: 'allow' }],
	['... of other money', 0, input('sent', OTHER_MONEY)],
	['the input says duplicate', 'duplicateOfEarlierExecution', input('duplicate')],
	[
		'the input says unknown of an invalid row',
		'unknownInInput',
		{ ...input('unknown'), ...INVALID },
	],

	[
		'the ledger has it unproved, and covering logs do not have it',
		1,
		{ ...ledger('unknown'), absent: 0 },
		IF_NOT_IN_LOGS,
	],
	['... without that decision', 'sentNotProved', { ...ledger('unknown'), absent: 0 }],
	[
		'... which was asked of an earlier attempt',
		'sentNotProved',
		{ ...ledger('unknown', { request: 1 }), absent: 0 },
		IF_NOT_IN_LOGS,
	],
	[
		'... and the approval did not show it',
		'sentNotProved',
		{ ...ledger('unknown'), absent: 0 },
		{ ...IF_NOT_IN_LOGS, ...approved('duplicate') },
	],
	[
		'... and the approval showed it',
		1,
		{ ...ledger('unknown'), absent: 0 },
		{ ...IF_NOT_IN_LOGS, ...approved('again', 1) },
	],
	['... and logs that do not cover it neither', 'sentNotProved', ledger('unknown'), IF_NOT_IN_LOGS],
	['the row is invalid', 'invalid', INVALID],
	['the row is a copy', 'duplicatePayment', COPY],
	['... and duplicates are reported', 0, COPY, { duplicatePayments: 'report' }],
	['a duplicate was sent', 'duplicateOfEarlierExecution', ledger('none', { isDuplicate: true })],
	[
		'... and is reported',
		0,
		ledger('none', { isDuplicate: true }),
		{ duplicatePayments: 'report' },
	],
	['... and was approved', 0, ledger('none', { isDuplicate: true }), approved('duplicate')],
	['the account is new', 'accountHeld', ledger('none', { isAccountChanged: true })],
	[
		'... and is reported',
		0,
		ledger('none', { isAccountChanged: true }),
		{ accountChanges: 'report' },
	],
	['... and was approved', 0, ledger('none', { isAccountChanged: true }), approved('account')],
	['... in a dry run', 0, ledger('none', { isAccountChanged: true }), { dryRun: true }],
	[
		'the account is another payee’s',
		'accountHeld',
		ledger('none', { isAccountChanged: true, isPayeeNew: true }),
	],
	['the payee is new', 'payeeHeld', ledger('none', { isPayeeNew: true, hasPaidOthers: true })],
	['... and the first', 0, ledger('none', { isPayeeNew: true })],
	[
		'... and reported',
		0,
		ledger('none', { isPayeeNew: true, hasPaidOthers: true }),
		{ accountChanges: 'report' },
	],
	[
		'... and was approved',
		0,
		ledger('none', { isPayeeNew: true, hasPaidOthers: true }),
		approved('payee'),
	],
	// A rest parameter: Jest takes a further one that a row lacks for `done`, and waits.
])('decides if %s: %s', (...[, expected, facts, options]) => {
	expect(decided(facts, options)).toBe(expected);
});

test('flags nothing that was sent before', () => {
	const { ledger: known } = ledger('alreadySent', { isDuplicate: true, isAccountChanged: true });
	expect(flagsOf({ ledger: known, request: 0 }, OPTIONS)).toEqual([]);
});

test.each<[string, Partial<Facts>, Flag[]]>([
	['a request of what was sent', { ...ledger('alreadySent'), request: 1 }, ['again']],
	['... of what this execution does not know', { ...sentHere('unknown'), request: 1 }, ['again']],
	['... that was carried out', { ...ledger('alreadySent', { request: 1 }), request: 1 }, []],
	['... of what was never sent', { ...ledger('none'), request: 1 }, []],
])('flags %s: %#', (_, facts, flags) => {
	expect(flagsOf({ request: 0, ...facts }, OPTIONS)).toEqual(flags);
});
