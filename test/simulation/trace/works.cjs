/** What a node may do in place of a payout, for cases that no payout causes. The node's notes name it. */
'use strict';

const ENTRIES = { mode: 'entries' };

/** @type {Record<string, (this: any) => Promise<any[]>>} */
const WORKS = {
	/** n8n's processed items: what it does at once, and what in two steps. */
	async processedItems() {
		const { helpers } = this;
		const record = (/** @type {any[]} */ entries, scope = 'node', options = {}) =>
			helpers.checkProcessedAndRecord(entries, scope, { ...ENTRIES, ...options });
		const count = (scope = 'node') => helpers.getProcessedDataCount(scope, ENTRIES);
		const remove = (/** @type {string[]} */ entries) =>
			helpers.removeProcessed(entries, 'node', ENTRIES);
		const clear = (scope = 'node') => helpers.clearAllProcessedItems(scope, ENTRIES);

		await count();
		await remove(['nothing']);
		await Promise.allSettled([record(['a']), record(['b'])]);
		await count();
		await clear();
		await record(['a', 'a', 'b']);
		await record(['a', 'c', 'c']);
		await count();
		await Promise.allSettled([record(['d']), record(['e'])]);
		await count();
		await remove(['a']);
		await record(['a'], 'node', { maxEntries: 2 });
		await count();
		await record([], 'node', { maxEntries: 1 });
		await count();

		await record(['1'], 'workflow', { mode: 'latestIncrementalKey' });
		await count('workflow');
		await record(['1'], 'workflow').catch(() => {});
		await clear('workflow');
		await clear('workflow');
		return this.getInputData();
	},

	/** Fails where n8n goes on. */
	async throws() {
		throw new Error('It does not work');
	},

	/** Which errors of a first item n8n takes for a failure: one try after the other. */
	async errors() {
		const context = this.getContext('node');
		context.tries = (context.tries ?? 0) + 1;
		const error = ['', 0, null][context.tries - 1];
		return this.getInputData().map((/** @type {any} */ _, /** @type {number} */ item) => ({
			json: item === 0 ? { outcome: `try ${context.tries}`, error } : { outcome: 'right' },
			pairedItem: { item },
		}));
	},

	/** The shapes of items that n8n sends to the error output, and of those that it does not. */
	async outputs() {
		const error = 'no';
		const items = [
			{ json: { error } },
			{ json: { error, message: 'no' } },
			{ json: { error, outcome: 'other' } },
			{ json: { outcome: 'right' }, error: new Error('no') },
			{ json: { error: { outcome: 'object' } } },
			{ json: { outcome: 'right' } },
		];
		return items.map((one, item) => ({ ...one, pairedItem: { item } }));
	},
};

module.exports = { WORKS };
