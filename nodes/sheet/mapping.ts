import type { Field } from '../fields/field';
import { normalizeWord } from '../fields/text';
import { numberIn, sumOf } from './amount';
import {
	areCurrencies,
	fits,
	partsOf,
	steers,
	type PaymentTable,
	type Relation,
	type Relations,
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
	readonly how: 'chosen' | 'known' | 'parts' | 'with' | 'alone' | 'whole';
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
	relationOf: Relations,
	{ defaults, ignored }: Settings,
	answers: Answers,
): Mapping {
	const sources = new Map<string, Source>();
	const questions: Question[] = [];
	const filled = table.columns.filter(({ cells }) => cells.length > 0);
	const free = () => {
		const taken = new Set([...sources.values()].flatMap(({ columns }) => columns));
		return filled.filter(
			(column) => !taken.has(column) && !ignored.has(normalizeWord(column.header)),
		);
	};
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
		if (column) sources.set(field.name, { how: 'chosen', columns: [column] });
		// No other column takes the place of one that somebody named.
		else ask(field, []);
	}
	for (const field of fields) {
		if (answers.has(`columns.${field.name}`)) continue;
		const columns = free();
		// Nobody sees what is in a hidden column: it is offered, and never taken.
		const visible = columns.filter(({ isHidden }) => !isHidden);
		const related = (wanted: Relation) =>
			visible.filter(({ header }) => relationOf(header, field) === wanted);
		const parts = partsOf(visible, field);
		if (related('known').length === 0 && parts.length > 0) {
			sources.set(field.name, { how: 'parts', columns: parts });
			continue;
		}
		const how = (['known', 'with', 'alone', 'whole'] as const).find(
			(relation) => related(relation).length > 0,
		);
		const [own, ...others] = how ? related(how) : [];
		const isPossible = ({ header, isHidden, cells }: Column) => {
			const relation = relationOf(header, field);
			const isOthers = fields.some((one) => one !== field && relationOf(header, one) === 'known');
			if (isOthers) return false;
			return relation === 'possible' || (isHidden && relation !== undefined)
				? fits(cells, field)
				: field.name === 'currencyType' && areCurrencies(cells);
		};
		const possible = columns.filter(isPossible);
		if (steers(field)) others.push(...related('alone'), ...possible);
		const rivals = others.filter(
			(column) => column !== own && (!field.isAmount || hasMoney(column)),
		);
		if (how && rivals.length === 0 && (steers(field) || fits(own.cells, field))) {
			sources.set(field.name, { how, columns: [own] });
			continue;
		}
		const isDefault = hasDefault(field, defaults);
		const isNeeded = field.required && !isDefault;
		const isSteered =
			steers(field) && possible.length > 0 && (!isDefault || field.name === 'currencyType');
		if (how || isNeeded || isSteered)
			ask(
				field,
				[...(how ? [own] : []), ...rivals, ...(field.isAmount ? [] : possible)],
				field.isAmount ? columns.filter(hasMoney) : columns,
			);
	}
	if (wholeName) readWholeNames(wholeName);
	return { sources, unused: free(), questions };

	/** Says of a column with names whether it has the surnames, too. Whether another one has them is asked. */
	function readWholeNames({ names, surnames, headers: whole, companyHeaders }: WholeName): void {
		const own = sources.get(names);
		const field = fields.find(({ name }) => name === surnames);
		if (!own || !field || own.how === 'parts') return;
		const [{ header, cells }] = own.columns;
		const isCalled = (list: readonly string[]) =>
			list.map(normalizeWord).includes(normalizeWord(header));
		const isWhole = own.how === 'known' && isCalled(whole) && !isCalled(companyHeaders);
		if (own.how === 'with' || (isWhole && !sources.has(surnames)))
			sources.set(names, { ...own, how: sources.has(surnames) ? 'known' : 'whole' });
		if (own.how === 'known' || sources.has(surnames)) return;
		const single = cells.filter(({ text }) => !text.includes(' ')).length;
		const others = free().filter((column) => fits(column.cells, field));
		if (single > cells.length / 2 && others.length > 0 && !answers.has(`columns.${surnames}`))
			ask(field, [], others);
	}
}

type WholeName = NonNullable<PaymentTable['wholeName']>;

export function hasDefault({ name }: Field, defaults: Settings['defaults']): boolean {
	const value = defaults.get(name);
	return value !== undefined && value !== null && value !== '';
}

/** The column with a header, as it is written or nearly so. */
export function findColumn(columns: readonly Column[], header: string): Column | undefined {
	return (
		columns.find((column) => column.header === header) ??
		columns.find((column) => normalizeWord(column.header) === normalizeWord(header))
	);
}

const hasMoney = ({ cells }: Column): boolean =>
	cells.some((cell) => Boolean(numberIn(cell))) && !cells.every(({ kind }) => kind === 'date');

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
