import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { NODE_NAME, type RunResult } from '../engine/runNode';
import { useService } from '../engine/service';
import { BANK, bankRow, KINDS, outcomes, PATH, reported, rowsOf, type Kind } from './batch';
import { without } from '../without';

// The service would accept every payment again: only the node can prevent it.
const service = useService({ duplicateReferences: 'accept' });

const BATCH: INodeParameters = {
	...BANK,
	referenceSource: 'generated',
	batchId: 'payroll-2026-11',
	options: { concurrency: 1 },
};

const salary = (number: number, changes: IDataObject = {}): IDataObject => ({
	...without(bankRow(number), 'external_reference'),
	...changes,
});

const salaries = (count: number, changes: IDataObject = {}): IDataObject[] =>
	Array.from({ length: count }, (_, number) => salary(number, changes));

/** How often the service paid each person, by document number without leading zeros. */
function timesPaid(): Map<string, number> {
	const times = new Map<string, number>();
	for (const { request } of service.sandbox.core.state.transactions.values()) {
		const { destination_id_number } = (request as { transaction: IDataObject }).transaction;
		const person = String(destination_id_number).replace(/^0+/, '');
		times.set(person, (times.get(person) ?? 0) + 1);
	}
	return times;
}

/** How often each of so many people was paid, without those that were paid once. */
function notPaidOnce(count: number): Array<[number, number]> {
	const times = timesPaid();
	return Array.from({ length: count }, (_, number): [number, number] => [
		number,
		times.get(String(812345 + number)) ?? 0,
	]).filter(([, paid]) => paid !== 1);
}

const said = ({ error }: RunResult): string => `${error?.message}\n${error?.description}`;

/** Whatever the rows' outcomes are: the tests are about who was paid. */
const GO_ON = { onError: 'continueRegularOutput' } as const;

describe('a batch that runs again after a row was rejected', () => {
	const PEOPLE = 100;
	const REJECTED = 42;

	/** The service rejects one person once, unless the document has a type. */
	async function payTheFirstTime(parameters = BATCH): Promise<void> {
		service.sandbox.core.faults.add({
			match: { path: PATH.bank, bodyContains: `"0${812345 + REJECTED}"` },
			times: 1,
			fault: { type: 'status', status: 400, body: { message: 'document type required' } },
		});
		const first = await service.run(parameters, { items: salaries(PEOPLE), ...GO_ON });
		expect(outcomes(first).filter((outcome) => outcome === 'created')).toHaveLength(PEOPLE - 1);
		expect(reported(first)[REJECTED].outcome).toBe('rejected');
	}

	test.each<[string, INodeParameters, (row: IDataObject, number: number) => IDataObject]>([
		['nothing is changed', {}, (row) => row],
		[
			'Document Type is added in the node',
			{ defaultValues: { documentType: 'national_id' } },
			(row) => row,
		],
		['a column Tipo de documento is added', {}, (row) => ({ ...row, 'Tipo de documento': 'CI' })],
		['the bank code of all rows is corrected', {}, (row) => ({ ...row, bank_code: '1010' })],
		['a country is added', {}, (row) => ({ ...row, country: 'BO' })],
		['names are written in capitals', {}, (row) => ({ ...row, first_name: 'MARÍA JOSÉ' })],
		[
			'the spreadsheet has dropped leading zeros',
			{},
			(row) => ({ ...row, destination_id_number: Number(row.destination_id_number) }),
		],
		[
			'the rejected row alone is corrected',
			{},
			(row, number) => (number === REJECTED ? { ...row, document_type: 'CI' } : row),
		],
	])('pays everybody once if %s', async (_, parameters, correct) => {
		await payTheFirstTime();
		const items = salaries(PEOPLE).map(correct);
		await service.run({ ...BATCH, ...parameters }, { items, ...GO_ON });
		expect(notPaidOnce(PEOPLE)).toEqual([]);
	});

	test('pays nobody if the description of all rows has changed, and names both', async () => {
		await payTheFirstTime();
		const items = salaries(PEOPLE).map((row) => ({ ...row, description: 'Sueldo, 30/11' }));
		const second = await service.run(BATCH, { items, ...GO_ON });
		expect(notPaidOnce(PEOPLE)).toEqual([[REJECTED, 0]]);
		expect(reported(second)[REJECTED].message).toContain('Sueldo, 30/11');
	});

	test('pays nobody twice whose amount or account is corrected', async () => {
		await payTheFirstTime();
		for (const changes of [{ amount: '900' }, { destination_account: '77001' }]) {
			await service.run(BATCH, { items: salaries(PEOPLE, changes), ...GO_ON });
		}
		expect(notPaidOnce(PEOPLE)).toEqual([]);
	});

	test('pays those who join later, and nobody twice, in a re-sorted file', async () => {
		await service.run(BATCH, { items: salaries(5) });
		await service.run(BATCH, { items: salaries(7).toReversed() });
		expect(notPaidOnce(7)).toEqual([]);
	});
});

describe('a batch that runs again with another spelling', () => {
	const KEYED: INodeParameters = { ...BATCH, keyColumns: 'Legajo' };
	const keyed = (column = 'Legajo', spell = (key: string): unknown => key): IDataObject[] =>
		salaries(3).map((row, number) => ({ [column]: spell(`e0-${number}`), ...row }) as IDataObject);

	test.each(['payroll 2026-11', 'PAYROLL-2026-11', 'payroll–2026‑11', ' Payroll__2026 - 11 '])(
		'pays nobody twice with the Batch ID %j',
		async (batchId) => {
			await service.run(BATCH, { items: salaries(3) });
			await service.run({ ...BATCH, batchId }, { items: salaries(3) });
			expect(notPaidOnce(3)).toEqual([]);
		},
	);

	test('pays nobody twice whose key has other letter case or blanks', async () => {
		await service.run(KEYED, { items: keyed() });
		await service.run(KEYED, { items: keyed('Legajo', (key) => ` ${key.toUpperCase()} `) });
		expect(notPaidOnce(3)).toEqual([]);
	});

	test('pays nobody twice whose document is the key and loses its zeros', async () => {
		const parameters = { ...BATCH, keyColumns: 'CI' };
		const rows = (write: (digits: string) => unknown) =>
			salaries(3).map(({ destination_id_number: digits, ...row }) => ({
				...row,
				CI: write(digits as string) as string,
			}));
		await service.run(parameters, { items: rows((digits) => digits) });
		await service.run(parameters, { items: rows(Number) });
		expect(notPaidOnce(3)).toEqual([]);
	});
});

describe('a payee with two rows', () => {
	const INVOICES = [
		salary(0, { Factura: 'F-1', amount: '10' }),
		salary(1, { Factura: 'F-2' }),
		salary(0, { Factura: 'F-3', amount: '20' }),
	];
	const ALLOW = { ...BATCH, duplicatePayments: 'allow' };

	test.each([BATCH, ALLOW])(
		'rejects the second row, and names the columns in which it differs',
		async (parameters) => {
			const result = await service.run(parameters, { items: INVOICES });
			expect(service.sent()).toEqual([]);
			expect(said(result)).toContain(
				'Destination ID Number ("0812345") is the same as in row 1, María José Quispe 0, 10.00 BOB. The rows differ in "amount" and "Factura"',
			);
		},
	);

	test('says of a copied row that it differs in nothing', async () => {
		const items = [salary(0), salary(1), salary(0, { destination_id_number: '812345' })];
		const result = await service.run(BATCH, { items });
		expect(service.sent()).toEqual([]);
		expect(said(result)).toContain(
			'is the same as in row 1, María José Quispe 0, 100.50 BOB, and so is every other column',
		);
	});

	test('pays both rows if Key Columns distinguish them', async () => {
		const keyed = { ...BATCH, keyColumns: 'Factura' };
		for (const items of [INVOICES, INVOICES.toReversed()]) await service.run(keyed, { items });
		expect(timesPaid()).toEqual(
			new Map([
				['812345', 2],
				['812346', 1],
			]),
		);
	});

	test('rejects the second row in a later run of a loop', async () => {
		const { run, error } = await service.run(BATCH, {
			items: INVOICES.slice(0, 2),
			furtherRuns: [[salary(2)], [INVOICES[2], salary(3)]],
		});
		expect(notPaidOnce(3)).toEqual([]);
		expect(timesPaid().size).toBe(3);
		expect(said({ run, error } as RunResult)).toContain(
			'is the same as in row 1 (item 0) of run 1 of this node',
		);
	});

	test.each([2, 10])(
		'rejects the second row in run 12 of a loop, whose first row was in run %d',
		async (first) => {
			const runs = Array.from({ length: 11 }, (_, number) => [salary(number)]);
			const { run, error } = await service.run(BATCH, {
				items: runs[0],
				furtherRuns: [...runs.slice(1), [salary(first - 1, { amount: '7' })]],
			});
			expect(timesPaid().size).toBe(11);
			expect(notPaidOnce(11)).toEqual([]);
			expect(said({ run, error } as RunResult)).toContain(`of run ${first} of this node`);
		},
	);

	test('rejects it also if an earlier execution of the loop sent the first row', async () => {
		for (const first of ['created', 'alreadySent']) {
			const { run } = await service.run(BATCH, {
				items: [salary(0)],
				furtherRuns: [[salary(0, { description: 'Bonus' })]],
				...GO_ON,
			});
			const rows = run.data.resultData.runData[NODE_NAME].map(
				({ data }) => data?.main[0]?.[0].json,
			);
			expect(rows).toMatchObject([
				{ outcome: first },
				{ outcome: 'notSent', message: expect.stringContaining('of run 1 of this node') },
			]);
		}
	});

	test('accepts the rows of run 11 of a loop if it is retried', async () => {
		service.sandbox.core.faults.add({
			match: { path: PATH.bank },
			skip: 21,
			times: 1,
			fault: { type: 'status', status: 422 },
		});
		const runs = Array.from({ length: 12 }, (_, number) => [
			salary(2 * number),
			salary(2 * number + 1),
		]);
		const result = await service.run(BATCH, {
			items: runs[0],
			furtherRuns: runs.slice(1),
			retryOnFail: true,
		});
		expect(result.error).toBeUndefined();
		expect(notPaidOnce(24)).toEqual([]);
	});

	test('accepts the rows of a run of a loop that is retried', async () => {
		service.sandbox.core.faults.add({
			match: { path: PATH.bank },
			skip: 3,
			times: 1,
			fault: { type: 'status', status: 422 },
		});
		const result = await service.run(BATCH, {
			items: [salary(0), salary(1)],
			furtherRuns: [[salary(2), salary(3)]],
			retryOnFail: true,
		});
		expect(result.error).toBeUndefined();
		expect(notPaidOnce(4)).toEqual([]);
	});

	test('sends a row in a later run of a loop that was rejected in an earlier one', async () => {
		service.sandbox.core.faults.add({
			match: { path: PATH.bank },
			times: 1,
			fault: { type: 'status', status: 422 },
		});
		await service.run(BATCH, {
			items: salaries(2),
			furtherRuns: [[salary(0, { document_type: 'CI' })]],
			...GO_ON,
		});
		expect(notPaidOnce(2)).toEqual([]);
	});

	test('does not count rows of a dry run', async () => {
		const dryRun = { ...BATCH, dryRun: '={{ $runIndex === 0 }}' };
		for (let execution = 0; execution < 2; execution++) {
			const result = await service.run(dryRun, {
				items: salaries(3),
				furtherRuns: [salaries(3)],
			});
			expect(result.error).toBeUndefined();
			expect(notPaidOnce(3)).toEqual([]);
		}
	});
});

test.each<[Kind, string]>([
	[KINDS[2], 'Create QR Payout'],
	[KINDS[3], 'Create QR Deposit'],
])('generates no references of a $name without Key Columns', async (kind, name) => {
	const result = await service.run(
		// n8n itself requires a value, but an expression can still give none.
		{ ...BATCH, ...kind.parameters, referenceSource: 'generated', keyColumns: '={{ "" }}' },
		{ items: rowsOf(kind, 1, service) },
	);
	expect(service.sent()).toEqual([]);
	expect(result.error?.message).toContain(`${name} needs Key Columns`);
});
