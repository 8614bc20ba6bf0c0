const ROUNDS = 24;
/** Bytes of the state that take in data. */
const RATE = 136;
const HASH_BYTES = 32;
/** The state is 5 by 5 lanes of 64 bits, each stored as its low and its high 32 bits. */
const LANES = 25;

/** The byte after the data. It is all that SHA3-256 does differently, with 0x06. */
const PADDING = 0x01;

/** The low and high halves of the constant of each round, from the shift register of the specification. */
const ROUND_CONSTANTS = roundConstants();

/** Where the lanes move to, one after the other, and by how many bits they are rotated. */
const MOVES = moves();

function roundConstants(): Array<[number, number]> {
	let register = 1;
	return Array.from({ length: ROUNDS }, () => {
		const constant: [number, number] = [0, 0];
		for (let power = 0; power < 7; power++) {
			const bit = 2 ** power - 1;
			if (register & 1) constant[bit >> 5] ^= 1 << (bit % 32);
			register <<= 1;
			if (register & 0x100) register ^= 0x171;
		}
		return constant;
	});
}

function moves(): Array<{ lane: number; bits: number }> {
	let [x, y] = [1, 0];
	return Array.from({ length: LANES - 1 }, (_, index) => {
		[x, y] = [y, (2 * x + 3 * y) % 5];
		return { lane: x + 5 * y, bits: (((index + 1) * (index + 2)) / 2) % 64 };
	});
}

/** The permutation Keccak-f[1600]. */
function permute(state: Uint32Array): void {
	const parity = new Uint32Array(10);
	const row = new Uint32Array(10);
	for (const [low, high] of ROUND_CONSTANTS) {
		for (let half = 0; half < 10; half++) {
			parity[half] =
				state[half] ^ state[half + 10] ^ state[half + 20] ^ state[half + 30] ^ state[half + 40];
		}
		for (let half = 0; half < 2 * LANES; half++) {
			const column = half % 10;
			const next = (column + 2) % 10;
			// The neighbor's parity, rotated by one bit: the bit that leaves a half enters the other one.
			const rotated = (parity[next] << 1) | (parity[next ^ 1] >>> 31);
			state[half] ^= parity[(column + 8) % 10] ^ rotated;
		}
		let [fromLow, fromHigh] = [state[2], state[3]];
		for (const { lane, bits } of MOVES) {
			// Never 0: no lane moves by 32 bits.
			const shift = bits % 32;
			const [a, b] = bits < 32 ? [fromLow, fromHigh] : [fromHigh, fromLow];
			[fromLow, fromHigh] = [state[2 * lane], state[2 * lane + 1]];
			state[2 * lane] = (a << shift) | (b >>> (32 - shift));
			state[2 * lane + 1] = (b << shift) | (a >>> (32 - shift));
		}
		for (let start = 0; start < 2 * LANES; start += 10) {
			row.set(state.subarray(start, start + 10));
			for (let half = 0; half < 10; half++) {
				state[start + half] = row[half] ^ (~row[(half + 2) % 10] & row[(half + 4) % 10]);
			}
		}
		state[0] ^= low;
		state[1] ^= high;
	}
}

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
	const state = new Uint32Array(2 * LANES);
	for (let block = 0; block < padded.length; block += RATE) {
		for (let half = 0; half < RATE / 4; half++) {
			state[half] ^= blocks.getUint32(block + 4 * half, true);
		}
		permute(state);
	}
	const hash = Buffer.alloc(HASH_BYTES);
	for (let half = 0; half < HASH_BYTES / 4; half++) hash.writeUInt32LE(state[half], 4 * half);
	return hash;
}
