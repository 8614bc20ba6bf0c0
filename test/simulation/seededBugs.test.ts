import * as events from './events';
import * as fundings from './fundings';
import { SEEDED_BUGS } from './seededBugs';
import * as payments from './payments';
import { search, type Kind } from './search';

function testSeededBugs<Scenario, Figures extends object>(
	name: keyof typeof SEEDED_BUGS,
	{ scenario, checkInvariants, computersWith }: Kind<Scenario, Figures>,
): void {
	describe(`each seeded bug of ${name}`, () => {
		// Searching for each of them takes a while: npm run simulate -- --seeded-bugs
		test.each(SEEDED_BUGS[name])('matches one place in the code: $name', (patch) => {
			expect(() => computersWith([patch])).not.toThrow();
		});

		test('has a name that no other has', () => {
			expect(new Set(SEEDED_BUGS[name].map((one) => one.name)).size).toBe(SEEDED_BUGS[name].length);
		});

		test('is found in the same scenarios with the same seed', async () => {
			const [patch] = SEEDED_BUGS[name];
			const violations = async () => {
				const broken = computersWith([patch]);
				const all: string[][] = [];
				const note = async (one: Scenario) => {
					all.push(await checkInvariants(one, broken));
					return [];
				};
				await search(scenario, note, { runs: 6, seed: 7, shrinks: false });
				return all;
			};
			const first = await violations();
			expect(first.flat()).not.toEqual([]);
			expect(await violations()).toEqual(first);
		}, 120_000);
	});
}

testSeededBugs('payments', payments);
testSeededBugs('fundings', fundings);
testSeededBugs('events', events);
