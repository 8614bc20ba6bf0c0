import type { IDataObject } from 'n8n-workflow';

import type { Clock } from './clock';
import { json, type Answer } from './service';

/** How the service shows its logs. */
export interface LogBehaviour {
	order: 'newest' | 'oldest' | 'none';
	/** Whether its responses contain the number of entries and pages. */
	counts: boolean;
	/** What happens to the logs between two pages. */
	nextChange: () => 'arrives' | 'leaves' | 'both' | undefined;
}

/** An entry of the logs. */
export interface LogRow {
	webhookId: string;
	/** The position of the entry. */
	date: number;
	/** The moment from which on the logs show it. */
	visibleFrom: number;
	fields: unknown;
	/** Whether the entry belongs to no event and may disappear. */
	isPadding: boolean;
}

/** The delivery logs of an account, page by page. */
export class DeliveryLogs {
	readonly rows: LogRow[] = [];

	private padding = 0;

	/** @param date gives the time on the service's clock */
	constructor(
		private readonly clock: Clock,
		private readonly date: () => number,
		public behaviour: LogBehaviour,
	) {}

	/** The page of a request. Entries may come and go before it. */
	page({ page, limit, webhookId, status: wanted }: IDataObject): Answer {
		const isOf = (row: LogRow) => webhookId === undefined || row.webhookId === webhookId;
		const { order, counts, nextChange } = this.behaviour;
		const change = nextChange();
		const old = this.rows.find((row) => row.isPadding && isOf(row));
		if (old && (change === 'leaves' || change === 'both')) {
			this.rows.splice(this.rows.indexOf(old), 1);
		}
		if (change === 'arrives' || change === 'both') this.pad(String(webhookId), this.date(), {});
		const rows = this.rows.filter(
			(row) =>
				isOf(row) &&
				row.visibleFrom <= this.clock.now &&
				(wanted === undefined || (row.fields as IDataObject | null)?.status === wanted),
		);
		if (order !== 'none')
			rows.sort((a, b) => (order === 'newest' ? b.date - a.date : a.date - b.date));
		const size = Number(limit);
		const from = (Number(page) - 1) * size;
		return json(200, {
			logs: rows.slice(from, from + size).map(({ fields }) => fields),
			...(counts && {
				pagination: {
					page,
					limit,
					total: rows.length,
					totalPages: Math.ceil(rows.length / size),
				},
			}),
		});
	}

	/** Adds an entry without an event. */
	pad(webhookId: string, date: number, strange: unknown): void {
		const dated = { createdAt: dateText(date), id: `padding-${++this.padding}` };
		const fields =
			typeof strange === 'object' && strange !== null && !Array.isArray(strange)
				? { ...dated, ...strange }
				: strange;
		const row = { webhookId, date, visibleFrom: 0, fields, isPadding: true };
		if (this.behaviour.order === 'none') this.rows.splice(this.rows.length >> 1, 0, row);
		else this.rows.push(row);
	}
}

/** A moment (milliseconds since 1970) as the service writes it. */
export function dateText(date: number): string {
	return new Date(date).toISOString();
}
