/** Checks that all example workflows share. What each of them does is tested in other files. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { before, describe, it } from 'node:test';
import { exampleNames } from '../harness/examples.mjs';
import { EXAMPLES_DIR, ROOT_DIR } from '../harness/paths.mjs';
import { chosenVersion } from '../harness/versions.mjs';
import { CREDENTIAL_TYPE, useStage } from './support.mjs';

const STICKY_NOTE = 'n8n-nodes-base.stickyNote';

/** Examples for n8n 2. */
const NEEDS_SIGN_IN = ['payroll-desk-with-two-approvers'];

/** n8n's editor moves nodes that are not on its grid. */
const GRID = 16;

/** The size of a node with the two lines of text below it. */
const NODE_SIZE = { width: 96, height: 150 };

/** The allowed properties of a workflow file. Ids, versions and similar belong to one n8n. */
const WORKFLOW_KEYS = ['name', 'nodes', 'connections', 'settings', 'pinData', 'meta'];

const isNote = ({ type }) => type === STICKY_NOTE;

/** The file as users get it. */
function readFile(name) {
	return JSON.parse(readFileSync(path.join(EXAMPLES_DIR, `${name}.json`), 'utf8'));
}

function boxOf({ type, position: [left, top], parameters }) {
	const { width, height } = type === STICKY_NOTE ? parameters : NODE_SIZE;
	return { left, top, right: left + width, bottom: top + height };
}

function overlap(a, b) {
	return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

/** The height of a note's text with some margin, estimated from average letter widths. */
function textHeight({ content, width }) {
	const lines = content.split('\n').map((line) => {
		if (line === '') return 8;
		const heading = /^#+ /.test(line);
		const letters = line.replace(/^#+ |\*\*|`/g, '').length;
		return Math.ceil((letters * (heading ? 10 : 6.5)) / (width - 40)) * (heading ? 28 : 19);
	});
	return lines.reduce((sum, height) => sum + height, 32);
}

describe('the example workflows', () => {
	const stage = useStage('examples', { sandboxArgs: ['--state-clock', '0'] });
	const guide = readFileSync(path.join(ROOT_DIR, 'docs/examples.md'), 'utf8');
	/** @type {Map<string, number[]>} versions by type */
	const versions = new Map();

	before(async () => {
		for (const { name, version } of await stage.n8n.types()) {
			versions.set(name, [...(versions.get(name) ?? []), version].flat());
		}
	});

	for (const name of exampleNames()) {
		describe(name, () => {
			const workflow = readFile(name);
			const { nodes, connections } = workflow;
			const notes = nodes.filter(isNote);

			it('is listed in the guide', () => {
				assert.ok(guide.includes(`examples/${name}.json`), `examples/${name}.json`);
			});

			it('contains no data of an n8n or an account', () => {
				assert.deepEqual(
					Object.keys(workflow).filter((key) => !WORKFLOW_KEYS.includes(key)),
					[],
				);
				assert.deepEqual(workflow.pinData, {});
				assert.deepEqual(workflow.meta, { templateCredsSetupCompleted: false });
				for (const { name: node, credentials = {} } of nodes) {
					for (const [type, { id }] of Object.entries(credentials)) {
						assert.equal(type, CREDENTIAL_TYPE, node);
						assert.equal(id, '', node);
					}
				}
				assert.doesNotMatch(
					JSON.stringify(nodes),
					/"(password|token|accessToken|apiKey|secret)"|Bearer |eyJ[\w-]{10}/i,
				);
			});

			it('has notes that fit their text', () => {
				assert.ok(notes.length > 0);
				assert.ok(notes[0].parameters.content.startsWith(`## ${workflow.name}\n`));
				for (const { parameters } of notes) {
					assert.match(parameters.content, /^##/);
					const title = parameters.content.split('\n')[0];
					assert.ok(textHeight(parameters) <= parameters.height, `too small: ${title}`);
					for (const [, bold] of parameters.content.matchAll(/\*\*([^*]+ \(replace me\))\*\*/g)) {
						assert.ok(
							nodes.some((node) => node.name === bold),
							`${title}: ${bold}`,
						);
					}
				}
			});

			it('explains in its first note where to choose the credential', () => {
				for (const { name: node, credentials } of nodes) {
					if (credentials) assert.ok(notes[0].parameters.content.includes(`**${node}**`), node);
				}
			});

			it('has no overlapping nodes on the canvas', () => {
				for (const { name: node, position } of nodes) {
					assert.ok(
						position.every((value) => value % GRID === 0),
						`${node} is off the grid`,
					);
				}
				nodes.forEach((node, index) => {
					for (const other of nodes.slice(index + 1)) {
						assert.ok(!overlap(boxOf(node), boxOf(other)), `${node.name} overlaps ${other.name}`);
					}
				});
			});

			it('uses only nodes that this n8n has', (test) => {
				if (NEEDS_SIGN_IN.includes(name) && chosenVersion().startsWith('1.')) {
					return test.skip('n8n 1 has no sign-in for forms');
				}
				for (const { name: node, type, typeVersion } of nodes) {
					assert.ok(versions.has(type), `${node}: ${type}`);
					assert.ok(versions.get(type)?.includes(typeVersion), `${node}: ${type} ${typeVersion}`);
				}
				for (const key of ['id', 'name']) {
					assert.equal(new Set(nodes.map((node) => node[key])).size, nodes.length, `same ${key}`);
				}
				const names = new Set(nodes.map((node) => node.name));
				for (const [from, outputs] of Object.entries(connections)) {
					for (const { node: to } of Object.values(outputs).flat(2)) {
						assert.ok(names.has(from) && names.has(to), `${from} -> ${to}`);
					}
				}
			});

			it('can be started by hand', () => {
				assert.ok(
					nodes.some(({ type }) => /^n8n-nodes-base\.(manualTrigger|formTrigger)$/.test(type)),
				);
			});

			it('can be imported unchanged', async () => {
				const { id } = await stage.n8n.createWorkflow(workflow);
				const imported = await stage.n8n.rest('GET', `/workflows/${id}`);
				assert.equal(imported.name, workflow.name);
				assert.deepEqual(
					imported.nodes.map((node) => [node.name, node.parameters]),
					nodes.map((node) => [node.name, node.parameters]),
				);
			});

			it('includes the files that its notes name', () => {
				for (const { parameters } of notes) {
					for (const [file] of parameters.content.matchAll(/examples\/[\w-]+\.\w+/g)) {
						assert.ok(existsSync(path.join(ROOT_DIR, file)), file);
					}
				}
			});
		});
	}
});
