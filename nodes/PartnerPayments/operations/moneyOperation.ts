import type { MoneyEndpoint } from '../../batch/endpoint';
import { moneyProperties } from '../../batch/options/form';
import { runBatch } from '../../batch/runBatch';
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
		async execute() {
			return await runBatch(this, endpoint);
		},
	};
}
