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
	hints,
	KINDS,
	ON_ERROR,
	outcomes,
	PATH,
	posted,
	referenceOf,
	reported,
	rowName,
	rowsOf,
} from './batch';

const service = useService();
useQuickSleep();

const total = (...totals: Array<[currency: string, amount: string]>): IDataObject => ({
	expectedTotals: { total: totals.map(([currency, amount]) => ({ currency, amount })) },
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
		['one item too few', { expectedCount: 4 }, ['4', '3']],
		['one item too many', { expectedCount: 2 }, ['2', '3']],
		['a total that is a cent off', total(['BOB', '300.74'], ['USD', '0.1']), ['300.74', '300.75']],
		['a total of a currency that is missing', total(['BOB', '300.75'], ['PEN', '5']), ['5', '0']],
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
			'Amount ("200.25 BOB") is above the Maximum Amount of 200. Check the amount, or raise Maximum Amount under Before Sending.',
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
	test.each<[string, IDataObject]>([
		['the count', { expectedCount: 3 }],
		['the totals', total(['BOB', '300.75'], ['USD', '0.10'])],
		['the totals in another order and spelling', total(['usd', '.1'], [' bob ', '0300.750'])],
		['a total in parts', total(['BOB', '100'], ['BOB', '200.75'], ['USD', '0.1'])],
		['a maximum that no item is above', { maximumAmount: 200.25 }],
		['all figures', { expectedCount: 3, ...total(['BOB', '300.75'], ['USD', '0.1']) }],
	])('pays a batch that matches %s', async (_, options) => {
		const result = await service.run(bank(options), { items: mixed() });
		expect(outcomes(result)).toEqual(['created', 'created', 'created']);
	});

	test('adds totals without binary errors', async () => {
		const items = Array.from({ length: 30 }, (_, number) => bankRow(number, { amount: 0.1 }));
		const result = await service.run(bank(total(['BOB', '3'])), { items });
		expect(created(service)).toHaveLength(30);
		expect(hints(result)).toContainEqual(expect.stringContaining('total created 3 BOB'));
	});

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
		expect((await run('999')).error?.message).toContain(`total ${totals[kind.path][1]} `);
		expect(posted(service)).toEqual([]);
		expect(outcomes(await run(totals[kind.path][1]))).toEqual(['created', 'created']);
	});
});

describe('Check Balance First', () => {
	test('pays a batch if the balance is just enough', async () => {
		hold({ balance: 300.75 }, { balance: 0.1, fiat: 'USD' });
		const result = await service.run(bank({ checkBalance: true }), { items: mixed() });
		expect(outcomes(result)).toEqual(['created', 'created', 'created']);
	});

	test('reads the balance once, before anything is sent', async () => {
		await service.run(bank({ checkBalance: true }), { items: mixed() });
		const [first, ...others] = service.sent().map(({ method }) => method);
		expect([first, ...others]).toEqual(['GET', 'POST', 'POST', 'POST']);
	});

	test('compares the balance of the payout’s account type only', async () => {
		hold({ balance: 100 }, { type: 'withdrawal_express', balance: 1_000_000 });
		const result = await service.run(bank({ checkBalance: true }), { items: bankRows(2) });
		expect(result.error?.message).toContain('100 BOB');
		expect(posted(service)).toEqual([]);
	});

	test('sends nothing without a balance in the currency', async () => {
		hold({ balance: 1000, fiat: 'USD' });
		const result = await service.run(bank({ checkBalance: true }), { items: bankRows(1) });
		expect(result.error?.message).toContain('finds no single BOB balance');
		expect(posted(service)).toEqual([]);
	});

	test('ignores the balance for payments by conversion', async () => {
		hold({ balance: 0 });
		const items = [bankRow(0, { funding_source: 'conversion' })];
		const result = await service.run(bank({ checkBalance: true }), { items });
		expect(outcomes(result)).toEqual(['created']);
	});

	test.each(GOING_ON)('compares the balance with valid rows only (%s)', async (onError) => {
		hold({ balance: 100.5 });
		const items = [bankRow(0), bankRow(1, { bank_code: '' })];
		const result = await service.run(bank({ checkBalance: true }), { items, onError });
		expect(outcomes(result)).toEqual(['created', 'notSent']);
	});
});

describe('a mismatch next to invalid rows', () => {
	test.each(GOING_ON)('gives each row its own reason with On Error %s', async (onError) => {
		const items = [bankRow(0), bankRow(1, { bank_code: '' })];
		const result = await service.run(bank({ expectedCount: 5 }), { items, onError });
		expect(posted(service)).toEqual([]);
		const [good, bad] = reported(result);
		expect(good).toMatchObject({ outcome: 'notSent' });
		expect(good.message).toContain('Expected Count is 5');
		expect(bad).toMatchObject({ outcome: 'notSent' });
		expect(bad.message).toContain('Bank Code is required');
	});
});

describe('Dry Run', () => {
	test.each(KINDS)('shows for a $name exactly what a real run sends', async (kind) => {
		const items = rowsOf(kind, 3, service);
		const dry = await service.run({ ...kind.parameters, options: { dryRun: true } }, { items });
		expect(service.sandbox.core.traffic.requests()).toEqual([]);
		expect(dry.error).toBeUndefined();
		expect(outcomes(dry)).toEqual(['ready', 'ready', 'ready']);

		await service.run({ ...kind.parameters, options: { concurrency: 1 } }, { items });
		expect(dry.json.map(({ request }) => request)).toEqual(
			service.sent().map(({ method, path, body }) => ({ method, path, body })),
		);
		expect(dry.json.map(({ reference }) => reference)).toEqual(posted(service));
	});

	test('shows the references that a real run generates', async () => {
		const parameters = { referenceSource: 'generated', batchId: 'payroll' };
		const dry = await service.run(bank({ dryRun: true }, parameters), { items: bankRows(2) });
		await service.run(bank({ concurrency: 1 }, parameters), { items: bankRows(2) });
		expect(dry.json.map(({ reference }) => reference)).toEqual(posted(service));
	});

	test('stops a dry run at invalid rows', async () => {
		const items = [bankRow(0), bankRow(1, { amount: 'all' })];
		const result = await service.run(bank({ dryRun: true }), { items });
		expect(result.error?.description).toContain(
			`${rowName(1, { amount: 'all' })}: Amount ("all") must be a number.`,
		);
	});

	test('returns invalid rows of a dry run with their error if it continues', async () => {
		const items = [bankRow(0), bankRow(1, { amount: 'all' })];
		const result = await service.run(bank({ dryRun: true }), {
			items,
			onError: 'continueErrorOutput',
		});
		expect(result.outputs.map(({ length }) => length)).toEqual([1, 1]);
		expect(service.sandbox.core.traffic.requests()).toEqual([]);
	});

	test('compares the expected figures in a dry run', async () => {
		const result = await service.run(bank({ dryRun: true, expectedCount: 2 }), {
			items: bankRows(3),
		});
		expect(result.error?.message).toContain('Expected Count is 2, but there are 3 items');
	});

	test('compares the balance in a dry run, and requests nothing else', async () => {
		hold({ balance: 1 });
		const result = await service.run(bank({ dryRun: true, checkBalance: true }), {
			items: bankRows(1),
		});
		expect(result.error?.message).toContain('100.5 BOB');
		expect(service.sent().map(({ method }) => method)).toEqual(['GET']);
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
