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
	PATH,
	posted,
	reported,
	rowName,
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

	test('stops a batch in which a row has no reference', async () => {
		const result = await service.run(BANK, { items: [bankRow(0), withoutReference(bankRow(1))] });
		expect(service.sent()).toEqual([]);
		expect(result.error?.description).toContain(`${rowName(1)}: External Reference is required`);
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

	test('generates other references for another batch', async () => {
		const november = await referencesFor(generated('payroll-11'), salaries(4));
		const december = await referencesFor(generated('payroll-12'), salaries(4));
		expect(new Set([...november, ...december]).size).toBe(8);
	});

	test('generates another reference for another payee', async () => {
		const [one] = await referencesFor(generated('payroll'), salaries(1));
		const [other] = await referencesFor(generated('payroll'), [
			{ ...salaries(1)[0], destination_id_number: '7654321' },
		]);
		expect(other).not.toBe(one);
	});

	test.each<[string, IDataObject]>([
		['a number instead of text', { amount: 100.5, destination_account: 1000 }],
		['another spelling of the amount', { amount: ' 100.5000 ' }],
		['another amount', { amount: '100.51' }],
		['another account', { destination_account: '999' }],
		['another description', { description: 'Salary December 2026' }],
		['another currency', { currency_type: 'USD' }],
		['a document without its leading zero', { destination_id_number: 812345 }],
		['spaces around a text', { first_name: ' María José\u00a0' }],
		['another spelling of a choice', { currency_type: 'bob' }],
		['columns that belong to no field', { Employee: 'E-1', notes: 'urgent' }],
		['results written back to the sheet', { outcome: 'created', status: 'x', message: 'y' }],
		['a column of references, which it ignores', { external_reference: 'old' }],
	])('generates the same reference with %s', async (_, cells) => {
		const first = await referencesFor(generated('payroll'), salaries(1));
		const second = await referencesFor(generated('payroll'), [{ ...salaries(1)[0], ...cells }]);
		expect(second).toEqual(first);
	});

	test('generates the same reference with the columns in another order', async () => {
		const first = await referencesFor(generated('payroll'), salaries(1));
		const reordered = Object.fromEntries(Object.entries(salaries(1)[0]).toReversed());
		expect(await referencesFor(generated('payroll'), [reordered])).toEqual(first);
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

	test('generates different references in different operations', async () => {
		const [one] = await referencesFor(generated('b', { keyColumns: 'key' }), [
			{ key: '1', ...salaries(1)[0] },
		]);
		const [other] = await referencesFor(
			{ ...generated('b', { keyColumns: 'key' }), operation: 'createCrypto' },
			[{ key: '1', ...KINDS[1].row(0, service) }],
		);
		expect(service.sent().map(({ path }) => path)).toEqual([PATH.bank, PATH.crypto]);
		expect(other).not.toBe(one);
	});
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

	test('distinguishes rows by key columns', async () => {
		const [november] = await referencesFor(keyed(), rows().slice(0, 1));
		const [december] = await referencesFor(keyed(), [{ ...rows()[0], month: 12 }]);
		expect(december).not.toBe(november);
	});

	test('ignores the spelling of key columns and their values', async () => {
		const first = await referencesFor(keyed(), rows());
		const others = rows().map(({ employee_id, month, ...row }) => ({
			'Employee ID': ` ${(employee_id as string).toLowerCase()}`,
			MONTH: `0${String(month)}.0`,
			...row,
		}));
		expect(await referencesFor(keyed('Employee-ID,month'), others)).toEqual(first);
	});

	test('ignores the names of key columns', async () => {
		const first = await referencesFor(keyed(), rows());
		const renamed = rows().map(({ employee_id, month, ...row }) => ({
			Legajo: employee_id,
			Mes: month,
			...row,
		}));
		expect(await referencesFor(keyed('Legajo, Mes'), renamed)).toEqual(first);
	});

	test('counts the order in which key columns are listed', async () => {
		const [first] = await referencesFor(keyed('employee_id, month'), rows().slice(0, 1));
		const [other] = await referencesFor(keyed('month, employee_id'), rows().slice(0, 1));
		expect(other).not.toBe(first);
	});

	test('accepts columns of the payment as key columns', async () => {
		const first = await referencesFor(keyed('destination_account'), rows());
		expect(await referencesFor(keyed('Destination Account'), rows())).toEqual(first);
	});

	test('rejects a row whose keys repeat', async () => {
		const result = await service.run(keyed(), { items: [...rows(), rows()[1]] });
		expect(service.sent()).toEqual([]);
		expect(result.error?.description).toContain(
			`Key Columns is the same as in ${rowName(1).replace('Row', 'row')}, and so is every other column`,
		);
	});

	test.each([
		['are missing', 'employee_id, year', /no column for the Key Column "year"/],
		['are named like a built-in', 'toString', /no column for the Key Column "toString"/],
	])('stops a batch if key columns %s', async (_, columns, said) => {
		const result = await service.run(keyed(columns), { items: rows() });
		expect(service.sent()).toEqual([]);
		expect(result.error?.message).toMatch(said);
	});

	test('stops a batch if a key column is empty in a row', async () => {
		const items = rows();
		items[1].employee_id = ' ';
		const result = await service.run(keyed(), { items });
		expect(service.sent()).toEqual([]);
		expect(result.error?.description).toContain(
			`\n<li>${rowName(1)}: Key column "employee_id" is empty`,
		);
	});
});
