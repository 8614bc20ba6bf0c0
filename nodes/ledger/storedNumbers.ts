import type { ProcessedItems } from './processedItems';

/** A stored number is less than two to the power of this. */
const VALUE_BITS = 88;

/** The places of a backup. Each has a bit in the copies of a number, so that a copy says where the backup is. */
const PLACES = [0, 1];

const DATA_BITS = VALUE_BITS + PLACES.length;

/** Enough for the count of zeros among the data bits. */
const CHECK_BITS = 7;

const BITS = Array.from({ length: DATA_BITS + CHECK_BITS }, (_, bit) => bit);

/** A copy of a number: its bits that are one are entries. */
type Copy = ReadonlySet<number>;

interface Stored {
	value: bigint;
	/** Where the backup is. The new number's backup is in the other place. */
	place: number;
}

/** What was found of a number. */
interface Found {
	name: string;
	/** Missing if nothing is stored, or if what is stored is damaged. */
	stored?: Stored;
	isDamaged: boolean;
	/** Whether the backups were asked for, too: then all their bits are recorded. */
	isRestored: boolean;
}

/**
 * Numbers that all executions of a node share, kept among its processed items. Of those, only membership can be
 * asked, and asking records. So a number is kept as one entry for each of its bits that is one, in a main copy
 * and in a backup:
 *
 * 1. Asking for the main copy sets all its bits.
 * 2. The new number is recorded as a second backup.
 * 3. The bits that the new number does not have are removed from the main copy, and so is the old backup.
 *
 * Each step is one call and happens as a whole. If the process is killed before the third one, all bits of the
 * main copy are set, which is no number, and a backup counts. So a number is the old one or the new one. If
 * another process is killed at the moment when it reads the backups, the number is lost, and known to be lost.
 *
 * The check bits count the zeros among the other bits. They no longer fit if bits were only added, as by asking,
 * or only dropped, as the oldest entries of a node are (a Berger code).
 */
export class StoredNumbers {
	/** @param names the names of the numbers: no other entry of the node begins with one of them and a line break */
	constructor(
		private readonly items: Pick<ProcessedItems, 'record' | 'remove'>,
		private readonly names: readonly string[],
	) {}

	/**
	 * Reads all numbers and changes them. Call it while the node holds the lock.
	 *
	 * @param change gets the numbers in the order of their names: 0 for one that was never stored, undefined for
	 *   one that was lost. It returns the new ones, or undefined to leave them as they are
	 * @throws Error if n8n's database fails; the numbers are then the old ones or the new ones
	 */
	async update(
		change: (values: Array<bigint | undefined>) => readonly bigint[] | undefined,
	): Promise<void> {
		const found = await this.read();
		const values = found.map(({ stored, isDamaged }) =>
			isDamaged ? undefined : (stored?.value ?? 0n),
		);
		const next = change(values);
		const toRecord: string[] = [];
		const toRemove: string[] = [];
		for (const [index, { name, stored, isDamaged, isRestored }] of found.entries()) {
			if (isDamaged && !next) continue;
			const target = next ? { value: next[index], place: otherPlace(stored) } : stored;
			const ones = target ? bitsOf(target) : new Set<number>();
			const zeros = BITS.filter((bit) => !ones.has(bit));
			toRemove.push(...entriesOf(name, zeros));
			if (isRestored) {
				// Asking has set all bits of both backups.
				for (const place of PLACES)
					toRemove.push(
						...entriesOf(backupOf(name, place), place === target?.place ? zeros : BITS),
					);
			} else if (next && target) {
				toRecord.push(...entriesOf(backupOf(name, target.place), ones));
				if (stored) toRemove.push(...entriesOf(backupOf(name, stored.place), bitsOf(stored)));
			}
		}
		await this.items.record(toRecord);
		await this.items.remove(toRemove);
	}

	private async read(): Promise<Found[]> {
		const main = await this.ask(this.names);
		const found = this.names.map((name, index): Found => {
			const stored = numberIn(main[index]);
			const isRestored = stored === undefined && main[index].size > 0;
			return { name, stored, isDamaged: isRestored, isRestored };
		});
		const lost = found.filter(({ isRestored }) => isRestored);
		if (lost.length === 0) return found;
		const backups = await this.ask(
			lost.flatMap(({ name }) => PLACES.map((place) => backupOf(name, place))),
		);
		for (const [index, one] of lost.entries()) {
			const both = backups.slice(index * PLACES.length, (index + 1) * PLACES.length);
			// If both are there, a process was killed while it changed the number: either one is right.
			one.stored = both.map(numberIn).find((stored) => stored);
			// Without any, a process was killed when it asked for a number that was never stored.
			const wasNeverStored =
				both.every(({ size }) => size === 0) && main[found.indexOf(one)].size === BITS.length;
			one.isDamaged = !one.stored && !wasNeverStored;
		}
		return found;
	}

	/** Asks for copies, which sets all their bits. */
	private async ask(copies: readonly string[]): Promise<Copy[]> {
		const added = await this.items.record(copies.flatMap((copy) => entriesOf(copy, BITS)));
		return copies.map((copy) => new Set(BITS.filter((bit) => !added.has(entryOf(copy, bit)))));
	}
}

function backupOf(name: string, place: number): string {
	return `${name}\nbackup ${place}`;
}

function otherPlace(stored: Stored | undefined): number {
	return stored?.place === 0 ? 1 : 0;
}

function entriesOf(copy: string, bits: Iterable<number>): string[] {
	return Array.from(bits, (bit) => entryOf(copy, bit));
}

function entryOf(copy: string, bit: number): string {
	return `${copy}\n${bit}`;
}

/** The bits of a number that are one. */
function bitsOf({ value, place }: Stored): Set<number> {
	const data = value | (1n << BigInt(VALUE_BITS + place));
	const ones = BITS.slice(0, DATA_BITS).filter((bit) => (data >> BigInt(bit)) & 1n);
	const zeros = DATA_BITS - ones.length;
	const check = BITS.slice(DATA_BITS).filter((bit) => (zeros >> (bit - DATA_BITS)) & 1);
	return new Set([...ones, ...check]);
}

/** The number in a copy; undefined if there is none, or if it is damaged. */
function numberIn(copy: Copy): Stored | undefined {
	const value = BITS.slice(0, VALUE_BITS).reduce(
		(sum, bit) => sum | (copy.has(bit) ? 1n << BigInt(bit) : 0n),
		0n,
	);
	const stored = { value, place: copy.has(VALUE_BITS) ? 0 : 1 };
	const ones = bitsOf(stored);
	return copy.size === ones.size && [...ones].every((bit) => copy.has(bit)) ? stored : undefined;
}
