import type { MoneyEndpoint } from '../../payments/endpoint';
import { moneyProperties } from '../../payments/form';
import { runBatch } from '../../payments/runBatch';
import { ROW_FIELDS, TO_FUND } from '../../payments/report';
import type { BatchOperation } from './operation';

/** The operation for an endpoint that moves money. */
export function moneyOperation(
	endpoint: MoneyEndpoint & Pick<BatchOperation, 'value' | 'action' | 'description'>,
): BatchOperation {
	const { value, name, action, description } = endpoint;
	return {
		value,
		name,
		action,
		description,
		properties: moneyProperties(endpoint),
		output: {
			...ROW_FIELDS,
			// A row that waits for crypto has a code and a hint.
			...(endpoint.funding && { code: 'string', hint: 'string', toFund: TO_FUND }),
			...endpoint.answer,
		},
		async execute() {
			return await runBatch(this, endpoint);
		},
	};
}
