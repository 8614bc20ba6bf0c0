import { currencyOf } from '../fields/headers';
import { parseDecimal, provenFormat, type AmountFormat } from '../fields/money';
import { wordsOf } from '../fields/text';
import type { Cell } from './sheet';

/** An amount as a cell shows it. */
export interface Money {
	/** The number, or the text of it without what stands around it. */
	readonly raw: string | number;
	/** What stands around it: a currency, or something that nobody knows. */
	readonly sign: string;
}

/** What people write behind an amount without cents, or so that nobody adds a digit: `1.250.-`, `***1.250,00`. */
const FILLED = /^\*{2,}|(?<!\*)\*{2,}$|[.,][-\u2013\u2014]$/g;

/** An apostrophe that separates thousands, or millions if another sign does: `1'250,000`. It becomes that sign. */
const APOSTROPHE = /(?<=\d)['’](?=\d{3}(?!\d)(?:([.,])\d{3}(?!\d))?)/g;

/** What stands before a number, the number, and what stands behind it. */
const PARTS = /^(\D*?)(-?\d(?:.*\d)?)(\D*)$/s;

/** The amount in a cell; undefined if it has no digit, or is a date or a percentage. */
export function moneyIn(cell: Cell | undefined): Money | undefined {
	if (cell?.kind === 'number' && cell.number !== undefined)
		return { raw: cell.number, sign: cell.currency ?? '' };
	if (cell?.kind !== 'text') return undefined;
	const [, before, number, after] = PARTS.exec(cell.text.replace(FILLED, '')) ?? [];
	if (number === undefined) return undefined;
	return {
		raw: number.replace(APOSTROPHE, '$1'),
		sign: cell.currency ?? `${before} ${after}`.trim().replace(/[.:]$/, ''),
	};
}

/** How most amounts are written that have no cents. */
export const COMMA: AmountFormat = { decimal: ',', isChosen: true };

/** The number of a cell with the format of its column. Without one, what it may be: that is enough to know its shape. */
export function numberIn(cell: Cell | undefined, format?: AmountFormat): number | undefined {
	const money = moneyIn(cell);
	if (money === undefined) return undefined;
	const known = formatOf([cell], format);
	const formats = known ? [known] : [undefined, COMMA];
	const found = formats.map((one) => parseDecimal(money.raw, undefined, one)).find(({ ok }) => ok);
	return found?.ok ? Number(found.value) : undefined;
}

/** The format that the texts of a column prove. */
export function columnFormat(cells: ReadonlyArray<Cell | undefined>): AmountFormat | undefined {
	return provenFormat(cells.map((cell) => moneyIn(cell)?.raw));
}

/** How an amount is read: as `4,180.75`, in the only way; otherwise as the others of its column. */
export const formatOf = (
	cells: ReadonlyArray<Cell | undefined>,
	format: AmountFormat | undefined,
): AmountFormat | undefined => columnFormat(cells) ?? format;

/** The sum of amounts in cents, so that no binary fraction is added up. Undefined without an amount. */
export function sumOf(amounts: readonly number[]): number | undefined {
	return amounts.length === 0
		? undefined
		: Number((Math.round(amounts.reduce((sum, one) => sum + one, 0) * 1e8) / 1e8).toPrecision(15));
}

/** The codes of all currencies. */
const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));

/**
 * Currencies by what people call them without their country: `euros`, `pesos`. Of a name with more words, the first is
 * something else, as in `nuevos dólares taiwaneses`.
 */
export function currenciesByName(): ReadonlyMap<string, ReadonlySet<string>> {
	const byName = new Map<string, Set<string>>([['$', new Set(DOLLARS)]]);
	for (const currency of CURRENCIES)
		for (const language of ['es', 'en']) {
			const format = { style: 'currency', currency, currencyDisplay: 'name' } as const;
			const parts = new Intl.NumberFormat(language, format).formatToParts(2);
			const words = wordsOf(parts.find(({ type }) => type === 'currency')?.value ?? '');
			const name = words.at(language === 'es' ? 0 : -1) ?? '';
			if (words.length <= 2 && name.length > currency.length)
				byName.set(name, (byName.get(name) ?? new Set()).add(currency));
		}
	return byName;
}

/** What `$` alone may mean: the currency of a country, or a token. */
const DOLLARS = ['COP', 'CLP', 'USD', 'USDT', 'USDC'];

/** Whether a text is a currency, of the service or not, and nothing else. */
export const isCurrency = (text: string): boolean =>
	currencyOf(text) !== undefined || CURRENCIES.has(text) || /^\S{0,3}\p{Sc}$/u.test(text);

/** Whether a text speaks of cents or thousands, which an amount in it may be. */
export function namesUnit(text: string): boolean {
	return wordsOf(text).some((word) => UNIT.test(word)) || THOUSANDS.test(text);
}

/** Three zeros that are no part of a number: `(000)`, `USD '000`. */
const THOUSANDS = /(?<![\d.,])000(?!\d)/;

const UNIT = /^(cents?|centavos?|centimos?|miles|thousands?)$/;
