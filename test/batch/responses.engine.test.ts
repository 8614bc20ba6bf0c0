import { type IDataObject } from 'n8n-workflow';

import type { Fault } from '../../sandbox/faults';
import { CREDENTIAL_ID } from '../engine/runNode';
import { useService } from '../engine/service';
import {
	BANK,
	bank,
	bankRow,
	bankRows,
	created,
	GOING_ON,
	listen,
	ON_ERROR,
	outcomes,
	posted,
	referenceOf,
	references,
	reported,
	strike,
	transactionIds,
} from './batch';

/** Success responses that belong to another payment, or that contradict their status. */
const service = useService({ duplicateReferences: 'accept' });

const IN_ORDER = { concurrency: 1 };
const ANOTHER = '11111111-1111-4111-8111-111111111111';
const ID = '22222222-2222-4222-8222-222222222222';

const answer = (body: IDataObject): Fault => ({ type: 'json', status: 201, body });

/** The service’s response to a bank payout. */
const ok = (
	{ status = 'pending_transaction', message = 'Accepted', ...more }: IDataObject = {},
	id = ID,
): IDataObject => ({
	transaction_id: id,
	transactions: [{ transaction_id: id, status, message }],
	...more,
});

interface Case {
	name: string;
	body: IDataObject;
	said: RegExp;
	transactionId?: string;
	status?: string;
}

const CASES: Case[] = [
	{
		name: 'for another reference',
		body: ok({ external_reference: ANOTHER }),
		said: /answered for another reference, "11111111-1111-4111-8111-111111111111"/,
	},
	{
		name: 'with a failed status at once',
		body: ok({ status: 'failed_transaction', message: 'Account is closed' }),
		said: /failed_transaction.*Account is closed/,
		transactionId: ID,
		status: 'failed_transaction',
	},
	{
		name: 'that says that it did not succeed',
		body: { ...ok({ success: false }), message: 'Limit of the day is reached' },
		said: /did not succeed.*Limit of the day is reached/,
	},
];

describe.each(CASES)('a response $name', ({ body, said, transactionId = '', status = '' }) => {
	test.each(ON_ERROR)(
		'ends the row as unknown, and quotes the service’s words (%s)',
		async (onError) => {
			strike(service, referenceOf(1), answer(body));
			const result = await service.run(bank(IN_ORDER), { items: bankRows(3), onError });

			const last = onError === 'stopWorkflow' ? 'notSent' : 'created';
			expect(outcomes(result)).toEqual(['created', 'unknown', last]);
			const row = reported(result)[1];
			expect(row).toMatchObject({ reference: referenceOf(1), transactionId, status });
			expect(row.message).toMatch(said);
			expect(row.hint).toMatch(/may have been created/);
			if (onError === 'stopWorkflow') expect(result.error?.description).toMatch(said);
		},
	);

	test('sends a row with a contradictory response only once', async () => {
		strike(service, referenceOf(1), answer(body));
		const options = { items: bankRows(3), retryOnFail: true };
		expect(outcomes(await service.run(bank(IN_ORDER), options))[1]).toBe('unknown');
		expect(outcomes(await service.run(bank(IN_ORDER), options))[1]).toBe('unknown');
		expect(posted(service)).toEqual(references(3));
	});
});

describe('repeated transaction IDs', () => {
	test.each(GOING_ON)('accepts an ID for the first row only (On Error %s)', async (onError) => {
		for (const number of [0, 1, 2, 3]) strike(service, referenceOf(number), answer(ok()));
		const result = await service.run(bank(IN_ORDER), { items: bankRows(5), onError });
		expect(outcomes(result)).toEqual(['created', 'unknown', 'unknown', 'unknown', 'created']);
		const [first, second] = reported(result);
		expect(first.transactionId).toBe(ID);
		expect(second.message).toContain(`answered for another reference, "${referenceOf(0)}"`);
		expect(second.transactionId).toBe('');
	});

	test('finds a repeated transaction ID among requests in flight', async () => {
		for (const reference of references(10)) strike(service, reference, answer(ok()));
		const result = await service.run(bank({ concurrency: 10 }), {
			items: bankRows(10),
			onError: 'continueRegularOutput',
		});
		expect(outcomes(result).sort()).toEqual(['created', ...references(9).map(() => 'unknown')]);
	});

	test('finds a repeated transaction ID in a later run of a loop', async () => {
		for (const number of [0, 1]) strike(service, referenceOf(number), answer(ok()));
		const result = await service.run(BANK, {
			items: [bankRow(0)],
			furtherRuns: [[bankRow(1)]],
			onError: 'continueRegularOutput',
		});
		expect(outcomes(result)).toEqual(['unknown']);
	});
});

describe('responses that repeat the token', () => {
	/** The token of the stored credential. */
	const token = (): string => String(service.credentials.stored(CREDENTIAL_ID).sessionToken);

	test.each<[string, (secret: string) => Fault]>([
		[
			'in an error response',
			(secret) => ({
				type: 'status',
				status: 400,
				body: { message: `Bad header Authorization: Bearer ${secret}` },
			}),
		],
		[
			'in a list of messages',
			(secret) => ({ type: 'status', status: 422, body: { message: ['no', `Bearer ${secret}`] } }),
		],
		[
			'in a server error',
			(secret) => ({ type: 'status', status: 500, body: { error: `token ${secret} failed` } }),
		],
		['in a success', (secret) => answer(ok({ request: `Authorization: Bearer ${secret}` }))],
		[
			'in a contradictory success',
			(secret) => answer({ ...ok({ success: false }), message: `Bearer ${secret}` }),
		],
	])('reveals no token %s', async (_, fault) => {
		await service.run(BANK, { items: [bankRow(99)] });
		const secret = token();
		expect(secret.length).toBeGreaterThan(10);
		for (const onError of ON_ERROR) {
			const said = listen();
			const number = ON_ERROR.indexOf(onError);
			strike(service, referenceOf(number), fault(secret));
			const result = await service.run(BANK, { items: [bankRow(number)], onError });
			expect(JSON.stringify(result.run)).not.toContain(secret);
			expect(JSON.stringify(result.error?.message ?? '')).not.toContain(secret);
			expect(said().join('\n')).not.toContain(secret);
			expect(outcomes(result)).not.toEqual(['notSent']);
		}
		expect(created(service)).toContain(referenceOf(99));
		expect(transactionIds(service).size).toBeGreaterThan(0);
	});
});
