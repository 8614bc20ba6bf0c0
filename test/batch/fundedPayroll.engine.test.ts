import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { TRANSACTION_EVENTS } from '../../nodes/service/enums';
import { useService } from '../engine/service';
import type { Transaction } from '../../sandbox/state';
import { BANK, bankRow, outcomes, PATH, referenceOf, reported, strike } from './batch';

/**
 * A payroll with conversions and its funding, with faults, run again and again. What the sandbox has is compared with
 * what the node reports.
 */
const service = useService({ waitForFunding: true, deliveryRetries: 0 });

const ROWS = 200;
/** Two of five rows. */
const isConversion = (index: number): boolean => index % 5 < 2;
const CURRENCIES = [
	{ currency_type: 'BOB', country: 'BO' },
	{ currency_type: 'PEN', country: 'PE' },
	{ currency_type: 'USD', country: 'BO' },
];

const payroll = (): IDataObject[] =>
	Array.from({ length: ROWS }, (_, index) =>
		bankRow(index, {
			...CURRENCIES[index % 3],
			funding_source: isConversion(index) ? 'conversion' : 'balance',
		}),
	);

const fund = (): INodeParameters => ({
	resource: 'payout',
	operation: 'fundConversions',
	walletId: [...service.business.wallets.values()][0].walletId,
});

const transactions = (): Transaction[] => [...service.sandbox.core.state.transactions.values()];
const payouts = () => transactions().filter(({ funding }) => funding);
const fundings = () => transactions().filter(({ type }) => type === 'withdrawal_crypto');
const addressOf = ({ request }: Transaction) => (request as IDataObject).destinationWallet;

/** Lets all that was sent from a wallet arrive. */
function arrive(): void {
	for (const transaction of fundings())
		service.sandbox.core.transactions.setStatus(transaction, 'completed_transaction');
}

/** Pays, and stores what is to be funded, as the workflow does before it funds. */
async function pay(table: Map<string, IDataObject>): Promise<IDataObject[]> {
	const result = await service.run(BANK, {
		items: payroll(),
		onError: 'continueRegularOutput',
		workflowId: 'payroll',
	});
	for (const row of result.json) {
		if (!row.toFund) continue;
		const { transactionId, reference, toFund } = row;
		table.set(String(reference), { transactionId, reference, toFund: JSON.stringify(toFund) });
	}
	return result.json;
}

const fundAll = async (table: Map<string, IDataObject>) =>
	await service.run(fund(), {
		items: [...table.values()],
		onError: 'continueRegularOutput',
		workflowId: 'payroll',
	});

test('funds each payout once with its exact amount, whatever fails and however often it runs', async () => {
	await service.run({
		resource: 'webhook',
		operation: 'create',
		url: 'http://127.0.0.1:9/callback',
		events: TRANSACTION_EVENTS.map(({ value }) => value),
		status: 'ACTIVE',
	});
	const lost = [0, 5, 6, 40, 101];
	for (const index of lost) strike(service, referenceOf(index), { type: 'reset', when: 'after' });
	for (const index of [10, 11])
		strike(service, referenceOf(index), { type: 'status', status: 400 });
	const table = new Map<string, IDataObject>();
	await pay(table);
	// The answers of these are lost, so nobody knows what they wait for.
	for (const index of lost) expect(table.has(referenceOf(index))).toBe(false);

	// Some payouts end before they are funded.
	const [expired, failed, ...others] = payouts().filter(({ reference }) =>
		table.has(String(reference)),
	);
	service.sandbox.core.transactions.setStatus(expired, 'expired_transaction');
	service.sandbox.core.transactions.setStatus(failed, 'failed_transaction');
	await service.sandbox.core.deliveries.drained(10_000);

	// Some fundings are created and their answers lost, some never arrive, some are rejected.
	const strikeFunding = (payout: Transaction, when: 'before' | 'after') =>
		service.sandbox.core.faults.add({
			match: { path: PATH.crypto, bodyContains: String(payout.funding?.address) },
			times: 1,
			fault: { type: 'reset', when },
		});
	for (const payout of others.slice(0, 4)) strikeFunding(payout, 'after');
	for (const payout of others.slice(4, 6)) strikeFunding(payout, 'before');
	const first = reported(await fundAll(table));
	const unknown = first.filter(({ outcome }) => outcome === 'unknown').length;
	expect(unknown).toBe(6);
	expect(first.filter(({ code }) => code === 'movedOn')).toHaveLength(2);

	// Nothing has arrived yet, so neither statuses nor logs hold a second funding back.
	await fundAll(table);

	// The same payroll runs twice more: all of it, also by another node whose store is empty.
	for (const workflowId of ['payroll', 'copy']) {
		arrive();
		await service.sandbox.core.deliveries.drained(10_000);
		await pay(table);
		await service.run(fund(), {
			items: [...table.values()],
			onError: 'continueRegularOutput',
			workflowId,
		});
	}
	arrive();

	const byAddress = new Map(payouts().map((payout) => [payout.funding?.address, payout]));
	const funded = fundings().map((funding) => byAddress.get(String(addressOf(funding))));
	// Each was funded once, in full, and none that had ended.
	expect(new Set(funded).size).toBe(funded.length);
	expect(funded).not.toContain(undefined);
	expect(funded).not.toContain(expired);
	expect(funded).not.toContain(failed);
	for (const payout of funded) {
		expect(Number(payout?.funding?.received)).toBe(Number(payout?.funding?.amount));
		expect(payout?.status).toBe('processing_transaction');
	}
	// All that were known are funded: those whose funding never arrived by the node that did not send it.
	const known = payouts().filter(({ reference }) => table.has(String(reference)));
	expect(new Set(funded)).toEqual(
		new Set(known.filter((payout) => payout !== expired && payout !== failed)),
	);
});

test('funds what was paid before the process was killed, from what the table has', async () => {
	const table = new Map<string, IDataObject>();
	await pay(table);
	// The execution is gone: a new one knows only the table, and the payouts are already sent.
	const again = await service.run(BANK, { items: payroll(), workflowId: 'payroll' });
	expect(new Set(outcomes(again))).toEqual(new Set(['alreadySent']));
	const direct = await service.run(fund(), {
		items: again.json,
		onError: 'continueRegularOutput',
		workflowId: 'payroll',
	});
	expect(new Set(reported(direct).map(({ code }) => code))).toEqual(new Set(['fundingUnknown']));
	expect(fundings()).toEqual([]);
	const result = await fundAll(table);
	expect(new Set(outcomes(result))).toEqual(new Set(['created']));
	expect(fundings()).toHaveLength(payouts().length);
});
