import { Clock } from './clock';
import { Lifecycles } from './lifecycles';
import { Deliveries } from './deliveries';
import { Faults } from './faults';
import { defaultSettings } from './settings';
import type { SandboxSettings } from './settings';
import { State } from './state';
import { Tokens } from './tokens';
import { Traffic } from './traffic';
import { Transactions } from './transactions';

/** The state and parts that the service and the admin API share. */
export class Core {
	readonly settings: SandboxSettings;
	readonly clock = new Clock();
	readonly state = new State(this.clock);
	readonly faults = new Faults();
	readonly lifecycles = new Lifecycles();
	readonly traffic = new Traffic();
	readonly tokens: Tokens;
	readonly deliveries: Deliveries;
	readonly transactions: Transactions;

	constructor(private readonly startSettings: Partial<SandboxSettings>) {
		this.settings = { ...defaultSettings, ...startSettings };
		this.tokens = new Tokens(this.settings);
		this.deliveries = new Deliveries(this.settings, this.clock);
		this.transactions = new Transactions(this);
	}

	/** Changes settings. The caller has validated them. */
	change(changes: Partial<SandboxSettings>): void {
		Object.assign(this.settings, changes);
		this.transactions.startClock();
	}

	/** Restores the state of the start. */
	reset(keepSettings: boolean): void {
		if (!keepSettings) Object.assign(this.settings, defaultSettings, this.startSettings);
		this.clock.reset();
		this.tokens.revoke();
		this.state.reset();
		this.faults.remove();
		this.lifecycles.remove();
		this.traffic.reset();
		this.deliveries.reset();
		this.transactions.reset();
	}

	/** Stops all timers and deliveries. */
	stop(): void {
		this.transactions.stop();
		this.deliveries.reset();
	}
}
