import { type INode, type INodeParameters, type INodeProperties, NodeHelpers } from 'n8n-workflow';

import { PartnerPayments } from '../../nodes/PartnerPayments/PartnerPayments.node';
import { ACTION_FORMS, PAYOUT_BANK_FIELDS } from '../fixtures/conditions.cjs';
import { BANK_MINIMAL, QR_DEPOSIT, QR_PAYOUT, TRON_ADDRESS } from './samples';
import { useService } from './service';

const { description } = new PartnerPayments();

const NODE: INode = {
	id: 'node',
	name: 'Partner Payments',
	type: 'n8n-nodes-partner-payments.partnerPayments',
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
};

/** The form as the editor shows it for these values; all other parameters have their defaults. */
function form(values: INodeParameters): INodeProperties[] {
	const node = { ...NODE, parameters: values };
	const filled =
		NodeHelpers.getNodeParameters(description.properties, values, true, false, node, description) ??
		{};
	return description.properties.filter((property) =>
		NodeHelpers.displayParameter(filled, property, node, description),
	);
}

/** Names of the parameters that the editor shows, without the resource, the operation and notices. */
function shown(values: INodeParameters): string[] {
	return form(values)
		.filter(({ type }) => type !== 'notice')
		.map(({ name }) => name)
		.filter((name) => name !== 'resource' && name !== 'operation');
}

const notices = (values: INodeParameters): string[] =>
	form(values)
		.filter(({ type }) => type === 'notice')
		.map(({ displayName }) => displayName);

/** A parameter that the editor shows. */
function fieldOf(values: INodeParameters, wanted: string): INodeProperties {
	const found = form(values).find(({ name }) => name === wanted);
	if (!found) throw new Error(`The form has no ${wanted}`);
	return found;
}

/** Values of switches, which are names in the table of conditions. */
const SWITCHES: Record<string, boolean | undefined> = { true: true, false: false };

/** The entries of a collection. */
function entries(values: INodeParameters, collection: string): string[] {
	const found = form(values).find(({ name }) => name === collection);
	return ((found?.options ?? []) as INodeProperties[]).map(({ name }) => name);
}

describe('the form', () => {
	const MONEY = 'dryRun mappingMode options';
	const BANK = PAYOUT_BANK_FIELDS.join(' ');
	const DEPOSIT = `${MONEY} referenceSource referenceId fiatCurrency country description fundingSource`;
	const QR = `${MONEY} referenceSource externalReference amount qrSource fundingSource`;
	const CONVERSION = { fundingSource: 'conversion' };

	test.each<[string, INodeParameters, string]>([
		['account.get', {}, ''],
		['businessClient.create', {}, 'name email type country'],
		['businessClient.getAll', {}, 'returnAll limit output filters'],
		['deposit.createQr', {}, `${DEPOSIT} fiatAmount`],
		['deposit.createQr', CONVERSION, `${DEPOSIT} cryptoAmount asset blockchain depositAddress`],
		['payout.createBank', {}, `${MONEY} batchId ${BANK}`],
		['payout.createBank', { options: { referenceSource: 'given' } }, `${MONEY} ${BANK}`],
		['payout.createBank', { mappingMode: 'autoMapInputData' }, `${MONEY} batchId`],
		[
			'payout.createCrypto',
			{},
			`${MONEY} batchId amount asset blockchain destinationWallet walletId`,
		],
		['payout.createQr', {}, `${QR} image`],
		['payout.createQr', { qrSource: 'binary' }, `${QR} binaryPropertyName`],
		['payout.createQr', CONVERSION, `${QR} image assetDeposit blockchain`],
		['payout.fundConversions', {}, 'dryRun walletId options'],
		['payout.getBalances', {}, ''],
		['quote.getAll', {}, 'returnAll limit output filters options'],
		['transaction.getAll', {}, 'returnAll limit output filters'],
		['transaction.getStatus', {}, 'findBy output options'],
		['transaction.getStatus', { findBy: 'field' }, 'findBy referenceOrId output options'],
		['wallet.addAsset', {}, 'walletId symbol blockchain'],
		['wallet.getAll', {}, 'returnAll limit output'],
		['wallet.getAll', { returnAll: true }, 'returnAll output'],
		['webhook.create', {}, 'url events status additionalFields'],
		['webhook.get', {}, 'webhookId output'],
		['webhook.getAll', { returnAll: true }, 'returnAll output'],
		['webhook.update', {}, 'webhookId updateFields'],
		['webhookLog.getAll', { returnAll: true }, 'returnAll output filters'],
	])('shows exactly the fields of %s with %j', (name, values, fields) => {
		const [resource, operation] = name.split('.');
		expect(shown({ resource, operation, ...values }).sort()).toEqual(
			fields.split(' ').filter(Boolean).sort(),
		);
	});

	test.each(
		ACTION_FORMS.flatMap(({ form: { resource, operation }, conditions }) =>
			conditions.flatMap(({ parameter, shows }) =>
				Object.entries(shows).map(([value, fields]) => ({
					values: { resource, operation, [parameter]: SWITCHES[value] ?? value },
					fields,
					all: Object.values(shows).flat(),
				})),
			),
		),
	)(
		'shows of the fields that depend on one only those of its value: $values',
		({ values, fields, all }) => {
			const dependent = shown(values).filter((name) => all.includes(name));
			expect(dependent.sort()).toEqual([...fields].sort());
		},
	);

	test.each([
		['createBank', /moves real money/],
		['createCrypto', /cannot be undone/],
		['createQr', /moves real money/],
	])('warns first that %s moves money, and names Dry Run', (operation, warning) => {
		const [first] = notices({ resource: 'payout', operation });

		expect(first).toMatch(warning);
		expect(first).toContain('Dry Run');
		expect(form({ resource: 'payout', operation })[2].displayName).toBe(first);
	});

	const MOST_CONTROLS = { defineBelow: 16, autoMapInputData: 10 };

	/** The forms that move money, and the values on which their fields depend. */
	const FORMS: INodeParameters[] = [
		...['balance', 'conversion'].flatMap((fundingSource) =>
			[
				{ resource: 'deposit', operation: 'createQr' },
				{ resource: 'payout', operation: 'createBank' },
				{ resource: 'payout', operation: 'createQr' },
			].map((one) => ({ ...one, fundingSource })),
		),
		{ resource: 'payout', operation: 'createBank', currencyType: 'CLP' },
		{ resource: 'payout', operation: 'createCrypto' },
		{ resource: 'payout', operation: 'fundConversions' },
	];

	test.each(
		FORMS.flatMap((values) =>
			Object.entries(MOST_CONTROLS).map(([mappingMode, most]) => ({
				values: { ...values, mappingMode },
				most,
			})),
		),
	)('has at most $most controls and one collection: $values', ({ values, most }) => {
		const controls = form(values).filter(({ type }) => type !== 'notice');
		const isCollection = ({ type }: INodeProperties) => /collection/i.test(type);
		expect(controls.filter(isCollection).map(({ name }) => name)).toEqual(['options']);
		expect(controls.filter((control) => !isCollection(control)).length).toBeLessThanOrEqual(most);
	});

	test.each(FORMS.filter(({ operation }) => operation !== 'fundConversions'))(
		'has the amount among the first controls: %j',
		(values) => {
			const names = shown(values);
			const start = ['dryRun', 'mappingMode'];
			const batch = names.includes('batchId') ? ['batchId'] : names.slice(2, 4);
			const amount = names[start.length + batch.length];
			expect(names.slice(0, 2)).toEqual(start);
			expect(amount).toMatch(/amount$/i);
		},
	);

	test('begins the name of each option with its group', () => {
		for (const values of FORMS) {
			const { options } = fieldOf(values, 'options');
			for (const { displayName } of options as INodeProperties[]) {
				expect(displayName).toMatch(
					/^(Check|Columns|Conversion|Deposit|Duplicates|Output|Payee|Reference|Sending|Values): [^:]+$/,
				);
			}
		}
	});

	test('names the required columns', () => {
		const { options } = fieldOf({ resource: 'payout', operation: 'createBank' }, 'options');
		const mapping = (options as INodeProperties[]).find(({ name }) => name === 'columnMapping');
		expect(mapping?.description).toMatch(/Required: first_name, .*destination_account.*\.$/);
	});

	// n8n drops what it takes for hidden, and takes every option for not set (`getNodeParameters` in node-helpers.js).
	test.each<[string, INodeParameters, INodeParameters]>([
		['a Batch ID', { batchId: 'b' }, {}],
		['a given reference', { options: { referenceSource: 'given', externalReference: 'r' } }, {}],
		['Key Columns', { batchId: 'b', options: { keyColumns: 'k' } }, {}],
		['the last name of a person', { lastName: 'Q', options: { entityType: 'individual' } }, {}],
		['the last name of anybody', { lastName: 'Q' }, {}],
		['a country', { country: 'CL' }, { currencyType: 'CLP' }],
		['a country, whatever the currency', { country: 'CL' }, { currencyType: '={{ $json.c }}' }],
		['a refund address', { options: { refundAddress: 'x' } }, { fundingSource: 'conversion' }],
		[
			'Default Values',
			{ options: { defaultValues: { country: 'BO' } } },
			{ mappingMode: 'autoMapInputData' },
		],
	])('keeps %s when n8n loads the workflow', (_, kept, others) => {
		const values = { resource: 'payout', operation: 'createBank', ...others, ...kept };
		const node = { ...NODE, parameters: values };
		expect(
			NodeHelpers.getNodeParameters(description.properties, values, true, false, node, description),
		).toMatchObject(kept);
	});

	test('offers every optional field of the service', () => {
		expect(entries({ resource: 'payout', operation: 'createBank' }, 'options')).toEqual(
			expect.arrayContaining(['documentType', 'entityType', 'externalReference', 'refundAddress']),
		);
		expect(entries({ resource: 'deposit', operation: 'createQr' }, 'options')).toContain(
			'qrExpirationTime',
		);
		expect(entries({ resource: 'webhook', operation: 'create' }, 'additionalFields')).toEqual([
			'apiKey',
			'description',
		]);
		expect(entries({ resource: 'webhook', operation: 'update' }, 'updateFields')).toEqual([
			'apiKey',
			'description',
			'events',
			'status',
			'url',
		]);
		expect(entries({ resource: 'businessClient', operation: 'getAll' }, 'filters')).toEqual([
			'status',
			'type',
		]);
		expect(entries({ resource: 'quote', operation: 'getAll' }, 'filters')).toEqual([
			'pair',
			'transactionType',
		]);
		expect(entries({ resource: 'transaction', operation: 'getAll' }, 'filters')).toEqual([
			'from',
			'status',
			'to',
			'transactionType',
		]);
		expect(entries({ resource: 'webhookLog', operation: 'getAll' }, 'filters')).toEqual([
			'reference',
			'status',
			'transactionId',
			'webhookId',
		]);
	});
});

describe('hidden fields', () => {
	const service = useService();

	// n8n itself drops hidden values, unless the field that hides them is an expression.
	const cases: Array<[string, INodeParameters, string[]]> = [
		[
			'of a conversion with a deposit from the balance',
			{
				...QR_DEPOSIT,
				fundingSource: '={{ "balance" }}',
				cryptoAmount: 5,
				asset: 'USDT',
				blockchain: 'TRON',
				depositAddress: TRON_ADDRESS,
			},
			['cryptoAmount', 'asset', 'blockchain', 'depositAddress'],
		],
		[
			'of the balance with a deposit by conversion',
			{
				...QR_DEPOSIT,
				fundingSource: '={{ "conversion" }}',
				cryptoAmount: 5,
				asset: 'USDT',
				blockchain: 'TRON',
				depositAddress: TRON_ADDRESS,
				fiatAmount: 7,
			},
			['fiatAmount'],
		],
		[
			'of a conversion with a bank payout from the balance',
			{
				...BANK_MINIMAL,
				fundingSource: 'balance',
				assetDeposit: 'USDT',
				blockchain: 'TRON',
				refundAddress: 'nonsense',
			},
			['asset_deposit', 'blockchain', 'refund_address'],
		],
		[
			'of a file with a QR code from text',
			{ ...QR_PAYOUT, qrSource: '={{ "text" }}', binaryPropertyName: 'no such file' },
			['binaryPropertyName', 'qrSource'],
		],
		[
			'with an invalid value',
			{
				...QR_DEPOSIT,
				fundingSource: '={{ "balance" }}',
				cryptoAmount: 'nonsense',
				depositAddress: 'nonsense',
			},
			['cryptoAmount'],
		],
		[
			'of a batch for a single payment',
			{ ...BANK_MINIMAL, batchId: 'x', keyColumns: 'y', defaultValues: { firstName: 'Eva' } },
			['batchId', 'keyColumns', 'mappingMode', 'referenceSource'],
		],
	];

	test.each(cases)('does not send hidden fields %s', async (_, parameters, unsent) => {
		const { error } = await service.run(parameters);

		expect(error).toBeUndefined();
		const [body] = service.bodies();
		expect(Object.keys(body)).not.toEqual(expect.arrayContaining([expect.stringMatching('^$')]));
		for (const name of unsent) expect(body).not.toHaveProperty(name);
	});
});
