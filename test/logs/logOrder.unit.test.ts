import type { IDataObject } from 'n8n-workflow';

import { LogOrder } from '../../nodes/logs/logOrder';
import { minutesAgo, NOW } from '../operations/context';

/** Entries that were logged so many minutes ago. */
const page = (...minutes: Array<number | undefined>): IDataObject[] =>
	minutes.map((ago) => ({ createdAt: ago === undefined ? 'soon' : minutesAgo(ago) }));

const updated = (...minutes: number[]): IDataObject[] =>
	minutes.map((ago) => ({ updatedAt: minutesAgo(ago) }));

/** What pages show: `newest first`, `another` order, or `none`. */
function orderOf(...pages: IDataObject[][]): string {
	const order = new LogOrder();
	for (const logs of pages) order.add(logs);
	expect(order.isNewestFirst && order.isBroken).toBe(false);
	return order.isBroken ? 'another' : order.isNewestFirst ? 'newest first' : 'none';
}

describe('the order of log entries', () => {
	test.each<[string, number[]]>([
		['none', []],
		['none', [1, 2]],
		['none', [1, 1, 2, 2]],
		['newest first', [1, 2, 3]],
		['newest first', [1, 1, 2, 3, 3]],
		['another', [3, 2, 1]],
		['another', [300, 200, 100]],
		// Written at the same time.
		['newest first', [1, 10, 6, 20]],
		['newest first', [1, 10, 5, 20]],
		['another', [1, 10, 4.9, 20]],
		// As many steps up as down, or a way that contradicts the steps.
		['none', [1, 3, 2]],
		['none', [1, 9, 8, 7]],
		['none', [5, 6, 7, 4]],
		['none', [4, 6, 7, 4]],
		['none', [4, 9, 8, 7, 4]],
	])('is %s for %j', (order, minutes) => {
		expect(orderOf(page(...minutes))).toBe(order);
	});

	test('may have a few wrong dates', () => {
		const many = (wrong: number) =>
			page(
				...Array.from({ length: 100 }, (_, index) =>
					index % 30 === 15 && index < wrong * 30 ? 0 : 10 * (index + 1),
				),
			);
		expect(orderOf(many(2))).toBe('newest first');
		expect(orderOf(many(3))).toBe('another');
	});

	test('is that of all pages', () => {
		expect(orderOf(page(10, 20, 30), page(40, 50, 60))).toBe('newest first');
		expect(orderOf(page(10, 20, 30), page(5, 40, 50))).toBe('another');
		expect(orderOf(page(10, 20, 30), page(undefined), page(5, 40, 50))).toBe('another');
		expect(orderOf(page(10, 20, undefined, 30, undefined), page(5, 40, 50))).toBe('another');
		expect(orderOf(page(3, 2, 1), page(40, 50, 60))).toBe('another');
		// A page follows the last one.
		expect(orderOf(page(10), page(20), page(30))).toBe('none');
		expect(orderOf(page(10, 20), page(30, 40))).toBe('newest first');
	});

	test('begins anew after a restart', () => {
		const order = new LogOrder();
		order.add(page(10, 20, 30));
		order.restart();
		order.add(page(5, 15, 25));
		expect([order.isNewestFirst, order.isBroken]).toEqual([true, false]);
	});

	test('may be that of changes, and is broken only if neither date has it', () => {
		const both = (created: number[], changed: number[]) =>
			page(...created).map((log, index) => ({ ...log, ...updated(changed[index])[0] }));
		expect(orderOf(updated(10, 20, 30))).toBe('newest first');
		expect(orderOf(updated(30, 20, 10))).toBe('another');
		expect(orderOf(both([30, 20, 10], [1, 2, 3]))).toBe('newest first');
		expect(orderOf(both([1, 2, 3], [30, 20, 10]))).toBe('newest first');
		expect(orderOf(both([30, 20, 10], [30, 20, 10]))).toBe('another');
		expect(orderOf(both([30, 20, 10], [5, 5, 5]))).toBe('another');
	});
});

describe('the entries end before a time', () => {
	const ends = (minutes: number, ...pages: IDataObject[][]): boolean => {
		const order = new LogOrder();
		for (const logs of pages) order.add(logs);
		return order.endsBefore(NOW - minutes * 60_000);
	};

	test.each<[number[], number, boolean]>([
		[[1, 2, 3], 2.9, true],
		[[1, 2, 3], 3, false],
		[[1, 2, 3], 4, false],
		[[1, 3], 2, false],
		// Not in order, so the last two have to be surely before it.
		[[1, 10, 6, 20, 30], 14.9, true],
		[[1, 10, 6, 20, 30], 15, false],
		[[1, 10, 6, 20, 30, 28], 22.9, true],
		[[1, 10, 6, 20, 30, 28], 23, false],
		[[1, 10, 6, 20, 28, 30], 23, false],
		[[3, 2, 1], 0, false],
		[[50, 40, 30], 5, false],
	])('%j at %d: %p', (minutes, since, isOver) => {
		expect(ends(since, page(...minutes))).toBe(isOver);
	});

	test('by the last page, and by any date that is in order', () => {
		expect(ends(25, page(10, 20, 30), page(40, 50, 60))).toBe(true);
		expect(ends(45, page(10, 20, 30), page(40, 50, 60))).toBe(true);
		expect(ends(25, page(10, 20, 30), page(31))).toBe(false);
		expect(ends(2, updated(1, 2, 3))).toBe(true);
		// Without a date, nothing is known.
		expect(ends(2, page(1, 2, 3, undefined))).toBe(false);
		// Once out of order, always.
		expect(ends(25, page(30, 20, 10), page(40, 50, 60))).toBe(false);
		const mixed = [30, 20, 10].map((ago, index) => ({
			createdAt: minutesAgo(ago),
			updatedAt: minutesAgo(index + 1),
		}));
		expect(ends(2, mixed)).toBe(true);
		expect(ends(3.5, mixed)).toBe(false);
	});
});
