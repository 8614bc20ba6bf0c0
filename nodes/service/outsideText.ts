/**
 * Text from outside: what the service answers, and what people write in files and forms. It is cut before
 * anything looks at it, so that no text can keep n8n busy. Patterns over it take linear time
 * (`test/package/patterns.test.ts`).
 */

/** The most characters of a text from outside that a pattern sees at once. */
export const MAX_EXAMINED = 1_000;

/** The part of a text that patterns may see. */
export function startOf(text: string): string {
	return text.slice(0, MAX_EXAMINED);
}

/** Whether a pattern matches a text. A text that is too long to be examined matches nothing. */
export function matches(pattern: RegExp, text: string): boolean {
	return text.length <= MAX_EXAMINED && pattern.test(text);
}

/** Replaces characters in a text of any length. The pattern matches single characters or runs of them. */
export function replaceCharacters(text: string, pattern: RegExp, replacement: string): string {
	return piecesOf(text)
		.map((piece) => piece.replace(pattern, replacement))
		.join('');
}

/** A text in pieces that patterns may see. None ends inside a character. */
export function piecesOf(text: string): string[] {
	if (text.length <= MAX_EXAMINED) return [text];
	const pieces: string[] = [];
	for (let start = 0; start < text.length; start += pieces[pieces.length - 1].length) {
		const end = start + MAX_EXAMINED;
		const isInside = (text.codePointAt(end - 1) ?? 0) > 0xffff;
		pieces.push(text.slice(start, isInside ? end - 1 : end));
	}
	return pieces;
}

/** Removes these characters from the end. A pattern would begin again at each of them. */
export function withoutTrailing(text: string, characters: string): string {
	let end = text.length;
	while (end > 0 && characters.includes(text[end - 1])) end--;
	return text.slice(0, end);
}
