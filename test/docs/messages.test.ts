/* eslint-disable @n8n/community-nodes/no-restricted-imports -- runs outside n8n */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import {
	CATALOGUES,
	readGuideTranslations,
	readTranslations,
	renderPages,
} from '../../docs/build/troubleshooting';
import { toServiceError } from '../../nodes/service/errors';
import { type MessageTemplate } from '../../nodes/service/messages';
import { readDocument, ROOT } from './markdown';

const messages = CATALOGUES.flatMap((catalogue) => Object.entries(catalogue));
const byCode = new Map(messages);
const translations = new Map(Object.entries(readTranslations()));

const PAGES = [...renderPages()].map(([path, text]) => ({ path, text }));

/** The placeholders of a text; n8n's expressions, in `{{ }}`, are none. */
const placeholders = (text = '') =>
	[...new Set(text.match(/(?<!\{)\{\w+\}/g))].sort((a, b) => (a < b ? -1 : 1));

/** Hints above an output and lines of a log are texts alone; a row that needs nothing has no hint either. */
const WITHOUT_HINT = new Set([
	'accountChangesReported',
	'dryRunAccount',
	'dryRunDuplicate',
	'duplicatesReported',
	'logsNotCovering',
	'logsWithoutWebhook',
	'storeEmpty',
	// Part of another message, or n8n's own words.
	'environmentNotStated',
	'credentialUnusable',
	'nothingSent',
	'nothingMoreSent',
	'noSecretRegistered',
	'wrongSecret',
	'wrongApiKey',
	// The other rows of the batch say why.
	'notReached',
	'cancelled',
	'earlierItemFailed',
	'rowsInvalid',
	'executionCancelled',
	// Nothing went wrong with the payment.
	'dryRun',
	'fileNotStored',
	// n8n shows or logs the text alone.
	'batchIdDependsOnDate',
	'referenceDependsOnDate',
	'workflowNotSaved',
	'storeFull',
	'payAgainIsOn',
	'eventsNotFound',
	'logsNotReread',
	'logsUnordered',
	'entriesSkipped',
	'coverage',
	'nothingCovered',
	'partlyCovered',
	'waitShortened',
	'waitedForService',
	'entriesWithoutEvent',
	'registrationNotChecked',
	'webhookNotSwitchedOff',
	'webhookNotYetSwitchedOff',
	'webhookRepaired',
	'executionNotStarted',
	'eventsClaimed',
	'deliveryRejected',
	// Replies to the service.
	'notVerified',
	'notAnEvent',
	'filteredOut',
	'busy',
	'emittedLater',
	// Notes in an item of Get Status.
	'fundingNotKnown',
	'neverCreated',
	'noWebhook',
	'notInLogs',
	'askTheService',
	'severalTransactions',
	'otherTransaction',
	'contradictsOutcome',
	'earlierPayment',
	'severalFinalStatuses',
]);

describe('the message catalogues', () => {
	test('are all in the troubleshooting guide', async () => {
		const files = (readdirSync(join(ROOT, 'nodes'), { recursive: true }) as string[])
			.filter((file) => file.split('/').at(-1) === 'messages.ts')
			.map((file) => join(ROOT, 'nodes', file));
		expect(files.length).toBeGreaterThan(4);
		const modules = (await Promise.all(files.map((file) => import(file)))) as Array<
			Record<string, unknown>
		>;
		const exported = modules
			.flatMap((one) => Object.entries(one))
			.filter(([name]) => name.endsWith('_MESSAGES'))
			.map(([, catalogue]) => catalogue as Record<string, MessageTemplate>);
		expect(new Set(exported)).toEqual(new Set(CATALOGUES));
	});

	test('have each code once, as an identifier', () => {
		const codes = messages.map(([code]) => code);
		expect(codes.length).toBeGreaterThan(180);
		expect(codes.filter((code, index) => codes.indexOf(code) !== index)).toEqual([]);
		expect(codes.filter((code) => !/^[a-z][A-Za-z]+$/.test(code))).toEqual([]);
	});

	test('have a hint for every message that needs one', () => {
		const without = messages.filter(([, { hint = '' }]) => hint === '').map(([code]) => code);
		expect(new Set(without)).toEqual(WITHOUT_HINT);
	});
});

describe('the Spanish of the messages', () => {
	test('is in one place: the catalogue if the package shows it, docs/es/messages.json otherwise', () => {
		const guide = Object.entries(readGuideTranslations());
		const inBoth = guide.filter(
			([code, { text, hint }]) =>
				(text && byCode.get(code)?.es) || (hint && byCode.get(code)?.esHint),
		);
		expect(inBoth).toEqual([]);
		const codes = guide.map(([code]) => code);
		expect(codes).toEqual([...byCode.keys()].filter((code) => codes.includes(code)));
	});

	test('has a text, and a hint where the message has one', () => {
		const wrong = [...translations].filter(
			([code, { text, hint }]) =>
				text === '' ||
				hint === '' ||
				(hint === undefined) !== (byCode.get(code)?.hint === undefined),
		);
		expect(wrong).toEqual([]);
	});

	test.each(['text', 'hint'] as const)('has the placeholders of each %s', (part) => {
		const of = (entries: Iterable<[string, { text: string; hint?: string }]>) =>
			Object.fromEntries([...entries].map(([code, entry]) => [code, placeholders(entry[part])]));
		expect(of(translations)).toEqual(of(byCode));
	});
});

describe.each(PAGES)('$path', ({ path, text }) => {
	const { headings, tables } = readDocument(path);

	test('is what npm run docs writes', () => {
		expect(readFileSync(join(ROOT, path), 'utf8')).toBe(text);
	});

	test('has an anchor for each code, which no heading has', () => {
		const anchors = [...text.matchAll(/<a id="(\w+)"><\/a>`\1`/g)].map(([, code]) => code);
		expect([...anchors].sort()).toEqual([...byCode.keys()].sort());
		// The host looks anchors up without regard to case.
		const taken = new Set(headings.map(({ anchor }) => anchor));
		expect(anchors.filter((code) => taken.has(code.toLowerCase()))).toEqual([]);
	});

	test('says which message each HTTP status gives', () => {
		const [, ...rows] = tables[1].rows;
		const stated = (status: number) =>
			rows.find(([cell]) => cell.split(', ').includes(String(status))) ??
			rows.find(([cell]) => cell.includes(`${String(status)[0]}xx`));
		const statuses = [
			301, 302, 400, 401, 403, 404, 405, 408, 409, 410, 415, 422, 429, 500, 502, 503,
		];
		expect(statuses.map((status) => [status, stated(status)?.[1]])).toEqual(
			statuses.map((status) => [status, toServiceError({ response: { status } }).code]),
		);
	});

	test('begins with an introduction of at most 200 words', () => {
		const [introduction] = text.split('\n## ');
		expect(introduction.split(/\s+/).length).toBeLessThanOrEqual(200);
	});
});
