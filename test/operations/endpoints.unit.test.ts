import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { fundConversions } from '../../nodes/PartnerPayments/resources/payout/fundConversions';
import type { Values } from '../../nodes/fields/validators';
import type { MoneyEndpoint, RowsFromResults } from '../../nodes/batch/endpoint';
import type { Service } from '../../nodes/service/transport';
import { BANK, CRYPTO, DEPOSIT, QR } from '../batch/builders';

// The operation as what it is made of, as in `builders`.
jest.mock('../../nodes/PartnerPayments/operations/moneyOperation', () => ({
	moneyOperation: (endpoint: unknown) => endpoint,
}));

/** What the endpoints say of the values of a row and of an answer, each in its own file. */

const FUND = fundConversions as unknown as MoneyEndpoint & { fromResults: RowsFromResults };

const ADDRESS = '0x52908400098527886E0F7030069857D2E4169EE7';
const WALLET = '1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed';
const ID = '5f0c6f6e-3b1d-4f7e-9a53-0c1d2e3f4a5b';

describe('the amount of a row', () => {
	test.each<[string, MoneyEndpoint, Values, Values | undefined]>([
		['bank', BANK, { amount: '5', currencyType: 'BOB' }, { amount: '5', currency: 'BOB' }],
		['bank', BANK, { amount: '5' }, { amount: '5', currency: '' }],
		['bank', BANK, { currencyType: 'BOB' }, undefined],
		['crypto', CRYPTO, { amount: '5', asset: 'USDC' }, { amount: '5', currency: 'USDC' }],
		['crypto', CRYPTO, { amount: '5' }, { amount: '5', currency: '' }],
		['crypto', CRYPTO, { asset: 'USDC' }, undefined],
		['QR', QR, { amount: '5', fundingSource: 'balance' }, { amount: '5', currency: 'QR' }],
		[
			'QR',
			QR,
			{ amount: '5', fundingSource: 'conversion', assetDeposit: 'USDT' },
			{ amount: '5', currency: 'USDT' },
		],
		['QR', QR, { amount: '5', fundingSource: 'conversion' }, { amount: '5', currency: '' }],
		['QR', QR, { fundingSource: 'balance' }, undefined],
		[
			'deposit',
			DEPOSIT,
			{ fundingSource: 'balance', fiatAmount: '5', fiatCurrency: 'BOB', cryptoAmount: '6' },
			{ amount: '5', currency: 'BOB' },
		],
		[
			'deposit',
			DEPOSIT,
			{ fundingSource: 'conversion', fiatAmount: '5', cryptoAmount: '6', asset: 'USDC' },
			{ amount: '6', currency: 'USDC' },
		],
		['deposit', DEPOSIT, { fiatAmount: '5' }, { amount: '5', currency: '' }],
		['deposit', DEPOSIT, { fundingSource: 'conversion', fiatAmount: '5' }, undefined],
	])('%s: of %#', (_, endpoint, values, amount) => {
		expect(endpoint.amount(values)).toEqual(amount);
	});
});

describe('whom a row pays', () => {
	const bank = {
		destinationIdNumber: '0012345',
		bankCode: 'ABC1',
		destinationAccount: '00-12 34',
	};
	const accountOf = (values: IDataObject) =>
		JSON.parse(BANK.payee?.({ ...bank, ...values })?.account ?? '') as unknown;

	test('is the same person and account however a bank payout is written', () => {
		expect(BANK.payee?.(bank)?.id).toBe('12345');
		expect(accountOf({})).toEqual(['BO', 'abc1', '001234']);
		expect(accountOf({ destinationAccount: '001234', bankCode: 'abc1', country: 'BO' })).toEqual(
			accountOf({}),
		);
		expect(accountOf({ country: 'PE' })).toEqual(['PE', 'abc1', '001234']);
		expect(BANK.payee?.({ ...bank, destinationIdNumber: '1020' })?.id).toBe('1020');
		expect(BANK.payee?.({ ...bank, destinationIdNumber: undefined })).toBeUndefined();
	});

	test('is the address of a crypto payout, on its blockchain', () => {
		const payee = CRYPTO.payee?.({ destinationWallet: ADDRESS, blockchain: 'Polygon' });
		expect(payee).toEqual({ id: ADDRESS.toLowerCase(), account: 'Polygon' });
		expect(CRYPTO.payee?.({ blockchain: 'Polygon' })).toBeUndefined();
	});

	test('is the code of a QR payout', () => {
		expect(QR.payee?.({ image: '000201' })).toEqual({ id: '000201', account: '' });
		expect(QR.payee?.({})).toBeUndefined();
	});

	test.each<[string, MoneyEndpoint, Values, string | undefined, string | undefined]>([
		[
			'bank',
			BANK,
			{ firstName: 'Ana', lastName: 'Roca', bankCode: '1001', destinationAccount: '42' },
			'Ana Roca',
			'1001 42',
		],
		['bank', BANK, { firstName: 'Roca SRL', destinationAccount: '42' }, 'Roca SRL', '42'],
		['bank', BANK, { lastName: 'Roca', bankCode: '1001' }, 'Roca', '1001'],
		['bank', BANK, {}, '', ''],
		['crypto', CRYPTO, { destinationWallet: ADDRESS, blockchain: 'TRON' }, ADDRESS, 'TRON'],
		['crypto', CRYPTO, {}, undefined, undefined],
	])('%s: is called by name and place (%#)', (_, endpoint, values, name, place) => {
		expect(endpoint.payeeName?.(values)).toBe(name);
		expect(endpoint.paidTo?.(values)).toBe(place);
	});

	test.each<[unknown, boolean]>([
		['company', true],
		['Empresa', true],
		['individual', false],
		['Persona natural', false],
		['?', false],
		[undefined, false],
	])('is a company if the entity type is %j: %p', (entityType, isCompany) => {
		const read = (field: string) => (field === 'entityType' ? entityType : undefined);
		expect(BANK.wholeName?.isCompany(read)).toBe(isCompany);
	});
});

describe('what an answer repeats of a request', () => {
	test('is all of a crypto payout but its reference', () => {
		const money = { walletId: WALLET, destinationWallet: ADDRESS, amount: '5' };
		const kind = { asset: 'USDC', blockchain: 'Polygon' };
		expect(CRYPTO.echoes?.({ ...money, ...kind, externalReference: 'r' })).toEqual({
			...money,
			...kind,
		});
	});

	test.each<[IDataObject, IDataObject]>([
		[
			{ fiatAmount: '5.25', fiatCurrency: 'BOB' },
			{ calculatedFiatAmount: '5.25', fiatCurrency: 'BOB' },
		],
		[{ fiatAmount: '5.250' }, { calculatedFiatAmount: '5.250' }],
		// The service may round it.
		[{ fiatAmount: '5.255', country: 'BO' }, { country: 'BO' }],
		[
			{ cryptoAmount: '5.2555', asset: 'USDC' },
			{ requestedCryptoAmount: '5.2555', asset: 'USDC' },
		],
	])('is of a deposit %j', (body, echoes) => {
		expect(JSON.parse(JSON.stringify(DEPOSIT.echoes?.(body)))).toEqual(echoes);
	});
});

describe('the transaction that an answer names', () => {
	const state = { status: 'pending_transaction', message: 'Wait' };
	const created = { transactionId: 'T', ...state };

	test.each<[string, MoneyEndpoint, IDataObject, IDataObject | undefined]>([
		['bank', BANK, { transaction_id: 'T', transactions: [state] }, created],
		['bank', BANK, { transaction_id: 'T' }, { transactionId: 'T', status: '', message: '' }],
		['bank', BANK, { transactions: [{ transaction_id: 'T' }] }, undefined],
		['crypto', CRYPTO, { transactionId: 'T', ...state }, created],
		['crypto', CRYPTO, state, undefined],
		['QR', QR, { transactions: { transaction_id: 'T', ...state } }, created],
		['QR', QR, { transactions: [state, { transaction_id: 'T' }] }, created],
		['QR', QR, { transactions: [] }, undefined],
		['QR', QR, { transaction_id: 'T' }, undefined],
		[
			'deposit',
			DEPOSIT,
			{ transactionId: 'T', transactionStatus: 'pending_transaction', message: 'x' },
			{ transactionId: 'T', status: 'pending_transaction', message: '' },
		],
		['deposit', DEPOSIT, { transactionStatus: 'pending_transaction' }, undefined],
	])('%s: is found in %#', (_, endpoint, answer, transaction) => {
		expect(endpoint.created(answer)).toEqual(transaction);
	});
});

describe('the image of a QR payout', () => {
	const read = async (file: IDataObject | undefined, name = 'data') => {
		const values: Values = { binaryPropertyName: name };
		const context = {
			getInputData: () => [{ json: {} }, { json: {}, ...(file && { binary: { data: file } }) }],
			helpers: {
				getBinaryDataBuffer: async (item: number, field: string) =>
					await Promise.resolve(Buffer.from(` ${field} of ${item} \n`)),
			},
		} as unknown as IExecuteFunctions;
		const errors = (await QR.readBinary?.(context, values, 1)) ?? [];
		return { errors, values };
	};

	test('is sent as a data URI, and a text as it is', async () => {
		expect(await read({ mimeType: 'text/plain' })).toEqual({
			errors: [],
			values: { image: 'data of 1' },
		});
		const image = `data:image/png;base64,${Buffer.from(' data of 1 \n').toString('base64')}`;
		expect(await read({ mimeType: 'image/png' })).toEqual({ errors: [], values: { image } });
	});

	test.each(['other', 'constructor'])('has to be in the item: %s', async (name) => {
		const missing = [
			expect.objectContaining({
				code: 'noBinaryFile',
				field: 'Input Binary Field',
				value: JSON.stringify(name),
			}),
		];
		expect((await read({ mimeType: 'image/png' }, name)).errors).toEqual(missing);
		expect((await read(undefined, name)).errors).toEqual(missing);
	});

	test('is not read if there is no field for it', async () => {
		const values = { image: '000201' };
		expect(await QR.readBinary?.({} as IExecuteFunctions, values, 0)).toEqual([]);
		expect(values).toEqual({ image: '000201' });
	});
});

describe('the image of a QR deposit', () => {
	const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 1, 2, 3]);
	const base64 = PNG.toString('base64');

	const toItem = async (qrCodeBase64: unknown, parameters: IDataObject = {}, reference = 'r') => {
		const context = {
			getNodeParameter: (path: string, _: number, fallback: unknown) =>
				path in parameters ? parameters[path] : fallback,
			helpers: {
				prepareBinaryData: async (image: Buffer, fileName: string, mimeType: string) =>
					await Promise.resolve({ fileName, mimeType, image: image.toString('base64') }),
			},
		} as unknown as IExecuteFunctions;
		return await DEPOSIT.toItem?.(context, { id: 1, qrCodeBase64 } as IDataObject, 0, reference);
	};
	const binary = (fileName: string) => ({ fileName, mimeType: 'image/png', image: base64 });

	test.each([base64, `data:image/png;base64,${base64}`])('is a file: %s', async (text) => {
		expect(await toItem(text)).toEqual({ json: { id: 1 }, binary: { data: binary('r.png') } });
	});

	test('stays in the JSON, too, with Include Base64', async () => {
		expect(await toItem(base64, { 'options.includeBase64': true })).toEqual({
			json: { id: 1, qrCodeBase64: base64 },
			binary: { data: binary('r.png') },
		});
	});

	test.each([undefined, null, 7, '', 'abc', Buffer.from('GIF89a').toString('base64')])(
		'that is no PNG stays in the JSON: %j',
		async (text) => {
			expect(await toItem(text)).toEqual({ json: { id: 1, qrCodeBase64: text } });
		},
	);

	test('has a name that file systems take', async () => {
		const item = await toItem(base64, {}, 'Órden/  7: a_b-c.d');
		expect(item?.binary).toEqual({ data: binary('Órden_7_a_b-c.d.png') });
		const long = await toItem(base64, {}, 'x'.repeat(300));
		expect(long?.binary).toEqual({ data: binary(`${'x'.repeat(100)}.png`) });
	});
});

describe('the row that funds a payout', () => {
	const toFund = { amount: '36.12', asset: 'USDC', blockchain: 'Polygon', address: ADDRESS };
	const result = { outcome: 'created', transactionId: ID, reference: 'r', toFund };
	const { fromResults } = FUND;
	const read = (change: IDataObject = {}) => fromResults.read({ ...result, ...change });
	const valuesOf = (change?: IDataObject) => {
		const row = read(change);
		if (!row.ok) throw new Error(row.error.message);
		return row.value;
	};
	const codeOf = (change: IDataObject) => {
		const row = read(change);
		return row.ok ? 'ok' : row.error.code;
	};

	test('has what the result says, and a generated reference', () => {
		expect(valuesOf()).toEqual({
			fundedTransactionId: ID,
			fundedReference: 'r',
			answeredAmount: undefined,
			answeredAddress: undefined,
			destinationWallet: ADDRESS,
			amount: '36.12',
			asset: 'USDC',
			blockchain: 'Polygon',
			externalReference: expect.stringMatching(/^[0-9a-f-]{36}$/),
		});
		expect(valuesOf({ amount_deposit: '36.120', deposit_address: ADDRESS })).toMatchObject({
			answeredAmount: '36.12',
			answeredAddress: ADDRESS,
		});
	});

	test('has the reference of all versions, so that an update funds nothing twice', () => {
		expect(valuesOf().externalReference).toBe('2153bf39-2861-5c2f-8ca3-fdf134fefba2');
	});

	test('names what is wrong', () => {
		const messageOf = (change: IDataObject) => {
			const row = read(change);
			return row.ok ? '' : row.error.message;
		};
		expect(messageOf({ outcome: 'rejected' })).toContain('nothing to fund');
		expect(messageOf({ outcome: 'unknown' })).toContain('outcome unknown');
		expect(messageOf({ status: 'completed_transaction' })).toContain('completed_transaction');
		const other = field('amount').validate('36.13', { answeredAmount: '36.12' });
		expect(other.ok ? '' : other.error.message).toContain('36.12');
	});

	test('has a reference that depends on the transaction alone', () => {
		const { externalReference } = valuesOf();
		expect(valuesOf({ reference: 'other', toFund: { ...toFund, amount: '1' } })).toMatchObject({
			externalReference,
		});
		expect(valuesOf({ transactionId: ID.toUpperCase() })).toMatchObject({ externalReference });
		expect(valuesOf({ transactionId: WALLET }).externalReference).not.toBe(externalReference);
	});

	test('is read from an error, too', () => {
		const row = fromResults.read({ transactionId: 'other', error: { ...result } });
		expect(row).toMatchObject({ ok: true, value: { fundedTransactionId: ID } });
	});

	test.each<[IDataObject, string]>([
		[{ outcome: undefined }, 'ok'],
		[{ outcome: 'alreadySent' }, 'ok'],
		[{ outcome: 'rejected' }, 'nothingToFund'],
		[{ outcome: 'unknown' }, 'fundingUnknown'],
		[{ outcome: 'alreadySent', toFund: '' }, 'fundingUnknown'],
		[{ isFundingUnknown: true, toFund: '' }, 'fundingUnknown'],
		[{ isFundingUnknown: true }, 'ok'],
		[{ isFundingUnknown: 'no', toFund: '' }, 'nothingToFund'],
		[{ toFund: '' }, 'nothingToFund'],
		[{ status: 'completed_transaction' }, 'movedOn'],
		[{ status: 'pending_transaction' }, 'ok'],
	])('of a result with %j is: %s', (change, code) => {
		expect(codeOf(change)).toBe(code);
	});

	const field = (name: string) => {
		const found = FUND.fields.find((one) => one.name === name);
		if (!found) throw new Error(`No field ${name}`);
		return found;
	};

	test.each<[string, unknown, Values, string]>([
		['amount', '36.12', { answeredAmount: '36.12' }, 'ok'],
		['amount', '36.12', {}, 'ok'],
		['amount', '36.13', { answeredAmount: '36.12' }, 'notAsAnswered'],
		['amount', '1.123456789', { answeredAmount: '36.12' }, 'tooManyDecimals'],
		['destinationWallet', ADDRESS, { blockchain: 'Polygon', answeredAddress: ADDRESS }, 'ok'],
		[
			'destinationWallet',
			ADDRESS,
			{ blockchain: 'Polygon', answeredAddress: ADDRESS.toLowerCase() },
			'ok',
		],
		[
			'destinationWallet',
			ADDRESS,
			{ blockchain: 'Polygon', answeredAddress: '0x' },
			'notAsAnswered',
		],
	])('has the %s %j, answered %j: %s', (name, raw, values, code) => {
		const read = field(name).validate(raw, values);
		expect(read.ok ? 'ok' : read.error.code).toBe(code);
	});

	test('takes all but the wallet from the result', () => {
		expect(fromResults.fields).toContain('fundedTransactionId');
		expect(fromResults.fields).toContain('amount');
		expect(fromResults.fields).not.toContain('walletId');
	});

	test('shows what it funds', () => {
		expect(fromResults.transactionId({ fundedTransactionId: ID })).toBe(ID);
		expect(fromResults.rowFields({ fundedTransactionId: ID, fundedReference: 'r' })).toEqual({
			fundedTransactionId: ID,
			fundedReference: 'r',
		});
		expect(fromResults.rowFields({})).toEqual({ fundedTransactionId: '', fundedReference: '' });
		const { amount, asset, blockchain } = toFund;
		expect(fromResults.toFund({ amount, asset, blockchain, destinationWallet: ADDRESS })).toEqual(
			toFund,
		);
	});

	const fits = async (assets: unknown, row: IDataObject = {}) => {
		const request = jest.fn().mockResolvedValue({ wallets: [{ walletId: WALLET, assets }, {}] });
		const rows = [{ walletId: WALLET, asset: 'USDC', blockchain: 'Polygon', ...row }];
		const [message] = await fromResults.validate({ request } as unknown as Service, rows);
		expect(request.mock.calls).toEqual([[{ method: 'GET', path: '/v2/wallets' }]]);
		return message?.message;
	};
	const asset = (symbol: string, blockchain: string) => ({ symbol, blockchain });

	test('needs a wallet of the account with the asset on the blockchain', async () => {
		const both = [asset('USDT', 'TRON'), asset('usdc', 'POLYGON')];
		expect(await fits(both)).toBeUndefined();
		expect(await fits(both, { walletId: WALLET.toUpperCase() })).toBeUndefined();
		expect(await fits(both, { walletId: ID })).toContain(`no wallet ${ID}`);
		expect(await fits([asset('USDC', 'TRON'), asset('USDT', 'Polygon')])).toMatch(
			/needs USDC on Polygon, but the wallet has USDC on TRON, USDT on Polygon/,
		);
		expect(await fits(null)).toMatch(/but the wallet has nothing/);
	});
});
