import type { ReadingSettings } from '../../fields/field';
import { entries } from '../../fields/form';
import type { NAME_ORDERS } from '../../fields/personNames';
import { bankCode, bankNameKey, isEmpty } from '../../fields/validators';
import type { MoneyEndpoint } from '../endpoint';
import { userMessage } from '../messages';
import { choiceOption, invalid, option, shown } from './option';

/** When the values come from columns. */
const FROM_COLUMNS = { show: { '/mappingMode': ['autoMapInputData'] } };

/** Whether an endpoint has a field that an option changes. */
function adjusts({ fields }: MoneyEndpoint, name: keyof ReadingSettings): boolean {
	return fields.some(({ adjustable }) => adjustable?.option === name);
}

/** How columns and values are read. */
export const READING = {
	fullName: choiceOption<keyof typeof NAME_ORDERS, undefined>(
		[
			{ name: 'Names First, One Surname', value: 'namesFirst1', description: 'Ana María Rojas' },
			{
				name: 'Names First, Two Surnames',
				value: 'namesFirst2',
				description: 'Ana María Rojas Vargas',
			},
			{
				name: 'Surnames First, One Surname',
				value: 'surnamesFirst1',
				description: 'Rojas Ana María',
			},
			{
				name: 'Surnames First, Two Surnames',
				value: 'surnamesFirst2',
				description: 'Rojas Vargas Ana María',
			},
		],
		{
			displayName: 'Columns: Full Name',
			default: 'surnamesFirst2',
			description:
				'How to split a column with whole names, if there is none with surnames. The dry run shows an example.',
			displayOptions: FROM_COLUMNS,
			appliesTo: ({ wholeName }) => wholeName !== undefined,
		},
	),
	accountSeparators: choiceOption(
		[
			{ name: 'Keep', value: 'keep', description: 'Send the account as it is written' },
			{ name: 'Reject', value: 'reject', description: 'Send no such item' },
			{ name: 'Remove', value: 'remove', description: 'Send the digits and letters only' },
		],
		{
			displayName: 'Values: Account Separators',
			description:
				'What to do with hyphens, dots and spaces in account numbers. Ask the service how it takes them.',
			unset: 'reject',
			appliesTo: (endpoint) => adjusts(endpoint, 'accountSeparators'),
		},
	),
	bankNames: option<ReadonlyMap<string, string> | undefined>(
		'fixedCollection',
		{
			displayName: 'Values: Bank Names',
			default: {},
			...entries('Bank', 'bank', [
				{
					displayName: 'Name',
					name: 'name',
					type: 'string',
					default: '',
					placeholder: 'e.g. Banco Unión',
					description: 'Name of the bank as the input has it',
				},
				{
					displayName: 'Code',
					name: 'code',
					type: 'string',
					default: '',
					placeholder: 'e.g. 1014',
					description: 'Code of the bank in the list of the service',
				},
			]),
			description:
				'The code of each bank by its name in the input. Case, accents, punctuation and words such as Banco do not matter. A name without a code is not sent.',
			appliesTo: (endpoint) => adjusts(endpoint, 'bankNames'),
		},
		toBankNames,
	),
	decimalSeparator: choiceOption(
		[
			{
				name: 'Automatic',
				value: 'automatic',
				description:
					'As the values of an input column prove, otherwise a dot. An ambiguous amount is rejected.',
			},
			{ name: 'Comma', value: 'comma', description: '1.234,56 and 1234,56' },
			{ name: 'Dot', value: 'dot', description: '1,234.56 and 1234.56' },
		],
		{
			displayName: 'Values: Decimal Separator',
			description: 'The character before the decimals in amounts that are text',
			unset: 'automatic',
			appliesTo: ({ fromResults }) => !fromResults,
		},
	),
	documentSuffix: choiceOption(
		[
			{ name: 'Reject', value: 'reject', description: 'Send no item with such a document' },
			{
				name: 'Remove Issuing Place',
				value: 'removePlace',
				description: 'Send 1498123 for 1498123 LP. A complement such as -1A is rejected.',
			},
		],
		{
			displayName: 'Values: Document Suffix',
			description: 'What to do with the place of issue behind the number of a document',
			unset: 'reject',
			appliesTo: (endpoint) => adjusts(endpoint, 'documentSuffix'),
		},
	),
};

function toBankNames(value: unknown, label: string): ReadonlyMap<string, string> {
	const given = (value as { bank?: unknown } | null | undefined)?.bank ?? [];
	const validate = bankCode();
	const codes = new Map<string, string>();
	for (const entry of Array.isArray(given) ? (given as unknown[]) : [undefined]) {
		const { name, code } = (entry ?? {}) as { name?: unknown; code?: unknown };
		const key = bankNameKey(String(name ?? ''));
		const valid = validate(code, {});
		if (key === '' || isEmpty(code) || !valid.ok)
			throw invalid(
				userMessage('bankNameInvalid', { option: label, name: shown(name), code: shown(code) }),
			);
		const text = String(valid.value);
		if ((codes.get(key) ?? text) !== text)
			throw invalid(userMessage('bankNameTwice', { option: label, name: shown(name) }));
		codes.set(key, text);
	}
	return codes;
}
