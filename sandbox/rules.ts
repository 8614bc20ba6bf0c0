import { randomUUID } from 'node:crypto';

/** How often a rule applies to what it matches. */
export interface Frequency {
	/** How many that match pass first. */
	skip?: number;
	/** How often the rule applies. */
	times?: number | 'always';
	/** Chance (0 to 1) that it applies. */
	probability?: number;
	/** Makes the chances the same in every run. */
	seed?: number;
}

/** A rule in force, with what it has done so far. */
export type ActiveRule<Rule> = Rule & {
	id: string;
	/** How many matched. */
	seen: number;
	/** How many it applied to. */
	hits: number;
};

interface Entry<Rule> {
	shown: ActiveRule<Rule>;
	random: () => number;
}

/** Evenly spread numbers from 0 to 1, the same ones for the same seed (mulberry32). */
function seeded(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
}

/** A text that stands for itself, with `*` for any text. */
export function wildcards(text: string): RegExp {
	const escaped = text.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
	return new RegExp(`^${escaped.join('.*')}$`, 's');
}

/** Rules in the order in which they are tried. */
export class Rules<Rule extends Frequency> {
	private entries: Array<Entry<Rule>> = [];

	/** @param usualTimes how often a rule applies that does not tell */
	constructor(private readonly usualTimes: number | 'always') {}

	/** Puts a rule in force. */
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

	get areNone(): boolean {
		return this.entries.length === 0;
	}

	/** Ends one rule, or all; tells how many there were. */
	remove(id?: string): number {
		const kept = id === undefined ? [] : this.entries.filter(({ shown }) => shown.id !== id);
		const removed = this.entries.length - kept.length;
		this.entries = kept;
		return removed;
	}

	/** The rules that apply, counted one by one: those behind the last that was asked for do not count. */
	*applying(matches: (rule: Rule) => boolean): Generator<Rule> {
		for (const { shown, random } of this.entries) {
			if (!matches(shown)) continue;
			const { skip = 0, times = this.usualTimes, probability = 1 } = shown;
			shown.seen += 1;
			if (shown.seen <= skip || (times !== 'always' && shown.hits >= times)) continue;
			if (probability < 1 && random() >= probability) continue;
			shown.hits += 1;
			yield shown;
		}
	}
}
