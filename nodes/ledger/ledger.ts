import { rethrow } from '../service/errors';
import { DAY_MS } from '../service/time';
import type { StoredEntries } from './storedEntries';
import { NotExclusiveError } from './workflowLock';

/*
 * What a node has sent, as entries of a set. To ask for an entry is to add it (`deduplication-helper.js` of n8n); if it was
 * not there, it is removed again. Absence means permission, presence means caution, and what means success takes two
 * entries, the second of which is asked only where the first was there. So a process that is killed leaves caution: it takes
 * two kills, each in the milliseconds in which a process asks about the same payment, to leave success that nobody proved.
 *
 * Attempt 0 is the payment itself, attempt n is the nth time that it is paid again. The values of an attempt are its payee,
 * account, amount and currency. An attempt is released if it was certainly not created: the service rejected it, or it was
 * never sent.
 *
 * | entry                              | added            | removed          | says                                 |
 * | ---------------------------------- | ---------------- | ---------------- | ------------------------------------ |
 * | slot n                             | when asked       | unless open n is | attempts up to n may exist           |
 * | open n                             | before n is sent | by a release     | n was sent, or is about to be        |
 * | digest n                           | with open n *    | by a release     | n has these values                   |
 * | purpose n                          | with open n      | by a release     | n has this purpose                   |
 * | proof n, 1 and 2                   | when proved      | never            | n was created with both              |
 * | day n                              | with open n      | by a release     | n is of this day                     |
 * | logged n                           | by the logs      | never            | nothing releases n any more          |
 * | similar by payee; by account       | with open n      | by a release **  | in these days, a duplicate may exist |
 * | duplicate by payee; by account *** | with open n      | by a release **  | ... does exist                       |
 * | sent                               | with open n      | by a release **  | in these days, anything was sent     |
 * | payee; payee with account; account | with open n *    | by a release **  | was paid before, or may have been    |
 *
 * Whoever adds open n adds the slots up to n. Of what failed elsewhere, and of an invalid row, the logs add the slots alone.
 * (*) Not if the logs have n: they name no payee and no account. (**) If the execution that releases n has added it. (***)
 * Each with the purpose and without it.
 *
 * A reference is read slot by slot until one is missing. The last attempt that is open counts (x: there, -: missing):
 *
 * | open | digest | purpose | both proofs | reads as                                                                       |
 * | ---- | ------ | ------- | ----------- | ------------------------------------------------------------------------------ |
 * | -    |        |         |             | `none`: may be sent, after the logs were asked if a slot was there             |
 * | x    | -      |         | -           | `conflict`: sent, and nobody knows that it had these values                    |
 * | x    | x      | -       |             | `otherPurpose`: sent with these values for something else, or about to be      |
 * | x    | x      | x       | -           | `unknown`: it was sent, or about to be, and nobody knows what came of it       |
 * | x    | x      | x       | x           | `alreadySent`: an answer or the delivery logs proved it                        |
 * | x    | -      |         | x           | `alreadySent`, by others: the logs have it, but they name no payee and account |
 *
 * Whatever was only asked is removed in the same turn of the workflow's lock, the last question first. A removal that fails
 * is not tried again in that turn: another execution may rely on the entry by then. A process that is killed while it asks
 * leaves an attempt that nobody made, a payee whose account counts as new, a purpose that reads as `unknown`, or, where a
 * similar payment was sent in these days, a duplicate.
 */

/** What a payment leaves in the ledger. */
export interface Intent {
	/** Its idempotency key. It has no line break. */
	key: string;
	/** The digest of what it moves: payee, account, amount, currency. */
	digest: string;
	/** What it is for, normalised, as one row or all rows say it. Missing if the endpoint has no purpose. */
	purpose?: string;
	/** Whether the purpose distinguishes no payments here: then duplicates are asked without it. */
	ignoresPurpose?: boolean;
	/** Equal for payments that are duplicates but for the purpose. Each is missing if such duplicates are not looked for. */
	duplicateKeys?: { payee?: string; account?: string };
	/** Missing if payees are not remembered. The account is missing if it cannot change. */
	payee?: { id: string; account?: string };
}

/** What the ledger knew of a payment when it was asked. */
export interface Known {
	reads: 'none' | 'conflict' | 'otherPurpose' | 'unknown' | 'alreadySent';
	/** The last attempt that was sent, or is about to be. 0 if it is the payment itself, and for `none`. */
	request: number;
	/** Of `alreadySent` only: whether others sent it, as the delivery logs say. They have no payee and no account. */
	isByOthers: boolean;
	/** Of `none` only: whether attempts may exist. */
	isAsked: boolean;
	/** Of `none` only: whether an earlier execution sent a duplicate under another reference within the duplicate window. */
	isDuplicate: boolean;
	/** Of `none` only: whether nobody has paid this payee before. */
	isPayeeNew: boolean;
	/** Of `none` only: whether the payee or the account is known, and not with the other one. */
	isAccountChanged: boolean;
	/** Of `none` only: whether the node has paid anybody before. */
	hasPaidOthers: boolean;
}

/** A payment of which the ledger knows nothing. */
export const NEVER_SENT: Known = {
	reads: 'none',
	request: 0,
	isByOthers: false,
	isAsked: false,
	isDuplicate: false,
	isPayeeNew: true,
	isAccountChanged: false,
	hasPaidOthers: false,
};

/**
 * What the delivery logs say of a payment: `created` with its values; `sent` with others; or `seen`, and it failed or nobody
 * knows with which values.
 */
export type Logged = 'created' | 'sent' | 'seen';

/** Returns the attempt that will be sent of each payment, by idempotency key: above `request`, or any if it reads `none`. */
export type Choose = (known: ReadonlyMap<string, Known>) => ReadonlyMap<string, number>;

export interface LedgerSettings {
	/** What a reference belongs to: account and endpoint. The same reference in another scope is another payment. */
	scope: string;
	/** What payees and duplicates belong to, whichever of our accounts pays. */
	payeeScope: string;
	/** How far back duplicates are looked for; 0 if they are not. */
	duplicateWindowDays: number;
}

/** How many payments are looked up in one turn of the lock. What asking has added is removed in that turn. */
const LOOK_UP_CHUNK = 200;

/** How many entries are removed in one call: n8n compares each with all that there are. */
const REMOVAL_CHUNK = 250;

/** Duplicates are found to this many days, whatever the duplicate window: so a longer one finds what a shorter one recorded. */
const BUCKET_MS = 3 * DAY_MS;

/** How much the clocks of two workers may differ. */
const CLOCKS_MS = 5 * 60 * 1000;

/** The days that are asked for the day of a claim: those of the longest reading of the delivery logs, and the one before. */
const CLAIM_DAYS = 33;

/** How the entries of slots end. */
const SLOT = /\n\d+$/;

/** What a payment that is about to be sent has in the ledger. */
interface Claim {
	slots: string[];
	/** What no other payment has. */
	own: string[];
	/** What other payments may have, too. */
	shared: string[];
	proof: string[];
	/** Keeps a release from removing what the delivery logs have proved. */
	logged: string;
	isProved?: boolean;
}

export class Ledger {
	/** What this execution sends, or has sent and not released, by idempotency key. */
	private readonly claims = new Map<string, Claim>();

	/** Shared entries that this execution has added. */
	private readonly added = new Set<string>();

	/** Payments that were certainly not created, by idempotency key. */
	private readonly released = new Map<string, Claim>();

	/** Payments whose entries could not be removed. */
	private readonly stuck = new Set<string>();

	/** What a turn that failed has added. */
	private readonly leftOver = new Set<string>();

	/** Proofs; and what another process may have overwritten, or another execution may remove. Added with the next turn. */
	private readonly toAdd = new Set<string>();

	constructor(
		readonly entries: StoredEntries,
		private readonly settings: LedgerSettings,
	) {}

	/** Payments that count as sent although they were released, by idempotency key. Complete after `flush`. */
	get unreleased(): ReadonlySet<string> {
		return new Set([...this.stuck, ...this.released.keys()]);
	}

	/**
	 * Asks while nothing is sent yet, and leaves nothing.
	 *
	 * @returns what is known of each, by idempotency key
	 * @throws Error if n8n's database fails
	 */
	async lookUp(intents: Intent[]): Promise<Map<string, Known>> {
		const all = new Map(intents.map(({ key }) => [key, NEVER_SENT]));
		if (intents.length === 0 || (await this.entries.size()) === 0) return all;
		// Each question has to be removed again. If nothing was sent within the duplicate window, there is no duplicate, and if
		// nobody was paid, no payee is known. The entries that say so are the same for all.
		const some = intents.find((one) => this.duplicates(one).length > 0) ?? intents[0];
		const sent = this.duplicates(some).at(0)?.sent ?? [];
		const { anybody } = this.payees(intents.find(({ payee }) => payee) ?? intents[0]);
		const common = [...sent, ...anybody];
		const there = common.length > 0 ? await this.askOnly(common) : new Set<string>();
		const isThere = (entry: string) => there.has(entry);
		const left = intents.map(({ duplicateKeys, payee, ...intent }) => ({
			...intent,
			...(sent.some(isThere) && { duplicateKeys }),
			...(anybody.some(isThere) && { payee }),
		}));
		for (const chunk of chunksOf(left, LOOK_UP_CHUNK))
			for (const [key, known] of await this.claim(chunk, () => new Map())) all.set(key, known);
		return all;
	}

	/**
	 * Asks, and records those that are about to be sent, in one turn of the lock.
	 *
	 * @param choose gets what is known, by idempotency key
	 * @returns what was known of each
	 * @throws Error if n8n doesn't store them. Then nothing may be sent
	 */
	async claim(intents: Intent[], choose: Choose): Promise<Map<string, Known>> {
		const claims = new Map<string, Claim>();
		const known = await this.write(intents, (known) => {
			const chosen = choose(known);
			for (const intent of intents) {
				const attempt = chosen.get(intent.key);
				if (attempt === undefined) continue;
				const { reads, request } = known.get(intent.key) ?? NEVER_SENT;
				if (reads !== 'none' && attempt <= request)
					throw new Error(`attempt ${attempt} of ${intent.key} may have been sent`);
				claims.set(intent.key, this.claimOf(intent, attempt));
			}
			return [...claims.values()].flatMap(({ slots, own, shared }) => [slots, own, shared].flat());
		}).catch((error: Error) => {
			// What was added stays: another process may rely on it by now.
			if (error instanceof NotExclusiveError) for (const key of claims.keys()) this.stuck.add(key);
			return rethrow(error);
		});
		for (const [key, claim] of claims) {
			this.claims.set(key, claim);
			// The execution that has added it may send nothing, and remove it.
			for (const entry of claim.shared) if (!this.added.has(entry)) this.toAdd.add(entry);
		}
		return known;
	}

	/** A claimed payment was created with the values of its claim. Written with the next turn. */
	prove(key: string): void {
		const claim = this.claims.get(key);
		if (!claim) return;
		for (const entry of claim.proof) this.toAdd.add(entry);
		claim.isProved = true;
	}

	/**
	 * Records payments that the delivery logs have. One that reads `conflict` stays as it is, and so does one that is known, if
	 * the logs do not prove it. Call it before anything is sent.
	 *
	 * @param payments whoever sent them, and when they were created, in milliseconds: duplicates count from then. Missing if
	 *   nobody knows
	 * @throws Error if n8n doesn't store them
	 */
	async adopt(payments: ReadonlyMap<Intent, { as: Logged; at?: number }>): Promise<void> {
		for (const chunk of chunksOf([...payments], LOOK_UP_CHUNK)) {
			const intents = chunk.map(([intent]) => intent);
			await this.write(intents, (known) =>
				chunk.flatMap(([intent, { as, at }]) => {
					const { reads, request } = known.get(intent.key) ?? NEVER_SENT;
					if (reads === 'conflict' || (reads !== 'none' && as !== 'created')) return [];
					const claim = this.claimOf(intent, request, at, reads === 'none');
					const { slots, own, shared, proof, logged } = claim;
					const sent = [slots, own, logged].flat();
					return { seen: slots, sent, created: [...sent, ...shared, ...proof] }[as];
				}),
			);
		}
	}

	/**
	 * Asks on which day the last attempt of payments was recorded, and leaves nothing. The earliest day counts, and all days
	 * are asked in one write: so a process that is killed while it asks makes a claim look older, never younger.
	 *
	 * @param attempts by payment: `request` of what is known of it
	 * @returns by idempotency key, the start of the UTC day in milliseconds. Missing if it is older than can be asked
	 * @throws Error if n8n's database fails
	 */
	async claimDays(attempts: ReadonlyMap<Intent, number>): Promise<Map<string, number>> {
		const found = new Map<string, number>();
		// The first one means: then, or before. The last one is tomorrow, as another worker's clock may be ahead.
		const oldest = Math.floor(Date.now() / DAY_MS) - CLAIM_DAYS;
		const days = Array.from({ length: CLAIM_DAYS + 2 }, (_, index) => (oldest + index) * DAY_MS);
		const entriesOf = ([intent, attempt]: [Intent, number]) =>
			days.map(this.attempt(intent, attempt).day);
		for (const chunk of chunksOf([...attempts], LOOK_UP_CHUNK)) {
			const there = await this.askOnly(chunk.flatMap(entriesOf));
			for (const one of chunk) {
				const earliest = entriesOf(one).findIndex((entry) => there.has(entry));
				if (earliest > 0) found.set(one[0].key, days[earliest]);
			}
		}
		return found;
	}

	/** A claimed payment was certainly not created. Until that is written, it counts as sent. */
	release(key: string): void {
		const claim = this.claims.get(key);
		if (!claim || claim.isProved) return;
		this.released.set(key, claim);
		this.claims.delete(key);
	}

	/**
	 * Writes what is pending.
	 *
	 * @throws Error if n8n doesn't store it
	 */
	async flush(): Promise<void> {
		if (this.released.size + this.leftOver.size + this.toAdd.size > 0) await this.askOnly([]);
	}

	/** Asks which entries are there, in one turn of the lock, and leaves nothing. */
	private async askOnly(entries: string[]): Promise<Set<string>> {
		return await this.exclusively(async (asked) => ({
			value: await this.ask(entries, asked),
			kept: [],
		}));
	}

	/**
	 * Asks, and adds entries, in one turn of the lock.
	 *
	 * @param choose returns the entries that stay
	 */
	private async write(
		intents: Intent[],
		choose: (known: ReadonlyMap<string, Known>) => string[],
	): Promise<Map<string, Known>> {
		return await this.exclusively(async (asked) => {
			const known = await this.read(intents, asked);
			return { value: known, kept: choose(known) };
		}).catch(async (error: Error) => {
			await this.flush().catch(() => undefined);
			return rethrow(error);
		});
	}

	/**
	 * One turn of the lock, which begins with what is pending.
	 *
	 * @param work asks, and returns which entries stay. It gets a set for those that asking adds
	 */
	private async exclusively<T>(
		work: (asked: Set<string>) => Promise<{ value: T; kept: string[] }>,
	): Promise<T> {
		const asked = new Set<string>();
		let pending: string[] = [];
		try {
			const { value: done, wasExclusive } = await this.entries.withLock(async () => {
				await this.removePending();
				pending = [...this.toAdd];
				const { value, kept: all } = await work(asked);
				const kept = new Set(all);
				// Asking has added the others.
				const missing = all.filter((entry) => !asked.has(entry));
				await this.ask(missing, asked);
				const surplus = [...asked].filter((entry) => !kept.has(entry));
				await this.remove(surplus, asked);
				return { value, kept };
			});
			for (const entry of asked) this.added.add(entry);
			if (!wasExclusive) for (const entry of [...pending, ...done.kept]) this.toAdd.add(entry);
			return done.value;
		} catch (error) {
			// Nothing is sent. What is certainly ours goes, but for slots: another execution may count on them by now.
			if (!(error instanceof NotExclusiveError))
				for (const entry of asked) if (!SLOT.test(entry)) this.leftOver.add(entry);
			return rethrow(error as Error);
		}
	}

	private async removePending(): Promise<void> {
		const removed = new Set(this.leftOver);
		const released = [...this.released];
		// Only once: if it fails, they count as sent. Later, another execution may have sent what this removes.
		this.leftOver.clear();
		this.released.clear();
		for (const [key] of released) this.stuck.add(key);
		// What the logs have proved meanwhile was created, whatever the service has answered here.
		const claims = released.map(([, claim]) => claim);
		const marks = claims.map(({ logged }) => logged);
		const there = marks.length > 0 ? await this.ask(marks, removed) : new Set();
		for (const { own, shared } of claims.filter(({ logged }) => !there.has(logged))) {
			for (const entry of own) removed.add(entry);
			for (const entry of shared) if (this.added.has(entry)) removed.add(entry);
		}
		for (const { shared } of this.claims.values())
			for (const entry of shared) removed.delete(entry);
		for (const entry of removed) {
			this.toAdd.delete(entry);
			this.added.delete(entry);
		}
		await this.remove([...removed]);
		for (const [key] of released) this.stuck.delete(key);
	}

	/**
	 * Removes entries, the last ones first: a process that is killed halfway leaves what it asked first, which says less.
	 *
	 * @param asked no longer has what this has tried to remove: even if that fails, it may be another execution's by now
	 */
	private async remove(entries: string[], asked = new Set<string>()): Promise<void> {
		for (const chunk of chunksOf([...entries].reverse(), REMOVAL_CHUNK)) {
			for (const entry of chunk) asked.delete(entry);
			await this.entries.remove(chunk);
		}
	}

	/**
	 * Asks for entries, and adds what is pending in the same write.
	 *
	 * @param asked gets the entries that were not there, and that asking has added
	 * @returns those that were there
	 */
	private async ask(entries: string[], asked: Set<string>, isOnce = false): Promise<Set<string>> {
		const pending = new Set(this.toAdd);
		const all = [...new Set([...pending, ...entries])];
		const added = all.length > 0 ? await this.entries.record(all, isOnce) : new Set<string>();
		for (const entry of pending) this.toAdd.delete(entry);
		for (const entry of added) (pending.has(entry) ? this.added : asked).add(entry);
		return new Set(entries.filter((entry) => pending.has(entry) || !added.has(entry)));
	}

	/** @param asked see `ask` */
	private async read(intents: Intent[], asked: Set<string>): Promise<Map<string, Known>> {
		const there = new Set<string>();
		const look = async (entries: string[], isOnce?: boolean) => {
			for (const entry of await this.ask(entries, asked, isOnce)) there.add(entry);
		};
		await look(
			intents.flatMap((one) => {
				const { anybody, payee, account } = this.payees(one);
				const similar = this.duplicates(one).flatMap((kind) => kind.similar);
				return [this.slot(one, 0), ...similar, ...anybody, ...payee, ...account];
			}),
		);
		/** The last open attempt of what was sent. */
		const sent = new Map<Intent, number>();
		let left = intents.filter((one) => there.has(this.slot(one, 0)));
		for (let number = 0; left.length > 0; number++) {
			await look(
				left.flatMap((one) => {
					const { open, digest, purpose, proof } = this.attempt(one, number);
					return [open, digest, ...purpose, proof[0], this.slot(one, number + 1)];
				}),
				// A write that failed finds what it has stored, so it could find one attempt after the other.
				number > 0,
			);
			for (const one of left) if (there.has(this.attempt(one, number).open)) sent.set(one, number);
			left = left.filter((one) => there.has(this.slot(one, number + 1)));
		}
		/** What this execution has added itself was not there before. */
		const wasThere = (entry: string) => there.has(entry) && !this.added.has(entry);
		// What is asked only where the entry before was there.
		const proofs: string[] = [];
		const others: string[] = [];
		for (const one of intents) {
			const last = sent.get(one);
			if (last !== undefined) {
				const [first, second] = this.attempt(one, last).proof;
				if (there.has(first)) proofs.push(second);
				continue;
			}
			const { payee, withAccount } = this.payees(one);
			for (const { similar, sure } of this.duplicates(one))
				if (similar.some(wasThere)) others.push(...sure);
			if (payee.some(wasThere)) others.push(...withAccount);
		}
		await look([...proofs, ...others], true).catch((error: Error) => {
			// It may have added what means success. To remove that takes a proof at worst: caution, never permission.
			for (const entry of proofs) asked.add(entry);
			return rethrow(error);
		});
		return new Map(
			intents.map((one) => {
				const last = sent.get(one);
				const known =
					last === undefined ? this.readsNew(one, wasThere) : this.readsSent(one, last, there);
				return [one.key, known];
			}),
		);
	}

	private readsSent(intent: Intent, request: number, there: ReadonlySet<string>): Known {
		const { digest, purpose, proof } = this.attempt(intent, request);
		const has = (entry: string) => there.has(entry);
		const known = { ...NEVER_SENT, request };
		if (proof.every(has)) return { ...known, reads: 'alreadySent', isByOthers: !has(digest) };
		if (!has(digest)) return { ...known, reads: 'conflict' };
		return { ...known, reads: purpose.every(has) ? 'unknown' : 'otherPurpose' };
	}

	private readsNew(intent: Intent, wasThere: (entry: string) => boolean): Known {
		const { anybody, payee, withAccount, account } = this.payees(intent);
		const isPairNew = withAccount.length > 0 && !withAccount.some(wasThere);
		return {
			...NEVER_SENT,
			isAsked: wasThere(this.slot(intent, 0)),
			isDuplicate: this.duplicates(intent).some(({ sure }) => sure.some(wasThere)),
			isPayeeNew: !payee.some(wasThere),
			isAccountChanged: isPairNew && [...payee, ...account].some(wasThere),
			hasPaidOthers: anybody.some(wasThere),
		};
	}

	/** @param isByOthers nobody here knows the payee of what they sent: that he is known would be permission */
	private claimOf(intent: Intent, number: number, at = Date.now(), isByOthers = false): Claim {
		const { open, digest, proof, purpose, day } = this.attempt(intent, number);
		return {
			slots: Array.from({ length: number + 1 }, (_, index) => this.slot(intent, index)),
			own: [open, ...(isByOthers ? [] : [digest]), ...purpose, day(at)],
			shared: [
				...this.duplicates(intent, at).flatMap(({ recorded }) => recorded),
				...(isByOthers ? [] : Object.values(this.payees(intent)).flat()),
			],
			proof,
			logged: `${this.slot(intent, number)} logged`,
		};
	}

	private slot({ key }: Intent, number: number): string {
		return `${this.settings.scope} ${key}\n${number}`;
	}

	/** The entries of one attempt to send a payment. */
	private attempt(intent: Intent, number: number) {
		const slot = this.slot(intent, number);
		const { digest, purpose } = intent;
		return {
			open: `${slot} open`,
			/** Of the UTC day with a time in milliseconds. */
			day: (at: number) => `${slot} day ${Math.floor(at / DAY_MS)}`,
			digest: `${slot} digest ${digest}`,
			/** None if the payment has no purpose. */
			purpose: purpose === undefined ? [] : [`${slot} purpose ${JSON.stringify(purpose)}`],
			proof: [1, 2].map((half) => `${slot} proof ${half} ${JSON.stringify([digest, purpose])}`),
		};
	}

	/**
	 * What says that the payment is a duplicate, by payee and by account, in the buckets of the duplicate window. A payment is
	 * recorded in that of its time, and what is asked of all in the next one, too, so that every second bucket has to be asked.
	 * What was asked of a payment that is sent stays: to remove it would take longer than all else.
	 */
	private duplicates(intent: Intent, at = Date.now()) {
		const { payeeScope, duplicateWindowDays } = this.settings;
		if (duplicateWindowDays === 0) return [];
		const bucketAt = (ms: number) => Math.floor((at + ms) / BUCKET_MS);
		const now = bucketAt(0);
		const oldest = bucketAt(-duplicateWindowDays * DAY_MS);
		const all = Array.from({ length: now + 2 - oldest }, (_, index) => oldest + index);
		const asked = all.filter((bucket) => bucket <= now && (now - bucket) % 2 === 0);
		const added = [now, now + 1, bucketAt(-CLOCKS_MS)];
		const sent = (bucket: number) => `${payeeScope}\nsent ${bucket}`;
		return Object.entries(intent.duplicateKeys ?? {}).flatMap(([kind, key]) => {
			if (key === undefined) return [];
			const similar = (bucket: number) => `${payeeScope}\nsimilar by ${kind} ${bucket} ${key}`;
			const without = (bucket: number) => `${payeeScope}\nduplicate by ${kind} ${bucket} ${key}`;
			const within = (bucket: number) => `${without(bucket)} for ${JSON.stringify(intent.purpose)}`;
			return {
				/** One of these is there if anything was sent. */
				sent: asked.map(sent),
				/** Asked of all: each similar payment of the window has recorded one of them. */
				similar: asked.map(similar),
				/** Asked where one of those was there. */
				sure: all.map(intent.ignoresPurpose ? without : within),
				recorded: [
					...added.map(sent),
					...[...added, ...asked].map(similar),
					without(now),
					within(now),
				],
			};
		});
	}

	/** What says that somebody was paid, this payee, with this account, and this account whoever it belongs to. */
	private payees({ payee }: Intent) {
		const { payeeScope } = this.settings;
		const { id, account } = payee ?? {};
		const one = `${payeeScope}\npayee ${JSON.stringify(id)}`;
		return {
			anybody: payee ? [`${payeeScope}\nanybody`] : [],
			payee: payee ? [one] : [],
			withAccount: account === undefined ? [] : [`${one} ${account}`],
			account: account === undefined ? [] : [`${payeeScope}\naccount ${account}`],
		};
	}
}

function chunksOf<T>(all: T[], size: number): T[][] {
	return Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
		all.slice(index * size, (index + 1) * size),
	);
}
