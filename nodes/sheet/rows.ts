import { inEachLanguage, inLanguage, userMessage, type UserMessage } from '../messages/userMessage';
import { grouped } from '../fields/grouped';
import { moneyText } from '../fields/money';
import { numberIn } from './amount';
import {
	ANSWER,
	choice,
	readingQuestion,
	severalQuestion,
	type Answers,
	type Candidate,
	type Question,
} from './question';
import { digitsIn, haveMoney, type Reading } from './mapping';
import { normalizeWord, wordsOf } from '../fields/text';
import type { Values } from '../fields/validators';
import { ownCells, textOf, type Cell, type Line } from './sheet';

/** A row of the table, while it is read. It is a payment unless something says why not. */
export interface FileRow {
	/** As the file numbers it, from 1. */
	readonly number: number;
	readonly line: Line;
	readonly amount?: number;
	/** The heading or total that it stands below. */
	heading?: string;
	/** Why it is no payment. */
	why?: UserMessage;
	/** What somebody has to confirm before it is paid, by the ID of the answer. */
	readonly holds: Map<string, UserMessage[]>;
	/** Why nobody can pay it. */
	readonly invalid: UserMessage[];
	/** As they are sent; none before they are read. */
	values: Values;
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

/** A row with fewer cells than name a payee and an amount is a heading or a note. */
export const minCellsOf = (payeeFields: readonly string[]): number => payeeFields.length + 1;

/** How the answers begin about the rows below a total: the same total in the next file says nothing about them. */
const BELOW_TOTAL = 'rowsBelow.';

/** A unit or a number of a column, in a row below its name: `(Bs)`, `(8)=(6)-(7)`. */
const IN_BRACKETS = /^\(.*\)$/;

/** After more empty rows begins what people keep for themselves. */
const MAX_GAP = 3;

/** Decides by the shape of each row what kind of row it is. Those that say nothing are left out. */
export async function classifyRows(reading: Reading): Promise<FileRow[]> {
	const { table, of, mapping, format, yieldNow } = reading;
	const { lines, sheet, header, at } = table;
	const { cellsOf, sources, unused } = mapping;
	const minCells = minCellsOf(of.payeeFields);
	// A QR code may have its amount.
	const hasAmounts =
		sources.has('amount') || of.fields.some(({ isAmount, required }) => isAmount && required);
	const amounts = sources.get('amount')?.columns[0].cells ?? [];
	/** The other columns that may have an amount in a row without one. */
	const otherAmounts = unused.filter(({ cells }) => haveMoney(cells, amounts));
	const payeeOf = (line: Line) => of.payeeFields.flatMap((field) => cellsOf(line, field));
	/** All payments so far, also of each payee, and what they were at each total or heading. */
	let all = NOTHING;
	const ofPayee = new Map<string, Sum>();
	const starts = [NOTHING];
	/** Whether an amount is the sum of so many payments at least since one of them. */
	const isPart = (amount?: number, least = 2) =>
		starts.some((start) => isSum(amount, all, start, least));
	// A printed list repeats its titles and column names on each page.
	const names = sheet.lines.filter(({ row }) => row <= header).map(shown);
	/** The columns of fields, by their headers: rows below other column names cannot be read. */
	const columnOf = new Map(
		[...sources.values()].flatMap(({ columns }) =>
			columns.map(({ header: name, index }) => [normalizeWord(name), index]),
		),
	);
	const nameFields = of.wholeName ? [of.wholeName.names, of.wholeName.surnames] : [];
	const nameColumns = nameFields.flatMap((field) =>
		(sources.get(field)?.columns ?? []).map(({ index }) => index),
	);
	let isMoved = false;
	let last = header;
	/** What the next rows stand below: whether they are paid, only a person knows. */
	let below: { text: string; why: UserMessage; id: string; isHeading?: boolean } | undefined;
	const rows: FileRow[] = [];
	const isAbove = (line: Line) =>
		line.row < header &&
		numberIn(cellsOf(line, 'amount')[0]) !== undefined &&
		of.payeeFields.every((field) => cellsOf(line, field).some(hasDigit));
	const takePayment = (row: FileRow, isApart: boolean) => {
		const { line, number, amount } = row;
		const text = shown(line);
		if (isApart) below = { text, why: userMessage('heldApart'), id: `below.${number}` };
		else if (below) below.isHeading = false;
		const [{ text: key }] = payeeOf(line);
		const own = ofPayee.get(key) ?? NOTHING;
		const isTotal = isSum(amount, own) || isPart(amount);
		ofPayee.set(key, plus(own, amount));
		all = plus(all, amount);
		if (isTotal) {
			hold(row, userMessage('heldSum'));
			starts.push(all);
		}
		if (line.row < header) row.invalid.push(userMessage('rowAbove'));
		if (isMoved) row.invalid.push(userMessage('rowMoved', { text: below?.text ?? '' }));
		if (below) hold(row, below.why, below.id);
		row.heading = below?.text;
	};
	const takeTotal = ({ line, amount }: FileRow) => {
		const text = shown(line);
		starts.push(all);
		// The sum of all rows says that those below the totals before it belong to them.
		if (isSum(amount, all))
			for (const { holds } of rows)
				for (const id of holds.keys()) if (id.startsWith(BELOW_TOTAL)) holds.delete(id);
		below = { text, why: userMessage('heldBelow', { text }), id: `${BELOW_TOTAL}${text}` };
	};
	const takeHeading = ({ line }: FileRow, above: FileRow | undefined) => {
		const text = shown(line);
		const own = ownCells(line);
		if (above?.line.row === line.row - 1 && own.every(([at]) => nameColumns.includes(at))) {
			// Half a name may continue in the next row, unless a heading stands first.
			const half = textOf(nameFields.flatMap((field) => cellsOf(above.line, field)));
			if (rows[0].why === undefined && [half, text].every((one) => wordsOf(one).length <= 2))
				hold(above, userMessage('heldName', { name: `${half} ${text}` }));
		}
		const isHigh = own.length >= minCells;
		if (isHigh)
			isMoved = own.some(([at, { text: name }]) => {
				const column = columnOf.get(normalizeWord(name));
				return column !== undefined && column !== at;
			});
		if (names.includes(text) || (isHigh && all.count === 0)) return;
		// A heading, and the column names below it.
		const heading = `${below?.isHeading ? `${below.text} / ` : ''}${text}`.slice(-MAX_SHOWN);
		const why = userMessage('heldBelow', { text: heading });
		below = { text: heading, why, id: `below.${heading}`, isHeading: true };
		starts.push(all);
	};
	for (const line of [...sheet.lines.filter(isAbove), ...lines]) {
		await yieldNow();
		const text = shown(line);
		const own = ownCells(line);
		const payee = payeeOf(line);
		const [money] = cellsOf(line, 'amount');
		const amount = numberIn(money, format);
		const isApart = all.count > 0 && line.row - last - 1 > MAX_GAP;
		last = Math.max(last, line.row);
		if (!money && payee.length === 0 && !/\p{L}/u.test(text)) continue;
		const row: FileRow = {
			number: line.row + 1,
			line,
			amount,
			holds: new Map(),
			invalid: [],
			values: {},
		};
		rows.push(row);
		if (all.count === 0 && own.every(([, cell]) => IN_BRACKETS.test(cell.text)))
			row.why = userMessage('asWritten', { text });
		else if (
			(own.length >= minCells || money) &&
			payee.some(hasDigit) &&
			!(isPart(amount) && payee.every(isCount))
		) {
			const other = otherAmounts.find(({ index }) => numberIn(at(line, index)));
			if (money ? amount !== 0 : !hasAmounts) takePayment(row, isApart);
			else if (money || !other) row.why = userMessage('rowZero', { text });
			else row.invalid.push(userMessage('rowOther', { text, header: other.header }));
		} else if (!money || (amount === undefined && !hasDigit(money))) {
			row.why = userMessage('asWritten', { text });
			takeHeading(row, rows.at(-2));
		} else if (isPart(amount, 1)) {
			row.why = userMessage('rowTotal', { text });
			takeTotal(row);
		} else row.invalid.push(userMessage('rowWithoutPayee', { text }));
	}
	// The account from which all others are paid.
	const [first] = rows.filter(({ why }) => why === undefined);
	const rest = { sum: all.sum - (first?.amount ?? 0), count: all.count - 1 };
	if (first && isSum(first.amount, rest)) hold(first, userMessage('heldSum'));
	return rows;
}

const hasDigit = ({ text }: Cell): boolean => /\d/.test(text);

/** Whether a cell identifies nobody: `Registros: 14`. */
const isCount = ({ text }: Cell): boolean => text.length < 20 && digitsIn(text) < 5;

/** So many payments, and the sum of their amounts. */
interface Sum {
	readonly sum: number;
	readonly count: number;
}

const NOTHING: Sum = { sum: 0, count: 0 };

const plus = ({ sum, count }: Sum, amount = 0): Sum => ({ sum: sum + amount, count: count + 1 });

/** Whether an amount is the sum of so many others at least. Each of them may have been rounded by half a cent. */
const isSum = (amount = 0, all: Sum, start = NOTHING, least = 2): boolean =>
	all.count - start.count >= least &&
	all.sum > start.sum &&
	Math.abs(all.sum - start.sum - amount) < 0.005 * (all.count + 1);

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
			const amount = row.amount === undefined ? '' : moneyText(String(row.amount), language);
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
