import { type IDataObject } from 'n8n-workflow';

import { outputSchemas, type Schema } from '../../build/schemas';
import { seed } from '../../sandbox/seed';
import { SAMPLES, type FilledIn, type Sample } from './samples';
import { useService, type TestService } from './service';

const service = useService();

/** Where a value differs from the schema. A null may replace any value. */
function differences(value: unknown, schema: Schema, where = 'item'): string[] {
	if (value === null || value === undefined) return [];
	if (schema.type === 'array') {
		if (!Array.isArray(value)) return [`${where} is no list`];
		return value.flatMap((entry) => differences(entry, schema.items as Schema, `${where}[]`));
	}
	if (schema.type === 'object') {
		if (typeof value !== 'object' || Array.isArray(value)) return [`${where} is no object`];
		const { properties = {} } = schema;
		return Object.entries(value).flatMap(([field, inner]) =>
			Object.hasOwn(properties, field)
				? differences(inner, properties[field], `${where}.${field}`)
				: [`${where}.${field} is not in the schema`],
		);
	}
	const isOfType =
		schema.type === 'integer' ? Number.isInteger(value) : typeof value === schema.type;
	return isOfType ? [] : [`${where} is no ${schema.type}`];
}

type Giving = Pick<FilledIn, 'parameters' | 'items'>;

/** Samples with filters may find nothing. */
const GIVING: Array<Pick<Sample, 'name'> & { fillIn: (service: TestService) => Promise<Giving> }> =
	[
		...SAMPLES.filter(({ name }) => !name.includes('filters')),
		{
			name: 'transaction.getAll',
			fillIn: async () => ({ parameters: { resource: 'transaction', operation: 'getAll' } }),
		},
		{
			name: 'transaction.reconcile',
			fillIn: async () => ({
				parameters: { resource: 'transaction', operation: 'reconcile' },
				items: [{ json: { reference: 'r' } }],
			}),
		},
		{
			name: 'transaction.createReport',
			fillIn: async () => ({
				parameters: { resource: 'transaction', operation: 'createReport' },
				items: [
					{
						json: {
							outcome: 'created',
							amount: '1',
							currency: 'BOB',
							toFund: { amount: '1', asset: 'USDC', blockchain: 'TRON', address: 'T' },
						},
					},
				],
			}),
		},
	];

test.each(GIVING.map((sample) => [sample.name, sample] as const))(
	'offers exactly the fields of the output in the editor: %s',
	async (_, sample) => {
		seed(service.business, { businessClients: 1, webhooks: 1, webhookLogs: 3 });
		const { parameters, items } = await sample.fillIn(service);
		// The output has everything that was requested; the image as text only with its option.
		const { json } = await service.run(
			{ ...parameters, options: { ...(parameters.options as object), includeBase64: false } },
			{ items },
		);

		const path = `v1.0.0/${String(parameters.resource)}/${String(parameters.operation)}.json`;
		const schema = outputSchemas().get(`PartnerPayments/__schema__/${path}`) as Schema;
		expect(json.length).toBeGreaterThan(0);
		expect(json.flatMap((item: IDataObject) => differences(item, schema))).toEqual([]);
	},
);
