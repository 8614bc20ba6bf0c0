import { grouped } from '../fields/grouped';
import { wordsOf } from '../fields/text';
import { userMessage, type UserMessage } from '../messages/userMessage';
import type { PaymentTable, Reading } from './mapping';
import { hold, type FileRow } from './rows';
import { ownCells } from './sheet';
import { elementsIn, textOf, TITLE, withoutNumber } from './values';

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

/**
 * Holds payments whose names and numbers differ in shape from those of most others, or contradict another row.
 *
 * @param texts what the file says outside its payments
 */
export function holdPayees(
	{ of, mapping }: Reading,
	payments: readonly FileRow[],
	texts: readonly string[],
): void {
	const { wholeName, payeeFields } = of;
	const read = (row: FileRow, field: string) => textOf(mapping.cellsOf(row.line, field));
	/** Holds what only some payments have. */
	const holdFew = (has: (row: FileRow) => boolean, why: (row: FileRow) => UserMessage) => {
		const few = payments.filter(has);
		if (few.length <= payments.length / 2) for (const row of few) hold(row, why(row));
	};
	if (wholeName) {
		const isCompany = ({ values }: FileRow) => wholeName.isCompany((field) => values[field]);
		const odd = new Map<FileRow, string>();
		const hasTitle = (row: FileRow, name: string) =>
			TITLE.test(name) && !nameOf(row, of).includes('.');
		for (const row of payments) {
			const texts = nameFieldsOf(of).flatMap((field) => read(row, field) || []);
			const name = withoutNumber(texts.join(' '));
			if (NO_NAME.test(name)) hold(row, userMessage('heldName', { name }));
			else if (isMixed(name) || hasTitle(row, name) || (!name.includes(' ') && !isCompany(row)))
				odd.set(row, name);
		}
		holdFew(
			(row) => odd.has(row),
			(row) => userMessage('heldName', { name: odd.get(row) ?? '' }),
		);
	}
	const inCode = ({ values }: FileRow) => elementsIn(String(values.image ?? '')).get('59') ?? '';
	const isOfOther = (row: FileRow) => {
		const own = ownCells(row.line).filter(([, { text }]) => text !== row.values.image);
		const words = new Set(own.flatMap(([, { text }]) => wordsOf(text)));
		return !wordsOf(inCode(row)).some((word) => words.has(word));
	};
	// If the file says whom a QR code pays, a code that names somebody else may be that of another row.
	const coded = payments.filter((row) => inCode(row) !== '');
	const others = coded.filter(isOfOther);
	for (const row of others.length < coded.length ? others : [])
		hold(row, userMessage('heldRemark', { header: 'QR', text: inCode(row) }));
	holdNamed(payments, of, texts);
	for (const list of sameKeys(payments, of))
		if (list.some(({ invalid }) => invalid.length > 0))
			for (const row of list) hold(row, userMessage('heldOther'));

	const numbersOf = ({ values }: FileRow) => [
		...payeeFields.map((field) => String(values[field] ?? '').replace(/\D/g, '')),
		String(values.amount),
	];
	holdFew(
		(row) => new Set(numbersOf(row)).size <= payeeFields.length,
		() => userMessage('heldCopied'),
	);
	const amounts = payments.map(({ values }) => Number(values.amount)).sort((a, b) => a - b);
	const [second, most] = amounts.slice(-2);
	const whole = payments.filter((row) => /^\d+$/.test(read(row, 'amount')));
	const hasMost = ({ values }: FileRow) => Number(values.amount) === most;
	// The largest amount may lack its decimal mark: `325050` among amounts such as `3250.50`.
	if (whole.length <= payments.length / 2 && most >= 100 * amounts[0] && most <= 100 * second)
		for (const row of whole.filter(hasMost)) {
			const text = mapping.sources.get('amount')?.columns[0].header ?? '';
			hold(row, userMessage('heldUnit', { text, amount: read(row, 'amount') }));
		}
	for (const field of payeeFields) {
		const withZeros = payments.flatMap((row) => /^0\d+$/.exec(read(row, field)) ?? []);
		const digits = Math.max(0, ...withZeros.map(({ length }) => length));
		for (const row of payments)
			for (const { kind, text } of mapping.cellsOf(row.line, field))
				if (kind === 'number' && text.length < digits)
					hold(row, userMessage('heldZeros', { text }));
	}
	const [id, account] = payeeFields;
	if (account === undefined) return;
	holdFew(
		(row) => /\p{L}/u.test(String(row.values[account])),
		(row) => userMessage('heldLetters', { text: read(row, account) }),
	);
	for (const list of grouped(payments, ({ values }) => values[account]).values())
		if (new Set(list.map((row) => keyOf(row, of))).size > 1)
			for (const row of list) hold(row, userMessage('heldShared'));
	// The documents of a country have one length, and so have the accounts of a bank. Those of companies may be longer.
	for (const [field, group] of [
		[id, 'country'],
		[account, 'bankCode'],
	])
		for (const list of grouped(payments, ({ values }) => values[group]).values()) {
			const lengths = list.map(({ values }) => String(values[field]).length);
			const [least, ...others] = [...lengths].sort((a, b) => a - b);
			if (others.length > 2 && least < others[0] && new Set(others).size === 1) {
				const row = list[lengths.indexOf(least)];
				hold(row, userMessage('heldLength', { text: read(row, field) }));
			}
		}
	const [ids, accounts] = [id, account].map((field) =>
		grouped(payments, (row) => read(row, field).length),
	);
	// In one row the longer one is the shorter one in all others, and no other row has their lengths.
	for (const list of grouped(
		payments,
		(row) => read(row, id).length > read(row, account).length,
	).values()) {
		const [row] = list;
		const [own, other] = [ids.get(read(row, id).length), accounts.get(read(row, account).length)];
		if (list.length === 1 && payments.length > 1 && own?.length === 1 && other?.length === 1)
			hold(row, userMessage('heldExchanged'));
	}
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
