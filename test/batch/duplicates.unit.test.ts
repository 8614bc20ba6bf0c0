import type { Values } from '../../nodes/fields/validators';
import { duplicateKey, materialDigest, payeeAndAmountKey } from '../../nodes/batch/duplicates';
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

const KEYS = { duplicateKey, payeeAndAmountKey, materialDigest };

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
	expect(duplicateKey(BANK, row({ description: 'Bonus' }))).not.toBe(duplicateKey(BANK, row()));
	expect(duplicateKey(BANK, row({ description: ' SALARY\u200b ' }))).toBe(
		duplicateKey(BANK, row()),
	);
});

test('ignores a purpose that all rows share', () => {
	const shared = (description: string) => ({ ...row({ description }), hasSharedPurpose: true });
	expect(duplicateKey(BANK, shared('Bonus'))).toBe(duplicateKey(BANK, shared('Salary')));
	expect(duplicateKey(BANK, shared('Salary'))).not.toBe(duplicateKey(BANK, row()));
});

test('ignores the purpose of an agent’s payment, and of what was sent under a reference', () => {
	const bonus = row({ description: 'Bonus' });
	expect(payeeAndAmountKey(BANK, bonus)).toBe(payeeAndAmountKey(BANK, row()));
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
	expect(duplicateKey(DEPOSIT, row())).toBeUndefined();
	expect(payeeAndAmountKey(DEPOSIT, row())).toBeUndefined();
});
