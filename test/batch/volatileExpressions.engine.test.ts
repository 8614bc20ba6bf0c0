import { type IDataObject, type INodeParameters } from 'n8n-workflow';

import { useProcessedItems } from '../engine/processedItems';
import { TOOL_TYPE, type RunResult } from '../engine/runNode';
import { useService } from '../engine/service';
import {
	BANK,
	bankRows,
	created,
	GOING_ON,
	KINDS,
	ON_ERROR,
	outcomes,
	posted,
	reported,
	rowsOf,
	strike,
} from './batch';
import { without } from '../without';

/**
 * Nobody, neither n8n nor the service, can recognize a payment whose reference or Batch ID changes each time it is
 * read.
 */
const service = useService({ duplicateReferences: 'accept' });

const REJECTED = { type: 'status', status: 422 } as const;

/** Crypto payouts from fields: their references may be any text. */
const given = (externalReference: string): INodeParameters => ({
	...KINDS[1].parameters,
	mappingMode: 'defineBelow',
	walletId: '={{ $json.walletId }}',
	destinationWallet: '={{ $json.destinationWallet }}',
	amount: '={{ $json.amount }}',
	asset: 'USDC',
	blockchain: 'Polygon',
	externalReference,
	options: { concurrency: 1 },
});

const generated = (batchId: string, more: INodeParameters = {}): INodeParameters => ({
	...BANK,
	referenceSource: 'generated',
	batchId,
	...more,
});

const payouts = (count: number): IDataObject[] => rowsOf(KINDS[1], count, service);
const salaries = (count: number): IDataObject[] =>
	bankRows(count).map((row) => without(row, 'external_reference'));

/** The message of the node, whether it failed or continued. */
const saidBy = (result: RunResult): string =>
	result.error ? `${result.error.message}` : reported(result)[0].message;

describe('the number of the execution', () => {
	const code = '$execution.id';
	const why = /is based on the time, the execution/;

	test.each(ON_ERROR)('rejects a volatile reference with a reason (%s)', async (onError) => {
		const result = await service.run(given(`=pay-{{ $itemIndex }}-{{ ${code} }}`), {
			items: payouts(3),
			onError,
			retryOnFail: true,
		});
		expect(service.sandbox.core.traffic.requests()).toEqual([]);
		expect(saidBy(result)).toMatch(why);
		if (onError === 'stopWorkflow') {
			expect(result.error?.message).toMatch(/^Nothing was sent\. External Reference /);
			expect(result.error?.description).toContain('Use an input column');
		} else {
			expect(outcomes(result)).toEqual(['notSent', 'notSent', 'notSent']);
			expect(reported(result)[2].hint).toContain('Use an input column');
		}
	});

	test.each(ON_ERROR)('rejects a volatile Batch ID with a reason (%s)', async (onError) => {
		const result = await service.run(generated(`=payroll-{{ ${code} }}`), {
			items: salaries(3),
			onError,
			retryOnFail: true,
		});
		expect(service.sandbox.core.traffic.requests()).toEqual([]);
		expect(saidBy(result)).toMatch(why);
		if (onError === 'stopWorkflow') {
			expect(result.error?.message).toMatch(/^Nothing was sent\. Batch ID /);
			expect(result.error?.description).toContain('such as payroll-2026-11');
		} else {
			expect(outcomes(result)).toEqual(['notSent', 'notSent', 'notSent']);
		}
	});
});

describe('hidden volatility', () => {
	// The text names neither time nor randomness: only a second reading shows that the value changes.
	const UNSEEN = '(Object.keys(Math), Math["ran" + "dom"]())';

	test.each(GOING_ON)('finds a hidden volatile reference (On Error %s)', async (onError) => {
		const result = await service.run(given(`=pay-{{ ${UNSEEN} }}`), { items: payouts(2), onError });
		expect(service.sandbox.core.traffic.requests()).toEqual([]);
		expect(outcomes(result)).toEqual(['notSent', 'notSent']);
		expect(reported(result)[0].message).toContain('changes whenever the rows run again');
	});

	test.each(ON_ERROR)('finds a hidden volatile Batch ID (On Error %s)', async (onError) => {
		const result = await service.run(generated(`=payroll-{{ ${UNSEEN} }}`), {
			items: salaries(2),
			onError,
		});
		expect(service.sandbox.core.traffic.requests()).toEqual([]);
		expect(saidBy(result)).toMatch(/Batch ID (or Key Columns changed|is )/);
	});
});

test('recognizes rows that run again on the same day under a Batch ID with the date', async () => {
	const parameters = generated('=payroll-{{ $now.toFormat("yyyy-MM-dd") }}');
	const first = await service.run(parameters, { items: salaries(2) });
	expect(outcomes(first)).toEqual(['created', 'created']);
	const second = await service.run(parameters, { items: salaries(2) });
	expect(outcomes(second)).toEqual(['alreadySent', 'alreadySent']);
});

describe('invalid Batch IDs', () => {
	test('rejects only the item whose reference lacks a part', async () => {
		const items = payouts(3).map((row, item) => (item === 1 ? row : { ...row, no: item }));
		for (const onError of GOING_ON) {
			service.processed = useProcessedItems();
			const result = await service.run(given('=pay-{{ $json.no }}'), { items, onError });
			expect(outcomes(result)).toEqual(['created', 'notSent', 'created']);
			expect(reported(result)[1].message).toMatch(/External Reference is incomplete.*\$json\.no/);
		}
		expect(created(service)).not.toContain('pay-');
	});
});

describe('values for the whole batch', () => {
	const items = (): IDataObject[] =>
		salaries(3).map((row, item) => ({ ...row, batch: `b-${Math.floor(item / 2)}`, key: 'batch' }));

	test('accepts an expression with the same value for all items', async () => {
		const rows = items().map((row) => ({ ...row, batch: 'b-7', most: 500 }));
		const result = await service.run(
			generated('={{ $json.batch }}', {
				keyColumns: '={{ $json.key + ", destination_account" }}',
				options: { maximumAmount: '={{ $json.most }}', concurrency: '={{ 1 + 1 }}' },
			}),
			{ items: rows },
		);
		expect(outcomes(result)).toEqual(['created', 'created', 'created']);
	});
});

describe('references that changed since an earlier try', () => {
	const parameters = (prefix: string): INodeParameters =>
		given(`={{ "${prefix}-" + $json.amount }}`);

	test.each(GOING_ON)('does not pay under a changed reference (On Error %s)', async (onError) => {
		const items = payouts(4);
		strike(service, 'a-3.25', REJECTED);
		const failed = await service.run(parameters('a'), { items });
		expect(outcomes(failed)).toEqual(['created', 'created', 'rejected', 'notSent']);

		const retried = await service.run(parameters('b'), {
			items,
			onError,
			resumeFrom: failed.run.data,
		});
		const rows = reported(retried);
		expect(rows.map(({ outcome, reference }) => [outcome, reference])).toEqual([
			['unknown', 'a-1.25'],
			['unknown', 'a-2.25'],
			['created', 'b-3.25'],
			['created', 'b-4.25'],
		]);
		for (const row of rows.slice(0, 2)) {
			expect(row.message).toContain(`under the reference ${row.reference}, which created`);
			expect(row.transactionId).not.toBe('');
			expect(row.message).toContain(row.transactionId);
		}
		expect(posted(service)).toEqual(['a-1.25', 'a-2.25', 'a-3.25', 'b-3.25', 'b-4.25']);
	});
});

describe('tools of an AI agent', () => {
	test.each(ON_ERROR)('rejects generated references of an agent (On Error %s)', async (onError) => {
		const result = await service.run(generated('payroll'), {
			items: salaries(1),
			nodeType: TOOL_TYPE,
			onError,
		});
		expect(service.sandbox.core.traffic.requests()).toEqual([]);
		expect(saidBy(result)).toContain('An AI agent has to give each payment a reference');
	});

	test('sends a given reference once, however often the agent calls', async () => {
		const items = payouts(1);
		const call = async (reference: string) =>
			await service.run(given(reference), { items, nodeType: TOOL_TYPE });
		expect(outcomes(await call('invoice-7'))).toEqual(['created']);
		expect(outcomes(await call('invoice-7'))).toEqual(['alreadySent']);
		expect(posted(service)).toEqual(['invoice-7']);
	});

	test('gives the model an item that says what to do, and no error', async () => {
		strike(service, 'invoice-7', { type: 'status', status: 500, when: 'after' });
		const { error, json } = await service.run(given('invoice-7'), {
			items: payouts(1),
			nodeType: TOOL_TYPE,
		});
		expect(error).toBeUndefined();
		expect(json[0]).toMatchObject({ outcome: 'unknown' });
		expect(json[0].hint).toMatch(
			/before you pay it under another reference. It may have been created/,
		);
	});
});
