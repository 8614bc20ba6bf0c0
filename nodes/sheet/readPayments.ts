import { userMessage, type UserMessage } from '../messages/userMessage';
import { meaningsOf } from '../fields/headers';
import { columnFormat } from './amount';
import { compare, type Comparison, type PastPayment, type Payment } from './comparison';
import { findTable } from './findTable';
import {
	findColumn,
	mapFileColumns,
	type Mapping,
	type PaymentTable,
	type Reading,
} from './mapping';
import {
	ANSWER,
	choice,
	readingQuestion,
	type Answers,
	type Question,
	type Settings,
} from './question';
import { holdRemarks } from './remarks';
import { classifyRows, heldQuestions, leaveOut, shown, type FileRow } from './rows';
import { holdPayees, keyOf, nameOf, sameKeys } from './payees';
import type { PaymentFile } from './sheet';
import type { Column, Table } from './table';
import { valueReader } from './values';

/** What is in a payment file: payments, or questions, never both. */
export interface PaymentReading {
	readonly payments: readonly Payment[];
	readonly questions: readonly Question[];
	/** Why nothing can be read, whatever is answered. */
	readonly error?: UserMessage;
	readonly table?: Table;
	readonly mapping?: Mapping;
	readonly rows?: readonly FileRow[];
	/** What else a person should know. */
	readonly notes: readonly UserMessage[];
	/** The answers that counted: those of an earlier file with these headers, and those of this one. */
	readonly answers?: Answers;
	/** How the payments differ from those of the last file with these headers, if that is known. */
	readonly comparison?: Comparison;
}

/** What is kept of an earlier file. */
export interface Remembered {
	readonly headers: string;
	readonly answers: Answers;
	/** What it was called, and its payments. */
	readonly name: string;
	readonly payments: readonly PastPayment[];
}

/**
 * Reads the payments of a file by closed rules. What is not certain is a question, never a payment.
 *
 * @param remembered earlier files: the answers and payments of one with the same headers count
 * @param given the answers so far, by the ID of their question; they win over the others
 */
export async function readPayments(
	file: PaymentFile,
	of: PaymentTable,
	settings: Settings,
	remembered: readonly Remembered[],
	given: Answers,
	yieldNow: () => Promise<void>,
): Promise<PaymentReading> {
	let known: Answers = given;
	let answers: Answers = new Map([...settings.answers, ...given]);
	const meaningOf = meaningsOf(of.fields);
	const notes: UserMessage[] = [];
	const questions = new Map<string, Question>();
	const stop = (more: Partial<PaymentReading> = {}): PaymentReading => ({
		payments: [],
		questions: [...questions.values()],
		notes,
		answers: known,
		...more,
	});
	const found = findTable(file, of, meaningOf, answers, notes);
	if ('question' in found) {
		questions.set(found.question.id, found.question);
		return stop();
	}
	if ('error' in found) return stop(found);
	await yieldNow();
	const { table } = found;
	const earlier = remembered.find(({ headers }) => headers === table.headers);
	if (earlier) known = new Map([...earlier.answers, ...given]);
	answers = new Map([...settings.answers, ...known]);
	const mapping = await mapFileColumns(table, of, meaningOf, settings, answers, yieldNow);
	await yieldNow();
	for (const question of mapping.questions) questions.set(question.id, question);
	if (questions.size > 0) return stop({ table, mapping });

	const decimal = answers.get('decimal');
	const proven = columnFormat(mapping.sources.get('amount')?.columns[0].cells ?? []);
	const said =
		decimal === ',' || decimal === '.' ? ({ decimal, isChosen: true } as const) : undefined;
	// What the amounts prove counts, whatever somebody said of an earlier file.
	const format = proven && proven.decimal !== decimal ? proven : (said ?? proven);
	const ask = (question: Question) => {
		const { id, candidates } = question;
		const answer = answers.get(id);
		// An earlier file may have had another choice.
		const isAnswer = candidates.length === 0 || candidates.some(({ value }) => value === answer);
		if ((answer === undefined || !isAnswer) && !questions.has(id)) questions.set(id, question);
	};
	const reading = { table, of, mapping, settings, answers, format, ask, yieldNow };
	const rows = await classifyRows(reading);
	// What the file says outside its payments. A row that somebody leaves out later says nothing of others.
	const asides = rows.filter(({ why }) => why !== undefined && why.code !== 'rowZero');
	const paidLines = new Set(rows.flatMap(({ why, line }) => (why === undefined ? line.row : [])));
	const comments = [...table.sheet.comments].flatMap(([row, text]) =>
		paidLines.has(row) ? [] : text,
	);
	for (const text of comments) notes.push(userMessage('asWritten', { text }));
	known = new Map([...(await holdRemarks(reading, rows)), ...known]);
	leaveOut(rows, answers);
	const readValues = valueReader(reading, asides);
	const payments = rows.filter(({ why, invalid }) => why === undefined && invalid.length === 0);
	for (const row of payments) {
		await yieldNow();
		row.values = readValues(row);
	}
	holdPayees(reading, payments, [
		...table.titles,
		...comments,
		// A total says what its rows say.
		...asides
			.flatMap(({ line, why }) => (why?.code === 'rowTotal' ? [] : shown(line)))
			.slice(-MAX_NOTES),
	]);
	const keyOfPayment = distinguish(reading, payments);
	heldQuestions(rows, answers, (row) => nameOf(row, of)).forEach(ask);
	if (questions.size > 0) return stop({ table, mapping, rows });
	const paid = payments
		.filter(({ why }) => why === undefined)
		.map((row): Payment => ({
			row: row.number,
			key: keyOfPayment(row),
			values: { ...row.values },
			name: nameOf(row, of),
		}));
	return stop({
		table,
		mapping,
		rows,
		payments: paid,
		...(earlier &&
			earlier.payments.length > 0 && {
				comparison: compare(paid, earlier.name, earlier.payments),
			}),
	});
}

/** People write fewer notes, and the last ones are about the rows above. */
const MAX_NOTES = 200;

/**
 * Distinguishes the payments of one payee by a column that somebody names. The first is the one that an upload without the
 * others has made.
 *
 * @returns what distinguishes a payment from all others
 */
function distinguish(
	{ table, of, mapping, answers, ask }: Reading,
	payments: readonly FileRow[],
): (row: FileRow) => string {
	const answer = answers.get('keyColumn') ?? '';
	const valid = payments.filter(({ invalid }) => invalid.length === 0);
	const twice = sameKeys(answer === ANSWER.last ? valid.toReversed() : valid, of);
	/** Which payment of its payee a row is. */
	const nth = new Map(twice.flatMap((list) => list.map((row, index) => [row, index + 1])));
	const own = mapping.sources.get('amount')?.columns ?? [];
	const keyColumns = table.columns.filter(
		(column) => !own.includes(column) && twice.every((rows) => differ(table, rows, column)),
	);
	const keyColumn = findColumn(keyColumns, answer);
	if (answer === ANSWER.leaveOut || answer === ANSWER.last) {
		const why = userMessage(answer === ANSWER.last ? 'onlyLast' : 'onlyFirst');
		for (const [row, number] of nth) if (number > 1) row.why = why;
	} else if (twice.length > 0 && !keyColumn && answer !== ANSWER.each) {
		ask(keyQuestion(table, twice[0], keyColumns, nameOf(twice[0][0], of)));
	}
	return (row) => {
		const number = nth.get(row) ?? 1;
		const text = keyColumn ? (table.at(row.line, keyColumn.index)?.text ?? '') : `#${number}`;
		return keyOf(row, of) + (number > 1 ? ` ${text}` : '');
	};
}

/** Whether rows have different texts in a column. */
const differ = ({ at }: Table, rows: readonly FileRow[], { index }: Column): boolean =>
	new Set(rows.map(({ line }) => at(line, index)?.text ?? '')).size === rows.length;

function keyQuestion(
	{ at }: Table,
	first: readonly FileRow[],
	columns: readonly Column[],
	name: string,
): Question {
	const rows = first.map(({ number }) => number).join(', ');
	return readingQuestion('keyColumn', userMessage('whichKey', { name, rows }), [
		...columns.map(({ header, index }) => ({
			value: header,
			samples: first.map(({ line }) => at(line, index)?.text ?? ''),
		})),
		// Without such a column, only a person knows whether one is a copy.
		...(columns.length === 0 ? [choice(ANSWER.each, 'payEach')] : []),
		choice(ANSWER.leaveOut, 'onlyFirst'),
		choice(ANSWER.last, 'onlyLast'),
	]);
}
