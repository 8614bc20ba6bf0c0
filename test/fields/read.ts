import type { AmountFormat } from '../../nodes/fields/money';
import type { Validator } from '../../nodes/fields/validators';

/** What a validator makes of a value, or the code of its error. */
export function read(validate: Validator, raw: unknown, format?: AmountFormat): unknown {
	const result = validate(raw, {}, format);
	return result.ok ? result.value : `rejected: ${result.error.code}`;
}
