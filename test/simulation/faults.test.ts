import * as events from './events';
import { FAULTS } from './faults';
import * as payments from './payments';

// Whether each is found takes a while to tell: npm run simulate -- --faults
describe.each([
	{ name: 'payments' as const, Computers: payments.Computers },
	{ name: 'events' as const, Computers: events.Computers },
])('of $name', ({ name, Computers }) => {
	test.each(FAULTS[name])('it can still be planted: $name', (change) => {
		expect(() => new Computers([change])).not.toThrow();
	});

	test('each has a name of its own', () => {
		expect(new Set(FAULTS[name].map((one) => one.name)).size).toBe(FAULTS[name].length);
	});
});
