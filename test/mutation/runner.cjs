const { mkdirSync, readFileSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { default: TestRunner } = require('jest-runner');

/** A mutant has to be found by tests that take so long together, the quickest of those that reach it. */
const MAX_MS = Number(process.env.MUTANT_SECONDS ?? 10) * 1_000;

/** So many of the tests that killed most are tried before the others. */
const FIRST = 12;

/** How many mutants of this process a test killed. */
const kills = new Map();

/**
 * For a mutant, runs the tests that reach it until one fails: at first those that killed others. Stryker itself knows
 * neither an order nor an end, and loads the files of all tests.
 */
module.exports = class MutantRunner extends TestRunner {
	async runTests(tests, watcher, options) {
		const { rootDir, testNamePattern } = this._globalConfig;
		const folder = join(rootDir, '.stryker');
		const known = join(folder, 'tests.json');
		if (!process.env.__STRYKER_ACTIVE_MUTANT__) {
			const all = [];
			this.on('test-file-success', ([{ path }, { testResults }]) =>
				all.push(
					...testResults.map(({ fullName: name, duration }) => ({ path, name, ms: duration ?? 0 })),
				),
			);
			await super.runTests(tests, watcher, options);
			mkdirSync(folder, { recursive: true });
			if (!testNamePattern) writeFileSync(known, JSON.stringify(all));
			return;
		}

		let isKilled = false;
		let ran = 0;
		this.on('test-file-failure', () => (isKilled = true));
		this.on('test-file-success', ([, result]) => {
			const { testExecError, testResults } = result;
			ran += result.numPassingTests + result.numFailingTests;
			const failed = testResults.filter(({ status }) => status === 'failed');
			for (const { fullName } of failed) kills.set(fullName, (kills.get(fullName) ?? 0) + 1);
			if (failed.length > 0 || testExecError) isKilled = true;
		});
		const pattern = new RegExp(testNamePattern ?? '', 'i');
		const reaching = JSON.parse(readFileSync(known, 'utf8'))
			.filter(({ name }) => pattern.test(name))
			.sort((a, b) => rate(b) - rate(a) || a.ms - b.ms);
		let ms = 0;
		const tried = reaching.filter((test) => (ms += test.ms) <= MAX_MS);
		for (const some of [tried.slice(0, FIRST), tried.slice(FIRST)]) {
			for (const path of new Set(some.map((test) => test.path))) {
				if (isKilled) return;
				const names = some.filter((test) => test.path === path).map(({ name }) => escaped(name));
				this._globalConfig = {
					...this._globalConfig,
					testNamePattern: `^(${names.join('|')})$`,
				};
				await super.runTests(
					tests.filter((test) => test.path === path),
					watcher,
					options,
				);
			}
		}
		if (ran === 0 && !isKilled) throw new Error(`None of ${tried.length} tests ran`);
	}
};

/** Kills for the time that it takes, with what it takes to load a file. */
function rate({ name, ms }) {
	return (kills.get(name) ?? 0) / (ms + 200);
}

function escaped(text) {
	return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
