import {
	isSecret,
	newSecret,
	ownerIn,
	secretHash,
	secretIn,
	withOwner,
	withoutSecret,
	withSecret,
} from '../../nodes/webhooks/callbackSecret';

const ADDRESS = 'https://n8n.example/webhook/1?tenant=2';

const secret = '0123456789abcdef'.repeat(4);

describe('a secret', () => {
	test('is another one each time, and long', () => {
		const all = Array.from({ length: 20 }, newSecret);
		expect(new Set(all).size).toBe(20);
		for (const one of all) expect(one).toMatch(/^[0-9a-f]{64}$/);
	});

	test('is known by its hash', () => {
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
	])('is none where %s', (_, given, hash) => {
		expect(isSecret(given, hash)).toBe(false);
	});
});

describe('an address', () => {
	test('keeps its own query beside secret and owner', () => {
		const whole = withSecret(withOwner(ADDRESS, 'me'), secret);
		expect(whole).toBe(`${ADDRESS}&owner=me&secret=${secret}`);
		expect([ownerIn(whole), secretIn(whole)]).toEqual(['me', secret]);
	});

	test('has one owner, and one secret', () => {
		expect(withOwner(withOwner(ADDRESS, 'me'), 'you')).toBe(`${ADDRESS}&owner=you`);
	});

	test.each([ADDRESS, 'no address', ''])('(%p) has neither where it names none', (address) => {
		expect([ownerIn(address), secretIn(address)]).toEqual([undefined, undefined]);
	});

	test.each([secret.toUpperCase(), `${secret}0`, `0${secret}`, secret.slice(1), ''])(
		'has no secret of ours in %p',
		(other) => {
			const address = withSecret(ADDRESS, other);
			expect(secretIn(address)).toBeUndefined();
			expect(withoutSecret(address)).toBe(address);
		},
	);

	test('is shown without its secret, and with all else', () => {
		expect(withoutSecret(withSecret(ADDRESS, secret))).toBe(`${ADDRESS}&secret=***`);
	});

	test.each([ADDRESS, undefined, null, 7, { url: ADDRESS }])('%p is shown as it is', (address) => {
		expect(withoutSecret(address)).toBe(address);
	});
});
