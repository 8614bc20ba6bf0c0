import { type Concurrency } from '../../nodes/batch/concurrency';
import { RateLimiter } from '../../nodes/batch/rateLimiter';
import { useOwnSleep } from '../ownSleep';
import { Clock } from '../simulation/clock';

let clock: Clock;

/** Simulated time for the tests of a file: nothing waits. */
export function useSimulatedTime(startsAt: number): void {
	useOwnSleep(() => {
		clock = new Clock();
		return {
			now: () => startsAt + clock.now,
			sleep: async (ms) => await clock.pause(ms),
		};
	});
}

/** A service: how it answers when a request arrives, given how many it works on, that one included. */
export type Model = (working: number) => { ms: number; status?: number; retryAfterMs?: number };

/** What happened while a batch was sent. */
export interface Measured {
	/** Requests that the service rejected with 429. */
	refused: number;
	/** Those of them that had started before the first 429 came. */
	refusedAtFirst: number;
	created: number;
	seconds: number;
	/** The most requests in flight at once, by second. */
	inFlight: number[];
}

/** Sends rows as `send` does, to a simulated service and in simulated time (`useSimulatedTime`). */
export async function sendRows(
	rows: number,
	concurrency: Concurrency,
	model: Model,
): Promise<Measured> {
	const limiter = new RateLimiter(0, concurrency);
	const measured: Measured = {
		refused: 0,
		refusedAtFirst: 0,
		created: 0,
		seconds: 0,
		inFlight: [],
	};
	const began = Date.now();
	let working = 0;
	let left = rows;
	const worker = async () => {
		while (left-- > 0) {
			for (let isDone = false; !isDone;) {
				const permit = await limiter.acquire(() => false);
				if (!permit) throw new Error('Nobody stopped it');
				working++;
				const second = Math.floor((Date.now() - began) / 1000);
				measured.inFlight[second] = Math.max(measured.inFlight[second] ?? 0, working);
				const { ms, status, retryAfterMs } = model(working);
				await clock.pause(ms);
				working--;
				isDone = status !== 429;
				if (status === undefined) {
					limiter.succeeded(permit);
					measured.created++;
				} else {
					limiter.overloaded(permit);
				}
				if (status === 429) {
					measured.refused++;
					if (permit.backoffs === 0) measured.refusedAtFirst++;
					if (!limiter.backOff(permit, retryAfterMs)) throw new Error('Gave up');
				}
				limiter.release(permit);
			}
		}
	};
	await clock.finish(Promise.all(Array.from({ length: concurrency.max }, worker)), 1_000_000);
	measured.seconds = (Date.now() - began) / 1000;
	return measured;
}
