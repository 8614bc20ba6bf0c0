import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { useService } from '../engine/service';
import {
	BANK,
	bank,
	bankRows,
	created,
	FIELDS,
	GOING_ON,
	KINDS,
	ON_ERROR,
	outcomes,
	referenceOf,
	reported,
	rowsOf,
	transactionIds,
} from './batch';

const service = useService({ duplicateReferences: 'accept' });

/** Fails for the second item: n8n throws when the parameter is read. */
const failing = (otherwise: string): string =>
	`={{ $itemIndex === 1 ? $('No such node').first().json.x : ${otherwise} }}`;

describe('an expression that fails for one row', () => {
	const cases: Array<[string, INodeParameters]> = [
		['in a field', { ...FIELDS, amount: failing('$json.amount') }],
		['in Default Values', bank({}, { defaultValues: { country: failing("'PE'") } })],
	];

	test.each(cases)('sends nothing if an expression fails %s', async (_, parameters) => {
		const result = await service.run(parameters, { items: bankRows(3) });
		expect(result.error).toBeDefined();
		expect(created(service)).toEqual([]);
	});

	describe.each(GOING_ON)('with On Error %s', (onError) => {
		test.each(cases)('rejects only the row whose expression fails %s', async (_, parameters) => {
			const result = await service.run(parameters, { items: bankRows(3), onError });
			// After a throw, n8n would pass on the input items as if they had been paid.
			expect(result.thrown).toEqual([]);
			expect(outcomes(result)).toEqual(['created', 'notSent', 'created']);
			expect(created(service).sort()).toEqual([referenceOf(0), referenceOf(2)]);
		});
	});
});

describe.each(GOING_ON)('an expression that fails for the batch, with On Error %s', (onError) => {
	test.each<[string, INodeParameters]>([
		['in the Batch ID', { referenceSource: 'generated', batchId: "={{ $('No such node').x }}" }],
		[
			'in Key Columns',
			{
				referenceSource: 'generated',
				batchId: 'b',
				keyColumns: "={{ $('No such node').first().json.x }}",
			},
		],
		['in an option', { options: { maximumAmount: "={{ $('No such node').first().json.n }}" } }],
	])('passes no row on as paid if an expression fails %s', async (_, parameters) => {
		const result = await service.run({ ...BANK, ...parameters }, { items: bankRows(2), onError });
		expect(created(service)).toEqual([]);
		expect(outcomes(result)).toEqual(['notSent', 'notSent']);
	});
});

describe('expressions that n8n evaluates together', () => {
	const rows = () =>
		bankRows(3).map((row, index) => ({ ...row, isOther: index === 1, currency: 'BOB' }));
	const fields = { ...FIELDS, currencyType: '={{ $json.currency }}', options: { dryRun: true } };

	// n8n lets an expression change the item, and evaluates one field after the other.
	test.each([
		['an assignment', "$json.currency = 'USD', $json.amount"],
		['a method', "Object.assign($json, { currency: 'USD' }), $json.amount"],
	])('evaluates fields in their order if %s changes some items', async (_, change) => {
		const amount = `={{ $json.isOther ? (${change}) : $json.amount }}{{ "" }}`;
		const { json } = await service.run({ ...fields, amount }, { items: rows() });
		const currencies = json.map(({ request }) => {
			const { body } = request as { body: { transaction: IDataObject } };
			return body.transaction.currency_type;
		});
		expect(currencies).toEqual(['BOB', 'USD', 'BOB']);
	});

	test('evaluates a later item with another type of value like n8n', async () => {
		const amount = '={{ $json.isOther ? $json.amount.toString : $json.amount }}';
		const result = await service.run(
			{ ...fields, amount },
			{ items: rows(), onError: 'continueRegularOutput' },
		);
		expect(outcomes(result)).toEqual(['ready', 'notSent', 'ready']);
		expect(reported(result)[1].message).toContain('this is a function');
	});
});

describe('output of created rows', () => {
	const kind = KINDS[3];
	const parameters = {
		...kind.parameters,
		options: { ...(kind.parameters.options as object), includeBase64: failing('true') },
	};

	test.each(ON_ERROR)(
		'reports created rows if an expression for the output fails (On Error %s)',
		async (onError) => {
			const items = rowsOf(kind, 3, service);
			const result = await service.run(parameters, { items, onError, retryOnFail: true });

			const ids = transactionIds(service);
			const rows = reported(result);
			expect(rows).toHaveLength(3);
			for (const [reference, id] of ids) {
				const row = rows.find((candidate) => candidate.reference === reference);
				expect(['created', 'unknown']).toContain(row?.outcome);
				if (row?.outcome === 'created') expect(row.transactionId).toBe(id);
			}
			expect(service.sandbox.core.transactions.counters().duplicates).toBe(0);
		},
	);
});
