/* eslint-disable @n8n/community-nodes/no-restricted-imports -- runs outside n8n */
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { NodeApiError, NodeOperationError, type JsonObject } from 'n8n-workflow';

import {
	abortedRequest,
	failedResponse,
	LoginError,
	ServiceError,
	serviceMessage,
	toApiError,
	toOperationError,
	toServiceError,
} from '../../nodes/service/errors';
import { NODE } from '../engine/node';

/** n8n’s error for a failure of its request helper. */
const byN8n = (error: Error): unknown => new NodeApiError(NODE, error as unknown as JsonObject);

/** A system error as axios passes it on: with the code, and the rest as its cause. */
const byAxios = (system: Error & { code?: string }): Error =>
	Object.assign(new Error(system.message, { cause: system }), {
		name: 'AxiosError',
		code: system.code,
		config: {},
	});

const system = (code: string, syscall?: string): Error & { code?: string } =>
	Object.assign(new Error(`${syscall ?? 'x'} ${code}`), { code, ...(syscall && { syscall }) });

const severalAddresses = (...errors: Error[]): Error & { code?: string } =>
	Object.assign(new AggregateError(errors), { code: (errors[0] as { code?: string }).code });

describe('network errors', () => {
	test.each<[string, Error, string]>([
		[
			'EHOSTUNREACH when connecting',
			system('EHOSTUNREACH', 'connect'),
			'no connection to it can be made',
		],
		[
			'ENETUNREACH when connecting',
			system('ENETUNREACH', 'connect'),
			'no connection to it can be made',
		],
		[
			'ETIMEDOUT when connecting',
			system('ETIMEDOUT', 'connect'),
			'no connection to it can be made',
		],
		[
			'ECONNRESET when connecting',
			system('ECONNRESET', 'connect'),
			'no connection to it can be made',
		],
		[
			'EAI_FAIL when looking up',
			system('EAI_FAIL', 'getaddrinfo'),
			'no connection to it can be made',
		],
		['ECONNREFUSED', system('ECONNREFUSED'), 'nothing answers at its address'],
		['ENOTFOUND', system('ENOTFOUND'), 'its host name does not exist'],
		['EAI_AGAIN', system('EAI_AGAIN'), 'its host name cannot be looked up now'],
		['a certificate', system('CERT_HAS_EXPIRED'), 'its certificate has expired'],
		[
			'a host of which no address answers',
			severalAddresses(system('ETIMEDOUT', 'connect'), system('ENETUNREACH', 'connect')),
			'no connection to it can be made',
		],
	])('a network error ends as notSent if it can only precede sending: %s', (_, error, reason) => {
		for (const thrown of [byN8n(byAxios(error)), byAxios(error), byN8n(error), error]) {
			expect(toServiceError(thrown)).toMatchObject({
				outcome: 'notSent',
				isLogin: false,
				isOutage: true,
				message: `The service cannot be reached: ${reason}`,
			});
		}
	});

	test.each<[string, Error]>([
		['EHOSTUNREACH when writing', system('EHOSTUNREACH', 'write')],
		['EHOSTUNREACH when reading', system('EHOSTUNREACH', 'read')],
		['EHOSTUNREACH', system('EHOSTUNREACH')],
		['ENETUNREACH when reading', system('ENETUNREACH', 'read')],
		['ETIMEDOUT', system('ETIMEDOUT')],
		['ETIMEDOUT when reading', system('ETIMEDOUT', 'read')],
		['ECONNRESET when reading', system('ECONNRESET', 'read')],
		['EPIPE', system('EPIPE', 'write')],
		['ECONNABORTED', system('ECONNABORTED')],
		['ETIMEDOUT with an empty list of addresses', severalAddresses(system('ETIMEDOUT'))],
		[
			'a host of which one address was reached',
			severalAddresses(system('ETIMEDOUT', 'connect'), system('ETIMEDOUT', 'read')),
		],
	])('a network error ends as unknown if it can follow sending: %s', (_, error) => {
		for (const thrown of [byN8n(byAxios(error)), byAxios(error), byN8n(error), error]) {
			expect(toServiceError(thrown)).toMatchObject({ outcome: 'unknown' });
		}
	});

	test('finds the system call in a real error', async () => {
		const { default: axios } = await import('axios');
		const server: Server = createServer();
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
		const { port } = server.address() as AddressInfo;
		await new Promise((resolve) => server.close(resolve));

		const error = (await axios
			.get(`http://127.0.0.1:${port}`)
			.catch((thrown: unknown) => thrown)) as Error;

		expect(error).toMatchObject({ name: 'Error', cause: { syscall: 'connect' } });
		// This code alone says nothing.
		Object.assign(error, { code: 'ETIMEDOUT' });
		expect(toServiceError(byN8n(error))).toMatchObject({ outcome: 'notSent' });
	});
});

test('ends a conflict as unknown, because an earlier run may have created the payment', () => {
	const fault = toServiceError({ response: { status: 409, data: { message: 'exists' } } });

	expect(fault).toMatchObject({
		outcome: 'unknown',
		status: 409,
		message: 'The service already has this reference: exists',
	});
	expect(fault.hint).toMatch(
		/^Look it up before you pay under another reference\. An earlier run may have created it/,
	);
});

describe('an error response', () => {
	test.each([
		[300, 'redirected', 'unknown', false],
		[302, 'redirected', 'unknown', false],
		[399, 'redirected', 'unknown', false],
		[400, 'requestRejected', 'rejected', false],
		[401, 'tokenRejected', 'rejected', false],
		[402, 'requestRejected', 'rejected', false],
		[403, 'notAllowed', 'rejected', false],
		[404, 'notFound', 'rejected', false],
		[408, 'serviceFailed', 'unknown', true],
		[422, 'requestRejected', 'rejected', false],
		[429, 'tooManyRequests', 'rejected', true],
		[499, 'requestRejected', 'rejected', false],
		[500, 'serviceFailed', 'unknown', true],
		[599, 'serviceFailed', 'unknown', true],
	])('says by its status what happened to the money: %i', (status, code, outcome, isOutage) => {
		for (const thrown of [{ response: { status } }, { httpCode: String(status) }]) {
			expect(toServiceError(thrown)).toMatchObject({ status, code, outcome, isOutage });
		}
	});

	test.each([
		[302, /302/],
		[403, /: said$/],
		[422, /: said$/],
		[503, /503.*: said$/],
	])('an error response has a message with what is known of it: %i', (status, message) => {
		const response = { status, data: { message: 'said' } };
		expect(toServiceError({ response }).message).toMatch(message);
	});

	test.each([100, 200, 299, 600, 99, 404.5, 'none', undefined])(
		'leaves the payment unknown if its status is %p',
		(status) => {
			const fault = toServiceError({ response: { status } });
			expect(fault).toMatchObject({ code: 'connectionLost', outcome: 'unknown', isOutage: true });
			expect(fault.status).toBeUndefined();
		},
	);

	test('an error response is found in the cause of the error, in the error, or as its body alone', () => {
		const [inner, outer] = [{ status: 400 }, { status: 500 }];

		expect(failedResponse({ cause: { response: inner }, response: outer })).toBe(inner);
		expect(failedResponse({ cause: {}, response: outer, context: { data: 1 } })).toBe(outer);
		expect(failedResponse({ context: { data: 'said' } })).toEqual({ data: 'said' });
		expect([{ context: {} }, {}, null, undefined].map(failedResponse)).toEqual(
			Array(4).fill(undefined),
		);
	});
});

describe('the words of the service', () => {
	test.each<[unknown, string]>([
		[{ message: ' a ', error: 'b' }, 'a'],
		[{ message: ' ', error: 'b', detail: 'c' }, 'b'],
		[{ message: 5, detail: 'c', title: 'd' }, 'c'],
		[{ message: [1, {}], title: 'd' }, 'd'],
		[{ message: ['a', 5, 'b'] }, 'a; b'],
		[{ message: 'x'.repeat(501) }, 'x'.repeat(500)],
		[{ message: 'said by ana' }, 'said by ***'],
		['{"message":"a"}', 'a'],
		[Buffer.from('{"message":"a"}'), 'a'],
		['<html>', ''],
		[[{ message: 'a' }], ''],
		[{}, ''],
		[null, ''],
	])('the words of the service of %j are %j', (body, text) => {
		expect(serviceMessage(body, ['ana'])).toBe(text);
	});
});

describe('a request that this package ended', () => {
	test('a request that this package ended has timed out, or was cancelled, which is no outage', () => {
		expect(abortedRequest(true)).toMatchObject({ code: 'timedOut', isOutage: true });
		expect(abortedRequest(false)).toMatchObject({ code: 'cancelledWaiting', isOutage: false });
	});

	test.each(['ECONNABORTED', 'ETIMEDOUT', 'ESOCKETTIMEDOUT'])(
		'a request that this package ended counts as timed out if n8n says %s',
		(code) => {
			for (const thrown of [{ code }, { cause: { code } }, { httpCode: code }]) {
				expect(toServiceError(thrown)).toMatchObject({ code: 'timedOut', outcome: 'unknown' });
			}
		},
	);
});

test('ends as unknown if the causes of an error go round in a circle', () => {
	const circle: { cause?: unknown } = {};
	circle.cause = circle;

	expect(toServiceError(circle)).toMatchObject({ code: 'connectionLost', outcome: 'unknown' });
	expect(toServiceError('text')).toMatchObject({ code: 'connectionLost', outcome: 'unknown' });
});

describe('an error that n8n shows', () => {
	const context = { getNode: () => NODE };
	const fault = new ServiceError(
		{ code: 'any', message: 'Words', hint: 'Help.', outcome: 'rejected' },
		{ status: 404 },
	);

	test.each([
		[undefined, 'Words'],
		[0, '[Item 0] Words'],
		[3, '[Item 3] Words'],
	])('names item %p, and has the code, the hint and the status', (item, message) => {
		const at = item !== undefined && { itemIndex: item };

		expect(toApiError(context, fault, item)).toMatchObject({
			message,
			description: 'Help.',
			httpCode: '404',
			context: { code: 'any', ...at },
			failure: { cause: 'configuration-invalid' },
		});
		expect(toOperationError(context, fault, item)).toMatchObject({
			message,
			description: 'Help.',
			context: { code: 'any', ...at },
			failure: { cause: 'configuration-invalid' },
		});
	});

	test('an error that n8n shows has no status if the service did not answer', () => {
		const lost = new ServiceError({ code: 'any', message: 'Words', outcome: 'unknown' });

		expect(toApiError(context, lost).httpCode).toBeNull();
	});

	test('says that nothing was sent if it is that of an unusable credential', () => {
		const own = toOperationError(context, { code: 'any', message: 'Words', hint: 'Help.' });
		const other = new NodeOperationError(NODE, 'Not found');

		expect(toServiceError(own)).toMatchObject({
			code: 'any',
			message: 'Words',
			hint: 'Help.',
			outcome: 'notSent',
			isLogin: true,
		});
		expect(toServiceError(other)).toMatchObject({ code: 'credentialUnusable', isLogin: true });
		expect(toServiceError(other).hint).toBeUndefined();
	});
});

describe('login errors', () => {
	test('include their hint, and are the rejection or the outage that they were', () => {
		const message = { code: 'any', message: 'Words', hint: 'Help.' };
		const [rejected, outage] = [{ isRejected: true }, { isOutage: true }].map((kind) =>
			toServiceError(new LoginError(message, kind)),
		);

		expect(rejected).toMatchObject({ message: 'Words. Help.', status: 401, isOutage: false });
		expect(outage).toMatchObject({ message: 'Words. Help.', status: undefined, isOutage: true });
		// In Spanish, English is quoted.
		expect(outage.es.message).toContain('«Words. Help.»');
	});

	test.each<[string, Error]>([
		['a login that did not succeed', new LoginError({ code: 'any', message: 'any words' })],
		[
			'one that n8n has wrapped',
			new NodeOperationError(NODE, new LoginError({ code: 'any', message: 'any words' })),
		],
	])('recognizes %s, however n8n wraps it', (_, error) => {
		for (const thrown of [error, byN8n(error)]) {
			expect(toServiceError(thrown)).toMatchObject({
				outcome: 'notSent',
				isLogin: true,
				code: 'any',
				message: 'any words',
			});
		}
	});

	test('a login error is not recognized by its words', () => {
		const words = 'Check Email and Password in the Partner Payments credential.';
		const errors = [
			new Error(words),
			byN8n(new Error(words)),
			{ response: { status: 400, data: { message: words } } },
			new ServiceError({ code: 'any', message: words, outcome: 'notSent' }),
		];
		expect(errors.map((error) => toServiceError(error).isLogin)).toEqual(Array(4).fill(false));
		expect(toServiceError(errors[0]).outcome).toBe('unknown');
	});
});

describe('Retry-After', () => {
	beforeEach(() => void jest.useFakeTimers({ now: Date.parse('2026-11-24T12:00:00Z') }));
	afterEach(() => void jest.useRealTimers());

	test('Retry-After is read only if it is a text', () => {
		for (const headers of [{ 'retry-after': 30 }, {}, undefined]) {
			expect(toServiceError({ response: { status: 429, headers } }).retryAfterMs).toBeUndefined();
		}
	});

	test.each([
		['0', 0],
		['30', 30_000],
		[' 1.5 ', 1_500],
		['1.25', 1_250],
		['30 seconds', undefined],
		['after 30', undefined],
		['Tue, 24 Nov 2026 12:00:30 GMT', 30_000],
		['Tue, 24 Nov 2026 13:00:00 GMT', 3_600_000],
		['Tue, 24 Nov 2026 11:59:00 GMT', 0],
		['soon', undefined],
		['', undefined],
	])('reads %j as %s milliseconds', (value, milliseconds) => {
		const response = { status: 429, headers: { 'retry-after': value }, data: '' };
		expect(toServiceError({ response }).retryAfterMs).toBe(milliseconds);
	});
});

describe('the cause in n8n’s words', () => {
	const failed = (details: ConstructorParameters<typeof ServiceError>[1]): ServiceError =>
		new ServiceError({ code: 'a', message: 'b' }, details);

	test.each<[string, ConstructorParameters<typeof ServiceError>[1], object | undefined]>([
		['a 429', { status: 429 }, { cause: 'rate-limited' }],
		[
			'a 429 with Retry-After',
			{ status: 429, retryAfterMs: 7_000, isOutage: true },
			{ cause: 'rate-limited', retryAfterMs: 7_000 },
		],
		[
			'a 503 with Retry-After',
			{ status: 503, retryAfterMs: 0, isOutage: true },
			{ cause: 'temporarily-unavailable', retryAfterMs: 0 },
		],
		[
			'a login while the service is down',
			{ isLogin: true, isOutage: true },
			{ cause: 'temporarily-unavailable' },
		],
		['a rejected login', { isLogin: true, status: 401 }, { cause: 'credential-invalid' }],
		['a rejected token', { status: 401 }, { cause: 'credential-invalid' }],
		['a missing right', { status: 403 }, { cause: 'configuration-invalid' }],
		['a missing record', { status: 404 }, { cause: 'configuration-invalid' }],
		['a rejected value', { status: 422 }, undefined],
		['an answer that cannot be read', { status: 201 }, undefined],
	])('the cause in n8n’s words is given for %s', (_, details, failure) => {
		expect(failed(details).failure).toEqual(failure);
		expect(toApiError({ getNode: () => NODE }, failed(details)).failure).toEqual(failure);
	});
});
