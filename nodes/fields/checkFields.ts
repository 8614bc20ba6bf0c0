import { isEmpty, type Values } from './checks';
import type { Condition, Field } from './field';
import { tell } from './messages';
import type { AmountFormat } from './money';
import { showValue, type Problem } from './problem';

/** Gives the raw value of a field: from a parameter, or from a column. May throw n8n's errors. */
export type ReadField = (field: Field) => unknown;

const holds = (condition: Condition, values: Values) =>
	Object.entries(condition).every(([name, wanted]) => wanted.includes(String(values[name] ?? '')));

/**
 * Checks all fields of one item.
 *
 * @param read gives the raw value of a field, from a parameter or from a column
 * @param formats how amounts are written, by field name, where that is known
 * @returns the values to send, by field name, and every rule that is broken. Fields that do not
 *   belong to the chosen variant are left out whatever they hold.
 */
export function checkFields(
	fields: Field[],
	read: ReadField,
	formats?: ReadonlyMap<string, AmountFormat>,
): { values: Values; problems: Problem[] } {
	// No prototype: a field or column may have any name.
	const values = Object.create(null) as Values;
	const problems: Problem[] = [];
	for (const field of fields) {
		if (field.onlyWhen && !holds(field.onlyWhen, values)) continue;
		let raw: unknown;
		try {
			raw = read(field);
		} catch (error) {
			const reason = (error as Error).message;
			problems.push({ field: field.label, ...tell('expressionFails', { reason }) });
			continue;
		}
		if (isEmpty(raw)) {
			const condition = field.required ? field.onlyWhen : field.requiredWhen;
			if (field.required || (field.requiredWhen && holds(field.requiredWhen, values))) {
				problems.push({
					field: field.label,
					...(condition
						? tell('requiredWhen', { condition: conditionText(fields, condition) })
						: tell('required')),
				});
			}
			continue;
		}
		const checked = field.check(raw, values, formats?.get(field.name));
		if (checked.ok) {
			values[field.name] = checked.value;
			continue;
		}
		const { told } = checked;
		const value = isSecret(field) ? undefined : showValue(raw);
		problems.push({ field: field.label, value, ...told });
	}
	return { values, problems };
}

function conditionText(fields: Field[], condition: Condition): string {
	return Object.entries(condition)
		.map(([name, values]) => {
			const label = fields.find((field) => field.name === name)?.label ?? name;
			return `${label} is ${values.join(' or ')}`;
		})
		.join(' and ');
}

function isSecret(field: Field): boolean {
	return field.form.typeOptions?.password === true;
}
