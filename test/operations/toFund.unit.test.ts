import type { IDataObject } from 'n8n-workflow';

import type { Values } from '../../nodes/fields/validators';
import { CONVERSION_FUNDING } from '../../nodes/PartnerPayments/resources/payout/toFund';

const toFund = (answer: IDataObject, values: Values = {}) =>
	CONVERSION_FUNDING?.toFund(values, answer);

const ADDRESS = '0x52908400098527886E0F7030069857D2E4169EE7';

describe('what a payout by conversion waits for', () => {
	test.each<[IDataObject, string, string]>([
		[{ amount_deposit: '12.50', deposit_address: ADDRESS }, '12.5', ADDRESS],
		[{ amount_deposit: 12.5 }, '12.5', ''],
		[{ deposit_address: ADDRESS }, '', ADDRESS],
		[{ amount_deposit: 'soon', deposit_address: ADDRESS }, '', ADDRESS],
		[{ amount_deposit: '-1', deposit_address: ADDRESS }, '', ADDRESS],
		[{ amount_deposit: '1'.repeat(40), deposit_address: ADDRESS }, '1'.repeat(40), ADDRESS],
		[{ amount_deposit: '1'.repeat(41), deposit_address: ADDRESS }, '', ADDRESS],
		[{ amount_deposit: '1', deposit_address: 7 }, '1', ''],
	])('is said by the answer %j', (answer, amount, address) => {
		expect(toFund(answer)).toEqual({ amount, asset: 'USDC', blockchain: 'Polygon', address });
	});

	test.each<[IDataObject]>([
		[{}],
		[{ amount_deposit: null, deposit_address: '' }],
		[{ amount_deposit: '0.00', deposit_address: ADDRESS }],
		[{ amount_deposit: '-1' }],
		[{ amount_deposit: 'soon', deposit_address: {} }],
	])('is nothing by the answer %j', (answer) => {
		expect(toFund(answer)).toBeUndefined();
	});

	test('is of the asset and on the blockchain of the payment', () => {
		expect(toFund({ amount_deposit: '1' }, { assetDeposit: 'USDT', blockchain: 'TRON' })).toEqual({
			amount: '1',
			asset: 'USDT',
			blockchain: 'TRON',
			address: '',
		});
	});
});

test.each<[Values, string | undefined]>([
	[{ fundingSource: 'conversion' }, 'USDC'],
	[{ fundingSource: 'conversion', assetDeposit: 'USDT' }, 'USDT'],
	[{ fundingSource: 'balance', assetDeposit: 'USDT' }, undefined],
	[{}, undefined],
])('a payout with %j needs the asset %s', (values, asset) => {
	expect(CONVERSION_FUNDING?.asset(values)).toBe(asset);
});
