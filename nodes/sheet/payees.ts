import { grouped } from '../fields/grouped';
import { wordsOf } from '../fields/text';
import { userMessage } from '../messages/userMessage';
import type { PaymentTable, Reading } from './mapping';
import { hold, type FileRow } from './rows';
import { ownCells, textOf } from './sheet';
import { elementsIn, TITLE, withoutNumber } from './values';

/** The payee of a payment. A spreadsheet drops leading zeros. */
export const keyOf = ({ values }: FileRow, { payeeFields }: PaymentTable): string =>
	String(values[payeeFields[0]] ?? '')
		.replace(/^0+(?=\d)/, '')
		.toLowerCase();

/** The payments of payees who have several. */
export function sameKeys(payments: readonly FileRow[], of: PaymentTable): FileRow[][] {
	const known = payments.filter((row) => row.why === undefined && keyOf(row, of) !== '');
	return [...grouped(known, (row) => keyOf(row, of)).values()].filter(({ length }) => length > 1);
}

const nameFieldsOf = ({ wholeName, payeeFields }: PaymentTable): string[] =>
	wholeName ? [wholeName.names, wholeName.surnames] : [payeeFields[0]];

/** Whom a payment pays, as people call them. */
export const nameOf = ({ values }: FileRow, of: PaymentTable): string =>
	nameFieldsOf(of)
		.flatMap((field) => values[field] ?? [])
		.join(' ');

/** What only some payments have: at most half of them. */
function few(payments: readonly FileRow[], has: (row: FileRow) => boolean): FileRow[] {
	const found = payments.filter(has);
	return found.length <= payments.length / 2 ? found : [];
}

/** What the file has for a field of a payment. */
const textIn = ({ mapping }: Reading, { line }: FileRow, field: string): string =>
	textOf(mapping.cellsOf(line, field));

/**
 * Holds payments whose names and numbers differ in shape from those of most others, or contradict another row.
 *
 * @param texts what the file says outside its payments
 */
export function holdPayees(
	reading: Reading,
	payments: readonly FileRow[],
	texts: readonly string[],
): void {
	const { of } = reading;
	holdNames(reading, payments);
	holdNamed(payments, of, texts);
	holdCodes(payments);
	holdAmounts(reading, payments);
	holdNumbers(reading, payments);
	for (const list of sameKeys(payments, of))
		if (list.some(({ invalid }) => invalid.length > 0))
			for (const row of list) hold(row, userMessage('heldOther'));
}

/** Holds a name that says more than a name, and what only some names have: capitals, a title, one word. */
function holdNames(reading: Reading, payments: readonly FileRow[]): void {
	const { of } = reading;
	const { wholeName } = of;
	if (!wholeName) return;
	const written = (row: FileRow): string =>
		withoutNumber(
			nameFieldsOf(of)
				.flatMap((field) => textIn(reading, row, field) || [])
				.join(' '),
		);
	const isOdd = (row: FileRow): boolean => {
		const name = written(row);
		const hasTitle = TITLE.test(name) && !nameOf(row, of).includes('.');
		const isCompany = wholeName.isCompany((field) => row.values[field]);
		return isMixed(name) || hasTitle || (!name.includes(' ') && !isCompany);
	};
	const odd = few(payments, isOdd);
	for (const row of payments)
		if (NO_NAME.test(written(row)) || odd.includes(row))
			hold(row, userMessage('heldName', { name: written(row) }));
}

/** Holds a QR code that names nobody in its row, if the file has the names of some codes. */
function holdCodes(payments: readonly FileRow[]): void {
	const inCode = ({ values }: FileRow) => elementsIn(String(values.image ?? '')).get('59') ?? '';
	const otherWords = ({ line, values }: FileRow) =>
		ownCells(line).flatMap(([, { text }]) => (text === values.image ? [] : wordsOf(text)));
	const isIn = (row: FileRow, words: readonly string[]) =>
		wordsOf(inCode(row)).some((word) => words.includes(word));
	const all = payments.flatMap(otherWords);
	const coded = payments.filter((row) => inCode(row) !== '');
	const hasNames = coded.some((row) => isIn(row, all));
	for (const row of hasNames ? coded.filter((one) => !isIn(one, otherWords(one))) : [])
		hold(row, userMessage('heldRemark', { header: 'QR', text: inCode(row) }));
}

/** Holds amounts of which cells show others, and one that may lack its decimal mark: `325050` among `3250.50`. */
function holdAmounts(reading: Reading, payments: readonly FileRow[]): void {
	const exactOf = ({ line }: FileRow) => reading.mapping.cellsOf(line, 'amount').at(0)?.exact;
	const rounded = payments.filter((row) => exactOf(row) !== undefined);
	// If most are shown so, whether that is meant is one question.
	const id = rounded.length > payments.length / 2 ? 'rounded' : undefined;
	for (const row of rounded) {
		const shown = textIn(reading, row, 'amount');
		hold(row, userMessage('heldRounded', { shown, exact: exactOf(row) ?? '' }), id);
	}
	const text = reading.mapping.sources.get('amount')?.columns[0].header ?? '';
	for (const list of grouped(payments, ({ values }) => values.currencyType).values()) {
		const whole = few(list, (row) => /^\d+$/.test(textIn(reading, row, 'amount')));
		const others = list.filter((row) => !whole.includes(row));
		const amounts = others.map(({ values }) => Number(values.amount));
		const [low, high] = [Math.min(...amounts), Math.max(...amounts)];
		for (const row of whole) {
			const amount = Number(row.values.amount);
			if (amount > high && amount >= 100 * low && amount <= 100 * high)
				hold(row, userMessage('heldUnit', { text, amount: textIn(reading, row, 'amount') }));
		}
	}
}

/** Holds a document or account that may have lost digits, may be another number, or is that of somebody else. */
function holdNumbers(reading: Reading, payments: readonly FileRow[]): void {
	const { of, mapping } = reading;
	const { payeeFields } = of;
	const [id, account] = payeeFields;
	const read = (row: FileRow, field: string) => textIn(reading, row, field);
	const isCopied = ({ values }: FileRow) => {
		const numbers = payeeFields.map((field) => String(values[field] ?? '').replace(/\D/g, ''));
		return new Set([...numbers, String(values.amount)]).size <= numbers.length;
	};
	for (const row of few(payments, isCopied)) hold(row, userMessage('heldCopied'));
	for (const field of payeeFields) {
		const withZeros = payments.flatMap((row) => /^0\d+$/.exec(read(row, field)) ?? []);
		const digits = Math.max(0, ...withZeros.map(({ length }) => length));
		for (const row of payments)
			for (const { kind, text } of mapping.cellsOf(row.line, field))
				if (kind === 'number' && text.length < digits)
					hold(row, userMessage('heldZeros', { text }));
	}
	if (account === undefined) return;
	const hasLetter = ({ values }: FileRow) => /\p{L}/u.test(String(values[account]));
	for (const row of few(payments, hasLetter))
		hold(row, userMessage('heldLetters', { text: read(row, account) }));
	for (const list of grouped(payments, ({ values }) => values[account]).values())
		if (new Set(list.map((row) => keyOf(row, of))).size > 1)
			for (const row of list) hold(row, userMessage('heldShared'));
	// The documents of a country have one length, those of companies a longer one; the accounts of a bank have one, too,
	// and so have all accounts if those of several banks have.
	for (const [field, group] of [
		[id, 'country'],
		[account, 'bankCode'],
		[account, ''],
	])
		for (const list of grouped(payments, ({ values }) => values[group]).values()) {
			const byLength = [...grouped(list, ({ values }) => String(values[field]).length)];
			const [[length, [row]], [usual, others] = [0, []]] = byLength.sort(
				([, a], [, b]) => a.length - b.length,
			);
			const isOdd = others.length > 2 && others.length === list.length - 1;
			const banks = new Set(others.map(({ values }) => values.bankCode));
			if (
				isOdd &&
				(group === 'bankCode' ? row.values.bankCode !== undefined : length < usual) &&
				(group !== '' || banks.size > 2)
			)
				hold(row, userMessage('heldLength', { text: read(row, field) }));
		}
	const lengthOf = (row: FileRow, field: string) => read(row, field).length;
	const isAlone = (row: FileRow, field: string) =>
		payments.every((one) => one === row || lengthOf(one, field) !== lengthOf(row, field));
	// In one row the longer one is the shorter one in all others, and no other row has their lengths.
	const isLonger = (row: FileRow) => lengthOf(row, id) > lengthOf(row, account);
	for (const [row, ...others] of grouped(payments, isLonger).values())
		if (others.length === 0 && payments.length > 1 && isAlone(row, id) && isAlone(row, account))
			hold(row, userMessage('heldExchanged'));
}

/**
 * Anything but words, which a hyphen may join: what somebody wrote behind a name. Or a single letter between two words
 * and two words: `Quispe Juana y Mamani Rosa`.
 */
const NO_NAME = /[^\p{L}\p{M}\s.,'’´`&-]|\s-|-\s|\S \S+ [\p{L}&] \S+ \S/u;

/** Whether a name has words in capitals and others: `Juana Quispe SUSPENDIDA`. Short words are particles. */
function isMixed(name: string): boolean {
	// The form of a company is written so in any name: `S.R.L.`
	const words = name.split(' ').filter((word) => word.length > 3 && !/^(\p{L}\.)+$/u.test(word));
	const kinds = words.map((word) =>
		word === word.toUpperCase() ? 'upper' : word === word.toLowerCase() ? 'lower' : 'capital',
	);
	return new Set(kinds).size > 1;
}

/** Holds the payments whose payee a text outside the payments names, with at least two words. */
function holdNamed(payments: readonly FileRow[], of: PaymentTable, texts: readonly string[]): void {
	const withWord = grouped(
		texts.flatMap((text) => [...new Set(wordsOf(text))].map((word) => ({ word, text }))),
		({ word }) => word,
	);
	for (const row of payments) {
		const words = [...new Set(wordsOf(nameOf(row, of)))].filter(({ length }) => length > 2);
		const found = words.flatMap((word) => withWord.get(word) ?? []);
		for (const [text, { length }] of grouped(found, (one) => one.text))
			if (length > 1) hold(row, userMessage('asWritten', { text }), `notes.${text}`);
	}
}
