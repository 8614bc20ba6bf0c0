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
import type { ExecutionState } from '../state/executionState';
import type { MoneyEndpoint } from './endpoint';
import { PARAMETER } from './form';
import { userMessage } from './messages';
import type { BatchOptions } from './options';
import { rowName, type OpenPayment, type Refusal, type Row } from './payment';
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

/** All payments of a batch, as they were read. */
export interface ParsedBatch {
	payments: OpenPayment[];
	/** Why none of them may be sent. */
	refusal?: Refusal;
	/** What the user should know. */
	hints: string[];
	/** Whether a reference of its own, or a key, tells each payment from every other. */
	hasUniqueKeys: boolean;
}

/** A row while it is read. */
type Draft = { -readonly [K in keyof Row]: Row[K] } & { errors: ValidationError[] };

/**
 * The first stage: reads and checks all input items. A row that breaks a rule has its errors with
 * it; what makes references of the whole batch useless is its refusal.
 */
export async function parseRows(
	context: IExecuteFunctions,
	endpoint: MoneyEndpoint,
	memory: ExecutionState,
	{ decimalSeparator }: Pick<BatchOptions, 'decimalSeparator'>,
): Promise<ParsedBatch> {
	const isGenerated =
		context.getNodeParameter(PARAMETER.referenceSource, 0, 'given') === 'generated';
	const source = isGenerated
		? generatedReferences(context, endpoint)
		: givenReferences(context, endpoint);
	const fromColumns =
		context.getNodeParameter(PARAMETER.mappingMode, 0, 'defineBelow') === 'autoMapInputData';
	// A generated reference comes after the other values, because it is made of them.
	const fields = isGenerated
		? endpoint.fields.filter(({ name }) => name !== endpoint.reference.field)
		: endpoint.fields;
	const columns = fromColumns ? readColumnMapping(context, endpoint, fields) : undefined;
	if (columns && 'refusal' in columns) {
		return {
			payments: context.getInputData().map((_, itemIndex) => ({ row: emptyRow(itemIndex) })),
			refusal: columns.refusal,
			hints: [],
			hasUniqueKeys: true,
		};
	}
	const sheet = columns?.sheet;
	const formats =
		decimalSeparator === undefined
			? sheet?.formats
			: new Map(endpoint.fields.map(({ name }) => [name, decimalSeparator]));
	const drafts = await readDrafts(context, endpoint, fields, sheet, formats);

	let refusal: Refusal | undefined = 'message' in source ? source : undefined;
	if ('identity' in source) {
		refusal = isTool(context) ? userMessage('toolNeedsReference') : undefined;
		generateReferences(context, endpoint, memory, source.identity, drafts, sheet);
	}
	for (const draft of drafts) {
		draft.reference = String(draft.values[endpoint.reference.field] ?? '');
		draft.idempotencyKey = idempotencyKey(draft.reference);
		draft.body = toBody(endpoint.fields, draft.values);
	}
	if ('identity' in source && !isSameIdentity(context, source.identity))
		refusal ??= userMessage('batchChanged');
	if ('check' in source) await source.check(drafts);
	rejectDuplicateReferences(endpoint, drafts);
	return {
		payments: drafts.map((row) => ({ row })),
		refusal,
		hints: 'hints' in source ? source.hints : [],
		hasUniqueKeys: !('identity' in source) || source.identity.keyColumns.size > 0,
	};
}

/**
 * Whether an AI agent calls the node as a tool. n8n then runs it under a type of its own (`ai-tools.js` of
 * n8n) or says so in the context (`isToolExecution` in `execute-context.js` of n8n-core).
 */
export function isTool(context: IExecuteFunctions): boolean {
	return context.getNode().type.endsWith('Tool') || context.isToolExecution?.() === true;
}

/** References that are made of the batch and its rows: what to look at before reading them. */
function generatedReferences(
	context: IExecuteFunctions,
	{ fields, reference }: MoneyEndpoint,
): { identity: BatchIdentity; hints: string[] } | Refusal {
	const batch = parseBatchIdentity(context);
	if ('message' in batch || batch.identity.keyColumns.size > 0) return batch;
	const fromColumns =
		context.getNodeParameter(PARAMETER.mappingMode, 0, 'defineBelow') === 'autoMapInputData';
	const pathOf = fromColumns
		? ({ name }: Field) => `${PARAMETER.defaultValues}.${name}`
		: inCollection(COLLECTION);
	const content = validateContent(
		context,
		fields
			.filter(({ name, to }) => to !== undefined && name !== reference.field)
			.map((field) => ({ path: pathOf(field), label: field.label })),
	);
	return 'message' in content ? content : { ...batch, hints: [...batch.hints, ...content.hints] };
}

/** References that come with the items: what to look at before and after reading them. */
type GivenReferences = { check: (drafts: Draft[]) => Promise<void>; hints: string[] };

function givenReferences(
	context: IExecuteFunctions,
	endpoint: MoneyEndpoint,
): GivenReferences | Refusal {
	const nothing = { check: async () => {}, hints: [] };
	const field = endpoint.fields.find(({ name }) => name === endpoint.reference.field);
	if (
		!field ||
		context.getNodeParameter(PARAMETER.mappingMode, 0, 'defineBelow') === 'autoMapInputData'
	) {
		return nothing;
	}
	const raw: unknown = context.getNodeParameter(field.name, 0, '', { rawExpressions: true });
	if (typeof raw !== 'string' || !raw.startsWith('=') || COLUMN_ONLY.test(raw)) return nothing;

	const changing = volatility(context, raw, 0);
	if (changing) return { ...changing, message: `${field.label} ${changing.message}` };
	return {
		check: async (drafts) => await rejectVolatileReferences(context, field, raw, drafts),
		hints: changesDaily(context, raw, 0)
			? [userMessage('referenceChangesDaily', { field: field.label }).message]
			: [],
	};
}

/** An expression that reads a column of the item and nothing else: it gives the same each time. */
const COLUMN_ONLY = /^=\s*\{\{\s*\$json(\.[\w$]+|\[(["'])[^"'\]]*\2\])+\s*\}\}\s*$/;

/** Reads references a second time: one that is different now would be different at each attempt, too. */
async function rejectVolatileReferences(
	context: IExecuteFunctions,
	field: Field,
	raw: string,
	drafts: Draft[],
): Promise<void> {
	const breathe = yieldRegularly();
	const readers = fieldReaders(context, [field]);
	for (const { itemIndex, values, errors } of drafts) {
		await breathe();
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
	sheet: ColumnMapping | undefined,
	formats: ReadonlyMap<string, AmountFormat> | undefined,
): Promise<Draft[]> {
	const items = context.getInputData();
	const readFields = fieldReaders(context, fields);
	const readDefaults = fieldReaders(
		context,
		fields,
		({ name }) => `${PARAMETER.defaultValues}.${name}`,
	);
	const breathe = yieldRegularly();
	const drafts: Draft[] = [];
	for (let itemIndex = 0; itemIndex < items.length; itemIndex++) {
		await breathe();
		const { values, errors } = sheet
			? validateColumns(fields, items[itemIndex].json, sheet, formats, readDefaults(itemIndex))
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
		const preset = readDefault(field);
		// A field that shapes the form has its first choice when the user has none.
		return isEmpty(preset) && field.to === undefined ? field.form.default : preset;
	};
	const { values, errors } = validateFields(fields, read, formats);
	const problemOf = new Map(errors.map((problem) => [problem.field, problem]));
	for (const { header, field } of map.misspelled) {
		const own = map.columns.get(field.name)?.flat() ?? [];
		if (own.some((name) => Object.hasOwn(row, name)) || isEmpty(cellUnder(row, header))) continue;
		const problem = problemOf.get(field.label);
		if (problem && problem.value === undefined) {
			problem.hint = `There is a column ${showValue(header)}: did you mean ${showValue(field.label)}?`;
		} else if (!problem && fields.includes(field)) {
			// What the column says would be replaced by a default, ours or the service's.
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
	context: IExecuteFunctions,
	{ path, fields, reference }: MoneyEndpoint,
	memory: ExecutionState,
	identity: BatchIdentity,
	drafts: Draft[],
	sheet: ColumnMapping | undefined,
): void {
	const { batchId, keyColumns } = identity;
	const items = context.getInputData();
	const assign = (draft: Draft, parts: unknown[]) => {
		draft.values[reference.field] = generatedReference([path, batchId, ...parts], reference.form);
	};
	if (keyColumns.size) {
		const nameKey = sheet ? keyColumnResolver(fields, sheet.map) : undefined;
		for (const draft of drafts) {
			const keys = keyValues(items[draft.itemIndex].json, identity, nameKey, draft.errors);
			if (keys) assign(draft, ['keys', keys]);
		}
		return;
	}
	// The content as it will be sent, so that a changed number format, or a column that was added to
	// the sheet, is still the same payment.
	const contents = drafts.map(({ values, errors }) =>
		errors.length ? undefined : canonicalContent(toBody(fields, values)),
	);
	const numbers = memory.countOccurrences(
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
