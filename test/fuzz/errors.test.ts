import * as fc from 'fast-check';
import type { IHttpRequestHelper } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';

import { entriesIn, listIn, objectIn } from '../../nodes/service/responses';
import { isTooDeep } from '../../nodes/service/readBody';
import { LoginError, ServiceError, toApiError, toServiceError } from '../../nodes/service/errors';
import { login } from '../../nodes/service/login';
import { holds } from './holds';
import { NODE } from '../engine/node';

const SECRET = 'secret-0b9f7c';

/** Any JSON, often with the fields that the code reads. */
const json = fc.oneof(
	fc.jsonValue(),
	fc.dictionary(
		fc.constantFrom('message', 'error', 'detail', 'title', 'statusCode', '__proto__', 'toString'),
		fc.oneof(fc.jsonValue(), fc.string(), fc.array(fc.oneof(fc.string(), fc.jsonValue()))),
	),
);

/** A body as it arrives: parsed, as text, as bytes, or broken. */
const body = fc.oneof(
	json,
	json.map((value) => JSON.stringify(value)),
	json.map((value) => Buffer.from(JSON.stringify(value))),
	fc.string(),
	fc.constant(undefined),
);

const headers = fc.record(
	{
		'retry-after': fc.oneof(fc.string(), fc.nat().map(String), fc.double().map(String)),
		'set-cookie': fc.constant(SECRET),
	},
	{ requiredKeys: [] },
);

/** An axios error, which contains the request. */
const errorResponse = fc
	.record({ status: fc.integer({ min: 300, max: 599 }), data: body, headers })
	.map((response) =>
		Object.assign(new Error(`Request failed with status code ${response.status}`), {
			config: { headers: { Authorization: `Bearer ${SECRET}` }, data: SECRET },
			code: 'ERR_BAD_REQUEST',
			response,
		}),
	);

type ErrorResponse = typeof errorResponse extends fc.Arbitrary<infer One> ? One : never;

const ways: Array<(error: ErrorResponse) => unknown> = [
	(error) => error,
	(error) => new NodeApiError(NODE, error as never),
	({ response }) => ({ httpCode: String(response.status), context: { data: response.data } }),
];

/** Section 7 and the batch contract: the outcome that a status means for the payment. */
const outcomeOf = (status: number): string =>
	status >= 400 && status < 500 && ![408, 409].includes(status) ? 'rejected' : 'unknown';

/** Everything in an error that n8n shows or saves. */
const shown = (error: ServiceError): string =>
	JSON.stringify(
		[error.message, error.hint, toApiError({ getNode: () => NODE }, error, 3)],
		(key, value: unknown) => (key === 'node' ? undefined : value),
	);

holds(
	'error: explains any error response with the right outcome, and reveals no request data',
	fc.property(errorResponse, fc.constantFrom(...ways), (error, way) => {
		const fault = toServiceError(way(error));
		expect(fault).toBeInstanceOf(ServiceError);
		expect(fault.status).toBe(error.response.status);
		expect(fault.outcome).toBe(outcomeOf(error.response.status));
		expect(fault.message).toMatch(/^The service /);
		expect(fault.message.length).toBeLessThan(700);
		expect(fault.hint).toMatch(/\.$/);
		if (fault.retryAfterMs !== undefined) expect(fault.retryAfterMs).toBeGreaterThanOrEqual(0);
		expect(shown(fault)).not.toContain(SECRET);
		expect(toServiceError(fault)).toBe(fault);
	}),
);

const said = fc.string({ minLength: 1, maxLength: 500 }).filter((text) => text.trim() !== '');

holds(
	'error: quotes the service, wherever its message is',
	fc.property(
		said,
		fc.constantFrom('message', 'error', 'detail', 'title'),
		fc.boolean(),
		fc.constantFrom(
			(value: unknown) => value,
			(value: unknown) => JSON.stringify(value),
			(value: unknown) => Buffer.from(JSON.stringify(value)),
		),
		fc.constantFrom(400, 401, 403, 404, 409, 418, 422, 429, 500, 503),
		(text, field, asList, form, status) => {
			const data = form({ [field]: asList ? [text] : text });
			const { message } = toServiceError({ response: { status, data } });
			expect(message.endsWith(`: ${text.trim()}`)).toBe(true);
		},
	),
);

holds(
	'error: explains anything thrown, and ends it as unknown unless the outcome is certain',
	fc.property(
		fc.anything({ withNullPrototype: true, withBigInt: true, withMap: true, withDate: true }),
		(thrown) => {
			const fault = toServiceError(thrown);
			expect(fault).toBeInstanceOf(ServiceError);
			expect(fault.message).not.toBe('');
			expect(['unknown', 'rejected', 'notSent']).toContain(fault.outcome);
			expect(toApiError({ getNode: () => NODE }, fault).message).not.toBe('');
		},
	),
);

holds(
	'error: explains any response to a login without the password',
	fc.asyncProperty(
		fc.record({ statusCode: fc.integer({ min: 200, max: 599 }), body }),
		fc.string({ minLength: 1, maxLength: 20 }).filter((text) => text.trim() === text),
		fc.boolean(),
		async (answer, password, isRepeated) => {
			const response = isRepeated
				? { ...answer, body: { message: [`no ${password}`, password], error: password } }
				: answer;
			const helpers = { httpRequest: async () => response };
			const credentials = { baseUrl: 'https://service.example', email: 'a@b.example', password };
			const result = await login(
				helpers as unknown as IHttpRequestHelper['helpers'],
				credentials,
			).catch((error: unknown) => error);
			if (!(result instanceof LoginError)) {
				const { accessToken } = result as { accessToken: string };
				expect(accessToken).toMatch(/^[!-~]+$/);
				return;
			}
			expect(result.message).toMatch(/Partner Payments credential/);
			// Our own words may contain a short password by coincidence.
			const ours = (await saidOf(response.statusCode)).includes(password);
			if (!ours && isRepeated && !'***'.includes(password)) {
				expect(result.message).not.toContain(password);
			}
		},
	),
);

/** The sentence for a status, without words of the service. */
async function saidOf(statusCode: number): Promise<string> {
	const helpers = { httpRequest: async () => ({ statusCode, body: {} }) };
	const error = (await login(helpers as unknown as IHttpRequestHelper['helpers'], {
		baseUrl: 'https://service.example',
		email: 'a@b.example',
		password: 'never in it',
	}).catch((caught: unknown) => caught)) as Error;
	return `${error.message}no *** : `;
}

holds(
	'response: takes the objects of a list without nulls, but no list of something else for an empty one',
	fc.property(json, (answer) => {
		const isObject = (entry: unknown) =>
			typeof entry === 'object' && entry !== null && !Array.isArray(entry);
		const entries = Array.isArray(answer) ? answer.filter((entry) => entry !== null) : [];
		const objects = entries.filter(isObject);
		const isList = Array.isArray(answer) && (entries.length === 0 || objects.length > 0);
		if (isList) expect(entriesIn(answer)).toEqual(objects);
		else expect(() => entriesIn(answer)).toThrow(ServiceError);
	}),
);

holds(
	'response: takes only a list for a list, and only an object for an object',
	fc.property(
		json,
		fc.constantFrom(undefined, 'wallets', '__proto__', 'toString'),
		(answer, key) => {
			const attempt = (work: () => unknown): unknown => {
				try {
					return work();
				} catch (error) {
					expect(error).toBeInstanceOf(ServiceError);
					return undefined;
				}
			};
			const list = attempt(() => listIn(answer, key));
			expect(list === undefined || Array.isArray(list)).toBe(true);
			if (Array.isArray(answer)) expect(list).toBe(answer);
			const object = attempt(() => objectIn(answer));
			const isObject = typeof answer === 'object' && answer !== null && !Array.isArray(answer);
			expect(object).toBe(isObject ? answer : undefined);
		},
	),
);

const levelsOf = (value: unknown): number =>
	typeof value === 'object' && value !== null
		? 1 + Math.max(0, ...Object.values(value).map(levelsOf))
		: 0;

const wrapped = (value: unknown, levels: number, asList: boolean): unknown => {
	let result = value;
	for (let level = 0; level < levels; level++) result = asList ? [result] : { x: result };
	return result;
};

holds(
	'response: rejects exactly what is nested deeper than 100 levels, whatever its text',
	fc.property(
		fc.oneof(json, fc.string({ unit: fc.constantFrom('[', '{', '"', '\\', ']', '}') })),
		fc.integer({ min: 85, max: 110 }),
		fc.boolean(),
		(value, levels, asList) => {
			const deep = wrapped(value, levels, asList);
			const text = JSON.stringify(deep);
			expect(isTooDeep(text)).toBe(levelsOf(deep) > 100);
			expect(isTooDeep(JSON.stringify(deep, null, 1))).toBe(levelsOf(deep) > 100);
		},
	),
);
