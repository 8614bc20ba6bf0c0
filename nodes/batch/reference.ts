import { createHash } from 'node:crypto';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { listWords } from '../fields/labels';
import { isEmpty, type Values } from '../fields/validators';
import { rawParameter } from '../fields/parameters';
import { cellUnder, type ColumnMap } from '../fields/columns';
import { columnName, type Field } from '../fields/field';
import { showValue, type ValidationError } from '../fields/validateFields';
import { idempotencyKey, normalizeText, normalizeWord } from '../fields/text';
import { fail, ok, type Result, type UserMessage } from '../service/messages';
import { replaceCharacters, startOf } from '../service/outsideText';
import { digest } from '../ledger/executionState';
import type { ReferenceForm } from './endpoint';
import { numbersRows } from '../fields/rowNumber';
import { columnsFound } from './columnMapping';
import { userMessage } from './messages';
import { expressionFailed, hasExpression, readBatchParameter } from './expressions';
import { dependsOnDate, isConcatenation, validateParts, volatility } from './volatileExpressions';

/** The namespace of this package's references. It must never change, or all references would change. */
const NAMESPACE = '6f0d2a52-93f5-5b0c-8a37-2f4c9d1e7b60';

/**
 * A reference that is the same whenever the parts are the same (a UUID version 5, RFC 9562).
 *
 * @param parts what identifies the payment: endpoint, batch, and who is paid
 * @param form the length that the endpoint allows: 36 characters, or 32 without hyphens
 */
export function generatedReference(parts: unknown[], form: ReferenceForm): string {
	const hash = createHash('sha1')
		.update(Buffer.from(NAMESPACE.replaceAll('-', ''), 'hex'))
		.update(JSON.stringify(parts))
		.digest()
		.subarray(0, 16);
	hash[6] = (hash[6] & 0x0f) | 0x50;
	hash[8] = (hash[8] & 0x3f) | 0x80;
	const hex = hash.toString('hex');
	return form === 'hex32'
		? hex
		: [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join(
				'-',
			);
}

/** What generated references have in common: the batch, and the Key Columns in the order listed. */
export interface BatchIdentity {
	/** Normalized: see `normalizeBatchId`. */
	batchId: string;
	keyColumns: string[];
}

/** Blanks, dashes and underscores, however many. */
const SEPARATORS = /[\s\p{Dash}\p{Pc}]+/gu;

/**
 * The form in which Batch IDs are compared: `Payroll 2026_11` is `payroll-2026-11`. No separator is removed:
 * `2026-1-11` is another batch than `2026-11-1`.
 */
export function normalizeBatchId(batchId: string): string {
	return replaceCharacters(normalizeText(batchId).toLowerCase(), SEPARATORS, '-');
}

/**
 * Reads Batch ID and Key Columns, and rejects volatile ones.
 *
 * @param keyColumnsPath see `referencePath`
 * @returns the identity with hints for the user, or why no reference can be generated
 */
export function parseBatchIdentity(
	context: IExecuteFunctions,
	keyColumnsPath: string,
): Result<{ identity: BatchIdentity; hints: string[] }> {
	const batchId = readStableText(context, 'batchId', 'Batch ID');
	if (!batchId.ok) return batchId;
	const keyColumns = readStableText(context, keyColumnsPath, 'Key Columns');
	if (!keyColumns.ok) return keyColumns;
	if (isEmpty(batchId.value)) return fail(userMessage('batchIdMissing'));
	const names = keyColumnNames(keyColumns.value);
	const unnamed = names.find((name) => normalizeWord(name) === '');
	if (unnamed !== undefined) {
		return fail(userMessage('keyColumnUnnamed', { column: showValue(unnamed) }));
	}
	const raw: unknown = rawParameter(context, 'batchId');
	return ok({
		identity: { batchId: normalizeBatchId(batchId.value), keyColumns: names },
		hints: dependsOnDate(context, raw, 0)
			? [userMessage('batchIdDependsOnDate', { batchId: showValue(batchId.value) }).message]
			: [],
	});
}

/** How JavaScript prints a missing value, or an object. */
const MISSING = /\b(undefined|null|NaN)\b|\[object Object\]|Invalid DateTime/;

/** A text that is the same for all items and does not change between attempts. */
function readStableText(context: IExecuteFunctions, path: string, label: string): Result<string> {
	const reject = (reason: UserMessage) =>
		fail({ ...reason, message: `${label} ${reason.message}` });
	try {
		const raw: unknown = rawParameter(context, path);
		const reason = volatility(context, raw, 0);
		if (reason) return reject(reason);
		const shared = readBatchParameter<unknown>(context, path, label, '');
		if (!shared.ok) return shared;
		const incomplete = isConcatenation(raw) ? validateParts(context, raw, 0) : undefined;
		if (incomplete) return reject(incomplete);
		const { value } = shared;
		if (typeof value === 'object' && value !== null) {
			const kind = Array.isArray(value) ? 'a list' : 'an object';
			return reject(userMessage('batchIdNotText', { kind }));
		}
		const text = String(value ?? '');
		const missing = hasExpression(raw) ? MISSING.exec(startOf(text))?.[0] : undefined;
		if (missing !== undefined) {
			return reject(userMessage('valueMissing', { value: showValue(missing) }));
		}
		return ok(normalizeText(text));
	} catch (error) {
		return fail(expressionFailed(label, error));
	}
}

/** Whether Batch ID and Key Columns are still the same as when the rows were read. */
export function isSameIdentity(
	context: IExecuteFunctions,
	keyColumnsPath: string,
	earlier: BatchIdentity,
): boolean {
	const read = (path: string) => normalizeText(String(context.getNodeParameter(path, 0, '')));
	return (
		normalizeBatchId(read('batchId')) === earlier.batchId &&
		keyColumnNames(read(keyColumnsPath)).join() === earlier.keyColumns.join()
	);
}

/** The listed columns in their order, each once. A comma at the end does not matter. */
function keyColumnNames(list: string): string[] {
	const listed = list.split(',').map((name) => name.trim());
	const names = listed.filter((name) => name !== '');
	if (names.length === 0 && listed.length > 1) return [list];
	const words = names.map(normalizeWord);
	return names.filter((_, index) => words.indexOf(words[index]) === index);
}

/** A column of the key. */
export interface KeyColumn {
	/** As the user names it. */
	name: string;
	/** The headers of the input that it means. */
	headers: string[];
	/** The field that it holds: its value counts as the node reads it, not as the cell spells it. */
	field?: string;
	/** The form in which its cells count, if an option changes how the node reads them. */
	keyOf?(cell: string): string;
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
): Result<KeyColumn[]> {
	const headers = [...new Set(rows.flatMap((row) => Object.keys(row)))];
	const ofFields = fields.flatMap((field): KeyColumn[] => {
		const [own, ...parts] = map?.columns.get(field.name) ?? [];
		// A part of a value, such as one of two last names, is a column like any other.
		if (!own || parts.length > 0) return [];
		const keyOf = field.adjustable?.keyOf;
		return [{ name: columnName(field), headers: own, field: field.name, ...(keyOf && { keyOf }) }];
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
	for (const { name, headers, field, keyOf: keyForm } of columns) {
		const filled = headers.filter((header) => !isEmpty(cellUnder(row, header)));
		const texts = new Set(
			filled.map((header) => keyText(keyForm ? keyForm(cellText(row[header])) : row[header])),
		);
		if (texts.size !== 1) {
			errors.push({
				field: `Key column ${showValue(name)}`,
				...(texts.size > 1
					? userMessage('columnsDiffer', { columns: listWords(headers.map(showValue)) })
					: userMessage('keyEmpty')),
			});
			return undefined;
		}
		const value = field === undefined || keyForm ? undefined : values[field];
		key.push(value === undefined ? [...texts][0] : keyText(value));
	}
	return key;
}

/**
 * The form in which the values of a key are compared. Case, outer blanks and leading zeros do not matter, nor
 * whether a number is text.
 */
function keyText(value: unknown): string {
	return normalizeKey(cellText(value));
}

/**
 * The text of a cell. It is the same for a date and for the JSON text that n8n makes of the date when it
 * stores an execution (`execution-persistence.js` of n8n), so that a retry has the same references.
 */
function cellText(value: unknown): string {
	const json: unknown = JSON.parse(JSON.stringify(value));
	return typeof json === 'string' ? json : JSON.stringify(json);
}

/** The length of a number whose spelling may differ. */
const MAX_NUMBER_LENGTH = 40;

function normalizeKey(cell: string): string {
	const text = idempotencyKey(cell);
	const isNumber = text.length <= MAX_NUMBER_LENGTH;
	return (isNumber ? /^0*(0|[1-9]\d*)(?:\.0+)?$/.exec(text)?.[1] : undefined) ?? text;
}

/** The length of the digest of a cell: enough to see that it differs. */
const DIGEST_LENGTH = 6;

/** Digests of the filled cells of a row, by header. */
function cellDigests(row: IDataObject): Map<string, string> {
	const filled = Object.entries(row).filter(([, cell]) => !isEmpty(cell));
	return new Map(
		filled.map(([header, cell]) => {
			const text = normalizeKey(startOf(cellText(cell)));
			return [header, digest({ cell: [header, text] }).slice(0, DIGEST_LENGTH)];
		}),
	);
}

/** The digests of a row's cells, to find later in which columns another row differs. */
export function cellsOf(row: IDataObject): string {
	return [...cellDigests(row).values()].join('');
}

/** The columns of a row that differ from another row, given by its digests, and can be Key Columns. */
export function differingColumns(row: IDataObject, otherCells: string): string[] {
	const others = new Set<string>();
	for (let at = 0; at < otherCells.length; at += DIGEST_LENGTH) {
		others.add(otherCells.slice(at, at + DIGEST_LENGTH));
	}
	const canBeKey = (header: string) => normalizeWord(header) !== '' && !numbersRows(header);
	return [...cellDigests(row)]
		.filter(([header, cell]) => !others.has(cell) && canBeKey(header))
		.map(([header]) => header);
}
