import type { INodeParameters } from 'n8n-workflow';

import { useService } from '../engine/service';
import { BANK, bankRow, GOING_ON, ON_ERROR, reported } from './batch';

const service = useService();

const spanish = (more: INodeParameters = {}): INodeParameters => ({
	...BANK,
	language: 'es',
	...more,
});

/** Rows as a bookkeeper has them, of which most have a mistake. */
const ROWS = [
	bankRow(0),
	bankRow(1, { amount: '' }),
	bankRow(2, { amount: '1.250.50' }),
	bankRow(4, { destination_account: '#N/A' }),
	bankRow(0, { external_reference: '5f0c6f6e-3b1d-4f7e-9a53-0c1d2e3f4a5b' }),
];

/** Words of the English messages, which are no labels of the editor. */
const ENGLISH = /\b(?:must|is|has|the|row|item|enter|sent|column|not)\b/i;

const messagesOf = (items: Array<{ message?: unknown }>) => items.map(({ message }) => message);

describe('with Language set to Spanish', () => {
	test.each(GOING_ON)('says in Spanish why rows are not paid (On Error %s)', async (onError) => {
		const result = await service.run(spanish(), { items: ROWS, onError });
		const failed = reported(result).filter(({ outcome }) => outcome === 'notSent');
		expect(messagesOf(failed)).toEqual([
			'Monto es obligatorio. Escribe un valor.',
			expect.stringMatching(/^Monto \("1\.250\.50"\) /),
			'Cuenta ("#N/A") es un error de la hoja de cálculo. Corrige la fórmula del archivo, o escribe el valor.',
			expect.stringMatching(
				/^Pago es un pago repetido de la fila 1, María José Quispe 0, 100,50 BOB: /,
			),
		]);
		for (const { message } of failed) expect(message).not.toMatch(ENGLISH);
	});

	test('shows the approver Spanish alone', async () => {
		const parameters = spanish({ dryRun: true });
		const result = await service.run(parameters, {
			items: ROWS,
			onError: 'continueRegularOutput',
		});
		const { html, text } = result.json[0].summary as { html: string; text: string };
		for (const page of [html.replace(/<[^>]*>/g, ' '), text]) {
			expect(page).toContain('Monto es obligatorio');
			expect(page).not.toMatch(ENGLISH);
		}
	});

	test('says in Spanish why nothing of a file is paid', async () => {
		const items = [{ Nombre: 'Ana', CI: '1498123', Banco: 'Unión' }];
		const result = await service.run(spanish({ dryRun: true }), {
			items,
			onError: 'continueRegularOutput',
		});
		const [{ summary }] = result.json as Array<{ summary: { text: string } }>;
		expect(summary.text).toContain('Los datos no tienen una columna para ');
		expect(summary.text).toMatch(/Columnas encontradas: "Nombre", "CI", "Banco"\./);
		expect(summary.text).not.toMatch(/Columns found|did you mean/);
	});

	test('says in Spanish what an earlier execution and the service said', async () => {
		const items = [bankRow(0)];
		await service.run(spanish(), { items });
		const again = await service.run(spanish(), { items });
		expect(again.json[0].message).toBe(
			'Una ejecución anterior creó este pago, y no se envió otra vez',
		);
		const changed = await service.run(spanish(), {
			items: [bankRow(0, { amount: '99.10' })],
			onError: 'continueRegularOutput',
		});
		expect(reported(changed)[0].message).toMatch(
			/^Fila 1, María José Quispe 0, 99,10 BOB: Una ejecución anterior envió esta referencia con otro monto/,
		);
	});

	test('says in Spanish that the login fails', async () => {
		service.sandbox.core.faults.add({
			match: { path: '/v2/auth/login' },
			times: 'always',
			fault: { type: 'status', status: 503 },
		});
		const result = await service.run(spanish(), {
			items: [bankRow(0)],
			onError: 'continueRegularOutput',
		});
		expect(reported(result)[0].message).toMatch(
			/^El servicio respondió al inicio de sesión con el estado 503/,
		);
	});

	test('leaves the error that stops the workflow in English, as the editor is', async () => {
		const { error } = await service.run(spanish(), { items: ROWS });
		expect(error?.message).toMatch(/^Nothing was sent\. Invalid items: \d of 5$/);
	});
});

test.each(ON_ERROR)('says everything in English without it (On Error %s)', async (onError) => {
	const result = await service.run(BANK, { items: ROWS, onError });
	for (const { message } of reported(result)) expect(message).not.toMatch(/\b(?:fila|es|tiene)\b/);
});
