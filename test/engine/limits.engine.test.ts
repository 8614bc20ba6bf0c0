import { type IDataObject, type INodeParameters } from 'n8n-workflow';

import {
	BANK_MINIMAL,
	CRYPTO,
	EVM_ADDRESS,
	QR_DEPOSIT,
	QR_PAYOUT,
	TRON_ADDRESS,
	UNKNOWN_ID,
} from './samples';
import { mostCharacters } from '../docs/service';
import { descriptionLines } from '../batch/batch';
import { useService } from './service';

// Rendering takes most of the time and is not tested here.
jest.mock('qrcode', () => ({ toDataURL: async () => 'data:image/png;base64,iVBORw0KGgo=' }));

const service = useService();

/** A value for one parameter, and what the service must receive or which rule the value breaks. */
type Row = { is: string; set: IDataObject } & (
	{ sent: unknown; broken?: undefined } | { broken: RegExp; sent?: undefined }
);

/** The test rows of one field of one operation. */
interface FieldLimits {
	operation: string;
	base: INodeParameters | (() => INodeParameters);
	/** The parameter under test, and its collection if it has one. */
	field: string;
	collection?: string;
	/** Label in the form. */
	label: string;
	/** The path in the request. */
	path: string;
	reference?: { parameter: string; path: string; make: (index: number) => string };
	rows: Row[];
}

const sends = (value: unknown, sent: unknown = value, others: IDataObject = {}): Row => ({
	is: `sends ${describeValue(value)}`,
	set: { value, ...others } as IDataObject,
	sent,
});
/** A value that leaves the field out of the request. */
const omits = (value: unknown, others: IDataObject = {}): Row => ({
	is: `omits ${describeValue(value)}`,
	set: { value, ...others } as IDataObject,
	sent: undefined,
});
const rejects = (value: unknown, broken: RegExp, others: IDataObject = {}): Row => ({
	is: `rejects ${describeValue(value)}`,
	set: { value, ...others } as IDataObject,
	broken,
});

function describeValue(value: unknown): string {
	const text = JSON.stringify(value) ?? String(value);
	return text.length > 40 ? `${text.slice(0, 20)}… (${text.length - 2} characters)` : text;
}

const uuid = (index: number): string =>
	`00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
const BANK_REFERENCE = {
	parameter: 'externalReference',
	path: 'external_reference',
	make: uuid,
};
const QR_REFERENCE = {
	parameter: 'externalReference',
	path: 'external_reference',
	make: (index: number) => `qr-${index}`,
};
const CRYPTO_REFERENCE = { ...QR_REFERENCE, path: 'externalReference' };
const DEPOSIT_REFERENCE = { ...QR_REFERENCE, parameter: 'referenceId', path: 'referenceId' };

/** n8n itself does not start while a required field that it shows is blank. */
const NOTHING = '={{ "" }}';

const REQUIRED = /is required/;
const UUID = /must be a UUID/;
const INVISIBLE = /has an invisible character \(U\+200B\) at position 3\./;
const NOT_AN_IDENTIFIER: Row[] = [
	rejects(1234567890123456, /is a number with more than 15 digits/),
	rejects(12345.5, /must not be negative or have decimals/),
	rejects(-12345, /must not be negative or have decimals/),
	rejects('-12345', /must not be negative or have decimals/),
	rejects('1234.5', /must not be negative or have decimals/),
	rejects('12E5', /scientific notation/),
	rejects('12\u200b345', INVISIBLE),
];
const MISSING: Row[] = [rejects('', REQUIRED), rejects('   ', REQUIRED), rejects(null, REQUIRED)];

/** Rows for the longest text of a field, as its endpoint’s table defines it, counted as JavaScript does. */
const atMost = (request: string, name: string): Row[] => {
	const most = mostCharacters(request, name);
	const tooLong = (length: number) =>
		new RegExp(`has ${length} characters, but may have at most ${most}\\.`);
	return [
		sends('x'.repeat(most)),
		sends('é'.repeat(most)),
		sends('🧾'.repeat(most / 2)),
		rejects('x'.repeat(most + 1), tooLong(most + 1)),
		rejects('🧾'.repeat(most), tooLong(2 * most)),
	];
};

const FIAT: Row[] = [
	sends('0.01', 0.01),
	sends(0.1 + 0.2, 0.3),
	sends('1,250.00', 1250),
	sends('0010.50', 10.5),
	sends(' 12 ', 12),
	sends('9999999999999.99', 9999999999999.99),
	sends(1100.1 * 3, 3300.3),
	rejects(0, /must be more than 0/),
	rejects('0', /must be more than 0/),
	rejects('0.00', /must be more than 0/),
	rejects(-0.01, /must be more than 0/),
	rejects('-1', /must be more than 0/),
	rejects(1234567890123.456, /more digits than a number can hold exactly/),
	rejects(Number('9007199254740.993'), /more digits than a number can hold exactly/),
	rejects('1,234', /more than one amount/),
	rejects('1,250', /more than one amount/),
	rejects('1e5', /scientific notation/),
	rejects('USD 5', /must be a number/),
	rejects('99999999999999.99', /more digits than can be sent exactly/),
	rejects(true, /must be a number/),
	rejects({ amount: 5 }, /must be a number/),
	rejects([5], /must be a number/),
];

const conversion = {
	...QR_DEPOSIT,
	fundingSource: 'conversion',
	cryptoAmount: 25,
	asset: 'USDC',
	blockchain: 'Polygon',
	depositAddress: EVM_ADDRESS,
};

const QR_CONVERSION = { ...QR_PAYOUT, fundingSource: 'conversion', amount: '20' };

const withWallet = (): INodeParameters => ({
	...CRYPTO,
	walletId: [...service.business.wallets.keys()][0],
});

const choice = (values: string[], wrong: string): Row[] => [
	...values.map((value) => sends(value)),
	sends(values[0].toLowerCase(), values[0]),
	rejects(wrong, /must be one of/),
	rejects(5, /must be one of/),
	rejects({}, /must be one of/),
];

const bank = (
	field: string,
	label: string,
	path: string,
	rows: Row[],
	more: Partial<FieldLimits> = {},
): FieldLimits => ({
	operation: 'bank payout',
	base: BANK_MINIMAL,
	field,
	label,
	path,
	rows,
	reference: BANK_REFERENCE,
	...more,
});
const bankOption = (field: string, label: string, path: string, rows: Row[]): FieldLimits =>
	bank(field, label, path, rows, { collection: 'additionalFields' });
const bankConversion = (field: string, label: string, path: string, rows: Row[]): FieldLimits =>
	bank(field, label, path, rows, { base: { ...BANK_MINIMAL, fundingSource: 'conversion' } });
const deposit = (
	field: string,
	label: string,
	rows: Row[],
	more: Partial<FieldLimits> = {},
): FieldLimits => ({
	operation: 'QR deposit',
	base: QR_DEPOSIT,
	field,
	label,
	path: field,
	rows,
	reference: DEPOSIT_REFERENCE,
	...more,
});
const qrPayout = (
	field: string,
	label: string,
	path: string,
	rows: Row[],
	more: Partial<FieldLimits> = {},
): FieldLimits => ({
	operation: 'QR payout',
	base: QR_PAYOUT,
	field,
	label,
	path,
	rows,
	reference: QR_REFERENCE,
	...more,
});
const crypto = (
	field: string,
	label: string,
	rows: Row[],
	more: Partial<FieldLimits> = {},
): FieldLimits => ({
	operation: 'crypto payout',
	base: withWallet,
	field,
	label,
	path: field,
	rows,
	reference: CRYPTO_REFERENCE,
	...more,
});

const LIMITS: FieldLimits[] = [
	bank('amount', 'Amount', 'transaction.amount', [
		...FIAT,
		...MISSING,
		sends('10.10', 10.1),
		sends(10.005 - 0.005, 10),
		rejects('0.001', /must have at most 2 decimals/),
		rejects(10.005, /must have at most 2 decimals/),
		rejects('1234567890123.456', /must have at most 2 decimals/),
	]),
	bank('description', 'Description', 'transaction.description', [
		sends('x'),
		...atMost('POST /v3/transactions/payouts/bank', 'transaction.description'),
		rejects({ text: 'x' }, /must be text/),
		...MISSING,
	]),
	bank('destinationIdNumber', 'Destination ID Number', 'transaction.destination_id_number', [
		sends('01234'),
		sends(12345, '12345'),
		sends('12345678901234567890'),
		rejects('1234', /has 4 digits, but must have 5 to 20/),
		rejects('123456789012345678901', /has 21 digits, but must have 5 to 20/),
		rejects('12345a', /must have digits only/),
		rejects('12 345', /must have digits only/),
		rejects('１２３４５', /has digits of another script/),
		sends('\u200b12345\u2060', '12345'),
		rejects('1.23457E+11', /scientific notation/),
		...NOT_AN_IDENTIFIER,
		...MISSING,
	]),
	bank('destinationAccount', 'Destination Account', 'transaction.destination_account', [
		sends('0012345678'),
		sends(4000123, '4000123'),
		sends('12345678901234567890'),
		sends('1234567.0', '1234567'),
		rejects('4,00E+15', /scientific notation/),
		...NOT_AN_IDENTIFIER,
		...MISSING,
	]),
	bank('bankCode', 'Bank Code', 'transaction.bank_code', [
		sends('0010'),
		sends(1001, '1001'),
		...NOT_AN_IDENTIFIER,
		...MISSING,
	]),
	bank('firstName', 'First Name', 'transaction.first_name', [
		sends(' María ', 'María'),
		rejects(true, /must be text/),
		...MISSING,
	]),
	bank(
		'lastName',
		'Last Name',
		'transaction.last_name',
		[
			sends('Quispe', 'Quispe', { entity: 'individual' }),
			sends('Quispe', 'Quispe', { entity: 'company' }),
			omits('', { entity: 'company' }),
			omits('', { entity: '' }),
			rejects('', /is required when Entity Type is individual/, { entity: 'individual' }),
			rejects('  ', /is required when Entity Type is individual/, { entity: 'individual' }),
		],
		{ base: { ...BANK_MINIMAL, entityType: '={{ $json.entity ?? "" }}' } },
	),
	bank(
		'entityType',
		'Entity Type',
		'transaction.entity_type',
		[...choice(['company'], 'person'), omits('')],
		{ base: { ...BANK_MINIMAL, lastName: NOTHING } },
	),
	bank('currencyType', 'Currency', 'transaction.currency_type', [
		...choice(['BOB', 'USD'], 'EUR'),
		...MISSING,
	]),
	bank(
		'currencyType',
		'Currency',
		'transaction.currency_type',
		['CLP', 'PEN', 'COP'].map((value) => sends(value)),
		{ base: { ...BANK_MINIMAL, additionalFields: { country: 'PE' } } },
	),
	bank('fundingSource', 'Funding Source', 'funding_source', [
		...choice(['balance', 'conversion'], 'card'),
		...MISSING,
	]),
	bank(
		'externalReference',
		'External Reference',
		'external_reference',
		[
			sends(uuid(901)),
			sends('ABCDEF00-0000-4000-8000-0000000000AB'),
			rejects('order-1', UUID),
			rejects(uuid(1).slice(1), UUID),
			rejects(`${uuid(1)}0`, UUID),
			rejects(`{${uuid(1)}}`, UUID),
			...MISSING,
		],
		{ reference: undefined },
	),
	bankConversion('assetDeposit', 'Asset', 'asset_deposit', [
		...choice(['USDC', 'USDT'], 'BTC'),
		omits(''),
	]),
	bankConversion('blockchain', 'Blockchain', 'blockchain', [
		...choice(['Polygon', 'Ethereum', 'TRON'], 'Solana'),
		sends('tron', 'TRON'),
		omits(''),
	]),
	bankOption('country', 'Country', 'transaction.country', [
		...choice(['BO', 'BR', 'CO', 'CL', 'PE', 'CN', 'CR', 'PY', 'UY', 'PA', 'GT'], 'AR'),
		omits(''),
	]),
	bankOption('documentType', 'Document Type', 'transaction.document_type', [
		...choice(['national_id', 'tax_id', 'passport', 'foreign_id'], 'visa'),
		omits(''),
	]),
	bankConversion('refundAddress', 'Refund Address', 'refund_address', [
		sends(EVM_ADDRESS),
		rejects(EVM_ADDRESS.slice(0, -1), /must be an? .*address/),
		rejects('nowhere', /must be an? .*address/),
		omits(''),
	]),

	deposit('fiatAmount', 'Fiat Amount', [...FIAT, sends('0.001', 0.001), ...MISSING]),
	deposit('cryptoAmount', 'Crypto Amount', [...FIAT, sends('0.000001', 0.000001), ...MISSING], {
		base: conversion,
	}),
	deposit('asset', 'Asset', choice(['USDC', 'USDT'], 'BTC'), { base: conversion }),
	deposit('blockchain', 'Blockchain', [sends('Ethereum'), rejects('Solana', /must be one of/)], {
		base: conversion,
	}),
	deposit(
		'depositAddress',
		'Deposit Address',
		[
			sends(EVM_ADDRESS),
			rejects(TRON_ADDRESS, /must be a Polygon address/),
			sends(TRON_ADDRESS, TRON_ADDRESS, { chain: 'TRON' }),
			rejects(EVM_ADDRESS, /must be a TRON address/, { chain: 'TRON' }),
			rejects(TRON_ADDRESS.replace('8', '9'), /must be a TRON address/, { chain: 'TRON' }),
			...MISSING,
		],
		{ base: { ...conversion, blockchain: '={{ $json.chain ?? "Polygon" }}' } },
	),
	deposit('fiatCurrency', 'Fiat Currency', [...choice(['BOB', 'USD'], 'PEN'), ...MISSING]),
	deposit('country', 'Country', [...choice(['BO'], 'PE'), ...MISSING]),
	deposit(
		'fundingSource',
		'Funding Source',
		[sends('balance'), rejects('card', /must be one of balance, conversion/), ...MISSING],
		{ base: { ...QR_DEPOSIT, cryptoAmount: NOTHING, depositAddress: NOTHING } },
	),
	deposit(
		'referenceId',
		'External Reference',
		[
			sends('r'),
			...atMost('POST /v2/transactions/deposit/qr', 'referenceId'),
			sends(42, '42'),
			rejects('or\u200bder', INVISIBLE),
			...MISSING,
		],
		{ reference: undefined },
	),
	deposit(
		'description',
		'Description',
		[...atMost('POST /v2/transactions/deposit/qr', 'description'), omits('')],
		{ collection: 'additionalFields' },
	),
	deposit(
		'qrExpirationTime',
		'QR Expiration Time',
		[
			sends('00:00:00'),
			sends('23:59:59'),
			omits(''),
			...[
				'24:00:00',
				'23:60:00',
				'23:59:60',
				'1:00:00',
				'01:00',
				'01-00-00',
				'010000',
				'-1:00:00',
			].map((value) => rejects(value, /must be a time HH:MM:SS/)),
		],
		{ collection: 'additionalFields' },
	),

	qrPayout('amount', 'Amount', 'amount', [...FIAT, sends('0.001', 0.001), ...MISSING], {
		base: QR_CONVERSION,
	}),
	qrPayout('image', 'QR Content', 'image', [sends('content'), ...MISSING]),
	qrPayout(
		'externalReference',
		'External Reference',
		'external_reference',
		[
			...atMost('POST /v2/transactions/payouts/qr', 'external_reference'),
			rejects(uuid(1), /has 36 characters, but may have at most \d+/),
			rejects('qr\u200b-1', INVISIBLE),
			...MISSING,
		],
		{ reference: undefined },
	),
	...[
		{ base: QR_PAYOUT, ifMissing: [omits('')] },
		{ base: QR_CONVERSION, ifMissing: MISSING },
	].flatMap(({ base, ifMissing }) => [
		qrPayout(
			'assetDeposit',
			'Asset',
			'asset_deposit',
			[...choice(['USDC', 'USDT'], 'BTC'), ...ifMissing],
			{ base },
		),
		qrPayout(
			'blockchain',
			'Blockchain',
			'blockchain',
			[...choice(['Polygon', 'Ethereum', 'TRON'], 'Solana'), ...ifMissing],
			{ base },
		),
	]),
	qrPayout('amount', 'Amount', 'amount', [sends('20', 20), omits('')]),
	qrPayout(
		'fundingSource',
		'Funding Source',
		'funding_source',
		[sends('balance'), rejects('card', /must be one of balance, conversion/), ...MISSING],
		{ base: { ...QR_PAYOUT, amount: NOTHING } },
	),

	crypto('amount', 'Amount', [
		sends('1', '1'),
		sends('0.00000001', '0.00000001'),
		sends(1e-7, '0.0000001'),
		sends('100.12345678'),
		sends('123456789012345678.12345678'),
		sends('1.500000000000', '1.5'),
		sends('007.50', '7.5'),
		sends(0.1 + 0.2, '0.3'),
		rejects('0', /must be more than 0/),
		rejects('0.000000000', /must be more than 0/),
		rejects('-1', /must be more than 0/),
		sends('12345678.12345678'),
		rejects(12345678.12345678, /more digits than a number .* Format the cell as text/),
		rejects(12345678.00000001, /more digits than a number .* Format the cell as text/),
		rejects('0.000000001', /must have at most 8 decimals/),
		rejects('12345678.123456789', /must have at most 8 decimals/),
		rejects(0.123456789, /must have at most 8 decimals/),
		rejects(1234567.123456789, /more digits than a number/),
		rejects('1e-7', /scientific notation/),
		rejects('1,500', /more than one amount/),
		...MISSING,
	]),
	crypto('asset', 'Asset', [...choice(['USDC', 'USDT'], 'BTC'), ...MISSING]),
	crypto('walletId', 'Wallet', [rejects('my wallet', UUID), ...MISSING]),
	crypto('blockchain', 'Blockchain', [
		sends('TRON'),
		sends('tron', 'TRON'),
		rejects('Solana', /must be one of/),
		...MISSING,
	]),
	crypto(
		'destinationWallet',
		'Destination Address',
		[
			sends(TRON_ADDRESS),
			rejects(`${TRON_ADDRESS.slice(0, -1)}u`, /must be a TRON address/),
			rejects(EVM_ADDRESS, /must be a TRON address/),
			sends(EVM_ADDRESS, EVM_ADDRESS, { chain: 'Ethereum' }),
			rejects(TRON_ADDRESS, /must be a Ethereum address|must be an Ethereum address/, {
				chain: 'Ethereum',
			}),
			...MISSING,
		],
		{ base: () => ({ ...withWallet(), blockchain: '={{ $json.chain ?? "TRON" }}' }) },
	),
	crypto(
		'externalReference',
		'External Reference',
		[sends('supplier 1'), sends(42, '42'), rejects('su\u200bpplier', INVISIBLE), ...MISSING],
		{ reference: undefined },
	),

	...(
		[
			['name', 'Name', [sends('Ana'), ...MISSING]],
			[
				'email',
				'Email',
				[
					sends('ana@example.com'),
					rejects('ana', /must be an email address/),
					rejects('ana@example', /must be an email address/),
					rejects('a na@example.com', /must be an email address/),
					...MISSING,
				],
			],
			['type', 'Type', [...choice(['individual', 'company'], 'state'), ...MISSING]],
			[
				'country',
				'Country',
				[
					sends('BO'),
					sends('BOLI'),
					rejects('B', /must have 2 to 4 characters/),
					rejects('BOLIV', /has 5 characters, but may have at most 4/),
					...MISSING,
				],
			],
		] as Array<[string, string, Row[]]>
	).map(([field, label, rows]): FieldLimits => ({
		operation: 'business client',
		base: {
			resource: 'businessClient',
			operation: 'create',
			name: 'Ana',
			email: 'ana@example.com',
			type: 'individual',
			country: 'BO',
		},
		field,
		label,
		path: field,
		rows,
	})),

	...(
		[
			[
				'url',
				'URL',
				[
					sends('http://127.0.0.1:9/c'),
					sends('https://example.com/c'),
					rejects('example.com/c', /must be a web address/),
					rejects('ftp://example.com', /must be a web address/),
					rejects('javascript:alert(1)', /must be a web address/),
					...MISSING,
				],
			],
			[
				'events',
				'Events',
				[
					sends(['completed_transaction'], { transaction: ['completed_transaction'] }),
					sends('failed_transaction, expired_transaction', {
						transaction: ['failed_transaction', 'expired_transaction'],
					}),
					sends(['failed_transaction', 'failed_transaction'], {
						transaction: ['failed_transaction'],
					}),
					rejects([], REQUIRED),
					rejects(['paid'], /must be one of/),
					rejects(['completed_transaction', 5], /must be one of/),
					rejects('', REQUIRED),
				],
			],
			['status', 'Status', [sends('ACTIVE'), ...MISSING]],
		] as Array<[string, string, Row[]]>
	).map(([field, label, rows]): FieldLimits => ({
		operation: 'webhook',
		base: {
			resource: 'webhook',
			operation: 'create',
			url: 'http://127.0.0.1:9/c',
			events: ['completed_transaction'],
			status: 'ACTIVE',
		},
		field,
		label,
		path: field,
		rows,
	})),

	...['symbol', 'blockchain'].map((field): FieldLimits => ({
		operation: 'wallet asset',
		base: () => ({
			resource: 'wallet',
			operation: 'addAsset',
			walletId: [...service.business.wallets.keys()][0],
			symbol: 'USDC',
			blockchain: 'Polygon',
		}),
		field,
		label: field === 'symbol' ? 'Symbol' : 'Blockchain',
		path: field,
		rows: [sends(field === 'symbol' ? 'USDT' : 'TRON'), ...MISSING],
	})),
];

const at = (body: unknown, path: string): unknown =>
	path.split('.').reduce<unknown>((value, key) => (value as IDataObject | undefined)?.[key], body);

/** The parameters of a field under test: its value comes from the item, as in a batch. */
function parametersFor({ base, field, collection, reference }: FieldLimits): INodeParameters {
	const given = typeof base === 'function' ? base() : base;
	const value = '={{ $json.value }}';
	return {
		...given,
		...(reference && { [reference.parameter]: '={{ $json.reference }}' }),
		...(collection
			? { [collection]: { ...(given[collection] as INodeParameters), [field]: value } }
			: { [field]: value }),
	};
}

describe.each(LIMITS)('$operation: $label', (limits) => {
	const { rows, label, operation, path, reference } = limits;
	const isMoney = /payout|deposit/.test(operation);

	test.each(rows)(`$is as ${label}`, async ({ set, sent, broken }) => {
		const items = [{ ...set, ...(reference && { reference: reference.make(1) }) }];

		const { error } = await service.run(parametersFor(limits), { items });

		if (broken) {
			expect(error?.message).toMatch(isMoney ? /^Row 1(?: \(item 0\)|, [^:]+): / : /^\[Item 0\] /);
			expect(error?.message).toContain(label);
			expect(error?.message).toMatch(broken);
			expect(service.sent()).toEqual([]);
			return;
		}
		// The sandbox validates too: its 404 or 400 is an error here.
		const bodies = service.bodies();
		expect(bodies).toHaveLength(1);
		expect(at(bodies[0], path)).toEqual(sent);
		if (sent === undefined) expect(JSON.stringify(bodies[0])).not.toContain(`"${path}"`);
		expect(error).toBeUndefined();
	});
});

describe('a batch with invalid rows', () => {
	const parameters: INodeParameters = {
		...BANK_MINIMAL,
		amount: '={{ $json.amount }}',
		destinationIdNumber: '={{ $json.document }}',
		externalReference: '={{ $json.reference }}',
	};
	const items = [
		{ amount: 1, document: '12345', reference: uuid(1) },
		{ amount: -1, document: '12', reference: uuid(2) },
		{ amount: 2, document: '12345', reference: 'none' },
		{ amount: 3, document: '12345', reference: uuid(1).toUpperCase() },
	];

	test('sends nothing, and lists every invalid row, field and rule', async () => {
		const { error } = await service.run(parameters, { items });

		expect(service.sent()).toEqual([]);
		expect(service.sandbox.core.traffic.counters().requests).toBe(0);
		expect(error?.message).toBe('Nothing was sent: 3 of 4 items are invalid');
		const lines = descriptionLines(error);
		expect(lines[0]).toMatch(/^4 rows: 4 not sent\. /);
		expect(lines[1]).toMatch(/^Row 2, María José: Destination ID Number \("12"\)/);
		expect(lines[2]).toMatch(/^Row 2, María José: Amount \("-1"\)/);
		expect(lines[3]).toMatch(
			/^Row 3, María José, 2\.00 BOB: External Reference \("none"\) must be a UUID/,
		);
		expect(lines[4]).toMatch(
			/^Row 4, María José, 3\.00 BOB: External Reference .* is the same as in row 1, María José, 1\.00 BOB\. /,
		);
	});

	test('does not repeat an invalid secret', async () => {
		const { error } = await service.run(
			{
				resource: 'webhook',
				operation: 'create',
				url: 'http://127.0.0.1:9/c',
				events: ['completed_transaction'],
				status: 'ACTIVE',
				additionalFields: { apiKey: '={{ { key: "key-of-the-webhook" } }}' },
			},
			{},
		);

		expect(error?.message).toMatch(/^\[Item 0\] API Key must be text/);
		expect(service.sent()).toEqual([]);
	});
});

describe('identifiers in a path', () => {
	const BAD = [
		'..',
		'../..',
		'%2e%2e',
		'%2e%2e%2f',
		'a/b',
		`${UNKNOWN_ID}/assets`,
		`${UNKNOWN_ID}/../../v2/webhooks`,
		`${UNKNOWN_ID}?x=1`,
		`${UNKNOWN_ID}#`,
		`${UNKNOWN_ID}%00`,
		`${UNKNOWN_ID}\n/x`,
		'logs',
		'',
		'{}',
		'http://127.0.0.1:9/x',
	];
	const cases: Array<[string, INodeParameters, string]> = [
		['webhook get', { resource: 'webhook', operation: 'get' }, 'webhookId'],
		[
			'webhook update',
			{ resource: 'webhook', operation: 'update', updateFields: { description: 'x' } },
			'webhookId',
		],
		[
			'wallet add asset',
			{ resource: 'wallet', operation: 'addAsset', symbol: 'USDC', blockchain: 'TRON' },
			'walletId',
		],
	];

	describe.each(cases)('%s', (_, parameters, field) => {
		test.each(BAD)('rejects an identifier that leads to another path: %j', async (id) => {
			const { error } = await service.run(
				{ ...parameters, [field]: `={{ $json.id }}` },
				{
					items: [{ id }],
				},
			);

			expect(error?.message).toMatch(/^\[Item 0\] (Webhook|Wallet) must be a UUID/);
			expect(service.sent()).toEqual([]);
		});

		test('accepts an identifier with spaces around it', async () => {
			await service.run({ ...parameters, [field]: ` ${UNKNOWN_ID} ` });

			expect(service.sent()).toMatchObject([
				{ path: expect.stringMatching(new RegExp(`/${UNKNOWN_ID}(/assets)?$`)) },
			]);
		});
	});

	test.each(BAD.filter((id) => id !== ''))(
		'rejects a log filter Webhook that is no UUID: %j',
		async (webhookId) => {
			const { error } = await service.run(
				{
					resource: 'webhookLog',
					operation: 'getAll',
					filters: { webhookId: '={{ $json.id }}' },
				},
				{ items: [{ id: webhookId }] },
			);

			expect(error?.message).toMatch(/^\[Item 0\] Webhook must be a UUID/);
			expect(service.sent()).toEqual([]);
		},
	);
});
