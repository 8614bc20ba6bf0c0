import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { digest, ExecutionState } from '../../nodes/ledger/executionState';

/** An execution whose node has run so often. What n8n keeps is JSON. */
class Loop {
	private kept = {};

	run(index?: number, scope = 'endpoint'): ExecutionState {
		this.kept = JSON.parse(JSON.stringify(this.kept)) as object;
		const context = {
			getContext: (of: string) => (of === 'node' ? this.kept : undefined),
			evaluateExpression: (expression: string) =>
				expression === '{{ $runIndex }}' ? index : undefined,
		};
		return new ExecutionState(context as unknown as IExecuteFunctions, scope);
	}
}

type Sent = Partial<Parameters<ExecutionState['sending']>[1]> & { body?: IDataObject };

/** Sends a payment whose reference is its key. */
function send(
	state: ExecutionState,
	key: string,
	item: number,
	{ body = {}, ...sent }: Sent = {},
): void {
	state.sending(key, { material: '', reference: key, requestDigest: digest(body), item, ...sent });
}

test.each([
	[1, 10],
	[10, 1],
	[2, 12],
])('keeps the items of run %d and run %d apart', (one, other) => {
	const loop = new Loop();
	for (const run of [one, other]) send(loop.run(run), `key-${run}`, 0);
	loop.run(one).forget(`key-${one}`);

	expect(loop.run(one).sentFor(0)).toBeUndefined();
	expect(loop.run(other).sentFor(0)).toMatchObject({ reference: `key-${other}`, run: other });
});

test('counts runs from 0, also if n8n names none', () => {
	expect([new Loop().run().run, new Loop().run(0).run, new Loop().run(2).run]).toEqual([0, 0, 2]);
});

describe('a payment', () => {
	const BODY: IDataObject = { amount: '10' };

	test('has an unknown outcome until the service has answered, and then keeps the response', () => {
		const loop = new Loop();
		send(loop.run(0), 'key', 3, { body: BODY });
		const unknown = {
			reference: 'key',
			material: '',
			requestDigest: digest(BODY),
			run: 0,
			item: 3,
			outcome: 'unknown',
		};
		expect(loop.run(0).get('key')).toEqual(unknown);

		loop.run(0).created('key', 'transaction', { id: 'transaction' });

		const created = { ...unknown, outcome: 'created', answer: { id: 'transaction' } };
		expect(loop.run(0).get('key')).toEqual(created);
		expect(loop.run(0).sentFor(3)).toEqual(created);
	});

	test('belongs to its item alone', () => {
		const loop = new Loop();
		send(loop.run(0), 'key', 3);

		expect(loop.run(0).sentFor(0)).toBeUndefined();
		expect(loop.run(0).get('another')).toBeUndefined();
	});

	test('keeps its transaction, which no other payment can have', () => {
		const loop = new Loop();
		send(loop.run(0), 'key', 0);
		loop.run(0).created('key', 'transaction', {});

		expect(loop.run(1).ownerOf('transaction')).toBe('key');
		expect(loop.run(1).ownerOf('another')).toBeUndefined();
	});

	test('keeps its transaction although it was forgotten before the service answered', () => {
		const state = new Loop().run(0);
		state.created('key', 'transaction', {});

		expect(state.ownerOf('transaction')).toBe('key');
		expect(state.get('key')).toBeUndefined();
	});

	test('is unknown at another endpoint', () => {
		const loop = new Loop();
		send(loop.run(0), 'key', 0);
		loop.run(0).created('key', 'transaction', {});
		loop.run(0).skip('skipped', 1);

		const other = loop.run(1, 'endpoint/other');
		expect(other.get('key')).toBeUndefined();
		expect(other.ownerOf('transaction')).toBeUndefined();
		expect(other.rowInOtherRun('skipped')).toBeUndefined();
		expect(other.sentInOtherRuns()).toEqual([]);
		expect(loop.run(0, 'endpoint/other').sentFor(0)).toBeUndefined();
	});

	test('can be sent again once it is forgotten, and leaves the other items as they are', () => {
		const loop = new Loop();
		send(loop.run(0), 'first', 0);
		send(loop.run(1), 'second', 0);
		send(loop.run(1), 'third', 1);

		// The same reference was used in an earlier run, for the item of the same number.
		loop.run(1).forget('first');
		loop.run(1).forget('third');
		loop.run(1).forget('never sent');

		expect(loop.run(1).get('first')).toBeUndefined();
		expect(loop.run(1).sentFor(0)).toMatchObject({ reference: 'second' });
		expect(loop.run(1).sentFor(1)).toBeUndefined();
		expect(loop.run(1).get('second')).toMatchObject({ reference: 'second' });

		// Whoever sends the same reference for another item later sends nothing for this one.
		send(loop.run(1), 'third', 2);
		expect(loop.run(1).sentFor(1)).toBeUndefined();
	});
});

describe('a row of another run', () => {
	test('is known in the later runs of the loop, and not in its own or an earlier one', () => {
		const loop = new Loop();
		send(loop.run(1), 'sent', 4);
		loop.run(1).skip('skipped', 5);

		expect(loop.run(2).rowInOtherRun('sent')).toMatchObject({ run: 1, item: 4 });
		expect(loop.run(2).rowInOtherRun('skipped')).toEqual({ run: 1, item: 5 });
		expect(loop.run(2).rowInOtherRun('neither')).toBeUndefined();
		for (const run of [0, 1])
			for (const key of ['sent', 'skipped'])
				expect(loop.run(run).rowInOtherRun(key)).toBeUndefined();
	});

	test('is unknown if no run has skipped one', () => {
		expect(new Loop().run(1).rowInOtherRun('key')).toBeUndefined();
	});

	test('stays the first one that was skipped', () => {
		const loop = new Loop();
		loop.run(0).skip('key', 0);
		loop.run(0).skip('another', 1);
		loop.run(1).skip('key', 7);

		expect(loop.run(2).rowInOtherRun('key')).toEqual({ run: 0, item: 0 });
		expect(loop.run(2).rowInOtherRun('another')).toEqual({ run: 0, item: 1 });
	});
});

describe('the other runs of a loop', () => {
	const ofPayees = (): Loop => {
		const loop = new Loop();
		send(loop.run(0), 'first', 0, { money: { amount: '1', currency: 'USD' } });
		send(loop.run(0), 'second', 1);
		send(loop.run(0), 'without', 2);
		send(loop.run(1), 'third', 0);
		return loop;
	};

	test('lists what the other runs have sent', () => {
		const loop = ofPayees();
		const inOthers = (run: number) =>
			loop
				.run(run)
				.sentInOtherRuns()
				.map((one) => one.reference);

		expect(inOthers(0)).toEqual(['third']);
		expect(inOthers(1)).toEqual(['first', 'second', 'without']);
	});
});

test('digests are equal for equal requests only, and stay the same in later versions', () => {
	expect(digest({ amount: '10' })).toBe(digest({ amount: '10' }));
	expect(digest({ amount: '10' })).not.toBe(digest({ amount: '11' }));
	// An execution that an earlier version started can be retried with this one.
	expect(digest({ amount: '10' })).toBe('pn28wZwWFK3iS2w4sSRofd9KssyaXJZQhA4EPPezw40');
});
