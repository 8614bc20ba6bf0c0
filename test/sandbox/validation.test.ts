import {
	balanceDeposit,
	bankPayout,
	conversionDeposit,
	cryptoPayout,
	evm,
	paths,
	qrPayout,
	Service,
	tron,
} from './service';

type Case = [title: string, path: string, body: unknown, message?: string];

/** A title that is a whole sentence. A case with a message is rejected with it. */
const title = (what: string, message?: string) =>
	`${message === undefined ? 'accepts' : 'rejects'} ${what}`;

const bank = (description: string, body: unknown, message?: string): Case => [
	title(`a bank payout: ${description}`, message),
	paths.bank,
	body,
	message,
];
const deposit = (description: string, body: unknown, message?: string): Case => [
	title(`a QR deposit: ${description}`, message),
	paths.deposit,
	body,
	message,
];
const qr = (description: string, body: unknown, message?: string): Case => [
	title(`a QR payout: ${description}`, message),
	paths.qrPayout,
	body,
	message,
];

const oneOf = (field: string, ...values: string[]) =>
	`${field} must be one of the following values: ${values.join(', ')}`;
const required = (field: string) => `${field} is required`;
const unknown = (field: string) => `property ${field} should not exist`;
const unneeded = (field: string) => `property ${field} should not exist for this funding source`;
const long = (field: string, limit: number) =>
	`${field} must be shorter than or equal to ${limit} characters`;

const conversion = { funding_source: 'conversion' };

type Row = [description: string, fields: Record<string, unknown>, message?: string];

/** Rows of full length, because jest takes a missing last argument for a callback. */
const rows = (request: string, ...list: Row[]) =>
	list.map(
		([description, fields, message]) =>
			[title(`${request}: ${description}`, message), fields, message] as const,
	);

const cases: Case[] = [
	...[0, 0.01, 0.07, 1.1, 4.35, 1000000.01, 0.29, 1.15, 123456789.99, 1e15].map((amount) =>
		bank(`amount ${amount}`, bankPayout({}, { amount })),
	),
	...[0.001, 4.355, 1e-7, 0.30000000000000004].map((amount) =>
		bank(
			`amount ${amount}`,
			bankPayout({}, { amount }),
			'transaction.amount must be a multiple of 0.01',
		),
	),
	bank(
		'amount -0.01',
		bankPayout({}, { amount: -0.01 }),
		'transaction.amount must not be less than 0',
	),
	bank('amount as text', bankPayout({}, { amount: '1' }), 'transaction.amount must be a number'),
	bank('amount null', bankPayout({}, { amount: null }), 'transaction.amount must be a number'),
	bank('no amount', bankPayout({}, { amount: undefined }), required('transaction.amount')),
	...['bank_code', 'description', 'destination_account', 'first_name'].flatMap((field) => [
		bank(`no ${field}`, bankPayout({}, { [field]: undefined }), required(`transaction.${field}`)),
		bank(
			`empty ${field}`,
			bankPayout({}, { [field]: '' }),
			`transaction.${field} should not be empty`,
		),
		bank(
			`${field} as a number`,
			bankPayout({}, { [field]: 12 }),
			`transaction.${field} must be a string`,
		),
	]),
	bank('description of 200', bankPayout({}, { description: 'd'.repeat(200) })),
	bank(
		'description of 201',
		bankPayout({}, { description: 'd'.repeat(201) }),
		long('transaction.description', 200),
	),
	bank('document of 5', bankPayout({}, { destination_id_number: '01234' })),
	bank('document of 20', bankPayout({}, { destination_id_number: '0'.repeat(20) })),
	bank(
		'document of 4',
		bankPayout({}, { destination_id_number: '0123' }),
		'transaction.destination_id_number must be longer than or equal to 5 characters',
	),
	bank(
		'document of 21',
		bankPayout({}, { destination_id_number: '0'.repeat(21) }),
		long('transaction.destination_id_number', 20),
	),
	bank(
		'document with a letter',
		bankPayout({}, { destination_id_number: '12345a' }),
		'transaction.destination_id_number must be digits only',
	),
	bank(
		'document as a number',
		bankPayout({}, { destination_id_number: 123456 }),
		'transaction.destination_id_number must be a string',
	),
	bank('individual', bankPayout({}, { entity_type: 'individual' })),
	bank(
		'individual without last name',
		bankPayout({}, { entity_type: 'individual', last_name: undefined }),
		required('transaction.last_name'),
	),
	bank(
		'individual with empty last name',
		bankPayout({}, { entity_type: 'individual', last_name: '' }),
		'transaction.last_name should not be empty',
	),
	bank(
		'company without last name',
		bankPayout({}, { entity_type: 'company', last_name: undefined }),
	),
	bank('no entity type and no last name', bankPayout({}, { last_name: undefined })),
	bank(
		'entity type',
		bankPayout({}, { entity_type: 'person' }),
		oneOf('transaction.entity_type', 'individual', 'company'),
	),
	...['BOB', 'USD', 'CLP', 'PEN', 'COP'].map((currency_type) =>
		bank(`currency ${currency_type}`, bankPayout(conversion, { currency_type })),
	),
	bank(
		'currency',
		bankPayout({}, { currency_type: 'EUR' }),
		oneOf('transaction.currency_type', 'BOB', 'USD', 'CLP', 'PEN', 'COP'),
	),
	...['BO', 'BR', 'CO', 'CL', 'PE', 'CN', 'CR', 'PY', 'UY', 'PA', 'GT'].map((country) =>
		bank(`country ${country}`, bankPayout({}, { country })),
	),
	bank(
		'country',
		bankPayout({}, { country: 'AR' }),
		oneOf('transaction.country', 'BO', 'BR', 'CO', 'CL', 'PE', 'CN', 'CR', 'PY', 'UY', 'PA', 'GT'),
	),
	...['national_id', 'tax_id', 'passport', 'foreign_id'].map((document_type) =>
		bank(`document ${document_type}`, bankPayout({}, { document_type })),
	),
	bank(
		'document type',
		bankPayout({}, { document_type: 'ci' }),
		oneOf('transaction.document_type', 'national_id', 'tax_id', 'passport', 'foreign_id'),
	),
	bank(
		'reference',
		bankPayout({ external_reference: 'row-1' }),
		'external_reference must be a UUID',
	),
	bank(
		'no reference',
		bankPayout({ external_reference: undefined }),
		required('external_reference'),
	),
	bank(
		'funding source',
		bankPayout({ funding_source: 'cash' }),
		oneOf('funding_source', 'balance', 'conversion'),
	),
	bank('no funding source', bankPayout({ funding_source: undefined }), required('funding_source')),
	bank('no transaction', bankPayout({ transaction: undefined }), required('transaction')),
	bank('asset', bankPayout({ asset_deposit: 'BTC' }), oneOf('asset_deposit', 'USDC', 'USDT')),
	bank(
		'blockchain',
		bankPayout({ blockchain: 'Solana' }),
		oneOf('blockchain', 'Polygon', 'Ethereum', 'TRON'),
	),
	bank('refund address of the default blockchain', bankPayout({ refund_address: evm })),
	bank(
		'refund address of another blockchain',
		bankPayout({ refund_address: tron }),
		'refund_address must be an address of the blockchain',
	),
	bank('TRON refund address', bankPayout({ blockchain: 'TRON', refund_address: tron })),
	bank('unknown field', bankPayout({ extra: 1 }), unknown('extra')),
	bank('unknown inner field', bankPayout({}, { extra: 1 }), unknown('transaction.extra')),

	deposit('from balance', balanceDeposit()),
	deposit('from conversion', conversionDeposit()),
	...['fiatCurrency', 'referenceId', 'country', 'fundingSource'].map((field) =>
		deposit(`no ${field}`, balanceDeposit({ [field]: undefined }), required(field)),
	),
	deposit('currency', balanceDeposit({ fiatCurrency: 'PEN' }), oneOf('fiatCurrency', 'BOB', 'USD')),
	deposit('country', balanceDeposit({ country: 'PE' }), oneOf('country', 'BO')),
	deposit('reference of 1', balanceDeposit({ referenceId: 'r' })),
	deposit('reference of 100', balanceDeposit({ referenceId: 'r'.repeat(100) })),
	deposit(
		'empty reference',
		balanceDeposit({ referenceId: '' }),
		'referenceId should not be empty',
	),
	deposit(
		'reference of 101',
		balanceDeposit({ referenceId: 'r'.repeat(101) }),
		long('referenceId', 100),
	),
	deposit('fiat amount 0', balanceDeposit({ fiatAmount: 0 })),
	deposit(
		'fiat amount -1',
		balanceDeposit({ fiatAmount: -1 }),
		'fiatAmount must not be less than 0',
	),
	deposit(
		'fiat amount as text',
		balanceDeposit({ fiatAmount: '1' }),
		'fiatAmount must be a number',
	),
	deposit('no fiat amount', balanceDeposit({ fiatAmount: undefined }), required('fiatAmount')),
	deposit('crypto amount 0', conversionDeposit({ cryptoAmount: 0 })),
	deposit('tiny crypto amount', conversionDeposit({ cryptoAmount: 1e-7 })),
	deposit(
		'crypto amount -1',
		conversionDeposit({ cryptoAmount: -1 }),
		'cryptoAmount must not be less than 0',
	),
	...['cryptoAmount', 'asset', 'depositAddress'].map((field) =>
		deposit(
			`conversion without ${field}`,
			conversionDeposit({ [field]: undefined }),
			required(field),
		),
	),
	deposit(
		'conversion without blockchain',
		conversionDeposit({ blockchain: undefined, depositAddress: evm }),
		required('blockchain'),
	),
	deposit(
		'conversion with fiat amount',
		conversionDeposit({ fiatAmount: 1 }),
		unneeded('fiatAmount'),
	),
	deposit('balance with asset', balanceDeposit({ asset: 'USDC' }), unneeded('asset')),
	deposit(
		'balance with crypto amount',
		balanceDeposit({ cryptoAmount: 1 }),
		unneeded('cryptoAmount'),
	),
	deposit(
		'address of another blockchain',
		conversionDeposit({ depositAddress: evm }),
		'depositAddress must be an address of the blockchain',
	),
	deposit('Ethereum', conversionDeposit({ blockchain: 'Ethereum', depositAddress: evm })),
	deposit('description of 60', balanceDeposit({ description: 'd'.repeat(60) })),
	deposit(
		'description of 61',
		balanceDeposit({ description: 'd'.repeat(61) }),
		long('description', 60),
	),
	...['00:00:00', '23:59:59'].map((qrExpirationTime) =>
		deposit(`expiration ${qrExpirationTime}`, balanceDeposit({ qrExpirationTime })),
	),
	...['24:00:00', '00:60:00', '00:00:60', '1:00:00', '10:00', ''].map((qrExpirationTime) =>
		deposit(
			`expiration '${qrExpirationTime}'`,
			balanceDeposit({ qrExpirationTime }),
			'qrExpirationTime must be a time in the format HH:MM:SS',
		),
	),
	deposit('unknown field', balanceDeposit({ extra: 1 }), unknown('extra')),

	...['image', 'external_reference', 'asset_deposit', 'blockchain', 'funding_source', 'amount'].map(
		(field) => qr(`no ${field}`, qrPayout({ [field]: undefined }), required(field)),
	),
	qr('empty image', qrPayout({ image: '' }), 'image should not be empty'),
	qr('reference of 32', qrPayout({ external_reference: 'r'.repeat(32) })),
	qr(
		'reference of 33',
		qrPayout({ external_reference: 'r'.repeat(33) }),
		long('external_reference', 32),
	),
	qr('amount 0', qrPayout({ amount: 0 })),
	qr('amount -1', qrPayout({ amount: -1 }), 'amount must not be less than 0'),
	qr('amount from balance', qrPayout({ funding_source: 'balance' })),
	qr(
		'from balance without asset and blockchain',
		qrPayout({ funding_source: 'balance', asset_deposit: undefined, blockchain: undefined }),
	),
	qr('asset', qrPayout({ asset_deposit: 'EURC' }), oneOf('asset_deposit', 'USDC', 'USDT')),
	qr('unknown field', qrPayout({ extra: 1 }), unknown('extra')),
];

describe('the validation of requests (4 and 8)', () => {
	let service: Service;
	let walletId: string;

	beforeAll(async () => {
		service = await Service.start({ duplicateReferences: 'accept' });
		const { body } = await service.call('GET', '/v2/wallets');
		walletId = String(body.wallets[0].walletId);
	});
	afterAll(() => service.sandbox.close());

	const expectAnswer = async (method: string, path: string, body: unknown, message?: string) => {
		const answer = await service.call(method, path, body);
		if (message === undefined) {
			expect(answer.body).not.toHaveProperty('error');
			expect(answer.status).toBeLessThan(300);
		} else {
			expect(answer.body).toEqual({ statusCode: 400, message, error: 'Bad Request' });
			expect(answer.status).toBe(400);
		}
	};

	it.each(cases)('%s', async (_title, path, body, message) => {
		await expectAnswer('POST', path, body, message);
	});

	const badAmount = 'amount must be a positive decimal with at most 8 decimal places';
	it.each(
		rows(
			'a crypto payout',
			['whole amount', { amount: '1' }],
			['smallest amount', { amount: '0.00000001' }],
			...['0', '0.00000000', '1.', '.5', '-1', '+1', '1e3', '1,5', '0.000000001', ''].map(
				(amount): Row => [`amount '${amount}'`, { amount }, badAmount],
			),
			['amount as a number', { amount: 1 }, 'amount must be a string'],
			['asset', { asset: 'ETH' }, oneOf('asset', 'USDC', 'USDT')],
			['TRON', { blockchain: 'TRON', destinationWallet: tron }],
			[
				'address of another blockchain',
				{ blockchain: 'TRON' },
				'destinationWallet must be an address of the blockchain',
			],
			[
				'short address',
				{ destinationWallet: '0x12' },
				'destinationWallet must be an address of the blockchain',
			],
			['wallet', { walletId: 'mine' }, 'walletId must be a UUID'],
			['empty reference', { externalReference: '' }, 'externalReference should not be empty'],
			...[
				'walletId',
				'destinationWallet',
				'amount',
				'asset',
				'blockchain',
				'externalReference',
			].map((field): Row => [`no ${field}`, { [field]: undefined }, required(field)]),
			['unknown field', { extra: 1 }, unknown('extra')],
		),
	)('%s', async (_title, fields, message) => {
		await expectAnswer('POST', paths.crypto, cryptoPayout(walletId, fields), message);
	});

	const client = { name: 'N', email: 'n@example.com', type: 'individual', country: 'BO' };
	it.each(
		rows(
			'a business client',
			['country of 4', { country: 'BOLI' }],
			['country of 1', { country: 'B' }, 'country must be longer than or equal to 2 characters'],
			['country of 5', { country: 'BOLIV' }, long('country', 4)],
			['type', { type: 'person' }, oneOf('type', 'individual', 'company')],
			['email', { email: 'n' }, 'email must be an email'],
			['empty name', { name: '' }, 'name should not be empty'],
			...['name', 'email', 'type', 'country'].map((field): Row => [
				`no ${field}`,
				{ [field]: undefined },
				required(field),
			]),
		),
	)('%s', async (_title, fields, message) => {
		await expectAnswer('POST', '/v2/business-clients', { ...client, ...fields }, message);
	});

	it.each(
		rows(
			'a wallet asset',
			['symbol', { symbol: 'BTC' }, oneOf('symbol', 'USDC', 'USDT')],
			['blockchain', { blockchain: 'Solana' }, oneOf('blockchain', 'Polygon', 'Ethereum', 'TRON')],
			['no symbol', { symbol: undefined }, required('symbol')],
			['no blockchain', { blockchain: undefined }, required('blockchain')],
		),
	)('%s', async (_title, fields, message) => {
		const body = { symbol: 'USDC', blockchain: 'Polygon', ...fields };
		await expectAnswer('POST', `/v2/wallets/${walletId}/assets`, body, message);
	});

	const hook = { url: 'http://127.0.0.1:9/', events: { transaction: ['expired_transaction'] } };
	it.each(
		rows(
			'a webhook',
			['no url', { url: undefined }, required('url')],
			['url without scheme', { url: 'example.com' }, 'url must be an http or https URL'],
			['ftp', { url: 'ftp://example.com' }, 'url must be an http or https URL'],
			['no events', { events: undefined }, required('events')],
			['events as a list', { events: ['expired_transaction'] }, 'events must be an object'],
			['events empty', { events: {} }, required('events.transaction')],
			[
				'unknown event',
				{ events: { transaction: ['rejected_transaction'] } },
				oneOf(
					'events.transaction.0',
					...['pending', 'processing', 'completed', 'reject', 'failed', 'expired'].map(
						(name) => `${name}_transaction`,
					),
				),
			],
			[
				'no event',
				{ events: { transaction: [] } },
				'events.transaction must NOT have fewer than 1 items',
			],
			['inactive', { status: 'INACTIVE' }],
			['status', { status: 'PAUSED' }, oneOf('status', 'ACTIVE', 'INACTIVE')],
			['key as a number', { apiKey: 1 }, 'apiKey must be a string'],
		),
	)('%s', async (_title, fields, message) => {
		const existing = await service.call('POST', '/v2/webhooks', hook);
		await expectAnswer('POST', '/v2/webhooks', { ...hook, ...fields }, message);
		// Only a new webhook needs all fields.
		if ('url' in fields && fields.url === undefined) return;
		if ('events' in fields && fields.events === undefined) return;
		await expectAnswer('PATCH', `/v2/webhooks/${existing.body.id}`, fields, message);
	});

	it.each([
		['page=0', 'page must be a number from 1'],
		['page=x', 'page must be a number from 1'],
		['limit=0', 'limit must be a number from 1 to 100'],
		['limit=101', 'limit must be a number from 1 to 100'],
		['limit=1.5', 'limit must be a number from 1 to 100'],
		['limit=1&limit=2', 'limit must be a string'],
		['status=OK', oneOf('status', 'SUCCESS', 'ERROR')],
		['webhookId=x', 'webhookId must be a UUID'],
		['extra=1', unknown('extra')],
		['limit=1', undefined],
		['limit=100', undefined],
	])('checks the query of webhook logs: %s', async (query, message) => {
		await expectAnswer('GET', `/v2/webhooks/logs?${query}`, undefined, message);
	});

	it('rejects path identifiers that are not UUIDs', async () => {
		await expectAnswer('GET', '/v2/webhooks/x', undefined, 'id must be a UUID');
		const asset = { symbol: 'USDC', blockchain: 'Polygon' };
		await expectAnswer('POST', '/v2/wallets/x/assets', asset, 'id must be a UUID');
	});

	it('reports all errors at once, as one text or as a list', async () => {
		const body = bankPayout({ funding_source: 'x', external_reference: 'y' });
		const messages = [
			oneOf('funding_source', 'balance', 'conversion'),
			'external_reference must be a UUID',
		];
		await expectAnswer('POST', paths.bank, body, messages.join('; '));
		await service.admin.change({ errorMessages: 'list' });
		const { body: answer } = await service.call('POST', paths.bank, body);
		expect(answer).toEqual({ statusCode: 400, message: messages, error: 'Bad Request' });
		await service.admin.change({ errorMessages: 'string' });
	});

	it('accepts fields of the other funding source if set', async () => {
		await service.admin.change({ rejectUnneededFields: false });
		await expectAnswer('POST', paths.deposit, conversionDeposit({ fiatAmount: 1 }));
		await expectAnswer('POST', paths.qrPayout, qrPayout({ funding_source: 'balance' }));
		await service.admin.change({ rejectUnneededFields: true });
	});
});
