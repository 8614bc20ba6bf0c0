import { FAULTS } from './faults';
import { Computers } from './payments';

// Whether each is found takes a while to tell: npm run simulate -- --faults
test.each(FAULTS)('it can still be planted: $name', (change) => {
	expect(() => new Computers([change])).not.toThrow();
});

test('each has a name of its own', () => {
	expect(new Set(FAULTS.map(({ name }) => name)).size).toBe(FAULTS.length);
});
