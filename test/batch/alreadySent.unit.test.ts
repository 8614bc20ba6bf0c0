import type { IDataObject } from 'n8n-workflow';

import { type ExecutionState, type SentPayment } from '../../nodes/ledger/executionState';
import type { IdempotencyStore } from '../../nodes/ledger/idempotencyStore';
import { type BatchOptions, type PayAgainRequests } from '../../nodes/batch/options';
import {
	finishNotSent,
	type OpenPayment,
	type PaymentResult,
	type Row,
} from '../../nodes/batch/payment';
import { materialDigest } from '../../nodes/batch/duplicates';
import { earlierResult } from '../../nodes/batch/results';
import { resumeExecution } from '../../nodes/batch/resumeExecution';
import { finishHeld, mayPayAgain, skipAlreadySent } from '../../nodes/batch/skipAlreadySent';
import { userMessage } from '../../nodes/batch/messages';
import { runStage } from '../../nodes/batch/batchContext';
import {
	BANK,
	batchOf,
	contextOf,
	executionState,
	NO_REQUESTS,
	payAgain,
	storeWith,
} from './builders';

/** The response of a success. */
const ANSWER: IDataObject = {
	transaction_id: 'transaction-1',
	transactions: [{ status: 'pending_transaction', message: 'Taken' }],
};

const TRANSACTION = { transactionId: 'transaction-1', status: 'pending_transaction' };

const row = (itemIndex = 0, more: Partial<Row> = {}): Row => ({
	itemIndex,
	reference: `Ref-${itemIndex}`,
	idempotencyKey: `ref-${itemIndex}`,
	values: {},
	body: { amount: 10 },
	errors: [],
	...more,
});

/** What the execution state gets of a row that is sent. */
const sent = (one = row()) => ({
	reference: one.reference,
	body: one.body,
	material: materialDigest(BANK, one),
});

const bad = (itemIndex = 0, more: Partial<Row> = {}): Row =>
	row(itemIndex, {
		errors: [{ field: 'Amount', code: 'required', message: 'is required' }],
		...more,
	});

const options = (more: Partial<BatchOptions> = {}): BatchOptions =>
	({ ifAlreadySent: 'skip', referencesToPayAgain: NO_REQUESTS, ...more }) as BatchOptions;

const open = (...rows: Row[]): OpenPayment[] => rows.map((one) => ({ row: one }));

const LOOK_UP =
	/^Look it up with Transaction > Get Status, or ask the service, before you pay it under another reference/;

const HELD_BACK = {
	outcome: 'unknown',
	code: 'unknownNotResent',
	reference: 'Ref-0',
	message:
		'The outcome of an earlier attempt of this execution is unknown, so it was not sent again',
	hint: expect.stringMatching(LOOK_UP) as string,
};

const ALREADY_SENT = {
	outcome: 'alreadySent',
	code: 'alreadySent',
	reference: 'Ref-0',
	message:
		'An earlier execution of this node sent this reference, or was about to, so it was not sent again',
	hint: expect.stringMatching(/Transaction > Get Status/) as string,
};

describe('resuming an execution', () => {
	/** The result of a row; undefined for one that stays open. */
	async function resumed(
		known: ExecutionState,
		one: Row,
		chosen = options(),
		context = contextOf(),
	): Promise<PaymentResult | undefined> {
		const [payment] = await runStage(
			batchOf({ context, state: known, options: chosen }),
			open(one),
			resumeExecution,
		);
		expect(payment.row).toBe(one);
		return payment.result;
	}

	/** The execution state of execution 1 with one payment. */
	function after(one: Row, answer?: IDataObject, itemIndex = one.itemIndex): ExecutionState {
		const known = executionState();
		known.sending(one.idempotencyKey, itemIndex, sent(one));
		if (answer) known.created(one.idempotencyKey, 'transaction-1', answer);
		return known;
	}

	/** The stored execution state, with the first item changed. */
	function stored(more: Partial<SentPayment>): ExecutionState {
		const keeps: IDataObject = {};
		executionState(contextOf('1', { stored: keeps })).sending('ref-0', 0, sent());
		const payments = keeps.payments as unknown as Record<string, SentPayment>;
		Object.assign(Object.values(payments)[0], more);
		return executionState(contextOf('1', { stored: keeps }));
	}

	test('leaves a row open if the execution has not sent it', async () => {
		expect(await resumed(executionState(), row())).toBeUndefined();
	});

	test('returns a created payment again with its response', async () => {
		expect(await resumed(after(row(), ANSWER), row())).toEqual({
			outcome: 'created',
			reference: 'Ref-0',
			created: { ...TRANSACTION, message: 'Taken' },
			item: { json: ANSWER },
		});
	});

	test('returns a created payment again even with Pay All Again', async () => {
		const again = options({ countToPayAgain: 1 });
		const result = await resumed(after(row(), ANSWER), row(), again, contextOf('2'));
		expect(result).toMatchObject({ outcome: 'created', reference: 'Ref-0' });
	});

	test('reports a row as unknown if its response is missing', async () => {
		expect(await resumed(after(row()), row())).toEqual(HELD_BACK);
		expect(await resumed(stored({ outcome: 'created' }), row())).toEqual(HELD_BACK);
		expect(await resumed(stored({ answer: ANSWER }), row())).toEqual(HELD_BACK);
	});

	test('reports a sent row as unknown although it is invalid now', async () => {
		expect(await resumed(after(row()), bad())).toEqual(HELD_BACK);
	});

	describe('with Pay Again', () => {
		const again = options({ referencesToPayAgain: payAgain('Ref-0') });

		test('leaves a row open for Pay Again in a retried execution', async () => {
			expect(await resumed(after(row()), row(), again, contextOf('2'))).toBeUndefined();
		});

		test('does not pay again in the execution that sent the row', async () => {
			expect(await resumed(after(row()), row(), again, contextOf('1'))).toEqual(HELD_BACK);
		});

		test('does not pay again in a retried execution if other references are named', async () => {
			const others = options({ referencesToPayAgain: payAgain('Ref-1') });
			expect(await resumed(after(row()), row(), others, contextOf('2'))).toEqual(HELD_BACK);
		});
	});

	describe('under another reference', () => {
		const other = row(0, { reference: 'New', idempotencyKey: 'new' });

		test('reports a changed reference as unknown, under the reference that was sent', async () => {
			expect(await resumed(after(row()), other)).toEqual({
				outcome: 'unknown',
				code: 'referenceChanged',
				reference: 'Ref-0',
				message:
					'An earlier attempt of this execution sent this item under the reference Ref-0. The reference has changed since, so nothing was sent',
				hint: expect.stringMatching(LOOK_UP) as string,
				isOtherPayment: true,
			});
		});

		test('names the transaction that an item with a changed reference created', async () => {
			expect(await resumed(after(row(), ANSWER), other)).toMatchObject({
				code: 'referenceChanged',
				reference: 'Ref-0',
				message:
					'An earlier attempt of this execution sent this item under the reference Ref-0, which created transaction transaction-1. The reference has changed since, so nothing was sent',
				...TRANSACTION,
			});
		});

		test('ignores letter case and blanks in a reference', async () => {
			const same = row(0, { reference: ' REF-0 ', idempotencyKey: 'ref-0' });
			expect(await resumed(after(row(), ANSWER), same)).toMatchObject({ outcome: 'created' });
		});
	});

	describe('with other values', () => {
		const changed = { values: { amount: '11', currencyType: 'BOB' }, body: { amount: 11 } };

		test.each([
			['the same item', row(0, changed)],
			['another item', row(3, { reference: 'REF-0', idempotencyKey: 'ref-0', ...changed })],
		])('reports changed values as a conflict for %s', async (_, one) => {
			expect(await resumed(after(row()), one)).toEqual({
				outcome: 'conflict',
				code: 'valuesChanged',
				reference: 'Ref-0',
				message:
					'An earlier attempt of this execution sent this reference with other values, so nothing was sent now',
				hint: expect.stringMatching(LOOK_UP) as string,
				isOtherPayment: true,
			});
		});

		test('names the transaction that a row with changed values created', async () => {
			expect(await resumed(after(row(), ANSWER), row(0, changed))).toMatchObject({
				code: 'valuesChanged',
				message:
					'An earlier attempt of this execution sent this reference with other values, which created transaction transaction-1, so nothing was sent now',
				...TRANSACTION,
			});
		});
	});

	describe('for another item', () => {
		const other = row(3, { reference: 'REF-0', idempotencyKey: 'ref-0' });

		test('reports a repeated reference as unknown if nobody knows whether the other item was created', async () => {
			expect(await resumed(after(row()), other)).toMatchObject({
				outcome: 'unknown',
				code: 'unknownNotResent',
				reference: 'REF-0',
			});
		});

		test('names the transaction of a repeated reference', async () => {
			expect(await resumed(after(row(), ANSWER), other)).toMatchObject({
				outcome: 'alreadySent',
				code: 'sentInThisExecution',
				reference: 'REF-0',
				hint: 'If this is another payment, give it its own reference.',
				message:
					'This execution already sent this reference as transaction transaction-1, for row 1 (item 0), in run 1 of this node, so it was not sent again',
				...TRANSACTION,
			});
		});

		test('names the run of a loop that sent the reference', async () => {
			const keeps: IDataObject = {};
			const earlier = executionState(contextOf('1', { stored: keeps, run: 1 }));
			earlier.sending('ref-0', 0, sent());
			earlier.created('ref-0', 'transaction-1', ANSWER);
			const later = executionState(contextOf('1', { stored: keeps, run: 4 }));
			expect((await resumed(later, row())) as object).toMatchObject({
				message: expect.stringMatching(/for row 1 \(item 0\), in run 2 of this node/) as string,
			});
		});

		test('does not look up invalid rows, whose reference may be another item’s', async () => {
			expect(await resumed(after(row()), bad(3, { idempotencyKey: 'ref-0' }))).toBeUndefined();
		});
	});

	test('finishes only sent rows and keeps the order', async () => {
		const rows = [row(0), row(1), row(2)];
		const ended = await runStage(
			batchOf({ state: after(rows[1]) }),
			open(...rows),
			resumeExecution,
		);
		expect(ended.map(({ row: one, result }) => [one.itemIndex, result?.outcome])).toEqual([
			[0, undefined],
			[1, 'unknown'],
			[2, undefined],
		]);
	});
});

describe('rows that another execution sent', () => {
	const skipped = async (
		store: IdempotencyStore,
		payments: OpenPayment[],
		more: Partial<BatchOptions> = {},
	) =>
		await runStage(
			batchOf({ store, options: { dryRun: true, ...more } }),
			payments,
			skipAlreadySent,
		);

	test('skips rows that another execution sent, and leaves the others open', async () => {
		const rows = [row(0), row(1)];
		const { store, asked } = storeWith('ref-0');
		expect(await skipped(store, open(...rows))).toEqual([
			{ row: rows[0], result: ALREADY_SENT },
			{ row: rows[1] },
		]);
		expect(asked).toEqual([['ref-0', 'ref-1']]);
	});

	test('does not look up invalid rows, and leaves rows to pay again open', async () => {
		const rows = [row(0), bad(1), row(2)];
		const { store, asked } = storeWith('ref-0', 'ref-1', 'ref-2');
		const ended = await skipped(store, open(...rows), { referencesToPayAgain: payAgain('Ref-2') });
		expect(asked).toEqual([['ref-0', 'ref-2']]);
		expect(ended.map(({ result }) => result?.outcome)).toEqual([
			'alreadySent',
			undefined,
			undefined,
		]);
	});

	test('leaves an invalid row with an already sent reference open', async () => {
		const rows = [row(0), bad(1, { idempotencyKey: 'ref-0' })];
		const ended = await skipped(storeWith('ref-0').store, open(...rows));
		expect(ended.map(({ result }) => result?.outcome)).toEqual(['alreadySent', undefined]);
	});

	test('rejects the batch if the store cannot be read', async () => {
		const store = { lookUp: async () => await Promise.reject(new Error('database is locked')) };
		const batch = batchOf({
			store: store as unknown as IdempotencyStore,
			options: { dryRun: true },
		});
		expect(await runStage(batch, open(row()), skipAlreadySent)).toEqual(open(row()));
		expect(batch.rejection).toMatchObject({
			code: 'storeUnreadable',
			message: expect.stringContaining('database is locked') as string,
		});
	});

	test('does not look up references before sending unless the answer matters then', async () => {
		const { store, asked } = storeWith('ref-0');
		expect(await runStage(batchOf({ store }), open(row()), skipAlreadySent)).toEqual(open(row()));
		expect(asked).toEqual([]);
	});

	test('rejects the batch with If Already Sent set to Stop', async () => {
		const options = { ifAlreadySent: 'stop' } as const;
		const batch = batchOf({ store: storeWith('ref-1').store, options });
		await runStage(batch, open(row(0), row(1)), skipAlreadySent);
		expect(batch.rejection).toMatchObject({ code: 'referencesAlreadySent' });

		const none = batchOf({ store: storeWith().store, options });
		await runStage(none, open(row()), skipAlreadySent);
		expect(none.rejection).toBeUndefined();
	});
});

describe('rows that are not sent now', () => {
	async function earlier(
		held: Row[],
		{
			known = executionState(),
			store = undefined as IdempotencyStore | undefined,
			chosen = options(),
		}: { known?: ExecutionState; store?: IdempotencyStore; chosen?: BatchOptions } = {},
	): Promise<unknown[]> {
		const batch = batchOf({ state: known, store, options: chosen });
		const unsent = userMessage('notReached');
		const finished = await finishHeld(batch, open(...held), (one) => finishNotSent(one, unsent));
		return finished.map(({ result }) =>
			'code' in result && result.code === unsent.code ? undefined : result,
		);
	}

	function attempted(): ExecutionState {
		const known = executionState();
		known.sending('ref-0', 0, sent());
		return known;
	}

	test('finds nothing about rows that nobody sent', async () => {
		expect(await earlier([row(), bad(1)], { store: storeWith().store })).toEqual([
			undefined,
			undefined,
		]);
	});

	test('finds nothing if the store cannot be read', async () => {
		expect(await earlier([row()])).toEqual([undefined]);
		const store = { lookUp: async () => await Promise.reject(new Error('database is locked')) };
		expect(await earlier([row()], { store: store as unknown as IdempotencyStore })).toEqual([
			undefined,
		]);
	});

	test('reports a row as unknown if an earlier attempt of this execution sent it', async () => {
		expect(await earlier([row()], { known: attempted() })).toEqual([HELD_BACK]);
		const { store } = storeWith('ref-0');
		expect(await earlier([row()], { known: attempted(), store })).toEqual([HELD_BACK]);
	});

	test('finds nothing about an invalid row, whose reference may be another item’s', async () => {
		expect(await earlier([bad()], { known: attempted() })).toEqual([undefined]);
	});

	test('reports a row as alreadySent, valid or not, if another execution sent it', async () => {
		const { store, asked } = storeWith('ref-0', 'ref-1');
		expect(await earlier([row(0), bad(1), row(2)], { store })).toEqual([
			ALREADY_SENT,
			{ ...ALREADY_SENT, reference: 'Ref-1' },
			undefined,
		]);
		expect(asked).toEqual([['ref-0', 'ref-1', 'ref-2']]);
	});

	test('reports a row as alreadySent with Stop as the reason', async () => {
		const chosen = options({ ifAlreadySent: 'stop' });
		expect(await earlier([row()], { store: storeWith('ref-0').store, chosen })).toMatchObject([
			{ code: 'stoppedAsAlreadySent' },
		]);
	});

	test('looks up no row without a reference', async () => {
		const { store, asked } = storeWith();
		await earlier([bad(0, { idempotencyKey: '' }), row(1), row(2, { idempotencyKey: 'ref-1' })], {
			store,
		});
		expect(asked).toEqual([['ref-1'], ['ref-1']]);
		await earlier([bad(0, { idempotencyKey: '' })], { store });
		await earlier([], { store });
		expect(asked).toHaveLength(2);
	});
});

describe('references to pay again', () => {
	const all = { countToPayAgain: 1 };
	const twice = new Map([['ref-0', 2]]);
	const named = (referencesToPayAgain: PayAgainRequests): Partial<BatchOptions> => ({
		referencesToPayAgain,
	});

	test.each<[boolean, string, Partial<BatchOptions>, Row, number]>([
		[false, 'if no reference is named', named(NO_REQUESTS), row(), 0],
		[true, 'if it is named', named(payAgain('Ref-0')), row(), 0],
		[true, 'if it is named among others', named(payAgain('Ref-1', 'Ref-0', 'Ref-2')), row(), 0],
		[false, 'if others are named', named(payAgain('Ref-1', 'Ref-2')), row(), 0],
		[false, 'if it was paid again already', named(payAgain('Ref-0')), row(), 1],
		[true, 'if a second time is asked for', named(twice), row(), 1],
		[false, 'if it was paid again twice', named(twice), row(), 2],
		[true, 'if all are named', all, row(), 0],
		[false, 'if all are named, but it was paid again already', all, row(), 1],
		[false, 'if all are named, but the row is invalid', all, bad(), 0],
		[false, 'if it is named, but the row is invalid', named(payAgain('Ref-0')), bad(), 0],
	])('decides (%p) about paying a row again %s', (may, _, requests, one, timesPaidAgain) => {
		const chosen = options(requests);
		expect(mayPayAgain(chosen, one, { timesPaidAgain })).toBe(may);
	});

	test('rejects the batch if not as many would be paid again as the person said', async () => {
		const batch = batchOf({
			store: storeWith('ref-0').store,
			options: { countToPayAgain: 2 },
		});
		await runStage(batch, open(row(0), row(1)), skipAlreadySent);
		expect(batch.rejection).toMatchObject({
			code: 'payAgainCountDiffers',
			message: 'Count to Pay Again is 2, but 1 of this batch would be paid again',
		});
	});
});

describe('the result of already sent rows', () => {
	const SAME = { earlier: 'same', timesPaidAgain: 0 } as const;

	test.each(['skip', 'payAgain'] as const)('counts alreadySent as a success with %s', (choice) => {
		const result = earlierResult(row(), options({ ifAlreadySent: choice }), SAME);
		expect(result).toEqual(ALREADY_SENT);
		expect(result).not.toHaveProperty('cause');
	});

	test('ends an already sent row as a failure with Stop', () => {
		expect(earlierResult(row(), options({ ifAlreadySent: 'stop' }), SAME)).toEqual({
			...ALREADY_SENT,
			code: 'stoppedAsAlreadySent',
			message:
				'An earlier execution of this node sent this reference, or was about to, and If Already Sent is Stop',
			cause: 'batchRejected',
		});
	});

	test.each([
		['other', 'conflict', 'conflict'],
		['unclear', 'unknown', 'sentUnclear'],
	] as const)(
		'ends a row whose reference was sent with %s values as %s',
		(earlier, outcome, code) => {
			for (const ifAlreadySent of ['skip', 'payAgain', 'stop'] as const) {
				const result = earlierResult(row(), options({ ifAlreadySent }), { ...SAME, earlier });
				expect(result).toMatchObject({ outcome, code, reference: 'Ref-0' });
			}
		},
	);

	test('says that a reference is paid again only once, and how to ask for it once more', () => {
		const result = earlierResult(row(), options({ ifAlreadySent: 'payAgain' }), {
			...SAME,
			timesPaidAgain: 1,
		});
		expect(result).toMatchObject({ outcome: 'alreadySent', code: 'alreadyPaidAgain' });
		expect(result.hint).toContain('enter Ref-0 #2');
	});
});
