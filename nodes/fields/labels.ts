import { LABELS } from '../messages/es';
import { inEachLanguage, type Language, type Words } from '../messages/userMessage';
import { joinWords } from './text';

/** A label in a language. What stands in quotation marks behind it is a column's own name. */
export function labelIn(language: Language, label: string): string {
	const [name, ...quoted] = label.split(' "');
	return language === 'es' ? [LABELS[name] ?? name, ...quoted].join(' "') : label;
}

/** What people who never saw the form call a field: `Account`, not `Destination Account`. */
export function pageLabel(language: Language, label: string): string {
	return language === 'en' ? label.replace(/^Destination | Code$/g, '') : labelIn(language, label);
}

/** The same in a message. */
export function pageLabelWords(label: string): Words {
	return inEachLanguage((language) => pageLabel(language, label));
}

/** `a, b and c` in a message. */
export function listWords(texts: string[]): Words {
	return inEachLanguage((language) => joinWords(texts, 'and', language));
}
