import type { INodeParameters } from 'n8n-workflow';

import { MAX_EXAMINED } from '../../nodes/service/outsideText';
import { BANK, bankRow, KINDS, PATH, reported, type Reported } from '../batch/batch';
import { examined, type Examined, type Pattern } from '../patterns';
import { eventPayload, onlyWebhook, TestTrigger } from '../trigger/trigger';
import { status } from './faultCases';
import { useService } from './service';

const service = useService();

const MEGABYTE = 1_000_000;

/** Several times longer than what patterns may see. */
const LENGTH = 5_000;

/** Texts that are slow to search: one token after another, endings that are none, a mail address that is none. */
const WORST = ['eyJ-', 'Bearer ', '/', '.', ' ', '0', '{{', 'a@a.', '1,'];

/** A text of a part over and over, with an ending that no pattern accepts. */
const long = (part: string, length = LENGTH): string =>
	`${part.repeat(Math.ceil(length / part.length)).slice(0, length)}\u0001`;

/**
 * Expressions are code of the person who builds the workflow, which n8n runs. They are not cut: what is volatile at
 * their end must be found, too.
 */
const isOfExpressions = ({ file, source }: Pattern): boolean =>
	['nodes/fields/parameters.ts', 'nodes/reference/volatileExpressions.ts'].includes(file) ||
	source.includes('\\$json');

const watch = async (work: () => Promise<unknown>): Promise<Examined> =>
	await examined(work, isOfExpressions);

const onError = 'continueRegularOutput' as const;

describe('error responses', () => {
	test.each([
		['a text', (text: string) => text],
		['a list', (text: string) => Array<string>(10).fill(text.slice(0, text.length / 10))],
	])('cuts %s of 5 MB before any pattern sees it', async (_, said) => {
		const message = said(long('eyJ-', 4.9 * MEGABYTE));
		await service.sandbox.admin.addFault({
			match: { path: PATH.bank },
			fault: status(422, { statusCode: 422, message }),
		});

		let row: Reported | undefined;
		const seen = await watch(async () => {
			row = reported(await service.run(BANK, { items: [bankRow(1)], onError }))[0];
		});

		expect(row).toMatchObject({ outcome: 'rejected', httpStatus: 422 });
		expect(String(row?.message).length).toBeLessThan(MAX_EXAMINED);
		expect(seen.longest).toBeLessThanOrEqual(MAX_EXAMINED);
		// The fields, headers and words of a row, and all header aliases, too: less than a tenth of the text.
		expect(seen.total).toBeLessThan(500 * MAX_EXAMINED);
	});
});

describe('successful responses', () => {
	test('cuts statuses, messages and echoes', async () => {
		const seen = await watch(async () => {
			for (const part of WORST) {
				const text = long(part);
				await service.sandbox.admin.addFault({
					match: { path: PATH.bank },
					fault: status(201, {
						transaction_id: text,
						external_reference: text,
						status: text,
						message: text,
						transactions: [{ transaction_id: text, status: text, message: text }],
					}),
				});
				const result = await service.run(BANK, { items: [bankRow(1)], onError });
				expect(reported(result)).toMatchObject([{ outcome: 'unknown' }]);
				service.renew();
			}
		});

		expect(seen.longest).toBeLessThanOrEqual(MAX_EXAMINED);
	});

	test('cuts the answer to a login', async () => {
		const seen = await watch(async () => {
			for (const [code, accessToken] of [
				[401, ''],
				[400, ''],
				[201, long('a')],
				[201, 'a'.repeat(8_000)],
			] as const) {
				const body = { success: code === 201, message: long('eyJ-'), accessToken };
				await service.sandbox.admin.addFault({
					match: { path: '/v2/auth/login' },
					fault: status(code, body),
				});
				await service.run(BANK, { items: [bankRow(1)], onError });
			}
		});

		expect(seen.longest).toBeLessThanOrEqual(MAX_EXAMINED);
	});

	test('cuts events of deliveries and logs', async () => {
		const trigger = new TestTrigger(service);
		await trigger.register();
		const query = Object.fromEntries(new URL(onlyWebhook(service).url).searchParams);

		const seen = await watch(async () => {
			for (const part of WORST) {
				const text = long(part);
				const payload = eventPayload(text, { status: text, transactionType: text });
				payload.details = { transactionId: text, message: text };
				const { items } = await trigger.deliver({ query, body: JSON.stringify(payload) });
				await trigger.execute(items ?? []);
			}
			await trigger.deliver({ query: { secret: long('a') }, body: '{}' });
		});

		expect(seen.longest).toBeLessThanOrEqual(MAX_EXAMINED);
	});
});

describe('input', () => {
	test.each(KINDS)('cuts the cells and headers of a $name', async (kind) => {
		const row = kind.row(1, service);
		const items = Object.keys(row).flatMap((column) =>
			WORST.map((part) => ({ ...row, [column]: long(part) })),
		);
		const parameters = {
			...kind.parameters,
			options: { duplicatePayments: 'allow' },
		} as INodeParameters;

		const seen = await watch(async () => {
			await service.run(parameters, { items, onError });
			await service.run(parameters, { items: [{ ...row, [long('.')]: 'x', [long('a ')]: 'y' }] });
			await service.run(parameters, { items: [{ [long('a;')]: 'x' }] });
			const keyed = { referenceSource: 'generated', batchId: long('0'), keyColumns: 'Key' };
			await service.run({ ...parameters, ...keyed }, { items: [{ ...row, Key: long(' ') }] });
		});

		expect(seen.longest).toBeLessThanOrEqual(MAX_EXAMINED);
	});

	test.each(['approvalCode', 'referencesToPayAgain', 'maximumAmount'])(
		'cuts the option %s',
		async (option) => {
			const again = option === 'referencesToPayAgain' && { ifAlreadySent: 'payAgain' };
			const seen = await watch(async () => {
				for (const part of [...WORST, '1 payment, ', 'r-1\n', `${bankRow(1).external_reference}, `])
					await service.run(
						{ ...BANK, options: { ...again, [option]: long(part) } },
						{ items: [bankRow(1)], onError },
					);
			});

			expect(seen.longest).toBeLessThanOrEqual(MAX_EXAMINED);
		},
	);

	test.each<[string, INodeParameters]>([
		[
			'an email address',
			{
				resource: 'businessClient',
				operation: 'create',
				name: 'A',
				type: 'company',
				country: 'BO',
				email: long('a@a.'),
			},
		],
		[
			'a list of transactions',
			{
				resource: 'webhookLog',
				operation: 'replay',
				replayBy: 'transactions',
				transactions: long('a, '),
			},
		],
	])('cuts %s', async (_, parameters) => {
		const seen = await watch(async () => await service.run(parameters, { onError }));

		expect(seen.longest).toBeLessThanOrEqual(MAX_EXAMINED);
	});
});
