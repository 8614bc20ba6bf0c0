import { type IDataObject } from 'n8n-workflow';

import { NODE_NAME, type RunResult } from '../engine/runNode';
import { useService } from '../engine/service';
import {
	BANK,
	bank,
	bankRow,
	bankRows,
	created,
	GOING_ON,
	KINDS,
	kept,
	keptOutcomes,
	ON_ERROR,
	outcomes,
	PATH,
	posted,
	referenceOf,
	references,
	reported,
	rowsOf,
	strike,
	transactionIds,
} from './batch';
import { without } from '../without';

// The service would accept a second payment: only the node can prevent it.
const service = useService({ duplicateReferences: 'accept' });

const IN_ORDER = { concurrency: 1 };
const REJECTED = { type: 'status', status: 422 } as const;
const LOST = { type: 'reset', when: 'after' } as const;
const NOT_COMMITTED = { type: 'reset', when: 'before' } as const;

const duplicates = () => service.sandbox.core.transactions.counters().duplicates;
const times = (reference: string) => posted(service).filter((one) => one === reference).length;

describe('Retry On Fail', () => {
	test.each([1, 10])(
		'pays nothing twice after a failure and returns all rows, at concurrency %d',
		async (concurrency) => {
			strike(service, referenceOf(5), REJECTED);
			const result = await service.run(bank({ concurrency }), {
				items: bankRows(12),
				retryOnFail: true,
			});

			expect(result.error).toBeUndefined();
			expect(result.thrown).toHaveLength(1);
			expect(created(service).sort()).toEqual(references(12));
			expect(duplicates()).toBe(0);
			expect(posted(service)).toHaveLength(13);
			expect(outcomes(result)).toEqual(bankRows(12).map(() => 'created'));
			const ids = transactionIds(service);
			for (const { reference, transactionId } of reported(result)) {
				expect(transactionId).toBe(ids.get(reference));
			}
		},
	);

	test.each(KINDS)('pays no $name twice', async (kind) => {
		const items = rowsOf(kind, 4, service);
		strike(service, String(items[2][kind.reference]), REJECTED);
		const result = await service.run(
			{ ...kind.parameters, options: IN_ORDER },
			{ items, retryOnFail: true },
		);
		expect(outcomes(result)).toEqual(['created', 'created', 'created', 'created']);
		expect(created(service)).toEqual(items.map((row) => row[kind.reference]));
		expect(duplicates()).toBe(0);
	});

	test('returns earlier payments unchanged, with their images', async () => {
		const kind = KINDS[3];
		const items = rowsOf(kind, 3, service);
		strike(service, 'order-2', REJECTED);
		const parameters = { ...kind.parameters, options: IN_ORDER };
		const retried = await service.run(parameters, { items, retryOnFail: true });
		const [first, , third] = retried.outputs[0];
		expect(Object.keys(first.json)).toEqual(Object.keys(third.json));
		expect(first.binary?.data).toMatchObject({
			mimeType: 'image/png',
			fileName: 'order-0.png',
		});
	});

	test('does not retry a row with an unknown outcome, and sends the others', async () => {
		strike(service, referenceOf(2), LOST);
		const result = await service.run(bank(IN_ORDER), { items: bankRows(5), retryOnFail: true });

		expect(outcomes(result)).toEqual(['created', 'created', 'unknown', 'created', 'created']);
		expect(created(service)).toEqual(references(5));
		expect(times(referenceOf(2))).toBe(1);
		expect(reported(result)[2].message).toContain('not sent again');
	});

	test.each(['accept', 'conflict', 'badRequest'] as const)(
		'never reports a lost payment as rejected if its duplicate gets %s',
		async (duplicateReferences) => {
			await service.sandbox.admin.change({ duplicateReferences });
			strike(service, referenceOf(0), LOST);
			const result = await service.run(BANK, { items: bankRows(3), retryOnFail: true });
			expect(outcomes(result)[0]).toBe('unknown');
			expect(created(service).sort()).toEqual(references(3));
		},
	);

	test.each(GOING_ON)(
		'does not pay twice if the first row is invalid (On Error %s)',
		async (onError) => {
			const items = [bankRow(9, { amount: 'all' }), ...bankRows(4)];
			const result = await service.run(BANK, { items, onError, retryOnFail: true });

			expect(created(service).sort()).toEqual(references(4));
			expect(posted(service)).toHaveLength(4);
			expect(outcomes(result)).toEqual(['notSent', 'created', 'created', 'created', 'created']);
		},
	);

	test.each(GOING_ON)(
		'does not pay twice if the first row is rejected (On Error %s)',
		async (onError) => {
			strike(service, referenceOf(0), REJECTED, 'always');
			const result = await service.run(BANK, { items: bankRows(4), onError, retryOnFail: true });

			expect(created(service).sort()).toEqual(references(4).slice(1));
			for (const reference of references(4).slice(1)) expect(times(reference)).toBe(1);
			expect(outcomes(result)).toEqual(['rejected', 'created', 'created', 'created']);
		},
	);

	test.each(GOING_ON)(
		'does not pay twice if the first row is unknown (On Error %s)',
		async (onError) => {
			strike(service, referenceOf(0), LOST);
			const result = await service.run(BANK, { items: bankRows(4), onError, retryOnFail: true });

			expect(created(service).sort()).toEqual(references(4));
			expect(posted(service)).toHaveLength(4);
			expect(outcomes(result)).toEqual(['unknown', 'created', 'created', 'created']);
		},
	);

	test('never reports a created payment as rejected if its values change between tries', async () => {
		strike(service, referenceOf(2), REJECTED);
		const result = await service.run(
			bank(IN_ORDER, { defaultValues: { description: '={{ "Salary " + Math.random() }}' } }),
			{
				items: bankRows(4).map((row) => without(row, 'description')),
				retryOnFail: true,
			},
		);
		expect(duplicates()).toBe(0);
		const ids = transactionIds(service);
		// The second try sent the remaining rows; at the third, all rows differ from what was sent.
		expect(outcomes(result)).toEqual(['conflict', 'conflict', 'conflict', 'conflict']);
		for (const [item, reference] of references(4).entries()) {
			const row = reported(result)[item];
			expect(row).toMatchObject({ reference, transactionId: ids.get(reference) });
			expect(row.message).toContain('sent this reference with other values');
		}
		expect(created(service)).toEqual(references(4));
		expect(posted(service)).toHaveLength(5);
	});
});

describe('Pay Again', () => {
	const again = (list?: string) =>
		bank({
			...IN_ORDER,
			...(list === undefined
				? { ifAlreadySent: 'payAgain', referencesToPayAgain: referenceOf(0) }
				: { ifAlreadySent: 'payAgain', referencesToPayAgain: list }),
		});
	const retry = async (failed: RunResult, sendAgain?: string) =>
		await service.run(again(sendAgain), { items: bankRows(3), resumeFrom: failed.run.data });

	test('pays again what the service had not received in a retried execution', async () => {
		strike(service, referenceOf(1), NOT_COMMITTED);
		const failed = await service.run(bank(IN_ORDER), { items: bankRows(3) });
		expect(outcomes(failed)).toEqual(['created', 'unknown', 'notSent']);
		const result = await retry(failed, referenceOf(1));
		expect(outcomes(result)).toEqual(['created', 'created', 'created']);
		expect(created(service).sort()).toEqual(references(3));
		expect(times(referenceOf(1))).toBe(2);
	});

	test.each(['conflict', 'badRequest'] as const)(
		'keeps a payment unknown if the service rejects its duplicate as %s',
		async (duplicateReferences) => {
			await service.sandbox.admin.change({ duplicateReferences });
			strike(service, referenceOf(1), LOST);
			const failed = await service.run(bank(IN_ORDER), { items: bankRows(3) });
			const result = await retry(failed, referenceOf(1));
			expect(outcomes(result)).toEqual(['created', 'unknown', 'created']);
			expect(created(service)).toEqual(references(3));
			expect(times(referenceOf(1))).toBe(2);
		},
	);

	test.each(ON_ERROR)(
		'does not pay again in an automatic retry, which nobody has checked (On Error %s)',
		async (onError) => {
			strike(service, referenceOf(1), NOT_COMMITTED);
			const result = await service.run(again(references(3).join('\n')), {
				items: bankRows(3),
				onError,
				retryOnFail: true,
			});
			expect(outcomes(result)).toEqual(['created', 'unknown', 'created']);
			expect(times(referenceOf(1))).toBe(1);
		},
	);

	test.each([true, false])(
		'reports a payment as unknown if paying again stops before it (remembered: %p)',
		async (rememberSent) => {
			for (const number of [0, 1]) strike(service, referenceOf(number), LOST, 'always');
			const run = async (options: IDataObject, failed?: RunResult) =>
				await service.run(bank({ ...IN_ORDER, rememberSent, ...options }), {
					items: bankRows(3),
					resumeFrom: failed?.run.data,
				});
			const first = await run({});
			const second = await run({}, first);
			expect(outcomes(second)).toEqual(['unknown', 'unknown', 'notSent']);

			const all = { ifAlreadySent: 'payAgain', referencesToPayAgain: references(2).join('\n') };
			for (const rejected of [{}, { maximumAmount: 1 }]) {
				const rows = reported(await run({ ...all, ...rejected }, second));
				expect(rows.find(({ item }) => item === 1)).toMatchObject({
					outcome: 'unknown',
					message: expect.stringMatching(
						/^The outcome of an earlier attempt of this execution/,
					) as string,
				});
			}
			expect(times(referenceOf(1))).toBe(1);
		},
	);

	test.each(GOING_ON)('pays again once in a single run (On Error %s)', async (onError) => {
		strike(service, referenceOf(1), LOST);
		await service.run(again(references(3).join('\n')), { items: bankRows(3), onError });
		expect(times(referenceOf(1))).toBe(1);
	});
});

describe('“Retry execution”', () => {
	test('sends only what is still to be sent, and returns all rows', async () => {
		strike(service, referenceOf(3), REJECTED);
		const failed = await service.run(bank(IN_ORDER), { items: bankRows(6) });
		expect(outcomes(failed)).toEqual([
			'created',
			'created',
			'created',
			'rejected',
			'notSent',
			'notSent',
		]);

		const retried = await service.run(bank(IN_ORDER), {
			items: bankRows(6),
			resumeFrom: failed.run.data,
		});
		expect(retried.error).toBeUndefined();
		expect(outcomes(retried)).toEqual(bankRows(6).map(() => 'created'));
		expect(created(service)).toEqual(references(6));
		expect(duplicates()).toBe(0);
		expect(posted(service)).toEqual([...references(4), ...references(6).slice(3)]);
	});

	test('retries an execution several times without a duplicate', async () => {
		let last = await service.run(bank(IN_ORDER), {
			items: bankRows(4),
			onStart: () => [1, 2, 3].forEach((number) => strike(service, referenceOf(number), REJECTED)),
		});
		for (let attempt = 0; attempt < 3; attempt++) {
			expect(last.error).toBeDefined();
			last = await service.run(bank(IN_ORDER), {
				items: bankRows(4),
				resumeFrom: last.run.data,
			});
		}
		expect(last.error).toBeUndefined();
		expect(created(service)).toEqual(references(4));
		expect(duplicates()).toBe(0);
	});

	test('does not resend an unknown payment until Pay Again names it', async () => {
		strike(service, referenceOf(1), NOT_COMMITTED);
		const failed = await service.run(bank(IN_ORDER), { items: bankRows(3) });
		expect(outcomes(failed)).toEqual(['created', 'unknown', 'notSent']);

		const held = await service.run(bank(IN_ORDER), {
			items: bankRows(3),
			resumeFrom: failed.run.data,
		});
		expect(outcomes(held)).toEqual(['created', 'unknown', 'created']);
		expect(created(service)).toEqual([referenceOf(0), referenceOf(2)]);

		const named = { ifAlreadySent: 'payAgain', referencesToPayAgain: referenceOf(1) };
		const paid = await service.run(bank({ ...IN_ORDER, ...named }), {
			items: bankRows(3),
			resumeFrom: held.run.data,
		});
		expect(outcomes(paid)).toEqual(['created', 'created', 'created']);
		expect(duplicates()).toBe(0);
	});
});

describe('key columns that are not text', () => {
	test.each<[string, unknown]>([
		['a date', new Date('2026-11-30T12:00:00Z')],
		['a number', 11],
		['true', true],
		['an object', { year: 2026, month: 11 }],
	])('generates the same references after “Retry execution”: %s', async (_, month) => {
		const items = () =>
			bankRows(3).map((row, number) => ({ employee: number, month, ...row }) as IDataObject);
		const parameters = bank(IN_ORDER, {
			referenceSource: 'generated',
			batchId: 'payroll',
			keyColumns: 'employee, month',
		});
		service.sandbox.core.faults.add({ match: { path: PATH.bank }, skip: 2, fault: REJECTED });
		const failed = await service.run(parameters, { items: items() });
		expect(outcomes(failed)).toEqual(['created', 'created', 'rejected']);
		const first = posted(service);

		// n8n stores the items as JSON in the meantime.
		const retried = await service.run(parameters, {
			items: items(),
			resumeFrom: failed.run.data,
		});
		expect(retried.error).toBeUndefined();
		expect(reported(retried).map(({ reference }) => reference)).toEqual(first);
		expect(created(service)).toEqual(first);
	});
});

describe('loops', () => {
	const runsOf = (result: Awaited<ReturnType<typeof service.run>>, name = NODE_NAME) =>
		(result.run.data.resultData.runData[name] ?? []).map((task) =>
			(task.data?.main[0] ?? []).map(({ json }) => json),
		);

	test('sends every batch of a loop', async () => {
		const rows = bankRows(9);
		const result = await service.run(BANK, {
			items: rows.slice(0, 3),
			furtherRuns: [rows.slice(3, 6), rows.slice(6)],
		});
		expect(runsOf(result).map((run) => run.map(({ outcome }) => outcome))).toEqual(
			[0, 1, 2].map(() => ['created', 'created', 'created']),
		);
		expect(created(service).sort()).toEqual(references(9));
	});

	test('names the transaction of a row that a loop repeats, and pays nothing twice', async () => {
		const result = await service.run(BANK, {
			items: bankRows(3),
			furtherRuns: [bankRows(3), bankRows(4)],
		});
		const [first, second, third] = runsOf(result);
		expect(first.map(({ outcome }) => outcome)).toEqual(['created', 'created', 'created']);
		for (const run of [second, third]) {
			for (const [item, { transactionId }] of first.entries()) {
				expect(run[item]).toMatchObject({
					outcome: 'alreadySent',
					reference: referenceOf(item),
					transactionId,
					message: expect.stringContaining(
						`for row ${item + 1}, María José Quispe ${item}, 100.50 BOB, in run 1 `,
					),
				});
			}
		}
		expect(third[3]).toMatchObject({ outcome: 'created', reference: referenceOf(3) });
		expect(created(service).sort()).toEqual(references(4));
		expect(duplicates()).toBe(0);
	});

	test('retries a loop from the batch that failed', async () => {
		const rows = bankRows(6);
		strike(service, referenceOf(4), REJECTED);
		const failed = await service.run(bank(IN_ORDER), {
			items: rows.slice(0, 3),
			furtherRuns: [rows.slice(3)],
		});
		expect(failed.error).toBeDefined();
		const retried = await service.run(bank(IN_ORDER), {
			items: rows.slice(0, 3),
			furtherRuns: [rows.slice(3)],
			resumeFrom: failed.run.data,
		});
		expect(retried.error).toBeUndefined();
		expect(created(service)).toEqual(references(6));
		expect(duplicates()).toBe(0);
	});

	test('does not send a reference again with other values in a loop', async () => {
		const result = await service.run(BANK, {
			items: [bankRow(0)],
			furtherRuns: [[bankRow(0, { amount: '7' })]],
			onError: 'continueRegularOutput',
		});
		const [, [second]] = runsOf(result);
		expect(second.outcome).not.toBe('created');
		expect(second.message).toContain('other values');
		expect(posted(service)).toEqual([referenceOf(0)]);
	});

	test('reports an invalid row as unpaid only if its reference was not sent, also without a memory', async () => {
		const result = await service.run(bank({ rememberSent: false }), {
			items: [bankRow(0)],
			furtherRuns: [[bankRow(0, { amount: 'x' }), bankRow(1, { amount: 'x' })]],
			onError: 'continueRegularOutput',
		});
		const [, second] = runsOf(result);
		expect(second.map(({ outcome }) => outcome)).toEqual(['conflict', 'notSent']);
	});
});

describe('two nodes in one workflow', () => {
	test('keeps a separate execution state for each node', async () => {
		await service.sandbox.admin.change({ duplicateReferences: 'conflict' });
		const result = await service.run(BANK, {
			items: bankRows(3),
			furtherNodes: ['Second Payments'],
			onError: 'continueRegularOutput',
		});
		// The second node sends too, and the service rejects it: the nodes share no state.
		expect(posted(service)).toHaveLength(6);
		expect(created(service).sort()).toEqual(references(3));
		expect(Object.values(keptOutcomes(result))).toEqual(['created', 'created', 'created']);
		expect(Object.values(keptOutcomes(result, 'Second Payments'))).toEqual([
			'unknown',
			'unknown',
			'unknown',
		]);
	});
});

describe('the stored execution state', () => {
	test('stores references, outcomes and responses, but no requests', async () => {
		strike(service, referenceOf(1), LOST);
		const result = await service.run(bank(IN_ORDER), {
			items: bankRows(3),
			onError: 'continueRegularOutput',
		});
		const { payments, items, transactions } = kept(result);
		expect(Object.keys(payments)).toEqual(references(3).map((reference) => ` ${reference}`));
		expect(Object.values(payments)).toEqual([
			expect.objectContaining({ outcome: 'created', run: 0, item: 0 }),
			expect.objectContaining({ outcome: 'unknown', run: 0, item: 1 }),
			expect.objectContaining({ outcome: 'created', run: 0, item: 2 }),
		]);
		expect(items).toEqual(
			Object.fromEntries(references(3).map((reference, item) => [`0 ${item}`, reference])),
		);
		const ids = transactionIds(service);
		expect(transactions).toEqual(
			Object.fromEntries(
				[0, 2].map((number) => [` ${ids.get(referenceOf(number))}`, referenceOf(number)]),
			),
		);
		expect(JSON.stringify(kept(result))).not.toContain('Quispe');
	});

	test('stores nothing about rejected and unsent rows', async () => {
		strike(service, referenceOf(1), REJECTED);
		const result = await service.run(bank(IN_ORDER), { items: bankRows(3) });
		expect(Object.keys(kept(result).payments)).toEqual([` ${referenceOf(0)}`]);
		expect(kept(result).items).toEqual({ '0 0': referenceOf(0) });
	});

	test.each(['__proto__', 'constructor', 'toString'])(
		'handles a reference named %s',
		async (reference) => {
			const row = (): IDataObject => ({
				...KINDS[1].row(0, service),
				externalReference: reference,
			});
			const result = await service.run(KINDS[1].parameters, {
				items: [row()],
				furtherRuns: [[row()]],
			});
			expect(outcomes(result)).toEqual(['alreadySent']);
			expect(reported(result)[0].transactionId).toBe(transactionIds(service).get(reference));
			expect(created(service)).toEqual([reference]);
		},
	);
});
