import {
	Ledger,
	NEVER_SENT,
	type Intent,
	type Known,
	type Logged,
} from '../../nodes/ledger/ledger';
import type { StoredEntries } from '../../nodes/ledger/storedEntries';
import { NotExclusiveError } from '../../nodes/ledger/workflowLock';
import type { Entries } from './ledgerScenario';

const DAY_MS = 24 * 60 * 60 * 1000;
const NOON = Date.UTC(2026, 10, 27, 12);

/** The entries of a node. Its executions can be killed at a write. */
class Node {
	readonly all = new Set<string>();

	writes = 0;

	/** How many entries were removed. */
	removed = 0;

	/** The write that kills the process, from 1, or that fails. */
	killAt = Infinity;

	failAt = Infinity;

	/** The writes, from 1, that fail after they were stored. Each is tried again, unless it may be made only once. */
	failAfterwards = new Set<number>();

	execution(settings: { scope?: string; duplicateWindowDays?: number } = {}): Ledger {
		return new Ledger(this.entries() as StoredEntries, {
			scope: 'account',
			payeeScope: 'production',
			duplicateWindowDays: 3,
			...settings,
		});
	}

	private entries(): Entries {
		let isKilled = false;
		const write = async <T>(work: () => T): Promise<T> => {
			isKilled ||= ++this.writes === this.killAt;
			if (isKilled || this.writes === this.failAt) throw new Error('killed');
			return await Promise.resolve(work());
		};
		return {
			size: async () => await Promise.resolve(this.all.size),
			withLock: async (work) => ({ value: await work(true), wasExclusive: true, wasLost: false }),
			record: async (entries, isOnce) =>
				await write(() => {
					const added = entries.filter((entry) => !this.all.has(entry));
					for (const entry of added) this.all.add(entry);
					const isFailing = this.failAfterwards.has(this.writes);
					if (isFailing && isOnce) throw new Error('Connection terminated');
					// The second try finds what the first one has stored.
					return new Set(isFailing ? [] : added);
				}),
			remove: async (entries) =>
				await write(() => {
					for (const entry of entries) if (this.all.delete(entry)) this.removed++;
				}),
		};
	}
}

const intent = (changes: Partial<Intent> = {}): Intent => ({
	key: 'R1',
	digest: 'money',
	purpose: 'november',
	duplicateKeys: { payee: 'Ana 100', account: '7700 100' },
	payee: { id: 'Ana', account: '7700' },
	...changes,
});

const another = (changes: Partial<Intent> = {}): Intent => intent({ key: 'R2', ...changes });

/** What becomes of a payment after its claim. */
type End = 'proved' | 'released' | 'cut off';

async function pay(ledger: Ledger, one: Intent, end: End, request = 0): Promise<void> {
	await ledger.claim([one], () => new Map([[one.key, request]]));
	if (end === 'proved') ledger.prove(one.key);
	if (end === 'released') ledger.release(one.key);
	await ledger.flush();
}

async function lookUp(node: Node, one: Intent, settings = {}): Promise<Known> {
	return (await node.execution(settings).lookUp([one])).get(one.key) as Known;
}

beforeEach(() => {
	jest.useFakeTimers({ now: NOON, doNotFake: ['performance', 'nextTick'] });
});

afterEach(() => {
	jest.useRealTimers();
});

type Step = (node: Node) => Promise<unknown>;

const sent =
	(end: End, changes: Partial<Intent> = {}, request = 0): Step =>
	async (node) =>
		await pay(node.execution(), intent(changes), end, request);

const logged =
	(changes: Partial<Intent> = {}, at?: number, as: Logged = 'created'): Step =>
	async (node) =>
		await node.execution().adopt(new Map([[intent(changes), { as, at }]]));

const loggedAs = (as: Logged): Step => logged({}, undefined, as);

const daysLater =
	(days: number): Step =>
	async () =>
		await Promise.resolve(jest.setSystemTime(Date.now() + days * DAY_MS));

const NEW = { ...NEVER_SENT };

test.each<[rule: string, steps: Step[], asked: Intent, known: Partial<Known>]>([
	['an empty ledger knows nothing', [], intent(), NEW],
	['a payment that was cut off is unknown', [sent('cut off')], intent(), { reads: 'unknown' }],
	['a proved payment is already sent', [sent('proved')], intent(), { reads: 'alreadySent' }],
	['a released payment may be sent', [sent('released')], intent(), { ...NEW, isAsked: true }],
	[
		'a payment with other money is a conflict',
		[sent('proved')],
		intent({ digest: 'more' }),
		{ reads: 'conflict' },
	],
	[
		'a payment that was rejected, corrected and proved is already sent as corrected',
		[sent('released'), sent('proved', { digest: 'more' })],
		intent({ digest: 'more' }),
		{ reads: 'alreadySent', request: 0 },
	],
	[
		'a payment that was rejected, corrected and proved is a conflict as it was',
		[sent('released'), sent('proved', { digest: 'more' })],
		intent(),
		{ reads: 'conflict' },
	],
	[
		'a request that was cut off is unknown although the payment was proved',
		[sent('proved'), sent('cut off', {}, 1)],
		intent(),
		{ reads: 'unknown', request: 1 },
	],
	[
		'the last request counts',
		[sent('proved'), sent('cut off', {}, 1), sent('proved', { digest: 'more' }, 2)],
		intent({ digest: 'more' }),
		{ reads: 'alreadySent', request: 2 },
	],
	[
		'a request that was rejected leaves what was sent before',
		[sent('proved'), sent('released', {}, 1)],
		intent(),
		{ reads: 'alreadySent', request: 0 },
	],
	[
		'a request of a payment that the ledger does not know is recorded under its number',
		[sent('proved', {}, 2)],
		intent(),
		{ reads: 'alreadySent', request: 2 },
	],
	[
		'what the logs have is already sent',
		[logged()],
		intent(),
		{ reads: 'alreadySent', request: 0 },
	],
	[
		'a payment that was cut off and is in the logs is already sent',
		[sent('cut off'), logged()],
		intent(),
		{ reads: 'alreadySent' },
	],
	[
		'the logs prove the last request',
		[sent('proved'), sent('cut off', {}, 1), logged()],
		intent(),
		{ reads: 'alreadySent', request: 1 },
	],
	[
		'the logs do not settle a conflict',
		[sent('cut off'), logged({ digest: 'more' })],
		intent({ digest: 'more' }),
		{ reads: 'conflict' },
	],
	[
		'another purpose is told from the one that was sent',
		[sent('proved')],
		intent({ purpose: 'december' }),
		{ reads: 'otherPurpose' },
	],
	['the same purpose is known', [sent('cut off')], intent(), { reads: 'unknown' }],
	[
		'an endpoint without a purpose has no other one',
		[sent('proved', { purpose: undefined })],
		intent({ purpose: undefined }),
		{ reads: 'alreadySent' },
	],
	[
		'a second payment to a payee and account is a duplicate',
		[sent('proved')],
		another(),
		{ reads: 'none', isDuplicate: true, isPayeeNew: false, hasPaidOthers: true },
	],
	[
		'a payment that was cut off counts for duplicates',
		[sent('cut off')],
		another(),
		{ isDuplicate: true },
	],
	['a released payment does not', [sent('released')], another(), NEW],
	[
		'a corrected document number is a duplicate by account',
		[sent('proved')],
		another({
			payee: { id: 'Anna', account: '7700' },
			duplicateKeys: { payee: 'Anna 100', account: '7700 100' },
		}),
		{ isDuplicate: true, isPayeeNew: true, isAccountChanged: true },
	],
	[
		'a corrected account is a duplicate by payee',
		[sent('proved')],
		another({
			payee: { id: 'Ana', account: '8800' },
			duplicateKeys: { payee: 'Ana 100', account: '8800 100' },
		}),
		{ isDuplicate: true, isPayeeNew: false, isAccountChanged: true },
	],
	[
		'another purpose is no duplicate',
		[sent('proved')],
		another({ purpose: 'december' }),
		{ isDuplicate: false },
	],
	[
		'another purpose that all rows share is a duplicate',
		[sent('proved')],
		another({ purpose: 'december', ignoresPurpose: true }),
		{ isDuplicate: true },
	],
	[
		'a row that is corrected alone is a duplicate of one whose purpose all rows shared',
		[sent('proved', { ignoresPurpose: true })],
		another(),
		{ isDuplicate: true },
	],
	[
		'a duplicate without a duplicate key is not looked for',
		[sent('proved', { duplicateKeys: { payee: undefined } })],
		another({ duplicateKeys: { payee: undefined } }),
		{ isDuplicate: false },
	],
	[
		'a duplicate is found within the window',
		[sent('proved'), daysLater(3)],
		another(),
		{ isDuplicate: true },
	],
	[
		'a duplicate is forgotten after two windows',
		[sent('proved'), daysLater(6)],
		another(),
		{ isDuplicate: false },
	],
	[
		'a payment that the logs have counts from when it was created',
		[logged({}, NOON - 7 * DAY_MS)],
		another(),
		{ isDuplicate: false },
	],
	[
		'what others sent is already sent by them: the logs have no payee, so nobody knows him',
		[logged()],
		intent(),
		{ reads: 'alreadySent', isByOthers: true },
	],
	['... with other values', [logged()], intent({ digest: 'other' }), { reads: 'conflict' }],
	['... and is a duplicate', [logged()], another(), { isDuplicate: true, isPayeeNew: true }],
	[
		'what others sent with other values is a conflict',
		[loggedAs('sent')],
		intent(),
		{ reads: 'conflict' },
	],
	['... and no duplicate', [loggedAs('sent')], another(), { isDuplicate: false }],
	[
		'... until a person has it paid',
		[loggedAs('sent'), sent('proved', {}, 1)],
		intent(),
		{ reads: 'alreadySent', request: 1 },
	],
	[
		'what was sent here and failed stays as it is',
		[sent('cut off'), loggedAs('seen')],
		intent(),
		{ reads: 'unknown' },
	],
	[
		'what failed at others may exist',
		[loggedAs('seen')],
		intent(),
		{ reads: 'none', isAsked: true },
	],
	[
		'what was cut off and the logs have was sent here',
		[sent('cut off'), logged()],
		intent(),
		{ reads: 'alreadySent', isByOthers: false },
	],
	[
		'a payee without an account has no new one',
		[sent('proved', { payee: { id: 'Ana' } })],
		another({ payee: { id: 'Ana' } }),
		{ isPayeeNew: false, isAccountChanged: false },
	],
	[
		'payees that are not remembered stay new',
		[sent('proved', { payee: undefined })],
		another(),
		{ isPayeeNew: true, hasPaidOthers: false },
	],
])('%s', async (_, steps, asked, expected) => {
	const node = new Node();
	for (const step of steps) await step(node);
	const before = [...node.all];
	expect(await lookUp(node, asked)).toMatchObject(expected);
	// Looking up leaves nothing.
	expect([...node.all]).toEqual(before);
});

test.each([
	[1, 4],
	[3, 6],
	[7, 10],
	[31, 34],
])(
	'a window of %i days finds a duplicate of that age, and none of %i days, whatever recorded it',
	async (duplicateWindowDays, tooOld) => {
		for (let offset = 0; offset < 3; offset++) {
			jest.setSystemTime(NOON + offset * DAY_MS);
			const node = new Node();
			await pay(node.execution(), intent(), 'proved');
			const isFoundAfter = async (days: number) => {
				jest.setSystemTime(NOON + (offset + days) * DAY_MS);
				return (await lookUp(node, another(), { duplicateWindowDays })).isDuplicate;
			};
			expect(await isFoundAfter(duplicateWindowDays)).toBe(true);
			expect(await isFoundAfter(tooOld)).toBe(false);
		}
	},
);

const looksUp: Step = async (node) => await node.execution().lookUp([intent()]);
const asksDays: Step = async (node) => await node.execution().claimDays(new Map([[intent(), 0]]));

/* What the next run reads after a process was killed at its first write, at its second, and so on. */
test.each<[action: string, before: Step[], action: Step, reads: Array<Known['reads']>]>([
	['looks a new payment up', [sent('proved', { key: 'R9' })], looksUp, Array(4).fill('none')],
	['looks a payment up that was cut off', [sent('cut off')], looksUp, Array(4).fill('unknown')],
	['looks a payment up that was proved', [sent('proved')], looksUp, Array(5).fill('alreadySent')],
	[
		'looks a payment up that was rejected',
		[sent('released')],
		looksUp,
		[...Array<'none'>(4).fill('none'), 'unknown'],
	],
	['asks on which day a payment was recorded', [sent('cut off')], asksDays, ['unknown', 'unknown']],
	['pays', [], sent('proved'), ['none', 'none', 'unknown']],
	['pays what is rejected', [], sent('released'), ['none', 'none', 'unknown', 'unknown']],
	[
		'pays again',
		[sent('proved')],
		sent('proved', {}, 1),
		[...Array<'alreadySent'>(4).fill('alreadySent'), 'unknown'],
	],
	[
		'pays again what is rejected',
		[sent('proved')],
		sent('released', {}, 1),
		[...Array<'alreadySent'>(4).fill('alreadySent'), 'unknown', 'unknown'],
	],
	['records what the logs have', [], logged(), ['none', 'none', 'alreadySent']],
	[
		'records that the logs have what was cut off',
		[sent('cut off')],
		logged(),
		['unknown', 'unknown', 'unknown', 'alreadySent'],
	],
])('a process that %s can be killed at any write', async (_, before, action, reads) => {
	const found: string[] = [];
	for (let killAt = 1, isOver = false; !isOver; killAt++) {
		const node = new Node();
		for (const step of before) await step(node);
		node.writes = 0;
		node.killAt = killAt;
		isOver = await action(node).then(
			() => true,
			() => false,
		);
		node.killAt = Infinity;
		if (!isOver) found.push((await lookUp(node, intent())).reads);
	}
	expect(found).toEqual(reads);
});

test('however many processes are killed while they ask, what nobody proved is not already sent', async () => {
	const reads = new Set<string>();
	for (const first of [1, 2, 3]) {
		for (const second of [1, 2, 3, 4]) {
			const node = new Node();
			await sent('cut off')(node);
			for (const killAt of [first, second, 5]) {
				node.writes = 0;
				node.killAt = killAt;
				await looksUp(node).catch(() => undefined);
			}
			node.killAt = Infinity;
			reads.add((await lookUp(node, intent())).reads);
		}
	}
	expect([...reads]).toEqual(['unknown']);
});

test('a payment that the logs prove stays, although the execution that claimed it then releases it', async () => {
	const node = new Node();
	const ledger = node.execution();
	await ledger.claim([intent()], () => new Map([['R1', 0]]));
	await logged()(node);
	ledger.release('R1');
	await ledger.flush();
	expect(await lookUp(node, intent())).toMatchObject({ reads: 'alreadySent' });
	expect(await lookUp(node, intent({ digest: 'more' }))).toMatchObject({ reads: 'conflict' });
});

test('a proved payment can no longer be released', async () => {
	const node = new Node();
	const ledger = node.execution();
	await ledger.claim([intent()], () => new Map([['R1', 0]]));
	ledger.prove('R1');
	ledger.release('R1');
	await ledger.flush();
	expect(await lookUp(node, intent())).toMatchObject({ reads: 'alreadySent' });
	expect(await lookUp(node, another())).toMatchObject({ isDuplicate: true });
});

test('a database in which each first write fails after it was stored ends the question', async () => {
	const node = new Node();
	await sent('proved')(node);
	node.failAfterwards = new Set(Array.from({ length: 1_000 }, (_, index) => index));
	await expect(lookUp(node, intent())).rejects.toThrow('Connection terminated');
	node.failAfterwards.clear();
	expect((await lookUp(node, intent())).reads).not.toBe('none');
});

test('what could not be removed is removed no more, and counts as sent', async () => {
	const node = new Node();
	const ledger = node.execution();
	await ledger.claim([intent()], () => new Map([['R1', 0]]));
	ledger.release('R1');
	node.writes = 0;
	node.failAt = 1;
	await expect(ledger.flush()).rejects.toThrow('killed');
	expect([...ledger.unreleased]).toEqual(['R1']);
	node.failAt = Infinity;
	await ledger.claim([another()], () => new Map());
	await ledger.flush();
	expect([...ledger.unreleased]).toEqual(['R1']);
	expect(await lookUp(node, intent())).toMatchObject({ reads: 'unknown' });
});

test.each([
	['recording fails removes what it has added, but for slots', 0, ['slot']],
	['removing fails leaves what it has added', undefined, ['slot', 'account', 'payee']],
])('an execution whose %s', async (_, attempt, expected) => {
	const node = new Node();
	await sent('proved', { payee: { id: 'Ana' }, duplicateKeys: {} })(node);
	const before = new Set(node.all);
	node.writes = 0;
	node.failAt = 2;
	const asked = another({ payee: { id: 'Bo', account: '7700' }, duplicateKeys: {} });
	const claim = node
		.execution()
		.claim([asked], () => new Map(attempt === undefined ? [] : [['R2', attempt]]));
	await expect(claim).rejects.toThrow('killed');
	const left = [...node.all].filter((entry) => !before.has(entry));
	const kinds = left.map((entry) => /\n(payee|account) /.exec(entry)?.[1] ?? 'slot');
	expect(kinds.sort()).toEqual([...expected].sort());
});

test('an attempt that may have been sent is not claimed', async () => {
	const node = new Node();
	await sent('cut off', {}, 1)(node);
	const claim = node.execution().claim([intent()], () => new Map([['R1', 1]]));
	await expect(claim).rejects.toThrow('attempt 1 of R1 may have been sent');
	expect(await lookUp(node, intent())).toMatchObject({ reads: 'unknown', request: 1 });
});

test('what another execution added and then removes is added again', async () => {
	const node = new Node();
	const [one, other] = [node.execution(), node.execution()];
	await one.claim([intent()], () => new Map([['R1', 0]]));
	await other.claim([another()], () => new Map([['R2', 0]]));
	one.release('R1');
	await one.flush();
	other.prove('R2');
	await other.flush();
	expect(await lookUp(node, intent({ key: 'R3' }))).toMatchObject({
		isDuplicate: true,
		isPayeeNew: false,
	});
});

test('what an execution has added itself is not what an earlier one did', async () => {
	const ledger = new Node().execution();
	await ledger.claim([intent()], () => new Map([['R1', 0]]));
	const known = await ledger.lookUp([another()]);
	expect(known.get('R2')).toMatchObject({
		isDuplicate: false,
		isPayeeNew: true,
		hasPaidOthers: false,
	});
});

test.each([
	[0, '2026-11-27'],
	[1, '2026-11-26'],
	[31, '2026-10-27'],
	[40, undefined],
])('the day of a claim is known %i days later', async (days, day) => {
	const node = new Node();
	jest.setSystemTime(NOON - days * DAY_MS);
	await sent('cut off')(node);
	jest.setSystemTime(NOON);
	const ask = async () => {
		const found = (await node.execution().claimDays(new Map([[intent(), 0]]))).get('R1');
		return found === undefined ? undefined : new Date(found).toISOString().slice(0, 10);
	};
	expect(await ask()).toBe(day);
	// A process that is killed while it asks makes no claim look younger.
	node.writes = 0;
	node.killAt = 2;
	await expect(ask()).rejects.toThrow('killed');
	node.killAt = Infinity;
	for (let later = 0; later < 40; later++) {
		jest.setSystemTime(NOON + later * DAY_MS);
		const found = await ask();
		expect(found === undefined || found <= (day ?? '2026-10-18')).toBe(true);
	}
});

test('a payment of another account or endpoint is another payment', async () => {
	const node = new Node();
	await sent('proved')(node);
	expect(await lookUp(node, intent(), { scope: 'another account' })).toMatchObject({
		reads: 'none',
		isDuplicate: true,
	});
});

test.each([
	['a new payee', 'Bo', 18],
	['a known payee', 'Ana', 15],
])('a proved payment to %s has so many entries', async (_, id, expected) => {
	const node = new Node();
	await sent('proved')(node);
	const before = node.all.size;
	const duplicateKeys = { payee: 'other payee', account: 'other account' };
	const account = id === 'Ana' ? '7700' : '8800';
	await pay(node.execution(), another({ payee: { id, account }, duplicateKeys }), 'proved');
	expect(node.all.size - before).toBe(expected);
});

test('two calls record a chunk of new payments, and one more call their proofs', async () => {
	const node = new Node();
	const chunk = Array.from({ length: 80 }, (_, index) =>
		intent({ key: `R${index}`, duplicateKeys: {} }),
	);
	const ledger = node.execution();
	await ledger.claim(chunk, () => new Map(chunk.map(({ key }) => [key, 0])));
	expect(node.writes).toBe(2);
	for (const { key } of chunk) ledger.prove(key);
	await ledger.flush();
	expect(node.writes).toBe(3);
});

test('a payment whose claim another process may have cut short counts as sent', async () => {
	const node = new Node();
	const ledger = node.execution();
	ledger.entries.withLock = async (work) => {
		await work(true);
		throw new NotExclusiveError('the database stood still');
	};
	await expect(pay(ledger, intent(), 'proved')).rejects.toThrow('stood still');
	expect([...ledger.unreleased]).toEqual(['R1']);
	expect((await lookUp(node, intent())).reads).toBe('unknown');
});

test.each([
	['for its reference alone if its payee is known', {}, 10, 3 + 1],
	['for similar payments, too, if anything was sent within the duplicate window', {}, 1, 3 + 2 * 3],
	['for its reference alone if nobody was paid', { payee: undefined }, 10, 3 + 2],
])('a payment is looked up %s', async (_, changes, days, removed) => {
	const node = new Node();
	await pay(node.execution(), intent(changes), 'proved');
	await daysLater(days)(node);
	const intents = ['200', '300', '400'].map((amount) =>
		intent({ key: amount, duplicateKeys: { payee: `Ana ${amount}`, account: `7700 ${amount}` } }),
	);
	await node.execution().lookUp(intents);
	expect(node.removed).toBe(removed);
});

test('keeps a payment unknown if the writes that ask for it fail after they were stored', async () => {
	const node = new Node();
	await pay(node.execution(), intent(), 'cut off');
	// The question about the attempt, and the one about what would mean success.
	node.failAfterwards = new Set([node.writes + 3, node.writes + 4]);
	await expect(node.execution().lookUp([intent()])).rejects.toThrow('Connection terminated');
	const known = await node.execution().lookUp([intent()]);
	expect(known.get('R1')?.reads).toBe('unknown');
});
