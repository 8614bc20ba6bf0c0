import {
	notSentResult,
	isFailure,
	isBatchRejected,
	type Outcome,
	type PaymentResult,
	type Row,
} from '../../nodes/batch/payment';

const row = (itemIndex: number): Row => ({
	itemIndex,
	reference: `Ref-${itemIndex}`,
	idempotencyKey: `ref-${itemIndex}`,
	values: {},
	body: {},
	errors: [],
});

const result = (outcome: Outcome, more: object = {}): PaymentResult =>
	({
		outcome,
		code: 'code',
		reference: 'Ref',
		message: 'Said',
		...more,
	}) as unknown as PaymentResult;

const ended = (outcome: Outcome, more: object = {}): { result: PaymentResult } => ({
	result: result(outcome, more),
});

const ES = { message: 'No se envió' };

describe('an unsent payment', () => {
	test('gives an unsent payment a reason and a hint', () => {
		const reason = { code: 'cancelled', message: 'Not sent', hint: 'Run it again.', es: ES };
		expect(notSentResult(row(7), reason, 'batchRejected')).toEqual({
			outcome: 'notSent',
			reference: 'Ref-7',
			...reason,
			cause: 'batchRejected',
		});
	});

	test('gives an unsent payment neither hint nor cause if there is none', () => {
		const reason = { code: 'cancelled', message: 'Not sent', es: ES };
		expect(notSentResult(row(7), reason)).toEqual({
			outcome: 'notSent',
			reference: 'Ref-7',
			...reason,
		});
	});

	test('copies nothing else into the result of an unsent payment', () => {
		const reason = { code: 'cancelled', message: 'Not sent', es: ES, outcome: 'unknown' as const };
		expect(notSentResult(row(7), reason)).toMatchObject({ outcome: 'notSent' });
	});
});

describe('failures', () => {
	test.each<[Outcome, object, boolean]>([
		['created', {}, false],
		['ready', {}, false],
		['alreadySent', {}, false],
		['alreadySent', { cause: 'invalidRow' }, false],
		['rejected', {}, true],
		['unknown', {}, true],
		['notSent', {}, true],
		['notSent', { cause: 'batchRejected' }, true],
		['created', { cause: 'batchRejected' }, false],
	])('recognizes a failure by the outcome %s %j: %p', (outcome, more, isLookedAt) => {
		expect(isFailure(ended(outcome, more))).toBe(isLookedAt);
	});
});

describe('rejected batches', () => {
	test.each<[Outcome, object, boolean]>([
		['notSent', { cause: 'batchRejected' }, true],
		['notSent', { cause: 'invalidRow' }, false],
		['notSent', { cause: undefined }, false],
		['notSent', {}, false],
		['created', {}, false],
	])('recognizes a rejected batch by the outcome %s %j: %p', (outcome, more, isRejected) => {
		expect(isBatchRejected(ended(outcome, more))).toBe(isRejected);
	});
});
