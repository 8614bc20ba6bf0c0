import type { IDataObject } from 'n8n-workflow';

import { firstTime } from './payload';

/** The dates by which logs may be sorted. The time of an event doesn't decide where its entry is. */
const SORT_FIELDS = ['createdAt', 'updatedAt'] as const;

/** Entries that are written at the same time may be out of order by this much. */
export const JITTER_MS = 5 * 60_000;

/** Of a page, this share may have any date: a clock that was wrong, an entry that was changed. */
const MAX_OUTLIERS = 0.02;

/** Whether the newest entries come first, as far as their dates show: the service's order isn't documented. */
export class LogOrder {
	/** Whether there is another order. */
	isBroken = false;

	private fields = SORT_FIELDS.map((name) => ({
		name,
		isSorted: false,
		isBroken: false,
		/** The times of the page that was added last. */
		times: [] as number[],
		/** The last time of the page before. */
		before: NaN,
	}));

	get isNewestFirst(): boolean {
		return !this.isBroken && this.fields.some((field) => field.isSorted && !field.isBroken);
	}

	/** Adds the next page. */
	add(logs: IDataObject[]): void {
		for (const field of this.fields) {
			field.times = logs.map((log) => firstTime([log[field.name]]) ?? NaN);
			const trend = trendOf([field.before, ...field.times]);
			field.isSorted ||= trend === 'down';
			field.isBroken ||= trend === 'other';
			field.before = field.times.findLast(isTime) ?? field.before;
		}
		// A date that says nothing is no order, and no proof against one.
		const known = this.fields.filter((field) => field.isSorted || field.isBroken);
		this.isBroken ||= known.length > 0 && known.every((field) => field.isBroken);
	}

	/** The next page that is added doesn't follow the last one. */
	restart(): void {
		for (const field of this.fields) field.before = NaN;
	}

	/** Whether the entries of the last page get older and end before a time. */
	endsBefore(since: number): boolean {
		if (this.isBroken) return false;
		return this.fields.some(({ isBroken, times }) => !isBroken && endsBefore(times, since));
	}
}

const isTime = (time: number): boolean => !Number.isNaN(time);

/** Whether times go down, or not; undefined if they are too few or too close to show it. */
function trendOf(all: number[]): 'down' | 'other' | undefined {
	const times = all.filter(isTime);
	if (!isOrder(times)) return undefined;
	const steps = times.slice(1).map((time, index) => time - times[index]);
	const outliers = steps.filter((step) => step > JITTER_MS).length;
	if (outliers > times.length * MAX_OUTLIERS) return 'other';
	const [ups, downs] = [steps.filter((step) => step > 0), steps.filter((step) => step < 0)];
	const span = times[0] - times[times.length - 1];
	if (ups.length < downs.length && span > 0) return 'down';
	return ups.length > downs.length && span < 0 ? 'other' : undefined;
}

/** Fewer than three different times show no order. */
function isOrder(times: number[]): boolean {
	return new Set(times).size > 2;
}

/** Whether times go down and end before `since`; with jitter, only if the last two are surely before it. */
function endsBefore(times: number[], since: number): boolean {
	if (!isOrder(times)) return false;
	if (isDescending(times)) return times[times.length - 1] < since;
	const last = times.filter(isTime).slice(-2);
	return trendOf(times) === 'down' && last.every((time) => time < since - JITTER_MS);
}

function isDescending(times: number[]): boolean {
	return times.every((time, index) => index === 0 || time <= times[index - 1]);
}
