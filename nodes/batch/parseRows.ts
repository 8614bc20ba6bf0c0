import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { labelIn, listWords } from '../fields/labels';
import {
	validateFields,
	type ValidationError,
	type ReadField,
	showValue,
	toBody,
} from '../fields/validateFields';
import { isEmpty, type Values } from '../fields/validators';
import { cellOf, cellUnder, type ColumnMap } from '../fields/columns';
import type { Field } from '../fields/field';
import { fieldReaders, inCollection, rawParameter } from '../fields/parameters';
import { grouped } from '../fields/grouped';
import { provenFormat, type AmountFormat } from '../fields/money';
import { idempotencyKey, joinWords } from '../fields/text';
import { NAME_ORDERS, splitName } from '../fields/personNames';
import {
	fail,
	ok,
	type Result,
	type UserMessage,
	inEachLanguage,
	inLanguage,
	phrase,
	TEXTS,
	type Words,
} from '../messages/userMessage';
import type { Language } from '../report/language';
import { startOf } from '../service/outsideText';
import { cellsOfItem, rejectBatch, type BatchContext } from './batchContext';
import type { MoneyEndpoint } from './endpoint';
import { COLLECTION } from './options';
import { DEFAULT_VALUES, generatesReferences, referencePath } from './options/form';
import { INPUT_ITEM } from './askLogs';
import { userMessage } from './messages';
import type { Row } from './payment';
import { rowOfRun, rowWords } from './rowName';
import {
	cellsOf,
	differingColumns,
	findKeyColumns,
	generatedReference,
	isSameIdentity,
	keyOf,
	parseBatchIdentity,
	type BatchIdentity,
} from './reference';
import { itemsAsRows, readColumnMapping, shownHeader, type ColumnMapping } from './columnMapping';
import { FileTotals } from './fileTotals';
import { numbersRows, readInputRows, type InputRow, type InputRows } from './inputRows';
import { markedRow } from './markedRows';
import { misreadFile } from './misreadFile';
import { dependsOnDate, volatility, isConcatenation, validateParts } from './volatileExpressions';

/** A row that is being parsed. */
type Draft = { -readonly [K in keyof Row]: Row[K] } & { errors: ValidationError[] };

/**
 * The first stage: parses and validates all input items. An invalid row carries its errors; what makes
 * the references of all rows useless rejects the batch.
 *
 * @returns the rows, in the order of their input items. Empty rows, titles and totals are none
 */
export async function parseRows(batch: BatchContext): Promise<Row[]> {
	const { context, endpoint, options, yieldNow } = batch;
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
	const rejectAll = (reason: UserMessage) => {
		rejectBatch(batch, reason);
		return context.getInputData().map((_, itemIndex) => emptyRow(itemIndex));
	};
	const isMapped = !endpoint.fromResults && isFromColumns(context);
	await yieldNow();
	const input = isMapped
		? readInputRows(context.getInputData(), endpoint, options.headerRow)
		: undefined;
	if (input && !input.ok) return rejectAll(input.error);
	const rows = input?.value.rows ?? itemsAsRows(context);
	const items = context.getInputData();
	if (rows.some(({ itemIndex, columns }) => columns !== items[itemIndex].json))
		batch.cells = new Map(rows.map(({ itemIndex, columns }) => [itemIndex, columns]));
	const { fullName, decimalSeparator, language } = options;
	await yieldNow();
	const columns = isMapped
		? readColumnMapping(context, endpoint, fields, {
				rows,
				fullName: fullName && NAME_ORDERS[fullName],
				language,
			})
		: undefined;
	if (columns && !columns.ok) return rejectAll(columns.error);
	const mapping = columns?.value;
	const chosen: AmountFormat = {
		decimal: decimalSeparator === 'comma' ? ',' : '.',
		isChosen: true,
	};
	const formats =
		decimalSeparator === 'automatic'
			? mapping?.formats
			: new Map(endpoint.fields.map(({ name }) => [name, chosen]));
	const totals = mapping && new FileTotals(endpoint, mapping.map, formats, language);
	await yieldNow();
	const filled = totals?.withoutEmpty(rows) ?? rows;
	const possible = filled.filter((row) => !totals?.isTotal(row));
	const read = await readDrafts(batch, fields, possible, mapping, formats);
	await yieldNow();
	if (mapping)
		rejectBatch(
			batch,
			unknownBanks(batch, read) ?? misreadFile(batch, read, mapping, input?.value.titles ?? []),
		);
	await yieldNow();
	const leftOut = totals?.check(filled, read);
	rejectBatch(batch, leftOut?.error);
	const drafts = read.filter(({ itemIndex }) => !leftOut?.items.has(itemIndex));
	batch.reading = mapping && {
		columns: mapping.text,
		banks: bankTexts(batch, drafts, mapping),
		rows: [
			...rowTexts(language, input?.value, rows.length - filled.length),
			...(leftOut?.texts ?? []),
			...columnTexts(batch, drafts, mapping.map),
		],
	};

	await yieldNow();
	if (!source.ok) rejectBatch(batch, source.error);
	const { identity, check, hints = [] } = source.ok ? source.value : {};
	batch.hints.push(...hints);
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
	if (identity) rejectSecondRows(batch, identity, drafts);
	else rejectDuplicateReferences(endpoint, drafts);
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
	hints?: string[];
}

function generatedReferences(
	context: IExecuteFunctions,
	endpoint: MoneyEndpoint,
): Result<ReferenceSource> {
	const { name: operation, fields, reference } = endpoint;
	const batch = parseBatchIdentity(context, referencePath(endpoint, 'keyColumns'));
	if (!batch.ok || batch.value.identity.keyColumns.length > 0) return batch;
	const payee = fields.find(({ name }) => name === reference.payeeField);
	if (!payee) return fail(userMessage('keyColumnsNeeded', { operation }));
	const path = pathOf(payee, isFromColumns(context));
	const raw: unknown = rawParameter(context, path);
	const reason = volatility(context, raw, 0);
	return reason
		? fail(userMessage('volatilePayee', { field: payee.label, reason: reason.message }))
		: batch;
}

function givenReferences(batch: BatchContext): Result<ReferenceSource> {
	const { context, endpoint } = batch;
	const field = endpoint.fields.find(({ name }) => name === endpoint.reference.field);
	if (!field || isFromColumns(context)) return ok({});
	const raw: unknown = rawParameter(context, pathOf(field, false));
	if (typeof raw !== 'string' || !raw.startsWith('=') || COLUMN_ONLY.test(raw)) return ok({});

	const reason = volatility(context, raw, 0);
	if (reason) return fail({ ...reason, message: `${field.label} ${reason.message}` });
	return ok({
		check: async (drafts) => await rejectVolatileReferences(batch, field, raw, drafts),
		hints: dependsOnDate(context, raw, 0)
			? [userMessage('referenceDependsOnDate', { field: field.label }).message]
			: [],
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

/** Which codes were taken for names of banks, for people: `Banco Unión -> 1014 (12 rows)`. Then those without one. */
function bankTexts(batch: BatchContext, drafts: Draft[], { map }: ColumnMapping): string[] {
	const field = batch.endpoint.fields.find(({ adjustable }) => adjustable?.option === 'bankNames');
	if (!field) return [];
	const counts = new Map<string, { name: string; code: string; count: number }>();
	for (const { itemIndex, values } of drafts) {
		const code = values[field.name];
		const { value } = cellOf(cellsOfItem(batch, itemIndex), map, field);
		const cell = String(value ?? '').trim();
		if (isEmpty(code) || cell === '' || cell === code) continue;
		const bank = { name: shownHeader(cell), code: String(code) };
		const key = JSON.stringify(bank);
		counts.set(key, { ...bank, count: (counts.get(key)?.count ?? 0) + 1 });
	}
	const texts = TEXTS[batch.options.language].reading;
	const unknown = banksWithoutCode(drafts);
	return [
		...[...counts.values()].map(({ name, code, count }) => texts.bank(name, code, count)),
		...(unknown
			? [startOf(inLanguage(unknown, batch.options.language).message).replaceAll('<', '\u2039')]
			: []),
	];
}

/** What of the input is no payment, apart from totals, for people. */
function rowTexts(language: Language, input: InputRows | undefined, unused: number): string[] {
	const { headerRow, blank = 0, repeated = 0 } = input ?? {};
	const texts = TEXTS[language].reading;
	const empty = blank + unused;
	return [
		...(headerRow === undefined ? [] : [texts.headers(headerRow)]),
		...(repeated === 0 ? [] : [texts.repeated(repeated)]),
		...(empty === 0 ? [] : [texts.blank(empty)]),
	];
}

/** The columns with values that were not used, and the accounts of which a spreadsheet may have dropped zeros. */
function columnTexts(batch: BatchContext, drafts: Draft[], map: ColumnMap): string[] {
	const texts = TEXTS[batch.options.language].reading;
	const rows = drafts.map(({ itemIndex }) => cellsOfItem(batch, itemIndex));
	const unused = map.unmapped.filter(
		(header) => !numbersRows(header) && rows.some((row) => !isEmpty(cellUnder(row, header))),
	);
	const account = batch.endpoint.fields.find(
		({ adjustable }) => adjustable?.option === 'accountSeparators',
	);
	const numbers = rows.filter(
		(row) => account && typeof cellOf(row, map, account).value === 'number',
	);
	return [
		...(unused.length === 0 ? [] : [texts.unused(unused.map(shownHeader).join(', '))]),
		...(numbers.length === 0 ? [] : [texts.numbers(numbers.length)]),
	];
}

/**
 * Asks about all names of banks without a code at once, if nothing else is invalid and nothing would be sent in any
 * case. The rows are then valid as far as they go.
 */
function unknownBanks({ continueOnFail }: BatchContext, drafts: Draft[]): UserMessage | undefined {
	if (continueOnFail || drafts.some(({ errors }) => errors.some(({ code }) => code !== 'bankName')))
		return undefined;
	const unknown = banksWithoutCode(drafts);
	for (const draft of drafts) draft.errors = [];
	return unknown;
}

/** All names of banks without a code, each with its rows. */
function banksWithoutCode(drafts: Draft[]): UserMessage | undefined {
	const errors = drafts.flatMap((draft) =>
		draft.errors.flatMap(({ code, value }) => (code === 'bankName' ? { value, draft } : [])),
	);
	if (errors.length === 0) return undefined;
	const byName = [...grouped(errors, ({ value = '' }) => value)];
	const names = inEachLanguage((language) => {
		const row = phrase('row')[language];
		return byName
			.map(([name, ofName]) => {
				const numbers = ofName.map(({ draft }) => String(draft.itemIndex + 1));
				return `${name} (${row}${numbers.length === 1 ? '' : 's'} ${joinWords(numbers, 'and', language)})`;
			})
			.join(', ');
	});
	return userMessage('bankNamesUnknown', { names });
}

async function readDrafts(
	{ context, endpoint, yieldNow }: BatchContext,
	fields: Field[],
	rows: InputRow[],
	mapping: ColumnMapping | undefined,
	formats: ReadonlyMap<string, AmountFormat> | undefined,
): Promise<Draft[]> {
	const readFields = fieldReaders(context, fields, inCollection(COLLECTION));
	const readDefaults = fieldReaders(context, fields, ({ name }) => `${DEFAULT_VALUES}.${name}`);
	const alone = fields.map(amountAlone);
	const drafts: Draft[] = [];
	for (const { itemIndex, columns, cells } of rows) {
		await yieldNow();
		const { values, errors } = mapping
			? validateColumns(fields, columns, mapping, formats, readDefaults(itemIndex))
			: validateItem(
					{ fields: alone, fromResults: endpoint.fromResults },
					columns,
					readFields(itemIndex),
					formats,
				);
		if (mapping) errors.push(...inOtherCurrency(endpoint, columns, values, mapping));
		if (cells !== undefined)
			errors.push({ field: 'Row', ...userMessage('tooManyCells', { cells }) });
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
	formats: ReadonlyMap<string, AmountFormat> | undefined,
): { values: Values; errors: ValidationError[] } {
	if (!fromResults) return validateFields(fields, readForm, formats);
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
		validate: (raw, values, format) => validate(raw, values, format ?? provenFormat([raw])),
	};
}

function validateColumns(
	fields: Field[],
	row: IDataObject,
	{ map, wholeName }: ColumnMapping,
	formats: ReadonlyMap<string, AmountFormat> | undefined,
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
	const { values, errors } = validateFields(
		fields,
		withNameSplit(fields, read, wholeName),
		formats,
	);
	const errorOf = new Map(errors.map((error) => [error.field, error]));
	for (const { header, field } of map.misspelled) {
		const own = map.columns.get(field.name)?.flat() ?? [];
		if (own.some((name) => Object.hasOwn(row, name)) || isEmpty(cellUnder(row, header))) continue;
		const error = errorOf.get(field.label);
		if (error && error.value === undefined) {
			const question = phrase('thereIsColumn', {
				column: showValue(header),
				field: inEachLanguage((language) => showValue(labelIn(language, field.label))),
			});
			error.hint = question.en;
			if (error.es) error.es.hint = question.es;
		} else if (!error && fields.includes(field)) {
			// A default, ours or the service's, would replace the column's value.
			errors.push({
				field: `Column ${showValue(header)}`,
				value: showValue(row[header]),
				...userMessage('columnMisspelled', {
					field: inEachLanguage((language) => showValue(labelIn(language, field.label))),
				}),
			});
		}
	}
	return {
		values,
		errors: [...errors, ...conflicts, ...qualified(fields, row, map), ...markedRow(row, map)],
	};
}

/** A reader that splits whole names, except those of companies. */
function withNameSplit(
	fields: Field[],
	read: ReadField,
	whole: ColumnMapping['wholeName'],
): ReadField {
	const named = (name: string) => fields.find((field) => field.name === name);
	const source = whole && named(whole.names);
	if (!whole || !source) return read;
	const readNamed = (name: string) => {
		const field = named(name);
		return field && read(field);
	};
	return (field) => {
		if (field.name !== whole.names && field.name !== whole.surnames) return read(field);
		const cell = read(source);
		if (typeof cell !== 'string' || whole.isCompany(readNamed)) return read(field);
		return splitName(cell, whole.order)[field === source ? 'names' : 'surnames'];
	};
}

/** The currency that a column names, if it is not that of the row. */
function inOtherCurrency(
	endpoint: MoneyEndpoint,
	row: IDataObject,
	values: Values,
	{ map }: ColumnMapping,
): ValidationError[] {
	const money = endpoint.amount(values);
	if (!money) return [];
	return [...map.currencies]
		.filter(([header, currency]) => !isEmpty(cellUnder(row, header)) && currency !== money.currency)
		.map(([header, currency]) => ({
			field: `Column ${showValue(header)}`,
			value: showValue(row[header]),
			...userMessage('columnInOtherCurrency', {
				currency,
				other: money.currency || phrase('notSet'),
			}),
		}));
}

const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;

/** A complement or a check digit: `-1A`, `07`, `K`. No place of issue is one. */
const COMPLEMENT = /^[-\s]*(\d{1,2}|\d[A-Z]|K)$/i;

/** The other parts of values that cannot be sent: the complement of a document. */
function qualified(fields: Field[], row: IDataObject, map: ColumnMap): ValidationError[] {
	const withPattern = (headers: string[] = [], pattern: RegExp) =>
		headers.filter((header) => pattern.test(startOf(String(cellUnder(row, header) ?? '')).trim()));
	return fields.flatMap((field) =>
		[
			...withPattern(map.qualifiers.get(field.name), LETTER_OR_DIGIT),
			...withPattern(map.possibleQualifiers.get(field.name), COMPLEMENT),
		].map((header) => ({
			field: field.label,
			value: showValue(cellOf(row, map, field).value ?? ''),
			...userMessage('valueQualified', {
				column: showValue(header),
				cell: showValue(row[header]),
			}),
		})),
	);
}

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
	const { names, surnames } = mapping?.wholeName ?? {};
	const whole = names !== undefined && surnames !== undefined ? [names, surnames] : [];
	const columns = findKeyColumns(identity, rows, fields, mapping?.map, whole);
	if (!columns.ok) return rejectBatch(batch, columns.error);
	const isKeyed = columns.value.length > 0;
	for (const [index, draft] of drafts.entries()) {
		const { values, errors } = draft;
		const row = rows[index];
		const who = isKeyed ? keyOf(row, values, columns.value, errors) : payee?.(values)?.id;
		if (who === undefined) continue;
		values[reference.field] = generatedReference([path, identity.batchId, who], reference.form);
		if (!isKeyed) draft.cells = cellsOf(row);
	}
}

const MAX_SHOWN_COLUMNS = 8;

/**
 * Rejects each further row with the key of an earlier one; without Key Columns, each further row of a payee,
 * also if an earlier run of this execution sent the first. The columns in which they differ could be Key Columns.
 */
function rejectSecondRows(
	batch: BatchContext,
	{ keyColumns }: BatchIdentity,
	drafts: Draft[],
): void {
	const { endpoint, state } = batch;
	const { fields, reference } = endpoint;
	const payee = fields.find(({ name }) => name === reference.payeeField);
	const first = new Map<string, Draft>();
	for (const draft of drafts) {
		const { idempotencyKey: key, itemIndex, values, errors } = draft;
		if (key === '') continue;
		const sent = keyColumns.length ? undefined : state.rowInOtherRun(key);
		const earlier = first.get(key);
		let row: Words;
		let cells: string;
		if (earlier) {
			row = rowWords(endpoint, earlier);
			cells = cellsOf(cellsOfItem(batch, earlier.itemIndex));
		} else if (sent) {
			row = rowOfRun(sent);
			cells = sent.cells ?? '';
		} else {
			first.set(key, draft);
			continue;
		}
		const differing = differingColumns(cellsOfItem(batch, itemIndex), cells).slice(
			0,
			MAX_SHOWN_COLUMNS,
		);
		errors.push({
			...(keyColumns.length || !payee
				? { field: 'Key Columns' }
				: { field: payee.label, value: showValue(values[payee.name]) }),
			...(differing.length
				? userMessage('secondRow', { row, columns: listWords(differing.map(showValue)) })
				: userMessage('copiedRow', { row })),
		});
		// It is not the payment that has this reference.
		delete values[reference.field];
		Object.assign(draft, { reference: '', idempotencyKey: '' });
	}
}

function rejectDuplicateReferences(endpoint: MoneyEndpoint, drafts: Draft[]): void {
	const { fields, reference } = endpoint;
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
			...userMessage('duplicateReference', { row: rowWords(endpoint, earlier) }),
		});
	}
}
