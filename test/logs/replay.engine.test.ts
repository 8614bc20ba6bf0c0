import { type IDataObject, type INodeParameters } from 'n8n-workflow';

import { UNKNOWN_ID } from '../engine/samples';
import { NODE_NAME } from '../engine/runNode';
import { useService } from '../engine/service';
import { eventPayload, logged, writings } from '../trigger/trigger';

const service = useService();

const FIRST = '5f0c6f6e-3b1d-4f7e-9a53-0c1d2e3f4a5b';
const SECOND = '6f0c6f6e-3b1d-4f7e-9a53-0c1d2e3f4a5b';

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

const replay = async (parameters: INodeParameters, items: IDataObject[] = [{}]) => {
	const { json, error, run } = await service.run(
		{ resource: 'webhookLog', operation: 'replay', ...parameters },
		{ items },
	);
	const hints = run.data.resultData.runData[NODE_NAME]?.at(-1)?.hints ?? [];
	return {
		json,
		error,
		hints: hints.map(({ message }) => message),
		names: json.map(({ externalReference }) => externalReference),
	};
};

const named = async (transactions: string) =>
	await replay({ replayBy: 'transactions', transactions });

/** Five events: `b` with three attempts, `d` at another webhook, and `e` failed. */
beforeEach(() => {
	logged(service, FIRST, { name: 'a', minutes: 50, status: 'SUCCESS' });
	for (const minutes of [5, 40, 39]) logged(service, FIRST, { name: 'b', minutes });
	logged(service, FIRST, { name: 'c', minutes: 30 });
	logged(service, SECOND, { name: 'd', minutes: 20, status: 'SUCCESS' });
	logged(service, FIRST, { name: 'e', minutes: 10, payload: { status: 'failed_transaction' } });
});

describe('replaying a period', () => {
	test('returns each event of a period once, the oldest first, delivered or not', async () => {
		const { json, names } = await replay({ from: minutesAgo(60) });
		expect(names).toEqual(['a', 'b', 'c', 'd', 'e']);
		expect(json[0]).toEqual(eventPayload('a'));
	});

	test.each([
		[45, undefined, ['b', 'c', 'd', 'e']],
		[45, 15, ['b', 'c', 'd']],
		[35, 25, ['c']],
		[8, undefined, ['b']],
		[4, undefined, []],
	])('returns what was logged from %s to %s minutes ago', async (from, to, expected) => {
		const { names } = await replay({
			from: minutesAgo(from),
			...(to !== undefined && { to: minutesAgo(to) }),
		});
		expect(names).toEqual(expected);
	});

	test('begins with From and ends before To', async () => {
		const [at, later] = ['2026-01-01T10:00:00.000Z', '2026-01-01T11:00:00.000Z'];
		logged(service, FIRST, { name: 'at', createdAt: at });
		logged(service, FIRST, { name: 'later', createdAt: later });
		expect((await replay({ from: at, to: later })).names).toEqual(['at']);
	});

	test.each([
		[{ from: '={{ "" }}' }, /From is required/],
		[{ from: 'soon' }, /From must be a date and time/],
		[{ from: '2026-01-01', to: 'soon' }, /To must be a date and time/],
	])('rejects the period %j', async (parameters, words) => {
		const { error } = await replay(parameters);
		expect(error?.message).toMatch(words);
		expect(service.sent()).toEqual([]);
	});
});

describe('replaying transactions', () => {
	test('finds transactions by their IDs or references', async () => {
		const { names, hints } = await named(' id-of-c, a;b\n');
		expect(names).toEqual(['a', 'b', 'c']);
		expect(hints).toEqual([]);
	});

	test('returns nothing if an expression gives no transaction', async () => {
		logged(service, FIRST, { name: 'd', payload: { externalReference: undefined } });
		const { names } = await named('={{ String($json.missing) }}');
		expect(names).toEqual([]);
	});

	test('finds transactions under other names of a reference', async () => {
		const payload = { externalReference: undefined, details: { reference_id: 'order-7' } };
		logged(service, FIRST, { name: 'd', payload });
		const { json } = await named('order-7');
		expect(json).toHaveLength(1);
	});

	test('finds references with spaces, and IDs in any letters', async () => {
		const ID = '1B9D6BCD-BBFD-4B2D-9B5D-AB8DFBBD4BED';
		logged(service, FIRST, { name: 'Invoice 7', minutes: 9 });
		logged(service, FIRST, {
			name: 'd',
			payload: { details: { transactionId: ID.toLowerCase() } },
		});
		const { names, hints } = await named(`invoice  7, ${ID} ${UNKNOWN_ID}`);
		expect(names).toEqual(['Invoice 7', 'd']);
		expect(hints).toEqual([expect.stringMatching(new RegExp(`transaction ${UNKNOWN_ID}\\.`))]);
	});

	test('reads as far back as the lookback window says', async () => {
		service.business.logs.clear();
		for (let day = 40; day >= 0; day--) {
			for (let entry = 99; entry >= 0; entry--) {
				logged(service, FIRST, {
					name: `${day}`,
					minutes: day * 1_440 + entry,
					payload: { entry },
				});
			}
		}
		await named('x');
		// Two probes show that the newest entries come first.
		expect(service.sent()).toHaveLength(34);
		await replay({ replayBy: 'transactions', transactions: 'x', filters: { lookbackDays: 7 } });
		expect(service.sent()).toHaveLength(34 + 10);
	});

	test('returns all events of a transaction', async () => {
		logged(service, FIRST, { name: 'c', minutes: 1, payload: { status: 'failed_transaction' } });
		const { json } = await named('c');
		expect(json.map(({ status }) => status)).toEqual([
			'completed_transaction',
			'failed_transaction',
		]);
	});

	test('reports transactions that the logs do not have, and returns the others', async () => {
		const { names, hints } = await named(`a, ${UNKNOWN_ID}, nobody`);
		expect(names).toEqual(['a']);
		expect(hints).toEqual([
			expect.stringContaining(`no event of the transaction ${UNKNOWN_ID}, nobody`),
		]);
	});

	test('requires transactions', async () => {
		const { error } = await named(' , ');
		expect(error?.message).toMatch(/Transactions is required/);
	});

	test('reads transactions from each item', async () => {
		const { names } = await replay(
			{ replayBy: 'transactions', transactions: '={{ $json.reference }}' },
			[{ reference: 'e' }, { reference: 'a' }],
		);
		expect(names).toEqual(['e', 'a']);
	});
});

test('returns the same events when it runs again, and records nothing', async () => {
	const first = await replay({ from: minutesAgo(60) });
	const second = await replay({ from: minutesAgo(60) });
	expect(first.json).toHaveLength(5);
	expect(second.json).toEqual(first.json);
	expect(service.processed.calls).toEqual([]);
	expect(writings(service)).toEqual([]);
});

test.each<[INodeParameters, string[]]>([
	[{ filters: { events: ['failed_transaction'] } }, ['e']],
	[{ filters: { events: ['failed_transaction', 'completed_transaction'] } }, [...'abcde']],
])('returns only events that match %j', async (filters, expected) => {
	expect((await replay({ from: minutesAgo(60), ...filters })).names).toEqual(expected);
});

test('reports entries without an event, and events of another webhook that the service returns', async () => {
	logged(service, FIRST, { name: 'f', minutes: 3 });
	const logs = service.business.logs.all();
	Object.assign(logs[logs.length - 1], { payload: null });
	jest.spyOn(service.business.logs, 'all').mockReturnValue(
		logs.map((log) => ({
			...log,
			get webhookId() {
				return log.webhookId;
			},
		})),
	);
	const { names, hints } = await replay({ from: minutesAgo(60) });
	expect(names).toEqual(['a', 'b', 'c', 'd', 'e']);
	expect(hints).toEqual(['Log entries without a transaction, status or date were skipped: 1.']);
});

test('returns flat events with Simplify, like the trigger', async () => {
	const { json } = await replay({ replayBy: 'transactions', transactions: 'a', simplify: true });
	const { details, ...rest } = eventPayload('a');
	expect(json).toEqual([{ ...rest, ...(details as IDataObject) }]);
});
