import { labelIn, listWords, pageLabelWords } from '../../nodes/fields/labels';

describe('a label', () => {
	test.each([
		['Amount', 'Monto'],
		['Destination ID Number', 'Documento'],
		['Key column "CI"', 'Columna clave "CI"'],
		['Key column "Monto "neto""', 'Columna clave "Monto "neto""'],
		['Total Amount', 'Total Amount'],
	])('%s is %s in Spanish, and stays in English', (label, spanish) => {
		expect(labelIn('es', label)).toBe(spanish);
		expect(labelIn('en', label)).toBe(label);
	});
});

test.each([
	['Destination Account', 'Account', 'Cuenta'],
	['Bank Code', 'Bank', 'Banco'],
	['Amount', 'Amount', 'Monto'],
])('%s is %s on a page, and %s in Spanish', (label, en, es) => {
	expect(pageLabelWords(label)).toEqual({ en, es });
});

test('lists texts with the conjunction of each language', () => {
	expect(listWords(['a', 'b', 'c'])).toEqual({ en: 'a, b and c', es: 'a, b y c' });
});
