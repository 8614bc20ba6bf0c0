/* eslint-disable @n8n/community-nodes/no-restricted-imports -- runs outside n8n */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { MESSAGES, renderPages } from '../../docs/build/codes';
import { toServiceError } from '../../nodes/service/errors';
import { readDocument, ROOT } from './markdown';

const PAGES = [...renderPages()].map(([path, text]) => ({ path, text }));

/** The placeholders of a text; n8n's expressions, in `{{ }}`, are none. */
const placeholders = (text = '') => [...new Set(text.match(/(?<!\{)\{\w+\}/g))].sort();

/** Hints above an output and lines of a log are texts alone; a row that needs nothing has no hint either. */
const WITHOUT_HINT = new Set([
	'accountChangesReported',
	'allAlreadySent',
	'dryRunFlagged',
	'duplicatesReported',
	'partlyCovered',
	'noWebhook',
	'storeEmpty',
	// What a page asks about a payment file, and why it does not pay a row: the page has the answers.
	...[
		'whichSheet whichHeader noHeader whichColumn noColumn whichForAll whichValue useDefault',
		'whichDecimal decimalComma decimalDot whichNameOrder',
		'namesFirst1 namesFirst2 surnamesFirst1 surnamesFirst2 whichRemarks asWritten',
		'noRemarks whichKey onlyFirst onlyLast payEach heldRow leaveOut whichRows payNone',
		'unpayableRows leaveAllOut columnField columnHeader columnSample rowNumber',
		'columnBefore columnDifference columnNow comparedWith confirmedRows leftOutRows moreRows sameAs',
		'rowMoved rowAbove rowOther rowTotal rowZero rowLeftOut rowWithoutPayee rowUnreadable',
		'rowSign rowCheckDigits rowValueInvalid heldHidden heldStruck',
		'heldComment heldRounded heldCurrency heldNoCurrency heldMerged heldZeros',
		'heldSum heldCopied heldLetters heldLength heldShared heldFill heldApart heldOther heldExchanged heldInside heldBelow heldUnit heldLines heldNumber heldRemark heldName hiddenSheet otherSheet',
	].flatMap((codes) => codes.split(' ')),
	// Part of another message, or n8n's own words.
	'credentialUnusable',
	'nothingSent',
	'nothingMoreSent',
	'noSecretRegistered',
	'wrongSecret',
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
	'storeFull',
	'payAgainIsOn',
	'eventsNotFound',
	'logsNotReread',
	'logsUnordered',
	'entriesSkipped',
	'partlyCovered',
	'partlyCovered',
	'waitedForService',
	'entriesSkipped',
	'registrationNotChecked',
	'webhookNotSwitchedOff',
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

describe('the messages', () => {
	test('have a hint, unless they need none', () => {
		const without = MESSAGES.filter(({ hint }) => hint === undefined).map(({ code }) => code);
		expect(new Set(without)).toEqual(WITHOUT_HINT);
	});

	test.each(['text', 'hint'] as const)('have the same placeholders in each %s', (part) => {
		const wrong = MESSAGES.filter(
			({ [part]: english, es }) =>
				es &&
				((english === undefined) !== (es[part] === undefined) ||
					placeholders(english).join() !== placeholders(es[part]).join()),
		);
		expect(wrong).toEqual([]);
	});

	test('separate the hint once', () => {
		const written = MESSAGES.flatMap(({ text, hint = '', es }) => [text, hint, es?.text, es?.hint]);
		expect(written.filter((text) => text?.includes('→'))).toEqual([]);
	});
});

describe.each(PAGES)('$path', ({ path, text }) => {
	const { headings } = readDocument(path);

	test('is what npm run docs writes', () => {
		expect(readFileSync(join(ROOT, path), 'utf8')).toBe(text);
	});

	test('has an anchor for each code, which no heading has', () => {
		const anchors = [...text.matchAll(/<a id="(\w+)"><\/a>`\1`/g)].map(([, code]) => code);
		const listed = MESSAGES.filter(({ es }) => (es === undefined) === path.includes('editor'));
		expect([...anchors].sort()).toEqual(listed.map(({ code }) => code).sort());
		// The host looks anchors up without regard to case.
		const taken = new Set(headings.map(({ anchor }) => anchor));
		expect(anchors.filter((code) => taken.has(code.toLowerCase()))).toEqual([]);
	});

	test('begins with an introduction of at most 200 words', () => {
		const [introduction] = text.split('\n## ');
		expect(introduction.split(/\s+/).length).toBeLessThanOrEqual(200);
	});
});

test.each(['docs/reference/codes.md', 'docs/es/reference/codes.md'])(
	'%s says which message each HTTP status gives',
	(path) => {
		const { tables } = readDocument(path);
		const [, ...rows] = tables[0].rows;
		const stated = (status: number) =>
			rows.find(([cell]) => cell.split(', ').includes(String(status))) ??
			rows.find(([cell]) => cell.includes(`${String(status)[0]}xx`));
		const statuses = [
			301, 302, 400, 401, 403, 404, 405, 408, 409, 410, 415, 422, 429, 500, 502, 503,
		];
		expect(statuses.map((status) => [status, stated(status)?.[1]])).toEqual(
			statuses.map((status) => [status, toServiceError({ response: { status } }).code]),
		);
	},
);
