import { randomUUID } from 'node:crypto';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { addLog, aWebhook } from '../engine/samples';
import type { RunResult } from '../engine/runNode';
import { useService } from '../engine/service';
import { without } from '../without';
import {
	allHints,
	BANK,
	bankRow,
	GOING_ON,
	hints,
	outcomes,
	PATH,
	posted,
	reported,
} from './batch';

/** Payouts that wait for crypto, and what funds them. */
const service = useService({ deliveryRetries: 0 });

/** The wallet of the sandbox with USDC on Polygon. */
const walletOf = (symbol: string): string =>
	[...service.business.wallets.values()].find(({ assets }) => assets[0].symbol === symbol)
		?.walletId ?? '';

const fund = (options: IDataObject = {}, more: INodeParameters = {}): INodeParameters => ({
	resource: 'payout',
	operation: 'fundConversions',
	walletId: walletOf('USDC'),
	...more,
	options: options as INodeParameters,
});

/** Rows that are paid by conversion. */
const conversions = (count: number, more: IDataObject = {}): IDataObject[] =>
	Array.from({ length: count }, (_, index) =>
		bankRow(index, { funding_source: 'conversion', ...more }),
	);

/** The results of payouts, as the next node gets them. */
async function paid(items = conversions(2)): Promise<IDataObject[]> {
	const { json } = await service.run(BANK, { items, workflowId: 'payouts' });
	service.sandbox.core.traffic.forgetRequests();
	return json;
}

/** What was sent from a wallet. */
const fundings = (): IDataObject[] =>
	service
		.sent()
		.filter(({ path }) => path.endsWith(PATH.crypto))
		.map(({ body }) => body as IDataObject);

/** What an error says, with its details. */
const said = ({ error }: RunResult): string => `${error?.message} ${error?.description}`;

const codes = (result: RunResult) => reported(result).map(({ code }) => code);

const fundOf = (row: IDataObject) => row.toFund as IDataObject;

/** What a table keeps of a result: the answer of the service is not in it. */
const stored = (row: IDataObject, change: IDataObject = {}): IDataObject => ({
	transactionId: row.transactionId,
	reference: row.reference,
	toFund: JSON.stringify({ ...fundOf(row), ...change }),
});

/** An event of a transaction in the service's logs. */
function log(transactionId: unknown, status: string): void {
	const at = new Date(Date.now() - 60_000).toISOString();
	addLog(
		service,
		{
			status,
			transactionType: 'withdrawal_ach',
			timestamp: at,
			details: { message: '', transactionId },
		},
		at,
		{ webhookId: randomUUID() },
	);
}

describe('what is sent', () => {
	test('sends to each payout exactly what its answer says, from the chosen wallet', async () => {
		const rows = await paid();
		const result = await service.run(fund(), { items: rows });
		expect(outcomes(result)).toEqual(['created', 'created']);
		expect(fundings()).toEqual(
			rows.map((row) => ({
				walletId: walletOf('USDC'),
				destinationWallet: row.deposit_address,
				amount: row.amount_deposit,
				asset: 'USDC',
				blockchain: 'Polygon',
				externalReference: expect.stringMatching(/^[\da-f-]{36}$/),
			})),
		);
		expect(result.json).toMatchObject(
			rows.map((row) => ({
				fundedTransactionId: row.transactionId,
				fundedReference: row.reference,
				payee: row.deposit_address,
				currency: 'USDC',
			})),
		);
	});

	test('takes what a data table has stored as text', async () => {
		const [row] = await paid(conversions(1));
		const result = await service.run(fund(), { items: [stored(row)] });
		expect(outcomes(result)).toEqual(['created']);
		expect(fundings()).toMatchObject([{ amount: fundOf(row).amount }]);
	});

	test('funds a payout that was already sent, if what its answer said was stored', async () => {
		const [row] = await paid(conversions(1));
		const again = { ...row, outcome: 'alreadySent' };
		expect(outcomes(await service.run(fund(), { items: [again] }))).toEqual(['created']);
	});

	test('has a form with the wallet and no mapping', async () => {
		const dry = await service.run(
			fund({ dryRun: true }, { mappingMode: 'autoMapInputData', referenceSource: 'generated' }),
			{ items: await paid() },
		);
		expect(outcomes(dry)).toEqual(['ready', 'ready']);
		expect(fundings()).toEqual([]);
	});
});

test('says of a payout by conversion that it waits, for how much and where', async () => {
	const [row, other] = await paid([...conversions(1), bankRow(1)]);
	expect(row).toMatchObject({
		outcome: 'created',
		code: 'waitsForFunding',
		message: `Created, waits for ${fundOf(row).amount} USDC on Polygon`,
		hint: expect.stringContaining('Fund Conversions'),
	});
	expect(other).not.toHaveProperty('code');
});

describe('what is not funded', () => {
	const stops = async (items: IDataObject[], code: string, message: RegExp) => {
		const stopped = await service.run(fund(), { items });
		expect(fundings()).toEqual([]);
		expect(said(stopped)).toMatch(message);
		expect(codes(stopped)).toContain(code);
	};

	test.each<[string, IDataObject, string, RegExp]>([
		[
			'was rejected',
			{ outcome: 'rejected' },
			'payoutNotCreated',
			/not created \(outcome rejected\)/,
		],
		['did not leave n8n', { outcome: 'notSent' }, 'payoutNotCreated', /not created/],
		['is a conflict', { outcome: 'conflict' }, 'payoutNotCreated', /not created/],
		['is in a dry run', { outcome: 'ready' }, 'payoutNotCreated', /not created \(outcome ready\)/],
		['may exist', { outcome: 'unknown' }, 'fundingUnknown', /funding details are unknown/],
		[
			'was already sent, and its answer is lost',
			{ outcome: 'alreadySent', toFund: null },
			'fundingUnknown',
			/funding details are unknown/,
		],
		['has nothing to fund', { toFund: null }, 'nothingToFund', /has no toFund/],
		['has unreadable text to fund', { toFund: '{"amount":' }, 'nothingToFund', /has no toFund/],
		['failed', { status: 'failed_transaction' }, 'movedOn', /status failed_transaction/],
		['expired', { status: 'expired_transaction' }, 'movedOn', /no longer waits for crypto/],
		['is processed', { status: 'processing_transaction' }, 'movedOn', /no longer waits/],
		['is completed', { status: 'completed_transaction' }, 'movedOn', /no longer waits/],
		['has no transaction', { transactionId: '' }, 'required', /Transaction ID is required/],
	])('sends nothing if a payout %s', async (_, change, code, message) => {
		const [first, second] = await paid();
		await stops([{ ...first, ...change }, second], code, message);
	});

	test.each<[string, IDataObject, RegExp]>([
		['no address', { address: '' }, /Destination Address is required/],
		['no amount', { amount: '' }, /Amount is required/],
		['too many decimals', { amount: '1.123456789' }, /at most 8/],
		[
			'an address of another blockchain',
			{ address: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8' },
			/must be a Polygon address/,
		],
		[
			'a token contract',
			{ address: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359' },
			/contract of the token USDC/,
		],
	])('sends nothing if toFund has %s', async (_, change, message) => {
		const [row] = await paid(conversions(1));
		const result = await service.run(fund(), {
			items: [{ ...row, toFund: { ...fundOf(row), ...change } }],
		});
		expect(said(result)).toMatch(message);
		expect(fundings()).toEqual([]);
	});

	test.each(GOING_ON)('funds the other payouts with %s', async (onError) => {
		const rows = await paid([...conversions(2), bankRow(2)]);
		const result = await service.run(fund(), { items: rows, onError });
		expect(outcomes(result)).toEqual(['created', 'created', 'notSent']);
		expect(reported(result)[2]).toMatchObject({ code: 'nothingToFund' });
		expect(fundings()).toHaveLength(2);
	});

	test.each(['completed', 'processing', 'failed', 'reject', 'expired'])(
		'sends nothing if the logs say that a payout is %s',
		async (word) => {
			const rows = await paid();
			log(rows[1].transactionId, `${word}_transaction`);
			await stops(rows, 'movedOn', new RegExp(`status ${word}_transaction`));
		},
	);

	test.each(['pending_transaction', 'awaiting_funds'])(
		'funds a payout whose last status in the logs is %s',
		async (status) => {
			const rows = await paid(conversions(1));
			log(rows[0].transactionId, status);
			expect(outcomes(await service.run(fund(), { items: rows }))).toEqual(['created']);
		},
	);

	test('says that logs cannot tell without a webhook', async () => {
		const result = await service.run(fund(), { items: await paid() });
		expect(hints(result)).toContainEqual(expect.stringContaining('found no webhook'));
	});
});

describe('the wallet', () => {
	test('has to have the asset on the blockchain', async () => {
		const rows = await paid([
			...conversions(1),
			bankRow(1, { funding_source: 'conversion', asset_deposit: 'USDT', blockchain: 'Ethereum' }),
		]);
		const result = await service.run(fund(), { items: rows });
		expect(said(result)).toMatch(/needs USDT on Ethereum, but the wallet has USDC on Polygon/);
		expect(codes(result)).toContain('walletWithoutAsset');
		expect(fundings()).toEqual([]);
	});

	test('has to belong to the account', async () => {
		const walletId = randomUUID();
		const result = await service.run(fund({}, { walletId }), { items: await paid() });
		expect(said(result)).toContain(`no wallet ${walletId}`);
		expect(fundings()).toEqual([]);
	});

	test('is compared in any letter case', async () => {
		const [asset] = service.business.wallets.get(walletOf('USDC'))?.assets ?? [];
		asset.blockchain = 'POLYGON';
		asset.symbol = 'usdc';
		const rows = await paid(conversions(1));
		const walletId = [...service.business.wallets.values()][0].walletId.toUpperCase();
		const result = await service.run(fund({}, { walletId }), { items: rows });
		expect(outcomes(result)).toEqual(['created']);
	});

	test('is not guessed if the wallets cannot be read', async () => {
		const rows = await paid();
		service.sandbox.core.faults.add({
			match: { method: 'GET', path: '/v2/wallets' },
			times: 'always',
			fault: { type: 'status', status: 403 },
		});
		const result = await service.run(fund(), { items: rows });
		expect(said(result)).toMatch(/Nothing was sent/);
		expect(fundings()).toEqual([]);
	});
});

describe('a payout is funded once', () => {
	test('in a later execution', async () => {
		const rows = await paid();
		await service.run(fund(), { items: rows });
		const again = await service.run(fund(), { items: rows });
		expect(outcomes(again)).toEqual(['alreadySent', 'alreadySent']);
		expect(fundings()).toHaveLength(2);
	});

	test('although the payouts are completed by then, and the new ones are funded', async () => {
		const rows = await paid(conversions(3));
		await service.run(fund(), { items: rows.slice(0, 2) });
		for (const { transactionId } of rows.slice(0, 2)) log(transactionId, 'completed_transaction');
		const again = await service.run(fund(), { items: rows });
		expect(outcomes(again)).toEqual(['alreadySent', 'alreadySent', 'created']);
		expect(fundings()).toHaveLength(3);
	});

	test('in one input', async () => {
		const [row] = await paid(conversions(1));
		const result = await service.run(fund(), {
			items: [row, { ...row, transactionId: String(row.transactionId).toUpperCase() }],
			onError: 'continueRegularOutput',
		});
		expect(outcomes(result)).toEqual(['created', 'notSent']);
		expect(fundings()).toHaveLength(1);
	});

	test('by any node, as far as the logs say', async () => {
		await aWebhook(service);
		const rows = await paid(conversions(1));
		await service.run(fund(), { items: rows });
		const [transaction] = [...service.sandbox.core.state.transactions.values()].slice(-1);
		service.sandbox.core.transactions.setStatus(transaction, 'completed_transaction');
		const copy = await service.run(fund(), { items: rows, workflowId: 'copy' });
		expect(outcomes(copy)).toEqual(['alreadySent']);
		expect(codes(copy)).toEqual(['loggedUnverified']);
		expect(fundings()).toHaveLength(1);
	});

	test('although its amount or its address was changed since', async () => {
		const [row] = await paid(conversions(1));
		await service.run(fund(), { items: [row] });
		for (const change of [{ amount: '1' }, { address: `0x${'1'.repeat(40)}` }]) {
			for (const items of [
				[stored(row, change)],
				[{ ...row, toFund: { ...fundOf(row), ...change } }],
			])
				expect(outcomes(await service.run(fund(), { items }))).toEqual(['conflict']);
		}
		expect(fundings()).toHaveLength(1);
	});

	test('if it is not known whether the funding was created', async () => {
		const rows = await paid(conversions(1));
		service.sandbox.core.faults.add({
			match: { method: 'POST', path: PATH.crypto },
			times: 1,
			fault: { type: 'reset', when: 'after' },
		});
		const first = await service.run(fund(), { items: rows });
		expect(outcomes(first)).toEqual(['unknown']);
		const again = await service.run(fund(), { items: rows });
		expect(outcomes(again)).toEqual(['alreadySent']);
		expect(new Set(posted(service)).size).toBe(1);
	});

	test('each of two that wait for the same amount at the same address', async () => {
		const rows = await paid();
		const result = await service.run(fund(), {
			items: rows.map((row) => stored(row, fundOf(rows[0]))),
		});
		expect(outcomes(result)).toEqual(['created', 'created']);
		expect(allHints(result).join()).not.toContain('duplicates');
	});
});

describe('the options of a batch', () => {
	test('approves exactly what the dry run showed', async () => {
		const rows = await paid();
		const dry = await service.run(fund({ dryRun: true }), { items: rows });
		const { fingerprint } = dry.json[0].summary as IDataObject;
		expect(fingerprint).toMatch(/^2 payments, [\d.]+ USDC, /);
		const amounts = rows.map((row) => Number(fundOf(row).amount));
		const amount = String(Number((amounts[0] + amounts[1]).toFixed(6)));
		expect(dry.json[0].summary).toMatchObject({
			toFund: [{ amount, asset: 'USDC', blockchain: 'Polygon', count: 2 }],
			text: expect.stringContaining(`\nTo fund: ${amount} USDC on Polygon\n`),
			html: expect.stringContaining(`<td>To fund</td> <td>${amount} USDC on Polygon</td>`),
		});
		const wrong = await service.run(fund({ approvalCode: fingerprint }), {
			items: [rows[0], stored(rows[1], { amount: '5' })],
		});
		expect(wrong.error?.message).toContain('doesn’t match these payments');
		const right = await service.run(fund({ approvalCode: fingerprint }), { items: rows });
		expect(outcomes(right)).toEqual(['created', 'created']);
	});

	test.each<[string, IDataObject, string]>([
		['Maximum Totals', { maximumTotals: { total: [{ currency: 'USDC', amount: '1' }] } }, 'USDC'],
		['Daily Limit', { dailyLimit: { total: [{ currency: 'USDC', amount: '1' }] } }, 'Daily Limit'],
		['Expected Count', { expectedCount: 3 }, 'Expected Count is 3'],
		['Maximum Amount', { maximumAmount: 1 }, 'Maximum Amount'],
	])('counts the crypto for %s', async (_, options, message) => {
		const result = await service.run(fund(options), { items: await paid() });
		expect(said(result)).toContain(message);
		expect(fundings()).toEqual([]);
	});
});

test('reads the results of the error output of a payout node, too', async () => {
	const [row] = await paid(conversions(1));
	const error = { ...without(row, 'toFund'), outcome: 'unknown' };
	const result = await service.run(fund(), { items: [{ error, message: '' }] });
	expect(codes(result)).toEqual(['fundingUnknown']);
});
