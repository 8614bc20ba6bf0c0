import type { IDataObject } from 'n8n-workflow';

import { cellUnder, columnsFound, type ColumnMap } from '../fields/headers';
import { columnName, type Field } from '../fields/field';
import { listWords } from '../fields/labels';
import { numbersRows } from '../fields/rowNumber';
import { idempotencyKey, normalizeWord } from '../fields/text';
import { showValue, type ValidationError } from '../fields/validateFields';
import { isEmpty, type Values } from '../fields/validators';
import { type EditorMessage, fail, ok, type Result, userMessage } from '../messages/userMessage';
import type { BatchIdentity } from './batchIdentity';

/** A column of the key. */
export interface KeyColumn {
	/** As the user names it. */
	name: string;
	/** The headers of the input that it means. */
	headers: string[];
	/** The field that it holds: its value counts as the node reads it, not as the cell spells it. */
	field?: string;
}

/**
 * Finds the Key Columns in the input. A column that holds a field can also be named as the service names the
 * field.
 *
 * @param map which columns hold which fields; undefined if fields do not come from columns
 * @returns the columns in the order listed, or why the key cannot be read
 */
export function findKeyColumns(
	{ keyColumns }: BatchIdentity,
	rows: IDataObject[],
	fields: Field[],
	map?: Pick<ColumnMap, 'columns'>,
): Result<KeyColumn[], EditorMessage> {
	const headers = [...new Set(rows.flatMap((row) => Object.keys(row)))];
	const ofFields = fields.flatMap((field): KeyColumn[] => {
		const [own, ...parts] = map?.columns.get(field.name) ?? [];
		// A part of a value, such as one of two last names, is a column like any other.
		if (!own || parts.length > 0) return [];
		// The cell of a field with a table of names counts as it is written.
		const read = field.validateNamed ? undefined : field.name;
		return [{ name: columnName(field), headers: own, ...(read !== undefined && { field: read }) }];
	});
	const found: KeyColumn[] = [];
	for (const name of keyColumns) {
		const isNamed = (header: string) => normalizeWord(header) === normalizeWord(name);
		const literal = { name, headers: headers.filter(isNamed) };
		const column: KeyColumn =
			ofFields.find((one) => one.headers.some(isNamed)) ??
			(literal.headers.length ? undefined : ofFields.find((one) => isNamed(one.name))) ??
			literal;
		if (column.headers.length === 0) {
			return fail(
				userMessage('keyColumnMissing', {
					column: showValue(name),
					found: columnsFound(headers),
				}),
			);
		}
		if (isRowNumber(column, rows, keyColumns.length === 1)) {
			return fail(userMessage('keyColumnIsRowNumber', { column: showValue(name) }));
		}
		if (!found.some((other) => other.headers[0] === column.headers[0]))
			found.push({ ...column, name });
	}
	return ok(found);
}

/**
 * Whether a column numbers the rows. If a row is inserted, those below it get other numbers.
 *
 * @param isOnlyOne whether the key has no other column. Together with another, a column that happens to count
 *   the rows may be meant, such as the months of an employee.
 */
function isRowNumber({ headers }: KeyColumn, rows: IDataObject[], isOnlyOne: boolean): boolean {
	const isCalledSo = headers.some(numbersRows);
	if (!isCalledSo && !isOnlyOne) return false;
	const numbers = rows.map((row) => {
		const header = headers.find((one) => !isEmpty(cellUnder(row, one)));
		return header === undefined ? '' : keyText(row[header]);
	});
	const filled = numbers.filter((text) => text !== '');
	if (filled.length < (isCalledSo ? 1 : 2)) return false;
	return isCalledSo
		? filled.every((text) => /^\d{1,15}\.?$/.test(text)) && new Set(filled).size === filled.length
		: numbers.every((text, index) => text === '' || text === String(index + 1));
}

/**
 * The key of a row: the values of the Key Columns in their order.
 *
 * @param values the row's fields
 * @param errors gets an error if there is no key
 * @returns undefined if there is no key
 */
export function keyOf(
	row: IDataObject,
	values: Values,
	columns: KeyColumn[],
	errors: ValidationError[],
): string[] | undefined {
	const key: string[] = [];
	for (const { name, headers, field } of columns) {
		const filled = headers.filter((header) => !isEmpty(cellUnder(row, header)));
		const texts = new Set(filled.map((header) => keyText(row[header])));
		if (texts.size !== 1) {
			errors.push({
				field: `Key column ${showValue(name)}`,
				...(texts.size > 1
					? userMessage('columnsDiffer', { columns: listWords(headers.map(showValue)) })
					: userMessage('keyEmpty')),
			});
			return undefined;
		}
		const value = field === undefined ? undefined : values[field];
		key.push(value === undefined ? [...texts][0] : keyText(value));
	}
	return key;
}

/** The length of a number whose spelling may differ. */
const MAX_NUMBER_LENGTH = 40;

/**
 * The form in which the values of a key are compared. Case, outer blanks and leading zeros do not matter, nor
 * whether a number is text. It is the same for a date and for the JSON text that n8n makes of the date when it
 * stores an execution (`execution-persistence.js` of n8n), so that a retry has the same references.
 */
function keyText(value: unknown): string {
	const json: unknown = JSON.parse(JSON.stringify(value));
	const text = idempotencyKey(typeof json === 'string' ? json : JSON.stringify(json));
	const isNumber = text.length <= MAX_NUMBER_LENGTH;
	return (isNumber ? /^0*(0|[1-9]\d*)(?:\.0+)?$/.exec(text)?.[1] : undefined) ?? text;
}

/** The columns of a row that differ from another row, and can be Key Columns. */
export function differingColumns(row: IDataObject, other: IDataObject): string[] {
	const textOf = (cell: unknown) => (isEmpty(cell) ? '' : keyText(cell));
	return Object.keys(row).filter(
		(header) =>
			!isEmpty(row[header]) &&
			normalizeWord(header) !== '' &&
			!numbersRows(header) &&
			textOf(row[header]) !== textOf(cellUnder(other, header)),
	);
}
