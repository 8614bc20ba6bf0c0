import { randomUUID } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';

import { NODE_NAME } from '../engine/runNode';
import { addLog, aWebhook } from '../engine/samples';
import { useService } from '../engine/service';
import {
	allHints,
	bank,
	BANK,
	bankRow,
	bankRows,
	created,
	hints,
	outcomes,
	posted,
	referenceOf,
	reported,
	strike,
} from './batch';

const service = useService({ deliveryRetries: 0 });

const CHECKED = bank({ checkDeliveryLogs: 31 });

const DAY_MS = 24 * 60 * 60 * 1000;

/** An event in the service's logs, so many days old. */
function log(reference: string, status: string, details: IDataObject = {}, daysAgo = 1): void {
	const at = new Date(Date.now() - daysAgo * DAY_MS).toISOString();
	addLog(
		service,
		{
			externalReference: reference,
			status,
			transactionType: 'withdrawal_ach',
			timestamp: at,
			details: { message: `now ${status}`, transactionId: randomUUID(), ...details },
		},
		at,
		{ webhookId: randomUUID() },
	);
}

test.each<[string, string, string, IDataObject, IDataObject]>([
	['failed', 'conflict', 'failed_transaction', {}, {}],
	['paid another amount', 'conflict', 'completed_transaction', { amount: '9', asset: 'BOB' }, {}],
	['is of a row that was invalid', 'alreadySent', 'completed_transaction', {}, { bank_code: '' }],
])(
	'does not forget in the next execution what the logs have: a payment that %s',
	async (_name, outcome, status, details, invalid) => {
		await service.run(BANK, { items: bankRows(2), workflowId: 'original' });
		log(referenceOf(0), 'completed_transaction');
		log(referenceOf(1), status, details);
		await service.run(bank({}), {
			items: [bankRow(0), bankRow(1, invalid)],
			onError: 'continueRegularOutput',
		});
		const next = await service.run(bank({}), {
			items: bankRows(2),
			onError: 'continueRegularOutput',
		});
		expect(outcomes(next)).toEqual(['alreadySent', outcome]);
		expect(created(service)).toHaveLength(2);
	},
);

test('sends nothing again that another node sent, however its store began', async () => {
	await service.run(BANK, { items: bankRows(3) });
	for (const index of [0, 1, 2]) log(referenceOf(index), 'processing_transaction');
	// A node that was pasted has a store of its own, which is empty.
	const copy = await service.run(CHECKED, { items: bankRows(4), workflowId: 'copy' });
	expect(outcomes(copy)).toEqual(['alreadySent', 'alreadySent', 'alreadySent', 'created']);
	expect(created(service)).toEqual([0, 1, 2, 3].map(referenceOf));
	const [task] = copy.run.data.resultData.runData[NODE_NAME];
	expect(task.hints).toContainEqual({
		message: expect.stringContaining('has sent nothing before') as string,
		// Every first run has it.
		type: 'info',
	});
	expect(reported(copy)[0]).toMatchObject({ status: 'processing_transaction' });
});

test('takes a row for sent that was invalid when the logs named it, and is corrected now', async () => {
	log(referenceOf(0), 'processing_transaction');
	const invalid = [{ ...bankRow(0), destination_account: '' }];
	const first = await service.run(CHECKED, { items: invalid, onError: 'continueErrorOutput' });
	expect(outcomes(first)).toEqual(['alreadySent']);
	const second = await service.run(CHECKED, { items: bankRows(1) });
	expect(outcomes(second)).toEqual(['alreadySent']);
	expect(posted(service)).toEqual([]);
});

test('asks the logs about a payment that “Retry execution” is to pay again', async () => {
	strike(service, referenceOf(0), { type: 'reset', when: 'after' });
	const first = await service.run(CHECKED, { items: bankRows(1) });
	expect(outcomes(first)).toEqual(['unknown']);
	log(referenceOf(0), 'processing_transaction');
	const again = { ifAlreadySent: 'payAgain', referencesToPayAgain: referenceOf(0) };
	const retried = await service.run(bank({ checkDeliveryLogs: 31, ...again }), {
		items: bankRows(1),
		resumeFrom: first.run.data,
	});
	expect(outcomes(retried)).toEqual(['alreadySent']);
	expect(posted(service)).toHaveLength(1);
});

test('says before anything is sent that the store is empty', async () => {
	const dry = await service.run(bank({ dryRun: true }), { items: bankRows(2) });
	expect(allHints(dry)).toContainEqual(expect.stringContaining('has sent nothing before'));
	expect(dry.json[0].summary).toMatchObject({ isStoreEmpty: true });
	expect(posted(service)).toEqual([]);
	// To ask for what is left of a limit leaves no payment either.
	await service.run(
		bank({ dryRun: true, dailyLimit: { total: [{ currency: 'BOB', amount: '1000' }] } }),
		{ items: bankRows(2) },
	);
	const again = await service.run(bank({ dryRun: true }), { items: bankRows(2) });
	expect(again.json[0].summary).toMatchObject({ isStoreEmpty: true });
	await service.run(BANK, { items: bankRows(1) });
	const later = await service.run(bank({ dryRun: true }), { items: bankRows(2) });
	expect(allHints(later)).not.toContainEqual(expect.stringContaining('has sent nothing before'));
	expect(later.json[0].summary).toMatchObject({ isStoreEmpty: false, alreadySent: 1, ready: 1 });
});

test.each(['reject_transaction', 'failed_transaction', 'expired_transaction'])(
	'fails for a row whose logged transaction has ended with %s, and pays the others',
	async (status) => {
		log(referenceOf(0), status);
		const result = await service.run(CHECKED, {
			items: bankRows(2),
			onError: 'continueRegularOutput',
		});
		expect(outcomes(result)).toEqual(['conflict', 'created']);
		expect(reported(result)[0]).toMatchObject({ code: 'loggedAsFailed', status });
		expect(posted(service)).toEqual([referenceOf(1)]);
	},
);

test('reports another amount in the logs as a conflict', async () => {
	log(referenceOf(0), 'completed_transaction', { amount: '99.00', asset: 'BOB' });
	log(referenceOf(1), 'completed_transaction', { amount: '100.5', asset: 'BOB' });
	log(referenceOf(2), 'completed_transaction', { amount: '14.4', asset: 'USDC' });
	const result = await service.run(CHECKED, {
		items: bankRows(3),
		onError: 'continueRegularOutput',
	});
	expect(outcomes(result)).toEqual(['conflict', 'alreadySent', 'alreadySent']);
	expect(reported(result)[0].message).toContain('99 BOB');
	expect(posted(service)).toEqual([]);
});

describe('a logged row that this node has sent itself', () => {
	test.each<[string, IDataObject]>([
		['amount', { amount: '900' }],
		['account', { destination_account: '77001' }],
	])('is a conflict if its %s was corrected since', async (_, changes) => {
		await service.run(BANK, { items: bankRows(2) });
		for (const index of [0, 1]) log(referenceOf(index), 'completed_transaction');
		const result = await service.run(CHECKED, {
			items: [bankRow(0, changes), bankRow(1)],
			onError: 'continueRegularOutput',
		});
		expect(outcomes(result)).toEqual(['conflict', 'alreadySent']);
		expect(reported(result)).toMatchObject([
			{ code: 'conflict', amount: '', payee: '' },
			{ code: 'logged', amount: '100.50', transactionId: expect.any(String) },
		]);
		expect(posted(service)).toHaveLength(2);
	});
});

test.each<[string, IDataObject]>([
	['', {}],
	[' with Check: Balance', { checkBalance: true }],
	[' in a dry run', { dryRun: true }],
])(
	'a row that this node has sent fails if its logged transaction has failed%s',
	async (_, options) => {
		await service.run(BANK, { items: bankRows(1) });
		log(referenceOf(0), 'failed_transaction');
		const result = await service.run(bank({ checkDeliveryLogs: 31, ...options }), {
			items: bankRows(1),
			onError: 'continueRegularOutput',
		});
		// What failed is what the row says: a report names who is still to be paid.
		expect(reported(result)[0]).toMatchObject({
			...{ outcome: 'conflict', code: 'loggedAsFailed' },
			...{ payee: 'María José Quispe 0', amount: '100.50' },
		});
	},
);

test('tells the approver why a logged row is not paid', async () => {
	log(referenceOf(0), 'failed_transaction');
	const dry = await service.run(bank({ checkDeliveryLogs: 31, dryRun: true }), {
		items: bankRows(2),
		onError: 'continueRegularOutput',
	});
	const { html } = dry.json[0].summary as { html: string };
	expect(html).toContain('which ended with the status failed_transaction');
});

test('does not say of a row that others sent that its values were paid', async () => {
	// The second one may have been sent to another account.
	log(referenceOf(0), 'completed_transaction');
	log(referenceOf(1), 'completed_transaction', { amount: '100.5', asset: 'BOB' });
	const result = await service.run(CHECKED, { items: bankRows(2) });
	expect(outcomes(result)).toEqual(['alreadySent', 'alreadySent']);
	for (const index of [0, 1]) {
		expect(reported(result)[index]).toMatchObject({
			code: 'loggedUnverified',
			payee: '',
			amount: '',
			currency: '',
		});
	}
	expect(result.json[0].message).toMatch(/^Row 1, María José Quispe 0, 100.50 BOB: /);
});

test('takes a reference for paid if one of its transactions has not failed', async () => {
	log(referenceOf(0), 'completed_transaction', {}, 2);
	log(referenceOf(0), 'failed_transaction', {}, 1);
	const result = await service.run(CHECKED, { items: bankRows(1) });
	expect(outcomes(result)).toEqual(['alreadySent']);
	expect(reported(result)[0].status).toBe('completed_transaction');
});

test('reads no logs unasked once the node has paid', async () => {
	const logRequests = () =>
		service.sent().filter(({ path }) => path === '/v2/webhooks/logs').length;
	await service.run(BANK, { items: bankRows(1) });
	const unasked = logRequests();
	expect(unasked).toBe(1);
	await service.run(BANK, { items: bankRows(2) });
	expect(logRequests()).toBe(unasked);
});

test('sends nothing if the logs cannot be read', async () => {
	service.sandbox.core.faults.add({
		match: { method: 'GET', path: '/v2/webhooks/logs' },
		times: 'always',
		fault: { type: 'status', status: 400 },
	});
	const result = await service.run(CHECKED, { items: bankRows(2) });
	expect(outcomes(result)).toEqual(['notSent', 'notSent']);
	expect(posted(service)).toEqual([]);
});

test.each(['ENABLED', ''])('does not rely on a webhook of the status "%s"', async (status) => {
	await aWebhook(service);
	for (const webhook of service.business.webhooks.values()) Object.assign(webhook, { status });
	const result = await service.run(CHECKED, { items: bankRows(1) });
	expect(hints(result)).toContainEqual(
		expect.stringContaining('No active webhook covers completed_transaction'),
	);
});

test('says that an account without webhooks has no logs, and which statuses its webhooks miss', async () => {
	const none = await service.run(CHECKED, { items: bankRows(1) });
	expect(hints(none)).toContainEqual(expect.stringContaining('This account has no webhook'));
	await aWebhook(service);
	const some = await service.run(CHECKED, { items: [bankRow(1)] });
	expect(hints(some)).toContainEqual(
		expect.stringContaining('covers reject_transaction, failed_transaction, expired_transaction'),
	);
	expect(outcomes(some)).toEqual(['created']);
});
