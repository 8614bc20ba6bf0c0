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

/** The created transaction, as the response describes it. */
export interface Created {
	transactionId: string;
	/** The service's own status, for example `pending_transaction`. */
	status: string;
	message: string;
}

/** The form of a generated reference, which depends on the length that the endpoint allows. */
export type ReferenceForm = 'uuid' | 'hex32';

/**
 * An endpoint that moves money. It states only what differs from other endpoints: how rows are validated,
 * sent and reported is the same for all, and lives in this folder.
 */
export interface MoneyEndpoint {
	/** Its name in the editor. */
	name: string;
	/** The notice at the top of the form: what cannot be undone. */
	notice?: string;
	/** Path of the POST, below the base URL. */
	path: string;
	fields: Field[];
	/** The field of the reference, and the form of a generated one. */
	reference: { field: string; form: ReferenceForm };
	/** Whether money leaves the account, so that paying twice is a loss. */
	paysOut: boolean;
	/** Amount (decimal text) and currency of a row, for totals and limits; undefined if it has no amount. */
	amount(values: Values): { amount: string; currency: string } | undefined;
	/** The field of the funding source. */
	fundingField: string;
	/** The balance that payments are made from, and which one a row uses. */
	balance?: { path: string; of(values: Values): { fiat: string; type: string } | undefined };
	/** The fields that, with amount and currency, make two payments duplicates: recipient and purpose. */
	duplicateFields?: string[];
	/** The one of them that holds the purpose, which is free text. */
	purpose?: string;
	/** The fields of the response, without those that become binary data. */
	answer: Record<string, OutputShape>;
	/** Fields of the request that the response echoes under the same name. */
	echoes?: string[];
	/** The fields of the response that are left with Simplify, in addition to those of the outcome. */
	simplified?: string[];
	/** The created transaction; undefined if the response lacks the documented identifier. */
	created(answer: IDataObject): Created | undefined;
	/** Replaces values that name binary data of the item with what to send. Returns errors, if any. */
	readBinary?(
		context: IExecuteFunctions,
		values: Values,
		itemIndex: number,
	): Promise<ValidationError[]>;
	/** The output item for a response, if it is more than its JSON. */
	toItem?(
		context: IExecuteFunctions,
		answer: IDataObject,
		itemIndex: number,
		reference: string,
	): Promise<Pick<INodeExecutionData, 'json' | 'binary'>>;
	/** Parameters and options (by group) that only this operation has. */
	properties?: INodeProperties[];
	options?: Record<string, INodeProperties[]>;
}
