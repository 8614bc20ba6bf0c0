import { type IDataObject } from 'n8n-workflow';

import { userMessage } from '../../nodes/PartnerPaymentsTrigger/messages';
import { alarmItem } from '../../nodes/PartnerPaymentsTrigger/emit';
import { logLines } from '../engine/log';
import { useService } from '../engine/service';
import { eventPayload, handOver, logged, onlyWebhook, stopClock, TestTrigger } from './trigger';

const service = useService();

let trigger: TestTrigger;
beforeEach(() => {
	trigger = new TestTrigger(service);
	logLines.length = 0;
});

const handledLines = () => logLines.filter((line) => line.includes(' handles '));

const names = (json: IDataObject[]) => json.map(({ externalReference }) => externalReference);

const overdue = (name: string, payload?: IDataObject) => {
	const item = handOver(name, undefined, payload);
	return { json: { ...item.json, isOverdue: true } };
};

/** What an execution gives out that must not fail. */
const given = async (...[items, mode]: Parameters<TestTrigger['execute']>) => {
	const { json, error } = await trigger.execute(items, mode);
	expect(error).toBeUndefined();
	return names(json);
};

describe('what is given out', () => {
	test('is the payload as it came', async () => {
		const { json } = await trigger.execute([handOver('a')]);
		expect(json).toEqual([eventPayload('a')]);
	});

	test('is flat when it is simplified', async () => {
		trigger.set({ simplify: true });
		const { json } = await trigger.execute([handOver('a')]);
		const { details, ...rest } = eventPayload('a');
		expect(json).toEqual([{ ...rest, ...(details as IDataObject) }]);
	});

	test('is what the trigger wants, whatever its webhook sends', async () => {
		trigger.set({
			events: ['completed_transaction'],
			filters: { transactionTypes: ['withdrawal_ach'], otherTransactionTypes: 'card, voucher' },
		});
		const items = [
			handOver('completed'),
			handOver('failed', undefined, { status: 'failed_transaction' }),
			handOver('crypto', undefined, { transactionType: 'deposit_crypto' }),
			handOver('card', undefined, { transactionType: 'card' }),
			handOver('new status', undefined, { status: 'frozen_transaction' }),
		];
		expect(await given(items)).toEqual(['completed', 'card', 'new status']);
	});

	test('can be given out later, when it was not wanted before', async () => {
		trigger.set({ events: ['failed_transaction'] });
		expect(await given([handOver('a')])).toEqual([]);
		trigger.set({ events: ['completed_transaction'] });
		expect(await given([handOver('a')])).toEqual(['a']);
	});

	test('is named in the log, with its execution', async () => {
		const { id } = await trigger.execute([handOver('a'), handOver('b')]);
		expect(logLines.join('\n')).toContain(
			`execution ${id} of workflow workflow-1 handles id-of-a:completed_transaction, id-of-b:`,
		);
	});

	test('is named a hundred in a line, each once, and no line is without any', async () => {
		await trigger.execute(Array.from({ length: 200 }, (_, number) => handOver(`${number}`)));
		const named = handledLines().map((line) => line.match(/id-of-\d+/g) ?? []);
		expect(named.map(({ length }) => length)).toEqual([100, 100]);
		expect(new Set(named.flat()).size).toBe(200);

		logLines.length = 0;
		await trigger.execute([handOver('unwanted', undefined, { status: 'failed_transaction' })]);
		expect(handledLines()).toEqual([]);
	});
});

describe('an event', () => {
	test('is given out once, however often it is handed over', async () => {
		expect(await given([handOver('a')], 'webhook')).toEqual(['a']);
		expect(await given([handOver('a')], 'webhook')).toEqual([]);
		expect(await given([handOver('a'), handOver('b'), handOver('c')])).toEqual(['b', 'c']);
		expect(await given([handOver('d'), handOver('d')])).toEqual(['d']);
	});

	test('that comes many times at once is given out once', async () => {
		const all = await Promise.all(
			Array.from({ length: 50 }, async (_, number) => await given([handOver(`${number % 5}`)])),
		);
		expect(all.flat().sort()).toEqual(['0', '1', '2', '3', '4']);
	});

	test('is another one in another status', async () => {
		const failed = handOver('a', undefined, { status: 'failed_transaction' });
		trigger.set({ events: ['completed_transaction', 'failed_transaction'] });
		expect(await given([handOver('a'), failed])).toEqual(['a', 'a']);
	});

	test('without a transaction is recognised by its content', async () => {
		const ping = { details: {}, timestamp: 'now' };
		expect(await given([handOver('a', undefined, ping)])).toEqual(['a']);
		expect(await given([handOver('a', undefined, ping)])).toEqual([]);
		expect(await given([handOver('b', undefined, ping)])).toEqual(['b']);
	});

	test('comes again to its own execution when that runs again, and to no other', async () => {
		expect(await given([handOver('a', 'first')])).toEqual(['a']);
		expect(await given([handOver('a', 'second')])).toEqual([]);
		expect(await given([handOver('a', 'second')], 'retry')).toEqual([]);
		expect(await given([handOver('a', 'first')], 'retry')).toEqual(['a']);
		expect(await given([handOver('a', 'third')])).toEqual([]);
	});

	test('of many comes again as well', async () => {
		const look = ['a', 'b', 'c'].map((name) => handOver(name, 'full look'));
		expect(await given([handOver('b')])).toEqual(['b']);
		expect(await given(look)).toEqual(['a', 'c']);
		expect(await given(look, 'retry')).toEqual(['a', 'c']);
	});

	test('is given out by each trigger of a workflow', async () => {
		expect(await given([handOver('a')])).toEqual(['a']);
		const first = trigger;
		trigger = new TestTrigger(service);
		expect(await given([handOver('a')])).toEqual(['a']);
		trigger = new TestTrigger(service, {}, { nodeId: first.place.nodeId });
		expect(await given([handOver('a')])).toEqual([]);
	});

	test('is not lost when n8n’s memory cannot be written', async () => {
		const { rows } = service.processed;
		const { set } = rows;
		let writes = 0;
		rows.set = function (key, row) {
			// The lock, that it was asked for, and then that it is given out.
			if (++writes === 3) throw new Error('database or disk is full');
			return set.call(this, key, row);
		};
		const { error } = await trigger.execute([handOver('a')]);
		expect(error?.message).toContain('disk is full');
		expect(await given([handOver('a')])).toEqual(['a']);
		expect(await given([handOver('a')])).toEqual([]);
	});
});

describe('in the editor', () => {
	test('the same event comes as often as it is wanted, and nothing is remembered', async () => {
		expect(await given([handOver('a')], 'manual')).toEqual(['a']);
		expect(await given([handOver('a')], 'manual')).toEqual(['a']);
		expect(service.processed.calls).toEqual([]);
		expect(await given([handOver('a')])).toEqual(['a']);
	});

	test('an event may be written by hand', async () => {
		const item = { json: eventPayload('a') };
		expect(await given([item], 'manual')).toEqual(['a']);
		expect(await given([item])).toEqual(['a']);
		expect(await given([item])).toEqual([]);
	});

	test.each(['payload', 'partnerPaymentsEventId'])(
		'an event written by hand may have a field called %s',
		async (field) => {
			const json = eventPayload('a', { [field]: field === 'payload' ? { any: 1 } : 'any' });
			expect((await trigger.execute([{ json }], 'manual')).json).toEqual([json]);
		},
	);
});

describe('what is to be told', () => {
	test('fails its execution, with the hint', async () => {
		const { code, message, hint: hint } = userMessage('deliveriesRejected');
		const item = alarmItem({ code, message, hint: hint });
		for (let times = 0; times < 2; times++) {
			const { error, json } = await trigger.execute([item]);
			expect(json).toEqual([]);
			expect(error).toMatchObject({ message, description: hint, context: { code } });
		}
		const { error } = await trigger.execute([alarmItem({ code, message })]);
		expect(error).toMatchObject({ message, description: undefined });
		expect(service.processed.calls).toEqual([]);
	});

	test('are overdue events, by their transactions', async () => {
		const { error, json } = await trigger.execute([overdue('a'), overdue('b')]);
		expect(json).toEqual([]);
		expect(error?.message).toMatch(
			/^2 undelivered events are older than the Lookback Window and were not emitted$/,
		);
		expect(error?.description).toMatch(/Replay Events.* Transactions: id-of-a, id-of-b$/);
	});

	test('are fifty of them, and how many more', async () => {
		const many = Array.from({ length: 53 }, (_, number) => overdue(`${number}`));
		const { error } = await trigger.execute(many);
		expect(error?.description).toMatch(/id-of-49 and 3 more$/);

		trigger = new TestTrigger(service);
		const { error: ofFifty } = await trigger.execute(many.slice(0, 50));
		expect(ofFifty?.description).toMatch(/id-of-49$/);
	});

	test('are those as well that name no transaction', async () => {
		const nameless = overdue('a', { details: {}, timestamp: 'now' });
		const { error } = await trigger.execute([nameless, overdue('b')]);
		expect(error?.description).toMatch(/Transactions: \(no ID\), id-of-b$/);
	});

	test('are not those that were given out, or told, before', async () => {
		expect(await given([handOver('a')])).toEqual(['a']);
		const { error } = await trigger.execute([overdue('a'), overdue('b')]);
		expect(error?.message).toMatch(/^1 undelivered events/);
		expect(await given([overdue('a'), overdue('b')])).toEqual([]);
	});
});

test('what was delivered is not given out by a look at the logs', async () => {
	stopClock();
	await trigger.register();
	const { id } = onlyWebhook(service);
	logged(service, id, { name: 'handled', minutes: 3, status: 'SUCCESS' });
	logged(service, id, { name: 'answered, and lost', minutes: 2, status: 'SUCCESS' });
	logged(service, id, { name: 'missed', minutes: 1 });
	expect(await given([handOver('handled')], 'webhook')).toEqual(['handled']);

	await trigger.start();
	await trigger.end();
	jest.useRealTimers();
	const handled = [];
	for (const { items } of trigger.started) handled.push(...(await given(items)));
	expect(handled.sort()).toEqual(['answered, and lost', 'missed']);
});
