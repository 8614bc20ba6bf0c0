import { PartnerPayments } from '../../nodes/PartnerPayments/PartnerPayments.node';
import { type IDataObject, type INodeParameters } from 'n8n-workflow';

import { CREDENTIAL_ID, type RunResult } from '../engine/runNode';
import { useService } from '../engine/service';
import type { Summary } from '../../nodes/batch/summary';
import {
	BANK,
	bank,
	bankRow,
	bankRows,
	created,
	GOING_ON,
	hints,
	KINDS,
	ON_ERROR,
	outcomes,
	PATH,
	posted,
	referenceOf,
	references,
	reported,
	rowsOf,
	strike,
} from './batch';
import { without } from '../without';

const service = useService({ duplicateReferences: 'accept' });

const [, CRYPTO] = KINDS;

const saidBy = (result: RunResult): string =>
	result.error ? result.error.message : reported(result)[0].message;

/** Runs two rows with an option whose value an expression takes from a column. */
const withOption = async (
	option: string,
	value: unknown,
	more: Parameters<typeof service.run>[1] = {},
): Promise<RunResult> =>
	await service.run(bank({ [option]: '={{ $json.switch }}' }), {
		items: bankRows(2).map((row) => ({ ...row, switch: value }) as IDataObject),
		...more,
	});

const hold = (balance: number): void => {
	service.business.balances = [
		{ type: 'withdrawal_ach', balance, fiat: 'BOB', lastCredit: '', lastDebit: '' },
	];
};

describe('switches set by an expression', () => {
	test.each([
		['sí', 'ready'],
		['no', 'created'],
	])('reads Dry Run from the text %j', async (value, outcome) => {
		expect(outcomes(await withOption('dryRun', value))).toEqual([outcome, outcome]);
	});

	test.each(['maybe'])('sends nothing with an unclear Dry Run: %j', async (value) => {
		for (const onError of ON_ERROR) {
			const result = await withOption('dryRun', value, { onError });
			expect(service.sandbox.core.traffic.requests()).toEqual([]);
			expect(saidBy(result)).toMatch(/Dry Run is .*not one of its choices/);
			if (onError !== 'stopWorkflow') expect(outcomes(result)).toEqual(['notSent', 'notSent']);
		}
	});

	test('evaluates an expression with blanks around it', async () => {
		const result = await service.run(bank({ dryRun: '=\n{{ "yes" }} ' }), { items: bankRows(2) });
		expect(outcomes(result)).toEqual(['ready', 'ready']);
	});

	test('sends nothing if an option cannot be evaluated', async () => {
		const result = await service.run(bank({ dryRun: "={{ $('No such node').first().json.x }}" }), {
			items: bankRows(2),
		});
		expect(service.sandbox.core.traffic.requests()).toEqual([]);
		expect(result.error).toBeDefined();
	});
});

describe('numbers set by an expression', () => {
	test.each<[string, unknown]>([
		['timeout', '1,5'],
		['maximumAmount', '1.000,50'],
	])('sends nothing with an invalid number: %s %j', async (option, value) => {
		for (const onError of ON_ERROR) {
			const result = await withOption(option, value, { onError });
			expect(service.sandbox.core.traffic.requests()).toEqual([]);
			if (onError !== 'stopWorkflow') expect(outcomes(result)).toEqual(['notSent', 'notSent']);
			else expect(result.error?.message).toMatch(/^Nothing was sent\. [A-Z]/);
		}
	});
});

describe('options that cannot act', () => {
	/** The options that the form of an operation offers. */
	const offered = ({ parameters: { resource, operation } }: (typeof KINDS)[number]): string[] =>
		new PartnerPayments().description.properties
			.filter(
				({ name, displayOptions: { show } = {} }) =>
					name === 'options' &&
					show?.resource?.includes(String(resource)) &&
					show?.operation?.includes(String(operation)),
			)
			.flatMap(({ options = [] }) => options.map(({ name }) => name));

	// n8n itself drops what the form of an operation does not have, so the form decides.
	test('does not offer an option that cannot act', () => {
		expect(KINDS.map((kind) => offered(kind).includes('checkBalance'))).toEqual([
			true,
			false,
			false,
			false,
		]);
		expect(KINDS.map((kind) => offered(kind).includes('duplicatePayments'))).toEqual([
			true,
			true,
			true,
			false,
		]);
		for (const kind of KINDS) {
			expect(offered(kind)).toEqual(
				expect.arrayContaining(['maximumAmount', 'maximumTotals', 'ifAlreadySent']),
			);
		}
	});

	test('ignores an option that was left over from another operation', async () => {
		const result = await service.run(
			{ ...CRYPTO.parameters, checkBalance: true },
			{ items: rowsOf(CRYPTO, 2, service) },
		);
		expect(outcomes(result)).toEqual(['created', 'created']);
		expect(service.sent().map(({ path }) => path)).not.toContain(
			'/v2/transactions/payouts/balance',
		);
	});
});

describe('Dry Run', () => {
	const snapshot = (): unknown => structuredClone([...service.processed.rows]);

	test('reports ready and already sent rows and the totals in a dry run', async () => {
		await service.run(BANK, { items: bankRows(2) });
		const requests = service.sandbox.core.traffic.requests().length;
		const before = snapshot();
		const items = [...bankRows(4), bankRow(9, { currency_type: 'USD', amount: '7' })];
		const result = await service.run(bank({ dryRun: true }), { items });

		expect(outcomes(result)).toEqual(['alreadySent', 'alreadySent', 'ready', 'ready', 'ready']);
		expect(hints(result)).toEqual([
			expect.stringMatching(
				/^Dry run, nothing was sent\. 5 items: 2 already sent, 3 ready; total ready 201\.00 BOB, 7\.00 USD; 127\.0\.0\.1:\d+ \(Environment not stated\)$/,
			),
		]);
		expect(snapshot()).toEqual(before);
		expect(service.sandbox.core.traffic.requests()).toHaveLength(requests);
		expect(Object.keys(result.json[2])).toEqual([
			'outcome',
			'payee',
			'amount',
			'currency',
			'message',
			'code',
			'reference',
			'transactionId',
			'status',
			'paidTo',
			'row',
			'request',
			'summary',
		]);
		expect(result.json[2].request).toEqual({
			method: 'POST',
			path: PATH.bank,
			body: expect.objectContaining({ external_reference: referenceOf(2) }),
		});
	});

	test('shows in a dry run which rows would be paid again', async () => {
		await service.run(BANK, { items: bankRows(2) });
		const result = await service.run(
			bank({ dryRun: true, ifAlreadySent: 'payAgain', referencesToPayAgain: referenceOf(1) }),
			{ items: bankRows(2) },
		);
		expect(outcomes(result)).toEqual(['alreadySent', 'ready']);
		expect(posted(service)).toHaveLength(2);
	});

	test('says in a dry run that the logs could not be read, if the login is rejected', async () => {
		service.credentials.save(CREDENTIAL_ID, { ...service.login, password: 'wrong' });
		const result = await service.run(bank({ dryRun: true }), { items: bankRows(2) });
		expect(outcomes(result)).toEqual(['ready', 'ready']);
		expect(hints(result)).toContainEqual(
			expect.stringContaining('the delivery logs could not be read'),
		);
	});
});

test('asks a service that is down once for logs that nobody asked for', async () => {
	const logs = { path: '/v2/webhooks/logs' };
	await service.sandbox.admin.addFault({
		match: logs,
		times: 'always',
		fault: { type: 'status', status: 503 },
	});
	const result = await service.run(bank({ dryRun: true }), { items: bankRows(2) });
	expect(hints(result)).toContainEqual(
		expect.stringContaining('the delivery logs could not be read'),
	);
	expect(service.sent().filter(({ path }) => path === logs.path)).toHaveLength(1);
});

describe('Check: Balance', () => {
	test('compares the balance only with rows that are still to be sent', async () => {
		await service.run(BANK, { items: bankRows(2) });
		hold(100.5);
		const result = await service.run(bank({ checkBalance: true }), { items: bankRows(3) });
		expect(outcomes(result)).toEqual(['alreadySent', 'alreadySent', 'created']);
		expect(created(service)).toEqual(references(3));
	});
});

describe('logins', () => {
	test.each(ON_ERROR)(
		'tries a rejected login once for 300 rows without Retry On Fail (On Error %s)',
		async (onError) => {
			service.credentials.save(CREDENTIAL_ID, { ...service.login, password: 'wrong' });
			const result = await service.run(bank({ concurrency: 50 }), {
				items: bankRows(300),
				onError,
			});
			expect(service.sandbox.core.traffic.counters().loginFailures).toBe(1);
			expect(posted(service)).toEqual([]);
			expect(outcomes(result)).toEqual(bankRows(300).map(() => 'notSent'));
		},
	);

	test.each(ON_ERROR)(
		'tries a login that is rejected in mid-batch once (On Error %s)',
		async (onError) => {
			await service.run(BANK, { items: [bankRow(999)] });
			service.sandbox.core.tokens.revoke();
			service.sandbox.core.faults.add({
				match: { path: '/v2/auth/login' },
				times: 'always',
				fault: { type: 'status', status: 401 },
			});
			const logins = (): number =>
				service.sandbox.core.traffic.requests().filter(({ path }) => path.endsWith('/auth/login'))
					.length;
			const before = logins();
			const result = await service.run(bank({ concurrency: 10 }), {
				items: bankRows(300),
				onError,
			});
			expect(logins() - before).toBe(1);
			expect(created(service)).toEqual([referenceOf(999)]);
			expect(outcomes(result).filter((outcome) => outcome === 'notSent').length).toBeGreaterThan(
				280,
			);
			expect(outcomes(result)).not.toContain('unknown');
			expect(outcomes(result)).not.toContain('created');
			// Requests in flight met the revoked token; no other row was tried with it.
			expect(posted(service).length).toBeLessThanOrEqual(1 + 10);
		},
	);

	test('gives a login its own timeout, so that a slow one makes no payment unknown', async () => {
		service.sandbox.core.faults.add({
			match: { path: '/v2/auth/login' },
			fault: { type: 'latency', ms: 1_500 },
		});
		const result = await service.run(bank({ timeout: 1 }), { items: bankRows(3) });
		expect(outcomes(result)).toEqual(['created', 'created', 'created']);
	});
});

describe('duplicate payments', () => {
	const twin = (number: number, changes: IDataObject = {}): IDataObject =>
		bankRow(0, { external_reference: referenceOf(number), ...changes });
	const generated = (options: IDataObject = {}, keyColumns = ''): INodeParameters =>
		bank(options, { referenceSource: 'generated', batchId: 'payroll', keyColumns });
	const unnamed = (changes: IDataObject = {}): IDataObject => {
		const row = without(twin(0, changes), 'external_reference');
		return row;
	};

	test('rejects equal rows with different given references', async () => {
		const result = await service.run(BANK, { items: [twin(0), twin(1)] });
		expect(outcomes(result)).toEqual(['notSent']);
		expect(posted(service)).toEqual([]);
	});

	test.each([
		['another given reference', BANK, twin(1)],
		['another Batch ID', { ...generated(), batchId: 'other' }, unnamed()],
		['another key', generated({}, 'employee'), unnamed({ employee: 'E-2' })],
	])('rejects a payment of an earlier execution under %s', async (_, parameters, row) => {
		await service.run(generated({}, 'employee'), { items: [unnamed({ employee: 'E-1' })] });
		const items = [row, bankRow(5, { employee: 'E-5' })];
		const result = await service.run(parameters, { items, onError: 'continueRegularOutput' });
		expect(outcomes(result)).toEqual(['notSent', 'created']);
		expect(reported(result)[0].code).toBe('duplicateOfEarlierExecution');
		expect(created(service)).toHaveLength(2);
	});

	test('pays a duplicate that an approved dry run has shown, and no other', async () => {
		await service.run(BANK, { items: [twin(0), bankRow(5)] });
		const items = [twin(1), bankRow(6)];
		const dry = await service.run(bank({ dryRun: true }), { items });
		const { fingerprint, flagged } = dry.json[0].summary as Summary;
		expect(flagged).toEqual([{ flag: 'duplicate', row: 1, item: 0, reference: referenceOf(1) }]);
		const paid = await service.run(bank({ approvalCode: fingerprint }), { items });
		expect(outcomes(paid)).toEqual(['created', 'created']);

		// The same approval finishes the batch, and allows no duplicate that came later.
		const again = await service.run(bank({ approvalCode: fingerprint }), { items });
		expect(outcomes(again)).toEqual(['alreadySent', 'alreadySent']);
		const shown = await service.run(bank({ dryRun: true }), { items: [twin(2)] });
		const plain = (shown.json[0].summary as Summary).fingerprint.replace(/\..{8}$/, '');
		const other = await service.run(bank({ approvalCode: plain }), { items: [twin(2)] });
		expect(outcomes(other)).toEqual(['notSent']);
	});

	test.each(GOING_ON)('pays a duplicate once, rejects others (On Error %s)', async (onError) => {
		const result = await service.run(generated({ concurrency: 1 }), {
			items: [unnamed(), unnamed(), unnamed()],
			onError,
		});
		expect(outcomes(result)).toEqual(['created', 'notSent', 'notSent']);
		expect(created(service)).toHaveLength(1);
	});

	test('rejects duplicates of a QR payout, and only names those of a crypto payout', async () => {
		const [, crypto, qr] = KINDS;
		for (const kind of [crypto, qr]) {
			const [row] = rowsOf(kind, 1, service);
			const items = ['a', 'b'].map((key) => ({ ...row, [kind.reference]: key }));
			const result = await service.run(kind.parameters, { items });
			if (kind === crypto) {
				expect(outcomes(result)).toEqual(['created', 'created']);
				expect(hints(result)).toContainEqual(expect.stringMatching(/^Possible duplicates/));
			} else expect(result.error?.description).toContain('duplicates row 1 (item 0)');
		}
	});

	test('rejects a duplicate of an earlier run of a loop', async () => {
		const result = await service.run(BANK, { items: [twin(0)], furtherRuns: [[twin(1)]] });
		expect(result.error?.message).toContain('was sent in the last days under another reference');
		expect(created(service)).toEqual([referenceOf(0)]);
	});
});

test('frees a reference at once if the service rejects it', async () => {
	strike(service, referenceOf(0), { type: 'status', status: 400 });
	const result = await service.run(BANK, { items: bankRows(1), retryOnFail: true });
	expect(outcomes(result)).toEqual(['created']);
});
