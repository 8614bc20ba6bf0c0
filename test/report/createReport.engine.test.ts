import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { useService } from '../engine/service';
import { bank, bankRow, bankRows, referenceOf } from '../batch/batch';

const service = useService({ deliveryRetries: 0 });

const CREATE_REPORT = { resource: 'transaction', operation: 'createReport' };

const report = async (items: IDataObject[], parameters: INodeParameters = {}) => {
	const result = await service.run({ ...CREATE_REPORT, ...parameters }, { items });
	if (result.error) throw result.error;
	return result;
};

const rowsOf = async (items: IDataObject[], language = 'en') =>
	(await report(items, { output: 'rows', language })).json;

/** Rows as a firm in Bolivia has them. */
const planilla = (count: number, changes: Record<number, IDataObject> = {}) =>
	Array.from({ length: count }, (_, n) => ({
		Nombre: 'Íñigo',
		'Apellido paterno': `Núñez ${n}`,
		CI: `812${345 + n}`,
		Banco: '0010',
		Cuenta: `00${1000 + n}`,
		Monto: '1250,50',
		Moneda: 'BOB',
		Glosa: 'Sueldo',
		...changes[n],
	}));

const PLANILLA = bank(
	{ includeInput: true },
	{
		referenceSource: 'generated',
		batchId: 'sueldos-2026-11',
		defaultValues: { fundingSource: 'balance' },
	},
);

test('reports a file with Spanish headers as it was sent, with both outputs of the payment node', async () => {
	const items = planilla(3, { 1: { Cuenta: 'no tiene' } });
	const { outputs } = await service.run(PLANILLA, { items, onError: 'continueErrorOutput' });

	const rows = await rowsOf(
		outputs.flat().map(({ json }) => json),
		'es',
	);

	expect(rows.map((row) => Object.values(row).slice(0, 5))).toEqual([
		['Creado', 'Íñigo Núñez 0', 1250.5, 'BOB', '0010 001000'],
		[
			expect.stringMatching(/^No pagado: Destination Account \("no tiene"\)/),
			'Íñigo Núñez 1',
			1250.5,
			'BOB',
			'0010',
		],
		['Creado', 'Íñigo Núñez 2', 1250.5, 'BOB', '0010 001002'],
	]);
	expect(Object.keys(rows[0]).slice(0, 5)).toEqual([
		'resultado',
		'beneficiario',
		'monto',
		'moneda',
		'cuenta',
	]);
	expect(rows.map(({ fila }) => fila)).toEqual([1, 2, 3]);
});

test('reports a row that is unknown, one that was sent before, and one whose reference has other values', async () => {
	await service.run(bank({}), { items: [bankRow(0), bankRow(1)] });
	await service.sandbox.admin.addFault({
		match: { bodyContains: referenceOf(2) },
		fault: { type: 'reset', when: 'after' },
	});
	const { json } = await service.run(bank({ includeInput: true }), {
		items: [bankRow(0), bankRow(1, { amount: '7' }), bankRow(2)],
		onError: 'continueRegularOutput',
	});

	expect((await rowsOf(json)).map(({ verdict, amount }) => [verdict, amount])).toEqual([
		['Sent in an earlier run', 100.5],
		['Not paid (conflict): an earlier payment has its reference', ''],
		['Not known: it was perhaps paid', 100.5],
	]);
	const [{ text }] = (await report(json)).json;
	expect(text).toMatch(
		/Not paid \(conflict\): an earlier .*\. Row 2, María José Quispe 1, 7\.00 BOB: /,
	);
});

test('gives the page as a file, and as text for other nodes, without a request', async () => {
	const { json } = await service.run(bank({}), { items: bankRows(2) });
	service.sandbox.core.traffic.forgetRequests();

	const { outputs } = await report(json, {
		title: 'Sueldos <noviembre>',
		language: 'es',
		options: { subtitle: 'Aprobado por Ana', fileName: 'sueldos.html' },
	});

	const [[{ binary, pairedItem, json: made }]] = outputs;
	expect(binary?.data).toMatchObject({ fileName: 'sueldos.html', mimeType: 'text/html' });
	const page = Buffer.from(binary?.data.data ?? '', 'base64').toString();
	expect(page).toBe(made.html);
	expect(page).toContain('<h1>Sueldos &lt;noviembre&gt;</h1>');
	expect(page).toContain('download="sueldos.csv"');
	expect(page).toContain('Aprobado por Ana');
	expect(made).toMatchObject({ count: 2, toReview: 0 });
	expect(pairedItem).toEqual([{ item: 0 }, { item: 1 }]);
	expect(service.sent()).toEqual([]);
});

test('reports 2,000 rows, all of them in the page and in its CSV file', async () => {
	const items = Array.from({ length: 2_000 }, (_, n) => ({
		outcome: 'created',
		payee: `Person ${n}`,
		amount: '0.10',
		currency: 'BOB',
		reference: referenceOf(n),
		transactionId: `t-${n}`,
		status: 'pending_transaction',
		row: 2_000 - n,
	}));

	const { json } = await report(items);

	expect(json[0]).toMatchObject({ count: 2_000, totals: [{ amount: '200', count: 2_000 }] });
	const page = String(json[0].html);
	expect(page.match(/>Person \d+</g)).toHaveLength(2_000);
	expect(page.indexOf('>Person 1999<')).toBeLessThan(page.indexOf('>Person 0<'));
	const [, base64] = /base64,([^"]+)"/.exec(page) ?? [];
	expect(Buffer.from(base64, 'base64').toString().trimEnd().split('\r\n')).toHaveLength(2_001);
	expect(page.length).toBeLessThan(2_000_000);
});
