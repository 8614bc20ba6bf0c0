import type { IDataObject } from 'n8n-workflow';

import { mapColumns } from '../../nodes/fields/columns';
import { markedRow } from '../../nodes/batch/markedRows';
import { BANK } from './builders';

/** What of a row says that it must not be paid. */
const marks = (row: IDataObject) => markedRow(row, mapColumns(Object.keys(row), BANK.fields));

describe('a row must not be paid', () => {
	test.each<[string, unknown]>([
		['Estado', 'PAGADO'],
		['Estado', ' pagado '],
		['Estado', 'Pagado el 15/11'],
		['Estado del pago', 'Cancelada'],
		['Estado del pago', 'Pagado el 15/11'],
		['Observaciones', 'No pagar'],
		['Observaciones', 'no pagar hasta nuevo aviso'],
		['Obs.', 'Ya pagado'],
		['Obs.', 'ya se pagó el lunes'],
		['Nota', 'No se paga'],
		['Nota', 'De baja'],
		['Nota', 'dado de baja'],
		['Nota', 'baja'],
		['Nota', 'Se retiró'],
		['Comentarios', 'Pago anulado'],
		['Comentarios', 'pagar en efectivo'],
		['Comentarios', 'Se paga con cheque'],
		['status', 'on hold'],
		['Status', 'Do not pay'],
		['Activo', 'No'],
		['Activo', 'N'],
		['Vigente', false],
		['Pagar', 0],
		['¿Pagar?', 'no'],
		['Anulado', 'Sí'],
		['Pagado', 'x'],
		['Pagado', '✓'],
		['Pagado', ' ✓ '],
		// Of a long text, the beginning counts.
		['Pagado', `x${' '.repeat(50)}y`],
		['Pagado', true],
		['Pagado', 1],
		['Paid', 'Yes'],
		['Forma de pago', 'Efectivo'],
		['Tipo pago', 'cheque'],
		['Payment method', 'CASH'],
		['Estado', `pagado ${'x'.repeat(100)}`],
	])('if %j is %j', (header, cell) => {
		const [error, ...others] = marks({ Monto: 5, [header]: cell as string });
		expect(others).toEqual([]);
		expect(error).toMatchObject({
			field: `Column "${header}"`,
			code: 'rowMarked',
			message: 'says that this row must not be paid',
		});
	});

	test('says what the cell has', () => {
		expect(marks({ Estado: 'PAGADO' })[0].value).toBe('"PAGADO"');
	});

	test('may be said in several columns', () => {
		expect(marks({ Estado: 'Anulado', Pagado: 'x', Ciudad: 'pagado' })).toHaveLength(2);
	});
});

describe('a row may be paid', () => {
	test.each<[string, unknown]>([
		['Estado', 'Activo'],
		['Estado', 'No pagado'],
		['Estado', 'rechazado'],
		['Estado', ''],
		['Estado', null],
		['Estado', { pagado: true }],
		['Estado', ['pagado']],
		['Estado', undefined],
		['Ciudad', 'Pagado'],
		['Activo', 'Sí'],
		['Pagado', 'No'],
		['Pagado', ''],
		['Pagado', 's/ 100'],
		['Pagado', '1,250.00'],
		['Saldo a pagar', '0'],
		['Saldo a pagar', 0],
		['Forma de pago', 'Transferencia'],
		['Forma', 'Efectivo'],
		['Nota', `${'x'.repeat(40)} pagado`],
	])('if %j is %j', (header, cell) => {
		expect(marks({ Monto: 5, [header]: cell as string })).toEqual([]);
	});

	test('whatever the columns of fields say', () => {
		expect(marks({ Glosa: 'pagado', Nombres: 'Baja' })).toEqual([]);
	});
});
