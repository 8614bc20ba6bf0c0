import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { getAll as transactions } from '../../nodes/PartnerPayments/resources/transaction/getAll';
import { getAll as logs } from '../../nodes/PartnerPayments/resources/webhookLog/getAll';
import { replay } from '../../nodes/PartnerPayments/resources/webhookLog/replay';
import { event, minutesAgo, runOperation, serviceWith, useOwnTime, WEBHOOK } from './context';

useOwnTime();

afterEach(() => jest.restoreAllMocks());

const OTHER = '5f0c6f6e-3b1d-4f7e-9a53-0c1d2e3f4a5b';

const byId = (value: string) => ({ __rl: true, mode: 'id', value });

/** One completed transaction a minute, the newest first: `r-0` is of now. */
const many = (count: number, word = 'completed') =>
	Array.from({ length: count }, (_, index) => event(`r-${index}`, `T-${index}`, word, index));

describe('Transaction > Get Many', () => {
	const list = async (filters: INodeParameters, parameters: INodeParameters = {}) =>
		await runOperation(transactions, { returnAll: true, filters, ...parameters });

	const idsOf = async (filters: INodeParameters, parameters?: INodeParameters) =>
		(await list(filters, parameters)).json.map(({ transactionId }) => transactionId);

	const LOGS = [
		event('c', 'T-3', 'pending', 10, {
			details: { transactionId: 'T-3', amount: '5', asset: 'BOB' },
		}),
		event('b', 'T-2', 'failed', 20, { transactionType: 'withdrawal_crypto' }),
		event('a', 'T-1', 'completed', 30),
		event('a', 'T-1', 'pending', 40),
	];

	test.each<[INodeParameters, string[]]>([
		[{}, ['T-3', 'T-2', 'T-1']],
		[{ status: ['pending_transaction'] }, ['T-3']],
		[{ status: 'failed_transaction' }, ['T-2']],
		[{ transactionType: ['withdrawal_crypto'] }, ['T-2']],
		[{ from: minutesAgo(20) }, ['T-3', 'T-2']],
		[{ to: minutesAgo(20) }, ['T-1']],
		[{ from: minutesAgo(30), to: minutesAgo(10) }, ['T-2', 'T-1']],
		[{ status: ['failed_transaction'], transactionType: ['withdrawal_ach'] }, []],
	])('returns those that match %j, the last changed first', async (filters, ids) => {
		serviceWith(LOGS);
		expect(await idsOf(filters)).toEqual(ids);
	});

	test('returns type, amount and asset before the rest', async () => {
		serviceWith(LOGS);
		const { json, hints } = await list({});
		expect(Object.keys(json[0])).toEqual([
			...['transactionType', 'amount', 'asset', 'status', 'isFinal', 'transactionId'],
			...['reference', 'since', 'message', 'transactionHash', 'history'],
		]);
		expect(json[0]).toMatchObject({ transactionType: 'withdrawal_ach', amount: '5', asset: 'BOB' });
		expect(json[1]).toMatchObject({ transactionType: 'withdrawal_crypto', amount: '', asset: '' });
		expect(hints).toEqual([]);
	});

	test('counts the entries that it cannot read', async () => {
		serviceWith([...LOGS, { id: '1', payload: 'x', createdAt: minutesAgo(50) }]);
		expect((await list({})).hints).toEqual([
			expect.stringMatching(/^Log entries .* were skipped: 1/),
		]);
	});

	test('reports it if the newest entries do not come first', async () => {
		serviceWith(many(300).toReversed());
		expect((await list({ from: minutesAgo(5) })).hints).toEqual([
			expect.stringContaining('so all of them were read (300)'),
		]);
	});

	test.each(['from', 'to'])('rejects a date that is none in %s', async (name) => {
		const service = serviceWith(LOGS);
		await expect(list({ [name]: 'monday' })).rejects.toThrow(
			`${name === 'from' ? 'From' : 'To'} must be a date and time`,
		);
		expect(service.asked).toEqual([]);
	});

	// Each look at what is known takes longer, so there are looks after 1, 2, 4, 8, ... pages. Two later pages show the
	// order.
	test.each([
		[50, 2 + 2],
		[100, 2 + 2],
		[101, 4 + 2],
		[250, 8 + 2],
		[500, 16 + 2],
	])(
		'reads no more pages than %i transactions need, and as many for their first events',
		async (limit, pages) => {
			const service = serviceWith(many(6_000));
			const ids = await idsOf({}, { returnAll: false, limit });
			expect(ids).toEqual(Array.from({ length: limit }, (_, index) => `T-${index}`));
			expect(service.reads()).toHaveLength(pages);
		},
	);

	test('reads no further than the beginning of the period', async () => {
		const service = serviceWith(many(6_000));
		expect(await idsOf({ from: minutesAgo(340) })).toHaveLength(341);
		expect(service.reads()).toHaveLength(4 + 2);
	});
});

describe('Webhook Log > Get Many', () => {
	const list = async (filters: INodeParameters, parameters: INodeParameters = {}) =>
		(await runOperation(logs, { returnAll: true, filters, ...parameters })).json;

	const LOGS = [
		{ ...event('a', 'T-1', 'completed', 10), n: 1, status: 'ERROR' },
		{ ...event('a', 'T-2', 'pending', 20), n: 2, status: 'SUCCESS', webhookId: OTHER },
		{ ...event('b', 'T-3', 'pending', 30), n: 3, status: 'SUCCESS' },
		{ id: '4', n: 4, webhookId: WEBHOOK, status: 'ERROR', createdAt: minutesAgo(40) },
		{ ...event('b', '', 'failed', 50), n: 5, status: 'ERROR' },
	] as unknown as IDataObject[];

	test.each<[INodeParameters, number[]]>([
		[{}, [1, 2, 3, 4, 5]],
		[{ reference: '' }, [1, 2, 3, 4, 5]],
		[{ reference: ' A ' }, [1, 2]],
		[{ transactionId: 't-3' }, [3]],
		[{ reference: 'b' }, [3, 5]],
		[{ reference: 'b', transactionId: 'T-3' }, [3]],
		[{ reference: 'a', transactionId: 'T-3' }, []],
		[{ status: 'ERROR' }, [1, 4, 5]],
		[{ webhookId: byId(OTHER) }, [2]],
		[{ status: 'SUCCESS', reference: 'b' }, [3]],
	])('returns the entries that match %j', async (filters, numbers) => {
		serviceWith(LOGS);
		expect((await list(filters)).map(({ n }) => n)).toEqual(numbers);
	});

	test('sends the filters that the service has', async () => {
		const service = serviceWith(LOGS);
		await list({ status: 'ERROR', webhookId: byId(WEBHOOK), reference: 'a' });
		await list({});
		expect(service.asked.map(({ query }) => query)).toEqual([
			{ page: 1, limit: 100, status: 'ERROR', webhookId: WEBHOOK },
			{ page: 1, limit: 100 },
		]);
	});

	test('rejects an ID that is none', async () => {
		const service = serviceWith(LOGS);
		await expect(list({ webhookId: byId('../x') })).rejects.toThrow(/Webhook must be/);
		expect(service.asked).toEqual([]);
	});

	test('asks for no more entries than it returns', async () => {
		const service = serviceWith(many(500));
		expect(await list({}, { returnAll: false, limit: 3 })).toHaveLength(3);
		expect(await list({}, { returnAll: false, limit: 150 })).toHaveLength(150);
		expect(service.asked.map(({ query }) => query)).toEqual([
			{ page: 1, limit: 3 },
			{ page: 1, limit: 100 },
			{ page: 2, limit: 100 },
		]);
	});

	test('looks at all pages if it filters the entries itself, until it has enough', async () => {
		const service = serviceWith(many(500));
		const found = await list({ reference: 'r-250' }, { returnAll: false, limit: 1 });
		expect(found).toHaveLength(1);
		expect(service.reads()).toHaveLength(3);
		await list({ reference: 'r-250' });
		expect(service.reads()).toHaveLength(3 + 5);
	});

	test('hides the secret of a callback address', async () => {
		const url = `https://n8n.example/callback?secret=${'a'.repeat(64)}`;
		serviceWith([{ ...LOGS[0], webhookUrl: url }]);
		expect(await list({})).toMatchObject([
			{ webhookUrl: 'https://n8n.example/callback?secret=***' },
		]);
	});
});

describe('Webhook Log > Replay Events', () => {
	const run = async (parameters: INodeParameters) => {
		const { json, hints, hintTypes } = await runOperation(replay, parameters);
		const names = json.map(({ externalReference }) => externalReference);
		return { names, json, hints, hintTypes };
	};
	const period = async (parameters: INodeParameters = {}) =>
		await run({ from: minutesAgo(60), ...parameters });
	const named = async (transactions: string, parameters: INodeParameters = {}) =>
		await run({ replayBy: 'transactions', transactions, ...parameters });

	const LOGS = [
		event('c', 'T-3', 'failed', 10),
		{ ...event('b', 'T-2', 'completed', 20), webhookId: OTHER },
		event('a', 'T-1', 'completed', 30),
		// An attempt at the same event.
		event('a', 'T-1', 'completed', 40),
		event('old', 'T-0', 'completed', 70),
	];

	test('returns each event of a period once, the oldest first', async () => {
		serviceWith(LOGS);
		const { names, json, hints } = await period();
		expect(names).toEqual(['a', 'b', 'c']);
		expect(json[0]).toHaveProperty('details');
		// The first of its attempts.
		expect(json[0].timestamp).toBe(minutesAgo(40));
		expect(hints).toEqual([]);
	});

	test('returns the first attempt, whatever the order of the log', async () => {
		serviceWith(LOGS.toReversed());
		const { names, json } = await period();
		expect(names).toEqual(['a', 'b', 'c']);
		expect(json[0].timestamp).toBe(minutesAgo(40));
	});

	test.each<[INodeParameters, string[]]>([
		[{ from: minutesAgo(20) }, ['b', 'c']],
		[{ to: minutesAgo(20) }, ['a']],
		[{ from: minutesAgo(70), to: minutesAgo(40) }, ['old']],
		[{ filters: { events: ['failed_transaction'] } }, ['c']],
		[{ filters: { events: [] } }, ['a', 'b', 'c']],
		[{ replayBy: 'period' }, ['a', 'b', 'c']],
	])('returns the events that match %j', async (parameters, names) => {
		serviceWith(LOGS);
		expect((await period(parameters)).names).toEqual(names);
	});

	test.each<[INodeParameters, RegExp]>([
		[{ from: '' }, /From is required/],
		[{ from: 'soon' }, /From must be a date and time/],
		[{ from: minutesAgo(9), to: 'soon' }, /To must be a date and time/],
		[{ replayBy: 'transactions', transactions: ' ;, ' }, /Transactions is required/],
		[{ replayBy: 'transactions' }, /Transactions is required/],
		[
			{ replayBy: 'transactions', transactions: 'a', filters: { lookbackDays: 0 } },
			/Lookback Window \(Days\) must be a whole number of 1 or more/,
		],
		[
			{ replayBy: 'transactions', transactions: 'a', filters: { lookbackDays: 'Infinity' } },
			/Lookback Window \(Days\) must be a whole number of 1 or more/,
		],
	])('rejects %j', async (parameters, message) => {
		const service = serviceWith(LOGS);
		await expect(run(parameters)).rejects.toThrow(message);
		expect(service.asked).toEqual([]);
	});

	test('finds transactions by IDs and references, and names those that it does not find', async () => {
		serviceWith(LOGS);
		expect(await named('A, t-3;x\nY')).toMatchObject({
			names: ['a', 'c'],
			hints: ['The logs have no event of the transaction x, Y. Check the ID or reference.'],
		});
		// However old.
		expect(await named('old')).toMatchObject({ names: ['old'], hints: [] });
	});

	test('does not call a transaction missing whose events are filtered out', async () => {
		serviceWith(LOGS);
		const filters = { events: ['failed_transaction'] };
		expect(await named('a', { filters })).toMatchObject({ json: [], hints: [] });
	});

	test('finds no event without an ID by an empty name', async () => {
		serviceWith([event('', '', 'completed')]);
		expect((await named('a')).names).toEqual([]);
	});

	test('reads as far back as the lookback window says', async () => {
		const service = serviceWith(many(50_000).map((log, index) => ({ ...log, index })));
		await named('x', { filters: { lookbackDays: 1 } });
		expect(service.reads()).toHaveLength(15 + 2);
		await named('x');
		expect(service.reads()).toHaveLength(15 + 2 + 447 + 2);
		await period({ from: minutesAgo(250) });
		expect(service.reads()).toHaveLength(15 + 2 + 447 + 2 + 4 + 2);
	});

	test('counts the entries of the period without an event', async () => {
		const empty = (minutes: number) => ({ id: `${minutes}`, createdAt: minutesAgo(minutes) });
		serviceWith([empty(5), ...LOGS, empty(80)]);
		expect((await period()).hints).toEqual([
			'Log entries without a transaction, status or date were skipped: 1.',
		]);
	});

	test('reports it if the newest entries do not come first', async () => {
		serviceWith(many(300).toReversed());
		expect(await period()).toMatchObject({
			hints: [expect.stringContaining('so all of them were read (300)')],
			hintTypes: ['info'],
		});
	});

	test('flattens the events with Simplify', async () => {
		serviceWith(LOGS);
		const { json } = await period({ simplify: true });
		expect(json[0]).toMatchObject({ externalReference: 'a', transactionId: 'T-1' });
		expect(json[0]).not.toHaveProperty('details');
		expect((await period({ simplify: 'true' })).json[0]).toHaveProperty('details');
	});

	test('returns an event once if two entries have the same time', async () => {
		const [one] = LOGS.slice(2);
		serviceWith([one, { ...one, id: 'again' }]);
		expect((await period()).names).toEqual(['a']);
	});
});
