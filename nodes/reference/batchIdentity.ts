import { createHash } from 'node:crypto';
import type { IExecuteFunctions } from 'n8n-workflow';

import { rawParameter } from '../fields/parameters';
import { normalizeText, normalizeWord } from '../fields/text';
import { showValue } from '../fields/validateFields';
import { isEmpty } from '../fields/validators';
import {
	userMessage,
	fail,
	labelled,
	ok,
	type Result,
	type EditorMessage,
} from '../messages/userMessage';
import { replaceCharacters, startOf } from '../service/outsideText';
import { expressionFailed, hasExpression, readBatchParameter } from './expressions';
import { validateParts, volatility } from './volatileExpressions';

/** The length that an endpoint allows for references: 36 characters, or 32 without hyphens. */
export type ReferenceForm = 'uuid' | 'hex32';

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
	return form === 'hex32' ? hex : hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
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
 * @returns the identity, or why no reference can be generated
 */
export function parseBatchIdentity(
	context: IExecuteFunctions,
	keyColumnsPath: string,
): Result<BatchIdentity, EditorMessage> {
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
	return ok({ batchId: normalizeBatchId(batchId.value), keyColumns: names });
}

/** How JavaScript prints a missing value, or an object. */
const MISSING = /\b(undefined|null|NaN)\b|\[object Object\]|Invalid DateTime/;

/** A text that is the same for all items and does not change between attempts. */
function readStableText(
	context: IExecuteFunctions,
	path: string,
	label: string,
): Result<string, EditorMessage> {
	const reject = (reason: EditorMessage) => fail(labelled(label, reason));
	try {
		const raw: unknown = rawParameter(context, path);
		const reason = volatility(context, raw, 0);
		if (reason) return reject(reason);
		const shared = readBatchParameter<unknown>(context, path, label, '');
		if (!shared.ok) return shared;
		const incomplete = validateParts(context, raw, 0);
		if (incomplete) return reject(incomplete);
		const { value } = shared;
		if (typeof value === 'object' && value !== null) {
			const kind = Array.isArray(value) ? 'a list' : 'an object';
			return reject(userMessage('partNotText', { part: 'the expression', kind }));
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
