import { withoutSecrets, withoutTokens } from '../../nodes/service/secrets';

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

	test('does not remove a token that could be data', () => {
		const json = '{"account":"0012345678","status":"ok"}';
		expect(withoutTokens(json, ['0012345678', 'ok', ''])).toBe(json);
	});

	test('does not remove what only looks like a token', () => {
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
		['The bearer of this is known', 'The bearer of this is known'],
		['Bearer authentication', 'Bearer authentication'],
	])('shows %s as expected', (said, shown) => {
		expect(withoutSecrets(said, ['', 'pa.s$word'])).toBe(shown);
	});
});
