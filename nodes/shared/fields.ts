import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { parameterReaders } from './parameters';
import * as rules from './rules';
import type { AmountFormat } from './money';
import type { FieldValue, Rule, Values } from './rules';
import type { Option, ValueWords } from '../service/vocabulary';

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
	rule: Rule;
	required: boolean;
	/** The service has this field only then: otherwise it is neither shown nor sent. */
	onlyWhen?: Condition;
	/** The field can always be given, but must be given then. */
	requiredWhen?: Condition;
	/** Shown inside the collection of optional fields. */
	optional: boolean;
	/** Whether it is an amount, which people write in more than one way. */
	isAmount?: boolean;
	form: Pick<INodeProperties, 'type' | 'default' | 'description'> &
		Partial<Pick<INodeProperties, 'options' | 'placeholder' | 'typeOptions' | 'hint' | 'modes'>>;
}

/** What a builder needs beside its rule. */
export interface FieldSpec {
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
}

function field(
	{ description, placeholder, hint, required = false, optional = false, ...spec }: FieldSpec,
	rule: Rule,
	form: Omit<Field['form'], 'description'>,
): Field {
	return {
		...spec,
		rule,
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

/** A text field, with any rule for text. */
export function textField(spec: FieldSpec & { rule?: Rule; default?: string }): Field {
	const { rule = rules.text(), default: preset = '', ...rest } = spec;
	return field(rest, rule, { type: 'string', default: preset });
}

/** A text that the editor hides and that no output repeats. */
export function secretField(spec: FieldSpec): Field {
	return field(spec, rules.text(), {
		type: 'string',
		default: '',
		typeOptions: { password: true },
	});
}

/** An entry of the account that is picked from a list, or entered by its ID. */
export function locatorField(
	spec: FieldSpec & { rule: Rule; locator: Pick<INodeProperties, 'type' | 'default' | 'modes'> },
): Field {
	const { rule, locator, ...rest } = spec;
	return field(rest, rule, locator);
}

/** The value of a parameter, also of one that was picked from a list. */
export function plainValue(raw: unknown): unknown {
	return typeof raw === 'object' && raw !== null && '__rl' in raw && 'value' in raw
		? raw.value
		: raw;
}

/** A drop-down. Without a default the user has to choose. `words` are what people write for its values. */
export function choiceField(
	spec: FieldSpec & { options: Option[]; words?: ValueWords; default?: string },
): Field {
	const { options, words, default: preset, ...rest } = spec;
	return field(rest, rules.oneOf(options, words), {
		type: 'options',
		options: preset === undefined ? withNotSpecified(options) : options,
		default: preset ?? '',
	});
}

/** A drop-down with several choices. */
export function choicesField(spec: FieldSpec & { options: Option[]; default?: string[] }): Field {
	const { options, default: preset = [], ...rest } = spec;
	return field(rest, rules.listOf(options), { type: 'multiOptions', options, default: preset });
}

/**
 * An amount of money, sent as a JSON number. The form field is text, so that `1250.50`, a number
 * and a spreadsheet's `1,250.50` are all read by the same rule.
 */
export function amountField(spec: FieldSpec & { rule: Rule }): Field {
	const { rule, ...rest } = spec;
	return {
		...field({ placeholder: 'e.g. 1250.50', ...rest }, rule, { type: 'string', default: '' }),
		isAmount: true,
	};
}

function withNotSpecified(options: Option[]): Option[] {
	return [...options, { name: 'Not Specified', value: '' }].sort((a, b) =>
		a.name.localeCompare(b.name),
	);
}

/** One value that breaks a rule. */
export interface Problem {
	/** Label of the field, as the editor shows it. */
	field: string;
	/** The value as given, shortened; undefined when nothing was given. */
	value?: string;
	rule: string;
	fix: string;
}

/** The parameter that holds the optional fields of an operation. */
export const COLLECTION = 'additionalFields';

const holds = (condition: Condition, values: Values) =>
	Object.entries(condition).every(([name, wanted]) => wanted.includes(String(values[name] ?? '')));

/**
 * Checks all fields of one item.
 *
 * @param read gives the raw value of a field, from a parameter or from a column
 * @param formats how amounts are written, by field name, where that is known
 * @returns the values to send, by field name, and every rule that is broken. Fields that do not
 *   belong to the chosen variant are left out whatever they hold.
 */
export function checkFields(
	fields: Field[],
	read: ReadField,
	formats?: ReadonlyMap<string, AmountFormat>,
): { values: Values; problems: Problem[] } {
	// No prototype: a field or column may have any name.
	const values = Object.create(null) as Values;
	const problems: Problem[] = [];
	for (const field of fields) {
		if (field.onlyWhen && !holds(field.onlyWhen, values)) continue;
		let raw: unknown;
		try {
			raw = read(field);
		} catch (error) {
			problems.push({
				field: field.label,
				rule: `cannot be evaluated (${(error as Error).message})`,
				fix: 'Correct the expression.',
			});
			continue;
		}
		if (rules.isEmpty(raw)) {
			const condition = field.required ? field.onlyWhen : field.requiredWhen;
			if (field.required || (field.requiredWhen && holds(field.requiredWhen, values))) {
				problems.push({
					field: field.label,
					rule: condition ? `is required when ${conditionText(fields, condition)}` : 'is required',
					fix: 'Fill it in.',
				});
			}
			continue;
		}
		const checked = field.rule(raw, values, formats?.get(field.name));
		if (checked.ok) values[field.name] = checked.value;
		else {
			problems.push({
				field: field.label,
				value: isSecret(field) ? undefined : showValue(raw),
				rule: checked.rule,
				fix: checked.fix,
			});
		}
	}
	return { values, problems };
}

/** The request body for checked values, in the order and spelling of the service. */
export function toBody(fields: Field[], values: Values): IDataObject {
	const body: IDataObject = {};
	for (const { name, to } of fields) {
		const value: FieldValue | undefined = values[name];
		if (value !== undefined && to !== undefined) rules.setAt(body, to, value);
	}
	return body;
}

/** Gives the raw value of a field: from a parameter, or from a column. May throw n8n's errors. */
export type ReadField = (field: Field) => unknown;

/**
 * Readers of the node's own parameters, for an item each.
 *
 * @param pathOf where the value of a field is; optional fields are in a collection
 */
export function fieldReaders(
	context: IExecuteFunctions,
	fields: Field[],
	pathOf: (field: Field) => string = inCollection(COLLECTION),
): (itemIndex: number) => ReadField {
	const readers = parameterReaders(context, fields.map(pathOf));
	return (itemIndex) => {
		const read = readers(itemIndex);
		return (field) => plainValue(read(pathOf(field)));
	};
}

/** Where fields are whose optional ones are in this collection. */
export function inCollection(collection: string): (field: Field) => string {
	return ({ name, optional }) => (optional ? `${collection}.${name}` : name);
}

/**
 * The form of a list of fields: required and shaping fields in their order, then one collection
 * with the optional ones.
 */
export function toProperties(
	fields: Field[],
	{ collection = COLLECTION, collectionLabel = 'Additional Fields', show = {} as Condition } = {},
): INodeProperties[] {
	const properties = fields
		.filter(({ optional }) => !optional)
		.flatMap((field) => fieldProperties(field, show));
	const optional = fields.filter((field) => field.optional);
	if (optional.length) {
		properties.push({
			displayName: collectionLabel,
			name: collection,
			type: 'collection',
			placeholder: 'Add Field',
			default: {},
			...displayOptions(show),
			options: optional
				.map((field) => property(field, {}, false))
				.sort((a, b) => a.displayName.localeCompare(b.displayName)),
		});
	}
	return properties;
}

function fieldProperties(field: Field, show: Condition): INodeProperties[] {
	const shown = { ...show, ...field.onlyWhen };
	if (!field.requiredWhen) return [property(field, shown, field.required)];
	// Two variants of one parameter: the mark of a required field comes and goes with the condition.
	return [
		property(field, { ...shown, ...field.requiredWhen }, true),
		property(field, shown, false, field.requiredWhen),
	];
}

function property(
	field: Field,
	show: Condition,
	required: boolean,
	hide: Condition = {},
): INodeProperties {
	return {
		displayName: field.label,
		name: field.name,
		...field.form,
		...(required && { required }),
		...displayOptions(show, hide),
	};
}

function displayOptions(show: Condition, hide: Condition = {}): Partial<INodeProperties> {
	const options = {
		...(Object.keys(show).length && { show }),
		...(Object.keys(hide).length && { hide }),
	};
	return Object.keys(options).length ? { displayOptions: options } : {};
}

function conditionText(fields: Field[], condition: Condition): string {
	return Object.entries(condition)
		.map(([name, values]) => {
			const label = fields.find((field) => field.name === name)?.label ?? name;
			return `${label} is ${values.join(' or ')}`;
		})
		.join(' and ');
}

function isSecret(field: Field): boolean {
	return field.form.typeOptions?.password === true;
}

const SHOWN_CHARACTERS = 60;

/** Characters that break a line or turn the direction of the text around, which JSON leaves alone. */
const UNSAFE = /[\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** A value for a message: quoted, on one line, shortened. */
export function showValue(raw: unknown): string {
	const text = typeof raw === 'string' ? raw : (JSON.stringify(raw) ?? String(raw));
	const start = [...text.slice(0, SHOWN_CHARACTERS * 2)].slice(0, SHOWN_CHARACTERS).join('');
	return JSON.stringify(start.length < text.length ? `${start}…` : start).replace(
		UNSAFE,
		(character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
	);
}

/** A problem as a sentence. */
export function problemText({ field, value, rule, fix }: Problem): string {
	return `${field} ${value === undefined ? '' : `(${value}) `}${rule}. ${fix}`;
}
