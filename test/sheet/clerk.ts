import { normalizeWord } from '../../nodes/fields/text';
import type { PaymentTable } from '../../nodes/sheet/mapping';
import { ANSWER, type Candidate, type Question, type Settings } from '../../nodes/sheet/question';
import type { Payment } from '../../nodes/sheet/comparison';
import type { PaymentReading } from '../../nodes/sheet/readPayments';
import type { PaymentFile } from '../../nodes/sheet/sheet';
import { read } from './read';

/** What is to be paid, by field; a name as a whole, in whatever order. */
export interface Expected {
	name?: string;
	destinationIdNumber?: string;
	destinationAccount?: string;
	bankCode?: string;
	amount: number;
	currencyType?: string;
	destinationWallet?: string;
	asset?: string;
	blockchain?: string;
}

/** How a file came to its end. */
export interface Ending {
	/** How many pages of questions there were. */
	pages: number;
	asked: string[];
	reading: PaymentReading;
	/** Questions that the clerk cannot answer. */
	stuck: string[];
}

const words = (text: unknown) =>
	String(text ?? '')
		.toLowerCase()
		.split(/[^\p{L}]+/u)
		.filter(Boolean)
		.sort()
		.join(' ');

const isPart = (some: string, all: string) =>
	some.split(' ').every((word) => all.split(' ').includes(word));

/** Whether a payment is the expected one. */
export function isExpected({ values }: Payment, expected: Expected): boolean {
	const name = [values.firstName, values.lastName].filter(Boolean).join(' ');
	return Object.entries(expected).every(([field, value]) =>
		field === 'name'
			? words(name) === words(value)
			: field === 'amount'
				? Math.abs(Number(values.amount) - Number(value)) < 1e-9
				: String(values[field] ?? '') === String(value),
	);
}

/** Whether payments are the expected ones, each once. */
export function areExpected(payments: readonly Payment[], expected: readonly Expected[]): boolean {
	return (
		payments.length === expected.length &&
		expected.every((one) => payments.filter((payment) => isExpected(payment, one)).length === 1)
	);
}

const digits = (text: string) => text.replace(/[\s.,'-]/g, '').replace(/^0+/, '');

/**
 * Answers what is asked as somebody who knows what is meant, and nothing else.
 *
 * @param hints answers by the ID of their question, or by `columns.FIELD` the column that is meant
 */
export async function answerAll(
	file: PaymentFile,
	of: PaymentTable,
	settings: Settings,
	expected: readonly Expected[],
	hints: Readonly<Record<string, string>> = {},
): Promise<Ending> {
	const answers = new Map<string, string>();
	const asked: string[] = [];
	for (let pages = 0; ; pages++) {
		const reading = await read(file, of, settings, answers);
		if (reading.questions.length === 0 || pages > 6) return { pages, asked, reading, stuck: [] };
		const stuck: string[] = [];
		for (const question of reading.questions) {
			asked.push(question.id);
			const answer = answerTo(question, expected, hints);
			if (answer === undefined) stuck.push(question.id);
			else for (const [id, value] of answer) answers.set(id, value);
		}
		if (stuck.length > 0) return { pages: pages + 1, asked, reading, stuck };
	}
}

type Answered = Array<[id: string, value: string]>;

function answerTo(
	question: Question,
	expected: readonly Expected[],
	hints: Readonly<Record<string, string>>,
): Answered | undefined {
	const { id, kind, field = '', candidates } = question;
	const one = (value: string | undefined): Answered | undefined =>
		value === undefined ? undefined : [[id, value]];
	const hint = hints[id];
	if (hint !== undefined)
		return one(
			candidates.find(({ value }) => normalizeWord(value) === normalizeWord(hint))?.value ?? hint,
		);
	const wanted = expected.map((row) => String(row[field as keyof Expected] ?? row.name ?? ''));
	if (kind === 'column') {
		const means = (sample: string) =>
			field === 'amount'
				? expected.some(({ amount }) =>
						[sample, sample.replaceAll('.', '').replace(',', '.'), sample.replaceAll(',', '')].some(
							(text) => Number(text.replace(/[^\d.]/g, '').replace(/\.$/, '')) === amount,
						),
					)
				: field === 'firstName' || field === 'lastName'
					? expected.some(
							({ name = '' }) =>
								sample !== '' &&
								words(name).includes(words(sample).split(' ')[0]) &&
								words(sample) !== '',
						)
					: wanted.some(
							(value) =>
								digits(value) === digits(sample) || normalizeWord(value) === normalizeWord(sample),
						);
		const scores = candidates.map((candidate) => candidate.samples.filter(means).length);
		const best = Math.max(...scores);
		if (best > 0) return one(candidates[scores.indexOf(best)].value);
		return one(
			candidates.find(({ value }) => value === '(none)')?.value ??
				(field === 'bankCode' ? candidates[0]?.value : undefined),
		);
	}
	if (kind === 'value')
		return one(
			candidates.find(({ value }) => wanted.includes(value))?.value ??
				(candidates.some(({ value }) => value === 'leaveOut') ? 'leaveOut' : wanted[0]),
		);
	const isMeant = (label: string) =>
		expected.some(
			({ name, amount, destinationWallet }) =>
				isPart(words(name ?? destinationWallet), words(label)) &&
				label.replaceAll(',', '').includes(String(amount)),
		);
	if (kind === 'several') {
		// Of rows that the same is said of, the question has the first one.
		const isPaid = ({ value, name, samples: [, row] }: Candidate) =>
			value.startsWith('rows.')
				? isMeant(name?.message ?? '')
				: id === 'payRows' &&
					expected.some((one) => words(one.name) !== '' && isPart(words(one.name), words(row)));
		return candidates
			.slice(0, -1)
			.map((candidate) => [
				candidate.value,
				hints[candidate.value] ?? (isPaid(candidate) ? ANSWER.pay : ANSWER.leaveOut),
			]);
	}
	if (id === 'decimal') {
		const text = question.label.message;
		const comma = expected.some(({ amount }) =>
			text.replaceAll('.', '').replace(',', '.').includes(String(amount)),
		);
		return one(comma ? ',' : '.');
	}
	return one(candidates[0]?.value);
}
