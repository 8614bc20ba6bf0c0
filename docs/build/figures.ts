/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- runs outside n8n */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/**
 * The figures of README.md and docs/es/README.md: `npm run docs` writes them between the marks, from docs/figures.json.
 * `npm run bench -- --save` measures the payouts; the scenarios are those of docs/evidence.md.
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
	/** Random scenarios in which all invariants held. */
	scenarios: Measured & { payments: number; events: number };
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
			...payouts.runs.map(({ latency, node, fullStore, httpRequest }) => [
				`**${number(node.seconds)} s**`,
				[
					`for ${number(payouts.rows)} bank payouts with default settings, if the service answers ${latency === 0 ? 'at once' : `after ${latency} ms${inFlight(node, 'in flight')}`}`,
					`n8n’s HTTP Request node takes ${number(httpRequest.seconds)} s${latency === 0 ? '' : inFlight(httpRequest, 'in flight')}`,
					...(fullStore
						? [`with a full idempotency store, this node takes ${number(fullStore.seconds)} s`]
						: []),
				].join('; '),
				`\`${payouts.command}\`, ${payouts.date}, ${payouts.machine} ([Performance](docs/performance.md))`,
			]),
			[
				'**0**',
				`payments made twice in ${number(scenarios.payments)} random scenarios with **Remember Sent References** on, apart from one known window with Remove Duplicates`,
				`\`${scenarios.command}\`, ${scenarios.date} ([Reliability](docs/reliability.md))`,
			],
		],
	},
	{
		path: 'docs/es/README.md',
		locale: 'es-BO',
		header: ['medido', 'qué', 'cómo'],
		rows: ({ payouts, scenarios }, number) => [
			...payouts.runs.map(({ latency, node, fullStore, httpRequest }) => [
				`**${number(node.seconds)} s**`,
				[
					`para ${number(payouts.rows)} transferencias bancarias con la configuración por defecto, si el servicio responde ${latency === 0 ? 'enseguida' : `después de ${latency} ms${inFlight(node, 'solicitudes en curso')}`}`,
					`el nodo HTTP Request de n8n tarda ${number(httpRequest.seconds)} s${latency === 0 ? '' : inFlight(httpRequest, 'solicitudes en curso')}`,
					...(fullStore
						? [
								`con la memoria de referencias llena, este nodo tarda ${number(fullStore.seconds)} s`,
							]
						: []),
				].join('; '),
				`\`${payouts.command}\`, ${payouts.date}, ${payouts.machine.replace('cores', 'núcleos')} ([Rendimiento](../performance.md))`,
			]),
			[
				'**0**',
				`pagos hechos dos veces en ${number(scenarios.payments)} escenarios al azar con **Remember Sent References** activado, salvo en un intervalo conocido cuando se usa Remove Duplicates`,
				`\`${scenarios.command}\`, ${scenarios.date} ([Confiabilidad](../reliability.md))`,
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

/** The text of each page with these figures, by its path. */
export function renderFigures(figures = readFigures()): Map<string, string> {
	return new Map(
		PAGES.map((page) => {
			const text = readFileSync(join(ROOT, page.path), 'utf8');
			return [page.path, text.replace(MARKS, `$1\n${table(page, figures)}\n\n$2`)];
		}),
	);
}

/** With aligned columns, as Prettier wants them. */
function table({ locale, header, rows }: Words, figures: Figures): string {
	const number = (value: number) =>
		new Intl.NumberFormat(locale, { useGrouping: true, maximumFractionDigits: 1 }).format(value);
	const lines = [header, ...rows(figures, number)];
	const widths = header.map((_, column) => Math.max(...lines.map((line) => line[column].length)));
	const line = (cells: string[]) =>
		`| ${cells.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`;
	return [
		line(header),
		line(widths.map((width) => '-'.repeat(width))),
		...lines.slice(1).map(line),
	].join('\n');
}
