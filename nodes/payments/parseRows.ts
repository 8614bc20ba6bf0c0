import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import {
	validateFields,
	type ValidationError,
	type ReadField,
	showValue,
	toBody,
} from '../fields/validateFields';
import { isEmpty, type Values } from '../fields/validators';
import { cellOf, cellUnder } from '../fields/columns';
import type { Field } from '../fields/field';
import { COLLECTION, fieldReaders, inCollection } from '../fields/parameters';
import type { AmountFormat } from '../fields/money';
import { idempotencyKey } from '../fields/text';
import { fail, ok, type Result } from '../service/messages';
import { rejectBatch, type BatchContext } from './batchContext';
import type { MoneyEndpoint } from './endpoint';
import { PARAMETER } from './form';
import { userMessage } from './messages';
import { rowName, type OpenPayment, type Row } from './payment';
import {
	validateContent,
	canonicalContent,
	generatedReference,
	isSameIdentity,
	keyColumnResolver,
	keyValues,
	parseBatchIdentity,
	type BatchIdentity,
} from './reference';
import { readColumnMapping, type ColumnMapping } from './columnMapping';
import { changesDaily, volatility, isConcatenation, validateParts } from './volatileExpressions';

/** A row that is being parsed. */
type Draft = { -readonly [K in keyof Row]: Row[K] } & { errors: ValidationError[] };

/**
 * The first stage: parses and validates all input items. An invalid row carries its errors; what makes
 * the references of all rows useless rejects the batch.
 *
 * @returns one open payment for each input item, in their order
 */
export async function parseRows(batch: BatchContext): Promise<OpenPayment[]> {
	const { context, endpoint, options } = batch;
	const isGenerated =
		context.getNodeParameter(PARAMETER.referenceSource, 0, 'given') === 'generated';
	const source = isGenerated
		? generatedReferences(context, endpoint)
		: givenReferences(context, endpoint);
	// A generated reference is made of the other values, so it comes after them.
	const fields = isGenerated
		? endpoint.fields.filter(({ name }) => name !== endpoint.reference.field)
		: endpoint.fields;
	const columns = isFromColumns(context) ? readColumnMapping(context, endpoint, fields) : undefined;
	if (columns && !columns.ok) {
		rejectBatch(batch, columns.error);
		return context.getInputData().map((_, itemIndex) => ({ row: emptyRow(itemIndex) }));
	}
	const mapping = columns?.value;
	const { decimalSeparator } = options;
	const formats =
		decimalSeparator === undefined
			? mapping?.formats
			: new Map(endpoint.fields.map(({ name }) => [name, decimalSeparator]));
	const drafts = await readDrafts(context, endpoint, fields, mapping, formats);

	if (!source.ok) rejectBatch(batch, source.error);
	const { identity, check, hints = [] } = source.ok ? source.value : {};
	batch.hints.push(...hints);
	if (identity) {
		if (batch.isTool) rejectBatch(batch, userMessage('toolNeedsReference'));
		generateReferences(batch, identity, drafts, mapping);
		batch.hasUniqueKeys = identity.keyColumns.size > 0;
	}
	for (const draft of drafts) {
		draft.reference = String(draft.values[endpoint.reference.field] ?? '');
		draft.idempotencyKey = idempotencyKey(draft.reference);
		draft.body = toBody(endpoint.fields, draft.values);
	}
	if (identity && !isSameIdentity(context, identity))
		rejectBatch(batch, userMessage('batchChanged'));
	await check?.(drafts);
	rejectDuplicateReferences(endpoint, drafts);
	return drafts.map((row) => ({ row }));
}

function isFromColumns(context: IExecuteFunctions): boolean {
	return context.getNodeParameter(PARAMETER.mappingMode, 0, 'defineBelow') === 'autoMapInputData';
}

/** Where references come from. */
interface ReferenceSource {
	/** Of generated references. */
	identity?: BatchIdentity;
	/** Validates given references after the rows are read. */
	check?(drafts: Draft[]): Promise<void>;
	hints?: string[];
}

function generatedReferences(
	context: IExecuteFunctions,
	{ fields, reference }: MoneyEndpoint,
): Result<ReferenceSource> {
	const batch = parseBatchIdentity(context);
	if (!batch.ok || batch.value.identity.keyColumns.size > 0) return batch;
	const pathOf = isFromColumns(context)
		? ({ name }: Field) => `${PARAMETER.defaultValues}.${name}`
		: inCollection(COLLECTION);
	const content = validateContent(
		context,
		fields
			.filter(({ name, to }) => to !== undefined && name !== reference.field)
			.map((field) => ({ path: pathOf(field), label: field.label })),
	);
	if (!content.ok) return content;
	const { identity, hints } = batch.value;
	return ok({ identity, hints: [...hints, ...content.value] });
}

function givenReferences(
	context: IExecuteFunctions,
	endpoint: MoneyEndpoint,
): Result<ReferenceSource> {
	const field = endpoint.fields.find(({ name }) => name === endpoint.reference.field);
	if (!field || isFromColumns(context)) return ok({});
	const raw: unknown = context.getNodeParameter(field.name, 0, '', { rawExpressions: true });
	if (typeof raw !== 'string' || !raw.startsWith('=') || COLUMN_ONLY.test(raw)) return ok({});

	const reason = volatility(context, raw, 0);
	if (reason) return fail({ ...reason, message: `${field.label} ${reason.message}` });
	return ok({
		check: async (drafts) => await rejectVolatileReferences(context, field, raw, drafts),
		hints: changesDaily(context, raw, 0)
			? [userMessage('referenceChangesDaily', { field: field.label }).message]
			: [],
	});
}

/** An expression that only reads a column of the item is not volatile. */
const COLUMN_ONLY = /^=\s*\{\{\s*\$json(\.[\w$]+|\[(["'])[^"'\]]*\2\])+\s*\}\}\s*$/;

/** Reads references a second time: one that has changed would change between attempts too. */
async function rejectVolatileReferences(
	context: IExecuteFunctions,
	field: Field,
	raw: string,
	drafts: Draft[],
): Promise<void> {
	const yieldNow = yieldRegularly();
	const readers = fieldReaders(context, [field]);
	for (const { itemIndex, values, errors } of drafts) {
		await yieldNow();
		if (values[field.name] === undefined) continue;
		const incomplete = isConcatenation(raw) ? validateParts(context, raw, itemIndex) : undefined;
		if (incomplete) {
			errors.push({ field: field.label, ...incomplete });
			continue;
		}
		const again = validateFields([field], readers(itemIndex)).values[field.name];
		if (again === values[field.name]) continue;
		errors.push({ field: field.label, ...userMessage('volatileValue') });
	}
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

async function readDrafts(
	context: IExecuteFunctions,
	endpoint: MoneyEndpoint,
	fields: Field[],
	mapping: ColumnMapping | undefined,
	formats: ReadonlyMap<string, AmountFormat> | undefined,
): Promise<Draft[]> {
	const items = context.getInputData();
	const readFields = fieldReaders(context, fields);
	const readDefaults = fieldReaders(
		context,
		fields,
		({ name }) => `${PARAMETER.defaultValues}.${name}`,
	);
	const yieldNow = yieldRegularly();
	const drafts: Draft[] = [];
	for (let itemIndex = 0; itemIndex < items.length; itemIndex++) {
		await yieldNow();
		const { values, errors } = mapping
			? validateColumns(fields, items[itemIndex].json, mapping, formats, readDefaults(itemIndex))
			: validateFields(fields, readFields(itemIndex), formats);
		errors.push(...((await endpoint.readBinary?.(context, values, itemIndex)) ?? []));
		drafts.push({ ...emptyRow(itemIndex), values, errors });
	}
	return drafts;
}

function validateColumns(
	fields: Field[],
	row: IDataObject,
	{ map }: ColumnMapping,
	formats: ReadonlyMap<string, AmountFormat> | undefined,
	readDefault: ReadField,
): { values: Values; errors: ValidationError[] } {
	if (Object.values(row).every(isEmpty)) {
		return {
			values: Object.create(null) as Values,
			errors: [{ field: 'Row', ...userMessage('rowEmpty') }],
		};
	}
	const conflicts: ValidationError[] = [];
	const read: ReadField = (field) => {
		const { value, conflict } = cellOf(row, map, field);
		if (conflict) {
			const columns = conflict.map(showValue).join(' and ');
			conflicts.push({ field: field.label, ...userMessage('columnsDiffer', { columns }) });
			return row[conflict[0]];
		}
		if (!isEmpty(value)) return value;
		const fallback = readDefault(field);
		// A field that only shapes the form has its first choice if the user made none.
		return isEmpty(fallback) && field.to === undefined ? field.form.default : fallback;
	};
	const { values, errors } = validateFields(fields, read, formats);
	const errorOf = new Map(errors.map((error) => [error.field, error]));
	for (const { header, field } of map.misspelled) {
		const own = map.columns.get(field.name)?.flat() ?? [];
		if (own.some((name) => Object.hasOwn(row, name)) || isEmpty(cellUnder(row, header))) continue;
		const error = errorOf.get(field.label);
		if (error && error.value === undefined) {
			error.hint = `There is a column ${showValue(header)}: did you mean ${showValue(field.label)}?`;
		} else if (!error && fields.includes(field)) {
			// A default, ours or the service's, would replace the column's value.
			errors.push({
				field: `Column ${showValue(header)}`,
				value: showValue(row[header]),
				...userMessage('columnMisspelled', { field: showValue(field.label) }),
			});
		}
	}
	return { values, errors: [...errors, ...conflicts] };
}

function generateReferences(
	{ context, endpoint, state }: BatchContext,
	identity: BatchIdentity,
	drafts: Draft[],
	mapping: ColumnMapping | undefined,
): void {
	const { path, fields, reference } = endpoint;
	const { batchId, keyColumns } = identity;
	const items = context.getInputData();
	const assign = (draft: Draft, parts: unknown[]) => {
		draft.values[reference.field] = generatedReference([path, batchId, ...parts], reference.form);
	};
	if (keyColumns.size) {
		const nameKey = mapping ? keyColumnResolver(fields, mapping.map) : undefined;
		for (const draft of drafts) {
			const keys = keyValues(items[draft.itemIndex].json, identity, nameKey, draft.errors);
			if (keys) assign(draft, ['keys', keys]);
		}
		return;
	}
	// The content as it will be sent, so that another number format, or a new column in the sheet, makes no
	// new payment.
	const contents = drafts.map(({ values, errors }) =>
		errors.length ? undefined : canonicalContent(toBody(fields, values)),
	);
	const numbers = state.countOccurrences(
		contents.map((content) => content && JSON.stringify([batchId, content])),
	);
	for (const [index, content] of contents.entries()) {
		if (content !== undefined) assign(drafts[index], ['content', content, numbers[index]]);
	}
}

function rejectDuplicateReferences({ fields, reference }: MoneyEndpoint, drafts: Draft[]): void {
	const label = fields.find(({ name }) => name === reference.field)?.label ?? reference.field;
	const first = new Map<string, Draft>();
	for (const draft of drafts) {
		if (draft.idempotencyKey === '') continue;
		const earlier = first.get(draft.idempotencyKey);
		if (!earlier) {
			first.set(draft.idempotencyKey, draft);
			continue;
		}
		draft.errors.push({
			field: label,
			value: showValue(draft.reference),
			...userMessage('duplicateReference', { row: rowName(earlier.itemIndex) }),
		});
	}
}

const MAX_BLOCKING_MS = 20;

/** Lets the process do other work (stop an execution, answer a webhook) while thousands of items are read. */
function yieldRegularly(): () => Promise<void> {
	let since = Date.now();
	return async () => {
		if (Date.now() - since < MAX_BLOCKING_MS) return;
		await sleep(0);
		since = Date.now();
	};
}
