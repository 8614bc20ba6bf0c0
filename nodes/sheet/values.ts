import { asWords, userMessage } from '../messages/userMessage';
import { currencyOf } from '../fields/headers';
import { withNames, type Field } from '../fields/field';
import { pageLabelWords } from '../fields/labels';
import { normalizeWord, wordsOf } from '../fields/text';
import type { AmountFormat } from '../fields/money';
import { NAME_ORDERS, splitName } from '../fields/personNames';
import { validateFields, type ValidationError } from '../fields/validateFields';
import { bankNameKey, isGrouped, withoutSeparators, type Values } from '../fields/validators';
import { currenciesIn, moneyIn, isCurrency, namesUnit } from './amount';
import { hasDefault, type Mapping, type PaymentTable } from './mapping';
import {
	ANSWER,
	choice,
	readingQuestion,
	type Answers,
	type Candidate,
	type Question,
	type Settings,
} from './question';
import { leaveOut, type FileRow } from './rows';
import type { Cell } from './sheet';
import type { Table } from './table';

/** A payment that is read, with its values as they are sent. */
export interface ReadRow extends FileRow {
	values: Values;
}

/** How the values of all rows are read. */
interface Reading {
	readonly table: Table;
	readonly of: PaymentTable;
	readonly mapping: Mapping;
	readonly settings: Settings;
	readonly answers: Answers;
	readonly format: AmountFormat | undefined;
	/** Asks once, however many rows ask, and never what has an answer. */
	ask(question: Question): void;
}

/** Reads the values of payments, and marks rows that cannot be paid, or not before somebody confirms it. */
export function valueReader(reading: Reading): (row: FileRow) => Values {
	const { of, settings, answers, format } = reading;
	const banks = settings.valueNames.get('bankCode');
	const codes = banks && new Map([...banks].map(([name, code]) => [bankNameKey(name), code]));
	const fields = of.fields.map((field) => withNames(field, codes));
	const formats = new Map(format && of.fields.map(({ name }) => [name, format] as const));
	const stated = statedValues(reading);
	const zeros = new Map(of.payeeFields.map((name) => [name, digitsWithZeros(reading, name)]));
	askUnit(reading);
	return (row) => {
		const raw = rawValues(reading, row, stated);
		for (const [name, digits] of zeros)
			for (const { kind, text } of cellsOf(reading, row, name))
				if (kind === 'number' && text.length < digits)
					row.holds.push(userMessage('heldZeros', { text }));
		const { values, errors } = validateFields(fields, ({ name }) => raw.get(name), formats);
		if (row.invalid.length > 0) return values;
		for (const error of errors) {
			const field = fields.find(({ label }) => label === error.field);
			const question =
				field && questionOf(reading, field, cellsOf(reading, row, field.name), error);
			const answer = question && answers.get(question.id);
			if (answer === ANSWER.leaveOut) leaveOut(row, invalid(error));
			// Nobody can pay what its field rejects in spite of the answer.
			else if (!question || answer !== undefined) row.invalid.push(invalid(error));
			else reading.ask(question);
		}
		for (const { name, label } of fields) {
			const text = String(values[name] ?? '');
			if ((name === 'destinationAccount' || name === 'image') && hasWrongCheckDigits(text))
				row.invalid.push(
					userMessage('rowCheckDigits', { field: pageLabelWords(label), text: text.slice(0, 40) }),
				);
		}
		checkCurrency(reading, row, values, stated);
		return values;
	};
}

const invalid = (error: ValidationError) =>
	userMessage('rowValueInvalid', {
		field: pageLabelWords(error.field),
		value: error.value ?? '',
		reason: asWords(error),
	});

function cellsOf({ table, mapping }: Reading, { line }: FileRow, field: string): Cell[] {
	return (mapping.sources.get(field)?.columns ?? []).flatMap(
		({ index }) => table.at(line, index) ?? [],
	);
}

/** How many digits the longest text of a column has that begins with a zero: a number next to it may have lost its own. */
function digitsWithZeros({ mapping }: Reading, field: string): number {
	const cells = mapping.sources.get(field)?.columns.flatMap((column) => column.cells) ?? [];
	return Math.max(0, ...cells.flatMap(({ text }) => (/^0\d+$/.test(text) ? text.length : [])));
}

/** The text of a field's cells. */
const textOf = (cells: readonly Cell[]): string =>
	cells
		.map((cell) => cell.text)
		.join(' ')
		.trim();

/** The kinds of cells that have no value that can be paid. */
const UNREADABLE = new Set(['date', 'percent', 'error']);

/** What the cells of a row have for each field, or the defaults. */
function rawValues(reading: Reading, row: FileRow, stated: Stated): Map<string, unknown> {
	const { of, settings, answers } = reading;
	const raw = new Map<string, unknown>();
	for (const field of of.fields) {
		const { name, label, isAmount } = field;
		const cells = cellsOf(reading, row, name);
		const text = textOf(cells);
		for (const { kind, text: shown } of cells)
			if (UNREADABLE.has(kind))
				row.invalid.push(
					userMessage('rowUnreadable', { field: pageLabelWords(label), text: shown }),
				);
		const meaning =
			answers.get(`values.${name}=${text}`) ?? settings.valueNames.get(name)?.get(text);
		if (text === '' || meaning === ANSWER.empty) {
			const value = hasDefault(field, settings.defaults) ? settings.defaults.get(name) : undefined;
			raw.set(name, answers.get(`stated.${name}=${stated.get(name)}`) ?? value ?? stated.get(name));
		} else if (meaning === ANSWER.leaveOut) {
			leaveOut(row, userMessage('rowLeftOut'));
		} else if (isAmount) {
			raw.set(name, moneyIn(cells[0])?.raw ?? text);
		} else {
			raw.set(name, meaning ?? valueOf(field, cells, text, answers));
		}
	}
	readNames(reading, raw);
	return raw;
}

/** A cell as its field reads it. A bank code that is a number has lost its zeros. */
function valueOf({ name }: Field, [cell]: Cell[], text: string, answers: Answers): unknown {
	const parted = numberAround(name, text);
	if (parted && answers.get(parted.id) === ANSWER.number) return parted.number;
	if (name === 'bankCode' && cell.kind === 'number') return cell.number;
	if (name === 'currencyType') return currencyOf(text) ?? text;
	return text;
}

/** A document in parts: `12.345.678-5`, `2345 67890 0101`. */
const SEPARATED_DOCUMENT = /^\d+([ .-]\d+){1,6}$/;

/** The number in a text of which only a person knows whether the rest belongs to it, and the question that asks. */
function numberAround(field: string, text: string): { id: string; number: string } | undefined {
	if (field === 'destinationAccount' && isGrouped(text))
		return { id: 'accountSeparators', number: withoutSeparators(text) };
	return field === 'destinationIdNumber' && SEPARATED_DOCUMENT.test(text)
		? { id: 'documentSeparators', number: text.replace(/\D/g, '') }
		: undefined;
}

/** Splits a whole name. The order that its header states wins. */
function readNames(
	{ of: { wholeName }, mapping, answers, ask }: Reading,
	raw: Map<string, unknown>,
) {
	const source = wholeName && mapping.sources.get(wholeName.names);
	if (!wholeName || source?.how !== 'whole') return;
	const text = String(raw.get(wholeName.names) ?? '');
	const first = text.split('\n')[0].trim();
	if (first !== text) {
		const label = userMessage('twoLines', { text: text.replaceAll('\n', ' / ') });
		ask(readingQuestion('nameLines', label, [choice('first', 'firstLine', first)]));
	}
	raw.set(wholeName.names, first);
	if (wholeName.isCompany((field) => raw.get(field))) return;
	const { header } = source.columns[0];
	const orders = ordersIn(header);
	const answer = orders.find((order) => order === answers.get('nameOrder'));
	const order = answer ?? (orders.length < ORDERS.length ? orders.at(-1) : undefined);
	if (order !== undefined) {
		const split = splitName(first, NAME_ORDERS[order]);
		raw.set(wholeName.names, split.names);
		if (split.surnames !== '') raw.set(wholeName.surnames, split.surnames);
		return;
	}
	const choices = orders.map((value) => {
		const { names, surnames } = splitName(first, NAME_ORDERS[value]);
		return choice(value, value, `${names} | ${surnames}`);
	});
	ask(readingQuestion('nameOrder', userMessage('whichNameOrder', { header }), choices));
}

const ORDERS = Object.keys(NAME_ORDERS) as Array<keyof typeof NAME_ORDERS>;

/** The orders in which names may stand below a header, the usual one last: those that it states, or all. */
function ordersIn(header: string): typeof ORDERS {
	const surnames = header.search(/apellido|surname|last/i);
	const names = header.search(/nombre|first/i);
	if (surnames === -1 || names === -1) return ORDERS;
	return ORDERS.filter((order) => NAME_ORDERS[order].isSurnameFirst === surnames < names);
}

/** The fields of which headers and titles may state a value: the currency; or the token and its network. */
const STATED = new Set(['currencyType', 'asset', 'blockchain']);

/** What a file says of all its rows, by field. */
type Stated = ReadonlyMap<string, string | undefined>;

/** What the headers of amounts and wallets name, or else the titles above the table. */
function statedValues({ table, mapping, of }: Reading): Stated {
	const headers = ['amount', 'destinationWallet'].map(
		(field) => mapping.sources.get(field)?.columns[0]?.header ?? '',
	);
	const texts = [...headers, table.titles.join(' ').slice(0, 1000)];
	const fields = of.fields.filter(({ name }) => STATED.has(name));
	return new Map(
		fields.map((field) => {
			const isMoney = field.name === 'currencyType';
			const namedIn = (text: string) =>
				isMoney ? currenciesIn(text) : wordsOf(text).flatMap((word) => optionOf(field, word) ?? []);
			// A header may have the code or sign of a currency that the service does not pay: `Neto (Q)`.
			const other = isMoney ? headers[0].split(/[\s()[\]:,]+/).find(isCurrency) : undefined;
			const found = texts.map(namedIn).find(({ length }) => length > 0) ?? [other];
			return [field.name, found.length === 1 ? found[0] : undefined];
		}),
	);
}

/** The value that a text means of a field with a list, in any case. */
const optionOf = ({ form }: Field, text: string): string | undefined =>
	(form.options ?? [])
		.map((option) => ('value' in option ? String(option.value) : ''))
		.find((value) => value !== '' && normalizeWord(value) === normalizeWord(text));

/** Asks about cents or thousands: a header or title speaks of them, or all amounts are large and have no cents. */
function askUnit({ ask, table, mapping, settings }: Reading): void {
	const [column] = mapping.sources.get('amount')?.columns ?? [];
	if (!column) return;
	const currencies = mapping.sources.get('currencyType')?.columns[0].cells.map(({ text }) => text);
	const areWhole = (currencies ?? [String(settings.defaults.get('currencyType'))]).some((text) =>
		WITHOUT_CENTS.has(currencyOf(text) ?? text),
	);
	const mayBeCents = !areWhole && column.cells.every(({ text }) => /^\d{5,}$/.test(text));
	const { header, samples } = column;
	const text = [header, ...table.titles].find(namesUnit) ?? (mayBeCents ? header : undefined);
	if (text === undefined) return;
	const label = userMessage('whichUnit', { text: mayBeCents ? `${text}: ${samples[0]}` : text });
	ask(readingQuestion(`unit=${text}`, label, [choice('asTheyAre', 'asTheyAre')], 'amount'));
}

/** Currencies whose amounts are large, and mostly whole. */
const WITHOUT_CENTS = new Set(['CLP', 'COP']);

/** What `$` alone may mean: the currency of a country, or a token. */
const DOLLARS = new Set(['COP', 'CLP', 'USD', 'USDT', 'USDC']);

/**
 * Holds a row of which the sign of its amount, its own currency and the header do not say the same, and asks if the
 * file says another currency or network than all rows have.
 */
function checkCurrency(reading: Reading, row: FileRow, values: Values, stated: Stated): void {
	const { mapping, of, ask } = reading;
	const [cell] = cellsOf(reading, row, 'amount');
	if (cell?.exact !== undefined)
		row.holds.push(userMessage('heldRounded', { shown: cell.text, exact: cell.exact }));
	// The first of them is the currency, or the token. A QR code has its own.
	const field = of.fields.find(({ name }) => STATED.has(name));
	if (!cell || !field) return;
	const meaning = (text: string) =>
		field.name === 'currencyType' ? currencyOf(text) : optionOf(field, text);
	const paid = String(values[field.name] ?? '');
	const sign = moneyIn(cell)?.sign ?? '';
	const signed = meaning(sign);
	const hold = (said: string) =>
		row.holds.push(
			userMessage('heldCurrency', { sign: said, currency: String(values[field.name] ?? '') }),
		);
	if (sign === '$' ? !DOLLARS.has(paid) : signed !== undefined && signed !== paid) {
		// With a column of currencies, the two contradict each other.
		if (signed !== undefined && !mapping.sources.has(field.name)) values[field.name] = signed;
		return void hold(sign);
	}
	if (sign !== '' && sign !== '$' && signed === undefined)
		return void row.invalid.push(userMessage('rowSign', { sign }));
	for (const [name, said] of stated) {
		const value = String(values[name] ?? '');
		const isOwn = cellsOf(reading, row, name).length > 0;
		if (mapping.sources.has(name) && !isOwn)
			row.holds.push(userMessage('heldNoCurrency', { currency: value }));
		else if (said === undefined || said === value || (name === field.name && signed)) continue;
		else if (isOwn) hold(said);
		else {
			const choices = [name === field.name ? meaning(said) : said, value];
			const candidates = choices.flatMap((one) => (one ? [{ value: one, samples: [] }] : []));
			const label = userMessage('whichStated', { stated: said, paid: value });
			ask(readingQuestion(`stated.${name}=${said}`, label, candidates, name));
		}
	}
}

/** The question that a value which its field rejects asks, if there is one. */
function questionOf(
	{ settings }: Reading,
	field: Field,
	cells: readonly Cell[],
	{ code }: ValidationError,
): Question | undefined {
	const { name, required } = field;
	const text = textOf(cells);
	if (text === '') return undefined;
	const out = choice(ANSWER.leaveOut, 'leaveOut');
	const asked = (id: string, label: Question['label'], ...candidates: Candidate[]) =>
		readingQuestion(id, label, [...candidates, out], name);
	if (code === 'ambiguousAmount')
		return asked(
			'decimal',
			userMessage('whichDecimal', { text }),
			choice(',', 'decimalComma'),
			choice('.', 'decimalDot'),
		);
	const parted = numberAround(name, text);
	if (parted)
		return asked(
			parted.id,
			userMessage('whichNumber', { field: pageLabelWords(field.label), text }),
			choice(ANSWER.number, 'onlyNumber', parted.number),
		);
	const options = field.form.options as Array<{ name: string; value: string }> | undefined;
	if (!options && name !== 'bankCode') return undefined;
	const banks = new Map([...(settings.valueNames.get(name) ?? [])].map(([bank, of]) => [of, bank]));
	const known = options
		? options.filter(({ value }) => value !== '').map((one) => [one.value, one.name])
		: [...banks];
	const isOptional = !required || hasDefault(field, settings.defaults);
	const more = [...(isOptional ? [choice(ANSWER.empty, 'useDefault')] : []), out];
	return {
		id: `values.${name}=${text}`,
		kind: 'value',
		field: name,
		label: userMessage('whichValue', { field: pageLabelWords(field.label), text }),
		// Without a bank that is known, the answer is a text.
		candidates: [
			...known.map(([value, of]) => ({ value, samples: [of] })),
			...(known.length > 0 ? more : []),
		],
	};
}

/** The shape of an IBAN, whose digits check themselves. */
const IBAN = /^[A-Z]{2}\d{2}[\dA-Z]{11,40}$/;

/** Whether the check digits of an IBAN or of the content of an EMV QR code are wrong. Other texts have none. */
function hasWrongCheckDigits(text: string): boolean {
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
