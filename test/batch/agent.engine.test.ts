import { type IDataObject, type INodeParameters } from 'n8n-workflow';

import { NODE_NAME, TOOL_TYPE, type RunResult } from '../engine/runNode';
import { useService } from '../engine/service';
import { BANK, bank, bankRow, KINDS, posted, referenceOf, strike } from './batch';

/** A model that calls the payout tool again, with an invented reference each time. */
const service = useService({ duplicateReferences: 'accept' });

/** The response of each call of the tool, in order. */
const answers = ({ run }: RunResult): IDataObject[] =>
	run.data.resultData.runData[NODE_NAME].map(({ data }) => data?.main[0]?.[0]?.json ?? {});

const outcomes = (result: RunResult): unknown[] => answers(result).map(({ outcome }) => outcome);

/** Calls a tool once for each item, all in one execution. */
const call = async (
	[first, ...others]: IDataObject[],
	parameters = BANK,
	nodeType = TOOL_TYPE,
): Promise<RunResult> =>
	await service.run(parameters, {
		items: [first],
		furtherRuns: others.map((item) => [item]),
		nodeType,
		onError: 'continueRegularOutput',
	});

const again = (changes: IDataObject = {}): IDataObject =>
	bankRow(0, { external_reference: referenceOf(1), ...changes });

describe('payments of a tool', () => {
	test.each(KINDS.filter(({ parameters }) => parameters.resource === 'payout'))(
		'does not pay an agent’s $name again under another reference',
		async (kind) => {
			const first = kind.row(0, service);
			const second = { ...first, [kind.reference]: kind.row(1, service)[kind.reference] };
			const result = await call([first, second], kind.parameters);
			expect(outcomes(result)).toEqual(['created', 'notSent']);
			expect(posted(service)).toEqual([first[kind.reference]]);
			expect(answers(result)[1].code).toBe('duplicateOfEarlierExecution');
		},
	);

	test('recognizes an agent’s payment by payee and amount, in any spelling', async () => {
		const spelt = again({ amount: 100.5, description: 'The salary of María', first_name: 'M.' });
		expect(outcomes(await call([bankRow(0), spelt]))).toEqual(['created', 'notSent']);
	});

	test('does not pay again if the outcome is unknown', async () => {
		strike(service, referenceOf(0), { type: 'reset', when: 'after' });
		const result = await call([bankRow(0), again()]);
		expect(outcomes(result)).toEqual(['unknown', 'notSent']);
		expect(answers(result)[1].code).toBe('duplicateOfEarlierExecution');
		expect(posted(service)).toEqual([referenceOf(0)]);
	});

	test('pays a rejected payment under another reference', async () => {
		strike(service, referenceOf(0), { type: 'status', status: 400 });
		expect(outcomes(await call([bankRow(0), again()]))).toEqual(['rejected', 'created']);
	});

	test.each([
		['amount', { amount: '100.51' }],
		['currency', { currency_type: 'USD' }],
		['account', { destination_id_number: '7654321', destination_account: '2000' }],
	])('pays an agent’s payment with another %s', async (_, changes) => {
		expect(outcomes(await call([bankRow(0), again(changes)]))).toEqual(['created', 'created']);
	});

	test('does not pay an agent’s payment again with a document that it mistyped', async () => {
		const mistyped = again({ destination_id_number: '7654321' });
		expect(outcomes(await call([bankRow(0), mistyped]))).toEqual(['created', 'notSent']);
	});

	test('does not pay again if duplicates are reported, because an agent reads no hint', async () => {
		const parameters = bank({ duplicatePayments: 'report' });
		expect(outcomes(await call([bankRow(0), again()], parameters))).toEqual(['created', 'notSent']);
	});

	test('pays again if Duplicate Payments allows it', async () => {
		const allowed = bank({ duplicatePayments: 'allow' });
		expect(outcomes(await call([bankRow(0), again()], allowed))).toEqual(['created', 'created']);
	});

	test('skips a repeated reference of an agent', async () => {
		expect(outcomes(await call([bankRow(0), bankRow(0)]))).toEqual(['created', 'alreadySent']);
		expect(posted(service)).toEqual([referenceOf(0)]);
	});
});

test('rejects a duplicate under another reference if the node is no tool, unless its purpose differs', async () => {
	const type = TOOL_TYPE.replace(/Tool$/, '');
	const twin = bankRow(0, { external_reference: referenceOf(1) });
	expect(outcomes(await call([bankRow(0), twin], BANK, type))).toEqual(['created', 'notSent']);
	const bonus = { ...twin, description: 'Bonus' };
	expect(outcomes(await call([bankRow(2), bonus], BANK, type))).toEqual(['created', 'created']);
});

test('rejects an agent’s payment under another reference and with another description in a later execution', async () => {
	const tool = (description: string, externalReference: string): INodeParameters => ({
		...BANK,
		mappingMode: 'defineBelow',
		externalReference,
		fundingSource: 'balance',
		firstName: 'Ana',
		lastName: 'Flores',
		destinationIdNumber: '0812345',
		bankCode: '0010',
		destinationAccount: '1000',
		amount: '100.50',
		currencyType: 'BOB',
		description,
	});
	expect(outcomes(await call([{}], tool('Invoice 7', referenceOf(0))))).toEqual(['created']);
	const [second] = answers(await call([{}], tool('Payment of invoice 7', referenceOf(1))));
	expect(second).toMatchObject({ outcome: 'notSent', code: 'duplicateOfEarlierExecution' });
	expect(posted(service)).toEqual([referenceOf(0)]);
});

test('creates an agent’s deposit twice, because it pays nothing out', async () => {
	const [, , , deposit] = KINDS;
	const items = [0, 1].map((number) => ({
		...deposit.row(0, service),
		[deposit.reference]: `order-${number}`,
	}));
	expect(outcomes(await call(items, deposit.parameters))).toEqual(['created', 'created']);
});
