import { TRIGGER_MESSAGES } from '../../nodes/PartnerPaymentsTrigger/messages';
import { FIELD_MESSAGES } from '../../nodes/fields/messages';
import { OPERATION_MESSAGES } from '../../nodes/PartnerPayments/operations/messages';
import { OPTION_MESSAGES, PAYMENT_MESSAGES, ROW_MESSAGES } from '../../nodes/batch/messages';
import { type MessageTemplate, SERVICE_MESSAGES } from '../../nodes/service/messages';

/** All messages that a user may see. */
const CATALOGUES: Array<Record<string, MessageTemplate>> = [
	SERVICE_MESSAGES,
	FIELD_MESSAGES,
	PAYMENT_MESSAGES,
	ROW_MESSAGES,
	OPTION_MESSAGES,
	TRIGGER_MESSAGES,
	OPERATION_MESSAGES,
];

/** A message by its code: its text with `…` where a value is filled in, and what it means for the money. */
export interface CatalogueMessage {
	code: string;
	text: string;
	hint: string;
	outcome?: string;
}

export const catalogueMessages: CatalogueMessage[] = CATALOGUES.flatMap((catalogue) =>
	Object.entries(catalogue).map(([code, { text, hint: hint = '', outcome }]) => ({
		code,
		text: text.replace(/\{\w+\}/g, '…'),
		hint,
		outcome,
	})),
);
