import { userMessage } from '../../messages/userMessage';
import {
	LIMITS,
	SheetBuilder,
	textCell,
	UnreadableFile,
	tooMany,
	type Cell,
	type PaymentFile,
	type Sheet,
} from '../sheet';
import { numberCell, numberFormat, type NumberFormat } from './numberFormat';
import { attribute, inside, readElements, unescapeXml, type Element } from './xml';
import type { Zip } from './zip';

/** What a style, or a shared text, says of the cells that refer to it. */
interface Style {
	readonly format?: NumberFormat;
	readonly isStruck: boolean;
	/** The colours behind a cell and of its letters, as the file names them. */
	readonly fill?: string;
}

/** What the cells of all sheets refer to, by number. */
interface Workbook {
	readonly strings: ReadonlyArray<Style & { text: string }>;
	readonly styles: readonly Style[];
}

/** What Excel puts before a thread of comments, for programs that know none, ends with it. */
const END_OF_NOTICE = 'linkid=870924';

/** Reads an Excel workbook, also in the strict form of its format. */
export async function readXlsx(zip: Zip): Promise<PaymentFile> {
	const main = [...zip.names].find((name) => /^xl\/workbook\d?\.xml$/.test(name.slice(0, 40)));
	if (main === undefined) throw new UnreadableFile(userMessage('notASheet'));
	const parts = await readRelations(zip, main);
	const workbook = {
		strings: await readStrings(zip, parts.get('sharedStrings') ?? ''),
		styles: await readStyles(zip, parts.get('styles') ?? ''),
	};
	const sheets: Sheet[] = [];
	const tags: string[] = [];
	await readElements(zip, main, ['sheet'], ({ tag }) => void tags.push(tag));
	for (const tag of tags) {
		const part = parts.get(attribute(tag, 'id') ?? '') ?? '';
		const isHidden = attribute(tag, 'state')?.toLowerCase().includes('hidden');
		const sheet = new SheetBuilder(attribute(tag, 'name'), isHidden, zip.budget);
		await readSheet(zip, part, sheet, workbook);
		const comments = (await readRelations(zip, part)).get('comments') ?? '';
		await readElements(zip, comments, ['comment'], ({ tag: place, text }) => {
			const comment = unescapeXml(text).split(END_OF_NOTICE).at(-1) ?? '';
			sheet.addComment(placeOf(attribute(place, 'ref') ?? '').row, comment);
		});
		// A chart is no sheet.
		if (zip.names.has(part)) sheets.push(sheet.build());
	}
	return { sheets };
}

/** The parts that a part refers to, by the ID and by the type of their relation. */
async function readRelations(zip: Zip, of: string): Promise<Map<string, string>> {
	const parts = new Map<string, string>();
	const name = of.lastIndexOf('/') + 1;
	const relations = `${of.slice(0, name)}_rels/${of.slice(name)}.rels`;
	await readElements(zip, relations, ['Relationship'], ({ tag }) => {
		const target = attribute(tag, 'Target') ?? '';
		// What a sheet refers to stands next to its folder.
		const part = target.startsWith('/') ? target.slice(1) : `xl/${target.replace('../', '')}`;
		parts.set(attribute(tag, 'Id') ?? '', part);
		parts.set((attribute(tag, 'Type') ?? '').split('/').at(-1) ?? '', part);
	});
	return parts;
}

const isStruck = (element: Element): boolean =>
	inside(element, 'strike').some(
		({ tag }) => !['0', 'false'].includes(attribute(tag, 'val') ?? ''),
	);

/** White behind a cell is no colour: nobody sees it. Neither are dark letters, and those of links. */
const USUAL = { fgColor: /^(FF|00)F{6}/, color: /^(FF([0-5].){3}|,1[01]?,|,,,(8|64)?$)/ };

/** The colour of a fill or a font as the file names it, or nothing. */
function colorOf(element: Element, name: keyof typeof USUAL): string {
	const [color = ''] = inside(element, name).map(({ tag }) =>
		['rgb', 'theme', 'tint', 'indexed'].map((one) => attribute(tag, one) ?? '').join(','),
	);
	return USUAL[name].test(color) ? '' : color;
}

async function readStrings(zip: Zip, part: string): Promise<Workbook['strings']> {
	const strings: Array<Style & { text: string }> = [];
	await readElements(zip, part, ['si'], (element) => {
		strings.push({ text: unescapeXml(element.text), isStruck: isStruck(element) });
		if (strings.length > LIMITS.cells) throw tooMany('cells');
	});
	return strings;
}

async function readStyles(zip: Zip, part: string): Promise<Style[]> {
	const codes = new Map<number, string>();
	let fonts: boolean[] = [];
	let inks: string[] = [];
	let fills: string[] = [];
	let styles: Style[] = [];
	const names = ['numFmts', 'fonts', 'fills', 'cellXfs'];
	await readElements(zip, part, names, ({ name, children }) => {
		if (name === 'fonts') {
			fonts = children.map(isStruck);
			inks = children.map((font) => colorOf(font, 'color'));
		}
		if (name === 'fills') fills = children.map((fill) => colorOf(fill, 'fgColor'));
		for (const { tag } of name === 'numFmts' ? children : [])
			codes.set(numberIn(tag, 'numFmtId'), attribute(tag, 'formatCode') ?? '');
		if (name === 'cellXfs')
			styles = children.map(({ tag }) => {
				const id = numberIn(tag, 'numFmtId');
				return {
					format: numberFormat(id, codes.get(id)),
					isStruck: fonts[numberIn(tag, 'fontId')] ?? false,
					fill: [fills[numberIn(tag, 'fillId')], inks[numberIn(tag, 'fontId')]].join(' ').trim(),
				};
			});
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

/** Whether a row or column is hidden, or has no size. */
const isHiddenIn = (tag: string, size: string): boolean =>
	['1', 'true', 'on'].includes(attribute(tag, 'hidden') ?? '') || attribute(tag, size) === '0';

async function readSheet(
	zip: Zip,
	part: string,
	sheet: SheetBuilder,
	workbook: Workbook,
): Promise<void> {
	let row = -1;
	await readElements(zip, part, ['row', 'col', 'mergeCell'], ({ name, tag, children }) => {
		if (name === 'mergeCell') {
			const [from, to = from] = (attribute(tag, 'ref') ?? '').split(':').map(placeOf);
			sheet.addMerge({ top: from.row, left: from.column, bottom: to.row, right: to.column });
		} else if (name === 'col') {
			const last = Math.min(numberIn(tag, 'max'), LIMITS.columns);
			if (isHiddenIn(tag, 'width'))
				for (let column = numberIn(tag, 'min'); column <= last; column++)
					sheet.hiddenColumns.add(column - 1);
		} else {
			row = Number(attribute(tag, 'r') ?? row + 2) - 1;
			if (isHiddenIn(tag, 'ht')) sheet.hiddenRows.add(row);
			let column = -1;
			for (const child of children) {
				const reference = attribute(child.tag, 'r');
				column = reference === undefined ? column + 1 : placeOf(reference).column;
				putCell(sheet, row, column, child, workbook);
			}
		}
	});
}

/** A formula whose result the file lacks: a program that is no spreadsheet wrote it. */
const NO_RESULT: Cell = { text: '=?', kind: 'other' };

/** Puts what a cell shows. */
function putCell(
	sheet: SheetBuilder,
	row: number,
	column: number,
	element: Element,
	{ strings, styles }: Workbook,
): void {
	const { tag, children } = element;
	const type = attribute(tag, 't') ?? 'n';
	const value = children.find(({ name }) => name === 'v' || name === 'is')?.text ?? '';
	const style: Style | undefined = styles[numberIn(tag, 's')];
	const shared = type === 's' ? strings[Number(value)] : undefined;
	if (value === '') {
		const hasFormula = children.some(({ name }) => name === 'f');
		return hasFormula && type !== 'str' ? sheet.put(row, column, NO_RESULT) : undefined;
	}
	sheet.addFill(row, style?.fill ?? '');
	if (style?.isStruck || shared?.isStruck || isStruck(element)) sheet.struckRows.add(row);
	if (type === 'n') return sheet.put(row, column, numberCell(Number(value), style?.format));
	const text = type === 'b' ? (value === '1' ? 'TRUE' : 'FALSE') : unescapeXml(value);
	sheet.put(row, column, textCell(type === 's' ? (shared?.text ?? '') : text));
}
