import { type IDataObject } from 'n8n-workflow';

import { type Balance } from '../../sandbox/state';
import { useQuickSleep } from '../engine/quickSleep';
import { useService } from '../engine/service';
import {
	BANK,
	bank,
	bankRow,
	bankRows,
	created,
	GOING_ON,
	KINDS,
	ON_ERROR,
	outcomes,
	PATH,
	posted,
	referenceOf,
	reported,
	rowsOf,
} from './batch';

const service = useService();
useQuickSleep();

const total = (...totals: Array<[currency: string, amount: string]>): IDataObject => ({
	maximumTotals: { total: totals.map(([currency, amount]) => ({ currency, amount })) },
});

/** Two rows in one currency and one in another: 300.75 BOB and 0.10 USD. */
const mixed = (): IDataObject[] => [
	bankRow(0, { amount: '100.50' }),
	bankRow(1, { amount: 200.25 }),
	bankRow(2, { amount: '0.10', currency_type: 'USD' }),
];

function hold(...balances: Array<Partial<Balance>>): void {
	service.business.balances = balances.map((balance) => ({
		type: 'withdrawal_ach',
		balance: 0,
		fiat: 'BOB',
		lastCredit: '',
		lastDebit: '',
		...balance,
	}));
}

describe.each(ON_ERROR)('with On Error %s', (onError) => {
	test.each<[string, IDataObject, string[]]>([
		['a total that is a cent off', total(['BOB', '300.74'], ['USD', '0.1']), ['300.74', '300.75']],
		['a currency without a total', total(['BOB', '300.75']), ['USD', '0.1']],
		['a total that cannot be read', total(['BOB', '300,75']), ['BOB']],
		['too small a balance', { checkBalance: true }, ['300.74', '300.75']],
	])('sends nothing with %s, and states both figures', async (_, options, figures) => {
		hold({ balance: 300.74 }, { balance: 5, fiat: 'USD' });
		const result = await service.run(bank(options), { items: mixed(), onError });

		expect(posted(service)).toEqual([]);
		expect(created(service)).toEqual([]);
		if (onError === 'stopWorkflow') {
			expect(result.error?.message).toMatch(/^Nothing was sent\./);
			for (const figure of figures) expect(result.error?.message).toContain(figure);
			return;
		}
		expect(result.thrown).toEqual([]);
		expect(outcomes(result)).toEqual(['notSent', 'notSent', 'notSent']);
		for (const { message } of reported(result)) {
			for (const figure of figures) expect(message).toContain(figure);
		}
	});

	test('rejects an item above the maximum with both amounts', async () => {
		const result = await service.run(bank({ maximumAmount: 200 }), { items: mixed(), onError });

		const [bad] = reported(result).filter(({ outcome }) => outcome !== 'created');
		expect(bad).toMatchObject({ item: 1, outcome: 'notSent', reference: referenceOf(1) });
		expect(bad.message).toBe(
			'Amount ("200.25 BOB") is above the Maximum Amount of 200. Check the amount, or raise Check: Maximum Amount.',
		);
		expect(created(service).sort()).toEqual(
			onError === 'stopWorkflow' ? [] : [referenceOf(0), referenceOf(2)],
		);
	});

	test('sends nothing if balances cannot be read', async () => {
		service.sandbox.core.faults.add({
			match: { path: '/v2/transactions/payouts/balance' },
			times: 'always',
			fault: { type: 'status', status: 500 },
		});
		const result = await service.run(bank({ checkBalance: true }), { items: mixed(), onError });

		expect(posted(service)).toEqual([]);
		if (onError === 'stopWorkflow') expect(result.error?.message).toContain('status 500');
		else expect(outcomes(result)).toEqual(['notSent', 'notSent', 'notSent']);
	});
});

describe('matching figures', () => {
	test.each(KINDS)('compares the totals of a $name', async (kind) => {
		const items = rowsOf(kind, 2, service);
		const totals: Record<string, [string, string]> = {
			[PATH.bank]: ['BOB', '201'],
			[PATH.crypto]: ['USDC', '3.5'],
			[PATH.qrPayout]: ['USDC', '2'],
			[PATH.qrDeposit]: ['BOB', '21.5'],
		};
		const run = (amount: string) =>
			service.run(
				{
					...kind.parameters,
					options: total([totals[kind.path][0], amount]) as { [name: string]: string },
				},
				{ items },
			);
		expect((await run('1')).error?.message).toContain('Maximum Totals allows 1 ');
		expect(posted(service)).toEqual([]);
		expect(outcomes(await run(totals[kind.path][1]))).toEqual(['created', 'created']);
	});
});

describe('Check: Balance', () => {
	test('reads the balance once, before anything is sent', async () => {
		await service.run(bank({ checkBalance: true }), { items: mixed() });
		const paths = service.sent().map(({ path }) => path);
		expect(paths.filter((path) => path !== PATH.bank)).toEqual([
			'/v2/webhooks/logs',
			'/v2/transactions/payouts/balance',
		]);
		expect(paths.lastIndexOf('/v2/transactions/payouts/balance')).toBeLessThan(
			paths.indexOf(PATH.bank),
		);
	});
});

describe('a mismatch next to invalid rows', () => {
	test.each(GOING_ON)('gives each row its own reason with On Error %s', async (onError) => {
		const items = [bankRow(0), bankRow(1, { bank_code: '' })];
		const result = await service.run(bank(total(['BOB', '1'])), { items, onError });
		expect(posted(service)).toEqual([]);
		const [good, bad] = reported(result);
		expect(good).toMatchObject({ outcome: 'notSent' });
		expect(good.message).toContain('Maximum Totals allows 1 BOB');
		expect(bad).toMatchObject({ outcome: 'notSent' });
		expect(bad.message).toContain('Bank Code is required');
	});
});

describe('Dry Run', () => {
	test.each(KINDS)('shows for a $name exactly what a real run sends', async (kind) => {
		const items = rowsOf(kind, 3, service);
		const dry = await service.run({ ...kind.parameters, options: { dryRun: true } }, { items });
		expect(posted(service)).toEqual([]);
		expect(dry.error).toBeUndefined();
		expect(outcomes(dry)).toEqual(['ready', 'ready', 'ready']);

		await service.run({ ...kind.parameters, options: { concurrency: 1 } }, { items });
		expect(dry.json.map(({ request }) => request)).toEqual(
			service
				.sent()
				.filter(({ method }) => method === 'POST')
				.map(({ method, path, body }) => ({ method, path, body })),
		);
		expect(dry.json.map(({ reference }) => reference)).toEqual(posted(service));
	});

	test('shows the references that a real run generates', async () => {
		const parameters = { referenceSource: 'generated', batchId: 'payroll' };
		const dry = await service.run(bank({ dryRun: true }, parameters), { items: bankRows(2) });
		await service.run(bank({ concurrency: 1 }, parameters), { items: bankRows(2) });
		expect(dry.json.map(({ reference }) => reference)).toEqual(posted(service));
	});

	test('does not make a later run skip the rows of a dry run', async () => {
		const dry = await service.run(bank({ dryRun: true }), {
			items: bankRows(2),
			furtherRuns: [bankRows(2)],
		});
		expect(dry.json).toHaveLength(2);
		const real = await service.run(BANK, { items: bankRows(2) });
		expect(outcomes(real)).toEqual(['created', 'created']);
	});
});
