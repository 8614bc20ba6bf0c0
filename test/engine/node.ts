import type { INode } from 'n8n-workflow';

/** A node, where its parameters do not matter. */
export const NODE: INode = {
	id: 'node',
	name: 'Node',
	type: 'test',
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
};
