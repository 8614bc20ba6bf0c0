import type { INodeProperties } from 'n8n-workflow';

import type { Option, ValueAliases } from '../service/enums';
import type { HeaderAliases } from './headerAliases';
import { listOf, oneOf, text, type Validator } from './validators';

/** Field names and the values that they must have, all of them. */
export type Condition = Record<string, string[]>;

/**
 * One field of a request, stated once: the editor's form, the reading of a value, its check and its
 * place in the request body all come from here.
 */
export interface Field {
	/** Parameter name in the workflow. */
	name: string;
	/** Label in the editor and in every message. */
	label: string;
	/**
	 * Dotted path in the request body, in the service's own spelling. A field without one shapes the
	 * form and is not sent.
	 */
	to?: string;
	validate: Validator;
	required: boolean;
	/** The service has this field only then: otherwise it is neither shown nor sent. */
	onlyWhen?: Condition;
	/** The field can always be given, but must be given then. */
	requiredWhen?: Condition;
	/** Shown inside the collection of optional fields. */
	optional: boolean;
	/** What people call its column, besides its own names. */
	headerAliases?: HeaderAliases;
	/** What people write for the values of a choice. */
	valueAliases?: ValueAliases;
	/** Whether it is an amount, which people write in more than one way. */
	isAmount?: boolean;
	form: Pick<INodeProperties, 'type' | 'default' | 'description'> &
		Partial<Pick<INodeProperties, 'options' | 'placeholder' | 'typeOptions' | 'hint' | 'modes'>>;
}

/** What a builder of fields needs beside the check. */
interface FieldSpec {
	name: string;
	label: string;
	to?: string;
	description: string;
	placeholder?: string;
	hint?: string;
	required?: boolean;
	onlyWhen?: Condition;
	requiredWhen?: Condition;
	optional?: boolean;
	headerAliases?: HeaderAliases;
}

function field(
	{ description, placeholder, hint, required = false, optional = false, ...spec }: FieldSpec,
	check: Validator,
	form: Omit<Field['form'], 'description'>,
): Field {
	return {
		...spec,
		validate: check,
		required,
		optional,
		form: {
			...form,
			description,
			...(placeholder !== undefined && { placeholder }),
			...(hint !== undefined && { hint }),
		},
	};
}

/** A text field, with any check for text. */
export function textField(spec: FieldSpec & { check?: Validator; default?: string }): Field {
	const { check = text(), default: preset = '', ...rest } = spec;
	return field(rest, check, { type: 'string', default: preset });
}

/** A text that the editor hides and that no output repeats. */
export function secretField(spec: FieldSpec): Field {
	return field(spec, text(), {
		type: 'string',
		default: '',
		typeOptions: { password: true },
	});
}

/** The part of a parameter's description that describes how an entry is picked. */
type Locator = Pick<INodeProperties, 'type' | 'default' | 'modes'>;

/** The parts of a parameter by which a user picks an entry of a list, or enters its ID. */
export function locator(searchListMethod: string, placeholder: string): Locator {
	return {
		type: 'resourceLocator',
		default: { mode: 'list', value: '' },
		modes: [
			{
				displayName: 'From List',
				name: 'list',
				type: 'list',
				typeOptions: { searchListMethod, searchable: true },
			},
			{
				displayName: 'By ID',
				name: 'id',
				type: 'string',
				placeholder,
				validation: [
					{
						type: 'regex',
						properties: {
							regex: '^\\s*[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\\s*$',
							errorMessage: 'An ID is a UUID, such as 1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed',
						},
					},
				],
			},
		],
	};
}

/** An entry of the account that is picked from a list, or entered by its ID. */
export function locatorField(spec: FieldSpec & { check: Validator; locator: Locator }): Field {
	const { check, locator, ...rest } = spec;
	return field(rest, check, locator);
}

/** A drop-down. Without a default the user has to choose. */
export function choiceField(
	spec: FieldSpec & { options: Option[]; valueAliases?: ValueAliases; default?: string },
): Field {
	const { options, default: preset, ...rest } = spec;
	return field(rest, oneOf(options, spec.valueAliases), {
		type: 'options',
		options: preset === undefined ? withNotSpecified(options) : options,
		default: preset ?? '',
	});
}

/** A drop-down with several choices. */
export function choicesField(spec: FieldSpec & { options: Option[]; default?: string[] }): Field {
	const { options, default: preset = [], ...rest } = spec;
	return field(rest, listOf(options), { type: 'multiOptions', options, default: preset });
}

/**
 * An amount of money, sent as a JSON number. The form field is text, so that `1250.50`, a number
 * and a spreadsheet's `1,250.50` are all read by the same check.
 */
export function amountField(spec: FieldSpec & { check: Validator }): Field {
	const { check, ...rest } = spec;
	return {
		...field({ placeholder: 'e.g. 1250.50', ...rest }, check, { type: 'string', default: '' }),
		isAmount: true,
	};
}

function withNotSpecified(options: Option[]): Option[] {
	return [...options, { name: 'Not Specified', value: '' }].sort((a, b) =>
		a.name.localeCompare(b.name),
	);
}

/** The column of a field, as the service names it. */
export function columnName({ to, name }: Field): string {
	return to?.split('.').pop() ?? name;
}
