const { writeFileSync } = require('node:fs');

/**
 * Writes into a file which tests have failed (`noticed.ts`). Jest's own reporters set timers of the process whose globals
 * the tests share, which those with fake timers count.
 */
class NoticedReporter {
	constructor(_, { path }) {
		this.path = path;
	}

	onRunComplete(_, { testResults: files }) {
		const failures = files
			.filter(({ failureMessage }) => failureMessage)
			.map(({ displayName, testFilePath, testResults }) => ({
				project: displayName.name,
				path: testFilePath,
				title: testResults.find(({ status }) => status === 'failed')?.fullName ?? 'does not run',
			}));
		writeFileSync(this.path, JSON.stringify(failures));
	}
}

module.exports = NoticedReporter;
