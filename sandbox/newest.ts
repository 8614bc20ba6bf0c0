/** A list of limited length that drops its oldest entries. */
export class Newest<Item> {
	private items: Item[] = [];

	constructor(private readonly limit: number) {}

	add(item: Item): void {
		this.items.push(item);
		// Dropping a quarter at a time keeps adding fast.
		if (this.items.length >= this.limit * 1.25) this.items = this.items.slice(-this.limit);
	}

	/** The entries, oldest first. */
	all(): Item[] {
		return this.items.slice(-this.limit);
	}

	/** The newest entries up to a number, oldest first. */
	newest(count: number): Item[] {
		return this.items.slice(-Math.min(count, this.limit));
	}

	get size(): number {
		return Math.min(this.items.length, this.limit);
	}

	clear(): void {
		this.items = [];
	}
}
