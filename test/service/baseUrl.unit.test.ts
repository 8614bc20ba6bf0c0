import {
	describeTarget,
	environmentName,
	hasSameOrigin,
	parseBaseUrl,
	parseEnvironment,
} from '../../nodes/service/baseUrl';

describe('the base URL', () => {
	test.each([
		['https://service.example/api', 'https://service.example/api'],
		['https://service.example/api/', 'https://service.example/api'],
		[' https://service.example/api/// ', 'https://service.example/api'],
		['https://service.example', 'https://service.example'],
		['http://127.0.0.1:3456/api', 'http://127.0.0.1:3456/api'],
		['http://127.5.5.5/api', 'http://127.5.5.5/api'],
		['http://127.100.20.3/api', 'http://127.100.20.3/api'],
		['http://localhost:3456/api', 'http://localhost:3456/api'],
		['http://sandbox.localhost/api', 'http://sandbox.localhost/api'],
		['http://[::1]:3456/api', 'http://[::1]:3456/api'],
	])('reads %j as the base URL %s', (given, used) => {
		expect(parseBaseUrl(given, false)).toEqual({ ok: true, value: used });
	});

	test.each([
		'http://10.0.0.1/api',
		'http://service.example/api',
		'http://127.0.0.1.evil.example/api',
		'http://localhost.evil.example/api',
		'http://notlocalhost/api',
		'http://notlocalhost:3456/api',
		'http://0.0.0.0/api',
	])('rejects %s, because the password would travel unencrypted', (given) => {
		for (const allow of [false, undefined, 'true', 1]) {
			expect(parseBaseUrl(given, allow)).toMatchObject({ error: { code: 'baseUrlInsecure' } });
		}
		expect(parseBaseUrl(given, true)).toEqual({ ok: true, value: given });
	});

	test.each([
		'https://user@service.example',
		'https://u:p@service.example/api',
		'https://s.example/?x=1',
		'https://s.example/#x',
	])('rejects the base URL %s', (given) => {
		expect(parseBaseUrl(given, false)).toMatchObject({ error: { code: 'baseUrlInvalid' } });
	});

	test.each([
		'',
		'   ',
		'service.example/api',
		'ftp://service.example',
		'javascript:alert(1)',
		undefined,
		null,
		5,
		{},
	])('rejects %p, which is no web address', (given) => {
		expect(parseBaseUrl(given, true)).toMatchObject({ error: { code: 'baseUrlInvalid' } });
	});

	test.each([
		['https://a.example/api', 'https://a.example/other', true],
		['https://a.example', 'https://a.example:443/x', true],
		['https://a.example', 'https://a.example:444/x', false],
		['https://a.example', 'http://a.example/x', false],
		['https://a.example', 'https://b.example/x', false],
		['https://a.example', 'http://[bad', false],
	])('compares the origins of %s and %s: %s', (base, target, same) => {
		expect(hasSameOrigin(base, { url: target })).toBe(same);
	});

	test.each([
		[{ uri: 'https://a.example/x' }, true],
		[{ uri: 'https://b.example/x' }, false],
		[{ url: '/v2/wallets' }, true],
		[{ url: '/v2/wallets', baseURL: 'https://a.example/' }, true],
		[{ url: '/v2/wallets', baseURL: 'https://b.example/' }, false],
		[{ url: '//b.example/x' }, false],
		[{}, true],
	])('finds out whether %j goes to the service: %s', (request, same) => {
		expect(hasSameOrigin('https://a.example/api', request)).toBe(same);
	});
});

describe('the environment', () => {
	const target = { credential: 'Bank', host: 'service.example', account: 'a' };

	test.each([
		['production', 'Production'],
		['sandbox', 'Sandbox'],
	] as const)('the environment is shown with its label: %s', (environment, label) => {
		expect(parseEnvironment(environment)).toBe(environment);
		expect(environmentName(environment)).toBe(label);
		expect(describeTarget({ ...target, environment })).toBe(`${label} (service.example)`);
	});

	test.each(['', 'Production', 'test', undefined])(
		'the environment is not stated by %p',
		(value) => {
			expect(parseEnvironment(value)).toBeUndefined();
			expect(describeTarget({ ...target, environment: parseEnvironment(value) })).toBe(
				'service.example (Environment not stated)',
			);
		},
	);
});
