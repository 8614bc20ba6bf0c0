/* eslint-disable @n8n/community-nodes/no-restricted-globals -- runs beside n8n, not in it */
import { seeded } from '../simulation/clock';

interface Timer {
	at: number;
	run: () => void;
}

const realTime = {
	setTimeout: globalThis.setTimeout,
	clearTimeout: globalThis.clearTimeout,
	dateNow: Date.now,
	performanceNow: performance.now,
	random: Math.random,
};

/** Everything that promises do now: they do no more until a timer is due. */
const jobs = async () => await new Promise<void>((resolve) => setImmediate(resolve));

/**
 * Lets simulated time pass, from one timer to the next, until none is left. Much quicker than jest's
 * fake timers, which look at every millisecond.
 *
 * @param seed of what is left to chance, so that a world happens the same way again
 * @param begin starts the work; what it waits for has happened, or never will, when this resolves
 * @throws Error when it sets timers without end
 */
export async function inSimulatedTime(
	seed: number,
	begin: () => void,
	mostTimers = 100_000,
): Promise<void> {
	const timers: Timer[] = [];
	const start = realTime.dateNow();
	let now = 0;
	const setTimeout = (run: () => void, ms = 0): Timer => {
		const timer = { at: now + Math.max(0, ms), run };
		// The last that is not later: timers of the same moment fire in their order.
		let place = timers.length;
		while (place > 0 && timers[place - 1].at > timer.at) place--;
		timers.splice(place, 0, timer);
		return timer;
	};
	const clearTimeout = (timer: Timer) => {
		const place = timers.indexOf(timer);
		if (place >= 0) timers.splice(place, 1);
	};
	Object.assign(globalThis, { setTimeout, clearTimeout });
	Date.now = () => start + now;
	performance.now = () => now;
	Math.random = seeded(seed);
	try {
		begin();
		for (let count = 0; ; count++) {
			await jobs();
			const next = timers.shift();
			if (next === undefined) return;
			if (count > mostTimers) throw new Error('The work comes to no end');
			now = next.at;
			next.run();
		}
	} finally {
		const { dateNow, performanceNow, random: chance, ...timeouts } = realTime;
		Object.assign(globalThis, timeouts);
		Date.now = dateNow;
		performance.now = performanceNow;
		Math.random = chance;
	}
}
