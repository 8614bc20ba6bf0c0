import { catalogue, type MessageTemplate } from '../../service/messages';

/** The messages of the operations that move no money. */
export const OPERATION_MESSAGES = {
	noSuchOperation: {
		text: 'Resource "{resource}" has no operation "{operation}"',
		hint: 'Choose the resource and the operation again.',
	},
	listNotShown: {
		text: 'The list cannot be shown. {reason}',
		hint: 'The ID can be entered with By ID.',
	},
	wrongLimit: { text: 'Limit must be a whole number of 1 or more' },
	notADate: {
		text: '{label} must be a date and time',
		hint: 'For example 2026-11-21T08:00:00Z.',
	},
	nothingToUpdate: {
		text: 'Update Fields has no field with a value',
		hint: 'Add at least one field to change. Nothing was sent.',
	},

	// Replay Events.
	periodWithoutStart: {
		text: 'From is required when Replay is Period',
		hint: 'Choose when the period begins.',
	},
	nothingToReplay: {
		text: 'Transactions is required',
		hint: 'Name at least one transaction ID or reference.',
	},
	eventsNotFound: {
		text: 'The logs have no event of the transaction {names}. Check the ID or reference.',
	},

	// Status of transactions: why it cannot be looked up.
	nameNotText: {
		text: 'Reference or Transaction ID ({value}) must be text',
		hint: 'Name one value in it, such as {{ $json.reference }}.',
	},
	nameMissing: {
		text: 'Reference or Transaction ID is required',
		hint: 'Fill it in, or take the item out before this node.',
	},
	namesMissing: {
		text: 'References or Transaction IDs is required',
		hint: 'Enter at least one.',
	},
	itemWithoutName: {
		text: 'The item has neither a reference nor a transaction ID',
		hint: 'Its columns may be called reference, external_reference, referenceId or transaction_id. For another one, set Find By to Field Below.',
	},
	wrongWait: {
		text: 'Wait Until Final (Minutes) must be a number from 0 to {max}',
		hint: 'It is the same for all items. 0 does not wait.',
	},
	notReadAgain: {
		text: 'The logs could not be read again ({reason}), so the statuses are those of an earlier reading.',
	},
	entriesPassedOver: {
		text: '{count} entries of the logs tell no transaction, status or date, and were passed over.',
	},

	// Status of transactions: what has to be said of a row.
	neverCreated: {
		text: 'The logs do not know it, and nothing was created: its outcome is {outcome}.',
	},
	noWebhook: {
		text: 'This account has no webhook, and the service logs events for webhooks only. Publish a workflow with the Partner Payments Trigger.',
	},
	notFound: {
		text: 'The logs do not know it. That does not mean that it was not created: there may have been no webhook for its events at the time, it may be too long ago, or too new.',
	},
	askTheService: { text: 'Ask the service for the reference before you send it again.' },
	severalTransactions: {
		text: 'This reference belongs to {count} transactions ({ids}), each of which has an item here.',
	},
	otherTransaction: {
		text: 'The logs do not know transaction {transaction}; they have another one with its reference.',
	},
	createdAllTheSame: {
		text: 'The outcome of this row is {outcome}, and yet the logs have a transaction with its reference, of an earlier run or another row.',
	},
	severalFinalStates: {
		text: 'The logs have more than one final status: {states}. Ask the service which one holds.',
	},
} as const satisfies Record<string, MessageTemplate>;

export const tell = catalogue(OPERATION_MESSAGES);
