/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- runs outside n8n */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type INode, NodeHelpers } from 'n8n-workflow';

import { PartnerPayments } from '../../nodes/PartnerPayments/PartnerPayments.node';
import { PartnerPaymentsTrigger } from '../../nodes/PartnerPaymentsTrigger/PartnerPaymentsTrigger.node';
import { without } from '../without';
import { exampleNames, isNote, readExample, referencesIn } from './examples';

const ROOT = resolve(__dirname, '../..');

const OWN_NODE = /^n8n-nodes-partner-payments\./;

/** n8n starts it if another one fails. */
const ERROR_WORKFLOW = 'alert-on-failure';

const MAX_COLUMNS = 12;

/** A shorter wait stays in memory: it holds a worker, and a restart loses it (`Wait.node.js` of n8n-nodes-base). */
const MIN_WAIT_SECONDS = 65;

/** In seconds. */
const UNITS: Record<string, number> = { seconds: 1, minutes: 60, hours: 3_600, days: 86_400 };

/** Without a disk, so that they run on n8n Cloud. */
const ON_CLOUD = [
	'approve-payroll',
	'mesa-de-planillas',
	'pay-every-month',
	'pay-from-data-table',
	'pay-from-google-sheet',
	'pay-payroll-in-stablecoins',
	'payroll-desk',
	'payroll-desk-with-two-approvers',
];

const MAX_DESK_NODES = 16;

const NODE_SIZE = { width: 96, height: 150 };

/** What n8n's editor has for the canvas on a screen of 1920 by 1080 pixels. */
const CANVAS = { width: 1720, height: 900 };

/** The letters of a note in pixels, and how small they may become when the whole canvas is shown. */
const NOTE_LETTERS = 14;
const READABLE_LETTERS = 9;

/** A file that an example reads from a disk. */
const PAID_FILE = /\.n8n-files\/([\w-]+\.csv)/g;

/** The size of the whole canvas. */
function sizeOf(nodes: INode[]): { width: number; height: number } {
	const boxes = nodes.map((node) => {
		const [left, top] = node.position;
		const { width, height } = isNote(node)
			? (node.parameters as { width: number; height: number })
			: NODE_SIZE;
		return { left, top, right: left + width, bottom: top + height };
	});
	return {
		width:
			Math.max(...boxes.map(({ right }) => right)) - Math.min(...boxes.map(({ left }) => left)),
		height:
			Math.max(...boxes.map(({ bottom }) => bottom)) - Math.min(...boxes.map(({ top }) => top)),
	};
}

describe.each(exampleNames())('the example %s', (name) => {
	const { nodes, settings } = readExample(name);
	const steps = nodes.filter((node) => !isNote(node));
	const notes = nodes.filter(isNote).map(({ parameters }) => String(parameters.content));

	test('has no Code node', () => {
		expect(steps.filter(({ type }) => /\.(code|function|functionItem)$/.test(type))).toEqual([]);
	});

	test('does not end in Stop and Error, because n8n cannot retry that', () => {
		expect(steps.filter(({ type }) => type.endsWith('.stopAndError'))).toEqual([]);
	});

	test(`is at most ${MAX_COLUMNS} nodes wide`, () => {
		const columns = new Set(steps.map(({ position: [left] }) => left));
		expect(columns.size).toBeLessThanOrEqual(MAX_COLUMNS);
	});

	test('has notes that can be read when the whole canvas is shown', () => {
		expect(notes.length).toBeGreaterThan(0);
		const { width, height } = sizeOf(nodes);
		const zoom = Math.min(1, CANVAS.width / width, CANVAS.height / height);
		expect(NOTE_LETTERS * zoom).toBeGreaterThanOrEqual(READABLE_LETTERS);
	});

	test('sets no parameter that the form of its operation does not have, because n8n drops it', () => {
		for (const step of steps.filter(({ type }) => OWN_NODE.test(type))) {
			const { description } = /Trigger$/.test(step.type)
				? new PartnerPaymentsTrigger()
				: new PartnerPayments();
			const own = without(step.parameters, 'descriptionType', 'toolDescription');
			const known = NodeHelpers.getNodeParameters(
				description.properties,
				own,
				true,
				false,
				step,
				description,
			);
			expect(known).toMatchObject(own);
		}
	});

	// n8n opens its Production Checklist over the top left corner when a workflow is first published.
	test('has its notes below its nodes', () => {
		const topOf = (list: INode[]) => list.map(({ position: [, top] }) => top);
		expect(Math.min(...topOf(nodes.filter(isNote)))).toBeGreaterThan(Math.max(...topOf(steps)));
	});

	test('says how to choose the error workflow, and names none that only one n8n has', () => {
		expect(settings).toEqual({ executionOrder: 'v1' });
		const acts = name !== ERROR_WORKFLOW && steps.some(({ type }) => OWN_NODE.test(type));
		const said = notes.filter(
			(note) =>
				note.includes(`*${readExample(ERROR_WORKFLOW).name}*`) &&
				note.includes('**Error Workflow**'),
		);
		expect(said).toHaveLength(acts ? 1 : 0);
	});

	test('holds no worker while it waits, and survives a restart', () => {
		const times = steps
			.filter(({ type, parameters }) => type === 'n8n-nodes-base.wait' && !parameters.resume)
			.map(({ parameters: { amount, unit } }) =>
				// The amount of an expression is a setting.
				typeof amount === 'number' ? amount * UNITS[String(unit)] : Infinity,
			);
		for (const seconds of times) expect(seconds).toBeGreaterThanOrEqual(MIN_WAIT_SECONDS);
	});

	test('goes on waiting if a round cannot read whether payments are final', () => {
		// An item with an error has no `mayBecomeFinal`.
		const loops = JSON.stringify(steps).match(/mayBecomeFinal.{10}/g) ?? [];
		for (const loop of loops) expect(loop).toMatch(/ [!=]== false$/);
	});

	test('has no Batch ID that depends on when it is paid', () => {
		const clocks = steps.filter(({ parameters }) =>
			/\$now|\$today|\bDate/.test(String(parameters.batchId ?? '')),
		);
		expect(clocks).toEqual([]);
	});
});

test('no two examples pay the same file, so that the demo can run them in any order', () => {
	// It asks for a wallet and a file first.
	const names = exampleNames().filter((name) => name !== 'pay-payroll-in-stablecoins');
	const paid = names.flatMap((name) => {
		const { nodes } = readExample(name);
		const pays = nodes.some(({ parameters }) => parameters.resource === 'payout');
		return pays ? [...JSON.stringify(nodes).matchAll(PAID_FILE)].map(([, file]) => file) : [];
	});
	expect(paid.length).toBeGreaterThan(2);
	expect(paid).toEqual([...new Set(paid)]);
	const references = paid.filter((file) => file !== 'planilla.csv').flatMap(referencesIn);
	expect(references.length).toBeGreaterThan(200);
	expect(references).toEqual([...new Set(references)]);
});

test.each(['docs/examples.md', 'docs/es/examples.md'])(
	'%s leads to the file of each example, in the words about that example',
	(path) => {
		const [, ...entries] = readFileSync(join(ROOT, path), 'utf8').split(/^- /m);
		const missing = exampleNames().flatMap((name) => {
			const words = entries.find((entry) => entry.includes(`/examples/${name}.json)`));
			return (
				[...JSON.stringify(readExample(name)).matchAll(PAID_FILE)]
					.map(([, file]) => `examples/${file}`)
					// Others are written by an example.
					.filter((file) => existsSync(join(ROOT, file)) && !words?.includes(`/${file})`))
					.map((file) => `${name}: ${file}`)
			);
		});
		expect(missing).toEqual([]);
	},
);

test.each(ON_CLOUD)('the example %s needs no disk', (name) => {
	const disk =
		/\.(readWriteFile|readBinaryFiles?|writeBinaryFile|executeCommand|localFileTrigger)$/;
	expect(readExample(name).nodes.filter(({ type }) => disk.test(type))).toEqual([]);
});

describe.each([
	'payroll-desk',
	'mesa-de-planillas',
	'payroll-desk-with-two-approvers',
	'approve-payroll',
	'pay-payroll-in-stablecoins',
])('the desk %s', (name) => {
	const { nodes, connections } = readExample(name);
	const steps = nodes.filter((node) => !isNote(node));

	test(`has at most ${MAX_DESK_NODES} nodes`, () => {
		expect(steps.length).toBeLessThanOrEqual(MAX_DESK_NODES);
	});

	test('checks and pays with one node, so that the check knows what was paid', () => {
		const paying = steps.filter(({ parameters: { operation } }) => operation === 'createBank');
		expect(paying).toHaveLength(1);
	});

	test('has nothing behind a page that somebody may close, but the decision', () => {
		const waiting = steps.filter(
			({ name: page, type, parameters }) =>
				type === 'n8n-nodes-base.form' &&
				parameters.operation === 'completion' &&
				connections[page] !== undefined &&
				parameters.limitWaitTime !== true,
		);
		expect(waiting).toEqual([]);
	});
});
