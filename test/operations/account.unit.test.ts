import type { IDataObject } from 'n8n-workflow';

import { eachItem } from '../../nodes/PartnerPayments/operations/operation';
import { get } from '../../nodes/PartnerPayments/resources/account/get';
import { Service } from '../../nodes/service/transport';
import { nodeWith } from './context';

afterEach(() => jest.restoreAllMocks());

const CREDENTIALS = {
	baseUrl: 'https://partner.example',
	loginVersion: 'v1',
	email: 'ana@example.com',
	password: 'secret',
};

/** Gets the account for two items, from a service that answers a login so. */
async function account(
	answer: () => Promise<{ statusCode: number; body: IDataObject }>,
	continueOnFail = true,
) {
	jest
		.spyOn(Service, 'connect')
		.mockResolvedValue({ credentials: CREDENTIALS, waitedMs: 0 } as unknown as Service);
	const httpRequest = jest.fn(answer);
	const context = Object.assign(nodeWith({}, [{}, {}], { continueOnFail }), {
		helpers: { httpRequest },
	});
	if ('executeOutputs' in get) throw new Error('Get has one output');
	const output = await ('execute' in get ? get.execute.call(context) : eachItem(context, get));
	return { output, requests: httpRequest.mock.calls as unknown as IDataObject[][] };
}

const USER = { id: 'u-1', name: 'Ana', role: 'admin', completedOnboardingSteps: ['kyc'] };

test('Account > Get logs in once, and gives each item the user without the token', async () => {
	const { output, requests } = await account(
		async () =>
			await Promise.resolve({ statusCode: 201, body: { accessToken: 'token', user: USER } }),
	);
	expect(output).toEqual([
		{ json: USER, pairedItem: { item: 0 } },
		{ json: USER, pairedItem: { item: 1 } },
	]);
	expect(output[0].json).not.toBe(output[1].json);
	expect(requests).toMatchObject([
		[
			{
				method: 'POST',
				url: 'https://partner.example/v1/auth/login',
				body: { email: 'ana@example.com', password: 'secret' },
			},
		],
	]);
});

test('Account > Get tries a wrong password once, and says so of each item', async () => {
	const { output, requests } = await account(
		async () => await Promise.resolve({ statusCode: 401, body: { message: 'Bad credentials' } }),
	);
	const failed = {
		message: expect.stringContaining('Bad credentials'),
		error: { code: 'loginRejected', httpCode: '401' },
	};
	expect(output.map(({ json }) => json)).toMatchObject([failed, failed]);
	expect(requests).toHaveLength(1);
});

test('Account > Get says that the service cannot be reached', async () => {
	const refused = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
	await expect(account(async () => await Promise.reject(refused), false)).rejects.toThrow(
		/nothing answers at its address/,
	);
});
