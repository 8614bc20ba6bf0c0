/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- runs outside n8n */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, resolve } from 'node:path';
import MarkdownIt, { type Token } from 'markdown-it';

export const ROOT = resolve(__dirname, '../..');

const markdown = new MarkdownIt({ html: true, linkify: false });

export interface Heading {
	level: number;
	text: string;
	/** The anchor that the host gives it. */
	anchor: string;
	/** The headings above it, the outermost first. */
	under: string[];
}

export interface CodeBlock {
	language: string;
	text: string;
	/** The headings above it, the outermost first. */
	under: string[];
}

export interface Table {
	/** The text of its cells, the header's first. */
	rows: string[][];
	/** The headings above it, the outermost first. */
	under: string[];
}

/** A Markdown file of the project, as far as the tests look at it. */
export interface Document {
	path: string;
	headings: Heading[];
	/** As they are written: of links, pictures and HTML. */
	targets: string[];
	blocks: CodeBlock[];
	/** Code within the text. */
	codes: string[];
	/** Text in bold: the labels of the editor. */
	bold: string[];
	tables: Table[];
}

/** Where Markdown files are; a folder of installed or generated files may be next to them. */
const FOLDERS = ['.github', 'bench', 'docs', 'examples', 'sandbox', 'test'];

/** Every Markdown file of the project. */
export function documents(): Document[] {
	const inFolders = FOLDERS.flatMap((folder) =>
		(readdirSync(join(ROOT, folder), { recursive: true }) as string[]).map((file) =>
			join(folder, file),
		),
	);
	return [...readdirSync(ROOT), 'e2e/README.md', ...inFolders]
		.filter((file) => file.endsWith('.md'))
		.map(readDocument);
}

export function readDocument(path: string): Document {
	const tokens = markdown.parse(readFileSync(join(ROOT, path), 'utf8'), {});
	const document: Document = {
		path,
		headings: [],
		targets: [],
		blocks: [],
		codes: [],
		bold: [],
		tables: [],
	};
	const under: string[] = [];
	tokens.forEach((token, index) => {
		const before = tokens[index - 1];
		if (token.type === 'inline') readInline(document, token);
		if (token.type === 'inline' && before.type === 'heading_open') {
			const level = Number(before.tag.slice(1));
			const text = plainText(token);
			under.splice(level - 1);
			const anchor = anchorOf(text, document.headings);
			document.headings.push({ level, text, anchor, under: [...under] });
			under.push(text);
		}
		if (token.type === 'fence') {
			document.blocks.push({ language: token.info, text: token.content, under: [...under] });
		}
		if (token.type === 'html_block') document.targets.push(...htmlTargets(token.content));
		if (token.type === 'table_open') document.tables.push({ rows: [], under: [...under] });
		if (token.type === 'tr_open') document.tables.at(-1)?.rows.push([]);
		if (token.type === 'inline' && /^t[hd]_open$/.test(before.type)) {
			document.tables.at(-1)?.rows.at(-1)?.push(plainText(token));
		}
	});
	return document;
}

export interface Paragraph {
	text: string;
	isListItem: boolean;
	/** The headings above it, the outermost first. */
	under: string[];
}

/** The paragraphs of a document, without those in tables. */
export function paragraphs(path: string): Paragraph[] {
	const under: string[] = [];
	return markdown
		.parse(readFileSync(join(ROOT, path), 'utf8'), {})
		.flatMap((token, index, tokens) => {
			if (token.type !== 'inline') return [];
			const before = tokens[index - 1];
			if (before.type === 'heading_open') {
				const level = Number(before.tag.slice(1));
				under.splice(level - 1);
				under.push(plainText(token));
			}
			if (before.type !== 'paragraph_open') return [];
			const isListItem = tokens[index - 2]?.type === 'list_item_open';
			return [{ text: plainText(token), isListItem, under: [...under] }];
		});
}

function readInline(document: Document, { children }: Token): void {
	const parts = children ?? [];
	parts.forEach((part, index) => {
		if (part.type === 'link_open') document.targets.push(String(part.attrGet('href')));
		if (part.type === 'image') document.targets.push(String(part.attrGet('src')));
		if (part.type === 'html_inline') document.targets.push(...htmlTargets(part.content));
		if (part.type === 'code_inline') document.codes.push(part.content);
		if (part.type === 'strong_open') {
			const end = parts.findIndex(({ type }, at) => at > index && type === 'strong_close');
			document.bold.push(textOf(parts.slice(index, end)));
		}
	});
}

function htmlTargets(html: string): string[] {
	return [...html.matchAll(/\b(?:src|srcset|href)="([^"]+)"/g)].map(([, target]) => target);
}

const plainText = ({ children }: Token): string => textOf(children ?? []);

function textOf(parts: Token[]): string {
	return parts
		.map(({ type, content }) =>
			['text', 'code_inline'].includes(type) ? content : type === 'softbreak' ? ' ' : '',
		)
		.join('');
}

/** As GitHub makes it: lower case, without punctuation, hyphens for spaces, counted when it is taken. */
function anchorOf(text: string, earlier: Heading[]): string {
	const plain = text
		.toLowerCase()
		.replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
		.replaceAll(' ', '-');
	const taken = new Set(earlier.map(({ anchor }) => anchor));
	let anchor = plain;
	for (let count = 1; taken.has(anchor); count++) anchor = `${plain}-${count}`;
	return anchor;
}

/** The project's file that a relative link of a document leads to, and its anchor. */
export function resolveTarget(from: string, target: string): { path: string; anchor?: string } {
	const [path, anchor] = decodeURI(target).split('#');
	return { path: path === '' ? from : normalize(join(dirname(from), path)), anchor };
}
