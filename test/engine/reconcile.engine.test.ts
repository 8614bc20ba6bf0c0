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

async function reconcile(items: IDataObject[], options: INodeParameters = {}, language = 'en') {
	const result = await service.run({ ...RECONCILE, options, language }, { items });
	if (result.error) throw result.error;
	return result.json;
}

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
