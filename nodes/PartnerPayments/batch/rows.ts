import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import {
	checkFields,
	fieldReaders,
	showValue,
	toBody,
	type Field,
	type Problem,
	type ReadField,
} from '../../shared/fields';
import { addDecimals, compareDecimals, parseDecimal } from '../../shared/money';
import { isEmpty, type Values } from '../../shared/rules';
import { cellOf, columnMapper, normalize, type ColumnMap } from './columns';
import type { MoneyEndpoint } from './endpoint';
import { PARAMETER, type BatchOptions } from './form';
import { generatedReference } from './reference';

/** One input item, read and checked. It can be sent when it has no problems. */
export interface Row {
	itemIndex: number;
	/** Empty when it could not be read. */
	reference: string;
	values: Values;
	body: IDataObject;
	problems: Problem[];
	/** An earlier row of the input has the same reference. */
	isDuplicate?: boolean;
}

/** All rows of a batch, and what the user should know of its columns. */
export interface Rows {
	rows: Row[];
	notices: string[];
}

/** Reads and checks all input items. Nothing is sent; a bad row has its problems with it. */
export async function readRows(
	context: IExecuteFunctions,
	endpoint: MoneyEndpoint,
	options: BatchOptions,
): Promise<Rows> {
	const items = context.getInputData();
	if (items.length === 0) return { rows: [], notices: [] };

	const fromColumns = context.getNodeParameter(PARAMETER.rowSource, 0, 'fields') === 'columns';
	const generated = context.getNodeParameter(PARAMETER.referenceSource, 0, 'given') === 'generated';
	// A generated reference comes after the other values, because it is made of them.
	const fields = generated
		? endpoint.fields.filter(({ name }) => name !== endpoint.reference.field)
		: endpoint.fields;

	const readFields = fieldReaders(context, fields);
	const readDefaults = fieldReaders(
		context,
		fields,
		({ name }) => `${PARAMETER.columnDefaults}.${name}`,
	);
	const breathe = breather();
	const mapOf = columnMapper(endpoint.fields);
	const maps = new Set<ColumnMap>();
	const rows: Row[] = [];
	for (let itemIndex = 0; itemIndex < items.length; itemIndex++) {
		await breathe();
		const { json } = items[itemIndex];
		let checked: { values: Values; problems: Problem[] };
		if (fromColumns) {
			const map = mapOf(json);
			maps.add(map);
			checked = checkColumns(fields, json, map, readDefaults(itemIndex));
		} else {
			checked = checkFields(fields, readFields(itemIndex));
		}
		const { values, problems } = checked;
		problems.push(...((await endpoint.readBinary?.(context, values, itemIndex)) ?? []));
		rows.push({ itemIndex, reference: '', values, body: {}, problems });
	}

	if (generated) generateReferences(context, endpoint, rows);
	for (const row of rows) {
		row.reference = String(row.values[endpoint.reference.field] ?? '');
		row.body = toBody(endpoint.fields, row.values);
		row.problems.push(...aboveMaximum(endpoint, options, row));
	}
	markDuplicates(endpoint, rows);
	return { rows, notices: columnNotices(maps) };
}

function checkColumns(
	fields: Field[],
	row: IDataObject,
	map: ColumnMap,
	readDefault: ReadField,
): { values: Values; problems: Problem[] } {
	if (Object.values(row).every(isEmpty)) {
		return {
			values: Object.create(null) as Values,
			problems: [
				{ field: 'Row', rule: 'is empty', fix: 'Remove empty rows from the spreadsheet.' },
			],
		};
	}
	const conflicts: Problem[] = [];
	const { values, problems } = checkFields(fields, (field) => {
		const { value, conflict } = cellOf(row, map, field);
		if (conflict) {
			conflicts.push({
				field: field.label,
				rule: `is in the columns ${conflict.map(showValue).join(' and ')} with different values`,
				fix: 'Keep one of these columns.',
			});
			return row[conflict[0]];
		}
		if (!isEmpty(value)) return value;
		const preset = readDefault(field);
		// A field that shapes the form has its first choice when the user has none.
		return isEmpty(preset) && field.to === undefined ? field.form.default : preset;
	});
	for (const problem of problems) {
		const near = map.misspelt.find(({ field }) => field.label === problem.field);
		if (near && problem.value === undefined) {
			problem.fix = `There is a column ${showValue(near.header)}: did you mean ${showValue(near.field.label)}?`;
		}
	}
	return { values, problems: [...problems, ...conflicts] };
}

function columnNotices(maps: Set<ColumnMap>): string[] {
	const notices = new Set<string>();
	for (const { misspelt } of maps) {
		for (const { header, field } of misspelt) {
			notices.add(
				`Column ${showValue(header)} belongs to no field and was ignored. Did you mean ${showValue(field.label)}?`,
			);
		}
	}
	return [...notices];
}

function generateReferences(
	context: IExecuteFunctions,
	{ path, fields, reference }: MoneyEndpoint,
	rows: Row[],
): void {
	const batchId = String(context.getNodeParameter(PARAMETER.batchId, 0, '') ?? '').trim();
	if (batchId === '') {
		for (const { problems } of rows) {
			problems.push({
				field: 'Batch ID',
				rule: 'is required when Reference Source is Generated From Batch ID',
				fix: 'Give the batch a name of its own, and the same name when you run it again.',
			});
		}
		return;
	}
	// In whatever order and spelling they are listed: the same columns are the same key.
	const keyColumns = new Map(
		String(context.getNodeParameter(PARAMETER.keyColumns, 0, '') ?? '')
			.split(',')
			.map((column) => [normalize(column), column.trim()] as const)
			.filter(([name]) => name !== '')
			.sort(([a], [b]) => (a < b ? -1 : 1)),
	);
	const occurrences = new Map<string, number>();
	for (const row of rows) {
		let identity: unknown[];
		if (keyColumns.size) {
			const keys = keyValues(context.getInputData()[row.itemIndex].json, keyColumns, row.problems);
			if (!keys) continue;
			identity = ['keys', keys];
		} else {
			// The content as it will be sent, so that a changed number format, or a column that was
			// added to the sheet, is still the same payment.
			if (row.problems.length) continue;
			const content = JSON.stringify(toBody(fields, row.values));
			const occurrence = (occurrences.get(content) ?? 0) + 1;
			occurrences.set(content, occurrence);
			identity = ['content', content, occurrence];
		}
		row.values[reference.field] = generatedReference([path, batchId, ...identity], reference.form);
	}
}

function keyValues(
	row: IDataObject,
	keyColumns: Map<string, string>,
	problems: Problem[],
): Array<[string, string]> | undefined {
	const keys: Array<[string, string]> = [];
	for (const [name, column] of keyColumns) {
		const header = Object.keys(row).find((candidate) => normalize(candidate) === name);
		const value = header === undefined ? undefined : row[header];
		if (isEmpty(value)) {
			problems.push({
				field: `Key column ${showValue(column)}`,
				rule: header === undefined ? 'is not in the input' : 'is empty',
				fix: 'Every item needs a value in each key column.',
			});
			return undefined;
		}
		keys.push([name, keyText(value)]);
	}
	return keys;
}

/** The same text for a date and for the text that n8n makes of it when it stores an execution. */
function keyText(value: unknown): string {
	if (typeof value === 'string') return value.trim();
	const json: unknown = JSON.parse(JSON.stringify(value));
	return typeof json === 'string' ? json : JSON.stringify(json);
}

function aboveMaximum(
	endpoint: MoneyEndpoint,
	{ maximumAmount }: BatchOptions,
	{ values }: Row,
): Problem[] {
	if (maximumAmount === undefined || maximumAmount === '') return [];
	const maximum = parseDecimal(maximumAmount);
	if (!maximum.ok) {
		return [{ field: 'Maximum Amount', rule: maximum.rule, fix: maximum.fix }];
	}
	const money = endpoint.amount(values);
	const amount = money && parseDecimal(money.amount);
	if (!money || !amount?.ok || compareDecimals(amount.text, maximum.text) <= 0) return [];
	return [
		{
			field: 'Amount',
			value: JSON.stringify(`${addDecimals([amount.text])} ${money.currency}`),
			rule: `is above the Maximum Amount of ${maximum.text}`,
			fix: 'Check the amount, or raise Maximum Amount in Options.',
		},
	];
}

/** References are compared without upper and lower case: the service may do so. */
function markDuplicates({ fields, reference }: MoneyEndpoint, rows: Row[]): void {
	const label = fields.find(({ name }) => name === reference.field)?.label ?? reference.field;
	const first = new Map<string, Row>();
	for (const row of rows) {
		if (row.reference === '') continue;
		const key = row.reference.toLowerCase();
		const earlier = first.get(key);
		if (!earlier) {
			first.set(key, row);
			continue;
		}
		row.isDuplicate = true;
		row.problems.push({
			field: label,
			value: showValue(row.reference),
			rule: `is the same as in item ${earlier.itemIndex}`,
			fix: 'Give every payment a reference of its own.',
		});
	}
}

const LONGEST_STRETCH_MS = 20;

/** Lets n8n do other work (stop an execution, answer a webhook) while thousands of items are read. */
function breather(): () => Promise<void> {
	let since = Date.now();
	return async () => {
		if (Date.now() - since < LONGEST_STRETCH_MS) return;
		await sleep(0);
		since = Date.now();
	};
}
