import { randomUUID } from 'node:crypto';
import {
	type IDataObject,
	type INodeParameters,
	type INodeProperties,
	type INodePropertyOptions,
} from 'n8n-workflow';

import { PartnerPayments } from '../../nodes/PartnerPayments/PartnerPayments.node';
import { addLog, aWebhook } from './samples';
import { useService } from './service';

const service = useService();

const { properties } = new PartnerPayments().description;

/** n8n’s guideline: the most fields of a simplified output. */
const MAX_FIELDS = 10;

const REFERENCE = 'order-42';

const byId = (value: string) => ({ __rl: true, mode: 'id', value });

/** The reads, with the parameters that find something. */
const READS: Record<string, () => INodeParameters | Promise<INodeParameters>> = {
	'businessClient.getAll': () => ({}),
	'quote.getAll': () => ({}),
	'transaction.getAll': () => ({}),
	'transaction.getStatus': () => ({ findBy: 'field', referenceOrId: REFERENCE }),
	'wallet.getAll': () => ({}),
	'webhook.get': async () => ({ webhookId: byId(await aWebhook(service)) }),
	'webhook.getAll': async () => {
		await aWebhook(service);
		return {};
	},
	'webhookLog.getAll': () => ({}),
};

/** The parameters of a read, with a transaction in the logs. */
async function parametersOf(name: string): Promise<INodeParameters> {
	const [resource, operation] = name.split('.');
	const event = {
		externalReference: REFERENCE,
		status: 'completed_transaction',
		transactionType: 'withdrawal_ach',
		timestamp: '2026-11-20T08:00:00.000Z',
		details: { amount: '10.00', asset: 'BOB', transactionId: randomUUID() },
	};
	addLog(service, event, event.timestamp);
	return { resource, operation, ...(await READS[name]()) };
}

/** The items of a run. Quotes have the time of their request. */
async function itemsOf(parameters: INodeParameters): Promise<IDataObject[]> {
	const { json, error } = await service.run(parameters);
	expect(error).toBeUndefined();
	return json.map((item) => ('timeStamp' in item ? { ...item, timeStamp: 'now' } : item));
}

/** A parameter of a read. */
function fieldOf(name: string, wanted: string): INodeProperties {
	const found = fieldsOf(wanted).find(([read]) => read === name);
	if (!found) throw new Error(`${name} has no ${wanted}`);
	return found[1];
}

/** The parameters with a name, by their reads. */
const fieldsOf = (wanted: string): Array<[string, INodeProperties]> =>
	properties
		.filter(({ name }) => name === wanted)
		.map((property) => {
			const { resource, operation } = property.displayOptions?.show ?? {};
			return [`${String(resource)}.${String(operation)}`, property];
		});

const valuesOf = ({ options }: INodeProperties) =>
	(options as INodePropertyOptions[]).map(({ value }) => String(value));

test('offers the fields of the reads that n8n describes for tools', () => {
	expect(fieldsOf('fieldsToInclude').map(([name]) => name)).toEqual(Object.keys(READS));
});

describe.each(Object.keys(READS))('%s', (name) => {
	test('offers Raw, Selected Fields and Simplified, and returns all unless asked', () => {
		const output = fieldOf(name, 'output');
		expect(valuesOf(output)).toEqual(['raw', 'selectedFields', 'simplified']);
		expect(output.default).toBe('raw');
	});

	test('returns at most ten fields with Simplified, with the values of Raw', async () => {
		const parameters = await parametersOf(name);
		const raw = await itemsOf({ ...parameters, output: 'raw' });
		const simplified = await itemsOf({ ...parameters, output: 'simplified' });

		expect(await itemsOf(parameters)).toEqual(raw);
		expect(simplified).toHaveLength(raw.length);
		const offered = valuesOf(fieldOf(name, 'fieldsToInclude'));
		for (const [index, item] of simplified.entries()) {
			const fields = Object.keys(item);
			expect(offered).toEqual(expect.arrayContaining(fields));
			expect(fields.length).toBeGreaterThan(2);
			expect(fields.length).toBeLessThanOrEqual(MAX_FIELDS);
			expect(fields.length).toBeLessThan(Object.keys(raw[index]).length);
			expect(raw[index]).toMatchObject(item);
		}
	});
});
