import type { IDataObject } from 'n8n-workflow';

import type { Values } from '../../nodes/fields/validators';
import { estimateCosts } from '../../nodes/batch/costs';
import type { MoneyEndpoint } from '../../nodes/batch/endpoint';
import type { Row } from '../../nodes/batch/payment';
import { ServiceError } from '../../nodes/service/errors';
import type { Service } from '../../nodes/service/transport';
import { BANK, batchOf, paidBy } from './builders';

/** An endpoint whose rows are written `250 BOB USDC`, or without the asset if they are no conversion. */
const endpointOf = (transactionType: string | undefined): MoneyEndpoint => ({
	...BANK,
	transactionType,
	funding: {
		asset: ({ text }: Values) => String(text).split(' ')[2],
		toFund: () => undefined,
	},
	amount: ({ text }: Values) => {
		const [amount, currency] = String(text).split(' ');
		return amount === '?' ? undefined : { amount, currency };
	},
});

const quote = (pair: string, rate: unknown, more: IDataObject = {}): IDataObject => ({
	pair,
	transactionType: 'withdrawal_ach',
	partnerExchangeRate: rate as string,
	partnerPctFee: '0.5',
	timeStamp: '2026-11-21T08:00:00Z',
	...more,
});

const BOB = quote('USDC/BOB', '6.9252');

/** What the conversions among rows cost, and what was asked for. */
async function estimated(
	rows: string[],
	answer: unknown = [BOB],
	{
		endpoint = endpointOf('withdrawal_ach'),
		hasService = true,
	}: { endpoint?: MoneyEndpoint; hasService?: boolean } = {},
) {
	const request = jest.fn(async () =>
		answer instanceof Error ? await Promise.reject(answer) : await Promise.resolve(answer),
	);
	const batch = batchOf({
		endpoint,
		service: hasService ? ({ request } as unknown as Service) : undefined,
	});
	const costs = await estimateCosts(
		batch,
		rows.map((text) => paidBy(endpoint, { values: { text }, errors: [] } as unknown as Row)),
	);
	return {
		costs,
		hints: batch.hints,
		calls: request.mock.calls as unknown[][],
	};
}

/** The rate that counts for the only conversion. */
const rateOf = async (...quotes: IDataObject[]): Promise<string | undefined> =>
	(await estimated(['100 BOB USDC'], quotes)).costs[0]?.quotes[0].rate;

describe('the cost of conversions', () => {
	test('is added up by asset and currency, from one reading of the quotes', async () => {
		const { costs, hints, calls } = await estimated(
			['100.10 BOB USDC', '7 BOB', '149.90 BOB USDC', '10 USD USDC', '5 BOB USDT', '? BOB USDC'],
			[BOB, quote('USDC/USD', 1), quote('USDT/BOB', '7', { partnerPctFee: 0.25 })],
		);
		expect(calls).toEqual([[{ method: 'GET', path: '/v2/quotes' }]]);
		expect(hints).toEqual([]);
		expect(costs).toEqual([
			{
				asset: 'USDC',
				// Rounded up.
				amount: '46.100041',
				quotes: [
					{
						pair: 'USDC/BOB',
						currency: 'BOB',
						count: 2,
						total: '250',
						rate: '6.9252',
						feePercent: '0.5',
						quotedAt: '2026-11-21T08:00:00Z',
						estimate: '36.100041',
					},
					expect.objectContaining({ pair: 'USDC/USD', count: 1, rate: '1', estimate: '10' }),
				],
				text: expect.stringMatching(
					/^about 46\.100041 USDC \(estimate\): 250\.00 BOB at 6\.9252, fee/,
				),
			},
			expect.objectContaining({
				asset: 'USDT',
				amount: '0.714286',
				quotes: [expect.objectContaining({ pair: 'USDT/BOB', feePercent: '0.25' })],
			}),
		]);
	});

	test.each<[string, string[], Parameters<typeof estimated>[2]]>([
		['there is no conversion', ['100 BOB', '? BOB USDC'], {}],
		['the endpoint has none', ['100 BOB USDC'], { endpoint: { ...BANK, funding: undefined } }],
	])('is not asked for if %s', async (_, rows, given) => {
		const { costs, hints, calls } = await estimated(rows, [BOB], given);
		expect([costs, hints, calls]).toEqual([[], [], []]);
	});

	test('is not known, and not asked for, if the currency of an amount is not', async () => {
		const rows = ['100 QR USDC', '5 QR USDT', '7 QR USDC'];
		const given = { endpoint: endpointOf(undefined) };
		const { costs, hints, calls } = await estimated(rows, [BOB], given);
		const text = 'the service does not say in which currency the amounts are';
		expect(costs).toEqual([
			{ asset: 'USDC', amount: '', quotes: [], text: `USDC: not known: ${text}` },
			{ asset: 'USDT', amount: '', quotes: [], text: `USDT: not known: ${text}` },
		]);
		expect([hints, calls]).toEqual([[], []]);
	});
});

describe('the rate that counts', () => {
	test('is the newest, or the lowest of those that are equally new', async () => {
		const at = (rate: string, timeStamp?: string) => quote('USDC/BOB', rate, { timeStamp });
		expect(await rateOf(at('6', '2026-11-20'), at('7', '2026-11-21'))).toBe('7');
		expect(await rateOf(at('7', '2026-11-21'), at('6', '2026-11-20'))).toBe('7');
		expect(await rateOf(at('7'), at('6'), at('8'))).toBe('6');
		expect(await rateOf(at('10'), at('9'))).toBe('9');
		expect(await rateOf(at('6', 'soon'), at('7', '1999-01-01'))).toBe('7');
	});

	test('is that of the pair and the type', async () => {
		const other = quote('USDC/BOB', '9', { transactionType: 'deposit_express' });
		expect(await rateOf(other, quote('USDT/BOB', '8'), quote('BOB/USDC', '5'), BOB)).toBe('6.9252');
		expect(await rateOf(other, quote('USDT/BOB', '8'))).toBe('');
	});

	test.each<[unknown, string]>([
		['6.96', '6.96'],
		[6.96, '6.96'],
		[0.1 + 0.2, '0.3'],
		[6.123456789, '6.123456789'],
		['6.1234567890123456', '6.1234567890123456'],
		['0', ''],
		['0.000', ''],
		['-1', ''],
		['soon', ''],
		[null, ''],
		[NaN, ''],
	])('of the quote %p is %p', async (rate, known) => {
		expect(await rateOf(quote('USDC/BOB', rate))).toBe(known);
	});

	test('may come without fee and time, and its time is cut', async () => {
		const first = async (more: IDataObject) =>
			(await estimated(['100 BOB USDC'], [quote('USDC/BOB', '7', more)])).costs[0].quotes[0];
		expect(await first({ partnerPctFee: 'x', timeStamp: undefined })).toMatchObject({
			feePercent: '',
			quotedAt: '',
		});
		expect((await first({ timeStamp: 'x'.repeat(50) }))?.quotedAt).toHaveLength(40);
	});
});

describe('without a rate', () => {
	const ERROR = new ServiceError({ code: 'notAllowed', message: 'Not allowed', hint: '' });

	test.each<[unknown, boolean, string]>([
		[[], true, 'the service has no quote for it'],
		[ERROR, true, 'Not allowed'],
		[[BOB], false, 'there is no credential'],
	])('of %p, a hint says why', async (answer, hasService, reason) => {
		const message = `The rate of USDC/BOB is not known: ${reason}`;
		const { hints, costs } = await estimated(['100 BOB USDC'], answer, { hasService });
		expect(hints).toEqual([expect.objectContaining({ message })]);
		expect(costs).toEqual([
			{
				asset: 'USDC',
				amount: '',
				quotes: [
					{
						pair: 'USDC/BOB',
						currency: 'BOB',
						count: 1,
						total: '100',
						rate: '',
						feePercent: '',
						quotedAt: '',
						estimate: '',
					},
				],
				text: 'USDC: not known: 100.00 BOB without a quote for USDC/BOB',
			},
		]);
	});

	test('of one currency, the total of its asset is not known', async () => {
		const { costs, hints } = await estimated(['100 BOB USDC', '5 USD USDC']);
		expect(costs[0]).toMatchObject({ amount: '', quotes: [{ rate: '6.9252' }, { rate: '' }] });
		expect(hints).toHaveLength(1);
	});
});
