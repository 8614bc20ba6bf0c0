import type { RunResult } from '../engine/runNode';
import { useService } from '../engine/service';
import {
	untilSent,
	bank,
	bankRow,
	bankRows,
	created,
	descriptionLines,
	keptOutcomes,
	listen,
	outcomes,
	referenceOf,
	reported,
	rowName,
	strike,
	transactionIds,
} from './batch';

/** Reports name every row that may have been paid, however long the batch is. */
const service = useService({ duplicateReferences: 'accept' });

const LOST = { type: 'reset', when: 'after' } as const;

const CANCELLED = /^warn Partner Payments: (the execution was cancelled|row )/;

describe('a stopped batch of 400 rows', () => {
	test('reports every row that may have been paid, the unknown one first', async () => {
		const bad = 380;
		strike(service, referenceOf(bad), LOST);
		const result = await service.run(bank({ concurrency: 20 }), { items: bankRows(400) });

		const lines = descriptionLines(result.error);
		const ids = transactionIds(service);
		expect(ids.size).toBeGreaterThan(350);
		for (const [reference, id] of ids) {
			if (reference === referenceOf(bad)) continue;
			expect(lines.filter((line) => line.includes(reference))).toEqual([
				expect.stringMatching(
					new RegExp(
						`^Row \\d+, María José Quispe \\d+, 100\\.50 BOB, reference ${reference}, created: ${id}$`,
					),
				),
			]);
		}
		expect(result.error?.message).toMatch(`${rowName(bad)}, unknown: The connection`);
		expect(lines.slice(1, 3)).toEqual([
			expect.stringContaining('before you pay it under another reference'),
			expect.stringContaining(`${rowName(bad)}, reference ${referenceOf(bad)}, unknown: `),
		]);
		expect(reported(result)).toHaveLength(400);
	}, 60_000);

	test('reports all already sent rows, however many', async () => {
		await service.run(bank({ concurrency: 20 }), { items: bankRows(300) });
		strike(service, referenceOf(300), LOST);
		const result = await service.run(bank({ concurrency: 1 }), { items: bankRows(303) });
		const description = String(result.error?.description);
		for (const reference of created(service).slice(0, 300)) {
			expect(description).toContain(`reference ${reference}, already sent: `);
		}
		expect(descriptionLines(result.error)[2]).toContain(`reference ${referenceOf(300)}, unknown: `);
	}, 60_000);
});

describe('a cancelled batch of 1,200 rows', () => {
	async function cancelled(): Promise<[RunResult, string[]]> {
		const said = listen();
		let cancel = (): void => {};
		const running = service.run(bank({ concurrency: 20 }), {
			items: bankRows(1_200),
			onError: 'continueRegularOutput',
			onStart: (execution) => {
				cancel = () => execution.cancel();
			},
		});
		await untilSent(service, 900);
		cancel();
		const result = await running;
		// The messages themselves must say it: n8n’s usual log shows nothing else.
		const messages = said()
			.filter((text) => CANCELLED.test(text))
			.map((text) => text.slice(0, text.lastIndexOf(' {')));
		return [result, messages];
	}

	test('logs every created and unknown reference, the unknown first', async () => {
		const lost = Array.from({ length: 10 }, (_, number) => 100 + number * 80);
		for (const number of lost) strike(service, referenceOf(number), LOST);
		const [result, messages] = await cancelled();

		const lines = messages.slice(1);
		const kept = keptOutcomes(result);
		const sent = Object.entries(kept);
		expect(sent.length).toBeGreaterThan(800);
		const logged = new Map(
			lines.map((line) => {
				const [, reference, outcome] = /: row \d+ \(item \d+\) (\S+) (\w+): /.exec(line) ?? [];
				return [reference, outcome];
			}),
		);
		expect(logged.size).toBe(lines.length);
		for (const [reference, outcome] of sent) expect(logged.get(reference)).toBe(outcome);
		for (const number of lost) expect(logged.get(referenceOf(number))).toBe('unknown');

		const order = [...logged.values()];
		expect(order.lastIndexOf('unknown')).toBeLessThan(order.indexOf('created'));
		const ids = transactionIds(service);
		for (const line of lines) {
			const [, reference] = /: row \d+ \(item \d+\) (\S+) created: /.exec(line) ?? [];
			if (reference) expect(line.endsWith(String(ids.get(reference)))).toBe(true);
		}
		expect(messages.join('\n')).not.toMatch(/Quispe|100\.50|\b0?81\d{4}\b/);
	}, 60_000);
});

test('logs already sent rows of a cancelled batch', async () => {
	await service.run(bank({}), { items: bankRows(3) });
	strike(service, referenceOf(3), { type: 'hang', when: 'after' });
	const said = listen();
	let cancel = (): void => {};
	const running = service.run(bank({ concurrency: 1 }), {
		items: bankRows(5),
		onStart: (execution) => {
			cancel = () => execution.cancel();
		},
	});
	await untilSent(service, 1);
	cancel();
	await running;
	const [head, ...lines] = said().filter((text) => CANCELLED.test(text));
	expect(head).toContain('5 rows: 1 unknown, 3 already sent, 1 not sent.');
	expect(lines).toEqual([3, 0, 1, 2].map((number) => expect.stringContaining(referenceOf(number))));
});

describe('errors of rows', () => {
	test('returns `error` and `message` with the input columns on the error output', async () => {
		strike(service, referenceOf(0), { type: 'status', status: 400 });
		const items = bankRows(1);
		const result = await service.run(bank({}), { items, onError: 'continueErrorOutput' });
		const [{ json }] = result.outputs[1];
		expect(Object.keys(json).sort()).toEqual([...Object.keys(items[0]), 'error', 'message'].sort());
		expect(json.error).toEqual({
			outcome: 'rejected',
			payee: 'María José Quispe 0',
			amount: '100.50',
			currency: 'BOB',
			code: 'requestRejected',
			reference: referenceOf(0),
			transactionId: '',
			status: '',
			paidTo: '0010 1000',
			row: 1,
			message: json.message,
			hint: expect.stringContaining('Correct the value that the service names'),
			httpStatus: 400,
		});
	});

	test('returns one flat error object after the outcome fields on the regular output', async () => {
		const result = await service.run(bank({}), {
			items: [bankRow(0, { amount: 'all', bank_code: '' })],
			onError: 'continueRegularOutput',
		});
		const [json] = result.json;
		expect(Object.keys(json)).toEqual([
			'outcome',
			'payee',
			'amount',
			'currency',
			'message',
			'code',
			'reference',
			'transactionId',
			'status',
			'paidTo',
			'row',
			'error',
		]);
		expect(json.error).toEqual({
			outcome: 'notSent',
			payee: 'María José Quispe 0',
			amount: '',
			currency: '',
			// The first of several errors.
			code: 'required',
			reference: referenceOf(0),
			transactionId: '',
			status: '',
			paidTo: '1000',
			row: 1,
			message: json.message,
			hint: 'Nothing was sent for this item. Correct it and run it again.',
		});
	});
});

test('succeeds when a payroll runs a second time, and reports no row as unpaid', async () => {
	const items = bankRows(200).map((row, number) => ({ Employee: `E-${number}`, ...row }));
	await service.run(bank({}), { items });
	const second = await service.run(bank({ includeInput: true }), { items });
	expect(second.run.status).toBe('success');
	expect(outcomes(second)).toEqual(items.map(() => 'alreadySent'));
	for (const [item, json] of second.json.entries()) {
		expect(json).toMatchObject({ ...items[item], outcome: 'alreadySent' });
		expect(json).not.toHaveProperty('error');
	}
});
