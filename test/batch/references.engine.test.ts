import { type IDataObject, type INodeParameters } from 'n8n-workflow';

import { useProcessedItems } from '../engine/processedItems';
import { useService } from '../engine/service';
import {
	BANK,
	bankRow,
	bankRows,
	created,
	KINDS,
	outcomes,
	posted,
	reported,
	rowsOf,
	type Kind,
} from './batch';
import { without } from '../without';

// The service accepts every batch again, so that the node’s references are visible.
const service = useService({ duplicateReferences: 'accept' });

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const generated = (batchId: string, more: INodeParameters = {}): INodeParameters => ({
	...BANK,
	referenceSource: 'generated',
	batchId,
	...more,
});

/** The references that the service received for the rows in a first run, in the order of the rows. */
async function referencesFor(parameters: INodeParameters, items: IDataObject[]): Promise<string[]> {
	// These tests don’t depend on earlier runs.
	service.processed = useProcessedItems();
	const before = created(service).length;
	const result = await service.run(parameters, { items });
	expect(outcomes(result)).toEqual(items.map(() => 'created'));
	const received = created(service).slice(before);
	const returned = reported(result).map(({ reference }) => reference);
	expect([...returned].sort()).toEqual([...received].sort());
	return returned;
}

const withoutReference = (row: IDataObject): IDataObject => without(row, 'external_reference');

/** Rows with a key in place of the reference. */
const keyed = (rows: IDataObject[], { reference }: Kind): IDataObject[] =>
	rows.map((row, number) => ({ ...without(row, reference), person: `P-${number}` }));

const salaries = (count: number): IDataObject[] => bankRows(count).map(withoutReference);

describe('given references', () => {
	test('takes the reference from the column', async () => {
		const items = [bankRow(7)];
		expect(await referencesFor(BANK, items)).toEqual([items[0].external_reference]);
	});

	test('takes the reference from the field', async () => {
		await service.run(
			{
				...KINDS[1].parameters,
				mappingMode: 'defineBelow',
				walletId: '={{ $json.walletId }}',
				destinationWallet: '={{ $json.destinationWallet }}',
				amount: '={{ $json.amount }}',
				asset: 'USDC',
				blockchain: 'Polygon',
				externalReference: '={{ "supplier-" + $itemIndex }}',
				options: { concurrency: 1 },
			},
			{ items: rowsOf(KINDS[1], 2, service) },
		);
		expect(posted(service)).toEqual(['supplier-0', 'supplier-1']);
	});
});

describe('generated references', () => {
	test('generates the same references for the same rows', async () => {
		const first = await referencesFor(generated('payroll-2026-11'), salaries(5));
		const second = await referencesFor(generated('payroll-2026-11'), salaries(5));
		expect(second).toEqual(first);
		expect(new Set(first).size).toBe(5);
	});

	test('lets the service reject a second payment from another workflow', async () => {
		await service.run(generated('payroll'), { items: salaries(3) });
		await service.sandbox.admin.change({ duplicateReferences: 'conflict' });
		const again = await service.run(generated('payroll'), {
			items: salaries(3),
			onError: 'continueRegularOutput',
			workflowId: 'workflow-2',
		});
		expect(outcomes(again)).toEqual(['unknown', 'unknown', 'unknown']);
		expect(created(service)).toHaveLength(3);
		expect(new Set(posted(service)).size).toBe(3);
	});

	test('skips rows that were already sent under generated references', async () => {
		const first = await referencesFor(generated('payroll'), salaries(3));
		const again = await service.run(generated('payroll'), { items: salaries(3) });
		expect(outcomes(again)).toEqual(['alreadySent', 'alreadySent', 'alreadySent']);
		expect(reported(again).map(({ reference }) => reference)).toEqual(first);
		expect(posted(service).sort()).toEqual([...first].sort());
	});

	test('generates the same references in another order of rows', async () => {
		const items = salaries(4);
		const first = await referencesFor(generated('payroll'), items);
		const second = await referencesFor(generated('payroll'), items.toReversed());
		expect(second).toEqual(first.toReversed());
	});

	test('generates the same reference from fields as from columns', async () => {
		const [row] = salaries(1);
		const first = await referencesFor(generated('payroll'), [row]);
		const second = await referencesFor(
			generated('payroll', {
				mappingMode: 'defineBelow',
				firstName: '={{ $json.first_name }}',
				lastName: '={{ $json.last_name }}',
				destinationIdNumber: '={{ $json.destination_id_number }}',
				bankCode: '={{ $json.bank_code }}',
				destinationAccount: '={{ $json.destination_account }}',
				amount: '={{ $json.amount }}',
				currencyType: 'BOB',
				description: '={{ $json.description }}',
				fundingSource: 'balance',
			}),
			[row],
		);
		expect(second).toEqual(first);
	});

	// Computed by another implementation of RFC 9562, from the namespace and the parts as JSON.
	test('never changes generated references between versions', async () => {
		const [row] = salaries(1);
		expect(await referencesFor(generated('payroll-2026-11'), [row])).toEqual([
			'c6041c67-d8b2-5d80-9103-eb3da8ef0cd3',
		]);
		expect(
			await referencesFor(generated('payroll-2026-11', { keyColumns: 'Employee' }), [
				{ Employee: 'E-1', ...row },
			]),
		).toEqual(['af787631-54c1-5ce2-9644-3f1ce9c608c6']);
	});

	test.each<[string, RegExp, Kind]>([
		[KINDS[0].name, UUID, KINDS[0]],
		[KINDS[1].name, UUID, KINDS[1]],
		[KINDS[2].name, /^[0-9a-f]{32}$/, KINDS[2]],
		[KINDS[3].name, /^\S{1,100}$/, KINDS[3]],
	])('generates for a %s a reference in the form %s', async (_, form, kind) => {
		const items = keyed(rowsOf(kind, 3, service), kind);
		const parameters = {
			...kind.parameters,
			referenceSource: 'generated',
			batchId: 'b-1',
			keyColumns: 'person',
		};
		const first = await referencesFor(parameters, items);
		for (const reference of first) expect(reference).toMatch(form);
		expect(new Set(first).size).toBe(3);
	});

	test.each(KINDS)(
		'generates the same reference for a $name after a round trip through the sheet',
		async (kind) => {
			const items = keyed(rowsOf(kind, 2, service), kind);
			const parameters = {
				...kind.parameters,
				referenceSource: 'generated',
				batchId: 'b-1',
				keyColumns: 'person',
				options: { includeInput: true },
			};
			const { json } = await service.run(parameters, { items });
			const first = json.map(({ reference }) => reference);
			// A sheet without the outcome: with it, the rows are already sent.
			const sheet = json.map((row) => without(row, 'outcome'));
			expect(await referencesFor(parameters, sheet)).toEqual(first);
		},
	);
});

describe('the Batch ID', () => {
	// n8n itself requires a value, but an expression can still give none.
	test.each(['={{ "" }}', '={{ null }}', '  ', '\u00a0'])(
		'sends nothing with the Batch ID %j',
		async (batchId) => {
			const result = await service.run(generated(batchId), { items: salaries(2) });
			expect(service.sandbox.core.traffic.requests()).toEqual([]);
			expect(result.error?.message).toMatch(/^Nothing was sent\. Batch ID is required/);
		},
	);

	test('rejects every row without a Batch ID if it continues', async () => {
		const result = await service.run(generated('={{ $json.batch }}'), {
			items: salaries(2),
			onError: 'continueErrorOutput',
		});
		expect(service.sandbox.core.traffic.requests()).toEqual([]);
		expect(outcomes(result)).toEqual(['notSent', 'notSent']);
	});
});

describe('key columns', () => {
	const keyed = (keyColumns = 'employee_id, month') => generated('payroll', { keyColumns });
	const rows = (): IDataObject[] =>
		salaries(3).map((row, number) => ({ employee_id: `E-${number}`, month: 11, ...row }));

	test('generates the reference from key columns alone', async () => {
		const first = await referencesFor(keyed(), rows());
		const raised = rows().map((row) => ({ ...row, amount: '200', first_name: 'Ana' }));
		expect(await referencesFor(keyed(), raised)).toEqual(first);
		expect(new Set(first).size).toBe(3);
	});
});
