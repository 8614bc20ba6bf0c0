/** What happened, and what to do. */
type WithHint = `${string} → ${string}`;

/** The texts of another language: the same ones, and where the English says what to do, the translation does. */
export type Translation<English> = English extends WithHint
	? WithHint
	: English extends string
		? string
		: { [Name in keyof English]: Translation<English[Name]> };

/** A text of a catalogue as what happened and what to do. */
export function splitHint(template: string): { text: string; hint?: string } {
	const [text, hint] = template.split(' → ');
	return { text, ...(hint !== undefined && { hint }) };
}
