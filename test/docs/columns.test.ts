/* eslint-disable @n8n/community-nodes/no-restricted-imports -- runs outside n8n */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { columnName } from '../../nodes/fields/field';
import { normalizeWord } from '../../nodes/fields/text';
import { readDocument, ROOT } from './markdown';
import { mostCharacters } from './service';
import { BANK } from '../batch/builders';

const { fields } = BANK;

/** What people write for a value, in whichever field it is. */
const valueAliases = new Map<string, readonly string[]>(
	fields.flatMap((field) => Object.entries(field.valueAliases ?? {})),
);

/** The rows of the tables of a section: the code in their first cell, and the codes in the others. */
function codesIn(path: string, heading: string): Array<{ code: string; words: string[] }> {
	const text = readFileSync(join(ROOT, path), 'utf8');
	const section = text.split(`### ${heading}\n`)[1].split('\n##')[0];
	return section.split('\n').flatMap((line) => {
		const [code, ...words] = [...line.matchAll(/`([^`]+)`/g)].map(([, found]) => found);
		return line.startsWith('| `') ? [{ code, words }] : [];
	});
}

describe.each([
	['docs/payouts-from-spreadsheets.md', 'Column names'],
	['docs/es/payouts-from-spreadsheets.md', 'Nombres de columnas'],
])('%s', (path, heading) => {
	const rows = codesIn(path, heading);
	const columns = new Map(fields.map((field) => [columnName(field), field]));

	test('names only header and value aliases that the node knows', () => {
		expect(rows.length).toBeGreaterThan(20);
		for (const { code, words } of rows) {
			const field = columns.get(code);
			const understood = field
				? [field.headerAliases ?? {}]
						.flatMap(({ names = [], whole = [], parts = [], namesWith }) => [
							...names,
							...whole,
							...parts.flat(),
							...(namesWith?.names ?? []),
						])
						.concat(field.label)
				: (valueAliases.get(code) ?? []);
			const known = new Set(understood.map(normalizeWord));
			expect([code, words.filter((word) => !known.has(normalizeWord(word)))]).toEqual([code, []]);
		}
	});

	test('has each column and each value with aliases', () => {
		const codes = rows.map(({ code }) => code);
		for (const field of fields) {
			if (field.headerAliases?.names && field.to?.startsWith('transaction')) {
				expect(codes).toContain(columnName(field));
			}
		}
		for (const { name, valueAliases: aliases = {} } of fields) {
			if (name === 'country') continue;
			for (const value of Object.keys(aliases)) expect(codes).toContain(value);
		}
	});

	test('says how long a description may be, as the service does', () => {
		const cells = readDocument(path).tables.flatMap(({ rows: all }) => all);
		const [, , content] = cells.find(([column]) => column === 'description') ?? [];
		const most = mostCharacters('POST /v3/transactions/payouts/bank', 'transaction.description');
		expect(content).toMatch(new RegExp(`\\b${most} `));
	});
});
