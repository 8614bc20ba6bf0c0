import { Rules, wildcards } from './rules';
import type { Frequency } from './rules';
import type { TransactionStatus } from './schemas';
import type { Transaction, TransactionType } from './state';

/** A state that a transaction enters by itself. */
export interface Step {
	status: TransactionStatus;
	/** Time since the previous state. Default: the state clock. */
	afterMs?: number;
	/** Sends its event after that of the last step, with its own time. */
	eventLast?: boolean;
}

/** A rule that gives new transactions a lifecycle. */
export interface LifecycleRule extends Frequency {
	match?: {
		type?: TransactionType;
		/** An exact reference, or `*` for any text. */
		reference?: string;
		amount?: string;
	};
	/** The states after `pending_transaction`, in which every transaction is created. If empty, it stays there. */
	steps: Step[];
}

/** The lifecycle rules. A new transaction takes the lifecycle of the first rule that applies. */
export class Lifecycles extends Rules<LifecycleRule> {
	constructor() {
		super('always');
	}

	/** The lifecycle of a new transaction, or undefined for the default one. */
	of({ type, reference, amount }: Transaction): Step[] | undefined {
		const [rule] = this.applying(
			({ match = {} }) =>
				(match.type === undefined || match.type === type) &&
				(match.amount === undefined || match.amount === amount) &&
				(match.reference === undefined || wildcards(match.reference).test(reference ?? '')),
		);
		return (rule as LifecycleRule | undefined)?.steps;
	}
}
