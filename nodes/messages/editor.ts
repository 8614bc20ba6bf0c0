/** The hint wherever the same payment would get another reference when it runs again. */
const USE_A_COLUMN =
	'Use an input column, a date or month, or a Batch ID such as payroll-2026-11 that stays the same when the same rows run again.';

/** The hint for events that polling leaves out. */
const REPLAY_EARLIER =
	'Run Webhook Log > Replay Events for the earlier events that your handler has not seen.';

/** The hint where a new secret is needed: only a publication can store one. */
const PUBLISH_AGAIN =
	'Unpublish the workflow, then publish it (n8n 1: switch it off and on). This registers the webhook again. Until then, Check for Missed Events finds what the service logs.';

/**
 * Messages about how a workflow and its credential are set up. Who can mend that reads them in n8n's editor and log, which
 * are English. The compiler rejects one where a page needs a message in Spanish, too: `forPage` quotes it there. As in en.ts,
 * they have what happened → what to do.
 */
export const EDITOR_MESSAGES = {
	// The credential and the login.
	baseUrlInvalid:
		'Base URL in the Partner Payments credential is not a plain web address → Enter only https://host/path, including the service’s api prefix.',
	baseUrlInsecure:
		'Base URL in the Partner Payments credential begins with http://, so the password would travel unencrypted → Use https://, or turn on Allow Insecure HTTP if you know that the connection is safe.',
	foreignHost:
		'The Partner Payments credential works only with addresses on {origin}, the host of its Base URL → Use an address on that host. The token is sent nowhere else.',
	credentialUnusable: '{reason}',
	// The titles of a batch’s error, and the line of n8n’s log.
	rowsInvalid: 'Nothing was sent. Invalid items: {bad} of {count}',
	nothingSent: 'Nothing was sent. {reason}',
	nothingMoreSent: 'Nothing more was sent. {reason}',
	executionCancelled: 'Partner Payments: the execution was cancelled. {rows}',
	// Hints above the output of a batch.
	lockWait:
		'Payments waited {seconds} s for the lock of this workflow → If a Remove Duplicates node of this workflow keeps its items for the workflow, set its Scope to Node: it uses the same row of the database. Otherwise an earlier run was killed.',
	storeFull:
		'n8n keeps the last {max} entries of this node, 17 to 20 for each payment. This run replaced the {dropped} oldest ones: payees first, then payments that would be sent again.',
	storeEmpty:
		'This node has sent nothing before. A copy of a node does not know what the original sent.',
	duplicatesReported:
		'Possible duplicates, with the payee, amount and purpose of another payment: {rows}',
	accountChangesReported:
		'Paid before to another account, or the account belongs to somebody else: {rows}',
	logsTooLong:
		'It was not certain what other executions have sent, so the newest {count} entries of the delivery logs were searched. Older ones were not → Set Check: Delivery Logs to search more.',
	logsAbsent:
		'Recorded and not proved, and not in logs that cover them, so Pay Again If Not in Logs applies: {count} → Set If Already Sent back to Skip.',
	logsNotCoveringUnknown:
		'Still unknown, because the delivery logs do not cover them: {count}. Logs cover a payment if an active webhook with all events is unchanged since before the day on which it was recorded, and if they have all payments of these items that were proved since → Look them up with the service.',
	logsNotRead:
		'It was not certain what other executions have sent, and the delivery logs could not be read: {reason} → New payments were sent. Set Check: Delivery Logs to send nothing then.',
	rateUnknown: 'The rate of {pair} is not known: {reason} → See the quotes with Quote > Get Many.',
	payAgainUnclear:
		'{option}: # is not followed by the number of an attempt in {value} → Write the reference, a blank, # and the number, such as A17 #2. If # belongs to the reference, add #1.',
	payAgainIsOn:
		'Set If Already Sent back to Skip. Each reference is paid again only once, but a reference that is added to the list is paid again, too.',
	// Why a batch cannot be paid as the workflow is set up.
	batchIdMissing:
		'Batch ID is required when Reference Source is Generated From Batch ID → Name the batch, and use the same name when you run it again.',
	batchChanged: `Batch ID or Key Columns changed while the rows were read → ${USE_A_COLUMN}`,
	keyColumnsNeeded:
		'{operation} needs Key Columns to generate references, because its rows name no payee → Enter the columns that identify a payment, such as the order number, or set Reference Source to Given.',
	keyColumnUnnamed:
		'Key Columns has {column}, which has no letter or digit → Enter the headers of the columns, separated by commas. Rename a column such as #.',
	keyColumnMissing:
		'The input has no column for the Key Column {column}.\n{found} → Enter the header as in the input. If rows of this batch were already sent, keep the same columns in the same order.',
	keyColumnIsRowNumber:
		'The Key Column {column} numbers the rows. If a row is inserted, the others get other numbers, and somebody would be paid twice or not at all → Use a column that stays with the payment, such as an employee or invoice number. Without Key Columns, the payee identifies a bank or crypto payout.',
	volatile: `is based on the time, the execution or randomness, so it changes whenever the rows run again → ${USE_A_COLUMN}`,
	volatilePayee:
		'{field} {reason}, and the reference is generated from it → Use an input column, or enter Key Columns to generate the reference from them.',
	differsFromRowToRow:
		'{field} is {first} for row 1 (item 0), but {value} for row {row} (item {item}) → Use one value for all items of a batch, or pay the items in separate batches.',
	partEmpty: 'is incomplete: {part} is empty → Use a column that has a value in every item.',
	partNotText:
		'must be text, but {part} gives {kind} → Choose one value in it, such as {{ $json.reference }}.',
	valueMissing:
		'contains {value}, which an expression gives when a value is missing → Use a column that has a value in every item.',
	toolNeedsReference:
		'An AI agent has to give each payment a reference → Set Reference Source to Given. An agent that calls the tool again for the same payment must give the same reference.',
	mappingInvalid:
		'Column Mapping needs one column for {field} → Choose each field of this operation once and enter the header of its column, or remove the entry.',
	mappedColumnMissing:
		'Column Mapping has {header} for {field}, but the input has no such column.\n{found} → Enter the header exactly as in the input.',
	itemsAreFile:
		'The items are lines of a file as people write it, without the name of each column → Read the file with Payout > Read Payment File, and connect its output Payments to this node.',
	cellsConverted:
		'The node {node} converts the cells of the file, and may have changed amounts, accounts and dates → Read the file with Payout > Read Payment File, or turn on RAW Data in that node.',
	maximumTotalsOfOneItem:
		'Maximum Totals cannot count over the executions of a sub-workflow that runs once for each item → Run the sub-workflow once with all items, or use Daily Limit (This Node).',
	needsWholeFile:
		'{option} needs all rows at once, but an earlier run of this node in the loop has sent some → Pay all items in one run: the node sends thousands. Or remove the option; Maximum Totals counts all runs of a loop.',
	wrongEnvironment:
		'Required Environment is {wanted}, but the credential {credential} is for {target} → Choose a credential whose Environment is {wanted}, or change Required Environment.',
	dailyLimitWithoutLock:
		'Daily Limit (This Node) needs the workflow lock, which another node of this workflow keeps: Remove Duplicates with the scope Workflow → Set the scope of Remove Duplicates to Node, and clear its history. Then run the workflow again.',
	dailyLimitWithoutStore:
		'Daily Limit (This Node) needs a saved workflow: n8n counts nothing before → Save the workflow, then run it again.',
	runForgets:
		'n8n runs this node outside a saved workflow, where it cannot remember what it pays: the next run would pay it again → Put the node into a workflow and save it, or turn on Dry Run.',
	// Options with an invalid value.
	notAnOption:
		'{option} is {value}, which is not one of its choices → Choose one, or use an expression that gives {choices}.',
	notInRange:
		'{option} is {value} → Enter a {kind}number from {min} to {max}{hint}, or remove the option.',
	notAnAmount: '{option} is {value} → {hint}',
	optionEmpty: '{option} is empty or incomplete → Complete it, or remove the option.',
	bankNameInvalid:
		'{option} has the name {name} with the code {code} → Enter one code for each name, without blanks and accents. Words such as Banco and S.A. do not count.',
	approvalCodeInvalid:
		'{option} is {value}, which is not a fingerprint → Copy summary.fingerprint of a dry run completely, from its count to its last character.',
	// What the trigger reports: in a failing execution, in n8n’s log, or in the reply to a delivery.
	// On publication.
	noCallbackAddress:
		'n8n gives this trigger no callback address → Check n8n’s webhook URL settings.',
	noCheckForMissedEvents:
		'Once for All New Events needs Check for Missed Events → Choose an interval under Check for Missed Events, or set Start Workflow to Once for Each Event.',
	notRegistered:
		'The webhook of "{node}" is not registered at the payments service, so no events arrive. {reason} → {hint}Then unpublish the workflow and publish it.',
	// While polling.
	webhookMissing: `The webhook is no longer registered at the service → ${PUBLISH_AGAIN}`,
	secretLost: `The webhook has lost its secret: its address was changed at the service → ${PUBLISH_AGAIN}`,
	deliveriesRejected: `Deliveries are rejected: they lack the registered secret → ${PUBLISH_AGAIN}`,
	repairNotKept:
		'The webhook was changed again after the trigger had repaired it: {changes} → Somebody else changes it: another n8n with a copy of this workflow, such as a restored backup, or a person. Unpublish the workflow there. Webhook > Get shows what the service has. The trigger repairs it once an hour.',
	eventsUndecidable: `Events may have been emitted before or not, because the trigger has had more events than it remembers: {count}, logged from {from} to {to}. They were not emitted → ${REPLAY_EARLIER} Transactions: {transactions}`,
	notRecorded:
		'The trigger could not record the events of this execution, so it emitted none: {reason} → Retry this execution once n8n’s database works. If n8n can store nothing for the workflow, save it.',
	deliveriesDoNotArrive:
		'Deliveries do not arrive: the last {count} got {answer} at {address} → Until one arrives, Check for Missed Events emits the events later. Check that the service can reach this address. If it is not that of n8n, set N8N_WEBHOOK_URL (n8n 1: WEBHOOK_URL), and restart n8n.',
	entriesUnreadable:
		'Log entries have no event that can be read, so the trigger can’t emit it: {count} → Look at them with Webhook Log > Get Many, and ask the service for the transactions.',
	pollFailed:
		'The trigger could not check for missed events. {reason} → {hint} Every poll tries again. This is reported once.',
	// To n8n’s log.
	registrationNotChecked:
		'Partner Payments Trigger: the registration of "{node}" could not be checked and stays as it is. The next poll checks it. {reason}',
	webhookNotSwitchedOff:
		'Partner Payments Trigger: the webhook of "{node}" could not be switched off (status {status}), so the service keeps calling it. Set its status with Webhook > Update. {reason}',
	webhookRepaired:
		'Partner Payments Trigger: repaired the webhook of "{node}" at the service: {changes}',
	executionNotStarted:
		'Partner Payments Trigger: n8n could not start an execution of "{node}". {reason}',
	eventsClaimed:
		'Partner Payments Trigger: execution {execution} of workflow {workflow} handles {events}',
	deliveryRejected:
		'Partner Payments Trigger: rejected a delivery to "{node}" of workflow {workflow}: {reason}',
	noSecretRegistered: 'no secret is registered. Unpublish the workflow, then publish it',
	wrongSecret: 'its secret is missing or wrong',
	// To the sender of a delivery.
	notVerified: 'The delivery is not verified',
	notAnEvent: 'The body must be a JSON object',
	filteredOut: 'Received and filtered out',
	busy: 'n8n is busy. The next poll emits it',
	emittedLater: 'Received. The next poll emits it',
	// The operations that move no money.
	noSuchOperation:
		'Resource "{resource}" has no operation "{operation}" → Choose the resource and the operation again.',
	listNotShown: 'The list cannot be shown. {reason} → Choose By ID and enter the ID.',
	wrongLimit: '{label} must be a whole number of 1 or more → Enter a whole number.',
	notADate: '{label} must be a date and time → For example 2026-11-21T08:00:00Z.',
	waitedForService: 'The service limits requests: the node waited {seconds} s for it.',
	logsUnordered:
		'The service does not list the newest log entries first, so all of them were read ({count}).',
	nothingToUpdate:
		'Update Fields has no field with a value → Add at least one field to change. Nothing was sent.',
	eventsNotFound: 'The logs have no event of the transaction {names}. Check the ID or reference.',
	logsNotReread:
		'The logs could not be read again ({reason}), so the statuses are from an earlier read.',
	entriesSkipped: 'Log entries without a transaction, status or date were skipped: {count}.',
	nothingToReconcile:
		'No row has a reference or a transaction ID, so nothing can be compared → Name the column external_reference or reference. If references were generated, use the results of the payments.',
	itemWithoutReference:
		'The item has neither a reference nor a transaction ID → Name its column reference, external_reference, referenceId or transaction_id, or set Find By to Field Below.',
	parameterRequired: '{label} is required → Enter a value.',
} as const;
