import { readFileSync } from 'node:fs';

/** The mutants that survived the previous run, by their places, to try them again with more tests. */
function survivors() {
	const { files } = JSON.parse(readFileSync('.stryker/report.json', 'utf8'));
	return Object.entries(files).flatMap(([file, { mutants }]) =>
		mutants
			.filter(({ status }) => ['Survived', 'NoCoverage'].includes(status))
			.map(({ location: { start, end } }) => {
				// The report counts columns from 1, a range from 0.
				const [from, to] = [start, end].map(({ line, column }) => `${line}:${column - 1}`);
				return `${file}:${from}-${to}`;
			}),
	);
}

const isAgain = process.env.MUTATE_AGAIN !== undefined;

/**
 * Mutation testing: see CONTRIBUTING.md.
 *
 * @type {import('@stryker-mutator/api/core').PartialStrykerOptions}
 */
export default {
	mutate: isAgain
		? survivors()
		: [
				'nodes/**/*.ts',
				// Texts and forms decide nothing. Other tests compare the texts with the guides.
				'!nodes/**/{messages,form,*.node}.ts',
			],
	force: isAgain,
	testRunner: 'jest',
	jest: { configFile: 'jest.mutation.config.cjs', enableFindRelatedTests: false },
	coverageAnalysis: 'perTest',
	// Code that runs when a module is loaded would be tried with every test.
	ignoreStatic: true,
	disableTypeChecks: 'nodes/**/*.ts',
	// With a slash, only the folder at the top: a test reads test/docs. Some read docs, too.
	ignorePatterns: ['.demo', '/bench', '/e2e'],
	concurrency: 2,
	// The runner ends after `MUTANT_SECONDS`, however long the tests take that reach a mutant. On a busy machine a mutant
	// must not count as one that never ends.
	timeoutMS: 30_000,
	timeoutFactor: 0.1,
	dryRunTimeoutMinutes: 30,
	incremental: true,
	incrementalFile: '.stryker/incremental.json',
	tempDirName: '.stryker/tmp',
	plugins: ['@stryker-mutator/jest-runner', './test/mutation/reporter.mjs'],
	reporters: ['files', 'html', 'json'],
	htmlReporter: { fileName: '.stryker/report.html' },
	jsonReporter: { fileName: '.stryker/report.json' },
};
