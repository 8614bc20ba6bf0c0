import type { IDataObject } from 'n8n-workflow';

import type { Cost } from '../../nodes/report/costText';
import { payoutRate } from '../../sandbox/rates';
import { cryptoFor } from '../../sandbox/money';
import { CREDENTIAL_ID, type RunResult } from '../engine/runNode';
import { useService } from '../engine/service';
import { allHints, bank, bankRow, BANK, hints, outcomes, PATH, reported } from './batch';

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
const minimum = (...rates: Array<[string, string]>): IDataObject => ({
	minimumRate: { total: rates.map(([currency, amount]) => ({ currency, amount })) },
});

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

const fail = (status: number) =>
	service.sandbox.core.faults.add({
		match: { method: 'GET', path: QUOTES },
		times: 'always',
		fault: { type: 'status', status },
	});

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

	test('is on the page of the approval, in its text and in the hint, marked as an estimate', async () => {
		quote({});
		const dry = await dryRun([conversion(0)]);
		const text =
			'about 14.357143 USDC (estimate): 100.50 BOB at 7.00, fee 0.5%, quote of 2026-11-24T16:00:00.000Z';
		const summary = summaryOf(dry);
		expect(summary.costs[0].text).toBe(text);
		expect(summary.text).toContain(`\nCost: ${text}\n`);
		expect(summary.html).toContain(`<td>Cost</td> <td>${text}</td>`);
		expect(allHints(dry).join()).toContain(`cost ${text}`);
	});

	test('is in Spanish if the page is', async () => {
		quote({});
		const { text } = summaryOf(await dryRun([conversion(0)], { language: 'es' }));
		expect(text).toContain(
			'\nCosto: unos 14,357143 USDC (estimación): 100,50 BOB a 7,00, comisión 0.5 %, cotización de 2026-11-24T16:00:00.000Z\n',
		);
	});

	test('is in a report of the dry run', async () => {
		const dry = await dryRun([conversion(0)]);
		const [{ text }] = summaryOf(dry).costs;
		const { json } = await service.run(
			{ resource: 'transaction', operation: 'createReport' },
			{ items: dry.json },
		);
		for (const form of ['text', 'summaryHtml']) expect(json[0][form]).toContain(`Cost: ${text}`);
		expect(json[0].html).toContain(`<li>${text}</li>`);
	});

	test('takes the newest quote of the pair for bank payouts', async () => {
		quote(
			{ transactionType: 'withdrawal_express', partnerExchangeRate: 1 },
			{ pair: 'USDT/BOB', partnerExchangeRate: 2 },
			{ partnerExchangeRate: 6.5, timeStamp: '2026-11-24T15:00:00.000Z' },
			{ partnerExchangeRate: 6.9 },
			{ partnerExchangeRate: 6.7, timeStamp: undefined },
		);
		const [{ quotes }] = summaryOf(await dryRun([conversion(0)])).costs;
		expect(quotes).toMatchObject([{ rate: '6.9' }]);
	});

	test.each<[string, IDataObject[], string]>([
		[
			'the newest, whatever its time zone',
			[
				{ partnerExchangeRate: 6.5, timeStamp: '2026-11-24T16:30:00.000Z' },
				{ partnerExchangeRate: 6.9, timeStamp: '2026-11-24T13:00:00-04:00' },
				{ partnerExchangeRate: 6.7, timeStamp: '2026-11-24T16:59:59Z' },
			],
			'6.9',
		],
		[
			'the newest to the millisecond',
			[
				{ partnerExchangeRate: 6.9, timeStamp: '2026-11-24T16:30:00.500Z' },
				{ partnerExchangeRate: 6.5, timeStamp: '2026-11-24T16:30:00Z' },
			],
			'6.9',
		],
		[
			'the lowest of several that are equally new',
			[
				{ partnerExchangeRate: 6.9 },
				{ partnerExchangeRate: '6.5' },
				{ partnerExchangeRate: 6.7, timeStamp: '2026-11-24T18:00:00+02:00' },
			],
			'6.5',
		],
		[
			'the lowest if nobody can read the times',
			[
				{ partnerExchangeRate: 6.5, timeStamp: 'yesterday' },
				{ partnerExchangeRate: 6.9, timeStamp: undefined },
				{ partnerExchangeRate: 6.7, timeStamp: '24/11' },
			],
			'6.5',
		],
	])('takes of several quotes %s', async (_, quotes, rate) => {
		quote(...quotes);
		expect(summaryOf(await dryRun([conversion(0)])).costs).toMatchObject([{ quotes: [{ rate }] }]);
	});

	test('is not known for QR payouts, of which nobody knows the currency', async () => {
		const items = [{ funding_source: 'conversion' }, { funding_source: 'balance' }].map(
			(more, number) => ({
				image: `code ${number}`,
				external_reference: `qr-${number}`,
				amount: '10',
				asset_deposit: 'USDT',
				blockchain: 'TRON',
				...more,
			}),
		);
		const dry = await service.run(bank({ dryRun: true }, { operation: 'createQr' }), { items });
		const text = 'USDT: not known: the service does not say in which currency the amounts are';
		expect(summaryOf(dry).costs).toEqual([{ asset: 'USDT', amount: '', quotes: [], text }]);
		expect(summaryOf(dry).text).toContain(`Cost: ${text}`);
		expect(asked()).toEqual([]);
	});

	test('counts only what would be sent now', async () => {
		await service.run(BANK, { items: [conversion(0)] });
		const again = summaryOf(await dryRun([conversion(0), conversion(1)]));
		expect(again.costs).toMatchObject([{ quotes: [{ count: 1 }] }]);
		expect(summaryOf(await dryRun([conversion(0)])).costs).toEqual([]);
	});

	test.each<[string, IDataObject]>([
		['of another pair', { pair: 'USDC/PEN' }],
		['of another type', { transactionType: 'withdrawal_express' }],
		['without a rate', { partnerExchangeRate: undefined }],
		['with the rate zero', { partnerExchangeRate: 0 }],
		['with a negative rate', { partnerExchangeRate: -7 }],
		['with a rate that is no number', { partnerExchangeRate: 'about 7' }],
	])('is not known with a quote %s', async (_, change) => {
		quote(change);
		const dry = await dryRun([conversion(0)]);
		expect(outcomes(dry)).toEqual(['ready']);
		expect(summaryOf(dry).costs).toEqual([
			{
				asset: 'USDC',
				amount: '',
				quotes: [
					{
						pair: 'USDC/BOB',
						currency: 'BOB',
						count: 1,
						total: '100.5',
						rate: '',
						feePercent: '',
						quotedAt: '',
						estimate: '',
					},
				],
				text: 'USDC: not known: 100.50 BOB without a quote for USDC/BOB',
			},
		]);
		expect(hints(dry)).toContain(
			'The rate of USDC/BOB is not known: the service has no quote for it',
		);
	});

	test('has no total if one of its pairs has no quote', async () => {
		quote({});
		const [{ amount, text }] = summaryOf(await dryRun([conversion(0), conversion(1, PEN)])).costs;
		expect(amount).toBe('');
		expect(text).toMatch(/^USDC: not known: 100\.50 BOB at 7\.00, .*; 100\.50 PEN without a quote/);
	});

	test('takes a rate with more digits than a number holds', async () => {
		quote(
			{ partnerExchangeRate: 6.925200000000001 },
			{ pair: 'USDC/PEN', partnerExchangeRate: 1 / 3 },
		);
		const [{ quotes }] = summaryOf(await dryRun([conversion(0), conversion(1, PEN)])).costs;
		expect(quotes).toMatchObject([{ rate: '6.9252' }, { rate: '0.333333333333' }]);
	});

	test.each([
		[403, 'does not allow'],
		[500, 'status 500'],
	])('is not known, and said so, if the quotes give status %s', async (status, said) => {
		fail(status);
		const dry = await dryRun([conversion(0)]);
		expect(outcomes(dry)).toEqual(['ready']);
		expect(summaryOf(dry).text).toContain('USDC: not known');
		expect(hints(dry).join()).toMatch(new RegExp(`rate of USDC/BOB is not known: .*${said}`));
	});

	test('is not known without a credential', async () => {
		service.credentials.save(CREDENTIAL_ID, { ...service.login, baseUrl: '' });
		const dry = await dryRun([conversion(0)]);
		expect(outcomes(dry)).toEqual(['ready']);
		expect(hints(dry)).toContain('The rate of USDC/BOB is not known: there is no credential');
		const rejected = await dryRun([conversion(0)], minimum(['BOB', '1']));
		expect(reported(rejected)).toMatchObject([{ outcome: 'notSent' }]);
	});

	test('asks the service nothing without a conversion, or in a run that pays', async () => {
		const dry = await dryRun([bankRow(0)]);
		expect(summaryOf(dry).costs).toEqual([]);
		await service.run(BANK, { items: [bankRow(0), conversion(1)] });
		await service.run(bank(minimum(['BOB', '1'])), { items: [bankRow(2)] });
		expect(asked()).toEqual([]);
		expect(paid()).toHaveLength(3);
	});
});

describe('Minimum Rate', () => {
	const run = async (options: IDataObject, items = [conversion(0), bankRow(1)]) =>
		await service.run(bank(options), { items });

	test.each(['7', '6.99', '0'])('lets a batch through at the rate 7 if it is %s', async (rate) => {
		quote({});
		const result = await run(minimum(['BOB', rate]));
		expect(outcomes(result)).toEqual(['created', 'created']);
		expect(hints(result).join()).toContain('cost about 14.357143 USDC (estimate)');
	});

	test.each<[string, IDataObject[], IDataObject, RegExp, string]>([
		[
			'the quote is lower',
			[{}],
			minimum(['BOB', '7.0001']),
			/quote for USDC\/BOB is 7, but Minimum Rate for BOB is 7\.0001/,
			'rateTooLow',
		],
		[
			'it has another currency',
			[{}],
			minimum(['PEN', '3']),
			/Minimum Rate for BOB is missing/,
			'rateTooLow',
		],
		[
			'there is no quote',
			[],
			minimum(['BOB', '0']),
			/rate of USDC\/BOB is not known/,
			'rateUnknown',
		],
	])('sends nothing if %s, also in a dry run', async (_, quotes, options, message, code) => {
		quote(...quotes);
		const result = await run(options);
		expect(result.error?.message).toMatch(message);
		expect(reported(result)).toMatchObject([{ code }, { code }]);
		expect((await run({ ...options, dryRun: true })).error?.message).toMatch(message);
		expect(paid()).toEqual([]);
	});

	test('sends nothing if the quotes cannot be read', async () => {
		fail(403);
		const result = await run(minimum(['BOB', '0']));
		expect(result.error?.message).toMatch(
			/rate of USDC\/BOB is not known: The service does not allow/,
		);
		expect(paid()).toEqual([]);
	});

	test('takes the higher of two rates for a currency', async () => {
		quote({});
		expect(outcomes(await run(minimum(['BOB', '6'], ['bob', '7'])))).toEqual([
			'created',
			'created',
		]);
		const low = await run(minimum(['BOB', '7.1'], ['BOB', '6']), [conversion(2)]);
		expect(low.error?.message).toContain('Minimum Rate for BOB is 7.1');
	});

	test('counts every pair of a batch', async () => {
		quote({}, { pair: 'USDC/PEN', partnerExchangeRate: 3 });
		const items = [conversion(0), conversion(1, PEN)];
		const low = await run(minimum(['BOB', '7'], ['PEN', '3.01']), items);
		expect(low.error?.message).toContain('USDC/PEN is 3, but Minimum Rate for PEN is 3.01');
		const fine = await run(minimum(['BOB', '7'], ['PEN', '3']), items);
		expect(outcomes(fine)).toEqual(['created', 'created']);
	});

	test('sends what others have paid by then as already sent, not as rejected', async () => {
		quote({});
		await run({});
		const again = await run(minimum(['BOB', '9']));
		expect(outcomes(again)).toEqual(['alreadySent', 'alreadySent']);
	});
});
