/**
 * What a request that did not succeed means for the money:
 * - `rejected`: the service said no; nothing was created
 * - `unknown`: the service may have created it (timeout, connection lost, 5xx, unreadable answer, or
 *   a reference that it says it has already)
 * - `notSent`: the request never reached the service
 */
export type FailureOutcome = 'rejected' | 'unknown' | 'notSent';

/** A message as a catalogue has it, under its code. `{name}` in its texts stands for a value. */
export interface MessageTemplate {
	/** What it means for the money; left out where it means nothing for it. */
	outcome?: FailureOutcome | 'alreadySent';
	text: string;
	hint?: string;
}

/** A message as a user gets it. Its words may change, so programs rely on its code. */
export interface UserMessage<
	Outcome extends MessageTemplate['outcome'] = MessageTemplate['outcome'],
> {
	code: string;
	outcome?: Outcome;
	message: string;
	hint?: string;
}

/** The names in `{}` of a text. Expressions of n8n's, in `{{ }}`, are left alone. */
type Names<T> = T extends `${string}{${infer Name}}${infer Rest}`
	? (Name extends `${string}${' ' | '{'}${string}` ? never : Name) | Names<Rest>
	: never;

type Values<M extends MessageTemplate> = [Names<M['text'] | M['hint']>] extends [never]
	? []
	: [values: Record<Names<M['text'] | M['hint']>, string | number>];

type OutcomeOf<M extends MessageTemplate> = M extends { outcome: infer Outcome }
	? Outcome
	: undefined;

/** Gives the messages of a catalogue, with values filled in. */
export function catalogue<const C extends Record<string, MessageTemplate>>(catalogue: C) {
	return <K extends keyof C & string>(
		code: K,
		...args: Values<C[K]>
	): UserMessage & { outcome: OutcomeOf<C[K]> } => {
		const [values = {}] = args as [Record<string, string | number>?];
		const { text, hint: hint, ...meaning } = catalogue[code] as MessageTemplate;
		return {
			code,
			...(meaning as { outcome: OutcomeOf<C[K]> }),
			message: fill(text, values),
			...(hint !== undefined && { hint: fill(hint, values) }),
		};
	};
}

function fill(text: string, values: Record<string, string | number>): string {
	return text.replace(/\{(\w+)\}/g, (place, name: string) => String(values[name] ?? place));
}

/** What an answer of the service means, and what it means when none comes. */
export const SERVICE_MESSAGES = {
	baseUrlInvalid: {
		text: 'Base URL in the Partner Payments credential is not a web address',
		hint: 'Enter it as https://host/path, including the service’s api prefix.',
	},
	baseUrlNotPlain: {
		text: 'Base URL in the Partner Payments credential has a user name, a query or a # part',
		hint: 'Enter only https://host/path.',
	},
	baseUrlInsecure: {
		text: 'Base URL in the Partner Payments credential begins with http://, so the password would travel unencrypted',
		hint: 'Use https://, or turn on Allow Insecure HTTP if you know why.',
	},
	foreignHost: {
		text: 'The Partner Payments credential works only with addresses on {origin}, the host of its Base URL',
		hint: 'Its token is not sent anywhere else.',
	},
	environmentNotStated: { text: '{host} (Environment not stated)' },
	credentialUnusable: { outcome: 'notSent', text: '{reason}' },

	loginRefused: {
		text: 'The service does not accept this email and password{said}',
		hint: 'Check Email and Password in the Partner Payments credential.',
	},
	loginMalformed: {
		text: 'The service finds a login value malformed{said}',
		hint: 'Correct it in the Partner Payments credential.',
	},
	loginNotFound: {
		text: 'There is no login at {address}',
		hint: 'Check Base URL, which includes the service’s api prefix, and Login Version in the Partner Payments credential.',
	},
	loginFailed: {
		text: 'The service answered the login with status {status}{said}',
		hint: 'Try again later, or check Base URL in the Partner Payments credential.',
	},
	loginWithoutToken: {
		text: 'The service answered the login without an access token{said}',
		hint: 'Check Base URL in the Partner Payments credential.',
	},
	loginUnreadable: {
		text: '{reason}',
		hint: 'Check Base URL in the Partner Payments credential.',
	},
	loginUnreachable: {
		text: 'Cannot log in at {host}: {reason}',
		hint: 'Check Base URL in the Partner Payments credential, and whether the service is up.',
	},

	requestRefused: {
		outcome: 'rejected',
		text: 'The service refused the request{said}',
		hint: 'Nothing was created. Correct the value that the service names and run this item again.',
	},
	tokenRefused: {
		outcome: 'rejected',
		text: 'The service did not accept the login{said}',
		hint: 'Nothing was created. Check the Partner Payments credential with its test button.',
	},
	notAllowed: {
		outcome: 'rejected',
		text: 'The service does not allow this account to do that{said}',
		hint: 'Nothing was created. Ask the service which rights the account has.',
	},
	notFound: {
		outcome: 'rejected',
		text: 'The service does not know the address or the identifier{said}',
		hint: 'Nothing was created. Check the ID, and Base URL in the credential.',
	},
	referenceExists: {
		outcome: 'unknown',
		text: 'The service says that it already has this reference{said}',
		hint: 'It may have been created by an earlier run. Look it up, and do not pay under another reference before that.',
	},
	tooManyRequests: {
		outcome: 'rejected',
		text: 'The service is receiving too many requests{said}',
		hint: 'Nothing was created. Run this item again later, or send fewer at once.',
	},
	refusedWithStatus: {
		outcome: 'rejected',
		text: 'The service refused the request with status {status}{said}',
		hint: 'Nothing was created.',
	},
	redirected: {
		outcome: 'unknown',
		text: 'The service answered with a redirect (status {status}), which is not followed: Base URL in the credential may not be its present address',
		hint: 'It may have been created all the same. Look the reference up before sending it again.',
	},
	serviceFault: {
		outcome: 'unknown',
		text: 'The service could not complete the request (status {status}){said}',
		hint: 'It may have been created all the same. Look the reference up before sending it again.',
	},

	unreachable: {
		outcome: 'notSent',
		text: 'The service cannot be reached: {reason}',
		hint: 'Nothing was created. Check Base URL in the credential, then run this item again.',
	},
	noAnswerInTime: {
		outcome: 'unknown',
		text: 'The service did not answer in time',
		hint: 'It may have been created all the same. Look the reference up before sending it again.',
	},
	connectionBroke: {
		outcome: 'unknown',
		text: 'The connection to the service broke before it answered',
		hint: 'It may have been created all the same. Look the reference up before sending it again.',
	},
	cancelledUnanswered: {
		outcome: 'unknown',
		text: 'The execution was cancelled before the service answered',
		hint: 'It may have been created all the same. Look the reference up before sending it again.',
	},
	cancelledUnsent: {
		outcome: 'notSent',
		text: 'The execution was cancelled before the request was sent',
		hint: 'Nothing was created.',
	},

	answerUnreadable: {
		outcome: 'unknown',
		text: 'The answer of the service {reason}, so it was not read',
		hint: 'What was asked for may have been done all the same. Check Base URL in the credential: it may lead to another server.',
	},
	answerWithoutList: {
		outcome: 'rejected',
		text: 'The service answered without the list that was asked for',
		hint: 'Check Base URL in the credential: it may lead to another server.',
	},
	answerWithoutObject: {
		outcome: 'unknown',
		text: 'The service answered without the object that was asked for',
		hint: 'What was asked for may have been done. Look with Get Many before sending it again, and check Base URL in the credential.',
	},
	logsWithoutEnd: {
		outcome: 'rejected',
		text: 'The service gives more than {pages} pages of webhook logs',
		hint: 'Ask for fewer with Limit, or for a shorter period.',
	},
} as const satisfies Record<string, MessageTemplate>;

export const tell = catalogue(SERVICE_MESSAGES);
