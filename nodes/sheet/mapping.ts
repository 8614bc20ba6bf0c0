import type { Field } from '../fields/field';
import { normalizeWord } from '../fields/text';
import { numberIn, sumOf } from './amount';
import {
	areCurrencies,
	fits,
	partsOf,
	steers,
	type Headers,
	type PaymentTable,
	type Relation,
} from './headers';
import { userMessage } from '../messages/userMessage';
import {
	ANSWER,
	choice,
	type Answers,
	type Candidate,
	type Question,
	type Settings,
} from './question';
import type { Column, Table } from './table';
import { pageLabelWords } from '../fields/labels';

/** Where the values of a field come from. */
export interface Source {
	readonly columns: readonly Column[];
	readonly how: 'chosen' | 'known' | 'parts' | 'alone' | 'whole';
}

export interface Mapping {
	readonly sources: ReadonlyMap<string, Source>;
	/** Filled columns that nothing is read from. */
	readonly unused: readonly Column[];
	readonly questions: readonly Question[];
}

/** Decides which column holds which field, from all rows; or asks. */
export function mapColumns(
	table: Table,
	{ fields, wholeName }: PaymentTable,
	headers: Headers,
	{ defaults, ignored }: Settings,
	answers: Answers,
): Mapping {
	const sources = new Map<string, Source>();
	const questions: Question[] = [];
	const filled = table.columns.filter(({ cells }) => cells.length > 0);
	const copies = new Set<Column>();
	const missing = new Set<Field>();
	const free = () => {
		const taken = new Set([...sources.values()].flatMap(({ columns }) => columns));
		return filled.filter(
			(column) => !taken.has(column) && !copies.has(column) && !isIgnored(column, ignored),
		);
	};
	const take = (field: Field, how: Source['how'], columns: readonly Column[]) =>
		sources.set(field.name, { how, columns });
	const ask = (field: Field, first: readonly Column[], columns = free()) => {
		const isOptional = !field.required || hasDefault(field, defaults);
		questions.push({
			id: `columns.${field.name}`,
			kind: 'column',
			field: field.name,
			label: userMessage('whichColumn', { field: pageLabelWords(field.label) }),
			candidates: [
				...[...new Set([...first, ...columns])].map((column) =>
					columnCandidate(table, column, field, first.includes(column)),
				),
				...(isOptional ? [choice(ANSWER.none, 'noColumn')] : []),
			],
		});
	};

	for (const field of fields) {
		const answer = answers.get(`columns.${field.name}`);
		if (answer === undefined || answer === ANSWER.none) continue;
		const column = findColumn(filled, answer);
		if (column) take(field, 'chosen', [column]);
		// No other column takes the place of one that somebody named.
		else missing.add(field);
	}
	for (const field of fields) {
		if (sources.has(field.name) || answers.get(`columns.${field.name}`) === ANSWER.none) continue;
		if (missing.has(field)) {
			ask(field, []);
			continue;
		}
		// Nobody sees what is in a hidden column: it is offered, and never taken.
		const related = (...wanted: Relation[]) =>
			free().filter(({ header, isHidden }) => {
				const relation = headers.relation(header, field);
				return relation !== undefined && wanted.includes(isHidden ? 'possible' : relation);
			});
		const isOthers = (column: Column) =>
			fields.some((one) => one !== field && headers.relation(column.header, one) === 'known');
		const suggested = related('possible');
		const possible = free().filter(
			(column) =>
				!isOthers(column) &&
				(suggested.includes(column)
					? fits(column.cells, field)
					: field.name === 'currencyType' && areCurrencies(column.cells)),
		);
		const parts = partsOf(
			free().filter(({ isHidden }) => !isHidden),
			field,
		);
		const found: Array<[Source['how'], Column[]]> = [
			['known', related('known')],
			['parts', parts],
			['known', hasColumn(field.headerAliases?.namesWith?.field) ? related('with') : []],
			['alone', related('alone')],
			['whole', related('whole', 'with')],
		];
		const [how, own] = found.find(([, columns]) => columns.length > 0) ?? ['known', []];
		if (how === 'parts') {
			take(field, how, own);
			continue;
		}
		const others = [
			...own.slice(1),
			...(steers(field) ? [...related('alone'), ...possible] : []),
		].filter((column) => column !== own[0] && (!field.isAmount || hasMoney(column)));
		const rivals = others.filter((column) => differs(table, column, own[0]));
		if (own.length > 0 && rivals.length === 0 && (steers(field) || fits(own[0].cells, field))) {
			take(field, how, [own[0]]);
			for (const column of own.slice(1)) copies.add(column);
			continue;
		}
		const isNeeded = field.required && !hasDefault(field, defaults);
		const isAsked =
			own.length > 0 ||
			isNeeded ||
			(steers(field) &&
				possible.length > 0 &&
				(!hasDefault(field, defaults) || field.name === 'currencyType'));
		if (!isAsked) continue;
		if (field.isAmount) ask(field, [...own, ...rivals], free().filter(hasMoney));
		else ask(field, [...own, ...rivals, ...possible]);
	}

	/** Whether a field has a column, or will have one. */
	function hasColumn(name: string | undefined): boolean {
		const field = fields.find((one) => one.name === name);
		if (!field) return false;
		return (
			sources.has(field.name) ||
			partsOf(free(), field).length > 0 ||
			free().some(({ header }) => headers.relation(header, field) === 'known')
		);
	}

	if (wholeName) readWholeNames(wholeName);
	return { sources, unused: free(), questions };

	/** Says of a column with names whether it has the surnames, too. Whether another one has them is asked. */
	function readWholeNames({ names, surnames, headers: whole, companyHeaders }: WholeName): void {
		const own = sources.get(names);
		if (!own || sources.has(surnames)) return;
		const isCalled = (list: readonly string[]) =>
			list.map(normalizeWord).includes(normalizeWord(own.columns[0].header));
		if (own.how === 'known' && isCalled(whole) && !isCalled(companyHeaders))
			sources.set(names, { ...own, how: 'whole' });
		const field = fields.find(({ name }) => name === surnames);
		const { cells } = own.columns[0];
		const single = cells.filter(({ text }) => !text.includes(' ')).length;
		if (!field || own.how === 'known' || own.how === 'parts' || single <= cells.length / 2) return;
		const others = free().filter((column) => fits(column.cells, field));
		if (others.length > 0 && !answers.has(`columns.${surnames}`)) ask(field, [], others);
	}
}

type WholeName = NonNullable<PaymentTable['wholeName']>;

export function hasDefault({ name }: Field, defaults: Settings['defaults']): boolean {
	const value = defaults.get(name);
	return value !== undefined && value !== null && value !== '';
}

const isIgnored = ({ header }: Column, ignored: ReadonlySet<string>): boolean =>
	ignored.has(normalizeWord(header));

/** The column with a header, as it is written or nearly so. */
export function findColumn(columns: readonly Column[], header: string): Column | undefined {
	return (
		columns.find((column) => column.header === header) ??
		columns.find((column) => normalizeWord(column.header) === normalizeWord(header))
	);
}

const hasMoney = ({ cells }: Column): boolean =>
	cells.some((cell) => Boolean(numberIn(cell))) && !cells.every(({ kind }) => kind === 'date');

/** Whether a column has another value than a field's own one in any row. */
function differs({ lines, at }: Table, { index }: Column, own: Column | undefined): boolean {
	return lines.some((line) => {
		const cell = at(line, index);
		const other = own && at(line, own.index);
		if (!cell || cell.text === '' || cell.text === other?.text) return false;
		const number = numberIn(cell);
		return number === undefined || number !== numberIn(other);
	});
}

function columnCandidate(
	{ lines, at }: Table,
	{ header, samples, index }: Column,
	{ isAmount }: Field,
	isLikely: boolean,
): Candidate {
	if (!isAmount) return { value: header, samples, isLikely };
	const numbers = lines.flatMap((line) => numberIn(at(line, index)) ?? []);
	const above = sumOf(numbers.slice(0, -1)) ?? 0;
	const isTotal = numbers.length > 2 && Math.abs(above - (numbers.at(-1) ?? 0)) < 0.01;
	const sum = isTotal ? above : sumOf(numbers);
	return { value: header, samples, isLikely, ...(sum !== undefined && { sum }) };
}
