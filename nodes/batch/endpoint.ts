import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { Values } from '../fields/validators';
import type { Field } from '../fields/field';
import type { WholeName } from '../fields/headers';
import type { Output } from '../fields/form';
import type { ValidationError } from '../fields/validateFields';
import type { ReferenceForm } from '../reference/batchIdentity';
import type { Money } from './totals';
import type { ToFund } from '../report/toFund';
import type { Result, UserMessage } from '../messages/userMessage';
import type { Created } from '../service/responses';
import type { Service } from '../service/transport';

/** Whom a payment pays, as far as the request says. */
export interface Payee {
	/** What identifies the payee, however a row is written: the document number, the address, the QR code. */
	id: string;
	/** Where the money goes: country, bank and account, or the blockchain. Empty if `id` says it. */
	account: string;
}

/** How rows are read from input items that are results of other payments. */
export interface RowsFromResults {
	/** The fields whose values come from the item. The form has the others. */
	fields: string[];
	/** Their values by field name, or why the item is no payment. The message continues “Input item”. */
	read(item: IDataObject): Result<Record<string, unknown>>;
	/** The transaction that a row is for. If the delivery logs say that it has moved on, the row is not sent. */
	transactionId(values: Values): string;
	/** Asks the service what is wrong with rows before any is sent. The messages continue “Input item”. */
	validate(service: Service, rows: Values[]): Promise<Array<UserMessage | undefined>>;
	/** What each output item has in addition. */
	rowFields(values: Values): IDataObject;
	/** What a row funds, for the sums of a dry run. */
	toFund(values: Values): ToFund;
}

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
	/**
	 * The field of the reference, and the form of a generated one. Without Key Columns it is generated from the
	 * payee, whom `payeeField` identifies. An endpoint without a payee who stays the same needs Key Columns.
	 */
	reference: { field: string; form: ReferenceForm; payeeField?: string };
	/** Whether money leaves the account, so that paying twice is a loss. */
	paysOut: boolean;
	/** Amount and currency of a row, for totals and limits; undefined if it has no amount. */
	amount(values: Values): Money | undefined;
	/** The field of the funding source. */
	fundingField: string;
	/**
	 * The type of its quotes and balances (sections 4.8 and 4.9). Without one, nobody knows the currency of an amount, so
	 * none of them fits.
	 */
	transactionType?: string;
	/** The payee as people call them, as far as the values say it. Missing if the endpoint names nobody. */
	payeeName?(values: Values): string | undefined;
	/** Where the money goes, as people call it: bank and account, or the blockchain. Missing if the endpoint names none. */
	paidTo?(values: Values): string | undefined;
	/** Whom a row pays; undefined if its values do not say it. Missing if the endpoint pays nobody. */
	payee?(values: Values): Payee | undefined;
	/** The two fields of a name that one column of a file may hold. */
	wholeName?: WholeName;
	/** Whether a payee has an account that can change, as with a bank. */
	hasAccounts?: boolean;
	/** Whether duplicates are reported unless the user chose; otherwise they are rejected. */
	reportsDuplicates?: boolean;
	/** The field of the purpose: payments to one payee for two purposes are no duplicates. */
	purpose?: string;
	/** What the response repeats of a request, by the names in the response. */
	echoes?(body: IDataObject): IDataObject;
	/** The fields of an item besides those of every row. */
	output: Output;
	/** The fields that are left with Simplified, in addition to those of the outcome. */
	simplified: string[];
	/** How a payment is funded that does not come from a balance. Missing if somebody else sends the money. */
	funding?: {
		/** The crypto that a row waits for when it is created; undefined if it waits for none. */
		asset(values: Values): string | undefined;
		/** The crypto to send before the payment moves; undefined if the answer names none. */
		toFund(values: Values, answer: IDataObject): ToFund | undefined;
	};
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
	/** Missing if people choose where the values of a row come from. */
	fromResults?: RowsFromResults;
	/** The fields that the form has first, in this order: what is paid. */
	first?: string[];
}
