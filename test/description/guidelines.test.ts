import { ESLint, type Linter } from 'eslint';
import {
	type INodeProperties,
	type INodePropertyCollection,
	type INodePropertyOptions,
	type INodeTypeDescription,
} from 'n8n-workflow';
import tseslint from 'typescript-eslint';

import { PartnerPayments } from '../../nodes/PartnerPayments/PartnerPayments.node';
import { PartnerPaymentsTrigger } from '../../nodes/PartnerPaymentsTrigger/PartnerPaymentsTrigger.node';

// The plugin comes without types.
const nodesBase = jest.requireActual<
	ESLint.Plugin & { configs: { nodes: { rules: Linter.RulesRecord } } }
>('eslint-plugin-n8n-nodes-base');

const NODES = [new PartnerPayments(), new PartnerPaymentsTrigger()].map(
	({ description }) => description,
);

/** Every parameter of the form, including those in collections, with its path. */
function parametersIn(
	properties: INodeProperties[],
	path = '',
): Array<{ path: string; property: INodeProperties }> {
	return properties.flatMap((property) => {
		const own = `${path}${property.name}${shownFor(property)}`;
		const inner =
			property.type === 'collection'
				? (property.options as INodeProperties[])
				: property.type === 'fixedCollection'
					? (property.options as INodePropertyCollection[]).flatMap(({ values }) => values)
					: [];
		return [{ path: own, property }, ...parametersIn(inner, `${own} > `)];
	});
}

function shownFor({ displayOptions }: INodeProperties): string {
	const { resource, operation } = displayOptions?.show ?? {};
	return resource ? ` (${String(resource)}${operation ? `:${String(operation)}` : ''})` : '';
}

const action = NODES[0];
const ALL = NODES.flatMap(({ name, properties }) => parametersIn(properties, `${name}: `));
const choices = (property: INodeProperties): INodePropertyOptions[] =>
	['options', 'multiOptions'].includes(property.type)
		? (property.options as INodePropertyOptions[])
		: [];

/** The paths of invalid parameters: an empty list passes. */
const breaking = (breaks: (property: INodeProperties) => boolean): string[] =>
	ALL.filter(({ property }) => breaks(property)).map(({ path }) => path);

const SMALL = [
	'a',
	'an',
	'and',
	'as',
	'at',
	'by',
	'for',
	'from',
	'in',
	'of',
	'on',
	'or',
	'per',
	'the',
	'to',
	'with',
];

function isTitleCase(text: string): boolean {
	return text
		.replace(/\([^)]*\)/g, '')
		.split(/\s+/)
		.filter((word) => word !== '')
		.every((word, index) => (index > 0 && SMALL.includes(word)) || /^[A-Z0-9&/+]/.test(word));
}

describe('n8n’s guidelines', () => {
	test('writes parameter names in Title Case', () => {
		expect(
			breaking(({ type, displayName }) => type !== 'notice' && !isTitleCase(displayName)),
		).toEqual([]);
	});

	test('writes names of choices in Title Case', () => {
		expect(
			breaking((property) =>
				choices(property).some(({ name }) => !isTitleCase(name) && !/^[A-Z]+\/[A-Z]+$/.test(name)),
			),
		).toEqual([]);
	});

	test('sorts choices alphabetically', () => {
		expect(
			breaking((property) => {
				const names = choices(property).map(({ name }) => name);
				return String(names) !== String([...names].sort((a, b) => a.localeCompare(b)));
			}),
		).toEqual([]);
	});

	test('sorts the parameters of a collection alphabetically', () => {
		expect(
			breaking(({ type, options }) => {
				if (type !== 'collection') return false;
				const names = (options as INodeProperties[]).map(({ displayName }) => displayName);
				return String(names) !== String([...names].sort((a, b) => a.localeCompare(b)));
			}),
		).toEqual([]);
	});

	test('lists every value of a choice once', () => {
		expect(
			breaking((property) => {
				const values = choices(property).map(({ value }) => value);
				return new Set(values).size !== values.length;
			}),
		).toEqual([]);
	});

	test('begins the description of each switch with "Whether"', () => {
		expect(
			breaking(
				({ type, description: text }) => type === 'boolean' && !text?.startsWith('Whether '),
			),
		).toEqual([]);
	});

	test('gives an example in each placeholder', () => {
		expect(
			breaking(
				({ type, placeholder }) =>
					placeholder !== undefined &&
					!placeholder.startsWith('e.g. ') &&
					// A collection’s placeholder is the label of a button.
					!(['collection', 'fixedCollection'].includes(type) && /^Add [A-Z]/.test(placeholder)),
			),
		).toEqual([]);
	});

	test('describes every parameter', () => {
		// The names say everything.
		const obvious = ['resource', 'operation', 'name', 'value', 'currency', 'amount', 'events'];
		expect(
			breaking(
				({ type, name, description: text }) =>
					!text && !['notice', 'collection'].includes(type) && !obvious.includes(name),
			),
		).toEqual([]);
	});

	test('ends one sentence without a full stop, several with one', () => {
		const texts = ALL.flatMap(({ path, property }) => [
			{ path, text: property.description },
			...choices(property).map((choice) => ({
				path: `${path} = ${String(choice.value)}`,
				text: choice.description,
			})),
		]);
		const wrong = texts.filter(({ text }) => {
			if (!text) return false;
			const sentences = text.split(/[.!?]\s+/).length;
			return sentences === 1 ? text.endsWith('.') : !/[.!?]$/.test(text);
		});
		expect(wrong).toEqual([]);
	});

	test('describes nothing in more than 160 characters', () => {
		expect(
			breaking((property) =>
				[property, ...choices(property)].some(({ description: text = '' }) => text.length > 160),
			),
		).toEqual([]);
	});

	test('has no surrounding or double spaces', () => {
		expect(
			breaking((property) =>
				[
					property.displayName,
					property.description,
					property.placeholder,
					property.hint,
					...choices(property).flatMap(({ name, description: text }) => [name, text]),
				].some((text) => text !== undefined && (text !== text.trim() || /\s\s/.test(text))),
			),
		).toEqual([]);
	});

	test('gives each default the type of its parameter', () => {
		const fits = (property: INodeProperties): boolean => {
			const { type, default: value } = property;
			switch (type) {
				case 'boolean':
					return typeof value === 'boolean';
				case 'number':
					return typeof value === 'number';
				case 'options':
					return choices(property).some((choice) => choice.value === value);
				case 'multiOptions':
					return (
						Array.isArray(value) &&
						(value as string[]).every((one) => choices(property).some((c) => c.value === one))
					);
				case 'resourceLocator':
					return property.modes?.[0].name === (value as { mode?: string }).mode;
				case 'collection':
				case 'fixedCollection':
					return typeof value === 'object' && value !== null && !Array.isArray(value);
				default:
					return typeof value === 'string';
			}
		};
		expect(breaking((property) => !fits(property))).toEqual([]);
	});

	test('gives each Get Many a Return All and a Limit of 50, from 1', () => {
		const lists = action.properties
			.filter(({ name }) => name === 'operation')
			.flatMap((selector) =>
				choices(selector)
					.filter(({ value }) => value === 'getAll')
					.map(() => (selector.displayOptions?.show?.resource ?? []).join()),
			);
		expect(lists.sort()).toEqual([
			'businessClient',
			'quote',
			'transaction',
			'wallet',
			'webhook',
			'webhookLog',
		]);
		for (const resource of lists) {
			const own = action.properties.filter(
				({ displayOptions }) =>
					displayOptions?.show?.resource?.includes(resource) &&
					displayOptions.show.operation?.includes('getAll'),
			);
			expect(own.find(({ name }) => name === 'returnAll')).toMatchObject({
				displayName: 'Return All',
				type: 'boolean',
				default: false,
				description: 'Whether to return all results or only up to a given limit',
			});
			expect(own.find(({ name }) => name === 'limit')).toMatchObject({
				displayName: 'Limit',
				type: 'number',
				default: 50,
				typeOptions: { minValue: 1 },
				description: 'Max number of results to return',
			});
		}
	});

	test('gives each operation an action in sentence case', () => {
		const actions = action.properties
			.filter(({ name }) => name === 'operation')
			.flatMap(choices)
			.map(({ action }) => action);
		expect(actions.length).toBeGreaterThan(15);
		for (const action of actions) {
			expect(action).toMatch(/^[A-Z][a-z]+ /);
			expect(action).not.toMatch(/\b(a|an|the)\b/);
			expect(action).not.toMatch(/\.$/);
		}
		expect(new Set(actions).size).toBe(actions.length);
	});

	test('tells n8n’s workflow builder to check, have approved and repeat a payment', () => {
		expect(action.builderHint?.searchHint).toMatch(/Dry Run.*approves.*Approval Code.*reference/s);
		for (const name of ['dryRun', 'approvalCode', 'referenceSource', 'batchId']) {
			const hinted = ALL.filter(({ property }) => property.name === name);
			expect(hinted.length).toBeGreaterThan(0);
			for (const { property } of hinted) {
				expect(property.builderHint?.propertyHint).toMatch(/[a-z]{3}/);
			}
		}
	});

	test('describes a node on the canvas as n8n’s own nodes do', () => {
		expect(action.subtitle).toBe('={{ $parameter["operation"] + ": " + $parameter["resource"] }}');
	});

	test('allows no expression for resource and operation', () => {
		const selectors = action.properties.filter(({ name }) =>
			['resource', 'operation'].includes(name),
		);
		expect(selectors.every(({ noDataExpression }) => noDataExpression === true)).toBe(true);
	});
});

describe('n8n’s lint rules', () => {
	/**
	 * Rules about files or source code, not about the form: here the form is the literal that the builders make, which the
	 * rules cannot see in the sources.
	 */
	const NOT_HERE = [
		'node-dirname-against-convention',
		'node-filename-against-convention',
		'node-execute-block',
		'node-class-description-icon-not-svg',
		'node-class-description-inputs-wrong-regular-node',
		'node-class-description-outputs-wrong',
	];

	const preset = nodesBase.configs.nodes.rules;

	/** The rules for one kind of node: in a test run the plugin takes every file for every kind. */
	const rulesFor = ({ group }: INodeTypeDescription): Linter.RulesRecord => {
		const otherKind = group.includes('trigger') ? 'regular-node' : 'trigger-node';
		return Object.fromEntries(
			Object.entries(preset).filter(
				([name]) => !name.endsWith(otherKind) && !NOT_HERE.includes(name.replace(/^.*\//, '')),
			),
		);
	};

	/** The findings of the rules in a description, with their lines. */
	async function findings(form: INodeTypeDescription): Promise<string[]> {
		const eslint = new ESLint({
			overrideConfigFile: true,
			overrideConfig: [
				{
					files: ['**/*.ts'],
					languageOptions: { parser: tseslint.parser as Linter.Parser },
					plugins: { 'n8n-nodes-base': nodesBase },
					rules: rulesFor(form),
				},
			],
		});
		// The rules expect keys without quotes.
		const literal = JSON.stringify(form, null, '\t').replace(/^(\t*)"(\w+)":/gm, '$1$2:');
		const className = form.name[0].toUpperCase() + form.name.slice(1);
		const source = `export class ${className} implements INodeType {
	description: INodeTypeDescription = ${literal};
}
`;
		const [{ messages }] = await eslint.lintText(source, { filePath: `${className}.node.ts` });
		const lines = source.split('\n');
		return messages.map(({ ruleId, message, line }) => {
			const name = lines.slice(0, line).findLast((text) => /^\t+name: /.test(text));
			return `${ruleId}: ${message} | ${name?.trim() ?? ''}${lines[line - 1].trim()}`;
		});
	}

	test.each(NODES)('finds nothing in the built form of $name', async (form) => {
		expect(await findings(form)).toEqual([]);
	});

	test('finds deliberate errors', async () => {
		const spoilt = structuredClone(action);
		for (const property of spoilt.properties) {
			if (property.name === 'limit') property.description = 'How many';
			if (property.type === 'boolean') property.description = 'Give them all';
		}

		expect(await findings(spoilt)).toEqual(
			expect.arrayContaining([
				expect.stringContaining('node-param-description-wrong-for-limit'),
				expect.stringContaining('node-param-description-boolean-without-whether'),
			]),
		);
	});
});
