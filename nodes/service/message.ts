/**
 * What a request that did not succeed means for the money:
 * - `rejected`: the service said no; nothing was created
 * - `unknown`: the service may have created it (timeout, connection lost, 5xx, unreadable answer, or
 *   a reference that it says it has already)
 * - `notSent`: the request never reached the service
 */
export type FailureOutcome = 'rejected' | 'unknown' | 'notSent';

/** A message as a catalogue has it, under its code. `{name}` in its texts stands for a value. */
export interface Message {
	/** What it means for the money, where it means anything for it. */
	outcome?: FailureOutcome | 'sentBefore';
	text: string;
	/** What to do. */
	advice?: string;
}

/** A message as a user gets it. Programs know it by its code: its words may change. */
export interface Told<Outcome extends Message['outcome'] = Message['outcome']> {
	code: string;
	outcome?: Outcome;
	message: string;
	advice?: string;
}

/** The names in `{}`. An expression of n8n's, in `{{ }}`, is none. */
type Names<T> = T extends `${string}{${infer Name}}${infer Rest}`
	? (Name extends `${string}${' ' | '{'}${string}` ? never : Name) | Names<Rest>
	: never;

type Values<M extends Message> = [Names<M['text'] | M['advice']>] extends [never]
	? []
	: [values: Record<Names<M['text'] | M['advice']>, string | number>];

type OutcomeOf<M extends Message> = M extends { outcome: infer Outcome } ? Outcome : undefined;

/** Gives the messages of a catalogue, with values filled in. */
export function teller<const C extends Record<string, Message>>(catalogue: C) {
	return <K extends keyof C & string>(
		code: K,
		...args: Values<C[K]>
	): Told & { outcome: OutcomeOf<C[K]> } => {
		const [values = {}] = args as [Record<string, string | number>?];
		const { text, advice, ...meaning } = catalogue[code] as Message;
		return {
			code,
			...(meaning as { outcome: OutcomeOf<C[K]> }),
			message: filled(text, values),
			...(advice !== undefined && { advice: filled(advice, values) }),
		};
	};
}

function filled(text: string, values: Record<string, string | number>): string {
	return text.replace(/\{(\w+)\}/g, (place, name: string) => String(values[name] ?? place));
}
