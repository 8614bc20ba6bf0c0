import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { CREDENTIAL_ID, type RunResult } from '../engine/runNode';
import { useService } from '../engine/service';
import {
	BANK,
	bank,
	bankRow,
	created,
	FIELDS,
	hints,
	KINDS,
	ON_ERROR,
	outcomes,
	PATH,
	posted,
	referenceOf,
	references,
	reported,
	strike,
} from './batch';
import { without } from '../without';

/** What the node remembers of payees, accounts and duplicates, over executions and the runs of a loop. */
const service = useService({ duplicateReferences: 'accept' });

const saidBy = (result: RunResult): string =>
	result.error ? result.error.message : reported(result)[0].message;

const hold = (balance: number): void => {
	service.business.balances = [
		{ type: 'withdrawal_ach', balance, fiat: 'BOB', lastCredit: '', lastDebit: '' },
	];
};

describe('duplicates of earlier executions', () => {
	const DAY_MS = 24 * 60 * 60 * 1000;
	const later = (number: number, changes: IDataObject = {}): IDataObject =>
		bankRow(0, { external_reference: referenceOf(number), ...changes });
	const continued = { onError: 'continueRegularOutput' } as const;

	afterEach(() => {
		jest.restoreAllMocks();
	});

	/** Lets the clock show a later day. Timers go on as before. */
	const wait = (days: number): void => {
		const now = Date.now;
		jest.spyOn(Date, 'now').mockImplementation(() => now.call(Date) + days * DAY_MS);
	};

	test('rejects the payment of an earlier execution under another reference, and pays the others', async () => {
		await service.run(BANK, { items: [bankRow(0)] });
		const result = await service.run(BANK, { items: [later(1), bankRow(2)], ...continued });
		expect(outcomes(result)).toEqual(['notSent', 'created']);
		expect(reported(result)[0].code).toBe('duplicateOfEarlierExecution');
		// It was not sent, so it leaves nothing behind: its reference can be used for another payment.
		const other = await service.run(BANK, { items: [later(1, { description: 'Bonus' })] });
		expect(outcomes(other)).toEqual(['created']);
	});

	test.each<[string, IDataObject]>([
		['another amount', { amount: '7' }],
		['another purpose', { description: 'Bonus' }],
		['another payee', { destination_id_number: '7654321', destination_account: '2000' }],
	])('pays a later row with %s', async (_, changes) => {
		await service.run(BANK, { items: [bankRow(0)] });
		const result = await service.run(BANK, { items: [later(1, changes)] });
		expect(outcomes(result)).toEqual(['created']);
	});

	describe('with a description of all rows', () => {
		const inColumns = (description: string): INodeParameters =>
			bank({}, { defaultValues: { description } });
		const inFields = (description: string): INodeParameters => ({ ...FIELDS, description });
		const plain = (row: IDataObject, what: string): IDataObject => ({
			...without(row, 'description'),
			what,
		});

		test.each<[string, (description: string) => INodeParameters, string, string, string]>([
			['another text in Default Values', inColumns, 'November', 'Payroll Nov.', 'notSent'],
			['another text in the field', inFields, 'November', 'Payroll Nov.', 'notSent'],
			[
				'the text of another node',
				inColumns,
				"={{ $('Start').first().json.what }}",
				"={{ $('Start').last().json.what }}",
				'notSent',
			],
			['another month', inFields, "={{ $now.format('MMMM') }}", 'December', 'notSent'],
			['a text of the item in Default Values', inColumns, '={{ $json.what }}', '', 'created'],
			['a text of the item in the field', inFields, '={{ $json.what }}', '', 'created'],
			['a text of the paired item', inFields, "={{ $('Start').item.json.what }}", '', 'created'],
		])('that has now %s, a duplicate is found unless it is the row’s own', async (...test) => {
			const [, parameters, first, second, outcome] = test;
			await service.run(parameters(first), { items: [plain(bankRow(0), 'Salary')] });
			const result = await service.run(parameters(second || first), {
				items: [plain(later(1), 'Bonus'), plain(bankRow(2), 'Salary')],
				...continued,
			});
			expect(outcomes(result)).toEqual([outcome, 'created']);
		});

		test('finds a duplicate whose own description is that of all rows', async () => {
			const items = [bankRow(0, { description: 'Salary' }), later(1, { description: '' })];
			const result = await service.run(inColumns('Salary'), { items, ...continued });
			expect(outcomes(result)).toEqual(['created', 'notSent']);
		});

		test('still finds no duplicate of a row whose description is in a column', async () => {
			await service.run(inColumns('November'), { items: [bankRow(0)] });
			const items = [later(1, { description: '' }), later(2, { description: 'Bonus' })];
			const result = await service.run(inColumns('November'), { items });
			expect(outcomes(result)).toEqual(['created', 'created']);
		});
	});

	test.each([
		[2.9, {}, 'notSent'],
		[6, {}, 'created'],
		[6, { duplicateWindow: 7 }, 'notSent'],
		[0, { duplicateWindow: 0 }, 'created'],
		[0, { duplicatePayments: 'allow' }, 'created'],
		[0, { duplicatePayments: 'report' }, 'created'],
	])('after %d days and with the options %j a duplicate is %s', async (days, options, outcome) => {
		await service.run(bank(options), { items: [bankRow(0)] });
		wait(days);
		const result = await service.run(bank(options), { items: [later(1)], ...continued });
		expect(outcomes(result)).toEqual([outcome]);
	});

	test('finds a duplicate although the credential states only now that it is production', async () => {
		await service.run(BANK, { items: [bankRow(0)] });
		service.credentials.save(CREDENTIAL_ID, { ...service.login, environment: 'production' });
		const result = await service.run(BANK, { items: [later(1)], ...continued });
		expect(reported(result)[0].code).toBe('duplicateOfEarlierExecution');
	});

	test('shows the approver the copies in a file that are only reported', async () => {
		const items = [bankRow(0), later(1), bankRow(2)];
		const dry = await service.run(bank({ dryRun: true, duplicatePayments: 'report' }), { items });
		const { flagged, html } = dry.json[0].summary as { flagged: unknown; html: string };
		expect(flagged).toEqual([{ flag: 'duplicate', row: 2, item: 1, reference: referenceOf(1) }]);
		expect(html).toContain('would be paid AGAIN');
	});

	test('pays a duplicate that an approved dry run showed, and no other', async () => {
		await service.run(BANK, { items: [bankRow(0), bankRow(5)] });
		const shown = [later(1), bankRow(2)];
		const dry = await service.run(bank({ dryRun: true }), { items: shown });
		const { fingerprint, flagged } = dry.json[0].summary as {
			fingerprint: string;
			flagged: unknown;
		};
		expect(fingerprint).toMatch(/^2 payments, 201\.00 BOB, [\da-f]{64}\.[\da-f]{8}$/);
		expect(flagged).toEqual([{ flag: 'duplicate', row: 1, item: 0, reference: referenceOf(1) }]);

		const plain = fingerprint.replace(/\..{8}$/, '');
		const held = await service.run(bank({ approvalCode: plain }), { items: shown, ...continued });
		expect(outcomes(held)).toEqual(['notSent', 'created']);
		const paid = await service.run(bank({ approvalCode: fingerprint }), { items: shown });
		expect(outcomes(paid)).toEqual(['created', 'alreadySent']);
	});
});

describe('Account Changes', () => {
	/** The same payee, who names another account. */
	const moved = (number: number, changes: IDataObject = {}): IDataObject =>
		bankRow(0, {
			external_reference: referenceOf(number),
			destination_account: '999',
			amount: '7',
			...changes,
		});
	const continued = { onError: 'continueRegularOutput' } as const;

	/** The same payee and account, with another payment. */
	const known = (number: number): IDataObject =>
		bankRow(0, { external_reference: referenceOf(number), amount: '5' });

	beforeEach(async () => {
		await service.run(BANK, { items: [bankRow(0)] });
	});

	test('holds a payee who was never paid, once the node has paid others, until he is approved', async () => {
		const hold = { accountChanges: 'hold' };
		const items = [bankRow(1), known(2)];
		const dry = await service.run(bank({ ...hold, dryRun: true }), { items });
		expect(reported(dry)[0].code).toBe('dryRunFlagged');
		const held = await service.run(bank(hold), { items, ...continued });
		expect(outcomes(held)).toEqual(['notSent', 'created']);
		expect(reported(held)[0].code).toBe('payeeHeld');
		const { fingerprint, html } = dry.json[0].summary as { fingerprint: string; html: string };
		expect(html).toContain('<b>first payment from here</b>');
		const paid = await service.run(bank({ ...hold, approvalCode: fingerprint }), { items });
		expect(outcomes(paid)).toEqual(['created', 'alreadySent']);
	});

	test('reports a new account of a known payee, and pays it', async () => {
		const result = await service.run(BANK, { items: [bankRow(1), moved(2)] });
		expect(outcomes(result)).toEqual(['created', 'created']);
		expect(hints(result)).toContainEqual(
			expect.stringMatching(/^Paid before to another account, .*: row 2, María José Quispe 0, /),
		);
		const again = await service.run(BANK, { items: [moved(3, { amount: '8' })] });
		expect(hints(again).join()).not.toContain('to another account');
	});

	test.each([
		['a new payee, if nothing was paid to him', 'rejected', 'payeeHeld'],
		['a new account, if the payee has another payment of that run', 'created', 'accountHeld'],
	])('holds %s', async (_, other, code) => {
		const payee = { destination_id_number: '55501' };
		if (other === 'rejected') strike(service, referenceOf(3), { type: 'status', status: 422 });
		strike(service, referenceOf(2), { type: 'status', status: 422 });
		await service.run(BANK, {
			items: [bankRow(2, payee), bankRow(3, { ...payee, description: 'Bonus' })],
			...continued,
		});
		const result = await service.run(bank({ accountChanges: 'hold' }), {
			items: [moved(2, payee)],
			...continued,
		});
		expect(reported(result)[0]).toMatchObject({ outcome: 'notSent', code });
		expect(saidBy(result)).not.toContain('undefined');
	});

	test('holds only such rows, until an approved dry run showed them', async () => {
		const hold = { accountChanges: 'hold' };
		const items = [known(1), moved(2)];
		const dry = await service.run(bank({ ...hold, dryRun: true }), { items });
		expect(reported(dry)[1].code).toBe('dryRunFlagged');
		const { fingerprint } = dry.json[0].summary as { fingerprint: string };
		expect(fingerprint).toMatch(/^2 payments, .*, [\da-f]{64}\.[\da-f]{8}$/);

		const held = await service.run(bank(hold), { items, ...continued });
		expect(outcomes(held)).toEqual(['created', 'notSent']);
		expect(reported(held)[1].code).toBe('accountHeld');
		const paid = await service.run(bank({ ...hold, approvalCode: fingerprint }), { items });
		expect(outcomes(paid)).toEqual(['alreadySent', 'created']);
	});

	test('says that a row was rejected beside one that is held', async () => {
		strike(service, referenceOf(1), { type: 'status', status: 403 });
		const result = await service.run(bank({ accountChanges: 'hold' }), {
			items: [known(1), moved(2)],
		});
		expect(outcomes(result)).toEqual(['rejected', 'notSent']);
		expect(saidBy(result)).toMatch(/^Row 1, María José Quispe 0, .*, rejected\b/);
	});

	test('sends nothing with Reject', async () => {
		const before = posted(service);
		for (const onError of ON_ERROR) {
			const result = await service.run(bank({ accountChanges: 'reject' }), {
				items: [bankRow(1), moved(2)],
				onError,
			});
			expect(outcomes(result)).toEqual(['notSent', 'notSent']);
			expect(saidBy(result)).toContain(
				'Account Changes is Reject, and a known payee has a new account, or a known account another payee: row 2, María José Quispe 0',
			);
		}
		expect(posted(service)).toEqual(before);
	});

	test('remembers no payees with Off', async () => {
		const off = { accountChanges: 'off' };
		await service.run(bank(off), { items: [bankRow(1)] });
		const result = await service.run(BANK, {
			items: [moved(2, { destination_id_number: bankRow(1).destination_id_number })],
		});
		expect(outcomes(result)).toEqual(['created']);
		expect(hints(result).join()).not.toContain('to another account');
	});
});

describe('options that need the whole file', () => {
	test.each<[string, IDataObject]>([['Check: Balance', { checkBalance: true }]])(
		'sends nothing in a further run of a loop with %s',
		async (option, options) => {
			hold(1_000);
			const result = await service.run(bank(options), {
				items: [bankRow(0)],
				furtherRuns: [[bankRow(1)]],
				onError: 'continueRegularOutput',
			});
			expect(created(service)).toEqual([referenceOf(0)]);
			expect(JSON.stringify(result.run.data.resultData.runData)).toContain(
				`${option} needs all rows at once`,
			);
		},
	);

	test('counts all runs of a loop for Maximum Totals', async () => {
		const maximumTotals = { total: [{ currency: 'BOB', amount: '201' }] };
		await service.run(bank({ maximumTotals } as IDataObject), {
			items: [bankRow(0)],
			furtherRuns: [[bankRow(1)], [bankRow(2)]],
			onError: 'continueRegularOutput',
		});
		expect(created(service)).toEqual(references(2));
	});
});

test.each<[string, IDataObject, string[]]>([
	['not at all if payee and amount are the same', {}, []],
	['not at all if the name has no accents now', { first_name: 'MARIA JOSE' }, []],
	[
		'not at all if the names are in another order',
		{ first_name: 'Quispe 0', last_name: 'María José' },
		[],
	],
	['not at all if a surname was added', { last_name: 'Quispe-Mamani 0' }, []],
	['if it has another amount', { amount: '7' }, [referenceOf(1)]],
	['if it has another currency', { currency_type: 'USD' }, [referenceOf(1)]],
	['if it has another payee', { last_name: 'Flores' }, [referenceOf(1)]],
])('pays under another reference what another node may have paid %s', async (_, changes, paid) => {
	strike(service, referenceOf(0), { type: 'reset', when: 'after' });
	const lost = await service.run(bank({ includeInput: true }), {
		items: [bankRow(0)],
		onError: 'continueRegularOutput',
	});
	const [{ error }] = lost.json;
	expect(error).toMatchObject({ payee: 'María José Quispe 0', amount: '100.50', currency: 'BOB' });
	// A spreadsheet between the two nodes may change the spelling.
	const spelt = { payee: 'MARÍA JOSÉ  QUISPE 0', amount: '100.5' };
	const item = {
		...bankRow(0, { external_reference: referenceOf(1), ...changes }),
		error: { ...(error as IDataObject), ...spelt },
	};
	const second = await service.run(BANK, {
		items: [item],
		workflowId: 'workflow-2',
		onError: 'continueRegularOutput',
	});
	expect(posted(service).slice(1)).toEqual(paid);
	if (paid.length === 0)
		expect(reported(second)[0].message).toContain(`under the reference ${referenceOf(0)}`);
});

describe('an item from the error output of another payment node', () => {
	const SECOND = { workflowId: 'workflow-2', onError: 'continueRegularOutput' } as const;

	/** What the first node puts on its error output for these rows. */
	async function failed(items: IDataObject[]): Promise<IDataObject[]> {
		const { outputs } = await service.run(BANK, { items, onError: 'continueErrorOutput' });
		return outputs[1].map(({ json }) => json);
	}

	test('is not paid if an earlier payment has its reference, with other values', async () => {
		await service.run(BANK, { items: [bankRow(0)] });
		const items = await failed([bankRow(0, { amount: '7' })]);
		const second = await service.run(BANK, { items, ...SECOND });
		expect(outcomes(second)).toEqual(['notSent']);
		expect(reported(second)[0].code).toBe('conflictInInput');
		expect(posted(service)).toEqual([referenceOf(0)]);
		for (const reference of [referenceOf(0), referenceOf(5)]) {
			const others = [{ ...items[0], external_reference: reference }];
			const inOther = { ...SECOND, items: others, workflowId: `workflow-${reference}` };
			expect(reported(await service.run(BANK, inOther))[0].code).toBe('conflictInInput');
			// A person has decided.
			const requested = bank({ ifAlreadySent: 'payAgain', referencesToPayAgain: reference });
			expect(outcomes(await service.run(requested, inOther))).toEqual(['created']);
		}
	});

	test('is not paid if it duplicates a payment of an earlier execution, unless duplicates are allowed', async () => {
		await service.run(BANK, { items: [bankRow(0)] });
		const items = await failed([bankRow(0, { external_reference: referenceOf(1) })]);
		const second = await service.run(BANK, { items, ...SECOND });
		expect(outcomes(second)).toEqual(['notSent']);
		expect(reported(second)[0].code).toBe('duplicateOfEarlierExecution');
		expect(posted(service)).toEqual([referenceOf(0)]);
		const allowed = await service.run(bank({ duplicatePayments: 'allow' }), { items, ...SECOND });
		expect(outcomes(allowed)).toEqual(['created']);
	});

	test.each<[string, (failure: IDataObject) => IDataObject]>([
		[
			'columns',
			(failure) =>
				Object.fromEntries(
					Object.entries(failure).map(([name, value]) => [`error.${name}`, String(value)]),
				),
		],
		['text', (failure) => ({ error: JSON.stringify(failure) })],
	])('is recognized after a file or a sheet has made %s of the failure', async (_, written) => {
		await service.run(BANK, { items: [bankRow(0)] });
		strike(service, referenceOf(1), { type: 'reset', when: 'after' });
		const rows = [bankRow(0, { amount: '7' }), bankRow(1)];
		const { json } = await service.run(bank({ includeInput: true }), {
			items: rows,
			onError: 'continueRegularOutput',
		});
		const items = json.map(({ error }, number) => ({
			...rows[number],
			...written(error as IDataObject),
		}));
		const corrected = [...items, { ...items[1], external_reference: referenceOf(2), amount: '9' }];
		const second = await service.run(BANK, { items: corrected, ...SECOND });
		expect(reported(second).map(({ outcome, code }) => [outcome, code])).toEqual([
			['notSent', 'conflictInInput'],
			['notSent', 'unknownInInput'],
			['created', undefined],
		]);
	});

	test('is paid if the service rejected it', async () => {
		strike(service, referenceOf(0), { type: 'status', status: 422 });
		const items = await failed([bankRow(0)]);
		expect(outcomes(await service.run(BANK, { items, ...SECOND }))).toEqual(['created']);
	});
});

describe('an item that another payment node has paid', () => {
	const SECOND = { workflowId: 'workflow-2' } as const;

	/** What the first node puts on its success output for these rows. */
	async function paid(items: IDataObject[]): Promise<IDataObject[]> {
		return (await service.run(bank({ includeInput: true }), { items })).json;
	}

	test.each([
		['created', 'outcome', 'created'],
		['alreadySent', 'outcome', 'alreadySent'],
		['created', 'Outcome', ' Created '],
		['alreadySent', ' OUTCOME', 'ALREADYSENT'],
	])(
		'is not paid again if its outcome is %s, and after a file %j reads %j',
		async (outcome, column, written) => {
			const rows = [bankRow(0), bankRow(1)];
			if (outcome === 'alreadySent') await paid(rows);
			const items = await paid(rows);
			expect(items[0]).toMatchObject({ outcome });
			const read = items.map(({ transactionId, ...item }) => ({
				...without(item, 'outcome'),
				[column]: written,
				[column === 'outcome' ? 'transactionId' : 'Transaction ID']: transactionId,
			}));
			const second = await service.run(BANK, { ...SECOND, items: [...read, bankRow(2)] });
			expect(outcomes(second)).toEqual(['alreadySent', 'alreadySent', 'created']);
			expect(reported(second)[0]).toMatchObject({ code: 'sentAccordingToInput', amount: '' });
			expect(reported(second)[0].message).toContain(`reference ${referenceOf(0)}`);
			expect(posted(service)).toEqual(references(3));
		},
	);

	test('is not paid again either if the first node does not know with which values it was sent', async () => {
		const [item] = await paid([bankRow(0)]);
		const unverified = {
			...item,
			outcome: 'alreadySent',
			payee: '',
			currency: '',
			isOtherPayment: true,
		};
		const second = await service.run(BANK, { ...SECOND, items: [unverified] });
		expect(outcomes(second)).toEqual(['alreadySent']);
		expect(posted(service)).toEqual([referenceOf(0)]);
	});

	test('is not paid again if it pays a QR code, which names nobody', async () => {
		const [, , { parameters, row }] = KINDS;
		for (const changes of [{}, { funding_source: 'balance', amount: '', asset_deposit: '' }]) {
			const rows = [{ ...row(Object.keys(changes).length, service), ...changes }];
			const first = await service.run(bank({ includeInput: true }, parameters), { items: rows });
			expect(outcomes(first)).toEqual(['created']);
			const items = [{ ...first.json[0], ...rows[0] }];
			const second = await service.run(parameters, {
				...SECOND,
				items,
				onError: 'continueRegularOutput',
			});
			expect(reported(second)[0]).toMatchObject({
				outcome: 'notSent',
				code: 'duplicateOfEarlierExecution',
			});
		}
	});

	test('is paid with Pay Again', async () => {
		const items = await paid([bankRow(0)]);
		const again = { ifAlreadySent: 'payAgain', referencesToPayAgain: referenceOf(0) };
		const result = await service.run(bank(again), { ...SECOND, items });
		expect(outcomes(result)).toEqual(['created']);
	});

	test.each<[string, IDataObject]>([
		['another payee', { last_name: 'Flores' }],
		['no transaction', { transactionId: '' }],
	])('is paid if it has %s', async (_, changes) => {
		const [item] = await paid([bankRow(0)]);
		const second = await service.run(BANK, { ...SECOND, items: [{ ...item, ...changes }] });
		expect(outcomes(second)).toEqual(['created']);
	});

	test('is a duplicate under another reference, whatever its Batch ID', async () => {
		const items = await paid([bankRow(0)]);
		const second = await service.run(BANK, {
			...SECOND,
			items: [{ ...items[0], external_reference: referenceOf(7) }],
			onError: 'continueRegularOutput',
		});
		expect(reported(second)[0]).toMatchObject({
			outcome: 'notSent',
			code: 'duplicateOfEarlierExecution',
		});
		expect(posted(service)).toEqual([referenceOf(0)]);
	});

	test.each(['created', 'alreadySent'])(
		'is not paid with another amount under the same reference if its outcome is %s',
		async (outcome) => {
			const inSpanish = (number: number): IDataObject => ({
				...without(bankRow(number), 'amount'),
				Monto: '100.50',
			});
			if (outcome === 'alreadySent') await paid([inSpanish(0)]);
			const [item] = await paid([inSpanish(0)]);
			expect(item).toMatchObject({ outcome, amount: '100.50' });
			const result = await service.run(BANK, {
				...SECOND,
				items: [{ ...item, Monto: '900' }, inSpanish(1)],
				onError: 'continueRegularOutput',
			});
			expect(outcomes(result)).toEqual(['notSent', 'created']);
			expect(reported(result)[0].code).toBe('conflictInInput');
			expect(posted(service)).toEqual(references(2));
		},
	);

	test('is a conflict if the store of the node has other values', async () => {
		const [item] = await paid([bankRow(0)]);
		const result = await service.run(BANK, {
			items: [{ ...item, destination_account: '999' }],
			onError: 'continueRegularOutput',
		});
		expect(outcomes(result)).toEqual(['conflict']);
	});

	test('is reported from the store of the node if that has the same values', async () => {
		const [item] = await paid([bankRow(0)]);
		const result = await service.run(BANK, { items: [item] });
		expect(reported(result)[0]).toMatchObject({ code: 'alreadySent', amount: '100.50' });
	});

	test('is paid out after it was paid in, under the same reference and with the same amount', async () => {
		const deposit = KINDS.find(({ path }) => path === PATH.qrDeposit);
		const result = await service.run(bank({ includeInput: true }, deposit?.parameters), {
			items: [{ ...deposit?.row(0, service), referenceId: referenceOf(0), fiatAmount: '100.50' }],
		});
		expect(result.json[0]).toMatchObject({ outcome: 'created', amount: '100.50', payee: '' });
		const { outcome, payee, reference, transactionId, currency } = result.json[0];
		const items = [{ ...bankRow(0), outcome, payee, reference, transactionId, currency }];
		const payout = await service.run(BANK, { items });
		expect(outcomes(payout)).toEqual(['created']);
	});
});
