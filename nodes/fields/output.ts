import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import type { Output } from './form';
import { capitalized, listedWords } from './text';

/** The fields that an operation returns. */
export interface ChosenOutput {
	/** All of them, for the editor and for the user's choice. */
	output: Output;
	/** The fields that are left with Simplified: at most ten. Without it, the operation offers no choice. */
	simplified?: string[];
}

/** What an output item has, in the words of n8n's own nodes for AI agents. */
export const OUTPUT_MODES = [
	{ name: 'Raw', value: 'raw', description: 'All fields of the service' },
	{
		name: 'Selected Fields',
		value: 'selectedFields',
		description: 'The fields that you choose below',
	},
	{ name: 'Simplified', value: 'simplified', description: 'The fields that matter most' },
] as const;

/** The look of the choice of fields. */
export const FIELDS_TO_INCLUDE = {
	displayName: 'Fields to Include',
	default: [],
	description:
		'The fields of an item. Of a payment, outcome, message and reference are always there.',
	displayOptions: { show: { output: ['selectedFields'] } },
} satisfies Partial<INodeProperties>;

/** The fields of an output as choices, by the names that the form shows, in alphabetical order. */
export function fieldChoices(output: Output): Array<{ name: string; value: string }> {
	return Object.keys(output)
		.map((value) => ({ name: labelOf(value), value }))
		.sort((a, b) => a.name.localeCompare(b.name));
}

/** The name of a field as the form shows it: `Transaction ID`. */
const labelOf = (field: string): string =>
	capitalized(
		field.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()).replace(/[A-Z]/g, ' $&'),
	)
		.replace(/\bId$/, 'ID')
		.replace(/\bUrl$/, 'URL');

/** The form of an operation with the choice of what it returns. */
export function withOutputProperties({
	properties,
	output,
	simplified,
}: ChosenOutput & { properties: INodeProperties[] }): INodeProperties[] {
	if (!simplified) return properties;
	const choice: INodeProperties[] = [
		{
			displayName: 'Output',
			name: 'output',
			type: 'options',
			options: [...OUTPUT_MODES],
			default: 'raw',
			description: 'What each output item has. Less is easier for an AI agent.',
		},
		{
			...FIELDS_TO_INCLUDE,
			name: 'fieldsToInclude',
			type: 'multiOptions',
			options: fieldChoices(output),
			required: true,
		},
	];
	// Filters and options come last in n8n's forms.
	const isLast = ({ type }: INodeProperties) => Number(type === 'collection');
	return [...properties, ...choice].sort((a, b) => isLast(a) - isLast(b));
}

/**
 * The fields that the items for an input item keep; undefined for all.
 *
 * @param simplified see `ChosenOutput`
 */
export function fieldsToInclude(
	context: IExecuteFunctions,
	simplified: string[] | undefined,
	itemIndex: number,
): string[] | undefined {
	const mode = simplified && context.getNodeParameter('output', itemIndex, 'raw');
	if (mode === 'simplified') return simplified;
	return mode === 'selectedFields'
		? selectedFields(context.getNodeParameter('fieldsToInclude', itemIndex, []))
		: undefined;
}

/** The names in a choice of fields. An expression may return a text. */
export const selectedFields = (value: unknown): string[] => listedWords(String(value));
