import { inLanguage, type Language, userMessage, type UserMessage } from '../messages/userMessage';
import { labelIn } from '../fields/labels';
import type { PaymentTable } from './headers';
import { ANSWER, type Candidate, type Question } from './question';
import type { PaymentReading } from './readPayments';

/** A field of n8n's Form, as its JSON takes it. */
export type FormField = Readonly<Record<string, unknown>>;

/** A longer text is no choice that anybody reads. */
const MAX_OPTION = 160;

/** Longer lists are in the summary. */
const MAX_LISTED = 30;

/**
 * A text that n8n shows as it is. n8n puts the fields into an expression with `String.replace`, in which `$&` and the
 * like have a meaning, and shows labels as HTML.
 */
export function plainText(text: string): string {
	return text.replaceAll('$', '$\u2060').replaceAll('<', '\u2039').replaceAll('>', '\u203a');
}

const say = (message: UserMessage, language: Language): string =>
	inLanguage(message, language).message;

/** What the page shows for a choice. n8n's options have no value, so the text is the answer, too. */
function optionText(candidate: Candidate, language: Language): string {
	const { name, value, samples, sum, why } = candidate;
	const more = [...samples, ...(sum === undefined ? [] : [`\u03a3 ${sum}`])].join(', ');
	const reasons = (why ?? []).map((one) => say(one, language)).join('; ');
	const text = [
		name ? say(name, language) : value,
		...(more === '' ? [] : [`(${more})`]),
		...(reasons === '' ? [] : [`- ${reasons}`]),
	].join(' ');
	return plainText(text.slice(0, MAX_OPTION));
}

function labelOf({ label, why = [] }: Question, language: Language): string {
	const reasons = why.map((one) => say(one, language)).join('; ');
	const text = say(label, language);
	return plainText((reasons === '' ? text : `${text} - ${reasons}`).slice(0, 2 * MAX_OPTION));
}

/**
 * Which questions a page has. n8n gives what any page sends to the page that waits now, by position, also what a page
 * sends that is out of date: answers to other questions do not count.
 */
export function pageOf(questions: readonly Question[], language: Language): string {
	let hash = 5381;
	const text = questions
		.flatMap((question) => [
			question.id,
			labelOf(question, language),
			...question.candidates.map((candidate) => optionText(candidate, language)),
		])
		.join('\n');
	for (let at = 0; at < text.length; at++) hash = ((hash * 33) ^ text.charCodeAt(at)) >>> 0;
	return `${questions.length}-${hash.toString(36)}`;
}

/** The fields of n8n's Form: what was read, and a field for each question, of which none is answered before. */
export function formFields(
	reading: PaymentReading,
	of: PaymentTable,
	language: Language,
): FormField[] {
	const { questions } = reading;
	return [
		{ fieldType: 'html', elementName: 'about', html: aboutHtml(reading, of, language) },
		...questions.map((question): FormField => {
			const { id, kind, candidates } = question;
			const field = { fieldName: id, fieldLabel: labelOf(question, language), requiredField: true };
			if (candidates.length === 0) return { ...field, fieldType: 'text' };
			const values = candidates.map((candidate) => ({ option: optionText(candidate, language) }));
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
	for (const { id, kind, candidates } of questions) {
		const texts = [Object.hasOwn(given, id) ? given[id] : []].flat().map(String);
		const isText = candidates.length === 0 && texts.length > 0 && texts[0].trim() !== '';
		if (isText) answers.set(id, texts[0].trim());
		const chosen = candidates.filter((one) => texts.includes(optionText(one, language)));
		if (kind !== 'several') {
			if (chosen.length === 1) answers.set(id, chosen[0].value);
			continue;
		}
		// The last choice is that of none. With another one it contradicts itself.
		const isNone = chosen.includes(candidates[candidates.length - 1]);
		if (chosen.length === 0 || (isNone && chosen.length > 1)) continue;
		const group = id === 'remarks' ? 'remarks' : 'rows';
		for (const one of candidates.slice(0, -1)) {
			const isPaid = id !== 'leaveOutRows' && chosen.includes(one);
			answers.set(`${group}.${one.value}`, isPaid ? ANSWER.pay : ANSWER.leaveOut);
		}
		if (group === 'remarks') answers.set(id, ANSWER.none);
	}
	return answers;
}

const escaped = (text: string): string =>
	text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('$', '$\u2060');

/** What was read of the file, for a page: the columns with a sample, notes, and the rows that are no payments. */
export function aboutHtml(
	{ error, sources, notes, rows = [] }: PaymentReading,
	{ fields }: PaymentTable,
	language: Language,
): string {
	const words = (message: UserMessage) => escaped(say(message, language));
	const paragraphs = (error ? [error] : notes).map((message) => {
		const { hint = '' } = inLanguage(message, language);
		return `<p>${words(message)}. ${escaped(hint)}</p>`;
	});
	const columns = fields.flatMap(({ name, label }) => {
		const source = sources?.get(name);
		if (!source) return [];
		const headers = source.columns.map(({ header }) => header).join(' + ');
		const sample = source.columns.map(({ samples }) => samples[0]).join(' ');
		const cells = [labelIn(language, label), headers, sample.slice(0, MAX_OPTION)];
		return [`<tr>${cells.map((cell) => `<td>${escaped(cell)}</td>`).join('')}</tr>`];
	});
	const left = rows.filter(({ kind, why }) => why && !['payment', 'held'].includes(kind));
	const listed = left.slice(0, MAX_LISTED).map(({ number, why }) => {
		const reason = why ? words(why) : '';
		return `<li>${words(userMessage('rowNumber', { row: number }))}: ${reason}</li>`;
	});
	const head = (['columnField', 'columnHeader', 'columnSample'] as const).map(
		(code) => `<th>${words(userMessage(code))}</th>`,
	);
	return [
		...paragraphs,
		...(columns.length > 0 ? [`<table><tr>${head.join('')}</tr>${columns.join('')}</table>`] : []),
		...(left.length > 0
			? [
					`<p>${words(userMessage('notPaid', { count: left.length }))}</p><ul>${listed.join('')}</ul>`,
				]
			: []),
	].join('');
}
