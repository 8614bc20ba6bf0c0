import { type IDataObject } from 'n8n-workflow';

import { PartnerPaymentsApi } from '../../credentials/PartnerPaymentsApi.credentials';
import { CREDENTIAL_ID, type RunResult } from '../engine/runNode';
import { useService } from '../engine/service';
import {
	BANK,
	bank,
	bankRow,
	bankRows,
	hints,
	KINDS,
	ON_ERROR,
	outcomes,
	referenceOf,
	reported,
	rowsOf,
	strike,
	posted,
} from './batch';

/** Reports name the environment of a payment, and the node compares it before it sends one. */
const service = useService({ duplicateReferences: 'accept' });

const PAYOUTS = KINDS.filter(({ parameters }) => parameters.resource === 'payout');

const save = (changes: IDataObject): void =>
	service.credentials.save(CREDENTIAL_ID, { ...service.login, ...changes } as never);

const host = (): string => new URL(service.sandbox.baseUrl).host;

const said = (result: RunResult): string =>
	result.error ? result.error.message : reported(result)[0].message;

interface Summary {
	environment: string;
	host: string;
	fingerprint: string;
}

async function dryRun(): Promise<Summary> {
	const dry = await service.run(bank({ dryRun: true }), { items: bankRows(2) });
	return dry.json[0].summary as unknown as Summary;
}

describe('the environment of a credential', () => {
	test('states no environment by default', () => {
		const field = new PartnerPaymentsApi().properties.find(({ name }) => name === 'environment');
		expect(field).toMatchObject({ options: [{ value: '' }, {}, {}], default: '' });
	});

	test.each([
		['sandbox', () => `Sandbox (${host()})`],
		['production', () => `Production (${host()})`],
		['live', () => `${host()} (Environment not stated)`],
	])('names the environment %j in output, hint and error', async (environment, text) => {
		save({ environment });
		const paid = await service.run(BANK, { items: bankRows(1) });
		const isStated = ['sandbox', 'production'].includes(String(environment));
		expect(paid.json[0].environment).toBe(isStated ? environment : undefined);
		expect(hints(paid)).toEqual([expect.stringContaining(`; ${text()}`)]);

		strike(service, referenceOf(1), { type: 'status', status: 400 });
		const stopped = await service.run(BANK, { items: [bankRow(1)] });
		expect(stopped.error?.description).toMatch(/^1 row: 1 rejected\. /);
		expect(stopped.error?.description).toContain(`rejected. ${text()}.\n`);
	});
});

describe('approvals', () => {
	test('names the environment in the fingerprint', async () => {
		save({ environment: 'production' });
		expect((await dryRun()).fingerprint).toMatch(
			/^2 payments, 201\.00 BOB, Production, [\da-f]{64}$/,
		);
	});

	test('pays in the approved environment', async () => {
		save({ environment: 'production' });
		const { fingerprint } = await dryRun();
		const paid = await service.run(bank({ approvalCode: fingerprint }), {
			items: bankRows(2),
		});
		expect(outcomes(paid)).toEqual(['created', 'created']);
	});

	test('sends nothing with an approval of another environment', async () => {
		save({ environment: 'sandbox' });
		const { fingerprint } = await dryRun();
		save({ environment: 'production' });
		for (const onError of ON_ERROR) {
			const result = await service.run(bank({ approvalCode: fingerprint }), {
				items: bankRows(2),
				onError,
			});
			expect(posted(service)).toEqual([]);
			expect(said(result)).toContain(
				'Approved: 2 payments, 201.00 BOB, Sandbox. Now: 2 payments, 201.00 BOB, Production',
			);
		}
	});

	test.each([
		['another user', () => ({ email: `other-${service.email}` })],
		[
			'another service',
			() => ({ baseUrl: service.sandbox.baseUrl.replace('127.0.0.1', 'localhost') }),
		],
	])('sends nothing with an approval of the account of %s', async (_, changes) => {
		save({ environment: 'production' });
		const { fingerprint } = await dryRun();
		save({ environment: 'production', ...changes() });
		const result = await service.run(bank({ approvalCode: fingerprint }), {
			items: bankRows(2),
		});
		expect(posted(service)).toEqual([]);
		expect(said(result)).toContain('a row or the paying account differs');
	});
});

describe('Required Environment', () => {
	describe.each(PAYOUTS)('for a $name', (kind) => {
		const run = async (
			requiredEnvironment: unknown,
			onError: (typeof ON_ERROR)[number] = 'stopWorkflow',
		) =>
			await service.run(
				{ ...kind.parameters, options: { requiredEnvironment: requiredEnvironment as string } },
				{ items: rowsOf(kind, 2, service), onError },
			);

		test.each(['sandbox', 'production'])('pays in the required %s', async (environment) => {
			save({ environment });
			expect(outcomes(await run(environment))).toEqual(['created', 'created']);
		});

		test.each([
			['production', 'sandbox', () => `Sandbox (${host()})`],
			['sandbox', undefined, () => `${host()} (Environment not stated)`],
		])(
			'sends nothing for %s, not even a login, with a credential for %j',
			async (requiredEnvironment, is, text) => {
				save({ environment: is });
				for (const onError of ON_ERROR) {
					const result = await run(requiredEnvironment, onError);
					expect(service.sandbox.core.traffic.requests()).toEqual([]);
					expect(outcomes(result)).toEqual(['notSent', 'notSent']);
					const wanted = requiredEnvironment === 'sandbox' ? 'Sandbox' : 'Production';
					expect(said(result)).toContain(
						`Required Environment is ${wanted}, but the credential "${CREDENTIAL_ID}" is for ${text()}`,
					);
					expect(JSON.stringify(result.error ?? reported(result))).toContain(
						`Choose a credential whose Environment is ${wanted}`,
					);
				}
			},
		);
	});
});
