import { entries, textProperty } from '../../fields/form';
import { bankCode, bankNameKey, isEmpty } from '../../fields/validators';
import { userMessage } from '../../messages/userMessage';
import { invalid, option, shown } from './option';

/** What the values of columns mean. A file as people write it is read by Read Payment File, which asks. */
export const VALUES = {
	bankNames: option<ReadonlyMap<string, string> | undefined>(
		'fixedCollection',
		{
			displayName: 'Values: Bank Names',
			default: {},
			...entries('Bank', 'bank', [
				textProperty('Name', 'name', {
					placeholder: 'e.g. Banco Unión',
					description: 'Name of the bank as the input has it',
				}),
				textProperty('Code', 'code', {
					placeholder: 'e.g. 1014',
					description: 'Code of the bank in the list of the service',
				}),
			]),
			description:
				'The code of each bank by its name in the input. Case, accents, punctuation and words such as Banco do not matter.',
			appliesTo: ({ fields }) => fields.some(({ validateNamed }) => validateNamed),
		},
		toBankNames,
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
		const text = valid.ok ? String(valid.value) : '';
		if (key === '' || isEmpty(code) || !valid.ok || (codes.get(key) ?? text) !== text)
			throw invalid(
				userMessage('bankNameInvalid', { option: label, name: shown(name), code: shown(code) }),
			);
		codes.set(key, text);
	}
	return codes;
}
