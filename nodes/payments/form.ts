import type { INodeProperties } from 'n8n-workflow';

import { choiceField, columnName, type Condition, type Field } from '../fields/field';
import { SIMPLIFY, toProperties } from '../fields/form';
import type { MoneyEndpoint } from './endpoint';
import { optionProperties, OPTIONS } from './optionForm';

/** Parameters that all money operations have in common. */
export const PARAMETER = {
	mappingMode: 'mappingMode',
	columnMapping: 'columnMapping',
	defaultValues: 'defaultValues',
	referenceSource: 'referenceSource',
	batchId: 'batchId',
	keyColumns: 'keyColumns',
} as const;

/** The entries of Column Mapping. */
export const COLUMN_MAPPING_ENTRIES = 'column';

const FIELDS = { [PARAMETER.mappingMode]: ['defineBelow'] };
const COLUMNS = { [PARAMETER.mappingMode]: ['autoMapInputData'] };
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
		MAPPING_MODE,
		...columnsNotices(endpoint),
		REFERENCE_SOURCE,
		...GENERATED_REFERENCE,
		...withHints(toProperties(fields, { show: FIELDS }), endpoint),
		columnMapping(endpoint.fields),
		defaultValues(endpoint.fields, reference.field),
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

const MAPPING_MODE: INodeProperties = {
	displayName: 'Mapping Column Mode',
	name: PARAMETER.mappingMode,
	type: 'options',
	noDataExpression: true,
	options: [
		{
			name: 'Map Each Column Manually',
			value: 'defineBelow',
			description: 'Fill in each field here, with expressions where items differ',
		},
		{
			name: 'Map Automatically',
			value: 'autoMapInputData',
			description:
				'Take the values from input columns. They are found by the usual Spanish and English names; others you name below.',
		},
	],
	default: 'defineBelow',
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
function columnMapping(fields: Field[]): INodeProperties {
	return {
		displayName: 'Column Mapping',
		name: PARAMETER.columnMapping,
		type: 'fixedCollection',
		typeOptions: { multipleValues: true },
		placeholder: 'Add Column',
		default: {},
		description:
			'Only for columns that the node does not find by their names: which field each of them holds',
		options: [
			{
				displayName: 'Column',
				name: COLUMN_MAPPING_ENTRIES,
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
function defaultValues(fields: Field[], referenceField: string): INodeProperties {
	const [collection] = toProperties(
		fields
			.filter(({ name }) => name !== referenceField)
			.map((field) => ({ ...field, optional: true })),
		{
			collection: PARAMETER.defaultValues,
			collectionLabel: 'Default Values',
			show: COLUMNS,
		},
	);
	return {
		...collection,
		description: 'Values for rows whose column is missing or whose cell is empty',
	};
}
