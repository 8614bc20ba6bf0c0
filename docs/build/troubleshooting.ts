/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- runs outside n8n */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { FIELD_MESSAGES } from '../../nodes/fields/messages';
import { OPTION_MESSAGES, PAYMENT_MESSAGES, ROW_MESSAGES } from '../../nodes/batch/messages';
import { OPERATION_MESSAGES } from '../../nodes/PartnerPayments/operations/messages';
import { type MessageTemplate, SERVICE_MESSAGES } from '../../nodes/service/messages';
import { TRIGGER_MESSAGES } from '../../nodes/PartnerPaymentsTrigger/messages';

/**
 * Writes docs/troubleshooting.md and docs/es/troubleshooting.md from the message catalogues: `npm run docs`.
 * The text around the tables is in the templates next to this file. What the package itself says in Spanish is in its
 * catalogues, the other Spanish in docs/es/messages.json.
 */

const DOCS = resolve(__dirname, '..');

/** Every message catalogue of the package. */
export const CATALOGUES: Array<Record<string, MessageTemplate>> = [
	SERVICE_MESSAGES,
	FIELD_MESSAGES,
	PAYMENT_MESSAGES,
	ROW_MESSAGES,
	OPTION_MESSAGES,
	TRIGGER_MESSAGES,
	OPERATION_MESSAGES,
];

/** A message in Spanish, with the placeholders of the English one. */
export interface Translation {
	text: string;
	hint?: string;
}

/** By error code. */
export type Translations = Record<string, Translation>;

/** The Spanish that the package does not have: of texts that the editor alone shows. */
export function readGuideTranslations(): Record<string, Partial<Translation>> {
	return JSON.parse(readFileSync(join(DOCS, 'es/messages.json'), 'utf8')) as Translations;
}

/** All messages in Spanish. Each text and each hint is either in its catalogue or in `docs/es/messages.json`. */
export function readTranslations(): Translations {
	const others = readGuideTranslations();
	return Object.fromEntries(
		CATALOGUES.flatMap((catalogue) =>
			Object.entries(catalogue).map(([code, { es, esHint }]) => [
				code,
				{ text: es ?? '', ...(esHint && { hint: esHint }), ...others[code] },
			]),
		),
	);
}

type Row = MessageTemplate & { code: string };

/** A column of a table: its header, and the Markdown of a cell. */
type Column = [header: string, cell: (row: Row) => string];

interface Page {
	/** Its path in the repository. */
	path: string;
	template: string;
	/** The columns of every table. */
	columns: Column[];
	/** The second column of a table whose messages have outcomes. */
	outcome: Column;
}

const code: Column[1] = (row) => `<a id="${row.code}"></a>\`${row.code}\``;
const outcome: Column[1] = (row) => (row.outcome === undefined ? '-' : `\`${row.outcome}\``);

const ENGLISH: Page = {
	path: 'docs/troubleshooting.md',
	template: 'troubleshooting.en.template',
	columns: [
		['code', code],
		['message', ({ text }) => toMarkdown(text)],
		['what to do', ({ hint }) => toMarkdown(hint)],
	],
	outcome: ['outcome', outcome],
};

/** The editor shows messages in English, so the table has them next to the Spanish. */
function spanish(translations: Translations): Page {
	return {
		path: 'docs/es/troubleshooting.md',
		template: 'troubleshooting.es.template',
		columns: [
			['código', code],
			['mensaje', ({ text }) => toMarkdown(text)],
			['en español', (row) => toMarkdown(translations[row.code]?.text)],
			['qué hacer', (row) => toMarkdown(translations[row.code]?.hint)],
		],
		outcome: ['resultado', outcome],
	};
}

/** The text of each page, by its path in the repository. */
export function renderPages(translations = readTranslations()): Map<string, string> {
	return new Map([ENGLISH, spanish(translations)].map((page) => [page.path, render(page)]));
}

/** Where a table begins: with the message that has this code. It ends before the next one's. */
const TABLE = /^<!-- messages from (\w+) -->$/gm;

function render(page: Page): string {
	const template = readFileSync(join(DOCS, 'build', page.template), 'utf8');
	const tables = tablesFrom([...template.matchAll(TABLE)].map(([, first]) => first));
	return template.replace(TABLE, (_, first: string) => table(page, tables.get(first) ?? []));
}

/** All messages in the order of their catalogues, cut where a table begins. */
function tablesFrom(firsts: string[]): Map<string, Row[]> {
	const tables = new Map<string, Row[]>();
	for (const catalogue of CATALOGUES) {
		let rows: Row[] | undefined;
		for (const [code, message] of Object.entries(catalogue)) {
			if (firsts.includes(code)) tables.set(code, (rows = []));
			if (!rows) throw new Error(`No table begins with ${code}, the first of its catalogue`);
			rows.push({ code, ...message });
		}
	}
	const unknown = firsts.filter((code) => !tables.has(code));
	if (unknown.length > 0) throw new Error(`No catalogue has the messages ${unknown.join(', ')}`);
	return tables;
}

function table({ columns: [first, ...others], outcome }: Page, rows: Row[]): string {
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
