import {
	finish,
	finishNotSent,
	isFinished,
	isFailure,
	isBatchRejected,
	type FinishedPayment,
	type OpenPayment,
	type Outcome,
	type Payment,
	type PaymentResult,
	type Row,
} from '../../nodes/batch/payment';
import { runStage, type Stage } from '../../nodes/batch/batchContext';
import { batchOf } from './builders';

const row = (itemIndex: number): Row => ({
	itemIndex,
	reference: `Ref-${itemIndex}`,
	idempotencyKey: `ref-${itemIndex}`,
	values: {},
	body: {},
	errors: [],
});

const open = (itemIndex: number): OpenPayment => ({ row: row(itemIndex) });

const result = (outcome: Outcome, more: object = {}): PaymentResult =>
	({
		outcome,
		code: 'code',
		reference: 'Ref',
		message: 'Said',
		...more,
	}) as unknown as PaymentResult;

const ended = (
	itemIndex: number,
	outcome: Outcome = 'rejected',
	more: object = {},
): FinishedPayment => finish(open(itemIndex), result(outcome, more));

/** A stage that finishes the payments that it gets, and records them. */
function ending(outcome: Outcome): { stage: Stage; got: OpenPayment[][] } {
	const got: OpenPayment[][] = [];
	return {
		got,
		stage: async (_, payments) => {
			got.push(payments);
			return payments.map((payment) => finish(payment, result(outcome)));
		},
	};
}

describe('stages', () => {
	test('passes open payments to a stage together', async () => {
		const { stage, got } = ending('created');
		const payments = [open(0), open(1)];
		expect(await runStage(batchOf(), payments, stage)).toEqual([
			ended(0, 'created'),
			ended(1, 'created'),
		]);
		expect(got).toEqual([payments]);
	});

	test('does not pass finished payments to a stage', async () => {
		const { stage, got } = ending('created');
		const [first, last] = [ended(0, 'rejected'), ended(3, 'unknown')];
		const payments: Payment[] = [first, open(1), open(2), last];
		const after = await runStage(batchOf(), payments, stage);
		expect(got).toEqual([[open(1), open(2)]]);
		expect(after.map((payment) => payment.result?.outcome)).toEqual([
			'rejected',
			'created',
			'created',
			'unknown',
		]);
		expect(after[0]).toBe(first);
		expect(after[3]).toBe(last);
	});

	test('keeps the result of a finished payment, whatever a stage returns', async () => {
		const first = ended(0, 'unknown');
		const stage: Stage = async (_, payments) => [
			...payments,
			{ row: first.row, result: result('created') },
		];
		const after = await runStage(batchOf(), [first, open(1)], stage);
		expect(after[0]).toBe(first);
	});

	test('does not call a stage without open payments', async () => {
		for (const payments of [[], [ended(0), ended(1)]]) {
			const { stage, got } = ending('created');
			expect(await runStage(batchOf(), payments, stage)).toBe(payments);
			expect(got).toEqual([]);
		}
	});

	test('keeps the order of payments, whatever a stage returns', async () => {
		const stage: Stage = async (_, payments) =>
			payments.map((payment) => finish(payment, result('created'))).reverse();
		const after = await runStage(batchOf(), [open(0), ended(1), open(2)], stage);
		expect(after.map((payment) => payment.row.itemIndex)).toEqual([0, 1, 2]);
	});

	test('keeps payments open that a stage leaves open or omits', async () => {
		const payments = [open(0), open(1), open(2)];
		const stage: Stage = async (_, [first, second]) => [first, finish(second, result('rejected'))];
		const after = await runStage(batchOf(), payments, stage);
		expect(after).toEqual([open(0), ended(1, 'rejected'), open(2)]);
		expect(after[2]).toBe(payments[2]);
	});

	test('passes on what a stage throws', async () => {
		const stage: Stage = async () => {
			throw new Error('No database');
		};
		await expect(runStage(batchOf(), [open(0)], stage)).rejects.toThrow('No database');
	});
});

describe('finished payments', () => {
	test('recognizes a finished payment by its result', () => {
		expect(isFinished(open(0))).toBe(false);
		expect(isFinished({ row: row(0), result: undefined })).toBe(false);
		expect(isFinished(ended(0, 'created'))).toBe(true);
	});

	test('keeps only the row and the result of a finished payment', () => {
		const payment = { ...open(0), more: 1 };
		const how = result('created');
		expect(finish(payment, how)).toStrictEqual({ row: row(0), result: how });
	});

	test('gives an unsent payment a reason and a hint', () => {
		const reason = { code: 'cancelled', message: 'Not sent', hint: 'Run it again.' };
		expect(finishNotSent(open(7), reason, 'batchRejected')).toStrictEqual({
			row: row(7),
			result: { outcome: 'notSent', reference: 'Ref-7', ...reason, cause: 'batchRejected' },
		});
	});

	test('gives an unsent payment neither hint nor cause if there is none', () => {
		const reason = { code: 'cancelled', message: 'Not sent' };
		expect(finishNotSent(open(7), reason)).toStrictEqual({
			row: row(7),
			result: { outcome: 'notSent', reference: 'Ref-7', ...reason },
		});
		expect(finishNotSent(open(7), { ...reason, hint: undefined }).result).not.toHaveProperty(
			'hint',
		);
	});

	test('copies nothing else into the result of an unsent payment', () => {
		const reason = { code: 'cancelled', message: 'Not sent', outcome: 'unknown' as const };
		expect(finishNotSent(open(7), reason).result).toMatchObject({ outcome: 'notSent' });
	});
});

describe('failures', () => {
	test.each<[Outcome, object, boolean]>([
		['created', {}, false],
		['ready', {}, false],
		['alreadySent', {}, false],
		['alreadySent', { cause: 'invalidRow' }, false],
		['alreadySent', { cause: 'batchRejected' }, true],
		['rejected', {}, true],
		['unknown', {}, true],
		['notSent', {}, true],
		['notSent', { cause: 'batchRejected' }, true],
		['created', { cause: 'batchRejected' }, false],
	])('recognizes a failure by the outcome %s %j: %p', (outcome, more, isLookedAt) => {
		expect(isFailure(ended(0, outcome, more))).toBe(isLookedAt);
	});
});

describe('rejected batches', () => {
	test.each<[Outcome, object, boolean]>([
		['notSent', { cause: 'batchRejected' }, true],
		['alreadySent', { cause: 'batchRejected' }, true],
		['notSent', { cause: 'invalidRow' }, false],
		['notSent', { cause: undefined }, false],
		['notSent', {}, false],
		['created', {}, false],
	])('recognizes a rejected batch by the outcome %s %j: %p', (outcome, more, isRejected) => {
		expect(isBatchRejected(ended(0, outcome, more))).toBe(isRejected);
	});
});
