import type { Told } from '../service/message';

/** One value that breaks a rule: what is wrong with it, to be read behind the label of its field. */
export interface Problem extends Told {
	/** Label of the field, as the editor shows it. */
	field: string;
	/** The value as given, shortened; left out when nothing was given. */
	value?: string;
}

/** A problem as a sentence. */
export function problemText({ field, value, message, advice }: Problem): string {
	return `${field} ${value === undefined ? '' : `(${value}) `}${message}. ${advice ?? ''}`.trim();
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
