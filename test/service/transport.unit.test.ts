import { NodeOperationError, type ICredentialDataDecryptedObject } from 'n8n-workflow';

import { Service, type RequestContext } from '../../nodes/service/transport';
import { NODE } from '../engine/node';

const LOGIN = { baseUrl: 'https://service.example/api', email: 'ana@example.com', password: 'one' };

async function connect(data: ICredentialDataDecryptedObject): Promise<Service> {
	const context = { getNode: () => NODE, getCredentials: async () => ({ ...LOGIN, ...data }) };
	return await Service.connect(context as unknown as RequestContext);
}

const accountOf = async (data: ICredentialDataDecryptedObject): Promise<string> =>
	(await connect(data)).account;

describe('the account of a credential', () => {
	test('identifies an account without revealing address or email', async () => {
		expect(await accountOf({})).toMatch(/^[0-9a-f]{16}$/);
	});

	test.each<[string, ICredentialDataDecryptedObject]>([
		['a slash at the end', { baseUrl: 'https://service.example/api/' }],
		['blanks around the address', { baseUrl: '  https://service.example/api// ' }],
		['capitals in the host', { baseUrl: 'HTTPS://Service.Example/api' }],
		['the usual port', { baseUrl: 'https://service.example:443/api' }],
		['blanks around the email', { email: ' ana@example.com ' }],
		['capitals in the email', { email: 'Ana@Example.com' }],
		['another password', { password: 'two' }],
		['another login version', { loginVersion: 'v1' }],
		['a token', { sessionToken: 'x.y' }],
	])('identifies the same account with %s', async (_, changes) => {
		expect(await accountOf(changes)).toBe(await accountOf({}));
	});

	test.each<[string, ICredentialDataDecryptedObject]>([
		['email', { email: 'eva@example.com' }],
		['host', { baseUrl: 'https://sandbox.service.example/api' }],
		['path', { baseUrl: 'https://service.example/sandbox' }],
		['case in the path', { baseUrl: 'https://service.example/API' }],
		['port', { baseUrl: 'https://service.example:8443/api' }],
	])('identifies another account by another %s', async (_, changes) => {
		expect(await accountOf(changes)).not.toBe(await accountOf({}));
	});
});

test('reports an invalid base URL as an error of the node', async () => {
	const error: unknown = await connect({ baseUrl: 'nowhere' }).catch((caught: unknown) => caught);

	expect(error).toBeInstanceOf(NodeOperationError);
	expect((error as Error).message).toMatch(/^Base URL .* is not a web address/);
});
