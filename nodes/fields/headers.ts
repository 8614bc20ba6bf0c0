import type { IDataObject } from 'n8n-workflow';

import { phrase, type Words } from '../messages/userMessage';
import { ASSETS, type ValueAliases } from '../service/enums';
import { columnName, type Field, type HeaderNames } from './field';
import { grouped } from './grouped';
import { normalizeWord, wordsOf } from './text';
import { showValue } from './validateFields';
import { isEmpty } from './validators';

/** The fields that a whole name is split into. */
export interface WholeName {
	readonly names: string;
	readonly surnames: string;
	/** Headers of the field `names` that hold names of companies, which are not split. */
	readonly companyHeaders: readonly string[];
	/** Whether the values of a row say that it pays a company, whose name is not split. */
	isCompany(read: (field: string) => unknown): boolean;
}

export const AMOUNT_HEADERS: HeaderNames = {
	names: [
		...['Monto', 'Importe', 'Valor', 'Neto', 'Líquido'].flatMap((amount) =>
			['a pagar', 'a transferir', 'a depositar', 'a abonar'].map(
				(purpose) => `${amount} ${purpose}`,
			),
		),
		...['Neto', 'Líquido'].flatMap((amount) => [`${amount} a cobrar`, `${amount} a recibir`]),
		...['Monto', 'Importe', 'Sueldo', 'Salario'].flatMap((amount) =>
			['neto', 'líquido'].map((kind) => `${amount} ${kind} a pagar`),
		),
		...['Monto', 'Importe'].flatMap((amount) => [amount, `${amount} neto`, `${amount} líquido`]),
		...['Total a pagar', 'Líquido pagable', 'Neto pagado', 'Monto del pago', 'Monto de abono'],
		...['Monto de la transferencia', 'Monto transferencia'],
		...['Valor', 'Valor de la transacción', 'Valor transacción', 'Valor del pago'],
		...['Amount to pay', 'Payment amount', 'Net pay'],
	],
};

export const ASSET_HEADERS: HeaderNames = {
	names: ['Criptomoneda', 'Criptoactivo', 'Cryptocurrency', 'Token', 'Coin'],
};

export const BLOCKCHAIN_HEADERS: HeaderNames = {
	names: ['Red blockchain', 'Cadena de bloques', 'Red', 'Network', 'Chain'],
};

export const COUNTRY_HEADERS: HeaderNames = {
	names: ['País', 'País del banco', 'País de destino', 'País destino', 'Bank country'],
};

export const DESCRIPTION_HEADERS: HeaderNames = {
	names: [
		...['Glosa', 'Concepto', 'Concepto de pago', 'Motivo', 'Motivo de pago', 'Motivo del pago'],
		...['Descripción', 'Descripción del pago', 'Detalle'],
		...['Payment description', 'Purpose', 'Memo'],
	],
};

export const FUNDING_SOURCE_HEADERS: HeaderNames = {
	names: ['Origen de fondos', 'Origen de los fondos', 'Fuente de fondos', 'Source of funds'],
};

export const REFERENCE_HEADERS: HeaderNames = {
	names: ['Referencia externa', 'Referencia única', 'Unique reference'],
};

export const CURRENCY_ALIASES: ValueAliases = {
	BOB: ['Boliviano', 'Bolivianos', 'Bs'],
	CLP: ['Peso chileno', 'Pesos chilenos'],
	COP: ['Peso colombiano', 'Pesos colombianos'],
	PEN: ['Sol', 'Soles', 'Nuevo sol', 'Nuevos soles', 'S/'],
	USD: [
		...['Dólar', 'Dólares', 'Dólar americano', 'Dólares americanos'],
		...['Dólar estadounidense', 'Dólares estadounidenses'],
		...['US Dollar', 'US Dollars', 'US$', '$us', 'U$S'],
	],
};

export const FUNDING_SOURCE_ALIASES: ValueAliases = {
	balance: ['Saldo'],
	conversion: ['Conversión'],
};

/** Currencies by what people write for them, normalized, the longest first. */
const CURRENCY_BY_WORD: ReadonlyMap<string, string> = new Map(
	Object.entries(CURRENCY_ALIASES)
		.flatMap(([currency, words]) =>
			[currency, ...words].map((word) => [normalizeWord(word), currency] as const),
		)
		.sort(([a], [b]) => b.length - a.length),
);

/** The currency that a sign or word means, also `COP$`; undefined if nobody knows it. `$` is nobody's alone. */
export function currencyOf(text: string): string | undefined {
	const word = normalizeWord(text);
	return CURRENCY_BY_WORD.get(word) ?? CURRENCY_BY_WORD.get(word.replace('$', ''));
}

/** What an amount may be in, behind its name: a currency or a token. */
const MONEY_WORDS: ReadonlyArray<readonly [word: string, currency: string]> = [
	...CURRENCY_BY_WORD,
	...ASSETS.map(({ value }) => [normalizeWord(value), value] as const),
];

/** A normalized header without the currency or token at its end: `Monto (Bs)`, `Importe en dólares`, `Monto USDC`. */
function withoutCurrency(header: string): { name: string; currency: string } | undefined {
	const found = MONEY_WORDS.find(([end]) => header.endsWith(end));
	if (!found) return undefined;
	const [word, currency] = found;
	const name = header.slice(0, -word.length);
	return { name: name.endsWith('en') ? name.slice(0, -2) : name, currency };
}

/** The ordinals of names and surnames, which people write with digits, too. */
const ORDINALS = new Map([
	['primer', '1'],
	['segundo', '2'],
]);

/** A digit, and the letters behind it: `1`, `1er`, `2do`. */
const ORDINAL = /^([12])\p{L}{0,2}$/u;

/** Fewer letters are no abbreviation without another word. */
const MIN_LETTERS = 3;

/** Whether the words of a header abbreviate those of a name, in any order: `Ap. Pat.`, `1er apellido`, `Apellido 1`. */
function abbreviate(words: readonly string[], full: readonly string[]): boolean {
	return (
		words.length === full.length &&
		words.some(({ length }) => length >= MIN_LETTERS) &&
		full.every((one) =>
			words.some(
				(word) =>
					one.startsWith(word) ||
					(ORDINALS.has(one) && ORDINAL.exec(word)?.[1] === ORDINALS.get(one)),
			),
		)
	);
}

/** What a header means. */
export interface Meaning {
	/** The name of the field. */
	readonly field: string;
	/** `with`: only if another field has a column; see `HeaderNames`. */
	readonly how: 'known' | 'with' | 'whole' | 'part';
	/** Which part of the value it is, counted from 0. */
	readonly part?: number;
}

/** The fields that a header may mean; see `meaningsOf`. */
export type Meanings = (header: string) => Meaning | undefined;

/**
 * Decides what a header means, for files and for items. An own name of a field wins over what people call another one.
 *
 * @returns a function that gives the one meaning of a header; undefined if it has none
 */
export function meaningsOf(fields: readonly Field[]): Meanings {
	const known = new Map<string, Meaning>();
	const add = (field: Field, how: Meaning['how'], names: readonly string[] = []) => {
		for (const word of names.map(normalizeWord))
			if (word !== '' && !known.has(word)) known.set(word, { field: field.name, how });
	};
	for (const field of fields) add(field, 'known', [columnName(field), field.name, field.label]);
	for (const field of fields) {
		const { names, namesWith, whole } = field.headerAliases ?? {};
		add(field, 'known', names);
		add(field, 'with', namesWith?.names);
		add(field, 'whole', whole);
	}
	const parts = fields.flatMap(({ name: field, headerAliases }) =>
		(headerAliases?.parts ?? []).flatMap((names, part) =>
			names.map((name) => ({
				name: normalizeWord(name),
				full: wordsOf(name),
				meaning: { field, how: 'part', part } as const,
			})),
		),
	);
	const amounts = new Set(fields.flatMap(({ name, isAmount }) => (isAmount ? name : [])));
	return (header) => {
		const word = normalizeWord(header);
		const own = known.get(word);
		if (own) return own;
		const words = wordsOf(header);
		const part = parts.find(({ name, full }) => name === word || abbreviate(words, full));
		if (part) return part.meaning;
		const priced = known.get(withoutCurrency(word)?.name ?? '');
		return priced && amounts.has(priced.field) ? priced : undefined;
	};
}

/** Whether a header has a name of a field among other words: `Cuenta contable` may be the account. */
export function mayMean(field: Field): (header: string) => boolean {
	const wordsIn = (text: string) => ` ${wordsOf(text).join(' ')} `;
	const names = [field.label, ...(field.headerAliases?.names ?? [])].map(wordsIn);
	return (header) => {
		// `C.I.` is `CI`, but `Cta.Cte.` is two words.
		const [spaced, joined] = [header, header.replaceAll('.', '')].map(wordsIn);
		return names.some((words) => spaced.includes(words) || joined.includes(words));
	};
}

/** Which columns hold which fields, for all rows of a batch. */
export interface ColumnMap {
	/**
	 * Headers by field name. Usually one; several if the field has several known columns, which must not differ;
	 * several lists if several columns make one value.
	 */
	columns: ReadonlyMap<string, string[][]>;
	/** The currencies that headers of amounts name: BOB for `Monto (Bs)`. */
	currencies: ReadonlyMap<string, string>;
}

/**
 * Finds the columns of each field among items: the one that the user chose; otherwise those that mean it.
 *
 * @param headers of all rows: a row may lack those of its empty cells
 * @param chosen the headers that the user chose, by field name; each is one of `headers`
 */
export function mapColumns(
	headers: string[],
	fields: Field[],
	chosen: ReadonlyMap<string, string> = new Map(),
): ColumnMap {
	const meaningOf = meaningsOf(fields);
	const taken = new Set(chosen.values());
	const found = headers.flatMap((header) => {
		const meaning = taken.has(header) ? undefined : meaningOf(header);
		return meaning ? [{ header, ...meaning }] : [];
	});
	const columns = new Map<string, string[][]>();
	for (const { name } of fields) {
		const own = found.filter(({ field }) => field === name);
		const known = own.filter(({ how }) => how === 'known').map(({ header }) => header);
		const parts = own
			.filter(({ how }) => how === 'part')
			.sort((a, b) => (a.part ?? 0) - (b.part ?? 0));
		const choice = chosen.get(name);
		if (choice !== undefined) columns.set(name, [[choice]]);
		else if (known.length > 0) columns.set(name, [known]);
		else if (parts[0]?.part === 0)
			columns.set(
				name,
				[...grouped(parts, ({ part }) => part).values()].map((part) =>
					part.map(({ header }) => header),
				),
			);
	}
	for (const { name, headerAliases } of fields) {
		const [own = [], ...parts] = columns.get(name) ?? [];
		const names = found.filter(({ field, how }) => field === name && how === 'with');
		if (chosen.has(name) || parts.length > 0 || names.length === 0) continue;
		if (columns.has(headerAliases?.namesWith?.field ?? ''))
			columns.set(name, [[...own, ...names.map(({ header }) => header)]]);
	}
	const ofAmounts = fields.flatMap(({ name, isAmount }) =>
		isAmount ? (columns.get(name)?.flat() ?? []) : [],
	);
	const currencies = ofAmounts.flatMap((header) => {
		const priced = withoutCurrency(normalizeWord(header));
		return priced ? [[header, priced.currency] as const] : [];
	});
	return { columns, currencies: new Map(currencies) };
}

/** The value of a row under a header. Inherited properties don't count. */
export function cellUnder(row: IDataObject, header: string): unknown {
	return Object.hasOwn(row, header) ? row[header] : undefined;
}

/** The cell of a field; `conflict` has the headers if its columns hold different values. */
export function cellOf(
	row: IDataObject,
	{ columns }: Pick<ColumnMap, 'columns'>,
	field: Field,
): { value?: unknown; conflict?: string[] } {
	const found: unknown[] = [];
	for (const headers of columns.get(field.name) ?? []) {
		const filled = headers.filter((header) => !isEmpty(cellUnder(row, header)));
		if (filled.length === 0) continue;
		const value = row[filled[0]];
		if (filled.some((header) => textOf(row[header]) !== textOf(value))) return { conflict: filled };
		found.push(value);
	}
	if (found.length < 2) return { value: found[0] };
	// The field's validator rejects a part that is not text.
	const other = found.find((part) => typeof part !== 'string');
	return { value: other ?? found.map((part) => String(part).trim()).join(' ') };
}

/** The text of a cell: a number and its text are the same. */
const textOf = (cell: unknown): string =>
	typeof cell === 'string' ? cell.trim() : (JSON.stringify(cell) ?? '');

/** How many headers a message shows. */
const MAX_SHOWN = 40;

/** The headers of the input, as many as a message can show. */
export function columnsFound(headers: string[]): Words {
	const shown = headers.slice(0, MAX_SHOWN).map(showValue).join(', ');
	const more = headers.length - MAX_SHOWN;
	const columns = more > 0 ? phrase('andMore', { shown, count: more }) : shown;
	return phrase('columnsFound', { columns });
}
