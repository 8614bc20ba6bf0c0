/** Currency pairs of section 4.8. */
export const pairs = [
	'USDC/BOB',
	'BOB/USDC',
	'USDT/BOB',
	'BOB/USDT',
	'USDT/PEN',
	'USDT/BRL',
	'USDT/CLP',
	'USDT/COP',
	'USDC/PEN',
	'USDC/BRL',
	'USDC/CLP',
	'USDC/COP',
	'USDT/USD',
	'USDC/USD',
	'USDT/EUR',
	'USDC/EUR',
	'EURC/EUR',
];

/** Transaction types of section 4.8. */
export const quotedTypes = ['withdrawal_express', 'deposit_express', 'withdrawal_ach'];

/** The sandbox's fee in percent. */
export const feePercent = 0.5;

// Made-up rates: units of the fiat currency for one unit of a crypto asset.
const serviceRates: Record<string, number> = {
	BOB: 6.96,
	PEN: 3.72,
	BRL: 5.43,
	CLP: 948.5,
	COP: 4105.25,
	USD: 1,
	EUR: 0.92,
};

function rounded(rate: number): number {
	return Number(rate.toFixed(4));
}

/** The fiat that a partner gets for one unit of a crypto asset. */
export function payoutRate(fiat: string): number {
	return rounded(serviceRates[fiat] * (1 - feePercent / 100));
}

/** The fiat that a partner's customer pays for one unit of a crypto asset. */
export function depositRate(fiat: string): number {
	return rounded(serviceRates[fiat] * (1 + feePercent / 100));
}

/** Section 2.4. */
export interface Quote {
	transactionType: string;
	pair: string;
	serviceExchangeRate: number;
	partnerExchangeRate: number;
	partnerPctFee: number;
	timeStamp: string;
}

/**
 * All quotes: crypto to fiat for payouts, fiat to crypto for payins. QR codes are paid in BOB only.
 *
 * @param swingPercent how far the rates move up and down within an hour
 */
export function allQuotes(timeStamp: string, swingPercent = 0): Quote[] {
	const hours = Date.parse(timeStamp) / 3_600_000;
	const swing = 1 + (swingPercent / 100) * Math.sin(2 * Math.PI * hours);
	return pairs.flatMap((pair) => {
		const [from, to] = pair.split('/');
		const isPayin = from === 'BOB';
		const fiat = isPayin ? from : to;
		const bankOnly = fiat === 'BOB' ? ['withdrawal_express', 'withdrawal_ach'] : ['withdrawal_ach'];
		return (isPayin ? ['deposit_express'] : bankOnly).map((transactionType) => ({
			transactionType,
			pair,
			serviceExchangeRate: rounded((pair === 'EURC/EUR' ? 1 : serviceRates[fiat]) * swing),
			partnerExchangeRate: rounded(
				(pair === 'EURC/EUR' ? 0.995 : isPayin ? depositRate(fiat) : payoutRate(fiat)) * swing,
			),
			partnerPctFee: feePercent,
			timeStamp,
		}));
	});
}
