import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import {
	checkFields,
	type Problem,
	type ReadField,
	showValue,
	toBody,
} from '../fields/checkFields';
import { isEmpty, type Values } from '../fields/checks';
import { cellOf, cellUnder } from '../fields/columns';
import type { Field } from '../fields/field';
import { COLLECTION, fieldReaders, inCollection } from '../fields/parameters';
import type { AmountFormat } from '../fields/money';
import { referenceKey } from '../fields/text';
import type { ExecutionMemory } from '../memory/executionMemory';
import type { MoneyEndpoint } from './endpoint';
import { PARAMETER } from './form';
import { tell } from './messages';
import type { BatchOptions } from './options';
import { rowName, type OpenPayment, type Refusal, type Row } from './payment';
import {
	checkContent,
	contentText,
	generatedReference,
	isSameIdentity,
	keyNamer,
	keyValues,
	readBatchIdentity,
	type BatchIdentity,
} from './reference';
import { readSheet, type Sheet } from './sheet';
import { changesTomorrow, instability, isComposed, partProblem } from './stability';

/** All payments of a batch, as they were read. */
export interface Batch {
	payments: OpenPayment[];
	/** Why none of them may be sent. */
	refusal?: Refusal;
	/** What the user should know. */
	hints: string[];
	/** Whether a reference of its own, or a key, tells each payment from every other. */
	isToldApart: boolean;
}

/** A row while it is read. */
type Draft = { -readonly [K in keyof Row]: Row[K] } & { problems: Problem[] };

/**
 * The first stage: reads and checks all input items. A row that breaks a rule has its problems with
 * it; what makes references of the whole batch useless is its refusal.
 */
export async function readBatch(
	context: IExecuteFunctions,
	endpoint: MoneyEndpoint,
	memory: ExecutionMemory,
	{ decimalSeparator }: Pick<BatchOptions, 'decimalSeparator'>,
): Promise<Batch> {
	const isGenerated =
		context.getNodeParameter(PARAMETER.referenceSource, 0, 'given') === 'generated';
	const source = isGenerated
		? generatedReferences(context, endpoint)
		: givenReferences(context, endpoint);
	const fromColumns = context.getNodeParameter(PARAMETER.rowSource, 0, 'fields') === 'columns';
	// A generated reference comes after the other values, because it is made of them.
	const fields = isGenerated
		? endpoint.fields.filter(({ name }) => name !== endpoint.reference.field)
		: endpoint.fields;
	const columns = fromColumns ? readSheet(context, endpoint, fields) : undefined;
	if (columns && 'refusal' in columns) {
		return {
			payments: context.getInputData().map((_, itemIndex) => ({ row: unread(itemIndex) })),
			refusal: columns.refusal,
			hints: [],
			isToldApart: true,
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
		refusal = isTool(context) ? tell('toolNeedsReference') : undefined;
		generateReferences(context, endpoint, memory, source.identity, drafts, sheet);
	}
	for (const draft of drafts) {
		draft.reference = String(draft.values[endpoint.reference.field] ?? '');
		draft.key = referenceKey(draft.reference);
		draft.body = toBody(endpoint.fields, draft.values);
	}
	if ('identity' in source && !isSameIdentity(context, source.identity))
		refusal ??= tell('batchChanged');
	if ('check' in source) await source.check(drafts);
	markDuplicates(endpoint, drafts);
	return {
		payments: drafts.map((row) => ({ row })),
		refusal,
		hints: 'hints' in source ? source.hints : [],
		isToldApart: !('identity' in source) || source.identity.keyColumns.size > 0,
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
	const batch = readBatchIdentity(context);
	if ('message' in batch || batch.identity.keyColumns.size > 0) return batch;
	const fromColumns = context.getNodeParameter(PARAMETER.rowSource, 0, 'fields') === 'columns';
	const pathOf = fromColumns
		? ({ name }: Field) => `${PARAMETER.columnDefaults}.${name}`
		: inCollection(COLLECTION);
	const content = checkContent(
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
	if (!field || context.getNodeParameter(PARAMETER.rowSource, 0, 'fields') === 'columns') {
		return nothing;
	}
	const raw: unknown = context.getNodeParameter(field.name, 0, '', { rawExpressions: true });
	if (typeof raw !== 'string' || !raw.startsWith('=') || COLUMN_ONLY.test(raw)) return nothing;

	const changing = instability(context, raw, 0);
	if (changing) return { ...changing, message: `${field.label} ${changing.message}` };
	return {
		check: async (drafts) => await checkAgain(context, field, raw, drafts),
		hints: changesTomorrow(context, raw, 0)
			? [tell('referenceOfToday', { field: field.label }).message]
			: [],
	};
}

/** An expression that reads a column of the item and nothing else: it gives the same each time. */
const COLUMN_ONLY = /^=\s*\{\{\s*\$json(\.[\w$]+|\[(["'])[^"'\]]*\2\])+\s*\}\}\s*$/;

/** Reads references a second time: one that is different now would be different at each attempt, too. */
async function checkAgain(
	context: IExecuteFunctions,
	field: Field,
	raw: string,
	drafts: Draft[],
): Promise<void> {
	const breathe = breather();
	const readers = fieldReaders(context, [field]);
	for (const { itemIndex, values, problems } of drafts) {
		await breathe();
		if (values[field.name] === undefined) continue;
		const incomplete = isComposed(raw) ? partProblem(context, raw, itemIndex) : undefined;
		if (incomplete) {
			problems.push({ field: field.label, ...incomplete });
			continue;
		}
		const again = checkFields([field], readers(itemIndex)).values[field.name];
		if (again === values[field.name]) continue;
		problems.push({ field: field.label, ...tell('unstableReading') });
	}
}

/** A row of a batch that could not be read. */
function unread(itemIndex: number): Draft {
	return {
		itemIndex,
		reference: '',
		key: '',
		values: Object.create(null) as Values,
		body: {},
		problems: [],
	};
}

async function readDrafts(
	context: IExecuteFunctions,
	endpoint: MoneyEndpoint,
	fields: Field[],
	sheet: Sheet | undefined,
	formats: ReadonlyMap<string, AmountFormat> | undefined,
): Promise<Draft[]> {
	const items = context.getInputData();
	const readFields = fieldReaders(context, fields);
	const readDefaults = fieldReaders(
		context,
		fields,
		({ name }) => `${PARAMETER.columnDefaults}.${name}`,
	);
	const breathe = breather();
	const drafts: Draft[] = [];
	for (let itemIndex = 0; itemIndex < items.length; itemIndex++) {
		await breathe();
		const { values, problems } = sheet
			? checkColumns(fields, items[itemIndex].json, sheet, formats, readDefaults(itemIndex))
			: checkFields(fields, readFields(itemIndex), formats);
		problems.push(...((await endpoint.readBinary?.(context, values, itemIndex)) ?? []));
		drafts.push({ ...unread(itemIndex), values, problems });
	}
	return drafts;
}

function checkColumns(
	fields: Field[],
	row: IDataObject,
	{ map }: Sheet,
	formats: ReadonlyMap<string, AmountFormat> | undefined,
	readDefault: ReadField,
): { values: Values; problems: Problem[] } {
	if (Object.values(row).every(isEmpty)) {
		return {
			values: Object.create(null) as Values,
			problems: [{ field: 'Row', ...tell('rowEmpty') }],
		};
	}
	const conflicts: Problem[] = [];
	const read: ReadField = (field) => {
		const { value, conflict } = cellOf(row, map, field);
		if (conflict) {
			const columns = conflict.map(showValue).join(' and ');
			conflicts.push({ field: field.label, ...tell('columnsDiffer', { columns }) });
			return row[conflict[0]];
		}
		if (!isEmpty(value)) return value;
		const preset = readDefault(field);
		// A field that shapes the form has its first choice when the user has none.
		return isEmpty(preset) && field.to === undefined ? field.form.default : preset;
	};
	const { values, problems } = checkFields(fields, read, formats);
	const problemOf = new Map(problems.map((problem) => [problem.field, problem]));
	for (const { header, field } of map.misspelt) {
		const own = map.columns.get(field.name)?.flat() ?? [];
		if (own.some((name) => Object.hasOwn(row, name)) || isEmpty(cellUnder(row, header))) continue;
		const problem = problemOf.get(field.label);
		if (problem && problem.value === undefined) {
			problem.advice = `There is a column ${showValue(header)}: did you mean ${showValue(field.label)}?`;
		} else if (!problem && fields.includes(field)) {
			// What the column says would be replaced by a default, ours or the service's.
			problems.push({
				field: `Column ${showValue(header)}`,
				value: showValue(row[header]),
				...tell('columnMisspelt', { field: showValue(field.label) }),
			});
		}
	}
	return { values, problems: [...problems, ...conflicts] };
}

function generateReferences(
	context: IExecuteFunctions,
	{ path, fields, reference }: MoneyEndpoint,
	memory: ExecutionMemory,
	identity: BatchIdentity,
	drafts: Draft[],
	sheet: Sheet | undefined,
): void {
	const { batchId, keyColumns } = identity;
	const items = context.getInputData();
	const assign = (draft: Draft, parts: unknown[]) => {
		draft.values[reference.field] = generatedReference([path, batchId, ...parts], reference.form);
	};
	if (keyColumns.size) {
		const nameKey = sheet ? keyNamer(fields, sheet.map) : undefined;
		for (const draft of drafts) {
			const keys = keyValues(items[draft.itemIndex].json, identity, nameKey, draft.problems);
			if (keys) assign(draft, ['keys', keys]);
		}
		return;
	}
	// The content as it will be sent, so that a changed number format, or a column that was added to
	// the sheet, is still the same payment.
	const contents = drafts.map(({ values, problems }) =>
		problems.length ? undefined : contentText(toBody(fields, values)),
	);
	const numbers = memory.countOccurrences(
		contents.map((content) => content && JSON.stringify([batchId, content])),
	);
	for (const [index, content] of contents.entries()) {
		if (content !== undefined) assign(drafts[index], ['content', content, numbers[index]]);
	}
}

function markDuplicates({ fields, reference }: MoneyEndpoint, drafts: Draft[]): void {
	const label = fields.find(({ name }) => name === reference.field)?.label ?? reference.field;
	const first = new Map<string, Draft>();
	for (const draft of drafts) {
		if (draft.key === '') continue;
		const earlier = first.get(draft.key);
		if (!earlier) {
			first.set(draft.key, draft);
			continue;
		}
		draft.problems.push({
			field: label,
			value: showValue(draft.reference),
			...tell('duplicateReference', { row: rowName(earlier.itemIndex) }),
		});
	}
}

const MAX_STRETCH_MS = 20;

/** Lets the process do other work (stop an execution, answer a webhook) while thousands of items are read. */
function breather(): () => Promise<void> {
	let since = Date.now();
	return async () => {
		if (Date.now() - since < MAX_STRETCH_MS) return;
		await sleep(0);
		since = Date.now();
	};
}
