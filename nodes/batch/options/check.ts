import { entries, textProperty } from '../../fields/form';
import { compareDecimals } from '../../fields/money';
import { isEmpty } from '../../fields/validators';
import { ENVIRONMENTS, type Environment } from '../../service/baseUrl';
import { parseFingerprint, type Fingerprint } from '../fingerprint';
import { userMessage } from '../../messages/userMessage';
import {
	booleanOption,
	choiceOption,
	invalid,
	numberOption,
	option,
	shown,
	toDecimal,
} from './option';

const DEFAULT_LOG_DAYS = 31;
const MAX_LOG_DAYS = 366;

/** The look of an option with an amount for each currency. */
const AMOUNTS = {
	default: {},
	...entries('Total', 'total', [
		textProperty('Currency', 'currency', { placeholder: 'e.g. BOB' }),
		textProperty('Amount', 'amount', { placeholder: 'e.g. 125000.50' }),
	]),
};

/** What is checked before anything is sent. */
export const CHECK = {
	accountChanges: choiceOption(
		[
			{
				name: 'Hold',
				value: 'hold',
				description: 'Send the other items, and these only if approved',
			},
			{ name: 'Off', value: 'off', description: 'Remember no payees' },
			{ name: 'Reject', value: 'reject', description: 'Send nothing if there is such an item' },
			{ name: 'Report', value: 'report', description: 'Send these items and name them in a hint' },
		],
		{
			displayName: 'Check: Account Changes',
			description:
				'What to do if a payee was paid before, but never to this account. Hold sends the item if Approval Code is that of a dry run which showed it.',
			unset: () => 'report',
			appliesTo: ({ hasAccounts }) => hasAccounts === true,
		},
	),
	approvalCode: option<Fingerprint | undefined>(
		'string',
		{
			displayName: 'Check: Approval Code',
			default: '',
			placeholder: 'e.g. 40 payments, 12,345.60 BOB, 3f2a…',
			builderHint: { propertyHint: 'summary.fingerprint of the dry run that a person approved' },
			description:
				'The <code>summary.fingerprint</code> of a dry run that was approved. If it is empty or doesn’t match these payments, nothing is sent.',
		},
		toFingerprint,
	),
	checkBalance: booleanOption({
		displayName: 'Check: Balance',
		description:
			'Whether to send nothing if the payout balance does not cover the total per currency. Items funded by conversion do not count.',
		appliesTo: ({ transactionType }) => transactionType !== undefined,
	}),
	dailyLimit: option<Map<string, string> | undefined>(
		'fixedCollection',
		{
			displayName: 'Check: Daily Limit (This Node)',
			...AMOUNTS,
			description:
				'The most that all executions of this node may pay on a day, per currency. Otherwise nothing is sent. A day begins at midnight in the workflow’s time zone.',
			appliesTo: ({ paysOut }) => paysOut,
		},
		toTotals,
	),
	checkDeliveryLogs: numberOption<undefined>(
		{ min: 0, max: MAX_LOG_DAYS, isWhole: true },
		{
			displayName: 'Check: Delivery Logs (Days)',
			default: DEFAULT_LOG_DAYS,
			description:
				'How many days of the service’s logs to search before sending. What they have counts as already sent, whoever sent it. 0 never searches.',
			unset: ({ fromResults }) => (fromResults ? DEFAULT_LOG_DAYS : undefined),
		},
	),
	maximumAmount: option<string | undefined>(
		'number',
		{
			displayName: 'Check: Maximum Amount',
			typeOptions: { minValue: 0 },
			default: 0,
			description:
				'The largest amount of an item. An item with a larger or unknown amount is rejected before anything is sent.',
		},
		toDecimal,
	),
	maximumTotals: option<Map<string, string> | undefined>(
		'fixedCollection',
		{
			displayName: 'Check: Maximum Totals',
			...AMOUNTS,
			description:
				'The largest total of all items, per currency. If a total is larger, or there is another currency, nothing is sent.',
		},
		toTotals,
	),
	requiredEnvironment: choiceOption<Environment, undefined>(ENVIRONMENTS, {
		displayName: 'Check: Required Environment',
		default: 'production',
		description:
			'Send nothing if the credential states another Environment or none. The service has no way to confirm what the credential states.',
		appliesTo: ({ paysOut }) => paysOut,
	}),
};

function toFingerprint(value: unknown, label: string): Fingerprint {
	if (isEmpty(value)) throw invalid(userMessage('optionEmpty', { option: label }));
	const fingerprint = parseFingerprint(value);
	if (fingerprint) return fingerprint;
	throw invalid(userMessage('approvalCodeInvalid', { option: label, value: shown(value) }));
}

function toTotals(value: unknown, label: string): Map<string, string> {
	const given = (value as { total?: unknown } | null | undefined)?.total;
	if (!Array.isArray(given) || given.length === 0) {
		throw invalid(userMessage('optionEmpty', { option: label }));
	}
	const totals = new Map<string, string>();
	for (const entry of given as unknown[]) {
		const { currency, amount } = (entry ?? {}) as { currency?: unknown; amount?: unknown };
		const key = String(currency ?? '')
			.trim()
			.toUpperCase();
		if (key === '') throw invalid(userMessage('optionEmpty', { option: label }));
		const own = toDecimal(amount, `${label} for ${key}`);
		// Of two limits for a currency, both hold.
		if (compareDecimals(own, totals.get(key) ?? own) <= 0) totals.set(key, own);
	}
	return totals;
}
