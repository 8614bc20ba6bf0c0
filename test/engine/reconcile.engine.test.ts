import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { bank, bankRows, referenceOf } from '../batch/batch';
import { aWebhook, addLog } from './samples';
import { useService } from './service';

/** Expected payments, compared with the delivery logs. */
const service = useService({ deliveryRetries: 0 });

const RECONCILE = { resource: 'transaction', operation: 'reconcile' };

/** Logs that a transaction got a status, some hours ago. */
function log(reference: string, status: string, more: IDataObject = {}, hoursAgo = 1): void {
	const { type = 'withdrawal_ach', id = `t-${reference}`, ...details } = more;
	const time = new Date(Date.now() - hoursAgo * 3_600_000).toISOString();
	addLog(
		service,
		{
			externalReference: reference,
			status: `${status}_transaction`,
			transactionType: type,
			timestamp: time,
			details: { transactionId: id, message: `now ${status}`, ...details },
		},
		time,
		{ id: `${String(id)} ${status}` },
	);
}

const BOB = { amount: '900', asset: 'BOB' };

const row = (reference: string, more: IDataObject = {}): IDataObject => ({
	external_reference: reference,
	first_name: 'Ana',
	last_name: 'Rojas',
	amount: '900.00',
	currency_type: 'BOB',
	...more,
});

async function reconcile(items: IDataObject[], options: INodeParameters = {}, language = 'en') {
	const result = await service.run({ ...RECONCILE, options, language }, { items });
	if (result.error) throw result.error;
	return result.json;
}

const findings = async (items: IDataObject[], options: INodeParameters = {}) =>
	(await reconcile(items, options)).map(({ reference, finding }) => [reference, finding]);

test('finds how each person stands, those to look at first, and what no row has', async () => {
	log('arrived', 'completed', BOB);
	log('going', 'processing', BOB);
	log('slow', 'processing', BOB, 30);
	log('failed', 'failed', BOB);
	log('amount', 'completed', { amount: '90', asset: 'BOB' });
	log('currency', 'completed', { amount: '900', asset: 'EUR' });
	log('twice', 'completed', { ...BOB, id: 'a' });
	log('twice', 'processing', { ...BOB, id: 'b' });
	log('retried', 'failed', { ...BOB, id: 'c' }, 2);
	log('retried', 'completed', { ...BOB, id: 'd' });
	log('both', 'completed', BOB, 2);
	log('both', 'failed', BOB);
	log('stranger', 'completed', BOB);
	log('deposit', 'completed', { ...BOB, type: 'deposit_express' });
	const names = ['arrived', 'going', 'slow', 'failed', 'amount', 'currency', 'twice', 'retried'];

	const json = await reconcile([...names, 'both', 'nobody'].map((name) => row(name)));

	expect(
		json.map(({ reference, finding, needsReview }) => [reference, finding, needsReview]),
	).toEqual([
		['twice', 'paidTwice', true],
		['stranger', 'notInFile', true],
		['amount', 'otherAmount', true],
		['currency', 'otherCurrency', true],
		['both', 'unclear', true],
		['failed', 'failed', true],
		['nobody', 'notFound', true],
		['slow', 'overdue', true],
		['going', 'onItsWay', false],
		['arrived', 'arrived', false],
		['retried', 'arrived', false],
	]);
	expect(json[0].message).toMatch(/a: completed_transaction, b: processing_transaction|b: .*a: /);
	expect(json[2]).toEqual({
		verdict: 'Other amount',
		payee: 'Ana Rojas',
		amount: '900',
		currency: 'BOB',
		loggedAmount: '90',
		loggedCurrency: 'BOB',
		row: 5,
		finding: 'otherAmount',
		needsReview: true,
		status: 'completed_transaction',
		since: expect.stringMatching(/Z$/),
		transactionId: 't-amount',
		reference: 'amount',
		message: '',
	});
	expect(json[1]).toMatchObject({ payee: '', amount: '', loggedAmount: '900' });
	expect(json[1]).not.toHaveProperty('row');
	expect(json[6].message).toContain('It may still have been paid');
});

test('reads a file with Spanish headers and a decimal comma, and answers in Spanish', async () => {
	log('r-1', 'completed', { amount: '1250.5', asset: 'BOB' });
	const json = await reconcile(
		[{ Referencia: 'R-1', Nombre: 'Íñigo', Apellidos: 'Núñez', Monto: '1.250,50', Moneda: 'BOB' }],
		{},
		'es',
	);
	expect(json).toMatchObject([
		{ verdict: 'Abonado', finding: 'arrived', payee: 'Íñigo Núñez', amount: '1250.5', message: '' },
	]);
});

test('names people whose whole name is in one column', async () => {
	log('r-1', 'completed', BOB);
	const [json] = await reconcile([
		{ Referencia: 'R-1', 'Apellidos y nombres': 'Rojas Ana', Monto: 900, Moneda: 'BOB' },
	]);
	expect(json).toMatchObject({ finding: 'arrived', payee: 'Rojas Ana' });
});

test('takes amount and payee of a result from what was sent, not from the columns of the file', async () => {
	await aWebhook(service);
	const { json } = await service.run(bank({ includeInput: true }), { items: bankRows(2) });
	const paid = json.map((one) => ({ ...one, first_name: 'Another', Monto: '7' }));
	for (const { id } of await service.sandbox.admin.transactions({}))
		await service.sandbox.admin.setStatus(id, 'completed_transaction');
	await service.sandbox.admin.drain();

	const lines = await reconcile(paid);

	expect(lines.map(({ finding, amount, payee }) => [finding, amount, payee])).toEqual([
		['arrived', '100.5', 'María José Quispe 0'],
		['arrived', '100.5', 'María José Quispe 1'],
	]);
});

test('counts a row once that the file and its result have, and reports rows that share a reference', async () => {
	log('r', 'completed', { ...BOB, id: 't' });
	const result = {
		outcome: 'created',
		payee: 'Ana Rojas',
		amount: '900.00',
		currency: 'BOB',
		reference: 'R',
		transactionId: 't',
	};
	expect(await findings([row('r'), result])).toEqual([['r', 'arrived']]);
	expect(await findings([row('r'), row('R', { amount: '5' })])).toEqual([
		['r', 'sameReference'],
		['R', 'sameReference'],
	]);
});

test('says of a row that was not created that it is not paid, and of a conflict that it was not', async () => {
	log(referenceOf(1), 'completed', BOB);
	const result = (outcome: string, number: number) => ({
		outcome,
		payee: 'Ana',
		amount: '900.00',
		currency: 'BOB',
		reference: referenceOf(number),
	});
	const json = await reconcile([
		result('rejected', 0),
		result('conflict', 1),
		result('unknown', 2),
	]);
	expect(json.map(({ finding }) => finding)).toEqual(['conflict', 'notPaid', 'notFound']);
});

test('does not compare amounts in different currencies', async () => {
	log('r', 'completed', { amount: '130', asset: 'USDC' });
	const [json] = await reconcile([row('r')]);
	expect(json).toMatchObject({
		finding: 'arrived',
		message: expect.stringContaining('The amount was not compared'),
	});
});

test('reports transactions of the chosen types only', async () => {
	log('a', 'completed', { type: 'withdrawal_crypto' });
	log('b', 'completed', { type: 'deposit_express' });
	const transactionTypes = ['deposit_express'];
	expect(await findings([row('r')], { transactionTypes })).toEqual([
		['b', 'notInFile'],
		['r', 'notFound'],
	]);
});

test('rejects rows of which none can be compared', async () => {
	const { error } = await service.run(RECONCILE, { items: [{ name: 'Ana', amount: '5' }] });
	expect(error?.message).toMatch(/^No row has a reference or a transaction ID/);
	expect(service.sent()).toEqual([]);
});

test('reads the logs once for 500 rows', async () => {
	const items = Array.from({ length: 500 }, (_, n) => row(`r-${n}`));
	await reconcile(items);
	expect(service.sent().map(({ path }) => path)).toEqual(['/v2/webhooks/logs']);
});
