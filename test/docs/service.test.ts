/* eslint-disable @n8n/community-nodes/no-restricted-imports -- runs outside n8n */
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fastify } from 'fastify';

import { PartnerPaymentsApi } from '../../credentials/PartnerPaymentsApi.credentials';
import { RESOURCES } from '../../nodes/PartnerPayments/resources';
import { validateFields, toBody } from '../../nodes/fields/validateFields';
import { type Field } from '../../nodes/fields/field';
import { type Operation } from '../../nodes/PartnerPayments/operations/operation';
import { Core } from '../../sandbox/core';
import { seed } from '../../sandbox/seed';
import { serviceRoutes } from '../../sandbox/server';
import { defaultSettings } from '../../sandbox/settings';
import { ajvOptions } from '../../sandbox/validation';
import { fillIn, SAMPLES } from '../fixtures/samples.cjs';
import { Service } from '../sandbox/service';
import { ROOT } from './markdown';
import {
	ANSWERS,
	ENDPOINTS,
	LISTED,
	namesIn,
	QUOTE_FILTERS,
	requestWith,
	SECTIONS,
	type Endpoint,
	type RequestField,
} from './service';

// Drawing them takes most of the time, and is not what is tested here.
jest.mock('qrcode', () => ({ toDataURL: async () => 'data:image/png;base64,iVBORw0KGgo=' }));

// An operation as the fields that it is made of, in place of the form that follows from them.
jest.mock('../../nodes/PartnerPayments/operations/moneyOperation', () => ({
	moneyOperation: (endpoint: { fields: unknown[] }) => ({
		...endpoint,
		properties: endpoint.fields,
	}),
}));
jest.mock('../../nodes/fields/form', () => ({
	...jest.requireActual<object>('../../nodes/fields/form'),
	toProperties: (fields: unknown[]) => fields,
}));

const OPERATIONS = new Map<string, Operation>(
	RESOURCES.flatMap(({ name: resource, operations }) =>
		operations.map((operation) => [`${resource} > ${operation.name}`, operation] as const),
	),
);

const isLogin = ({ request }: Endpoint) => request.endsWith('/auth/login');

const withFields = ENDPOINTS.filter(({ fields }) => fields.length > 0).map(
	(endpoint) => [endpoint.request, endpoint] as const,
);

/** The service as somebody understands it: what it takes, and what it rejects as malformed. */
interface Side {
	/** The dotted paths of the fields that it knows. */
	names(endpoint: Endpoint): string[];
	rejects(endpoint: Endpoint, request: Record<string, unknown>): Promise<boolean>;
	/** Whether it rejects a value, for its own reason, that the service would accept. */
	isStricter(field: RequestField, value: unknown): boolean;
}

/** A value for a message, shortened. */
function shown(value: unknown): string {
	const text = JSON.stringify(value);
	return text.length > 40 ? `${text.slice(0, 20)}… (${text.length - 2} characters)` : text;
}

/** Where a side differs from the table: an empty list passes, and a failure says where. */
async function differences(side: Side, endpoint: Endpoint, field: RequestField): Promise<string[]> {
	const { fields } = endpoint;
	const { name, required, accepted, rejected } = field;
	const wrong: string[] = [];
	const expectRejection = async (isExpected: boolean, what: string, request: object) => {
		const isRejected = await side.rejects(endpoint, request as Record<string, unknown>);
		if (isRejected !== isExpected) wrong.push(`${what} is ${isRejected ? 'rejected' : 'accepted'}`);
	};
	const condition = typeof required === 'object' ? { [required.field]: required.value } : {};
	for (const value of [...accepted, ...rejected]) {
		const isExpected = rejected.includes(value) || side.isStricter(field, value);
		const request = requestWith(fields, { ...condition, [name]: value });
		await expectRejection(isExpected, `${name}: ${shown(value)}`, request);
	}
	if (typeof required === 'object') {
		const missing = requestWith(fields, condition, name);
		await expectRejection(true, `no ${name} with ${required.field} ${required.value}`, missing);
		const others = fields.find((one) => one.name === required.field)?.accepted ?? [];
		for (const other of others.filter((value) => value !== required.value)) {
			const needless = requestWith(fields, { [required.field]: other }, name);
			await expectRejection(false, `no ${name} with ${required.field} ${String(other)}`, needless);
		}
	} else if (required !== 'not shown') {
		await expectRejection(required === 'yes', `no ${name}`, requestWith(fields, {}, name));
	}
	return wrong;
}

/** Where the resources of section 2 are found, and under which key of the answer. */
const RESOURCES_OF: Array<{ section: string; request: string; key?: string }> = [
	{ section: '2.1', request: 'POST /v2/auth/login', key: 'user' },
	{ section: '2.2', request: 'GET /v2/business-clients' },
	{ section: '2.3', request: 'GET /v2/wallets', key: 'wallets' },
	{ section: '2.4', request: 'GET /v2/quotes' },
	{ section: '2.5', request: 'GET /v2/transactions/payouts/balance' },
	{ section: '2.7', request: 'GET /v2/webhooks' },
	{ section: '2.8', request: 'GET /v2/webhooks/logs', key: 'logs' },
];

/** The fields of a resource. */
function answerOf(section: string) {
	return ANSWERS.find(({ of }) => of === section) ?? { names: [], objects: [] };
}

/** The names of the operations that send a request. */
function operationsOf(request: string): string[] {
	return LISTED.find((one) => one.request === request)?.operations ?? [];
}

/** Not the login, which has the credential's, and not a query. */
const hasForm = (endpoint: Endpoint) => !isLogin(endpoint) && !endpoint.isQuery;

/** The fields of an operation, without those that only shape its form. */
function fieldsOf({ request }: Endpoint): Field[] {
	const properties: unknown[] = OPERATIONS.get(operationsOf(request)[0])?.properties ?? [];
	return properties.filter(
		(property): property is Field => typeof (property as Partial<Field>).validate === 'function',
	);
}

/** The value at a dotted path. */
const valueAt = (request: object, path: string): unknown =>
	path
		.split('.')
		.reduce<unknown>(
			(value, name) => (value as Record<string, unknown> | undefined)?.[name],
			request,
		);

const node: Side = {
	names: (endpoint) => [...new Set(fieldsOf(endpoint).flatMap(({ to }) => to ?? []))],
	async rejects(endpoint, request) {
		const fields = fieldsOf(endpoint);
		const { values, errors } = validateFields(fields, ({ to, form }) =>
			to === undefined ? form.default : valueAt(request, to),
		);
		// What is let through arrives as it was given, in the place where it was given.
		if (errors.length === 0) expect(toBody(fields, values)).toStrictEqual(request);
		return errors.length > 0;
	},
	isStricter({ note }, value) {
		const [, stricter = ''] = /([^;]*) (?:is|are) rejected by the node/.exec(note) ?? [];
		return stricter.match(/\w+/g)?.includes(String(value)) === true;
	},
};

describe('the sandbox', () => {
	/** What each route lets in, as its schema names it. */
	const routes = new Map<string, string[]>();
	let service: Service;

	beforeAll(async () => {
		service = await Service.start({ duplicateReferences: 'accept', deliveryRetries: 0 });
		const core = new Core({});
		const app = fastify({ ajv: ajvOptions, exposeHeadRoutes: false });
		app.addHook('onRoute', ({ method, url, schema }) => {
			const request = `${String(method)} ${url.replace(/:(\w+)/g, '{$1}')}`;
			routes.set(request, fieldsIn(schema?.body ?? schema?.querystring));
		});
		await app.register(serviceRoutes(core));
		await app.ready();
		await app.close();
		core.stop();
	});
	afterAll(async () => await service.sandbox.close());

	/** The fields of a schema, at any depth. */
	function fieldsIn(schema: unknown, path = ''): string[] {
		const { properties = {} } = (schema ?? {}) as { properties?: object };
		return Object.entries(properties).flatMap(([name, inner]) => [
			path + name,
			...fieldsIn(inner, `${path}${name}.`),
		]);
	}

	const side: Side = {
		names: ({ request }) => routes.get(request) ?? [],
		async rejects(endpoint, values) {
			const [method, path] = endpoint.request.replace('{id}', randomUUID()).split(' ');
			const query = new URLSearchParams(values as Record<string, string>).toString();
			const { status } = endpoint.isQuery
				? await service.call(method, `${path}?${query}`)
				: await service.call(method, path, values);
			// What is well-formed may still name what does not exist, or a password that is wrong.
			expect(isLogin(endpoint) ? [400, 401] : [200, 201, 400, 404]).toContain(status);
			return status === 400;
		},
		isStricter: () => false,
	};

	test('has every endpoint, and no other', () => {
		const requests = ENDPOINTS.map(({ request }) => request);
		expect([...routes.keys()].sort()).toEqual(requests.sort());
	});

	describe.each(withFields)('%s', (_, endpoint) => {
		const { fields } = endpoint;

		test('knows these fields, and no others', () => {
			expect(side.names(endpoint).sort()).toEqual(fields.map(({ name }) => name).sort());
		});

		test.each(fields.map((field) => [field.name, field] as const))(
			'%s has the documented limits and values',
			async (_name, field) => {
				expect(await differences(side, endpoint, field)).toEqual([]);
			},
		);

		test('wants each in its own type', async () => {
			const accepted: string[] = [];
			for (const { name, type } of endpoint.isQuery ? [] : fields) {
				const other = type === 'string' ? 12345 : '12345';
				const request = requestWith(fields, { [name]: other });
				if (!(await side.rejects(endpoint, request))) accepted.push(name);
			}
			expect(accepted).toEqual([]);
		});
	});

	/** Its answers to a valid request, in each variant that section 4 has of it. */
	async function answersTo(request: string): Promise<unknown[]> {
		const { email, password } = service.sandbox;
		const [method, path] = request.split(' ');
		const fields = ENDPOINTS.find((one) => one.request === request)?.fields ?? [];
		const conditions = fields.flatMap(({ required }) =>
			typeof required === 'object' ? [{ [required.field]: required.value }] : [],
		);
		const { walletId } = (await service.call('GET', '/v2/wallets')).body.wallets[0];
		const known = { email, password, walletId };
		const given = Object.entries(known).filter(([name]) => fields.some((one) => one.name === name));
		const answers: unknown[] = [];
		for (const condition of [{}, ...conditions]) {
			const values = requestWith(fields, { ...Object.fromEntries(given), ...condition });
			const { status, body } = await service.call(
				method,
				path.replace('/wallets/{id}', `/wallets/${walletId}`),
				method === 'GET' ? undefined : values,
			);
			expect([200, 201]).toContain(status);
			answers.push(body);
		}
		return answers;
	}

	test.each(ANSWERS.filter(({ isResource }) => !isResource))(
		'$of: answers with these fields, and no others',
		async ({ of, names, objects }) => {
			const answered = (await answersTo(of)).flatMap((answer) => namesIn(answer, objects));
			expect([...new Set(answered)].sort()).toEqual([...names].sort());
		},
	);

	test.each(RESOURCES_OF)('$section: is in the answer to $request', async (resource) => {
		seed(service.sandbox.core.state.allBusinesses()[0], { webhooks: 1, webhookLogs: 1 });
		const { section, request, key } = resource;
		const [answer] = await answersTo(request);
		const { names, objects } = answerOf(section);
		const entries = [key === undefined ? answer : (answer as Record<string, unknown>)[key]].flat();
		const found = entries.flatMap((entry) => namesIn(entry, objects));
		expect([...new Set(found)].sort()).toEqual([...names].sort());
	});

	test.each(QUOTE_FILTERS)('filters quotes by $name', async ({ name, accepted, rejected }) => {
		const { quotePairParameter, quoteTypeParameter } = defaultSettings;
		const parameter = name === 'pair' ? quotePairParameter : quoteTypeParameter;
		const statusOf = async (value: unknown) =>
			(await service.call('GET', `/v2/quotes?${parameter}=${encodeURIComponent(String(value))}`))
				.status;
		for (const value of accepted) expect([value, await statusOf(value)]).toEqual([value, 200]);
		for (const value of rejected) expect([value, await statusOf(value)]).toEqual([value, 400]);
	});

	test.each(withFields.filter(([, endpoint]) => hasForm(endpoint)))(
		'%s: takes what the form of the node lets through, where it is not shown what is required',
		async (_, endpoint) => {
			const rejected: string[] = [];
			for (const { name, required } of endpoint.fields) {
				const request = requestWith(endpoint.fields, {}, name);
				if (required !== 'not shown' || (await node.rejects(endpoint, request))) continue;
				if (await side.rejects(endpoint, request)) rejected.push(name);
			}
			expect(rejected).toEqual([]);
		},
	);
});

/** What makes no request. */
const WITHOUT_ENDPOINT = ['Transaction > Create Report', 'Payout > Read Payment File'];

describe('the node', () => {
	test('has an operation for every endpoint, and no other', () => {
		const listed = LISTED.flatMap(({ operations }) => operations);
		expect([...new Set([...listed, ...WITHOUT_ENDPOINT])].sort()).toEqual(
			[...OPERATIONS.keys()].sort(),
		);
	});

	describe.each(withFields.filter(([, endpoint]) => hasForm(endpoint)))('%s', (_, endpoint) => {
		const { fields } = endpoint;

		test('sends these fields, and no others', () => {
			const sent = fields.filter(({ type }) => type !== 'object').map(({ name }) => name);
			expect([...node.names(endpoint)].sort()).toEqual(sent.sort());
		});

		test.each(fields.map((field) => [field.name, field] as const))(
			'%s has the documented limits and values',
			async (_name, field) => {
				expect(await differences(node, endpoint, field)).toEqual([]);
			},
		);

		test('offers the allowed values of each field, and no others', () => {
			const offered = fieldsOf(endpoint).flatMap(({ to, form }) => {
				const values = (form.options ?? []).flatMap((option) =>
					'value' in option && option.value !== '' ? [String(option.value)] : [],
				);
				return to !== undefined && values.length > 0 ? [[to, values.sort()]] : [];
			});
			const allowed = fields
				.filter(({ rejected }) => rejected.flat().includes('NONE'))
				.map(({ name, accepted }) => [name, [...new Set(accepted.flat())].sort()]);
			expect(Object.fromEntries(offered)).toEqual(Object.fromEntries(allowed));
		});
	});

	test.each(withFields.filter(([, endpoint]) => isLogin(endpoint)))(
		'%s: the credential has its fields',
		(_, { fields }) => {
			const required = new PartnerPaymentsApi().properties
				.filter((property) => property.required)
				.map(({ name }) => name);
			expect(required).toEqual(expect.arrayContaining(fields.map(({ name }) => name)));
		},
	);

	test.each(withFields.filter(([, { isQuery }]) => isQuery))(
		'%s: is asked for with each of its parameters, and no others',
		(_, { request, fields }) => {
			const queries = SAMPLES.map(
				(sample) => fillIn(sample, { client: '', wallet: '', webhook: 'any' }).request,
			)
				.filter(({ method, path }) => `${method} ${path}` === request)
				.map(({ query = {} }) => query);
			const names = queries.flatMap((query) => Object.keys(query));
			expect([...new Set(names)].sort()).toEqual(fields.map(({ name }) => name).sort());
			const most = Math.max(...queries.map(({ limit }) => Number(limit)));
			expect(fields.find(({ name }) => name === 'limit')?.accepted).toEqual([most]);
		},
	);

	test.each(RESOURCES_OF)('$section: is what the editor offers of $request', (resource) => {
		const { request, section } = resource;
		const { names, objects } = answerOf(section);
		const output = OPERATIONS.get(operationsOf(request)[0])?.output;
		expect(namesIn(output, objects).sort()).toEqual([...names].sort());
	});

	test.each(QUOTE_FILTERS)('offers the values of the quotes’ $name, and no others', (filter) => {
		const filters = OPERATIONS.get('Quote > Get Many')?.properties.find(
			({ name }) => name === 'filters',
		);
		const choice = (filters?.options ?? []).find(
			(option) => 'displayName' in option && option.displayName.toLowerCase() === filter.name,
		);
		const offered = choice && 'options' in choice ? (choice.options ?? []) : [];
		const values = offered.map((option) => ('value' in option ? option.value : undefined));
		expect(values.sort()).toEqual([...filter.accepted].sort());
	});
});

describe('docs/reference/service.md', () => {
	test('lists every endpoint in its section, and no other', () => {
		const listed = LISTED.map(({ section, request }) => `${section} ${request}`);
		const described = ENDPOINTS.map(({ section, request }) => `${section} ${request}`);
		expect(listed).toEqual(described);
	});

	test('has every section that a comment names', () => {
		const named = sources().flatMap((file) =>
			sectionsIn(readFileSync(join(ROOT, file), 'utf8')).map((section) => ({ file, section })),
		);
		expect(named.length).toBeGreaterThan(80);
		expect(named.filter(({ section }) => !SECTIONS.includes(section))).toEqual([]);
	});
});

/** The files of the project that have comments. A folder of installed or generated files may be next to them. */
function sources(): string[] {
	const folders = ['bench', 'credentials', 'e2e/harness', 'e2e/tests', 'nodes', 'sandbox', 'test'];
	const inFolders = folders.flatMap((folder) =>
		(readdirSync(join(ROOT, folder), { recursive: true }) as string[]).map((file) =>
			join(folder, file),
		),
	);
	const inE2e = readdirSync(join(ROOT, 'e2e')).map((file) => join('e2e', file));
	return [...inE2e, ...inFolders].filter((file) => /\.(ts|m?js)$/.test(file));
}

/** The sections that a text names, as in “section 4.6” or “sections 4.6, 4.9 and 4.10”, but not those of an RFC. */
function sectionsIn(text: string): string[] {
	const lists = text.matchAll(
		/(?<!RFC \d+, )\bsections?[\s*/]+(\d+(?:\.\d+)?(?:(?:, | and )\d+(?:\.\d+)?)*)/gi,
	);
	return [...lists].flatMap(([, list]) => list.split(/, | and /));
}
