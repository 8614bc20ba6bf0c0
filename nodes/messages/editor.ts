/** The hint for events that polling leaves out. */
const REPLAY_EARLIER =
	'Run Webhook Log > Replay Events for the earlier events that your handler has not seen.';

/** The hint where a new secret is needed: only a publication can store one. */
const PUBLISH_AGAIN =
	'Unpublish the workflow, then publish it (n8n 1: switch it off and on). This registers the webhook again. Until then, Check for Missed Events finds what the service logs.';

/**
 * Messages that only n8n's editor and log show, or the sender of a delivery: both are English. The compiler rejects one
 * where a row, a batch or a page needs a message in Spanish, too. As in en.ts, they have what happened → what to do.
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
	loginRejected:
		'The service does not accept this email and password{said} → Check Email and Password in the Partner Payments credential.',
	loginNotRepeated:
		'The service has rejected this login, so it is not tried again within an hour. {reason} → Correct the Partner Payments credential, or press its test button. An execution that you start by hand tries once.',
	loginNotFound:
		'There is no login at {address} → In the Partner Payments credential, check Login Version, and Base URL with the service’s api prefix.',
	loginFailed:
		'The service answered the login with status {status}{said} → Try again later, or check Base URL in the Partner Payments credential.',
	loginWithoutToken:
		'The service answered the login without an access token{said} → Check Base URL in the Partner Payments credential.',
	loginUnreachable:
		'Cannot log in at {host}: {reason} → Check Base URL in the Partner Payments credential, and that the service is available.',
	// The titles of a batch’s error, and the line of n8n’s log.
	rowsInvalid: 'Nothing was sent: {bad} of {count} items are invalid',
	rowInvalid: '1 payment cannot be sent: {values} values',
	nothingSent: 'Nothing was sent. {reason}',
	nothingMoreSent: 'Nothing more was sent. {reason}',
	executionCancelled: 'Partner Payments: the execution was cancelled. {rows}',
	// Hints above the output of a batch.
	batchIdDependsOnDate:
		'Batch ID depends on the date: now it is {batchId}. When it changes, the same rows are new payments. To finish this batch later, enter {batchId} as text.',
	referenceDependsOnDate:
		'{field} depends on the date. When it changes, the same items have other references and are new payments.',
	lockWait:
		'Payments waited {seconds} s for the lock of this workflow → If a Remove Duplicates node of this workflow keeps its items for the workflow, set its Scope to Node: it uses the same row of the database. Otherwise an earlier run was killed.',
	storeFull:
		'n8n keeps the last {max} entries of this node, 16 to 21 for each payment. This run replaced the {dropped} oldest ones: payees first, then payments that would be sent again.',
	storeEmpty:
		'This node has sent nothing before. A copy of a node does not know what the original sent.',
	duplicatesReported:
		'Possible duplicates, with the payee, amount and purpose of another payment: {rows}',
	accountChangesReported:
		'Paid before to another account, or the account belongs to somebody else: {rows}',
	logsTooLong:
		'It was not certain what other executions have sent, so the newest {count} entries of the delivery logs were searched. Older ones were not → Set Check: Delivery Logs to search more.',
	logsAbsent:
		'{count} payments were recorded and not proved, and logs that cover them do not have them: they are paid again. → Set If Already Sent back to Skip.',
	logsNotCoveringUnknown:
		'{count} payments stay unknown: the delivery logs do not cover them. They cover a payment if an active webhook with all events is unchanged since before the day on which it was recorded, and if they have all payments that were proved since. → Look them up with the service.',
	logsNotRead:
		'It was not certain what other executions have sent, and the delivery logs could not be read: {reason} → New payments were sent. Set Check: Delivery Logs to send nothing then.',
	payAgainIsOn:
		'Set If Already Sent back to Skip. Each reference is paid again only once, but a reference that is added to the list is paid again, too.',
	// Options with an invalid value.
	notAnOption:
		'{option} is {value}, which is not one of its choices → Choose one, or use an expression that gives {choices}.',
	notInRange:
		'{option} is {value} → Enter a {kind}number from {min} to {max}{hint}, or remove the option.',
	notAnAmount: '{option} is {value} → {hint}',
	rememberSentIsOff: '{option} cannot stop anything while {other} is off → Turn on {other}.',
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
	eventsUndecidable: `{count} events may have been emitted before or not, because the trigger has had more events than it remembers. They were not emitted. They were logged from {from} to {to} → ${REPLAY_EARLIER} Transactions: {transactions}`,
	notRecorded:
		'The trigger could not record the events of this execution, so it emitted none: {reason} → Retry this execution once n8n’s database works. If n8n can store nothing for the workflow, save it.',
	deliveriesDoNotArrive:
		'Deliveries do not arrive: the last {count} got {answer} at {address} → Until one arrives, Check for Missed Events emits the events later. Check that the service can reach this address. If it is not that of n8n, set N8N_WEBHOOK_URL (n8n 1: WEBHOOK_URL), and restart n8n.',
	entriesUnreadable:
		'{count} log entries have no event that can be read, so the trigger can’t emit it → Look at them with Webhook Log > Get Many, and ask the service for the transactions.',
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
	waitedForService: 'The service limits requests: the node waited {seconds} seconds for it.',
	logsUnordered:
		'The service does not list the newest log entries first, so all of them were read ({count}).',
	nothingToUpdate:
		'Update Fields has no field with a value → Add at least one field to change. Nothing was sent.',
	eventsNotFound: 'The logs have no event of the transaction {names}. Check the ID or reference.',
	wrongWait:
		'Wait Until Final (Minutes) must be a number from 0 to {max} → A waiting node holds a worker. For longer waits, loop back through an If and a Wait node while mayBecomeFinal is not false.',
	coverage:
		'Some transactions are not final. The active webhooks of this account cover: {covered}. Not covered, so never logged: {missing}.',
	logsNotReread:
		'The logs could not be read again ({reason}), so the statuses are from an earlier read.',
	entriesSkipped: '{count} log entries were skipped: they have no transaction, status or date.',
	nothingToReconcile:
		'No row has a reference or a transaction ID, so nothing can be compared → Name the column external_reference or reference. If references were generated, use the results of the payments.',
	itemWithoutReference:
		'The item has neither a reference nor a transaction ID → Name its column reference, external_reference, referenceId or transaction_id, or set Find By to Field Below.',
	parameterRequired: '{label} is required → Enter a value.',
} as const;
