const { LegacyFakeTimers, ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');

/**
 * Tests run among the globals of their process, so that they share them with the packages that `sharedPackages.cjs`
 * loads once. With a mutant, a file runs no other test after the first that fails: the mutant is killed.
 */
class SharedGlobals {
	global = globalThis;

	hasFailed = false;

	before = { console, exit: process.exit };

	constructor({ projectConfig: config }) {
		const { global } = this;
		Object.assign(global, config.globals);
		// Of the file before, which would go on deciding what runs.
		delete global[Symbol.for('EVENT_HANDLERS')];
		// Stryker gives the active mutant to a process, and the code keeps it here.
		delete global.__stryker__?.activeMutant;
		this.moduleMocker = new ModuleMocker(global);
		this.fakeTimers = new LegacyFakeTimers({ config, global, moduleMocker: this.moduleMocker });
		this.fakeTimersModern = new ModernFakeTimers({ config, global });
	}

	async setup() {}

	async teardown() {
		// n8n-core takes its memory of processed items once: the next file gives it another.
		require('n8n-core').DataDeduplicationService.instance = undefined;
		this.fakeTimers.dispose();
		this.fakeTimersModern.dispose();
		this.global.console = this.before.console;
		process.exit = this.before.exit;
	}

	exportConditions() {
		return ['node', 'node-addons'];
	}

	getVmContext() {
		return {};
	}

	async handleTestEvent({ name, test }) {
		if (name === 'test_fn_failure' || name === 'hook_failure') this.hasFailed = true;
		else if (name === 'test_start' && this.hasFailed && process.env.__STRYKER_ACTIVE_MUTANT__) {
			test.mode = 'skip';
		}
	}
}

module.exports = SharedGlobals;
