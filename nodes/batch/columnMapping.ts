import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import {
	cellOf,
	cellUnder,
	columnsFound,
	mapColumns,
	meaningsOf,
	type ColumnMap,
} from '../fields/headers';
import type { Field } from '../fields/field';
import { listWords } from '../fields/labels';
import { provenFormat, type AmountFormat } from '../fields/money';
import { rawParameter } from '../fields/parameters';
import { normalizeWord } from '../fields/text';
import { showValue } from '../fields/validateFields';
import { isEmpty } from '../fields/validators';
import { fail, ok, type Result, type EditorMessage, userMessage } from '../messages/userMessage';
import { matches } from '../service/outsideText';
import type { MoneyEndpoint } from './endpoint';
import { COLUMN_MAPPING, COLUMN_MAPPING_ENTRIES, DEFAULT_VALUES } from './options/form';
import { readBatchParameter } from '../reference/expressions';
import { FAILURE_COLUMN } from './inputResult';

/** How the columns of the input map to the fields of all rows. */
export interface ColumnMapping {
	map: ColumnMap;
	/** The number format of amounts, by field name, where the column proves it. */
	formats: Map<string, AmountFormat>;
	/** Headers from which nothing is read. */
	unused: string[];
}

/**
 * Decides from all rows which column holds which field, and how amounts are written. Columns have types and known
 * names here: a file as people write it is read by Read Payment File.
 *
 * @param read the fields that rows must have: a generated reference is not one of them
 * @returns the mapping, or why no row can be read
 */
export function readColumnMapping(
	context: IExecuteFunctions,
	{ fields }: MoneyEndpoint,
	read: Field[],
): Result<ColumnMapping, EditorMessage> {
	const rows = context.getInputData().map(({ json }) => json);
	const file = asFile(context, rows);
	if (file) return fail(file);
	const all = [...new Set(rows.flatMap((row) => Object.keys(row)))];
	const named = readUserMapping(context, fields, all);
	if (!named.ok) return named;
	const headers = withoutResultFields(all, fields);
	const map = mapColumns(headers, fields, named.value);
	if (rows.some((row) => headers.some((header) => !isEmpty(cellUnder(row, header))))) {
		const missing = missingColumns(context, read, headers, map);
		if (missing) return fail(missing);
	}
	const formats = new Map<string, AmountFormat>();
	for (const field of fields.filter(({ isAmount }) => isAmount)) {
		const format = provenFormat(rows.map((row) => cellOf(row, map, field).value));
		if (format) formats.set(field.name, format);
	}
	const taken = new Set([...map.columns.values()].flat(2));
	const unused = headers.filter((header) => !taken.has(header));
	return ok({
		map,
		formats,
		unused,
	});
}

/** What nodes that read files call a column without a name. */
const UNNAMED = /^__EMPTY(_\d+)?$/;

/** The operations of Extract From File that convert cells, unless RAW Data is on. */
const CONVERTING = new Set(['xlsx', 'xls', 'ods', 'html', 'rtf']);

/**
 * Why the items are a file as people write it, of which the column names are not known, or whose cells another node
 * has converted: it may have taken `2.520,50` for 252050, and 12.10 for a date.
 */
function asFile(context: IExecuteFunctions, rows: IDataObject[]): EditorMessage | undefined {
	const isLine = rows.some(
		(row) => Array.isArray(row.row) || Object.keys(row).some((header) => matches(UNNAMED, header)),
	);
	if (isLine) return userMessage('itemsAreFile');
	const reader = context
		.getParentNodes(context.getNode().name, { includeNodeParameters: true })
		.find(({ type, disabled, parameters = {} }) => {
			const { operation = '', options } = parameters;
			return (
				type === 'n8n-nodes-base.extractFromFile' &&
				!disabled &&
				CONVERTING.has(String(operation)) &&
				!(options as IDataObject | undefined)?.rawData
			);
		});
	return reader && userMessage('cellsConverted', { node: showValue(reader.name) });
}

/** The result fields of a row that may also be columns of a file. */
const RESULT_COLUMNS = ['payee', 'amount', 'currency'];

/**
 * Rows that this node returned have its result fields in addition to the file's columns. Where a column of the
 * file maps to the same field, only that one counts: it is what a person corrects. The columns of a failure never do.
 */
function withoutResultFields(all: string[], fields: Field[]): string[] {
	const headers = all.filter((header) => !header.startsWith(FAILURE_COLUMN));
	if (!['outcome', 'transactionId', ...RESULT_COLUMNS].every((name) => headers.includes(name)))
		return headers;
	const isResult = (header: string) => RESULT_COLUMNS.includes(header);
	const fieldOf = meaningsOf(fields);
	const own = new Set(headers.map((header) => (isResult(header) ? '' : fieldOf(header)?.field)));
	return headers.filter((header) => !isResult(header) || !own.has(fieldOf(header)?.field ?? ' '));
}

/** An expression that is one column of the input, as the editor writes it when a column is dropped. */
const COLUMN = /^=\s*\{\{\s*\$json(?:\.([\w$]+)|\[(["'])([^"'\]]*)\2\])\s*\}\}\s*$/;

/** Column Mapping: the headers that the user chose, by field name, as they are in the input. */
function readUserMapping(
	context: IExecuteFunctions,
	fields: Field[],
	headers: string[],
): Result<Map<string, string>, EditorMessage> {
	const raw = rawParameter(context, COLUMN_MAPPING, {}) as {
		[COLUMN_MAPPING_ENTRIES]?: Array<{ field?: unknown; header?: unknown }>;
	};
	const columns = new Map<string, string>();
	for (const [index, entry] of (raw[COLUMN_MAPPING_ENTRIES] ?? []).entries()) {
		const field = fields.find(({ name }) => name === entry.field);
		if (!field || columns.has(field.name)) {
			const name = field?.label ?? showValue(entry.field ?? '');
			return fail(userMessage('mappingInvalid', { field: name }));
		}
		const [, plain, , bracketed] = COLUMN.exec(String(entry.header ?? '')) ?? [];
		const path = `${COLUMN_MAPPING}.${COLUMN_MAPPING_ENTRIES}[${index}].header`;
		const read = readBatchParameter<unknown>(context, path, `Column Mapping > ${field.label}`, '');
		const header = plain ?? bracketed ?? (read.ok ? read.value : undefined);
		if (header === undefined && !read.ok) return read;
		if (isEmpty(header)) {
			return fail(userMessage('mappingInvalid', { field: field.label }));
		}
		const text = String(header);
		const found =
			headers.find((one) => one === text) ??
			headers.find((one) => normalizeWord(one) === normalizeWord(text));
		if (found === undefined) {
			return fail(
				userMessage('mappedColumnMissing', {
					header: showValue(text),
					field: field.label,
					found: columnsFound(headers),
				}),
			);
		}
		columns.set(field.name, found);
	}
	return ok(columns);
}

/** Why no row can be read: all missing columns in one message. */
function missingColumns(
	context: IExecuteFunctions,
	fields: Field[],
	headers: string[],
	{ columns }: ColumnMap,
): EditorMessage | undefined {
	const missing = fields.filter(
		({ name, to, required, onlyWhen }) =>
			required &&
			!onlyWhen &&
			to !== undefined &&
			!columns.has(name) &&
			isEmpty(rawParameter(context, `${DEFAULT_VALUES}.${name}`)),
	);
	if (missing.length === 0) return undefined;
	return userMessage('columnsMissing', {
		fields: listWords(missing.map(({ label }) => label)),
		found: columnsFound(headers),
	});
}
