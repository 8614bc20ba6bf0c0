import { type Language, phrase } from '../messages/userMessage';
import {
	matches,
	MAX_EXAMINED,
	piecesOf,
	replaceCharacters,
	startOf,
} from '../service/outsideText';

/**
 * Invisible characters: controls, direction marks, zero-width joiners and fillers, and halves of
 * characters. Text that is copied from a page or a PDF may contain them.
 */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/u;

/** The invisible characters except tabs and line breaks, which separate words. */
const WITHOUT_WIDTH = /(?!\p{White_Space})[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;

const SPACE = /\p{White_Space}/gu;

/** Words of ASCII with one space between two: most references, amounts and descriptions are normalized already. */
const PLAIN_WORDS = /^(?:[!-~]+(?: [!-~]+)*)?$/;

/** Much longer than any reference, name or description. */
const MAX_NORMALIZED = 10 * MAX_EXAMINED;

const VISIBLE = /[^\p{White_Space}\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/u;

/** Whether a text has nothing but spaces and invisible characters. */
export function isBlank(text: string): boolean {
	return !piecesOf(text).some((piece) => VISIBLE.test(piece));
}

/** Removes spaces and invisible characters from both ends. A text that is too long stays as it is. */
export function trimmed(text: string): string {
	if (text.length > MAX_NORMALIZED || matches(PLAIN_WORDS, text)) return text;
	const characters = [...text];
	const isVisible = (character: string) => VISIBLE.test(character);
	const last = characters.findLastIndex(isVisible);
	// Without a visible character, this is slice(-1, 0), which is empty.
	return characters.slice(characters.findIndex(isVisible), last + 1).join('');
}

/** The first invisible character of a text, such as `U+200B`, and its position, counted from 1. */
export function findInvisible(text: string): { character: string; place: number } | undefined {
	if (matches(PLAIN_WORDS, text)) return undefined;
	const characters = [...text];
	const index = characters.findIndex((character) => INVISIBLE.test(character));
	if (index === -1) return undefined;
	const code = (characters[index].codePointAt(0) ?? 0).toString(16).toUpperCase();
	return { character: `U+${code.padStart(4, '0')}`, place: index + 1 };
}

/**
 * Normalizes a reference or other content, so that texts that look the same are equal. Keeps upper and
 * lower case. A text that is too long stays as it is, so that it equals no other.
 *
 * @returns Unicode's composed form (NFC) without invisible characters, with one space for each run of
 *   spaces and none at the ends
 */
export function normalizeText(text: string): string {
	if (text.length > MAX_NORMALIZED || matches(PLAIN_WORDS, text)) return text;
	const words = replaceCharacters(replaceCharacters(text, WITHOUT_WIDTH, ''), SPACE, ' ').split(
		' ',
	);
	return words
		.filter((word) => word !== '')
		.join(' ')
		.normalize('NFC');
}

/** The form in which references are compared. Case does not matter, because some services ignore it. */
export function idempotencyKey(reference: string): string {
	return normalizeText(reference).toLowerCase();
}

/**
 * What letters become if a file is read with the wrong encoding: UTF-8 as ISO 8859-1 or Windows-1252, UTF-8 as Mac
 * Roman, and the code page of DOS as Windows-1252.
 */
const BROKEN = [
	/\ufffd|[ÂÃ][\u0080-\u00bf\u0152\u0153\u0160\u0161\u0178\u017d\u017e\u0192\u02c6\u02dc\u2013-\u203a\u20ac\u2122]|ï»¿/u,
	/\p{L}[√‚„‡]|\p{L}[¡¢£¤¥]\p{L}/u,
];

/** Whether a text was read with the wrong encoding: a letter is lost or became two (`Mar\ufffda`, `MarÃ\u00ada`). */
export function hasBrokenLetters(text: string): boolean {
	return piecesOf(text).some((piece) => BROKEN.some((pattern) => pattern.test(piece)));
}

/** Accents, spaces and punctuation. */
const NOT_IN_WORDS = /[\u0300-\u036f]|[^\p{L}\p{M}\p{N}\p{Sc}%/]/gu;

/**
 * Normalizes a header or a choice: removes accents, case, spaces and punctuation. Keeps currency signs,
 * `%` and `/`. Of a text that is longer than any header, only the start counts, with a sign that no normalized name has.
 */
export function normalizeWord(text: string): string {
	const start = startOf(text);
	const letters = start.normalize('NFKD').toLowerCase();
	const word = replaceCharacters(letters, NOT_IN_WORDS, '');
	return start.length < text.length ? `${word}…` : word;
}

/** The texts in a list that are separated by spaces, commas or semicolons. */
export function listedWords(list: string): string[] {
	return replaceCharacters(list, /[\s,;]+/g, ' ')
		.split(' ')
		.filter((word) => word !== '');
}

/** The words of a header, normalized: `Nro. de cuenta` and `destinationAccount` have several. */
export function wordsOf(header: string): string[] {
	const apart = startOf(header).replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2');
	return startOf(apart)
		.split(/[^\p{L}\p{M}\p{N}%]+/u)
		.map(normalizeWord)
		.filter((word) => word !== '');
}

/**
 * A text for a page of n8n's Form. n8n puts it into an expression with `String.replace`, in which `$&` and the like have
 * a meaning: an invisible word joiner takes it away.
 */
export function dollarsAsText(text: string): string {
	return text.replaceAll('$', '$\u2060');
}

/** The text with a capital first letter. */
export function capitalized(text: string): string {
	return text.charAt(0).toUpperCase() + text.slice(1);
}

/** `a, b and c`. */
export function joinWords(texts: string[], word: 'and' | 'or', language: Language = 'en'): string {
	return texts.length < 2
		? texts.join('')
		: `${texts.slice(0, -1).join(', ')} ${phrase(word)[language]} ${texts[texts.length - 1]}`;
}
