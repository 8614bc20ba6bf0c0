import type { INodeParameters, INodeProperties } from 'n8n-workflow';

import { fieldsToInclude, withOutputProperties } from '../../nodes/fields/output';
import { nodeWith } from '../operations/context';

const property = (name: string, type: INodeProperties['type'] = 'string'): INodeProperties => ({
	displayName: name,
	name,
	type,
	default: '',
});

describe('the form of an operation', () => {
	const properties = [property('filters', 'collection'), property('limit')];

	test('stays as it is without a choice of what it returns', () => {
		expect(withOutputProperties({ properties, output: { id: 'string' } })).toBe(properties);
	});

	test('has the choice before filters and options', () => {
		const form = withOutputProperties({ properties, output: { id: 'string' }, simplified: ['id'] });
		expect(form.map(({ name }) => name)).toEqual(['limit', 'output', 'fieldsToInclude', 'filters']);
	});

	test('names the fields to include as people would, in alphabetical order', () => {
		const form = withOutputProperties({
			properties: [],
			output: {
				webhookUrl: 'string',
				transactionId: 'string',
				id: 'string',
				createdAt: 'string',
				urlOfIdea: 'string',
			},
			simplified: ['id'],
		});
		expect(form[1].options).toEqual([
			{ name: 'Created At', value: 'createdAt' },
			{ name: 'ID', value: 'id' },
			{ name: 'Transaction ID', value: 'transactionId' },
			{ name: 'Url Of Idea', value: 'urlOfIdea' },
			{ name: 'Webhook URL', value: 'webhookUrl' },
		]);
		expect(form[1].displayOptions).toEqual({ show: { output: ['selectedFields'] } });
	});

	test('has the words of n8n for AI agents', () => {
		const form = withOutputProperties({
			properties: [],
			output: { id: 'string' },
			simplified: ['id'],
		});
		expect(form).toEqual([
			{
				displayName: 'Output',
				name: 'output',
				type: 'options',
				options: [
					{ name: 'Raw', value: 'raw', description: 'All fields of the service' },
					{
						name: 'Selected Fields',
						value: 'selectedFields',
						description: 'The fields that you choose below',
					},
					{
						name: 'Simplified',
						value: 'simplified',
						description: 'The fields that matter most',
					},
				],
				default: 'raw',
				description: 'What each output item has. Less is easier for an AI agent.',
			},
			{
				displayName: 'Fields to Include',
				name: 'fieldsToInclude',
				type: 'multiOptions',
				options: [{ name: 'ID', value: 'id' }],
				default: [],
				required: true,
				description:
					'The fields of an item. Of a payment, outcome, message and reference are always there.',
				displayOptions: { show: { output: ['selectedFields'] } },
			},
		]);
	});
});

test.each<[INodeParameters, string[] | undefined]>([
	[{}, undefined],
	[{ output: 'raw', fieldsToInclude: ['a'] }, undefined],
	[{ output: 'simplified', fieldsToInclude: ['a'] }, ['id']],
	[{ output: 'selectedFields', fieldsToInclude: ['a', 'b'] }, ['a', 'b']],
	[{ output: 'selectedFields', fieldsToInclude: '={{ "a, b" }}' }, ['a', 'b']],
	[{ output: 'selectedFields' }, []],
])('with %j the items keep %j', (parameters, fields) => {
	expect(fieldsToInclude(nodeWith(parameters), ['id'], 0)).toEqual(fields);
	expect(fieldsToInclude(nodeWith({ output: 'simplified' }), undefined, 0)).toBeUndefined();
});
