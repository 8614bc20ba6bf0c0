import type { IDataObject } from 'n8n-workflow';

import {
	fail,
	inEachLanguage,
	inLanguage,
	type Language,
	phrase,
	type UserMessage,
	type Words,
	userMessage,
} from '../messages/userMessage';
import { isEmpty, type FieldValue, type Values } from './validators';
import type { Condition, Field } from './field';
import { labelIn } from './labels';
import type { AmountFormat } from './money';

/** Reads the raw value of a field from a parameter or a column. Throws n8n's error if an expression fails. */
export type ReadField = (field: Field) => unknown;

const holds = (condition: Condition, values: Values) =>
	Object.entries(condition).every(([name, wanted]) => wanted.includes(String(values[name] ?? '')));

/**
 * Validates all fields of one item. Never throws: an expression that fails is an error of its field.
 *
 * @param formats the formats of amounts, by field name, if known
 * @returns the values to send, by field name, without fields whose condition is not met; and all errors
 */
export function validateFields(
	fields: Field[],
	read: ReadField,
	formats?: ReadonlyMap<string, AmountFormat>,
): { values: Values; errors: ValidationError[] } {
	// Without a prototype, because a field or column may have any name.
	const values = Object.create(null) as Values;
	const errors: ValidationError[] = [];
	for (const field of fields) {
		if (field.onlyWhen && !holds(field.onlyWhen, values)) continue;
		let raw: unknown;
		try {
			raw = read(field);
		} catch (error) {
			const reason = (error as Error).message;
			errors.push({ field: field.label, ...userMessage('expressionFails', { reason }) });
			continue;
		}
		if (isEmpty(raw)) {
			if (field.required || (field.requiredWhen && holds(field.requiredWhen, values))) {
				errors.push({ field: field.label, ...missingValue(field, fields) });
			}
			continue;
		}
		const result = isExample(field, raw)
			? fail(userMessage('placeholder'))
			: field.validate(raw, values, formats?.get(field.name));
		if (result.ok) {
			values[field.name] = result.value;
			continue;
		}
		const value = isSecret(field) ? undefined : showValue(raw);
		errors.push({ field: field.label, value, ...result.error });
	}
	return { values, errors };
}

/** Whether it is the example of an identifier or address that the form shows. That of a name or an amount may be real. */
function isExample({ form: { placeholder = '' } }: Field, raw: unknown): boolean {
	const isUnique = [...'…@/'].some((sign) => placeholder.includes(sign));
	return isUnique && typeof raw === 'string' && placeholder === `e.g. ${raw.trim()}`;
}

/** Why a field without a value needs one. */
function missingValue(field: Field, fields: Field[]): UserMessage {
	if (field.missing) return userMessage(field.missing);
	const condition = field.required ? field.onlyWhen : field.requiredWhen;
	return condition
		? userMessage('requiredWhen', { condition: conditionText(fields, condition) })
		: userMessage('required');
}

function conditionText(fields: Field[], condition: Condition): Words {
	return inEachLanguage((language) => {
		const [is, or, and] = [phrase('is'), phrase('or'), phrase('and')].map((one) => one[language]);
		return Object.entries(condition)
			.map(([name, values]) => {
				const label = fields.find((field) => field.name === name)?.label ?? name;
				return `${labelIn(language, label)} ${is} ${values.join(` ${or} `)}`;
			})
			.join(` ${and} `);
	});
}

function isSecret(field: Field): boolean {
	return field.form.typeOptions?.password === true;
}

/** The request body for valid values, in the service's spelling. */
export function toBody(fields: Field[], values: Values): IDataObject {
	const body: IDataObject = {};
	for (const { name, to } of fields) {
		const value: FieldValue | undefined = values[name];
		if (value !== undefined && to !== undefined) setAt(body, to, value);
	}
	return body;
}

/** Sets `value` at a dotted path (`transaction.amount`) of a request body. */
function setAt(body: IDataObject, path: string, value: FieldValue): void {
	const keys = path.split('.');
	const last = keys.pop() ?? path;
	let parent = body;
	for (const key of keys) parent = (parent[key] ??= {}) as IDataObject;
	parent[last] = value;
}

/** An invalid value. The message continues the label of its field: `Amount is required`. */
export interface ValidationError extends UserMessage {
	/** Label of the field, or what else the message is about. */
	field: string;
	/** The value, shortened; undefined if it is missing or secret. */
	value?: string;
}

/** A validation error as text: field, value, message and hint. */
export function validationErrorText(error: ValidationError, language: Language = 'en'): string {
	const { field, value } = error;
	const { message, hint = '' } = inLanguage(error, language);
	return `${labelIn(language, field)} ${value === undefined ? '' : `(${value}) `}${message}. ${hint}`.trim();
}

const SHOWN_CHARACTERS = 60;

/** Characters that break a line or change the direction of the text. JSON does not escape them. */
const UNSAFE = /[\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** A value for a message: quoted, on one line, at most 60 characters. */
export function showValue(raw: unknown): string {
	const text = typeof raw === 'string' ? raw : (JSON.stringify(raw) ?? String(raw));
	const start = [...text.slice(0, SHOWN_CHARACTERS * 2)].slice(0, SHOWN_CHARACTERS).join('');
	return JSON.stringify(start.length < text.length ? `${start}…` : start).replace(
		UNSAFE,
		(character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
	);
}
