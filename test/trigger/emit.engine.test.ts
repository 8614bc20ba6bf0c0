import { type IDataObject } from 'n8n-workflow';

import { userMessage } from '../../nodes/messages/userMessage';
import { alarmItem } from '../../nodes/PartnerPaymentsTrigger/emit';
import { logLines } from '../engine/log';
import { useService } from '../engine/service';
import { eventPayload, eventItem, logged, onlyWebhook, stopClock, TestTrigger } from './trigger';

const service = useService();

let trigger: TestTrigger;
beforeEach(() => {
	trigger = new TestTrigger(service);
	logLines.length = 0;
});

const handledLines = () => logLines.filter((line) => line.includes(' handles '));

describe('emitted events', () => {
	test('emits the payload as it arrived', async () => {
		const { json } = await trigger.execute([eventItem('a')]);
		expect(json).toEqual([eventPayload('a')]);
	});

	test('emits a flat event with Simplify', async () => {
		trigger.set({ simplify: true });
		const { json } = await trigger.execute([eventItem('a')]);
		const { details, ...rest } = eventPayload('a');
		expect(json).toEqual([{ ...rest, ...(details as IDataObject) }]);
	});

	test('emits only events that the options include, whatever the webhook delivers', async () => {
		trigger.set({
			events: ['completed_transaction'],
			filters: { transactionTypes: ['withdrawal_ach', 'card'] },
		});
		const items = [
			eventItem('completed'),
			eventItem('failed', undefined, { status: 'failed_transaction' }),
			eventItem('crypto', undefined, { transactionType: 'deposit_crypto' }),
			eventItem('card', undefined, { transactionType: 'card' }),
			eventItem('new status', undefined, { status: 'frozen_transaction' }),
		];
		expect(await trigger.emitted(items)).toEqual(['completed', 'card', 'new status']);
	});

	test('emits an event later if the options excluded it before', async () => {
		trigger.set({ events: ['failed_transaction'] });
		expect(await trigger.emitted([eventItem('a')])).toEqual([]);
		trigger.set({ events: ['completed_transaction'] });
		expect(await trigger.emitted([eventItem('a')])).toEqual(['a']);
	});

	test('logs each emitted event with its execution', async () => {
		const { id } = await trigger.execute([eventItem('a'), eventItem('b')]);
		expect(logLines.join('\n')).toContain(
			`execution ${id} of workflow workflow-1 handles id-of-a:completed_transaction, id-of-b:`,
		);
	});

	test('logs up to a hundred events a line, each once, and no empty lines', async () => {
		await trigger.execute(Array.from({ length: 200 }, (_, number) => eventItem(`${number}`)));
		const named = handledLines().map((line) => line.match(/id-of-\d+/g) ?? []);
		expect(named.map(({ length }) => length)).toEqual([100, 100]);
		expect(new Set(named.flat()).size).toBe(200);

		logLines.length = 0;
		await trigger.execute([eventItem('unwanted', undefined, { status: 'failed_transaction' })]);
		expect(handledLines()).toEqual([]);
	});
});

describe('deduplication', () => {
	test('emits an event once, however often it arrives', async () => {
		expect(await trigger.emitted([eventItem('a')], 'webhook')).toEqual(['a']);
		expect(await trigger.emitted([eventItem('a')], 'webhook')).toEqual([]);
		expect(await trigger.emitted([eventItem('a'), eventItem('b'), eventItem('c')])).toEqual([
			'b',
			'c',
		]);
		expect(await trigger.emitted([eventItem('d'), eventItem('d')])).toEqual(['d']);
	});

	test('emits an event once if it arrives several times at the same moment', async () => {
		const all = await Promise.all(
			Array.from(
				{ length: 50 },
				async (_, number) => await trigger.emitted([eventItem(`${number % 5}`)]),
			),
		);
		expect(all.flat().sort()).toEqual(['0', '1', '2', '3', '4']);
	});

	test('emits the same transaction again in another status', async () => {
		const failed = eventItem('a', undefined, { status: 'failed_transaction' });
		trigger.set({ events: ['completed_transaction', 'failed_transaction'] });
		expect(await trigger.emitted([eventItem('a'), failed])).toEqual(['a', 'a']);
	});

	test('recognizes an event without a transaction by its content', async () => {
		const ping = { details: {}, timestamp: 'now' };
		expect(await trigger.emitted([eventItem('a', undefined, ping)])).toEqual(['a']);
		expect(await trigger.emitted([eventItem('a', undefined, ping)])).toEqual([]);
		expect(await trigger.emitted([eventItem('b', undefined, ping)])).toEqual(['b']);
	});

	test('emits an event again if its own execution is retried, and in no other', async () => {
		expect(await trigger.emitted([eventItem('a', 'first')])).toEqual(['a']);
		expect(await trigger.emitted([eventItem('a', 'second')])).toEqual([]);
		expect(await trigger.emitted([eventItem('a', 'second')], 'retry')).toEqual([]);
		expect(await trigger.emitted([eventItem('a', 'first')], 'retry')).toEqual(['a']);
		expect(await trigger.emitted([eventItem('a', 'third')])).toEqual([]);
	});

	test('emits nothing in an execution that came second, however often it is retried', async () => {
		expect(await trigger.emitted([eventItem('a', 'first')])).toEqual(['a']);
		expect(await trigger.emitted([eventItem('a', 'second')])).toEqual([]);
		for (let time = 0; time < 4; time++) {
			expect(await trigger.emitted([eventItem('a', 'second')], 'retry')).toEqual([]);
		}
		// Nothing of it stays: the event, its claim, the hour and the day.
		const sizes = [...service.processed.rows.values()].map(({ data }) => data.length);
		expect(Math.max(...sizes)).toBe(2 + 2);
	});

	test('emits each of several events again if their execution is retried', async () => {
		const batch = ['a', 'b', 'c'].map((name) => eventItem(name, 'full look'));
		expect(await trigger.emitted([eventItem('b')])).toEqual(['b']);
		expect(await trigger.emitted(batch)).toEqual(['a', 'c']);
		expect(await trigger.emitted(batch, 'retry')).toEqual(['a', 'c']);
	});

	test('deduplicates events separately for each trigger of a workflow', async () => {
		expect(await trigger.emitted([eventItem('a')])).toEqual(['a']);
		const first = trigger;
		trigger = new TestTrigger(service);
		expect(await trigger.emitted([eventItem('a')])).toEqual(['a']);
		trigger = new TestTrigger(service, {}, { nodeId: first.place.nodeId });
		expect(await trigger.emitted([eventItem('a')])).toEqual([]);
	});

	test('emits an event later if n8n’s deduplication could not be written', async () => {
		const { rows } = service.processed;
		const { set } = rows;
		let writes = 0;
		rows.set = function (key, row) {
			// The lock, and then the record of the event.
			if (++writes === 2) throw new Error('database or disk is full');
			return set.call(this, key, row);
		};
		const { error } = await trigger.execute([eventItem('a')]);
		expect(error?.message).toMatch(/^The trigger could not record the events.*disk is full$/);
		expect(error).toMatchObject({ context: { code: 'notRecorded' } });
		expect(await trigger.emitted([eventItem('a')])).toEqual(['a']);
		expect(await trigger.emitted([eventItem('a')])).toEqual([]);
	});
});

test('says what to do if the database stood still', async () => {
	jest
		.spyOn(service.processed, 'checkProcessedAndRecord')
		.mockRejectedValue(new Error('the database stood still'));
	const { error } = await trigger.execute([eventItem('a')]);
	jest.restoreAllMocks();
	expect(error).toMatchObject({ context: { code: 'notRecorded' } });
	expect(error?.message).toMatch(
		/could not record the events of this execution.*the database stood still/,
	);
	expect(error?.description).toMatch(/^Retry this execution/);
});

describe('tests in the editor', () => {
	test('emits the same event in every test and records nothing', async () => {
		expect(await trigger.emitted([eventItem('a')], 'manual')).toEqual(['a']);
		expect(await trigger.emitted([eventItem('a')], 'manual')).toEqual(['a']);
		expect(service.processed.calls).toEqual([]);
		expect(await trigger.emitted([eventItem('a')])).toEqual(['a']);
	});

	test('emits an event that a person wrote', async () => {
		const item = { json: eventPayload('a') };
		expect(await trigger.emitted([item], 'manual')).toEqual(['a']);
		expect(await trigger.emitted([item])).toEqual(['a']);
		expect(await trigger.emitted([item])).toEqual([]);
	});

	test.each(['payload', 'partnerPaymentsEventId'])(
		'keeps a field named %s in an event that a person wrote',
		async (field) => {
			const json = eventPayload('a', { [field]: field === 'payload' ? { any: 1 } : 'any' });
			expect((await trigger.execute([{ json }], 'manual')).json).toEqual([json]);
		},
	);
});

describe('alarms', () => {
	test('fails the execution of an alarm, with its hint', async () => {
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
});

test('does not emit a delivered event again after a check of the logs', async () => {
	stopClock();
	await trigger.register();
	const { id } = onlyWebhook(service);
	logged(service, id, { name: 'handled', minutes: 3, status: 'SUCCESS' });
	logged(service, id, { name: 'answered, and lost', minutes: 2, status: 'SUCCESS' });
	logged(service, id, { name: 'missed', minutes: 1 });
	expect(await trigger.emitted([eventItem('handled')], 'webhook')).toEqual(['handled']);

	await trigger.start();
	await trigger.end();
	jest.useRealTimers();
	const handled = [];
	for (const { items } of trigger.started) handled.push(...(await trigger.emitted(items)));
	expect(handled.sort()).toEqual(['answered, and lost', 'missed']);
});
