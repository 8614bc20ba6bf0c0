import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { labelIn } from '../fields/labels';
import { isEmpty } from '../fields/validators';
import { rawParameter } from '../fields/parameters';
import { candidates, cellOf, cellUnder, mapColumns, type ColumnMap } from '../fields/columns';
import type { Field } from '../fields/field';
import { provenFormat, type AmountFormat } from '../fields/money';
import { showValue } from '../fields/validateFields';
import { hasBrokenLetters, joinWords, normalizeWord } from '../fields/text';
import {
	fail,
	inEachLanguage,
	ok,
	phrase,
	type Result,
	TEXTS,
	type UserMessage,
} from '../messages/userMessage';
import { splitName, type NameOrder } from '../fields/personNames';
import type { Language } from '../report/language';
import type { MoneyEndpoint, WholeName } from './endpoint';
import { COLUMN_MAPPING, COLUMN_MAPPING_ENTRIES, DEFAULT_VALUES } from './options/form';
import { userMessage } from './messages';
import { readBatchParameter } from './expressions';
import { FAILURE_COLUMN } from './inputResult';
import { columnsFound, headersInRow, type InputRow } from './inputRows';
import { formatsOf, uncertainColumns, withoutCopies } from './rivalColumns';

/** How the columns of the input map to the fields of all rows. */
export interface ColumnMapping {
	map: ColumnMap;
	/** The number format of amounts, by field name, where the column proves it. */
	formats: Map<string, AmountFormat>;
	/** Which columns were taken, for people: `Amount <- Monto, Destination Account <- Cuenta`. */
	text: string;
	/** How the column with whole names is split, if there is one. */
	wholeName?: WholeName & { order: NameOrder };
}

/** What is read, and how. */
interface Reading {
	/** The rows of the file. Without them, the input items as they are. */
	rows?: InputRow[];
	fullName?: NameOrder;
	/** Of the texts for people. */
	language?: Language;
}

/**
 * Decides from all rows which column holds which field, and how amounts are written.
 *
 * @param read the fields that rows must have: a generated reference is not one of them
 * @returns the mapping, or why no row can be read
 */
export function readColumnMapping(
	context: IExecuteFunctions,
	{ fields: ownFields, reference, wholeName }: MoneyEndpoint,
	read: Field[],
	{ rows: input = itemsAsRows(context), fullName, language = 'en' }: Reading = {},
): Result<ColumnMapping> {
	const fields = fullName && wholeName ? withWholeNames(ownFields, wholeName) : ownFields;
	const rows = input.map(({ columns }) => columns);
	const all = [...new Set(rows.flatMap((row) => Object.keys(row)))];
	const named = readUserMapping(context, fields, all);
	if (!named.ok) return named;
	const headers = withoutResultFields(all, fields);
	const mapped = mapColumns(headers, fields, named.value);
	const formatOf = formatsOf(rows);
	const map = { ...mapped, columns: withoutCopies(mapped.columns, fields, rows, formatOf) };
	const isAnyFilled = rows.some((row) =>
		headers.some((header) => !isEmpty(cellUnder(row, header))),
	);
	const missing = isAnyFilled
		? missingColumns(context, { fields, reference, wholeName }, read, headers, map)
		: undefined;
	if (missing) return fail(missing);

	const uncertain = uncertainColumns(context, fields, input, map, formatOf);
	if (uncertain) return fail(uncertain);

	const formats = new Map<string, AmountFormat>();
	for (const field of fields.filter(({ isAmount }) => isAmount)) {
		const format = provenFormat(rows.map((row) => cellOf(row, map, field).value));
		if (format) formats.set(field.name, format);
	}
	const whole = fullName && wholeName && splitsNames(map, wholeName);
	return ok({
		map,
		formats,
		text: mappingText(
			fields,
			map,
			language,
			whole ? wholeExample(rows, fields, map, wholeName, fullName, language) : undefined,
		),
		...(whole && { wholeName: { ...wholeName, order: fullName } }),
	});
}

/** The input items as rows, if their columns have names. */
export function itemsAsRows(context: IExecuteFunctions): InputRow[] {
	return context.getInputData().map(({ json }, itemIndex) => ({ itemIndex, columns: json }));
}

/** The fields, of which that of the names also takes columns with whole names. */
export function withWholeNames(fields: Field[], { names, headers }: WholeName): Field[] {
	return fields.map((field) =>
		field.name === names
			? { ...field, headerAliases: { ...field.headerAliases, fallbacks: headers } }
			: field,
	);
}

/** Whether the column of the names has whole names: there is none with surnames, and it is not of companies. */
function splitsNames(
	{ columns }: ColumnMap,
	{ names, surnames, companyHeaders }: WholeName,
): boolean {
	const companies = new Set(companyHeaders.map(normalizeWord));
	const own = columns.get(names);
	return (
		own?.length === 1 &&
		!columns.has(surnames) &&
		!own[0].every((header) => companies.has(normalizeWord(header)))
	);
}

/** The first whole name and its parts, for people. */
function wholeExample(
	rows: IDataObject[],
	fields: Field[],
	map: ColumnMap,
	{ names, surnames }: WholeName,
	order: NameOrder,
	language: Language,
): { field: string; text: string } | undefined {
	const field = fields.find(({ name }) => name === names);
	const label = labelIn(language, fields.find(({ name }) => name === surnames)?.label ?? surnames);
	const cells = rows.map((row) => field && cellOf(row, map, field).value);
	const split = cells
		.map((cell) => splitName(typeof cell === 'string' ? cell : '', order))
		.find((parts) => parts.surnames !== '');
	if (split === undefined) return undefined;
	const text = TEXTS[language].reading.split(shownHeader(split.names), shownHeader(split.surnames));
	return { field: names, text: `, ${label} <- ${text}` };
}

function mappingText(
	fields: Field[],
	{ columns }: ColumnMap,
	language: Language,
	example: { field: string; text: string } | undefined,
): string {
	return fields
		.flatMap(({ name, label }) => {
			const parts = columns.get(name) ?? [];
			const shown = parts.map((headers) => headers.map(shownHeader).join(' / ')).join(' + ');
			const more = example?.field === name ? example.text : '';
			return parts.length ? [`${labelIn(language, label)} <- ${shown}${more}`] : [];
		})
		.join(', ');
}

/** A header or cell in a text that may be shown as HTML. */
export function shownHeader(header: string): string {
	return showValue(header).slice(1, -1).replaceAll('<', '\u2039');
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
	const own = mapColumns(
		headers.filter((header) => !isResult(header)),
		fields,
	).columns;
	const isRepeated = (header: string) =>
		[...mapColumns([header], fields).columns.keys()].some((field) => own.has(field));
	return headers.filter((header) => !isResult(header) || !isRepeated(header));
}

/** An expression that is one column of the input, as the editor writes it when a column is dropped. */
const COLUMN = /^=\s*\{\{\s*\$json(?:\.([\w$]+)|\[(["'])([^"'\]]*)\2\])\s*\}\}\s*$/;

/** Column Mapping: the headers that the user chose, by field name, as they are in the input. */
function readUserMapping(
	context: IExecuteFunctions,
	fields: Field[],
	headers: string[],
): Result<Map<string, string>> {
	const raw = rawParameter(context, COLUMN_MAPPING, {}) as {
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
		const path = `${COLUMN_MAPPING}.${COLUMN_MAPPING_ENTRIES}[${index}].header`;
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
	endpoint: Pick<MoneyEndpoint, 'fields' | 'reference' | 'wholeName'>,
	fields: Field[],
	headers: string[],
	map: ColumnMap,
): UserMessage | undefined {
	const { reference, wholeName } = endpoint;
	const missing = fields.filter(
		({ name, to, required, onlyWhen }) =>
			required &&
			!onlyWhen &&
			to !== undefined &&
			!map.columns.has(name) &&
			isEmpty(rawParameter(context, `${DEFAULT_VALUES}.${name}`)),
	);
	if (missing.length === 0) return undefined;

	const misread = misreadFile(headers);
	const title = misread ? undefined : headersInRow(context.getInputData(), endpoint);
	if (title) return userMessage('headersBelowTitle', { ...title, number: title.row });
	const similar = new Map<string, string[]>();
	for (const field of missing) {
		for (const header of misread === 'wrongDelimiter' ? [] : candidates(map, field)) {
			similar.set(header, [...(similar.get(header) ?? []), field.label]);
		}
	}
	const wholes = new Set((wholeName?.headers ?? []).map(normalizeWord));
	const questions = [...similar].map(([header, labels]) => {
		const isWhole = wholes.has(normalizeWord(header));
		const question = phrase('didYouMean', {
			column: showValue(header),
			fields: inEachLanguage((language) =>
				joinWords(
					labels.map((label) => labelIn(language, label)),
					'or',
					language,
				),
			),
		});
		return isWhole ? phrase('ifWholeName', { question }) : question;
	});
	const lacksReference = missing.some(({ name }) => name === reference.field);
	const code = misread ?? (lacksReference ? 'columnsMissingWithReference' : 'columnsMissing');
	return userMessage(code, {
		fields: inEachLanguage((language) =>
			joinWords(
				missing.map(({ label }) => labelIn(language, label)),
				'and',
				language,
			),
		),
		found: inEachLanguage((language) =>
			[columnsFound(headers), ...questions].map((words) => words[language]).join('\n'),
		),
	});
}

/** Whether the headers show that the file was read with the wrong settings. */
function misreadFile(headers: string[]): 'wrongDelimiter' | 'wrongEncoding' | undefined {
	const named = headers.filter((header) => !header.startsWith('__EMPTY'));
	if (named.length === 1 && [';', '\t', '|'].some((mark) => named[0].includes(mark)))
		return 'wrongDelimiter';
	return headers.some(hasBrokenLetters) ? 'wrongEncoding' : undefined;
}
