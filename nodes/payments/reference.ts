import { createHash } from 'node:crypto';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { isEmpty } from '../fields/validators';
import { cellUnder, type ColumnMap } from '../fields/columns';
import { columnName, type Field } from '../fields/field';
import { showValue, type ValidationError } from '../fields/validateFields';
import { normalizeText, normalizeWord } from '../fields/text';
import { fail, ok, type Result, type UserMessage } from '../service/messages';
import { startOf } from '../service/outsideText';
import type { ReferenceForm } from './endpoint';
import { PARAMETER } from './form';
import { userMessage } from './messages';
import { expressionFailed, hasExpression, readBatchParameter } from './expressions';
import { changesDaily, isConcatenation, validateParts, volatility } from './volatileExpressions';

/** The namespace of this package's references. It must never change, or all references would change. */
const NAMESPACE = '6f0d2a52-93f5-5b0c-8a37-2f4c9d1e7b60';

/**
 * A reference that is the same whenever the parts are the same (a UUID version 5, RFC 9562).
 *
 * @param parts what identifies the payment: endpoint, batch, and the row's keys or content
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

/** The content of a payment as text, whatever blanks and Unicode form it was typed with. */
export function canonicalContent(body: IDataObject): string {
	return JSON.stringify(body, (_, value: unknown) =>
		typeof value === 'string' ? normalizeText(value) : value,
	);
}

/** What generated references have in common: the batch and the columns of its keys. */
export interface BatchIdentity {
	batchId: string;
	/** Columns by their normalized name, sorted: the order in which they are listed makes no difference. */
	keyColumns: Map<string, string>;
}

/**
 * Reads Batch ID and Key Columns, and rejects volatile ones.
 *
 * @returns the identity with hints for the user, or why no reference can be generated
 */
export function parseBatchIdentity(
	context: IExecuteFunctions,
): Result<{ identity: BatchIdentity; hints: string[] }> {
	const batchId = readStableText(context, PARAMETER.batchId, 'Batch ID');
	if (!batchId.ok) return batchId;
	const keyColumns = readStableText(context, PARAMETER.keyColumns, 'Key Columns');
	if (!keyColumns.ok) return keyColumns;
	if (isEmpty(batchId.value)) return fail(userMessage('batchIdMissing'));
	const raw: unknown = context.getNodeParameter(PARAMETER.batchId, 0, '', { rawExpressions: true });
	return ok({
		identity: { batchId: batchId.value, keyColumns: keyColumnsOf(keyColumns.value) },
		hints: changesDaily(context, raw, 0)
			? [userMessage('batchIdChangesDaily', { batchId: showValue(batchId.value) }).message]
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
		const raw: unknown = context.getNodeParameter(path, 0, '', { rawExpressions: true });
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

/**
 * Rejects volatile content: references that are generated from it would change between attempts.
 *
 * @param parameters paths and labels of the parameters that the content comes from
 * @returns hints for the user, or why no reference can be generated
 */
export function validateContent(
	context: IExecuteFunctions,
	parameters: Array<{ path: string; label: string }>,
): Result<string[]> {
	const hints: string[] = [];
	for (const { path, label } of parameters) {
		const raw: unknown = context.getNodeParameter(path, 0, '', { rawExpressions: true });
		const reason = volatility(context, raw, 0);
		if (reason)
			return fail(userMessage('volatileContent', { field: label, reason: reason.message }));
		if (changesDaily(context, raw, 0)) {
			hints.push(userMessage('contentChangesDaily', { field: label }).message);
		}
	}
	return ok(hints);
}

/** Whether Batch ID and Key Columns are still the same as when the rows were read. */
export function isSameIdentity(context: IExecuteFunctions, earlier: BatchIdentity): boolean {
	const read = (path: string) => normalizeText(String(context.getNodeParameter(path, 0, '')));
	const columns = (keys: Map<string, string>) => [...keys.keys()].join();
	return (
		read(PARAMETER.batchId) === earlier.batchId &&
		columns(keyColumnsOf(read(PARAMETER.keyColumns))) === columns(earlier.keyColumns)
	);
}

function keyColumnsOf(names: string): Map<string, string> {
	return new Map(
		names
			.split(',')
			.map((column) => [normalizeWord(column), column.trim()] as const)
			.filter(([name]) => name !== '')
			.sort(([a], [b]) => (a < b ? -1 : 1)),
	);
}

/** The columns of a key and what it is called, for a key column as the user names it. */
type NameKey = (word: string) => { name: string; headers: string[] } | undefined;

/**
 * Names key columns that hold a field after that field, so that the same payment has the same reference under
 * Spanish and English headers.
 */
export function keyColumnResolver(
	fields: Field[],
	{ columns }: Pick<ColumnMap, 'columns'>,
): NameKey {
	const keys = new Map<string, { name: string; headers: string[] }>();
	for (const field of fields) {
		const [headers, ...more] = columns.get(field.name) ?? [];
		// A part of a value, such as one of two last names, is a separate key.
		if (!headers || more.length) continue;
		const key = { name: normalizeWord(columnName(field)), headers };
		for (const word of [key.name, ...headers.map(normalizeWord)]) keys.set(word, key);
	}
	return (word) => keys.get(word);
}

/**
 * The values of the key columns of a row.
 *
 * @param nameKey knows the columns that hold fields; undefined if fields do not come from columns
 * @param errors gets an error if there is no key
 * @returns undefined if there is no key
 */
export function keyValues(
	row: IDataObject,
	{ keyColumns }: BatchIdentity,
	nameKey: NameKey | undefined,
	errors: ValidationError[],
): Array<[string, string]> | undefined {
	const keys: Array<[string, string]> = [];
	for (const [word, column] of keyColumns) {
		const { name, headers } = nameKey?.(word) ?? {
			name: word,
			headers: Object.keys(row).filter((header) => normalizeWord(header) === word),
		};
		const filled = headers.filter((header) => !isEmpty(cellUnder(row, header)));
		const values = new Set(filled.map((header) => keyText(row[header])));
		if (values.size !== 1) {
			errors.push({
				field: `Key column ${showValue(column)}`,
				...(values.size > 1
					? userMessage('columnsDiffer', { columns: headers.map(showValue).join(' and ') })
					: userMessage(headers.length === 0 ? 'keyMissing' : 'keyEmpty')),
			});
			return undefined;
		}
		keys.push([name, [...values][0]]);
	}
	return keys.sort(([a], [b]) => (a < b ? -1 : 1));
}

/**
 * The text of a key. It is the same for a date and for the JSON text that n8n makes of the date when it
 * stores an execution (`execution-persistence.js` of n8n), so that a retry has the same references.
 */
function keyText(value: unknown): string {
	const json: unknown = JSON.parse(JSON.stringify(value));
	return typeof json === 'string' ? normalizeText(json) : JSON.stringify(json);
}
