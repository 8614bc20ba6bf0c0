import type { INodeProperties } from 'n8n-workflow';

import { choiceField, columnName, type Condition, type Field } from '../fields/field';
import { SIMPLIFY, toProperties } from '../fields/form';
import type { MoneyEndpoint } from './endpoint';
import { optionProperties, OPTIONS } from './optionForm';

/** Parameters that all money operations have in common. */
export const PARAMETER = {
	rowSource: 'rowSource',
	columnNames: 'columnNames',
	columnDefaults: 'columnDefaults',
	referenceSource: 'referenceSource',
	batchId: 'batchId',
	keyColumns: 'keyColumns',
} as const;

/** The entries of Column Names. */
export const COLUMN_NAMES = 'column';

const FIELDS = { [PARAMETER.rowSource]: ['fields'] };
const COLUMNS = { [PARAMETER.rowSource]: ['columns'] };
const GENERATED = { [PARAMETER.referenceSource]: ['generated'] };

/** The form of a money operation: where rows come from, its fields, the reference, the options. */
export function moneyProperties(endpoint: MoneyEndpoint): INodeProperties[] {
	const { reference, notice: warning, simplified, properties = [] } = endpoint;
	const fields = endpoint.fields.map((field) =>
		field.name === reference.field
			? { ...field, onlyWhen: { ...field.onlyWhen, [PARAMETER.referenceSource]: ['given'] } }
			: field,
	);
	return [
		...(warning === undefined ? [] : [notice('moneyNotice', warning)]),
		ROW_SOURCE,
		...columnsNotices(endpoint),
		REFERENCE_SOURCE,
		...GENERATED_REFERENCE,
		...withHints(toProperties(fields, { show: FIELDS }), endpoint),
		columnNames(endpoint.fields),
		columnDefaults(endpoint.fields, reference.field),
		...properties,
		...(simplified ? [SIMPLIFY] : []),
		{
			displayName: 'Options',
			name: OPTIONS,
			type: 'collection',
			placeholder: 'Add Option',
			default: {},
			options: optionProperties(endpoint),
		},
	];
}

function notice(name: string, text: string, show?: Condition): INodeProperties {
	return {
		displayName: text,
		name,
		type: 'notice',
		default: '',
		...(show && { displayOptions: { show } }),
	};
}

/** The form with each hint below the field whose choice it explains. */
function withHints(
	properties: INodeProperties[],
	{ hints = [] }: MoneyEndpoint,
): INodeProperties[] {
	return properties.flatMap((property) => [
		property,
		...hints
			.filter(({ onlyWhen }) => property.name in onlyWhen)
			.map(({ text, onlyWhen }) =>
				notice(`${property.name}Notice`, text, { ...FIELDS, ...onlyWhen }),
			),
	]);
}

const ROW_SOURCE: INodeProperties = {
	displayName: 'Row Source',
	name: PARAMETER.rowSource,
	type: 'options',
	noDataExpression: true,
	options: [
		{
			name: 'Fields Below',
			value: 'fields',
			description: 'Fill in each field here, with expressions where items differ',
		},
		{
			name: 'Input Columns',
			value: 'columns',
			description:
				'Take the values from input columns. They are found by the usual Spanish and English names; others you name below.',
		},
	],
	default: 'fields',
	description: 'Where the values of each item come from',
};

/** Which columns the input needs: with generated references, none for the reference. */
function columnsNotices({ fields, reference }: MoneyEndpoint): INodeProperties[] {
	const columns = fields.filter(({ to }) => to !== undefined);
	const others = columns.filter(({ name }) => name !== reference.field);
	return [
		columnsNotice(columns, reference.field, 'given'),
		columnsNotice(others, reference.field, 'generated'),
	];
}

function columnsNotice(
	columns: Field[],
	referenceField: string,
	referenceSource: string,
): INodeProperties {
	const isRequired = ({ name, required, onlyWhen }: Field) =>
		(required && !onlyWhen) || name === referenceField;
	const names = (list: Field[]) => [...new Set(list.map(columnName))].join(', ');
	const required = names(columns.filter(isRequired));
	const further = names(columns.filter((field) => !isRequired(field)));
	return notice(
		'columnsNotice',
		`Required columns: ${required}. Further columns: ${further}. Usual names in Spanish and English are understood too, such as Monto, Cuenta and Glosa; accents, upper and lower case and punctuation do not matter.`,
		{ ...COLUMNS, [PARAMETER.referenceSource]: [referenceSource] },
	);
}

const REFERENCE_SOURCE: INodeProperties = {
	displayName: 'Reference Source',
	name: PARAMETER.referenceSource,
	type: 'options',
	noDataExpression: true,
	options: [
		{
			name: 'Generated From Batch ID',
			value: 'generated',
			description: 'Running the same rows with the same Batch ID again gives the same references',
		},
		{
			name: 'Given',
			value: 'given',
			description: 'A field below or an input column has the reference of each item',
		},
	],
	default: 'given',
	description:
		'Where the unique reference of each item comes from. A payment is known by it: it must be the same when the same payment runs again.',
};

const GENERATED_REFERENCE: INodeProperties[] = [
	{
		displayName: 'Batch ID',
		name: PARAMETER.batchId,
		type: 'string',
		default: '',
		required: true,
		placeholder: 'e.g. payroll-2026-11',
		description:
			'Your name for this batch, the same for all items. Rows that run again under it are not paid twice; a new name means new payments. One that is made of the time, the execution or chance is refused.',
		displayOptions: { show: GENERATED },
	},
	{
		displayName: 'Key Columns',
		name: PARAMETER.keyColumns,
		type: 'string',
		default: '',
		placeholder: 'e.g. employee_id, month',
		description:
			'Input columns that together tell the rows apart, separated by commas. When empty, the whole content of the payment counts, so a corrected amount is another payment.',
		displayOptions: { show: GENERATED },
	},
];

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

/** Which column holds a field, where it is called in a way that the node does not know. */
function columnNames(fields: Field[]): INodeProperties {
	return {
		displayName: 'Column Names',
		name: PARAMETER.columnNames,
		type: 'fixedCollection',
		typeOptions: { multipleValues: true },
		placeholder: 'Add Column',
		default: {},
		description:
			'Only for columns that the node does not find by their names: which field each of them holds',
		options: [
			{
				displayName: 'Column',
				name: COLUMN_NAMES,
				values: [
					...toProperties([fieldChoice(fields)]),
					{
						displayName: 'Column Name',
						name: 'header',
						type: 'string',
						requiresDataPath: 'single',
						default: '',
						placeholder: 'e.g. Sueldo líquido',
						description:
							'The name of the column as it is in the input, without its value. You can also drag it here from the input.',
					},
				],
			},
		],
		displayOptions: { show: COLUMNS },
	};
}

/** Values for all rows, where a column is missing or its cell is empty. */
function columnDefaults(fields: Field[], referenceField: string): INodeProperties {
	const [collection] = toProperties(
		fields
			.filter(({ name }) => name !== referenceField)
			.map((field) => ({ ...field, optional: true })),
		{
			collection: PARAMETER.columnDefaults,
			collectionLabel: 'Same in Every Row',
			show: COLUMNS,
		},
	);
	return {
		...collection,
		description: 'Values for rows whose column is missing or whose cell is empty',
	};
}
