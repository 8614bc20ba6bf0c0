import type { INodeExecutionData } from 'n8n-workflow';

import type { UserMessage } from '../service/messages';
import { alarmItem } from './emit';

/**
 * The alarms of a published trigger. Each is raised once, by an execution that fails: the workflow's owner sees
 * nothing else in n8n. It is raised again only after its condition has ended.
 */
export class Alarms {
	/** The conditions that were reported and have not ended. */
	private readonly raised = new Set<string>();

	/** @param emit starts an execution, and returns whether n8n began with it */
	constructor(private readonly emit: (items: INodeExecutionData[]) => Promise<boolean>) {}

	/** @param alarm undefined if the condition has ended */
	update(condition: string, alarm: UserMessage | undefined): void {
		if (!alarm) this.raised.delete(condition);
		else if (!this.raised.has(condition)) {
			this.raised.add(condition);
			void this.emit([alarmItem(alarm)]).then((isBegun) => {
				if (!isBegun) this.raised.delete(condition);
			});
		}
	}
}
