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

describe('n8n’s guidelines', () => {
	test('lists every value of a choice once', () => {
		expect(
			breaking((property) => {
				const values = choices(property).map(({ value }) => value);
				return new Set(values).size !== values.length;
			}),
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

	test('describes nothing in more than 160 characters', () => {
		expect(
			breaking((property) =>
				[property, ...choices(property)].some(({ description: text = '' }) => text.length > 160),
			),
		).toEqual([]);
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
