import type { Values } from '../../nodes/fields/validators';
import { copyKeys, duplicateKeys, materialDigest } from '../../nodes/batch/duplicates';
import { BANK, CRYPTO, DEPOSIT, QR } from './builders';

const VALUES: Values = {
	firstName: 'Ana',
	lastName: 'Rojas',
	destinationIdNumber: '0812345',
	bankCode: '1001',
	destinationAccount: '0012',
	amount: '100.5',
	currencyType: 'BOB',
	description: 'Salary',
	fundingSource: 'balance',
};

const row = (values: Values = {}) => ({ values: { ...VALUES, ...values } });

const ADDRESS = '0x52908400098527886E0F7030069857D2E4169EE7';

const crypto = (values: Values = {}) => ({
	values: {
		destinationWallet: ADDRESS,
		blockchain: 'Polygon',
		amount: '1.5',
		asset: 'USDC',
		...values,
	},
});

const duplicateKey = (...[endpoint, one]: Parameters<typeof duplicateKeys>) =>
	duplicateKeys(endpoint, one).payee;
const copyKey = (...[endpoint, one]: Parameters<typeof copyKeys>) => copyKeys(endpoint, one)[0];

const KEYS = { duplicateKey, copyKey, materialDigest };

describe.each(Object.entries(KEYS))('%s', (name, keyOf) => {
	test.each<[string, Values]>([
		['an amount written in another way', { amount: '100.50' }],
		['a document whose leading zeros are lost', { destinationIdNumber: '812345' }],
		['another name', { firstName: 'ANA MARIA', lastName: 'ROJAS' }],
		['a document type', { documentType: 'national_id' }],
	])(`${name} is the same with %s`, (_, values) => {
		expect(keyOf(BANK, row(values))).toBe(keyOf(BANK, row()));
	});

	test.each<[string, Values]>([
		['amount', { amount: '100.51' }],
		['currency', { currencyType: 'USD' }],
		['document number', { destinationIdNumber: '812346' }],
	])(`${name} differs for another %s`, (_, values) => {
		expect(keyOf(BANK, row(values))).not.toBe(keyOf(BANK, row()));
	});

	test(`${name} shows none of the values`, () => {
		expect(keyOf(BANK, row())).toMatch(/^[\w-]{43}$/);
	});

	test(`${name} is the same for an EVM address in other letter case`, () => {
		expect(keyOf(CRYPTO, crypto({ destinationWallet: ADDRESS.toLowerCase() }))).toBe(
			keyOf(CRYPTO, crypto()),
		);
	});
});

test('compares the purpose of duplicates, whatever its spaces and case', () => {
	expect(copyKey(BANK, row({ description: 'Bonus' }))).not.toBe(copyKey(BANK, row()));
	expect(copyKey(BANK, row({ description: ' SALARY\u200b ' }))).toBe(copyKey(BANK, row()));
});

test('finds the same account with a corrected document, and the same payee with another account', () => {
	const key = duplicateKeys(BANK, row());
	const document = duplicateKeys(BANK, row({ destinationIdNumber: '0812354' }));
	const account = duplicateKeys(BANK, row({ destinationAccount: '0013' }));
	expect([document.payee === key.payee, document.account === key.account]).toEqual([false, true]);
	expect([account.payee === key.payee, account.account === key.account]).toEqual([true, false]);
	expect(duplicateKeys(CRYPTO, crypto())).not.toHaveProperty('account');
});

test('keeps the purpose out of what the ledger compares, and of what was sent under a reference', () => {
	const bonus = row({ description: 'Bonus' });
	expect(duplicateKeys(BANK, bonus)).toEqual(duplicateKeys(BANK, row()));
	expect(materialDigest(BANK, bonus)).toBe(materialDigest(BANK, row()));
});

test.each<[string, Values]>([
	['bank', { bankCode: '1002' }],
	['account', { destinationAccount: '0013' }],
	['country', { country: 'PE' }],
])('makes another digest for another %s', (_, values) => {
	expect(materialDigest(BANK, row(values))).not.toBe(materialDigest(BANK, row()));
});

test('makes the same digest for the country that the service assumes', () => {
	expect(materialDigest(BANK, row({ country: 'BO' }))).toBe(materialDigest(BANK, row()));
});

test('makes another digest for another blockchain', () => {
	expect(materialDigest(CRYPTO, crypto({ blockchain: 'Ethereum' }))).not.toBe(
		materialDigest(CRYPTO, crypto()),
	);
});

test('takes the content of a QR code for its payee', () => {
	const qr = (image: string) => ({ values: { image, assetDeposit: 'USDC' } });
	expect(duplicateKey(QR, qr('a'))).toBe(duplicateKey(QR, qr('a')));
	expect(duplicateKey(QR, qr('a'))).not.toBe(duplicateKey(QR, qr('b')));
});

test('makes no duplicate key at an endpoint that pays nobody', () => {
	expect(duplicateKeys(DEPOSIT, row())).toEqual({});
	expect(copyKeys(DEPOSIT, row())).toEqual([]);
});
