import type { Clock } from './clock';
import { Sources, type Host, type Package } from './package';
import type { Patch } from './patch';

/** Loaded code, which simulated processes have one after the other: loading takes a millisecond or two. */
interface Loaded {
	package: Package;
	host: { of?: Host };
}

/** So many scenarios use the same code: what it keeps of workflows and accounts that are gone adds up. */
const MAX_WORLDS = 100;

/** The code for the processes of one scenario after another. */
export class Computer {
	private unused: Loaded[] = [];

	private used: Loaded[] = [];

	private scenarios = 0;

	constructor(private readonly sources: Sources) {}

	/** Ends all processes: what they have loaded is for others. */
	clear(): void {
		this.unused = ++this.scenarios % MAX_WORLDS === 0 ? [] : [...this.unused, ...this.used];
		for (const { host } of this.used) host.of = undefined;
		this.used = [];
	}

	/** The code for a process, as if it were loaded for it. */
	load(host: Host): Package {
		const loaded = this.unused.pop() ?? this.loadAnew();
		loaded.host.of = host;
		this.used.push(loaded);
		return loaded.package;
	}

	private loadAnew(): Loaded {
		const host: Loaded['host'] = {};
		const now = () => host.of?.now() ?? 0;
		return {
			host,
			package: this.sources.load({
				now,
				get offset() {
					return host.of?.offset ?? 0;
				},
				in: (ms, run) => host.of?.in(ms, run) ?? (() => {}),
				random: () => host.of?.random() ?? 0,
			}),
		};
	}
}

/** The package, as scenarios run it: as it is, or with small portions, so that a few rows fill several. */
export class Computers {
	readonly usual: Computer;

	readonly small: Computer;

	/** @param small what makes portions small */
	constructor(small: Patch, patches: readonly Patch[] = []) {
		this.usual = new Computer(new Sources(patches));
		this.small = new Computer(new Sources([...patches, small]));
	}

	/** Ends all processes. */
	clear(): void {
		this.usual.clear();
		this.small.clear();
	}
}

/**
 * A process of n8n, main or worker, with the package's code of its own and an end at any time. Whatever its
 * code waits for comes as a step; once it is killed none comes any more.
 */
export class Process implements Host {
	readonly package: Package;

	isAlive = true;

	offset = 0;

	private steps = 0;

	/** What happens at which step. */
	private readonly events = new Map<number, () => void>();

	/** Told when it is killed. */
	onEnd = (): void => {};

	constructor(
		private readonly clock: Clock,
		readonly random: () => number,
		computer: Computer,
	) {
		this.package = computer.load(this);
	}

	now(): number {
		return this.clock.now;
	}

	in(ms: number, run: () => void): () => void {
		return this.clock.in(ms, () => {
			if (this.step()) run();
		});
	}

	/** Resolves after so many milliseconds, unless the process is killed meanwhile. */
	async pause(ms: number): Promise<void> {
		await new Promise<void>((resolve) => this.in(ms, resolve));
	}

	/** @returns whether it lives to take one more step */
	step(): boolean {
		if (!this.isAlive) return false;
		this.events.get(++this.steps)?.();
		return this.isAlive;
	}

	/** Lets something happen at the step that is so many steps ahead. */
	atStep(ahead: number, event: () => void): void {
		this.events.set(this.steps + 1 + ahead, event);
	}

	kill(): void {
		if (!this.isAlive) return;
		this.isAlive = false;
		this.onEnd();
	}
}
