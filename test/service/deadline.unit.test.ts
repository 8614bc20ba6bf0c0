/* eslint-disable @n8n/community-nodes/no-restricted-imports -- runs outside n8n */
import { getEventListeners } from 'node:events';

import { Deadlines } from '../../nodes/service/deadline';

/** Timers that ring when the test says so, and the milliseconds they were set to. */
let timers: Array<{ milliseconds: number; signal: AbortSignal; ring: () => void }>;
let now: number;

beforeEach(() => {
	timers = [];
	now = 1_000;
	jest.spyOn(performance, 'now').mockImplementation(() => now);
	jest.spyOn(AbortSignal, 'timeout').mockImplementation((milliseconds) => {
		const controller = new AbortController();
		timers.push({ milliseconds, signal: controller.signal, ring: () => controller.abort() });
		return controller.signal;
	});
});

afterEach(() => jest.restoreAllMocks());

const listeners = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length;

test('sets one timer for requests that are in flight together', () => {
	const deadlines = new Deadlines(60_000);

	const all = Array.from({ length: 50 }, () => deadlines.begin());

	expect(timers.map(({ milliseconds }) => milliseconds)).toEqual([60_000]);
	expect(all.some(({ isOver, signal }) => isOver || signal.aborted)).toBe(false);
});

test('ends each request when its own time has passed', () => {
	const deadlines = new Deadlines(100);
	const first = deadlines.begin();
	now += 30.5;
	const second = deadlines.begin();

	now = 1_100;
	timers[0].ring();
	expect([first, second].map(({ isOver }) => isOver)).toEqual([true, false]);
	expect(second.signal.aborted).toBe(false);
	expect(timers[1].milliseconds).toBe(31);

	now = 1_131;
	timers[1].ring();
	expect([second.isOver, second.signal.aborted]).toEqual([true, true]);
	expect(timers).toHaveLength(2);
});

test('waits on if a timer rings too early', () => {
	const deadline = new Deadlines(100).begin();

	now += 99.4;
	timers[0].ring();

	expect(deadline.isOver).toBe(false);
	expect(timers[1].milliseconds).toBe(1);
});

test('does not count the time between stop and start', () => {
	const deadlines = new Deadlines(100);
	const waiting = deadlines.begin();
	const other = deadlines.begin();

	waiting.stop();
	now += 90;
	waiting.start();
	now += 10;
	timers[0].ring();

	expect([waiting, other].map(({ isOver }) => isOver)).toEqual([false, true]);
	expect(timers[1].milliseconds).toBe(90);
});

test('aborts all requests of a cancelled execution, also one whose clock is stopped and one that begins later', () => {
	const execution = new AbortController();
	const deadlines = new Deadlines(100, execution.signal);
	const all = [deadlines.begin(), deadlines.begin()];
	all[1].stop();

	execution.abort();
	all.push(deadlines.begin());

	expect(all.map(({ signal }) => signal.aborted)).toEqual([true, true, true]);
	expect(all.map(({ isOver }) => isOver)).toEqual([false, false, false]);
});

test('leaves no timer and no listener behind, however many requests there were', () => {
	const execution = new AbortController();
	const deadlines = new Deadlines(100, execution.signal);

	for (let round = 0; round < 3; round++) {
		const all = Array.from({ length: 20 }, () => deadlines.begin());
		expect(listeners(execution.signal)).toBe(1);
		for (const deadline of all) deadline.end();
	}

	expect(listeners(execution.signal)).toBe(0);
	expect(timers.map(({ signal }) => listeners(signal))).toEqual([0, 0, 0]);
});

test('ends a request that began while another one waited, after all others have ended', () => {
	const deadlines = new Deadlines(100);
	const first = deadlines.begin();
	first.end();
	now += 50;
	const second = deadlines.begin();

	timers[0].ring();
	expect(second.isOver).toBe(false);
	expect(timers.map(({ milliseconds }) => milliseconds)).toEqual([100, 100]);

	now += 100;
	timers[1].ring();
	expect([first.isOver, second.isOver]).toEqual([false, true]);
});

test('keeps the timer of the others when a request ends', () => {
	const deadlines = new Deadlines(100);
	const [first, second] = [deadlines.begin(), deadlines.begin()];
	first.end();

	now += 100;
	timers[0].ring();
	expect([first.isOver, second.isOver]).toEqual([false, true]);
	expect(first.signal.aborted).toBe(false);
});

test('gives a clock that is started again its full time', () => {
	const deadline = new Deadlines(100).begin();
	now += 60;
	deadline.start();

	now += 60;
	timers[0].ring();
	expect(deadline.isOver).toBe(false);
	expect(timers[1].milliseconds).toBe(40);
});

test('listens to a cancelled execution until the last request has ended', () => {
	const execution = new AbortController();
	const deadlines = new Deadlines(100, execution.signal);
	const [first, second] = [deadlines.begin(), deadlines.begin()];
	first.end();

	execution.abort();
	expect([first, second].map(({ signal }) => signal.aborted)).toEqual([false, true]);
});
