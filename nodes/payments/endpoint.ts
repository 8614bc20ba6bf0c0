import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	INodeProperties,
} from 'n8n-workflow';

import type { Values } from '../fields/validators';
import type { Field } from '../fields/field';
import type { OutputShape } from '../fields/form';
import type { ValidationError } from '../fields/validateFields';

/** What the answer of the service says of the transaction that it created. */
export interface Created {
	transactionId: string;
	/** State in the service's own words, for example `pending_transaction`. */
	status: string;
	message: string;
}

/** How a generated reference looks, as the endpoint allows it. */
export type ReferenceForm = 'uuid' | 'hex32';

/**
 * An endpoint that moves money, as the batch sees it. An endpoint says only what is its own; how
 * rows are checked, sent and reported is the same for all and lives in this folder.
 */
export interface MoneyEndpoint {
	/** What the editor calls it. */
	name: string;
	/** What the form says before anything else, of what cannot be undone. */
	notice?: string;
	/** Path of the POST, below the base URL. */
	path: string;
	fields: Field[];
	/** The field that holds the partner's reference, and how a generated one looks. */
	reference: { field: string; form: ReferenceForm };
	/** Whether money leaves the account, so that a second time is a loss. */
	paysOut: boolean;
	/** Amount and currency of a row, as decimal text, for totals and limits; undefined when it has none. */
	amount(values: Values): { amount: string; currency: string } | undefined;
	/** The field that says where the money of a row comes from. */
	fundingField: string;
	/** The balance that payments are made from, and which of them a row uses; left out where there is none. */
	balance?: { path: string; of(values: Values): { fiat: string; type: string } | undefined };
	/** Whom a payment goes to and what for: payments that agree in it, and in the amount, are identical. */
	duplicateFields?: string[];
	/** The one of these fields that only says what a payment is for, in free words. */
	purpose?: string;
	/** The answer of the service; `image` and the like left out, where they become binary data. */
	answer: Record<string, OutputShape>;
	/** Values of the request that the answer repeats: their names in the request and in the answer. */
	echoes?: string[];
	/** With Simplify only these fields of the answer are given, beside those of the outcome. */
	simplified?: string[];
	/** What was created, or undefined when the answer lacks the documented identifier. */
	created(answer: IDataObject): Created | undefined;
	/** Replaces values that name binary data of the item by what is to be sent, or says why not. */
	readBinary?(
		context: IExecuteFunctions,
		values: Values,
		itemIndex: number,
	): Promise<ValidationError[]>;
	/** The output item for an answer, where it is more than its JSON. */
	toItem?(
		context: IExecuteFunctions,
		answer: IDataObject,
		itemIndex: number,
		reference: string,
	): Promise<Pick<INodeExecutionData, 'json' | 'binary'>>;
	/** Further parameters of this operation alone, and further options by group. */
	properties?: INodeProperties[];
	options?: Record<string, INodeProperties[]>;
}
