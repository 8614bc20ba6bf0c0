import type { IDataObject, IHookFunctions } from 'n8n-workflow';

import type { RegistrationState } from '../../nodes/PartnerPaymentsTrigger/registrationState';
import { keepOn, switchOff } from '../../nodes/PartnerPaymentsTrigger/switchOff';
import { NODE } from '../engine/node';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const LOGIN = { baseUrl: 'https://service.example/api', email: 'ana@example.com', password: 'one' };
const OWNER = 'owner';

beforeEach(() => jest.useFakeTimers());
afterEach(() => {
	keepOn(OWNER);
	jest.useRealTimers();
});

/** A service with one webhook, whose address it hides. It answers with `status`, if that is no success. */
function setUp() {
	const service = { status: 503, webhook: { id: 'webhook-1', callbalckUrl: '', status: 'ACTIVE' } };
	const requests: Array<{ method: string; at: number }> = [];
	const warnings: string[] = [];
	const context = {
		getNode: () => NODE,
		getCredentials: async () => LOGIN,
		getMode: () => 'trigger',
		logger: { warn: (line: string) => warnings.push(line) },
		helpers: {
			httpRequestWithAuthentication: async (_: string, { method, url, body }: IDataObject) => {
				requests.push({ method: String(method), at: Date.now() });
				if (service.status !== 200) {
					throw Object.assign(new Error(), { response: { status: service.status, data: '' } });
				}
				if (method === 'PATCH' && String(url).endsWith(service.webhook.id)) {
					Object.assign(service.webhook, { status: (body as IDataObject).status });
				}
				return { body: [service.webhook], statusCode: 200, headers: {} };
			},
		},
	} as unknown as IHookFunctions;
	const state: RegistrationState = { webhookId: 'webhook-1' };
	const start = Date.now();
	return {
		service,
		state,
		requests,
		warnings,
		/** Unpublishes the trigger, and lets so much time pass. */
		async unpublish(ms: number) {
			const removal = switchOff(context, OWNER, state, 'INACTIVE');
			await jest.advanceTimersByTimeAsync(ms);
			await removal;
		},
		/** The milliseconds from the start to the last request. */
		lastRequest: () => (requests.at(-1)?.at ?? NaN) - start,
	};
}

test('tries every minute for a day of outage, and then says that the webhook stays on', async () => {
	const { warnings, lastRequest, unpublish } = setUp();

	await unpublish(20 * HOUR_MS);
	expect(warnings).toHaveLength(1);
	expect(warnings[0]).toContain('could not be switched off (status INACTIVE) yet');
	await jest.advanceTimersByTimeAsync(20 * HOUR_MS);

	// A day of pauses, and the time of the attempts.
	expect(lastRequest()).toBeGreaterThanOrEqual(24 * HOUR_MS);
	expect(lastRequest()).toBeLessThan(30 * HOUR_MS);
	expect(warnings).toHaveLength(2);
	expect(warnings[1]).toContain('could not be switched off (status INACTIVE), so');
});

test('gives up if the service rejects it after an outage', async () => {
	const { service, requests, warnings, unpublish } = setUp();
	await unpublish(MINUTE_MS);

	service.status = 403;
	await jest.advanceTimersByTimeAsync(5 * MINUTE_MS);
	expect(warnings).toHaveLength(2);
	expect(warnings[1]).toContain('could not be switched off (status INACTIVE), so');

	const { length } = requests;
	await jest.advanceTimersByTimeAsync(HOUR_MS);
	expect(requests).toHaveLength(length);
});

test('does not try again if the service rejects it at once', async () => {
	const { service, requests, warnings, unpublish } = setUp();
	service.status = 403;

	await unpublish(HOUR_MS);

	expect(warnings).toHaveLength(1);
	expect(warnings[0]).toContain('could not be switched off (status INACTIVE), so');
	expect(requests.length).toBeLessThanOrEqual(2);
});

test('asks the service nothing more once the trigger is published again', async () => {
	const { requests, unpublish } = setUp();
	await unpublish(30_000);

	keepOn(OWNER);
	const { length } = requests;
	await jest.advanceTimersByTimeAsync(HOUR_MS);

	expect(requests).toHaveLength(length);
});

test('knows the webhook after the outage although the state has changed', async () => {
	const { service, state, unpublish } = setUp();
	await unpublish(MINUTE_MS);

	delete state.webhookId;
	service.status = 200;
	await jest.advanceTimersByTimeAsync(5 * MINUTE_MS);

	expect(service.webhook.status).toBe('INACTIVE');
});

test('changes nothing if the webhook is off already', async () => {
	const { service, requests, unpublish } = setUp();
	Object.assign(service, { status: 200, webhook: { ...service.webhook, status: 'INACTIVE' } });

	await unpublish(HOUR_MS);

	expect(requests.map(({ method }) => method)).not.toContain('PATCH');
});
