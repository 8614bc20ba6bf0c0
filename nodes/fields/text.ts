/**
 * Characters that nobody sees: controls, what sets the direction of writing, joiners and fillers of
 * no width, and halves of a character. They come along when text is copied from a page or a PDF.
 */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/u;

/** Of those, all but tabs and line breaks, which separate words. */
const WITHOUT_WIDTH = /(?!\p{White_Space})[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;

const SPACES = /\p{White_Space}+/gu;

const isSeen = (character: string): boolean =>
	!INVISIBLE.test(character) && character.trim() !== '';

/** The text without blanks and invisible characters at its ends. */
export function trimmed(text: string): string {
	const characters = [...text];
	const last = characters.findLastIndex(isSeen);
	return last === -1 ? '' : characters.slice(characters.findIndex(isSeen), last + 1).join('');
}

/** The first invisible character of a text, such as `U+200B`, and its place as people count. */
export function findInvisible(text: string): { character: string; place: number } | undefined {
	const characters = [...text];
	const index = characters.findIndex((character) => INVISIBLE.test(character));
	if (index === -1) return undefined;
	const code = (characters[index].codePointAt(0) ?? 0).toString(16).toUpperCase();
	return { character: `U+${code.padStart(4, '0')}`, place: index + 1 };
}

/**
 * The form under which two references, or two contents, count as the same: what looks the same to a
 * person, and differs only by where it was copied from. Upper and lower case are kept.
 *
 * @returns the text in Unicode's composed form (NFC), with one plain space for any run of blanks,
 *   none at the ends, and without invisible characters
 */
export function normalizeText(text: string): string {
	return text.replace(WITHOUT_WIDTH, '').replace(SPACES, ' ').trim().normalize('NFC');
}

/** The form under which two references are the same. Upper case does not count: some services ignore it. */
export function idempotencyKey(reference: string): string {
	return normalizeText(reference).toLowerCase();
}

/** What letters become when a file is read in another encoding than it was written in. */
const BROKEN = /\ufffd|[ÂÃ][\u0080-\u00bf]|ï»¿/u;

/** Whether a text was read in the wrong encoding: a letter is lost or has become two (`Mar\ufffda`, `MarÃ\u00ada`). */
export function hasBrokenLetters(text: string): boolean {
	return BROKEN.test(text);
}

/**
 * The form under which two words, such as headers or choices, are the same: without accents, upper
 * case, blanks and punctuation. Signs of currencies stay, and so do signs that change the meaning.
 */
export function normalizeWord(text: string): string {
	return text
		.normalize('NFKD')
		.toLowerCase()
		.replace(/[\u0300-\u036f]/g, '')
		.replace(/[^\p{L}\p{M}\p{N}\p{Sc}%/]+/gu, '');
}
