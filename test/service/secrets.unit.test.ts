import { shortHash, withoutSecrets, withoutTokens } from '../../nodes/service/secrets';

const TOKEN = 'a/"secret"\\token-of-1234567890';

describe('tokens in a JSON response', () => {
	test('removes every spelling of a token, and keeps the JSON valid', () => {
		const plain = JSON.stringify({ said: `Bearer ${TOKEN}.`, [TOKEN]: 1 });

		for (const json of [plain, plain.replaceAll('/', '\\/')]) {
			const cleaned = withoutTokens(json, ['', TOKEN]);
			expect(JSON.parse(cleaned)).toEqual({ said: 'Bearer ***.', '***': 1 });
		}
		expect(withoutTokens(`<p>${TOKEN}</p>`, [TOKEN])).toBe('<p>***</p>');
	});

	test('a token that could be data is not removed', () => {
		const json = '{"account":"0012345678","status":"ok"}';
		expect(withoutTokens(json, ['0012345678', 'ok', ''])).toBe(json);
	});

	test('removes a token of 16 characters, but no shorter one', () => {
		expect(withoutTokens('"1234567890123456"', ['1234567890123456'])).toBe('"***"');
		expect(withoutTokens('"123456789012345"', ['123456789012345'])).toBe('"123456789012345"');
	});

	test('what only looks like a token is not removed', () => {
		const json = '{"qr":"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.x","note":"Bearer abc123"}';
		expect(withoutTokens(json, [TOKEN])).toBe(json);
	});
});

describe('secrets in messages', () => {
	test.each([
		['login of pa.s$word failed', 'login of *** failed'],
		['Bearer abc123', '***'],
		['bearer ***, again', '***, again'],
		['"Authorization":"Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.x_-"', '"Authorization":"***"'],
		['jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.x', 'jwt ***'],
		['cut jwt eyJhbGciOiJIUzI1NiJ9.eyJzdW', 'cut jwt ***'],
		['Bearer  abc1,Bearer x1;bearer y1<p>', '***,***;***<p>'],
		['Bearer sixteenlettersab', '***'],
		['Bearer fifteenlettersa', 'Bearer fifteenlettersa'],
		['Forbearer abc123', 'Forbearer abc123'],
		['eyJabcde.f.g.h and eyJabcde', '***.h and ***'],
		['eyJabcd, keyJabcdefgh', 'eyJabcd, keyJabcdefgh'],
		['pa.s$word pa.s$word', '*** ***'],
		['The bearer of this is known', 'The bearer of this is known'],
		['Bearer authentication', 'Bearer authentication'],
	])('shows %s as expected', (said, shown) => {
		expect(withoutSecrets(said, ['', 'pa.s$word'])).toBe(shown);
	});
});

test('hashes values to the same short text, and other values to another', () => {
	expect(shortHash(['a', 1])).toMatch(/^[0-9a-f]{16}$/);
	expect(shortHash(['a', 1])).toBe(shortHash(['a', 1]));
	expect(new Set([['a', 1], ['a', '1'], ['a1'], ['a'], []].map(shortHash)).size).toBe(5);
});
