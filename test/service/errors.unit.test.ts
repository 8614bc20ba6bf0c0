/* eslint-disable @n8n/community-nodes/no-restricted-imports -- runs outside n8n */
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { NodeApiError, NodeOperationError, type JsonObject } from 'n8n-workflow';

import { LoginError, ServiceError, toApiError, toServiceError } from '../../nodes/service/errors';
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
			'its host cannot be reached',
		],
		[
			'ENETUNREACH when connecting',
			system('ENETUNREACH', 'connect'),
			'its network cannot be reached',
		],
		[
			'ETIMEDOUT when connecting',
			system('ETIMEDOUT', 'connect'),
			'its address does not answer in time',
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
			'its address does not answer in time',
		],
	])('ends as notSent if the error can only precede sending: %s', (_, error, reason) => {
		for (const thrown of [byN8n(byAxios(error)), byAxios(error), byN8n(error), error]) {
			expect(toServiceError(thrown)).toMatchObject({
				outcome: 'notSent',
				isLogin: false,
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
		[
			'a host of which one address was reached',
			severalAddresses(system('ETIMEDOUT', 'connect'), system('ETIMEDOUT', 'read')),
		],
	])('ends as unknown if the error can follow sending: %s', (_, error) => {
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

describe('login errors', () => {
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

	test('does not recognize a login error by its words', () => {
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

	test.each([
		['0', 0],
		['30', 30_000],
		[' 1.5 ', 1_500],
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
	])('is given for %s', (_, details, failure) => {
		expect(failed(details).failure).toEqual(failure);
		expect(toApiError({ getNode: () => NODE }, failed(details)).failure).toEqual(failure);
	});
});
