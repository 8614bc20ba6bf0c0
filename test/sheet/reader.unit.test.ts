/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- runs beside n8n, not in it */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Cell, Sheet } from '../../nodes/sheet/sheet';
import { bookOf, firstSheet, readBytes, sheetJs, zipOf, type BookParts } from './workbook';

const FILES = join(__dirname, '../fixtures/sheet');
const EXAMPLES = join(__dirname, '../../examples');

/** The cells of a sheet by their names, such as `B2`. */
function cells(sheet: Sheet): Record<string, Cell> {
	const byName: Record<string, Cell> = {};
	const letter = (index: number) => String.fromCharCode(65 + index);
	const nameOf = (index: number) =>
		(index < 26 ? '' : letter(Math.floor(index / 26) - 1)) + letter(index % 26);
	for (const { row, cells: line } of sheet.lines) {
		for (const [column, cell] of line.entries())
			if (cell && (cell.mergedFrom ?? row) === row) byName[`${nameOf(column)}${row + 1}`] = cell;
	}
	return byName;
}

describe('reads what SheetJS reads', () => {
	interface TheirCell {
		t: string;
		v?: unknown;
		w?: string;
		z?: string;
	}

	/** What a cell is for both: a number with the decimals that it shows, or a text. */
	const theirs = ({ t, v, w }: TheirCell): unknown =>
		t === 'n' ? Number(v) : t === 'b' ? String(v).toUpperCase() : String(w ?? v).trim();

	const compare = async (data: Buffer) => {
		const file = await readBytes(data);
		if (typeof file === 'string') throw new Error(file);
		const book = sheetJs.read(data, { cellDates: false, cellNF: true });
		expect(file.sheets.map(({ name }) => name)).toEqual(book.SheetNames);
		let compared = 0;
		for (const sheet of file.sheets) {
			const ours = cells(sheet);
			for (const [name, cell] of Object.entries(book.Sheets[sheet.name])) {
				const their = cell as TheirCell;
				if (name.startsWith('!') || their.t === 'z' || their.t === 'e') continue;
				const own = ours[name];
				if (theirs(their) === '') {
					expect([name, own?.text ?? '']).toEqual([name, '']);
				} else if (own.kind === 'other') {
					expect([name, their.t]).toEqual([name, 'n']);
				} else {
					const value = typeof theirs(their) === 'number' ? (own.exact ?? own.number) : own.text;
					expect([name, value]).toEqual([name, theirs(their)]);
				}
				compared++;
			}
			expect(
				Object.keys(ours).filter(
					(name) => ours[name].kind !== 'other' && !Object.hasOwn(book.Sheets[sheet.name], name),
				),
			).toEqual([]);
		}
		return compared;
	};

	test.each([
		...readdirSync(FILES)
			.filter((name) => name.endsWith('.xlsx'))
			.map((name) => join(FILES, name)),
		...readdirSync(EXAMPLES)
			.filter((name) => name.endsWith('.xlsx'))
			.map((name) => join(EXAMPLES, name)),
	])('in %s', async (path) => {
		expect(await compare(readFileSync(path))).toBeGreaterThan(5);
	});

	/** Numbers that differ from run to run, always the same in one run. */
	const rows = Array.from({ length: 60 }, (_, row) =>
		Array.from({ length: 12 }, (_cell, column) => {
			const n = (row * 7919 + column * 104_729) % 9973;
			const kinds = [
				n,
				n / 100,
				-n / 8,
				`Ñandú ${n} & <b> "x"`,
				n % 2 === 0,
				null,
				`00${n}`,
				` ${n} `,
			];
			return kinds[(row + column) % kinds.length];
		}),
	);

	test.each(['xlsx', 'ods'])('in a generated %s', async (bookType) => {
		const book = sheetJs.utils.book_new();
		sheetJs.utils.book_append_sheet(book, sheetJs.utils.aoa_to_sheet(rows), 'Uno');
		sheetJs.utils.book_append_sheet(book, sheetJs.utils.aoa_to_sheet(rows.slice(0, 5)), 'Dos');
		const data = sheetJs.write(book, { type: 'buffer', bookType });
		expect(await compare(data)).toBeGreaterThan(500);
	});
});

describe('shows a cell as a person sees it', () => {
	const styles = (codes: string[], fonts = '<font/>') =>
		`<numFmts>${codes.map((code, index) => `<numFmt numFmtId="${200 + index}" formatCode="${code.replaceAll('"', '&quot;')}"/>`).join('')}</numFmts><fonts>${fonts}</fonts><cellXfs>${codes.map((_, index) => `<xf numFmtId="${200 + index}" fontId="0"/>`).join('')}</cellXfs>`;

	test.each<[string, number, Partial<Cell>]>([
		['General', 1234.5, { text: '1234.5', kind: 'number', number: 1234.5 }],
		['General', 0.1 + 0.2, { text: '0.3', number: 0.3 }],
		['0.00', 2618.6999999, { text: '2618.7', number: 2618.7 }],
		['#,##0', 1250.5, { text: '1251', number: 1251, exact: 1250.5 }],
		['#,##0.00,', 2_520_500, { text: '2520.5', number: 2_520_500, exact: 2_520_500 }],
		['#,##0,.00', 2_520_500, { kind: 'other' }],
		['0.00E+00', 2520.5, { kind: 'other' }],
		['# ?/?', 2520.5, { kind: 'other' }],
		['#,##0.0#', 2520.5, { kind: 'number', number: 2520.5 }],
		['[h]:mm', 2520.5, { kind: 'other' }],
		['00000000', 7_654_321, { text: '07654321', kind: 'text' }],
		['"Bs" #,##0.00', 500, { text: '500', currency: 'Bs' }],
		['#,##0.00 "$us."', 500, { currency: '$us.' }],
		['[$Bs-400A]\\ #,##0.00', 500, { currency: 'Bs' }],
		['[$$-409]#,##0.00', 500, { currency: '$' }],
		['[$$-2C0A]\\ #,##0.00', 500, { currency: 'pesos' }],
		['[$$-1009]#,##0.00', 500, { currency: 'pesos' }],
		['_("$"* #,##0.00_);_("$"* (#,##0.00)', 500, { currency: '$' }],
		['[Red]#,##0.00;-#,##0.00', 500, { kind: 'number', number: 500 }],
		['dd/mm/yyyy', 46_367, { text: '2026-12-11', kind: 'other' }],
		['d/m/yy h:mm', 46_367.5, { text: '2026-12-11', kind: 'other' }],
		['0%', 0.5, { text: '0.5', kind: 'other' }],
		[';;;', 2940.1, { kind: 'other' }],
		['"Pagado";;', 2940.1, { kind: 'other' }],
		['[=0]"-";#,##0.00', 2940.1, { kind: 'number', number: 2940.1 }],
		['', 2940.1, { kind: 'number', number: 2940.1 }],
		['0.00" días"', 30, { currency: 'días' }],
		['General', 1e300, { kind: 'number', text: '1e+300' }],
		['General', 12_345_678_901_234_568, { text: '1.23456789012346e+16' }],
		['0'.repeat(20), 2_191_112_345_678_012, { text: '2.191112345678012e+15' }],
	])('%s shows %d', async (code, value, shown) => {
		const sheet = `<sheetData><row r="1"><c r="A1" s="0"><v>${value}</v></c></row></sheetData>`;
		const { lines } = await firstSheet(bookOf({ sheet, styles: styles([code]) }));
		expect(lines[0].cells[0]).toMatchObject(shown);
	});

	test.each<[string, BookParts, (Partial<Cell> & { isStruck?: true }) | undefined]>([
		[
			'a shared text in pieces',
			{
				sheet: '<c t="s"><v>0</v></c>',
				strings: '<si><r><t>Ana </t></r><r><t>&amp; Luz</t></r></si>',
			},
			{ text: 'Ana & Luz' },
		],
		[
			'a text of its own',
			{ sheet: '<c t="inlineStr"><is><t>Ana Luz</t></is></c>' },
			{ text: 'Ana Luz' },
		],
		[
			'the result of a formula',
			{ sheet: '<c t="str"><f>HYPERLINK("http://x")</f><v>=cmd|x</v></c>' },
			{ text: '=cmd|x', kind: 'other' },
		],
		['a formula without a result', { sheet: '<c><f>A1+1</f></c>' }, { kind: 'other' }],
		['an error', { sheet: '<c t="e"><v>#REF!</v></c>' }, { text: '#REF!', kind: 'other' }],
		[
			'a text that is struck through',
			{
				styles:
					'<fonts><font><strike/></font></fonts><cellXfs><xf numFmtId="0" fontId="0"/></cellXfs>',
				sheet: '<c t="inlineStr" s="0"><is><t>Ana</t></is></c>',
			},
			{ isStruck: true },
		],
		[
			'a shared text of which a part is struck through',
			{
				sheet: '<c t="s"><v>0</v></c>',
				strings: '<si><r><rPr><strike/></rPr><t>Ana</t></r><r><t> Luz</t></r></si>',
			},
			{ text: 'Ana Luz', isStruck: true },
		],
		[
			'a text of its own of which a part is struck through',
			{ sheet: '<c t="inlineStr"><is><r><rPr><strike/></rPr><t>Ana</t></r></is></c>' },
			{ text: 'Ana', isStruck: true },
		],
		[
			'characters as Excel escapes them',
			{ sheet: '<c t="inlineStr"><is><t>Ana_x0020_Luz_x000D_ _x005F_x0020_</t></is></c>' },
			{ text: 'Ana Luz\r _x0020_' },
		],
		[
			'a text that is too long',
			{ sheet: `<c t="inlineStr"><is><t>${'x'.repeat(1200)}</t></is></c>` },
			{ text: 'x'.repeat(1000), kind: 'other' },
		],
		[
			'a shared text that is too long with its last piece',
			{
				sheet: '<c t="s"><v>0</v></c>',
				strings: `<si><r><t>${'x'.repeat(1000)}</t></r><r><t>y</t></r></si>`,
			},
			{ kind: 'other' },
		],
		['an empty text', { sheet: '<c t="inlineStr"><is><t> </t></is></c>' }, undefined],
	])('reads %s', async (_name, parts, shown) => {
		const sheet = `<sheetData><row>${String(parts.sheet)}<c><v>1</v></c></row></sheetData>`;
		const book = bookOf({ styles: styles(['dd/mm/yyyy']), ...parts, sheet });
		const { lines, struckRows } = await firstSheet(book);
		const [cell] = lines[0].cells;
		if (shown) expect({ ...cell, isStruck: struckRows.has(0) }).toMatchObject(shown);
		else expect(cell).toBeUndefined();
	});

	test('says which rows, columns and sheets are hidden, and which cells are merged', async () => {
		const sheet =
			'<cols><col min="2" max="3" hidden="1"/></cols><sheetData><row r="1"><c r="A1"><v>1</v></c></row><row r="2" hidden="true"><c r="B2"><v>2</v></c></row><row r="3" ht="0"><c r="A3"><v>1</v></c></row></sheetData><mergeCells><mergeCell ref="A1:C2"/></mergeCells>';
		const read = await firstSheet(bookOf({ sheet }));
		expect([...read.hiddenRows]).toEqual([1, 2]);
		expect([...read.hiddenColumns]).toEqual([1, 2]);
		expect(read.lines.map(({ cells }) => cells[0])).toMatchObject([
			{ text: '1', span: 3, mergedFrom: 0 },
			{ text: '1', span: 3, mergedFrom: 0 },
			{ text: '1' },
		]);
		const book = sheetJs.utils.book_new();
		for (const name of ['Uno', 'Dos'])
			sheetJs.utils.book_append_sheet(book, sheetJs.utils.aoa_to_sheet([[1]]), name);
		const hidden = { ...book, Workbook: { Sheets: [{ Hidden: 0 }, { Hidden: 1 }] } };
		const file = await readBytes(sheetJs.write(hidden, { type: 'buffer', bookType: 'xlsx' }));
		expect(file).toMatchObject({ sheets: [{ isHidden: false }, { isHidden: true }] });
	});

	test('reads the colours behind the cells of a row, but white', async () => {
		const fills = ['', 'rgb="FFFF0000"', 'rgb="FFFFFFFF"', 'theme="4" tint="0.5"']
			.map((color) => `<fill><patternFill><fgColor ${color}/></patternFill></fill>`)
			.join('');
		const styles = `<fills><fill/>${fills}</fills><cellXfs>${[0, 2, 3, 4].map((id) => `<xf fillId="${id}"/>`).join('')}</cellXfs>`;
		const rowOf = (...cells: number[]) =>
			`<row>${cells.map((style) => `<c s="${style}"><v>1</v></c>`).join('')}<c s="2"/></row>`;
		const sheet = `<sheetData>${rowOf(1, 3)}${rowOf(0, 2)}${rowOf(3, 1)}</sheetData>`;
		const read = await firstSheet(bookOf({ styles, sheet }));
		const both = ',4,0.5, FFFF0000,,,';
		expect([...read.fills]).toEqual([
			[0, both],
			[2, both],
		]);
	});

	test.each([
		['rgb="FFC00000"', ['FFC00000,,,']],
		['indexed="10"', [',,,10']],
		['theme="0"', [',0,,']],
		['theme="1" tint="0.1"', []],
		['theme="10"', []],
		['rgb="FF222222"', []],
		['indexed="8"', []],
	])('letters of colour %s have a colour: %p', async (color, expected) => {
		const styles = `<fonts><font/><font><color ${color}/></font></fonts><cellXfs><xf fontId="0"/><xf fontId="1"/></cellXfs>`;
		const sheet = '<sheetData><row><c><v>1</v></c><c s="1"><v>1</v></c></row></sheetData>';
		expect([...(await firstSheet(bookOf({ styles, sheet }))).fills.values()]).toEqual(expected);
	});

	test('reads the comments of a row', async () => {
		const comment = (ref: string, text: string) =>
			`<comment ref="${ref}" authorId="0"><text><r><t>Rosa:</t></r><r><t>\n${text}</t></r></text></comment>`;
		const thread = `[Threaded comment] Learn more: https://go.microsoft.com/fwlink/?linkid=870924 Comment: No &amp; no`;
		const comments =
			comment('E4', 'Pidió licencia') +
			comment('F4', 'Hasta enero') +
			`<comment ref="A9"><text><t>${thread}</t></text></comment>` +
			'<comment ref="A10"><text><t> </t></text></comment>';
		const read = await firstSheet(bookOf({ comments }));
		expect([...read.comments]).toEqual([
			[3, 'Rosa: Pidió licencia; Rosa: Hasta enero'],
			[8, 'Comment: No & no'],
		]);
	});

	test('reads what OpenDocument says of rows, columns, sheets and cells', async () => {
		const content = `<office:document-content><office:automatic-styles>
			<style:style style:name="ta2"><style:table-properties table:display="false"/></style:style>
			<style:style style:name="ce1"><style:table-cell-properties fo:background-color="#ff0000"/><style:text-properties fo:color="#ffffff" style:text-line-through-style="solid"/></style:style>
			<style:style style:name="ce2"><style:table-cell-properties fo:background-color="transparent"/></style:style>
			</office:automatic-styles><office:body>
			<table:table table:name="Pagos">
			<table:table-column/><table:table-column table:visibility="collapse" table:number-columns-repeated="2"/>
			<table:table-row table:visibility="filter"><table:table-cell table:style-name="ce1"><office:annotation><dc:date>2026-11-20</dc:date><text:p>No pagar,</text:p><text:p>renunció</text:p></office:annotation><text:p>Ana</text:p><text:p>Luz</text:p></table:table-cell>
			<table:table-cell office:value-type="currency" office:currency="USD" office:value="500"><text:p>$500</text:p></table:table-cell>
			<table:table-cell office:value-type="float" office:value="7654321"><text:p>07654321</text:p></table:table-cell>
			<table:table-cell office:value-type="float" office:value="2520.5"><text:p><text:span table:style-name="ce1">2.521</text:span></text:p></table:table-cell>
			<table:table-cell office:value-type="percentage" office:value="0.5"/>
			<table:table-cell office:value-type="float" office:value="2520.5"/>
			<table:table-cell office:value-type="date" office:date-value="2026-11-30"/></table:table-row>
			<table:table-row table:number-rows-repeated="1048575"><table:table-cell table:number-columns-repeated="16384"/></table:table-row>
			</table:table><table:table table:name="Otra" table:style-name="ta2"/></office:body></office:document-content>`;
		const file = await readBytes(zipOf({ 'content.xml': content }));
		if (typeof file === 'string') throw new Error(file);
		expect(file.sheets[0].lines).toEqual([
			{
				row: 0,
				cells: [
					{ text: 'Ana\nLuz', kind: 'text' },
					expect.objectContaining({ number: 500, currency: 'USD' }),
					expect.objectContaining({ text: '07654321', kind: 'text' }),
					{ text: '2521', kind: 'number', number: 2521, exact: 2520.5 },
					{ text: '0.5', kind: 'other' },
					{ text: '2520.5', kind: 'other' },
					{ text: '2026-11-30', kind: 'other' },
				],
			},
		]);
		const { hiddenRows, struckRows, hiddenColumns, comments } = file.sheets[0];
		expect([...comments]).toEqual([[0, 'No pagar, renunció']]);
		expect([...file.sheets[0].fills]).toEqual([[0, '#ff0000 #ffffff']]);
		expect([[...hiddenRows], [...struckRows], [...hiddenColumns]]).toEqual([[0], [0], [1, 2]]);
		expect(file.sheets[1]).toMatchObject({ name: 'Otra', isHidden: true });
	});
});

describe('reads text with delimiters', () => {
	const bytes = (text: string, encoding: BufferEncoding = 'utf8') => Buffer.from(text, encoding);
	test.each<[string, Uint8Array, string[][], number]>([
		[
			'semicolons and a byte order mark',
			bytes('\ufeffCI;Monto\n1;2,50\n'),
			[
				['CI', 'Monto'],
				['1', '2,50'],
			],
			0,
		],
		[
			'tabs in UTF-16',
			Buffer.concat([Buffer.from([0xff, 0xfe]), bytes('CI\tMonto\n1\t2\n', 'utf16le')]),
			[
				['CI', 'Monto'],
				['1', '2'],
			],
			0,
		],
		[
			'Windows-1252',
			bytes('Apellido;Año\nNúñez;1\n', 'latin1'),
			[
				['Apellido', 'Año'],
				['Núñez', '1'],
			],
			0,
		],
		[
			'a delimiter that the first line states',
			bytes('sep=|\r\na;b|c\r\n'),
			[['sep='], ['a;b', 'c']],
			0,
		],
		[
			'quotation marks and a line break',
			bytes('a,"b ""x"", c"\n"d\ne",f "g"\n'),
			[
				['a', 'b "x", c'],
				['d\ne', 'f "g"'],
			],
			0,
		],
		[
			'UTF-16 without a mark',
			bytes('CI;Monto\n1;2\n', 'utf16le'),
			[
				['CI', 'Monto'],
				['1', '2'],
			],
			0,
		],
		[
			'UTF-16 without a mark, the other byte first',
			bytes('CI;Monto\n1;2\n', 'utf16le').swap16(),
			[
				['CI', 'Monto'],
				['1', '2'],
			],
			0,
		],
		[
			'digits that a formula keeps as a text',
			bytes('="CI";=""\n="0015";"=""2"""\n'),
			[['CI'], ['0015', '2']],
			0,
		],
		['a last row without an end', bytes('a|b\nc|'), [['a', 'b'], ['c']], 0],
	])('%s', async (_name, data, texts, first) => {
		const { lines } = await firstSheet(data);
		expect(lines.map(({ cells: line }) => line.flatMap((cell) => cell?.text ?? []))).toEqual(texts);
		expect(lines[0].row).toBe(first);
	});
});

describe('refuses what cannot be read, and says what to do', () => {
	const filled = (count: number, unit: string) => {
		const sheet = Buffer.alloc(count * unit.length + 11, unit);
		sheet.write('<worksheet>');
		return bookOf({ sheet });
	};
	const compound = (text: string) =>
		Buffer.concat([
			Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]),
			Buffer.from(text, 'utf16le'),
		]);
	const cell = '<c><v>1</v></c>';
	test.each<[string, () => Uint8Array, string]>([
		[
			'a zip bomb of 160 MB',
			() => filled(3_200_000, '<row></row>                                        '),
			'fileTooLarge',
		],
		['160 MB of blanks', () => filled(160_000_000, ' '), 'damagedFile'],
		[
			'a million rows',
			() => bookOf({ sheet: `<sheetData>${`<row>${cell}</row>`.repeat(20_001)}</sheetData>` }),
			'fileTooLarge',
		],
		[
			'a million cells',
			() =>
				bookOf({
					sheet: `<sheetData>${`<row>${cell.repeat(300)}</row>`.repeat(3_400)}</sheetData>`,
				}),
			'fileTooLarge',
		],
		[
			'a cell in column XFD',
			() => bookOf({ sheet: `<sheetData><row><c r="XFD1"><v>1</v></c></row></sheetData>` }),
			'fileTooLarge',
		],
		[
			'a tag that never ends',
			() => bookOf({ sheet: `<row ${'x'.repeat(5_000_000)}` }),
			'damagedFile',
		],
		[
			'entities of its own',
			() => bookOf({ prolog: '<!DOCTYPE l [<!ENTITY a "ha">]>' }),
			'damagedFile',
		],
		['a damaged file', () => bookOf({}).subarray(0, 200), 'damagedFile'],
		[
			'a part that is no deflated data',
			() => zipOf({ 'content.xml': '<a>' }).fill(255, 41, 46),
			'damagedFile',
		],
		['a ZIP file that is no sheet', () => zipOf({ 'word/document.xml': '' }), 'notASheet'],
		[
			'a ZIP file with a password',
			() => zipOf({ 'xl/workbook.xml': '' }, { flags: 1 }),
			'filePassword',
		],
		['a workbook with a password', () => compound('EncryptedPackage'), 'filePassword'],
		['the old format of Excel', () => compound('Workbook'), 'otherFormat'],
		['a binary workbook', () => zipOf({ 'xl/workbook.bin': '' }), 'otherFormat'],
		['a web page', () => Buffer.from('\n<HTML><table><tr><td>CI</td></tr></table>'), 'otherFormat'],
		['a sheet in XML', () => Buffer.from('<?xml version="1.0"?><Workbook/>'), 'otherFormat'],
		['a PDF', () => Buffer.from('%PDF-1.7\n1 0 obj'), 'notASheet'],
		['JSON', () => Buffer.from('[{"CI":"1"}]'), 'notASheet'],
		['an image', () => Buffer.from('\u0089PNG\r\n\u0000\u0000\u0000\rIHDR', 'latin1'), 'notASheet'],
		[
			'a quotation mark that is never closed',
			() => Buffer.from(`a;b\n"${'x;'.repeat(3_000_000)}`),
			'openQuote',
		],
		['a line of 4 million cells', () => Buffer.from('a,'.repeat(4_000_000)), 'fileTooLarge'],
		['more than 10 MB', () => Buffer.alloc(10_000_001, 'a'), 'fileTooLarge'],
	])('%s', async (_name, data, code) => {
		const before = process.memoryUsage().rss;
		const bytes = data();
		expect(await readBytes(bytes)).toBe(code);
		expect(process.memoryUsage().rss - before).toBeLessThan(600e6);
	});

	test.each<[string, () => Uint8Array, number]>([
		[
			'a sheet that claims a million rows',
			() =>
				bookOf({
					sheet: `<dimension ref="A1:XFD1048576"/><sheetData><row r="1">${cell}</row><row r="1048576"><c r="A1048576"><v>2</v></c></row></sheetData>`,
				}),
			2,
		],
		[
			'a million empty rows',
			() =>
				bookOf({ sheet: `<sheetData><row>${cell}</row>${'<row/>'.repeat(1_000_000)}</sheetData>` }),
			1,
		],
		[
			'50,000 merged areas',
			() =>
				bookOf({
					sheet: `<sheetData><row>${cell}</row></sheetData><mergeCells>${'<mergeCell ref="A1:XFD1048576"/>'.repeat(50_000)}</mergeCells>`,
				}),
			1,
		],
		[
			'99,999,999 hidden columns',
			() =>
				bookOf({
					sheet: `<cols><col min="1" max="99999999" hidden="1"/></cols><sheetData><row>${cell}</row></sheetData>`,
				}),
			1,
		],
		[
			'two million nested tags',
			() =>
				bookOf({ sheet: `<sheetData><row>${cell}</row></sheetData>${'<a>'.repeat(2_000_000)}` }),
			1,
		],
	])('reads %s at once', async (_name, data, count) => {
		expect((await firstSheet(data())).lines).toHaveLength(count);
	});

	test('takes no name of the file for a property', async () => {
		const { lines } = await firstSheet(Buffer.from('__proto__;constructor;toString\n1;2;3\n'));
		expect(lines[0].cells.map((one) => one?.text)).toEqual([
			'__proto__',
			'constructor',
			'toString',
		]);
		expect(Object.keys({})).toEqual([]);
	});
});
