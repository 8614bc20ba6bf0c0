/** A payment node that n8n runs outside a saved workflow, with the services of its assistant and its agents. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { beforeEach, describe, it } from 'node:test';
import { E2E_DIR } from '../harness/paths.mjs';
import { referenceOf } from './batch-support.mjs';
import { partnerPayments, useStage } from './support.mjs';

const stage = useStage('outside-workflow', {
	env: { EXTERNAL_HOOK_FILES: path.join(E2E_DIR, 'harness/services-of-n8n.cjs') },
});

const PAYOUT = {
	resource: 'payout',
	operation: 'createBank',
	referenceSource: 'given',
	externalReference: referenceOf(1),
	firstName: 'Ana',
	lastName: 'Flores',
	destinationIdNumber: '0812345',
	bankCode: '0010',
	destinationAccount: '1001',
	amount: 100.5,
	currencyType: 'BOB',
	description: 'Salary',
};

/**
 * Runs a bank payout with one reference, and returns what the service of n8n answers.
 *
 * @param {'assistant' | 'agent'} service
 * @param {object} [options] of the node
 */
async function runWith(service, options = {}) {
	const node = partnerPayments(stage, { ...PAYOUT, options });
	const response = await fetch(`${stage.n8n.url}/own/${service}`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify(node),
	});
	assert.equal(response.status, 200);
	return await response.json();
}

describe('outside a saved workflow', () => {
	beforeEach(async () => await stage.sandbox.reset());

	for (const service of /** @type {const} */ (['assistant', 'agent'])) {
		it(`pays nothing for n8n's ${service}, however often, and says what to do`, async () => {
			for (let run = 0; run < 2; run++) {
				const answer = JSON.stringify(await runWith(service));
				assert.match(answer, /outside a saved workflow/);
			}
			assert.deepEqual(await stage.sandbox.transactions(), []);
		});

		it(`shows n8n's ${service} in a dry run what would be paid`, async () => {
			assert.match(JSON.stringify(await runWith(service, { dryRun: true })), /"outcome":"ready"/);
			assert.deepEqual(await stage.sandbox.transactions(), []);
		});
	}
});
