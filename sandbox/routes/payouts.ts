import type { FastifyInstance } from 'fastify';
import { newAddress } from '../addresses';
import type { Core } from '../core';
import { ServiceError } from '../errors';
import { cryptoFor, fiatText } from '../money';
import { payoutRate } from '../rates';
import {
	addressOf,
	amount,
	asset,
	blockchain,
	filled,
	fundingSource,
	strictObject,
	text,
	uuid,
	when,
} from '../schemas';
import type { Funding, Transaction } from '../state';

interface BankPayout {
	funding_source: 'balance' | 'conversion';
	external_reference: string;
	transaction: { amount: number; currency_type: string };
	asset_deposit?: string;
	blockchain?: string;
}

interface CryptoPayout {
	walletId: string;
	destinationWallet: string;
	amount: string;
	asset: string;
	blockchain: string;
	externalReference: string;
}

interface QrPayout {
	image: string;
	external_reference: string;
	asset_deposit?: string;
	blockchain?: string;
	funding_source: 'balance' | 'conversion';
	amount?: number;
}

const bankTransfer = {
	...strictObject(
		{
			amount: { ...amount, maxDecimals: 2 },
			bank_code: filled,
			description: { ...filled, maxLength: 200 },
			destination_account: filled,
			first_name: filled,
			last_name: text,
			destination_id_number: { type: 'string', format: 'digits', minLength: 5, maxLength: 20 },
			currency_type: { type: 'string', enum: ['BOB', 'USD', 'CLP', 'PEN', 'COP'] },
			country: {
				type: 'string',
				enum: ['BO', 'BR', 'CO', 'CL', 'PE', 'CN', 'CR', 'PY', 'UY', 'PA', 'GT'],
			},
			entity_type: { type: 'string', enum: ['individual', 'company'] },
			document_type: { type: 'string', enum: ['national_id', 'tax_id', 'passport', 'foreign_id'] },
		},
		[
			'amount',
			'bank_code',
			'description',
			'destination_account',
			'first_name',
			'destination_id_number',
			'currency_type',
		],
	),
	// Whether a missing entity_type means an individual is not documented. Here it requires no last name.
	...when('entity_type', 'individual', {
		required: ['last_name'],
		properties: { last_name: filled },
	}),
};

const bankPayout = {
	...strictObject(
		{
			funding_source: fundingSource,
			external_reference: uuid,
			transaction: bankTransfer,
			asset_deposit: asset,
			refund_address: text,
			blockchain,
		},
		['funding_source', 'external_reference', 'transaction'],
	),
	...addressOf('refund_address'),
};

// The required fields are not documented. Here all are.
const cryptoPayout = {
	...strictObject(
		{
			walletId: uuid,
			destinationWallet: filled,
			amount: { type: 'string', format: 'cryptoAmount' },
			asset,
			blockchain,
			externalReference: filled,
		},
		['walletId', 'destinationWallet', 'amount', 'asset', 'blockchain', 'externalReference'],
	),
	...addressOf('destinationWallet'),
};

const qrPayout = {
	...strictObject(
		{
			image: filled,
			external_reference: { ...filled, maxLength: 32 },
			asset_deposit: asset,
			blockchain,
			funding_source: fundingSource,
			amount,
		},
		['image', 'external_reference', 'funding_source'],
	),
	// Whether asset and blockchain are required is not documented. Here a conversion needs them.
	...when('funding_source', 'conversion', { required: ['amount', 'asset_deposit', 'blockchain'] }),
};

/** The currency in which QR codes are paid. */
const qrCurrency = 'BOB';

function resultOf({ id }: Transaction) {
	return {
		transaction_id: id,
		status: 'pending_transaction',
		message: 'Transaction created successfully',
	};
}

/** What a payout by conversion waits for, at its own address. */
function fundingOf(
	{
		asset_deposit: asset = 'USDC',
		blockchain = 'Polygon',
	}: { asset_deposit?: string; blockchain?: string },
	amount: string,
): Funding {
	return { address: newAddress(blockchain), asset, blockchain, amount, received: '0' };
}

/** Payouts of all kinds and the balances they are paid from (sections 4.6, 4.9, 4.10 and 4.11). */
export function payoutRoutes(app: FastifyInstance, { settings, transactions }: Core): void {
	app.post<{ Body: BankPayout }>('/v3/transactions/payouts/bank', {
		schema: { body: bankPayout },
		handler({ business, body }, reply) {
			const { external_reference, transaction: transfer, blockchain: chain = 'Polygon' } = body;
			const converted = body.funding_source === 'conversion';
			const funding = converted
				? fundingOf(body, cryptoFor(transfer.amount, payoutRate(transfer.currency_type)))
				: undefined;
			const transaction = transactions.create(business, {
				type: 'withdrawal_ach',
				reference: external_reference,
				amount: fiatText(transfer.amount),
				asset: transfer.currency_type,
				blockchain: converted ? chain : undefined,
				funding,
				request: body,
			});
			void reply.code(201);
			return {
				transaction_id: transaction.id,
				external_reference,
				deposit_address: funding?.address ?? null,
				amount_deposit: funding?.amount ?? null,
				transactions: [resultOf(transaction)],
			};
		},
	});

	app.post<{ Body: CryptoPayout }>('/v2/transactions/payouts/crypto', {
		schema: { body: cryptoPayout },
		handler({ business, body }, reply) {
			if (!business.wallets.has(body.walletId.toLowerCase())) {
				throw new ServiceError(404, `Wallet ${body.walletId} not found`);
			}
			const transaction = transactions.create(business, {
				type: 'withdrawal_crypto',
				reference: body.externalReference,
				amount: body.amount,
				asset: body.asset,
				blockchain: body.blockchain,
				walletId: body.walletId,
				request: body,
			});
			const { transaction_id: transactionId, status, message } = resultOf(transaction);
			void reply.code(settings.successStatus);
			return { ...body, transactionId, status, message };
		},
	});

	app.post<{ Body: QrPayout }>('/v2/transactions/payouts/qr', {
		schema: { body: qrPayout },
		handler({ business, body }, reply) {
			const converted = body.funding_source === 'conversion';
			// Without an amount it is in the QR code, which the sandbox does not read.
			const { amount: fiat } = body;
			const funding = converted
				? fundingOf(body, cryptoFor(fiat ?? 0, payoutRate(qrCurrency)))
				: undefined;
			const transaction = transactions.create(business, {
				type: 'withdrawal_express',
				reference: body.external_reference,
				amount: fiat === undefined ? undefined : fiatText(fiat),
				asset: qrCurrency,
				blockchain: converted ? body.blockchain : undefined,
				funding,
				request: body,
			});
			void reply.code(settings.successStatus);
			return {
				external_reference: body.external_reference,
				transactions: resultOf(transaction),
				amount_deposit: funding?.amount ?? '0.000000',
				...(funding && { deposit_address: funding.address }),
			};
		},
	});

	app.get('/v2/transactions/payouts/balance', ({ business }) => business.balances);
}
