import { CURRENCY_BY_WORD, withoutCurrency } from '../fields/columns';
import { columnName, type Field } from '../fields/field';
import { abbreviates } from '../fields/personNames';
import { normalizeWord, wordsOf } from '../fields/text';
import { numberIn } from './amount';
import type { Cell } from './sheet';

/** What is read from a file: the fields of a payment, and what shows that a row pays somebody. */
export interface PaymentTable {
	readonly fields: readonly Field[];
	/** The fields of which a payment has at least one. The first identifies the payee. */
	readonly payeeFields: readonly string[];
	/** The field with names, and that with surnames, into which a whole name is split. */
	readonly wholeName?: {
		readonly names: string;
		readonly surnames: string;
		readonly headers: readonly string[];
		readonly companyHeaders: readonly string[];
		isCompany(read: (field: string) => unknown): boolean;
	};
}

/**
 * What a header means for a field:
 * - `known`: this field and no other
 * - `with`: this field, if another one has a column (names next to surnames)
 * - `alone`: this field, if no other column may mean it
 * - `whole`: a whole name
 * - `part`: one of several columns that make its value
 * - `possible`: offered to whoever is asked
 */
export type Relation = 'known' | 'with' | 'alone' | 'whole' | 'part' | 'possible';

/** Words of fewer letters may be parts of unrelated words. */
const MIN_PART_LENGTH = 5;

/** The relation of a header to a field. */
export type Relations = (header: string, field: Field) => Relation | undefined;

/** The relations of headers to the fields of a table, each computed once. */
export function relationsOf(table: PaymentTable): Relations {
	const names = new Map(table.fields.map((field) => [field.name, namesOf(field, table)]));
	const cache = new Map<string, Relation | undefined>();
	return (header, field) => {
		const word = normalizeWord(header);
		const key = `${field.name} ${word}`;
		if (word !== '' && !cache.has(key)) {
			const own = names.get(field.name);
			const priced = field.isAmount ? withoutCurrency(word)?.name : undefined;
			const others = isPart(header, field) ? 'part' : suggests(header, field);
			cache.set(key, own?.get(word) ?? own?.get(priced ?? '') ?? others);
		}
		return cache.get(key);
	};
}

const isPart = (header: string, { headerAliases }: Field): boolean =>
	(headerAliases?.parts ?? []).flat().some((name) => abbreviates(header, name));

/** The names of a field, normalized. The first relation of a name counts. */
function namesOf(field: Field, { wholeName }: PaymentTable): ReadonlyMap<string, Relation> {
	const { names = [], fallbacks = [], namesWith } = field.headerAliases ?? {};
	const relations = new Map<string, Relation>();
	const add = (list: readonly string[], relation: Relation) => {
		for (const name of list.map(normalizeWord))
			if (!relations.has(name)) relations.set(name, relation);
	};
	add([columnName(field), field.name, field.label, ...names], 'known');
	add(namesWith?.names ?? [], 'with');
	add(fallbacks, 'alone');
	if (wholeName?.names === field.name) add(wholeName.headers, 'whole');
	return relations;
}

/** `possible`, if a header has a word that may mean a field. */
function suggests(header: string, { headerAliases }: Field): Relation | undefined {
	// `C.I.` is `CI`, but `Cta.Cte.` is two words.
	const words = [header, header.replaceAll('.', '')].flatMap(wordsOf);
	const phrase = ` ${words.join(' ')} `;
	const isSuggested = (headerAliases?.suggestions ?? []).some(
		(word) =>
			phrase.includes(` ${word} `) ||
			(word.length >= MIN_PART_LENGTH && words.some((one) => one.includes(word))),
	);
	return isSuggested ? 'possible' : undefined;
}

/** The columns that make one value of a field, in its order, such as both surnames. */
export function partsOf<T extends { header: string }>(columns: readonly T[], field: Field): T[] {
	const parts = (field.headerAliases?.parts ?? []).map((names) =>
		columns.find(({ header }) => names.some((name) => abbreviates(header, name))),
	);
	return parts[0] ? parts.filter((part) => part !== undefined) : [];
}

/** The currency that a sign or word means; undefined if nobody knows it. `$` is nobody's alone. */
export function currencyOf(text: string): string | undefined {
	return CURRENCY_BY_WORD.get(normalizeWord(text));
}

/** Whether a column has currencies and nothing else, whatever it is called. */
export function areCurrencies(cells: readonly Cell[]): boolean {
	return cells.every(({ text }) => currencyOf(text) !== undefined);
}

/** The currencies that a header or a title names: `Monto (Bs)`, `Expresado en bolivianos`. */
export function currenciesIn(text: string): string[] {
	const words = [...wordsOf(text), ...text.split(/[\s()]+/)];
	return [...new Set(words.flatMap((word) => (word === '' ? [] : (currencyOf(word) ?? []))))];
}

/** A code or sign of a currency that the service does not pay, in the header of an amount: `Neto (Q)`. */
export function otherCurrencyIn(header: string): string | undefined {
	otherSigns ??= new Set(Intl.supportedValuesOf('currency').flatMap(signsOf));
	return header
		.split(/[\s()[\]:,]+/)
		.find((word) => otherSigns?.has(word) === true && currencyOf(word) === undefined);
}

/** The codes and signs of all currencies, as Unicode lists them, without `$`, which several have. */
let otherSigns: ReadonlySet<string> | undefined;

function signsOf(currency: string): string[] {
	const format = { style: 'currency', currency, currencyDisplay: 'narrowSymbol' } as const;
	const parts = new Intl.NumberFormat('en', format).formatToParts(0);
	const sign = parts.find(({ type }) => type === 'currency')?.value ?? '';
	return [currency, ...(sign === '$' ? [] : [sign])];
}

/** Whether a text speaks of cents or thousands, which an amount in it may be. */
export function namesUnit(text: string): boolean {
	return wordsOf(text).some((word) => UNIT.test(word)) || text.includes('(000)');
}

const UNIT = /^(cents?|centavos?|centimos?|miles|thousands?)$/;

const digitsIn = (text: string): number => text.replace(/\D/g, '').length;

/** A number with cents, which is neither an account nor a document. */
const WITH_CENTS = /^\d+[.,]\d{1,2}$/;

/** Whether most cells of a column may be values of a field, by their shape. */
export function fits(cells: readonly Cell[], field: Field): boolean {
	const shape = shapeOf(field);
	const isEnough = cells.filter(shape).length >= cells.length / 2;
	return isEnough && (!field.isAmount || cells.some((cell) => (numberIn(cell) ?? 0) > 0));
}

function shapeOf({ name, isAmount, form }: Field): (cell: Cell) => boolean {
	if (isAmount) return (cell) => numberIn(cell) !== undefined;
	const isNumber =
		(digits: number) =>
		({ kind, text }: Cell) =>
			digitsIn(text) >= digits && kind !== 'date' && !WITH_CENTS.test(text);
	if (name === 'destinationAccount') return isNumber(4);
	if (name === 'destinationIdNumber') return isNumber(5);
	if (name === 'destinationWallet' || name === 'image') return ({ text }) => text.length >= 20;
	if (name === 'bankCode')
		return ({ kind, text }) => kind !== 'date' && text.length < 40 && digitsIn(text) < 7;
	if (form.options)
		return ({ kind, text }) => kind === 'text' && text.length < 30 && digitsIn(text) < 3;
	return ({ text }) => /\p{L}/u.test(text);
}

/** Fields that say how much, to whom and where: another column that may be meant is asked about. */
const STEERING = new Set([
	...['destinationAccount', 'destinationIdNumber', 'bankCode', 'currencyType', 'country'],
	...['destinationWallet', 'blockchain', 'asset', 'image'],
]);

export function steers({ name, isAmount }: Field): boolean {
	return isAmount === true || STEERING.has(name);
}

/** The shape of an IBAN, whose digits check themselves. */
const IBAN = /^[A-Z]{2}\d{2}[\dA-Z]{11,30}$/;

/** Whether the check digits of an IBAN or of the content of an EMV QR code are wrong. Other texts have none. */
export function hasWrongCheckDigits(text: string): boolean {
	if (IBAN.test(text)) {
		const digits = [...text.slice(4), ...text.slice(0, 4)].map((sign) => Number.parseInt(sign, 36));
		return BigInt(digits.join('')) % 97n !== 1n;
	}
	if (!text.startsWith('000201')) return false;
	return crc16(text.slice(0, -4)) !== text.slice(-4).toUpperCase();
}

/** CRC-16/CCITT-FALSE in four hexadecimal digits, with which the content of an EMV QR code ends. */
function crc16(text: string): string {
	let crc = 0xffff;
	for (const byte of new TextEncoder().encode(text)) {
		crc ^= byte << 8;
		for (let bit = 0; bit < 8; bit++)
			crc = (crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1) & 0xffff;
	}
	return crc.toString(16).toUpperCase().padStart(4, '0');
}
