// Parts that the request schemas share. Allowed values come from sections 4 and 6.

export const transactionStatuses = [
	'pending_transaction',
	'processing_transaction',
	'completed_transaction',
	'reject_transaction',
	'failed_transaction',
	'expired_transaction',
] as const;

export type TransactionStatus = (typeof transactionStatuses)[number];

/** A text that must not be empty. */
export const filled = { type: 'string', minLength: 1 };
export const text = { type: 'string' };
export const uuid = { type: 'string', format: 'uuid' };
export const asset = { type: 'string', enum: ['USDC', 'USDT'] };
export const blockchain = { type: 'string', enum: ['Polygon', 'Ethereum', 'TRON'] };
export const fundingSource = { type: 'string', enum: ['balance', 'conversion'] };
export const amount = { type: 'number', minimum: 0 };

/** An object with these fields and no others. */
export function strictObject(properties: Record<string, object>, required: string[]) {
	return { type: 'object', properties, required, additionalProperties: false };
}

/** A condition on one field's value. A missing field doesn't meet it. */
export function when(field: string, value: string, then: object, otherwise?: object) {
	return {
		if: { properties: { [field]: { const: value } }, required: [field] },
		then,
		...(otherwise && { else: otherwise }),
	};
}

/** An address must have the form of its blockchain; a missing blockchain means Polygon (section 4.6). */
export function addressOf(field: string) {
	const shaped = (format: string) => ({ properties: { [field]: { format } } });
	return when('blockchain', 'TRON', shaped('tronAddress'), shaped('evmAddress'));
}

/** The `{id}` of a path. */
export const idParams = strictObject({ id: uuid }, ['id']);
