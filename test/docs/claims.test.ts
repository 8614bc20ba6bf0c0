/* eslint-disable @n8n/community-nodes/no-restricted-imports -- runs outside n8n */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { SEEDED_BUGS } from '../simulation/seededBugs';
import { unknownCommand } from './commands';
import { paragraphs, readDocument, ROOT, type Paragraph } from './markdown';

const PAGES = { README: 'README.md', Reliability: 'docs/reliability.md' } as const;

/** A table of docs/evidence.md, without its header. */
const tableUnder = (heading: string) =>
	(
		readDocument('docs/evidence.md').tables.find(({ under }) => under.includes(heading))?.rows ?? []
	).slice(1);

const claims = tableUnder('What shows each claim').map(([page, claim, shownBy]) => ({
	page: page as keyof typeof PAGES,
	claim,
	shownBy,
}));

const properties = tableUnder('Delivery logs and trigger').map(([, claim, shownBy]) => ({
	claim,
	shownBy,
}));

/**
 * What each page claims: all list items of Reliability but those that explain a comparison, and the README's features,
 * which come before its first section.
 */
const listed: Record<keyof typeof PAGES, (paragraph: Paragraph) => boolean> = {
	README: ({ isListItem, under }) => isListItem && under.length === 1,
	Reliability: ({ isListItem, under }) =>
		isListItem && !under.includes('Compared with other nodes'),
};

describe.each(['README', 'Reliability'] as const)('the claims of %s', (page) => {
	const all = paragraphs(PAGES[page]);
	const own = claims.filter((claim) => claim.page === page).map(({ claim }) => claim);

	test('are in the table of evidence', () => {
		const items = all.filter(listed[page]).map(({ text }) => text);
		expect(items.length).toBeGreaterThan(5);
		expect(items.filter((text) => !own.some((claim) => text.startsWith(claim)))).toEqual([]);
	});

	test('are still made there', () => {
		expect(own.filter((claim) => !all.some(({ text }) => text.startsWith(claim)))).toEqual([]);
	});
});

test('the evidence counts the seeded bugs that there are', () => {
	const { payments, decisions, fundings, events } = SEEDED_BUGS;
	const counts = `${payments.length} seeded bugs in payments, such as recording references after sending them, ${decisions.length} in decisions, ${fundings.length} in fundings and ${events.length} in events`;
	expect(paragraphs('docs/evidence.md').some(({ text }) => text.includes(counts))).toBe(true);
});

test('each claim and property names tests and commands that exist', () => {
	const files = (readdirSync(join(ROOT, 'test'), { recursive: true }) as string[])
		.filter((file) => /\.test\.ts$/.test(file))
		.map((file) => file.replace(/(\.(unit|engine))?\.test\.ts$/, ''));
	const endToEnd = readdirSync(join(ROOT, 'e2e/tests')).map((file) => file.split('.')[0]);
	const scripts = readdirSync(join(ROOT, 'bench')).map((file) => `node bench/${file}`);
	const exists = (name: string) => {
		if (/^npm /.test(name)) return unknownCommand(name) === undefined;
		return [...files, ...endToEnd, ...scripts].includes(name);
	};

	const source = readFileSync(join(ROOT, 'docs/evidence.md'), 'utf8');
	for (const { claim, shownBy } of [...claims, ...properties]) {
		const line = source.split('\n').find((one) => one.includes(`| ${claim} `)) ?? '';
		const names = [...line.matchAll(/`([^`]+)`/g)].map(([, name]) => name);
		expect({ claim, unknown: names.filter((name) => !exists(name)) }).toEqual({
			claim,
			unknown: [],
		});
		if (names.length === 0) expect(shownBy).toMatch(/^no test: /);
	}
	expect(claims.length).toBeGreaterThan(40);
	expect(properties.length).toBeGreaterThan(15);
});
