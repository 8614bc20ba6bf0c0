import { userMessage } from '../../messages/userMessage';
import { LIMITS, UnreadableFile } from '../sheet';
import type { Zip } from './zip';

/** What happens at the tags and texts of a part. Names come without their prefix. */
export interface Handler {
	/** @param tag the text of the tag with its attributes; see `attribute` */
	open?(name: string, tag: string): void;
	close?(name: string): void;
	/** @param text with its entities; see `unescapeXml`. One text may come in pieces */
	text?(text: string): void;
}

const localName = (name: string): string => name.slice(name.indexOf(':') + 1);

/**
 * Reads a part of a ZIP file as XML, as far as spreadsheet programs write it. It has no document type,
 * comment or CDATA: nothing but the five entities of XML and numeric ones is replaced.
 *
 * @returns whether there is such a part
 */
export async function readXml(zip: Zip, part: string, handler: Handler): Promise<boolean> {
	let rest = '';
	for await (const piece of zip.read(part)) {
		rest += piece;
		rest = rest.slice(readTags(rest, handler));
		if (rest.length > LIMITS.tag) throw new UnreadableFile(userMessage('damagedFile'));
		await zip.yieldNow();
	}
	return zip.has(part);
}

/** Reads up to the last tag that is complete. Returns where it ends. */
function readTags(xml: string, handler: Handler): number {
	let at = 0;
	for (;;) {
		const start = xml.indexOf('<', at);
		if (start === -1) return at;
		const end = xml.indexOf('>', start);
		if (end === -1) return at;
		if (start > at) handler.text?.(xml.slice(at, start));
		at = end + 1;
		readTag(xml.slice(start + 1, end), handler);
	}
}

function readTag(tag: string, { open, close }: Handler): void {
	if (tag.startsWith('!')) throw new UnreadableFile(userMessage('damagedFile'));
	if (tag.startsWith('?')) return;
	if (tag.startsWith('/')) {
		close?.(localName(tag.slice(1).trim()));
		return;
	}
	const body = tag.endsWith('/') ? tag.slice(0, -1) : tag;
	let end = 0;
	while (end < body.length && !' \t\r\n'.includes(body[end])) end++;
	const name = localName(body.slice(0, end));
	open?.(name, body);
	if (body !== tag) close?.(name);
}

/** The value of an attribute of a tag, whatever its prefix; undefined if it has none. */
export function attribute(tag: string, name: string): string | undefined {
	for (let at = tag.indexOf(name, 1); at > 0; at = tag.indexOf(name, at + 1)) {
		if (!' \t\r\n:'.includes(tag[at - 1])) continue;
		let quote = at + name.length;
		while (' \t\r\n='.includes(tag[quote] ?? 'x')) quote++;
		const mark = tag[quote];
		if (quote === at + name.length || (mark !== '"' && mark !== "'")) continue;
		const end = tag.indexOf(mark, quote + 1);
		return end === -1 ? undefined : unescapeXml(tag.slice(quote + 1, end).slice(0, LIMITS.text));
	}
	return undefined;
}

/** Whether an attribute is set: `1`, `true` or `on`. */
export function isSet(tag: string, name: string): boolean {
	return ['1', 'true', 'on'].includes(attribute(tag, name) ?? '');
}

const ENTITIES: ReadonlyMap<string, string> = new Map([
	['lt', '<'],
	['gt', '>'],
	['amp', '&'],
	['quot', '"'],
	['apos', "'"],
]);

/** A text with the characters that its entities mean. */
export function unescapeXml(text: string): string {
	if (!text.includes('&')) return text;
	return text
		.slice(0, LIMITS.text * 2)
		.split('&')
		.map((part, index) => {
			const end = part.indexOf(';');
			if (index === 0) return part;
			if (end < 1 || end > 8) return `&${part}`;
			const entity = part.slice(0, end);
			return `${ENTITIES.get(entity) ?? numericEntity(entity)}${part.slice(end + 1)}`;
		})
		.join('');
}

function numericEntity(entity: string): string {
	if (!entity.startsWith('#')) return `&${entity};`;
	const code = entity.startsWith('#x')
		? Number.parseInt(entity.slice(2), 16)
		: Number.parseInt(entity.slice(1), 10);
	return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '';
}
