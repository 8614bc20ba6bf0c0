import type { MessageCode, EditorMessage } from '../messages/userMessage';

/** What can be wrong with a published trigger, and the codes of the alarms. docs/events.md says what ends each. */
export const CONDITIONS = {
	outage: ['pollFailed'],
	rejection: ['pollFailed'],
	registration: ['webhookMissing', 'secretLost', 'repairNotKept'],
	deliveriesRejected: ['deliveriesRejected'],
	deliveriesDoNotArrive: ['deliveriesDoNotArrive'],
	unreadable: ['entriesUnreadable'],
} as const satisfies Record<string, readonly MessageCode[]>;

type Condition = keyof typeof CONDITIONS;

/**
 * The alarms of a published trigger. Each is raised once, by an execution that fails: the workflow's owner sees
 * nothing else in n8n. It is raised again only after its condition has ended.
 */
export class Alarms {
	/** The conditions that were reported and have not ended. */
	private readonly raised = new Set<Condition>();

	/** @param report starts an execution that reports an alarm, and returns whether n8n began with it */
	constructor(private readonly report: (alarm: EditorMessage) => Promise<boolean>) {}

	/** @param alarm undefined if the condition has ended */
	update(condition: Condition, alarm: EditorMessage | undefined): void {
		if (!alarm) this.raised.delete(condition);
		else if (!this.raised.has(condition)) {
			this.raised.add(condition);
			void this.report(alarm).then((isBegun) => {
				if (!isBegun) this.raised.delete(condition);
			});
		}
	}
}

/** By account whose login is rejected: the alarms of the one trigger of this process that reports it. */
export const reporters = new Map<string, Alarms>();
