import { userMessage } from '../../messages/userMessage';
import {
	LIMITS,
	SheetBuilder,
	textCell,
	tooMany,
	UnreadableFile,
	type Cell,
	type PaymentFile,
	type Sheet,
} from '../sheet';
import { numberCell, numberFormat, type NumberFormat } from './numberFormat';
import { attribute, isSet, readXml, unescapeXml } from './xml';
import type { Zip } from './zip';

/** What the cells of all sheets refer to. */
interface Workbook {
	/** The shared texts. */
	strings: string[];
	/** The numbers of those of which something is struck through. */
	struckStrings: ReadonlySet<number>;
	/** What the styles of cells say. */
	styles: Style[];
}

interface Style {
	format: NumberFormat;
	isStruck: boolean;
}

/** A part of the workbook, as its relations name it. */
interface Relation {
	id?: string;
	type: string;
	part: string;
}

/** Reads an Excel workbook, also in the strict form of its format. */
export async function readXlsx(zip: Zip): Promise<PaymentFile> {
	const main = zip.names.find((name) => /^xl\/workbook\d?\.xml$/.test(name.slice(0, 40)));
	if (main === undefined) throw new UnreadableFile(userMessage('notASheet'));
	const relations = await readRelations(zip, main.slice('xl/'.length));
	const partOf = (type: string) =>
		relations.find((one) => one.type.endsWith(`/${type}`))?.part ?? '';
	const found: Array<{ name: string; isHidden: boolean; part: string }> = [];
	await readXml(zip, main, {
		open(name, tag) {
			if (name !== 'sheet') return;
			const id = attribute(tag, 'id');
			found.push({
				name: attribute(tag, 'name') ?? '',
				isHidden: attribute(tag, 'state')?.toLowerCase().includes('hidden') ?? false,
				part: relations.find((one) => one.id === id)?.part ?? '',
			});
		},
	});
	const texts = await readStrings(zip, partOf('sharedStrings'));
	const styles = await readStyles(zip, partOf('styles'));
	const sheets: Sheet[] = [];
	for (const { part, name, isHidden } of found) {
		const sheet = new SheetBuilder(zip.budget, name, isHidden);
		if (await readSheet(zip, part, sheet, { ...texts, styles })) sheets.push(sheet.build());
	}
	return { sheets };
}

async function readRelations(zip: Zip, main: string): Promise<Relation[]> {
	const relations: Relation[] = [];
	await readXml(zip, `xl/_rels/${main}.rels`, {
		open(name, tag) {
			if (name !== 'Relationship') return;
			const target = attribute(tag, 'Target') ?? '';
			relations.push({
				id: attribute(tag, 'Id'),
				type: attribute(tag, 'Type') ?? '',
				part: target.startsWith('/') ? target.slice(1) : `xl/${target}`,
			});
		},
	});
	return relations;
}

/** The shared texts. */
async function readStrings(zip: Zip, part: string): Promise<Omit<Workbook, 'styles'>> {
	const strings: string[] = [];
	const struckStrings = new Set<number>();
	let text: string | undefined;
	await readXml(zip, part, {
		open(name) {
			if (name === 'si') text = '';
			if (name === 'strike') struckStrings.add(strings.length);
		},
		text(piece) {
			if (text !== undefined && text.length < LIMITS.text) text += piece;
		},
		close(name) {
			if (name !== 'si') return;
			if (strings.push(unescapeXml(text ?? '')) > LIMITS.cells) throw tooMany('cells');
			text = undefined;
		},
	});
	return { strings, struckStrings };
}

async function readStyles(zip: Zip, part: string): Promise<Style[]> {
	const codes = new Map<number, string>();
	const struckFonts: boolean[] = [];
	const styles: Style[] = [];
	let list = '';
	await readXml(zip, part, {
		open(name, tag) {
			if (name === 'fonts' || name === 'cellXfs') list = name;
			if (name === 'numFmt')
				codes.set(numberIn(tag, 'numFmtId'), attribute(tag, 'formatCode') ?? '');
			if (list === 'fonts' && name === 'font') struckFonts.push(false);
			if (list === 'fonts' && name === 'strike')
				struckFonts[struckFonts.length - 1] = !['0', 'false'].includes(attribute(tag, 'val') ?? '');
			if (list === 'cellXfs' && name === 'xf') {
				const id = numberIn(tag, 'numFmtId');
				styles.push({
					format: numberFormat(id, codes.get(id)),
					isStruck: struckFonts[numberIn(tag, 'fontId')] ?? false,
				});
			}
		},
		close(name) {
			if (name === list) list = '';
		},
	});
	return styles;
}

const numberIn = (tag: string, name: string): number => Number(attribute(tag, name) ?? 0);

/** The row and column of `AB12`, counted from 0. Without a digit the row is NaN. */
function placeOf(reference: string): { row: number; column: number } {
	let column = 0;
	let at = 0;
	for (; at < reference.length; at++) {
		const letter = reference.charCodeAt(at) - 64;
		if (letter < 1 || letter > 26) break;
		column = column * 26 + letter;
	}
	return { row: Number.parseInt(reference.slice(at), 10) - 1, column: column - 1 };
}

const NO_STYLE: Style = { format: { kind: 'number' }, isStruck: false };

/** A cell while it is read. */
interface OpenCell extends Style {
	type?: string;
	value?: string;
	hasFormula: boolean;
}

/** Reads a sheet. Returns whether there is such a part: a chart is no sheet. */
async function readSheet(
	zip: Zip,
	part: string,
	sheet: SheetBuilder,
	workbook: Workbook,
): Promise<boolean> {
	let row = -1;
	let column = -1;
	let cell: OpenCell | undefined;
	let isInValue = false;
	return await readXml(zip, part, {
		open(name, tag) {
			if (name === 'row') {
				row = Number(attribute(tag, 'r') ?? row + 2) - 1;
				column = -1;
				if (isSet(tag, 'hidden') || attribute(tag, 'ht') === '0') sheet.hiddenRows.add(row);
			} else if (name === 'c') {
				const reference = attribute(tag, 'r');
				column = reference === undefined ? column + 1 : placeOf(reference).column;
				const style = workbook.styles[numberIn(tag, 's')] ?? NO_STYLE;
				cell = { type: attribute(tag, 't'), ...style, hasFormula: false };
			} else if (name === 'v' || name === 't') {
				isInValue = true;
				if (cell) cell.value ??= '';
			} else if (name === 'strike' && cell) {
				cell.isStruck = true;
			} else if (name === 'f' && cell) {
				cell.hasFormula = true;
			} else if (name === 'col') {
				if (isSet(tag, 'hidden') || attribute(tag, 'width') === '0') hideColumns(sheet, tag);
			} else if (name === 'mergeCell') {
				const [from, to = from] = (attribute(tag, 'ref') ?? '').split(':').map(placeOf);
				sheet.addMerge({ top: from.row, left: from.column, bottom: to.row, right: to.column });
			}
		},
		text(piece) {
			if (isInValue && cell?.value !== undefined && cell.value.length < LIMITS.text)
				cell.value += piece;
		},
		close(name) {
			if (name === 'v' || name === 't') isInValue = false;
			if (name !== 'c' || !cell) return;
			const isShared = cell.type === 's' && workbook.struckStrings.has(Number(cell.value));
			if (cell.value !== undefined && (cell.isStruck || isShared)) sheet.struckRows.add(row);
			if (row >= 0) sheet.put(row, column, cellFrom(cell, workbook));
			cell = undefined;
		},
	});
}

function hideColumns(sheet: SheetBuilder, tag: string): void {
	const last = Math.min(numberIn(tag, 'max'), LIMITS.columns);
	for (let column = numberIn(tag, 'min'); column <= last; column++)
		sheet.hiddenColumns.add(column - 1);
}

/** A formula whose result the file lacks: a program that is no spreadsheet wrote it. */
const NO_RESULT: Cell = { text: '=?', kind: 'other' };

/** What a cell shows; undefined if it shows nothing. */
function cellFrom(
	{ type = 'n', format, value = '', hasFormula }: OpenCell,
	{ strings }: Workbook,
): Cell | undefined {
	if (value === '') return hasFormula && type !== 'str' ? NO_RESULT : undefined;
	if (type === 'n') return numberCell(Number(value), format);
	if (type === 'b') return textCell(value === '1' ? 'TRUE' : 'FALSE');
	return textCell(type === 's' ? (strings[Number(value)] ?? '') : unescapeXml(value));
}
