import type { Values } from '../../nodes/fields/validators';
import { itemName, paidFields, rowName } from '../../nodes/batch/rowName';
import { BANK, CRYPTO, DEPOSIT, QR } from './builders';

const named = (endpoint: typeof BANK, values: object, itemIndex = 1) =>
	rowName(endpoint, { itemIndex, values: values as Values });

const MARIA = { firstName: 'María', lastName: 'Quispe', amount: 900, currencyType: 'BOB' };

test.each([
	['a person', BANK, MARIA, 'row 2, María Quispe, 900.00 BOB'],
	[
		'a company',
		BANK,
		{ ...MARIA, lastName: undefined, amount: 12345.6 },
		'row 2, María, 12,345.60 BOB',
	],
	['a person without an amount', BANK, { ...MARIA, amount: undefined }, 'row 2, María Quispe'],
	[
		'a person without a currency',
		BANK,
		{ ...MARIA, currencyType: undefined },
		'row 2, María Quispe, 900.00',
	],
	[
		'an address',
		CRYPTO,
		{ destinationWallet: '0xAb', amount: '0.00000001', asset: 'USDT' },
		'row 2, 0xAb, 0.00000001 USDT',
	],
	['a QR code', QR, { image: 'code', amount: 5, assetDeposit: 'USDC' }, 'row 2 (item 1)'],
	['a deposit', DEPOSIT, { fiatAmount: 5, fiatCurrency: 'BOB' }, 'row 2 (item 1)'],
	['nothing', BANK, {}, 'row 2 (item 1)'],
])('names a row that pays %s', (_, endpoint, values, name) => {
	expect(named(endpoint, values)).toBe(name);
});

test('cuts a name that is longer than names are', () => {
	const values = { ...MARIA, firstName: 'x'.repeat(5_000) } as unknown as Values;
	expect(paidFields(BANK, { values }).payee).toHaveLength(100);
});

test('numbers rows from one and items from zero', () => {
	expect([0, 41].map((index) => itemName(index))).toEqual(['row 1 (item 0)', 'row 42 (item 41)']);
});
