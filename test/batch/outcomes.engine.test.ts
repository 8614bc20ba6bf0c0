import { type IDataObject } from 'n8n-workflow';

import { type Fault } from '../../sandbox/faults';
import { useService } from '../engine/service';
import {
	descriptionLines,
	BANK,
	bank,
	bankRow,
	bankRows,
	created,
	GOING_ON,
	hurry,
	keptOutcomes,
	outcomes,
	posted,
	referenceOf,
	references,
	reported,
	rowName,
	strike,
	transactionIds,
} from './batch';
import { without } from '../without';

const service = useService({ duplicateReferences: 'accept' });

const IN_ORDER = { concurrency: 1 };

interface Case {
	name: string;
	fault: Fault;
	outcome: 'rejected' | 'unknown';
	/** Whether the sandbox creates the payment nevertheless. */
	commits: boolean;
	httpStatus?: number;
}

const lost = (name: string, fault: Fault, commits: boolean, httpStatus?: number): Case => ({
	name,
	fault,
	outcome: 'unknown',
	commits,
	httpStatus,
});

const rejected = (status: number): Case => ({
	name: `the status ${status}`,
	fault: { type: 'status', status },
	outcome: 'rejected',
	commits: false,
	httpStatus: status,
});

const CASES: Case[] = [
	lost('a connection that is reset before the commit', { type: 'reset', when: 'before' }, false),
	lost('a connection that is reset after the commit', { type: 'reset', when: 'after' }, true),
	lost('no answer in time, nothing created', { type: 'hang', when: 'before' }, false),
	lost('no answer in time, but created', { type: 'hang', when: 'after' }, true),
	...[500, 502, 503, 504].flatMap((status) => [
		lost(`the status ${status}, nothing created`, { type: 'status', status }, false, status),
		lost(
			`the status ${status}, but created`,
			{ type: 'status', status, when: 'after' },
			true,
			status,
		),
	]),
	lost('the status 408', { type: 'status', status: 408 }, false, 408),
	lost('a redirect', { type: 'status', status: 302, headers: { location: '/' } }, false, 302),
	lost('a page of HTML with a success status', { type: 'html', status: 200 }, true),
	lost('a page of HTML with the status 502', { type: 'html', status: 502 }, true, 502),
	lost('half of the answer', { type: 'truncate' }, true),
	lost('half of the answer and the end of the connection', { type: 'truncate', abort: true }, true),
	lost('an empty answer', { type: 'empty' }, true),
	lost('an empty answer with the status 204', { type: 'empty', status: 204 }, true),
	lost('a success without an identifier', { type: 'json', body: { success: true } }, true),
	lost('a success with an empty identifier', { type: 'json', body: { transaction_id: '' } }, true),
	lost(
		'a success with null for identifier',
		{ type: 'json', body: { transaction_id: null } },
		true,
	),
	lost('a success that is a list', { type: 'json', body: [{ transaction_id: 'x' }] }, true),
	lost('a success that is a text', { type: 'json', body: 'created' }, true),
	lost('a success that is null', { type: 'json', body: null }, true),
	// The service already has the reference: nobody knows whether for this payment.
	lost('the status 409', { type: 'status', status: 409 }, false, 409),
	...[400, 403, 404, 422].map(rejected),
];

const HINTS = {
	unknown: /may have been created/,
	rejected: /Nothing was created|If an earlier run may have sent this reference, look it up first/,
};
const BEHIND = 'Not sent: an earlier item did not succeed';

const expectedIn = ({ commits }: Case, count: number): string[] =>
	references(count).filter((reference) => commits || reference !== referenceOf(2));

describe.each(CASES)('$name', (one) => {
	beforeEach(() => {
		if (one.fault.type === 'hang') hurry(service, 250, referenceOf(2));
		strike(service, referenceOf(2), one.fault);
	});

	test(`ends the row as ${one.outcome}, stops the batch and reports every row`, async () => {
		const result = await service.run(bank(IN_ORDER), { items: bankRows(5) });

		expect(created(service)).toEqual(expectedIn(one, 3));
		expect(posted(service)).toEqual(references(3));
		const rows = reported(result);
		expect(rows.map(({ item, outcome, reference }) => [item, outcome, reference])).toEqual([
			[0, 'created', referenceOf(0)],
			[1, 'created', referenceOf(1)],
			[2, one.outcome, referenceOf(2)],
			[3, 'notSent', referenceOf(3)],
			[4, 'notSent', referenceOf(4)],
		]);
		const ids = transactionIds(service);
		expect(rows.map(({ transactionId }) => transactionId)).toEqual([
			ids.get(referenceOf(0)),
			ids.get(referenceOf(1)),
			'',
			'',
			'',
		]);

		const counts = `1 ${one.outcome}, 2 created, 2 not sent`;
		const { message, description } = result.error ?? {};
		expect(message).toBe(`${rowName(2)}, ${one.outcome}: ${rows[2].message}`);
		const [head, hint, ...lines] = descriptionLines({ description });
		expect(head).toBe(
			`5 rows: ${counts}. ${new URL(service.sandbox.baseUrl).host} (Environment not stated).`,
		);
		expect(hint).toMatch(HINTS[one.outcome]);
		const own = `${rowName(2)}, reference ${referenceOf(2)}, ${one.outcome}: ${rows[2].message}`;
		// Rows that may have been paid come before rows that do not exist, those whose outcome is unknown first.
		expect(lines).toEqual([
			...(one.outcome === 'unknown' ? [own] : []),
			`${rowName(0)}, reference ${referenceOf(0)}, created: ${ids.get(referenceOf(0))}`,
			`${rowName(1)}, reference ${referenceOf(1)}, created: ${ids.get(referenceOf(1))}`,
			...(one.outcome === 'unknown' ? [] : [own]),
			`${rowName(3)}, reference ${referenceOf(3)}, not sent: ${BEHIND}`,
			`${rowName(4)}, reference ${referenceOf(4)}, not sent: ${BEHIND}`,
		]);
		expect(rows[2].hint).toMatch(HINTS[one.outcome]);
	});

	test.each(GOING_ON)(
		`ends the row as ${one.outcome} and returns its error (On Error %s)`,
		async (onError) => {
			const result = await service.run(bank(IN_ORDER), { items: bankRows(5), onError });

			expect(result.thrown).toEqual([]);
			expect(created(service)).toEqual(expectedIn(one, 5));
			expect(outcomes(result)).toEqual(['created', 'created', one.outcome, 'created', 'created']);
			const [row] = reported(result).filter(({ item }) => item === 2);
			expect(row).toMatchObject({ reference: referenceOf(2), transactionId: '' });
			expect(row.message).not.toBe('');
			const items = result.outputs[onError === 'continueErrorOutput' ? 1 : 0];
			const item = items.find(({ pairedItem }) => (pairedItem as { item: number }).item === 2);
			expect(item?.json.error).toMatchObject({
				outcome: one.outcome,
				reference: referenceOf(2),
				transactionId: '',
				status: '',
				message: row.message,
				hint: expect.stringMatching(HINTS[one.outcome]),
				...(one.httpStatus !== undefined && { httpStatus: one.httpStatus }),
			});
			// Flat, so that a table or a message shows all of it, but for what n8n reads.
			for (const value of Object.values(without(item?.json.error as IDataObject, 'failure'))) {
				expect(['string', 'number']).toContain(typeof value);
			}
			expect(keptOutcomes(result)[referenceOf(2)]).toBe(
				one.outcome === 'unknown' ? 'unknown' : undefined,
			);
		},
	);
});

test('waits for rows in flight when the batch stops, and reports them', async () => {
	for (const number of [0, 2]) {
		strike(service, referenceOf(number), { type: 'latency', when: 'after', ms: 150 });
	}
	strike(service, referenceOf(1), { type: 'status', status: 400 });
	const result = await service.run(bank({ concurrency: 3 }), { items: bankRows(8) });

	expect(outcomes(result)).toEqual([
		'created',
		'rejected',
		'created',
		...Array.from({ length: 5 }, () => 'notSent'),
	]);
	expect(created(service).sort()).toEqual([referenceOf(0), referenceOf(2)]);
});

test.each(GOING_ON)('sends nothing to an unreachable service (On Error %s)', async (onError) => {
	service.credentials.save('credential-1', { ...service.login, baseUrl: 'http://127.0.0.1:9/api' });
	const result = await service.run(BANK, { items: bankRows(3), onError });
	expect(outcomes(result)).toEqual(['notSent', 'notSent', 'notSent']);
});

test('reports every row after a login that fails in mid-batch', async () => {
	await service.run(BANK, { items: [bankRow(9)] });
	service.sandbox.core.tokens.revoke();
	service.sandbox.core.faults.add({
		match: { path: '/v2/auth/login' },
		times: 'always',
		fault: { type: 'status', status: 503 },
	});
	const result = await service.run(BANK, { items: bankRows(3), onError: 'continueRegularOutput' });
	expect(created(service)).toEqual([referenceOf(9)]);
	expect(outcomes(result)).toEqual(['notSent', 'notSent', 'notSent']);
});
