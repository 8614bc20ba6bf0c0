/** The sandbox's settings, at the start and while it runs. */
export interface SandboxSettings {
	/** The lifetime of an access token in seconds, may be a fraction. The service's is not documented. */
	tokenLifetimeSeconds: number;
	/** The form of a 400's message: one string (section 7) or a list of strings. */
	errorMessages: 'string' | 'list';
	/** The response to a reference that was used before. The service's is not documented. */
	duplicateReferences: 'conflict' | 'badRequest' | 'accept';
	/** Reject fields that belong to the other funding source (section 4.7). */
	rejectUnneededFields: boolean;
	/** Status of successful creations other than the bank payout's, which is always 201. */
	successStatus: number;
	/** Accepted webhook statuses: only `ACTIVE` appears in the interface. */
	webhookStatuses: string[];
	/** A webhook's address gets a slash at the end of its path when it is stored. */
	webhookTrailingSlash: boolean;
	/** The list of webhooks holds a null. */
	webhookListNull: boolean;
	/** The query parameter of the quotes' pair filter. The service's name is not documented. */
	quotePairParameter: string;
	/** The query parameter of the quotes' type filter. The service's name is not documented. */
	quoteTypeParameter: string;
	/** Milliseconds from one transaction state to the next; null: only on command. */
	stateClockMs: number | null;
	/** Payouts by conversion stay pending until a crypto payout has sent what they wait for. */
	waitForFunding: boolean;
	/** Milliseconds until a payout that waits for crypto expires; null: never. */
	fundingExpiresMs: number | null;
	/** How much quotes move in an hour, in percent up and down. */
	quoteSwingPercent: number;
	/** How often a failed delivery is tried again. */
	deliveryRetries: number;
	/** The pause before each retry. The last value applies to all further ones. */
	deliveryRetryDelaysMs: number[];
	/** The timeout of a delivery. */
	deliveryTimeoutMs: number;
	/** The number of deliveries in flight. */
	deliveryConcurrency: number;
	/** Fraction (0 to 1) of the events that are delivered twice. */
	deliveryDuplicates: number;
	/** The header with a webhook's apiKey, or null to send none. How the service uses the key is not documented. */
	apiKeyHeader: string | null;
	/** Deliver to addresses outside this machine. */
	allowRemoteDeliveries: boolean;
	/** Keep received requests for `GET /admin/requests`. */
	recordRequests: boolean;
	/** How many requests it accepts in any minute; null: all. The service's limits are not documented. */
	requestsPerMinute: number | null;
}

/** The default settings. */
export const defaultSettings: Readonly<SandboxSettings> = {
	tokenLifetimeSeconds: 3600,
	errorMessages: 'string',
	duplicateReferences: 'conflict',
	rejectUnneededFields: true,
	successStatus: 201,
	webhookStatuses: ['ACTIVE', 'INACTIVE'],
	webhookTrailingSlash: false,
	webhookListNull: false,
	quotePairParameter: 'pair',
	quoteTypeParameter: 'transactionType',
	stateClockMs: null,
	waitForFunding: false,
	fundingExpiresMs: null,
	quoteSwingPercent: 0,
	deliveryRetries: 3,
	deliveryRetryDelaysMs: [1000, 2000, 4000],
	deliveryTimeoutMs: 10_000,
	deliveryConcurrency: 50,
	deliveryDuplicates: 0,
	apiKeyHeader: 'x-api-key',
	allowRemoteDeliveries: false,
	recordRequests: true,
	requestsPerMinute: null,
};

type Check = (value: unknown) => boolean;

// A Node timer with a longer delay fires at once.
const longestTimerMs = 2 ** 31 - 1;

const isText: Check = (value) => typeof value === 'string' && value !== '';
const isBoolean: Check = (value) => typeof value === 'boolean';
const isOneOf =
	(...values: string[]): Check =>
	(value) =>
		values.includes(value as string);
const isNumber =
	(minimum: number, maximum: number): Check =>
	(value) =>
		typeof value === 'number' && value >= minimum && value <= maximum;
const isInteger =
	(minimum: number, maximum: number): Check =>
	(value) =>
		Number.isInteger(value) && isNumber(minimum, maximum)(value);
const isListOf =
	(check: Check): Check =>
	(value) =>
		Array.isArray(value) && value.length > 0 && value.every(check);
const orNull =
	(check: Check): Check =>
	(value) =>
		value === null || check(value);

const checks: { [name in keyof SandboxSettings]: Check } = {
	tokenLifetimeSeconds: isNumber(0.001, 1e9),
	errorMessages: isOneOf('string', 'list'),
	duplicateReferences: isOneOf('conflict', 'badRequest', 'accept'),
	rejectUnneededFields: isBoolean,
	successStatus: isInteger(200, 299),
	webhookStatuses: isListOf(isText),
	webhookTrailingSlash: isBoolean,
	webhookListNull: isBoolean,
	quotePairParameter: isText,
	quoteTypeParameter: isText,
	stateClockMs: orNull(isNumber(1, longestTimerMs)),
	waitForFunding: isBoolean,
	fundingExpiresMs: orNull(isNumber(1, longestTimerMs)),
	quoteSwingPercent: isNumber(0, 50),
	deliveryRetries: isInteger(0, 1000),
	deliveryRetryDelaysMs: isListOf(isNumber(0, longestTimerMs)),
	deliveryTimeoutMs: isNumber(1, longestTimerMs),
	deliveryConcurrency: isInteger(1, 10_000),
	deliveryDuplicates: isNumber(0, 1),
	apiKeyHeader: orNull((value) => typeof value === 'string' && /^[\w-]+$/.test(value)),
	allowRemoteDeliveries: isBoolean,
	recordRequests: isBoolean,
	requestsPerMinute: orNull(isInteger(1, 1_000_000)),
};

/** The problems of changed settings, empty if they are valid. */
export function settingsProblems(changes: object): string[] {
	return Object.entries(changes).flatMap(([name, value]) => {
		if (!Object.hasOwn(checks, name)) {
			return `there is no setting ${name}; there are ${Object.keys(checks).join(', ')}`;
		}
		const accepted = checks[name as keyof SandboxSettings](value);
		return accepted ? [] : `setting ${name} cannot be ${JSON.stringify(value)}`;
	});
}
