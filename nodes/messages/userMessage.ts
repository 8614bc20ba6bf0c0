import type { Failure, IExecuteFunctions } from 'n8n-workflow';

import { EDITOR_MESSAGES } from './editor';
import * as en from './en';
import * as es from './es';
import { OUTCOMES } from './outcomes';
import { splitHint, type Translation } from './translation';

/** The languages of texts that people read in a report, a page or an output item. */
export type Language = 'en' | 'es';

/** A text of ours in each language. */
export type Words = Record<Language, string>;

/** What fills a placeholder. */
export type MessageValue = string | number | Words;

/** The code of a message that a report or a page may show. */
export type PageCode = keyof typeof en.MESSAGES;

const ENGLISH = { ...en.MESSAGES, ...EDITOR_MESSAGES };

/** An error code. */
export type MessageCode = keyof typeof ENGLISH;

type OutcomeOf<Code extends MessageCode> = Code extends keyof typeof OUTCOMES
	? (typeof OUTCOMES)[Code]
	: undefined;

/**
 * A message with its values filled in, for n8n's editor and log. Programs rely on its error code: the wording may change.
 */
export interface EditorMessage<Outcome = OutcomeOf<MessageCode>> {
	code: string;
	/** What it means for the money. */
	outcome?: Outcome;
	message: string;
	hint?: string;
	/** Why, in n8n's words for programs (`failure.ts` of n8n-workflow). */
	failure?: Failure;
}

/** A message that a report or a page may show. */
export interface UserMessage<Outcome = OutcomeOf<MessageCode>> extends EditorMessage<Outcome> {
	/** The same in Spanish. */
	es: { message: string; hint?: string };
}

/** The message of a known code. */
type MessageOf<Code extends MessageCode> = Omit<
	Code extends PageCode ? UserMessage : EditorMessage,
	'code' | 'outcome'
> & { code: Code; outcome: OutcomeOf<Code> };

/** A value, or the message that says why there is none. */
export type Result<T, Error = UserMessage> = { ok: true; value: T } | { ok: false; error: Error };

export function ok<T>(value: T): { ok: true; value: T } {
	return { ok: true, value };
}

export function fail<Error>(error: Error): { ok: false; error: Error } {
	return { ok: false, error };
}

/** The names of the placeholders in a text. n8n's expressions, in `{{ }}`, are not placeholders. */
type Names<T> = T extends `${string}{${infer Name}}${infer Rest}`
	? (Name extends `${string}${' ' | '{'}${string}` ? never : Name) | Names<Rest>
	: never;

type Values<Name extends string> = [Name] extends [never]
	? []
	: [values: Record<Name, MessageValue>];

/** The message of a code, in each of its languages. */
export function userMessage<Code extends MessageCode>(
	code: Code,
	...args: Values<Names<(typeof ENGLISH)[Code]>>
): MessageOf<Code> {
	const [values = {}] = args as [Record<string, MessageValue>?];
	const spanish = (es.MESSAGES as Partial<Record<MessageCode, string>>)[code];
	return {
		code,
		...(code in OUTCOMES && { outcome: OUTCOMES[code as keyof typeof OUTCOMES] }),
		...filledIn(ENGLISH[code], values, 'en'),
		...(spanish !== undefined && { es: filledIn(spanish, values, 'es') }),
	} as MessageOf<Code>;
}

function filledIn(
	template: string,
	values: Record<string, MessageValue>,
	language: Language,
): Pick<UserMessage, 'message' | 'hint'> {
	const { text, hint } = splitHint(template);
	return {
		message: fill(text, values, language),
		...(hint !== undefined && { hint: fill(hint, values, language) }),
	};
}

/** A part of a message, in each language. */
export function phrase<Name extends keyof typeof en.PHRASES>(
	name: Name,
	...args: Values<Names<(typeof en.PHRASES)[Name]>>
): Words {
	const [values = {}] = args as [Record<string, MessageValue>?];
	return {
		en: fill(en.PHRASES[name], values, 'en'),
		es: fill(es.PHRASES[name], values, 'es'),
	};
}

/** The texts of reports and pages. */
export const TEXTS: Record<Language, Translation<typeof en.TEXTS>> = {
	en: en.TEXTS,
	es: es.TEXTS,
};

/** Fills in the values of a text. A name in braces without a value stays as it is. */
export function fill(
	text: string,
	values: Record<string, MessageValue>,
	language: Language = 'en',
): string {
	return text.replace(/\{(\w+)\}/g, (place, name: string) => {
		const value = values[name] ?? place;
		return typeof value === 'object' ? value[language] : String(value);
	});
}

/** A message with what to do, as one text. */
export function fullText({ message, hint }: Pick<EditorMessage, 'message' | 'hint'>): string {
	return hint === undefined ? message : `${message}. ${hint}`;
}

/** Shows a message below the output of the node. */
export function showHint(
	context: Pick<IExecuteFunctions, 'addExecutionHints'>,
	message: EditorMessage,
	type: 'info' | 'warning' = 'warning',
): void {
	context.addExecutionHints({ message: fullText(message), type });
}

/** A message about a parameter or a field, which begins with its label. */
export function labelled<T extends EditorMessage>(label: string, message: T): T {
	return { ...message, message: `${label} ${message.message}` };
}

/** What is shown of a message. What the service says has no Spanish. */
type Shown = Pick<UserMessage, 'message' | 'hint'> & Partial<Pick<UserMessage, 'es'>>;

/** A message in a language. English, if it has no other. */
export function inLanguage(message: Shown, language: Language): Omit<Shown, 'es'> {
	return (language === 'es' && message.es) || message;
}

/**
 * A message for a page. What is English is about how the workflow is set up, so in Spanish it is quoted for whoever can mend
 * that.
 */
export function forPage(message: EditorMessage & Partial<Pick<UserMessage, 'es'>>): UserMessage {
	// Itself: of an error, a copy would lack the message.
	if (message.es !== undefined) return message as UserMessage;
	return { ...message, es: filledIn(es.IN_ENGLISH, { text: message.message }, 'es') };
}

/** A text that is made in each language. */
export function inEachLanguage(text: (language: Language) => string): Words {
	return { en: text('en'), es: text('es') };
}

/** What somebody said, for the end of a message: nothing, if they said nothing. */
export function afterColon(text: string): string {
	return text === '' ? '' : `: ${text}`;
}

/** A message as a value of another one. */
export function asWords({ message, es }: Shown): Words {
	return { en: message, es: es?.message ?? message };
}
