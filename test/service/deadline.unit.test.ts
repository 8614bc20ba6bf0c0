/* eslint-disable @n8n/community-nodes/no-restricted-imports -- runs outside n8n */
import { getEventListeners } from 'node:events';

import { Deadline } from '../../nodes/service/deadline';

/** Timers that ring when the test says so. */
let timers: AbortController[];

beforeEach(() => {
	timers = [];
	jest.spyOn(AbortSignal, 'timeout').mockImplementation((milliseconds) => {
		expect(milliseconds).toBe(60_000);
		return (timers[timers.push(new AbortController()) - 1] as AbortController).signal;
	});
});

afterEach(() => jest.restoreAllMocks());

test('ends a request when its time has passed', () => {
	const deadline = new Deadline(60_000);
	expect([deadline.isOver, deadline.signal.aborted]).toEqual([false, false]);

	timers[0].abort();

	expect([deadline.isOver, deadline.signal.aborted]).toEqual([true, true]);
});

test('does not count the time between stop and start, and gives the full time again', () => {
	const deadline = new Deadline(60_000);

	deadline.stop();
	timers[0].abort();
	expect(deadline.isOver).toBe(false);

	deadline.start();
	deadline.start();
	timers[1].abort();
	expect(deadline.isOver).toBe(false);
	timers[2].abort();
	expect([deadline.isOver, deadline.signal.aborted]).toEqual([true, true]);
});

test('aborts the requests of a cancelled execution, whose time has not ended', () => {
	const execution = new AbortController();
	const all = [new Deadline(60_000, execution.signal), new Deadline(60_000, execution.signal)];
	all[1].stop();

	execution.abort();
	all.push(new Deadline(60_000, execution.signal));

	expect(all.map(({ signal }) => signal.aborted)).toEqual([true, true, true]);
	expect(all.map(({ isOver }) => isOver)).toEqual([false, false, false]);
});

test('leaves no listener behind', () => {
	const execution = new AbortController();

	for (let request = 0; request < 20; request++) new Deadline(60_000, execution.signal).stop();

	const signals = [execution, ...timers].map(({ signal }) => signal);
	expect(signals.flatMap((signal) => getEventListeners(signal, 'abort'))).toEqual([]);
});
