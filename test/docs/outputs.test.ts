import { randomUUID } from 'node:crypto';
import { type IDataObject, type INodeParameters, type INodePropertyOptions } from 'n8n-workflow';

import { PartnerPayments } from '../../nodes/PartnerPayments/PartnerPayments.node';
import { BANK_MINIMAL, SAMPLES } from '../engine/samples';
import { useService } from '../engine/service';
import { readDocument } from './markdown';

const service = useService({ deliveryRetries: 0 });

const { properties } = new PartnerPayments().description;

/** The label of a resource or operation. */
function label(parameter: string, { resource, operation }: INodeParameters): string {
	const property = properties.find(
		({ name, displayOptions }) =>
			name === parameter &&
			(parameter === 'resource' || displayOptions?.show?.resource?.[0] === resource),
	);
	const value = parameter === 'resource' ? resource : operation;
	const choices = (property?.options ?? []) as INodePropertyOptions[];
	return choices.find((choice) => choice.value === value)?.name ?? '';
}

/** The output item that the guide shows for an operation, by resource and operation. */
const shown = new Map(
	readDocument('docs/reference/operations.md')
		.blocks.filter(({ language }) => language === 'json')
		.map(({ under, text }) => [under.slice(1).join(' > '), JSON.parse(text) as IDataObject]),
);

/** The names in an item and in the first entry of its lists, at any depth. */
function namesIn(value: unknown, path = ''): string[] {
	if (Array.isArray(value)) return namesIn(value[0], `${path}[]`);
	if (typeof value !== 'object' || value === null) return [path];
	return Object.entries(value)
		.flatMap(([name, entry]) => namesIn(entry, `${path}.${name}`))
		.sort();
}

/** The first item of each operation, from the sample with required fields only. */
async function outputsByOperation(): Promise<Map<string, IDataObject>> {
	const outputs = new Map<string, IDataObject>();
	for (const sample of SAMPLES) {
		const { parameters, items } = await sample.fillIn(service);
		const name = `${label('resource', parameters)} > ${label('operation', parameters)}`;
		if (outputs.has(name)) continue;
		const { json } = await service.run(parameters, { items });
		if (json.length) outputs.set(name, json[0]);
	}
	return outputs;
}

test('every operation in the guide shows an item as it really is', async () => {
	// For an entry in the delivery logs.
	await service.run({
		resource: 'webhook',
		operation: 'create',
		url: 'http://127.0.0.1:9/callback',
		events: ['completed_transaction'],
		status: 'ACTIVE',
	});
	const outputs = await outputsByOperation();
	const [transaction] = await service.sandbox.admin.transactions({ type: 'withdrawal_crypto' });
	await service.sandbox.admin.setStatus(transaction.id, 'completed_transaction');
	await service.sandbox.admin.drain();

	const { json: account } = await service.run({ resource: 'account', operation: 'get' });
	// Its own reference: the node remembers that of the sample.
	const { json: dryRun } = await service.run({
		...BANK_MINIMAL,
		externalReference: randomUUID(),
		options: { dryRun: true },
	});
	const { json: logs } = await service.run({ resource: 'webhookLog', operation: 'getAll' });
	for (const operation of ['getStatus', 'getAll']) {
		const { json } = await service.run(
			{ resource: 'transaction', operation },
			{ items: [{ transactionId: transaction.id }] },
		);
		const name = label('operation', { resource: 'transaction', operation });
		outputs.set(`Transaction > ${name}`, json[0]);
	}
	const { json: report } = await service.run(
		{ resource: 'transaction', operation: 'createReport' },
		{ items: [{ ...dryRun[0], outcome: 'created' }] },
	);
	outputs.set('Transaction > Create Report', report[0]);
	const { json: compared } = await service.run(
		{ resource: 'transaction', operation: 'reconcile' },
		{ items: [{ reference: randomUUID() }] },
	);
	outputs.set('Transaction > Reconcile', compared.at(-1) ?? {});
	outputs.set('Account > Get', account[0]);
	outputs.set('Payments and deposits', dryRun[0]);
	outputs.set('Webhook Log > Get Many', logs[0]);

	expect(shown.size).toBeGreaterThan(12);
	for (const [operation, item] of shown) {
		expect({ operation, names: namesIn(item) }).toEqual({
			operation,
			names: namesIn(outputs.get(operation)),
		});
	}
});
