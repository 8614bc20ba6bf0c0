import { hash } from 'node:crypto';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import type { Output } from '../fields/form';
import { idempotencyKey } from '../fields/text';
import { isUuid } from '../fields/validators';
import { ALL_EVENTS } from '../service/enums';
import { matches } from '../service/outsideText';
import { isObject } from '../service/json';
import { KNOWN_STATUSES, lowerCase, readPayload } from './payload';

/** Section 6.1. Section 6.2 has `details.walletId` instead of `externalReference`. */
export const EVENT: Output = {
	externalReference: 'string',
	status: 'string',
	transactionType: 'string',
	timestamp: 'string',
	details: {
		amount: 'string',
		asset: 'string',
		blockchain: 'string',
		transactionHash: 'string',
		message: 'string',
		transactionId: 'string',
	},
};

/** The output item of an event (section 6): the payload, unchanged or flattened. */
export function eventItem(payload: IDataObject, simplify: boolean): INodeExecutionData {
	return { json: simplify ? flatten(payload) : payload };
}

/** Moves the fields of `details` to the top level. A name that is taken gets the prefix `details_`. */
function flatten(payload: IDataObject): IDataObject {
	const { details, ...rest } = payload;
	if (!isObject(details)) return payload;
	const names = new Set([...Object.keys(rest), ...Object.keys(details)]);
	const free = (name: string): string => (names.has(name) ? free(`details_${name}`) : name);
	// Built from entries: assigning to a field named `__proto__` would change the object itself.
	return Object.fromEntries([
		...Object.entries(rest),
		...Object.entries(details).map(([name, value]): [string, typeof value] => {
			if (!Object.hasOwn(rest, name)) return [name, value];
			const other = free(`details_${name}`);
			names.add(other);
			return [other, value];
		}),
	]);
}

/**
 * Identifies an event by its transaction and status, because a transaction has each status once. Without a
 * transaction ID, its references or its hash name the transaction: the timestamp and the number of the attempt may
 * differ from delivery to delivery. Without any of these, the content identifies it.
 */
export function eventKey(payload: IDataObject): string {
	const { transactionId: given, status, references, transactionHash } = readPayload(payload);
	// The letters of a UUID don't matter. Those of another ID may.
	const transactionId = given !== undefined && isUuid(given) ? given.toLowerCase() : given;
	const named = references.length > 0 ? references.map(idempotencyKey).sort() : [transactionHash];
	const names = named.filter(Boolean);
	if (transactionId === undefined || status === undefined) {
		return hashKey(status !== undefined && names.length > 0 ? [names, status] : payload);
	}
	return matches(PLAIN, transactionId) && matches(PLAIN, status)
		? `partnerPayments:${transactionId}:${status}`
		: hashKey([transactionId, status]);
}

/** The events that a trigger emits. */
export interface EventFilter {
	/** Statuses, as the service names events; none for all. */
	events: string[];
	/** Transaction types; none for all. */
	transactionTypes: string[];
}

/** The events that the service knows, of those that are chosen in the trigger. */
export function chosenEvents(chosen: string[]): string[] {
	return chosen.includes(ALL_EVENTS.value) ? KNOWN_STATUSES : chosen;
}

/**
 * Reads the filter from the trigger's parameters.
 *
 * @param parameter reads a parameter: its signature differs between n8n's contexts
 */
export function readFilter(parameter: (name: string, fallback: unknown) => unknown): EventFilter {
	const filters = parameter('filters', {}) as { transactionTypes?: string[] };
	return {
		events: chosenEvents(parameter('events', []) as string[]),
		transactionTypes: filters.transactionTypes ?? [],
	};
}

/** Whether an event passes a filter. A status that isn't documented passes any filter, as does an event without a type. */
export function matchesFilter(
	{ events, transactionTypes }: EventFilter,
	payload: IDataObject,
): boolean {
	const { status = '', transactionType } = readPayload(payload);
	const isKnown = KNOWN_STATUSES.includes(status);
	if (isKnown && events.length > 0 && !events.includes(status)) return false;
	const isTyped = transactionTypes.length > 0 && transactionType !== '';
	return !isTyped || transactionTypes.map(lowerCase).includes(lowerCase(transactionType));
}

/** A text that can be part of a key without making it ambiguous. */
const PLAIN = /^[\w-]+$/;

/** The key of a value: of its JSON with sorted keys, so that their order doesn't matter. */
function hashKey(value: unknown): string {
	const json = JSON.stringify(value, (_, entry: unknown) =>
		isObject(entry)
			? Object.fromEntries(Object.entries(entry).sort(([a], [b]) => (a < b ? -1 : 1)))
			: entry,
	);
	return `partnerPayments:${hash('sha256', json)}`;
}
