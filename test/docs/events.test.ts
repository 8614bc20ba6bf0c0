/* eslint-disable @n8n/community-nodes/no-restricted-imports -- runs outside n8n */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { CONDITIONS } from '../../nodes/PartnerPaymentsTrigger/alarms';
import { EDITOR_MESSAGES } from '../../nodes/messages/editor';
import { FINAL_STATUSES, PENDING_STATUSES, TRANSACTION_EVENTS } from '../../nodes/service/enums';
import { transactionStatuses } from '../../sandbox/schemas';
import { readDocument, ROOT } from './markdown';
import { allowedValues } from './service';

const eventsIn = (text = ''): string[] => [...new Set(text.match(/\w+_transaction\b/g))].sort();

/** The events that a section of docs/reference/service.md names. */
const inSection = (heading: string) =>
	eventsIn(
		readFileSync(join(ROOT, 'docs/reference/service.md'), 'utf8')
			.split(heading)[1]
			?.split('\n#')[0],
	);

const rowsOf = (path: string) => readDocument(path).tables.flatMap(({ rows }) => rows);

const EVENTS = allowedValues('POST /v2/webhooks', 'events.transaction');

test.each<[string, readonly string[]]>([
	['the statuses of section 3.1', inSection('\n### 3.1 ')],
	['section 6', inSection('\n## 6. ')],
	[
		'what an update of a webhook takes',
		allowedValues('PATCH /v2/webhooks/{id}', 'events.transaction'),
	],
	['the sandbox', transactionStatuses],
	['the nodes', TRANSACTION_EVENTS.map(({ value }) => value)],
	['the statuses of a transaction, pending or final', [...PENDING_STATUSES, ...FINAL_STATUSES]],
	[
		'the guide to events',
		rowsOf('docs/events.md').flatMap(([cell]) => (/^\w+_transaction$/.test(cell) ? [cell] : [])),
	],
])('%s has each event that a webhook can be registered for, and no other', (_, events) => {
	expect([...events].sort()).toEqual(EVENTS);
});

test('docs/assumptions.md says which statuses are final', () => {
	const row = rowsOf('docs/assumptions.md').find(([cell]) => cell === 'Which statuses are final');
	expect(eventsIn(row?.[1])).toEqual([...FINAL_STATUSES].sort());
});

describe('the table of alarms', () => {
	const [header, ...rows] =
		readDocument('docs/events.md').tables.find(({ under }) => under.at(-1) === 'Alarms')?.rows ??
		[];

	/** A message as the guide names it: `…` stands for a value, and is left out at the beginning. */
	const named = (text: string) =>
		text
			.replace(/\{\w+\}/g, '…')
			.replace(/^… /, '')
			.replaceAll('’', "'")
			.toLowerCase();

	/** The alarms, and the report of undecidable events, which is an error of an execution with events. */
	const codes = [
		...new Set([...Object.values(CONDITIONS).flat(), 'eventsUndecidable' as const]),
	].sort();

	test('has each alarm of the trigger once, and no other', () => {
		const codesOf = (alarm: string) =>
			codes.filter((code) => named(EDITOR_MESSAGES[code]).startsWith(named(alarm)));

		const found = rows.map(([alarm]) => [alarm, codesOf(alarm)] as const);
		expect(found.filter(([, own]) => own.length === 0)).toEqual([]);
		expect(found.flatMap(([, own]) => own).sort()).toEqual(codes);
	});

	test('says of each alarm what raises it and what ends it', () => {
		expect(header).toEqual(['alarm', 'it is raised if', 'it ends with']);
		expect(rows.filter((cells) => cells.length !== 3 || cells.includes(''))).toEqual([]);
	});
});
