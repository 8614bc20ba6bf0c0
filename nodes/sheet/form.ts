import { hash } from 'node:crypto';

import { inLanguage, type Language, userMessage, type UserMessage } from '../messages/userMessage';
import { type Html, html } from '../fields/html';
import { pageLabel } from '../fields/labels';
import { dollarsAsText } from '../fields/text';
import { shownAmount } from './amount';
import type { Comparison, PastPayment } from './comparison';
import type { PaymentTable } from './mapping';
import { ANSWER, type Candidate, type Question } from './question';
import type { PaymentReading } from './readPayments';

/** A field of n8n's Form, as its JSON takes it. */
export type FormField = Readonly<Record<string, unknown>>;

/** A longer text is no choice that anybody reads. */
const MAX_OPTION = 160;

/** More rows would make the page too long. */
const MAX_LISTED = 100;

/** A text that n8n shows as it is: it shows labels as HTML. */
export function plainText(text: string): string {
	return dollarsAsText(text).replaceAll('<', '\u2039').replaceAll('>', '\u203a');
}

const say = (message: UserMessage, language: Language): string =>
	inLanguage(message, language).message;

function optionText({ name, value, samples, sum, why }: Candidate, language: Language): string {
	const more = [
		...samples,
		...(sum === undefined ? [] : [`\u03a3 ${shownAmount(sum, language)}`]),
	].join(', ');
	const reasons = (why ?? []).map((one) => say(one, language)).join('; ');
	const text = [
		name ? say(name, language) : value,
		...(more === '' ? [] : [`(${more})`]),
		...(reasons === '' ? [] : [`- ${reasons}`]),
	].join(' ');
	return plainText(text.slice(0, MAX_OPTION));
}

/**
 * What the page shows for each choice. n8n's options have no value, so the text is the answer, too: one that would look
 * like another one ends with its number.
 */
function optionsOf({ candidates }: Question, language: Language): string[] {
	const texts = candidates.map((candidate) => optionText(candidate, language));
	return texts.map((text, index) =>
		texts.indexOf(text) === texts.lastIndexOf(text) ? text : `${text} #${index + 1}`,
	);
}

const labelOf = ({ label }: Question, language: Language): string =>
	plainText(say(label, language).slice(0, 2 * MAX_OPTION));

/**
 * Which questions a page has. n8n gives what any page sends to the page that waits now, by position, also what a page
 * sends that is out of date: answers to other questions do not count.
 */
export function pageOf(questions: readonly Question[], language: Language): string {
	const text = questions
		.flatMap((question) => [
			question.id,
			labelOf(question, language),
			...optionsOf(question, language),
		])
		.join('\n');
	return `${questions.length}-${hash('sha256', text, 'base64url')}`;
}

/** The fields of n8n's Form: what was read, and a field for each question, of which none is answered before. */
export function formFields(
	reading: PaymentReading,
	of: PaymentTable,
	language: Language,
): FormField[] {
	const { questions } = reading;
	return [
		{ fieldType: 'html', elementName: 'about', html: readingHtml(reading, of, language) },
		...questions.map((question): FormField => {
			const { id, kind, candidates } = question;
			const field = { fieldName: id, fieldLabel: labelOf(question, language), requiredField: true };
			if (candidates.length === 0) return { ...field, fieldType: 'text' };
			const values = optionsOf(question, language).map((option) => ({ option }));
			return {
				...field,
				fieldType: kind === 'several' ? 'checkbox' : 'dropdown',
				fieldOptions: { values },
			};
		}),
		{ fieldType: 'hiddenField', fieldName: 'page', fieldValue: pageOf(questions, language) },
	];
}

/**
 * The answers that a page gave.
 *
 * @param given texts by the ID of their question, and `page`
 * @returns nothing, if the page had other questions
 */
export function answersOf(
	questions: readonly Question[],
	given: Readonly<Record<string, unknown>>,
	language: Language,
): Map<string, string> {
	const answers = new Map<string, string>();
	if (given.page !== pageOf(questions, language)) return answers;
	for (const question of questions) {
		const { id, kind, candidates } = question;
		const texts = [Object.hasOwn(given, id) ? given[id] : []].flat().map(String);
		const isText = candidates.length === 0 && texts.length > 0 && texts[0].trim() !== '';
		if (isText) answers.set(id, texts[0].trim());
		const options = optionsOf(question, language);
		const chosen = candidates.filter((_, index) => texts.includes(options[index]));
		if (kind !== 'several') {
			if (chosen.length === 1) answers.set(id, chosen[0].value);
			continue;
		}
		// The last choice is that of none. With another one it contradicts itself. A text that is no choice is unclear.
		const isNone = chosen.includes(candidates[candidates.length - 1]);
		const isUnclear = chosen.length !== texts.length || (isNone && chosen.length > 1);
		if (chosen.length === 0 || isUnclear) continue;
		for (const one of candidates.slice(0, -1))
			answers.set(one.value, chosen.includes(one) ? ANSWER.pay : ANSWER.leaveOut);
	}
	return answers;
}

/**
 * What a person has to know of a file: before questions, the columns with a sample; then what differs from the last
 * file, what was confirmed, and what is not read or paid.
 */
export function readingHtml(
	{ comparison, error, notes, payments, questions, rows = [], sources }: PaymentReading,
	{ fields }: PaymentTable,
	language: Language,
): string {
	const columns = fields.flatMap(({ name, label }) => {
		const source = questions.length > 0 ? sources?.get(name) : undefined;
		if (!source) return [];
		const headers = source.columns.map(({ header }) => header).join(' + ');
		const sample = source.columns.map(({ samples }) => samples[0]).join(' ');
		return [[pageLabel(language, label), headers, sample.slice(0, MAX_OPTION)]];
	});
	const head = (['columnField', 'columnHeader', 'columnSample'] as const).map((code) =>
		say(userMessage(code), language),
	);
	const paid = new Set(payments.map(({ row }) => row));
	const confirmed = rows.flatMap(({ number, holds }) =>
		paid.has(number) && holds.length > 0 ? [numbered(number, holds, language)] : [],
	);
	const left = rows.flatMap(({ number, kind, why }) =>
		why && kind !== 'payment' && kind !== 'held' ? [numbered(number, [why], language)] : [],
	);
	const parts = [
		...(error ? [error] : notes).map((message) => paragraph(message, language)),
		...(columns.length > 0 ? [table([head, ...columns])] : []),
		...(comparison ? comparisonHtml(comparison, language) : []),
		...listHtml(userMessage('confirmedRows', { count: confirmed.length }), confirmed, language),
		...listHtml(userMessage('leftOutRows', { count: left.length }), left, language),
	];
	return dollarsAsText(html`${parts}`.text);
}

function comparisonHtml(
	{ with: name, added, missing, changed }: Comparison,
	language: Language,
): Html[] {
	const money = ({ amount, currency }: PastPayment) =>
		`${shownAmount(Number(amount), language)} ${currency}`;
	const line = (payee: PastPayment, message: UserMessage) => [payee.name, say(message, language)];
	const rows = [
		...added.map((one) => line(one, userMessage('payeeAdded', { money: money(one) }))),
		...missing.map((one) => line(one, userMessage('payeeMissing', { money: money(one) }))),
		...changed.flatMap(({ now, before }) => {
			const difference = Number(now.amount) - Number(before.amount);
			const change = `${difference > 0 ? '+' : ''}${shownAmount(difference, language)}`;
			const amounts = {
				now: money(now),
				before: money(before),
				change: now.currency === before.currency ? ` (${change})` : '',
			};
			const accounts = { now: now.account, before: before.account };
			return [
				...(amounts.now === amounts.before
					? []
					: [line(now, userMessage('amountChanged', amounts))]),
				...(accounts.now === accounts.before
					? []
					: [line(now, userMessage('accountChanged', accounts))]),
			];
		}),
	];
	return rows.length === 0
		? [paragraph(userMessage('sameAs', { name }), language)]
		: listHtml(userMessage('comparedWith', { name }), rows, language);
}

const numbered = (row: number, why: readonly UserMessage[], language: Language): string[] => [
	say(userMessage('rowNumber', { row }), language),
	why.map((one) => say(one, language)).join('; '),
];

/** A heading and a table, if there is a row. */
function listHtml(title: UserMessage, rows: readonly string[][], language: Language): Html[] {
	if (rows.length === 0) return [];
	const more = rows.length - MAX_LISTED;
	return [
		html`<h3>${say(title, language)}</h3>`,
		table(rows.slice(0, MAX_LISTED)),
		...(more > 0 ? [paragraph(userMessage('moreRows', { count: more }), language)] : []),
	];
}

const table = (rows: readonly string[][]): Html =>
	html`<table>
		${rows.map(
			(cells) =>
				html`<tr>
					${cells.map((cell) => html`<td>${cell}</td>`)}
				</tr>`,
		)}
	</table>`;

function paragraph(message: UserMessage, language: Language): Html {
	const { hint = '', message: text } = inLanguage(message, language);
	return html`<p>${[text, hint].filter(Boolean).join('. ')}</p>`;
}
