import type { INodeProperties } from 'n8n-workflow';

import { moneyText } from '../fields/money';
import type { Language } from '../messages/userMessage';

export type { Language };

export const LANGUAGES: ReadonlyArray<{ name: string; value: Language }> = [
	{ name: 'English', value: 'en' },
	{ name: 'Spanish', value: 'es' },
];

/** The language of texts that people read in a report, a page or a file. Everything else is English. */
export const LANGUAGE: Omit<INodeProperties, 'name'> = {
	displayName: 'Language',
	type: 'options',
	options: [...LANGUAGES],
	default: 'en',
	description: 'The language of the texts, the numbers and the column names',
};

/** The language that a parameter names. An expression may give anything. */
export function toLanguage(value: unknown): Language {
	return value === 'es' ? 'es' : 'en';
}

/** An amount with its currency: `12,345.60 BOB`. Empty if the amount is. */
export function moneyWithCurrency(amount: string, currency: string, language: Language): string {
	return amount === '' ? '' : `${moneyText(amount, language)} ${currency}`.trim();
}

/** A date and time as people write it, with its time zone. */
export function timeText(milliseconds: number, timeZone: string, language: Language): string {
	const text = new Intl.DateTimeFormat(language === 'es' ? 'es-BO' : 'en-GB', {
		dateStyle: 'long',
		timeStyle: 'short',
		timeZone,
	}).format(milliseconds);
	return `${text} (${timeZone})`;
}

/** A time of the service as a spreadsheet reads it, in a time zone: `2026-11-27 15:14`. Anything else stays as it is. */
export function localTime(time: string, timeZone: string): string {
	const milliseconds = Date.parse(time);
	if (Number.isNaN(milliseconds)) return time;
	return new Intl.DateTimeFormat('sv-SE', {
		dateStyle: 'short',
		timeStyle: 'short',
		timeZone,
	}).format(milliseconds);
}
