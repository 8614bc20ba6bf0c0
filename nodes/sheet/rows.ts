import { userMessage, type UserMessage } from '../messages/userMessage';
import type { AmountFormat } from '../fields/money';
import { numbersRows } from '../fields/rowNumber';
import { normalizeWord } from '../fields/text';
import { numberIn } from './amount';
import { speaksOfRows, type PaymentTable } from './headers';
import { ANSWER, type Answers } from './question';
import type { Mapping } from './mapping';
import type { Cell, Line } from './sheet';
import type { Column, Table } from './table';

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
			if (!money || (amount === undefined && !/\d/.test(money.text)))
				return row('note', userMessage('rowNote', { text }));
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
			holds: sums.totals.count > 0 ? [userMessage('heldBelowTotal')] : [],
		});
	};
	const rows: FileRow[] = [];
	for (const line of lines) {
		await yieldNow();
		rows.push({ number: line.row + 1, line, ...read(line) });
	}
	return rows;
}

/** Numbers, days and times. */
const NO_WORD = /^[\d\s.,:/%+-]*$/;

/** The part of a document that Bolivia writes apart: `1A`. */
const COMPLEMENT = /^-?\d[A-Za-z]$/;

/**
 * Holds the payments of which the file itself says something. The rules go by the shape of the table: what only some rows
 * have holds them.
 *
 * @returns the columns in which some rows have another value than most, of which nobody has said whether that matters
 */
export async function holdRows(
	table: Table,
	{ unused, sources }: Mapping,
	rows: readonly FileRow[],
	answers: Answers,
	yieldNow: () => Promise<void>,
): Promise<Column[]> {
	const { sheet, columns, header, at } = table;
	const payments = rows.filter(({ kind }) => kind === 'payment');
	const lastNamed = columns.findLastIndex(({ isUnnamed }) => !isUnnamed);
	const payee = sources.get('destinationIdNumber')?.columns[0]?.header;
	for (const row of payments) {
		const { line, holds } = row;
		if (sheet.hiddenRows.has(line.row)) holds.push(userMessage('heldHidden'));
		if (line.cells.some((cell) => cell?.isStruck)) holds.push(userMessage('heldStruck'));
		const beyond = line.cells.slice(lastNamed + 1).find((cell) => cell !== undefined);
		if (header >= 0 && beyond && /^[\d.,]+$/.test(beyond.text))
			row.invalid.push(userMessage('rowTooLong', { text: beyond.text }));
	}
	const uncertain: Column[] = [];
	for (const column of unused) {
		await yieldNow();
		const texts = payments.map(({ line }) => at(line, column.index)?.text ?? '');
		const usual = usualOf(texts);
		const isRemark = usual === '' || column.isUnnamed || speaksOfRows(column.header);
		const answer = answers.get(`remarks.${column.header}`);
		const isHeld = isRemark
			? usual !== undefined || new Set(texts).size > 1
			: answer === ANSWER.pay;
		for (const [index, row] of payments.entries()) {
			const text = texts[index];
			const { header } = column;
			if (payee !== undefined && COMPLEMENT.test(text))
				row.holds.push(userMessage('heldPart', { header, text, payee }));
			// A number or a day of some rows, such as a bonus, says nothing about whether they are paid.
			else if (!NO_WORD.test(text) && text.toLowerCase() !== usual) {
				if (isHeld) row.holds.push(userMessage('heldRemark', { header, text }));
				else if (!isRemark && usual !== undefined && answer === undefined) uncertain.push(column);
			}
		}
	}
	return [...new Set(uncertain)];
}

/**
 * What most rows have in a column: nothing, or one value. What the others have says something about them alone.
 * Undefined if no value is in more than half of the rows.
 */
function usualOf(texts: readonly string[]): string | undefined {
	const counts = new Map<string, number>();
	for (const text of texts)
		counts.set(text.toLowerCase(), (counts.get(text.toLowerCase()) ?? 0) + 1);
	return [...counts].find(([, count]) => count > texts.length / 2)?.[0];
}
