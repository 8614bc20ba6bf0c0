import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { cellUnder, type ColumnMap, CURRENCY_BY_WORD } from '../fields/columns';
import { labelWords } from '../fields/labels';
import { rawParameter } from '../fields/parameters';
import type { Field } from '../fields/field';
import { provenFormat, type AmountFormat } from '../fields/money';
import { joinWords, normalizeWord } from '../fields/text';
import { showValue } from '../fields/validateFields';
import { isEmpty } from '../fields/validators';
import {
	inEachLanguage,
	inLanguage,
	type Language,
	phrase,
	type UserMessage,
} from '../messages/userMessage';
import { startOf } from '../service/outsideText';
import type { InputRow } from './inputRows';
import { userMessage } from './messages';
import { DEFAULT_VALUES } from './options/form';
import { itemWords } from './rowName';

/** The number format that the cells under a header prove. */
export type FormatOf = (header: string) => AmountFormat | undefined;

/** Looks at a column once. */
export function formatsOf(rows: IDataObject[]): FormatOf {
	const formats = new Map<string, AmountFormat | undefined>();
	return (header) => {
		if (!formats.has(header)) {
			formats.set(header, provenFormat(rows.map((row) => cellUnder(row, header))));
		}
		return formats.get(header);
	};
}

/**
 * The columns of each field without those that only repeat another one's values, as in a sheet of results. The
 * same value may be written in two ways: `2.650,00` and 2650.
 */
export function withoutCopies(
	columns: ColumnMap['columns'],
	fields: Field[],
	rows: IDataObject[],
	formatOf: FormatOf,
): ColumnMap['columns'] {
	const isCopy = (field: Field, header: string, other: string): boolean => {
		const filled = rows.filter((row) => !isEmpty(cellUnder(row, header)));
		const valueOf = (row: IDataObject, of: string) =>
			comparable(field, cellUnder(row, of), formatOf(of));
		return (
			filled.length > 0 &&
			filled.every(
				(row) => !isEmpty(cellUnder(row, other)) && valueOf(row, header) === valueOf(row, other),
			)
		);
	};
	return new Map(
		fields.flatMap((field) => {
			const kept = columns
				.get(field.name)
				?.map((headers) =>
					headers.filter(
						(header, index) =>
							!headers.slice(0, index).some((other) => isCopy(field, header, other)),
					),
				);
			return kept ? [[field.name, kept]] : [];
		}),
	);
}

/** Fields whose column is not certain, all in one message: the user decides, we don't guess. */
export function uncertainColumns(
	context: IExecuteFunctions,
	fields: Field[],
	rows: InputRow[],
	map: ColumnMap,
	formatOf: FormatOf,
): UserMessage | undefined {
	const questions = fields.flatMap((field) => {
		const question =
			ambiguousColumns(field, rows, map) ??
			(map.columns.has(field.name)
				? (rivalColumns(field, rows, map, formatOf) ?? otherBank(field, rows, map))
				: columnNotUsed(context, field, rows, map, formatOf));
		return question ? [question] : [];
	});
	if (questions.length === 0) return undefined;
	const joined = (language: Language) =>
		questions.map((question) => inLanguage(question, language).message).join('\n');
	return { ...questions[0], message: joined('en'), es: { message: joined('es') } };
}

/** Asks about two columns that have names of the same field, if a row has different values in them. */
function ambiguousColumns(
	field: Field,
	rows: InputRow[],
	{ columns }: ColumnMap,
): UserMessage | undefined {
	for (const headers of columns.get(field.name) ?? []) {
		if (new Set(headers.map(normalizeWord)).size < 2) continue;
		for (const { itemIndex, columns: row } of rows) {
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
	rows: InputRow[],
	{ columns, rivals }: ColumnMap,
	formatOf: FormatOf,
): UserMessage | undefined {
	const others = rivals.get(field.name) ?? [];
	if (others.length === 0) return undefined;
	const own = columns.get(field.name)?.flat() ?? [];
	for (const { itemIndex, columns: row } of rows) {
		const header = own.find((one) => !isEmpty(cellUnder(row, one)));
		if (header === undefined) continue;
		const value = comparable(field, row[header], formatOf(header));
		const differing = others.filter((other) => differs(field, row, other, formatOf, value));
		if (differing.length) return whichColumn(field, row, itemIndex, [header, ...differing]);
	}
	return undefined;
}

/** Asks about a bank whose name, in a column next to that of the codes, has another code in Bank Names. */
function otherBank(
	field: Field,
	rows: InputRow[],
	{ columns }: ColumnMap,
): UserMessage | undefined {
	if (field.adjustable?.option !== 'bankNames') return undefined;
	const names = new Set(field.headerAliases?.fallbacks?.map(normalizeWord));
	const [header = ''] = columns.get(field.name)?.flat() ?? [];
	const others = [...new Set(rows.flatMap(({ columns: row }) => Object.keys(row)))].filter(
		(one) => one !== header && names.has(normalizeWord(one)),
	);
	for (const { itemIndex, columns: row } of rows) {
		const code = comparable(field, cellUnder(row, header), undefined);
		const other = others.find((one) => {
			const cell = cellUnder(row, one);
			const named = field.validate(cell, {}, undefined);
			return named.ok && named.value !== cell && named.value !== code;
		});
		if (code !== '' && other !== undefined)
			return whichColumn(field, row, itemIndex, [header, other]);
	}
	return undefined;
}

/** Asks about a column that may mean a field without one, which would have a value that no row has. */
function columnNotUsed(
	context: IExecuteFunctions,
	field: Field,
	rows: InputRow[],
	{ rivals, misspelled }: ColumnMap,
	formatOf: FormatOf,
): UserMessage | undefined {
	// Rows with a misspelled header are rejected one by one.
	const isMisspelled = (other: string) => misspelled.some(({ header }) => header === other);
	const others = (rivals.get(field.name) ?? []).filter((other) => !isMisspelled(other));
	if (others.length === 0) return undefined;
	const raw: unknown = rawParameter(context, `${DEFAULT_VALUES}.${field.name}`);
	// An expression says itself where the value comes from.
	if (typeof raw === 'string' && raw.startsWith('=')) return undefined;
	// The default of an optional field is what the service assumes.
	const preset = isEmpty(raw) && field.optional ? field.form.default : raw;
	if (isEmpty(preset)) return undefined;
	const value = comparable(field, preset, undefined);
	for (const { itemIndex, columns: row } of rows) {
		const header = others.find((other) => differs(field, row, other, formatOf, value));
		if (header === undefined) continue;
		return userMessage('columnNotUsed', {
			field: labelWords(field.label),
			value: showValue(preset),
			column: showValue(header),
			row: itemWords(itemIndex),
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
		field: labelWords(label),
		row: itemWords(itemIndex),
		columns: inEachLanguage((language) => {
			const has = phrase('has')[language];
			const cells = headers.map(
				(header) => `${showValue(header)} ${has} ${showValue(row[header])}`,
			);
			return joinWords(cells, 'and', language);
		}),
	});
}

/** Whether a cell may be a value of the field, and another one than this. */
function differs(
	field: Field,
	row: IDataObject,
	header: string,
	formatOf: FormatOf,
	value: string,
): boolean {
	const cell = cellUnder(row, header);
	if (isEmpty(cell)) return false;
	const format = formatOf(header);
	return mayBe(field, cell, format) && comparable(field, cell, format) !== value;
}

/** Whether a cell may be meant as a value of the field, even if it is not written as one. */
function mayBe(field: Field, cell: unknown, format: AmountFormat | undefined): boolean {
	const { digits } = field.headerAliases?.rivals ?? {};
	const text = startOf(String(cell));
	if (field.isAmount) return hasDigits(text, 1) && isMoney(text);
	return digits === undefined ? field.validate(cell, {}, format).ok : hasDigits(text, digits);
}

/** A text that is the same for the same value of a field, however it is written. */
function comparable(field: Field, cell: unknown, format: AmountFormat | undefined): string {
	const result = field.validate(cell, {}, format);
	return result.ok ? String(result.value) : normalizeWord(startOf(String(cell)));
}

/** The currencies that may be written with an amount: `Bs 2.650,00`. */
const UNITS = new Set(['', '$', 'usdc', 'usdt', ...CURRENCY_BY_WORD.keys()]);

const isDigit = (character: string): boolean => character >= '0' && character <= '9';

/** Whether a text is one number, maybe with a currency: no date, and no number of a receipt. */
function isMoney(text: string): boolean {
	const characters = [...text];
	const [first, last] = [characters.findIndex(isDigit), characters.findLastIndex(isDigit)];
	const number = characters.splice(first, last - first + 1);
	const isNumber = number.every((character) => isDigit(character) || SEPARATORS.has(character));
	return isNumber && UNITS.has(normalizeWord(characters.join('')));
}

/** What separates thousands and decimals. */
const SEPARATORS = new Set(['.', ',', '\u2019', "'", ' ', '\u00a0', '\u202f']);

/** Whether a text has at least so many digits, not all of them 0. */
function hasDigits(text: string, count: number): boolean {
	const digits = [...text].filter(isDigit);
	return digits.length >= count && digits.some((digit) => digit !== '0');
}
