import { type IDataObject, type INodeExecutionData } from 'n8n-workflow';

import { useService } from '../engine/service';
import {
	BANK,
	bankRow,
	bankRows,
	created,
	descriptionLines,
	GOING_ON,
	KINDS,
	outcomes,
	referenceOf,
	reported,
} from './batch';

const service = useService();

/** Ten rules, each broken by one row: the item, its cells, and the expected message. */
const BROKEN: Array<[item: number, cells: IDataObject, said: string]> = [
	[1, { amount: '-5' }, 'Amount ("-5") must be more than 0.'],
	[2, { amount: 10.005 }, 'Amount ("10.005") must have at most 2 decimals.'],
	[3, { amount: 'Bs 100' }, 'Amount ("Bs 100") must be a number.'],
	[4, { amount: '' }, 'Amount is required.'],
	[5, { destination_id_number: '12A45' }, 'Destination ID Number ("12A45") must have digits only.'],
	[
		6,
		{ destination_id_number: '1234' },
		'Destination ID Number ("1234") must have 5 to 20 digits, and has 4.',
	],
	[7, { currency_type: 'EUR' }, 'Currency ("EUR") must be one of BOB, CLP, COP, PEN, USD.'],
	[8, { description: 'x'.repeat(1_000) }, 'has 1000 characters'],
	[9, { external_reference: 'pay-9' }, 'External Reference ("pay-9") must be a UUID.'],
	[
		10,
		{ entity_type: 'individual', last_name: ' ' },
		'Last Name is required when Entity Type is individual.',
	],
];

const rows = (): IDataObject[] => {
	const rows = bankRows(12);
	for (const [item, cells] of BROKEN) Object.assign(rows[item], cells);
	return rows;
};

describe('ten invalid rows of twelve', () => {
	test('stops the batch before the login, and names all ten invalid rows', async () => {
		const result = await service.run(BANK, { items: rows() });

		expect(service.sandbox.core.traffic.requests()).toEqual([]);
		expect(result.error?.message).toBe('Nothing was sent. Invalid items: 10 of 12');
		const lines = descriptionLines(result.error);
		expect(lines.filter((line) => line.startsWith('Row '))).toHaveLength(10);
		for (const [item, , said] of BROKEN) {
			const name = new RegExp(`^Row ${item + 1}, María José[^:]*: `);
			expect(lines.find((line) => name.test(line))).toContain(said);
		}
		expect(reported(result).map(({ item, outcome }) => [item, outcome])).toEqual(
			BROKEN.map(([item]) => [item, 'notSent']),
		);
	});

	test('returns invalid rows with their errors on the regular output, and sends the others', async () => {
		const result = await service.run(BANK, { items: rows(), onError: 'continueRegularOutput' });

		expect(result.error).toBeUndefined();
		expect(created(service).sort()).toEqual([referenceOf(0), referenceOf(11)]);
		expect(result.outputs).toHaveLength(1);
		expect(result.json).toHaveLength(12);
		for (const [item, , said] of BROKEN) {
			expect(result.outputs[0][item]).toMatchObject({
				json: { outcome: 'notSent', transactionId: '', message: expect.stringContaining(said) },
				pairedItem: { item },
			});
			expect(result.json[item].error).toMatchObject({
				outcome: 'notSent',
				message: expect.stringContaining(said),
				hint: expect.stringContaining('Nothing was sent for this item'),
			});
		}
		expect(result.json[0]).toMatchObject({ outcome: 'created' });
		expect(result.json[11]).toMatchObject({ outcome: 'created' });
		expect(result.json[0]).not.toHaveProperty('error');
	});

	test('returns invalid rows with their columns on the error output, and sends the others', async () => {
		const items = rows();
		const result = await service.run(BANK, { items, onError: 'continueErrorOutput' });

		expect(result.error).toBeUndefined();
		expect(created(service).sort()).toEqual([referenceOf(0), referenceOf(11)]);
		const [regular, failed] = result.outputs;
		expect(regular.map(({ json }) => json.reference)).toEqual([referenceOf(0), referenceOf(11)]);
		expect(failed).toHaveLength(10);
		failed.forEach(({ json }, index) => {
			const [item, , said] = BROKEN[index];
			expect(json).toMatchObject({
				...items[item],
				message: expect.stringContaining(said),
				error: { outcome: 'notSent', message: expect.stringContaining(said) },
			});
		});
	});
});

describe('QR codes from a file', () => {
	const qrPayout = {
		...KINDS[2].parameters,
		defaultValues: { qrSource: 'binary', binaryPropertyName: 'code' },
	};
	const item = (number: number, binary?: INodeExecutionData['binary']): INodeExecutionData => ({
		json: KINDS[2].row(number, service),
		...(binary && { binary }),
	});
	const code = { code: { data: Buffer.from('pay me').toString('base64'), mimeType: 'text/plain' } };

	test('sends a QR code from a text file', async () => {
		await service.run(qrPayout, { items: [item(0, code)] });
		expect(service.bodies()).toEqual([expect.objectContaining({ image: 'pay me' })]);
	});
});

describe('duplicate references in the input', () => {
	const again = 'abcdefab-cdef-4abc-8def-abcdefabcdef';

	test.each([
		['exactly', again],
		['in upper case', again.toUpperCase()],
		['with spaces around it', ` ${again} `],
	])('stops the batch if a reference is repeated %s', async (_, second) => {
		const items = bankRows(3);
		items[0].external_reference = again;
		items[2].external_reference = second;
		const result = await service.run(BANK, { items });

		expect(service.sandbox.core.traffic.requests()).toEqual([]);
		expect(result.error?.description).toMatch(
			/^<li>Row 3, María José Quispe 2, 100\.50 BOB: External Reference .*is the same as in row 1, María José Quispe 0, 100\.50 BOB\. /m,
		);
	});

	test.each(GOING_ON)('pays a repeated reference once with On Error %s', async (onError) => {
		const items = [
			bankRow(0, { external_reference: again }),
			bankRow(1, { external_reference: again.toUpperCase() }),
		];
		const result = await service.run(BANK, { items, onError });

		expect(created(service)).toEqual([again]);
		expect(outcomes(result)).toEqual(['created', 'notSent']);
	});
});

describe('values in messages', () => {
	test('shortens a value: a cell of 5 MB makes no message of 5 MB', async () => {
		const result = await service.run(BANK, {
			items: [bankRow(0, { description: 'á'.repeat(5_000_000) }), bankRow(1)],
		});

		expect(result.error?.description).toContain('has 5000000 characters');
		expect(JSON.stringify(reported(result)).length).toBeLessThan(1_000);
		expect(String(result.error?.description).length).toBeLessThan(1_000);
	});
});
