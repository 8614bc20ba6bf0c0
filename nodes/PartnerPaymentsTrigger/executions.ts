import { randomUUID } from 'node:crypto';
import type { INodeExecutionData, IRun, ITriggerFunctions, NodeOperationError } from 'n8n-workflow';

import { entryDate } from '../logs/logEntry';
import { type EditorMessage, userMessage } from '../messages/userMessage';
import { DAY_MS } from '../service/time';
import { alarmItem, envelope, REPORT } from './emit';
import type { Look } from './look';

/** The executions that the looks of a published trigger start. */
export class Executions {
	/** The keys of the events that executions of this process have, and since when. */
	readonly known = new Map<string, number>();

	/** @param lookAgain looks for what is left */
	constructor(
		private readonly context: ITriggerFunctions,
		private readonly lookAgain: () => void,
	) {}

	/**
	 * Starts an execution with events. If it reports some instead of emitting the others, another one has these, once. If
	 * n8n couldn't begin with it, the next look has them again.
	 */
	async start(found: Look, isSecond = false): Promise<void> {
		const { piece: events, isPart } = found;
		if (events.length === 0) return;
		for (const { key } of events) this.known.set(key, Date.now());
		const id = randomUUID();
		const items = events.map(({ payload, last, time, isDelivered }) => {
			const isDated = !Number.isNaN(entryDate(last)) && time <= Date.now();
			const loggedAt = isDated ? new Date(time).toISOString() : '';
			const wasHandled = isDelivered && time < Date.now() - DAY_MS;
			return envelope(payload, id, { loggedAt, ...(wasHandled && { wasHandled }) });
		});
		const run = await this.emit(items);
		const isRest = hasReported(run);
		if (isRest && !isSecond) return await this.start(found, true);
		if (isRest || !hasBegun(run)) for (const { key } of events) this.known.delete(key);
		else if (isPart) this.lookAgain();
	}

	/** @returns whether n8n began with an execution that reports an alarm */
	async report(alarm: EditorMessage): Promise<boolean> {
		return hasBegun(await this.emit([alarmItem(alarm)]));
	}

	/** Forgets the events that executions have had since before a moment (milliseconds since 1970). */
	forget(before: number): void {
		for (const [key, at] of this.known) if (at < before) this.known.delete(key);
	}

	/** @returns the execution once that has ended; without a status if n8n could not start it */
	private async emit(items: INodeExecutionData[]): Promise<Partial<IRun>> {
		const done = this.context.helpers.createDeferredPromise<IRun>();
		try {
			this.context.emit([items], undefined, done);
			return await done.promise;
		} catch (error) {
			const node = this.context.getNode().name;
			const reason = (error as Error).message;
			this.context.logger.warn(userMessage('executionNotStarted', { node, reason }).message);
			return { status: 'error' };
		}
	}
}

/**
 * Whether n8n began with an execution. If a worker was killed, it counts as not begun, even if nodes had run:
 * n8n's error then names none (`processError` in `workflow-runner.js` of n8n).
 */
function hasBegun({ status, data }: Partial<IRun>): boolean {
	return status !== 'error' || data?.resultData.lastNodeExecuted !== undefined;
}

/** Whether an execution has reported events instead of emitting others (`takeNew`). */
function hasReported({ data }: Partial<IRun>): boolean {
	const { context } = (data?.resultData.error ?? {}) as Partial<NodeOperationError>;
	return context?.code === REPORT;
}
