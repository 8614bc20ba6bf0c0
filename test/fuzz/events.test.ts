import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { normalizeText } from '../../nodes/fields/text';
import { eventItem, eventKey } from '../../nodes/logs/event';
import { TRANSACTION_EVENTS } from '../../nodes/service/enums';
import { useService } from '../engine/service';
import { TestTrigger } from '../trigger/trigger';
import { holds } from './holds';

const SECRET = 'a'.repeat(64);

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const service = useService();

interface Delivery {
	raw: string | Buffer;
	query?: IDataObject;
	parameters?: INodeParameters;
	/** No registration is stored. */
	forgotten?: boolean;
}

/** Delivers an event to the trigger, which answers with a status or starts the workflow. */
async function deliver({ raw, query, parameters, forgotten }: Delivery) {
	const trigger = new TestTrigger(service, {
		events: ['completed_transaction'],
		...parameters,
	});
	if (!forgotten) trigger.keep({ secretHash: sha256(SECRET) });
	const { status = 200, items } = await trigger.deliver({
		query: query ?? { secret: SECRET },
		body: raw,
	});
	return { status, payload: items?.[0].json.payload };
}

const STATUSES = TRANSACTION_EVENTS.map(({ value }) => value);

/** Any JSON object, often like an event, with fields of any type instead of text. */
const payload = fc.oneof(
	fc.dictionary(fc.string(), fc.jsonValue()),
	fc.dictionary(
		fc.constantFrom(
			'status',
			'transactionType',
			'transactionId',
			'details',
			'__proto__',
			'constructor',
			'toString',
			'details_status',
		),
		fc.oneof(
			fc.constantFrom(...STATUSES, 'withdrawal_crypto'),
			fc.jsonValue(),
			fc.dictionary(
				fc.constantFrom('transactionId', 'status', '__proto__', 'toString', 'details_status'),
				fc.oneof(fc.string(), fc.jsonValue()),
			),
		),
	),
) as fc.Arbitrary<IDataObject>;

const prototype = JSON.stringify(Object.getOwnPropertyNames(Object.prototype));

afterEach(() => {
	expect(JSON.stringify(Object.getOwnPropertyNames(Object.prototype))).toBe(prototype);
});

const isJsonObject = (text: string): boolean => {
	try {
		const value: unknown = JSON.parse(text);
		return typeof value === 'object' && value !== null && !Array.isArray(value);
	} catch {
		return false;
	}
};

holds(
	'trigger: answers any JSON object, and emits it unchanged if the options include it',
	fc.asyncProperty(payload, fc.boolean(), async (sent, filtered) => {
		const raw = JSON.stringify(sent);
		// Deliveries whose execution never begins keep n8n busy, unless nothing else would emit them.
		const parameters = {
			checkForMissedEvents: 'never',
			...(filtered && { filters: { transactionTypes: ['withdrawal_crypto'] } }),
		};
		const { status, payload: received } = await deliver({ raw, parameters });
		expect(status).toBe(200);
		const { transactionType, transactionStatus, details, ...parsed } = JSON.parse(
			raw,
		) as IDataObject;
		const isWithin = typeof details === 'object' && details !== null && !Array.isArray(details);
		const inner = isWithin ? (details as IDataObject) : {};
		const known = [parsed.status, transactionStatus, inner.status].find((status) =>
			STATUSES.includes(status as string),
		);
		const hasOtherType = ['string', 'number'].includes(typeof transactionType)
			? String(transactionType).trim() !== '' && transactionType !== 'withdrawal_crypto'
			: false;
		const isWanted =
			(known === undefined || known === 'completed_transaction') && (!filtered || !hasOtherType);
		expect(JSON.stringify(received)).toBe(isWanted ? raw : undefined);
	}),
);

holds(
	'trigger: answers anything but a JSON object with 400 and starts nothing',
	fc.asyncProperty(
		fc.oneof(
			fc.string(),
			fc.jsonValue().map((value) => JSON.stringify(value)),
			fc.tuple(payload, fc.nat()).map(([value, at]) => {
				const text = JSON.stringify(value);
				return text.slice(0, at % text.length);
			}),
			fc.uint8Array().map((bytes) => Buffer.from(bytes)),
			fc
				.integer({ min: 101, max: 5000 })
				.map((n) => `{"details":${'['.repeat(n)}${']'.repeat(n)}}`),
		),
		async (raw) => {
			fc.pre(raw.length > 2000 || !isJsonObject(raw.toString()));
			expect(await deliver({ raw })).toEqual({ status: 400, payload: undefined });
		},
	),
);

const guess = fc.oneof(
	fc.string(),
	fc.stringMatching(/^[0-9a-f]{64}$/),
	fc.constantFrom(SECRET.toUpperCase(), `${SECRET}a`, SECRET.slice(1), sha256(SECRET)),
	fc.jsonValue(),
	fc.constant([SECRET]),
	fc.constant({ 0: SECRET }),
	fc.constant(undefined),
);

holds(
	'trigger: starts nothing without the right secret, whatever arrives',
	fc.asyncProperty(guess, fc.boolean(), async (secret, forgotten) => {
		fc.pre(secret !== SECRET);
		const { status } = await deliver({
			raw: '{"status":"completed_transaction"}',
			query: { secret } as IDataObject,
			forgotten,
		});
		expect(status).toBe(401);
	}),
);

const shuffled = (value: unknown): unknown => {
	if (Array.isArray(value)) return value.map(shuffled);
	if (typeof value !== 'object' || value === null) return value;
	return Object.fromEntries(
		Object.entries(value)
			.reverse()
			.map(([name, entry]) => [name, shuffled(entry)]),
	);
};

/** The value of a log entry or a delivery: text with half a character is impossible there. */
const throughJson = (value: IDataObject): IDataObject =>
	JSON.parse(JSON.stringify(value)) as IDataObject;

holds(
	'event: recognizes an event in any order of its fields',
	fc.property(payload, (event) => {
		const plain = throughJson(event);
		expect(eventKey(shuffled(plain) as IDataObject)).toBe(eventKey(plain));
	}),
);

const word = fc.oneof(
	fc.uuid(),
	fc.constantFrom(...STATUSES),
	fc.string({ unit: fc.constantFrom('a', ':', ' ', 'by'), minLength: 1, maxLength: 5 }),
	fc.string({ minLength: 1 }),
);

/** Outer and repeated spaces don't matter. */
const name = word.map(normalizeText).filter((text) => text !== '');

holds(
	'event: distinguishes transactions and statuses',
	fc.property(
		fc.uniqueArray(fc.record({ id: name, status: name }), {
			minLength: 2,
			maxLength: 8,
			selector: (event) => JSON.stringify(event),
		}),
		fc.dictionary(fc.string(), fc.jsonValue()),
		(events, rest) => {
			const keys = events.map(({ id, status }) =>
				eventKey({ ...(rest as IDataObject), status, details: { transactionId: id } }),
			);
			expect(new Set(keys).size).toBe(events.length);
			// The same event with other fields.
			for (const [index, { id, status }] of events.entries()) {
				expect(eventKey({ status, details: { transactionId: id, message: 'x' } })).toBe(
					keys[index],
				);
			}
		},
	),
);

holds(
	'event: distinguishes events without a transaction by their content',
	fc.property(
		fc.uniqueArray(fc.dictionary(fc.string(), fc.integer()), {
			selector: (event) => JSON.stringify(Object.entries(event).sort()),
		}),
		(events) => {
			const untold = events.filter((event) => !('transactionId' in event));
			expect(new Set(untold.map(eventKey)).size).toBe(untold.length);
		},
	),
);

holds(
	'event: keeps every value of a simplified event in a plain object',
	fc.property(payload, (event) => {
		const plain = throughJson(event);
		const before = JSON.stringify(plain);
		const { json: flat } = eventItem(plain, true);
		const { details, ...rest } = plain;
		const isNested = typeof details === 'object' && details !== null && !Array.isArray(details);
		const values = [
			...Object.values(rest),
			...(isNested ? Object.values(details) : 'details' in plain ? [details] : []),
		];
		const sorted = (list: unknown[]) => list.map((value) => JSON.stringify(value)).sort();
		expect(sorted(Object.values(flat))).toEqual(sorted(values));
		for (const name of Object.keys(rest)) expect(Object.hasOwn(flat, name)).toBe(true);
		expect(Object.getPrototypeOf(flat)).toBe(Object.prototype);
		expect(JSON.stringify(plain)).toBe(before);
		expect(eventItem(plain, false).json).toBe(plain);
	}),
);
