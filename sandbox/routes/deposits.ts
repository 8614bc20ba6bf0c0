import type { FastifyInstance } from 'fastify';
import { toDataURL } from 'qrcode';
import type { Core } from '../core';
import { cryptoFor, fiatFor, fiatText, fromUnits, percentageOf, toUnits } from '../money';
import { qrContent } from '../qr';
import { depositRate, feePercent } from '../rates';
import {
	addressOf,
	amount,
	asset,
	blockchain,
	filled,
	fundingSource,
	strictObject,
	text,
	when,
} from '../schemas';
import { rejectFields } from '../validation';

interface QrDeposit {
	fiatCurrency: string;
	referenceId: string;
	country: string;
	fundingSource: 'balance' | 'conversion';
	cryptoAmount?: number;
	fiatAmount?: number;
	asset?: string;
	blockchain?: string;
	description?: string;
}

const conversionFields = ['cryptoAmount', 'asset', 'blockchain', 'depositAddress'];
const balanceFields = ['fiatAmount'];

// Whether the first four are required is not documented. Here they are.
const qrDeposit = {
	...strictObject(
		{
			fiatCurrency: { type: 'string', enum: ['BOB', 'USD'] },
			referenceId: { ...filled, maxLength: 100 },
			country: { type: 'string', enum: ['BO'] },
			fundingSource,
			cryptoAmount: amount,
			fiatAmount: amount,
			asset,
			blockchain,
			depositAddress: filled,
			description: { ...text, maxLength: 60 },
			qrExpirationTime: { type: 'string', format: 'time' },
		},
		['fiatCurrency', 'referenceId', 'country', 'fundingSource'],
	),
	allOf: [
		when('fundingSource', 'conversion', {
			required: conversionFields,
			...addressOf('depositAddress'),
		}),
		when('fundingSource', 'balance', { required: balanceFields }),
	],
};

const countryNames: Record<string, string> = { BO: 'Bolivia' };

/** QR payins (section 4.7). */
export function depositRoutes(app: FastifyInstance, { settings, transactions }: Core): void {
	app.post<{ Body: QrDeposit }>('/v2/transactions/deposit/qr', {
		schema: { body: qrDeposit },
		async handler({ business, body }, reply) {
			const converted = body.fundingSource === 'conversion';
			if (settings.rejectUnneededFields) {
				rejectFields(body, converted ? balanceFields : conversionFields);
			}

			const { fiatCurrency, referenceId, country } = body;
			const rate = depositRate(fiatCurrency);
			const { cryptoAmount = 0, fiatAmount = 0 } = body;
			const requestedCryptoAmount = converted
				? fromUnits(toUnits(cryptoAmount, 6), 6)
				: cryptoFor(fiatAmount, rate);
			const calculatedFiatAmount = converted ? fiatFor(cryptoAmount, rate) : fiatText(fiatAmount);

			const transaction = transactions.create(business, {
				type: 'deposit_express',
				reference: referenceId,
				amount: calculatedFiatAmount,
				asset: fiatCurrency,
				blockchain: converted ? body.blockchain : undefined,
				request: body,
			});
			void reply.code(settings.successStatus);
			return {
				transactionId: transaction.id,
				type: 'deposit_express',
				referenceId,
				country,
				countryName: countryNames[country],
				requestedCryptoAmount,
				asset: body.asset ?? 'USDC',
				calculatedFiatAmount,
				fiatCurrency,
				exchangeRate: String(rate),
				qrCodeBase64: await toDataURL(qrContent(transaction), { type: 'image/png' }),
				transactionStatus: 'pending_transaction',
				feeAmount: percentageOf(calculatedFiatAmount, feePercent),
			};
		},
	});
}
