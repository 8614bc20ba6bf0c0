import { asWords, userMessage } from '../messages/userMessage';
import { currencyOf } from '../fields/headers';
import { withNames, type Field } from '../fields/field';
import { pageLabelWords } from '../fields/labels';
import { NAME_ORDERS, splitName } from '../fields/personNames';
import { validateFields, type ValidationError } from '../fields/validateFields';
import { bankNameKey, isGrouped, withoutSeparators, type Values } from '../fields/validators';
import { COMMA, formatOf, moneyIn, namesUnit, numberIn } from './amount';
import type { Reading, Source } from './mapping';
import { ANSWER, choice, readingQuestion, type Question } from './question';
import { hold, type FileRow } from './rows';
import { agreed, STATED, statedValues, type Stated } from './stated';
import { textOf, type Cell } from './sheet';

/**
 * Reads the values of payments, and marks rows that cannot be paid, or not before somebody confirms it.
 *
 * @param notes the rows that are no payments
 */
export function valueReader(reading: Reading, notes: readonly FileRow[]): (row: FileRow) => Values {
	const { of, mapping, settings, answers, format } = reading;
	const named = [...answers].flatMap(([id, code]) =>
		id.startsWith(BANK) ? [[id.slice(BANK.length), code] as const] : [],
	);
	// Also without a table, a word is the name of a bank, and no code.
	const banks = [...(settings.valueNames.get('bankCode') ?? []), ...named];
	const codes = new Map([
		[' ', ''],
		...banks.map(([name, code]) => [bankNameKey(name), code] as const),
	]);
	const fields = of.fields.map((field) => withNames(field, codes));
	const bankField = banks.length > 0 && fields.find(({ name }) => name === 'bankCode');
	const known = new Set([...codes.values(), settings.defaults.get('bankCode')]);
	const stated = statedValues(reading, notes);
	const uniform = new Set([...NUMBERS].filter((name) => isUniform(mapping.sources.get(name))));
	const unit = unitOf(reading);
	return (row) => {
		const raw = rawValues(reading, row, stated, uniform);
		// Without a column for the bank, it may stand above its rows.
		const bank = mapping.sources.has('bankCode') ? '' : codes.get(bankNameKey(row.heading ?? ''));
		if (bank) raw.set('bankCode', bank);
		if (unit !== undefined) {
			const amount = textOf(mapping.cellsOf(row.line, 'amount'));
			hold(row, userMessage('heldUnit', { text: unit, amount }), `unit=${unit}`);
		}
		const own = formatOf(mapping.cellsOf(row.line, 'amount'), format);
		const formats = new Map(own && fields.map(({ name }) => [name, own] as const));
		const { values, errors } = validateFields(fields, ({ name }) => raw.get(name), formats);
		if (row.why !== undefined || row.invalid.length > 0) return values;
		for (const error of errors) {
			const field = fields.find(({ label }) => label === error.field);
			const text = textOf(mapping.cellsOf(row.line, field?.name ?? ''));
			const isAsked = field && (text !== '' || !mapping.sources.has(field.name));
			const question = isAsked && questionOf(reading, field, text, error.code);
			// Nobody can pay what its field rejects in spite of the answer.
			if (question && !answers.has(question.id)) reading.ask(question);
			else row.invalid.push(invalid(error));
		}
		const { bankCode: value = '' } = values;
		// A code that the table of banks lacks may be that of another program.
		if (bankField && !known.has(value) && row.invalid.length === 0) {
			const text = textOf(mapping.cellsOf(row.line, 'bankCode'));
			const question = questionOf(reading, bankField, text, '', String(value));
			if (question) reading.ask(question);
		}
		for (const { name, label } of fields) {
			const text = String(values[name] ?? '');
			if ((name === 'destinationAccount' || name === 'image') && hasWrongCheckDigits(text))
				row.invalid.push(
					userMessage('rowCheckDigits', { field: pageLabelWords(label), text: text.slice(0, 40) }),
				);
		}
		const { image, amount: paid } = values;
		const inside = elementsIn(String(image ?? ''));
		const [currency = BOB, amount = ''] = [inside.get('53'), inside.get('54')];
		// One of them has to say how much is paid; if both do, they have to agree.
		const isOther =
			paid === undefined
				? image !== undefined && amount === ''
				: amount !== '' && Number(amount) !== Number(paid);
		if (currency !== BOB || isOther)
			hold(row, userMessage('heldInside', { amount: amount || '-', currency }));
		return values;
	};
}

/** How the answers begin that say which code the name of a bank has. */
const BANK = 'values.bankCode=';

const invalid = (error: ValidationError) =>
	userMessage('rowValueInvalid', {
		field: pageLabelWords(error.field),
		value: error.value ? ` ${error.value}` : '',
		reason: asWords(error),
	});

/**
 * What the cells of a row have for each field, or what all rows have, or the defaults.
 *
 * @param uniform the fields whose numbers have the same dots and hyphens in all rows
 */
function rawValues(
	reading: Reading,
	row: FileRow,
	stated: Stated,
	uniform: ReadonlySet<string>,
): Map<string, unknown> {
	const { table, of, mapping, settings, answers } = reading;
	const raw = new Map<string, unknown>();
	for (const field of of.fields) {
		const { name, label, isAmount } = field;
		const cells = mapping.cellsOf(row.line, name);
		const text = textOf(cells);
		if (cells.some(({ kind }) => kind === 'other'))
			row.invalid.push(userMessage('rowUnreadable', { field: pageLabelWords(label), text }));
		for (const { header, index } of mapping.sources.get(name)?.filling ?? [])
			if (table.at(row.line, index))
				hold(row, userMessage('heldRemark', { header, text }), `filling.${header}`);
		const meaning =
			answers.get(`values.${name}=${text}`) ?? settings.valueNames.get(name)?.get(text);
		if ((text === '' && meaning === undefined) || meaning === ANSWER.empty) {
			raw.set(name, settings.defaults.get(name));
		} else if (meaning === ANSWER.leaveOut) {
			row.why = userMessage('rowLeftOut');
		} else if (isAmount) {
			raw.set(name, moneyIn(cells[0])?.raw ?? text);
		} else {
			raw.set(name, meaning ?? valueOf(field, row, cells, text, uniform.has(name)));
		}
		if (STATED.has(name)) raw.set(name, agreed(reading, row, field, raw.get(name), stated));
	}
	readNames(reading, row, raw);
	return raw;
}

/** The fields with a number that people write in groups: `12.345.678-5`, `2345 67890 0101`. */
const NUMBERS = new Set(['destinationAccount', 'destinationIdNumber', 'destinationWallet']);

/** Whether three rows or more have the same dots and hyphens, and nothing else but digits: `17.652.013-2`. */
function isUniform(source: Source | undefined): boolean {
	const texts = (source?.columns ?? []).flatMap(({ cells }) => cells.map(({ text }) => text));
	const [signs = '', ...others] = new Set(texts.map((text) => text.replace(/\d/g, '')));
	return texts.length > 2 && others.length === 0 && /^[.-]+$/.test(signs);
}

/** A cell as its field reads it. A bank code that is a number has lost its zeros. */
function valueOf(
	field: Field,
	row: FileRow,
	[cell]: Cell[],
	text: string,
	isSame: boolean,
): unknown {
	const { name, label } = field;
	if (name === 'bankCode' && cell.kind === 'number') return cell.number;
	if (name === 'currencyType') return currencyOf(text) ?? text;
	const fits = (one: string) => field.validate(one, {}).ok;
	if (!NUMBERS.has(name) || fits(text)) return text;
	// Only a person knows whether what separates its groups, or stands around it, belongs to the number.
	const found = [...(isGrouped(text) ? [withoutSeparators(text)] : text.split(/\s+/))].filter(fits);
	if (found.length !== 1) return text;
	const [number] = found;
	const why = userMessage('heldNumber', { field: pageLabelWords(label), text, number });
	if (!isSame) hold(row, why, `separators.${name}`);
	return number;
}

/** A name without its number in the list: `12.- Juana Quispe`. */
export const withoutNumber = (name: string): string => name.replace(/^\d{1,4}\s*[.)-]+\s*/, '');

/** An abbreviation before surnames: `Lic. Quispe Juana`. Given names may be abbreviated themselves. */
export const TITLE = /^\p{L}{2,}\.\s+/u;

/** Splits a whole name. The order that its header states wins. */
function readNames(
	{ of: { wholeName }, mapping, answers, ask }: Reading,
	row: FileRow,
	raw: Map<string, unknown>,
) {
	const source = wholeName && mapping.sources.get(wholeName.names);
	if (!wholeName || source?.how !== 'whole') return;
	const text = String(raw.get(wholeName.names) ?? '');
	const first = withoutNumber(text.split('\n')[0].trim());
	if (text.includes('\n')) hold(row, userMessage('heldLines', { text: first }), 'nameLines');
	raw.set(wholeName.names, first);
	if (wholeName.isCompany((field) => raw.get(field))) return;
	const { header } = source.columns[0];
	const orders = ordersIn(header);
	const answer = orders.find((order) => order === answers.get('nameOrder'));
	const known = answer ?? (orders.length < ORDERS.length ? orders.at(-1) : undefined);
	const splits = (known ? [known] : orders).map((order) => ({
		order,
		...splitName(
			NAME_ORDERS[order].isSurnameFirst ? first.replace(TITLE, '') : first,
			NAME_ORDERS[order],
		),
	}));
	// A name with a comma is the same in any order.
	if (new Set(splits.map(({ names }) => names)).size === 1) {
		const [{ names, surnames }] = splits;
		raw.set(wholeName.names, names);
		if (surnames !== '') raw.set(wholeName.surnames, surnames);
		return;
	}
	const choices = splits.map(({ order, names, surnames }) =>
		choice(order, order, `${names} | ${surnames}`),
	);
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

/**
 * What speaks of cents or thousands: a header, a title, or amounts that may be in cents or thousands by their size: they
 * are whole and one is large, or all are small.
 */
function unitOf({ table, of, mapping, settings, format }: Reading): string | undefined {
	const [column] = mapping.sources.get('amount')?.columns ?? [];
	if (!column) return undefined;
	const { header, group = '', cells } = column;
	const currencies = mapping.sources.get('currencyType')?.columns[0].cells.map(({ text }) => text);
	const areLarge = (currencies ?? [String(settings.defaults.get('currencyType'))]).some((text) =>
		WITHOUT_CENTS.has(currencyOf(text) ?? text),
	);
	const smallest = of.fields.some(({ name }) => name === 'asset') ? TOKEN_DIGITS : CENTS_DIGITS;
	const areSmall = cells.every((cell) => (numberIn(cell, format ?? COMMA) ?? 0) < SMALL);
	const mayBeCents =
		cells.every(({ text }) => /^\d+$/.test(text)) &&
		cells.some(({ text }) => text.length >= smallest);
	const mayBeOther = areLarge ? areSmall : mayBeCents;
	return [header, group, ...table.titles].find(namesUnit) ?? (mayBeOther ? header : undefined);
}

/** As many digits as 100.00 has in cents, and 100.000000 in the units of a token. */
const [CENTS_DIGITS, TOKEN_DIGITS] = [5, 9];

/** Nobody is paid less in a currency whose amounts are large: it is worth less than a dollar. */
const SMALL = 1_000;

/** Currencies whose amounts are large, and mostly whole. */
const WITHOUT_CENTS = new Set(['CLP', 'COP']);

/** The question about a value which its field rejects, or takes as its `own`, if there is one. */
function questionOf(
	{ settings }: Reading,
	field: Field,
	text: string,
	code: string,
	own?: string,
): Question | undefined {
	const { name, required } = field;
	if (code === 'ambiguousAmount')
		return readingQuestion('decimal', userMessage('whichDecimal', { text }), [
			choice(',', 'decimalComma'),
			choice('.', 'decimalDot'),
		]);
	const options = field.form.options as Array<{ name: string; value: string }> | undefined;
	if (!options && name !== 'bankCode') return undefined;
	const banks = settings.valueNames.get(name) ?? new Map<string, string>();
	const known = new Map(
		options?.map((one) => [one.value, one.name]) ?? [...banks].map(([bank, code]) => [code, bank]),
	);
	known.delete('');
	const isOptional = !required || settings.defaults.has(name);
	const more = [
		...(isOptional ? [choice(ANSWER.empty, 'useDefault')] : []),
		choice(ANSWER.leaveOut, 'leaveOut'),
	];
	return {
		id: `values.${name}=${text}`,
		kind: 'value',
		field: name,
		label:
			text === ''
				? userMessage('whichForAll', { field: pageLabelWords(field.label) })
				: userMessage('whichValue', { field: pageLabelWords(field.label), text }),
		// Without a bank that is known, the answer is a text.
		candidates:
			known.size === 0
				? []
				: [
						...(own === undefined ? [] : [{ value: own, samples: [] }]),
						...[...known].map(([value, of]) => ({ value, samples: [of] })),
						...more,
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

/** The number of bolivianos in ISO 4217. */
const BOB = '068';

/** The elements of the content of an EMV QR code by their number: 53 is the currency, 54 the amount, 59 the payee. */
export function elementsIn(text: string): Map<string, string> {
	const elements = new Map<string, string>();
	let at = text.startsWith('000201') ? 0 : text.length;
	while (at + 4 <= text.length) {
		const end = at + 4 + Number(text.slice(at + 2, at + 4));
		// A length that is none ends it.
		if (!(end > at)) break;
		elements.set(text.slice(at, at + 2), text.slice(at + 4, end));
		at = end;
	}
	return elements;
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
