import type { Field } from '../fields/field';
import { currencyOf } from '../fields/headers';
import { normalizeWord, wordsOf } from '../fields/text';
import { userMessage } from '../messages/userMessage';
import { currenciesByName, isCurrency, moneyIn } from './amount';
import { hasMoney, type Reading } from './mapping';
import { hold, type FileRow } from './rows';
import { ownCells } from './sheet';
import { letterOf, type Column } from './table';

/** The fields of which a file may state a value for all rows: the currency; or the token, then its network. */
export const STATED = new Set(['currencyType', 'asset', 'blockchain']);

/** What a file says of a field of `STATED`. */
interface Said {
	/** Every value that it names, or the word for it, if that has no value or several: `BOB`, `pesos`. */
	readonly texts: readonly string[];
	/** The one value that it certainly states. */
	readonly value?: string;
}

/** What a file says of all its rows, by field, and what its words may mean. */
export interface Stated {
	readonly said: ReadonlyMap<string, Said>;
	/** The values that a text may mean of a field of `STATED`, in any case; some of them are no values of the field. */
	meanings(field: Field, text: string): readonly string[];
}

/** What stands behind the name of a column, and may be a currency, a token or a network: `Neto (Q)`, `Monto UF`. */
const REST = /\(([\p{Lu}\d]{1,6})\)|\p{Ll}\s+(\p{Lu}{2,5})$/u;

/** The code of a token. */
const TOKEN = /^\p{Lu}{2,5}$/u;

/** What the parts of a sentence are separated by. */
const PARTS = /[():;,]/;

/** What comes before a currency in a sentence: `Expresado en dólares`. */
const IN = /(?:^|\s)(?:en|in)\s/i;

/** What the header of the amounts and that of the wallets name. Or else what is named anywhere else in the file. */
export function statedValues({ table, mapping, of }: Reading, notes: readonly FileRow[]): Stated {
	const byName = currenciesByName();
	const valueOf = ({ name, form: { options = [] } }: Field, text: string): string | undefined =>
		name === 'currencyType'
			? currencyOf(text)
			: options
					.map((option) => ('value' in option ? String(option.value) : ''))
					.find((value) => value !== '' && normalizeWord(value) === normalizeWord(text));
	const meanings = (field: Field, text: string) => {
		const value = valueOf(field, text);
		if (value !== undefined || field.name === 'blockchain')
			return value === undefined ? [] : [value];
		const currency = currencyOf(text);
		// A token is worth a dollar.
		if (currency !== undefined && currency !== 'USD') return [currency];
		return [...(byName.get(currency === 'USD' ? '$' : normalizeWord(text)) ?? [])];
	};
	const titles = [...table.titles, table.sheet.name];
	const noted = notes.flatMap(({ line }) => ownCells(line).map(([, { text }]) => text));
	const own = ['amount', 'destinationWallet'].flatMap(
		(field) => mapping.sources.get(field)?.columns[0] ?? [],
	);
	const headersOf = (columns: readonly Column[]) =>
		columns.flatMap(({ header, group, index }) =>
			[header.replace(`(${letterOf(index)})`, ''), group ?? []].flat(),
		);
	const others = headersOf(table.columns.filter(hasMoney));
	const said = new Map<string, Said>();
	const stated = of.fields.filter(({ name }) => STATED.has(name));
	for (const field of stated) {
		const textOf = (word: string) => {
			const found = meanings(field, word);
			return found.length > 1 ? normalizeWord(word) : found;
		};
		const wordsIn = (text: string) => {
			const words = text.split(/[\s()]+/);
			const meant = [...wordsOf(text), ...words].flatMap(textOf);
			// A currency that the service does not pay.
			const isForeign = (word: string) => field.name !== 'blockchain' && isCurrency(word);
			return meant.length > 0 ? meant : words.filter(isForeign);
		};
		const certainIn = (text: string) =>
			text.split(PARTS).flatMap((part, at, parts) => {
				const [whole, ...behind] = part.split(IN);
				if (behind.length > 0) {
					const [word] = behind[behind.length - 1].trim().split(/\s/);
					const meant = textOf(word);
					// `Retiros en BTC`: a token that the service does not have.
					return field.name === 'asset' && meant.length === 0 && TOKEN.test(word) ? [word] : meant;
				}
				// A rate, or a sum: `USD: 6.96`. A date stands before.
				return /\d/.test(parts.slice(at).join('')) ? [] : textOf(whole.trim());
			});
		const inHeader = headersOf(own).flatMap((header) => {
			const words = wordsIn(header);
			// A token says nothing of the network.
			const isOther = (word: string) => stated.some((one) => meanings(one, word).length > 0);
			const rest = REST.exec(header)
				?.slice(1)
				.filter((word) => word && !isOther(word));
			return words.length > 0 ? words : (rest ?? []);
		});
		const certain = titles.flatMap(certainIn).concat(others.flatMap(wordsIn));
		// A note is about some rows, but all payments of a file have one network.
		const more = noted.flatMap(field.name === 'blockchain' ? wordsIn : certainIn);
		const found = [inHeader, [...certain, ...more], titles.flatMap(wordsIn)];
		const texts = [...new Set(found.find(({ length }) => length > 0))];
		const isOne = texts.length === 1 && inHeader.length + certain.length > 0;
		said.set(field.name, { texts, ...(isOne && { value: valueOf(field, texts[0]) }) });
	}
	return { said, meanings };
}

/**
 * The currency, token or network of a payment. What the file states wins over a default, but not over the field's
 * column. The row is held if anything names another one.
 *
 * @param value of the column, or the default
 */
export function agreed(
	{ mapping }: Reading,
	row: FileRow,
	field: Field,
	value: unknown,
	{ said, meanings }: Stated,
): unknown {
	const { name } = field;
	const { texts, value: stated } = said.get(name) ?? { texts: [] };
	// The sign of an amount is the currency, or the token.
	const money = name === 'blockchain' ? undefined : moneyIn(mapping.cellsOf(row.line, 'amount')[0]);
	const sign = money?.sign ?? '';
	const meant = meanings(field, sign);
	const meaning = sign === '' ? stated : only(meant);
	const hasColumn = mapping.sources.has(name);
	const paid = hasColumn ? (value ?? meaning) : (meaning ?? value);
	if (hasColumn && mapping.cellsOf(row.line, name).length === 0)
		hold(row, userMessage('heldNoCurrency', { currency: String(paid) }));
	if (value === undefined) return paid;
	const own = String(value);
	const named = sign !== '' ? [sign] : hasColumn && texts.length > 1 ? [] : texts;
	const isMeant = (text: string) =>
		text === own || meanings(field, text).includes(only(meanings(field, own)) ?? own);
	if (named.every(isMeant)) return paid;
	if (sign !== '' && meant.length === 0) row.invalid.push(userMessage('rowSign', { sign }));
	const why = userMessage('heldCurrency', { sign: named.join(', '), own, currency: String(paid) });
	hold(row, why, sign === '' ? `stated.${name}=${named.join(', ')}` : undefined);
	return paid;
}

const only = <T>(values: readonly T[]): T | undefined =>
	values.length === 1 ? values[0] : undefined;
