import {
	LIMITS,
	SheetBuilder,
	textCell,
	tooMany,
	type Cell,
	type PaymentFile,
	type Sheet,
} from '../sheet';
import { numberCell } from './numberFormat';
import { attribute, readXml, unescapeXml } from './xml';
import type { Zip } from './zip';

/** A cell while it is read. */
interface OpenCell {
	type?: string;
	value: string;
	currency?: string;
	isStruck: boolean;
	/** How many equal cells follow one another. */
	times: number;
	text: string;
}

/** A row while it is read. */
interface OpenRow {
	cells: Array<Cell | undefined>;
	/** How many equal rows follow one another. */
	times: number;
	isStruck: boolean;
}

/** Equal filled cells in a row. */
const MAX_REPEATED = 100;

/** Reads a sheet of OpenDocument, whose cells say themselves whether they are dates, money or percentages. */
export async function readOds(zip: Zip): Promise<PaymentFile> {
	const sheets: Sheet[] = [];
	const hiddenStyles = new Set<string>();
	const struckStyles = new Set<string>();
	let style = '';
	let sheet: SheetBuilder | undefined;
	let row: OpenRow | undefined;
	let y = 0;
	let x = 0;
	let cell: OpenCell | undefined;
	let isText = false;
	let isNote = false;
	await readXml(zip, 'content.xml', {
		open(name, tag) {
			const styleName = attribute(tag, 'style-name') ?? '';
			if (name === 'style') {
				style = attribute(tag, 'name') ?? '';
			} else if (name === 'table-properties') {
				if (attribute(tag, 'display') === 'false') hiddenStyles.add(style);
			} else if (name === 'text-properties') {
				const line = attribute(tag, 'text-line-through-style') ?? 'none';
				if (line !== 'none' && sheet === undefined) struckStyles.add(style);
			} else if (name === 'table') {
				const isHidden = hiddenStyles.has(styleName);
				sheet = new SheetBuilder(zip.budget, attribute(tag, 'name') ?? '', isHidden);
				y = 0;
				x = 0;
			} else if (name === 'table-column' && sheet) {
				const times = repeated(tag, 'number-columns-repeated', LIMITS.columns);
				if (isHiddenIn(tag))
					for (let column = 0; column < times; column++) sheet.hiddenColumns.add(x + column);
				x += times;
			} else if (name === 'table-row' && sheet) {
				row = { cells: [], times: repeated(tag, 'number-rows-repeated'), isStruck: false };
				x = 0;
				if (isHiddenIn(tag))
					for (let more = 0; more < Math.min(row.times, LIMITS.rows); more++)
						sheet.hiddenRows.add(y + more);
			} else if (isCell(name) && row && sheet) {
				const right = x + repeated(tag, 'number-columns-spanned') - 1;
				const bottom = y + repeated(tag, 'number-rows-spanned') - 1;
				if (right > x || bottom > y) sheet.addMerge({ top: y, left: x, bottom, right });
				cell = {
					type: attribute(tag, 'value-type'),
					value: attribute(tag, 'value') ?? attribute(tag, 'date-value') ?? '',
					currency: attribute(tag, 'currency'),
					isStruck: struckStyles.has(styleName),
					times: repeated(tag, 'number-columns-repeated'),
					text: '',
				};
			} else if (name === 'span' && cell) {
				cell.isStruck ||= struckStyles.has(styleName);
			} else if (name === 'annotation') {
				isNote = true;
			} else if (name === 'p' && cell && !isNote) {
				isText = true;
				if (cell.text !== '') cell.text += '\n';
			}
		},
		text(piece) {
			if (isText && cell && cell.text.length < LIMITS.text) cell.text += piece;
		},
		close(name) {
			if (name === 'annotation') isNote = false;
			else if (name === 'p') isText = false;
			else if (isCell(name) && cell && row) {
				const read = cellFrom(cell);
				row.isStruck ||= cell.isStruck && read !== undefined;
				const times = read ? Math.min(cell.times, MAX_REPEATED) : 0;
				for (let more = 0; more < times; more++) row.cells[x + more] = read;
				x += cell.times;
				cell = undefined;
			} else if (name === 'table-row' && row && sheet) {
				if (row.cells.length > 0) putRows(sheet, y, row);
				y += row.times;
				row = undefined;
			} else if (name === 'table' && sheet) {
				sheets.push(sheet.build());
				sheet = undefined;
			}
		},
	});
	return { sheets };
}

/** Cells below a merged one are written, too. */
const isCell = (name: string): boolean => name === 'table-cell' || name === 'covered-table-cell';

const repeated = (tag: string, name: string, max = Number.MAX_SAFE_INTEGER): number =>
	Math.min(Math.max(Number(attribute(tag, name) ?? 1), 1), max);

/** Whether a row or column is hidden or filtered out. */
const isHiddenIn = (tag: string): boolean =>
	['collapse', 'filter'].includes(attribute(tag, 'visibility') ?? '');

function putRows(sheet: SheetBuilder, y: number, { cells, times, isStruck }: OpenRow): void {
	if (times > LIMITS.rows) throw tooMany('rows');
	for (let more = 0; more < times; more++) {
		if (isStruck) sheet.struckRows.add(y + more);
		for (const [column, cell] of cells.entries()) sheet.put(y + more, column, cell);
	}
}

function cellFrom({ type, value, currency, text }: OpenCell): Cell | undefined {
	const shown = unescapeXml(text).slice(0, LIMITS.text);
	if (type === 'date') return { text: value.slice(0, 10) || shown, kind: 'other' };
	if (type === 'percentage') return numberCell(Number(value), { kind: 'other' });
	if (type !== 'float' && type !== 'currency') return textCell(shown);
	const number = Number(value);
	const digits = shown.replace(/\D/g, '');
	// A format shows zeros that the number does not have, and fewer decimals.
	const zeros = /^0\d+$/.test(shown) ? shown.length : undefined;
	const decimals = [0, 1, 2].find((one) => number.toFixed(one).replace(/\D/g, '') === digits);
	return numberCell(number, { kind: 'number', currency, zeros, decimals });
}
