import type { AmountFormat } from '../../nodes/fields/money';
import { decimalText, positiveAmount } from '../../nodes/fields/validators';
import { read } from './read';

const DOT: AmountFormat = { decimal: '.', isChosen: false };
const COMMA: AmountFormat = { decimal: ',', isChosen: false };
const CHOSEN_DOT: AmountFormat = { decimal: '.', isChosen: true };
const CHOSEN_COMMA: AmountFormat = { decimal: ',', isChosen: true };

const money = positiveAmount({ places: 2 });
const anyDecimals = positiveAmount();
const crypto = positiveAmount({ isCrypto: true });
const text = decimalText(8);

describe('an amount of money', () => {
	test.each<[unknown, number]>([
		['0.01', 0.01],
		['10.10', 10.1],
		['1,250.00', 1250],
		[0.1 + 0.2, 0.3],
		[12345678.00000001, 12345678],
		['9999999999999.99', 9999999999999.99],
	])('an amount of money is sent as a number: %p as %p', (raw, sent) => {
		expect(read(money, raw)).toBe(sent);
	});

	test.each<[unknown, string]>([
		[0, 'notPositive'],
		['0.00', 'notPositive'],
		['-1', 'notPositive'],
		['0.001', 'tooManyDecimals'],
		[10.005, 'tooManyDecimals'],
		['99999999999999.99', 'tooManyDigits'],
		['USD 5', 'notNumber'],
		['1e5', 'lostDigits'],
		[true, 'notNumber'],
		[undefined, 'notNumber'],
	])('rejects %p: %s', (raw, code) => {
		expect(read(money, raw)).toBe(`rejected: ${code}`);
	});

	test('says how many decimals it may have', () => {
		expect(money('0.001', {})).toMatchObject({
			error: {
				message: 'must have at most 2 decimals',
				hint: 'Round it to 2 decimals.',
			},
		});
	});

	test('an amount of money has as many decimals as a number holds exactly, unless the service limits them', () => {
		expect(read(anyDecimals, '0.125')).toBe(0.125);
		expect(read(anyDecimals, 1.234)).toBe(1.234);
		expect(read(money, '0.125')).toBe('rejected: tooManyDecimals');
	});
});

describe('an amount whose separator may separate decimals or thousands', () => {
	test.each(['1.250', '12.345', '123.456', ' 9.000 ', '1,250', '1.250.000'])(
		'an amount whose separator may separate decimals or thousands is rejected, and names the option that decides it: %j',
		(raw) => {
			for (const validate of [money, anyDecimals]) {
				expect(validate(raw, {})).toMatchObject({
					error: {
						code: 'ambiguousAmount',
						hint: expect.stringContaining('without thousands separators'),
					},
				});
			}
		},
	);

	test.each<[string, AmountFormat]>([
		['1.250', DOT],
		['1,250', COMMA],
		['12,345', COMMA],
		['123,456', COMMA],
		[' 9,000 ', COMMA],
	])(
		'an amount whose separator may separate decimals or thousands is rejected although the column proves its separator, which nobody chose: %j',
		(raw, format) => {
			expect(read(money, raw, format)).toBe('rejected: ambiguousAmount');
		},
	);

	test.each<[string, AmountFormat, number]>([
		['1.250', COMMA, 1250],
		['1,250', DOT, 1250],
		['1.250', CHOSEN_DOT, 1.25],
		['1,250', CHOSEN_COMMA, 1.25],
	])(
		'an amount whose separator may separate decimals or thousands is an amount if the column or the user decides it: %j with %j is %p',
		(raw, format, sent) => {
			expect(read(money, raw, format)).toBe(sent);
		},
	);

	test.each<[string, AmountFormat | undefined, number]>([
		['0.125', undefined, 0.125],
		['1234.567', undefined, 1234.567],
		['1.2500', undefined, 1.25],
		['1.25', undefined, 1.25],
		['0,125', COMMA, 0.125],
		['1234,567', COMMA, 1234.567],
		['1,2500', COMMA, 1.25],
		['1,25', COMMA, 1.25],
	])(
		'an amount whose separator may separate decimals or thousands is not one that can only have decimals: %j with %j is %p',
		(raw, format, sent) => {
			expect(read(anyDecimals, raw, format)).toBe(sent);
		},
	);

	test.each(['1.250', '1,250'])(
		'an amount whose separator may separate decimals or thousands is rejected in a cryptocurrency, too: %j',
		(raw) => {
			expect(read(crypto, raw)).toBe('rejected: ambiguousAmount');
			expect(read(text, raw)).toBe('rejected: ambiguousAmount');
			expect(read(text, '1.250', CHOSEN_DOT)).toBe('1.25');
		},
	);
});

describe('an amount of a cryptocurrency', () => {
	test('an amount of a cryptocurrency keeps the digits up to the eighth decimal', () => {
		expect(read(crypto, 12345678.00000001)).toBe('rejected: lostDigits');
		expect(read(text, 12345678.00000001)).toBe('rejected: lostDigits');
	});

	test.each<[unknown, string]>([
		['0.00000001', '0.00000001'],
		['123456789012345678.5', '123456789012345678.5'],
		[0.1 + 0.2, '0.3'],
		['1,250.50', '1250.5'],
	])('an amount of a cryptocurrency is sent as text to keep every digit: %p as %j', (raw, sent) => {
		expect(read(text, raw)).toBe(sent);
	});

	test.each<[unknown, string]>([
		['0', 'notPositive'],
		['-0.5', 'notPositive'],
		['0.000000001', 'tooManyDecimals'],
		['five', 'notNumber'],
	])('rejects %p: %s', (raw, code) => {
		expect(read(text, raw)).toBe(`rejected: ${code}`);
	});

	test('an amount of a cryptocurrency is read with the decimal separator of its column', () => {
		expect(read(text, '1.250,5', COMMA)).toBe('1250.5');
		expect(read(crypto, '1.250,5', COMMA)).toBe(1250.5);
	});
});
