import { idempotencyKey } from '../../fields/text';
import { listedNames } from '../../fields/validators';
import type { MoneyEndpoint } from '../endpoint';
import { userMessage } from '../../messages/userMessage';
import { booleanOption, choiceOption, invalid, numberOption, option, shown } from './option';

const DEFAULT_WINDOW_DAYS = 3;
const MAX_WINDOW_DAYS = 31;

/** Whether two rows can pay one payee the same. Each result of another payment is its own payment. */
function hasDuplicates({ payee, fromResults }: MoneyEndpoint): boolean {
	return payee !== undefined && !fromResults;
}

/** What was already sent, and what looks the same. */
export const DUPLICATES = {
	ifAlreadySent: choiceOption(
		[
			{
				name: 'Pay Again',
				value: 'payAgain',
				description: 'Pay the ones that you enter in References to Pay Again',
			},
			{
				name: 'Pay Again If Not in Logs',
				value: 'payAgainIfNotInLogs',
				description:
					'Pay the ones whose outcome is unknown, and that delivery logs which cover them do not have',
			},
			{
				name: 'Skip',
				value: 'skip',
				description: 'Send the other items. The outcome of these is alreadySent.',
			},
		],
		{
			displayName: 'Duplicates: If Already Sent',
			description: 'What to do with items whose reference an earlier execution of this node sent',
			unset: () => 'skip',
		},
	),
	referencesToPayAgain: option<PayAgainRequests>(
		'string',
		{
			displayName: 'Duplicates: References to Pay Again',
			typeOptions: { rows: 3 },
			default: '',
			placeholder: 'e.g. 5f0c6f6e-3b1d-…',
			description:
				'References that the service did not create, one per line. Each is paid again once; <code>#2</code> after a reference asks for a second time.',
			displayOptions: { show: { ifAlreadySent: ['payAgain'] } },
			unset: () => new Map<string, number>(),
		},
		toReferences,
	),
	rememberSent: booleanOption({
		displayName: 'Duplicates: Remember Sent References',
		description:
			'Whether this node remembers which references it sent, so that no later execution sends them again. A copy of the node remembers nothing.',
		unset: ({ paysOut }) => paysOut,
	}),
	duplicatePayments: choiceOption(
		[
			{ name: 'Allow', value: 'allow', description: 'Pay each of them' },
			{
				name: 'Reject',
				value: 'reject',
				description: 'Reject all but the first: they may be copied rows',
			},
			{ name: 'Report', value: 'report', description: 'Pay each of them and name them in a hint' },
		],
		{
			displayName: 'Duplicates: Same Payee and Amount',
			description:
				'What to do with items that have the payee, amount and description of another item, or of a payment of the last days, whatever their references',
			unset: ({ reportsDuplicates }) => (reportsDuplicates ? 'report' : 'reject'),
			appliesTo: hasDuplicates,
		},
	),
	duplicateWindow: numberOption<number>(
		{ min: 0, max: MAX_WINDOW_DAYS, isWhole: true },
		{
			displayName: 'Duplicates: Window (Days)',
			description:
				'How many days back duplicates are found for certain. Payments that are twice as old never count. 0 compares only the items of one execution.',
			unset: () => DEFAULT_WINDOW_DAYS,
			appliesTo: hasDuplicates,
		},
	),
};

/** Which references a person wants to be paid again, by idempotency key: how many times in total. */
export type PayAgainRequests = ReadonlyMap<string, number>;

function toReferences(value: unknown, label: string): PayAgainRequests {
	const lines = listedNames(value);
	if (lines.length === 0) {
		throw invalid(userMessage('optionEmpty', { option: label }));
	}
	const times = new Map<string, number>();
	for (const line of lines) {
		const mark = line.lastIndexOf('#');
		const number = mark === -1 ? 1 : Number(line.slice(mark + 1));
		if (!Number.isInteger(number) || number < 1 || (mark !== -1 && line[mark - 1] !== ' '))
			throw invalid(userMessage('payAgainUnclear', { option: label, value: shown(line) }));
		const key = idempotencyKey(mark === -1 ? line : line.slice(0, mark));
		times.set(key, Math.max(times.get(key) ?? 0, number));
	}
	return times;
}
