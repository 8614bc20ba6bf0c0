import { userMessage, type UserMessage } from '../messages/userMessage';
import type { AmountFormat } from '../fields/money';
import { numbersRows } from '../fields/rowNumber';
import { grouped } from '../fields/grouped';
import { normalizeWord } from '../fields/text';
import { numberIn } from './amount';
import type { PaymentTable } from './headers';
import { ANSWER, type Answers, type Question } from './question';
import type { Mapping } from './mapping';
import type { Cell, Line } from './sheet';
import { isWords, type Column, type Table } from './table';

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
	/** Why nobody pays it before somebody confirms it. */
	readonly holds: UserMessage[];
	/** Why nobody can pay it. */
	readonly invalid: UserMessage[];
}

/** The texts of a row, for people. */
const shown = (cells: readonly Cell[]): string =>
	cells
		.map(({ text }) => text)
		.join(' | ')
		.slice(0, 150);

const MIN_HEADERS = 3;

/** Half a cent for each amount that was rounded. */
const ROUNDING = 0.005;

const noSum = () => ({ sum: 0, count: 0 });

function addTo(sum: { sum: number; count: number }, amount: number): void {
	sum.sum += amount;
	sum.count++;
}

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
	const numbering = new Set(
		columns
			.filter(({ header, isUnnamed }) => isUnnamed || numbersRows(header))
			.map(({ index }) => index),
	);
	/** Of all payments, of those since the last total, and of all totals. */
	const sums = { all: noSum(), sinceTotal: noSum(), totals: noSum() };
	/** Names below the table that may be those of another one. */
	let other: string | undefined;
	const read = (line: Line): Omit<FileRow, 'number' | 'line'> => {
		const row = (kind: Kind, why?: UserMessage, more: Partial<FileRow> = {}) => ({
			kind,
			why,
			holds: [],
			invalid: [],
			...more,
		});
		const filled = [...line.cells.entries()].flatMap(([index, cell]) =>
			cell && cell.text !== '' ? [{ index, cell }] : [],
		);
		const named = filled.filter(
			({ index, cell }) =>
				!numbering.has(index) || (columns[index].isUnnamed && /\p{L}/u.test(cell.text)),
		);
		const hasValue = line.cells.some((cell) => cell?.kind === 'noValue');
		if (named.length === 0 && !hasValue) return row('empty');
		const repeats = ({ index, cell }: { index: number; cell: Cell }) =>
			normalizeWord(cell.text) === normalizeWord(columns[index].header);
		if (filled.length >= MIN_HEADERS && filled.every(repeats))
			return row('header', userMessage('rowHeader'));
		const text = shown(named.map(({ cell }) => cell));
		const [money] = cellsOf(line, 'amount');
		const amount = numberIn(money, format);
		const isPaid = payeeFields.some((field) =>
			cellsOf(line, field).some((cell) => /\d/.test(cell.text)),
		);
		if (!isPaid) {
			if (!money || (amount === undefined && !/\d/.test(money.text))) {
				if (isWords(line) && sums.all.count > 0) other = text;
				return row('note', userMessage('rowNote', { text }));
			}
			if (amount === undefined)
				return row('held', undefined, { invalid: [userMessage('rowWithoutPayee', { text })] });
			const isTotal = Object.values(sums).some(
				({ sum, count }) => count > 0 && Math.abs(sum - amount) < ROUNDING * (count + 1),
			);
			if (isTotal) {
				addTo(sums.totals, amount);
				sums.sinceTotal = noSum();
				return row('total', userMessage('rowTotal', { text }));
			}
			return row('held', undefined, {
				amount,
				invalid: [userMessage('rowWithoutPayee', { text })],
			});
		}
		if (money?.kind === 'noValue')
			return row('held', undefined, { invalid: [userMessage('rowWithoutResult')] });
		if (!money || amount === 0)
			return row('nothing', userMessage(money ? 'rowZero' : 'rowWithoutAmount', { text }));
		if (amount !== undefined) {
			addTo(sums.all, amount);
			addTo(sums.sinceTotal, amount);
		}
		return row('payment', undefined, {
			amount,
			holds: [
				...(sums.totals.count > 0 ? [userMessage('heldBelowTotal')] : []),
				...(other === undefined ? [] : [userMessage('heldBelowHeader', { text: other })]),
			],
		});
	};
	const rows: FileRow[] = [];
	for (const line of lines) {
		await yieldNow();
		rows.push({ number: line.row + 1, line, ...read(line) });
	}
	return rows;
}

/** Numbers and times. */
const NUMBER = /^[\d\s.,:/%+-]*$/;

/** A day: `03/11/2026`. */
const DAY = /^\d{1,4}[/.-]\d{1,2}[/.-]\d{1,4}$/;

/** One word with a digit, or an address, distinguishes rows, and says nothing about them. */
const isCode = (text: string): boolean => /[\d@]/.test(text) && !/\s/.test(text);

/** What a cell may say about its row, by its shape. */
function textKind(cell: Cell | undefined): 'empty' | 'day' | 'number' | 'code' | 'word' {
	if (!cell || cell.text === '') return 'empty';
	if (['date', 'percent'].includes(cell.kind) || DAY.test(cell.text)) return 'day';
	if (NUMBER.test(cell.text)) return 'number';
	return isCode(cell.text) ? 'code' : 'word';
}

/** The part of a document that Bolivia writes apart: `1A`. */
const COMPLEMENT = /^-?\d[A-Za-z]$/;

/** What people write for yes and no. */
const FLAGS = new Set(['', '0', '1']);

/** What a column without a field may say about its rows, by the shape of its cells. */
interface Shape {
	/** By row. */
	readonly texts: readonly string[];
	readonly kinds: ReadonlyArray<ReturnType<typeof textKind>>;
	/** Whether most rows have nothing: what the others have says something about them alone. */
	readonly isMostlyEmpty: boolean;
	/** Whether all rows have the same. */
	readonly isSame: boolean;
	/** Whether only a person knows if it says who is paid. */
	readonly isUncertain: boolean;
}

function shapeOf(cells: ReadonlyArray<Cell | undefined>): Shape {
	const texts = cells.map((cell) => cell?.text ?? '');
	const counts = [...grouped(texts, stateOf).values()].map(({ length }) => length);
	const isMost = (count: number) => count > texts.length / 2;
	const isFlag = texts.every((text) => FLAGS.has(text));
	const kinds = cells.map((cell) => (isFlag && cell ? 'word' : textKind(cell)));
	const empty = kinds.filter((kind) => kind === 'empty').length;
	// Each person has another first day at work. A day that most have, or that some lack, is another matter.
	const isSharedDay = kinds.includes('day') && (empty > 0 || counts.some(isMost));
	const isMixed = new Set(kinds.filter((kind) => kind !== 'empty')).size > 1;
	return {
		texts,
		kinds,
		isMostlyEmpty: isMost(empty),
		isSame: counts.length === 1,
		isUncertain: kinds.includes('word') || isSharedDay || isMixed,
	};
}

/** The value of a cell, whatever its case. */
const stateOf = (text: string): string => text.toLowerCase();

/** The answer about all rows with a value of a column. */
const stateId = (header: string, text: string): string => `states.${header}=${stateOf(text)}`;

/**
 * Holds the payments of which the file itself says something. The rules go by the shape of the table, never by words:
 * what only some rows have holds them. Of another column with words that differ, nobody but a person knows whether it
 * says who is paid: that is asked once, and of a column that does, which of its values are paid.
 */
export async function holdRows(
	table: Table,
	{ unused, sources }: Mapping,
	rows: readonly FileRow[],
	answers: Answers,
	yieldNow: () => Promise<void>,
): Promise<Question[]> {
	const { sheet, columns, header: headerRow, at } = table;
	const payments = rows.filter(({ kind }) => kind === 'payment');
	const lastNamed = columns.findLastIndex(({ isUnnamed }) => !isUnnamed);
	const payee = sources.get('destinationIdNumber')?.columns[0]?.header;
	for (const row of payments) {
		const { line, holds } = row;
		if (sheet.hiddenRows.has(line.row)) holds.push(userMessage('heldHidden'));
		if (line.cells.some((cell) => cell?.isStruck)) holds.push(userMessage('heldStruck'));
		const beyond = line.cells.slice(lastNamed + 1).find((cell) => cell !== undefined);
		if (headerRow >= 0 && beyond && /^[\d.,]+$/.test(beyond.text))
			row.invalid.push(userMessage('rowTooLong', { text: beyond.text }));
	}
	const uncertain: Array<Column & Shape> = [];
	const questions: Question[] = [];
	for (const column of unused) {
		await yieldNow();
		const { header } = column;
		const shape = shapeOf(payments.map(({ line }) => at(line, column.index)));
		const answer = answers.get(`remarks.${header}`);
		for (const [index, row] of payments.entries()) {
			const text = shape.texts[index];
			if (payee !== undefined && COMPLEMENT.test(text))
				row.holds.push(userMessage('heldPart', { header, text, payee }));
			// A number of some rows, such as a bonus, says nothing about whether they are paid.
			else if (shape.isMostlyEmpty && !['empty', 'number'].includes(shape.kinds[index]))
				row.holds.push(userMessage('heldRemark', { header, text }));
			else if (answer === ANSWER.pay && answers.get(stateId(header, text)) === ANSWER.leaveOut) {
				row.kind = 'leftOut';
				row.why = userMessage('heldRemark', { header, text });
			}
		}
		if (shape.isMostlyEmpty) continue;
		if (answer === ANSWER.pay) questions.push(...statesQuestion(header, shape.texts, answers));
		else if (answer === undefined && shape.isUncertain) uncertain.push({ ...column, ...shape });
	}
	// A column in which all rows have the same is listed with the others, and is no question alone.
	if (!uncertain.every(({ isSame }) => isSame))
		questions.push({
			id: 'remarks',
			kind: 'several',
			label: userMessage('whichRemarks'),
			candidates: [
				...uncertain.map(({ header, samples }) => ({
					value: `remarks.${header}`,
					name: userMessage('asWritten', { text: header }),
					samples,
				})),
				{ value: ANSWER.none, name: userMessage('noRemarks'), samples: [] },
			],
		});
	return questions;
}

/** Asks which values of a column that says who is paid are paid, until each has an answer. */
function statesQuestion(header: string, texts: readonly string[], answers: Answers): Question[] {
	const open = [...grouped(texts, stateOf).values()].filter(
		([text]) => !answers.has(stateId(header, text)),
	);
	if (open.length === 0) return [];
	return [
		{
			id: `states.${header}`,
			kind: 'several',
			label: userMessage('whichStates', { header }),
			candidates: [
				...open.map(([text, ...others]) => ({
					value: stateId(header, text),
					name: text === '' ? userMessage('emptyCell') : userMessage('asWritten', { text }),
					samples: [`${others.length + 1}×`],
				})),
				{ value: ANSWER.none, name: userMessage('payNone'), samples: [] },
			],
		},
	];
}
