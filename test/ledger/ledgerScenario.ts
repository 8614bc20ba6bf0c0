import type { Intent, Known, Ledger } from '../../nodes/ledger/ledger';
import type { StoredEntries } from '../../nodes/ledger/storedEntries';

/*
 * Random executions over one ledger. They interleave between any two writes, one turn of the lock at a time, as
 * `workflowLock` guarantees. A process may be killed at any write, and a call may fail before or after it has written.
 */

export type LedgerClass = typeof Ledger;

/** What the ledger uses of the entries of a node. */
export type Entries = Pick<StoredEntries, 'size' | 'withLock' | 'record' | 'remove'>;

const DAY_MS = 24 * 60 * 60 * 1000;

const START = Date.UTC(2026, 10, 27, 12);

/** How many turns of the event loop an execution lets others go first, at most. */
const LONGEST_PAUSE = 40;

class Killed extends Error {}

const DATABASE_FAILED = 'the database failed';

/** A payment that the service has received, or is about to. */
interface Sent {
	intent: Intent;
	attempt: number;
	/** When it began, in milliseconds. */
	day: number;
	/** Whether it exists, as far as it matters: one in flight may. */
	state: 'inFlight' | 'created' | 'rejected';
	isProved: boolean;
	by: number;
}

/** Returns a function that gives whole numbers below n. */
export function randomFrom(seed: number): (n: number) => number {
	let state = seed;
	return (n) => {
		state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
		return Math.floor((state / 2 ** 32) * n);
	};
}

/** Entries of one node, and who works on them. */
class Database {
	readonly all = new Set<string>();

	private busy: Promise<unknown> = Promise.resolve();

	/** How many accidents have happened to a reference. */
	private readonly accidents = new Map<string, number>();

	constructor(
		private readonly random: (n: number) => number,
		private readonly accidentsPerReference: number,
	) {}

	/** @param touched the references of the execution: each has only so many accidents */
	entries(touched: ReadonlySet<string>): Entries {
		const { random, all } = this;
		let calls = 0;
		const killAt = random(3) === 0 ? 1 + random(12) : Infinity;
		const failAt = random(6) === 0 ? 1 + random(12) : Infinity;
		const isWritten = random(2) === 0;
		let isKilled = false;
		const isAccident = () => {
			const count = (key: string) => this.accidents.get(key) ?? 0;
			if ([...touched].some((key) => count(key) >= this.accidentsPerReference)) return false;
			for (const key of touched) this.accidents.set(key, count(key) + 1);
			return true;
		};
		const call = async <T>(write: () => T): Promise<T> => {
			await Promise.resolve();
			calls++;
			if (isKilled || (calls === killAt && isAccident())) {
				isKilled = true;
				throw new Killed();
			}
			if (calls !== failAt) return write();
			// One that is written although an error is reported is an accident like a kill.
			if (isWritten && isAccident()) write();
			else if (isWritten) return write();
			throw new Error(DATABASE_FAILED);
		};
		return {
			size: async () => await Promise.resolve(all.size),
			withLock: async (work) => {
				const before = this.busy;
				let done = () => {};
				this.busy = new Promise<void>((resolve) => (done = resolve));
				await before;
				try {
					return { value: await work(true), wasExclusive: true, wasLost: false };
				} finally {
					done();
				}
			},
			record: async (wanted) =>
				await call(() => {
					const added = wanted.filter((entry) => !all.has(entry));
					for (const entry of added) all.add(entry);
					return new Set(added);
				}),
			remove: async (wanted) =>
				await call(() => {
					for (const entry of wanted) all.delete(entry);
				}),
		};
	}
}

const SETTINGS = { scope: 'account', payeeScope: 'service', duplicateWindowDays: 3 };

/**
 * @param accidentsPerReference kills, and errors although it was written, that happen to a reference at most
 * @returns the promises that are broken
 */
export async function runScenario(
	Class: LedgerClass,
	random: (n: number) => number,
	accidentsPerReference: number,
): Promise<string[]> {
	const database = new Database(random, accidentsPerReference);
	const broken: string[] = [];
	const sent: Sent[] = [];
	/** The purposes that executions meant to send, and the money that logs proved, each with its reference. */
	const meant = new Set<string>();
	const proved = new Set<string>();
	const adopted = new Set<string>();
	let isCalm = true;
	let now = START;
	const realNow = Date.now;
	const today = () => now - (now % DAY_MS);
	const alive = (key: string) =>
		sent.filter((one) => one.intent.key === key && one.state !== 'rejected');

	const check = (intent: Intent, known: Known) => {
		const { key } = intent;
		const mine = alive(key);
		const isAdopted = [...adopted].some((one) => one.startsWith(`${key} `));
		if (known.reads === 'none' && mine.length > 0) broken.push('may be sent although it was sent');
		if (known.reads === 'none' && isAdopted) broken.push('may be sent although the logs have it');
		if (known.reads === 'none') return;
		const isProved =
			proved.has(`${key} ${intent.digest}`) ||
			mine.some((one) => one.isProved && one.intent.digest === intent.digest);
		if (known.reads === 'alreadySent' && !isProved)
			broken.push('is already sent although nobody proved it');
		if (known.reads === 'alreadySent' && !meant.has(`${key} purpose ${intent.purpose}`))
			broken.push('was sent for a purpose that nobody meant');
		const last = Math.max(-1, ...mine.map(({ attempt }) => attempt));
		if (known.request < last) broken.push('forgets a request');
	};

	const intentsOf = (): Intent[] => {
		const purpose = `purpose ${random(2)}`;
		return [0, 1, 2].flatMap((number) =>
			random(3) === 0
				? []
				: {
						key: `R${number}`,
						digest: `D${number} ${random(2)}`,
						purpose,
						ignoresPurpose: random(2) === 0,
						duplicateKeys: { payee: `P${number}`, account: `A${number}` },
						payee: { id: `P${number}`, account: `${random(2)}` },
					},
		);
	};

	const execute = async (id: number) => {
		for (let wait = random(LONGEST_PAUSE); wait > 0; wait--) await Promise.resolve();
		const intents = intentsOf();
		const ledger = new Class(
			database.entries(new Set(intents.map(({ key }) => key))) as StoredEntries,
			SETTINGS,
		);
		const kind = random(8);
		const wanted = random(3) === 0 ? 1 + random(2) : 0;
		try {
			if (kind < 2) {
				const known = await ledger.lookUp(intents);
				for (const one of intents) check(one, known.get(one.key) as Known);
				if (kind === 1) {
					const attempts = intents.flatMap((one): Array<[Intent, number]> => {
						const { reads, request } = known.get(one.key) as Known;
						return reads === 'unknown' ? [[one, request]] : [];
					});
					const lastOf = (key: string) =>
						alive(key).reduce<Sent | undefined>(
							(a, b) => (a && a.attempt > b.attempt ? a : b),
							undefined,
						);
					const before = new Map(intents.map(({ key }) => [key, lastOf(key)]));
					for (const [key, day] of await ledger.claimDays(new Map(attempts))) {
						const last = before.get(key);
						const asked = known.get(key)?.request;
						if (last && last.attempt === asked && last.state !== 'rejected' && day > last.day)
							broken.push('was recorded earlier than that day');
					}
				}
				return;
			}
			if (kind === 2) {
				// Another node has paid them, or an answer was lost: the logs have them.
				const logged = intents.filter(({ key, digest }) =>
					alive(key).every((one) => one.intent.digest === digest),
				);
				for (const { key, purpose } of logged) meant.add(`${key} purpose ${purpose}`);
				for (const { key, digest } of logged) proved.add(`${key} ${digest}`);
				await ledger.adopt(new Map(logged.map((intent) => [intent, { as: 'created' as const }])));
				// One that another execution meanwhile sent with other values stays a conflict.
				for (const [key, { reads }] of await ledger.lookUp(logged)) {
					const digest = logged.find((one) => one.key === key)?.digest;
					if (reads === 'alreadySent') adopted.add(`${key} ${digest}`);
				}
				return;
			}
			let chosen: Sent[] = [];
			const found = await ledger.claim(intents, (known) => {
				chosen = intents.flatMap((intent) => {
					const { reads, request } = known.get(intent.key) as Known;
					const attempt = reads === 'none' || wanted > request ? wanted : undefined;
					if (attempt === undefined) return [];
					meant.add(`${intent.key} purpose ${intent.purpose}`);
					return { intent, attempt, day: today(), state: 'inFlight', isProved: false, by: id };
				});
				return new Map(chosen.map(({ intent, attempt }) => [intent.key, attempt]));
			});
			for (const one of intents) check(one, found.get(one.key) as Known);
			for (const payment of chosen) {
				const { key } = payment.intent;
				if (alive(key).some(({ attempt }) => attempt === payment.attempt))
					broken.push('is sent twice for one request');
				sent.push(payment);
			}
			for (const payment of chosen) {
				for (let wait = random(20); wait > 0; wait--) await Promise.resolve();
				if (random(6) === 0) now += random(3) * DAY_MS;
				const { key } = payment.intent;
				const answer = random(3);
				payment.state = answer === 2 ? 'rejected' : 'created';
				if (answer === 2) ledger.release(key);
				if (answer === 0) {
					payment.isProved = true;
					ledger.prove(key);
				}
			}
			await ledger.flush();
			for (const key of ledger.unreleased) broken.push(`${key} is unreleased after a flush`);
		} catch (error) {
			isCalm = false;
			if (!(error instanceof Killed) && (error as Error).message !== DATABASE_FAILED)
				broken.push(`it throws ${(error as Error).message}`);
		}
	};

	Date.now = () => now;
	try {
		await Promise.all(Array.from({ length: 2 + random(5) }, async (_, id) => await execute(id)));
		if (isCalm) await compare();
	} finally {
		Date.now = realNow;
	}
	return [...new Set(broken)];

	/** Without any accident, the ledger knows exactly what was sent. */
	async function compare(): Promise<void> {
		const quiet = new Database(() => 1, 0);
		for (const entry of database.all) quiet.all.add(entry);
		const ledger = new Class(quiet.entries(new Set()) as StoredEntries, SETTINGS);
		for (const { intent, attempt, isProved } of lastOfEach(sent)) {
			if ([...proved].some((one) => one.startsWith(`${intent.key} `))) continue;
			const known = (await ledger.lookUp([intent])).get(intent.key) as Known;
			const expected = isProved ? 'alreadySent' : 'unknown';
			if (known.reads !== expected) broken.push(`reads ${known.reads} in the end, not ${expected}`);
			if (known.request !== attempt) broken.push('has another last request in the end');
		}
	}
}

/** The last attempt of each reference that may exist. */
function lastOfEach(sent: Sent[]): Sent[] {
	const last = new Map<string, Sent>();
	for (const one of sent)
		if (one.state !== 'rejected' && one.attempt >= (last.get(one.intent.key)?.attempt ?? 0))
			last.set(one.intent.key, one);
	return [...last.values()];
}
