/* eslint-disable @n8n/community-nodes/no-restricted-imports -- runs outside n8n */
import { getEventListeners } from 'node:events';

import { Deadline } from '../../nodes/service/deadline';
import { isTooDeep, readBody } from '../../nodes/service/readBody';

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

		const read = await readBody({ body, statusCode: 200 }, 1_000, new Deadline(60_000));

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

	const reading = readBody({ body, statusCode: 200 }, 1_000, new Deadline(20));

	await expect(reading).rejects.toMatchObject({ code: 'responseUnreadable', isOutage: true });
});

test('counts a body that is too large as no outage', async () => {
	const body = arriving('"12345"', 7);

	const reading = readBody({ body, statusCode: 200 }, 6, new Deadline(60_000));

	await expect(reading).rejects.toMatchObject({ code: 'responseUnreadable', isOutage: false });
});

const soon = () => new Deadline(60_000);

test('reads a body of exactly the largest size, and says how large it may be', async () => {
	const read = async (text: string) =>
		await readBody({ body: arriving(text, 1_000_000), statusCode: 201 }, 2 * 1024 ** 2, soon());

	const text = `"${'a'.repeat(2 * 1024 ** 2 - 2)}"`;
	expect(await read(text)).toHaveLength(text.length - 2);
	await expect(read(`${text} `)).rejects.toMatchObject({
		message: expect.stringMatching(/is larger than 2 MB/),
		status: 201,
	});
});

test.each<[unknown]>([['text'], [null], [undefined], [5], [{ a: 1 }], [[1]], [new Map()]])(
	'leaves a body that is no stream as it is: %j',
	async (body) => {
		expect(await readBody({ body, statusCode: 200 }, 1, soon())).toBe(body);
	},
);

test('returns the text of a body that is no JSON', async () => {
	const body = arriving('<html>', 3);

	expect(await readBody({ body, statusCode: 200 }, 1_000, soon())).toBe('<html>');
});

test('passes on why a connection broke, and leaves no listener behind', async () => {
	const deadline = soon();
	const broken = {
		async *[Symbol.asyncIterator]() {
			yield Buffer.from('[');
			throw await Promise.resolve(new Error('socket hang up'));
		},
		destroy: () => {},
	};

	await expect(readBody({ body: broken, statusCode: 200 }, 1_000, deadline)).rejects.toThrow(
		'socket hang up',
	);
	expect(getEventListeners(deadline.signal, 'abort')).toEqual([]);
	deadline.stop();
});

test('closes the connection of a request that had ended before its body arrived', async () => {
	const deadline = new Deadline(60_000, AbortSignal.abort());
	const destroy = jest.fn();

	await readBody({ body: { ...arriving('[]', 1), destroy }, statusCode: 200 }, 9, deadline);

	expect(destroy.mock.calls).toEqual([[new Error('The response timed out')]]);
	deadline.stop();
});

test.each<[string, string, boolean]>([
	['a hundred levels', '['.repeat(100), false],
	['one level more', '['.repeat(101), true],
	['objects', '{"a":'.repeat(101), true],
	['levels one after another', '[{}],'.repeat(101), false],
	['brackets in a text', `"${'['.repeat(200)}"`, false],
	['a text with closing brackets', `${'["]",'.repeat(101)}`, true],
	['brackets after an escaped quotation mark', `"\\"${'['.repeat(200)}"`, false],
	['brackets after a text that ends with a backslash', `"\\\\"${'['.repeat(101)}`, true],
])('counts the levels of JSON: %s', (_, json, isDeep) => {
	expect(isTooDeep(json)).toBe(isDeep);
});
