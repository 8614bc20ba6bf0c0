import type { IDataObject } from 'n8n-workflow';

import { FileTotals } from '../../nodes/batch/fileTotals';
import { readColumnMapping } from '../../nodes/batch/columnMapping';
import { inputResult } from '../../nodes/batch/inputResult';
import type { Row } from '../../nodes/batch/payment';
import { NAME_ORDERS } from '../../nodes/fields/personNames';
import { MAX_EXAMINED } from '../../nodes/service/outsideText';
import { examined } from '../patterns';
import { BANK, batchOf, executionState, SPANISH_COLUMNS } from './builders';
import { contextOf } from './evaluated';

/** Cells of 1 MB, whose slowest text is different for each function that reads them. */
const MEGABYTE = 1_000_000;
const long = (part: string): string => part.repeat(Math.ceil(MEGABYTE / part.length));

/** How many characters patterns may examine to read one such cell: a few times as many as it has. */
const MAX_TOTAL = 3 * MEGABYTE;

async function isQuick(work: () => unknown): Promise<void> {
	const { longest, total } = await examined(async () => await Promise.resolve(work()));
	expect(longest).toBeLessThanOrEqual(MAX_EXAMINED);
	expect(total).toBeLessThanOrEqual(MAX_TOTAL);
}

const ROW: IDataObject = { 'Nombre completo': 'Quispe Mamani María', ...SPANISH_COLUMNS };

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
		await isQuick(() => mapped(rows));
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
		await isQuick(() => {
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
			await isQuick(() => expect(inputResult(batch, row)).toBeUndefined());
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
			await isQuick(() => expect(() => inputResult(batch, row)).not.toThrow());
		},
	);
});
