import { asWords, userMessage } from '../messages/userMessage';
import { adjusted, type Field, type ReadingSettings } from '../fields/field';
import { pageLabelWords } from '../fields/labels';
import type { AmountFormat } from '../fields/money';
import { NAME_ORDERS, splitName } from '../fields/personNames';
import { validateFields, type ValidationError } from '../fields/validateFields';
import { bankNameKey, withoutSeparators, type Values } from '../fields/validators';
import { moneyIn } from './amount';
import {
	currenciesIn,
	currencyOf,
	hasWrongCheckDigits,
	namesUnit,
	otherCurrencyIn,
	type PaymentTable,
} from './headers';
import { hasDefault, type Mapping } from './mapping';
import { ANSWER, type Answers, type Candidate, type Question, type Settings } from './question';
import type { FileRow } from './rows';
import type { Cell } from './sheet';
import { titleWithUnit, type Table } from './table';

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
	/** Asks once, however many rows ask. */
	ask(question: Question): void;
}

/** Reads the values of payments, and marks rows that cannot be paid, or not before somebody confirms it. */
export function valueReader(reading: Reading): (row: FileRow) => Values {
	const { of, settings, answers, format, mapping } = reading;
	const banks = settings.valueNames.get('bankCode');
	const bankNames = banks && new Map([...banks].map(([name, code]) => [bankNameKey(name), code]));
	const how: ReadingSettings = {
		...(bankNames && { bankNames }),
		documentSuffix: answers.get('documentSuffix') === 'removePlace' ? 'removePlace' : 'reject',
		accountSeparators: toSeparators(answers.get('accountSeparators')),
	};
	const fields = of.fields.map((field) => adjusted(field, how));
	const formats = new Map(
		format === undefined ? [] : of.fields.map(({ name }) => [name, format] as const),
	);
	const currency = statedCurrency(reading);
	return (row) => {
		const raw = rawValues(reading, row, fields, currency);
		if (!raw) return Object.create(null) as Values;
		const { values, errors } = validateFields(fields, ({ name }) => raw.get(name), formats);
		for (const error of errors) {
			const field = fields.find(({ label }) => label === error.field);
			const cells = field ? cellsOf(reading, row, field.name) : [];
			const question = field && questionOf(reading, field, cells, error);
			if (question) {
				if (answers.get(question.id) === ANSWER.leaveOut) row.kind = 'leftOut';
				else reading.ask(question);
			} else {
				row.invalid.push(errorWords(error));
			}
		}
		for (const { name, label } of fields) {
			if (name !== 'destinationAccount' && name !== 'image') continue;
			const text = String(values[name] ?? '');
			if (hasWrongCheckDigits(text))
				row.invalid.push(
					userMessage('rowCheckDigits', { field: pageLabelWords(label), text: text.slice(0, 40) }),
				);
		}
		if (mapping.sources.get('amount')) checkMoney(reading, row, values, currency);
		return values;
	};
}

const toSeparators = (answer: string | undefined): ReadingSettings['accountSeparators'] =>
	answer === 'remove' || answer === 'keep' ? answer : 'reject';

function cellsOf({ table, mapping }: Reading, { line }: FileRow, field: string): Cell[] {
	return (mapping.sources.get(field)?.columns ?? []).flatMap(({ index }) => {
		const cell = table.at(line, index);
		return cell && cell.text !== '' ? [cell] : [];
	});
}

/** What the cells of a row have for each field, or the defaults. Undefined if a cell cannot be read. */
function rawValues(
	reading: Reading,
	row: FileRow,
	fields: readonly Field[],
	currency: string | undefined,
): Map<string, unknown> | undefined {
	const { settings, answers } = reading;
	const raw = new Map<string, unknown>();
	for (const field of fields) {
		const { name, isAmount } = field;
		const cells = cellsOf(reading, row, name);
		const bad = cells.find(
			({ kind, hasLostDigits }) =>
				kind === 'date' || kind === 'percent' || kind === 'error' || hasLostDigits,
		);
		if (bad) {
			const { kind, text } = bad;
			const code = ({ date: 'rowDate', percent: 'rowPercent', error: 'rowError' } as const)[
				kind as 'date'
			];
			row.invalid.push(
				userMessage(code ?? 'rowLostDigits', { field: pageLabelWords(field.label), text }),
			);
			return undefined;
		}
		const text = textOf(cells);
		const meaning = text === '' ? undefined : meaningOf(reading, field, text);
		if (meaning === ANSWER.leaveOut) {
			row.kind = 'leftOut';
			row.why = userMessage('rowLeftOut');
		}
		if (text === '' || meaning === ANSWER.empty) {
			if (hasDefault(field, settings.defaults)) raw.set(name, settings.defaults.get(name));
		} else if (isAmount) {
			raw.set(name, moneyIn(cells[0])?.raw ?? text);
		} else if (meaning !== undefined) {
			raw.set(name, meaning);
		} else {
			raw.set(name, valueOf(field, cells, text, answers));
		}
	}
	if (fields.some(({ name }) => name === 'currencyType')) {
		const own = cellsOf(reading, row, 'currencyType')[0]?.text;
		const chosen = answers.get('currency');
		if (chosen !== undefined && own === undefined) raw.set('currencyType', chosen);
		else if (own === undefined && !raw.has('currencyType') && currency !== undefined)
			raw.set('currencyType', currency);
	}
	readNames(reading, row, raw);
	return raw;
}

/** The text of a field's cells. */
const textOf = (cells: readonly Cell[]): string =>
	cells
		.map((cell) => cell.text)
		.join(' ')
		.trim();

/** A cell as its field reads it. An IBAN has blanks, and a bank code that is a number has lost its zeros. */
function valueOf({ name }: Field, [cell]: Cell[], text: string, answers: Answers): unknown {
	if (name === 'destinationIdNumber') {
		const isSeparated = answers.has('documentSeparators') && SEPARATED_DOCUMENT.test(text);
		return isSeparated || THOUSANDS.test(text) ? text.replace(/\D/g, '') : text;
	}
	if (name === 'destinationAccount' && IBAN.test(text)) return text.replaceAll(' ', '');
	if (name === 'bankCode' && cell.kind === 'number') return cell.number;
	if (name === 'currencyType') return currencyOf(text) ?? text;
	return text;
}

const IBAN = /^[A-Z]{2}\d{2}[ \dA-Z]{8,40}$/;

/** A number that is written with its thousands: `1.012.345.678`. */
const THOUSANDS = /^\d{1,3}(\.\d{3}){1,6}$/;

/** A document in parts: `12.345.678-5`, `2345 67890 0101`. */
const SEPARATED_DOCUMENT = /^\d+([ .-]\d+){1,6}$/;

/** What a text of the file means, as somebody said. */
function meaningOf(
	{ settings, answers }: Reading,
	{ name }: Field,
	text: string,
): string | undefined {
	const names = settings.valueNames.get(name);
	return answers.get(`values.${name}=${text}`) ?? names?.get(text);
}

/** Splits a whole name. The order that its header states wins. */
function readNames(reading: Reading, row: FileRow, raw: Map<string, unknown>): void {
	const { of, mapping, answers, ask } = reading;
	const names = of.wholeName && mapping.sources.get(of.wholeName.names);
	if (!of.wholeName || !names) return;
	const isWhole =
		names.how === 'whole' ||
		(names.how === 'chosen' && !mapping.sources.has(of.wholeName.surnames));
	let text = textOf(cellsOf(reading, row, of.wholeName.names));
	if (!isWhole) return;
	if (text.includes('\n')) {
		const [first] = text.split('\n');
		if (answers.get('nameLines') === undefined)
			ask({
				id: 'nameLines',
				kind: 'reading',
				label: userMessage('twoLines', { text: text.replaceAll('\n', ' / ') }),
				candidates: [{ value: 'first', name: userMessage('firstLine'), samples: [first.trim()] }],
			});
		text = first.trim();
	}
	raw.set(of.wholeName.names, text);
	if (of.wholeName.isCompany((field) => raw.get(field))) return;
	const order = nameOrder(names.columns[0].header, answers.get('nameOrder'));
	if (order !== undefined) {
		const split = splitName(text, NAME_ORDERS[order]);
		raw.set(of.wholeName.names, split.names);
		if (split.surnames !== '') raw.set(of.wholeName.surnames, split.surnames);
		return;
	}
	ask({
		id: 'nameOrder',
		kind: 'reading',
		label: userMessage('whichNameOrder', { header: names.columns[0].header }),
		candidates: (Object.keys(NAME_ORDERS) as Array<keyof typeof NAME_ORDERS>).map((value) => {
			const split = splitName(text, NAME_ORDERS[value]);
			return { value, name: userMessage(value), samples: [`${split.names} | ${split.surnames}`] };
		}),
	});
}

type NameOrder = keyof typeof NAME_ORDERS;

function nameOrder(header: string, answer: string | undefined): NameOrder | undefined {
	const chosen = answer !== undefined && answer in NAME_ORDERS ? (answer as NameOrder) : undefined;
	const surnames = /apellido|surname|last/i.exec(header)?.index;
	const names = /nombre|first/i.exec(header)?.index;
	if (surnames === undefined || names === undefined) return chosen;
	const isSurnameFirst = surnames < names;
	if (chosen && NAME_ORDERS[chosen].isSurnameFirst === isSurnameFirst) return chosen;
	return isSurnameFirst ? 'surnamesFirst2' : 'namesFirst2';
}

/** The currency that the header of the amounts names, or else the titles above the table. */
function statedCurrency({ table, mapping }: Reading): string | undefined {
	const header = mapping.sources.get('amount')?.columns[0]?.header;
	const inHeader = header === undefined ? [] : currenciesIn(header);
	const found =
		inHeader.length > 0 ? inHeader : currenciesIn(table.titles.join(' ').slice(0, 1000));
	if (found.length > 0 || header === undefined) return found.length === 1 ? found[0] : undefined;
	return otherCurrencyIn(header);
}

/** Holds a row whose amount is not certainly what would be paid, and asks what all rows have in common. */
function checkMoney(
	reading: Reading,
	row: FileRow,
	values: Values,
	stated: string | undefined,
): void {
	const { table, mapping, answers, ask, of } = reading;
	const [cell] = cellsOf(reading, row, 'amount');
	const source = mapping.sources.get('amount')?.columns[0];
	if (!cell || !source) return;
	if (cell.exact !== undefined)
		row.holds.push(userMessage('heldRounded', { shown: cell.text, exact: cell.exact }));
	if (namesUnit(source.header) || titleWithUnit(table) !== undefined)
		askUnit(reading, source.header);
	const sign = moneyIn(cell)?.sign ?? '';
	const paid = values.currencyType === undefined ? undefined : String(values.currencyType);
	const signed = sign === '' ? undefined : currencyOf(sign);
	if (of.fields.every(({ name }) => name !== 'currencyType')) {
		if (
			sign !== '' &&
			sign.toUpperCase() !== String(values.asset ?? '').toUpperCase() &&
			sign !== '$'
		)
			row.invalid.push(userMessage('rowSign', { sign }));
		return;
	}
	if (sign === '$' ? !PESOS.has(paid ?? '') : sign !== '' && signed === undefined)
		(sign === '$' ? row.holds : row.invalid).push(
			sign === '$'
				? userMessage('heldDollar', { currency: paid ?? '' })
				: userMessage('rowSign', { sign }),
		);
	if (signed !== undefined && signed !== paid) {
		// With a column of currencies, the two contradict each other.
		if (!mapping.sources.has('currencyType')) values.currencyType = signed;
		row.holds.push(
			userMessage('heldCurrency', { sign, currency: String(values.currencyType ?? '') }),
		);
	}
	const own = cellsOf(reading, row, 'currencyType').length > 0;
	if (mapping.sources.has('currencyType') && !own)
		row.holds.push(userMessage('heldNoCurrency', { currency: paid ?? '' }));
	if (stated === undefined || stated === paid || signed !== undefined || answers.has('currency'))
		return;
	if (own) {
		row.holds.push(
			userMessage('heldHeaderCurrency', { header: source.header, currency: paid ?? '' }),
		);
		return;
	}
	ask({
		id: 'currency',
		kind: 'reading',
		field: 'currencyType',
		label: userMessage('whichCurrency', { stated, paid: paid ?? '' }),
		candidates: [currencyOf(stated), paid]
			.flatMap((value) => value ?? [])
			.map((value) => ({
				value,
				samples: [],
			})),
	});
}

/** The currencies that `$` alone may mean where it is the country's. */
const PESOS = new Set(['COP', 'CLP', 'USD']);

function askUnit({ ask, answers, table }: Reading, header: string): void {
	if (answers.get('unit') !== undefined) return;
	ask({
		id: 'unit',
		kind: 'reading',
		field: 'amount',
		label: userMessage('whichUnit', {
			text: namesUnit(header) ? header : (titleWithUnit(table) ?? ''),
		}),
		candidates: [{ value: 'asTheyAre', name: userMessage('asTheyAre'), samples: [] }],
	});
}

/** The question that a value which its field rejects asks, if there is one. */
function questionOf(
	{ settings }: Reading,
	field: Field,
	cells: readonly Cell[],
	{ code }: ValidationError,
): Question | undefined {
	const { name } = field;
	const text = textOf(cells);
	if (text === '') return undefined;
	const reading = (id: string, question: Question['label'], candidates: Candidate[]): Question => ({
		id,
		kind: 'reading',
		field: name,
		label: question,
		candidates: [...candidates, LEAVE_OUT],
	});
	if (code === 'ambiguousAmount')
		return reading('decimal', userMessage('whichDecimal', { text }), [
			{ value: ',', name: userMessage('decimalComma'), samples: [] },
			{ value: '.', name: userMessage('decimalDot'), samples: [] },
		]);
	if (code === 'accountSeparated')
		return reading('accountSeparators', userMessage('whichSeparators', { text }), [
			{
				value: 'remove',
				name: userMessage('removeSeparators'),
				samples: [withoutSeparators(text)],
			},
			{ value: 'keep', name: userMessage('keepSeparators'), samples: [text] },
		]);
	if (code === 'documentWithPlace')
		return reading('documentSuffix', userMessage('whichSuffix', { text }), [
			{
				value: 'removePlace',
				name: userMessage('removePlace'),
				samples: [String(Number.parseInt(text, 10))],
			},
		]);
	if (name === 'destinationIdNumber' && SEPARATED_DOCUMENT.test(text))
		return reading('documentSeparators', userMessage('whichDocument', { text }), [
			{
				value: 'remove',
				name: userMessage('removeSeparators'),
				samples: [text.replace(/\D/g, '')],
			},
		]);
	const options = field.form.options as Array<{ name: string; value: string }> | undefined;
	if (!options && name !== 'bankCode') return undefined;
	const codes = new Map([...(settings.valueNames.get(name) ?? [])].map(([bank, of]) => [of, bank]));
	const known = options
		? options.filter(({ value }) => value !== '').map((one) => [one.value, one.name])
		: [...codes];
	const question: Question = {
		id: `values.${name}=${text}`,
		kind: 'value',
		field: name,
		label: userMessage('whichValue', { field: pageLabelWords(field.label), text }),
		candidates: known.map(([value, of]) => ({ value, samples: [of] })),
	};
	if (known.length === 0) return question;
	const isOptional = !field.required || hasDefault(field, settings.defaults);
	return {
		...question,
		candidates: [
			...question.candidates,
			...(isOptional
				? [{ value: ANSWER.empty, name: userMessage('useDefault'), samples: [] }]
				: []),
			LEAVE_OUT,
		],
	};
}

const LEAVE_OUT: Candidate = { value: ANSWER.leaveOut, name: userMessage('leaveOut'), samples: [] };

const errorWords = (error: ValidationError) =>
	userMessage('rowValueInvalid', {
		field: pageLabelWords(error.field),
		value: error.value ?? '',
		reason: asWords(error),
	});
