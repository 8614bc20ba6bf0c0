import * as events from './events';
import { FAULTS } from './faults';
import * as payments from './payments';
import { search, type Kind } from './search';

function testFaults<World, Figures extends object>(
	name: keyof typeof FAULTS,
	{ world, judge, computersWith }: Kind<World, Figures>,
): void {
	describe(`of ${name}`, () => {
		// Whether each is found takes a while to tell: npm run simulate -- --faults
		test.each(FAULTS[name])('it can still be planted: $name', (change) => {
			expect(() => computersWith([change])).not.toThrow();
		});

		test('each has a name of its own', () => {
			expect(new Set(FAULTS[name].map((one) => one.name)).size).toBe(FAULTS[name].length);
		});

		test('a world happens the same way again', async () => {
			const [change] = FAULTS[name];
			const judgements = async () => {
				const broken = computersWith([change]);
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
