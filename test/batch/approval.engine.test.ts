/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- runs beside n8n, not in it */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { type IDataObject, type INodeParameters } from 'n8n-workflow';

import { type RunResult } from '../engine/runNode';
import { useService } from '../engine/service';
import {
	BANK,
	bank,
	bankRow,
	bankRows,
	created,
	GOING_ON,
	KINDS,
	ON_ERROR,
	outcomes,
	posted,
	referenceOf,
	references,
	reported,
	rowsOf,
	strike,
} from './batch';

/** A payroll that a second person approves: what that person sees, and that nothing else is paid. */
const service = useService({ duplicateReferences: 'accept' });

type Summary = IDataObject & { fingerprint: string; html: string; text: string };

const summaries = ({ outputs }: RunResult): Summary[] =>
	outputs.flatMap((items) => items.map(({ json }) => json.summary as Summary));

/** Two rows in one currency and one in another: 300.75 BOB and 0.10 USD. */
const mixed = (): IDataObject[] => [
	bankRow(0, { amount: '100.50' }),
	bankRow(1, { amount: 200.25, funding_source: 'conversion', country: 'BO' }),
	bankRow(2, { amount: '0.10', currency_type: 'USD' }),
];

async function fingerprintOf(
	items: IDataObject[],
	options: IDataObject = {},
	parameters: INodeParameters = BANK,
): Promise<string> {
	const dry = await service.run(
		{ ...parameters, options: { ...options, dryRun: true } as INodeParameters },
		{ items, onError: 'continueRegularOutput' },
	);
	expect(posted(service)).toEqual([]);
	// The quotes, for a conversion.
	service.sandbox.core.traffic.forgetRequests();
	return summaries(dry)[0].fingerprint;
}

const approved = (approvalCode: unknown, more: IDataObject = {}): INodeParameters =>
	bank({ approvalCode, ...more } as IDataObject);

const saidBy = (result: RunResult): string =>
	result.error ? result.error.message : reported(result)[0].message;

test('pays again only what the approved page showed, and as often', async () => {
	const again = (list: string) => ({ ifAlreadySent: 'payAgain', referencesToPayAgain: list });
	const code = await fingerprintOf(bankRows(2));
	await service.run(approved(code), { items: bankRows(2) });
	// A reference that is entered after the approval.
	await service.run(approved(code, again(referenceOf(0))), { items: bankRows(2) });
	expect(created(service)).toEqual(references(2));
	const dry = await service.run(bank({ ...again(referenceOf(0)), dryRun: true }), {
		items: bankRows(2),
	});
	const [{ fingerprint, text, withoutRepeated }] = summaries(dry);
	expect(text).toContain('would be paid AGAIN');
	// All that is ready repeats a payment.
	expect(withoutRepeated).toBeUndefined();
	for (const list of [referenceOf(0), `${referenceOf(0)} #2`])
		await service.run(approved(fingerprint, again(list)), { items: bankRows(2) });
	expect(created(service)).toEqual([...references(2), referenceOf(0)]);
});

describe('the summary of a dry run', () => {
	test('adds a summary of the whole batch to every item', async () => {
		const dry = await service.run(bank({ dryRun: true }), { items: mixed() });
		const [summary, ...others] = summaries(dry);
		expect(summary).toEqual({
			count: 3,
			ready: 3,
			invalidRows: 0,
			unknownAmounts: 0,
			costs: [expect.objectContaining({ asset: 'USDC', amount: '28.916133' })],
			totals: [
				{ currency: 'BOB', fundingSource: 'balance', count: 1, amount: '100.5' },
				{ currency: 'BOB', fundingSource: 'conversion', count: 1, amount: '200.25' },
				{ currency: 'USD', fundingSource: 'balance', count: 1, amount: '0.1' },
			],
			environment: '',
			host: new URL(service.sandbox.baseUrl).host,
			alreadySent: 0,
			recorded: 0,
			flagged: [],
			isStoreEmpty: true,
			readyText: '3 payments, 300.75 BOB, 0.10 USD',
			fingerprint: expect.stringMatching(/^3 payments, 300\.75 BOB, 0\.10 USD, [\da-f]{64}$/),
			html: expect.any(String),
			text: expect.any(String),
		});
		expect(others).toEqual([summary, summary]);

		const folder = join(__dirname, '../../examples');
		const examples = readdirSync(folder).filter((name) => name.endsWith('.json'));
		const read = examples.flatMap((name) =>
			[...readFileSync(join(folder, name), 'utf8').matchAll(/\bsummary\??\.(\w+)/g)].map(
				([, field]) => field,
			),
		);
		// The one that only a batch with repeated payments has.
		const fields = [...Object.keys(summary), 'withoutRepeated'];
		expect(read.filter((field) => !fields.includes(field))).toEqual([]);
	});

	test('says in words what is approved, in the language of the approver', async () => {
		await service.run(bank({}), { items: [bankRow(0), bankRow(1), bankRow(2)] });
		const items = [
			bankRow(0),
			bankRow(1, { amount: '7' }),
			bankRow(3, { amount: 'all', first_name: '<script>', last_name: 'x' }),
			bankRow(4, { amount: '1234567.5', first_name: 'Ana' }),
			bankRow(5, { destination_id_number: bankRow(2).destination_id_number, amount: '8' }),
		];
		const dry = await service.run(bank({ dryRun: true, language: 'es' }), {
			items,
			onError: 'continueRegularOutput',
		});
		const [{ text, html, fingerprint, recorded }] = summaries(dry);
		expect(recorded).toBe(2);
		expect(text.split('\n')).toEqual([
			'2 pagos, 1.234.575,50 BOB',
			expect.stringMatching(/^Se paga por 127\.0\.0\.1:\d+\. La credencial no dice si es dinero/),
			'En el archivo: 4 pagos, 1.234.683,00 BOB',
			'Pagados antes, no se pagan otra vez: 1',
			'Origen de los fondos: saldo',
			'',
			'A quién se paga:',
			'- Fila 4, Ana Quispe 4, 1.234.567,50 BOB, primer pago desde aquí',
			'- Fila 5, María José Quispe 5, 8,00 BOB, la cuenta cambió, o es de otra persona',
			'',
			'2 filas no se pagan ahora:',
			'- Fila 2, María José Quispe 1, 7,00 BOB: Una ejecución anterior envió esta referencia con otro monto, beneficiario o cuenta, o estaba por enviarla. El pago anterior queda como está, y esta fila no se envió',
			'- Fila 3, <script> x: Monto ("all") debe ser un número. Quita los signos de moneda y las palabras. Usa un punto antes de los decimales, por ejemplo 1250.50.',
		]);
		expect(html).toContain('<b>Monto (&quot;all&quot;)');
		expect(html).toContain('<td>Fila 3, &lt;script&gt; x</td>');
		expect(html).not.toMatch(/<(?!\/?(div|table|thead|tbody|tr|th|td|h2|h3|p|b|br \/)>)/);
		const paid = await service.run(bank({ approvalCode: fingerprint }), {
			items,
			onError: 'continueRegularOutput',
		});
		expect(outcomes(paid)).toEqual(['alreadySent', 'conflict', 'notSent', 'created', 'created']);
	});

	test('says that nothing is left to pay, and that a node pays for the first time', async () => {
		const first = await service.run(bank({ dryRun: true }), { items: bankRows(1) });
		expect(summaries(first)[0].text).toContain('\nNobody was paid from here before');
		await service.run(bank({}), { items: bankRows(1) });
		const second = await service.run(bank({ dryRun: true }), { items: bankRows(1) });
		expect(summaries(second)[0].text).toMatch(/^All of this was paid before\n/);
	});

	test('says not to pay in another way what may have been paid', async () => {
		strike(service, referenceOf(0), { type: 'reset', when: 'before' });
		await service.run(BANK, { items: bankRows(1) });
		const dry = await service.run(bank({ dryRun: true }), {
			items: bankRows(2),
			onError: 'continueRegularOutput',
		});
		expect(outcomes(dry)).toEqual(['unknown', 'ready']);
		const [{ text, html }] = summaries(dry);
		expect(text).toMatch(/\n1 row is not paid now:\n- Row 1, .*: Do not pay these in another way/);
		expect(html).toContain('Do not pay these in another way');
	});

	test('says why a dry run is rejected as a whole, with its invalid rows, and gives nothing to approve', async () => {
		const dry = await service.run(
			bank({ dryRun: true, maximumTotals: { total: [{ currency: 'BOB', amount: '1' }] } }),
			{
				items: [...bankRows(2), bankRow(2, { amount: 'all' })],
				onError: 'continueRegularOutput',
			},
		);
		expect(outcomes(dry)).toEqual(['notSent', 'notSent', 'notSent']);
		const [{ ready, fingerprint, text, html }] = summaries(dry);
		expect([ready, fingerprint]).toEqual([0, '']);
		expect(text).toMatch(/^Maximum Totals /);
		expect(text).toContain('1 row is not paid now:\n- Row 3, María José Quispe 2: Amount ("all")');
		for (const page of [text, html]) {
			expect(page.split('Maximum Totals')).toHaveLength(2);
			expect(page).not.toContain('nothing to pay');
		}
	});
});

describe('the fingerprint', () => {
	test('makes the same fingerprint in any order of rows and columns, and any spelling of amounts', async () => {
		const rows = mixed();
		const turned: IDataObject[] = rows
			.toReversed()
			.map((row) => Object.fromEntries(Object.entries({ ...row, Note: 'x' }).reverse()));
		turned[2].amount = 100.5;
		expect(await fingerprintOf(turned)).toBe(await fingerprintOf(rows));
	});

	test('includes already sent rows in the fingerprint, so that it stays the same', async () => {
		const before = await fingerprintOf(bankRows(3));
		await service.run(BANK, { items: bankRows(2) });
		const dry = await service.run(bank({ dryRun: true }), { items: bankRows(3) });
		expect(outcomes(dry)).toEqual(['alreadySent', 'alreadySent', 'ready']);
		expect(summaries(dry)[0]).toMatchObject({
			count: 3,
			ready: 1,
			alreadySent: 2,
			isStoreEmpty: false,
			fingerprint: before,
		});
	});
});

describe('Approval Code', () => {
	test.each(KINDS)('pays what was approved: a $name', async (kind) => {
		const items = rowsOf(kind, 3, service);
		const fingerprint = await fingerprintOf(items, {}, kind.parameters);
		const result = await service.run(
			{ ...kind.parameters, options: { approvalCode: fingerprint } },
			{ items },
		);
		expect(outcomes(result)).toEqual(['created', 'created', 'created']);
		expect(posted(service)).toHaveLength(3);
	});

	test.each<[string, (rows: IDataObject[]) => IDataObject[], string]>([
		['one row more', (rows) => [...rows, bankRow(3)], '. Now: 4 payments, 401.25 BOB'],
		['one row less', (rows) => rows.slice(0, 2), '. Now: 2 payments, '],
		[
			'another amount',
			([row, ...rows]) => [{ ...row, amount: 9100.5 }, ...rows],
			'. Now: 3 payments, 9,300.75 BOB',
		],
		[
			'another currency',
			([row, ...rows]) => [{ ...row, currency_type: 'PEN', country: 'PE' }, ...rows],
			'. Now: 3 payments, 200.25 BOB, 100.50 PEN',
		],
		[
			'another account',
			([row, ...rows]) => [{ ...row, destination_account: '9999' }, ...rows],
			'If both are the same, a row or the paying account differs',
		],
		[
			'two amounts exchanged',
			([a, b, c]) => [{ ...a, amount: b.amount }, { ...b, amount: a.amount }, c],
			'If both are the same, a row or the paying account differs',
		],
	])('sends nothing with %s, and says what differs', async (_, change, difference) => {
		const fingerprint = await fingerprintOf(mixed());
		for (const onError of ON_ERROR) {
			const items = change(mixed());
			const result = await service.run(approved(fingerprint), { items, onError });
			expect(posted(service)).toEqual([]);
			expect(outcomes(result).filter((outcome) => outcome !== 'notSent')).toEqual([]);
			expect(saidBy(result)).toContain('The approved fingerprint doesn’t match these payments');
			expect(saidBy(result)).toContain(difference);
		}
	});

	test.each<[string, (text: string) => string]>([
		['figures that were changed by hand', (text) => text.replace('300.75', '300.76')],
		['a count that was changed by hand', (text) => text.replace(/^3/, '2')],
		['a total that was taken out', (text) => text.replace(', 0.10 USD', '')],
		['another last character', (text) => text.slice(0, -1) + (text.endsWith('0') ? '1' : '0')],
	])('sends nothing with %s', async (_, change) => {
		const fingerprint = change(await fingerprintOf(mixed()));
		const result = await service.run(approved(fingerprint), { items: mixed() });
		expect(posted(service)).toEqual([]);
		expect(saidBy(result)).toContain('The approved fingerprint doesn’t match these payments');
	});

	test('sends nothing if the approval differs between rows', async () => {
		const fingerprint = await fingerprintOf(bankRows(2));
		const items = bankRows(2).map((row, number) => ({
			...row,
			approval: number === 0 ? fingerprint : '',
		}));
		const result = await service.run(approved('={{ $json.approval }}'), { items });
		expect(posted(service)).toEqual([]);
		expect(saidBy(result)).toMatch(/Approval Code is .* for row 1 \(item 0\), but "" for row 2/);
	});

	test.each(GOING_ON)('pays approved rows next to invalid ones (On Error %s)', async (onError) => {
		const items = [...bankRows(2), bankRow(2, { amount: 'all' })];
		const fingerprint = await fingerprintOf(items);
		const result = await service.run(approved(fingerprint), { items, onError });
		expect(outcomes(result)).toEqual(['created', 'created', 'notSent']);
		expect(posted(service).sort()).toEqual(references(2));
	});

	test('sends nothing if an invalid row was corrected after the approval', async () => {
		const bad = [...bankRows(2), bankRow(2, { amount: 'all' })];
		const fingerprint = await fingerprintOf(bad);
		const result = await service.run(approved(fingerprint), {
			items: bankRows(3),
			onError: 'continueRegularOutput',
		});
		expect(posted(service)).toEqual([]);
		expect(saidBy(result)).toContain('Now: 3 payments');
	});
});

describe('finishing an interrupted run', () => {
	const REJECTED = { type: 'status', status: 400 } as const;

	test('finishes an interrupted run with the same approval later', async () => {
		const fingerprint = await fingerprintOf(bankRows(4));
		strike(service, referenceOf(2), REJECTED);
		const first = await service.run(approved(fingerprint, { concurrency: 1 }), {
			items: bankRows(4),
		});
		expect(outcomes(first)).toEqual(['created', 'created', 'rejected', 'notSent']);
		const second = await service.run(approved(fingerprint), { items: bankRows(4) });
		expect(outcomes(second)).toEqual(['alreadySent', 'alreadySent', 'created', 'created']);
		expect(created(service).sort()).toEqual(references(4));
	});

	test('finishes an interrupted run by “Retry execution”, but not with changed rows', async () => {
		const fingerprint = await fingerprintOf(bankRows(3));
		strike(service, referenceOf(1), REJECTED);
		const parameters = approved(fingerprint, { concurrency: 1 });
		const first = await service.run(parameters, { items: bankRows(3) });
		expect(outcomes(first)).toEqual(['created', 'rejected', 'notSent']);
		const retried = await service.run(parameters, {
			items: bankRows(3),
			resumeFrom: first.run.data,
		});
		expect(outcomes(retried)).toEqual(['created', 'created', 'created']);

		const changed = [...bankRows(3), bankRow(3)];
		const rejected = await service.run(parameters, { items: changed });
		expect(saidBy(rejected)).toContain('Now: 4 payments');
		expect(created(service).sort()).toEqual(references(3));
	});
});
