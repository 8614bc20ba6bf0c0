/** Entries by key, in the order in which the keys appear. */
export function grouped<T, K>(entries: readonly T[], keyOf: (entry: T) => K): Map<K, T[]> {
	const groups = new Map<K, T[]>();
	for (const entry of entries) {
		const list = groups.get(keyOf(entry));
		if (list) list.push(entry);
		else groups.set(keyOf(entry), [entry]);
	}
	return groups;
}
