/**
 * Values that several endpoints share, in alphabetical order of their labels, as the editor lists them.
 * Those of a single endpoint stand in its operation file.
 */
export interface Option {
	name: string;
	value: string;
	description?: string;
}

/** What people write for a value, by the service's spelling of it. */
export type ValueAliases = Readonly<Record<string, readonly string[]>>;

/** Options whose label is their value. */
export const sameLabel = (...values: string[]): Option[] =>
	values.map((value) => ({ name: value, value }));

/** Section 1: supported crypto assets. */
export const ASSETS = sameLabel('USDC', 'USDT');

/** Section 1: supported blockchains. */
export const BLOCKCHAINS = sameLabel('Ethereum', 'Polygon', 'TRON');

/** Sections 4.6 and 4.11: where the money comes from. */
export const FUNDING_SOURCES: Option[] = [
	{ name: 'Balance', value: 'balance', description: 'Use the account balance' },
	{
		name: 'Conversion',
		value: 'conversion',
		description:
			'Fund this payment with crypto. The service may answer with an amount (amount_deposit) to send to an address (deposit_address).',
	},
];

/** Sections 2.4 and 6: the transaction types that have quotes. */
export const QUOTE_TYPES: Option[] = [
	{ name: 'Bank Payout (ACH)', value: 'withdrawal_ach' },
	{ name: 'QR Deposit', value: 'deposit_express' },
	{ name: 'QR Payout', value: 'withdrawal_express' },
];

/** Sections 2.4 and 6: all documented transaction types. */
export const TRANSACTION_TYPES: Option[] = [
	...QUOTE_TYPES,
	{ name: 'Crypto Deposit', value: 'deposit_crypto' },
	{ name: 'Crypto Payout', value: 'withdrawal_crypto' },
].sort((a, b) => a.name.localeCompare(b.name));

/** Section 6: the events of a webhook, which are also the statuses of a transaction. */
export const TRANSACTION_EVENTS: Option[] = [
	{ name: 'Completed', value: 'completed_transaction' },
	{ name: 'Expired', value: 'expired_transaction' },
	{ name: 'Failed', value: 'failed_transaction' },
	{ name: 'Pending', value: 'pending_transaction' },
	{ name: 'Processing', value: 'processing_transaction' },
	{ name: 'Rejected', value: 'reject_transaction' },
];

/** The choice of the trigger for all events, of which the service has no name. */
export const ALL_EVENTS: Option = {
	name: 'All Events',
	value: 'all',
	description: 'Every change of status, whatever else is chosen',
};

/** Section 3.1: the statuses of an unfinished transaction, in order, and those that do not change. */
export const PENDING_STATUSES = ['pending_transaction', 'processing_transaction'];
export const FINAL_STATUSES = [
	'completed_transaction',
	'reject_transaction',
	'failed_transaction',
	'expired_transaction',
];

/** Section 2.8: the result of a delivery. */
export const LOG_ERROR = 'ERROR';
export const LOG_SUCCESS = 'SUCCESS';

export const LOG_STATUSES: Option[] = [
	{ name: 'Error', value: LOG_ERROR },
	{ name: 'Success', value: LOG_SUCCESS },
];
