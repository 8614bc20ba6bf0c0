import type { Clock } from './clock';
import { Sources, type Host, type Package } from './package';
import type { Patch } from './patch';

/** Loaded code. Simulated processes use it one after the other, because loading takes a millisecond or two. */
interface Loaded {
	package: Package;
	/** Makes it forget what no uptime ends. */
	forget: () => void;
	host: { of?: Host; uptime: number };
}

/** The code begins each scenario with a multiple of this uptime: what it remembers of a former one is long over. */
export const UPTIME_MS = 1e10;

/** How many scenarios use the same code, because its state of former workflows and accounts grows. */
const MAX_SCENARIOS = 100;

/** Loads the code for the processes of a scenario. */
export class Computer {
	private unused: Loaded[] = [];

	private used: Loaded[] = [];

	private scenarios = 0;

	constructor(private readonly sources: Sources) {}

	/** Ends all processes. Other processes can use their code. */
	clear(): void {
		this.unused = ++this.scenarios % MAX_SCENARIOS === 0 ? [] : [...this.unused, ...this.used];
		for (const { host, forget } of this.used) {
			host.of = undefined;
			forget();
		}
		this.used = [];
	}

	/** Gives a process its code, as if it were loaded for this process. */
	load(host: Host): Package {
		const loaded = this.unused.pop() ?? this.loadAgain();
		loaded.host.of = host;
		loaded.host.uptime += UPTIME_MS;
		this.used.push(loaded);
		return loaded.package;
	}

	private loadAgain(): Loaded {
		const host: Loaded['host'] = { uptime: 0 };
		const now = () => host.of?.now() ?? 0;
		return {
			host,
			...this.sources.load({
				now,
				get offset() {
					return host.of?.offset ?? 0;
				},
				get uptime() {
					return host.uptime;
				},
				in: (ms, run) => host.of?.in(ms, run) ?? (() => {}),
				random: () => host.of?.random() ?? 0,
			}),
		};
	}
}

/** The package with its usual chunks and pages, with small ones that a few rows fill, and with a small store. */
export class Computers {
	readonly usual: Computer;

	readonly small: Computer;

	readonly full: Computer;

	/**
	 * @param small the patches that make chunks or pages small
	 * @param full the patches that make the store small
	 */
	constructor(
		small: readonly Patch[],
		patches: readonly Patch[] = [],
		full: readonly Patch[] = [],
	) {
		this.usual = new Computer(new Sources(patches));
		this.small = new Computer(new Sources([...patches, ...small]));
		this.full = new Computer(new Sources([...patches, ...full]));
	}

	/** Ends all processes. */
	clear(): void {
		this.usual.clear();
		this.small.clear();
		this.full.clear();
	}
}

/**
 * A process of n8n, main or worker, with its own copy of the package's code. Everything that the code waits for comes
 * as a step. A process can be killed at any step, and then no other step comes.
 */
export class Process implements Host {
	readonly package: Package;

	isAlive = true;

	offset = 0;

	private steps = 0;

	/** What happens at a step, by its number. */
	private readonly events = new Map<number, () => void>();

	/** Called when it is killed. */
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

	/** @returns whether it is alive after one more step */
	step(): boolean {
		if (!this.isAlive) return false;
		this.events.get(++this.steps)?.();
		return this.isAlive;
	}

	/** Lets something happen at a later step: 0 is the next one. */
	atStep(ahead: number, event: () => void): void {
		this.events.set(this.steps + 1 + ahead, event);
	}

	kill(): void {
		if (!this.isAlive) return;
		this.isAlive = false;
		this.onEnd();
	}
}
