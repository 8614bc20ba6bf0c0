import { hash } from 'node:crypto';

import { inLanguage, type Language, userMessage, type UserMessage } from '../messages/userMessage';
import { type Html, html, htmlTable } from '../fields/html';
import { pageLabel } from '../fields/labels';
import { moneyText } from '../fields/money';
import { dollarsAsText } from '../fields/text';
import { sumOf } from './amount';
import type { Comparison, PastPayment } from './comparison';
import type { PaymentTable } from './mapping';
import { ANSWER, type Candidate, type Question } from './question';
import type { PaymentReading } from './readPayments';

/** A field of n8n's Form, as its JSON takes it. */
export type FormField = Readonly<Record<string, unknown>>;

/** A longer text is no choice that anybody reads. */
const MAX_OPTION = 160;

/** A list has fewer titles. */
const MAX_TITLE = 500;

/** More rows would make the page too long. */
const MAX_LISTED = 100;

/** A text that n8n shows as it is: it shows labels as HTML. */
function plainText(text: string): string {
	return dollarsAsText(text).replaceAll('<', '\u2039').replaceAll('>', '\u203a');
}

const say = (message: UserMessage, language: Language): string =>
	inLanguage(message, language).message;

function optionText({ name, value, samples, sum }: Candidate, language: Language): string {
	const more = [
		...samples.filter((sample) => name !== undefined || sample !== value),
		...(sum === undefined ? [] : [`\u03a3 ${moneyText(String(sum), language)}`]),
	].join(', ');
	const text = `${name ? say(name, language) : value} ${more === '' ? '' : `(${more})`}`;
	return plainText(text.trim().slice(0, MAX_OPTION));
}

/** A question as a page has it, in a language. */
export interface PageQuestion extends Pick<Question, 'id' | 'kind' | 'field'> {
	readonly label: string;
	readonly candidates: ReadonlyArray<{ readonly value: string; readonly text: string }>;
}

/**
 * Questions as a page has them. n8n's options have no value, so the text is the answer, too: one that would look like
 * another one ends with its number.
 */
export function pageQuestions(questions: readonly Question[], language: Language): PageQuestion[] {
	return questions.map(({ label, candidates, ...question }) => {
		const texts = candidates.map((candidate) => optionText(candidate, language));
		const isUnique = (text: string) => texts.indexOf(text) === texts.lastIndexOf(text);
		return {
			...question,
			label: plainText(say(label, language).slice(0, 2 * MAX_OPTION)),
			candidates: candidates.map(({ value }, index) => ({
				value,
				text: texts[index] + (isUnique(texts[index]) ? '' : ` #${index + 1}`),
			})),
		};
	});
}

/**
 * Which questions a page has. n8n gives what any page sends to the page that waits now, by position, also what a page
 * sends that is out of date: answers to other questions do not count.
 */
const pageOf = (questions: readonly PageQuestion[]): string =>
	`${questions.length}-${hash('sha256', JSON.stringify(questions), 'base64url')}`;

/** A place without a question, whose value n8n can read as that of check boxes. */
const UNUSED: FormField = { fieldType: 'hiddenField', fieldName: 'unused', fieldValue: '[]' };

/**
 * The fields of n8n's Form: what was read, and two for each question, of which none is answered before. Its check boxes are
 * the second of the two, anything else the first: n8n ends an execution if the text of a page that is out of date comes where
 * the page that waits has check boxes (`Form/utils/utils.js` of n8n-nodes-base).
 *
 * @param about what was read, as HTML
 */
export function formFields(questions: readonly PageQuestion[], about: string): FormField[] {
	return [
		{ fieldType: 'html', elementName: 'about', html: about },
		{ fieldType: 'hiddenField', fieldName: 'page', fieldValue: pageOf(questions) },
		...questions.flatMap(({ id, kind, label, candidates }): FormField[] => {
			const field = { fieldName: id, fieldLabel: label, requiredField: true };
			if (candidates.length === 0) return [{ ...field, fieldType: 'text' }, UNUSED];
			const fieldOptions = { values: candidates.map(({ text }) => ({ option: text })) };
			return kind === 'several'
				? [UNUSED, { ...field, fieldType: 'checkbox', fieldOptions }]
				: [{ ...field, fieldType: 'dropdown', fieldOptions }, UNUSED];
		}),
	];
}

/**
 * The answers that a page gave.
 *
 * @param given texts by the ID of their question, and `page`
 * @returns nothing, if the page had other questions
 */
export function answersOf(
	questions: readonly PageQuestion[],
	given: Readonly<Record<string, unknown>>,
): Map<string, string> {
	const answers = new Map<string, string>();
	if (given.page !== pageOf(questions)) return answers;
	for (const { id, kind, candidates } of questions) {
		const texts = [Object.hasOwn(given, id) ? given[id] : []].flat().map(String);
		if (candidates.length === 0 && texts.length === 1 && texts[0].trim() !== '')
			answers.set(id, texts[0].trim());
		const chosen = candidates.filter(({ text }) => texts.includes(text));
		// A text that is no choice is unclear.
		if (chosen.length === 0 || chosen.length !== texts.length) continue;
		if (kind !== 'several') {
			if (chosen.length === 1) answers.set(id, chosen[0].value);
			continue;
		}
		// The last choice is that of none. With another one it contradicts itself.
		if (chosen.length > 1 && chosen.includes(candidates[candidates.length - 1])) continue;
		for (const one of candidates.slice(0, -1))
			answers.set(one.value, chosen.includes(one) ? ANSWER.pay : ANSWER.leaveOut);
	}
	return answers;
}

type HeadCode = `column${'Before' | 'Difference' | 'Field' | 'Header' | 'Now' | 'Sample'}`;

/**
 * What was read, what was left out and what was confirmed, in a language. As HTML: before questions, the columns with a
 * sample; then what differs from the last file, what was confirmed, and what is not paid.
 */
export function summaryOf(reading: PaymentReading, { fields }: PaymentTable, language: Language) {
	const { table, mapping, rows = [], payments, comparison } = reading;
	const title = (table?.titles ?? []).join(' | ').slice(0, MAX_TITLE);
	const inWords = (message: UserMessage) => say(message, language);
	const heads = (...codes: HeadCode[]) => codes.map((code) => inWords(userMessage(code)));
	const numbered = (list: ReadonlyArray<{ row: number; why: string | string[] }>) =>
		list.map(({ row, why }) => [
			inWords(userMessage('rowNumber', { row })),
			[why].flat().join('; '),
		]);
	const paid = new Set(payments.map(({ row }) => row));
	const columns = [...(mapping?.sources ?? [])].map(([field, { how, columns: own }]) => ({
		field,
		how,
		columns: own.map(({ header }) => header),
		sample: own.map(({ samples }) => samples[0]).join(' '),
	}));
	const leftOut = rows.flatMap(({ number, why }) =>
		why ? [{ row: number, why: inWords(why) }] : [],
	);
	const confirmed = rows.flatMap(({ number, holds }) => {
		const why = paid.has(number) && holds.get(`rows.${number}`);
		return why ? [{ row: number, why: why.map(inWords) }] : [];
	});
	const shown = columns.map(({ field, columns: headers, sample }) => [
		pageLabel(language, fields.find(({ name }) => name === field)?.label ?? field),
		headers.join(' + '),
		sample.slice(0, MAX_OPTION),
	]);
	const isAsked = reading.questions.length > 0 && shown.length > 0;
	const parts = [
		...(title === '' ? [] : [html`<p>${title}</p>`]),
		...[reading.error ?? [], reading.notes].flat().map((one) => paragraph(one, language)),
		...(isAsked
			? [htmlTable([heads('columnField', 'columnHeader', 'columnSample'), ...shown])]
			: []),
		...comparisonHtml(comparison, heads, language),
		...listHtml(
			userMessage('confirmedRows', { count: confirmed.length }),
			numbered(confirmed),
			language,
		),
		...listHtml(userMessage('leftOutRows', { count: leftOut.length }), numbered(leftOut), language),
	];
	return {
		count: payments.length,
		sheet: table?.sheet.name,
		headerRow: table && table.header + 1,
		notUsed: mapping?.unused.map(({ header }) => header),
		columns,
		leftOut,
		confirmed,
		notes: reading.notes.map(inWords),
		...(comparison && { comparison }),
		html: dollarsAsText(html`${parts}`.text),
	};
}

function comparisonHtml(
	comparison: Comparison | undefined,
	heads: (...codes: HeadCode[]) => string[],
	language: Language,
): Html[] {
	if (!comparison) return [];
	const { with: name, changes } = comparison;
	if (changes.length === 0) return [paragraph(userMessage('sameAs', { name }), language)];
	const shown = (payment: PastPayment | undefined) =>
		payment
			? `${moneyText(payment.amount, language)} ${payment.currency}, ${payment.account}`
			: '-';
	const rows = changes.map(({ now, before }) => {
		const isComparable = now && now.currency === before?.currency;
		const difference = isComparable
			? moneyText(String(sumOf([Number(now.amount), -Number(before.amount)])), language)
			: '';
		return [now?.name ?? before?.name ?? '', shown(before), shown(now), difference];
	});
	const head = ['', ...heads('columnBefore', 'columnNow', 'columnDifference')];
	return listHtml(userMessage('comparedWith', { name }), [head, ...rows], language);
}

/** A heading and a table, if there is a row. */
function listHtml(title: UserMessage, rows: readonly string[][], language: Language): Html[] {
	if (rows.length === 0) return [];
	const more = rows.length - MAX_LISTED;
	return [
		html`<h3>${say(title, language)}</h3>`,
		htmlTable(rows.slice(0, MAX_LISTED)),
		...(more > 0 ? [paragraph(userMessage('moreRows', { count: more }), language)] : []),
	];
}

function paragraph(message: UserMessage, language: Language): Html {
	const { hint = '', message: text } = inLanguage(message, language);
	return html`<p>${[text, hint].filter(Boolean).join('. ')}</p>`;
}
