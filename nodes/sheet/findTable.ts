import type { Meanings } from '../fields/headers';
import { normalizeWord } from '../fields/text';
import { userMessage, type UserMessage } from '../messages/userMessage';
import type { PaymentTable } from './mapping';
import { choice, readingQuestion, type Answers, type Question } from './question';
import { minCellsOf, shown } from './rows';
import { ownCells, type Line, type PaymentFile, type Sheet } from './sheet';
import { tableOf, type Table } from './table';

/**
 * The table of payments: below the one header row of a visible sheet, or that which somebody names.
 *
 * @param notes gets what else the file has
 * @returns what is asked if several sheets or rows may be meant, or why nothing can be read
 */
export function findTable(
	{ sheets }: PaymentFile,
	{ payeeFields }: PaymentTable,
	meaningOf: Meanings,
	answers: Answers,
	notes: UserMessage[],
): { table: Table } | { question: Question } | { error: UserMessage } {
	const chosen = new Set(
		[...answers].flatMap(([id, header]) =>
			id.startsWith('columns.') ? normalizeWord(header) : [],
		),
	);
	for (const { isHidden, name } of sheets)
		if (isHidden) notes.push(userMessage('hiddenSheet', { name }));
	const all = sheets
		.filter(({ isHidden, lines }) => !isHidden && lines.length > 0)
		.map((sheet) => ({ sheet, header: findHeader(sheet, payeeFields, meaningOf, chosen) }));
	const asked = all.filter(({ sheet }) => sheet.name === answers.get('sheet'));
	const withHeader = asked.length > 0 ? asked : all.filter(({ header }) => header !== undefined);
	if (withHeader.length > 1) {
		const choices = withHeader.map(({ sheet: { name, lines } }) => ({
			value: name,
			samples: [`${lines.length}`],
		}));
		return { question: readingQuestion('sheet', userMessage('whichSheet'), choices) };
	}
	const found = withHeader.at(0) ?? all.at(0);
	if (!found) return { error: userMessage('noTable') };
	for (const { sheet } of all)
		if (sheet !== found.sheet) notes.push(userMessage('otherSheet', { name: sheet.name }));

	const row = answers.get('header');
	const long = found.sheet.lines.filter((line) => ownCells(line).length >= minCellsOf(payeeFields));
	const named = found.header ?? (long.length > 1 ? onlyWords(long) : undefined);
	const header = row === undefined ? named : row === NO_HEADER ? -1 : Number(row) - 1;
	if (header === undefined) {
		const question = headerQuestion(long);
		return question.candidates.length > 1 ? { question } : { error: userMessage('noTable') };
	}
	const table = tableOf(found.sheet, header);
	return table.lines.length > 0 ? { table } : { error: userMessage('noPaymentsLeft') };
}

const MAX_HEADER_ROW = 50;

/**
 * The row with the column names: the first that names as many fields as any row, the payee among them if one does, and
 * more fields than those of the payee.
 *
 * @param payeeFields the first identifies the payee
 * @param chosen headers that a person chose, normalized
 * @returns its number, counted from 0; undefined if no row has column names
 */
function findHeader(
	sheet: Sheet,
	payeeFields: readonly string[],
	meaningOf: Meanings,
	chosen: ReadonlySet<string>,
): number | undefined {
	const lines = sheet.lines.slice(0, MAX_HEADER_ROW);
	const rows = lines.map(({ row, cells }) => {
		const found = new Set<string>();
		for (const cell of cells) {
			if (cell?.kind !== 'text') continue;
			if (chosen.has(normalizeWord(cell.text))) found.add(cell.text);
			const field = meaningOf(cell.text)?.field;
			if (field !== undefined) found.add(field);
		}
		return { row, count: found.size, hasPayee: found.has(payeeFields[0]) };
	});
	// A second table may have one column more.
	const enough = Math.max(payeeFields.length + 1, ...rows.map(({ count }) => count - 1));
	const named = rows.filter(({ count }) => count >= enough);
	const best = named.find(({ hasPayee }) => hasPayee) ?? named[0];
	return best?.row;
}

/** The answer that no row has the column names. */
const NO_HEADER = 'none';

const MAX_ROWS_ASKED = 12;

/** The first long row has the column names, if it is the only one without a digit or number and no other is longer. */
function onlyWords([first, ...others]: readonly Line[]): number | undefined {
	// A header may have a digit among letters, such as `IVA 13%`. Then each other row has a number.
	const mayHaveLetters = !/\d/.test(shown(first));
	const hasNumber = (line: Line) =>
		ownCells(line).some(
			([, { text }]) => /\d/.test(text) && (mayHaveLetters || !/\p{L}/u.test(text)),
		);
	const isTable = others.every(
		(line) => hasNumber(line) && ownCells(line).length <= ownCells(first).length,
	);
	return isTable && !hasNumber(first) ? first.row : undefined;
}

function headerQuestion(long: readonly Line[]): Question {
	return readingQuestion('header', userMessage('whichHeader'), [
		...long
			.slice(0, MAX_ROWS_ASKED)
			.map((line) => ({ value: String(line.row + 1), samples: [shown(line)] })),
		choice(NO_HEADER, 'noHeader'),
	]);
}
