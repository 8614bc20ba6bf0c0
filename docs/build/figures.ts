/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- runs outside n8n */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/**
 * The figures of README.md and docs/es/README.md, and the tables of the crash test: `npm run docs` writes them between the
 * marks, from docs/figures.json. `npm run bench -- --save` measures the payouts, `npm run crash-test -- --save` the crash
 * test; the scenarios are those of docs/evidence.md.
 */

const ROOT = resolve(__dirname, '../..');

/** What was measured, when, and by which command. */
export interface Figures {
	payouts: Measured & {
		machine: string;
		rows: number;
		/** The medians, by how many milliseconds the service takes to answer. */
		runs: Array<{ latency: number; node: Run; fullStore?: Run; httpRequest: Run }>;
	};
	/** Random scenarios of payments in which all invariants held. */
	scenarios: Measured & { payments: number };
	crashTest: { command: string; rows: number; runs: CrashTest[] };
}

/** The crash test on one n8n, with the service's response to a reference that it knows. */
interface CrashTest {
	n8n: string;
	duplicates: string;
	date: string;
	results: Array<{ fault: string; found: Record<string, Found> }>;
}

/** What became of the payments of one contestant: see bench/judgement.cjs. */
interface Found {
	twice: number;
	lost: number;
	unreported: number;
	open: number;
}

interface Run {
	seconds: number;
	/** The most requests in flight at once. A service that answers at once shows none. */
	inFlight?: number;
}

interface Measured {
	command: string;
	date: string;
}

interface Words {
	path: string;
	locale: string;
	header: string[];
	/** The texts of the rows, by their first cell. */
	rows: (figures: Figures, number: (value: number) => string) => string[][];
}

const PAGES: Words[] = [
	{
		path: 'README.md',
		locale: 'en',
		header: ['measured', 'what', 'how'],
		rows: ({ payouts, scenarios }, number) => [
			...payouts.runs.map(({ latency, node, httpRequest }) => [
				`**${number(node.seconds)} s**`,
				[
					`for ${number(payouts.rows)} bank payouts with default settings, if the service answers ${latency === 0 ? 'at once' : `after ${latency} ms${inFlight(node, 'in flight')}`}`,
					`n8n’s HTTP Request node takes ${number(httpRequest.seconds)} s${latency === 0 ? '' : inFlight(httpRequest, 'in flight')}`,
				].join('; '),
				`\`${payouts.command}\`, ${payouts.date}, ${payouts.machine} ([Performance](docs/performance.md))`,
			]),
			[
				'**0**',
				`payments made twice in ${number(scenarios.payments)} random scenarios with **Remember Sent References** on. [Two windows](docs/reliability.md#the-workflow-lock) stay: Remove Duplicates in queue mode, and a query of n8n’s database that takes more than 40 seconds`,
				`\`${scenarios.command}\` with the \`--seed\` and \`--runs\` of [Evidence](docs/evidence.md#payments), ${scenarios.date}`,
			],
		],
	},
	{
		path: 'docs/es/README.md',
		locale: 'es-BO',
		header: ['medido', 'qué', 'cómo'],
		rows: ({ payouts, scenarios }, number) => [
			...payouts.runs.map(({ latency, node, httpRequest }) => [
				`**${number(node.seconds)} s**`,
				[
					`para ${number(payouts.rows)} transferencias bancarias con la configuración por defecto, si el servicio responde ${latency === 0 ? 'enseguida' : `después de ${latency} ms${inFlight(node, 'solicitudes en curso')}`}`,
					`el nodo HTTP Request de n8n tarda ${number(httpRequest.seconds)} s${latency === 0 ? '' : inFlight(httpRequest, 'solicitudes en curso')}`,
				].join('; '),
				`\`${payouts.command}\`, ${payouts.date}, ${payouts.machine.replace('cores', 'núcleos')} ([Rendimiento](../performance.md))`,
			]),
			[
				'**0**',
				`pagos hechos dos veces en ${number(scenarios.payments)} escenarios al azar con **Remember Sent References** activado. Quedan [dos casos](../reliability.md#the-workflow-lock): Remove Duplicates en modo de colas, y una consulta a la base de datos de n8n que tarda más de 40 segundos`,
				`\`${scenarios.command}\` con los \`--seed\` y \`--runs\` de las [pruebas](../evidence.md#payments), ${scenarios.date}`,
			],
		],
	},
];

/** How many requests were in flight, in brackets. */
function inFlight({ inFlight: most }: Run, words: string): string {
	return most === undefined ? '' : ` (${most} ${words})`;
}

export function readFigures(): Figures {
	return JSON.parse(readFileSync(join(ROOT, 'docs/figures.json'), 'utf8')) as Figures;
}

const MARKS = /(<!-- figures: begin -->\n)[^]*(<!-- figures: end -->)/;

const CRASH_TEST_MARKS =
	/(<!-- crash test: begin ([\d.]+) (\w+) -->\n)[^]*?(<!-- crash test: end -->)/g;

const CRASH_TEST_PAGE = 'docs/reliability.md';

const CONTESTANTS = {
	http: 'HTTP Request',
	loop: 'in Loop Over Items',
	peer: 'usual payout node',
	columns: '**Partner Payments**',
};

/** The text of each page with these figures, by its path. */
export function renderFigures(figures = readFigures()): Map<string, string> {
	const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
	return new Map([
		...PAGES.map((page): [string, string] => [
			page.path,
			read(page.path).replace(MARKS, `$1\n${readmeTable(page, figures)}\n\n$2`),
		]),
		[
			CRASH_TEST_PAGE,
			read(CRASH_TEST_PAGE).replace(
				CRASH_TEST_MARKS,
				(_, begin: string, n8n: string, duplicates: string, end: string) =>
					`${begin}\n${crashTest(figures, n8n, duplicates)}\n\n${end}`,
			),
		],
	]);
}

function readmeTable({ locale, header, rows }: Words, figures: Figures): string {
	const number = (value: number) =>
		new Intl.NumberFormat(locale, { useGrouping: true, maximumFractionDigits: 1 }).format(value);
	return table([header, ...rows(figures, number)]);
}

function crashTest({ crashTest: { runs } }: Figures, n8n: string, duplicates: string): string {
	const run = runs.find((one) => one.n8n === n8n && one.duplicates === duplicates);
	if (!run) throw new Error(`docs/figures.json has no crash test of n8n ${n8n}, ${duplicates}`);
	const ids = Object.keys(CONTESTANTS) as Array<keyof typeof CONTESTANTS>;
	const cell = ({ twice, lost, unreported, open }: Found) =>
		`${twice} / ${lost} / ${unreported}${open ? ` (${open})` : ''}`;
	return [
		`n8n ${n8n}, ${run.date}:`,
		'',
		table([
			['fault', ...Object.values(CONTESTANTS)],
			...run.results.map(({ fault, found }) => [fault, ...ids.map((id) => cell(found[id]))]),
		]),
	].join('\n');
}

/** With aligned columns, as Prettier wants them. */
function table(lines: string[][]): string {
	const widths = lines[0].map((_, column) => Math.max(...lines.map((line) => line[column].length)));
	const line = (cells: string[]) =>
		`| ${cells.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`;
	return [
		line(lines[0]),
		line(widths.map((width) => '-'.repeat(width))),
		...lines.slice(1).map(line),
	].join('\n');
}
