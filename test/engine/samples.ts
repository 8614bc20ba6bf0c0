import { randomUUID } from 'node:crypto';
import { type IDataObject, type INodeExecutionData, type INodeParameters } from 'n8n-workflow';

import {
	BANK_PAYOUT,
	CRYPTO_PAYOUT,
	QR_DEPOSIT as QR_DEPOSIT_FIELDS,
	QR_PAYOUT as QR_PAYOUT_FIELDS,
	SAMPLES as FIXTURES,
	UNKNOWN_ID,
	fillIn,
	nameOf,
} from '../fixtures/samples.cjs';
import { type TestService } from './service';

export { EVM_ADDRESS, REFERENCE, TRON_ADDRESS, UNKNOWN_ID } from '../fixtures/samples.cjs';

/** What a new node reads of its own accord is tried in `test/batch`. */
const UNREAD = { checkDeliveryLogs: 0 };

const BANK = { resource: 'payout', operation: 'createBank', ...UNREAD };

export const BANK_MINIMAL: INodeParameters = { ...BANK, ...BANK_PAYOUT };

export const CRYPTO: INodeParameters = { ...BANK, operation: 'createCrypto', ...CRYPTO_PAYOUT };

export const QR_PAYOUT: INodeParameters = { ...BANK, operation: 'createQr', ...QR_PAYOUT_FIELDS };

export const QR_DEPOSIT: INodeParameters = {
	resource: 'deposit',
	operation: 'createQr',
	...QR_DEPOSIT_FIELDS,
};

/** An operation with its form filled in, for a service that has what it names. */
export interface Sample {
	name: string;
	fillIn: (service: TestService) => Promise<FilledIn>;
}

export interface FilledIn {
	parameters: INodeParameters;
	items?: INodeExecutionData[];
	/** What the service must receive. */
	request: { method: string; path: string; query?: IDataObject; body?: IDataObject };
	/** What is read before, by its paths. */
	before: string[];
	/** Further requests, by their paths. */
	more: string[];
}

/** A webhook that exists at the service. */
export async function aWebhook(service: TestService): Promise<string> {
	const { json } = await service.run({
		resource: 'webhook',
		operation: 'create',
		url: 'http://127.0.0.1:9/callback',
		events: ['completed_transaction'],
		status: 'ACTIVE',
	});
	service.sandbox.core.traffic.forgetRequests();
	return String(json[0].id);
}

/** Puts an entry into the service's logs, made when it says (any text). `more` replaces its properties. */
export function addLog(
	service: TestService,
	payload: unknown,
	createdAt: string,
	more: { id?: string; webhookId?: string } = {},
): void {
	service.business.logs.add({
		id: randomUUID(),
		webhookId: UNKNOWN_ID,
		name: 'Test',
		webhookUrl: 'http://127.0.0.1:9/callback',
		status: 'SUCCESS',
		payload,
		statusCode: 200,
		duration: 1,
		retries: 0,
		createdAt,
		updatedAt: createdAt,
		...more,
	});
}

/** The first one that is there; one is made where there is none. */
async function anyWebhook(service: TestService): Promise<string> {
	const [first] = service.business.webhooks.keys();
	return first ?? (await aWebhook(service));
}

/** Every operation but the login, which is no request like the others. */
export const SAMPLES: Sample[] = FIXTURES.filter(({ resource }) => resource !== 'account').map(
	(sample) => ({
		name: nameOf(sample),
		fillIn: async (service) => {
			const { needsWebhook, items, before = [], more = [] } = sample;
			const { parameters, request } = fillIn(sample, {
				client: service.business.clients[0].id,
				wallet: [...service.business.wallets.keys()][0],
				webhook: needsWebhook ? await anyWebhook(service) : '',
			});
			return {
				parameters: {
					...parameters,
					...(sample.resource === 'payout' && sample.operation !== 'fundConversions' && UNREAD),
				} as INodeParameters,
				...(items && { items: items as INodeExecutionData[] }),
				request: request as FilledIn['request'],
				before,
				more,
			};
		},
	}),
);
