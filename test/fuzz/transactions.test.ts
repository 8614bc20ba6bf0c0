import * as fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { TransactionIndex } from '../../nodes/logs/transactions';
import { TRANSACTION_EVENTS } from '../../nodes/service/enums';
import { holds } from './holds';

const instant = fc
	.nat(20)
	.map((minute) => new Date(Date.UTC(2026, 10, 21, 8, minute)).toISOString());
const id = fc.constantFrom('T-1', 't-1', 'T-2', 'T-3');
const reference = fc.constantFrom('R-1', 'r-1 ', 'R-2', 'R-3');
const status = fc.constantFrom(
	...TRANSACTION_EVENTS.map(({ value }) => value),
	'reversed_transaction',
	'COMPLETED',
);

/** Entries of few transactions, so that they collide; some have little content. */
const entry: fc.Arbitrary<IDataObject> = fc.record(
	{
		createdAt: instant,
		payload: fc.oneof(
			{
				weight: 9,
				arbitrary: fc.record(
					{
						externalReference: reference,
						status,
						transactionType: fc.constantFrom('withdrawal_crypto', 'withdrawal_ach'),
						timestamp: instant,
						details: fc.record(
							{
								transactionId: id,
								message: fc.constantFrom('one', 'two', ''),
								transactionHash: fc.constantFrom('0x1', '0x2'),
								amount: fc.constantFrom('1', '2', ''),
								asset: fc.constantFrom('USDC', 'BOB'),
							},
							{ requiredKeys: [] },
						),
					},
					{ requiredKeys: ['status'] },
				),
			},
			{ weight: 1, arbitrary: fc.jsonValue() as fc.Arbitrary<IDataObject> },
		),
	},
	{ requiredKeys: ['payload'] },
);

const indexOf = (logs: IDataObject[]): TransactionIndex => {
	const index = new TransactionIndex();
	for (const log of logs) index.add(log);
	return index;
};

const shuffled = fc
	.array(entry, { maxLength: 30 })
	.chain((logs) =>
		fc.tuple(
			fc.constant(logs),
			fc.shuffledSubarray(logs, { minLength: logs.length }),
			fc.subarray(logs),
		),
	);

holds(
	'transactions: are the same for entries in any order, and repeated ones',
	fc.property(shuffled, ([logs, others, again]) => {
		expect(indexOf([...others, ...again]).all()).toEqual(indexOf(logs).all());
	}),
);

holds(
	'transactions: never reports an earlier state after a final one',
	fc.property(shuffled, ([logs]) => {
		for (const { history, status: newest, isFinal } of indexOf(logs).all()) {
			const states = history.map((state) => state.status);
			expect(new Set(states).size).toBe(states.length);
			expect(states).toContain(newest);
			const hasEnded = states.some((state) =>
				/^(completed|reject|failed|expired)_transaction$/.test(state),
			);
			if (hasEnded) expect(newest).not.toMatch(/^(pending|processing)_transaction$/);
			if (isFinal) expect(hasEnded).toBe(true);
		}
	}),
);
