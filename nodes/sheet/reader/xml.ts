import { damaged, LIMITS } from '../sheet';
import type { Zip } from './zip';

/** An element of a part. Names come without their prefix. */
export interface Element {
	readonly name: string;
	/** The text of its tag with its attributes; see `attribute`. */
	readonly tag: string;
	readonly children: Element[];
	/** What is written in it and in its children, cut if it is too long, with its entities; see `unescapeXml`. */
	text: string;
}

/**
 * Reads a part of a ZIP file as XML, as far as spreadsheet programs write it. It has no document type,
 * comment or CDATA: nothing but the five entities of XML and numeric ones is replaced.
 *
 * @param names of elements that come with their children
 * @param take gets one element after the other
 * @param containers names of elements that come before what is in them, and without it
 */
export async function readElements(
	zip: Zip,
	part: string,
	names: readonly string[],
	take: (element: Element) => void,
	containers: readonly string[] = [],
): Promise<void> {
	const open: Element[] = [];
	let count = 0;
	const close = () => {
		const element = open.pop();
		if (element && open.length === 0) take(element);
	};
	const readTag = (tag: string) => {
		if (tag.startsWith('!')) throw damaged();
		if (tag.startsWith('?')) return;
		if (tag.startsWith('/')) {
			close();
			return;
		}
		let end = 0;
		while (end < tag.length && !' \t\r\n/'.includes(tag[end])) end++;
		const name = tag.slice(tag.lastIndexOf(':', end - 1) + 1, end);
		const element: Element = { name, tag, children: [], text: '' };
		if (open.length > 0) open[open.length - 1].children.push(element);
		else if (containers.includes(element.name)) take(element);
		if (open.length === 0 && !names.includes(element.name)) return;
		count = open.push(element) === 1 ? 0 : count + 1;
		if (count > LIMITS.inside || open.length > LIMITS.depth) throw damaged();
		if (tag.endsWith('/')) close();
	};
	let rest = '';
	for await (const piece of zip.read(part)) {
		rest += piece;
		let at = 0;
		for (;;) {
			const start = rest.indexOf('<', at);
			const end = start === -1 ? -1 : rest.indexOf('>', start);
			if (end === -1) break;
			for (const element of start > at ? open : [])
				if (element.text.length <= LIMITS.text) element.text += rest.slice(at, start);
			readTag(rest.slice(start + 1, end));
			at = end + 1;
		}
		rest = rest.slice(at);
		if (rest.length > LIMITS.tag) throw damaged();
		await zip.yieldNow();
	}
}

/** The children of an element that have a name, at any depth. */
export const inside = ({ children }: Element, name: string): Element[] =>
	children.flatMap((child) => [...(child.name === name ? [child] : []), ...inside(child, name)]);

/** The value of an attribute of a tag, whatever its prefix; undefined if it has none. */
export function attribute(tag: string, name: string): string | undefined {
	for (let at = tag.indexOf(name, 1); at > 0; at = tag.indexOf(name, at + 1)) {
		if (!' \t\r\n:'.includes(tag[at - 1])) continue;
		let quote = at + name.length;
		while (' \t\r\n='.includes(tag[quote] ?? 'x')) quote++;
		const mark = tag[quote];
		if (quote === at + name.length || (mark !== '"' && mark !== "'")) continue;
		const end = tag.indexOf(mark, quote + 1);
		return end === -1 ? undefined : unescapeXml(tag.slice(quote + 1, end));
	}
	return undefined;
}

/** An entity, or a character as Excel escapes it: `_x000D_`. */
const ENTITY = /&(?:#x([\da-fA-F]{1,6})|#(\d{1,7})|(lt|gt|amp|quot|apos));|_x([\da-fA-F]{4})_/g;

const CHARACTERS: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

/** A text with the characters that its entities mean. One that is longer than `LIMITS.text` is cut, and stays longer. */
export const unescapeXml = (text: string): string =>
	text.length > LIMITS.text
		? text.slice(0, LIMITS.text + 1)
		: text.replace(
				ENTITY,
				(_, ...[hex, decimal, name = '', escaped]: Array<string | undefined>) => {
					const code = decimal ? Number(decimal) : Number.parseInt(hex ?? escaped ?? '', 16);
					return (
						CHARACTERS[name] ?? (code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '')
					);
				},
			);
