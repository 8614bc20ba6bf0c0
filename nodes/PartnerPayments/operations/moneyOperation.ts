import type { MoneyEndpoint } from '../../batch/endpoint';
import { FUNDING_FIELDS, ROW_FIELDS } from '../../batch/items';
import { moneyProperties } from '../../batch/options/form';
import { runBatch } from '../../batch/runBatch';
import type { BatchOperation } from './operation';

const PAYS: BatchOperation['builderHint'] = {
	propertyHint:
		'Running it moves real money. Its output schema is published, so it need not be run to be known. To try it, set dryRun to true. Outside a saved workflow it pays nothing.',
};

/** The operation for an endpoint that moves money. */
export function moneyOperation(
	own: MoneyEndpoint & Pick<BatchOperation, 'value' | 'action' | 'description'>,
): BatchOperation {
	const output = { ...ROW_FIELDS, ...(own.funding && FUNDING_FIELDS), ...own.output };
	const endpoint = { ...own, output };
	const { value, name, action, description } = own;
	return {
		value,
		name,
		action,
		description,
		builderHint: PAYS,
		properties: moneyProperties(endpoint),
		output,
		async execute() {
			return await runBatch(this, endpoint);
		},
	};
}
