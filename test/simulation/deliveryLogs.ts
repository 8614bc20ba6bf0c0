import type { IDataObject } from 'n8n-workflow';

import type { Clock } from './clock';
import { json, type Answer } from './service';
import { DATE_STYLES, type DateStyle, type TransactionEvent } from './transactionEvents';

/** How the service shows its logs. */
export interface LogBehaviour {
	order: 'newest' | 'oldest' | 'none';
	/** Whether its responses contain the number of entries and pages. */
	counts: boolean;
	/** What happens to the logs between two pages. */
	nextChange: () => LogChange | undefined;
	/** How the next date is written: ISO 8601 by default. */
	nextDateStyle?: () => DateStyle;
	/** Whether it returns the entries of all webhooks and results, whatever is asked for. */
	ignoresFilters?: boolean;
}

/** What happens to the logs between two pages: an entry without an event comes, the oldest or newest ones leave. */
export const LOG_CHANGES = ['arrives', 'leaves', 'both', 'newest leaves', 'four leave'] as const;

export type LogChange = (typeof LOG_CHANGES)[number];

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
	/** The event whose attempts it has, unless it is none. */
	event?: TransactionEvent;
	/** How it differs from the documentation. */
	oddity?: string;
	/** The date that it has, if that is a regular one (milliseconds since 1970). */
	createdAt?: number;
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
		this.change(nextChange(), isOf, webhookId);
		const rows = this.rows.filter(
			(row) =>
				row.visibleFrom <= this.clock.now &&
				(this.behaviour.ignoresFilters ||
					(isOf(row) && (wanted === undefined || resultOf(row) === wanted))),
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

	/** How it writes a moment (milliseconds since 1970). */
	dateOf(date: number): string | number {
		return DATE_STYLES[this.behaviour.nextDateStyle?.() ?? 'iso'](date);
	}

	private change(
		change: LogChange | undefined,
		isOf: (row: LogRow) => boolean,
		webhookId: unknown,
	): void {
		if (change === undefined) return;
		if (change !== 'arrives') {
			const paddings = this.rows.filter((row) => row.isPadding && isOf(row));
			if (change === 'newest leaves') paddings.reverse();
			for (const one of paddings.slice(0, change === 'four leave' ? 4 : 1)) {
				this.rows.splice(this.rows.indexOf(one), 1);
			}
		}
		if (change === 'arrives' || change === 'both') {
			const [any] = this.rows;
			const id = webhookId ?? any?.webhookId;
			const isDelivered = this.padding % 2 === 0;
			if (id !== undefined) this.pad(String(id), this.date(), isDelivered ? EMPTY : {});
		}
	}

	/** Adds an entry without an event. */
	pad(webhookId: string, date: number, strange: unknown): void {
		const number = ++this.padding;
		// No two are the same: a page that repeats the one before is the last.
		const dated = { createdAt: this.dateOf(date), id: `padding-${number}`, duration: number };
		const fields =
			typeof strange === 'object' && strange !== null && !Array.isArray(strange)
				? { ...dated, ...strange }
				: strange;
		const row = { webhookId, date, visibleFrom: 0, fields, isPadding: true };
		if (this.behaviour.order === 'none') this.rows.splice(this.rows.length >> 1, 0, row);
		else this.rows.push(row);
	}
}

/** A moment (milliseconds since 1970) as the service documents it. */
export const dateText = (date: number): string => DATE_STYLES.iso(date);

/** The fields of an entry without an event that counts as delivered. */
const EMPTY = { status: 'SUCCESS' };

/** The result of an entry, in capitals. */
export function resultOf({ fields }: LogRow): string | undefined {
	const status = (fields as IDataObject | null)?.status;
	return typeof status === 'string' ? status.toUpperCase() : undefined;
}
