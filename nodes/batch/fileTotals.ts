import { cellOf, type ColumnMap } from '../fields/columns';
import type { Field } from '../fields/field';
import type { AmountFormat } from '../fields/money';
import { wordsOf } from '../fields/text';
import { showValue } from '../fields/validateFields';
import { isEmpty, type Values } from '../fields/validators';
import { moneyWithCurrency, type Language } from '../report/language';
import { inEachLanguage, phrase, TEXTS, type UserMessage } from '../messages/userMessage';
import { startOf } from '../service/outsideText';
import type { MoneyEndpoint } from './endpoint';
import { numbersRows, type InputRow } from './inputRows';
import { userMessage } from './messages';
import { itemName, itemWords, rowWords } from './rowName';
import { canonicalAmount, totalsOf } from './totals';

/** What a total row is called in the column of a payee. */
const TOTAL_WORDS = new Set([
	'total',
	'totales',
	'totals',
	'subtotal',
	'subtotales',
	'suma',
	'sumas',
]);

/** A row that has been read. */
interface ReadRow {
	itemIndex: number;
	values: Values;
}

/** What of a file is no payment, for people. */
export interface LeftOut {
	/** The items that are no payments. */
	items: ReadonlySet<number>;
	texts: string[];
	/** Why the file cannot be trusted. */
	error?: UserMessage;
}

/** Finds the rows that are no payments: totals, and notes below the last one. */
export class FileTotals {
	private readonly amount: Field | undefined;

	/** The fields that say who is paid. */
	private readonly payee: Field[];

	/** Those of them that are numbers. */
	private readonly payeeNumbers: Field[];

	/** The columns of choices, such as the currency. */
	private readonly choices: ReadonlySet<string>;

	constructor(
		private readonly endpoint: MoneyEndpoint,
		private readonly map: ColumnMap,
		private readonly formats: ReadonlyMap<string, AmountFormat> | undefined,
		private readonly language: Language = 'en',
	) {
		const { fields, payee } = endpoint;
		this.amount = fields.find(({ isAmount, name }) => isAmount && map.columns.has(name));
		this.choices = new Set(
			fields
				.filter(({ form }) => form.options)
				.flatMap(({ name }) => map.columns.get(name)?.flat() ?? []),
		);
		this.payee = payee
			? fields.filter(
					({ name, to, isAmount, form }) =>
						to !== undefined && !isAmount && !form.options && map.columns.has(name),
				)
			: [];
		const { names, surnames } = endpoint.wholeName ?? {};
		this.payeeNumbers = this.payee.filter(({ name }) => name !== names && name !== surnames);
	}

	/**
	 * The rows without those of a template that nobody has filled in: they have nobody and no amount, only what is the
	 * same in every row, such as the currency, or zeros of formulas.
	 */
	withoutEmpty(rows: InputRow[]): InputRow[] {
		const { amount, map, endpoint } = this;
		if (!amount || this.payee.length === 0) return rows;
		const constant = new Set(
			endpoint.fields
				.filter(
					({ name, adjustable }) => name === endpoint.purpose || adjustable?.option === 'bankNames',
				)
				.flatMap(({ name }) => map.columns.get(name)?.flat() ?? []),
		);
		const isUnused = ([header, cell]: [string, unknown]) =>
			isEmpty(cell) ||
			Number(cell) === 0 ||
			constant.has(header) ||
			this.choices.has(header) ||
			numbersRows(header);
		const used = rows.filter(
			({ columns, cells }) => cells !== undefined || !Object.entries(columns).every(isUnused),
		);
		// If there is nothing else, the errors of its rows say what is missing.
		return used.length === 0 ? rows : used;
	}

	/** Whether a row has an amount, but no payee: nothing, or the word total, where others have theirs. */
	isTotal({ columns }: InputRow): boolean {
		if (!this.amount || this.payee.length === 0) return false;
		if (isEmpty(cellOf(columns, this.map, this.amount).value)) return false;
		const isEmptyOrTotal = (field: Field) => {
			const { value, conflict } = cellOf(columns, this.map, field);
			return !conflict && (isEmpty(value) || isTotalWord(value));
		};
		const isText = (cell: unknown) => typeof cell === 'string' && /\p{L}/u.test(startOf(cell));
		return (
			this.payee.every(isEmptyOrTotal) &&
			Object.entries(columns).every(
				([header, cell]) => !isText(cell) || isTotalWord(cell) || this.choices.has(header),
			)
		);
	}

	/**
	 * Checks that each total is the sum of the rows above it, or of those since the total before it.
	 *
	 * @param rows all rows of the file that have a value
	 * @param read the rows that are no totals
	 * @returns the rows that are no payments
	 */
	check(rows: InputRow[], read: readonly ReadRow[]): LeftOut {
		const byItem = new Map(read.map((row) => [row.itemIndex, row]));
		const items = new Set<number>();
		const texts: string[] = [];
		const words = TEXTS[this.language].reading;
		let error: UserMessage | undefined;
		const above: ReadRow[] = [];
		let since = 0;
		let isComplete = false;
		// Between two totals, somebody without an amount is no note.
		const last = rows.findLastIndex((row) => !byItem.has(row.itemIndex) || !this.isNote(row));
		for (const [index, row] of rows.entries()) {
			const payment = byItem.get(row.itemIndex);
			if (payment) {
				if (isComplete && index > last) items.add(row.itemIndex);
				else above.push(payment);
				continue;
			}
			const total = this.totalOf(row);
			const unknown = above.find(({ values }) => !this.endpoint.amount(values));
			const sums = [above, above.slice(since)].map((part) => this.sumOf(part));
			const isSum = sums.findIndex((one) => one.total === total);
			if (unknown)
				error ??= userMessage('totalUnknown', {
					option: phrase('totalIn', {
						row: inEachLanguage((language) => itemName(row.itemIndex, language)),
					}),
					row: rowWords(this.endpoint, unknown),
				});
			else if (total === undefined || isSum === -1 || above.length === 0)
				error ??= userMessage('totalDiffers', {
					row: itemWords(row.itemIndex),
					total: showValue(this.cellOf(row)),
					sum: sums[0].text,
				});
			else texts.push(words.total(row.itemIndex + 1, sums[isSum].text));
			isComplete = isSum !== 1;
			since = above.length;
		}
		const notes = items.size;
		if (notes > 0) texts.push(words.notes(notes));
		return { items, texts, error };
	}

	/** Whether a row below the total of the file pays nothing: it has no amount, and nobody's number. */
	private isNote({ columns }: InputRow): boolean {
		const isFilled = (field: Field | undefined) =>
			field !== undefined &&
			/\d/.test(startOf(String(cellOf(columns, this.map, field).value ?? '')));
		return ![this.amount, ...this.payeeNumbers].some(isFilled);
	}

	private cellOf({ columns }: InputRow): unknown {
		return this.amount && cellOf(columns, this.map, this.amount).value;
	}

	private totalOf(row: InputRow): string | undefined {
		const { amount } = this;
		const result = amount?.validate(this.cellOf(row), {}, this.formats?.get(amount.name));
		return result?.ok ? canonicalAmount(result.value) : undefined;
	}

	/** The sum of rows, if they have one currency. */
	private sumOf(rows: ReadRow[]): { total?: string; text: string } {
		const sums = [...totalsOf(this.endpoint, rows)];
		return {
			...(sums.length === 1 && { total: sums[0][1] }),
			text:
				sums
					.map(([currency, amount]) => moneyWithCurrency(amount, currency, this.language))
					.join(` ${phrase('and')[this.language]} `) || '0',
		};
	}
}

function isTotalWord(cell: unknown): boolean {
	if (typeof cell !== 'string') return false;
	const words = wordsOf(cell);
	// `T O T A L` is one word.
	return [...words, words.join('')].some((word) => TOTAL_WORDS.has(word));
}
