/** A copy of an object that lacks some of its properties. */
export function without<T extends object, K extends keyof T>(object: T, ...names: K[]): Omit<T, K> {
	const copy = { ...object };
	for (const name of names) delete copy[name];
	return copy;
}
