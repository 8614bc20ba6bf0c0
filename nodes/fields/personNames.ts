import { matches, MAX_EXAMINED, replaceCharacters } from '../service/outsideText';

/** How a column with whole names is written. */
export interface NameOrder {
	isSurnameFirst: boolean;
	surnames: 1 | 2;
}

/** The orders that the option Full Name offers, by its values. */
export const NAME_ORDERS = {
	namesFirst1: { isSurnameFirst: false, surnames: 1 },
	namesFirst2: { isSurnameFirst: false, surnames: 2 },
	surnamesFirst1: { isSurnameFirst: true, surnames: 1 },
	surnamesFirst2: { isSurnameFirst: true, surnames: 2 },
} as const satisfies Record<string, NameOrder>;

/** Words that belong to the word after them: `De la Cruz`, `vda. de Rojas`. */
const PARTICLES = new Set([
	...['de', 'del', 'la', 'las', 'los', 'san', 'santa', 'vda', 'viuda'],
	...['da', 'das', 'do', 'dos', 'di', 'van', 'von', 'y'],
]);

/** The particles of a married name, which follows the other surnames. */
const MARRIED = new Set(['de', 'vda', 'viuda']);

/** The legal form behind the name of a company. `Sa` and `Sac` are surnames. */
const COMPANY =
	/[\s,](S\.?\s?(A\.?\s?[ACS]?|[Rr]\.?\s?[Ll])|S[Pp]A|E\.?I\.?R\.?L|LLC|I[Nn][Cc]|L[Tt][Dd][Aa]?)\.?$/;

const wordOf = (token: string): string => token.toLowerCase().replace('.', '');

/**
 * Splits a whole name. A comma separates surnames from names in any order. The service puts the two together
 * again, so a name that is split in the wrong place loses nothing.
 *
 * @returns no surnames if there is only one word, or the name of a company
 */
export function splitName(
	text: string,
	{ isSurnameFirst, surnames }: NameOrder,
): { names: string; surnames: string } {
	// No name is so long: its field rejects or sends it as it is.
	if (text.length > MAX_EXAMINED || matches(COMPANY, text.trim()))
		return { names: text, surnames: '' };
	const parts = text.split(',').map((part) => part.trim());
	if (parts.length === 2 && parts[0] !== '' && parts[1] !== '')
		return { names: parts[1], surnames: parts[0] };

	const groups: string[] = [];
	let group: string[] = [];
	for (const token of replaceCharacters(text, /\s/g, ' ')
		.split(' ')
		.filter((one) => one !== '')) {
		group.push(token);
		// An abbreviated title, such as `Ing.`, but no initial.
		if (PARTICLES.has(wordOf(token)) || (token.length > 2 && token.endsWith('.'))) continue;
		groups.push(group.join(' '));
		group = [];
	}
	if (group.length > 0) groups.push(group.join(' '));

	let count = Math.min(surnames, groups.length - 1);
	if (!isSurnameFirst) {
		const at = groups.length - count;
		return { names: groups.slice(0, at).join(' '), surnames: groups.slice(at).join(' ') };
	}
	const hasMore = surnames === 2 && count + 1 < groups.length;
	if (hasMore && MARRIED.has(wordOf(groups[count].split(' ')[0]))) count++;
	return { names: groups.slice(count).join(' '), surnames: groups.slice(0, count).join(' ') };
}
