import { catalogue, type MessageTemplate } from '../service/messages';

/** The hint for events that polling leaves out. */
const REPLAY_EARLIER =
	'Run Webhook Log > Replay Events for the earlier events that your handler has not seen.';

/** The hint where a new secret is needed: only a publication can store one. */
const PUBLISH_AGAIN =
	'Unpublish the workflow, then publish it (n8n 1: switch it off and on). This registers the webhook again. Until then, Check for Missed Events finds what the service logs.';

/** What the trigger reports: in a failing execution, in n8n's log, or in the reply to a delivery. */
export const TRIGGER_MESSAGES = {
	// On publication.
	noCallbackAddress: {
		text: 'n8n gives this trigger no callback address',
		hint: 'Check n8n’s webhook URL settings.',
	},
	apiKeyHeaderMissing: {
		text: 'API Key Header Name is required to verify deliveries by API key',
		hint: 'Add it under Options. Ask the service for the name of the header.',
	},
	noCheckForMissedEvents: {
		text: 'Once for All New Events needs Check for Missed Events',
		hint: 'Choose an interval under Check for Missed Events, or set Start Workflow to Once for Each Event.',
	},
	notRegistered: {
		text: 'The webhook of "{node}" is not registered at the payments service, so no events arrive. {reason}',
		hint: '{hint}Then unpublish the workflow and publish it.',
	},

	// While polling.
	webhookMissing: {
		text: 'The webhook is no longer registered at the service',
		hint: PUBLISH_AGAIN,
	},
	secretLost: {
		text: 'The webhook has lost its secret: its address was changed at the service',
		hint: PUBLISH_AGAIN,
	},
	repairNotKept: {
		text: 'The service did not keep the trigger’s repair of the webhook: {changes}',
		hint: `Look at it with Webhook > Get Many, and ask the service. The trigger leaves it alone until it changes. ${PUBLISH_AGAIN}`,
	},
	deliveriesRejected: {
		text: 'Deliveries are rejected: they lack the registered secret or API key',
		hint: PUBLISH_AGAIN,
	},
	deliveriesDoNotArrive: {
		text: 'Deliveries do not arrive: the last {count} got {answer} at {address}',
		hint: 'Until one arrives, Check for Missed Events emits the events later. Check that the service can reach this address. If it is not that of n8n, set N8N_WEBHOOK_URL (n8n 1: WEBHOOK_URL), and restart n8n.',
	},
	addressIsLocal: {
		text: 'Deliveries do not arrive: the last {count} got {answer} at {address}, which only this machine or its network knows',
		hint: 'Until one arrives, Check for Missed Events emits the events later. Set N8N_WEBHOOK_URL (n8n 1: WEBHOOK_URL) to an address that the service can reach, and restart n8n.',
	},
	entriesUnreadable: {
		text: '{count} log entries have no event that can be read, so the trigger can’t emit it',
		hint: 'Look at them with Webhook Log > Get Many, and ask the service for the transactions.',
	},
	entriesDatedLate: {
		text: 'New log entries are dated {hours} hours in the past',
		hint: 'Set Lookback Window (Hours) to at least {needed}. Until n8n restarts, the trigger uses a longer window.',
	},
	logsReadTooLate: {
		text: 'The logs could not be read since {since}: some events may be older than the Lookback Window ({hours} hours)',
		hint: REPLAY_EARLIER,
	},
	tooManyEvents: {
		text: 'The Lookback Window ({hours} hours) has {count} events, and a check covers {max}',
		hint: `Shorten the Lookback Window. A check takes undelivered events first, then the newest. ${REPLAY_EARLIER}`,
	},
	eventsTooOld: {
		text: '{count} undelivered events are older than the Lookback Window and were not emitted',
		hint: `${REPLAY_EARLIER} Transactions: {transactions}`,
	},
	pollFailed: {
		text: 'The trigger could not check for missed events. {reason}',
		hint: '{hint} Every poll tries again. This is reported once.',
	},

	// To n8n's log.
	registrationNotChecked: {
		text: 'Partner Payments Trigger: the registration of "{node}" could not be checked and stays as it is. The next poll checks it. {reason}',
	},
	webhookNotSwitchedOff: {
		text: 'Partner Payments Trigger: the webhook of "{node}" could not be switched off (status {status}), so the service keeps calling it. {reason}',
	},
	webhookNotYetSwitchedOff: {
		text: 'Partner Payments Trigger: the webhook of "{node}" could not be switched off (status {status}) yet, so the service keeps calling it. n8n tries again every minute for a day, unless it ends. {reason}',
	},
	webhookRepaired: {
		text: 'Partner Payments Trigger: repaired the webhook of "{node}" at the service: {changes}',
	},
	executionNotStarted: {
		text: 'Partner Payments Trigger: n8n could not start an execution of "{node}". {reason}',
	},
	eventsClaimed: {
		text: 'Partner Payments Trigger: execution {execution} of workflow {workflow} handles {events}',
	},
	deliveryRejected: {
		text: 'Partner Payments Trigger: rejected a delivery to "{node}" of workflow {workflow}: {reason}',
	},
	noSecretRegistered: {
		text: 'no secret is registered. Unpublish the workflow, then publish it',
	},
	wrongSecret: { text: 'its secret is missing or wrong' },
	wrongApiKey: { text: 'the API key in the header "{header}" is missing or wrong' },

	// To the sender of a delivery.
	notVerified: { text: 'The delivery is not verified' },
	notAnEvent: { text: 'The body must be a JSON object' },
	filteredOut: { text: 'Received and filtered out' },
	busy: { text: 'n8n is busy. The next poll emits it' },
	emittedLater: { text: 'Received. The next poll emits it' },
} as const satisfies Record<string, MessageTemplate>;

export const userMessage = catalogue(TRIGGER_MESSAGES);
