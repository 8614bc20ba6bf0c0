import { Computers, judge, world, type World } from './events';
import { FAULTS } from './faults';
import { describe as inWords, search } from './search';

const CASES = 2_000;

/** Others each time; a search that fails says how to repeat it. */
const SEED = Date.now() % 2 ** 31;

/** Far more than it takes, on a busy machine too. */
const MAX_MS = 900_000;

const computers = new Computers();
const judged = async (one: World) => await judge(one, computers);

test(
	`each event is handled, and once by each trigger, whatever happens (${CASES} worlds, seed ${SEED})`,
	async () => {
		const { cases, failure } = await search(world, judged, {
			cases: CASES,
			seed: SEED,
			shrinks: true,
		});
		expect(failure && inWords(failure, 'events', SEED)).toBeUndefined();
		expect(cases).toBe(CASES);
	},
	MAX_MS,
);

test('a world happens the same way again', async () => {
	const [change] = FAULTS.events;
	const judgements = async () => {
		const broken = new Computers([change]);
		const told: string[][] = [];
		const note = async (one: World) => {
			told.push(await judge(one, broken));
			return [];
		};
		await search(world, note, { cases: 50, seed: 7, shrinks: false });
		return told;
	};
	const first = await judgements();
	expect(first.flat()).not.toEqual([]);
	expect(await judgements()).toEqual(first);
});
