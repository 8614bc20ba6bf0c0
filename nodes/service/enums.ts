/**
 * The values that several endpoints share, in the order in which the editor lists them
 * (alphabetical by name). What only one endpoint knows is stated in that endpoint's file.
 */
export interface Option {
	name: string;
	value: string;
	description?: string;
}

/** What people write for a value, by the service's own spelling of it. */
export type ValueAliases = Readonly<Record<string, readonly string[]>>;

const same = (...values: string[]): Option[] => values.map((value) => ({ name: value, value }));

/** Section 1: supported crypto assets. */
export const ASSETS = same('USDC', 'USDT');

/** Section 1: supported blockchains. */
export const BLOCKCHAINS = same('Ethereum', 'Polygon', 'TRON');

/** Sections 4.6, 4.7 and 4.11: where the money comes from. */
export const FUNDING_SOURCES: Option[] = [
	{ name: 'Balance', value: 'balance', description: 'Use the account balance' },
	{
		name: 'Conversion',
		value: 'conversion',
		description:
			'Fund this payment with crypto. The service may answer with an amount (amount_deposit) to send to an address (deposit_address).',
	},
];

/** Sections 2.4 and 6: transaction types that quotes are given for. */
export const QUOTE_TYPES: Option[] = [
	{ name: 'Bank Payout (ACH)', value: 'withdrawal_ach' },
	{ name: 'QR Deposit', value: 'deposit_express' },
	{ name: 'QR Payout', value: 'withdrawal_express' },
];

/** Sections 2.4 and 6: transaction types that the interface names. */
export const TRANSACTION_TYPES: Option[] = [
	...QUOTE_TYPES,
	{ name: 'Crypto Deposit', value: 'deposit_crypto' },
	{ name: 'Crypto Payout', value: 'withdrawal_crypto' },
].sort((a, b) => a.name.localeCompare(b.name));

/** Section 6: the events a webhook can be registered for, which are also the transaction states. */
export const TRANSACTION_EVENTS: Option[] = [
	{ name: 'Completed', value: 'completed_transaction' },
	{ name: 'Expired', value: 'expired_transaction' },
	{ name: 'Failed', value: 'failed_transaction' },
	{ name: 'Pending', value: 'pending_transaction' },
	{ name: 'Processing', value: 'processing_transaction' },
	{ name: 'Rejected', value: 'reject_transaction' },
];

/** Section 3.1: the states on the way, in their order, and those that nothing is documented to come after. */
export const PENDING_STATUSES = ['pending_transaction', 'processing_transaction'];
export const FINAL_STATUSES = [
	'completed_transaction',
	'reject_transaction',
	'failed_transaction',
	'expired_transaction',
];

/** Section 2.8: how a delivery ended. */
export const LOG_ERROR = 'ERROR';
export const LOG_SUCCESS = 'SUCCESS';

export const LOG_STATUSES: Option[] = [
	{ name: 'Error', value: LOG_ERROR },
	{ name: 'Success', value: LOG_SUCCESS },
];
