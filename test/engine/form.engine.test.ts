import { type INode, type INodeParameters, type INodeProperties, NodeHelpers } from 'n8n-workflow';

import { PartnerPayments } from '../../nodes/PartnerPayments/PartnerPayments.node';
import { allowedValues } from '../docs/service';
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
	const MONEY = ['dryRun', 'mappingMode', 'options'];

	const cases: Array<{ name: string; values: INodeParameters; fields: string[] }> = [
		{
			name: 'Payout > Fund Conversions',
			values: { resource: 'payout', operation: 'fundConversions' },
			fields: ['dryRun', 'walletId', 'options'],
		},
		{ name: 'Account > Get', values: { resource: 'account', operation: 'get' }, fields: [] },
		{
			name: 'Business Client > Create',
			values: { resource: 'businessClient', operation: 'create' },
			fields: ['name', 'email', 'type', 'country'],
		},
		{
			name: 'Business Client > Get',
			values: { resource: 'businessClient', operation: 'get' },
			fields: ['clientId', 'output'],
		},
		{
			name: 'Wallet > Get',
			values: { resource: 'wallet', operation: 'get' },
			fields: ['walletId', 'output'],
		},
		{
			name: 'Business Client > Get Many',
			values: { resource: 'businessClient', operation: 'getAll' },
			fields: ['returnAll', 'limit', 'output', 'filters'],
		},
		...['wallet', 'webhook'].map((resource) => ({
			name: `${resource} > Get Many`,
			values: { resource, operation: 'getAll' },
			fields: ['returnAll', 'limit', 'output'],
		})),
		...['wallet', 'webhook'].map((resource) => ({
			name: `${resource} > Get Many with Return All`,
			values: { resource, operation: 'getAll', returnAll: true },
			fields: ['returnAll', 'output'],
		})),
		{
			name: 'Quote > Get Many',
			values: { resource: 'quote', operation: 'getAll' },
			fields: ['returnAll', 'limit', 'output', 'filters', 'options'],
		},
		{
			name: 'Transaction > Get Many',
			values: { resource: 'transaction', operation: 'getAll' },
			fields: ['returnAll', 'limit', 'output', 'filters'],
		},
		{
			name: 'Transaction > Get Status',
			values: { resource: 'transaction', operation: 'getStatus' },
			fields: ['findBy', 'output', 'options'],
		},
		{
			name: 'Transaction > Get Status by a field',
			values: { resource: 'transaction', operation: 'getStatus', findBy: 'field' },
			fields: ['findBy', 'referenceOrId', 'output', 'options'],
		},
		{
			name: 'Transaction > Get Status by a list',
			values: { resource: 'transaction', operation: 'getStatus', findBy: 'list' },
			fields: ['findBy', 'referencesOrIds', 'output', 'options'],
		},
		{
			name: 'Webhook Log > Get Many with Return All',
			values: { resource: 'webhookLog', operation: 'getAll', returnAll: true },
			fields: ['returnAll', 'output', 'filters'],
		},
		{
			name: 'Wallet > Add Asset',
			values: { resource: 'wallet', operation: 'addAsset' },
			fields: ['walletId', 'symbol', 'blockchain'],
		},
		{
			name: 'Webhook > Create',
			values: { resource: 'webhook', operation: 'create' },
			fields: ['url', 'events', 'status', 'additionalFields'],
		},
		{
			name: 'Webhook > Get',
			values: { resource: 'webhook', operation: 'get' },
			fields: ['webhookId', 'output'],
		},
		{
			name: 'Webhook > Update',
			values: { resource: 'webhook', operation: 'update' },
			fields: ['webhookId', 'updateFields'],
		},
		{
			name: 'Payout > Get Balances',
			values: { resource: 'payout', operation: 'getBalances' },
			fields: [],
		},
		{
			name: 'Deposit > Create QR Deposit from the balance',
			values: { resource: 'deposit', operation: 'createQr', fundingSource: 'balance' },
			fields: [
				...MONEY,
				'referenceSource',
				'referenceId',
				'fiatAmount',
				'fiatCurrency',
				'country',
				'description',
				'fundingSource',
			],
		},
		{
			name: 'Deposit > Create QR Deposit with conversion',
			values: { resource: 'deposit', operation: 'createQr', fundingSource: 'conversion' },
			fields: [
				...MONEY,
				'referenceSource',
				'referenceId',
				'cryptoAmount',
				'fiatCurrency',
				'country',
				'description',
				'fundingSource',
				'asset',
				'blockchain',
				'depositAddress',
			],
		},
		{
			name: 'Payout > Create QR Payout from text and the balance',
			values: { resource: 'payout', operation: 'createQr', qrSource: 'text' },
			fields: [
				...MONEY,
				'referenceSource',
				'externalReference',
				'amount',
				'qrSource',
				'image',
				'fundingSource',
			],
		},
		{
			name: 'Payout > Create QR Payout from a file and with conversion',
			values: {
				resource: 'payout',
				operation: 'createQr',
				qrSource: 'binary',
				fundingSource: 'conversion',
			},
			fields: [
				...MONEY,
				'referenceSource',
				'externalReference',
				'amount',
				'qrSource',
				'binaryPropertyName',
				'fundingSource',
				'assetDeposit',
				'blockchain',
			],
		},
		{
			name: 'Payout > Create Crypto Payout',
			values: { resource: 'payout', operation: 'createCrypto' },
			fields: [
				...MONEY,
				'batchId',
				'amount',
				'asset',
				'blockchain',
				'destinationWallet',
				'walletId',
			],
		},
		{
			name: 'Payout > Create Bank Payout',
			values: { resource: 'payout', operation: 'createBank' },
			fields: [...MONEY, 'batchId', ...PAYOUT_BANK_FIELDS],
		},
		{
			name: 'Payout > Create Bank Payout with a given reference',
			values: {
				resource: 'payout',
				operation: 'createBank',
				options: { referenceSource: 'given' },
			},
			fields: [...MONEY, ...PAYOUT_BANK_FIELDS],
		},
		{
			name: 'Payout > Create Bank Payout from columns',
			values: { resource: 'payout', operation: 'createBank', mappingMode: 'autoMapInputData' },
			fields: [...MONEY, 'batchId'],
		},
	];

	test.each(cases)('shows exactly the fields of $name', ({ values, fields }) => {
		expect([...shown(values)].sort()).toEqual([...fields].sort());
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

describe('the service’s allowed values', () => {
	const choices = (values: INodeParameters, name: string, collection?: string): unknown[] => {
		const properties = collection
			? (form(values).find((property) => property.name === collection)
					?.options as INodeProperties[])
			: form(values);
		const property = properties.find((candidate) => candidate.name === name);
		return ((property?.options ?? []) as Array<{ value: unknown }>)
			.map(({ value }) => value)
			.filter((value) => value !== '')
			.sort();
	};
	const BANK = { resource: 'payout', operation: 'createBank' };
	const CONVERSION = { ...BANK, fundingSource: 'conversion' };
	const QR = { resource: 'payout', operation: 'createQr', fundingSource: 'conversion' };
	const DEPOSIT = { resource: 'deposit', operation: 'createQr', fundingSource: 'conversion' };
	const CRYPTO = { resource: 'payout', operation: 'createCrypto' };
	const FUNDING = ['balance', 'conversion'];
	const ASSETS = ['USDC', 'USDT'];
	const CHAINS = ['Ethereum', 'Polygon', 'TRON'];
	const EVENTS = allowedValues('POST /v2/webhooks', 'events.transaction');

	test.each<[string, INodeParameters, string, string | undefined, string[]]>([
		['bank payout', BANK, 'fundingSource', undefined, FUNDING],
		['bank payout', BANK, 'currencyType', undefined, ['BOB', 'CLP', 'COP', 'PEN', 'USD']],
		['bank payout', BANK, 'entityType', 'options', ['company', 'individual']],
		['bank payout by conversion', CONVERSION, 'assetDeposit', undefined, ASSETS],
		['bank payout by conversion', CONVERSION, 'blockchain', undefined, CHAINS],
		[
			'bank payout',
			{ ...BANK, currencyType: 'USD' },
			'country',
			undefined,
			['BO', 'BR', 'CL', 'CN', 'CO', 'CR', 'GT', 'PA', 'PE', 'PY', 'UY'],
		],
		[
			'bank payout',
			BANK,
			'documentType',
			'options',
			['foreign_id', 'national_id', 'passport', 'tax_id'],
		],
		['QR payout', QR, 'fundingSource', undefined, FUNDING],
		['QR payout', QR, 'assetDeposit', undefined, ASSETS],
		['QR payout', QR, 'blockchain', undefined, CHAINS],
		['QR deposit', DEPOSIT, 'fundingSource', undefined, FUNDING],
		['QR deposit', DEPOSIT, 'fiatCurrency', undefined, ['BOB', 'USD']],
		['QR deposit', DEPOSIT, 'country', undefined, ['BO']],
		['QR deposit', DEPOSIT, 'asset', undefined, ASSETS],
		['QR deposit', DEPOSIT, 'blockchain', undefined, CHAINS],
		['crypto payout', CRYPTO, 'asset', undefined, ASSETS],
		['crypto payout', CRYPTO, 'blockchain', undefined, CHAINS],
		[
			'business client',
			{ resource: 'businessClient', operation: 'create' },
			'type',
			undefined,
			['company', 'individual'],
		],
		['webhook', { resource: 'webhook', operation: 'create' }, 'events', undefined, EVENTS],
		['webhook', { resource: 'webhook', operation: 'update' }, 'events', 'updateFields', EVENTS],
		[
			'webhook log',
			{ resource: 'webhookLog', operation: 'getAll' },
			'status',
			'filters',
			['ERROR', 'SUCCESS'],
		],
		[
			'quote',
			{ resource: 'quote', operation: 'getAll' },
			'transactionType',
			'filters',
			['deposit_express', 'withdrawal_ach', 'withdrawal_express'],
		],
		[
			'quote',
			{ resource: 'quote', operation: 'getAll' },
			'pair',
			'filters',
			[
				'BOB/USDC',
				'BOB/USDT',
				'EURC/EUR',
				'USDC/BOB',
				'USDC/BRL',
				'USDC/CLP',
				'USDC/COP',
				'USDC/EUR',
				'USDC/PEN',
				'USDC/USD',
				'USDT/BOB',
				'USDT/BRL',
				'USDT/CLP',
				'USDT/COP',
				'USDT/EUR',
				'USDT/PEN',
				'USDT/USD',
			],
		],
	])('offers the allowed values of a %s: %3$s', (_, values, name, collection, allowed) => {
		expect(choices(values, name, collection)).toEqual(allowed);
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
