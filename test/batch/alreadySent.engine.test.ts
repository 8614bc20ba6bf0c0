import { createHash } from 'node:crypto';
import { type IDataObject, type INodeParameters } from 'n8n-workflow';

import { ProcessedItems, useProcessedItems } from '../engine/processedItems';
import { useQuickSleep } from '../engine/quickSleep';
import { CREDENTIAL_ID, type RunResult } from '../engine/runNode';
import { useService } from '../engine/service';
import { MAX_ENTRIES } from '../../nodes/ledger/storedEntries';
import {
	BANK,
	bank,
	bankRow,
	bankRows,
	allHints,
	created,
	GOING_ON,
	hints,
	KINDS,
	ON_ERROR,
	outcomes,
	posted,
	referenceOf,
	references,
	reported,
	rowsOf,
	STORE_EMPTY,
	strike,
	transactionIds,
	untilSent,
} from './batch';

// The service would accept a second payment: only n8n’s store knows what an earlier execution sent.
const service = useService({ duplicateReferences: 'accept' });

const REJECTED = { type: 'status', status: 422 } as const;
/** Pays duplicates of what other accounts paid. */
const ALLOWED = { duplicatePayments: 'allow' };
const LOST = { type: 'reset', when: 'after' } as const;
const NOT_COMMITTED = { type: 'reset', when: 'before' } as const;

const run = async (
	count: number,
	options: IDataObject = {},
	more: Parameters<typeof service.run>[1] = {},
): Promise<RunResult> =>
	await service.run(bank({ concurrency: 1, ...options }), { items: bankRows(count), ...more });

const payAgain = (list: unknown): IDataObject =>
	({ ifAlreadySent: 'payAgain', referencesToPayAgain: list }) as IDataObject;

const payAllAgain = (count = 4): IDataObject => ({
	ifAlreadySent: 'payAgain',
	referencesToPayAgain: references(count).join('\n'),
});

/** Everything that n8n has recorded, in an order that can be compared. */
const remembered = (): Record<string, string[]> =>
	Object.fromEntries([...service.processed.rows].map(([key, { data }]) => [key, [...data].sort()]));

const NODE_ROW = 'workflow-1 n:node-0';
const count = (): number => remembered()[NODE_ROW]?.length ?? 0;

const times = (reference: string): number =>
	posted(service).filter((one) => one === reference).length;

describe('a second execution of the same rows', () => {
	test.each(ON_ERROR)('sends no row twice and does not fail (On Error %s)', async (onError) => {
		await run(4, {}, { onError });
		const second = await run(4, {}, { onError });

		expect(posted(service)).toEqual(references(4));
		expect(second.thrown).toEqual([]);
		expect(second.error).toBeUndefined();
		expect(second.run.status).toBe('success');
		// All rows leave by the success output, in their order, and not as failures.
		expect(second.outputs[0]).toHaveLength(4);
		expect(second.outputs.slice(1).flat()).toEqual([]);
		for (const [item, json] of second.json.entries()) {
			expect(json).toEqual({
				outcome: 'alreadySent',
				payee: `María José Quispe ${item}`,
				amount: '100.50',
				currency: 'BOB',
				code: 'alreadySent',
				reference: referenceOf(item),
				transactionId: '',
				status: '',
				paidTo: `0010 ${1000 + item}`,
				row: item + 1,
				message: `${item === 0 ? 'Nothing was paid now: all 4 payments were already sent. ' : ''}An earlier execution created this payment, so it was not sent again`,
				hint: expect.stringMatching(/^If this is another payment, /),
			});
		}
	});

	test.each(KINDS.filter(({ name }) => name !== 'QR deposit'))(
		'sends no $name a second time',
		async (kind) => {
			const items = rowsOf(kind, 3, service);
			await service.run(kind.parameters, { items });
			const second = await service.run(kind.parameters, { items });
			expect(outcomes(second)).toEqual(['alreadySent', 'alreadySent', 'alreadySent']);
			expect(posted(service)).toHaveLength(3);
		},
	);

	test('sends only rows that are new', async () => {
		await run(3);
		const second = await service.run(BANK, { items: [bankRow(7), ...bankRows(3), bankRow(8)] });
		expect(outcomes(second)).toEqual([
			'created',
			'alreadySent',
			'alreadySent',
			'alreadySent',
			'created',
		]);
		expect(created(service).sort()).toEqual([...references(3), referenceOf(7), referenceOf(8)]);
	});

	test('recognizes a reference in another letter case, and reports a conflict with other values', async () => {
		const reference = 'abcdefab-cdef-4abc-8def-abcdefabcdef';
		await service.run(BANK, { items: [bankRow(0, { external_reference: reference })] });
		const second = await service.run(BANK, {
			items: [bankRow(0, { external_reference: reference.toUpperCase(), amount: '7' })],
		});
		expect(outcomes(second)).toEqual(['conflict']);
		expect(posted(service)).toEqual([reference]);
	});

	test('does not send a row with an unknown outcome a second time', async () => {
		strike(service, referenceOf(1), LOST);
		await run(3, {}, { onError: 'continueRegularOutput' });
		expect(outcomes(await run(3))).toEqual(['alreadySent', 'unknown', 'alreadySent']);
		expect(created(service)).toEqual(references(3));
	});

	test('stops for a rejected row, not for rows that were already sent', async () => {
		await run(2);
		strike(service, referenceOf(2), REJECTED);
		const second = await run(4);
		expect(outcomes(second)).toEqual(['alreadySent', 'alreadySent', 'rejected', 'notSent']);
		expect(second.error?.description).toContain(`${referenceOf(0)}, already sent: `);
		expect(second.error?.description).toContain('1 rejected, 2 already sent, 1 not sent');
	});

	test('remembers references separately for each node and workflow', async () => {
		await run(2);
		await run(2, {}, { workflowId: 'workflow-2' });
		await run(2, {}, { node: { id: 'a-copy' } });
		expect(posted(service)).toEqual([...references(2), ...references(2), ...references(2)]);
	});

	test('pays each row once if two executions start at the same moment', async () => {
		const both = await Promise.all([run(120, { concurrency: 10 }), run(120, { concurrency: 10 })]);
		expect(created(service).sort()).toEqual(references(120));
		expect(posted(service)).toHaveLength(120);
		for (let item = 0; item < 120; item++) {
			const [other, ...created] = both.map((result) => reported(result)[item].outcome).sort();
			// One saw the other’s claim before its proof.
			expect(['alreadySent', 'created', 'unknown']).toContain(other);
			expect([other, ...created]).toContain('created');
		}
	});
});

describe('a second execution that stops early', () => {
	useQuickSleep();

	const COUNT = 100;
	/** A new row, followed by those that the first execution sent. */
	const items = (): IDataObject[] => [bankRow(999), ...bankRows(COUNT)];

	const expectAlreadySent = (result: RunResult): void => {
		const exists = new Set(created(service));
		for (const { reference, outcome } of reported(result)) {
			if (exists.has(reference)) expect(outcome).toBe('alreadySent');
		}
	};

	beforeEach(async () => {
		await service.run(bank({}), { items: bankRows(COUNT) });
	});

	test.each(ON_ERROR)('reports rows as alreadySent after a rejected row (%s)', async (onError) => {
		strike(service, referenceOf(999), REJECTED);
		expectAlreadySent(await service.run(bank({ concurrency: 1 }), { items: items(), onError }));
		expect(created(service)).toHaveLength(COUNT);
	});

	test.each(GOING_ON)('reports rows as alreadySent after repeated 429s (%s)', async (onError) => {
		const fault = { type: 'status', status: 429, retryAfter: 0 } as const;
		strike(service, referenceOf(999), fault, 'always');
		expectAlreadySent(await service.run(bank({ concurrency: 1 }), { items: items(), onError }));
	});

	test.each(GOING_ON)('reports rows as alreadySent if the count is wrong (%s)', async (onError) => {
		expectAlreadySent(
			await service.run(bank({ maximumTotals: { total: [{ currency: 'BOB', amount: '1' }] } }), {
				items: items(),
				onError,
			}),
		);
	});

	test('reports rows as alreadySent next to an invalid row', async () => {
		const bad = [bankRow(999, { amount: 'all' }), ...bankRows(COUNT)];
		const result = await service.run(bank({}), { items: bad });
		expectAlreadySent(result);
		expect(reported(result)[0].outcome).toBe('notSent');
	});
});

describe('“Retry execution” pressed twice', () => {
	const COUNT = 40;
	const failed = async (): Promise<RunResult> => {
		strike(service, referenceOf(5), LOST);
		const result = await run(COUNT, { concurrency: 3 });
		expect(result.error).toBeDefined();
		expect(outcomes(result)).toContain('notSent');
		return result;
	};
	const retry = async ({ run: { data } }: RunResult): Promise<RunResult> =>
		await run(COUNT, { concurrency: 3 }, { resumeFrom: data });

	const expectOnce = (...results: RunResult[]): void => {
		expect(posted(service)).toHaveLength(COUNT);
		expect(created(service).sort()).toEqual(references(COUNT));
		const ids = transactionIds(service);
		for (const result of results) {
			for (const { outcome, reference, transactionId } of reported(result)) {
				expect(['created', 'unknown', 'alreadySent']).toContain(outcome);
				if (outcome === 'created') expect(transactionId).toBe(ids.get(reference));
			}
		}
		for (const reference of references(COUNT)) {
			const ended = results.map(
				(result) => reported(result).find((row) => row.reference === reference)?.outcome,
			);
			if (reference !== referenceOf(5)) expect(ended).toContain('created');
		}
	};

	test('pays nothing twice in two retries of one execution', async () => {
		const original = await failed();
		const first = await retry(original);
		const second = await retry(original);
		expectOnce(first, second);
	});

	test('pays nothing twice in two simultaneous retries of one execution', async () => {
		const original = await failed();
		expectOnce(...(await Promise.all([retry(original), retry(original)])));
	});
});

describe('rows that were rejected or not sent', () => {
	test('sends rejected and unsent rows in a later execution', async () => {
		strike(service, referenceOf(1), REJECTED);
		expect(outcomes(await run(4))).toEqual(['created', 'rejected', 'notSent', 'notSent']);

		expect(outcomes(await run(4))).toEqual(['alreadySent', 'created', 'created', 'created']);
		expect(created(service)).toEqual(references(4));
	});

	test.each(GOING_ON)(
		'forgets rejected rows while others are sent (On Error %s)',
		async (onError) => {
			strike(service, referenceOf(1), REJECTED);
			const items = [...bankRows(3), bankRow(3, { amount: 'all' })];
			const first = await service.run(BANK, { items, onError });
			expect(outcomes(first)).toEqual(['created', 'rejected', 'created', 'notSent']);

			const second = await service.run(BANK, { items: bankRows(4), onError });
			expect(outcomes(second)).toEqual(['alreadySent', 'created', 'alreadySent', 'created']);
			expect(created(service).sort()).toEqual(references(4));
		},
	);

	test('forgets all rows if the login is rejected', async () => {
		const { login } = service;
		service.credentials.save(CREDENTIAL_ID, { ...login, password: 'wrong' });
		expect(outcomes(await run(3))).toEqual(['notSent', 'notSent', 'notSent']);
		service.credentials.save(CREDENTIAL_ID, login);
		expect(outcomes(await run(3))).toEqual(['created', 'created', 'created']);
	});

	test('forgets all rows if the batch is rejected', async () => {
		await run(3, { maximumTotals: { total: [{ currency: 'BOB', amount: '1' }] } });
		expect(remembered()).toEqual({});
		expect(outcomes(await run(3))).toEqual(['created', 'created', 'created']);
	});
});

describe('separate stores', () => {
	test('remembers references separately for each account', async () => {
		await run(2);
		const { processed } = service;
		service.renew();
		service.processed = useProcessedItems(processed);
		expect(outcomes(await run(2, ALLOWED))).toEqual(['created', 'created']);
	});

	test('rejects what another account of ours has just paid', async () => {
		await run(2);
		const { processed } = service;
		service.renew();
		service.processed = useProcessedItems(processed);
		const second = await run(3, {}, { onError: 'continueRegularOutput' });
		expect(outcomes(second)).toEqual(['notSent', 'notSent', 'created']);
		expect(reported(second)[0].code).toBe('duplicateOfEarlierExecution');
		expect(posted(service)).toEqual([referenceOf(2)]);
	});

	test('pays in production what was paid in the sandbox', async () => {
		const { login } = service;
		service.credentials.save(CREDENTIAL_ID, { ...login, environment: 'sandbox' });
		await run(2);
		const baseUrl = service.sandbox.baseUrl.replace('127.0.0.1', 'localhost');
		service.credentials.save(CREDENTIAL_ID, { ...login, baseUrl, environment: 'production' });
		expect(outcomes(await run(2))).toEqual(['created', 'created']);
	});

	test('remembers references separately for each base URL', async () => {
		await run(2);
		const baseUrl = service.sandbox.baseUrl.replace('127.0.0.1', 'localhost');
		expect(baseUrl).not.toBe(service.sandbox.baseUrl);
		service.credentials.save(CREDENTIAL_ID, { ...service.login, baseUrl });
		expect(outcomes(await run(2, ALLOWED))).toEqual(['created', 'created']);
		// Back at the first base URL, its references are still known.
		service.credentials.save(CREDENTIAL_ID, service.login);
		expect(outcomes(await run(2))).toEqual(['alreadySent', 'alreadySent']);
	});

	test('remembers references separately for each endpoint', async () => {
		const reference = referenceOf(0);
		await run(1);
		const [row] = rowsOf(KINDS[1], 1, service);
		const crypto = await service.run(KINDS[1].parameters, {
			items: [{ ...row, externalReference: reference }],
		});
		expect(outcomes(crypto)).toEqual(['created']);
		expect(posted(service)).toEqual([reference, reference]);
	});

	test.each<[string, (login: typeof service.login) => Partial<typeof service.login>]>([
		['a slash at the end of the base URL', ({ baseUrl }) => ({ baseUrl: `${baseUrl}/` })],
		['a base URL in upper case', ({ baseUrl }) => ({ baseUrl: baseUrl.replace('http', 'HTTP') })],
		['blanks around the email', ({ email }) => ({ email: ` ${email} ` })],
		['an email in upper case', ({ email }) => ({ email: email.toUpperCase() })],
	])('uses the same store with %s', async (_, change) => {
		await run(2);
		service.credentials.save(CREDENTIAL_ID, { ...service.login, ...change(service.login) });
		expect(outcomes(await run(2))).not.toContain('created');
		expect(created(service)).toEqual(references(2));
	});
});

test('reports invalid and already sent rows, and sends the others with On Error set to continue', async () => {
	await run(1);
	const items = [...bankRows(2), bankRow(2, { amount: 'all' })];
	const second = await run(0, { checkBalance: true }, { items, onError: GOING_ON[0] });
	expect(outcomes(second)).toEqual(['alreadySent', 'created', 'notSent']);
	expect(posted(service)).toEqual(references(2));
});

describe('If Already Sent: Pay Again', () => {
	test.each<[string, unknown]>([
		['commas', `${referenceOf(0)}, ${referenceOf(2)}`],
		['spaces', `  ${referenceOf(0)} ${referenceOf(2)} `],
		['lines', `${referenceOf(0)}\n${referenceOf(2)}\r\n`],
		['a list from an expression', `={{ ["${referenceOf(0)}", "${referenceOf(2)}"] }}`],
		['upper case', `${referenceOf(0)},${referenceOf(2)}`.toUpperCase()],
	])('pays only the named references again, separated by %s', async (_, list) => {
		await run(3);
		const second = await run(4, payAgain(list));
		expect(outcomes(second)).toEqual(['created', 'alreadySent', 'created', 'created']);
		expect(posted(service).slice(3)).toEqual([referenceOf(0), referenceOf(2), referenceOf(3)]);
	});

	test('pays a reference again only once, and a second time if #2 asks for it', async () => {
		await run(2);
		expect(outcomes(await run(2, payAgain(referenceOf(0))))).toEqual(['created', 'alreadySent']);
		const second = await run(2, payAgain(referenceOf(0)));
		expect(outcomes(second)).toEqual(['alreadySent', 'alreadySent']);
		expect(reported(second)[0].message).toContain('was already paid again');
		expect(reported(second)[0].hint).toContain(`${referenceOf(0)} #2`);
		for (let execution = 0; execution < 2; execution++)
			await run(2, payAgain(`${referenceOf(0)} #2`));
		expect(times(referenceOf(0))).toBe(3);
	});

	test('pays a reference again once if two executions do it at the same moment', async () => {
		await run(3);
		const both = await Promise.all([run(3, payAllAgain(3)), run(3, payAllAgain(3))]);
		expect(posted(service).sort()).toEqual([...references(3), ...references(3)].sort());
		for (const { outcome } of both.flatMap(reported)) {
			expect(['created', 'alreadySent', 'unknown', 'notSent']).toContain(outcome);
		}
	});

	test('compares a row that was paid again with the values of the last time', async () => {
		const changed = (amount: string) => [bankRow(0, { amount })];
		await run(1);
		await run(0, payAgain(referenceOf(0)), { items: changed('7') });
		const outcomeOf = async (amount: string) =>
			outcomes(await run(0, {}, { items: changed(amount), onError: 'continueRegularOutput' }));
		expect(await outcomeOf('7')).toEqual(['alreadySent']);
		expect(await outcomeOf('100.50')).toEqual(['conflict']);
	});

	test('compares a row that was rejected again with the values of the first time', async () => {
		await run(1);
		strike(service, referenceOf(0), REJECTED);
		const items = [bankRow(0, { amount: '7' })];
		const again = await run(0, payAgain(referenceOf(0)), { items });
		expect(outcomes(again)).toEqual(['unknown']);
		expect(outcomes(await run(0, {}, { items }))).toEqual(['conflict']);
		expect(outcomes(await run(1))).toEqual(['alreadySent']);
	});

	test('sends nothing without a reference to pay again', async () => {
		const result = await run(2, payAgain(' , '));
		expect(posted(service)).toEqual([]);
		expect(result.error?.message).toMatch(
			/^Nothing was sent\. Duplicates: References to Pay Again is/,
		);
	});

	test('warns that Pay Again is still set, and keeps the references', async () => {
		await run(2);
		const second = await run(2, payAgain(referenceOf(0)));
		expect(hints(second)).toContainEqual(
			expect.stringContaining('Set If Already Sent back to Skip'),
		);
		expect(hints(await run(2))).toEqual([expect.stringContaining('2 items: 2 already sent')]);
		expect(times(referenceOf(0))).toBe(2);
	});

	test.each(ON_ERROR)(
		'pays again once in spite of Retry On Fail (On Error %s)',
		async (onError) => {
			strike(service, referenceOf(0), NOT_COMMITTED, 'always');
			await run(2, {}, { onError: 'continueRegularOutput' });
			const second = await run(2, payAllAgain(2), { onError, retryOnFail: true });
			expect(outcomes(second)[0]).toBe('unknown');
			// Once in each execution: nobody has checked the outcome in between.
			expect(times(referenceOf(0))).toBe(2);
			expect(times(referenceOf(1))).toBe(2);
		},
	);

	test('keeps a payment unknown if the service rejects it when it is paid again', async () => {
		strike(service, referenceOf(0), LOST);
		await run(1);
		await service.sandbox.admin.change({ duplicateReferences: 'badRequest' });
		const second = await run(1, payAllAgain(1), { onError: 'continueRegularOutput' });
		expect(outcomes(second)).toEqual(['unknown']);
		// It stays recorded, so that a later execution does not take it for a new payment.
		await service.sandbox.admin.change({ duplicateReferences: 'accept' });
		expect(outcomes(await run(1))).toEqual(['unknown']);
		expect(created(service)).toEqual(references(1));
	});
});

describe('Remember Sent References', () => {
	test('neither looks up nor records references if the option is off', async () => {
		await run(2, { rememberSent: false });
		expect(service.processed.calls).toEqual([]);
		await run(2);
		await run(2, { rememberSent: false });
		expect(posted(service)).toEqual([...references(2), ...references(2), ...references(2)]);
	});

	test('records no deposits by default, because a customer may need another QR code', async () => {
		const kind = KINDS[3];
		const items = rowsOf(kind, 2, service);
		for (let execution = 0; execution < 2; execution++) {
			const result = await service.run(kind.parameters, { items });
			expect(outcomes(result)).toEqual(['created', 'created']);
		}
		expect(service.processed.calls).toEqual([]);
	});

	test('records deposits if the option is on', async () => {
		const kind = KINDS[3];
		const items = rowsOf(kind, 2, service);
		const parameters: INodeParameters = { ...kind.parameters, options: { rememberSent: true } };
		await service.run(parameters, { items });
		const second = await service.run(parameters, { items });
		expect(outcomes(second)).toEqual(['alreadySent', 'alreadySent']);
		expect(posted(service)).toHaveLength(2);
	});
});

describe('an unavailable store', () => {
	useQuickSleep();

	/** A store whose database the test can break. */
	function breakable(): { isBroken: boolean } {
		const database = { isBroken: false };
		service.processed = useProcessedItems(
			new ProcessedItems(async () => {
				if (database.isBroken) throw new Error('database is locked');
			}),
		);
		return database;
	}

	test.each(ON_ERROR)('sends nothing if it cannot record (On Error %s)', async (onError) => {
		breakable().isBroken = true;
		const result = await run(3, {}, { onError });
		expect(posted(service)).toEqual([]);
		expect(outcomes(result)).toEqual(['notSent', 'notSent', 'notSent']);
		const said = onError === 'stopWorkflow' ? result.error?.message : reported(result)[0].message;
		expect(said).toContain('n8n could not record which references are sent (database is locked)');
	});

	test.each(ON_ERROR)(
		'stops sending once references cannot be recorded (On Error %s)',
		async (onError) => {
			const database = breakable();
			const running = run(300, { concurrency: 2 }, { onError });
			await untilSent(service, 20);
			database.isBroken = true;
			const result = await running;
			database.isBroken = false;

			const ended = outcomes(result);
			expect(created(service).length).toBeGreaterThanOrEqual(20);
			expect(created(service).length).toBeLessThanOrEqual(100);
			expect(ended.filter((outcome) => outcome === 'created')).toHaveLength(
				created(service).length,
			);
			const rest = reported(result).filter(({ outcome }) => outcome !== 'created');
			for (const { outcome, message } of rest) {
				expect(outcome).toBe('notSent');
				expect(message).toContain('n8n could not record which references are sent');
			}
			// A later execution sends what was not sent, and nothing else.
			const second = await run(300, { concurrency: 10 });
			const ways = outcomes(second);
			expect(new Set(posted(service)).size).toBe(posted(service).length);
			expect(ways.filter((way) => way === 'alreadySent').length).toBeLessThanOrEqual(
				ended.filter((outcome) => outcome === 'created').length + 100,
			);
		},
		60_000,
	);

	test('says of a rejected row that it counts as sent if that cannot be taken back', async () => {
		const database = breakable();
		strike(service, referenceOf(0), REJECTED);
		const running = run(1, {}, { onError: 'continueRegularOutput' });
		await untilSent(service, 1);
		database.isBroken = true;
		const [row] = reported(await running);
		database.isBroken = false;

		expect(row.message).toMatch(
			/^The service rejected .*\. It counts as sent, because n8n could not/,
		);
		expect(outcomes(await run(1))).toEqual(['unknown']);
	});

	test('says that a node which has sent nothing begins empty', async () => {
		expect(allHints(await run(1))).toContainEqual(expect.stringMatching(STORE_EMPTY));
		expect(allHints(await run(2))).not.toContainEqual(expect.stringMatching(STORE_EMPTY));
	});

	/** A ledger with so many entries. */
	const fill = (size: number): void => {
		const first = createHash('md5').update('partnerPayments:ledger 1').digest('base64');
		const data = [first, ...Array.from({ length: size - 1 }, (_, number) => `entry ${number}`)];
		service.processed.rows.set(NODE_ROW, { mode: 'entries', data });
	};

	test('warns that a full ledger forgets the oldest entries', async () => {
		fill(MAX_ENTRIES);
		const result = await run(3);
		expect(outcomes(result)).toEqual(['created', 'created', 'created']);
		expect(count()).toBe(MAX_ENTRIES + 1);
		expect(hints(result)).toContainEqual(
			expect.stringMatching(/keeps the last 120000 entries.*would be sent again/),
		);
		// The new references are kept.
		expect(outcomes(await run(3))).toEqual(['alreadySent', 'alreadySent', 'alreadySent']);
	});

	test('does not warn about a store that still has room', async () => {
		fill(MAX_ENTRIES - 100);
		expect(hints(await run(3))).toEqual([expect.stringContaining('3 items: 3 created')]);
	});
});
