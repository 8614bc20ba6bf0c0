import type { INodeProperties } from 'n8n-workflow';

/** The part of a parameter's description by which an entry is picked. */
export type Locator = Pick<INodeProperties, 'type' | 'default' | 'modes'>;

/** The parts of a parameter by which a user picks an entry of a list, or enters its ID. */
export function locator(searchListMethod: string, placeholder: string): Locator {
	return {
		type: 'resourceLocator',
		default: { mode: 'list', value: '' },
		modes: [
			{
				displayName: 'From List',
				name: 'list',
				type: 'list',
				typeOptions: { searchListMethod, searchable: true },
			},
			{
				displayName: 'By ID',
				name: 'id',
				type: 'string',
				placeholder,
				validation: [
					{
						type: 'regex',
						properties: {
							regex: '^\\s*[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\\s*$',
							errorMessage: 'An ID is a UUID, such as 1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed',
						},
					},
				],
			},
		],
	};
}
