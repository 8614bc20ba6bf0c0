import { useQuickSleep } from '../engine/quickSleep';
import { useService } from '../engine/service';
import {
	untilSent,
	bank,
	bankRow,
	bankRows,
	created,
	GOING_ON,
	ON_ERROR,
	outcomes,
	posted,
	referenceOf,
	references,
	reported,
	strike,
} from './batch';

/**
 * What stops a batch can also stop its second try after some rows were paid: the balance is lower by then, the service is
 * down, or somebody changed the node.
 */
const service = useService({ duplicateReferences: 'accept' });
useQuickSleep();

const BALANCE_PATH = '/v2/transactions/payouts/balance';
const CHECKED = { concurrency: 1, checkBalance: true };

function hold(balance: number): void {
	service.business.balances = [
		{ type: 'withdrawal_ach', balance, fiat: 'BOB', lastCredit: '', lastDebit: '' },
	];
}

/** Runs rows of 100.50 each; the balance falls when the payment with that number arrives. */
async function runWhileBalanceFalls(
	options: Parameters<typeof service.run>[1],
	count: number,
	left: number,
) {
	const running = service.run(bank(CHECKED), options);
	// The balance is read first, in the same folder of the service.
	await untilSent(service, count + 1);
	hold(left);
	return await running;
}

describe('Retry On Fail with Check: Balance', () => {
	test('compares the balance only with rows that are still to be sent', async () => {
		hold(301.5);
		strike(service, referenceOf(2), { type: 'status', status: 422 });
		const options = { items: bankRows(3), retryOnFail: true };
		const result = await runWhileBalanceFalls(options, 3, 100.5);

		expect(result.error).toBeUndefined();
		expect(outcomes(result)).toEqual(['created', 'created', 'created']);
		expect(created(service)).toEqual(references(3));
	});

	test('reports created rows if the balance is too low for the rest', async () => {
		hold(301.5);
		strike(service, referenceOf(2), { type: 'status', status: 422 });
		const options = { items: bankRows(3), retryOnFail: true };
		const result = await runWhileBalanceFalls(options, 3, 100.49);

		expect(created(service)).toEqual(references(2));
		expect(outcomes(result)).toEqual(['created', 'created', 'notSent']);
		expect(result.error?.message).toContain('100.49');
		expect(result.error?.message).not.toContain('Nothing was sent');
	});

	test('reserves no balance for a row that is not sent again', async () => {
		hold(201);
		strike(service, referenceOf(0), { type: 'reset', when: 'after' });
		const options = { items: bankRows(2), retryOnFail: true };
		const result = await runWhileBalanceFalls(options, 1, 100.5);
		expect(outcomes(result)).toEqual(['unknown', 'created']);
	});

	test.each(GOING_ON)(
		'never reports a row as notSent that an earlier try created (On Error %s)',
		async (onError) => {
			hold(1_000);
			const items = [bankRow(9, { amount: 'all' }), ...bankRows(3)];
			const options = { items, onError, retryOnFail: true };
			const result = await runWhileBalanceFalls(options, 3, 0);
			expect(created(service)).toEqual(references(3));
			expect(outcomes(result)).toEqual(['notSent', 'created', 'created', 'created']);
		},
	);

	test.each(GOING_ON)(
		'never reports a sent row as notSent if the balance is unreadable later (On Error %s)',
		async (onError) => {
			service.sandbox.core.faults.add({
				match: { path: BALANCE_PATH },
				skip: 1,
				times: 'always',
				fault: { type: 'status', status: 500 },
			});
			strike(service, referenceOf(1), { type: 'reset', when: 'after' });
			const items = [bankRow(9, { amount: 'all' }), ...bankRows(3)];
			const result = await service.run(bank(CHECKED), { items, onError, retryOnFail: true });
			expect(created(service)).toEqual(references(3));
			expect(outcomes(result)).toEqual(['notSent', 'created', 'unknown', 'created']);
		},
	);

	test('reports created rows if the balance cannot be read again', async () => {
		service.sandbox.core.faults.add({
			match: { path: BALANCE_PATH },
			skip: 1,
			times: 'always',
			fault: { type: 'status', status: 500 },
		});
		strike(service, referenceOf(2), { type: 'status', status: 422 });
		const result = await service.run(bank(CHECKED), { items: bankRows(4), retryOnFail: true });
		expect(created(service)).toEqual(references(2));
		expect(outcomes(result)).toEqual(['created', 'created', 'notSent', 'notSent']);
	});
});

describe('Pay Again with a second try that is rejected', () => {
	test.each(ON_ERROR)('keeps an unknown row unknown (On Error %s)', async (onError) => {
		service.sandbox.core.faults.add({
			match: { path: BALANCE_PATH },
			skip: 1,
			times: 'always',
			fault: { type: 'status', status: 500 },
		});
		strike(service, referenceOf(0), { type: 'reset', when: 'after' });
		const result = await service.run(
			bank({
				...CHECKED,
				ifAlreadySent: 'payAgain',
				referencesToPayAgain: references(2).join('\n'),
			}),
			{
				items: bankRows(2),
				onError,
				retryOnFail: true,
			},
		);
		expect(posted(service)).toEqual(created(service));
		expect(created(service)).toContain(referenceOf(0));
		expect(outcomes(result)[0]).toBe('unknown');
	});
});

describe('“Retry execution” of a changed node', () => {
	test.each([
		['a lower Maximum Amount', { maximumAmount: 50 }, 'notSent'],
		['Dry Run', { dryRun: true }, 'ready'],
	])('reports created rows after a change to %s', async (_, options, last) => {
		strike(service, referenceOf(1), { type: 'reset', when: 'after' });
		const failed = await service.run(bank({ concurrency: 1 }), { items: bankRows(3) });
		expect(outcomes(failed)).toEqual(['created', 'unknown', 'notSent']);

		const retried = await service.run(bank({ concurrency: 1, ...options }), {
			items: bankRows(3),
			resumeFrom: failed.run.data,
		});
		expect(posted(service)).toEqual(references(2));
		const byItem = new Map(reported(retried).map((row) => [row.item, row.outcome]));
		expect(byItem.get(0)).toBe('created');
		expect(byItem.get(1)).toBe('unknown');
		expect(byItem.get(2)).toBe(last);
	});

	test.each(GOING_ON)('reports created rows if it continues (On Error %s)', async (onError) => {
		strike(service, referenceOf(1), { type: 'reset', when: 'after' });
		const failed = await service.run(bank({ concurrency: 1 }), { items: bankRows(3) });
		const retried = await service.run(
			bank({ concurrency: 1, maximumTotals: { total: [{ currency: 'BOB', amount: '1' }] } }),
			{
				items: bankRows(3),
				resumeFrom: failed.run.data,
				onError,
			},
		);
		expect(outcomes(retried)).toEqual(['created', 'unknown', 'notSent']);
	});
});

describe('created rows that are invalid at the second try', () => {
	test.each(GOING_ON)('keeps rows created (On Error %s)', async (onError) => {
		strike(service, referenceOf(2), { type: 'status', status: 422 });
		const failed = await service.run(bank({ concurrency: 1 }), { items: bankRows(3) });
		const retried = await service.run(bank({ concurrency: 1, maximumAmount: 50 }), {
			items: bankRows(3),
			resumeFrom: failed.run.data,
			onError,
		});
		expect(outcomes(retried)).toEqual(['created', 'created', 'notSent']);
	});
});
