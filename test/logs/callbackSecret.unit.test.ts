import {
	isSecret,
	newSecret,
	ownerIn,
	secretHash,
	secretIn,
	withOwner,
	withoutCallbackSecret,
	withSecret,
} from '../../nodes/logs/callbackSecret';

const ADDRESS = 'https://n8n.example/webhook/1?tenant=2';

const secret = '0123456789abcdef'.repeat(4);

describe('callback secrets', () => {
	test('creates a long secret that differs each time', () => {
		const all = Array.from({ length: 20 }, newSecret);
		expect(new Set(all).size).toBe(20);
		for (const one of all) expect(one).toMatch(/^[0-9a-f]{64}$/);
	});

	test('recognizes a secret by its hash', () => {
		expect(isSecret(secret, secretHash(secret))).toBe(true);
		expect(isSecret(newSecret(), secretHash(secret))).toBe(false);
	});

	test.each<[string, unknown, string | undefined]>([
		['nothing was given', undefined, secretHash('undefined')],
		['several were given', [secret], secretHash(secret)],
		['nothing was kept', secret, undefined],
		['what was kept is empty', secret, ''],
		['what was kept is too short', secret, secretHash(secret).slice(2)],
		['what was kept is no hash', secret, 'no hash'],
	])('rejects a secret if %s', (_, given, hash) => {
		expect(isSecret(given, hash)).toBe(false);
	});
});

describe('addresses with a secret', () => {
	test('keeps the query of an address when it adds secret and owner', () => {
		const whole = withSecret(withOwner(ADDRESS, 'me'), secret);
		expect(whole).toBe(`${ADDRESS}&owner=me&secret=${secret}`);
		expect([ownerIn(whole), secretIn(whole)]).toEqual(['me', secret]);
	});

	test('replaces the owner of an address', () => {
		expect(withOwner(withOwner(ADDRESS, 'me'), 'you')).toBe(`${ADDRESS}&owner=you`);
	});

	test.each([ADDRESS, 'no address', ''])('finds neither owner nor secret in %p', (address) => {
		expect([ownerIn(address), secretIn(address)]).toEqual([undefined, undefined]);
	});

	test.each([secret.toUpperCase(), `${secret}0`, `0${secret}`, secret.slice(1), ''])(
		'finds no secret in %p',
		(other) => {
			const address = withSecret(ADDRESS, other);
			expect(secretIn(address)).toBeUndefined();
			expect(withoutCallbackSecret({ url: address })).toEqual({ url: address });
		},
	);

	test('masks only the secret of an address', () => {
		const url = withSecret(ADDRESS, secret);
		expect(withoutCallbackSecret({ url, apiKey: secret })).toEqual({
			url: `${ADDRESS}&secret=***`,
		});
	});

	test.each([ADDRESS, undefined, null, 7, { url: ADDRESS }])('leaves %p unmasked', (address) => {
		expect(withoutCallbackSecret({ url: address })).toEqual({ url: address });
	});
});
