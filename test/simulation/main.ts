/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, no-console -- runs outside n8n */
import { parseArgs } from 'node:util';

import * as events from './events';
import * as fundings from './fundings';
import { SEEDED_BUGS, type ScenarioName } from './seededBugs';
import * as payments from './payments';
import type { Patch } from './patch';
import { describe, search, type Kind } from './search';
import { UNSEEN_BUGS } from './unseenSeededBugs';

const HELP = `npm run simulate -- [options]: runs the package in random scenarios

  --scenario events   the kind of scenario: payments, fundings or events; all by default
  --runs 2000         how many scenarios; the environment's RUNS or 2000 by default
  --seed 7            repeats the scenarios of an earlier search; the environment's SEED or the clock by default
  --path 12:3         repeats one scenario of that search, as the search names it
  --seeded-bugs       breaks the package on purpose, in one way after the other, and prints after how many
                      scenarios each bug was found; --only NAME for one of them
  --unseen-bugs       the same with eighty bugs that no scenario was made for, and the share that was found;
                      with --scenario, that of the scenarios of one kind
  --help              prints this
`;

const { values } = parseArgs({
	options: {
		scenario: { type: 'string' },
		runs: { type: 'string', default: process.env.RUNS ?? '2000' },
		seed: { type: 'string', default: process.env.SEED ?? String(Date.now() % 2 ** 31) },
		path: { type: 'string' },
		'seeded-bugs': { type: 'boolean', default: false },
		'unseen-bugs': { type: 'boolean', default: false },
		only: { type: 'string' },
		help: { type: 'boolean', default: false },
	},
});
const [runs, seed] = [Number(values.runs), Number(values.seed)];

/** A long search prints its progress after so many scenarios. */
const PROGRESS_EVERY = 10_000;

const seconds = (since: number): string => `${((Date.now() - since) / 1000).toFixed(1)} s`;

/** Runs scenarios of the package as it is. */
async function simulate<Scenario, Figures extends object>(
	name: ScenarioName,
	{ scenario, computersWith, checkInvariants, ...kind }: Kind<Scenario, Figures>,
): Promise<boolean> {
	const started = Date.now();
	const figures = new kind.Figures();
	const computers = computersWith();
	const { path } = values;
	let seen = 0;
	let hasFailed = false;
	const look = async (one: Scenario) => {
		if (++seen % PROGRESS_EVERY === 0)
			console.log(`${name}: ${seen} scenarios after ${seconds(started)}`);
		const violations = await checkInvariants(one, computers, figures);
		if (violations.length > 0 && !hasFailed) {
			hasFailed = true;
			console.log(`${name}: scenario ${seen} fails and is shrunk now: ${violations[0]}`);
		}
		return violations;
	};
	const { runs: done, failure } = await search(scenario, look, { runs, seed, path, shrinks: true });
	const outcome = failure ? 'failed' : 'all invariants held';
	console.log(`${name}: ${done} scenarios, seed ${seed}, ${seconds(started)}: ${outcome}`);
	for (const [figure, value] of Object.entries<number>({ ...figures } as never)) {
		const words = figure.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
		console.log(`  ${words}: ${Number(value.toFixed(2))}`);
	}
	if (failure) console.log(describe(failure, name, seed));
	return failure === undefined;
}

/** Searches for each of the seeded bugs. */
async function findSeededBugs<Scenario, Figures extends object>(
	kindName: ScenarioName,
	{ scenario, computersWith, checkInvariants }: Kind<Scenario, Figures>,
): Promise<boolean> {
	let areAllFound = true;
	for (const { name, ...patch } of SEEDED_BUGS[kindName]) {
		if (values.only !== undefined && values.only !== name) continue;
		const started = Date.now();
		const computers = computersWith([patch]);
		const found = await search(scenario, async (one) => await checkInvariants(one, computers), {
			runs,
			seed,
			shrinks: false,
		});
		const { failure } = found;
		areAllFound &&= failure !== undefined;
		const after = failure ? `after ${found.runs}` : `NOT in ${found.runs}`;
		console.log(`${name.padEnd(48)} ${after.padStart(12)} scenarios, ${seconds(started)}`);
		if (failure) console.log(`  ${failure.violations[0]}`);
	}
	return areAllFound;
}

/** Searches for each of the bugs that no scenario was made for, in the kinds of scenarios one after the other. */
async function findUnseenBugs(): Promise<void> {
	const violationIn = async <Scenario, Figures extends object>(
		name: ScenarioName,
		{ scenario, computersWith, checkInvariants }: Kind<Scenario, Figures>,
		patch: Patch,
	): Promise<string | undefined> => {
		if ((values.scenario ?? name) !== name) return undefined;
		const computers = computersWith([patch]);
		const look = async (one: Scenario) => await checkInvariants(one, computers);
		const { failure } = await search(scenario, look, { runs, seed, shrinks: false });
		return failure?.violations[0];
	};
	const bugs = UNSEEN_BUGS.filter(({ name }) => (values.only ?? name) === name);
	let found = 0;
	for (const { name, ...patch } of bugs) {
		const violation =
			(await violationIn('payments', payments, patch)) ??
			(await violationIn('fundings', fundings, patch)) ??
			(await violationIn('events', events, patch));
		if (violation !== undefined) found++;
		console.log(`${name}: ${violation ?? 'NOT found'}`);
	}
	console.log(`${found} of ${bugs.length} found`);
}

async function main(): Promise<void> {
	if (values.help) return void console.log(HELP);
	if (values['unseen-bugs']) return await findUnseenBugs();
	const { scenario, 'seeded-bugs': areSeeded } = values;
	const look = areSeeded ? findSeededBugs : simulate;
	const kinds = {
		payments: async () => await look('payments', payments),
		fundings: async () => await look('fundings', fundings),
		events: async () => await look('events', events),
	};
	const names = scenario === undefined ? Object.keys(kinds) : [scenario];
	for (const name of names) {
		if (!(name in kinds)) throw new Error(`There is no kind of scenario named ${name}`);
		if (!(await kinds[name as ScenarioName]())) process.exitCode = 1;
	}
}

void main();
