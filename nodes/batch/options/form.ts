import type { INodeProperties } from 'n8n-workflow';

import { choiceField, columnName, type Field } from '../../fields/field';
import {
	collection,
	entries,
	optionalProperties,
	textProperty,
	toProperties,
} from '../../fields/form';
import type { MoneyEndpoint } from '../endpoint';
import { COLLECTION, DRY_RUN, optionProperties } from './index';

/** Options that say where the values of rows come from. */
export const COLUMN_MAPPING = `${COLLECTION}.columnMapping`;
export const DEFAULT_VALUES = `${COLLECTION}.defaultValues`;

/** The entries of Column Mapping. */
export const COLUMN_MAPPING_ENTRIES = 'column';

const FIELDS = { mappingMode: ['defineBelow'] };
const FROM_FIELDS = { '/mappingMode': ['defineBelow'] };
const FROM_COLUMNS = { '/mappingMode': ['autoMapInputData'] };
const GENERATED = { referenceSource: ['generated'] };
const GIVEN = { referenceSource: ['given'] };

/**
 * The form of a money operation: whether it pays, where rows come from, the batch or the reference, what is paid, to
 * whom, and one collection of options.
 */
export function moneyProperties(endpoint: MoneyEndpoint): INodeProperties[] {
	const { notice, fromResults, fields } = endpoint;
	const start: INodeProperties[] = [
		// The one yellow notice of a form: what cannot be undone.
		...(notice === undefined
			? []
			: [{ displayName: notice, name: 'moneyNotice', type: 'notice', default: '' } as const]),
		DRY_RUN,
	];
	if (fromResults) {
		const inForm = fields.filter(({ name }) => !fromResults.fields.includes(name));
		return [...start, ...toProperties(inForm), options(endpoint)];
	}
	return [
		...start,
		MAPPING_MODE,
		...(generatesReferences(endpoint)
			? [BATCH_ID]
			: [
					{ ...REFERENCE_SOURCE, default: 'given' },
					{ ...BATCH_ID, displayOptions: { show: GENERATED } },
					{ ...keyColumns(endpoint), required: true, displayOptions: { show: GENERATED } },
				]),
		...toProperties(visibleFields(endpoint), { show: FIELDS }),
		options(endpoint, [
			...(generatesReferences(endpoint) ? referenceOptions(endpoint) : []),
			...optionalProperties(otherFields(endpoint), FROM_FIELDS),
			columnMapping(endpoint),
			defaultValues(endpoint),
		]),
	];
}

/**
 * The fields that are no options. What is paid comes first: their own order differs, because some depend on
 * earlier ones.
 */
function visibleFields({ fields, first = [], reference }: MoneyEndpoint): Field[] {
	const names = [reference.field, ...first];
	const place = ({ name }: Field) => (names.includes(name) ? names.indexOf(name) : names.length);
	const isOption = (name: string) => fields.some((field) => field.name === name && field.optional);
	const pathOf = (name: string) => (isOption(name) ? `/${COLLECTION}.${name}` : name);
	return fields
		.filter(({ optional }) => !optional)
		.sort((a, b) => place(a) - place(b))
		.map((field) => ({
			...field,
			...(field.name === reference.field && { onlyWhen: { ...field.onlyWhen, ...GIVEN } }),
			...(field.requiredWhen && {
				requiredWhen: Object.fromEntries(
					Object.entries(field.requiredWhen).map(([name, values]) => [pathOf(name), values]),
				),
			}),
		}));
}

const otherFields = ({ fields, reference }: MoneyEndpoint): Field[] =>
	fields.filter(({ name }) => name !== reference.field);

/** All options in alphabetical order. Groups begin their names, those that are used most come first. */
function options(endpoint: MoneyEndpoint, more: INodeProperties[] = []): INodeProperties {
	const all = [...optionProperties(endpoint), ...more];
	return collection(
		'Options',
		all.sort((a, b) => a.displayName.localeCompare(b.displayName)),
	);
}

/**
 * Whether references are generated unless the user chooses: if a payee identifies the payment, a Batch ID is enough, and
 * nobody makes up a UUID. Otherwise people have a reference already, such as an order number.
 */
export function generatesReferences({ reference }: Pick<MoneyEndpoint, 'reference'>): boolean {
	return reference.payeeField !== undefined;
}

/** Where a parameter of the reference is: an option, if the Batch ID is enough. */
export function referencePath(endpoint: Pick<MoneyEndpoint, 'reference'>, name: string): string {
	return generatesReferences(endpoint) ? `${COLLECTION}.${name}` : name;
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

/** When to map a column, and the columns that the input needs. */
function columnsText({ fields }: MoneyEndpoint): string {
	const required = fields.filter(
		({ to, optional, required, onlyWhen }) =>
			to !== undefined && !optional && required && !onlyWhen,
	);
	return `For columns with other names. Required: ${required.map(columnName).join(', ')}.`;
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
			description: 'A field or an input column holds the reference of each item',
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

/**
 * A condition on an option can only hide a parameter: when n8n loads a workflow, no option is set for it
 * (`getNodeParameters` in `node-helpers.js` of n8n-workflow), and it drops what is not shown.
 */
const BATCH_ID = textProperty('Batch ID', 'batchId', {
	required: true,
	placeholder: 'e.g. payroll-2026-11',
	hint: 'The same payment is never made twice under one ID',
	builderHint: {
		propertyHint:
			'The period or the name of the file. No $now, $execution, $runIndex or random value.',
	},
	description:
		'Your name for this batch, the same for all items. Values based on the time, the execution or randomness are rejected.',
	displayOptions: { hide: { [`/${COLLECTION}.referenceSource`]: ['given'] } },
});

function keyColumns({ fields, reference }: MoneyEndpoint): INodeProperties {
	const payee = fields.find(({ name }) => name === reference.payeeField)?.label;
	const list = 'Input columns that identify a payment and never change, separated by commas';
	return textProperty('Key Columns', 'keyColumns', {
		placeholder: payee === undefined ? 'e.g. order_id' : 'e.g. employee_id, month',
		description:
			payee === undefined
				? list
				: `${list}. If empty, ${payee} does, so each payee gets one payment.`,
	});
}

function referenceOptions(endpoint: MoneyEndpoint): INodeProperties[] {
	const given = endpoint.fields.filter(({ name }) => name === endpoint.reference.field);
	return [
		...optionalProperties(given, { ...FROM_FIELDS, ...GIVEN }),
		{
			...keyColumns(endpoint),
			displayName: 'Reference: Key Columns',
			displayOptions: { hide: GIVEN },
		},
		{ ...REFERENCE_SOURCE, displayName: 'Reference: Source' },
	];
}

/** Which column holds a field, for columns that the node does not find by name. */
function columnMapping(endpoint: MoneyEndpoint): INodeProperties {
	const { fields } = endpoint;
	return {
		displayName: 'Columns: Column Mapping',
		name: 'columnMapping',
		type: 'fixedCollection',
		...entries('Column', COLUMN_MAPPING_ENTRIES, [
			...toProperties([
				choiceField({
					name: 'field',
					label: 'Field',
					options: fields
						.filter(({ to }) => to !== undefined)
						.map(({ name, label }) => ({ name: label, value: name }))
						.sort((a, b) => a.name.localeCompare(b.name)),
					default: fields.find(({ isAmount }) => isAmount)?.name,
					description: 'The field that the column holds',
				}),
			]),
			textProperty('Column Name', 'header', {
				requiresDataPath: 'single',
				placeholder: 'e.g. Net salary',
				description:
					'The header of the column as it is in the input. You can also drag the column here from the input.',
			}),
		]),
		default: {},
		description: columnsText(endpoint),
		displayOptions: { show: FROM_COLUMNS },
	};
}

/** Values for all rows, where a column is missing or its cell is empty. */
function defaultValues(endpoint: MoneyEndpoint): INodeProperties {
	return {
		displayName: 'Columns: Default Values',
		name: 'defaultValues',
		type: 'collection',
		placeholder: 'Add Field',
		default: {},
		options: optionalProperties(
			otherFields(endpoint).map((field) => ({
				...field,
				optional: true,
				group: undefined,
				shownWhen: undefined,
			})),
		),
		description: 'Values for rows whose column is missing or whose cell is empty',
		displayOptions: { show: FROM_COLUMNS },
	};
}
