import { inEachLanguage, inLanguage, userMessage, type UserMessage } from '../messages/userMessage';
import { grouped } from '../fields/grouped';
import { moneyIn, numberIn, shownAmount } from './amount';
import {
	ANSWER,
	choice,
	readingQuestion,
	severalQuestion,
	type Answers,
	type Candidate,
	type Question,
} from './question';
import type { Reading } from './mapping';
import { normalizeWord } from '../fields/text';
import { ownCells, type Line } from './sheet';
import { MAX_SAMPLES } from './table';

/** A row of the table, while it is read. It is a payment unless something says why not. */
export interface FileRow {
	/** As the file numbers it, from 1. */
	readonly number: number;
	readonly line: Line;
	readonly amount?: number;
	/** Why it is no payment. */
	why?: UserMessage;
	/** What somebody has to confirm before it is paid, by the ID of the answer. */
	readonly holds: Map<string, UserMessage[]>;
	/** Why nobody can pay it. */
	readonly invalid: UserMessage[];
}

/**
 * Says of a row what somebody has to confirm before it is paid.
 *
 * @param id of the answer: of one row, or of all rows that the same is said of
 */
export function hold({ number, holds }: FileRow, why: UserMessage, id = `rows.${number}`): void {
	holds.set(id, [...(holds.get(id) ?? []), why]);
}

/** A longer text of a row is nothing that anybody reads. */
const MAX_SHOWN = 150;

/** The texts of a row, for people. */
export const shown = (line: Line): string =>
	ownCells(line)
		.map(([, { text }]) => text)
		.join(' | ')
		.slice(0, MAX_SHOWN);

/** A row with fewer cells is a heading or a note. */
export const MIN_CELLS = 3;

/** After more empty rows begins what people keep for themselves. */
const MAX_GAP = 3;

/** Decides by the shape of each row whether it is a payment. Rows that say nothing are left out. */
export async function classifyRows({
	table: { lines, sheet, header },
	of: { payeeFields },
	mapping: { cellsOf, sources },
	format,
	yieldNow,
}: Reading): Promise<FileRow[]> {
	const names = sheet.lines.filter(({ row }) => row === header).map(shown);
	/** The columns of fields, by their headers: rows below other column names cannot be read. */
	const columnOf = new Map(
		[...sources.values()].flatMap(({ columns }) =>
			columns.map(({ header: name, index }) => [normalizeWord(name), index]),
		),
	);
	let isMoved = false;
	let last = header;
	/** The sum of all payments, and what it was at each total or heading. */
	let sum = 0;
	const sums = [0];
	let count = 0;
	/** The last total or heading, and the column names below it: whether the rows below it are paid, only a person knows. */
	let above = '';
	let id = '';
	let isHeading = false;
	const read = (line: Line): FileRow | undefined => {
		const text = shown(line);
		const isApart = count > 0 && line.row - last > MAX_GAP;
		last = line.row;
		const [money] = cellsOf(line, 'amount');
		const payee = payeeFields.flatMap((field) => cellsOf(line, field));
		if (!money && payee.length === 0 && !/\p{L}/u.test(text)) return undefined;
		const amount = numberIn(money, format);
		const row: FileRow = { number: line.row + 1, line, amount, holds: new Map(), invalid: [] };
		const isHigh = ownCells(line).length >= MIN_CELLS;
		if ((isHigh || money) && payee.some((cell) => /\d/.test(cell.text))) {
			if (!money || amount === 0) return { ...row, why: userMessage('rowZero', { text }) };
			isHeading = false;
			sum += amount ?? 0;
			count++;
			if (isMoved) row.invalid.push(userMessage('rowMoved', { text: above }));
			if (isApart) [above, id] = ['', `below.${row.number}`];
			if (above !== '') hold(row, userMessage('heldBelow', { text: above }), id);
			else if (id !== '') hold(row, userMessage('heldApart'), id);
			return row;
		}
		if (!money || (amount === undefined && !/\d/.test(money.text))) {
			const places = ownCells(line).map(
				([column, cell]) => [column, columnOf.get(normalizeWord(cell.text))] as const,
			);
			if (isHigh) isMoved = places.some(([column, own]) => own !== undefined && own !== column);
			if (!names.includes(text) && (!isHigh || count > 0)) {
				above = (isHeading ? `${above} / ${text}` : text).slice(-MAX_SHOWN);
				id = `below.${above}`;
				isHeading = true;
				sums.push(sum);
			}
			return { ...row, why: userMessage('asWritten', { text }) };
		}
		if (!sums.some((before) => isSum(amount, sum - before, count)))
			return { ...row, invalid: [userMessage('rowWithoutPayee', { text })] };
		sums.push(sum);
		above = text;
		// The same total in the next file says nothing about what is below it.
		id = `rowsBelow.${text}`;
		isHeading = false;
		return { ...row, why: userMessage('rowTotal', { text }) };
	};
	const rows: FileRow[] = [];
	for (const line of lines) {
		await yieldNow();
		const row = read(line);
		if (row) rows.push(row);
	}
	// The account from which all others are paid.
	for (const row of count > 2 ? rows : [])
		if (row.why === undefined && isSum(row.amount, sum - (row.amount ?? 0), count))
			hold(row, userMessage('heldSum'));
	return rows;
}

/** Whether an amount is the sum of others. Each of them may have been rounded by half a cent. */
const isSum = (amount = 0, sum: number, count: number): boolean =>
	sum > 0 && Math.abs(sum - amount) < 0.005 * (count + 1);

/** Leaves out the rows of which somebody said that they are not paid. */
export function leaveOut(rows: readonly FileRow[], answers: Answers): void {
	for (const row of rows)
		for (const [id, [why]] of row.holds) if (answers.get(id) === ANSWER.leaveOut) row.why ??= why;
}

/** Asks about everything that holds a payment, and leaves out the rows that nobody can pay. */
export function heldQuestions(
	rows: readonly FileRow[],
	answers: Answers,
	names: (row: FileRow) => string,
): Question[] {
	leaveOut(rows, answers);
	const open = rows.filter(({ why }) => why === undefined);
	const unpayable = open.filter(({ invalid }) => invalid.length > 0);
	for (const row of unpayable) row.why = row.invalid[0];
	const held = open
		.filter(({ why }) => why === undefined)
		.flatMap((row) => [...row.holds].map(([id, why]) => ({ id, why, row })))
		.filter(({ id }) => !answers.has(id));
	const candidates = [...grouped(held, ({ id }) => id)].map(([value, all]): Candidate => {
		const [{ row, why }] = all;
		if (!value.startsWith('rows.'))
			return { value, name: why[0], samples: [`${all.length}×`, shown(row.line)] };
		const name = inEachLanguage((language) => {
			const amount = row.amount === undefined ? '' : shownAmount(row.amount, language);
			const reasons = why.map((one) => inLanguage(one, language).message);
			return `${`${names(row)} ${amount}`.trim()} - ${reasons.join('; ')}`;
		});
		return { value, name: userMessage('heldRow', { row: row.number, name }), samples: [] };
	});
	const count = unpayable.length;
	const isAsked = count > 0 && !answers.has('leaveOutRows');
	const label = userMessage('unpayableRows', { count });
	return [
		...severalQuestion('payRows', userMessage('whichRows'), candidates, 'payNone'),
		...(isAsked
			? [readingQuestion('leaveOutRows', label, [choice(ANSWER.leaveOut, 'leaveAllOut')])]
			: []),
	];
}

/** A column with more values names something of each row: a day, a job. They are not remembered. */
const MAX_STATES = 50;

/** Whether a text is a number and nothing else. */
function isNumber(text: string): boolean {
	const cell = { text, kind: 'text' } as const;
	return numberIn(cell) !== undefined && moneyIn(cell)?.sign === '';
}

/**
 * Holds the payments of which the file itself says something, by the shape of the table and never by words: what only
 * some rows have holds them. Only a person knows what else a column says of its rows that nothing is read from: that is
 * asked once of each column, and of one that says who is paid, once of each value. Nothing is asked
 * of numbers that differ, unless they stand next to a value of which they may be a part.
 *
 * @returns what is remembered of columns that say nothing: the values that they had
 */
export async function holdRows(
	{ table, of: { payeeFields }, mapping, answers, ask, yieldNow }: Reading,
	rows: readonly FileRow[],
): Promise<Answers> {
	const { sheet, columns, header: headerRow, at } = table;
	const { unused, sources, cellsOf } = mapping;
	const payments = rows.filter(({ why, invalid }) => why === undefined && invalid.length === 0);
	const lastNamed = columns.findLastIndex(({ isUnnamed }) => !isUnnamed);
	const isBehind = (field: string, index: number) =>
		sources.get(field)?.columns.at(-1)?.index === index - 1;
	for (const row of payments) {
		const own = ['amount', ...payeeFields].flatMap((field) => cellsOf(row.line, field));
		if (own.some(({ mergedFrom }) => mergedFrom !== undefined))
			hold(row, userMessage('heldMerged'));
		if (sheet.hiddenRows.has(row.line.row)) hold(row, userMessage('heldHidden'));
		if (sheet.struckRows.has(row.line.row)) hold(row, userMessage('heldStruck'));
		const comment = sheet.comments.get(row.line.row);
		if (comment !== undefined) hold(row, userMessage('heldComment', { text: comment }));
	}
	const remarks: Candidate[] = [];
	const seen = new Map<string, string>();
	const descriptions = sources.get('description')?.columns ?? [];
	for (const column of [...unused, ...descriptions]) {
		await yieldNow();
		const { header, index } = column;
		const byText = grouped(payments, ({ line }) => at(line, index)?.text ?? '');
		const usual = [...byText].find(([, { length }]) => length > payments.length / 2)?.[0];
		const texts = [...byText.keys()].filter((text) => text !== '');
		const words = texts.filter((text) => !isNumber(text));
		const holdAll = (held: readonly string[], idOf?: (text: string) => string) => {
			for (const text of held)
				for (const row of byText.get(text) ?? [])
					hold(row, userMessage('heldRemark', { header, text: text || '(-)' }), idOf?.(text));
		};
		if (descriptions.includes(column)) {
			// What most payments are for says nothing, but for its numbers. What only some have instead may say that they are not
			// paid.
			const kindOf = (text: string) => text.replace(/\d+/g, '');
			const byKind = grouped(payments, ({ line }) => kindOf(at(line, index)?.text ?? ''));
			const most = [...byKind].find(([, { length }]) => length > payments.length / 2)?.[0];
			holdAll(most === undefined ? [] : texts.filter((text) => kindOf(text) !== most));
			continue;
		}
		if (headerRow >= 0 && index > lastNamed) {
			holdAll(texts);
			continue;
		}
		const idOf = (text: string) => `states.${header}=${text.toLowerCase()}`;
		const withWords = words.flatMap((text) => byText.get(text) ?? []).length;
		if (withWords < payments.length / 2) {
			// A code among numbers is the same next month, a remark is not.
			holdAll(words, usual === '' ? undefined : idOf);
			if (withWords > 0 || texts.length === 0) continue;
		}
		const isUsual =
			byText.size > 2 ||
			byText.size === payments.length ||
			(byText.size === 1 && texts[0].length > 2);
		const isPart =
			isBehind('amount', index) ||
			isBehind('destinationWallet', index) ||
			(payeeFields.some((field) => isBehind(field, index)) &&
				texts.every(({ length }) => length < 3));
		if (words.length === 0 && isUsual && !isPart && usual !== '') continue;
		// If all rows have the same word, the question is about that word: another one in a later file is asked about again.
		const isSame = byText.size === 1 && !/\d/.test(texts[0]) && !answers.has(`remarks.${header}`);
		const value = isSame ? `remarks.${header}=${texts[0]}` : `remarks.${header}`;
		// What is rare says most.
		const rare = [...texts].sort(
			(a, b) =>
				Number(isNumber(a)) - Number(isNumber(b)) ||
				(byText.get(a)?.length ?? 0) - (byText.get(b)?.length ?? 0),
		);
		if (!answers.has(value))
			remarks.push({
				value,
				name: userMessage('asWritten', { text: header }),
				samples: rare.slice(0, MAX_SAMPLES),
			});
		if (answers.get(value) === ANSWER.pay) holdAll([...byText.keys()], idOf);
		const areStates = byText.size < payments.length && byText.size <= MAX_STATES;
		if (answers.get(value) !== ANSWER.leaveOut || !areStates) continue;
		// Of a column that said nothing, a value that no earlier file had may say something.
		const isKnown = (text: string) => answers.has(idOf(text));
		if (texts.some(isKnown))
			holdAll(
				texts.filter((text) => !isKnown(text)),
				idOf,
			);
		for (const text of texts) seen.set(idOf(text), ANSWER.pay);
	}
	severalQuestion('remarks', userMessage('whichRemarks'), remarks, 'noRemarks').forEach(ask);
	return seen;
}
