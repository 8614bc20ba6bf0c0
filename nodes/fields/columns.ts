import type { IDataObject } from 'n8n-workflow';

import { columnName, type Field } from './field';
import { CURRENCY_ALIASES, OTHER_HEADERS } from './headerAliases';
import { normalizeWord, wordsOf } from './text';
import { isEmpty } from './validators';

/** Which columns hold which fields, for all rows of a batch. */
export interface ColumnMap {
	/**
	 * Headers by field name. Usually one; several if a column occurs twice or under two names; several
	 * lists if several columns make one value.
	 */
	columns: ReadonlyMap<string, string[][]>;
	/** By field name, the headers of columns with another part of the value, which cannot be sent. */
	qualifiers: ReadonlyMap<string, string[]>;
	/** By field name, the headers of columns that may have such a part. */
	possibleQualifiers: ReadonlyMap<string, string[]>;
	/** By field name, the headers of other columns that may mean the field as well. */
	rivals: ReadonlyMap<string, string[]>;
	/** The currencies that headers of amounts name: BOB for `Monto (Bs)`. */
	currencies: ReadonlyMap<string, string>;
	/** Headers that match no field. */
	unmapped: string[];
	/** The unmapped headers that look like a misspelled name of a field. */
	misspelled: Array<{ header: string; field: Field }>;
}

/**
 * Finds the column of each field: the one that the user chose; otherwise by the field's column name,
 * parameter name or label, or by its header aliases.
 *
 * @param headers of all rows: a row may lack those of its empty cells
 * @param chosen the headers that the user chose, by field name; each is one of `headers`
 */
export function mapColumns(
	headers: string[],
	fields: Field[],
	chosen: ReadonlyMap<string, string> = new Map(),
): ColumnMap {
	const columns = new Map<string, string[][]>();
	const mapped = new Set<string>();
	/** Fallbacks of a field that has another column, by field name. */
	const unused = new Map<string, string[]>();
	const map = (field: string, parts: string[][]) => {
		columns.set(field, parts);
		for (const header of parts.flat()) mapped.add(header);
	};
	const priced = new Map(
		headers.flatMap((header) => {
			const found = withoutCurrency(normalizeWord(header));
			return found ? [[header, found] as const] : [];
		}),
	);
	const unmapped = (names: readonly string[] = [], isAmount = false): string[] => {
		const wanted = new Set(names.map(normalizeWord));
		const isWanted = (header: string) =>
			wanted.has(normalizeWord(header)) || (isAmount && wanted.has(priced.get(header)?.name ?? ''));
		return headers.filter((header) => !mapped.has(header) && isWanted(header));
	};

	for (const [field, header] of chosen) map(field, [[header]]);

	const byName = fieldsByName(fields);
	for (const header of headers) {
		const amount = byName.get(priced.get(header)?.name ?? '');
		const found = byName.get(normalizeWord(header)) ?? (amount?.isAmount ? amount : undefined);
		const field = mapped.has(header) ? undefined : found;
		if (!field) continue;
		// The column that the user chose is the only one of its field.
		if (chosen.has(field.name)) mapped.add(header);
		else map(field.name, [[...(columns.get(field.name)?.[0] ?? []), header]]);
	}
	for (const { name, headerAliases } of fields) {
		const parts = (headerAliases?.parts ?? []).map((part) => unmapped(part));
		if (columns.has(name) || !parts[0]?.length) continue;
		map(
			name,
			parts.filter((part) => part.length > 0),
		);
	}
	for (const { name, headerAliases } of fields) {
		const more = headerAliases?.namesWith;
		const [own = [], ...parts] = columns.get(name) ?? [];
		if (!more || chosen.has(name) || parts.length || !columns.has(more.field)) continue;
		const found = unmapped(more.names);
		if (found.length) map(name, [[...own, ...found]]);
	}
	for (const { name, headerAliases, isAmount } of fields) {
		const found = unmapped(headerAliases?.fallbacks, isAmount);
		if (!columns.has(name)) {
			if (found.length) map(name, [found]);
			continue;
		}
		unused.set(name, found);
		for (const header of found) mapped.add(header);
	}

	const qualifiers = new Map(
		fields.map(({ name, headerAliases }) => [name, unmapped(headerAliases?.qualifiers)]),
	);
	for (const header of [...qualifiers.values()].flat()) mapped.add(header);
	const rest = headers.filter((header) => !mapped.has(header));
	const possibleQualifiers = new Map(
		fields.map(({ name, headerAliases }) => {
			const words = new Set(headerAliases?.qualifierWords);
			const hasWord = (header: string) =>
				[...wordsOf(header), normalizeWord(header)].some((word) => words.has(word));
			return [name, columns.has(name) ? rest.filter(hasWord) : []];
		}),
	);
	const rivals = new Map(
		fields
			.filter(({ name, headerAliases }) => headerAliases?.rivals && !chosen.has(name))
			.map((field) => {
				const others = [...(unused.get(field.name) ?? []), ...rest];
				return [field.name, rivalsOf(field, columns.get(field.name) ?? [], others)];
			}),
	);
	const known = knownWords(fields);
	const misspelled = rest.flatMap((header) => {
		const field = nearest(header, fields, known);
		return field ? [{ header, field }] : [];
	});
	const currencies = new Map(
		fields
			.filter(({ isAmount }) => isAmount)
			.flatMap(({ name }) => columns.get(name)?.flat() ?? [])
			.flatMap((header) => {
				const { currency } = priced.get(header) ?? {};
				return currency === undefined ? [] : [[header, currency] as const];
			}),
	);
	return {
		columns,
		qualifiers,
		possibleQualifiers,
		rivals,
		currencies,
		unmapped: rest,
		misspelled,
	};
}

/** Currencies by what people write for them, normalized, the longest first. */
export const CURRENCY_BY_WORD: ReadonlyMap<string, string> = new Map(
	Object.entries(CURRENCY_ALIASES)
		.flatMap(([currency, words]) =>
			[currency, ...words].map((word) => [normalizeWord(word), currency] as const),
		)
		.sort(([a], [b]) => b.length - a.length),
);

/** A normalized header without the currency at its end: `Monto (Bs)`, `Importe en dólares`. */
export function withoutCurrency(header: string): { name: string; currency: string } | undefined {
	const found = [...CURRENCY_BY_WORD].find(([end]) => header.endsWith(end));
	if (!found) return undefined;
	const [word, currency] = found;
	const name = header.slice(0, -word.length);
	return { name: name.endsWith('en') ? name.slice(0, -2) : name, currency };
}

/** The names that the node has for a field. */
function ownNames(field: Field): string[] {
	return [columnName(field), field.name, field.label];
}

/** The names that people have for a field. */
function aliases({ headerAliases }: Field): readonly string[] {
	return headerAliases?.names ?? [];
}

/** All names of a field or of a part of its value. */
function allNames(field: Field): string[] {
	const { fallbacks = [], parts = [], namesWith } = field.headerAliases ?? {};
	const more = [...fallbacks, ...parts.flat(), ...(namesWith?.names ?? [])];
	return [...ownNames(field), ...aliases(field), ...more];
}

/** Fields by their normalized names. A name that two fields have belongs to the first, an own name before an alias. */
function fieldsByName(fields: Field[]): Map<string, Field> {
	const byName = new Map<string, Field>();
	for (const namesOf of [ownNames, aliases]) {
		for (const field of fields) {
			for (const name of namesOf(field).map(normalizeWord)) {
				if (!byName.has(name)) byName.set(name, field);
			}
		}
	}
	return byName;
}

/**
 * Finds which field a header may mean, by any of its names, also one of a part of the value.
 *
 * @returns a function that returns the field's name
 */
export function fieldsByHeader(fields: Field[]): (header: string) => string | undefined {
	const words = new Map<string, string>();
	for (const field of fields) {
		for (const name of allNames(field)) words.set(normalizeWord(name), field.name);
	}
	return (header) => {
		const word = normalizeWord(header);
		return words.get(word) ?? words.get(withoutCurrency(word)?.name ?? '');
	};
}

/** Words that names have or lack: `Dirección reembolso` is `Dirección de reembolso`. */
const SMALL_WORDS = new Set(['de', 'del', 'la', 'el', 'los', 'of', 'the']);

const withoutSmallWords = (header: string): string =>
	wordsOf(header)
		.filter((word) => !SMALL_WORDS.has(word))
		.join('');

/** The words of the names of fields and of other usual columns, and those other names as a whole. */
function knownWords(fields: Field[]): Set<string> {
	const names = fields.flatMap((field) => [
		...allNames(field),
		...(field.headerAliases?.suggestions ?? []),
	]);
	return new Set([
		...[...names, ...OTHER_HEADERS].flatMap(wordsOf),
		...OTHER_HEADERS.map(normalizeWord),
		...SMALL_WORDS,
	]);
}

/** Shorter aliases are too close to other words: `Paid` is not a misspelled `País`. */
const MIN_MISSPELLED_LENGTH = 6;

/**
 * The field with the most similar name, up to one to three edits, depending on its length. A header whose
 * words are all spelled correctly is another column: `Tipo de cuenta` is not a misspelled `Tipo de documento`.
 */
function nearest(header: string, fields: Field[], known: ReadonlySet<string>): Field | undefined {
	const spelled = normalizeWord(header);
	const isKnown = known.has(spelled) || wordsOf(header).every((word) => known.has(word));
	let best: { field: Field; distance: number } | undefined;
	for (const field of fields) {
		const long = aliases(field).filter(
			(name) => normalizeWord(name).length >= MIN_MISSPELLED_LENGTH,
		);
		for (const name of [...ownNames(field), ...long]) {
			const isSame = withoutSmallWords(header) === withoutSmallWords(name);
			if (isKnown && !isSame) continue;
			const word = normalizeWord(name);
			const allowed = word.length <= 5 ? 1 : word.length <= 12 ? 2 : 3;
			const distance = isSame ? 0 : editDistance(spelled, word, allowed);
			if (distance <= allowed && (!best || distance < best.distance)) best = { field, distance };
		}
	}
	return best?.field;
}

/** How much a header claims a field. */
const CLAIM = { none: 0, possible: 1, certain: 2 };

/** Words of fewer letters may be parts of unrelated words. */
const MIN_PART_LENGTH = 5;

/** How much a header claims a field, by its words. One of the field's own columns claims it in any case. */
function claimOf(header: string, { headerAliases = {} }: Field, isOwn = false): number {
	// `C.I.` is `CI`, but `Cta.Cte.` is two words.
	const words = [header, header.replaceAll('.', '')].flatMap(wordsOf);
	const phrase = ` ${words.join(' ')} `;
	const has = (word: string) =>
		phrase.includes(` ${word} `) ||
		(word.length >= MIN_PART_LENGTH && words.some((one) => one.includes(word)));
	const { suggestions = [], rivals: { certain = [], except = [] } = {} } = headerAliases;
	if (!isOwn && (except.some(has) || !suggestions.some(has))) return CLAIM.none;
	return certain.some(has) ? CLAIM.certain : CLAIM.possible;
}

/** The headers that claim a field as much as those of its column do. */
function rivalsOf(field: Field, parts: string[][], others: string[]): string[] {
	// No single column is a rival of several that make one value.
	if (parts.length > 1) return [];
	const claims = parts.flat().map((header) => claimOf(header, field, true));
	const own = Math.max(CLAIM.possible, ...claims);
	return others.filter((header) => claimOf(header, field) >= own);
}

/** The unmapped headers that may mean a field, the most similar ones first. */
export function candidates({ unmapped, misspelled }: ColumnMap, field: Field): string[] {
	const similar = misspelled.filter((one) => one.field === field).map(({ header }) => header);
	const related = unmapped.filter((header) => claimOf(header, field) > CLAIM.none);
	return [...new Set([...similar, ...related])];
}

/** The edits (insert, delete, replace, swap neighbors) between two texts; more than `limit` if there are more. */
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
			// Before the first letter there is none, which equals no letter.
			if (a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
				current[column] = Math.min(current[column], beforeLast[column - 2] + 1);
			}
		}
		beforeLast = last;
		last = current;
	}
	return last[b.length];
}

/** The value of a row under a header. Inherited properties don't count. */
export function cellUnder(row: IDataObject, header: string): unknown {
	return Object.hasOwn(row, header) ? row[header] : undefined;
}

/** The cell of a field; `conflict` has the headers if its columns hold different values. */
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
	// The field's validator rejects a part that is not text.
	const other = found.find((part) => typeof part !== 'string');
	return { value: other ?? found.map((part) => String(part).trim()).join(' ') };
}
