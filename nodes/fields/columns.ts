import type { IDataObject } from 'n8n-workflow';

import { phrase, type Words } from '../messages/userMessage';
import { columnName, type Field } from './field';
import { CURRENCY_ALIASES } from './headerAliases';
import { abbreviates } from './personNames';
import { normalizeWord } from './text';
import { showValue } from './validateFields';
import { isEmpty } from './validators';

/** Which columns hold which fields, for all rows of a batch. */
export interface ColumnMap {
	/**
	 * Headers by field name. Usually one; several if the field has several known columns, which must not differ;
	 * several lists if several columns make one value.
	 */
	columns: ReadonlyMap<string, string[][]>;
	/** The currencies that headers of amounts name: BOB for `Monto (Bs)`. */
	currencies: ReadonlyMap<string, string>;
}

/**
 * Finds the columns of each field: the one that the user chose; otherwise those with one of its known names, in
 * English or Spanish.
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
	const free = new Set(headers);
	const take = (field: Field, parts: string[][]) => {
		if (parts.length === 0) return;
		columns.set(field.name, parts);
		for (const header of parts.flat()) free.delete(header);
	};
	const named = (names: readonly string[], { isAmount }: Field): string[] => {
		const wanted = new Set(names.map(normalizeWord));
		return [...free].filter((header) => {
			const word = normalizeWord(header);
			return wanted.has(word) || (isAmount && wanted.has(withoutCurrency(word)?.name ?? ''));
		});
	};
	const asOne = (list: string[]) => (list.length === 0 ? [] : [list]);

	for (const field of fields) {
		const header = chosen.get(field.name);
		if (header !== undefined) take(field, [[header]]);
	}
	const open = fields.filter(({ name }) => !chosen.has(name));
	// An own name of a field wins over an alias of another one.
	for (const field of open) take(field, asOne(named(ownNames(field), field)));
	for (const field of open) {
		const [own = []] = columns.get(field.name) ?? [];
		take(field, asOne([...own, ...named(field.headerAliases?.names ?? [], field)]));
	}
	for (const field of open) {
		if (columns.has(field.name)) continue;
		const [first = [], ...others] = (field.headerAliases?.parts ?? []).map((part) =>
			[...free].filter((header) => part.some((name) => abbreviates(header, name))),
		);
		if (first.length > 0) take(field, [first, ...others.filter((part) => part.length > 0)]);
	}
	for (const field of open) {
		const { namesWith } = field.headerAliases ?? {};
		const [own = [], ...parts] = columns.get(field.name) ?? [];
		if (!namesWith || parts.length > 0 || !columns.has(namesWith.field)) continue;
		take(field, asOne([...own, ...named(namesWith.names, field)]));
	}
	for (const field of open) {
		const [own = [], ...parts] = columns.get(field.name) ?? [];
		// Two columns of money have to agree, whatever they are called.
		if (parts.length > 0 || (own.length > 0 && !field.isAmount)) continue;
		take(field, asOne([...own, ...named(field.headerAliases?.fallbacks ?? [], field)]));
	}
	const ofAmounts = fields
		.filter(({ isAmount }) => isAmount)
		.flatMap(({ name }) => columns.get(name)?.flat() ?? []);
	const currencies = ofAmounts.flatMap((header) => {
		const found = withoutCurrency(normalizeWord(header));
		return found ? [[header, found.currency] as const] : [];
	});
	return { columns, currencies: new Map(currencies) };
}

/** The names that the node has for a field. */
function ownNames(field: Field): string[] {
	return [columnName(field), field.name, field.label];
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
		if (filled.some((header) => textOf(row[header]) !== textOf(value))) return { conflict: filled };
		found.push(value);
	}
	if (found.length < 2) return { value: found[0] };
	// The field's validator rejects a part that is not text.
	const other = found.find((part) => typeof part !== 'string');
	return { value: other ?? found.map((part) => String(part).trim()).join(' ') };
}

/** The text of a cell: a number and its text are the same. */
const textOf = (cell: unknown): string =>
	typeof cell === 'string' ? cell.trim() : (JSON.stringify(cell) ?? '');

/** How many headers a message shows. */
const MAX_SHOWN = 40;

/** The headers of the input, as many as a message can show. */
export function columnsFound(headers: string[]): Words {
	const shown = headers.slice(0, MAX_SHOWN).map(showValue).join(', ');
	const more = headers.length - MAX_SHOWN;
	const columns = more > 0 ? phrase('andMore', { shown, count: more }) : shown;
	return phrase('columnsFound', { columns });
}
