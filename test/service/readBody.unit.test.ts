import { Deadlines } from '../../nodes/service/deadline';
import { readBody } from '../../nodes/service/readBody';

/** A body that arrives in pieces of so many bytes. */
function arriving(text: string, size: number) {
	const bytes = Buffer.from(text);
	return {
		async *[Symbol.asyncIterator]() {
			for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
		},
		destroy: () => {},
	};
}

test.each([1, 2, 3, 5, 7])(
	'reads letters of several bytes that arrive in pieces of %i bytes',
	async (size) => {
		const answer = { name: 'María José Ñandú', sign: '€', flag: '🇧🇴', script: '日本' };
		const body = arriving(JSON.stringify(answer), size);

		const read = await readBody({ body, statusCode: 200 }, 1_000, new Deadlines(60_000).begin());

		expect(read).toEqual(answer);
	},
);

test('counts a body that does not end in time as an outage, as an answer that does not begin', async () => {
	const body = {
		async *[Symbol.asyncIterator]() {
			yield Buffer.from('[');
			await new Promise((_, reject) => (body.destroy = reject));
		},
		destroy: (() => {}) as (error?: Error) => void,
	};

	const reading = readBody({ body, statusCode: 200 }, 1_000, new Deadlines(20).begin());

	await expect(reading).rejects.toMatchObject({ code: 'responseUnreadable', isOutage: true });
});

test('counts a body that is too large as no outage', async () => {
	const body = arriving('"12345"', 7);

	const reading = readBody({ body, statusCode: 200 }, 6, new Deadlines(60_000).begin());

	await expect(reading).rejects.toMatchObject({ code: 'responseUnreadable', isOutage: false });
});
