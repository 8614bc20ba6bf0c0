/** A stored number is less than two to the power of this. */
const VALUE_BITS = 88;

/** Enough for the count of zeros among the bits of a value. */
const CHECK_BITS = 7;

const BITS = Array.from({ length: VALUE_BITS + CHECK_BITS }, (_, bit) => bit);

/** What holds the bits: `record` returns those that were not there. */
export interface BitStore {
	record(entries: string[]): Promise<Set<string>>;
	remove(entries: string[]): Promise<void>;
}

/**
 * Numbers that all executions of a node share, kept among its processed items. Of those, only membership can be asked, and
 * asking records. So a number is kept as one entry for each of its bits that is one: asking for it sets all its bits, and
 * those that the new number does not have are removed again. 0 has no bits.
 *
 * If a process is killed between these two calls, all bits are set, which is no number: it is lost, and known to be lost.
 * The check bits count the zeros among the other bits. They no longer fit if bits were only added, as by asking, or only
 * dropped, as the oldest entries of a node are (a Berger code).
 */
export class StoredNumbers {
	/** @param names the names of the numbers: no other entry of the node begins with one of them and a line break */
	constructor(
		private readonly items: BitStore,
		private readonly names: readonly string[],
	) {}

	/**
	 * Reads all numbers and changes them. Call it while the node holds the lock.
	 *
	 * @param change gets the numbers in the order of their names: 0 for one that was never stored, undefined for
	 *   one that was lost. It returns the new ones, or undefined to leave them as they are
	 * @throws Error if n8n's database fails; the numbers are then the old ones, the new ones or lost
	 */
	async update(
		change: (values: Array<bigint | undefined>) => readonly bigint[] | undefined,
	): Promise<void> {
		const added = await this.items.record(this.names.flatMap((name) => entriesOf(name, BITS)));
		const values = this.names.map((name) =>
			numberIn(BITS.filter((bit) => !added.has(`${name}\n${bit}`))),
		);
		const next = change(values) ?? values;
		const superfluous = this.names.flatMap((name, index) => {
			const value = next[index];
			// What is lost stays lost until a new number is stored.
			const kept = value === undefined ? BITS : bitsOf(value);
			return entriesOf(
				name,
				BITS.filter((bit) => !kept.includes(bit)),
			);
		});
		await this.items.remove(superfluous);
	}
}

function entriesOf(name: string, bits: readonly number[]): string[] {
	return bits.map((bit) => `${name}\n${bit}`);
}

/** The bits of a number that are one. */
function bitsOf(value: bigint): number[] {
	if (value === 0n) return [];
	const ones = BITS.slice(0, VALUE_BITS).filter((bit) => (value >> BigInt(bit)) & 1n);
	const zeros = VALUE_BITS - ones.length;
	const check = BITS.slice(VALUE_BITS).filter((bit) => (zeros >> (bit - VALUE_BITS)) & 1);
	return [...ones, ...check];
}

/** The number with these bits, in ascending order; undefined if there is none. */
function numberIn(bits: readonly number[]): bigint | undefined {
	const value = bits
		.filter((bit) => bit < VALUE_BITS)
		.reduce((sum, bit) => sum | (1n << BigInt(bit)), 0n);
	return String(bitsOf(value)) === String(bits) ? value : undefined;
}
