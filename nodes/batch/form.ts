import type { INodeProperties } from 'n8n-workflow';

import { choiceField, columnName, type Field } from '../fields/field';
import { entries, SIMPLIFY, toProperties } from '../fields/form';
import type { MoneyEndpoint } from './endpoint';
import { optionProperties } from './options';

/** The entries of Column Mapping. */
export const COLUMN_MAPPING_ENTRIES = 'column';

const FIELDS = { mappingMode: ['defineBelow'] };
const COLUMNS = { mappingMode: ['autoMapInputData'] };
const GENERATED = { referenceSource: ['generated'] };

/** The form of a money operation: where rows come from, its fields, the reference, the options. */
export function moneyProperties(endpoint: MoneyEndpoint): INodeProperties[] {
	const { reference, notice, simplified, fromResults, properties = [] } = endpoint;
	const start = notice === undefined ? [] : [moneyNotice(notice)];
	const end = [...properties, ...(simplified ? [SIMPLIFY] : []), ...optionProperties(endpoint)];
	if (fromResults) {
		const inForm = endpoint.fields.filter(({ name }) => !fromResults.fields.includes(name));
		return [...start, ...toProperties(inForm), ...end];
	}
	const fields = endpoint.fields.map((field) =>
		field.name === reference.field
			? { ...field, onlyWhen: { ...field.onlyWhen, referenceSource: ['given'] } }
			: field,
	);
	return [
		...start,
		MAPPING_MODE,
		{ ...REFERENCE_SOURCE, default: defaultReferenceSource(endpoint) },
		BATCH_ID,
		keyColumns(endpoint),
		...toProperties(fields, { show: FIELDS }),
		columnMapping(endpoint),
		defaultValues(endpoint.fields, reference.field),
		...end,
	];
}

/**
 * Generated if a payee identifies the payment: then a Batch ID is enough, and nobody makes up a UUID. Otherwise people
 * have a reference already, such as an order number.
 */
export function defaultReferenceSource({ reference }: MoneyEndpoint): 'generated' | 'given' {
	return reference.payeeField === undefined ? 'given' : 'generated';
}

/** The one yellow notice of a form: what cannot be undone. */
function moneyNotice(displayName: string): INodeProperties {
	return { displayName, name: 'moneyNotice', type: 'notice', default: '' };
}

const MAPPING_MODE: INodeProperties = {
	displayName: 'Mapping Column Mode',
	name: 'mappingMode',
	type: 'options',
	noDataExpression: true,
	options: [
		{
			name: 'Map Automatically',
			value: 'autoMapInputData',
			description:
				'Take the values from input columns, which are found by their usual Spanish and English names. Add others under Column Mapping.',
		},
		{
			name: 'Map Each Column Manually',
			value: 'defineBelow',
			description: 'Enter each field here, with expressions where items differ',
		},
	],
	default: 'defineBelow',
	description: 'Where the values of each item come from',
};

/** When to map a column, and the columns that the input needs and may have. */
function columnsText({ fields, reference }: MoneyEndpoint): string {
	const columns = fields.filter(({ to, name }) => to !== undefined && name !== reference.field);
	const isRequired = ({ required, onlyWhen }: Field) => required && !onlyWhen;
	const names = (list: Field[]) => [...new Set(list.map(columnName))].join(', ');
	const referenceColumn = names(fields.filter(({ name }) => name === reference.field));
	const required = names(columns.filter(isRequired));
	const optional = names(columns.filter((field) => !isRequired(field)));
	return [
		`Only for columns that the node does not find by name. Required: ${required}; also ${referenceColumn} if Reference Source is Given.`,
		...(optional === '' ? [] : [`Optional: ${optional}.`]),
		'The usual Spanish and English names match too. Accents, case and punctuation do not matter.',
	].join(' ');
}

const REFERENCE_SOURCE: INodeProperties = {
	displayName: 'Reference Source',
	name: 'referenceSource',
	type: 'options',
	noDataExpression: true,
	options: [
		{
			name: 'Generated From Batch ID',
			value: 'generated',
			description: 'The same payee or key with the same Batch ID always gets the same reference',
		},
		{
			name: 'Given',
			value: 'given',
			description: 'A field below or an input column holds the reference of each item',
		},
	],
	default: 'given',
	builderHint: {
		propertyHint:
			'Given only if the data has a unique identifier. Never make one up in the workflow.',
	},
	description:
		'Where the unique reference of each item comes from. It is the idempotency key: the same payment needs the same reference whenever it runs.',
};

const BATCH_ID: INodeProperties = {
	displayName: 'Batch ID',
	name: 'batchId',
	type: 'string',
	default: '',
	required: true,
	placeholder: 'e.g. payroll-2026-11',
	builderHint: {
		propertyHint:
			'The period or the name of the file. No $now, $execution, $runIndex or random value.',
	},
	description:
		'Your name for this batch, the same for all items. Rows that run again with it are not paid twice. Values based on the time, the execution or randomness are rejected.',
	displayOptions: { show: GENERATED },
};

function keyColumns({ fields, reference }: MoneyEndpoint): INodeProperties {
	const payee = fields.find(({ name }) => name === reference.payeeField)?.label;
	const identify =
		'Input columns that together identify a payment and never change, separated by commas, always in the same order';
	return {
		displayName: 'Key Columns',
		name: 'keyColumns',
		type: 'string',
		default: '',
		...(payee === undefined && { required: true }),
		placeholder: payee === undefined ? 'e.g. order_id' : 'e.g. employee_id, month',
		description:
			payee === undefined
				? identify
				: `${identify}. If empty, ${payee} identifies it: one payment for each payee. No other value makes a new payment, so a corrected row is not paid twice.`,
		displayOptions: { show: GENERATED },
	};
}

function fieldChoice(fields: Field[]): Field {
	const options = fields
		.filter(({ to }) => to !== undefined)
		.map(({ name, label }) => ({ name: label, value: name }))
		.sort((a, b) => a.name.localeCompare(b.name));
	return choiceField({
		name: 'field',
		label: 'Field',
		options,
		default: fields.find(({ isAmount }) => isAmount)?.name ?? options[0].value,
		description: 'The field that the column holds',
	});
}

/** Which column holds a field, for columns that the node does not find by name. */
function columnMapping(endpoint: MoneyEndpoint): INodeProperties {
	const { fields } = endpoint;
	return {
		displayName: 'Column Mapping',
		name: 'columnMapping',
		type: 'fixedCollection',
		...entries('Column', COLUMN_MAPPING_ENTRIES, [
			...toProperties([fieldChoice(fields)]),
			{
				displayName: 'Column Name',
				name: 'header',
				type: 'string',
				requiresDataPath: 'single',
				default: '',
				placeholder: 'e.g. Net salary',
				description:
					'The header of the column as it is in the input. You can also drag the column here from the input.',
			},
		]),
		default: {},
		description: columnsText(endpoint),
		displayOptions: { show: COLUMNS },
	};
}

/** Values for all rows, where a column is missing or its cell is empty. */
function defaultValues(fields: Field[], referenceField: string): INodeProperties {
	const [collection] = toProperties(
		fields
			.filter(({ name }) => name !== referenceField)
			.map((field) => ({ ...field, optional: true })),
		{
			collection: 'defaultValues',
			collectionLabel: 'Default Values',
			show: COLUMNS,
		},
	);
	return {
		...collection,
		description: 'Values for rows whose column is missing or whose cell is empty',
	};
}
