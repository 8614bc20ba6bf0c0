import { catalogue, type MessageTemplate } from '../service/messages';

/** The hint for events that catching up leaves alone. */
const REPLAY_EARLIER =
	'Give earlier events out with Webhook Log > Replay Events, as far as your handler has not seen them.';

/** The hint where a new secret is needed: only a publication can keep one. */
const PUBLISH_ANEW =
	'Unpublish the workflow and publish it again (n8n 1: switch it off and on), which registers it anew. Until then Catch Up gives out what the service logs.';

/** What the trigger tells: by an execution that fails, in n8n's log, or to whoever delivers. */
export const EVENT_MESSAGES = {
	// When it is published.
	noCallbackAddress: { text: 'n8n gives this trigger no callback address' },
	togetherWithoutCatchUp: {
		text: 'Together needs a Catch Up other than Never',
		hint: 'Choose how often under Catch Up, or set Start Workflow to For Each Event.',
	},
	notRegistered: {
		text: 'The webhook of "{node}" is not registered at the payments service, so no events arrive. {reason}',
		hint: '{hint}Unpublish the workflow and publish it again when this is settled.',
	},

	// When it catches up.
	webhookGone: {
		text: 'The webhook is not registered at the service any more',
		hint: PUBLISH_ANEW,
	},
	secretLost: {
		text: 'The secret of the webhook is lost: somebody has changed its address at the service',
		hint: PUBLISH_ANEW,
	},
	deliveriesRefused: {
		text: 'Deliveries are refused, because they do not bring the registered secret or API key',
		hint: PUBLISH_ANEW,
	},
	logsNotReadInTime: {
		text: 'The logs could not be read since {since}: events may be older than Lookback Window ({hours} hours)',
		hint: REPLAY_EARLIER,
	},
	tooManyEvents: {
		text: 'Lookback Window ({hours} hours) covers more than the newest {max} events, which are all that catching up looks at',
		hint: `It covers {count}. Make it shorter. ${REPLAY_EARLIER}`,
	},
	eventsOverdue: {
		text: '{count} events that the service could not deliver are older than Lookback Window, and were not given out',
		hint: `${REPLAY_EARLIER} Transactions: {transactions}`,
	},
	notCaughtUp: {
		text: 'The trigger could not catch up. {reason}',
		hint: '{hint} It is tried again at each turn, and told once.',
	},

	// To n8n's log.
	registrationNotSeen: {
		text: 'Partner Payments Trigger: the registration of "{node}" could not be looked at and stays as it is; catching up looks again. {reason}',
	},
	notSwitchedOff: {
		text: 'Partner Payments Trigger: the webhook of "{node}" could not be switched off (status {status}), so the service goes on calling it. {reason}',
	},
	webhookRepaired: {
		text: 'Partner Payments Trigger: repaired the webhook of "{node}" at the service: {changes}',
	},
	notStarted: {
		text: 'Partner Payments Trigger: n8n could not start an execution of "{node}". {reason}',
	},
	eventsTaken: {
		text: 'Partner Payments Trigger: execution {execution} of workflow {workflow} handles {events}',
	},
	deliveryRefused: {
		text: 'Partner Payments Trigger: refused a delivery to "{node}" of workflow {workflow}: {reason}',
	},
	noSecretKept: {
		text: 'no secret is registered; unpublish the workflow and publish it again',
	},
	wrongSecret: { text: 'its secret is missing or wrong' },
	wrongApiKey: { text: 'the API key in the header "{header}" is missing or wrong' },

	// To whoever delivers.
	notVerified: { text: 'The delivery is not verified' },
	notAnEvent: { text: 'The body must be a JSON object' },
	filteredOut: { text: 'Received, and filtered out' },
	givenOutLater: { text: 'Received, and given out with the next ones' },
} as const satisfies Record<string, MessageTemplate>;

export const tell = catalogue(EVENT_MESSAGES);
