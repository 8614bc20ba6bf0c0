import { grouped } from '../fields/grouped';
import { userMessage } from '../messages/userMessage';
import { moneyIn, numberIn } from './amount';
import { mayBeNames, type Reading } from './mapping';
import { ANSWER, severalQuestion, type Answers, type Candidate } from './question';
import { hold, type FileRow } from './rows';
import { MAX_SAMPLES } from './table';

/** A column with more values names something of each row: a day, a job. They are not remembered. */
const MAX_STATES = 50;

/** Nobody writes so many remarks of which no two are equal. */
const MANY = 8;

/** Whether a text is a number and nothing else. */
function isNumber(text: string): boolean {
	const cell = { text, kind: 'text' } as const;
	return numberIn(cell) !== undefined && moneyIn(cell)?.sign === '';
}

/** Holds the payments whose rows are marked: merged, hidden, struck through, with a comment or in another colour. */
function holdMarked({ table, of, mapping }: Reading, payments: readonly FileRow[]): void {
	const { sheet } = table;
	for (const row of payments) {
		const own = ['amount', ...of.payeeFields].flatMap((field) => mapping.cellsOf(row.line, field));
		if (own.some(({ mergedFrom }) => mergedFrom !== undefined))
			hold(row, userMessage('heldMerged'));
		if (sheet.hiddenRows.has(row.line.row)) hold(row, userMessage('heldHidden'));
		if (sheet.struckRows.has(row.line.row)) hold(row, userMessage('heldStruck'));
		const comment = sheet.comments.get(row.line.row);
		if (comment !== undefined) hold(row, userMessage('heldComment', { text: comment }));
	}
	const fillOf = ({ line }: FileRow) => sheet.fills.get(line.row) ?? '';
	const byFill = grouped(payments, fillOf);
	// Every second row has another colour, so that people can read the table.
	const fills = payments.map(fillOf);
	const isBanded = payments.length > 3 && fills.every((fill, at) => fill !== fills[at - 1]);
	const hasUsual = [...byFill.values()].some(({ length }) => length > payments.length / 2);
	// Only a person knows whether those of a colour are paid, or all others.
	for (const [fill, own] of hasUsual && !isBanded && byFill.size > 1 ? byFill : [])
		for (const row of own) hold(row, userMessage('heldFill'), `states.fill=${fill}`);
}

/**
 * Holds the payments of which the file itself says something, by the shape of the table and never by words: what only
 * some rows have holds them. Only a person knows what else a column says of its rows that nothing is read from: that is
 * asked once of each column, and of one that says who is paid, once of each value. Nothing is asked
 * of numbers that differ, unless they stand next to a value of which they may be a part.
 *
 * @returns what is remembered of columns that say nothing: the values that they had
 */
export async function holdRemarks(reading: Reading, rows: readonly FileRow[]): Promise<Answers> {
	const { table, of, mapping, answers, ask, yieldNow } = reading;
	const { columns, header: headerRow, at } = table;
	const { payeeFields, wholeName } = of;
	const { unused, sources } = mapping;
	const payments = rows.filter(({ why, invalid }) => why === undefined && invalid.length === 0);
	const lastNamed = columns.findLastIndex(({ isUnnamed }) => !isUnnamed);
	const isBehind = (field: string, index: number) =>
		sources.get(field)?.columns.at(-1)?.index === index - 1;
	holdMarked(reading, payments);
	const remarks: Candidate[] = [];
	const seen = new Map<string, string>();
	const descriptions = sources.get('description')?.columns ?? [];
	// Without a field for them, the first column of different words before the payees has their names.
	const first = sources.get(payeeFields[0])?.columns[0].index ?? 0;
	const names = wholeName
		? undefined
		: unused.find(
				(column) =>
					column.index < first && column.cells.length >= payments.length && mayBeNames(column),
			);
	for (const column of [...unused, ...descriptions]) {
		await yieldNow();
		if (column === names) continue;
		const { header, index } = column;
		const byText = grouped(payments, ({ line }) => at(line, index)?.text ?? '');
		const usual = [...byText].find(([, { length }]) => length > payments.length / 2)?.[0];
		const texts = [...byText.keys()].filter((text) => text !== '');
		const words = texts.filter((text) => !isNumber(text));
		const holdAll = (held: readonly string[], idOf?: (text: string) => string | undefined) => {
			for (const text of held)
				for (const row of byText.get(text) ?? [])
					hold(row, userMessage('heldRemark', { header, text: text || '(-)' }), idOf?.(text));
		};
		if (descriptions.includes(column)) {
			// What most payments are for says nothing, but for its numbers. What only some have instead may say that they are not
			// paid.
			const kindOf = (text: string) => text.replace(/\d+/g, '');
			const byKind = grouped(payments, ({ line }) => kindOf(at(line, index)?.text ?? ''));
			// Without them, it is what several are for.
			const most = Math.max(...[...byKind.values()].map(({ length }) => length));
			const least = most > payments.length / 2 ? most : 2;
			const isUsual = (text: string) => (byKind.get(kindOf(text))?.length ?? 0) >= least;
			const usualCount = payments.filter(({ line }) => isUsual(at(line, index)?.text ?? '')).length;
			if (usualCount > payments.length / 2) holdAll(texts.filter((text) => !isUsual(text)));
			continue;
		}
		if (headerRow >= 0 && index > lastNamed) {
			holdAll(texts);
			continue;
		}
		const idOf = (text: string) => `states.${header}=${text.toLowerCase()}`;
		const withWords = words.flatMap((text) => byText.get(text) ?? []).length;
		const isPart =
			isBehind('amount', index) ||
			isBehind('destinationWallet', index) ||
			(payeeFields.some((field) => isBehind(field, index)) &&
				texts.every(({ length }) => length < 3));
		if (withWords < payments.length / 2 && !(isPart && usual !== '')) {
			// Only a person knows whether the rows with a mark are paid, or all others.
			if (withWords > 0 && usual === '') holdAll([''], idOf);
			// A code among numbers, and a mark of several rows, is the same next month, a remark is not.
			const isMark = words.length === 1 && byText.get(words[0])?.length !== 1;
			const isState = (text: string) => usual !== '' || isMark || answers.has(idOf(text));
			holdAll(words, (text) => (isState(text) ? idOf(text) : undefined));
			if (withWords > 0 || texts.length === 0) continue;
		}
		const isUsual = byText.size > payments.length / 2 || (byText.size === 1 && texts[0].length > 2);
		if (words.length === 0 && isUsual && !isPart && usual !== '') continue;
		// What differs in each of many rows, and is no name, is something of the payee: an address, a birthday, a contract.
		const areOwn = byText.size === payments.length && texts.length >= MANY && !mayBeNames(column);
		if (areOwn && !isPart) continue;
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
