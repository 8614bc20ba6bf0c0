import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { getStatus } from '../../nodes/PartnerPayments/resources/transaction/getStatus';
import { ServiceError } from '../../nodes/service/errors';
import {
	event,
	minutesAgo,
	nodeWith,
	runOperation,
	serviceWith,
	useOwnTime,
	webhook,
} from './context';

const time = useOwnTime();

afterEach(() => jest.restoreAllMocks());

const FINAL = ['completed', 'reject', 'failed', 'expired'];

const run = async (
	items: IDataObject[],
	options: INodeParameters = {},
	more: Parameters<typeof runOperation>[3] = {},
) => await runOperation(getStatus, { findBy: 'input', options }, items, more);

/** The message of the only row. */
const messageOf = async (row: IDataObject, logs: IDataObject[], webhooks?: IDataObject[]) => {
	serviceWith(logs, webhooks ?? [webhook(FINAL)]);
	const { json } = await run([row]);
	expect(json).toHaveLength(1);
	return json[0].message;
};

describe('a row', () => {
	test('begins with its status, and keeps its columns behind it', async () => {
		serviceWith([event('a', 'T-1', 'completed')]);
		const { json, output, hints } = await run([
			{ name: 'Ana', status: 'of the file', outcome: 'created', reference: 'A', isFinal: 'no' },
		]);
		expect(Object.keys(json[0])).toEqual([
			...['outcome', 'status', 'isFinal', 'transactionId', 'reference', 'since', 'message'],
			...['transactionHash', 'history', 'name', 'allFinal', 'mayBecomeFinal'],
		]);
		expect(json).toEqual([
			{
				outcome: 'created',
				status: 'completed_transaction',
				isFinal: true,
				transactionId: 'T-1',
				reference: 'a',
				since: minutesAgo(60),
				message: 'now completed',
				transactionHash: '',
				history: [{ status: 'completed_transaction', at: minutesAgo(60) }],
				name: 'Ana',
				allFinal: true,
				mayBecomeFinal: false,
			},
		]);
		expect(output[0].pairedItem).toEqual({ item: 0 });
		expect(hints).toEqual([]);
	});

	test('that is not in the logs has the same fields', async () => {
		serviceWith([], [webhook(FINAL)]);
		const { json } = await run([{ name: 'Ana', transactionId: 'T-9', status: 'x' }]);
		expect(json).toEqual([
			{
				status: 'notFound',
				isFinal: false,
				reference: '',
				transactionId: 'T-9',
				since: '',
				message:
					'The logs do not have it. It may still have been created: before 2026-10-21, before the service logged its events, or just now.',
				transactionHash: '',
				history: [],
				name: 'Ana',
				allFinal: false,
				mayBecomeFinal: true,
			},
		]);
		expect(Object.keys(json[0]).slice(0, 2)).toEqual(['status', 'isFinal']);
	});

	test.each<[string, IDataObject, string | undefined]>([
		['of another source', {}, undefined],
		['that was created', { outcome: 'created' }, 'created'],
		['that is unknown', { outcome: 'unknown' }, 'created'],
		['that was already sent', { outcome: 'alreadySent' }, 'created'],
		['that was rejected', { outcome: 'rejected' }, 'rejected'],
	])('%s has the outcome that the logs prove', async (_, row, outcome) => {
		serviceWith([event('a', 'T-1', 'completed')]);
		const { json } = await run([{ reference: 'a', ...row }]);
		expect(json[0].outcome).toBe(outcome);
	});

	test('of an error output has its outcome first, be it in the logs or not', async () => {
		serviceWith([event('a', 'T-1', 'pending')]);
		const { json } = await run(
			['a', 'x'].map((reference) => ({ name: 'Ana', error: { outcome: 'notSent', reference } })),
		);
		expect(json).toMatchObject([
			{ outcome: 'notSent', status: 'pending_transaction', name: 'Ana' },
			{ outcome: 'notSent', status: 'notFound', name: 'Ana' },
		]);
		for (const row of json) expect(Object.keys(row).slice(0, 2)).toEqual(['outcome', 'status']);
	});

	test('keeps what it says of itself if an event has only one of the two', async () => {
		serviceWith([event('a', '', 'completed'), event('', 'T-2', 'failed')]);
		const { json } = await run([
			{ reference: 'a', transactionId: 'T-1' },
			{ reference: 'b', transactionId: 'T-2' },
		]);
		expect(json.map(({ reference, transactionId }) => [reference, transactionId])).toEqual([
			['a', 'T-1'],
			['b', 'T-2'],
		]);
	});
});

describe('the message of a row that is in the logs', () => {
	const pending = [event('a', 'T-1', 'pending')];

	test('has no notes if there is nothing to note', async () => {
		const row = { outcome: 'created', reference: 'a', transactionId: 'T-1' };
		expect(await messageOf(row, pending)).toBe('now pending');
		expect(await messageOf({ reference: 'a', transactionId: 'a' }, pending)).toBe('now pending');
		expect(await messageOf({ reference: 'a', transactionId: 't-1' }, pending)).toBe('now pending');
	});

	test.each<[string, IDataObject[], RegExp]>([
		['no webhook', [], /^now pending This account has no webhook,/],
		[
			'none for a final status',
			[webhook(['pending'])],
			/^now pending No active webhook covers completed_transaction/,
		],
		[
			'none for some',
			[webhook(['completed', 'failed'])],
			/^now pending No active webhook covers reject_transaction, expired_transaction: /,
		],
	])('says that the account has %s', async (_, webhooks, message) => {
		expect(await messageOf({ reference: 'a' }, pending, webhooks)).toMatch(message);
		// A final status needs no webhook any more.
		const final = [event('a', 'T-1', 'completed')];
		expect(await messageOf({ reference: 'a' }, final, webhooks)).toBe('now completed');
	});

	test('says that nobody knows what to fund, as long as the payment waits', async () => {
		const row = {
			outcome: 'created',
			reference: 'a',
			transactionId: 'T-1',
			isFundingUnknown: true,
		};
		expect(await messageOf(row, pending)).toMatch(
			/^now pending Created; funding details unknown\./,
		);
		expect(await messageOf({ ...row, isFundingUnknown: 'yes' }, pending)).toBe('now pending');
		expect(await messageOf(row, [event('a', 'T-1', 'processing')])).toBe('now processing');
	});

	test('names the transaction that the row names and the logs do not have', async () => {
		expect(await messageOf({ reference: 'a', transactionId: 'T-9' }, pending)).toBe(
			'The logs do not have transaction T-9, but another one with its reference. now pending',
		);
		const unnamed = [event('a', '', 'pending')];
		expect(await messageOf({ reference: 'a', transactionId: 'T-9' }, unnamed)).toBe('now pending');
	});

	test.each(['rejected', 'notSent', 'ready'])('contradicts the outcome %s', async (outcome) => {
		expect(await messageOf({ reference: 'a', outcome }, pending)).toMatch(
			new RegExp(`^The outcome of this row is ${outcome}, but .* now pending$`),
		);
	});

	test('says that a conflict is about an earlier payment', async () => {
		expect(await messageOf({ reference: 'a', outcome: 'conflict' }, pending)).toMatch(
			/^This is the earlier payment with this reference\. .* now pending$/,
		);
	});

	test('names several final statuses, after the notes', async () => {
		const both = [event('a', 'T-1', 'reject', 10), event('a', 'T-1', 'completed', 20)];
		expect(await messageOf({ reference: 'a', transactionId: 'T-9' }, both)).toBe(
			`The logs do not have transaction T-9, but another one with its reference. The logs have more than one final status: completed_transaction (${minutesAgo(20)}), reject_transaction (${minutesAgo(10)}). Ask the service which one is valid. now reject`,
		);
	});

	test('is empty if nobody says anything', async () => {
		const silent = event('a', 'T-1', 'completed', 10, { details: { transactionId: 'T-1' } });
		expect(await messageOf({ reference: 'a' }, [silent])).toBe('');
		const conflict = { outcome: 'conflict', reference: 'a' };
		expect(await messageOf(conflict, [silent])).toMatch(/ was not sent\.$/);
		const waiting = event('a', 'T-1', 'pending', 10, { details: { transactionId: 'T-1' } });
		expect(await messageOf({ reference: 'a' }, [waiting], [])).toMatch(/^This account has no/);
	});

	test('names all transactions of the reference', async () => {
		serviceWith([event('a', 'T-1', 'failed', 10), event('a', 'T-2', 'completed', 20)]);
		const { json } = await run([{ reference: 'a' }]);
		expect(json.map(({ message }) => message)).toEqual([
			'This reference belongs to 2 transactions (T-1, T-2). Each has an item here. now failed',
			'This reference belongs to 2 transactions (T-1, T-2). Each has an item here. now completed',
		]);
	});

	test('names what has no transaction ID among several, and no other transaction of the row', async () => {
		serviceWith([
			event('a', 'T-1', 'failed', 10),
			event('a', 'T-2', 'completed', 20),
			event('a', '', 'expired', 30),
		]);
		const { json } = await run([{ reference: 'a', transactionId: 'T-2' }]);
		expect(json[0].message).toBe(
			'This reference belongs to 3 transactions (T-1, T-2, without an ID). Each has an item here. now failed',
		);
	});

	test('shows a transaction in the row that names it', async () => {
		serviceWith([event('a', 'T-1', 'failed', 10), event('a', 'T-2', 'completed', 20)]);
		const shown = async (items: IDataObject[]) =>
			(await run(items)).output.map(({ json, pairedItem }) => [
				json.transactionId,
				(pairedItem as { item: number }).item,
			]);
		expect(await shown([{ reference: 'a', transactionId: 't-2' }, { reference: 'a' }])).toEqual([
			['T-1', 0],
			['T-2', 0],
			['T-1', 1],
		]);
		serviceWith([
			event('a', 'T-1', 'failed', 10),
			event('a', 'T-2', 'completed', 20),
			event('a', '', 'processing', 5),
		]);
		expect(await shown([{ reference: 'a', transactionId: 'T-1' }, { reference: 'a' }])).toEqual([
			// An event that has the reference alone may be of any of them.
			['T-1', 0],
			['T-1', 0],
			['T-2', 0],
			['', 1],
			['T-2', 1],
		]);
		serviceWith([event('a', 'T-1', 'failed', 10), event('a', 'T-2', 'completed', 20)]);
		// A text that may be a reference is no claim.
		const list = { findBy: 'field', referenceOrId: 'a\nT-1' };
		expect((await runOperation(getStatus, list)).json.map((json) => json.transactionId)).toEqual([
			'T-1',
			'T-2',
			'T-1',
		]);
		// A row shows its transaction although another row names it, too.
		const both = ['T-1', 'T-2'].map((transactionId) => ({ reference: 'a', transactionId }));
		expect(await shown([...both, { reference: 'a' }])).toEqual([
			['T-1', 0],
			['T-2', 1],
			['T-1', 2],
			['T-2', 2],
		]);
	});
});

describe('the message of a row that is not in the logs', () => {
	const NOT_IN_LOGS = 'The logs do not have it. It may still have been created: before 2026-';

	test('is that of the payment if none was created', async () => {
		const row = { outcome: 'rejected', reference: 'x', message: 'The account is closed' };
		expect(await messageOf(row, [])).toBe('The account is closed');
		expect(await messageOf({ outcome: 'notSent', reference: 'x' }, [])).toBe(
			'The logs do not have it, and nothing was created: its outcome is notSent.',
		);
	});

	test.each<[string, IDataObject[], RegExp]>([
		['first that there is no webhook', [], /^This account has no webhook, .* The logs do not have/],
		[
			'that no webhook covers a final status',
			[webhook(['pending'])],
			/^The logs do not have it\. .* No active webhook covers completed_transaction/,
		],
		[
			'which are not covered',
			[webhook(['completed', 'failed', 'reject'])],
			/^The logs do not have it\. .* No active webhook covers expired_transaction: [^.]*\.$/,
		],
	])('says %s', async (_, webhooks, message) => {
		expect(await messageOf({ reference: 'x' }, [], webhooks)).toMatch(message);
	});

	test.each(['unknown', 'alreadySent'])(
		'asks for the reference of a row that is %s',
		async (outcome) => {
			const message = await messageOf({ outcome, reference: 'x' }, []);
			expect(message).toContain(NOT_IN_LOGS);
			expect(message).toMatch(/ Ask the service for the reference before you send it again\.$/);
			expect(await messageOf({ outcome: 'created', reference: 'x' }, [])).not.toContain('Ask');
		},
	);

	test('says nothing of the webhooks if they cannot be read', async () => {
		const service = serviceWith([]);
		Object.defineProperty(service, 'webhooks', {
			get: () => {
				throw new Error('not now');
			},
		});
		const { json, hints } = await run([{ reference: 'x' }]);
		expect(json[0].message).toMatch(/or just now\.$/);
		expect(json[0].mayBecomeFinal).toBe(true);
		expect(hints).toEqual([]);
	});
});

describe('whether all are final', () => {
	const LOGS = [event('a', 'T-1', 'completed'), event('b', 'T-2', 'pending')];
	const of = async (items: IDataObject[], webhooks = [webhook(FINAL)]) => {
		serviceWith(LOGS, webhooks);
		const { json } = await run(items, {}, { continueOnFail: true });
		return json.map(({ allFinal, mayBecomeFinal }) => [allFinal, mayBecomeFinal]);
	};

	test('is said on each item', async () => {
		expect(await of([{ reference: 'a' }])).toEqual([[true, false]]);
		expect(await of([{ reference: 'a' }, { reference: 'b' }])).toEqual([
			[false, true],
			[false, true],
		]);
		expect(await of([{ reference: 'x' }])).toEqual([[false, true]]);
	});

	test('is not kept from those that were never created', async () => {
		const never = ['rejected', 'notSent'].map((outcome) => ({ outcome, reference: '' }));
		expect(await of([{ reference: 'a' }, ...never])).toEqual(
			never.concat(never[0]).map(() => [true, false]),
		);
		expect(await of([{ outcome: 'ready', reference: '' }])).toEqual([[false, false]]);
	});

	test('does not wait for what no webhook covers', async () => {
		expect(await of([{ reference: 'b' }], [])).toEqual([[false, false]]);
		expect(await of([{ reference: 'b' }], [webhook(['pending'])])).toEqual([[false, false]]);
		expect(await of([{ reference: 'b' }], [webhook(['failed'])])).toEqual([[false, true]]);
	});

	test('does not depend on an item that has an error', async () => {
		expect(await of([{ reference: 'a' }, { name: 'Ana' }])).toEqual([
			[true, false],
			[undefined, undefined],
		]);
	});

	test('is true without anything to look up, and nothing is read', async () => {
		const service = serviceWith(LOGS);
		const { json } = await run([{ name: 'Ana' }], {}, { continueOnFail: true });
		expect(json).toMatchObject([{ error: { code: 'itemWithoutReference' } }]);
		expect(service.asked).toEqual([]);
	});
});

describe('how far back the logs are read', () => {
	/** One entry a minute, the newest first. */
	const LOGS = Array.from({ length: 6_000 }, (_, index) =>
		event(`r-${index}`, `T-${index}`, 'completed', index),
	);
	const pages = async (items: IDataObject[], options: INodeParameters = {}) => {
		const service = serviceWith(LOGS, [webhook(FINAL)]);
		await run(items, options);
		return service.reads().length;
	};
	// Two probes show the order.
	const pagesFor = (minutes: number) => Math.ceil((minutes + 1) / 100) + 2;
	const sent = { reference: 'x', sentAt: minutesAgo(340) };

	test('is an hour before the first payment, if all rows say when that was', async () => {
		expect(await pages([sent])).toBe(pagesFor(400));
		expect(await pages([sent, { ...sent, sentAt: minutesAgo(840) }])).toBe(pagesFor(900));
		expect(await pages([{ ...sent, sentAt: minutesAgo(840) }, sent])).toBe(pagesFor(900));
		expect(await pages([sent, { reference: 'y' }])).toBe(60);
	});

	test('does not depend on rows that were never created', async () => {
		expect(await pages([sent, { outcome: 'rejected', reference: 'y' }])).toBe(pagesFor(400));
	});

	test('ends for all rows that may exist, not for those that were never created', async () => {
		const final = { reference: 'r-5' };
		expect(await pages([final, { outcome: 'rejected', reference: 'y' }])).toBe(
			await pages([final]),
		);
		expect(await pages([final])).toBeLessThan(10);
	});

	test('is what the user sets', async () => {
		expect(await pages([sent], { lookbackDays: 1 })).toBe(pagesFor(1_440));
		expect(await pages([sent], { lookbackDays: '' })).toBe(pagesFor(400));
	});

	test('is not limited if the order is unknown, and that is reported', async () => {
		serviceWith(LOGS.slice(0, 300).toReversed(), [webhook(FINAL)]);
		const { hints } = await run([{ reference: 'r-1' }]);
		expect(hints).toEqual([expect.stringContaining('so all of them were read (300)')]);
	});
});

test('counts the entries that it cannot read', async () => {
	serviceWith([event('a', 'T-1', 'completed'), { id: '1', payload: 'x' }, { id: '2' }]);
	expect((await run([{ reference: 'a' }])).hints).toEqual([
		expect.stringMatching(/^Log entries .* were skipped: 2/),
	]);
});

describe('Wait Until Final', () => {
	const pending = event('a', 'T-1', 'pending');

	test('reads again after 2, 4, 8, 15 and 30 seconds, and at its end', async () => {
		const service = serviceWith([pending], [webhook(FINAL)]);
		const { json, hints } = await run([{ reference: 'a' }], { waitMinutes: 2 });
		expect(service.reads()).toEqual([0, 2, 6, 14, 29, 59, 89, 119, 120]);
		expect(json).toMatchObject([{ status: 'pending_transaction', mayBecomeFinal: true }]);
		expect(hints).toEqual([]);
	});

	test('ends as soon as all are final', async () => {
		const service = serviceWith([pending], [webhook(FINAL)]);
		time.atPause = (seconds) => {
			if (seconds === 3) service.logs = [event('a', 'T-1', 'completed', 0), pending];
		};
		const { json, hints } = await run([{ reference: 'a' }, { reference: 'a' }], { waitMinutes: 2 });
		expect(service.reads()).toEqual([0, 2, 6]);
		expect(json.map(({ allFinal }) => allFinal)).toEqual([true, true]);
		expect(hints).toEqual([]);
	});

	test('waits for a row that is not in the logs yet, and for one of several transactions', async () => {
		const service = serviceWith([], [webhook(FINAL)]);
		time.atPause = (seconds) => {
			if (seconds === 3) service.logs = [event('a', 'T-1', 'completed', 0)];
			if (seconds === 7) service.logs = [event('a', 'T-2', 'pending', 0), ...service.logs];
		};
		expect((await run([{ reference: 'a' }], { waitMinutes: 2 })).json).toMatchObject([
			{ transactionId: 'T-1', allFinal: true },
		]);
		expect(service.reads()).toEqual([0, 2, 6]);

		const both = serviceWith(
			[event('a', 'T-1', 'completed', 0), event('a', 'T-2', 'pending', 0)],
			[webhook(FINAL)],
		);
		const { json } = await run([{ reference: 'a' }], { waitMinutes: 0.1 });
		expect(both.reads()).toEqual([6, 8, 12]);
		expect(json.map(({ isFinal, allFinal }) => [isFinal, allFinal])).toEqual([
			[true, false],
			[false, false],
		]);
	});

	test('does not wait for what will not come', async () => {
		const none = serviceWith([pending], []);
		await run([{ reference: 'a' }], { waitMinutes: 2 });
		expect(none.reads()).toEqual([0]);
		const never = serviceWith([], [webhook(FINAL)]);
		await run([{ outcome: 'ready', reference: 'a' }], { waitMinutes: 2 });
		expect(never.reads()).toEqual([0]);
		for (const waitMinutes of [0, '', '0']) {
			const service = serviceWith([pending], [webhook(FINAL)]);
			await run([{ reference: 'a' }], { waitMinutes });
			expect(service.reads()).toEqual([0]);
		}
	});

	test('reads all that is new if the logs were empty before', async () => {
		const service = serviceWith([], [webhook(FINAL)]);
		time.atPause = () => {
			service.logs = Array.from({ length: 900 }, (_, index) =>
				event(`r-${index}`, `T-${index}`, 'completed', index),
			);
		};
		const { json } = await run([{ reference: 'r-899' }], { waitMinutes: 0.03 });
		expect(json).toMatchObject([{ status: 'completed_transaction' }]);
	});

	test('reads only what is newer than an hour before the newest entry', async () => {
		const logs = Array.from({ length: 6_000 }, (_, index) =>
			event(`r-${index}`, `T-${index}`, 'pending', index + 200),
		);
		const service = serviceWith(logs, [webhook(FINAL)]);
		const began = { reference: 'r-0', sentAt: minutesAgo(201) };
		await run([began], { waitMinutes: 2 / 60 });
		const pages = service.reads();
		// The service's clock may be behind by 200 minutes. Two probes show the order.
		expect(pages.filter((at) => at === 2)).toHaveLength(3 + 2);
	});

	test('reads less as soon as there are newer entries', async () => {
		const entries = (count: number, minutes: (index: number) => number) =>
			Array.from({ length: count }, (_, index) =>
				event(`r-${index}`, `T-${minutes(index)}`, 'pending', minutes(index)),
			);
		const old = entries(1_000, (index) => index + 200);
		const service = serviceWith(old, [webhook(FINAL)]);
		time.atPause = (seconds) => {
			if (seconds === 3) service.logs = [...entries(1_000, (index) => index / 6), ...old];
		};
		await run([{ reference: 'x', sentAt: minutesAgo(201) }], { waitMinutes: 14 / 60 });
		const pagesAt = (seconds: number) => service.reads().filter((at) => at === seconds).length;
		expect([pagesAt(6), pagesAt(14)]).toEqual([11 + 3, 4 + 3]);
	});

	test('does not need a signal of the execution', async () => {
		serviceWith([pending], [webhook(FINAL)]);
		const context = Object.assign(nodeWith({ options: { waitMinutes: 1 } }, [{ reference: 'a' }]), {
			getExecutionCancelSignal: () => undefined,
		});
		if (!('execute' in getStatus)) throw new Error('Not a batch operation');
		expect(await getStatus.execute.call(context)).toHaveLength(1);
	});

	test('lasts no longer than until the execution is cancelled', async () => {
		const service = serviceWith([pending], [webhook(FINAL)]);
		let isCancelled = false;
		time.atPause = (seconds) => (isCancelled ||= seconds >= 7);
		await run([{ reference: 'a' }], { waitMinutes: 2 }, { isCancelled: () => isCancelled });
		expect(service.reads()).toEqual([0, 2, 6]);
		expect(Date.now() - Date.parse(minutesAgo(0))).toBeLessThan(8_000);
	});

	test('survives an outage, and reports it if it lasts', async () => {
		const outage = new ServiceError(
			{ code: 'serviceFailed', message: 'It is down', hint: '' },
			{ status: 503, isOutage: true },
		);
		const service = serviceWith([pending], [webhook(FINAL)]);
		time.atPause = (seconds) => {
			service.error = seconds > 2 && seconds < 20 ? outage : undefined;
		};
		expect((await run([{ reference: 'a' }], { waitMinutes: 0.5 })).hints).toEqual([]);
		expect(service.reads()).toEqual([0, 2, 6, 14, 29, 30]);

		service.error = undefined;
		time.atPause = (seconds) => {
			service.error = seconds > 32 ? outage : undefined;
		};
		const { json, hints } = await run([{ reference: 'a' }], { waitMinutes: 0.5 });
		expect(json).toMatchObject([{ status: 'pending_transaction' }]);
		expect(hints[0]).toBe(
			'The logs could not be read again (It is down), so the statuses are from an earlier read.',
		);
	});

	test('ends with an error that is no outage', async () => {
		const service = serviceWith([pending], [webhook(FINAL)]);
		time.atPause = () => {
			service.error = new ServiceError({ code: 'notAllowed', message: 'Not allowed', hint: '' });
		};
		await expect(run([{ reference: 'a' }], { waitMinutes: 2 })).rejects.toThrow('Not allowed');
		expect(service.reads()).toEqual([0, 2]);
	});

	test('lasts 30 minutes at most', async () => {
		const service = serviceWith([pending], [webhook(FINAL)]);
		await run([{ reference: 'a' }], { waitMinutes: 30 });
		expect(service.reads().at(-1)).toBe(1_800);
	});

	test.each([-1, 31, 'soon'])('may not last %j minutes', async (waitMinutes) => {
		const service = serviceWith([pending]);
		await expect(run([{ reference: 'a' }], { waitMinutes })).rejects.toThrow(
			'Wait Until Final (Minutes) is ',
		);
		expect(service.asked).toEqual([]);
	});
});

test('keeps a payment whose status cannot be read, and reads once for all items', async () => {
	const service = serviceWith([]);
	service.error = new ServiceError({ code: 'notAllowed', message: 'Not allowed', hint: '' });
	const payment = { outcome: 'created', reference: 'a', message: 'Created' };
	const { json } = await run([payment, { reference: 'b' }], {}, { continueOnFail: true });
	expect(json).toMatchObject([
		{ error: { ...payment, paymentMessage: 'Created', message: '[Item 0] Not allowed' } },
		{ error: { message: '[Item 1] Not allowed' } },
	]);
	expect(service.reads()).toHaveLength(1);
});
