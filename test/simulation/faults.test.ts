import type fc from 'fast-check';

import * as events from './events';
import { FAULTS } from './faults';
import type { Change } from './package';
import * as payments from './payments';
import { search } from './search';

/** What a kind of worlds exports. */
interface Kind<World, Computers> {
	world: fc.Arbitrary<World>;
	judge: (world: World, computers: Computers) => Promise<string[]>;
	Computers: new (changes: readonly Change[]) => Computers;
}

function testFaults<World, Computers>(
	name: keyof typeof FAULTS,
	{ world, judge, Computers }: Kind<World, Computers>,
): void {
	describe(`of ${name}`, () => {
		// Whether each is found takes a while to tell: npm run simulate -- --faults
		test.each(FAULTS[name])('it can still be planted: $name', (change) => {
			expect(() => new Computers([change])).not.toThrow();
		});

		test('each has a name of its own', () => {
			expect(new Set(FAULTS[name].map((one) => one.name)).size).toBe(FAULTS[name].length);
		});

		test('a world happens the same way again', async () => {
			const [change] = FAULTS[name];
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
		}, 120_000);
	});
}

testFaults('payments', payments);
testFaults('events', events);
