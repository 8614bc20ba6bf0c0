import type { IDataObject } from 'n8n-workflow';

import { isEmpty } from '../shared/rules';
import type { Field } from '../shared/fields';
import { columnName } from './form';

/** Header and field name compare equal when only case, spaces, hyphens, underscores or dots differ. */
export function normalize(header: string): string {
	return header
		.normalize('NFKC')
		.toLowerCase()
		.replace(/[\s\u200b\ufeff_.-]+/g, '');
}

/** Which column holds which field, for rows with the same headers. */
export interface ColumnMap {
	/** Headers by field name. More than one when the row has the column twice. */
	columns: Map<string, string[]>;
	/** Headers that belong to no field but look like a field that has no column. */
	misspelt: Array<{ header: string; field: Field }>;
}

/**
 * Matches headers with fields. A field answers to its column name, its parameter name and its
 * label; what belongs to no field is ignored, unless it looks like a misspelt field.
 */
export function mapColumns(headers: string[], fields: Field[]): ColumnMap {
	const byName = new Map<string, Field>();
	for (const field of fields) {
		for (const name of [columnName(field), field.name, field.label]) {
			const known = normalize(name);
			if (!byName.has(known)) byName.set(known, field);
		}
	}
	const columns = new Map<string, string[]>();
	const strangers: string[] = [];
	for (const header of headers) {
		const field = byName.get(normalize(header));
		if (!field) strangers.push(header);
		else columns.set(field.name, [...(columns.get(field.name) ?? []), header]);
	}
	const misspelt = strangers.flatMap((header) => {
		const field = nearest(normalize(header), byName, columns);
		return field ? [{ header, field }] : [];
	});
	return { columns, misspelt };
}

/** The field without a column whose name is at most two edits away (one in short names). */
function nearest(
	header: string,
	byName: Map<string, Field>,
	columns: Map<string, string[]>,
): Field | undefined {
	let best: { field: Field; distance: number } | undefined;
	for (const [name, field] of byName) {
		if (columns.has(field.name)) continue;
		const allowed = name.length <= 5 ? 1 : name.length <= 12 ? 2 : 3;
		const distance = editDistance(header, name, allowed);
		if (distance <= allowed && (!best || distance < best.distance)) best = { field, distance };
	}
	return best?.field;
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

/** Gives the column map of a row; rows of one sheet share it. */
export function columnMapper(fields: Field[]): (row: IDataObject) => ColumnMap {
	const known = new Map<string, ColumnMap>();
	return (row) => {
		const headers = Object.keys(row);
		const key = JSON.stringify(headers);
		let map = known.get(key);
		if (!map) {
			map = mapColumns(headers, fields);
			known.set(key, map);
		}
		return map;
	};
}

/** The cell of a field; `conflict` when two columns of that name hold different values. */
export function cellOf(
	row: IDataObject,
	map: ColumnMap,
	field: Field,
): { value?: unknown; conflict?: string[] } {
	const headers = map.columns.get(field.name) ?? [];
	const filled = headers.filter((header) => !isEmpty(row[header]));
	if (filled.length === 0) return {};
	const value = row[filled[0]];
	return filled.some((header) => row[header] !== value) ? { conflict: filled } : { value };
}
