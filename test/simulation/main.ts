/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, no-console -- runs beside n8n, not in it */
import { parseArgs } from 'node:util';

import * as events from './events';
import { FAULTS, type WorldName } from './faults';
import * as payments from './payments';
import { describe, search, type Kind } from './search';

const HELP = `npm run simulate -- [options]: the package in worlds that are made by chance

  --world events    which kind of world, events or payments; both, unless told
  --cases 2000      how many worlds; 100000 take a night
  --seed 7          the same worlds as in an earlier search
  --path 12:3       of such a search one world alone, as the search names it
  --faults          breaks the package on purpose, in one way after the other, and tells after how many
                    worlds each was found; --only NAME for one of them
  --help            this
`;

const { values } = parseArgs({
	options: {
		world: { type: 'string' },
		cases: { type: 'string', default: '2000' },
		seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
		path: { type: 'string' },
		faults: { type: 'boolean', default: false },
		only: { type: 'string' },
		help: { type: 'boolean', default: false },
	},
});
const [cases, seed] = [Number(values.cases), Number(values.seed)];

/** A long search says how far it is after so many worlds. */
const STRETCH = 10_000;

const seconds = (since: number): string => `${((Date.now() - since) / 1000).toFixed(1)} s`;

/** Looks through worlds of the package as it is. */
async function simulate<World, Figures extends object>(
	name: WorldName,
	{ world, computersWith, judge, ...kind }: Kind<World, Figures>,
): Promise<boolean> {
	const started = Date.now();
	const figures = new kind.Figures();
	const computers = computersWith();
	const { path } = values;
	let seen = 0;
	const look = async (one: World) => {
		if (++seen % STRETCH === 0) console.log(`${name}: ${seen} worlds after ${seconds(started)}`);
		return await judge(one, computers, figures);
	};
	const { cases: done, failure } = await search(world, look, { cases, seed, path, shrinks: true });
	const outcome = failure ? 'failed' : 'all hold';
	console.log(`${name}: ${done} worlds, seed ${seed}, ${seconds(started)}: ${outcome}`);
	for (const [figure, value] of Object.entries<number>({ ...figures } as never)) {
		const words = figure.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
		console.log(`  ${words}: ${Number(value.toFixed(2))}`);
	}
	if (failure) console.log(describe(failure, name, seed));
	return failure === undefined;
}

/** Looks for each of the planted faults. */
async function findFaults<World, Figures extends object>(
	kindName: WorldName,
	{ world, computersWith, judge }: Kind<World, Figures>,
): Promise<boolean> {
	let areAllFound = true;
	for (const { name, ...change } of FAULTS[kindName]) {
		if (values.only !== undefined && values.only !== name) continue;
		const started = Date.now();
		const computers = computersWith([change]);
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
	const { world, faults } = values;
	const look = faults ? findFaults : simulate;
	const kinds = {
		payments: async () => await look('payments', payments),
		events: async () => await look('events', events),
	};
	const names = world === undefined ? Object.keys(kinds) : [world];
	for (const name of names) {
		if (!(name in kinds)) throw new Error(`There is no world ${name}`);
		if (!(await kinds[name as WorldName]())) process.exitCode = 1;
	}
}

void main();
