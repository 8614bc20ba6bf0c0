import {
	accountNumber,
	bankCode,
	bankNameKey,
	documentNumber,
	isGrouped,
	withoutSeparators,
	type Validator,
} from '../../nodes/fields/validators';
import { read } from './read';

describe('an account number', () => {
	const NOT = 'rejected: notAccountNumber';

	// As it is sent, and the one number that it is in groups.
	test.each<[unknown, string, string?]>([
		['123-456', NOT, '123456'],
		[' 123-456 ', NOT, '123456'],
		['4010 2030 4010', NOT, '401020304010'],
		['12\u201334', NOT, '1234'],
		['401.020.30-5', NOT, '401020305'],
		['12AB 345', NOT, '12AB345'],
		['0012345678', '0012345678'],
		[4000123, '4000123'],
		['1234567.0', '1234567'],
		['12.5', 'rejected: signOrDecimals'],
		['-77', 'rejected: signOrDecimals'],
		['123/456', NOT],
		['/123-456', NOT],
		['123--456', NOT],
		['0-0', 'rejected: noNumber', '00'],
		['CA-40102', NOT],
		// An IBAN may have a group of letters. A word is no part of a number.
		['GB29 NWBK 6016 1331 9268 19', NOT, 'GB29NWBK60161331926819'],
		['A 4010203', NOT, 'A4010203'],
		['CAJA 4010203040', NOT],
		['4010 CA 2030', NOT],
		// Two accounts, each of nine characters or more.
		['401020304 401020305', NOT],
		['40102030 401020305', NOT, '40102030401020305'],
	])('an account number %j is validated, and joined if it is one in groups', (raw, ...results) => {
		const text = String(raw).trim();
		const joined = isGrouped(text) ? [withoutSeparators(text)] : [];
		expect([read(accountNumber(), raw), ...joined]).toEqual(results);
	});
});

describe('a code of a bank', () => {
	test.each<[unknown, string]>([
		['0010', '0010'],
		[1001, '1001'],
		['BNB', 'BNB'],
		['BO-BNB_1.2/3', 'BO-BNB_1.2/3'],
		['Banco Unión', 'rejected: bankName'],
		['UNIÓN', 'rejected: bankName'],
		['N/A', 'rejected: bankName'],
		['-', 'rejected: bankName'],
		['null', 'rejected: bankName'],
		[12.5, 'rejected: signOrDecimals'],
		[true, 'rejected: notText'],
	])('a code of a bank without a table of names: %j gives %j', (raw, result) => {
		expect(read(bankCode(), raw)).toBe(result);
	});

	const withNames = (...names: Array<[string, string]>): Validator =>
		bankCode(new Map(names.map(([name, code]) => [bankNameKey(name), code])));

	const table = () =>
		withNames(['Unión', '1014'], ['Nacional de Bolivia', 'BNB'], ['Mercantil', '003']);

	test.each<[unknown, string]>([
		['BANCO UNION S.A.', '1014'],
		['Banco Nacional de Bolivia', 'BNB'],
		['1014', '1014'],
		['1099', '1099'],
		['BNB', 'BNB'],
		['bnb', 'bnb'],
		['Ganadero', 'rejected: bankName'],
		['FIE', 'rejected: bankName'],
		['Banco Fassil 2', 'rejected: bankName'],
	])('a code of a bank with a table of names: %j gives %j', (raw, result) => {
		expect(read(table(), raw)).toBe(result);
	});

	test('a code of a bank gets back the leading zeros that a spreadsheet dropped, if they fit one code', () => {
		expect(read(table(), 3)).toBe('003');
		expect(read(table(), 1014)).toBe('1014');
		expect(read(table(), 9)).toBe('9');
		expect(read(table(), [3])).toBe('rejected: notText');
		expect(read(withNames(['Unión', '003'], ['Sol', '0003']), 3)).toBe('3');
		expect(read(withNames(['Unión', '003'], ['Sol', '3']), 3)).toBe('3');
	});

	test('that is a number with decimals, or with digits lost, is rejected although it equals a code', () => {
		expect(read(withNames(['Unión', '1.5']), 1.5)).toBe('rejected: signOrDecimals');
		const long = 12_345_678_901_234_568;
		expect(read(withNames(['Unión', String(long)]), long)).toMatch(/^rejected: /);
	});

	test('a code of a bank gets back no zero inside it', () => {
		expect(read(withNames(['Unión', '1020']), 120)).toBe('120');
	});
});

describe('the name of a bank', () => {
	test.each([
		['BANCO UNION S.A.', 'Unión'],
		['Banco de la Nación', 'NACION'],
		['BancoSol', 'Banco Sol'],
		['BANCOSOL', 'Sol'],
		['Bank Mendes', 'BANKMENDES'],
		['Bco. Nacional de Bolivia', 'NACIONALBOLIVIA'],
	])('the name of a bank is the same in %j and %j', (one, other) => {
		expect(bankNameKey(one)).toBe(bankNameKey(other));
	});

	test.each([
		['Interbank', 'Inter'],
		['Interbank Peru', 'Inter Peru'],
		['Banco', ''],
		['Banco Unión', 'Banco Unido'],
	])('differs in %j and %j', (one, other) => {
		expect(bankNameKey(one)).not.toBe(bankNameKey(other));
	});

	test('the name of a bank has the common words if there are no others', () => {
		expect(bankNameKey('Banco S.A.')).toBe('bancosa');
	});
});

describe('a document', () => {
	test.each<[unknown, string]>([
		['12345', '12345'],
		['12345678901234567890', '12345678901234567890'],
		[1498123, '1498123'],
		[['1498123 LP'], 'rejected: notText'],
		['1234', 'rejected: wrongDigitCount'],
		['123456789012345678901', 'rejected: wrongDigitCount'],
		['12345a', 'rejected: notDigits'],
		['5123456-1A', 'rejected: notDigits'],
		['5123456-1', 'rejected: notDigits'],
		['5123456-12', 'rejected: notDigits'],
		['5123456-123', 'rejected: notDigits'],
		['51-23 456', 'rejected: notDigits'],
		['12 345', 'rejected: notDigits'],
		['(12345)', 'rejected: notDigits'],
	])('a document has digits only: %j gives %j', (raw, result) => {
		expect(read(documentNumber(5, 20), raw)).toBe(result);
	});

	test('says how many digits it has and may have', () => {
		expect(documentNumber(5, 20)('1234', {})).toMatchObject({
			error: { message: 'must have 5 to 20 digits, and has 4' },
		});
	});

	test.each([
		['1498123 LP', '1498123'],
		['1498123LP', '1498123'],
		['1498123-SCZ', '1498123'],
		['1498123 cbba.', '1498123'],
		['1498123 . Pn', '1498123'],
		['1498123 XX', 'rejected: notDigits'],
		['1498123 LP 2', 'rejected: notDigits'],
		['LP 1498123', 'rejected: notDigits'],
		['1498123-1 LP', 'rejected: notDigits'],
	])('of a document %j without the place that issued it is sent %s', (raw, number) => {
		expect(read(documentNumber(5, 20), raw)).toBe(number);
	});
});
