/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, no-console -- runs beside n8n, not in it */
import { parseArgs } from 'node:util';

import { FAULTS } from './faults';
import { Computers, Figures, judge, world } from './payments';
import { describe, search } from './search';

const HELP = `npm run simulate -- [options]: the package's payments in worlds that are made by chance

  --world payments  which kind of world; there is one
  --cases 2000      how many worlds; 100000 take a night
  --seed 7          the same worlds as in an earlier search
  --path 12:3       of such a search one world alone, as the search names it
  --faults          breaks the package on purpose, in one way after the other, and tells after how many
                    worlds each was found; --only NAME for one of them
  --help            this
`;

const { values } = parseArgs({
	options: {
		world: { type: 'string', default: 'payments' },
		cases: { type: 'string', default: '2000' },
		seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
		path: { type: 'string' },
		faults: { type: 'boolean', default: false },
		only: { type: 'string' },
		help: { type: 'boolean', default: false },
	},
});
const [cases, seed] = [Number(values.cases), Number(values.seed)];

const seconds = (since: number): string => `${((Date.now() - since) / 1000).toFixed(1)} s`;

/** Looks through worlds of the package as it is. */
async function simulate(): Promise<boolean> {
	const started = Date.now();
	const figures = new Figures();
	const computers = new Computers();
	const { path } = values;
	const { cases: done, failure } = await search(
		world,
		async (one) => await judge(one, computers, figures),
		{ cases, seed, path, shrinks: true },
	);
	console.log(
		`${done} worlds, seed ${seed}, ${seconds(started)}: ${failure ? 'failed' : 'all hold'}`,
	);
	for (const [name, figure] of Object.entries<number>({ ...figures })) {
		const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
		console.log(`  ${words}: ${Number(figure.toFixed(2))}`);
	}
	if (failure) console.log(describe(failure, values.world, seed));
	return failure === undefined;
}

/** Looks for each of the planted faults. */
async function findFaults(): Promise<boolean> {
	let areAllFound = true;
	for (const { name, ...change } of FAULTS) {
		if (values.only !== undefined && values.only !== name) continue;
		const started = Date.now();
		const computers = new Computers([change]);
		const found = await search(world, async (one) => await judge(one, computers), {
			cases,
			seed,
			shrinks: false,
		});
		const { failure } = found;
		areAllFound &&= failure !== undefined;
		const after = failure ? `after ${found.cases}` : `NOT in ${found.cases}`;
		console.log(`${name.padEnd(48)} ${after.padStart(12)} worlds, ${seconds(started)}`);
		if (failure) console.log(`  ${failure.wrong[0]}`);
	}
	return areAllFound;
}

async function main(): Promise<void> {
	if (values.help) return void console.log(HELP);
	if (values.world !== 'payments') throw new Error(`There is no world ${values.world}`);
	if (!(await (values.faults ? findFaults() : simulate()))) process.exitCode = 1;
}

void main();
