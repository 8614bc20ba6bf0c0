/** Fills n8n's processed items of a node. */
import { execFileSync } from 'node:child_process';
import path from 'node:path';

/** `MAX_ENTRIES` of nodes/ledger/storedEntries.ts. */
export const FULL_STORE = 120_000;

/** `FIRST_ENTRY` of the same file. */
export const FIRST_STORE_ENTRY = 'partnerPayments:ledger 1';

/**
 * Writes entries into n8n's database, as n8n does (`deduplication-helper.js` of n8n). n8n must not run, or not use them.
 *
 * @param {{ n8n: import('../e2e/harness/n8n.mjs').N8n, folder: string }} stage
 * @param {string} workflow
 * @param {string} node
 * @param {number} entries how many
 * @param {string} first the first of them
 */
export function fill({ n8n, folder }, workflow, node, entries, first) {
	const script = `
		const { DatabaseSync } = require('node:sqlite');
		const { createHash } = require('node:crypto');
		const [, file, workflow, context, first, count] = process.argv;
		const hash = (entry) => createHash('md5').update(entry).digest('base64');
		const data = [hash(first)];
		for (let number = 1; number < Number(count); number++) data.push(hash('entry ' + number));
		const now = new Date().toISOString();
		const database = new DatabaseSync(file);
		database.exec('PRAGMA busy_timeout = 10000');
		database.prepare('DELETE FROM processed_data WHERE workflowId = ? AND context = ?').run(workflow, context);
		database
			.prepare('INSERT INTO processed_data (workflowId, context, createdAt, updatedAt, value) VALUES (?, ?, ?, ?, ?)')
			.run(workflow, context, now, now, JSON.stringify({ mode: 'entries', data }));
	`;
	const file = path.join(folder, 'n8n/.n8n/database.sqlite');
	const args = ['-e', script, file, workflow, `n:${node}`, first, String(entries)];
	execFileSync(n8n.installation.node, args, { stdio: 'inherit' });
}
