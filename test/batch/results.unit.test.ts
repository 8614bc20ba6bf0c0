import type { Reason } from '../../nodes/batch/decide';
import type { Facts } from '../../nodes/batch/facts';
import { resultOf } from '../../nodes/batch/results';
import { NEVER_SENT } from '../../nodes/ledger/ledger';
import type { Transaction } from '../../nodes/logs/transactions';
import { batchOf, factsOf } from './builders';
import type { Row } from '../../nodes/batch/payment';
import { userMessage } from '../../nodes/messages/userMessage';

const ROW: Row = {
	itemIndex: 0,
	reference: 'R-1',
	idempotencyKey: 'r-1',
	values: {},
	body: {},
	errors: [],
};
const ERROR = { field: 'Amount', ...userMessage('required') };
const RECORDED: Facts['ledger'] = { ...NEVER_SENT, reads: 'alreadySent' };
const BY_OTHERS: Facts['ledger'] = { ...RECORDED, isByOthers: true };
const logged = { transactionId: 'T-1', status: 'completed' } as Transaction;

test.each<[Reason, Partial<Facts>, string, boolean | undefined]>([
	['alreadySent', { ledger: RECORDED }, 'alreadySent', undefined],
	['alreadySent', { ledger: BY_OTHERS }, 'alreadySentByOthers', true],
	['alreadySent', { ledger: RECORDED, row: { ...ROW, errors: [ERROR] } }, 'alreadySent', true],
	['logged', { logged, ledger: RECORDED }, 'logged', undefined],
	['logged', { logged, ledger: BY_OTHERS }, 'loggedUnverified', true],
	['logged', { logged, ledger: NEVER_SENT }, 'loggedUnverified', true],
	['logged', { logged }, 'loggedUnverified', true],
	['loggedAsFailed', { logged, ledger: RECORDED }, 'loggedAsFailed', undefined],
	['loggedAsFailed', { logged }, 'loggedAsFailed', true],
	['loggedWithOtherAmount', { logged, ledger: RECORDED }, 'loggedWithOtherAmount', true],
	['conflict', { ledger: { ...NEVER_SENT, reads: 'conflict' } }, 'conflict', true],
	['sentNotProved', { ledger: { ...NEVER_SENT, reads: 'unknown' } }, 'sentNotProved', undefined],
	['sentAccordingToInput', { ledger: NEVER_SENT }, 'sentAccordingToInput', true],
])(
	'%s of %j has the code %s, and was sent with other values: %s',
	async (reason, facts, code, isOther) => {
		const result = await resultOf(batchOf(), factsOf(ROW, facts), reason);
		expect(result).toMatchObject({ code, reference: ROW.reference });
		expect('isOtherPayment' in result ? result.isOtherPayment : undefined).toBe(isOther);
	},
);

test.each<[Reason, Partial<Facts>]>([
	['conflict', { ledger: { ...NEVER_SENT, reads: 'conflict' } }],
	['sentNotProved', { ledger: { ...NEVER_SENT, reads: 'unknown' } }],
])(
	'says what is wrong with an invalid row that reads %s: nobody can request it',
	async (reason, facts) => {
		const { message, es } = await resultOf(
			batchOf(),
			factsOf(ROW, { ...facts, errors: [ERROR] }),
			reason,
		);
		expect(message).toMatch(/\nAmount is required/);
		expect(es?.message).toMatch(/\n.+/);
	},
);

test('names no failed transaction of an earlier attempt', async () => {
	const facts = { ledger: RECORDED, logged: { ...logged, status: 'failed' } };
	expect(await resultOf(batchOf(), factsOf(ROW, facts), 'alreadySent')).not.toHaveProperty(
		'transactionId',
	);
});
