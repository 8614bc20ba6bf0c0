import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { listWords } from '../fields/labels';
import {
	validateFields,
	type ValidationError,
	type ReadField,
	showValue,
	toBody,
} from '../fields/validateFields';
import { isEmpty, type Values } from '../fields/validators';
import { cellOf, cellUnder, currencyOf, type ColumnMap } from '../fields/headers';
import type { Field } from '../fields/field';
import { fieldReaders, inCollection, rawParameter } from '../fields/parameters';
import { provenFormat } from '../fields/money';
import { idempotencyKey } from '../fields/text';
import {
	type EditorMessage,
	fail,
	forPage,
	labelled,
	ok,
	phrase,
	type Result,
	type UserMessage,
	userMessage,
} from '../messages/userMessage';
import { cellsOfItem, rejectBatch, type BatchContext } from './batchContext';
import type { MoneyEndpoint } from './endpoint';
import { COLLECTION } from './options';
import { DEFAULT_VALUES, generatesReferences, referencePath } from './options/form';
import { INPUT_ITEM } from './askLogs';
import type { Row } from './payment';
import { rowOfRun, rowWords } from './rowName';
import {
	generatedReference,
	isSameIdentity,
	parseBatchIdentity,
	type BatchIdentity,
} from '../reference/batchIdentity';
import { differingColumns, findKeyColumns, keyOf } from '../reference/keyColumns';
import { readColumnMapping, type ColumnMapping } from './columnMapping';
import { volatility, validateParts } from '../reference/volatileExpressions';

/** A row that is being parsed. */
type Draft = { -readonly [K in keyof Row]: Row[K] } & { errors: ValidationError[] };

/**
 * The first stage: parses and validates all input items. An invalid row carries its errors; what makes
 * the references of all rows useless rejects the batch.
 *
 * @returns the rows, in the order of their input items. Empty rows, titles and totals are none
 */
export async function parseRows(batch: BatchContext): Promise<Row[]> {
	const { context, endpoint, yieldNow } = batch;
	const isGenerated =
		!endpoint.fromResults &&
		context.getNodeParameter(
			referencePath(endpoint, 'referenceSource'),
			0,
			generatesReferences(endpoint) ? 'generated' : 'given',
		) === 'generated';
	batch.isGenerated = isGenerated;
	const source = isGenerated ? generatedReferences(context, endpoint) : givenReferences(batch);
	// A generated reference is made of the other values, so it comes after them.
	const fields = isGenerated
		? endpoint.fields.filter(({ name }) => name !== endpoint.reference.field)
		: endpoint.fields;
	const rejectAll = (reason: EditorMessage) => {
		rejectBatch(batch, reason);
		return context.getInputData().map((_, itemIndex) => emptyRow(itemIndex));
	};
	const isMapped = !endpoint.fromResults && isFromColumns(context);
	await yieldNow();
	const columns = isMapped ? readColumnMapping(context, endpoint, fields) : undefined;
	if (columns && !columns.ok) return rejectAll(columns.error);
	const mapping = columns?.value;
	const drafts = await readDrafts(batch, fields, mapping);
	if (drafts.length === 0) return rejectAll(userMessage('noRows'));

	await yieldNow();
	if (!source.ok) rejectBatch(batch, source.error);
	const { identity, check } = source.ok ? source.value : {};
	if (identity) {
		if (batch.isTool) rejectBatch(batch, userMessage('toolNeedsReference'));
		generateReferences(batch, identity, drafts, mapping);
		if (!isSameIdentity(context, referencePath(endpoint, 'keyColumns'), identity))
			rejectBatch(batch, userMessage('batchChanged'));
	}
	for (const draft of drafts) {
		draft.reference = String(draft.values[endpoint.reference.field] ?? '');
		draft.idempotencyKey = idempotencyKey(draft.reference);
	}
	await yieldNow();
	await check?.(drafts);
	rejectSecondRows(batch, identity, drafts);
	for (const draft of drafts) {
		await yieldNow();
		draft.body = toBody(endpoint.fields, draft.values);
	}
	return drafts;
}

function isFromColumns(context: IExecuteFunctions): boolean {
	return context.getNodeParameter('mappingMode', 0, 'defineBelow') === 'autoMapInputData';
}

/** Where references come from. */
interface ReferenceSource {
	/** Of generated references. */
	identity?: BatchIdentity;
	/** Validates given references after the rows are read. */
	check?(drafts: Draft[]): Promise<void>;
}

function generatedReferences(
	context: IExecuteFunctions,
	endpoint: MoneyEndpoint,
): Result<ReferenceSource, EditorMessage> {
	const { name: operation, fields, reference } = endpoint;
	const identity = parseBatchIdentity(context, referencePath(endpoint, 'keyColumns'));
	if (!identity.ok) return identity;
	const source = ok({ identity: identity.value });
	if (identity.value.keyColumns.length > 0) return source;
	const payee = fields.find(({ name }) => name === reference.payeeField);
	if (!payee) return fail(userMessage('keyColumnsNeeded', { operation }));
	const path = pathOf(payee, isFromColumns(context));
	const reason = volatility(context, rawParameter(context, path), 0);
	return reason
		? fail(userMessage('volatilePayee', { field: payee.label, reason: reason.message }))
		: source;
}

function givenReferences(batch: BatchContext): Result<ReferenceSource, EditorMessage> {
	const { context, endpoint } = batch;
	const field = endpoint.fields.find(({ name }) => name === endpoint.reference.field);
	if (!field || isFromColumns(context)) return ok({});
	const raw: unknown = rawParameter(context, pathOf(field, false));
	if (typeof raw !== 'string' || !raw.startsWith('=') || COLUMN_ONLY.test(raw)) return ok({});

	const reason = volatility(context, raw, 0);
	if (reason) return fail(labelled(field.label, reason));
	return ok({
		check: async (drafts) => await rejectVolatileReferences(batch, field, raw, drafts),
	});
}

/** An expression that only reads a column of the item is not volatile. */
const COLUMN_ONLY = /^=\s*\{\{\s*\$json(\.[\w$]+|\[(["'])[^"'\]]*\2\])+\s*\}\}\s*$/;

/** Reads references a second time: one that has changed would change between attempts too. */
async function rejectVolatileReferences(
	{ context, yieldNow }: BatchContext,
	field: Field,
	raw: string,
	drafts: Draft[],
): Promise<void> {
	const readers = fieldReaders(context, [field], inCollection(COLLECTION));
	for (const { itemIndex, values, errors } of drafts) {
		await yieldNow();
		if (values[field.name] === undefined) continue;
		const incomplete = validateParts(context, raw, itemIndex);
		if (incomplete) {
			errors.push({ field: field.label, ...forPage(incomplete) });
			continue;
		}
		const again = validateFields([field], readers(itemIndex)).values[field.name];
		if (again === values[field.name]) continue;
		errors.push({ field: field.label, ...forPage(userMessage('volatile')) });
	}
}

/** Where the form has the value that a field has for all rows. */
function pathOf(field: Field, isMapped: boolean): string {
	return isMapped ? `${DEFAULT_VALUES}.${field.name}` : inCollection(COLLECTION)(field);
}

/** A row of a batch that could not be read. */
function emptyRow(itemIndex: number): Draft {
	return {
		itemIndex,
		reference: '',
		idempotencyKey: '',
		values: Object.create(null) as Values,
		body: {},
		errors: [],
	};
}

/** Whether a row has a value in any of its columns: a table may have empty rows. */
const hasValue = (row: IDataObject, { columns }: ColumnMap): boolean =>
	[...columns.values()].flat(2).some((header) => !isEmpty(cellUnder(row, header)));

async function readDrafts(
	{ context, endpoint, yieldNow }: BatchContext,
	fields: Field[],
	mapping: ColumnMapping | undefined,
): Promise<Draft[]> {
	const readFields = fieldReaders(context, fields, inCollection(COLLECTION));
	const readDefaults = fieldReaders(context, fields, ({ name }) => `${DEFAULT_VALUES}.${name}`);
	const alone = fields.map(amountAlone);
	const drafts: Draft[] = [];
	for (const [itemIndex, { json: columns }] of context.getInputData().entries()) {
		if (mapping && !hasValue(columns, mapping.map)) continue;
		await yieldNow();
		const { values, errors } = mapping
			? validateColumns(fields, columns, mapping, readDefaults(itemIndex))
			: validateItem(
					{ fields: alone, fromResults: endpoint.fromResults },
					columns,
					readFields(itemIndex),
				);
		if (mapping) errors.push(...inOtherCurrency(endpoint, columns, values, mapping));
		errors.push(...((await endpoint.readBinary?.(context, values, itemIndex)) ?? []));
		const number = mapping && fileRow(columns.row);
		drafts.push({ ...emptyRow(itemIndex), ...(number && { number }), values, errors });
	}
	return drafts;
}

/** The row of the file that an item is, as Read Payment File counts it. */
const fileRow = (row: unknown): number | undefined =>
	typeof row === 'number' && Number.isSafeInteger(row) && row > 0 ? row : undefined;

/** Reads a row from the form, or from an item that is the result of another payment. */
function validateItem(
	{ fields, fromResults }: Pick<MoneyEndpoint, 'fields' | 'fromResults'>,
	item: IDataObject,
	readForm: ReadField,
): { values: Values; errors: ValidationError[] } {
	if (!fromResults) return validateFields(fields, readForm);
	const found = fromResults.read(item);
	if (!found.ok) {
		return {
			values: Object.create(null) as Values,
			errors: [{ field: INPUT_ITEM, ...found.error }],
		};
	}
	const ownFields = new Set(fromResults.fields);
	return validateFields(fields, (field) =>
		ownFields.has(field.name) ? found.value[field.name] : readForm(field),
	);
}

/** An amount that is in no column: `1250,50` can be read in one way, `1,250` in two. */
function amountAlone(field: Field): Field {
	const { isAmount, validate } = field;
	if (!isAmount) return field;
	return {
		...field,
		validate: (raw, values) => validate(raw, values, provenFormat([raw])),
	};
}

function validateColumns(
	fields: Field[],
	row: IDataObject,
	{ map, formats }: ColumnMapping,
	readDefault: ReadField,
): { values: Values; errors: ValidationError[] } {
	const conflicts: ValidationError[] = [];
	const read: ReadField = (field) => {
		const { value, conflict } = cellOf(row, map, field);
		if (conflict) {
			const columns = listWords(conflict.map(showValue));
			conflicts.push({ field: field.label, ...userMessage('columnsDiffer', { columns }) });
			return row[conflict[0]];
		}
		if (!isEmpty(value)) return value;
		const fallback = readDefault(field);
		// A field that only shapes the form has its first choice if the user made none.
		return isEmpty(fallback) && field.to === undefined ? field.form.default : fallback;
	};
	const { values, errors } = validateFields(fields, read, formats);
	return { values, errors: [...errors, ...conflicts] };
}

/**
 * The currency that the header of an amount names, if it is not that of the row; and one that any other cell names, if
 * the row takes its own from Default Values.
 */
function inOtherCurrency(
	endpoint: MoneyEndpoint,
	row: IDataObject,
	values: Values,
	{ map, unused }: ColumnMapping,
): ValidationError[] {
	const money = endpoint.amount(values);
	if (!money) return [];
	const inCells = map.columns.has('currencyType')
		? []
		: unused.map((header) => [header, currencyIn(cellUnder(row, header))] as const);
	return [...map.currencies, ...inCells]
		.filter(
			([header, currency]) =>
				!isEmpty(cellUnder(row, header)) && currency !== undefined && currency !== money.currency,
		)
		.map(([header, currency]) => ({
			field: `Column ${showValue(header)}`,
			value: showValue(row[header]),
			...userMessage('columnInOtherCurrency', {
				currency: currency ?? '',
				other: money.currency || phrase('notSet'),
			}),
		}));
}

const currencyIn = (cell: unknown): string | undefined =>
	typeof cell === 'string' ? currencyOf(cell) : undefined;

/**
 * Generates the reference of each row from who is paid: the values of the Key Columns, or the payee. No other
 * field makes another payment, so a row that is corrected stays the same one.
 */
function generateReferences(
	batch: BatchContext,
	identity: BatchIdentity,
	drafts: Draft[],
	mapping: ColumnMapping | undefined,
): void {
	const { path, fields, reference, payee } = batch.endpoint;
	const rows = drafts.map(({ itemIndex }) => cellsOfItem(batch, itemIndex));
	const columns = findKeyColumns(identity, rows, fields, mapping?.map);
	if (!columns.ok) return rejectBatch(batch, columns.error);
	const isKeyed = columns.value.length > 0;
	for (const [index, draft] of drafts.entries()) {
		const { values, errors } = draft;
		const row = rows[index];
		const who = isKeyed ? keyOf(row, values, columns.value, errors) : payee?.(values)?.id;
		if (who === undefined) continue;
		values[reference.field] = generatedReference([path, identity.batchId, who], reference.form);
	}
}

const MAX_SHOWN_COLUMNS = 8;

/**
 * Rejects each further row with the reference of an earlier one: with its key, or without Key Columns of its payee, also
 * if an earlier run of this execution sent the first.
 */
function rejectSecondRows(
	batch: BatchContext,
	identity: BatchIdentity | undefined,
	drafts: Draft[],
): void {
	const { endpoint, state } = batch;
	const isOfPayee = identity?.keyColumns.length === 0;
	const first = new Map<string, Draft>();
	for (const draft of drafts) {
		const { idempotencyKey: key, errors } = draft;
		if (key === '') continue;
		const earlier = first.get(key);
		const inOtherRun = isOfPayee ? state.rowInOtherRun(key) : undefined;
		if (earlier && !identity) {
			const row = rowWords(endpoint, earlier);
			errors.push({
				...nameOf(endpoint, endpoint.reference.field, draft),
				...userMessage('duplicateReference', { row }),
			});
			continue;
		}
		const second = earlier
			? secondRow(batch, earlier, draft)
			: inOtherRun && userMessage('secondRowOfRun', { row: rowOfRun(inOtherRun) });
		if (!second) {
			first.set(key, draft);
			continue;
		}
		errors.push({
			...(isOfPayee
				? nameOf(endpoint, endpoint.reference.payeeField, draft)
				: { field: 'Key Columns' }),
			...second,
		});
		// It is not the payment that has this reference.
		delete draft.values[endpoint.reference.field];
		Object.assign(draft, { reference: '', idempotencyKey: '' });
	}
}

/** The field and its value in an error. */
function nameOf({ fields }: MoneyEndpoint, name: string | undefined, { values }: Draft) {
	const field = fields.find((one) => one.name === name);
	return { field: field?.label ?? '', value: showValue(values[name ?? '']) };
}

/** That a row is as an earlier one, and the columns in which they differ: those could be Key Columns. */
function secondRow(batch: BatchContext, earlier: Draft, { itemIndex }: Draft): UserMessage {
	const row = rowWords(batch.endpoint, earlier);
	const [own, other] = [itemIndex, earlier.itemIndex].map((index) => cellsOfItem(batch, index));
	const differing = differingColumns(own, other).slice(0, MAX_SHOWN_COLUMNS);
	return differing.length > 0
		? userMessage('secondRow', { row, columns: listWords(differing.map(showValue)) })
		: userMessage('copiedRow', { row });
}
