import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { FIELD_MESSAGES } from '../../nodes/fields/messages';
import { PAYMENT_MESSAGES, ROW_MESSAGES } from '../../nodes/payments/messages';
import { inSpanish, SPANISH_MESSAGES } from '../../nodes/payments/spanish';
import type { FinishedPayment } from '../../nodes/payments/payment';
import { SERVICE_MESSAGES, type MessageTemplate } from '../../nodes/service/messages';
import { useService } from '../engine/service';
import { BANK, reported } from './batch';

const service = useService();

/** The lines of a planilla, as Extract From File gives them with Header Row off. */
const HEADERS = ['Nro.', 'Nombre', 'Apellido', 'CI', 'Banco', 'Cuenta', 'Monto', 'Moneda', 'Glosa'];

const person = (number: number, cells: Record<string, unknown> = {}): unknown[] => {
	const row: Record<string, unknown> = {
		'Nro.': number,
		Nombre: 'Ana',
		Apellido: `Quispe ${number}`,
		CI: `100200${number}`,
		Banco: '1001',
		Cuenta: `20003000${number}`,
		Monto: `1.${number}00,50`,
		Moneda: 'BOB',
		Glosa: 'Sueldo',
	};
	return HEADERS.map((header) => ({ ...row, ...cells })[header]);
};

async function pay(lines: unknown[][], language: string, more: IDataObject = { dryRun: true }) {
	const parameters: INodeParameters = {
		...BANK,
		referenceSource: 'generated',
		batchId: 'sueldos 2026-11',
		defaultValues: { fundingSource: 'balance' },
		beforeSending: more as INodeParameters,
		reading: { language },
	};
	const items = lines.map((row) => ({ row: row as IDataObject[] }));
	return await service.run(parameters, { items, onError: 'continueRegularOutput' });
}

const summaryOf = ({ json }: { json: IDataObject[] }) =>
	json[0].summary as { text: string; html: string; mapping: string };

const LINES = [
	['PLANILLA DE SUELDOS'],
	HEADERS,
	person(1),
	person(2, { Monto: '-5,00' }),
	person(3, { Banco: 'Banco Fassil' }),
	person(4, { CI: '1002001' }),
	person(5, { Cuenta: '#N/A' }),
	person(6, { CI: '8345671-1A' }),
	person(7),
];

test('a dry run in Spanish says in Spanish what is wrong with each row, and what was read', async () => {
	const result = await pay(LINES, 'es');
	const { text, html, mapping } = summaryOf(result);
	for (const said of [
		'Fila 4, Ana Quispe 2: Monto ("-5,00") debe ser mayor que 0.',
		'Código de banco ("Banco Fassil") es el nombre de un banco sin código. Agrégalo en Reading > Bank Names',
		'Documento ("1002001") es igual que en la fila 3, Ana Quispe 1, 1,100.50 BOB. Las filas difieren en ',
		'"Cuenta" y "Monto"',
		'Cuenta ("#N/A") es un error de la hoja de cálculo.',
		'Documento ("8345671-1A") solo puede tener dígitos.',
		'Filas: nombres de las columnas en la fila 2',
	]) {
		expect(text).toContain(said);
	}
	expect(html).toContain('5 filas no se pagan');
	expect(mapping).toMatch(/^Nombres <- Nombre, Apellidos <- Apellido, Documento <- CI, /);
	const [, wrong] = reported(result);
	expect(wrong).toMatchObject({ code: 'notPositive', outcome: 'notSent' });
	expect(wrong.message).toBe('Monto ("-5,00") debe ser mayor que 0.');
});

test('a dry run in English has the same codes, and its messages in English', async () => {
	const [english, spanish] = [await pay(LINES, 'en'), await pay(LINES, 'es')];
	const codes = (result: typeof english) => reported(result).map(({ code }) => code);
	expect(codes(english)).toEqual(codes(spanish));
	expect(summaryOf(english).text).toContain(
		'Amount ("-5,00") must be more than 0. Enter a positive',
	);
	expect(summaryOf(english).text).not.toMatch(/fila|Monto \(/);
});

test('a file that cannot be read is rejected in Spanish, without figures', async () => {
	const { text } = summaryOf(
		await pay(
			[
				['Nombre', 'Teléfono'],
				['Ana', '70000000'],
			],
			'es',
		),
	);
	expect(text).toContain(
		'Ninguna fila de los datos tiene los nombres de las columnas.\nColumnas encontradas: "Nombre", "Teléfono".',
	);
	expect(text).not.toContain('Pagos:');
});

test('a total that is not the sum is rejected in Spanish', async () => {
	const total = HEADERS.map((header) => ({ Nombre: 'TOTAL', Monto: '9.999,00' })[header]);
	const { text } = summaryOf(await pay([HEADERS, person(1), person(2), total], 'es'));
	expect(text).toContain(
		'El monto "9.999,00" en la fila 4 (ítem 3) no tiene beneficiario, como un total. Pero los pagos de arriba suman 2.301,00 BOB',
	);
});

test('what the service declines is named in Spanish, with its own words', async () => {
	await service.sandbox.admin.addFault({
		match: { path: '/v3/transactions/payouts/bank' },
		fault: { type: 'status', status: 422, body: { message: 'The account is closed' } },
	});
	const [{ message, code }] = reported(await pay([HEADERS, person(1)], 'es', {}));
	expect(code).toBe('requestRejected');
	expect(message).toBe('El servicio rechazó la solicitud: The account is closed');
});

const CATALOGUE: Record<string, MessageTemplate> = {
	...SERVICE_MESSAGES,
	...FIELD_MESSAGES,
	...PAYMENT_MESSAGES,
	...ROW_MESSAGES,
};

const filled = (text: string, value: (name: string) => string) =>
	text.replace(/\{(\w+)\}/g, (_, name: string) => value(name));

/** A result with a message whose values are known, in Spanish. */
function translated(code: string, value: (name: string) => string): string {
	const { text, hint = '' } = CATALOGUE[code];
	const result = {
		outcome: 'notSent',
		code,
		reference: '',
		message: filled(text, value),
		hint: filled(hint, value),
	};
	const row = {} as FinishedPayment['row'];
	const [shown] = inSpanish([{ row, result } as FinishedPayment], new Map());
	return (shown.result as typeof result).message;
}

describe.each(Object.keys(SPANISH_MESSAGES) as Array<keyof typeof SPANISH_MESSAGES>)(
	'the message %s',
	(code) => {
		test('has every value in Spanish that it has in English', () => {
			// The separator of amounts is one of two words.
			const value = (name: string) => (name === 'separator' ? 'comma' : `«${name} {1}»`);
			const expected = filled(SPANISH_MESSAGES[code].text, (name) =>
				name === 'separator' ? 'coma' : value(name),
			);
			expect(translated(code, value)).toBe(expected);
		});
	},
);

test('a message with other words than its catalogue stays as it is', () => {
	const result = { outcome: 'rejected', code: 'requestRejected', reference: '', message: 'No.' };
	const payment = { row: {}, result } as FinishedPayment;
	expect(inSpanish([payment], new Map())).toEqual([payment]);
});
