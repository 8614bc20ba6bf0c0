import type { INodeProperties } from 'n8n-workflow';

import type { Option, ValueAliases } from '../service/enums';
import { listOf, oneOf, anyText, type Validator } from './validators';

/** Field names with the values that each of them may have, so that the condition is met. */
export type Condition = Record<string, string[]>;

/**
 * What people call the column of a field in Spanish (Bolivia, Peru, Ecuador, Colombia, Chile) and English, besides the
 * names that the node itself has for it. Case, accents, spaces and punctuation do not matter (`normalizeWord`). No header
 * is that of two fields of an operation.
 *
 * Only headers with one meaning: `RUT` is a person's number and a company's, `Pesos` are Chilean and Colombian, `Sueldo`
 * may be paid before or after deductions.
 */
export interface HeaderNames {
	/** This field and no other. */
	names?: readonly string[];
	/** This field if another field has a column: `Nombre` alone is a whole name. */
	namesWith?: { readonly field: string; readonly names: readonly string[] };
	/** A whole name, which is split into this field and another one. */
	whole?: readonly string[];
	/** The columns that make one value, in this order, if no column has the whole value. */
	parts?: ReadonlyArray<readonly string[]>;
}

/** A field of a request, stated once: its form, its validation, its columns and its place in the body. */
export interface Field {
	/** Parameter name in the workflow. */
	name: string;
	/** Label in the editor and in messages. */
	label: string;
	/** Dotted path in the request body, in the service's spelling. A field without it is not sent. */
	to?: string;
	validate: Validator;
	/**
	 * `validate` with codes by the names that people write for them. As a Key Column a cell counts as it is written, so that
	 * another table makes no other payment of a row.
	 */
	validateNamed?(codes: ReadonlyMap<string, string>): Validator;
	required: boolean;
	/** Otherwise the field is neither shown nor sent. */
	onlyWhen?: Condition;
	/** Otherwise the form does not show the field. A column's value is sent in any case. */
	shownWhen?: Condition;
	/** Otherwise the field is optional. */
	requiredWhen?: Condition;
	/** The message if a required value is missing, where the usual one does not say why. */
	missing?: 'countryMissing';
	/** Whether the form has it in the collection of optional fields. */
	optional: boolean;
	/** The group that begins its name there, among options. */
	group?: string;
	/** What people call its column, besides its own names. */
	headerAliases?: HeaderNames;
	/** What people write for the values of a choice. */
	valueAliases?: ValueAliases;
	/** Whether it is an amount, which can be written in several formats. */
	isAmount?: boolean;
	form: Pick<INodeProperties, 'type' | 'default' | 'description'> &
		Partial<Pick<INodeProperties, 'options' | 'placeholder' | 'typeOptions' | 'hint' | 'modes'>>;
}

/** What the functions that make fields take. */
type FieldSpec = Omit<Field, 'validate' | 'required' | 'optional' | 'isAmount' | 'form'> &
	Partial<Pick<Field, 'required' | 'optional'>> &
	Pick<Field['form'], 'placeholder' | 'hint'> & { description: string };

function makeField(
	{ description, placeholder, hint, required = false, optional = false, ...spec }: FieldSpec,
	validate: Validator,
	form: Omit<Field['form'], 'description'>,
): Field {
	return {
		...spec,
		validate,
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

/** A text field. It accepts any text unless there is a validator. */
export function textField(spec: FieldSpec & { validate?: Validator; default?: string }): Field {
	const { validate = anyText(), default: preset = '', ...rest } = spec;
	return makeField(rest, validate, { type: 'string', default: preset });
}

/** A text field that the editor masks and no output repeats. */
export function secretField(spec: FieldSpec): Field {
	return makeField(spec, anyText(), {
		type: 'string',
		default: '',
		typeOptions: { password: true },
	});
}

type Locator = Pick<INodeProperties, 'type' | 'default' | 'modes'>;

/** The part of a parameter for choosing an entry from a list or by its ID. */
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
							errorMessage: 'An ID is a UUID, such as 1b9d6bcd-bbfd-4b2d-9b5d-…',
						},
					},
				],
			},
		],
	};
}

/** An entry of the account, chosen from a list or by its ID. */
export function locatorField(spec: FieldSpec & { validate: Validator; locator: Locator }): Field {
	const { validate, locator, ...rest } = spec;
	return makeField(rest, validate, locator);
}

/** A drop-down list. Without a default, the user has to choose. */
export function choiceField(spec: FieldSpec & { options: Option[]; default?: string }): Field {
	const { options, default: preset, ...rest } = spec;
	return makeField(rest, oneOf(options, spec.valueAliases), {
		type: 'options',
		options: preset === undefined ? withNotSpecified(options) : options,
		default: preset ?? '',
	});
}

/** A drop-down list with several choices. */
export function choicesField(spec: FieldSpec & { options: Option[]; default?: string[] }): Field {
	const { options, default: preset = [], ...rest } = spec;
	return makeField(rest, listOf(options), { type: 'multiOptions', options, default: preset });
}

/**
 * An amount of money. The form has a text field, so that `1250.50`, a number and a spreadsheet's
 * `1,250.50` go through the same validator.
 */
export function amountField(spec: FieldSpec & { validate: Validator }): Field {
	const { validate, ...rest } = spec;
	return {
		...makeField({ placeholder: 'e.g. 1250.50', ...rest }, validate, {
			type: 'string',
			default: '',
		}),
		isAmount: true,
	};
}

function withNotSpecified(options: Option[]): Option[] {
	return [...options, { name: 'Not Specified', value: '' }].sort((a, b) =>
		a.name.localeCompare(b.name),
	);
}

/** The name of a field's column: the service's name for the field. */
export function columnName({ to, name }: Field): string {
	return to?.split('.').pop() ?? name;
}

/** A field whose values may be names in a table; see `bankNameKey`. */
export function withNames(field: Field, codes: ReadonlyMap<string, string> | undefined): Field {
	return codes && field.validateNamed ? { ...field, validate: field.validateNamed(codes) } : field;
}
