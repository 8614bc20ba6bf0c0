import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { addLog } from './samples';
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
