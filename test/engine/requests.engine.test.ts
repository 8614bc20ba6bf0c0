import { type INodePropertyOptions } from 'n8n-workflow';

import { PartnerPayments } from '../../nodes/PartnerPayments/PartnerPayments.node';
import { SAMPLES as FIXTURES } from '../fixtures/samples.cjs';
import { SAMPLES } from './samples';
import { useService } from './service';

const service = useService();

test('tests a sample of every operation, and of no other', () => {
	const { properties } = new PartnerPayments().description;
	const offered = properties
		.filter(({ name }) => name === 'operation')
		.flatMap(({ displayOptions, options }) =>
			(options as INodePropertyOptions[]).map(
				({ value }) => `${displayOptions?.show?.resource?.[0]}.${value}`,
			),
		);
	// They need no service.
	const local = ['payout.readPaymentFile', 'transaction.createReport'];
	const tried = FIXTURES.map(({ resource, operation }) => `${resource}.${operation}`);
	expect([...new Set([...tried, ...local])].sort()).toEqual(offered.sort());
});

describe('the request that the service receives', () => {
	test.each(SAMPLES)('sends the documented request: $name', async ({ fillIn }) => {
		const { parameters, items, request, before, more } = await fillIn(service);

		const { error } = await service.run(parameters, { items });

		expect(error).toBeUndefined();
		const sent = service.sent();
		expect(sent.slice(0, before.length).map(({ path }) => path)).toEqual(before);
		expect(sent.slice(before.length)).toStrictEqual([
			{ query: {}, body: undefined, ...request },
			...more.map((other) => ({ method: 'GET', path: other, query: {}, body: undefined })),
		]);
	});

	test.each(SAMPLES)('sends a bearer token, and a body only as JSON: $name', async ({ fillIn }) => {
		const { parameters, items, request } = await fillIn(service);
		await service.run(parameters, { items });

		const { headers } = service.sandbox.core.traffic.requests().at(-1) ?? {};
		expect(headers).toMatchObject({ authorization: 'Bearer ***' });
		const type = headers?.['content-type'];
		if (request.body) expect(type).toMatch(/^application\/json/);
		else expect(type).toBeUndefined();
	});
});
