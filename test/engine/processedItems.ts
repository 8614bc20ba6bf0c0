import { DataDeduplicationService } from 'n8n-core';

import { ProcessedItems } from '../simulation/processedItems';

export { ProcessedItems };

/** What n8n-core asks, for all tests of a file: the memory of whichever test is running. */
let current = new ProcessedItems();
let isInstalled = false;

/** Gives n8n-core a memory of processed items, empty unless one is given. */
export function useProcessedItems(items = new ProcessedItems()): ProcessedItems {
	current = items;
	return items;
}

/** Lets n8n-core ask that memory, as n8n does at its start. */
export function installProcessedItems(): void {
	if (isInstalled) return;
	isInstalled = true;
	void DataDeduplicationService.init({
		checkProcessedAndRecord: async (...call) => await current.checkProcessedAndRecord(...call),
		removeProcessed: async (items, scope, data) =>
			await current.removeProcessed(items, scope, data),
		clearAllProcessedItems: async (scope, data) =>
			await current.clearAllProcessedItems(scope, data),
		getProcessedDataCount: async (...call) => await current.getProcessedDataCount(...call),
	});
}
