const { writeFileSync } = require('node:fs');

/**
 * Writes into a file which tests have failed (`noticed.ts`). Jest's own reporters set timers of the process whose globals
 * the tests share, which those with fake timers count.
 */
class NoticedReporter {
	constructor(_, { path }) {
		this.path = path;
		this.failures = [];
	}

	/** A file that is never done has failed, too. */
	onTestFileStart({ path, context: { config } }) {
		this.write([{ project: config.displayName.name, path, title: 'it does not end' }]);
	}

	onTestFileResult(_, { displayName, testFilePath, testResults, failureMessage }) {
		if (failureMessage) {
			this.failures.push({
				project: displayName.name,
				path: testFilePath,
				title: testResults.find(({ status }) => status === 'failed')?.fullName ?? 'it does not run',
			});
		}
		this.write();
	}

	write(begun = []) {
		writeFileSync(this.path, JSON.stringify([...this.failures, ...begun]));
	}
}

module.exports = NoticedReporter;
