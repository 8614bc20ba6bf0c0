/* eslint-disable @n8n/community-nodes/no-restricted-globals -- runs outside n8n */
export const MINUTE_MS = 60_000;

export const HOUR_MS = 60 * MINUTE_MS;

/** Something that happens at a moment. */
interface Due {
	at: number;
	/** Of two that are due at the same moment, the one that was set first runs first. */
	order: number;
	run?: () => void;
}

/** Resolves when all promises have done what they can do without anything else being due. */
const jobs = async () => await new Promise<void>((resolve) => setImmediate(resolve));

/**
 * Simulated time. It stands still while code runs and then jumps to what is due next, so nothing waits in real time.
 * Everything that a scenario waits for is due at its clock.
 */
export class Clock {
	/** Milliseconds since the scenario began. */
	now = 0;

	/** A binary heap with what is due first at its top. */
	private readonly heap: Due[] = [];

	private order = 0;

	/**
	 * @param delay milliseconds from now
	 * @returns a function that cancels it
	 */
	in(delay: number, run: () => void): () => void {
		const due: Due = { at: this.now + Math.max(0, delay), order: this.order++, run };
		this.push(due);
		return () => {
			due.run = undefined;
		};
	}

	/** Resolves after so many simulated milliseconds. */
	async pause(ms: number): Promise<void> {
		await new Promise<void>((resolve) => this.in(ms, resolve));
	}

	/**
	 * Lets time pass until the work is done.
	 *
	 * @returns what the work returns
	 * @throws what the work throws
	 * @throws Error if the work cannot end because nothing is due, or if it seems to go on for ever
	 */
	async finish<T>(work: Promise<T>, most = 5_000_000): Promise<T> {
		let isDone = false;
		const done = work.finally(() => (isDone = true));
		done.catch(() => undefined);
		await jobs();
		for (let count = 0; !isDone; count++) {
			const due = this.pop();
			if (!due) throw new Error('The scenario waits for something that never happens');
			if (count > most) throw new Error('The scenario does not end');
			if (!due.run) continue;
			this.now = due.at;
			due.run();
			await jobs();
		}
		return await done;
	}

	private push(due: Due): void {
		const { heap } = this;
		let place = heap.length;
		while (place > 0) {
			const above = (place - 1) >> 1;
			if (!isBefore(due, heap[above])) break;
			heap[place] = heap[above];
			place = above;
		}
		heap[place] = due;
	}

	private pop(): Due | undefined {
		const { heap } = this;
		const first = heap[0];
		const last = heap.pop();
		if (last === undefined || heap.length === 0) return first;
		let place = 0;
		for (;;) {
			const left = 2 * place + 1;
			if (left >= heap.length) break;
			const below =
				left + 1 < heap.length && isBefore(heap[left + 1], heap[left]) ? left + 1 : left;
			if (!isBefore(heap[below], last)) break;
			heap[place] = heap[below];
			place = below;
		}
		heap[place] = last;
		return first;
	}
}

function isBefore(a: Due, b: Due): boolean {
	return a.at < b.at || (a.at === b.at && a.order < b.order);
}

/** Evenly distributed random numbers from 0 to 1, always the same for a seed (mulberry32). */
export function seeded(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
}

/** Gives the entries of a list one by one, and starts again at its end. */
export function cycle<T>(list: readonly T[]): () => T {
	let next = 0;
	return () => list[next++ % list.length];
}
