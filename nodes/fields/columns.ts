import type { IDataObject } from 'n8n-workflow';

import { isEmpty } from './validators';
import { columnName, type Field } from './field';
import { normalizeWord } from './text';

/** Which columns hold which fields, for all rows of a batch. */
export interface ColumnMap {
	/**
	 * Headers by field name. Usually one; more than one for a column that is there twice or under two
	 * names; a list for each part where a value is made of several columns.
	 */
	columns: ReadonlyMap<string, string[][]>;
	/** Headers that belong to no field. */
	strangers: string[];
	/** Those of the unused headers that look like a misspelled name of a field. */
	misspelled: Array<{ header: string; field: Field }>;
}

/**
 * Matches headers with fields. A field takes the header that the user names for it; otherwise its column
 * name, its parameter name, its label, or a word of the vocabulary. A header that matches no field is
 * ignored, unless it looks like a misspelled one.
 *
 * @param headers of all rows: a row may lack those of its empty cells
 * @param named headers that the user names, by field name; each of them is in `headers`
 */
export function mapColumns(
	headers: string[],
	fields: Field[],
	named: ReadonlyMap<string, string> = new Map(),
): ColumnMap {
	const columns = new Map<string, string[][]>();
	const isTaken = new Set<string>();
	const put = (field: string, parts: string[][]) => {
		columns.set(field, parts);
		for (const header of parts.flat()) isTaken.add(header);
	};
	const free = (words: Iterable<string>): string[] => {
		const wanted = new Set([...words].map(normalizeWord));
		return headers.filter((header) => !isTaken.has(header) && wanted.has(normalizeWord(header)));
	};

	for (const [field, header] of named) put(field, [[header]]);

	const owners = ownersOf(fields);
	for (const header of headers) {
		const field = isTaken.has(header) ? undefined : owners.get(normalizeWord(header));
		if (!field) continue;
		// Once the user has named a column, no other column is used for the field, whatever it is called.
		if (named.has(field.name)) isTaken.add(header);
		else put(field.name, [[...(columns.get(field.name)?.[0] ?? []), header]]);
	}
	for (const field of fields) {
		const parts = (field.headerAliases?.parts ?? []).map(free);
		if (columns.has(field.name) || !parts[0]?.length) continue;
		put(
			field.name,
			parts.filter((part) => part.length > 0),
		);
	}
	for (const field of fields) {
		const others = field.headerAliases?.namesWith;
		const [own = [], ...more] = columns.get(field.name) ?? [];
		if (!others || named.has(field.name) || more.length || !columns.has(others.field)) continue;
		const found = free(others.names);
		if (found.length) put(field.name, [[...own, ...found]]);
	}
	for (const field of fields) {
		const found = free(field.headerAliases?.fallbacks ?? []);
		if (columns.has(field.name)) for (const header of found) isTaken.add(header);
		else if (found.length) put(field.name, [found]);
	}

	const strangers = headers.filter((header) => !isTaken.has(header));
	const misspelled = strangers.flatMap((header) => {
		const field = nearest(normalizeWord(header), fields);
		return field ? [{ header, field }] : [];
	});
	return { columns, strangers, misspelled };
}

/** The names that the node itself has for a field. */
function namesOf(field: Field): string[] {
	return [columnName(field), field.name, field.label].map(normalizeWord);
}

/** Fields by the words that name them. Where two fields share a word, the first gets it. */
function ownersOf(fields: Field[]): Map<string, Field> {
	const owners = new Map<string, Field>();
	const add = (word: string, field: Field) => {
		if (!owners.has(word)) owners.set(word, field);
	};
	for (const field of fields) for (const name of namesOf(field)) add(name, field);
	for (const field of fields) {
		for (const name of field.headerAliases?.names ?? []) add(normalizeWord(name), field);
	}
	return owners;
}

/** Shorter words are too close to others: `Paid` is no misspelled `País`. */
const MIN_MISSPELLED_LENGTH = 6;

/** The field whose name is at most so many edits away: one in short names, more in longer ones. */
function nearest(header: string, fields: Field[]): Field | undefined {
	let best: { field: Field; distance: number } | undefined;
	for (const field of fields) {
		const aliases = (field.headerAliases?.names ?? [])
			.map(normalizeWord)
			.filter((name) => name.length >= MIN_MISSPELLED_LENGTH);
		for (const name of [...namesOf(field), ...aliases]) {
			const allowed = name.length <= 5 ? 1 : name.length <= 12 ? 2 : 3;
			const distance = editDistance(header, name, allowed);
			if (distance <= allowed && (!best || distance < best.distance)) best = { field, distance };
		}
	}
	return best?.field;
}

/** The headers that may be meant as a field that has no column, best first. */
export function candidates({ strangers, misspelled }: ColumnMap, field: Field): string[] {
	const words = new Set(field.headerAliases?.suggestions ?? []);
	const near = misspelled.filter((one) => one.field === field).map(({ header }) => header);
	const akin = strangers.filter((header) =>
		header.split(/[^\p{L}\p{M}\p{N}]+/u).some((word) => words.has(normalizeWord(word))),
	);
	return [...new Set([...near, ...akin])];
}

/** Edits (insert, delete, replace, swap neighbours) between two texts, or more than `limit`. */
export function editDistance(a: string, b: string, limit: number): number {
	if (Math.abs(a.length - b.length) > limit) return limit + 1;
	let beforeLast: number[] = [];
	let last = Array.from({ length: b.length + 1 }, (_, column) => column);
	for (let row = 1; row <= a.length; row++) {
		const current = [row];
		for (let column = 1; column <= b.length; column++) {
			const same = a[row - 1] === b[column - 1];
			current[column] = Math.min(
				last[column] + 1,
				current[column - 1] + 1,
				last[column - 1] + (same ? 0 : 1),
			);
			if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
				current[column] = Math.min(current[column], beforeLast[column - 2] + 1);
			}
		}
		beforeLast = last;
		last = current;
	}
	return last[b.length];
}

/** The value of a row under a header. An inherited property is not one. */
export function cellUnder(row: IDataObject, header: string): unknown {
	return Object.hasOwn(row, header) ? row[header] : undefined;
}

/** The cell of a field; `conflict` when two columns of that name hold different values. */
export function cellOf(
	row: IDataObject,
	{ columns }: Pick<ColumnMap, 'columns'>,
	field: Field,
): { value?: unknown; conflict?: string[] } {
	const found: unknown[] = [];
	for (const headers of columns.get(field.name) ?? []) {
		const filled = headers.filter((header) => !isEmpty(cellUnder(row, header)));
		if (filled.length === 0) continue;
		const value = row[filled[0]];
		if (filled.some((header) => row[header] !== value)) return { conflict: filled };
		found.push(value);
	}
	if (found.length < 2) return { value: found[0] };
	// A value that is no text is left to the field's rule, which refuses it.
	const odd = found.find((part) => typeof part !== 'string');
	return { value: odd ?? found.map((part) => String(part).trim()).join(' ') };
}
