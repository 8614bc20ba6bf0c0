import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { isEmpty } from '../fields/validators';
import { candidates, cellOf, cellUnder, mapColumns, type ColumnMap } from '../fields/columns';
import type { Field } from '../fields/field';
import { provenFormat, type AmountFormat } from '../fields/money';
import { showValue } from '../fields/validateFields';
import { hasBrokenLetters, normalizeWord } from '../fields/text';
import { startOf } from '../service/outsideText';
import { fail, ok, type Result, type UserMessage } from '../service/messages';
import type { MoneyEndpoint } from './endpoint';
import { COLUMN_MAPPING_ENTRIES, PARAMETER } from './form';
import { userMessage } from './messages';
import { readBatchParameter } from './expressions';
import { rowName } from './payment';

/** How the columns of the input map to the fields of all rows. */
export interface ColumnMapping {
	map: ColumnMap;
	/** The number format of amounts, by field name, where the column proves it. */
	formats: Map<string, AmountFormat>;
	/** Which columns were taken, for people: `Amount <- Monto, Destination Account <- Cuenta`. */
	text: string;
}

/**
 * Decides from all rows which column holds which field, and how amounts are written.
 *
 * @param read the fields that rows must have: a generated reference is not one of them
 * @returns the mapping, or why no row can be read
 */
export function readColumnMapping(
	context: IExecuteFunctions,
	{ fields, reference }: MoneyEndpoint,
	read: Field[],
): Result<ColumnMapping> {
	const rows = context.getInputData().map(({ json }) => json);
	const headers = [...new Set(rows.flatMap((row) => Object.keys(row)))];
	const named = readUserMapping(context, fields, headers);
	if (!named.ok) return named;
	const map = mapColumns(headers, fields, named.value);
	const isAnyFilled = rows.some((row) =>
		headers.some((header) => !isEmpty(cellUnder(row, header))),
	);
	const missing = isAnyFilled
		? missingColumns(context, read, reference.field, headers, map)
		: undefined;
	if (missing) return fail(missing);

	const formats = new Map<string, AmountFormat>();
	for (const field of fields.filter(({ isAmount }) => isAmount)) {
		const format = provenFormat(rows.map((row) => cellOf(row, map, field).value));
		if (format) formats.set(field.name, format);
	}
	const uncertain = uncertainColumns(context, fields, rows, { map, formats });
	return uncertain ? fail(uncertain) : ok({ map, formats, text: mappingText(fields, map) });
}

function mappingText(fields: Field[], { columns }: ColumnMap): string {
	return fields
		.flatMap(({ name, label }) => {
			const parts = columns.get(name) ?? [];
			const shown = parts.map((headers) => headers.map(shownHeader).join(' / ')).join(' + ');
			return parts.length ? [`${label} <- ${shown}`] : [];
		})
		.join(', ');
}

/** A header in a text that may be shown as HTML. */
function shownHeader(header: string): string {
	return showValue(header).slice(1, -1).replaceAll('<', '\u2039');
}

/** An expression that is one column of the input, as the editor writes it when a column is dropped. */
const COLUMN = /^=\s*\{\{\s*\$json(?:\.([\w$]+)|\[(["'])([^"'\]]*)\2\])\s*\}\}\s*$/;

/** Column Mapping: the headers that the user chose, by field name, as they are in the input. */
function readUserMapping(
	context: IExecuteFunctions,
	fields: Field[],
	headers: string[],
): Result<Map<string, string>> {
	const raw = context.getNodeParameter(
		PARAMETER.columnMapping,
		0,
		{},
		{ rawExpressions: true },
	) as {
		[COLUMN_MAPPING_ENTRIES]?: Array<{ field?: unknown; header?: unknown }>;
	};
	const columns = new Map<string, string>();
	for (const [index, entry] of (raw[COLUMN_MAPPING_ENTRIES] ?? []).entries()) {
		const field = fields.find(({ name }) => name === entry.field);
		if (!field) {
			return fail(userMessage('mappingOfUnknownField', { field: showValue(entry.field ?? '') }));
		}
		if (columns.has(field.name)) {
			return fail(userMessage('fieldMappedTwice', { field: field.label }));
		}
		const [, plain, , bracketed] = COLUMN.exec(String(entry.header ?? '')) ?? [];
		const path = `${PARAMETER.columnMapping}.${COLUMN_MAPPING_ENTRIES}[${index}].header`;
		const read = readBatchParameter<unknown>(context, path, `Column Mapping > ${field.label}`, '');
		const header = plain ?? bracketed ?? (read.ok ? read.value : undefined);
		if (header === undefined && !read.ok) return read;
		if (isEmpty(header)) {
			return fail(userMessage('mappingWithoutColumn', { field: field.label }));
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

/** Why no row can be read: all missing columns in one message, with the headers that may be meant. */
function missingColumns(
	context: IExecuteFunctions,
	fields: Field[],
	referenceField: string,
	headers: string[],
	map: ColumnMap,
): UserMessage | undefined {
	const missing = fields.filter(
		({ name, to, required, onlyWhen }) =>
			required &&
			!onlyWhen &&
			to !== undefined &&
			!map.columns.has(name) &&
			isEmpty(
				context.getNodeParameter(`${PARAMETER.defaultValues}.${name}`, 0, '', {
					rawExpressions: true,
				}),
			),
	);
	if (missing.length === 0) return undefined;

	const misread = misreadFile(headers);
	const similar = new Map<string, string[]>();
	for (const field of missing) {
		for (const header of misread === 'wrongDelimiter' ? [] : candidates(map, field)) {
			similar.set(header, [...(similar.get(header) ?? []), field.label]);
		}
	}
	const questions = [...similar].map(
		([header, labels]) => `${showValue(header)}: did you mean ${list(labels, 'or')}?`,
	);
	const lacksReference = missing.some(({ name }) => name === referenceField);
	const code = misread ?? (lacksReference ? 'columnsMissingWithReference' : 'columnsMissing');
	return userMessage(code, {
		fields: list(
			missing.map(({ label }) => label),
			'and',
		),
		found: [columnsFound(headers), ...questions].join('\n'),
	});
}

const MAX_SHOWN = 40;

/** The headers of the input, as many as a message can show. */
export function columnsFound(headers: string[]): string {
	const shown = headers.slice(0, MAX_SHOWN).map(showValue).join(', ');
	const more = headers.length - MAX_SHOWN;
	return `Columns found: ${shown}${more > 0 ? ` and ${more} more` : ''}.`;
}

/** Whether the headers show that the file was read with the wrong settings. */
function misreadFile(headers: string[]): 'wrongDelimiter' | 'wrongEncoding' | undefined {
	if (headers.length === 1 && [';', '\t', '|'].some((mark) => headers[0].includes(mark)))
		return 'wrongDelimiter';
	return headers.some(hasBrokenLetters) ? 'wrongEncoding' : undefined;
}

/** Fields whose column is not certain, all in one message: the user decides, we don't guess. */
function uncertainColumns(
	context: IExecuteFunctions,
	fields: Field[],
	rows: IDataObject[],
	mapping: Pick<ColumnMapping, 'map' | 'formats'>,
): UserMessage | undefined {
	const questions = fields.flatMap((field) => {
		const question =
			ambiguousColumns(field, rows, mapping.map) ??
			(mapping.map.columns.has(field.name)
				? rivalColumns(field, rows, mapping)
				: columnNotUsed(context, field, rows, mapping));
		return question ? [question] : [];
	});
	if (questions.length === 0) return undefined;
	return { ...questions[0], message: questions.map(({ message }) => message).join('\n') };
}

/** Asks about two columns that have names of the same field, if a row has different values in them. */
function ambiguousColumns(
	field: Field,
	rows: IDataObject[],
	{ columns }: ColumnMap,
): UserMessage | undefined {
	for (const headers of columns.get(field.name) ?? []) {
		if (new Set(headers.map(normalizeWord)).size < 2) continue;
		for (const [itemIndex, row] of rows.entries()) {
			const filled = headers.filter((header) => !isEmpty(cellUnder(row, header)));
			const values = new Set(filled.map((header) => row[header]));
			if (values.size > 1 && new Set(filled.map(normalizeWord)).size > 1) {
				return whichColumn(field, row, itemIndex, filled);
			}
		}
	}
	return undefined;
}

/** Asks about another column that may mean the field, if a row has another value in it. */
function rivalColumns(
	field: Field,
	rows: IDataObject[],
	{ map, formats }: Pick<ColumnMapping, 'map' | 'formats'>,
): UserMessage | undefined {
	const rivals = map.rivals.get(field.name) ?? [];
	if (rivals.length === 0) return undefined;
	const own = map.columns.get(field.name)?.flat() ?? [];
	for (const [itemIndex, row] of rows.entries()) {
		const header = own.find((one) => !isEmpty(cellUnder(row, one)));
		if (header === undefined) continue;
		const differs = differsFrom(field, row[header], formats.get(field.name));
		const others = rivals.filter((rival) => differs(cellUnder(row, rival)));
		if (others.length) return whichColumn(field, row, itemIndex, [header, ...others]);
	}
	return undefined;
}

/** Asks about a column that may mean a field without one, which would have a value that no row has. */
function columnNotUsed(
	context: IExecuteFunctions,
	field: Field,
	rows: IDataObject[],
	{ map, formats }: Pick<ColumnMapping, 'map' | 'formats'>,
): UserMessage | undefined {
	// Rows with a misspelled header are rejected one by one.
	const isMisspelled = (rival: string) => map.misspelled.some(({ header }) => header === rival);
	const rivals = (map.rivals.get(field.name) ?? []).filter((rival) => !isMisspelled(rival));
	if (rivals.length === 0) return undefined;
	const raw: unknown = context.getNodeParameter(`${PARAMETER.defaultValues}.${field.name}`, 0, '', {
		rawExpressions: true,
	});
	// An expression says itself where the value comes from.
	if (typeof raw === 'string' && raw.startsWith('=')) return undefined;
	// The default of an optional field is what the service assumes.
	const preset = isEmpty(raw) && field.optional ? field.form.default : raw;
	if (isEmpty(preset)) return undefined;
	const differs = differsFrom(field, preset, formats.get(field.name));
	for (const [itemIndex, row] of rows.entries()) {
		const header = rivals.find((rival) => differs(cellUnder(row, rival)));
		if (header === undefined) continue;
		return userMessage('columnNotUsed', {
			field: field.label,
			value: showValue(preset),
			column: showValue(header),
			row: rowName(itemIndex),
			cell: showValue(row[header]),
		});
	}
	return undefined;
}

function whichColumn(
	{ label }: Field,
	row: IDataObject,
	itemIndex: number,
	headers: string[],
): UserMessage {
	return userMessage('ambiguousColumns', {
		field: label,
		row: rowName(itemIndex),
		columns: list(
			headers.map((header) => `${showValue(header)} has ${showValue(row[header])}`),
			'and',
		),
	});
}

/** Whether a cell has another value for a field than this one. What cannot be a value of the field does not count. */
function differsFrom(
	field: Field,
	value: unknown,
	format: AmountFormat | undefined,
): (cell: unknown) => boolean {
	const { digits } = field.headerAliases?.rivals ?? {};
	const isPossible = (cell: unknown) =>
		digits === undefined
			? field.validate(cell, {}, format).ok
			: hasDigits(startOf(String(cell)), digits);
	const comparable = (cell: unknown) => {
		const result = field.validate(cell, {}, format);
		return withoutLeadingZeros(
			result.ok ? String(result.value) : normalizeWord(startOf(String(cell))),
		);
	};
	const own = comparable(value);
	return (cell) => !isEmpty(cell) && isPossible(cell) && comparable(cell) !== own;
}

/** Whether a text has at least so many digits, not all of them 0. */
function hasDigits(text: string, count: number): boolean {
	const digits = [...text].filter((character) => character >= '0' && character <= '9');
	return digits.length >= count && digits.some((digit) => digit !== '0');
}

/** Spreadsheets drop leading zeros. */
function withoutLeadingZeros(text: string): string {
	const first = [...text].findIndex((character) => character !== '0');
	return first === -1 ? text : text.slice(first);
}

/** `a, b and c`. */
export function list(texts: string[], word: 'and' | 'or'): string {
	return texts.length < 2
		? texts.join('')
		: `${texts.slice(0, -1).join(', ')} ${word} ${texts[texts.length - 1]}`;
}
