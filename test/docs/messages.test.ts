import { readDocument } from './markdown';
import { sourceMessages } from './messages';

const FILE = 'docs/troubleshooting.md';

/** The last section is of things that are seen and have no message. */
const quoted = readDocument(FILE)
	.tables.map(({ rows }) => rows)
	.filter(([[title]]) => title === 'message')
	.flatMap(([, ...rows]) => rows.map(([message]) => message));

/** Not seen like this: replaced by another message, or only a part of one. */
const INTERNAL = [
	'The time for the answer is over',
	'…. Check Base URL in the Partner Payments credential.',
	'Batch ID …',
	'Not sent',
	', which created transaction …',
];

const messages = sourceMessages().filter(({ text }) => !INTERNAL.includes(text));

/** Whether the guide's wording, in which `…` stands for values, is a part of the message. */
function isPartOf(quote: string, message: string): boolean {
	let position = 0;
	return quote
		.split('…')
		.map((part) => part.trim())
		.every((part) => {
			const found = message.indexOf(part, position);
			position = found + part.length;
			return found !== -1;
		});
}

test('every message that the guide quotes is in the source', () => {
	expect(quoted.length).toBeGreaterThan(80);
	expect(quoted.filter((quote) => !messages.some(({ text }) => isPartOf(quote, text)))).toEqual([]);
});

test('every message of the source is in the guide', () => {
	const missing = messages.filter(({ text }) => !quoted.some((quote) => isPartOf(quote, text)));
	expect(missing.map(({ text, file }) => `${file}: ${text}`)).toEqual([]);
});
