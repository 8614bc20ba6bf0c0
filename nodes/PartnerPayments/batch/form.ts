import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { toProperties, type Condition, type Field } from '../../shared/fields';
import { SIMPLIFY } from '../../shared/simplify';
import { DEFAULT_TIMEOUT_SECONDS } from '../../shared/transport';
import type { MoneyEndpoint } from './endpoint';

/** Parameters that all money operations have in common. */
export const PARAMETER = {
	rowSource: 'rowSource',
	columnDefaults: 'columnDefaults',
	referenceSource: 'referenceSource',
	batchId: 'batchId',
	keyColumns: 'keyColumns',
	options: 'options',
} as const;

const FIELDS = { [PARAMETER.rowSource]: ['fields'] };
const COLUMNS = { [PARAMETER.rowSource]: ['columns'] };
const GENERATED = { [PARAMETER.referenceSource]: ['generated'] };

export const DEFAULT_CONCURRENCY = 10;
export const MAX_CONCURRENCY = 100;

/** The switches of a batch, as the user set them. */
export interface BatchOptions {
	checkBalance?: boolean;
	concurrency?: number;
	dryRun?: boolean;
	expectedCount?: number | string;
	expectedTotals?: { total?: Array<{ currency: string; amount: string }> };
	includeInput?: boolean;
	maximumAmount?: number | string;
	requestsPerSecond?: number;
	resendUnknown?: boolean;
	timeout?: number;
}

/** The batch's switches, read once for all items. */
export function batchOptions(context: IExecuteFunctions): BatchOptions {
	return context.getNodeParameter(PARAMETER.options, 0, {}) as BatchOptions;
}

/** Whether the user wants less than the whole answer. */
export function isSimplified(context: IExecuteFunctions): boolean {
	return context.getNodeParameter(SIMPLIFY.name, 0, false) === true;
}

/** The form of a money operation: where rows come from, its fields, the reference, the options. */
export function moneyProperties(endpoint: MoneyEndpoint): INodeProperties[] {
	const { reference, notice: warning, simplified, properties = [], options = [] } = endpoint;
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
		columnDefaults(endpoint.fields, reference.field),
		...properties,
		...(simplified ? [SIMPLIFY] : []),
		{
			displayName: 'Options',
			name: PARAMETER.options,
			type: 'collection',
			placeholder: 'Add Option',
			default: {},
			options: [...options, ...OPTIONS].sort((a, b) => a.displayName.localeCompare(b.displayName)),
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
			description: 'Take the values from input columns that are named as the fields',
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
		`Required columns: ${required}. Further columns: ${further}. Upper and lower case, spaces, hyphens and underscores do not matter.`,
		{ ...COLUMNS, [PARAMETER.referenceSource]: [referenceSource] },
	);
}

/** The column of a field, as the service names it. */
export function columnName({ to, name }: Field): string {
	return to?.split('.').pop() ?? name;
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
	description: 'Where the unique reference of each item comes from',
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
			'Your name for this batch. Keep it when you run the same rows again: the references stay the same, so the service can refuse a second payment. A new one means new payments.',
		displayOptions: { show: GENERATED },
	},
	{
		displayName: 'Key Columns',
		name: PARAMETER.keyColumns,
		type: 'string',
		default: '',
		placeholder: 'e.g. employee_id, month',
		description:
			'Input columns that tell the rows apart, separated by commas. Left empty, the whole content of the payment counts, and equal rows are counted through.',
		displayOptions: { show: GENERATED },
	},
];

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

const OPTIONS: INodeProperties[] = [
	{
		displayName: 'Check Balance First',
		name: 'checkBalance',
		type: 'boolean',
		default: false,
		description:
			'Whether to compare the total per currency with the payout balance before anything is sent, where the funding source is the balance',
	},
	{
		displayName: 'Concurrency',
		name: 'concurrency',
		type: 'number',
		typeOptions: { minValue: 1, maxValue: MAX_CONCURRENCY },
		default: DEFAULT_CONCURRENCY,
		description: 'How many requests are under way at once. 1 sends strictly in order.',
	},
	{
		displayName: 'Dry Run',
		name: 'dryRun',
		type: 'boolean',
		default: false,
		description: 'Whether to check all items and output the exact requests without sending any',
	},
	{
		displayName: 'Expected Count',
		name: 'expectedCount',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 1,
		description: 'Number of items that you expect. With any other number nothing is sent.',
	},
	{
		displayName: 'Expected Totals',
		name: 'expectedTotals',
		type: 'fixedCollection',
		typeOptions: { multipleValues: true },
		placeholder: 'Add Total',
		default: {},
		description: 'Total per currency that you expect. With any other total nothing is sent.',
		options: [
			{
				displayName: 'Total',
				name: 'total',
				values: [
					{
						displayName: 'Currency',
						name: 'currency',
						type: 'string',
						default: '',
						placeholder: 'e.g. BOB',
					},
					{
						displayName: 'Amount',
						name: 'amount',
						type: 'string',
						default: '',
						placeholder: 'e.g. 125000.50',
					},
				],
			},
		],
	},
	{
		displayName: 'Include Input Columns',
		name: 'includeInput',
		type: 'boolean',
		default: false,
		description: 'Whether to keep the columns of the input item beside the result',
	},
	{
		displayName: 'Maximum Amount',
		name: 'maximumAmount',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: 0,
		description: 'An item with a larger amount is refused before anything is sent',
	},
	{
		displayName: 'Requests per Second',
		name: 'requestsPerSecond',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: 0,
		description: 'The most requests that are started in a second. 0 sets no limit.',
	},
	{
		displayName: 'Send Unknown Again',
		name: 'resendUnknown',
		type: 'boolean',
		default: false,
		description:
			'Whether a retry sends items again whose outcome is unknown, with the same reference. Turn it on only if the service refuses a reference that it already has.',
	},
	{
		displayName: 'Timeout (Seconds)',
		name: 'timeout',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: DEFAULT_TIMEOUT_SECONDS,
		description:
			'How long to wait for the answer to a request. After that the outcome of the item is unknown.',
	},
];
