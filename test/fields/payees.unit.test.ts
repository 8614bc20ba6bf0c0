import {
	accountNumber,
	documentNumber,
	personName,
	referenceText,
	anyText,
} from '../../nodes/fields/validators';
import type { Validator } from '../../nodes/fields/validators';

const codeOf = (validate: Validator, raw: unknown): string | undefined => {
	const result = validate(raw, {});
	return result.ok ? undefined : result.error.code;
};

/** What a spreadsheet shows where a formula failed, in English and Spanish. */
const SPREADSHEET_ERRORS = [
	...['#N/A', '#N/D', '#REF!', '#¡REF!', '#VALUE!', '#¡VALOR!', '#NAME?', '#¿NOMBRE?', '#NULL!'],
	...[
		'#DIV/0!',
		'#¡DIV/0!',
		'#NUM!',
		'#¡NUM!',
		'#SPILL!',
		'#¡DESBORDAMIENTO!',
		' #n/a ',
		'Err:502',
		'=A1',
		'=SUM(E2:E9)',
	],
];

describe.each<[string, Validator]>([
	['a name', personName()],
	['an account', accountNumber()],
	['a document', documentNumber(5, 20)],
	['a reference', referenceText()],
	['a description', anyText({ max: 200 })],
])('%s', (_, validate) => {
	test.each(SPREADSHEET_ERRORS)('is not %j', (raw) => {
		expect(codeOf(validate, raw)).toBe('spreadsheetError');
	});
});

describe('names', () => {
	test.each([
		...['-', '--', '.', '?', 'N/A', 'n/a', 'N/D', 'S/N', 'null', 'undefined', 'NaN', '/'],
		...['1', '12 3', '1.', 'TOTAL', 'Totales', 'Subtotal', 'Ejemplo'],
	])('rejects %j, which is nobody’s name', (raw) => {
		expect(codeOf(personName(), raw)).toBe('placeholder');
	});

	test.each(['Nu?ez', 'Mu–oz', 'JosŽ', 'Mar‡a', 'MU„OZ', 'Jos‚'])(
		'rejects the name %j, of which a letter was read with the wrong encoding',
		(raw) => {
			expect(codeOf(personName(), raw)).toBe('brokenLetters');
		},
	);

	test.each([
		'Na',
		'Null',
		'Total Gas SRL',
		'3M',
		'O’Brien',
		'García–López',
		'Ñ',
		'O',
		'20th Century',
		'#1 Motors',
		'María José',
		'王',
	])('accepts the name %j', (raw) => {
		expect(codeOf(personName(), raw)).toBeUndefined();
	});
});

describe('numbers of a payee', () => {
	test.each(['0', '0000000000', '0000000', 'N/A', 'ND', '-', '--', 'xxx'])(
		'rejects the account %j, which has no digit but 0',
		(raw) => {
			expect(codeOf(accountNumber(), raw)).toBe('noNumber');
		},
	);

	test.each(['00000', '0000000000', 'N/A', '-', 'S/N', 'pendiente'])(
		'rejects the document %j, which has no digit but 0',
		(raw) => {
			expect(codeOf(documentNumber(5, 20), raw)).toBe('noNumber');
		},
	);

	test.each(['0000000001', '1000000000', 'CR05015202001026284066'])(
		'accepts the account %j',
		(raw) => {
			expect(codeOf(accountNumber(), raw)).toBeUndefined();
		},
	);
});
