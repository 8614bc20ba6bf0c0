import type { IDataObject } from 'n8n-workflow';

import { cellUnder, type ColumnMap } from '../fields/columns';
import { normalizeWord, wordsOf } from '../fields/text';
import { showValue, type ValidationError } from '../fields/validateFields';
import { userMessage } from './messages';

/** What files say of rows that must not be paid, by the words of headers. All words are normalized. */
const MARKS: ReadonlyArray<{ headers: readonly string[]; cells: readonly string[] }> = [
	{
		headers: [
			...['estado', 'estatus', 'status', 'situacion', 'observaciones', 'observacion', 'obs'],
			...['comentarios', 'comentario', 'notas', 'nota'],
		],
		// A row that was rejected is corrected and paid.
		cells: [
			...['pagado', 'pagada', 'cancelado', 'cancelada', 'anulado', 'anulada'],
			...['retenido', 'suspendido', 'bloqueado', 'nopagar', 'baja', 'retirado'],
			...['retirada', 'inactivo', 'inactiva', 'desvinculado', 'desvinculada', 'cesado'],
			...['paid', 'cancelled', 'canceled', 'void', 'hold', 'onhold', 'donotpay', 'inactive'],
			'terminated',
		],
	},
	{ headers: ['activo', 'activa', 'vigente', 'active', 'pagar'], cells: ['no', 'n', 'false', '0'] },
	{
		headers: ['pagado', 'anulado', 'paid', 'void'],
		cells: ['si', 's', 'yes', 'true', '1', 'x', '✓', '✔', 'pagado', 'anulado', 'paid', 'void'],
	},
	{
		headers: ['forma', 'medio', 'modalidad', 'tipo', 'modo']
			.flatMap((word) => [`${word}pago`, `${word}depago`])
			.concat('paymentmethod'),
		cells: ['efectivo', 'cheque', 'caja', 'ventanilla', 'cash', 'check'],
	},
];

/** How remarks begin that say the same as `No pagar`. */
const REMARK =
	/^(no((pag|abon|deposit)ar|sepaga)|yapagad|yasepago|(dad[oa])?debaja|seretiro|pago(anul|cancel|reten|suspend)ad|[a-z]{0,8}(en|con)(efectivo|cheque))/;

/** What of a row says that it must not be paid, in columns that no field has: `Estado` is `PAGADO`. */
export function markedRow(row: IDataObject, { unmapped }: ColumnMap): ValidationError[] {
	return unmapped
		.filter((header) => isMark(header, cellUnder(row, header)))
		.map((header) => ({
			field: `Column ${showValue(header)}`,
			value: showValue(row[header]),
			...userMessage('rowMarked'),
		}));
}

function isMark(header: string, cell: unknown): boolean {
	// An object may have no text.
	if (!['string', 'number', 'boolean'].includes(typeof cell)) return false;
	const text = String(cell).slice(0, MAX_MARK).trim();
	const word = normalizeWord(text);
	// `Pagado el 15/11`, but not `No pagado`, `S/ 100` or `1,250.00`.
	const [first = ''] = wordsOf(text);
	const said = [text, word, REMARK.test(word) ? 'nopagar' : first.length > 1 ? first : ''];
	// 0 in `Saldo a pagar` is an amount.
	const names = [normalizeWord(header), ...(/^\d/.test(text) ? [] : wordsOf(header))];
	return MARKS.some(
		({ headers, cells }) =>
			names.some((name) => headers.includes(name)) && said.some((one) => cells.includes(one)),
	);
}

/** More than a mark has. */
const MAX_MARK = 40;
