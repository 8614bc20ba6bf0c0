import { entries } from '../../fields/form';
import { bankCode, bankNameKey, isEmpty } from '../../fields/validators';
import { userMessage } from '../../messages/userMessage';
import { choiceOption, invalid, option, shown } from './option';

/** How values are read. A file as people write it is read by Read Payment File, which asks. */
export const READING = {
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
			appliesTo: ({ fields }) => fields.some(({ validateNamed }) => validateNamed),
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
