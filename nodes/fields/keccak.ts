const ROUNDS = 24;
/** Bytes of the state that take in data. */
const RATE = 136;
const HASH_BYTES = 32;
/** The state is 5 by 5 lanes of 64 bits. */
const LANES = 25;
const ROW = [0, 1, 2, 3, 4];

/** The byte after the data. It is all that SHA3-256 does differently, with 0x06. */
const PADDING = 0x01;

/** The constant of each round, from the shift register of the specification. */
const ROUND_CONSTANTS = roundConstants();

/** Where the lanes move to, one after the other, and by how many bits they are rotated. */
const MOVES = moves();

function roundConstants(): bigint[] {
	let register = 1;
	return Array.from({ length: ROUNDS }, () => {
		let constant = 0n;
		for (let power = 0; power < 7; power++) {
			if (register & 1) constant |= 1n << BigInt(2 ** power - 1);
			register <<= 1;
			if (register & 0x100) register ^= 0x171;
		}
		return constant;
	});
}

function moves(): Array<{ lane: number; bits: bigint }> {
	let [x, y] = [1, 0];
	return Array.from({ length: LANES - 1 }, (_, index) => {
		[x, y] = [y, (2 * x + 3 * y) % 5];
		return { lane: x + 5 * y, bits: BigInt((((index + 1) * (index + 2)) / 2) % 64) };
	});
}

/** The permutation Keccak-f[1600]. */
function permute(state: BigUint64Array): void {
	for (const constant of ROUND_CONSTANTS) {
		const parity = ROW.map((x) => ROW.reduce((sum, y) => sum ^ state[x + 5 * y], 0n));
		for (let lane = 0; lane < LANES; lane++)
			state[lane] ^= parity[(lane + 4) % 5] ^ rotated(parity[(lane + 1) % 5], 1n);
		let moving = state[1];
		for (const { lane, bits } of MOVES)
			[moving, state[lane]] = [state[lane], rotated(moving, bits)];
		for (let start = 0; start < LANES; start += 5) {
			const row = state.slice(start, start + 5);
			for (const x of ROW) state[start + x] = row[x] ^ (~row[(x + 1) % 5] & row[(x + 2) % 5]);
		}
		state[0] ^= constant;
	}
}

/** A lane rotated to the left. What is above 64 bits is cut where it is stored. */
const rotated = (lane: bigint, bits: bigint): bigint => (lane << bits) | (lane >> (64n - bits));

/**
 * The Keccak-256 hash of bytes, of which the checksums of Ethereum addresses are made. `node:crypto` has only
 * SHA3-256, the later standard.
 *
 * @param padding for tests: with the byte of SHA3-256 the hash is SHA3-256
 */
export function keccak256(data: Uint8Array, padding = PADDING): Buffer {
	const padded = new Uint8Array(Math.ceil((data.length + 1) / RATE) * RATE);
	padded.set(data);
	padded[data.length] |= padding;
	padded[padded.length - 1] |= 0x80;
	const blocks = new DataView(padded.buffer);
	const state = new BigUint64Array(LANES);
	for (let block = 0; block < padded.length; block += RATE) {
		for (let lane = 0; lane < RATE / 8; lane++)
			state[lane] ^= blocks.getBigUint64(block + 8 * lane, true);
		permute(state);
	}
	const hash = Buffer.alloc(HASH_BYTES);
	for (let lane = 0; lane < HASH_BYTES / 8; lane++) hash.writeBigUInt64LE(state[lane], 8 * lane);
	return hash;
}
