/** A list that forgets its oldest entries beyond a limit. */
export class Newest<Item> {
	private items: Item[] = [];

	constructor(private readonly limit: number) {}

	add(item: Item): void {
		this.items.push(item);
		// Cutting a quarter at a time keeps adding cheap.
		if (this.items.length >= this.limit * 1.25) this.items = this.items.slice(-this.limit);
	}

	/** The entries, oldest first. */
	all(): Item[] {
		return this.items.slice(-this.limit);
	}

	/** So many of the newest entries, oldest first. */
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
