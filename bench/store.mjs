/**
 * Measures what a full ledger costs: the time in the node of 1,000 bank payouts, of others to the same payees, of the same
 * with a daily limit, and of dry runs, with an empty and with a full ledger (docs/performance.md). The service answers at
 * once.
 *
 * node bench/store.mjs [--rows N]
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { ensureN8n } from '../e2e/harness/install.mjs';
import { ensureBuild, ensureRootInstall, packPackage } from '../e2e/harness/package.mjs';
import { stopAll } from '../e2e/harness/processes.mjs';
import { startStage } from '../e2e/harness/stage.mjs';
import { formatTable } from '../e2e/harness/table.mjs';
import { chainOf, evidence, outcomes, payRows } from '../e2e/tests/batch-support.mjs';
import { NODE } from '../e2e/tests/support.mjs';
import { startAgain } from '../e2e/tests/trigger-support.mjs';
import { bankRow } from '../test/fixtures/rows.cjs';
import { fill, FIRST_STORE_ENTRY, FULL_STORE } from './processedItems.mjs';

const TIMEOUT = { timeoutMs: 300_000 };

const LIMIT = { total: [{ currency: 'BOB', amount: '1000000000' }] };

const WAYS = /** @type {const} */ ([
	['payments', {}],
	['payments to payees of an earlier run', {}, { isSecond: true }],
	['payments with Daily Limit (This Node)', { dailyLimit: LIMIT }],
	['dry run', { dryRun: true }],
	['dry run for payees of an earlier run', { dryRun: true }, { isSecond: true }],
]);

const { values } = parseArgs({ options: { rows: { type: 'string', default: '1000' } } });
const ROWS = Number(values.rows);

async function main() {
	await ensureRootInstall();
	await ensureBuild();
	const folder = mkdtempSync(path.join(os.tmpdir(), 'partner-payments-bench-'));
	try {
		const installation = await ensureN8n();
		const packed = await packPackage();
		const stage = await startStage({ installation, packed, folder });
		const rows = [];
		for (const [what, options, way] of WAYS) {
			const empty = await measure(stage, options, { entries: 0, ...way });
			const full = await measure(stage, options, { entries: FULL_STORE, ...way });
			rows.push({ what, empty, full });
		}
		await stage.stop();
		console.log(
			formatTable(
				[
					{ title: `${ROWS} rows, 0 ms`, value: ({ what }) => what },
					{ title: 'empty store', right: true, value: ({ empty }) => `${empty} ms` },
					{ title: `${FULL_STORE} entries`, right: true, value: ({ full }) => `${full} ms` },
				],
				rows,
			),
		);
	} finally {
		await stopAll();
		rmSync(folder, { recursive: true, force: true });
	}
}

/**
 * Pays rows in a node whose store has so many entries, and that has paid the same payees before if it is the second run.
 * Returns the milliseconds in the node.
 */
async function measure(stage, options, { entries, isSecond = false }) {
	await stage.sandbox.reset();
	const numbers = Array.from({ length: ROWS }, (_, number) => number + 1);
	const workflow = (own, changes = () => ({})) =>
		chainOf([payRows(stage, { options: own })], {
			rows: numbers.map((number) => bankRow(number, changes())),
		});
	const { id, nodes } = await stage.n8n.createWorkflow(
		workflow({ ...options, dryRun: options.dryRun && !isSecond }),
	);
	const node = nodes.find(({ name }) => name === NODE);
	if (entries > 0) {
		await stage.n8n.stop();
		fill(stage, id, node.id, entries, FIRST_STORE_ENTRY);
		await startAgain(stage);
	}
	if (isSecond) {
		await stage.n8n.runWorkflow(id, TIMEOUT);
		await stage.sandbox.reset();
		// Other payments, by reference and amount.
		const others = workflow(options, () => ({ external_reference: randomUUID(), amount: '7' }));
		await stage.n8n.updateWorkflow(id, { nodes: others.nodes, pinData: others.pinData });
	}
	const execution = await stage.n8n.runWorkflow(id, TIMEOUT);
	const expected = options.dryRun ? 'ready' : 'created';
	const others = outcomes(execution).filter((outcome) => outcome !== expected);
	if (others.length > 0) throw new Error(`${others.length} rows are ${others[0]}`);
	const { created } = await evidence(stage);
	if (created.length !== (options.dryRun ? 0 : ROWS)) throw new Error('The payments differ');
	return execution.runs(NODE)[0].executionTime;
}

await main();
