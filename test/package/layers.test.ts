/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- runs outside n8n */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import ts from 'typescript';

const ROOT = resolve(__dirname, '../..');

/** The published code, by path below the root. */
const sources = new Map(
	['nodes', 'credentials'].flatMap((folder) =>
		(readdirSync(join(ROOT, folder), { recursive: true }) as string[])
			.filter((file) => file.endsWith('.ts'))
			.map((file) => join(folder, file))
			.map((file) => [
				file,
				ts.createSourceFile(
					file,
					readFileSync(join(ROOT, file), 'utf8'),
					ts.ScriptTarget.ES2022,
					true,
				),
			]),
	),
);

/** The files that a file imports, including for types. */
function importsOf(file: string): string[] {
	return [...(sources.get(file)?.statements ?? [])]
		.filter((statement) => ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement))
		.map(({ moduleSpecifier }) => moduleSpecifier)
		.filter((specifier) => specifier !== undefined && ts.isStringLiteral(specifier))
		.map(({ text }) => text)
		.filter((text) => text.startsWith('.'))
		.map((text) => {
			const path = join(dirname(file), text);
			const found = [`${path}.ts`, join(path, 'index.ts')].find((name) => sources.has(name));
			if (found === undefined) throw new Error(`${file} imports ${text}, which is nowhere`);
			return found;
		});
}

/** The cycles in a graph, each as its path. */
function circlesIn(nodes: Iterable<string>, next: (node: string) => string[]): string[] {
	const done = new Set<string>();
	const circles: string[] = [];
	const visit = (node: string, way: string[]) => {
		if (way.includes(node)) circles.push([...way.slice(way.indexOf(node)), node].join(' -> '));
		if (done.has(node) || way.includes(node)) return;
		for (const other of next(node)) visit(other, [...way, node]);
		done.add(node);
	};
	for (const node of nodes) visit(node, []);
	return circles;
}

test('contains no import cycles between files or folders', () => {
	expect(sources.size).toBeGreaterThan(80);
	expect(circlesIn(sources.keys(), importsOf)).toEqual([]);

	const isResource = (file: string) => file.startsWith('nodes/PartnerPayments/resources/');
	// The folders of resources count as one: a payout picks a wallet. So does a batch with its options.
	const folderOf = (file: string) =>
		isResource(file) ? 'nodes/PartnerPayments/resources' : dirname(file).replace(/\/options$/, '');
	const folders = new Map<string, Set<string>>();
	for (const file of sources.keys()) {
		const others = folders.get(folderOf(file)) ?? new Set();
		for (const one of importsOf(file))
			if (folderOf(one) !== folderOf(file)) others.add(folderOf(one));
		folders.set(folderOf(file), others);
	}
	expect(circlesIn(folders.keys(), (folder) => [...(folders.get(folder) ?? [])])).toEqual([]);
});

/** What a module keeps between calls: a variable, or something that begins empty. */
function stateIn(file: string): string[] {
	return [...(sources.get(file)?.statements ?? [])]
		.filter((statement) => ts.isVariableStatement(statement))
		.flatMap(({ declarationList }) =>
			declarationList.declarations.filter(({ initializer }) => {
				const isVariable = (declarationList.flags & ts.NodeFlags.Const) === 0;
				return isVariable || (initializer !== undefined && beginsEmpty(initializer));
			}),
		)
		.map(({ name }) => `${file}: ${name.getText()}`);
}

function beginsEmpty(value: ts.Expression): boolean {
	return (
		(ts.isNewExpression(value) && (value.arguments ?? []).length === 0) ||
		(ts.isArrayLiteralExpression(value) && value.elements.length === 0) ||
		(ts.isObjectLiteralExpression(value) && value.properties.length === 0)
	);
}

/** CONTRIBUTING.md says for each why it is needed and what limits it. */
test('keeps no process state except the documented one', () => {
	expect([...sources.keys()].flatMap(stateIn).sort()).toEqual([
		'nodes/PartnerPaymentsTrigger/alarms.ts: reporters',
		'nodes/PartnerPaymentsTrigger/deduplication.ts: nextBatches',
		'nodes/PartnerPaymentsTrigger/load.ts: runsExecutions',
		'nodes/PartnerPaymentsTrigger/load.ts: waiting',
		'nodes/PartnerPaymentsTrigger/schedule.ts: published',
		'nodes/ledger/workflowLock.ts: foreignRows',
		'nodes/ledger/workflowLock.ts: queues',
		'nodes/service/session.ts: accounts',
		'nodes/service/session.ts: followed',
	]);
});
