import { fail, ok, type Result, userMessage } from '../../messages/userMessage';
import { LIMITS, tooMany, UnreadableFile, type PaymentFile } from '../sheet';
import { readCsv } from './csv';
import { readOds } from './ods';
import { readXlsx } from './xlsx';
import { openZip } from './zip';

/** The first bytes of a ZIP file, which an XLSX and an ODS file is. */
const ZIP = [0x50, 0x4b, 3, 4];

/** The first bytes of Microsoft's older container: an XLS file, or one with a password. */
const COMPOUND = [0xd0, 0xcf, 0x11, 0xe0];

/** How a PDF, a text document or JSON begins. */
const NO_SHEET = /^(?:%PDF|[{[]\s*["{[\\])/;

/** How far to look for what a container holds. */
const DIRECTORY_BYTES = 1_000_000;

/**
 * Reads a payment file: XLSX, XLSM, ODS, CSV or text with delimiters. What the file is, its bytes say, not its name.
 *
 * @param yieldNow lets n8n do other work; awaited between two pieces of the file
 * @returns the sheets, or why the file cannot be read and what to do about it
 */
export async function readFile(
	bytes: Uint8Array,
	yieldNow: () => Promise<void>,
): Promise<Result<PaymentFile>> {
	return await read(bytes, yieldNow).then(ok, async (error: unknown) =>
		error instanceof UnreadableFile ? fail(error.reason) : await Promise.reject(error as Error),
	);
}

async function read(bytes: Uint8Array, yieldNow: () => Promise<void>): Promise<PaymentFile> {
	if (bytes.length > LIMITS.bytes) throw tooMany('bytes');
	if (startsWith(bytes, COMPOUND))
		throw isEncrypted(bytes) ? new UnreadableFile(userMessage('filePassword')) : otherFormat('XLS');
	if (startsWith(bytes, ZIP)) {
		const zip = openZip(bytes, yieldNow);
		if (zip.names.has('xl/workbook.bin')) throw otherFormat('XLSB');
		return zip.names.has('content.xml') ? await readOds(zip) : await readXlsx(zip);
	}
	const text = decode(bytes);
	const start = text.slice(0, LIMITS.text).trimStart();
	if (start.startsWith('<')) throw otherFormat(start.startsWith('<?xml') ? 'XML' : 'HTML');
	if (start.includes('\u0000') || NO_SHEET.test(start))
		throw new UnreadableFile(userMessage('notASheet'));
	return await readCsv(text, yieldNow);
}

const otherFormat = (format: string) => new UnreadableFile(userMessage('otherFormat', { format }));

function startsWith(bytes: Uint8Array, start: number[]): boolean {
	return start.every((byte, index) => bytes[index] === byte);
}

/** Whether a container holds an encrypted workbook. The names in it are UTF-16, at an even place. */
function isEncrypted(bytes: Uint8Array): boolean {
	const directory = new TextDecoder('utf-16le').decode(bytes.subarray(0, DIRECTORY_BYTES));
	return directory.includes('EncryptedPackage');
}

/** The text of a file in UTF-16, which has a mark or a first letter with a zero, in UTF-8, or else in Windows-1252. */
function decode(bytes: Uint8Array): string {
	if (startsWith(bytes, [0xff, 0xfe]) || bytes[1] === 0)
		return new TextDecoder('utf-16le').decode(bytes);
	if (startsWith(bytes, [0xfe, 0xff]) || bytes[0] === 0)
		return new TextDecoder('utf-16be').decode(bytes);
	try {
		return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
	} catch {
		return new TextDecoder('windows-1252').decode(bytes);
	}
}
