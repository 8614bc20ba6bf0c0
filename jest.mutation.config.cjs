const config = require('./jest.config.js');

// The same worlds each time: their number and their seed are part of the names of tests.
Object.assign(process.env, {
	EVENT_WORLDS: '100',
	EVENT_SEED: '1',
	MEMORY_RUNS: '30',
	MEMORY_SEED: '1',
	PROPERTY_RUNS: '20',
	PROPERTY_SEED: '1',
	SIMULATION_WORLDS: '25',
	SIMULATION_SEED: '1',
});

/** The tests that prove what payments, events and their memories do. Some may be enough to look at one file. */
const {
	MUTATION_TESTS:
		tests = '{payments,events,memory,fuzz}/* simulation/{payments,events} engine/{webhookLogs,transactions}',
} = process.env;

module.exports = {
	...config,
	testMatch: tests.split(' ').map((name) => `<rootDir>/test/${name}.test.ts`),
	testPathIgnorePatterns: [
		// Thousands of rows, which decide nothing that fewer do not.
		'test/payments/(volume|killed).engine.test.ts',
	],
	runner: require.resolve('./test/mutation/runner.cjs'),
	runtime: require.resolve('./test/mutation/runtime.cjs'),
	testEnvironment: require.resolve('./test/mutation/environment.cjs'),
};
