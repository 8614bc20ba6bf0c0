import type { IDataObject, ITriggerFunctions } from 'n8n-workflow';

import { LookbackWindow } from '../../nodes/PartnerPaymentsTrigger/window';
import { ServiceError } from '../../nodes/service/errors';
import type { Service } from '../../nodes/service/transport';

const DAY_MS = 24 * 3_600_000;

const context = { getWorkflowStaticData: () => ({}) } as unknown as ITriggerFunctions;
const filter = { events: [], transactionTypes: [] };

/** A service with so many log entries a day, the newest first, that fails from a page on. */
class Logs {
	pages = 0;

	constructor(
		private readonly perDay: number,
		private readonly days: number,
		private readonly failsFrom = Infinity,
	) {}

	readonly request = async ({ query }: { query: IDataObject }): Promise<unknown> => {
		const [page, limit] = [Number(query.page), Number(query.limit)];
		this.pages++;
		if (page >= this.failsFrom) throw new ServiceError({ code: 'x', message: 'Too far back' });
		const total = this.perDay * this.days;
		const size = Math.max(0, Math.min(limit, total - (page - 1) * limit));
		const logs = Array.from({ length: size }, (_, index) => this.entry((page - 1) * limit + index));
		return { logs, pagination: { page, limit, total, totalPages: Math.ceil(total / limit) } };
	};

	/** Only every thousandth was not delivered. */
	private entry(number: number): IDataObject {
		const at = new Date(Date.now() - ((number + 0.5) * DAY_MS) / this.perDay).toISOString();
		const details = { transactionId: `T-${number}` };
		return {
			id: number,
			webhookId: 'one',
			status: number % 1_000 === 0 ? 'ERROR' : 'SUCCESS',
			createdAt: at,
			updatedAt: at,
			payload: { status: 'completed_transaction', details },
		};
	}
}

/** Counts the undelivered events that the first read of a day's window finds. */
async function firstRead(logs: Logs): Promise<{ missed: number; overdue: number }> {
	const window = new LookbackWindow(context, filter, DAY_MS, false);
	const { events, overdue } = await window.read(logs as unknown as Service, 'one', true);
	const count = (some: typeof events) => some.filter(({ isDelivered }) => !isDelivered).length;
	return { missed: count(events), overdue: count(overdue) };
}

beforeEach(() => jest.useFakeTimers({ now: Date.parse('2026-11-21T08:00:00Z') }));
afterEach(() => jest.useRealTimers());

describe('the first read', () => {
	test('ends after 10,000 entries from before the window', async () => {
		const logs = new Logs(20_000, 60);
		expect(await firstRead(logs)).toEqual({ missed: 20, overdue: 10 });
		expect(logs.pages).toBe(300);
	});

	test('reports the missed events of the week before the window', async () => {
		const logs = new Logs(1_000, 30);
		expect(await firstRead(logs)).toEqual({ missed: 1, overdue: 7 });
		expect(logs.pages).toBe(81);
	});

	test('finds the missed events of the window although older pages cannot be read', async () => {
		expect(await firstRead(new Logs(1_000, 30, 45))).toEqual({ missed: 1, overdue: 4 });
	});

	test('fails if a page of the window cannot be read', async () => {
		await expect(firstRead(new Logs(1_000, 30, 10))).rejects.toThrow('Too far back');
	});
});
