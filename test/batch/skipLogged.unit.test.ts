import type { IDataObject } from 'n8n-workflow';

import { runStage } from '../../nodes/batch/batchContext';
import type { MoneyEndpoint } from '../../nodes/batch/endpoint';
import type { OpenPayment, Row, UnpaidResult } from '../../nodes/batch/payment';
import { skipLogged } from '../../nodes/batch/skipLogged';
import { ServiceError } from '../../nodes/service/errors';
import type { IdempotencyStore, Intent, Known } from '../../nodes/ledger/idempotencyStore';
import { event, serviceWith, useOwnTime, webhook } from '../operations/context';
import { batchOf, CRYPTO, knownOf, type BatchParts } from './builders';

useOwnTime();

afterEach(() => jest.restoreAllMocks());

const DAY = 24 * 60;

const row = (itemIndex = 0, more: Partial<Row> = {}): Row => ({
	itemIndex,
	reference: `Ref-${itemIndex}`,
	idempotencyKey: `ref-${itemIndex}`,
	values: { amount: '10.50', asset: 'USDC' },
	body: {},
	errors: [],
	...more,
});

const INVALID = [{ field: 'Amount', code: 'required', message: 'is required' }] as Row['errors'];

/** The event of a crypto payout of 10.5 USDC. */
const log = (
	reference: string,
	word: string,
	{ id = `T-${reference}`, minutes = 60, ...details }: IDataObject = {},
): IDataObject =>
	event(reference, String(id), word, Number(minutes), {
		details: { transactionId: id, amount: '10.5', asset: 'USDC', ...details },
	});

const FINAL = ['completed', 'failed', 'expired', 'reject'];
const WEBHOOKS = [webhook(FINAL)];

/** An idempotency store that has sent all that it is asked for, so. */
const storeOf = (earlier: Known['earlier']): IdempotencyStore =>
	({
		lookUp: async (asked: Intent[]) =>
			await Promise.resolve(
				knownOf(
					asked,
					asked.map(({ key }) => key),
					earlier,
				),
			),
	}) as unknown as IdempotencyStore;

/** Takes rows through the stage. */
async function skip(
	rows: Row[],
	logs: IDataObject[],
	{ options, ...parts }: BatchParts = {},
	{ webhooks = WEBHOOKS, error = undefined as Error | undefined } = {},
) {
	const service = serviceWith(logs, webhooks);
	service.error = error;
	const batch = batchOf({
		endpoint: CRYPTO,
		service: service.service,
		...parts,
		options: { checkDeliveryLogs: 31, ...options },
	});
	const open: OpenPayment[] = rows.map((one) => ({ row: one }));
	const payments = await runStage(batch, open, skipLogged);
	return {
		results: payments.map(({ result }) => result as UnpaidResult | undefined),
		codes: payments.map(({ result }) => result?.code),
		batch,
		paths: service.asked.map(({ path }) => path),
		reads: service.reads().length,
	};
}

describe('a row in the delivery logs', () => {
	const VERIFIED = { outcome: 'alreadySent', code: 'logged' };
	const UNVERIFIED = {
		outcome: 'alreadySent',
		code: 'loggedUnverified',
		isOtherPayment: true,
	};
	const FAILED = { outcome: 'conflict', code: 'loggedAsFailed' };
	const OTHER = { outcome: 'conflict', code: 'conflict' };
	const OTHER_AMOUNT = { outcome: 'conflict', code: 'loggedWithOtherAmount' };

	test.each<[string, IDataObject, Known['earlier'], IDataObject]>([
		['completed', {}, 'same', VERIFIED],
		['pending', {}, 'same', VERIFIED],
		['held', {}, 'same', VERIFIED],
		['completed', {}, 'none', UNVERIFIED],
		['completed', {}, 'other', OTHER],
		['completed', { amount: '5' }, 'other', OTHER],
		['completed', { amount: '5' }, 'same', OTHER_AMOUNT],
		['completed', { amount: '5' }, 'none', OTHER_AMOUNT],
		['completed', { amount: '10.500' }, 'same', VERIFIED],
		// Not comparable.
		['completed', { amount: '5', asset: 'USDT' }, 'same', VERIFIED],
		['completed', { amount: '5', asset: '' }, 'none', UNVERIFIED],
		['completed', { amount: 'much' }, 'same', VERIFIED],
		['failed', {}, 'same', FAILED],
		['expired', {}, 'none', FAILED],
		['failed', { amount: '5' }, 'other', FAILED],
	])(
		'as %s with %j, of which this node has sent %s, is %j',
		async (word, more, earlier, result) => {
			const { results, batch } = await skip([row()], [log('REF-0', word, more)], {
				store: storeOf(earlier),
			});
			expect(results).toEqual([
				expect.objectContaining({
					...result,
					reference: 'Ref-0',
					transactionId: 'T-REF-0',
					status: `${word}_transaction`,
				}),
			]);
			expect(results[0]).toHaveProperty('hint');
			expect('isOtherPayment' in (results[0] ?? {})).toBe('isOtherPayment' in result);
			expect(batch.rejection).toBeUndefined();
		},
	);

	test('says which transaction it is, and its status or amount', async () => {
		const message = async (word: string, details: IDataObject = {}) =>
			(await skip([row()], [log('ref-0', word, details)])).results[0]?.message;
		expect(await message('completed')).toMatch(
			/as transaction T-ref-0 with the status completed_transaction, so/,
		);
		expect(await message('failed')).toMatch(
			/as transaction T-ref-0, which ended with the status failed_transaction/,
		);
		expect(await message('completed', { amount: '5.00' })).toMatch(
			/as transaction T-ref-0 with 5 USDC, so/,
		);
		expect(await message('completed', { id: '' })).toMatch(/as transaction without an ID with/);
		const store = storeOf('same');
		expect((await skip([row()], [log('ref-0', 'held')], { store })).results).toMatchObject([
			{ message: expect.stringMatching(/as transaction T-ref-0 with the status held_transaction/) },
		]);
		const { results } = await skip([row()], [log('ref-0', 'completed', { id: '' })]);
		expect(results[0]?.es).toMatchObject({
			message: expect.stringContaining('transacción sin ID'),
		});
	});

	test('has no amount to compare if the row has none', async () => {
		for (const values of [{ asset: 'USDC' }, { asset: 'USDC', amount: 'much' }]) {
			const { codes } = await skip([row(0, { values })], [log('ref-0', 'completed')]);
			expect(codes).toEqual(['loggedUnverified']);
		}
	});

	test('is paid if one of its transactions has not failed', async () => {
		const logs = [
			log('ref-0', 'failed', { id: 'a', minutes: 10 }),
			log('ref-0', 'held', { id: 'b', minutes: 20 }),
			log('ref-0', 'expired', { id: 'c', minutes: 30 }),
		];
		expect((await skip([row()], logs)).results).toMatchObject([
			{ code: 'loggedUnverified', transactionId: 'b' },
		]);
		expect((await skip([row()], [logs[0], logs[2]])).results).toMatchObject([
			{ code: 'loggedAsFailed', transactionId: 'a' },
		]);
	});

	test('is not one that the store could not look up', async () => {
		const { codes } = await skip([row()], [log('ref-0', 'completed')]);
		expect(codes).toEqual(['loggedUnverified']);
	});
});

describe('a row stays open', () => {
	test('if the logs do not have it, or if it is invalid', async () => {
		const { results, reads } = await skip(
			[row(0), row(1, { errors: INVALID }), row(2)],
			[log('ref-1', 'completed'), log('ref-2', 'completed'), log('x', 'completed')],
		);
		expect(results).toEqual([
			undefined,
			undefined,
			expect.objectContaining({ reference: 'Ref-2' }),
		]);
		expect(reads).toBe(1);
	});

	test.each<[string, Row[], BatchParts]>([
		['the logs are not to be checked', [row()], { options: { checkDeliveryLogs: undefined } }],
		['there is no service', [row()], { service: undefined }],
		['the batch is rejected', [row()], { rejection: { code: 'x', message: 'x' } }],
		['all rows are invalid', [row(0, { errors: INVALID })], {}],
	])('if %s, and nothing is read', async (_, rows, parts) => {
		const { results, paths } = await skip(rows, [log('ref-0', 'completed')], parts);
		expect(results).toEqual([undefined]);
		expect(paths).toEqual([]);
	});

	test('if the logs cannot be read, and nothing of the batch is sent', async () => {
		const error = new ServiceError({ code: 'notAllowed', message: 'Not allowed', hint: '' });
		const { results, batch } = await skip([row()], [], {}, { error });
		expect(results).toEqual([undefined]);
		expect(batch.rejection).toMatchObject({ code: 'notAllowed', message: 'Not allowed' });
	});
});

test('the batch stops if a reference is logged, and If Already Sent says so', async () => {
	const rejection = async (ifAlreadySent: 'skip' | 'stop', logs: IDataObject[]) =>
		(await skip([row()], logs, { options: { ifAlreadySent } })).batch.rejection?.code;
	expect(await rejection('stop', [log('ref-0', 'completed')])).toBe('referencesAlreadySent');
	expect(await rejection('stop', [log('x', 'completed')])).toBeUndefined();
	expect(await rejection('skip', [log('ref-0', 'completed')])).toBeUndefined();
});

describe('a hint says', () => {
	const hintsWith = async (webhooks: IDataObject[]) =>
		(await skip([row()], [], {}, { webhooks })).batch.hints;

	test('that the account has no webhook', async () => {
		expect(await hintsWith([])).toEqual([
			expect.stringMatching(/^Check Delivery Logs found no webhook in this account/),
		]);
	});

	test.each<[string, string[], string, RegExp]>([
		['those that none has', ['completed', 'failed'], 'ACTIVE', /covers reject\w+, expired\w+\./],
		['all if none is on', FINAL, 'INACTIVE', /covers completed\w+, reject\w+, failed\w+, expired/],
		['all if none is certainly on', FINAL, 'PAUSED', /covers completed\w+, reject\w+, failed/],
	])('which final statuses no webhook covers: %s', async (_, words, status, text) => {
		const hints = await hintsWith([webhook(words, status)]);
		expect(hints).toEqual([expect.stringMatching(text)]);
	});

	test('nothing if all are covered', async () => {
		expect(await hintsWith(WEBHOOKS)).toEqual([]);
	});
});

test('the logs are read as far back as the option says', async () => {
	const logs = Array.from({ length: 6_000 }, (_, index) =>
		log(`x-${index}`, 'completed', { minutes: index }),
	);
	const reads = async (checkDeliveryLogs: number) =>
		(await skip([row()], logs, { options: { checkDeliveryLogs } })).reads;
	// Three more pages show the order.
	expect(await reads(1)).toBe(DAY / 100 + 0.6 + 3);
	expect(await reads(2)).toBe((2 * DAY) / 100 + 0.2 + 3);
});

describe('a row for another payment', () => {
	/** An endpoint whose rows are results of others. */
	const endpoint = {
		...CRYPTO,
		fromResults: { transactionId: ({ walletId }: Row['values']) => String(walletId) },
	} as unknown as MoneyEndpoint;

	const rows = [row(0, { values: { walletId: ' T-1' } })];

	test.each<[string, boolean]>([
		['pending', false],
		['held', false],
		['processing', true],
		['completed', true],
		['expired', true],
	])('that the logs have as %s no longer waits: %p', async (word, isOver) => {
		// By its ID, whatever its reference.
		const logs = [log('other', word, { id: 't-1' })];
		const { batch, results } = await skip(rows, logs, { endpoint });
		expect(results).toEqual([undefined]);
		expect([...batch.serviceErrors]).toEqual(
			isOver
				? [
						[
							rows[0],
							expect.objectContaining({
								code: 'movedOn',
								message: `is of a payout with the status ${word}_transaction, which no longer waits for crypto`,
							}),
						],
					]
				: [],
		);
	});

	test('that the logs do not have may wait, and one of no other payment does not', async () => {
		const logs = [log('x', 'completed', { id: 'T-2' })];
		expect((await skip(rows, logs, { endpoint })).batch.serviceErrors.size).toBe(0);
		expect((await skip([row()], [log('ref-0', 'completed')])).batch.serviceErrors.size).toBe(0);
	});
});
