import { LIMITS, SheetBuilder, textCell, tooMany, type Cell, type PaymentFile } from '../sheet';
import { EXACT, numberCell } from './numberFormat';
import { attribute, inside, readElements, unescapeXml, type Element } from './xml';
import type { Zip } from './zip';

/** Equal filled cells in a row. */
const MAX_REPEATED = 100;

/** Reads a sheet of OpenDocument, whose cells say themselves whether they are dates, money or percentages. */
export async function readOds(zip: Zip): Promise<PaymentFile> {
	const sheets: SheetBuilder[] = [];
	const hidden = new Set<string | undefined>();
	const struck = new Set<string | undefined>();
	const fills = new Map<string | undefined, string>();
	let y = 0;
	let x = 0;
	const names = ['style', 'table-column', 'table-row'];
	const take = (element: Element) => {
		const { name, tag } = element;
		const sheet = sheets.at(-1);
		if (name === 'style') {
			const says = (child: string, property: string, ...values: string[]) =>
				inside(element, child).some((one) => !values.includes(attribute(one.tag, property) ?? ''));
			if (says('table-properties', 'display', '', 'true')) hidden.add(attribute(tag, 'name'));
			if (says('text-properties', 'text-line-through-style', '', 'none'))
				struck.add(attribute(tag, 'name'));
			const valueOf = (child: string, property: string) =>
				inside(element, child).map((one) => attribute(one.tag, property) ?? '')[0] ?? '';
			const fill = valueOf('table-cell-properties', 'background-color');
			const ink = valueOf('text-properties', 'color');
			// White behind a cell and dark letters are no colours.
			const colors = [fill.replace(/^(transparent|#f{6})$/, ''), ink.replace(/^#([0-5].){3}$/, '')];
			fills.set(attribute(tag, 'name'), colors.join(' ').trim());
		} else if (name === 'table') {
			const isHidden = hidden.has(attribute(tag, 'style-name'));
			sheets.push(new SheetBuilder(attribute(tag, 'name'), isHidden, zip.budget));
			y = 0;
			x = 0;
		} else if (name === 'table-column' && sheet) {
			const end = x + repeated(tag, 'number-columns-repeated');
			for (let column = x; isHiddenIn(tag) && column < Math.min(end, LIMITS.columns); column++)
				sheet.hiddenColumns.add(column);
			x = end;
		} else if (sheet) {
			const times = repeated(tag, 'number-rows-repeated');
			const cells = cellsOf(element, sheet, y);
			if (cells.length > 0 && times > LIMITS.rows) throw tooMany('rows');
			const notes = inside(element, 'annotation').map(paragraphsOf);
			const isStruck = [...inside(element, 'table-cell'), ...inside(element, 'span')].some(
				(one) => one.text !== '' && struck.has(attribute(one.tag, 'style-name')),
			);
			const own = inside(element, 'table-cell').filter(({ text }) => text !== '');
			for (let row = y; cells.length > 0 && row < y + times; row++) {
				if (isHiddenIn(tag)) sheet.hiddenRows.add(row);
				if (isStruck) sheet.struckRows.add(row);
				for (const cell of own)
					sheet.addFill(row, fills.get(attribute(cell.tag, 'style-name')) ?? '');
				for (const [column, cell] of cells.entries()) sheet.put(row, column, cell);
				for (const note of notes) sheet.addComment(row, note);
			}
			y += times;
		}
	};
	await readElements(zip, 'content.xml', names, take, ['table']);
	return { sheets: sheets.map((sheet) => sheet.build()) };
}

const repeated = (tag: string, name: string): number =>
	Math.max(Number(attribute(tag, name) ?? 1), 1);

/** Whether a row or column is hidden or filtered out. */
const isHiddenIn = (tag: string): boolean =>
	['collapse', 'filter'].includes(attribute(tag, 'visibility') ?? '');

/** The cells of a row. Cells below a merged one are written, too. */
function cellsOf({ children }: Element, sheet: SheetBuilder, y: number): Array<Cell | undefined> {
	const cells: Array<Cell | undefined> = [];
	let x = 0;
	for (const element of children) {
		const { tag } = element;
		const right = x + repeated(tag, 'number-columns-spanned') - 1;
		const bottom = y + repeated(tag, 'number-rows-spanned') - 1;
		if (right > x || bottom > y) sheet.addMerge({ top: y, left: x, bottom, right });
		const cell = cellFrom(element);
		const times = repeated(tag, 'number-columns-repeated');
		for (let more = 0; cell && more < Math.min(times, MAX_REPEATED); more++) cells[x + more] = cell;
		x += times;
	}
	return cells;
}

/** The paragraphs of a cell or an annotation. */
const paragraphsOf = ({ children }: Element): string =>
	unescapeXml(children.flatMap(({ name, text }) => (name === 'p' ? text : [])).join('\n'));

function cellFrom(element: Element): Cell | undefined {
	const shown = paragraphsOf(element);
	const { tag } = element;
	const type = attribute(tag, 'value-type');
	if (type === 'date')
		return { text: attribute(tag, 'date-value')?.slice(0, 10) || shown, kind: 'other' };
	if (!['float', 'currency', 'percentage'].includes(type ?? '')) return textCell(shown);
	const number = Number(attribute(tag, 'value') ?? '');
	// A format may hide a number.
	if (type === 'percentage' || shown === '') return numberCell(number, { kind: 'other' });
	const digits = shown.replace(/\D/g, '');
	// A format shows zeros that the number does not have, and fewer decimals.
	const zeros = /^0\d+$/.test(shown) ? shown.length : undefined;
	const decimals = [...Array(EXACT).keys()].find(
		(one) => number.toFixed(one).replace(/\D/g, '') === digits,
	);
	const currency = attribute(tag, 'currency');
	const cell = numberCell(number, { kind: 'number', currency, zeros, decimals });
	// Thousands that it does not show.
	const isPart =
		zeros === undefined && decimals === undefined && !shown.toUpperCase().includes('E');
	return isPart ? { ...cell, text: shown, exact: number } : cell;
}
