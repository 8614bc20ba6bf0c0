import type { IDataObject } from 'n8n-workflow';

import { strike, bankRow, BANK, outcomes, PATH, reported, referenceOf } from './batch';
import { useService } from '../engine/service';
import type { RunResult } from '../engine/runNode';

/** What the node says of payouts by conversion, whatever the service answers. */
const service = useService({ deliveryRetries: 0 });

const ADDRESS = '0x52908400098527886e0f7030069857d2e4169ee7';
const UNKNOWN = 'Created; funding details unknown';
const conversion = (number: number): IDataObject =>
	bankRow(number, { funding_source: 'conversion' });

/** The service answers each bank payout like this. */
const answer = (number: number, fields: IDataObject): void => {
	service.sandbox.core.faults.add({
		match: { path: PATH.bank, bodyContains: referenceOf(number) },
		times: 1,
		fault: {
			type: 'json',
			status: 201,
			body: {
				transaction_id: `1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4b${String(number).padStart(2, '0')}`,
				external_reference: referenceOf(number),
				transactions: [{ status: 'pending_transaction', message: 'Created' }],
				...fields,
			},
		},
	});
};

const report = async (items: IDataObject[], language = 'en') =>
	await service.run({ resource: 'transaction', operation: 'createReport', language }, { items });
const verdicts = async (items: IDataObject[]) =>
	(
		await service.run(
			{ resource: 'transaction', operation: 'createReport', output: 'rows' },
			{ items },
		)
	).json.map(({ verdict }) => verdict);
const pay = async (items: IDataObject[], onError = 'continueRegularOutput') =>
	await service.run(BANK, { items, onError: onError as 'continueRegularOutput' });
const ownWallet = () => [...service.business.wallets.values()][0].walletId;
const fund = async (items: IDataObject[], walletId = ownWallet()): Promise<RunResult> =>
	await service.run(
		{ resource: 'payout', operation: 'fundConversions', walletId },
		{ items, onError: 'continueRegularOutput' },
	);
const funded = () => service.sent().filter(({ path }) => path.endsWith(PATH.crypto));

test.each<[string, IDataObject[string], string]>([
	['decimal text', '36.120000', '36.12'],
	['a number', 36.12, '36.12'],
	['a small number', 1e-7, '0.0000001'],
	['a negative number', '-36.12', ''],
	['no number', 'abc', ''],
	['an exponent', '1e2', ''],
	['nothing', null, ''],
	['an object', { amount: '36.12' }, ''],
	['a thousand digits', '9'.repeat(900), ''],
	['not a number', 'NaN', ''],
])('takes an amount to fund that is %s', async (_, amount, known) => {
	answer(0, { amount_deposit: amount, deposit_address: ADDRESS });
	const result = await pay([conversion(0)]);
	expect(result.json).toMatchObject([
		{
			outcome: 'created',
			code: 'waitsForFunding',
			message: `Created, waits for ${known || '?'} USDC on Polygon`,
			toFund: { amount: known, asset: 'USDC', blockchain: 'Polygon', address: ADDRESS },
		},
	]);
	await fund(result.json);
	expect(funded().map(({ body }) => (body as IDataObject).amount)).toEqual(known ? [known] : []);
});

test.each<[string, IDataObject]>([
	['null', { amount_deposit: null, deposit_address: null }],
	['missing', {}],
	['an amount of zero', { amount_deposit: '0.000000', deposit_address: ADDRESS }],
	['no texts', { amount_deposit: ['36'], deposit_address: { address: ADDRESS } }],
])('says that funding details are unknown if they are %s', async (_, fields) => {
	answer(0, fields);
	const result = await pay([conversion(0)]);
	expect(result.json[0]).toMatchObject({
		outcome: 'created',
		code: 'fundingDetailsUnknown',
		message: UNKNOWN,
		isFundingUnknown: true,
	});
	expect(result.json[0]).not.toHaveProperty('toFund');
	expect(await verdicts(result.json)).toEqual([UNKNOWN]);
	expect(reported(await fund(result.json))).toMatchObject([{ code: 'fundingUnknown' }]);
	expect(funded()).toEqual([]);
});

test('sums what is to be funded by asset and blockchain, and counts what has no known amount', async () => {
	const other = { asset_deposit: 'USDT', blockchain: 'TRON' };
	for (const [number, amount] of ['10', '-5', '2.5', 'x'].entries())
		answer(number, { amount_deposit: amount, deposit_address: `${ADDRESS.slice(0, -1)}${number}` });
	const items = [0, 1, 2].map(conversion).concat({ ...conversion(3), ...other });
	const result = await pay(items);
	const [{ toFund, text, html }] = (await report(result.json)).json;
	expect(toFund).toEqual([
		{
			amount: '12.5',
			asset: 'USDC',
			blockchain: 'Polygon',
			address: '',
			count: 3,
			unknownAmounts: 1,
		},
		expect.objectContaining({ amount: '', asset: 'USDT', count: 1, unknownAmounts: 1 }),
	]);
	for (const form of [text, html])
		expect(form).toContain('12.50 USDC on Polygon, of them 1 without a known amount');
});

test('says of a payout whose answer was lost that its funding details are unknown, once it is found', async () => {
	await service.run({
		resource: 'webhook',
		operation: 'create',
		url: 'http://127.0.0.1:9/callback',
		events: ['pending_transaction', 'completed_transaction'],
		status: 'ACTIVE',
	});
	strike(service, referenceOf(0), { type: 'reset', when: 'after' });
	strike(service, referenceOf(1), { type: 'reset', when: 'before' });
	const items = [conversion(0), conversion(1), bankRow(2)];
	const { json } = await pay(items);
	await service.sandbox.core.deliveries.drained(10_000);
	const lookUp = async (rows: IDataObject[]) =>
		(await service.run({ resource: 'transaction', operation: 'getStatus' }, { items: rows })).json;
	const status = await lookUp(json);
	expect(await verdicts(status)).toEqual([
		UNKNOWN,
		expect.stringMatching(/^Not known: /),
		'On its way',
	]);
	expect(status[0].message).toContain(UNKNOWN);
	expect(status[2].message).not.toContain('unknown');
	expect((await report(status, 'es')).json[0].text).toContain('datos de fondeo desconocidos');
	// In a later run, nobody knows more.
	const again = await lookUp((await pay(items)).json);
	expect((await verdicts(again))[0]).toBe(UNKNOWN);
	// It has moved on, so somebody has funded it.
	const [transaction] = service.sandbox.core.state.transactions.values();
	service.sandbox.core.transactions.setStatus(transaction, 'completed_transaction');
	await service.sandbox.core.deliveries.drained(10_000);
	expect((await verdicts(await lookUp(json)))[0]).toBe('Arrived');
});

test('rejects toFund that differs from the answer in the same item', async () => {
	const { json } = await pay([conversion(0), conversion(1), conversion(2), conversion(3)]);
	const edit = (row: IDataObject, change: IDataObject) => ({
		...row,
		toFund: { ...(row.toFund as IDataObject), ...change },
	});
	const [first, second, third, fourth] = json;
	const upper = String(fourth.deposit_address).slice(2).toUpperCase();
	const result = await fund([
		edit(first, { amount: '999' }),
		edit(second, { address: ADDRESS }),
		// These are the same values, written otherwise.
		edit(third, { amount: `${String(third.amount_deposit)}00` }),
		edit(fourth, { address: `0x${upper}` }),
	]);
	expect(reported(result).map(({ code }) => code)).toEqual([
		'notAsAnswered',
		'notAsAnswered',
		undefined,
		undefined,
	]);
	expect(funded().map(({ body }) => (body as IDataObject).amount)).toEqual(
		[third, fourth].map((row) => (row.toFund as IDataObject).amount),
	);
});

test('funds no payout again from another account', async () => {
	const { json } = await pay([conversion(0)]);
	expect(reported(await fund(json))[0].outcome).toBe('created');
	// The same node, with the credential of another account.
	const { email, password } = service;
	const wallets = [...service.business.wallets.values()];
	service.sandbox.core.state.addUser({ email: 'other@example.com', password: 'p', name: 'O' });
	service.email = 'other@example.com';
	service.password = 'p';
	const other = service.business.wallets;
	for (const wallet of wallets) other.set(wallet.walletId, wallet);
	service.credentials.save('credential-1', service.login);
	const again = await fund(json);
	// Much later, when it is no duplicate of the last days any more.
	const later = Date.now() + 30 * 24 * 3_600_000;
	const now = jest.spyOn(Date, 'now').mockReturnValue(later);
	const muchLater = await fund(json);
	now.mockRestore();
	Object.assign(service, { email, password });
	for (const result of [again, muchLater]) expect(outcomes(result)).toEqual(['alreadySent']);
	expect(funded()).toHaveLength(1);
});

test('rejects the wallet of the account that paid, if another account funds', async () => {
	const { json } = await pay([conversion(0)]);
	const { email, password } = service;
	const own = ownWallet();
	service.sandbox.core.state.addUser({ email: 'other@example.com', password: 'p', name: 'O' });
	service.email = 'other@example.com';
	service.password = 'p';
	service.credentials.save('credential-1', service.login);
	const result = await fund(json, own);
	Object.assign(service, { email, password });
	expect(reported(result)).toMatchObject([{ outcome: 'notSent', code: 'walletNotFound' }]);
	expect(String(reported(result)[0].message)).toContain(own);
	expect(funded()).toEqual([]);
});
