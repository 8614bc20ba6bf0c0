import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { readPaymentFile } from '../../nodes/PartnerPayments/resources/payout/readPaymentFile';
import { nodeWith } from '../operations/context';

const HEADERS = ['Nombres', 'Apellidos', 'CI', 'Código de banco', 'Cuenta', 'Monto', 'Estado'];

/** A payroll in which Pedro is held: most rows have another state. */
const FILE = [
	HEADERS,
	['Ana', 'Rojas', '1498123', '1014', '10000012345678', '2.520,50', 'activo'],
	['Luz', 'Paz', '1498124', '1014', '10000012345679', '1.000,00', 'activo'],
	['Pedro', 'Mamani', '1498125', '1014', '10000012345670', '900,00', '$& FALLECIDO <b>'],
];

const csv = (rows: string[][]) => Buffer.from(rows.map((row) => row.join(';')).join('\n'));

/** The items of each output. */
async function run(parameters: INodeParameters = {}, bytes = csv(FILE)): Promise<IDataObject[][]> {
	const context = Object.assign(
		nodeWith({
			readFrom: 'file',
			binaryPropertyName: 'data',
			payments: 'createBank',
			defaultValues: { currencyType: 'BOB', fundingSource: 'balance', description: 'Sueldo' },
			...parameters,
		}),
		{
			helpers: {
				assertBinaryData: () => undefined,
				getBinaryDataBuffer: async () => await Promise.resolve(bytes),
			},
		},
	);
	const outputs = await readPaymentFile.executeOutputs.call(context as never);
	return outputs.map((items) => items.map(({ json }) => json));
}

type Fields = Array<{
	fieldName?: string;
	fieldValue?: string;
	fieldOptions?: { values: Array<{ option: string }> };
}>;

/** What n8n's Form gives if somebody chooses the first option of each question. */
function firstOptions({ formFields }: IDataObject): IDataObject {
	return Object.fromEntries(
		(formFields as unknown as Fields).flatMap(({ fieldName, fieldValue, fieldOptions }) =>
			fieldName === undefined
				? []
				: [[fieldName, fieldValue ?? fieldOptions?.values[0].option ?? '']],
		),
	);
}

test('gives either payments and a summary or questions', async () => {
	const [payments, [asked], summary] = await run();
	expect(payments).toEqual([]);
	expect(summary).toEqual([]);
	expect(asked.questions).toMatchObject([
		{ id: 'rows.4', kind: 'row', row: 4, candidates: [{ value: 'pay' }, { value: 'leaveOut' }] },
	]);
	const answers = { ...firstOptions(asked), answered: asked.answered } as IDataObject;
	const [paid, none, [read]] = await run({ answers: JSON.stringify(answers) });
	expect(none).toEqual([]);
	expect(paid.map(({ firstName, amount, key }) => [firstName, amount, key])).toEqual([
		['Ana', 2520.5, '1498123'],
		['Luz', 1000, '1498124'],
		['Pedro', 900, '1498125'],
	]);
	expect(read).toMatchObject({ count: 3, headerRow: 1, confirmed: [{ row: 4 }] });
});

test('remembers no answer about a row', async () => {
	const [, [asked]] = await run();
	const [, , [{ remember }]] = await run({ answers: JSON.stringify(firstOptions(asked)) });
	expect((remember as IDataObject).answers).toEqual({});
	const rememberedAnswers = JSON.stringify((remember as IDataObject).answers);
	expect((await run({ rememberedAnswers }))[1]).toHaveLength(1);
});

test('asks about a field whose column the file does not have', async () => {
	const columnMapping = { column: [{ field: 'amount', header: 'Net salary' }] };
	const [payments, [{ questions }]] = await run({ columnMapping });
	expect(payments).toEqual([]);
	expect(questions).toMatchObject([{ id: 'columns.amount' }]);
});

test('takes no answer from a page with other questions', async () => {
	const [, [asked]] = await run();
	const stale = { ...firstOptions(asked), page: '1-other' };
	expect((await run({ answers: JSON.stringify(stale) }))[1]).toHaveLength(1);
});

test('shows texts of the file as they are', async () => {
	const [, [{ formFields, summary }]] = await run({ options: { language: 'es' } });
	const page = JSON.stringify([formFields, (summary as IDataObject).html]);
	expect(page).toContain('$\u2060& FALLECIDO \u2039b\u203a');
	expect(page).not.toMatch(/\$[&'`$]|<b>/);
	expect(page).toContain('Pagar');
});

test.each([
	[Buffer.from('\u00d0\u00cf\u0011\u00e0', 'latin1'), 'oldExcel'],
	[Buffer.alloc(0), 'noRowsInFile'],
	[Buffer.from('hello'), 'noTable'],
])('says on the page why a file cannot be read (%#)', async (bytes, code) => {
	const [payments, [{ error, formFields }]] = await run({}, bytes);
	expect(payments).toEqual([]);
	expect(error).toMatchObject({ code, hint: expect.any(String) as string });
	expect(JSON.stringify(formFields)).toContain((error as { message: string }).message);
});
