import type { IDataObject } from 'n8n-workflow';

import type { Cost } from '../../nodes/report/costText';
import { payoutRate } from '../../sandbox/rates';
import { cryptoFor } from '../../sandbox/money';
import { type RunResult } from '../engine/runNode';
import { useService } from '../engine/service';
import { bank, bankRow, BANK, PATH } from './batch';

const service = useService({ deliveryRetries: 0 });

const QUOTES = '/v2/quotes';
const conversion = (number: number, more: IDataObject = {}): IDataObject =>
	bankRow(number, { funding_source: 'conversion', ...more });
const PEN = { currency_type: 'PEN', country: 'PE' };

const asked = () => service.sent().filter(({ path }) => path.endsWith(QUOTES));
const paid = () => service.sent().filter(({ path }) => path.endsWith(PATH.bank));
const dryRun = async (items: IDataObject[], options: IDataObject = {}) =>
	await service.run(bank({ dryRun: true, ...options }), { items });
const summaryOf = ({ json }: RunResult) =>
	json[0].summary as { costs: Cost[]; html: string; text: string };

/** The service answers with these quotes. */
const quote = (...changes: IDataObject[]): void => {
	const quotes = changes.map((change) => ({
		transactionType: 'withdrawal_ach',
		pair: 'USDC/BOB',
		serviceExchangeRate: 8,
		partnerExchangeRate: 7,
		partnerPctFee: 0.5,
		timeStamp: '2026-11-24T16:00:00.000Z',
		...change,
	}));
	service.sandbox.core.faults.add({
		match: { method: 'GET', path: QUOTES },
		times: 'always',
		fault: { type: 'json', body: quotes },
	});
};

describe('the cost in a dry run', () => {
	test('is the sum of what the service will ask for, up to its rounding, by asset and pair', async () => {
		const items = [
			conversion(0),
			conversion(1, { amount: '33.33' }),
			conversion(2, PEN),
			conversion(3, { asset_deposit: 'USDT' }),
			bankRow(4),
		];
		const dry = await dryRun(items);
		const { costs } = summaryOf(dry);
		expect(costs).toMatchObject([
			{
				asset: 'USDC',
				quotes: [
					{
						pair: 'USDC/BOB',
						currency: 'BOB',
						count: 2,
						total: '133.83',
						rate: String(payoutRate('BOB')),
						feePercent: '0.5',
						quotedAt: expect.stringMatching(/^20\d\d-.*Z$/),
						estimate: cryptoFor(133.83, payoutRate('BOB')),
					},
					{ pair: 'USDC/PEN', count: 1, total: '100.5' },
				],
			},
			{ asset: 'USDT', quotes: [{ pair: 'USDT/BOB', count: 1 }] },
		]);
		expect(asked()).toHaveLength(1);
		const { json } = await service.run(BANK, { items });
		for (const { asset, amount } of costs) {
			const toFund = json
				.map((row) => row.toFund as IDataObject | undefined)
				.filter((fund) => fund?.asset === asset);
			const sum = toFund.reduce((total, fund) => total + Number(fund?.amount), 0);
			expect(Math.abs(Number(amount) - sum)).toBeLessThan(0.00001);
		}
	});

	test('is on the page of the approval, in and in its text, marked as an estimate', async () => {
		quote({});
		const dry = await dryRun([conversion(0)]);
		const text =
			'about 14.357143 USDC (estimate): 100.50 BOB at 7.00, fee 0.5%, quote of 2026-11-24 16:00 (UTC)';
		const summary = summaryOf(dry);
		expect(summary.costs[0].text).toBe(text);
		expect(summary.text).toContain(`\nCost: ${text}\n`);
		expect(summary.html).toContain(`<td>Cost</td><td>${text}</td>`);
	});

	test('is in a report of the dry run', async () => {
		const dry = await dryRun([conversion(0)]);
		const [{ text }] = summaryOf(dry).costs;
		const { json } = await service.run(
			{ resource: 'transaction', operation: 'createReport' },
			{ items: dry.json },
		);
		expect(json[0].text).toContain(`Cost: ${text}`);
		expect(json[0].html).toContain(`<li>${text}</li>`);
	});

	test('asks the service nothing without a conversion, or in a run that pays', async () => {
		const dry = await dryRun([bankRow(0)]);
		expect(summaryOf(dry).costs).toEqual([]);
		await service.run(BANK, { items: [bankRow(0), conversion(1)] });
		expect(asked()).toEqual([]);
		expect(paid()).toHaveLength(2);
	});
});
