import type { EDITOR_MESSAGES } from './editor';
import type { MESSAGES } from './en';

/**
 * What a failed request means for the money:
 * - `rejected`: the service rejected it, and nothing was created
 * - `unknown`: it may have been created (timeout, connection lost, 5xx, unreadable response, or a reference
 *   that the service already has)
 * - `notSent`: the request never reached the service
 */
export type FailureOutcome = 'rejected' | 'unknown' | 'notSent';

/** What each message means for the money. The others say nothing about it. */
export const OUTCOMES = {
	requestRejected: 'rejected',
	tokenRejected: 'rejected',
	notAllowed: 'rejected',
	notFound: 'rejected',
	tooManyRequests: 'rejected',
	responseWithoutList: 'rejected',
	tooManyLogPages: 'rejected',

	referenceExists: 'unknown',
	redirected: 'unknown',
	serviceFailed: 'unknown',
	timedOut: 'unknown',
	connectionLost: 'unknown',
	cancelledWaiting: 'unknown',
	responseUnreadable: 'unknown',
	responseWithoutObject: 'unknown',
	successContradicted: 'unknown',
	noTransactionId: 'unknown',
	responseForOtherReference: 'unknown',
	echoDiffers: 'unknown',
	failedAtOnce: 'unknown',
	sentNotProved: 'unknown',
	referenceChanged: 'unknown',
	unknownNotResent: 'unknown',
	remainsUnknown: 'unknown',

	credentialUnusable: 'notSent',
	unreachable: 'notSent',
	cancelledUnsent: 'notSent',
	notReached: 'notSent',
	cancelled: 'notSent',
	earlierItemFailed: 'notSent',
	otherItemsInvalid: 'notSent',
	tokensRejected: 'notSent',
	rateLimited: 'notSent',
	referencesNotRecorded: 'notSent',
	duplicateOfEarlierExecution: 'notSent',
	accountHeld: 'notSent',
	payeeHeld: 'notSent',

	alreadySent: 'alreadySent',
	alreadyPaidAgain: 'alreadySent',
	logged: 'alreadySent',
	loggedUnverified: 'alreadySent',
	alreadySentByOthers: 'alreadySent',
	sentAccordingToInput: 'alreadySent',
	sentInThisExecution: 'alreadySent',

	conflict: 'conflict',
	purposeDiffers: 'conflict',
	loggedAsFailed: 'conflict',
	loggedWithOtherAmount: 'conflict',
	valuesChanged: 'conflict',
} as const satisfies Partial<
	Record<
		keyof typeof MESSAGES | keyof typeof EDITOR_MESSAGES,
		FailureOutcome | 'alreadySent' | 'conflict'
	>
>;
