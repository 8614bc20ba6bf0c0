import type { IDataObject } from 'n8n-workflow';

import { FileTotals } from '../../nodes/payments/fileTotals';
import { readColumnMapping } from '../../nodes/payments/columnMapping';
import { inputResultError } from '../../nodes/payments/inputResult';
import type { Row } from '../../nodes/payments/payment';
import { NAME_ORDERS } from '../../nodes/fields/personNames';
import { MAX_EXAMINED } from '../../nodes/service/outsideText';
import { examined } from '../patterns';
import { BANK, batchOf, executionState } from './builders';
import { contextOf } from './evaluated';

/** Cells of 1 MB, whose slowest text is different for each function that reads them. */
const MEGABYTE = 1_000_000;
const long = (part: string): string => part.repeat(Math.ceil(MEGABYTE / part.length));

/** What reading one such cell may take. The whole machine may be busy, so the fastest of several times counts. */
const MAX_MS = 50;

async function fastest(work: () => unknown): Promise<number> {
	const times: number[] = [];
	for (let round = 0; round < 5; round++) {
		const start = performance.now();
		await work();
		times.push(performance.now() - start);
	}
	return Math.min(...times);
}

async function isFast(work: () => unknown): Promise<void> {
	work();
	const { longest } = await examined(async () => await Promise.resolve(work()));
	expect(longest).toBeLessThanOrEqual(MAX_EXAMINED);
	expect(await fastest(work)).toBeLessThan(MAX_MS);
}

const ROW: IDataObject = {
	'Nombre completo': 'Quispe Mamani María',
	CI: '1498123',
	'Código de banco': '1001',
	'Cuenta destino': '4010203040',
	'Líquido pagable': '2650.00',
	Moneda: 'BOB',
	Glosa: 'Sueldo',
	'Origen de fondos': 'balance',
	'Referencia externa': '5f0c6f6e-3b1d-4f7e-9a53-0c1d2e3f4a5b',
};

const WORST = [
	' ',
	'\u200b',
	'1',
	'1.',
	'1,1',
	'total ',
	'de ',
	'a, ',
	' y ',
	'aA',
	'😀',
	'\ud83d',
];

const mapped = (rows: IDataObject[]) =>
	readColumnMapping(contextOf({}, rows), BANK, BANK.fields, {
		fullName: NAME_ORDERS.surnamesFirst2,
		language: 'es',
	});

describe('a cell of 1 MB', () => {
	test.each(WORST)('of %j is a whole name that is split, or not, at once', async (part) => {
		const rows = [{ ...ROW, 'Nombre completo': long(part) }];
		await isFast(() => mapped(rows));
	});

	test.each(
		['Nombre completo', 'CI', 'Líquido pagable'].flatMap((header) =>
			WORST.map((part) => [header, part] as const),
		),
	)('under %s of %j is no total, or one that is compared at once', async (header, part) => {
		const mapping = mapped([ROW]);
		if (!mapping.ok) throw new Error(mapping.error.message);
		const { map, formats } = mapping.value;
		const totals = new FileTotals(BANK, map, formats, 'es');
		const rows = [ROW, { 'Líquido pagable': '1', [header]: long(part) }].map(
			(columns, itemIndex) => ({ itemIndex, columns }),
		);
		const values = { amount: 2650, currencyType: 'BOB' };
		await isFast(() => {
			const filled = totals.withoutEmpty(rows);
			filled.forEach((row) => totals.isTotal(row));
			return totals.check(filled, [{ itemIndex: 0, values }]);
		});
	});

	test.each(['[', '{"error":', '{"a":[', ' ', '"\\u0000', '1', '{"reference":"', '[{},'])(
		'of %j is read as a failure of another node at once',
		async (part) => {
			const error = long(part);
			const batch = batchOf({ context: contextOf({}, [{ error }]), state: executionState() });
			const row = { itemIndex: 0, values: {}, errors: [], idempotencyKey: 'r-1' } as unknown as Row;
			await isFast(() => expect(inputResultError(batch, row)).toEqual([]));
		},
	);

	test.each(['reference', 'transactionId', 'isOtherPayment', 'outcome', 'code', 'payee', 'amount'])(
		'with a deep %s is no failure of another node',
		async (name) => {
			const depth = MEGABYTE / 2 - 100;
			const deep = `${'['.repeat(depth)}${']'.repeat(depth)}`;
			const error = `{"outcome":"unknown","currency":"BOB","amount":"9","payee":"Ana","${name}":${deep}}`;
			const batch = batchOf({ context: contextOf({}, [{ error }]), state: executionState() });
			const row = {
				itemIndex: 0,
				values: { firstName: 'Ana', amount: 1, currencyType: 'BOB' },
				errors: [],
				idempotencyKey: 'r-1',
			} as unknown as Row;
			await isFast(() => expect(() => inputResultError(batch, row)).not.toThrow());
		},
	);
});
