import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { parseDecimal } from '../../fields/money';
import { isEmpty } from '../../fields/validators';
import { type EditorMessage, userMessage } from '../../messages/userMessage';
import type { MoneyEndpoint } from '../endpoint';

/** An option of a batch: its look in the form, how its value is parsed, and where it applies. */
export interface BatchOption<T> {
	/** Without `default`, the form begins with the value of an option that is not set. */
	property: Look & Pick<INodeProperties, 'type'>;
	/**
	 * @param label the option's label in the editor
	 * @throws InvalidOption
	 */
	parse(value: unknown, label: string): T;
	/** Gives the value of an option that is not set: undefined by default. */
	unset?(endpoint: MoneyEndpoint): T;
	/** Missing if the option applies to every endpoint. */
	appliesTo?(endpoint: MoneyEndpoint): boolean;
	/** The choices, if they differ between endpoints. */
	choices?(endpoint: MoneyEndpoint): INodePropertyOptions[];
}

/** The label begins with the group of the option: the form has all options in one list, in alphabetical order. */
type Look = Pick<INodeProperties, 'displayName'> & Partial<Omit<INodeProperties, 'name' | 'type'>>;

/** An option whose type is known. */
type Definition<T> = Pick<BatchOption<T>, 'unset' | 'appliesTo' | 'choices'> & Look;

/** An option with an invalid value. */
export class InvalidOption extends Error {
	constructor(readonly userMessage: EditorMessage) {
		super(userMessage.message);
	}
}

export function option<T>(
	type: INodeProperties['type'],
	{ unset, appliesTo, choices, ...look }: Definition<T>,
	parse: BatchOption<T>['parse'],
): BatchOption<T> {
	return { property: { ...look, type }, parse, unset, appliesTo, choices };
}

export const booleanOption = (definition: Definition<boolean>): BatchOption<boolean> =>
	option('boolean', { unset: () => false, ...definition }, toBoolean);

interface Range {
	min: number;
	max: number;
	isWhole?: boolean;
}

export const numberOption = <T extends number | undefined>(
	range: Range,
	definition: Definition<T | number>,
): BatchOption<T | number> =>
	option<T | number>(
		'number',
		{ ...definition, typeOptions: { minValue: range.min, maxValue: range.max } },
		(value, label) => toNumber(value, label, range),
	);

interface Choice<T> {
	name: string;
	value: T;
	description?: string;
}

/** @param options the choices, in alphabetical order */
export const choiceOption = <T extends string, Unset extends T | undefined>(
	options: ReadonlyArray<Choice<T>>,
	definition: Definition<Unset>,
): BatchOption<T | Unset> =>
	option<T | Unset>('options', { ...definition, options: [...options] }, (value, label) => {
		const choices = options.map((choice) => choice.value);
		const choice = choices.find((one) => one === value);
		if (choice !== undefined) return choice;
		throw invalid(
			userMessage('notAnOption', {
				option: label,
				value: shown(value),
				choices: choices.join(', '),
			}),
		);
	});

export const invalid = (message: EditorMessage): InvalidOption => new InvalidOption(message);

const YES = ['true', 'yes', 'sí', 'si', 'on', '1'];
const NO = ['false', 'no', 'off', '0'];

/** Whether a switch whose value was validated is on. */
export function isOn(value: unknown): boolean {
	return YES.includes(toWord(value));
}

function toWord(value: unknown): string {
	return String(value).trim().normalize('NFC').toLowerCase();
}

/** A switch in any clear form: an expression gives a text or a number as easily as a boolean. */
export function toBoolean(value: unknown, label: string): boolean {
	if (isOn(value)) return true;
	if (NO.includes(toWord(value))) return false;
	const choices = 'true, false';
	throw invalid(userMessage('notAnOption', { option: label, value: shown(value), choices }));
}

const MAX_SHOWN_CHARACTERS = 60;

export function shown(value: unknown): string {
	return isEmpty(value)
		? 'empty'
		: (JSON.stringify(value) ?? String(value)).slice(0, MAX_SHOWN_CHARACTERS);
}

function toNumber(value: unknown, label: string, { min, max, isWhole = false }: Range): number {
	const isText = typeof value === 'string' && !isEmpty(value);
	const number = typeof value === 'number' || isText ? Number(value) : NaN;
	if (number >= min && number <= max && (!isWhole || Number.isInteger(number))) return number;
	throw invalid(
		userMessage('notInRange', {
			option: label,
			value: shown(value),
			kind: isWhole ? 'whole ' : '',
			min,
			max,
			hint: isWhole ? '' : ', with a dot before decimals',
		}),
	);
}

export function toDecimal(value: unknown, label: string): string {
	const decimal = parseDecimal(value);
	if (decimal.ok && !decimal.value.startsWith('-')) return decimal.value;
	throw invalid(
		userMessage('notAnAmount', {
			option: label,
			value: shown(value),
			hint: decimal.ok ? 'Enter 0 or more, or remove the option.' : (decimal.error.hint ?? ''),
		}),
	);
}
