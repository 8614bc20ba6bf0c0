const config = require('./jest.config.js');

// Every mutant meets the same few scenarios. Titles of tests contain both numbers, and Stryker finds tests by title.
Object.assign(process.env, { SEED: '1', RUNS: '50' });

/** The tests of payments, events, their state and their fields. For one file, some may be enough: `MUTATION_TESTS`. */
const tests =
	process.env.MUTATION_TESTS ||
	'{operations,batch,trigger,logs,ledger,fuzz,fields,service}/* simulation/{payments,events} engine/transactions.engine';

module.exports = {
	...config,
	// Stryker replaces no `<rootDir>` here.
	testEnvironment: require.resolve('./test/sharedGlobals.cjs'),
	testMatch: tests.split(' ').map((name) => `<rootDir>/test/${name}.test.ts`),
	testPathIgnorePatterns: [
		// They use thousands of rows and kill no mutant that fewer rows do not kill.
		'test/batch/(volume|killed).engine.test.ts',
	],
	runner: require.resolve('./test/mutation/runner.cjs'),
};
