/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- runs outside n8n */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type IConnections, type INode, Workflow } from 'n8n-workflow';

const FOLDER = resolve(__dirname, '../../examples');

export interface Example {
	name: string;
	nodes: INode[];
	connections: IConnections;
	settings: Record<string, unknown>;
}

/** The names of the example workflows, without `.json`. */
export function exampleNames(): string[] {
	return readdirSync(FOLDER)
		.filter((file) => file.endsWith('.json'))
		.map((file) => file.replace(/\.json$/, ''))
		.sort();
}

export function readExample(name: string): Example {
	return JSON.parse(readFileSync(join(FOLDER, `${name}.json`), 'utf8')) as Example;
}

/** An example in which n8n's own expressions can be evaluated. */
export function workflowOf({ name, nodes }: Example, timezone?: string): Workflow {
	return new Workflow({
		id: name,
		nodes,
		connections: {},
		active: false,
		nodeTypes: {
			getByName: () => undefined as never,
			getByNameAndVersion: () => undefined as never,
			getKnownTypes: () => ({}),
		},
		settings: { timezone },
	});
}

/** The first column of an example file. */
export function referencesIn(file: string): string[] {
	const lines = readFileSync(join(FOLDER, file), 'utf8').trim().split('\n').slice(1);
	return lines.map((line) => line.split(',')[0]);
}

export function isNote({ type }: INode): boolean {
	return type === 'n8n-nodes-base.stickyNote';
}
