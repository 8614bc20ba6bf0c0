import { catalogue, type MessageTemplate } from '../../service/messages';

/** The messages of the operations that move no money. */
export const OPERATION_MESSAGES = {
	noSuchOperation: {
		text: 'Resource "{resource}" has no operation "{operation}"',
		hint: 'Choose the resource and the operation again.',
	},
	listNotShown: {
		text: 'The list cannot be shown. {reason}',
		hint: 'Choose By ID and enter the ID.',
	},
	notInList: {
		text: 'The account has none with the ID {id}',
		hint: 'Choose one from the list.',
	},
	wrongLimit: { text: 'Limit must be a whole number of 1 or more', hint: 'Enter a whole number.' },
	notADate: {
		text: '{label} must be a date and time',
		hint: 'For example 2026-11-21T08:00:00Z.',
	},
	wrongLookback: {
		text: 'Lookback Window (Days) must be a number above 0',
		hint: 'Enter a number of days, such as 31.',
	},
	waitedForService: {
		text: 'The service limits requests: the node waited {seconds} seconds for it.',
	},
	logsUnordered: {
		text: 'The service does not list the newest log entries first, so all of them were read ({count}).',
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
		hint: 'Enter at least one transaction ID or reference.',
	},
	eventsNotFound: {
		text: 'The logs have no event of the transaction {names}. Check the ID or reference.',
	},

	entriesWithoutEvent: {
		text: '{count} log entries have no event, so they were not emitted.',
	},

	// Get Status: errors.
	lookupNotText: {
		text: 'Reference or Transaction ID ({value}) must be text',
		hint: 'Choose one value in it, such as {{ $json.reference }}.',
	},
	lookupMissing: {
		text: 'Reference or Transaction ID is required',
		hint: 'Enter one, or remove the item before this node.',
	},
	lookupsMissing: {
		text: 'References or Transaction IDs is required',
		hint: 'Enter at least one.',
	},
	itemWithoutReference: {
		text: 'The item has neither a reference nor a transaction ID',
		hint: 'Name its column reference, external_reference, referenceId or transaction_id, or set Find By to Field Below.',
	},
	wrongWait: {
		text: 'Wait Until Final (Minutes) must be a number from 0 to {max}',
		hint: 'Use one value for all items. 0 does not wait.',
	},
	waitShortened: {
		text: 'Wait Until Final waits at most {max} minutes, because a waiting node holds a worker. For longer waits, loop back through an If and a Wait node while mayBecomeFinal is not false.',
	},
	coverage: {
		text: 'Some transactions are not final. The active webhooks of this account cover: {covered}. Not covered, so never logged: {missing}.',
	},
	logsNotReread: {
		text: 'The logs could not be read again ({reason}), so the statuses are from an earlier read.',
	},
	entriesSkipped: {
		text: '{count} log entries were skipped: they have no transaction, status or date.',
	},

	// Reconcile.
	nothingToReconcile: {
		text: 'No row has a reference or a transaction ID, so nothing can be compared',
		hint: 'Name the column external_reference or reference. If references were generated, use the results of the payments.',
	},

	// Get Status: notes on a row.
	neverCreated: {
		text: 'The logs do not have it, and nothing was created: its outcome is {outcome}.',
	},
	noWebhook: {
		text: 'This account has no webhook, and the service logs events for webhooks only. Publish a workflow with the Partner Payments Trigger.',
	},
	notInLogs: {
		text: 'The logs do not have it. It may still have been created: before {since}, before a webhook covered its events, or just now.',
	},
	nothingCovered: {
		text: 'No active webhook covers a final status, so the service logs none: the newest status may be another one.',
	},
	partlyCovered: {
		text: 'No active webhook covers {missing}: if that is the newest status, the logs do not have it.',
	},
	askTheService: { text: 'Ask the service for the reference before you send it again.' },
	fundingNotKnown: {
		text: 'Created; funding details unknown. Look where you stored its toFund, or ask the service.',
	},
	severalTransactions: {
		text: 'This reference belongs to {count} transactions ({ids}). Each has an item here.',
	},
	otherTransaction: {
		text: 'The logs do not have transaction {transaction}, but another one with its reference.',
	},
	contradictsOutcome: {
		text: 'The outcome of this row is {outcome}, but the logs have a transaction with its reference, from an earlier run or another row.',
	},
	earlierPayment: {
		text: 'This is the earlier payment with this reference. The row has other values and was not sent.',
	},
	severalFinalStatuses: {
		text: 'The logs have more than one final status: {states}. Ask the service which one is valid.',
	},
} as const satisfies Record<string, MessageTemplate>;

export const userMessage = catalogue(OPERATION_MESSAGES);
