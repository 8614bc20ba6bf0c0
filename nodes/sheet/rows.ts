import { inEachLanguage, userMessage, type UserMessage } from '../messages/userMessage';
import type { AmountFormat } from '../fields/money';
import { grouped } from '../fields/grouped';
import { normalizeWord } from '../fields/text';
import { moneyIn, numberIn, shownAmount } from './amount';
import {
	ANSWER,
	choice,
	readingQuestion,
	type Answers,
	type Candidate,
	type Question,
} from './question';
import type { Mapping, PaymentTable } from './mapping';
import { ownCells, type Cell, type Line } from './sheet';
import type { Table } from './table';

/** What a row is. A held one is paid only if somebody answers "Pay it". */
export type Kind =
	'payment' | 'held' | 'total' | 'note' | 'header' | 'empty' | 'nothing' | 'leftOut';

/** A row of the table, while it is read. */
export interface FileRow {
	/** As the file numbers it, from 1. */
	readonly number: number;
	readonly line: Line;
	kind: Kind;
	/** Why it is no payment. */
	why?: UserMessage;
	amount?: number;
	/** The heading or total above it. */
	readonly section?: { readonly id: string; readonly text: string };
	/** Why nobody pays it before somebody confirms it. */
	readonly holds: UserMessage[];
	/** Why nobody can pay it. */
	readonly invalid: UserMessage[];
}

/** A longer text of a row is nothing that anybody reads. */
const MAX_SHOWN = 150;

/** The texts of a row, for people. */
const shown = (cells: readonly Cell[]): string =>
	cells
		.map(({ text }) => text)
		.join(' | ')
		.slice(0, MAX_SHOWN);

/** A row with fewer cells is a heading or a note. */
const MIN_CELLS = 3;

/** Half a cent for each amount that was rounded. */
const ROUNDING = 0.005;

/** Gives each row one kind, by its shape. */
export async function classifyRows(
	table: Table,
	{ payeeFields }: PaymentTable,
	{ sources }: Mapping,
	format: AmountFormat | undefined,
	yieldNow: () => Promise<void>,
): Promise<FileRow[]> {
	const { columns, lines, at } = table;
	const cellsOf = (line: Line, field: string) =>
		(sources.get(field)?.columns ?? []).flatMap(({ index }) => at(line, index) ?? []);
	/** Of all payments, and of those below the last total. */
	const sums = { all: 0, below: 0 };
	let count = 0;
	/** What the rows below it are, or whether they belong to the payments, only a person knows. */
	let section: FileRow['section'];
	/** The notes since the last payment or total: a heading, and the column names below it. */
	let heading = '';
	const read = (line: Line): FileRow => {
		const row = (kind: Kind, why?: UserMessage, more: Partial<FileRow> = {}) => ({
			number: line.row + 1,
			line,
			kind,
			why,
			holds: [],
			invalid: [],
			...more,
		});
		const filled = ownCells(line);
		const text = shown(filled.map(([, cell]) => cell));
		const [money] = cellsOf(line, 'amount');
		const payee = payeeFields.flatMap((field) => cellsOf(line, field));
		// A row that has its number only is empty.
		const isEmpty = filled.length < 2 && !money && payee.length === 0 && !/\p{L}/u.test(text);
		if (isEmpty) return row('empty');
		const repeats = ([index, cell]: [number, Cell]) =>
			normalizeWord(cell.text) === normalizeWord(columns[index].header);
		if (filled.length >= MIN_CELLS && filled.every(repeats))
			return row('header', userMessage('rowHeader'));
		const amount = numberIn(money, format);
		const isPaid =
			(filled.length >= MIN_CELLS || money !== undefined) &&
			payee.some((cell) => /\d/.test(cell.text));
		if (!isPaid) {
			if (!money || (amount === undefined && !/\d/.test(money.text))) {
				if (filled.length < MIN_CELLS || count > 0) {
					heading = [heading, text].filter(Boolean).join(' / ').slice(-MAX_SHOWN);
					section = { id: `sections.${heading}`, text: heading };
				}
				return row('note', userMessage('rowNote', { text }));
			}
			const isTotal =
				amount !== undefined &&
				[sums.all, sums.below].some(
					(sum) => sum > 0 && Math.abs(sum - amount) < ROUNDING * (count + 1),
				);
			if (!isTotal)
				return row('held', undefined, {
					amount,
					invalid: [userMessage('rowWithoutPayee', { text })],
				});
			sums.below = 0;
			heading = '';
			// The same total in the next file says nothing about what is below it.
			section = { id: `rows.below ${text}`, text };
			return row('total', userMessage('rowTotal', { text }));
		}
		if (!money || amount === 0)
			return row('nothing', userMessage(money ? 'rowZero' : 'rowWithoutAmount', { text }));
		heading = '';
		sums.all += amount ?? 0;
		sums.below += amount ?? 0;
		count++;
		return row('payment', undefined, { amount, section });
	};
	const rows: FileRow[] = [];
	for (const line of lines) {
		await yieldNow();
		rows.push(read(line));
	}
	return rows;
}

/** One of several things that a person says are paid. Without it, its rows are left out. */
interface Choice extends Candidate {
	readonly name: UserMessage;
	readonly rows: readonly FileRow[];
}

/** Applies the answers about which of several things are paid, and asks about those without one. */
function whichOf(
	id: string,
	label: UserMessage,
	choices: readonly Choice[],
	answers: Answers,
	none = choice(ANSWER.none, 'payNone'),
): Question[] {
	for (const { value, name, why = [name], rows } of choices)
		if (answers.get(value) === ANSWER.leaveOut) for (const row of rows) leaveOut(row, why[0]);
	const open = choices.filter(({ value }) => !answers.has(value));
	if (open.length === 0) return [];
	const candidates = open.map(({ value, name, samples, why }): Candidate => ({
		value,
		name,
		samples,
		...(why && { why }),
	}));
	return [{ id, kind: 'several', label, candidates: [...candidates, none] }];
}

export function leaveOut(row: FileRow, why: UserMessage): void {
	row.kind = 'leftOut';
	row.why = why;
}

/** Asks once about the rows below each heading or total. */
export function sectionsQuestion(rows: readonly FileRow[], answers: Answers): Question[] {
	const payments = rows.filter(({ kind, section }) => kind === 'payment' && section);
	const choices = [...grouped(payments, ({ section }) => section?.id ?? '')].map(
		([value, list]): Choice => ({
			value,
			name: userMessage('asWritten', { text: list[0].section?.text ?? '' }),
			samples: [`${list.length}×`, shown(list[0].line.cells.filter((cell) => cell !== undefined))],
			rows: list,
		}),
	);
	return whichOf('sections', userMessage('whichSections'), choices, answers);
}

/** Asks about each row that nobody pays before somebody confirms it, and leaves out those that nobody can pay. */
export function heldQuestions(
	rows: readonly FileRow[],
	answers: Answers,
	names: (row: FileRow) => string,
): Question[] {
	const open = rows.filter(({ kind }) => kind === 'payment' || kind === 'held');
	const unpayable = open.filter(({ invalid }) => invalid.length > 0);
	for (const row of unpayable) leaveOut(row, row.invalid[0]);
	const held = open.filter(({ kind, holds }) => kind !== 'leftOut' && holds.length > 0);
	const choices = held.map((row): Choice => {
		const name = inEachLanguage((language) => {
			const amount = row.amount === undefined ? '' : shownAmount(row.amount, language);
			return `${names(row)} ${amount}`.trim();
		});
		return {
			value: `rows.${row.number}`,
			name: userMessage('heldRow', { row: row.number, name }),
			samples: [],
			why: row.holds,
			rows: [row],
		};
	});
	const count = unpayable.length;
	const isShown = count === 0 || answers.has('leaveOutRows');
	return [
		...whichOf('payRows', userMessage('whichRows', { count: held.length }), choices, answers),
		...(isShown
			? []
			: [
					readingQuestion('leaveOutRows', userMessage('unpayableRows', { count }), [
						choice(ANSWER.leaveOut, 'leaveAllOut'),
					]),
				]),
	];
}

/** Whether a text is a number and nothing else. */
function isNumber(text: string): boolean {
	const cell = { text, kind: 'text' } as const;
	return numberIn(cell) !== undefined && moneyIn(cell)?.sign === '';
}

/** The answer about all rows with a value of a column, whatever its case. */
const stateId = (header: string, text: string): string => `states.${header}=${text.toLowerCase()}`;

/**
 * Holds the payments of which the file itself says something, by the shape of the table and never by words: what only
 * some rows have holds them. Only a person knows what else a column says of its rows that nothing is read from: that is
 * asked once of each column, and of one that says who is paid, once of each value. Nothing is asked of numbers that
 * differ, unless they stand next to a value of which they may be a part.
 */
export async function holdRows(
	table: Table,
	{ payeeFields }: PaymentTable,
	{ unused, sources }: Mapping,
	rows: readonly FileRow[],
	answers: Answers,
	yieldNow: () => Promise<void>,
): Promise<Question[]> {
	const { sheet, columns, header: headerRow, at } = table;
	const payments = rows.filter(({ kind }) => kind === 'payment');
	const lastNamed = columns.findLastIndex(({ isUnnamed }) => !isUnnamed);
	const isBehind = (field: string, index: number) =>
		sources.get(field)?.columns.at(-1)?.index === index - 1;
	const own = ['amount', ...payeeFields].flatMap((field) => sources.get(field)?.columns ?? []);
	for (const { line, holds } of payments) {
		if (own.some(({ index }) => at(line, index)?.mergedFrom !== undefined))
			holds.push(userMessage('heldMerged'));
		if (sheet.hiddenRows.has(line.row)) holds.push(userMessage('heldHidden'));
		if (sheet.struckRows.has(line.row)) holds.push(userMessage('heldStruck'));
	}
	const remarks: Choice[] = [];
	const states: Choice[] = [];
	const descriptions = sources.get('description')?.columns ?? [];
	for (const column of [...unused, ...descriptions]) {
		await yieldNow();
		const { header, index, samples } = column;
		const byText = grouped(payments, ({ line }) => at(line, index)?.text ?? '');
		const usual = [...byText].find(([, { length }]) => length > payments.length / 2)?.[0];
		const texts = [...byText.keys()].filter((text) => text !== '');
		const words = texts.filter((text) => !isNumber(text));
		const hold = (held: readonly string[]) => {
			for (const text of held)
				for (const { holds } of byText.get(text) ?? [])
					holds.push(userMessage('heldRemark', { header, text }));
		};
		if (descriptions.includes(column)) {
			// What most payments are for says nothing. What only some have instead may say that they are not paid.
			hold(usual === undefined ? [] : texts.filter((text) => text !== usual));
			continue;
		}
		const isOutside = headerRow >= 0 && index > lastNamed;
		const isSparse = usual === '';
		if (texts.length === 0 || isOutside || (isSparse && words.length > 0)) {
			hold(isOutside ? texts : words);
			continue;
		}
		const isUsual = byText.size > 2 || byText.size === payments.length;
		const isPart =
			isBehind('amount', index) ||
			(payeeFields.some((field) => isBehind(field, index)) &&
				texts.every(({ length }) => length < 3));
		if (words.length === 0 && isUsual && !isPart && !isSparse) continue;
		// If all rows have the same word, the question is about that word: another one in a later file is asked about again.
		const isSame = byText.size === 1 && !/\d/.test(texts[0]) && !answers.has(`remarks.${header}`);
		const value = isSame ? `remarks.${header}=${texts[0]}` : `remarks.${header}`;
		const name = userMessage('asWritten', { text: header });
		remarks.push({ value, name, samples, rows: [] });
		if (answers.get(value) !== ANSWER.pay) continue;
		for (const [text, list] of grouped(payments, ({ line }) =>
			stateId(header, at(line, index)?.text ?? ''),
		)) {
			const shownText = at(list[0].line, index)?.text ?? '(-)';
			states.push({
				value: text,
				name: userMessage('heldRemark', { header, text: shownText }),
				samples: [`${list.length}×`],
				rows: list,
			});
		}
	}
	return [
		...whichOf(
			'remarks',
			userMessage('whichRemarks'),
			remarks,
			answers,
			choice(ANSWER.none, 'noRemarks'),
		),
		...whichOf('states', userMessage('whichStates'), states, answers),
	];
}
