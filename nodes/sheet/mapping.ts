import type { Field } from '../fields/field';
import { mayMean, type Meaning, type Meanings, type WholeName } from '../fields/headers';
import { pageLabelWords } from '../fields/labels';
import type { AmountFormat } from '../fields/money';
import { normalizeWord, wordsOf } from '../fields/text';
import { isUuid } from '../fields/validators';
import { userMessage } from '../messages/userMessage';
import { columnFormat, isCurrency, moneyIn, numberIn, sumOf } from './amount';
import {
	ANSWER,
	choice,
	type Answers,
	type Candidate,
	type Question,
	type Settings,
} from './question';
import type { Cell, Line } from './sheet';
import type { Column, Table } from './table';

/** What is read from a file: the fields of a payment, and what shows that a row pays somebody. */
export interface PaymentTable {
	readonly fields: readonly Field[];
	/** The fields of which a payment has at least one. The first identifies the payee. */
	readonly payeeFields: readonly string[];
	/** The field with names, and that with surnames, into which a whole name is split. */
	readonly wholeName?: WholeName;
}

/** Where the values of a field come from. */
export interface Source {
	readonly columns: readonly Column[];
	readonly how: 'chosen' | Meaning['how'];
	/** Those of the columns that are filled where the others are empty. */
	readonly filling?: readonly Column[];
}

export interface Mapping {
	readonly sources: ReadonlyMap<string, Source>;
	/** Filled columns that nothing is read from. */
	readonly unused: readonly Column[];
	readonly questions: readonly Question[];
	/** The filled cells of a row that a field is read from. */
	cellsOf(line: Line, field: string): Cell[];
}

/** In which order a header is taken for a field. */
const HOWS = ['known', 'part', 'with', 'whole'] as const;

/**
 * Decides which column holds which field, from all rows; or asks. A column is taken if its header means the field, and
 * no other column may be meant by its header or by the shape of its cells.
 */
export async function mapFileColumns(
	table: Table,
	{ fields, payeeFields, wholeName }: PaymentTable,
	meaningOf: Meanings,
	{ defaults, ignored }: Settings,
	answers: Answers,
	yieldNow: () => Promise<void>,
): Promise<Mapping> {
	const sources = new Map<string, Source>();
	const asked = new Map<Field, readonly Column[]>();
	const filled = table.columns.filter(({ cells }) => cells.length > 0);
	const meanings = new Map(
		filled.map((column) => {
			const meaning = meaningOf(column.header);
			// People call the address `Wallet`, too: only a column with our IDs is about our wallets.
			const isOurs = meaning?.field !== 'walletId' || column.cells.some(({ text }) => isUuid(text));
			return [column, isOurs ? meaning : ({ field: payeeFields[0], how: 'known' } as const)];
		}),
	);
	/** The columns whose header means a field. */
	const columnsOf = (field: string, columns = filled) =>
		columns.flatMap((column) => {
			const meaning = meanings.get(column);
			return meaning?.field === field ? [{ column, part: 0, ...meaning }] : [];
		});
	/** Columns that say the same as one that is read. */
	const repeated = new Set<Column>();
	const free = () => {
		const taken = new Set([
			...repeated,
			...[...sources.values()].flatMap(({ columns }) => columns),
		]);
		return filled.filter(
			(column) => !taken.has(column) && !ignored.has(normalizeWord(column.header)),
		);
	};
	for (const field of fields) {
		const answer = answers.get(`columns.${field.name}`);
		if (answer === undefined || answer === ANSWER.none) continue;
		const column = findColumn(filled, answer);
		// `Ap. Paternno` is chosen, and `Ap. Materno` is known.
		const parts = columnsOf(field.name).filter((one) => one.part > 0 && one.column !== column);
		const columns = [column ?? [], parts.map((part) => part.column)].flat();
		if (column) sources.set(field.name, { how: 'chosen', columns });
		// No other column takes the place of one that somebody named.
		else asked.set(field, free());
	}
	const hasSurnames = columnsOf(wholeName?.surnames ?? '').length > 0;
	for (const field of fields) {
		await yieldNow();
		if (answers.has(`columns.${field.name}`)) continue;
		const columns = free().filter((column) => {
			const { how, field: other } = meanings.get(column) ?? {};
			return how !== 'known' || other === field.name;
		});
		const isMeant = mayMean(field);
		const meant = columnsOf(field.name, columns);
		// Nobody sees what is in a hidden column: it is offered, and never taken.
		const visible = meant.filter(({ column }) => !column.isHidden);
		// Without surnames, a column with whole names says more than one with names.
		const isWhole = field.name === wholeName?.names && !hasSurnames;
		const hows = isWhole ? (['whole', ...HOWS] as const) : HOWS;
		const best = hows
			.flatMap((one) => visible.find(({ how, part }) => how === one && part === 0) ?? [])
			.at(0);
		// `Nombre`, and next to it `Segundo nombre`.
		const parts = visible.filter(({ part }) => part > 0).sort((a, b) => a.part - b.part);
		const own = [best ?? [], parts].flat().map(({ column }) => column);
		const others = columns.filter(
			(column) =>
				!own.includes(column) &&
				(meant.some((one) => one.column === column && one.how === (best?.how ?? 'known')) ||
					mayHold(column, field, isMeant(column.header), best?.column) ||
					(field.name === wholeName?.names && namesOthers(table, own, column))),
		);
		// What was paid before may be as much as what is to be paid.
		const mayRepeat = (column: Column) =>
			!field.isAmount || meant.some((one) => one.column === column);
		const rivals = others.filter(
			(column) => !best || !mayRepeat(column) || differs(table, column, best.column),
		);
		const filling = rivals.filter(
			(column) => !field.isAmount && best && fills(table, column, best.column),
		);
		const isCertain = SHAPES.has(field.name) || (best && fits(best.column.cells, hasLetter));
		if (best && isCertain && rivals.length === filling.length) {
			const how = parts.length > 0 ? 'part' : best.how;
			sources.set(field.name, { how, columns: [...own, ...filling], filling });
			for (const column of others) repeated.add(column);
			continue;
		}
		const isNeeded = field.required && !defaults.has(field.name);
		if (own.length > 0 || isNeeded || rivals.length > 0)
			asked.set(field, [own, rivals, field.isAmount ? columns.filter(hasMoney) : free()].flat());
	}
	if (wholeName) readWholeNames(wholeName);
	// A column that says whom to pay is no amount. `Detalle`, read as the purpose, may have the names.
	const steering = new Set(
		[...sources].flatMap(([name, { columns }]) => (SHAPES.has(name) ? columns : [])),
	);
	const questions = [...asked].flatMap(([field, columns]): Question[] => {
		const left = new Set(columns.filter((column) => !steering.has(column)));
		const candidates = [...left].map((column) => candidateOf(column, field));
		if (candidates.length === 0) return [];
		return [
			{
				id: `columns.${field.name}`,
				kind: 'column',
				field: field.name,
				label: userMessage('whichColumn', { field: pageLabelWords(field.label) }),
				candidates: [...candidates, choice(ANSWER.none, 'noColumn')],
			},
		];
	});
	const cellsOf = (line: Line, field: string) =>
		(sources.get(field)?.columns ?? []).flatMap(({ index }) => table.at(line, index) ?? []);
	return { sources, unused: free(), questions, cellsOf };

	/** A column as a choice; one of amounts with the sum of the rows that have a payee, if that is known. */
	function candidateOf({ header, samples, index, cells }: Column, { isAmount }: Field): Candidate {
		const format = isAmount ? columnFormat(cells) : undefined;
		const paid = payeeFields.flatMap((field) => sources.get(field)?.columns ?? []);
		const amounts = table.lines
			.filter((line) => paid.some((column) => /\d/.test(table.at(line, column.index)?.text ?? '')))
			.flatMap((line) => numberIn(table.at(line, index), format) ?? []);
		const sum = isAmount ? sumOf(amounts) : undefined;
		return { value: header, samples, ...(sum !== undefined && { sum }) };
	}

	/** Says of a column with names whether it has the surnames, too. Whether another one has them is asked. */
	function readWholeNames({ names, surnames, companyHeaders }: WholeName): void {
		const own = sources.get(names);
		const namesField = fields.find(({ name }) => name === names);
		// Of two people with a document, only a person knows who is paid.
		const hasTwo = fields.some((one) => one.name === payeeFields[0] && asked.has(one));
		const people = hasTwo ? free().filter((one) => mayBeNames(one) && fits(one.cells, isName)) : [];
		if (own && namesField && own.how !== 'chosen' && people.length > 0)
			asked.set(namesField, [...own.columns, ...people]);
		const field = fields.find(({ name }) => name === surnames);
		if (!own || !field || own.how === 'part') return;
		const [{ header, cells }] = own.columns;
		const short = cells.filter(({ text }) => text.split(' ').length < 3).length;
		const isOfCompanies = companyHeaders.map(normalizeWord).includes(normalizeWord(header));
		const hasAll = own.how === 'whole' || !(isOfCompanies || sources.has(surnames));
		sources.set(names, { ...own, how: hasAll ? 'whole' : 'known' });
		if (isOfCompanies || sources.has(surnames)) return;
		// Two words may be given names, or a whole name.
		const others = short > cells.length / 2 ? free().filter(mayBeNames) : [];
		if (others.length > 0 && !answers.has(`columns.${surnames}`)) asked.set(field, others);
	}
}

/** The column with a header, as it is written or nearly so. */
export function findColumn(columns: readonly Column[], header: string): Column | undefined {
	return (
		columns.find((column) => column.header === header) ??
		columns.find((column) => normalizeWord(column.header) === normalizeWord(header))
	);
}

/** Words without digits and signs. */
const WORDS = /^[\p{L}\p{M}\s.'-]+$/u;

/** Whether a column may have names: words, of which most differ, as jobs and places do not. */
export const mayBeNames = ({ cells }: Column): boolean =>
	cells.every(({ text }) => WORDS.test(text)) &&
	new Set(cells.map(({ text }) => text)).size > cells.length / 2;

/** Whether a column has another text than a second one in any row. */
const differs = ({ lines, at }: Table, { index }: Column, { index: second }: Column): boolean =>
	lines.some((line) => at(line, index)?.text !== at(line, second)?.text);

/** Whether a column is filled in some rows, and a second one in the others: `CI`, and `NIT` of companies. */
const fills = ({ lines, at }: Table, { index }: Column, { index: second }: Column): boolean =>
	lines.every((line) => !at(line, index) || !at(line, second));

/**
 * Whether a column has the name of some rows again, and in others another name, as that of a guardian who holds the
 * account. One word is no name.
 */
function namesOthers({ lines, at }: Table, own: readonly Column[], { index }: Column): boolean {
	const textIn = (line: Line, column: number) => at(line, column)?.text ?? '';
	const equal = lines.flatMap((line) => {
		const name = own.flatMap((column) => wordsOf(textIn(line, column.index)));
		const other = wordsOf(textIn(line, index));
		return name.length > 1 && other.length > 1 ? name.every((word) => other.includes(word)) : [];
	});
	return new Set(equal).size > 1;
}

export const hasMoney = ({ cells }: Column): boolean =>
	cells.some((cell) => Boolean(numberIn(cell)));

/** How many digits a text has. */
export const digitsIn = (text: string): number => text.replace(/\D/g, '').length;

/** More characters are no sign of a currency. */
const MAX_SIGN = 4;

/**
 * Whether a column whose header does not mean a field may hold it nevertheless: its header has a name of the field in
 * it, or its cells look like those of the field's own column.
 */
function mayHold(
	{ cells }: Column,
	field: Field,
	isMeant: boolean,
	own: Column | undefined,
): boolean {
	const shape = SHAPES.get(field.name);
	if (!shape) return false;
	const isCurrencyField = field.name === 'currencyType';
	if (isMeant || field.name === 'destinationWallet') return isCurrencyField || fits(cells, shape);
	if (isCurrencyField)
		return (
			cells.some(({ text }) => isCurrency(text)) &&
			cells.every(({ text }) => text.length <= MAX_SIGN)
		);
	if (field.isAmount) return own !== undefined && fits(cells, shape) && haveMoney(cells, own.cells);
	return field.required && field.form.options !== undefined && areCodes(cells, field);
}

/** A number with fewer digits counts something: days, hours or an age. */
const MIN_DIGITS = 3;

/**
 * Whether a column may have money, next to one that has: cents, or a number with more digits than a counter and not more
 * than the largest amount, as an identifier has.
 */
export function haveMoney(cells: readonly Cell[], amounts: readonly Cell[]): boolean {
	const sizeOf = (number: number) => (number === 0 ? 0 : String(Math.trunc(number)).length);
	// A title or a zero among the amounts says nothing of their size.
	const sizes = amounts.flatMap((cell) => sizeOf(numberIn(cell) ?? 0) || []);
	const [least, most] = [Math.min(MIN_DIGITS, ...sizes), Math.max(...sizes)];
	return cells.some((cell) => {
		const number = numberIn(cell) ?? 0;
		const sign = moneyIn(cell)?.sign ?? '';
		const hasSize = sizeOf(number) >= least && sizeOf(number) <= most;
		// Other letters make it a code: `3000LPZ`, `Nov-26`.
		const isCode = /\p{L}/u.test(sign) && !isCurrency(sign);
		return number !== 0 && !isCode && (hasSize || !Number.isInteger(number));
	});
}

/** Whether most cells have a shape. */
const fits = (cells: readonly Cell[], shape: (cell: Cell) => boolean): boolean =>
	cells.filter(shape).length >= cells.length / 2;

/** Whether cells have one word each, which repeats, and one is a code or a choice of the field: a network. */
const areCodes = (cells: readonly Cell[], { validate }: Field): boolean =>
	new Set(cells.map(({ text }) => text)).size < cells.length &&
	cells.every(({ text }) => /^\p{L}[^\s@]*$/u.test(text)) &&
	cells.some(({ text }) => text === text.toUpperCase() || validate(text, {}).ok);

const isName = ({ text }: Cell): boolean => text.includes(' ');

const hasLetter = ({ text }: Cell): boolean => /\p{L}/u.test(text);

const hasDigits =
	(digits: number) =>
	({ kind, text }: Cell): boolean =>
		digitsIn(text) >= digits && kind !== 'other';

const isLong = ({ text }: Cell): boolean => text.length >= 20;

const isWord = ({ kind, text }: Cell): boolean =>
	kind === 'text' && text.length < 30 && digitsIn(text) < 3;

/**
 * The fields that say how much, to whom and where, by the shape of their cells: another column that may be meant is asked
 * about.
 */
const SHAPES: ReadonlyMap<string, (cell: Cell) => boolean> = new Map([
	['amount', (cell: Cell) => numberIn(cell) !== undefined],
	['destinationAccount', hasDigits(4)],
	['destinationIdNumber', hasDigits(5)],
	// A note has blanks, and the hash of a transaction is longer.
	['destinationWallet', ({ text }) => /^\S{20,63}$/.test(text)],
	['image', isLong],
	['bankCode', ({ kind, text }) => kind !== 'other' && text.length < 40 && digitsIn(text) < 7],
	['currencyType', isWord],
	['country', isWord],
	['blockchain', isWord],
	['asset', isWord],
]);

/** A table with what is known of its columns: how its rows are read. */
export interface Reading {
	readonly table: Table;
	readonly of: PaymentTable;
	readonly mapping: Mapping;
	readonly settings: Settings;
	readonly answers: Answers;
	/** How the amounts are written, if that is known. */
	readonly format: AmountFormat | undefined;
	/** Asks once, however many rows ask, and never what has an answer. */
	ask(question: Question): void;
	yieldNow(): Promise<void>;
}
