import { randomUUID } from 'node:crypto';
import type { IDataObject, IExecuteFunctions, INodeParameters } from 'n8n-workflow';

import { eachItem, type Operation } from '../../nodes/PartnerPayments/operations/operation';
import { Service } from '../../nodes/service/transport';
import { useOwnSleep } from '../ownSleep';
import { contextOf } from '../batch/evaluated';

/** The hints that a node shows. */
interface Shown {
	hints: string[];
	hintTypes: string[];
}

/** A node with its input, whose parameters n8n evaluates, and the hints that it shows. */
export function nodeWith(
	parameters: INodeParameters,
	items: IDataObject[] = [{}],
	{ continueOnFail = false } = {},
): IExecuteFunctions & Shown {
	const hints: string[] = [];
	const hintTypes: string[] = [];
	return Object.assign(contextOf(parameters, items), {
		hints,
		hintTypes,
		getNode: () => ({ name: 'Partner Payments', type: 'test', typeVersion: 1, parameters }),
		continueOnFail: () => continueOnFail,
		addExecutionHints: ({ message, type }: { message: string; type: string }) => {
			hints.push(message);
			hintTypes.push(type);
		},
	}) as unknown as IExecuteFunctions & Shown;
}

/** The time in unit tests, if `useOwnTime` is used: it begins here and goes on only where the node waits. */
export const NOW = Date.UTC(2026, 10, 21, 8);

export const minutesAgo = (minutes: number): string =>
	new Date(NOW - minutes * 60_000).toISOString();

/** Lets time pass only where the node waits, and there at once. `atPause` gets the seconds since the beginning. */
export function useOwnTime(): { atPause: (seconds: number) => void } {
	const time: { atPause: (seconds: number) => void } = { atPause: () => {} };
	useOwnSleep(() => {
		let now = NOW;
		time.atPause = () => {};
		return {
			now: () => now,
			async sleep(ms) {
				now += ms;
				time.atPause((now - NOW) / 1_000);
				await Promise.resolve();
			},
		};
	});
	return time;
}

/** The event of a transaction that was logged so many minutes ago. */
export const event = (
	reference: string,
	transactionId: string,
	word: string,
	minutes = 60,
	more: IDataObject = {},
): IDataObject => ({
	id: randomUUID(),
	webhookId: WEBHOOK,
	createdAt: minutesAgo(minutes),
	payload: {
		externalReference: reference,
		status: `${word}_transaction`,
		transactionType: 'withdrawal_ach',
		timestamp: minutesAgo(minutes),
		details: { message: `now ${word}`, transactionId },
		...more,
	},
});

/** A webhook of the account. */
export const WEBHOOK = '1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed';

/** A service with delivery logs, the newest first, and webhooks for some events; and what it was asked for. */
export function serviceWith(logs: IDataObject[], webhooks: IDataObject[] = []) {
	const asked: Array<{ path: string; query?: IDataObject; at: number }> = [];
	const state = { logs, webhooks, error: undefined as Error | undefined, asked };
	const request = async ({ path, query }: { path: string; query?: IDataObject }) => {
		asked.push({ path, query, at: (Date.now() - NOW) / 1_000 });
		if (path === '/v2/webhooks') return await Promise.resolve(state.webhooks);
		if (state.error) throw state.error;
		const first = (Number(query?.page) - 1) * 100;
		const total = state.logs.length;
		return {
			logs: state.logs.slice(first, first + Math.min(100, Number(query?.limit))),
			pagination: { total, totalPages: Math.ceil(total / Number(query?.limit)) },
		};
	};
	const service = { request, endsAt: Infinity, waitedMs: 0 };
	jest.spyOn(Service, 'connect').mockResolvedValue(service as unknown as Service);
	/** When the logs were read, in seconds since the beginning. */
	const reads = () => asked.filter(({ path }) => path.endsWith('/logs')).map(({ at }) => at);
	return Object.assign(state, { reads, service: service as unknown as Service });
}

/** A webhook for some events. */
export const webhook = (words: string[], status = 'ACTIVE'): IDataObject => ({
	id: WEBHOOK,
	callbackUrl: 'https://n8n.example',
	status,
	events: { transaction: words.map((word) => `${word}_transaction`) },
});

/** Runs an operation as the node does. */
export async function runOperation(
	operation: Operation,
	parameters: INodeParameters,
	items: IDataObject[] = [{}],
	{ continueOnFail = false, isCancelled = (): boolean => false } = {},
) {
	const context = Object.assign(nodeWith(parameters, items, { continueOnFail }), {
		getExecutionCancelSignal: () => ({ aborted: isCancelled() }),
	});
	const output = await ('execute' in operation
		? operation.execute.call(context)
		: 'executeItem' in operation
			? eachItem(context, operation)
			: (await operation.executeOutputs.call(context)).flat());
	return {
		json: output.map(({ json }) => json),
		output,
		hints: context.hints,
		hintTypes: context.hintTypes,
	};
}
