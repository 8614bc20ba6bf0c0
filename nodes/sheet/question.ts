import { userMessage, type PageCode, type UserMessage } from '../messages/userMessage';

/** A choice that answers a question. */
export interface Candidate {
	/** What the answer is. */
	readonly value: string;
	/** What it is called, if that is not its value. */
	readonly name?: UserMessage;
	/** What the file has for it. */
	readonly samples: readonly string[];
	/** Of a column with amounts. */
	readonly sum?: number;
}

/** What whoever has the file is asked. */
export interface Question {
	/** The same whenever the same is asked about the same file: `columns.amount`, `payRows`. */
	readonly id: string;
	readonly kind: 'column' | 'value' | 'reading' | 'several';
	readonly field?: string;
	readonly label: UserMessage;
	/** Without any, the answer is a text. */
	readonly candidates: readonly Candidate[];
}

/** The messages without a placeholder. */
type PlainCode = {
	[Code in PageCode]: Parameters<typeof userMessage<Code>> extends [Code] ? Code : never;
}[PageCode];

/** A choice that is called by a message. */
export function choice(value: string, code: PlainCode, ...samples: string[]): Candidate {
	return { value, name: userMessage<PlainCode>(code), samples };
}

/** A question with one answer. */
export function readingQuestion(
	id: string,
	label: UserMessage,
	candidates: readonly Candidate[],
): Question {
	return { id, kind: 'reading', label, candidates };
}

/** A question about which of several things are paid, or say so; nothing is asked about none. */
export function severalQuestion(
	id: string,
	label: UserMessage,
	candidates: readonly Candidate[],
	none: PlainCode,
): Question[] {
	const all = [...candidates, choice(ANSWER.none, none)];
	return candidates.length === 0 ? [] : [{ id, kind: 'several', label, candidates: all }];
}

/** Answers by the ID of their question. */
export type Answers = ReadonlyMap<string, string>;

/** Answers that are no value of the file. */
export const ANSWER = {
	none: '(none)',
	empty: '(empty)',
	pay: 'pay',
	leaveOut: 'leaveOut',
	each: 'each',
	last: 'last',
} as const;

/** What is known before anybody is asked. */
export interface Settings {
	/** Values for rows whose column is missing or whose cell is empty, by field; none is empty. */
	readonly defaults: ReadonlyMap<string, unknown>;
	/** What texts of the file mean, by field and text. */
	readonly valueNames: ReadonlyMap<string, ReadonlyMap<string, string>>;
	/** Headers of columns that say nothing. */
	readonly ignored: ReadonlySet<string>;
	/** Answers that the form of the node gives. */
	readonly answers: Answers;
}
