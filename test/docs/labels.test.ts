import { type INodeProperties, type INodePropertyOptions } from 'n8n-workflow';

import { PartnerPaymentsApi } from '../../credentials/PartnerPaymentsApi.credentials';
import { PartnerPayments } from '../../nodes/PartnerPayments/PartnerPayments.node';
import { PartnerPaymentsTrigger } from '../../nodes/PartnerPaymentsTrigger/PartnerPaymentsTrigger.node';
import { documents, readDocument } from './markdown';

const action = new PartnerPayments().description;
const trigger = new PartnerPaymentsTrigger().description;
const credential = new PartnerPaymentsApi();

const options = (property: INodeProperties) => (property.options ?? []) as INodePropertyOptions[];

/** Operations by resource, as the editor shows them. */
const operations = new Map(
	options(action.properties[0]).map(({ name, value }) => [
		name,
		action.properties
			.filter(
				(property) =>
					property.name === 'operation' && property.displayOptions?.show?.resource?.[0] === value,
			)
			.flatMap(options)
			.map((operation) => operation.name),
	]),
);

/** Every label of a form, with the labels below it. */
function labelsIn(entries: INodeProperties[]): Array<{ label: string; below: string[] }> {
	return entries.flatMap((entry) => {
		const inner = (entry.options ?? []).flatMap((option) =>
			'values' in option ? option.values : 'type' in option ? [option] : [],
		);
		const choices = options(entry).map(({ name }) => name);
		return [
			{ label: entry.displayName, below: [...choices, ...inner.map((one) => one.displayName)] },
			...labelsIn(inner),
		];
	});
}

const labels = labelsIn([...action.properties, ...trigger.properties, ...credential.properties]);

/** Labels of n8n itself that the guides name. */
const OF_N8N = ['On Error', 'Settings', '⋯'];

const all = documents();
const bold = all.flatMap((document) =>
	document.bold.map((text) => ({ text, path: document.path })),
);

test('“Resource > Operation” in bold is an operation of the node', () => {
	const wrong = bold.filter(({ text }) => {
		const [resource, operation, ...more] = text.split(' > ');
		return operation !== undefined && operations.has(resource)
			? more.length > 0 || !operations.get(resource)?.includes(operation)
			: false;
	});
	expect(wrong).toEqual([]);
});

test('“Label > Label” and “Label: Choice” in bold are labels of the editor', () => {
	const wrong = bold.filter(({ text }) => {
		const [first, second] = text.split(/ > |: /);
		if (second === undefined || operations.has(first) || OF_N8N.includes(first)) return false;
		// An option has a colon in its own label.
		return !labels.some(({ label, below }) =>
			[label, ...below.flatMap((one) => [`${label} > ${one}`, `${label}: ${one}`])].includes(text),
		);
	});
	expect(wrong).toEqual([]);
});

test('tables of fields and options name labels of the editor', () => {
	const named = all
		.filter(({ path }) => path.startsWith('docs/'))
		.flatMap(({ path, tables }) =>
			tables
				.map(({ rows }) => rows)
				.filter(([[title]]) => ['field', 'option'].includes(title))
				.flatMap(([, ...rows]) => rows.flatMap(([cell]) => cell.split(', ')))
				.map((label) => ({ label, path })),
		);
	expect(named.length).toBeGreaterThan(30);
	expect(named.filter((one) => !labels.some(({ label }) => label === one.label))).toEqual([]);
});

test('the guide to operations has each of them, and no other', () => {
	const { headings } = readDocument('docs/reference/operations.md');
	const described = new Map<string, string[]>();
	let resource: string[] = [];
	for (const { level, text } of headings) {
		if (level === 2) described.set(text, (resource = []));
		if (level === 3) resource.push(text);
	}
	described.delete('Payments and deposits');
	const sorted = (map: Map<string, string[]>) =>
		Object.fromEntries([...map].map(([name, list]) => [name, [...list].sort()]));
	expect(sorted(described)).toEqual(sorted(operations));
});
