import { Rules, wildcards } from './rules';
import type { Frequency } from './rules';
import type { TransactionStatus } from './schemas';
import type { Transaction, TransactionType } from './state';

/** A state that a transaction comes to by itself. */
export interface Step {
	status: TransactionStatus;
	/** Time from the state before; that of the state clock unless told. */
	afterMs?: number;
	/** Its event is sent only after that of the last step, with the time of its own. */
	eventLast?: boolean;
}

/** Which new transactions take a course of their own, and which one. */
export interface CourseRule extends Frequency {
	match?: {
		type?: TransactionType;
		/** Exact, or with `*` for any text. */
		reference?: string;
		amount?: string;
	};
	/** After the first state, which every transaction is created in; none: it stays there. */
	steps: Step[];
}

/** The courses that were asked for. A new transaction takes that of the first rule that applies. */
export class Courses extends Rules<CourseRule> {
	constructor() {
		super('always');
	}

	/** The course of a new transaction, unless it goes the usual way. */
	of({ type, reference, amount }: Transaction): Step[] | undefined {
		const [rule] = this.applying(
			({ match = {} }) =>
				(match.type === undefined || match.type === type) &&
				(match.amount === undefined || match.amount === amount) &&
				(match.reference === undefined || wildcards(match.reference).test(reference ?? '')),
		);
		return (rule as CourseRule | undefined)?.steps;
	}
}
