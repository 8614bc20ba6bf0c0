import type { IDataObject } from 'n8n-workflow';

import { cellOf, CURRENCY_BY_WORD } from '../fields/columns';
import type { Field } from '../fields/field';
import { capitalized, normalizeWord, wordsOf } from '../fields/text';
import { showValue } from '../fields/validateFields';
import { isEmpty } from '../fields/validators';
import { type UserMessage, inEachLanguage } from '../service/messages';
import { matches, startOf } from '../service/outsideText';
import { cellsOfItem, type BatchContext } from './batchContext';
import type { ColumnMapping } from './columnMapping';
import { findHeaderRow } from './inputRows';
import { userMessage } from './messages';
import type { Row } from './payment';
import { itemWords, rowWords } from './rowName';

/** What a check of a whole file looks at. */
interface File {
	batch: BatchContext;
	rows: readonly Row[];
	map: ColumnMapping['map'];
	/** The field of amounts that has a column. */
	amount: Field;
}

/**
 * Asks about amounts that the reading node may have changed, or that titles say to be others. Each of them alone
 * would be valid.
 *
 * @param titles the cells above the column names
 */
export function misreadFile(
	batch: BatchContext,
	rows: readonly Row[],
	{ map }: ColumnMapping,
	titles: readonly string[],
): UserMessage | undefined {
	const amount = batch.endpoint.fields.find(
		({ isAmount, name }) => isAmount && map.columns.has(name),
	);
	if (!amount) return undefined;
	const file = { batch, rows, map, amount };
	return (
		secondTable(file) ??
		titleError(file, titles) ??
		missingCurrency(file) ??
		hundredfold(file) ??
		thousandth(file) ??
		splitCents(file)
	);
}

/** Asks about column names among the rows: those below it may have other columns. */
function secondTable({ batch, rows }: File): UserMessage | undefined {
	const invalid = rows.filter(({ errors }) => errors.length > 0);
	const lines = invalid.map(({ itemIndex }) => Object.values(cellsOfItem(batch, itemIndex)));
	const number = findHeaderRow(lines, batch.endpoint);
	return number === undefined
		? undefined
		: userMessage('secondTable', { row: itemWords(invalid[number - 1].itemIndex) });
}

/** Words before the unit of all amounts: `(Expresado en bolivianos)`, `Moneda: USD`. */
const UNIT_FOLLOWS = new Set(['en', 'in', 'moneda', 'currency']);

/** Words between these and the unit: `Moneda de pago: USD`, `Miles de Bs`. */
const BEFORE_UNIT = new Set(['de', 'del', 'la', 'pago', 'abono', 'planilla', 'of']);

const MULTIPLES = new Set(['miles', 'millones', 'thousands', 'millions']);

/** The words of a title that may name the unit. */
function unitWords(title: string): string[] {
	return title
		.split(/[\s:()]+/)
		.map(normalizeWord)
		.filter((word) => word !== '' && !BEFORE_UNIT.has(word));
}

/** What may be the unit: the words after `en`, and all of a title or of its brackets: `Moneda:` is another cell. */
function possibleUnits(title: string): string[][] {
	const words = unitWords(title);
	const isUnit = (part: string[]) => {
		const name = part.filter((word) => !MULTIPLES.has(word)).join('');
		return name === '' || CURRENCY_BY_WORD.has(name);
	};
	return [
		...words.flatMap((word, index) =>
			UNIT_FOLLOWS.has(word) ? [words.slice(index + 1, index + 3)] : [],
		),
		...(words.includes('cambio') ? [] : title.split(/[()]/).map(unitWords).filter(isUnit)),
	];
}

/** Asks about titles which say that the amounts are in another currency, or in thousands. */
function titleError(
	{ batch: { endpoint }, rows }: File,
	titles: readonly string[],
): UserMessage | undefined {
	const named = new Map<string, string>();
	for (const title of titles.map(startOf)) {
		for (const [first = '', second = ''] of possibleUnits(title)) {
			if (MULTIPLES.has(first)) return userMessage('titleInThousands', { title: showValue(title) });
			const currency = CURRENCY_BY_WORD.get(`${first}${second}`) ?? CURRENCY_BY_WORD.get(first);
			if (currency !== undefined) named.set(currency, title);
		}
	}
	const [[currency, title] = []] = named;
	if (currency === undefined || title === undefined) return undefined;
	const other = rows
		.map(({ values }) => endpoint.amount(values)?.currency)
		.find((one) => one !== undefined && one !== '' && !named.has(one));
	return other === undefined
		? undefined
		: userMessage('titleInOtherCurrency', { title: showValue(title), currency, other });
}

/** Asks about rows without a currency whose default is not that of the other rows: a merged cell, perhaps. */
function missingCurrency({ batch, rows, map }: File): UserMessage | undefined {
	const { endpoint } = batch;
	const currencyOf = ({ values }: Row) => endpoint.amount(values)?.currency ?? '';
	const column = endpoint.fields.find(
		({ name, form }) =>
			form.options &&
			map.columns.has(name) &&
			rows.every((row) => currencyOf(row) === '' || row.values[name] === currencyOf(row)),
	);
	if (!column) return undefined;
	const hasCell = ({ itemIndex }: Row) =>
		!isEmpty(cellOf(cellsOfItem(batch, itemIndex), map, column).value);
	const given = new Set(rows.filter(hasCell).map(currencyOf));
	given.delete('');
	const found = rows.find(
		(row) =>
			!hasCell(row) && currencyOf(row) !== '' && given.size > 0 && !given.has(currencyOf(row)),
	);
	return (
		found &&
		userMessage('currencyMissingInRows', {
			row: inEachLanguage((language) => capitalized(rowWords(endpoint, found)[language])),
			currency: currencyOf(found),
			other: [...given].join(', '),
		})
	);
}

/** The fewest amounts among which one can stand out. */
const MIN_AMOUNTS = 3;

/** The amounts of rows that the reading node gave as numbers. */
function numbersIn({ batch, rows, map, amount }: File): Array<{ row: Row; value: number }> {
	// A maximum says that the amounts are as they were meant.
	if (batch.options.maximumAmount !== undefined) return [];
	return rows.flatMap((row) => {
		const { value } = cellOf(cellsOfItem(batch, row.itemIndex), map, amount);
		return typeof value === 'number' ? [{ row, value }] : [];
	});
}

/**
 * Asks about a whole number that would be an amount like the others if it were divided by 100. If n8n reads a CSV
 * file without RAW Data, `2650,50` becomes 265050.
 */
function hundredfold(file: File): UserMessage | undefined {
	const amounts = numbersIn(file);
	const sorted = amounts.map(({ value }) => value).sort((a, b) => a - b);
	const median = sorted[Math.floor((sorted.length - 1) / 2)];
	const usual = sorted.filter((value) => value < median * 10);
	if (sorted.length < MIN_AMOUNTS || usual.length < 2) return undefined;
	const found = amounts.find(
		({ value }) =>
			Number.isInteger(value) &&
			value > usual[usual.length - 1] * 10 &&
			value / 100 >= usual[0] / 2 &&
			value / 100 <= usual[usual.length - 1] * 2,
	);
	return (
		found &&
		userMessage('amountHundredfold', {
			row: rowWords(file.batch.endpoint, found.row),
			value: found.value,
			usual: usual[usual.length - 1],
		})
	);
}

/** Currencies of which 1,000 are worth less than a dollar. */
const SMALL_UNITS = new Set(['CLP', 'COP']);

/** Thousands and millions, separated by dots or commas. */
const MILLIONS = /^\d{1,3}([.,])\d{3}\1\d{3}/;

/**
 * Asks about a number that is so small that it may have lost its thousands. If n8n reads a CSV file without RAW Data,
 * `350.000` becomes 350, but `1.250.000` stays a text.
 */
function thousandth(file: File): UserMessage | undefined {
	const { batch, rows, map, amount } = file;
	const isMillions = (row: Row) => {
		const { value } = cellOf(cellsOfItem(batch, row.itemIndex), map, amount);
		return typeof value === 'string' && matches(MILLIONS, value.trim());
	};
	const found = numbersIn(file).find(
		({ row: { values }, value }) =>
			value > 0 &&
			value < 1_000 &&
			(SMALL_UNITS.has(batch.endpoint.amount(values)?.currency ?? '') || rows.some(isMillions)),
	);
	return (
		found &&
		userMessage('amountThousandth', {
			row: rowWords(batch.endpoint, found.row),
			value: found.value,
		})
	);
}

/** Words in headers of columns that hold texts. */
const TEXT_WORDS = new Set([
	...['observaciones', 'observacion', 'obs', 'comentarios', 'comentario', 'notas', 'nota'],
	...['notes', 'firma', 'email', 'correo', 'glosa', 'detalle', 'concepto', 'cargo', 'puesto'],
]);

/** An amount that a comma has split: 2520 and 50, 2.520 and 50, or 2 and 520.50. */
const SPLIT_AMOUNT = /^(\d{1,3},\d{3}([.,]\d\d)?|\d+(\.\d{3})*,\d\d?)$/;

/**
 * Asks about the rest of amounts in the column after theirs. If a comma separates decimals and columns, `2520,50`
 * becomes 2520 and 50, and `3666` leaves that column empty.
 */
function splitCents({ batch, rows, map, amount }: File): UserMessage | undefined {
	const purpose = map.columns.get(batch.endpoint.purpose ?? '')?.flat() ?? [];
	const [header, ...others] = map.columns.get(amount.name)?.flat() ?? [];
	if (header === undefined || others.length > 0) return undefined;
	const lines = rows.map(({ itemIndex }) => cellsOfItem(batch, itemIndex));
	const splitIn = (line: IDataObject) => {
		const cells = Object.entries(line);
		const at = cells.findIndex(([name]) => name === header);
		const [[, start] = [], [next = '', rest] = []] = cells.slice(at, at + 2);
		return matches(SPLIT_AMOUNT, `${textOf(start)},${textOf(rest)}`) ? next : undefined;
	};
	const column = lines.map(splitIn).find((next) => next !== undefined);
	if (column === undefined) return undefined;
	const isText = purpose.includes(column) || wordsOf(column).some((word) => TEXT_WORDS.has(word));
	// No other number begins with 0.
	const isRest =
		map.unmapped.includes(column) && lines.some((line) => /^0\d/.test(textOf(line[column])));
	return (isText || isRest) &&
		lines.every((line) => isEmpty(line[column]) || splitIn(line) === column)
		? userMessage('centsInNextColumn', { column: showValue(column) })
		: undefined;
}

function textOf(cell: unknown): string {
	return isEmpty(cell) ? '' : startOf(String(cell)).trim();
}
