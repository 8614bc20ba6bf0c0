import { catalogueMessages } from './catalogue';
import { readDocument } from './markdown';

/** The rows of the guide. Its last section is of things that are seen and have no message. */
const rows = readDocument('docs/troubleshooting.md')
	.tables.map(({ rows }) => rows)
	.filter(([[title]]) => title === 'message')
	.flatMap(([head, ...body]) =>
		body.map((cells) => ({
			quote: cells[0],
			codes: cells[head.indexOf('code')].split(', '),
			outcome: cells[head.indexOf('outcome')],
		})),
	);

const byCode = new Map(catalogueMessages.map((message) => [message.code, message]));

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

test('every code is one message only', () => {
	const codes = catalogueMessages.map(({ code }) => code);
	expect(codes.length).toBeGreaterThan(180);
	expect(codes.filter((code, index) => codes.indexOf(code) !== index)).toEqual([]);
	expect(codes.filter((code) => !/^[a-z][A-Za-z]+$/.test(code))).toEqual([]);
});

test('every message of the catalogues has one row in the guide', () => {
	const told = rows.flatMap(({ codes }) => codes);
	expect([...byCode.keys()].filter((code) => !told.includes(code))).toEqual([]);
	expect(told.filter((code, index) => told.indexOf(code) !== index)).toEqual([]);
});

test('every row of the guide quotes the messages whose codes it has', () => {
	const wrong = rows.flatMap(({ quote, codes }) =>
		codes.filter((code) => {
			const { text, hint } = byCode.get(code) ?? { text: '', hint: '' };
			// A message that is nothing but somebody else's words cannot be quoted.
			return text !== '…' && !isPartOf(quote, `${text} ${hint}`);
		}),
	);
	expect(wrong).toEqual([]);
});

test('the guide says of each outcome what the message means for the money', () => {
	const wrong = rows
		.filter(({ outcome = '-' }) => outcome !== '-')
		.flatMap(({ codes, outcome }) =>
			codes.filter((code) => (byCode.get(code)?.outcome ?? outcome) !== outcome),
		);
	expect(wrong).toEqual([]);
});
