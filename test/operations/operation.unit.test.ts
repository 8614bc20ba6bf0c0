import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import type { IDataObject, INodeProperties } from 'n8n-workflow';

import {
	eachItem,
	resourceProperties,
	toItems,
	type Operation,
} from '../../nodes/PartnerPayments/operations/operation';
import { ServiceError, toOperationError } from '../../nodes/service/errors';
import { showHint, userMessage } from '../../nodes/messages/userMessage';
import { Service } from '../../nodes/service/transport';
import { nodeWith } from './context';

type Handler = Parameters<typeof eachItem>[1];

/** Handles items that a test gives, with a service that has waited so long. */
async function run(
	executeItem: Handler['executeItem'],
	{
		items = [{}, {}] as IDataObject[],
		parameters = {},
		waitedMs = 0,
		continueOnFail = true,
		...handler
	}: Partial<Handler> & {
		items?: IDataObject[];
		parameters?: Parameters<typeof nodeWith>[0];
		waitedMs?: number;
		continueOnFail?: boolean;
	} = {},
) {
	const context = nodeWith(parameters, items, { continueOnFail });
	const connect = jest.spyOn(Service, 'connect').mockResolvedValue({ waitedMs } as Service);
	const output = await eachItem(context, { executeItem, ...handler });
	return { output, json: output.map(({ json }) => json), hints: context.hints, connect };
}

const failing = (error: unknown) => async () => await Promise.reject(error as Error);

afterEach(() => jest.restoreAllMocks());

describe('an operation that handles each item alone', () => {
	test('connects once, and pairs what it returns with the item', async () => {
		const { output, connect } = await run(
			async (_, itemIndex) =>
				await Promise.resolve(
					toItems(itemIndex === 0 ? [{ a: 1 }, { a: 2 }] : [{ a: 3, b: 4 }]).map((item) => ({
						...item,
						binary: {},
					})),
				),
		);
		expect(output).toEqual([
			{ json: { a: 1 }, binary: {}, pairedItem: { item: 0 } },
			{ json: { a: 2 }, binary: {}, pairedItem: { item: 0 } },
			{ json: { a: 3, b: 4 }, binary: {}, pairedItem: { item: 1 } },
		]);
		expect(connect).toHaveBeenCalledTimes(1);
	});

	test('returns the chosen fields alone', async () => {
		const handle = async () => await Promise.resolve([{ json: { a: 1, b: 2, c: 3 } }]);
		const simplified = ['a'];
		const chosen = async (output: string) =>
			(
				await run(handle, {
					items: [{}],
					parameters: { output, fieldsToInclude: ['c', 'b'] },
					simplified,
				})
			).json;
		expect(await chosen('raw')).toEqual([{ a: 1, b: 2, c: 3 }]);
		expect(await chosen('simplified')).toEqual([{ a: 1 }]);
		expect(await chosen('selectedFields')).toEqual([{ c: 3, b: 2 }]);
		const without = await run(handle, { items: [{}], parameters: { output: 'simplified' } });
		expect(without.json).toEqual([{ a: 1, b: 2, c: 3 }]);
	});

	test('returns the error of a credential for every item, and asks for it once', async () => {
		const context = nodeWith({}, [{}, {}], { continueOnFail: true });
		const connect = jest.spyOn(Service, 'connect').mockRejectedValue(new Error('no credential'));
		const executeItem = jest.fn();
		const output = await eachItem(context, { executeItem });
		expect(output).toMatchObject([
			{ json: { message: 'no credential' }, pairedItem: { item: 0 } },
			{ json: { message: 'no credential' }, pairedItem: { item: 1 } },
		]);
		expect(connect).toHaveBeenCalledTimes(1);
		expect(executeItem).not.toHaveBeenCalled();
	});

	test('goes on after an item that fails, or stops', async () => {
		const handle = async (_: unknown, itemIndex: number) =>
			itemIndex === 0
				? await Promise.reject(new Error('first'))
				: await Promise.resolve([{ json: { ok: true } }]);
		const { json } = await run(handle);
		expect(json).toStrictEqual([{ error: { message: 'first' }, message: 'first' }, { ok: true }]);
		await expect(run(handle, { continueOnFail: false })).rejects.toThrow('first');
	});

	test('connects to no service without items', async () => {
		const { output, hints, connect } = await run(failing(new Error('never')), { items: [] });
		expect([output, hints]).toEqual([[], []]);
		expect(connect).not.toHaveBeenCalled();
	});

	test.each([
		[499, []],
		[500, [expect.stringContaining('waited 1 s')]],
		[61_400, [expect.stringContaining('waited 61 s')]],
	])('says that it waited %d ms for a rate limit', async (waitedMs, hints) => {
		const shown = await run(async () => await Promise.resolve([]), { waitedMs });
		expect(shown.hints).toEqual(hints);
	});
});

test('shows a hint as a warning with what to do, but a wait for the service as information', async () => {
	const context = nodeWith({});
	const show = jest.spyOn(context, 'addExecutionHints');
	jest.spyOn(Service, 'connect').mockResolvedValue({ waitedMs: 5_000 } as Service);
	showHint(context, userMessage('logsTooLong', { count: 500 }));
	await eachItem(context, { executeItem: async () => await Promise.resolve([]) });
	expect(show.mock.calls).toEqual([
		[
			{
				message: expect.stringMatching(/ 500 .* were not\. Set Check: Delivery Logs/) as string,
				type: 'warning',
			},
		],
		[{ message: userMessage('waitedForService', { seconds: 5 }).message, type: 'info' }],
	]);
});

describe('the error of an item', () => {
	const errorOf = async (error: unknown, more: Parameters<typeof run>[1] = {}) =>
		(await run(failing(error), { items: [{ id: 7, name: 'Ana' }], ...more })).json[0];

	test('has what the user message says', async () => {
		const context = nodeWith({});
		const error = toOperationError(context, userMessage('wrongLimit', { label: 'Limit' }), 0);
		expect(await errorOf(error)).toStrictEqual({
			error: {
				code: 'wrongLimit',
				message: '[Item 0] Limit must be a whole number of 1 or more',
				description: 'Enter a whole number.',
			},
			message: '[Item 0] Limit must be a whole number of 1 or more',
		});
	});

	test('has the status and the failure of a request', async () => {
		const error = new ServiceError(
			{ code: 'notAllowed', message: 'Not allowed', hint: 'Ask' },
			{ status: 403 },
		);
		expect(await errorOf(error)).toStrictEqual({
			error: {
				code: 'notAllowed',
				message: '[Item 0] Not allowed',
				failure: { cause: 'configuration-invalid' },
				description: 'Ask',
				httpCode: '403',
			},
			message: '[Item 0] Not allowed',
		});
		const lost = new ServiceError({ code: 'connectionLost', message: 'Lost', hint: '' });
		expect((await errorOf(lost)).error).not.toHaveProperty('httpCode');
	});

	test('keeps what the operation wants of the item', async () => {
		const kept = ({ id }: IDataObject) => ({ id, message: 'is replaced' });
		expect(await errorOf(new Error('x'), { kept })).toEqual({
			error: { id: 7, message: 'x' },
			message: 'x',
		});
	});

	test('names the item if n8n has to stop, and stays as it is if it is one of n8n', async () => {
		const stop = { continueOnFail: false };
		const thrown = async (error: unknown) =>
			await run(failing(error), stop).then(
				() => undefined,
				(reason: unknown) => reason,
			);
		expect(await thrown(new Error('x'))).toBeInstanceOf(NodeOperationError);
		expect(await thrown(new Error('x'))).toMatchObject({ context: { itemIndex: 0 } });
		expect(
			await thrown(new ServiceError(userMessage('wrongLimit', { label: 'Limit' }))),
		).toBeInstanceOf(NodeApiError);
		const context = nodeWith({});
		for (const own of [
			new NodeOperationError(context.getNode(), 'mine'),
			new NodeApiError(context.getNode(), { message: 'mine' }),
		]) {
			expect(await thrown(own)).toBe(own);
		}
	});
});

describe('the form of a resource', () => {
	const operation = (value: string, name: string, properties: INodeProperties[]): Operation => ({
		value,
		name,
		action: `${name} things`,
		description: `${name}!`,
		properties,
		output: {},
		execute: async () => await Promise.resolve([]),
	});
	const field = (name: string, displayOptions?: INodeProperties['displayOptions']) =>
		({ displayName: name, name, type: 'string', default: '', displayOptions }) as INodeProperties;

	const [chooser, ...fields] = resourceProperties({
		value: 'thing',
		name: 'Thing',
		operations: [
			operation('update', 'Update', [field('u')]),
			operation('create', 'Create', [field('c', { show: { kind: ['a'] }, hide: { old: [true] } })]),
		],
	});

	test('offers its operations in the order of their names', () => {
		expect(chooser).toMatchObject({
			name: 'operation',
			noDataExpression: true,
			displayOptions: { show: { resource: ['thing'] } },
			options: [
				{ name: 'Create', value: 'create', action: 'Create things', description: 'Create!' },
				{ name: 'Update', value: 'update', action: 'Update things', description: 'Update!' },
			],
			default: 'create',
		});
	});

	test('shows the fields of the chosen operation, under their own conditions', () => {
		expect(fields.map(({ name, displayOptions }) => [name, displayOptions])).toEqual([
			[
				'c',
				{
					show: { resource: ['thing'], operation: ['create'], kind: ['a'] },
					hide: { old: [true] },
				},
			],
			['u', { show: { resource: ['thing'], operation: ['update'] } }],
		]);
	});
});
