import { createHash } from 'node:crypto';
import fc from 'fast-check';

import { keccak256 } from '../../nodes/fields/keccak';
import { runsOr, SEED } from '../random';

/** The padding of SHA3-256. */
const SHA3 = 0x06;

/** Published test vectors of Keccak-256. */
test.each([
	['', 'c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470'],
	['abc', '4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45'],
	[
		'The quick brown fox jumps over the lazy dog',
		'4d741b6f1eb29cb2a9b9911c82f56fa8d73b04959d3d9d222895df6c0b28aa15',
	],
])('gives the known Keccak-256 hash of %j', (text, hash) => {
	expect(keccak256(Buffer.from(text)).toString('hex')).toBe(hash);
});

test('gives the SHA3-256 hash of Node.js with the padding of SHA3, at any length', () => {
	fc.assert(
		fc.property(fc.uint8Array({ maxLength: 600 }), (data) => {
			const expected = createHash('sha3-256').update(data).digest('hex');
			return keccak256(data, SHA3).toString('hex') === expected;
		}),
		{ numRuns: runsOr(100), seed: SEED },
	);
	for (const length of [0, 1, 135, 136, 137, 271, 272, 273]) {
		const data = Buffer.alloc(length, 0x5a);
		expect(keccak256(data, SHA3)).toEqual(createHash('sha3-256').update(data).digest());
	}
});
