/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- runs outside n8n */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { EDITOR_MESSAGES } from '../../nodes/messages/editor';
import * as en from '../../nodes/messages/en';
import * as es from '../../nodes/messages/es';
import { OUTCOMES } from '../../nodes/messages/outcomes';
import { splitHint } from '../../nodes/messages/translation';

/**
 * Writes docs/reference/codes.md, docs/reference/editor-codes.md and docs/es/reference/codes.md from nodes/messages: `npm run docs`. The text around the
 * tables is in the templates next to this file.
 */

const DOCS = resolve(__dirname, '..');

/** A message as the guides show it. */
export interface Message {
	code: string;
	outcome?: string;
	text: string;
	hint?: string;
	/** The same in Spanish. Missing if only the editor shows it, which is English. */
	es?: { text: string; hint?: string };
}

/** All messages, in their order. */
export const MESSAGES: Message[] = Object.entries<string>({
	...en.MESSAGES,
	...EDITOR_MESSAGES,
}).map(([code, template]) => {
	const spanish = (es.MESSAGES as Partial<Record<string, string>>)[code];
	return {
		code,
		outcome: (OUTCOMES as Partial<Record<string, string>>)[code],
		...splitHint(template),
		...(spanish !== undefined && { es: splitHint(spanish) }),
	};
});

/** A column of a table: its header, and the Markdown of a cell. */
type Column = [header: string, cell: (row: Message) => string];

interface Page {
	/** Its path in the repository. */
	path: string;
	template: string;
	messages: Message[];
	/** The columns of every table. */
	columns: Column[];
	/** The second column of a table whose messages have outcomes. */
	outcome: Column;
}

const code: Column[1] = (row) => `<a id="${row.code}"></a>\`${row.code}\``;
const outcome: Column[1] = (row) => (row.outcome === undefined ? '-' : `\`${row.outcome}\``);

/** The messages that a report or a page can show, in Spanish, too. */
const ENGLISH: Page = {
	path: 'docs/reference/codes.md',
	template: 'codes.en.template',
	messages: MESSAGES.filter(({ es }) => es !== undefined),
	columns: [
		['code', code],
		['message', ({ text }) => toMarkdown(text)],
		['what to do', ({ hint }) => toMarkdown(hint)],
	],
	outcome: ['outcome', outcome],
};

const EDITOR: Page = {
	...ENGLISH,
	path: 'docs/reference/editor-codes.md',
	template: 'editor-codes.template',
	messages: MESSAGES.filter(({ es }) => es === undefined),
};

/** The editor shows messages in English, so the table has them next to the Spanish. */
const SPANISH: Page = {
	path: 'docs/es/reference/codes.md',
	template: 'codes.es.template',
	messages: ENGLISH.messages,
	columns: [
		['código', code],
		['mensaje', ({ text }) => toMarkdown(text)],
		['en español', ({ es }) => toMarkdown(es?.text)],
		['qué hacer', ({ es }) => toMarkdown(es?.hint)],
	],
	outcome: ['resultado', outcome],
};

/** The text of each page, by its path in the repository. */
export function renderPages(): Map<string, string> {
	return new Map([ENGLISH, EDITOR, SPANISH].map((page) => [page.path, render(page)]));
}

/** Where a table begins: with the message that has this code. It ends before the next one's. */
const TABLE = /^<!-- messages from (\w+) -->$/gm;

function render(page: Page): string {
	const template = readFileSync(join(DOCS, 'build', page.template), 'utf8');
	const firsts = [...template.matchAll(TABLE)].map(([, first]) => first);
	const tables = tablesFrom(page.messages, firsts);
	return template.replace(TABLE, (_, first: string) => table(page, tables.get(first) ?? []));
}

/** Messages in their order, cut where a table begins. */
function tablesFrom(messages: Message[], firsts: string[]): Map<string, Message[]> {
	const tables = new Map<string, Message[]>();
	let rows: Message[] | undefined;
	for (const message of messages) {
		if (firsts.includes(message.code)) tables.set(message.code, (rows = []));
		if (!rows) throw new Error(`No table begins with ${message.code}, the first message`);
		rows.push(message);
	}
	const unknown = firsts.filter((code) => !tables.has(code));
	if (unknown.length > 0) throw new Error(`There are no messages ${unknown.join(', ')}`);
	return tables;
}

function table({ columns: [first, ...others], outcome }: Page, rows: Message[]): string {
	const hasOutcomes = rows.some((row) => row.outcome !== undefined);
	const columns = [first, ...(hasOutcomes ? [outcome] : []), ...others];
	const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
	// Unaligned, so that a change shows in its own row only.
	return [
		'<!-- prettier-ignore-start -->',
		'',
		line(columns.map(([header]) => header)),
		line(columns.map(() => '---')),
		...rows.map((row) => line(columns.map(([, cell]) => cell(row)))),
		'',
		'<!-- prettier-ignore-end -->',
	].join('\n');
}

/** Expressions, and addresses that Markdown would make links of. */
const CODE = /\{\{.*?\}\}|https?:\/\/(?:[\w./-]*\w)?|[\w.]+@[\w.]+\w/;
const PLACEHOLDER = /\{\w+\}/;
const SPECIAL = /[\\|<*_`[\]]|\n/;

/** A text of a catalogue as the content of a table's cell, with `<name>`, apart from words, for a placeholder. */
function toMarkdown(text = '-'): string {
	const parts = new RegExp(
		[CODE, PLACEHOLDER, SPECIAL].map(({ source }) => `(${source})`).join('|'),
		'g',
	);
	return text.replace(
		parts,
		(part: string, asCode?: string, placeholder?: string, ...rest: unknown[]) => {
			if (asCode !== undefined) return `\`${part}\``;
			if (part === '\n') return '<br>';
			if (placeholder === undefined) return `\\${part}`;
			const at = rest[1] as number;
			const [before, after] = [text[at - 1] ?? '', text[at + part.length] ?? ''];
			const name = `\\<${part.slice(1, -1)}>`;
			return `${/[\p{L}\p{N})}]/u.test(before) ? ' ' : ''}${name}${/[\p{L}\p{N}]/u.test(after) ? ' ' : ''}`;
		},
	);
}
