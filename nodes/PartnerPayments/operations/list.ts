import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import type { Service } from '../../service/transport';
import { isChosen, LIST_PROPERTIES, readLimit } from './itemParameters';
import { type ItemOperation, toItems } from './operation';

/** What the service returns as a whole list. */
interface List extends Pick<ItemOperation, 'output' | 'simplified'> {
	read(service: Service, context: IExecuteFunctions, itemIndex: number): Promise<IDataObject[]>;
}

type Wording = Pick<ItemOperation, 'action' | 'description'>;

/**
 * Get Many of a list, which the node filters and cuts.
 *
 * @param more of the form: its filters have the names of the fields
 */
export function getMany(
	{ read, ...output }: List,
	wording: Wording,
	more: INodeProperties[] = [],
): ItemOperation {
	return {
		value: 'getAll',
		name: 'Get Many',
		...wording,
		properties: [...LIST_PROPERTIES, ...more],
		...output,
		async executeItem(service, itemIndex) {
			const wanted = readLimit(this, itemIndex);
			const chosen = this.getNodeParameter('filters', itemIndex, {}) as Record<string, string>;
			const passes = (entry: IDataObject) =>
				Object.entries(chosen).every(([name, value]) => isChosen(value, entry[name]));
			const list = await read(service, this, itemIndex);
			return toItems(list.filter(passes).slice(0, wanted));
		},
	};
}
