import type { INode } from 'n8n-workflow';
import { exampleNames, isNote, readExample } from './examples';

const OWN_NODE = /^n8n-nodes-partner-payments\./;

/** n8n starts it if another one fails. */
const ERROR_WORKFLOW = 'alert-on-failure';

const MAX_COLUMNS = 12;

const NODE_SIZE = { width: 96, height: 150 };

/** What n8n's editor has for the canvas on a screen of 1920 by 1080 pixels. */
const CANVAS = { width: 1720, height: 900 };

/** The letters of a note in pixels, and how small they may become when the whole canvas is shown. */
const NOTE_LETTERS = 14;
const READABLE_LETTERS = 9;

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

	test('has no Batch ID that depends on when it is paid', () => {
		const clocks = steps.filter(({ parameters }) =>
			/\$now|\$today|\bDate/.test(String(parameters.batchId ?? '')),
		);
		expect(clocks).toEqual([]);
	});
});
