import { userMessage } from '../../messages/userMessage';
import { damaged, LIMITS, newBudget, tooMany, UnreadableFile, type Budget } from '../sheet';

/** How much of a part is handled at once: n8n may have to do other work between two pieces. */
const PIECE = 65_536;

/** A part of a ZIP file: where it begins, how long it is packed, and how. */
interface Entry {
	local: number;
	size: number;
	isStored: boolean;
	isEncrypted: boolean;
}

/** A ZIP file of which only the parts that are asked for are unpacked, piece by piece. */
export interface Zip {
	readonly budget: Budget;
	readonly names: ReadonlySet<string>;
	/** The text of a part; nothing, if there is no such part. */
	read(name: string): AsyncGenerator<string>;
	yieldNow(): Promise<void>;
}

const END_OF_DIRECTORY = 0x06054b50;
const END_SIZE = 22;
const MAX_COMMENT = 65_535;
const DIRECTORY_ENTRY = 0x02014b50;
const ENTRY_SIZE = 46;
const LOCAL_SIZE = 30;
/** A workbook has a part for each sheet, chart and picture. */
const MAX_ENTRIES = 5_000;

export function openZip(bytes: Uint8Array, yieldNow: () => Promise<void>): Zip {
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	const entries = readDirectory(bytes, view);
	const budget = newBudget();
	return {
		budget,
		yieldNow,
		names: new Set(entries.keys()),
		async *read(name) {
			const entry = entries.get(name);
			if (entry) yield* unpack(bytes, view, entry, budget);
		},
	};
}

/** The parts by name. Their sizes are in the directory at the end of the file. */
function readDirectory(bytes: Uint8Array, view: DataView): Map<string, Entry> {
	const last = bytes.length - END_SIZE;
	let end = last;
	while (end >= 0 && end >= last - MAX_COMMENT && view.getUint32(end, true) !== END_OF_DIRECTORY)
		end--;
	if (end < 0 || view.getUint32(end, true) !== END_OF_DIRECTORY) throw damaged();
	const entries = new Map<string, Entry>();
	const count = Math.min(view.getUint16(end + 10, true), MAX_ENTRIES);
	let at = view.getUint32(end + 16, true);
	for (let entry = 0; entry < count && at + ENTRY_SIZE <= bytes.length; entry++) {
		if (view.getUint32(at, true) !== DIRECTORY_ENTRY) break;
		const nameEnd = at + ENTRY_SIZE + view.getUint16(at + 28, true);
		entries.set(new TextDecoder().decode(bytes.subarray(at + ENTRY_SIZE, nameEnd)), {
			local: view.getUint32(at + 42, true),
			size: view.getUint32(at + 20, true),
			isStored: view.getUint16(at + 10, true) === 0,
			isEncrypted: (view.getUint16(at + 8, true) & 1) === 1,
		});
		at = nameEnd + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
	}
	return entries;
}

async function* unpack(
	bytes: Uint8Array,
	view: DataView,
	{ local, size, isStored, isEncrypted }: Entry,
	budget: Budget,
): AsyncGenerator<string> {
	if (isEncrypted) throw new UnreadableFile(userMessage('filePassword'));
	if (local + LOCAL_SIZE > bytes.length) throw damaged();
	const start =
		local + LOCAL_SIZE + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
	const packed = new Blob([bytes.subarray(start, start + size)]).stream();
	const unpacked = isStored ? packed : packed.pipeThrough(new DecompressionStream('deflate-raw'));
	const decoder = new TextDecoder();
	try {
		for await (const value of unpacked as AsyncIterable<Uint8Array>) {
			budget.unpacked -= value.length;
			if (budget.unpacked < 0) throw tooMany('bytes', LIMITS.unpacked);
			for (let from = 0; from < value.length; from += PIECE)
				yield decoder.decode(value.subarray(from, from + PIECE), { stream: true });
		}
	} catch (error) {
		throw error instanceof UnreadableFile ? error : damaged();
	}
}
