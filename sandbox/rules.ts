import { randomUUID } from 'node:crypto';

/** How often a rule applies to its matches. */
export interface Frequency {
	/** The number of matches that pass first. */
	skip?: number;
	/** The most times that the rule applies. */
	times?: number | 'always';
	/** The probability (0 to 1) that it applies. */
	probability?: number;
	/** The seed that makes random choices repeatable. */
	seed?: number;
}

/** An active rule, with its counts so far. */
export type ActiveRule<Rule> = Rule & {
	id: string;
	/** The number of matches. */
	seen: number;
	/** The number of times it applied. */
	hits: number;
};

interface Entry<Rule> {
	shown: ActiveRule<Rule>;
	random: () => number;
}

/** Uniform random numbers from 0 to 1, the same for the same seed (mulberry32). */
function seeded(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
}

/** A pattern that matches literally, with `*` for any text. */
export function wildcards(text: string): RegExp {
	const escaped = text.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
	return new RegExp(`^${escaped.join('.*')}$`, 's');
}

/** Rules in the order in which they are tried. */
export class Rules<Rule extends Frequency> {
	private entries: Array<Entry<Rule>> = [];

	/** @param defaultTimes the default of a rule's `times` */
	constructor(private readonly defaultTimes: number | 'always') {}

	/** Adds a rule. */
	add(rule: Rule): ActiveRule<Rule> {
		const shown = { ...rule, id: randomUUID(), seen: 0, hits: 0 };
		this.entries.push({
			shown,
			random: rule.seed === undefined ? Math.random : seeded(rule.seed),
		});
		return shown;
	}

	all(): Array<ActiveRule<Rule>> {
		return this.entries.map(({ shown }) => shown);
	}

	get isEmpty(): boolean {
		return this.entries.length === 0;
	}

	/** Removes one rule or all, and returns their number. */
	remove(id?: string): number {
		const kept = id === undefined ? [] : this.entries.filter(({ shown }) => shown.id !== id);
		const removed = this.entries.length - kept.length;
		this.entries = kept;
		return removed;
	}

	/** The rules that apply. Each is counted when the generator reaches it. */
	*applying(matches: (rule: Rule) => boolean): Generator<Rule> {
		for (const { shown, random } of this.entries) {
			if (!matches(shown)) continue;
			const { skip = 0, times = this.defaultTimes, probability = 1 } = shown;
			shown.seen += 1;
			if (shown.seen <= skip || (times !== 'always' && shown.hits >= times)) continue;
			if (probability < 1 && random() >= probability) continue;
			shown.hits += 1;
			yield shown;
		}
	}
}
