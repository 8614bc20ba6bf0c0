import { randomUUID } from 'node:crypto';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { addLog, aWebhook } from '../engine/samples';
import type { RunResult } from '../engine/runNode';
import { useService } from '../engine/service';
import { without } from '../without';
import { BANK, bankRow, GOING_ON, outcomes, PATH, posted, reported } from './batch';

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

	test('funds a payout that was already sent, if what its answer said was stored', async () => {
		const [row] = await paid(conversions(1));
		const again = { ...row, outcome: 'alreadySent' };
		expect(outcomes(await service.run(fund(), { items: [again] }))).toEqual(['created']);
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
		expect(outcomes(again)).toEqual(['unknown']);
		expect(new Set(posted(service)).size).toBe(1);
	});
});

test('reads the results of the error output of a payout node, too', async () => {
	const [row] = await paid(conversions(1));
	const error = { ...without(row, 'toFund'), outcome: 'unknown' };
	const result = await service.run(fund(), { items: [{ error, message: '' }] });
	expect(codes(result)).toEqual(['fundingUnknown']);
});
