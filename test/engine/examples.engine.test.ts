import type { INodeParameters, INodeProperties } from 'n8n-workflow';

import { PartnerPayments } from '../../nodes/PartnerPayments/PartnerPayments.node';
import { BANK_MINIMAL, CRYPTO, QR_DEPOSIT, QR_PAYOUT } from './samples';
import { useService } from './service';

const service = useService();

const CLIENT = {
	resource: 'businessClient',
	operation: 'create',
	name: 'Acme',
	email: 'ana@acme.test',
	type: 'company',
	country: 'BO',
};
const WEBHOOK = {
	resource: 'webhook',
	operation: 'create',
	url: 'https://acme.test/callback',
	events: ['completed_transaction'],
};
const GIVEN = { referenceSource: 'given' };
const CONVERSION = { fundingSource: 'conversion', blockchain: 'Polygon', assetDeposit: 'USDC' };

const { properties } = new PartnerPayments().description;

/** The example of a field of an operation, as its form shows it. */
function exampleOf(name: string, { resource, operation }: INodeParameters): string {
	const options = properties.flatMap(({ name: collection, options: list, displayOptions }) =>
		collection === 'options'
			? ((list ?? []) as INodeProperties[]).map((one) => ({ ...one, displayOptions }))
			: [],
	);
	const [{ placeholder = '' } = {} as INodeProperties] = [...properties, ...options].filter(
		(property) =>
			property.name === name &&
			[resource, operation].every((value) =>
				Object.values(property.displayOptions?.show ?? {}).some((values) =>
					values?.some((one) => one === value),
				),
			),
	);
	expect(placeholder).toMatch(/^e\.g\. ./);
	return placeholder.replace('e.g. ', '');
}

test.each<[string, string, INodeParameters]>([
	['Destination ID Number', 'destinationIdNumber', BANK_MINIMAL],
	['Destination Account', 'destinationAccount', BANK_MINIMAL],
	['External Reference', 'externalReference', { ...BANK_MINIMAL, ...GIVEN }],
	['Refund Address', 'refundAddress', { ...BANK_MINIMAL, ...CONVERSION }],
	['Destination Wallet', 'destinationWallet', CRYPTO],
	['External Reference', 'externalReference', { ...CRYPTO, ...GIVEN }],
	['QR Code Text', 'image', QR_PAYOUT],
	['External Reference', 'externalReference', QR_PAYOUT],
	['Reference', 'referenceId', QR_DEPOSIT],
	[
		'Deposit Address',
		'depositAddress',
		{ ...QR_DEPOSIT, ...CONVERSION, cryptoAmount: '5', asset: 'USDC' },
	],
	['Email', 'email', CLIENT],
	['URL', 'url', WEBHOOK],
])('rejects the example that %s (%s) shows', async (_, name, parameters) => {
	const wallet = [...service.business.wallets.keys()][0];
	const { error } = await service.run({
		...parameters,
		walletId: wallet,
		[name]: ` ${exampleOf(name, parameters)} `,
	});
	const text = `${error?.message} ${error?.description}`;
	expect(text).toContain('is a placeholder or an example');
	expect(text).toContain('Enter the real value.');
	expect(service.sent()).toEqual([]);
});

test('accepts examples that may be real', async () => {
	const names = ['firstName', 'lastName', 'bankCode', 'description'];
	const examples = names.map((name) => [name, exampleOf(name, BANK_MINIMAL)]);
	const { json } = await service.run({
		...BANK_MINIMAL,
		...(Object.fromEntries(examples) as INodeParameters),
	});
	expect(json[0].outcome).toBe('created');
});

test('shows no example that could be sent as an identifier', () => {
	const UUID = /[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/i;
	expect(JSON.stringify(properties)).not.toMatch(UUID);
});
