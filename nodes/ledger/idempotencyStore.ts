import { sleep } from 'n8n-workflow';

import { DamagedRowError, ProcessedItems } from './processedItems';
import { rethrow, type LockedResult, type StateContext } from './workflowLock';

/**
 * How many entries a node keeps. Then the oldest are dropped. A payment has five, and up to two more for its payee and
 * account, so at least 35,000 payments are remembered.
 */
export const MAX_ENTRIES = 250_000;

/** How many payments are recorded at once: each call takes longer, the more the node remembers. */
const CHUNK = { usual: 80, max: 400 };
const ENTRIES_PER_CHUNK = MAX_ENTRIES / (CHUNK.max / CHUNK.usual);

/** How many payments are looked up in one turn of the lock: what asking recorded is removed again in that turn. */
const LOOK_UP_CHUNK = 40;

/** How many payments are removed in one turn of the lock: removing takes much longer than recording. */
const REMOVAL_CHUNK = 50;

/** How many shared entries are given back in one turn of the lock. */
const RELEASE_CHUNK = 2 * REMOVAL_CHUNK;

/**
 * How many executions are counted that have recorded the same payee, account or duplicate. If there were this many,
 * it stays, whether or not they send.
 */
const MAX_HOLDERS = 3;

/** n8n's database may be busy for a moment. */
const ATTEMPTS = 3;
const RETRY_DELAY_MS = 200;

const DAY_MS = 24 * 60 * 60 * 1000;

/** The first entry of every store: a row without it was damaged, or written by something else. */
const FIRST_ENTRY = 'partnerPayments:payments';

/** What a payment leaves in the store. */
export interface Intent {
	/** Its idempotency key. */
	key: string;
	/** The digest of what it moves: payee, account, amount, currency. */
	digest: string;
	/** Equal for payments that are duplicates; missing if duplicates are not looked for. */
	duplicateKey?: string;
	/** Missing if payees are not remembered. The account is missing if it cannot change. */
	payee?: { id: string; account?: string };
}

/**
 * What earlier executions sent under a reference:
 * - `none`: nothing
 * - `same`: the same money
 * - `other`: another amount, payee or account
 * - `unclear`: an execution that recorded it was killed, or did not send it while another one paid it again. Nobody knows
 *   whether or with what values it was sent
 */
type Earlier = 'none' | 'same' | 'other' | 'unclear';

/** What the store knew of a payment when it was asked. */
export interface Known {
	earlier: Earlier;
	/** How often a person had it paid again. */
	timesPaidAgain: number;
	/** The number of the last time that a person wanted it to be paid again, even if that was not sent. */
	lastTime: number;
	/** Whether a duplicate was sent under another reference within the duplicate window. */
	isDuplicate: boolean;
	/** Whether the payee is known, and not with this account. */
	isAccountNew: boolean;
	/** Whether nothing was sent to the payee before. */
	isPayeeNew: boolean;
}

/** A payment of which the store knows nothing. */
export const UNKNOWN_PAYMENT: Known = {
	earlier: 'none',
	timesPaidAgain: 0,
	lastTime: 0,
	isDuplicate: false,
	isAccountNew: false,
	isPayeeNew: true,
};

interface StoreSettings {
	/** What a reference belongs to: account and endpoint. The same reference in another scope is another payment. */
	scope: string;
	/** What payees and duplicates belong to, whichever of our accounts pays. */
	payeeScope: string;
	/** How far back duplicates are looked for; 0 if they are not. */
	duplicateWindowDays: number;
}

/**
 * What any execution of this node has paid to whom, in n8n's processed items. A copied node, or a node of a copied
 * workflow, starts with an empty store.
 *
 * n8n cannot look an entry up without recording it, so whatever only asking has recorded is removed in the same turn
 * of the lock. What a killed process leaves behind reads as sent or as unclear, never as sent with other values.
 */
export class IdempotencyStore {
	/** How many of the oldest entries were dropped because this execution added its own. */
	dropped = 0;

	readonly items: ProcessedItems;

	/** How many entries the node has; undefined until it was asked. */
	private size?: number;

	private wasEmpty = false;

	/** Entries of this execution that another process may have overwritten, because it wrote at the same time. */
	private readonly possiblyOverwritten = new Set<string>();

	/** The entries to remove: those of payments that were certainly not created. */
	private readonly pendingRemovals = new Map<string, Removal>();

	/** How many times markers were asked for without being removed afterwards (see `writePending`). */
	private markerAttempts = 0;

	/** What this execution recorded, by idempotency key. */
	private readonly recorded = new Map<string, Recorded>();

	/** By shared entry that counts this execution: the idempotency keys that have it. */
	private readonly sharedBy = new Map<string, Set<string>>();

	/** By shared entry: how many times it counts this execution for nothing. */
	private readonly pendingReleases = new Map<string, number>();

	constructor(
		private readonly context: StateContext,
		private readonly settings: StoreSettings,
	) {
		// No maximum: a running batch must not drop its own entries. `flush` trims.
		this.items = new ProcessedItems(context);
	}

	/** Whether n8n stores processed items here. It doesn't for an unsaved workflow, which has no ID. */
	get isAvailable(): boolean {
		return (this.context.getWorkflow().id ?? '') !== '';
	}

	/** Whether the node had sent nothing before this execution, as far as the store was asked. */
	get isEmpty(): boolean {
		return this.wasEmpty;
	}

	/** For what else is kept among the entries of the node. Use it in `withLock` only. */
	get entries(): Pick<ProcessedItems, 'record' | 'remove'> {
		return {
			record: async (entries) => await this.recordEntries(entries),
			remove: async (entries) => await this.remove(entries),
		};
	}

	/**
	 * Does work on the entries in one turn of the lock.
	 *
	 * @param work gets whether the lock across processes is held. If n8n's database fails, it is done once more
	 * @throws Error if n8n's database fails
	 */
	async withLock<T>(work: (isLocked: boolean) => Promise<T>): Promise<LockedResult<T>> {
		return await this.withRetries(work);
	}

	/**
	 * How many payments to record at once: 80, and up to 400 if the node remembers very many. If the
	 * process is killed before it sends them, that many count as sent.
	 */
	get chunkSize(): number {
		return CHUNK.usual * Math.max(1, Math.round((this.size ?? 0) / ENTRIES_PER_CHUNK));
	}

	/**
	 * Records payments that are about to be sent, in one turn of the lock.
	 *
	 * @param choose gets what was known, and returns the idempotency keys of the new payments that will be sent.
	 *   What the others recorded is removed. If n8n's database fails, it may be called once more.
	 * @returns what was known of each, by idempotency key
	 * @throws Error if n8n doesn't store them
	 */
	async record(
		intents: Intent[],
		choose: (known: ReadonlyMap<string, Known>) => Promise<ReadonlySet<string>>,
	): Promise<Map<string, Known>> {
		if (!this.isAvailable) {
			const none = new Map(intents.map(({ key }) => [key, UNKNOWN_PAYMENT]));
			await choose(none);
			return none;
		}
		const added = newAdded();
		let kept: string[] = [];
		const { value } = await this.withRetries(
			async (_, attempt) => {
				await this.writePending();
				const known = await this.ask(intents, added);
				const chosen = await choose(known);
				const toSend = intents.filter(({ key }) => chosen.has(key));
				// An earlier attempt may have chosen others.
				if (attempt > 1) for (const { key } of intents) this.takeNote(key);
				await this.countHolder(toSend, added.shared, 1);
				kept = toSend.flatMap((intent) =>
					this.keep(intent, 1, this.newEntries(intent), added.shared),
				);
				const needed = new Set(kept);
				// Another execution may have had it paid again since an earlier attempt recorded it.
				for (const [key, { earlier }] of known)
					if (earlier !== 'none') needed.add(this.referenceEntry(key));
				if (attempt > 1) this.releaseAdded(added, needed);
				await this.remove(entriesIn(added).filter((entry) => !needed.has(entry)));
				return known;
			},
			() => kept,
			intents,
		);
		return value;
	}

	/**
	 * Records payments that a person wants to be paid again. From then on their new values count.
	 *
	 * @param known what `record` has returned
	 * @returns what is known now of those that another execution has had paid again meanwhile; these are not recorded
	 * @throws Error if n8n doesn't store them
	 */
	async recordAgain(
		intents: Intent[],
		known: ReadonlyMap<string, Known>,
	): Promise<Map<string, Known>> {
		if (!this.isAvailable || intents.length === 0) return new Map();
		const timeOf = ({ key }: Intent) => (known.get(key)?.lastTime ?? 0) + 1;
		const digestOf = (intent: Intent) =>
			this.digestEntries(intent.key, timeOf(intent), intent.digest);
		const sentOf = (intent: Intent) => this.sentEntry(intent.key, timeOf(intent));
		// Once more the reference: the execution that recorded it first may not have sent it, and removed it.
		const marksOf = (intent: Intent) => [
			this.referenceEntry(intent.key),
			sentOf(intent),
			...this.markersUpTo(intent.key, timeOf(intent)),
		];
		/** What all attempts have recorded. */
		const added = new Set<string>();
		const shared = new Map<string, string>();
		const record = async (entries: string[]) => {
			for (const entry of await this.recordEntries(entries)) added.add(entry);
		};
		const { value } = await this.withRetries(
			async () => {
				// A process that is killed after a part of this leaves nothing that looks like a payment with these values.
				await record(intents.map((intent) => digestOf(intent)[0]));
				await record(intents.flatMap(marksOf));
				const isOwn = (intent: Intent) => added.has(marksOf(intent).at(-1) ?? '');
				const own = intents.filter(isOwn);
				const late = intents.filter((intent) => !isOwn(intent));
				await this.remove(
					late.flatMap((intent) =>
						[sentOf(intent), ...digestOf(intent)].filter((entry) => added.delete(entry)),
					),
				);
				await record(own.map((intent) => digestOf(intent)[1]));
				// What it is a duplicate of, and the account, may be others by now.
				await this.countHolder(own, shared, 0);
				for (const intent of own) {
					const marks = marksOf(intent).filter((entry) => added.has(entry));
					this.keep(intent, timeOf(intent) + 1, [...marks, ...digestOf(intent)], shared);
				}
				return await this.askOnly(late);
			},
			() => [...added, ...shared.values()],
			intents,
		);
		return value;
	}

	/**
	 * Looks payments up while nothing is sent yet. Looking up records them, so that is removed again.
	 *
	 * @returns what is known of each, by idempotency key
	 * @throws Error if n8n's database fails
	 */
	async lookUp(intents: Intent[]): Promise<Map<string, Known>> {
		const all = new Map<string, Known>(intents.map(({ key }) => [key, UNKNOWN_PAYMENT]));
		if (!this.isAvailable || intents.length === 0) return all;
		if (this.size === undefined) await this.withRetries(async () => await this.open());
		for (let from = 0; (this.size ?? 0) > 0 && from < intents.length; from += LOOK_UP_CHUNK) {
			const chunk = intents.slice(from, from + LOOK_UP_CHUNK);
			const added = newAdded();
			const forgetAdded = () => {
				for (const [key, entries] of added.own) this.forgetEntries(key, entries);
				this.releaseAdded(added);
			};
			try {
				const { value: known } = await this.withRetries(async (isLocked, attempt) => {
					await this.writePending();
					const known = await this.ask(chunk, added, { isOnlyAsking: true });
					if (isLocked && attempt === 1) await this.remove(entriesIn(added));
					else {
						// Somebody may have paid one of them again since it was recorded.
						forgetAdded();
						await this.writePending();
					}
					added.own.clear();
					added.shared.clear();
					return known;
				});
				for (const [key, one] of known) all.set(key, one);
			} catch (error) {
				forgetAdded();
				return rethrow(error as Error);
			}
		}
		return all;
	}

	/**
	 * Removes, with the next recording, a payment that was certainly not created, or not again. Its payee and account go
	 * unless another payment has them, of this execution or of another one.
	 */
	forget(key: string): void {
		const note = this.takeNote(key);
		if (!note) return;
		this.forgetEntries(key, note.entries, note.nextTime);
		for (const entry of note.shared) if (!this.sharedBy.has(entry)) this.release(entry);
	}

	/**
	 * Writes what is pending, and then drops the oldest entries if there are too many.
	 *
	 * @throws Error if n8n doesn't store it
	 */
	async flush(): Promise<void> {
		if (!this.isAvailable) return;
		const pending = [this.possiblyOverwritten, this.pendingRemovals, this.pendingReleases];
		while (pending.some(({ size }) => size > 0)) {
			await this.withRetries(async () => await this.writePending());
		}
		if ((this.size ?? 0) <= MAX_ENTRIES) return;
		await this.withRetries(async () => {
			const surplus = (await this.items.count()) - MAX_ENTRIES;
			if (surplus <= 0) return;
			await this.items.trim(MAX_ENTRIES);
			this.dropped += surplus;
			await this.items.record([FIRST_ENTRY]);
		});
	}

	/** Reads how many entries there are, once, and checks that they are ours. */
	private async open(): Promise<void> {
		if (this.size !== undefined) return;
		const size = await this.items.count();
		if (size > 0) {
			const added = await this.items.record([FIRST_ENTRY]);
			// A process that is killed while it drops the oldest entries leaves about as many, without the first. Without
			// the lock, another one may write that again.
			if (added.size > 0 && size < MAX_ENTRIES / 2) {
				await this.items.remove([FIRST_ENTRY]);
				throw new DamagedRowError();
			}
		}
		// The first entry alone was left by a question.
		this.wasEmpty = size < 2;
		this.size = size;
	}

	/**
	 * Asks for payments, which records them.
	 *
	 * @param added gets what this has recorded. What it has already is the work of an attempt that then failed, and
	 *   so it counts as not known.
	 * @param isOnlyAsking new payments are removed again: if a process is killed before that, they read as unclear
	 */
	private async ask(
		intents: Intent[],
		added: Added,
		{ isOnlyAsking = false } = {},
	): Promise<Map<string, Known>> {
		await this.open();
		/** Records entries of each payment and returns which of them were there. */
		const call = async (
			entriesOf: (intent: Intent) => string[],
			sharedOf: (intent: Intent) => string[] = () => [],
		): Promise<Set<string>> => {
			const owners = new Map<string, string>();
			for (const intent of intents)
				for (const entry of entriesOf(intent)) owners.set(entry, intent.key);
			const asked = [...new Set([...owners.keys(), ...intents.flatMap(sharedOf)])];
			const own = new Set(entriesIn(added));
			const fresh = await this.recordEntries(asked);
			for (const entry of fresh) {
				const key = owners.get(entry);
				if (key === undefined) added.shared.set(entry, entry);
				else addTo(added.own, key, entry);
			}
			return new Set(asked.filter((entry) => !fresh.has(entry) && !own.has(entry)));
		};
		const ownBefore = new Set(entriesIn(added));

		const first = await call(({ key, digest }) => [
			this.referenceEntry(key),
			this.digestEntries(key, 0, digest)[0],
		]);
		const isKnown = ({ key }: Intent) => first.has(this.referenceEntry(key));
		const isOwn = ({ key }: Intent) => ownBefore.has(this.referenceEntry(key));
		const second = await call(
			(intent) => {
				const [part, otherPart] = this.digestEntries(intent.key, 0, intent.digest);
				// A part of a digest is asked for only where the part before was there: otherwise a process that is killed
				// now would leave the whole digest of a payment that was not sent.
				return [
					...(isKnown(intent) || isOwn(intent) ? [this.askedMarkers(intent.key, 1)[0]] : []),
					...(isKnown(intent) || isOnlyAsking ? [] : [otherPart]),
					...(isKnown(intent) && first.has(part) ? [otherPart] : []),
				];
			},
			(intent) => (isKnown(intent) ? [] : this.sharedEntries(intent)),
		);
		const known = new Map<string, Known>();
		const paidAgain: Intent[] = [];
		for (const intent of intents) {
			const [part, otherPart] = this.digestEntries(intent.key, 0, intent.digest);
			if (second.has(this.askedMarkers(intent.key, 1)[0])) paidAgain.push(intent);
			known.set(
				intent.key,
				isKnown(intent)
					? {
							...UNKNOWN_PAYMENT,
							earlier: earlierOf(first.has(part), second.has(otherPart)),
						}
					: this.knownOfNew(intent, second),
			);
		}
		if (paidAgain.length > 0) await this.askPaidAgain(paidAgain, added, known);
		return known;
	}

	/** Asks for payments that a person had paid again: the digest of the last time counts. */
	private async askPaidAgain(
		intents: Intent[],
		added: Added,
		known: Map<string, Known>,
	): Promise<void> {
		/** Those that have an entry. All are asked for in one call: with a large store, each takes long. */
		const having = async (
			asked: Intent[],
			entryOf: (intent: Intent) => string,
		): Promise<Intent[]> => {
			const fresh = await this.recordEntries(asked.map(entryOf));
			return asked.filter((intent) => {
				const entry = entryOf(intent);
				const isOwn = added.own.get(intent.key)?.has(entry) === true;
				if (fresh.has(entry)) addTo(added.own, intent.key, entry);
				return !fresh.has(entry) && !isOwn;
			});
		};
		const lastTimes = new Map<Intent, number>();
		let left = intents;
		for (let time = 1; left.length > 0; time++) {
			// `ask` has found the first one.
			for (let number = time === 1 ? 1 : 0; number < ASKED_MARKERS; number++)
				left = await having(left, ({ key }) => this.askedMarkers(key, time)[number]);
			for (const intent of left) lastTimes.set(intent, time);
		}
		const times = await this.sentTimes(lastTimes);
		const timeOf = (intent: Intent) => times.get(intent) ?? 0;
		const digestOf = (intent: Intent) =>
			this.digestEntries(intent.key, timeOf(intent), intent.digest);
		const withPart = await having([...times.keys()], (intent) => digestOf(intent)[0]);
		const withBoth = new Set(await having(withPart, (intent) => digestOf(intent)[1]));
		for (const [intent, lastTime] of lastTimes) {
			const earlier = earlierOf(withPart.includes(intent), withBoth.has(intent));
			const timesPaidAgain = timeOf(intent);
			known.set(intent.key, { ...UNKNOWN_PAYMENT, earlier, timesPaidAgain, lastTime });
		}
	}

	/** By payment: the last time that was sent, up to the one that is given; 0 is the first payment. */
	private async sentTimes(lastTimes: ReadonlyMap<Intent, number>): Promise<Map<Intent, number>> {
		const times = new Map(lastTimes);
		for (let left = [...times]; left.length > 0;) {
			const entryOf = ([{ key }, time]: [Intent, number]) => this.sentEntry(key, time);
			const missing = await this.recordEntries(left.map(entryOf));
			// At once. If this fails, the time counts as sent: one too many, never one too few.
			await this.remove([...missing]);
			const unsent = left.filter((one) => missing.has(entryOf(one)));
			left = unsent.map(([intent, time]) => [intent, time - 1]);
			for (const [intent, time] of left) times.set(intent, time);
			left = left.filter(([, time]) => time > 0);
		}
		return times;
	}

	/** Asks for payments, and removes what that has recorded. */
	private async askOnly(intents: Intent[]): Promise<Map<string, Known>> {
		if (intents.length === 0) return new Map();
		const added = newAdded();
		const known = await this.ask(intents, added);
		await this.remove(entriesIn(added));
		return known;
	}

	private knownOfNew(intent: Intent, there: ReadonlySet<string>): Known {
		const [payee, account]: Array<string | undefined> = this.payeeEntries(intent);
		const isPayeeNew = payee === undefined || !there.has(payee);
		return {
			...UNKNOWN_PAYMENT,
			isDuplicate: this.duplicateEntries(intent).some((entry) => there.has(entry)),
			isAccountNew: !isPayeeNew && account !== undefined && !there.has(account),
			isPayeeNew,
		};
	}

	/**
	 * Counts this execution for shared entries, once for each. A count is the number of places that are recorded: the
	 * entry itself and those after it. An execution that sends nothing in the end gives the last place back, whoever has
	 * taken that. So the entry goes with the last of them.
	 *
	 * @param places has and gets the places of this execution, by shared entry; if it gets none, the count is full
	 * @param first the number of the first place that was not asked for before
	 */
	private async countHolder(
		intents: Intent[],
		places: Map<string, string>,
		first: number,
	): Promise<void> {
		const isHeld = (entry: string) => places.has(entry) || this.sharedBy.has(entry);
		let left = [...new Set(intents.flatMap((intent) => this.sharedEntries(intent)))];
		for (let number = first; number < MAX_HOLDERS; number++) {
			left = left.filter((entry) => !isHeld(entry));
			if (left.length === 0) return;
			const added = await this.recordEntries(left.map((entry) => placeOf(entry, number)));
			for (const entry of left) {
				const place = placeOf(entry, number);
				if (added.has(place)) places.set(entry, place);
			}
		}
	}

	/** Notes what a payment that will be sent has recorded, for `forget`. Returns it. */
	private keep(
		intent: Intent,
		nextTime: number,
		entries: string[],
		places: ReadonlyMap<string, string>,
	): string[] {
		const { key } = intent;
		const shared = this.sharedEntries(intent).filter(
			(entry) => places.has(entry) || this.sharedBy.has(entry),
		);
		for (const entry of shared) addTo(this.sharedBy, entry, key);
		this.recorded.set(key, { key, nextTime, entries: new Set(entries), shared });
		return [...entries, ...shared.flatMap((entry) => places.get(entry) ?? [])];
	}

	/** Drops the note on a payment, and returns it. */
	private takeNote(key: string): Recorded | undefined {
		const note = this.recorded.get(key);
		this.recorded.delete(key);
		for (const entry of note?.shared ?? []) {
			const keys = this.sharedBy.get(entry);
			keys?.delete(key);
			if (keys?.size === 0) this.sharedBy.delete(entry);
		}
		return note;
	}

	/** Counts this execution once less for a shared entry, as soon as that can be written. */
	private release(entry: string, times = 1): void {
		const left = (this.pendingReleases.get(entry) ?? 0) + times;
		if (left > 0) this.pendingReleases.set(entry, left);
		else this.pendingReleases.delete(entry);
	}

	/** Gives back the places that an earlier turn of the lock has taken: others may have taken the next ones since. */
	private releaseAdded({ shared }: Added, needed: ReadonlySet<string> = new Set()): void {
		for (const [entry, place] of shared) {
			if (needed.has(place)) continue;
			shared.delete(entry);
			this.release(entry);
		}
	}

	/** @param nextTime see `Removal` */
	private forgetEntries(key: string, entries: Iterable<string>, nextTime = 1): void {
		for (const entry of entries) {
			const id = `${nextTime} ${key}`;
			const pending = this.pendingRemovals.get(id) ?? { key, nextTime, entries: new Set() };
			pending.entries.add(entry);
			this.pendingRemovals.set(id, pending);
			this.possiblyOverwritten.delete(entry);
		}
	}

	/**
	 * @param work gets whether the lock is held, and the number of the attempt, from 1
	 * @param recorded the entries that the work has recorded, to write them again if they may be overwritten
	 * @param intents what it records. If another process took the lock over meanwhile, nobody can tell whose the entries
	 *   are: they stay, and nothing is sent
	 * @throws Error if n8n's database fails, and if another process took the lock over
	 */
	private async withRetries<T>(
		work: (isLocked: boolean, attempt: number) => Promise<T>,
		recorded: () => string[] = () => [],
		intents: Intent[] = [],
	): Promise<LockedResult<T>> {
		for (let attempt = 1; ; attempt++) {
			let result: LockedResult<T>;
			try {
				result = await this.items.withLock(async (isLocked) => await work(isLocked, attempt));
			} catch (error) {
				if (attempt === ATTEMPTS || error instanceof DamagedRowError) {
					return rethrow(error as Error);
				}
				await sleep(RETRY_DELAY_MS * attempt);
				continue;
			}
			if (result.wasLost) {
				for (const { key } of intents) this.takeNote(key);
				throw new Error('the database stood still, and another process went on');
			}
			if (!result.wasExclusive) for (const entry of recorded()) this.possiblyOverwritten.add(entry);
			return result;
		}
	}

	/**
	 * Records again what may have been overwritten, and removes some of what is to be forgotten. What is added to
	 * either while n8n writes waits for the next time.
	 */
	private async writePending(): Promise<void> {
		const overwritten = [...this.possiblyOverwritten];
		if (overwritten.length > 0) await this.recordEntries(overwritten);
		for (const entry of overwritten) this.possiblyOverwritten.delete(entry);

		const unsent = [...this.pendingRemovals].slice(0, REMOVAL_CHUNK);
		const released = new Map([...this.pendingReleases].slice(0, RELEASE_CHUNK));
		if (unsent.length + released.size === 0) return;
		// A payment that another execution paid again has markers and must stay. But asking for a marker adds it. If
		// this fails before it removes that marker, the next attempt asks for the next one. After the last one, an
		// unsent payment stays recorded: one too many, never one too few.
		const number = Math.min(this.markerAttempts++, REMOVAL_MARKERS - 1);
		const markers = unsent.map(([, { key, nextTime }]) => this.markers(key, nextTime)[number]);
		const added = await this.recordEntries([
			...markers,
			...[...released.keys()].map((entry) => placeOf(entry, 1)),
		]);
		const askedSoFar = number + 1;
		await this.remove([
			...unsent.flatMap(([, { key, nextTime, entries }], index) =>
				added.has(markers[index])
					? [...entries, ...this.markers(key, nextTime).slice(0, askedSoFar)]
					: [...entries].filter((entry) => entry.startsWith(this.sentEntry(key, nextTime - 1))),
			),
			...(await this.lastPlaces(released, added)),
		]);
		this.markerAttempts = 0;
		for (const [id] of unsent) this.pendingRemovals.delete(id);
		for (const [entry, times] of released) this.release(entry, -times);
	}

	/**
	 * The places to remove from counts: the last ones. A count that is full stays.
	 *
	 * @param released how many places of each are given back. Asking takes places, which are added
	 * @param added which places after the first were not there
	 */
	private async lastPlaces(
		released: Map<string, number>,
		added: ReadonlySet<string>,
	): Promise<string[]> {
		const places: string[] = [];
		let left = [...released];
		let fresh = added;
		for (let number = 1; number < MAX_HOLDERS && left.length > 0; number++) {
			if (number > 1)
				fresh = await this.recordEntries(left.map(([entry]) => placeOf(entry, number)));
			const further: typeof left = [];
			for (const [entry, times] of left) {
				if (!fresh.has(placeOf(entry, number))) {
					further.push([entry, times]);
					continue;
				}
				// If this fails now, what asking has taken is given back, too.
				this.release(entry);
				released.set(entry, times + 1);
				for (let place = number; place >= Math.max(0, number - times); place--)
					places.push(placeOf(entry, place));
			}
			left = further;
		}
		return places;
	}

	private async remove(entries: string[]): Promise<void> {
		await this.items.remove(entries);
		// The first entry stays.
		if (this.size !== undefined) this.size = Math.max(1, this.size - entries.length);
	}

	/** @returns the entries that are new */
	private async recordEntries(entries: string[]): Promise<Set<string>> {
		await this.open();
		// An empty row gets its first entry together with what it is for.
		const all = this.size === 0 ? [FIRST_ENTRY, ...entries] : entries;
		const added = await this.items.record(all);
		this.size = (this.size ?? 0) + added.size;
		added.delete(FIRST_ENTRY);
		return added;
	}

	private referenceEntry(key: string): string {
		return `${this.settings.scope} ${key}`;
	}

	/** What a new payment records, but for what it shares. */
	private newEntries({ key, digest }: Intent): string[] {
		return [this.referenceEntry(key), ...this.digestEntries(key, 0, digest)];
	}

	/**
	 * The two parts of a digest: the second one says that the payment was sent with it. No key has a line break, so none
	 * equals one of these entries.
	 */
	private digestEntries(key: string, time: number, digest: string): [string, string] {
		return [
			`${this.referenceEntry(key)}\n${time} ${digest}`,
			`${this.sentEntry(key, time)} ${digest}`,
		];
	}

	/**
	 * Says that a payment was sent for the nth time. What begins like this goes if it was not, even if markers have to
	 * stay because another execution has recorded the next time.
	 */
	private sentEntry(key: string, time: number): string {
		return `${this.referenceEntry(key)}\n${time} sent`;
	}

	/** The markers of a payment that was paid again for the nth time: those that removals ask for, and those for `ask`. */
	private markers(key: string, time: number): string[] {
		return Array.from(
			{ length: REMOVAL_MARKERS + ASKED_MARKERS },
			(_, number) => `${this.referenceEntry(key)}\nagain ${time} ${number}`,
		);
	}

	/** Those of the earlier times, too: another execution may have removed these. */
	private markersUpTo(key: string, time: number): string[] {
		return Array.from({ length: time }, (_, index) => this.markers(key, index + 1)).flat();
	}

	/**
	 * Each is asked for only where the one before was there: a process that is killed while it asks leaves one, and
	 * all of them together are left only by as many kills.
	 */
	private askedMarkers(key: string, time: number): string[] {
		return this.markers(key, time).slice(REMOVAL_MARKERS);
	}

	/** The entries that other payments may have, too. */
	private sharedEntries(intent: Intent): string[] {
		return [...this.duplicateEntries(intent), ...this.payeeEntries(intent)];
	}

	/**
	 * A duplicate key in two series of time buckets, twice as long as the duplicate window and offset by it: two
	 * moments within the window share a bucket, two moments that are two windows apart share none.
	 */
	private duplicateEntries({ duplicateKey }: Intent): string[] {
		const { payeeScope, duplicateWindowDays: days } = this.settings;
		if (duplicateKey === undefined || days === 0) return [];
		const windows = Date.now() / (days * DAY_MS);
		return [Math.floor(windows / 2), Math.floor((windows + 1) / 2)].map(
			(bucket, series) => `${payeeScope}\nduplicate ${duplicateKey} ${days} ${series} ${bucket}`,
		);
	}

	/** The entry of a payee, and that of the payee with this account. */
	private payeeEntries({ payee }: Intent): string[] {
		if (!payee) return [];
		const entry = `${this.settings.payeeScope}\npayee ${JSON.stringify(payee.id)}`;
		return payee.account === undefined ? [entry] : [entry, `${entry} ${payee.account}`];
	}
}

/** How many markers removals can ask for before one must be removed. */
const REMOVAL_MARKERS = 3;

/** How many markers `ask` has to find. Each process that is killed while it asks may leave one. */
const ASKED_MARKERS = 3;

/** What a payment has recorded. */
interface Removal {
	key: string;
	/** If it was paid again this often, another execution did that, and its entries must stay. */
	nextTime: number;
	entries: Set<string>;
}

interface Recorded extends Removal {
	/** Its shared entries that count this execution. */
	shared: string[];
}

/** Entries that were recorded. */
interface Added {
	/** By the idempotency key of the payment they were recorded for. */
	own: Map<string, Set<string>>;
	/** The places of this execution, by shared entry (see `countHolder`). */
	shared: Map<string, string>;
}

function newAdded(): Added {
	return { own: new Map(), shared: new Map() };
}

function entriesIn({ own, shared }: Added): string[] {
	return [...[...own.values()].flatMap((entries) => [...entries]), ...shared.values()];
}

/** The entry of a place in the count of a shared entry (see `countHolder`). The first place is the entry itself. */
function placeOf(entry: string, number: number): string {
	return number === 0 ? entry : `${entry}\nplace ${number}`;
}

function addTo(map: Map<string, Set<string>>, key: string, value: string): void {
	const values = map.get(key);
	if (values) values.add(value);
	else map.set(key, new Set([value]));
}

function earlierOf(hasPart: boolean, hasOtherPart: boolean): Earlier {
	if (!hasPart) return 'other';
	return hasOtherPart ? 'same' : 'unclear';
}
