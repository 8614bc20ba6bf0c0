/** Medians, ratios and the table. */
import { CONTESTANTS } from './contestants.mjs';

/**
 * One row per contestant, size and latency: the median of every figure, and the minimum and maximum time.
 *
 * @param {Array<{ contestant: string, size: number, latency: number, runs: import('./batch.mjs').Measured[] }>} results
 */
export function summarize(results) {
	return results.map(({ contestant, size, latency, runs }) => {
		const times = runs.map(({ node }) => node);
		const figures = Object.keys(runs[0]).map((name) => [
			name,
			median(runs.map((run) => run[name])),
		]);
		return {
			contestant,
			size,
			latency,
			rounds: runs.length,
			...Object.fromEntries(figures),
			fastest: Math.min(...times),
			slowest: Math.max(...times),
		};
	});
}

/**
 * The project's target ratios, as far as their contestants ran.
 *
 * The ratio of two contestants is the median of the ratios of all rounds, in which both ran one after the
 * other: other load on the machine slowed both.
 */
export function targets(results) {
	const find = (contestant, size, latency) =>
		results.find(
			(one) => one.contestant === contestant && one.size === size && one.latency === latency,
		)?.runs;
	const ratio = (a, b, figure = 'node') => {
		if (!a || !b) return undefined;
		const paired = a.length === b.length;
		const rounds = a.map((run, round) => run[figure] / (paired ? b[round] : b[0])[figure]);
		return paired ? median(rounds) : medianOf(a, figure) / medianOf(b, figure);
	};
	const faster = (name, slow, fast, size, latency, least) =>
		target(name, ratio(find(slow, size, latency), find(fast, size, latency)), { least });
	const atMost = (name, one, other, size, latency, most) =>
		target(name, ratio(find(one, size, latency), find(other, size, latency)), { most });
	const growth = (contestant, latency) =>
		target(
			`${titleOf(contestant)}, ${latency} ms: time of 10,000 rows, by that of 1,000`,
			median((find(contestant, 10_000, latency) ?? []).map((run) => run.node / run.nodeFor1000)),
			{ most: 11 },
		);
	const peak = (contestant, latency) =>
		target(
			`${titleOf(contestant)}, ${latency} ms, 10,000 rows: peak memory, by the HTTP Request node's`,
			ratio(find(contestant, 10_000, latency), find('http', 10_000, latency), 'peakMemory'),
			{ most: 1 },
		);

	return [
		faster(
			'Default settings, 1,000 rows, 0 ms: times as fast as the HTTP Request node',
			'http',
			'columns',
			1_000,
			0,
			4,
		),
		faster(
			'Default settings, 1,000 rows, 50 ms: times as fast as the HTTP Request node',
			'http',
			'columns',
			1_000,
			50,
			2,
		),
		faster(
			'Map Automatically 10, 1,000 rows, 0 ms: times as fast as the HTTP Request node',
			'http',
			'columns-10',
			1_000,
			0,
			3,
		),
		faster(
			'Map Automatically 10, 1,000 rows, 0 ms: times as fast as the usual payout node',
			'peer',
			'columns-10',
			1_000,
			0,
			5,
		),
		faster(
			'Map Automatically 10, 1,000 rows, 0 ms: times as fast as Loop Over Items',
			'loop',
			'columns-10',
			1_000,
			0,
			5,
		),
		faster(
			'Map Automatically 50, 1,000 rows, 50 ms: times as fast as the HTTP Request node',
			'http',
			'columns-50',
			1_000,
			50,
			3,
		),
		atMost(
			'Map Automatically 50, 1,000 rows, 50 ms: time, by that of the bare client',
			'columns-50',
			'bare-50',
			1_000,
			50,
			2,
		),
		atMost(
			"Map Each Column Manually 10, 1,000 rows, 0 ms: time, by the HTTP Request node's",
			'fields-10',
			'http',
			1_000,
			0,
			1.3,
		),
		atMost(
			"Map Each Column Manually 50, 1,000 rows, 50 ms: time, by the HTTP Request node's",
			'fields-50',
			'http',
			1_000,
			50,
			1,
		),
		...[0, 50].map((latency) =>
			target(
				`Default settings, 1,000 rows, ${latency} ms: the most milliseconds in which n8n's event loop stood still`,
				medianOf(find('columns', 1_000, latency) ?? [], 'longestBlock'),
				{ most: 50 },
			),
		),
		target(
			'Default settings, 1,000 rows, 0 ms, full idempotency store: seconds',
			medianOf(find('columns-full', 1_000, 0) ?? [], 'node') / 1000,
			{ most: 5 },
		),
		growth('columns-10', 0),
		growth('columns-50', 50),
		growth('fields-10', 0),
		growth('fields-50', 50),
		peak('columns-10', 0),
		peak('columns-50', 50),
		peak('fields-10', 0),
		peak('fields-50', 50),
		target('Logins in a run of this node, the most', mostLogins(results), { most: 1, least: 1 }),
	].filter(({ ratio: value }) => value !== undefined);
}

/**
 * @param {string} name
 * @param {number | undefined} value
 * @param {{ least?: number, most?: number }} wanted
 */
function target(name, value, { least, most }) {
	if (value === undefined || Number.isNaN(value)) return { name };
	const met = (least === undefined || value >= least) && (most === undefined || value <= most);
	return { name, ratio: round(value), target: { least, most }, met };
}

function mostLogins(results) {
	const own = results.filter(({ contestant }) => /^(columns|fields)-/.test(contestant));
	if (own.length === 0) return undefined;
	const logins = own.flatMap(({ runs }) => runs.map((run) => run.logins));
	// A run without a login used the token of an earlier one.
	return logins.includes(0) ? 0 : Math.max(...logins);
}

function medianOf(runs, figure) {
	return median(runs.map((run) => run[figure]));
}

function median(values) {
	const sorted = values.filter((value) => value !== undefined).sort((a, b) => a - b);
	if (sorted.length === 0) return undefined;
	const middle = sorted.length >> 1;
	return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

function round(value) {
	return Math.round(value * 100) / 100;
}

export function titleOf(id) {
	return CONTESTANTS.find((contestant) => contestant.id === id)?.title ?? id;
}

const HEADINGS = [
	'contestant',
	'in the node',
	'execution',
	'CPU',
	'peak memory',
	'logins',
	'connections',
	'most in flight',
	'longest block',
];

/** The report in Markdown, ready for the documentation. */
export function toTable({ machine, batch }) {
	const lines = [
		`${machine.cpus} × ${machine.cpu}, ${machine.memory} GB; n8n ${machine.n8n} on Node.js ${machine.node}; ${machine.date}`,
	];
	for (const [group, rows] of groupBy(batch.results, groupOf)) {
		lines.push(
			'',
			`### ${group}`,
			'',
			row(HEADINGS),
			row(HEADINGS.map((_, i) => (i ? '--:' : '---'))),
		);
		for (const one of rows) {
			lines.push(
				row([
					titleOf(one.contestant),
					seconds(one.node),
					seconds(one.execution),
					seconds(one.cpu),
					one.peakMemory === undefined ? '-' : `${Math.round(one.peakMemory)} MiB`,
					one.logins,
					one.connections,
					one.maxInFlight,
					one.longestBlock === undefined ? '-' : `${Math.round(one.longestBlock)} ms`,
				]),
			);
		}
	}
	lines.push(
		'',
		'### Targets',
		'',
		row(['ratio', 'measured', 'target', '']),
		row(['---', '--:', '--:', '---']),
	);
	for (const {
		name,
		ratio,
		target: { least, most },
		met,
	} of batch.targets) {
		const wanted =
			least === most ? `${least}` : least === undefined ? `at most ${most}` : `at least ${least}`;
		lines.push(row([name, ratio, wanted, met ? 'met' : '**missed**']));
	}
	for (const { contestant, size, latency } of batch.skipped) {
		lines.push(
			'',
			`Not run, because it waits ${latency} ms ${size} times: ${titleOf(contestant)}.`,
		);
	}
	return lines.join('\n');
}

function groupOf({ size, latency }) {
	return `${size.toLocaleString('en')} rows, service answers after ${latency} ms`;
}

function groupBy(values, keyOf) {
	const groups = new Map();
	for (const value of values) {
		const key = keyOf(value);
		groups.set(key, [...(groups.get(key) ?? []), value]);
	}
	return groups;
}

function row(cells) {
	return `| ${cells.join(' | ')} |`;
}

function seconds(milliseconds) {
	return `${(milliseconds / 1000).toFixed(2)} s`;
}
