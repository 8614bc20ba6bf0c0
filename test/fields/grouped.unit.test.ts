import { grouped } from '../../nodes/fields/grouped';
import { DAY_MS, HOUR_MS } from '../../nodes/service/time';

test('groups entries by key, both in the order in which they appear', () => {
	const groups = grouped(['bee', 'ant', 'bat', 'cow', 'ape'], ([letter]) => letter);
	expect([...groups]).toEqual([
		['b', ['bee', 'bat']],
		['a', ['ant', 'ape']],
		['c', ['cow']],
	]);
	expect(grouped([], String)).toEqual(new Map());
});

test('a day has 24 hours of 60 minutes', () => {
	expect(DAY_MS / HOUR_MS).toBe(24);
	expect(HOUR_MS).toBe(60 * 60 * 1_000);
});
