import { MESSAGES } from '../../docs/build/codes';

/** A message by its code: its text with `…` where a value is filled in, and what it means for the money. */
export interface CatalogueMessage {
	code: string;
	text: string;
	hint: string;
	outcome?: string;
}

export const catalogueMessages: CatalogueMessage[] = MESSAGES.map(
	({ code, text, hint = '', outcome }) => ({
		code,
		text: text.replace(/\{\w+\}/g, '…'),
		hint,
		outcome,
	}),
);
