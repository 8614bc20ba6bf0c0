import type { Failure } from 'n8n-workflow';

/**
 * What a failed request means for the money:
 * - `rejected`: the service rejected it, and nothing was created
 * - `unknown`: it may have been created (timeout, connection lost, 5xx, unreadable response, or a reference
 *   that the service already has)
 * - `notSent`: the request never reached the service
 */
export type FailureOutcome = 'rejected' | 'unknown' | 'notSent';

/** The languages of texts that people read in a report, a page or an output item. */
export type Language = 'en' | 'es';

/** A text of ours in each language. */
export type Words = Record<Language, string>;

/** What fills a placeholder. */
export type MessageValue = string | number | Words;

/** An entry of a message catalogue, under its error code. `{name}` in a text is a placeholder. */
export interface MessageTemplate {
	/** What it means for the money. */
	outcome?: FailureOutcome | 'alreadySent' | 'conflict';
	text: string;
	hint?: string;
	/**
	 * The Spanish of the text, if a report or page may say it of a row or file. The editor is English, so all other
	 * Spanish is in the guides alone (`docs/es/messages.json`).
	 */
	es?: string;
	/** The Spanish of the hint, if the row or file cannot be mended without it. */
	esHint?: string;
}

/** A message with its values filled in. Programs rely on its error code: the wording may change. */
export interface UserMessage<
	Outcome extends MessageTemplate['outcome'] = MessageTemplate['outcome'],
> {
	code: string;
	outcome?: Outcome;
	message: string;
	hint?: string;
	/** The same in Spanish, if a report or page may show it. */
	es?: { message: string; hint?: string };
	/** Why, in n8n's words for programs (`failure.ts` of n8n-workflow). */
	failure?: Failure;
}

/** A value, or the message that says why there is none. */
export type Result<T> = { ok: true; value: T } | { ok: false; error: UserMessage };

export function ok<T>(value: T): Result<T> {
	return { ok: true, value };
}

export function fail<T = never>(error: UserMessage): Result<T> {
	return { ok: false, error };
}

/** The names of the placeholders in a text. n8n's expressions, in `{{ }}`, are not placeholders. */
type Names<T> = T extends `${string}{${infer Name}}${infer Rest}`
	? (Name extends `${string}${' ' | '{'}${string}` ? never : Name) | Names<Rest>
	: never;

type Values<M extends MessageTemplate> = [Names<M['text'] | M['hint']>] extends [never]
	? []
	: [values: Record<Names<M['text'] | M['hint']>, MessageValue>];

type OutcomeOf<M extends MessageTemplate> = M extends { outcome: infer Outcome }
	? Outcome
	: undefined;

/** Fills in the messages of a catalogue. */
export type MessagesOf<C extends Record<string, MessageTemplate>> = <K extends keyof C & string>(
	code: K,
	...args: Values<C[K]>
) => UserMessage & { code: K; outcome: OutcomeOf<C[K]> };

/** Makes the function that fills in the messages of a catalogue. */
export function catalogue<const C extends Record<string, MessageTemplate>>(
	catalogue: C,
): MessagesOf<C> {
	return (code, ...args) => {
		const [values = {}] = args as [Record<string, MessageValue>?];
		const { text, hint, es, esHint, ...meaning } = catalogue[code] as MessageTemplate;
		const filled = (template: string, language: Language) => fill(template, values, language);
		return {
			code,
			...(meaning as { outcome: OutcomeOf<C[typeof code]> }),
			message: filled(text, 'en'),
			...(hint !== undefined && { hint: filled(hint, 'en') }),
			...(es !== undefined && {
				es: {
					message: filled(es, 'es'),
					...(esHint !== undefined && { hint: filled(esHint, 'es') }),
				},
			}),
		};
	};
}

function fill(text: string, values: Record<string, MessageValue>, language: Language): string {
	return text.replace(/\{(\w+)\}/g, (place, name: string) => {
		const value = values[name] ?? place;
		return typeof value === 'object' ? value[language] : String(value);
	});
}

/** A message in a language. English, if it has no other. */
export function inLanguage<T extends Pick<UserMessage, 'message' | 'hint' | 'es'>>(
	message: T,
	language: Language,
): Pick<UserMessage, 'message' | 'hint'> {
	return (language === 'es' && message.es) || message;
}

/** A text that is made in each language. */
export function inEachLanguage(text: (language: Language) => string): Words {
	return { en: text('en'), es: text('es') };
}

/** What somebody said, for the end of a message: nothing, if they said nothing. */
export function afterColon(text: string): string {
	return text === '' ? '' : `: ${text}`;
}

/** A message as a value of another one. */
export function asWords({ message, es }: Pick<UserMessage, 'message' | 'es'>): Words {
	return { en: message, es: es?.message ?? message };
}

/** Messages about the credential, the login, responses and missing responses. */
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
		hint: 'Use https://, or turn on Allow Insecure HTTP if you know that the connection is safe.',
	},
	foreignHost: {
		text: 'The Partner Payments credential works only with addresses on {origin}, the host of its Base URL',
		hint: 'Use an address on that host. The token is sent nowhere else.',
	},
	environmentNotStated: { text: '{host} (Environment not stated)' },
	credentialUnusable: { outcome: 'notSent', text: '{reason}' },

	loginRejected: {
		text: 'The service does not accept this email and password{said}',
		hint: 'Check Email and Password in the Partner Payments credential.',
	},
	loginMalformed: {
		text: 'The service rejected the format of the email or password{said}',
		hint: 'Correct it in the Partner Payments credential.',
	},
	loginNotFound: {
		text: 'There is no login at {address}',
		hint: 'In the Partner Payments credential, check Login Version, and Base URL with the service’s api prefix.',
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
		hint: 'Check Base URL in the Partner Payments credential, and that the service is available.',
	},

	requestRejected: {
		outcome: 'rejected',
		text: 'The service rejected the request{said}',
		hint: 'Correct the value that the service names and run this item again. If an earlier run may have sent this reference, look it up first: the service may answer a duplicate like this.',
		es: 'El servicio rechazó la solicitud{said}',
	},
	tokenRejected: {
		outcome: 'rejected',
		text: 'The service did not accept the login{said}',
		hint: 'Nothing was created. Test the Partner Payments credential.',
		es: 'El servicio no aceptó el inicio de sesión{said}',
	},
	notAllowed: {
		outcome: 'rejected',
		text: 'The service does not allow this account to do that{said}',
		hint: 'Nothing was created. Ask the service which rights the account has.',
		es: 'El servicio no permite esta operación con esta cuenta{said}',
	},
	notFound: {
		outcome: 'rejected',
		text: 'The service does not know the address or the ID{said}',
		hint: 'Nothing was created. Check the ID, and Base URL in the credential.',
		es: 'El servicio no conoce la dirección o el ID{said}',
	},
	referenceExists: {
		outcome: 'unknown',
		text: 'The service already has this reference{said}',
		hint: 'Look it up before you pay under another reference. An earlier run may have created it.',
		es: 'El servicio ya tiene esta referencia{said}',
	},
	tooManyRequests: {
		outcome: 'rejected',
		text: 'The service is receiving too many requests{said}',
		hint: 'Nothing was created. Run this item again later, or send fewer requests at once.',
		es: 'El servicio recibe demasiadas solicitudes{said}',
	},
	readRateLimited: {
		outcome: 'rejected',
		text: '{reason}',
		hint: 'Reading changes nothing. The node waited {seconds} seconds for the service. Run it again later, or read less at once.',
	},
	rejectedWithStatus: {
		outcome: 'rejected',
		text: 'The service rejected the request with status {status}{said}',
		hint: 'Correct the request as the service says, or ask the service. If an earlier run may have sent this reference, look it up first: the service may answer a duplicate like this.',
		es: 'El servicio rechazó la solicitud con el estado {status}{said}',
	},
	redirected: {
		outcome: 'unknown',
		text: 'The service answered with a redirect (status {status}), which is not followed: Base URL in the credential may be outdated',
		hint: 'Look the reference up before you send it again: it may have been created.',
		es: 'El servicio respondió con una redirección (estado {status}), que no se sigue: es posible que Base URL en la credencial ya no sea la dirección actual',
	},
	serviceFailed: {
		outcome: 'unknown',
		text: 'The service could not complete the request (status {status}){said}',
		hint: 'Look the reference up before you send it again: it may have been created.',
		es: 'El servicio no pudo completar la solicitud (estado {status}){said}',
	},

	unreachable: {
		outcome: 'notSent',
		text: 'The service cannot be reached: {reason}',
		hint: 'Nothing was created. Check Base URL in the credential, then run this item again.',
		es: 'No se puede llegar al servicio: {reason}',
	},
	timedOut: {
		outcome: 'unknown',
		text: 'The service did not answer in time',
		hint: 'Look the reference up before you send it again: it may have been created.',
		es: 'El servicio no respondió a tiempo',
	},
	connectionLost: {
		outcome: 'unknown',
		text: 'The connection to the service was lost before it answered',
		hint: 'Look the reference up before you send it again: it may have been created.',
		es: 'La conexión con el servicio se cortó antes de que respondiera',
	},
	cancelledWaiting: {
		outcome: 'unknown',
		text: 'The execution was cancelled before the service answered',
		hint: 'Look the reference up before you send it again: it may have been created.',
		es: 'La ejecución se canceló antes de que el servicio respondiera',
	},
	cancelledUnsent: {
		outcome: 'notSent',
		text: 'The execution was cancelled before the request was sent',
		hint: 'Nothing was created. Run this item again.',
		es: 'La ejecución se canceló antes de enviar la solicitud',
	},

	responseUnreadable: {
		outcome: 'unknown',
		text: 'The response of the service {reason}, so it was not read',
		hint: 'The request may have succeeded: look before you send it again. Check Base URL in the credential, which may lead to another server.',
	},
	responseWithoutList: {
		outcome: 'rejected',
		text: 'The response of the service lacks the expected list',
		hint: 'Check Base URL in the credential: it may lead to another server.',
	},
	responseWithoutObject: {
		outcome: 'unknown',
		text: 'The response of the service lacks the expected object',
		hint: 'The request may have succeeded: look with Get Many before you send it again. Check Base URL in the credential.',
	},
	tooManyLogPages: {
		outcome: 'rejected',
		text: 'The service has more than {pages} pages of webhook logs',
		hint: 'To read less, change {setting}.',
	},
	tooManyUnorderedLogPages: {
		outcome: 'rejected',
		text: 'The service has more than {pages} pages of webhook logs, and does not list the newest entries first',
		hint: 'A shorter period does not help: all pages would have to be read. Ask the service to list the newest entries first.',
	},
} as const satisfies Record<string, MessageTemplate>;

export const userMessage = catalogue(SERVICE_MESSAGES);
