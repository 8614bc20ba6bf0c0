import type * as Load from '../../nodes/PartnerPaymentsTrigger/load';

const MINUTE_MS = 60_000;

let load: typeof Load;
let now = 0;
let utilization = 1;

/** Each test has a process of its own. */
beforeEach(() => {
	jest.spyOn(performance, 'now').mockImplementation(() => now);
	jest
		.spyOn(performance, 'eventLoopUtilization')
		.mockImplementation(() => ({ idle: 0, active: 0, utilization }));
	jest.isolateModules(() => {
		load = jest.requireActual<typeof Load>('../../nodes/PartnerPaymentsTrigger/load');
	});
});
afterEach(() => jest.restoreAllMocks());

/** How many deliveries are accepted until n8n is busy. */
function accepted(max = 100): number {
	let count = 0;
	while (count < max && !load.isBusy()) load.startsExecution(`${now} ${count++}`);
	return count;
}

test('accepts thirty deliveries that wait for their execution', () => {
	expect(accepted()).toBe(30);
	load.hasBegunExecution([`${now} 0`, `${now} 1`]);
	expect(accepted()).toBe(2);
});

test('does not wait for an execution longer than a minute', () => {
	expect(accepted()).toBe(30);
	now += MINUTE_MS - 1;
	expect(load.isBusy()).toBe(true);
	now += 1;
	expect(accepted()).toBe(30);
});

test('accepts every delivery while executions run in other processes and this one has time', () => {
	utilization = 0.5;
	expect(accepted()).toBe(100);
	utilization = 0.95;
	expect(load.isBusy()).toBe(true);
});

test('is busy at thirty deliveries if executions run here, however much time this process has', () => {
	utilization = 0.5;
	load.startsExecution('first');
	load.hasBegunExecution(['first']);
	expect(accepted()).toBe(30);
	now += MINUTE_MS;
	expect(accepted()).toBe(30);
});
