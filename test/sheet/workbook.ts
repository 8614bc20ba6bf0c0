/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- runs beside n8n, not in it */
import { createRequire } from 'node:module';
import { deflateRawSync } from 'node:zlib';

import { readFile } from '../../nodes/sheet/reader/readFile';
import type { PaymentFile, Sheet } from '../../nodes/sheet/sheet';

/** As much of SheetJS as the tests use. Its own types say `any` of cells. */
export interface SheetJs {
	read(data: Uint8Array, options: object): Book;
	write(book: Book, options: object): Buffer;
	utils: {
		book_new(): Book;
		book_append_sheet(book: Book, sheet: object, name: string): void;
		aoa_to_sheet(rows: unknown[][], options?: object): Record<string, unknown>;
	};
}

interface Book {
	SheetNames: string[];
	Sheets: Record<string, Record<string, unknown>>;
}

/** The second opinion on what is in a file. */
export const sheetJs = createRequire(__filename)('@e965/xlsx') as SheetJs;

/** A ZIP file with these parts. */
export function zipOf(parts: Record<string, string | Buffer>, { flags = 0 } = {}): Buffer {
	const locals: Buffer[] = [];
	const directory: Buffer[] = [];
	let offset = 0;
	for (const [name, content] of Object.entries(parts)) {
		const packed = deflateRawSync(content, { level: 9 });
		const header = Buffer.alloc(30);
		header.writeUInt32LE(0x04034b50, 0);
		header.writeUInt16LE(flags, 6);
		header.writeUInt16LE(8, 8);
		header.writeUInt32LE(packed.length, 18);
		header.writeUInt32LE(Buffer.byteLength(content), 22);
		header.writeUInt16LE(Buffer.byteLength(name), 26);
		const entry = Buffer.alloc(46);
		entry.writeUInt32LE(0x02014b50, 0);
		header.copy(entry, 6, 4, 30);
		entry.writeUInt32LE(offset, 42);
		locals.push(header, Buffer.from(name), packed);
		directory.push(entry, Buffer.from(name));
		offset += header.length + Buffer.byteLength(name) + packed.length;
	}
	const size = directory.reduce((sum, { length }) => sum + length, 0);
	const end = Buffer.alloc(22);
	end.writeUInt32LE(0x06054b50, 0);
	end.writeUInt16LE(directory.length / 2, 8);
	end.writeUInt16LE(directory.length / 2, 10);
	end.writeUInt32LE(size, 12);
	end.writeUInt32LE(offset, 16);
	return Buffer.concat([...locals, ...directory, end]);
}

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/** The parts of a workbook. What is not given is what Excel writes for an empty one. */
export interface BookParts {
	/** What is inside `worksheet`. */
	sheet?: string | Buffer;
	/** What is inside `sst`. */
	strings?: string;
	/** What is inside `styleSheet`. */
	styles?: string;
	/** What stands before the root of the shared texts. */
	prolog?: string;
	/** What is inside `commentList`. */
	comments?: string;
}

/** A workbook written by hand. */
export function bookOf({
	sheet = '',
	strings = '',
	styles = '',
	prolog = '',
	comments = '',
}: BookParts): Buffer {
	const part = (name: string, inside: string) =>
		`<${name} xmlns="${MAIN}" xmlns:r="${OFFICE}">${inside}</${name}>`;
	const relation = (id: number, type: string, target: string) =>
		`<Relationship Id="rId${id}" Type="${OFFICE}/${type}" Target="${target}"/>`;
	return zipOf({
		'[Content_Types].xml': '<Types/>',
		'xl/workbook.xml': part(
			'workbook',
			`<sheets><sheet name="Pagos" sheetId="1" r:id="rId1"/></sheets>`,
		),
		'xl/_rels/workbook.xml.rels': `<Relationships>${relation(1, 'worksheet', 'worksheets/sheet1.xml')}${relation(2, 'sharedStrings', 'sharedStrings.xml')}${relation(3, 'styles', 'styles.xml')}</Relationships>`,
		'xl/worksheets/sheet1.xml': typeof sheet === 'string' ? part('worksheet', sheet) : sheet,
		'xl/worksheets/_rels/sheet1.xml.rels': `<Relationships>${relation(1, 'comments', '../comments1.xml')}</Relationships>`,
		'xl/comments1.xml': part('comments', `<commentList>${comments}</commentList>`),
		'xl/sharedStrings.xml': prolog + part('sst', strings),
		'xl/styles.xml': part('styleSheet', styles),
	});
}

/** What the reader says of a file: the sheets, or the code of the error. */
export async function readBytes(bytes: Uint8Array): Promise<PaymentFile | string> {
	const read = await readFile(bytes, async () => await Promise.resolve());
	return read.ok ? read.value : read.error.code;
}

/** The first sheet of a file that can be read. */
export async function firstSheet(bytes: Uint8Array): Promise<Sheet> {
	const file = await readBytes(bytes);
	if (typeof file === 'string') throw new Error(file);
	return file.sheets[0];
}
