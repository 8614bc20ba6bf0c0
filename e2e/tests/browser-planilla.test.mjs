/** From an empty workflow to a paid planilla: what an accountant clicks and reads. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe } from 'node:test';
import { Editor } from '../harness/editor.mjs';
import { EXAMPLES_DIR } from '../harness/paths.mjs';
import { useBrowser } from './browser-support.mjs';
import { until } from './trigger-support.mjs';

const PAY = 'Create bank payout';

describe('an accountant with her own file', () => {
	/** @type {Editor} */
	let editor;

	const { stage, inBrowser, contactsOnlyThisMachine } = useBrowser(
		'browser-planilla',
		async ({ n8n }, browser) => {
			const page = await browser.openPage();
			editor = new Editor(page, n8n);
			await editor.signIn();
			return page;
		},
		{ sandboxArgs: ['--state-clock', '0'] },
	);

	/** Each step builds on the previous one, so the others fail at once after a failure. */
	let done = 0;
	function step(number, title, run) {
		inBrowser(title, async () => {
			assert.equal(done, number - 1, 'an earlier step failed');
			await run();
			done = number;
		});
	}

	/**
	 * Writes the planilla as a CSV with commas and another header for the amounts.
	 *
	 * @param {(cells: string[], row: number, header: string[]) => string[]} [edit] puts mistakes into it
	 */
	function writePlanilla(edit = (cells) => cells) {
		const [header, ...rows] = readFileSync(path.join(EXAMPLES_DIR, 'planilla.csv'), 'latin1')
			.replaceAll('Líquido pagable', 'Sueldo líquido')
			.trim()
			.split('\r\n')
			.map((line) => line.split(';'));
		const amount = header.indexOf('Sueldo líquido');
		const lines = rows.map((cells, index) => {
			const own = edit([...cells], index, header);
			return own.map((cell, column) => (column === amount ? `"${cell}"` : cell)).join(',');
		});
		writeFileSync(file(), [header.join(','), ...lines].join('\n'));
	}

	const file = () => path.join(stage.filesFolder, 'planilla.csv');

	/** Adds a node from the panel, with one of its actions. */
	async function add(search, ...names) {
		await editor.openNodePanel();
		await editor.searchNodes(search);
		for (const name of names) await editor.listed(name).first().click();
	}

	/** Presses "Execute step" of the open node and reads its error. */
	async function executeAndRead(expected) {
		const { page } = editor;
		await page.getByTestId('node-execute-button').click();
		const message = editor.output.getByTestId('node-error-message');
		let said = '';
		await until(async () => {
			said = (await message.textContent({ timeout: 1_000 }).catch(() => '')) ?? '';
			return expected.test(said);
		}, `the node says ${expected}`);
		const lines = editor.output.getByTestId('node-error-description').locator('li');
		return { said, lines: await lines.allTextContents() };
	}

	step(1, 'adds four nodes for the start, the file, its rows and the payments', async () => {
		const { page } = editor;
		await page.goto(`${stage.n8n.url}/workflow/new`);
		await add('manual', 'Manual Trigger');
		await editor.node('When clicking ‘Execute workflow’').waitFor();
		await add('read file', 'Read/Write Files from Disk', 'Read File(s) From Disk');
		await editor.fill('fileSelector', file());
		await editor.closeNode();
		await add('extract', 'Extract from File', 'Extract from CSV');
		await editor.form.waitFor();
		await editor.closeNode();
		await add('bank', 'Partner Payments', PAY);
		await editor.form.waitFor();
		await editor.choose('mappingMode', 'autoMapInputData');
		await editor.fill('batchId', 'sueldos-2026-11');
	});

	step(2, 'presses "Execute step" and reads in one message which columns are missing', async () => {
		writePlanilla((cells, index, header) => {
			if (index === 3) cells[header.indexOf('CI')] = '1498123-1A';
			if (index === 7) cells[header.indexOf('Nro. de cuenta')] = '12 34';
			return cells;
		});
		const { said } = await executeAndRead(/The input has no column for/);
		assert.match(said, /no column for Amount and Funding Source\./);
		assert.match(said, /"Sueldo líquido": did you mean Amount\?/);
	});

	step(3, 'maps the column and reads the error of each invalid row', async () => {
		const { form, page } = editor;
		await form.getByRole('button', { name: 'Add Column' }).click();
		await editor.fill('header', 'Sueldo líquido');
		const adding = form.getByTestId(/^collection-parameter-add/).first();
		await adding.click();
		await page
			.getByText('Funding Source', { exact: true })
			.filter({ visible: true })
			.last()
			.click();
		const { said, lines } = await executeAndRead(/items are invalid/);
		assert.match(said, /^Nothing was sent: 2 of 30 items are invalid/);
		assert.equal(lines.length, 2);
		assert.match(
			lines[0],
			/^Row 4, [^:]+, [\d,.]+ BOB: Destination ID Number \("1498123-1A"\) must have digits/,
		);
		assert.match(
			lines[1],
			/^Row 8, [^:]+, [\d,.]+ BOB: Destination Account \("12 34"\) must have digits/,
		);
		assert.deepEqual(await stage.sandbox.transactions(), []);
	});

	step(4, 'corrects the file and executes the workflow, which pays all rows', async () => {
		writePlanilla();
		await editor.closeNode();
		const execution = await editor.executeWorkflow();
		assert.equal(execution.status, 'success', execution.error?.message);
		assert.equal(await editor.nodes.count(), 4);
		const paid = execution.json(PAY);
		assert.deepEqual(
			paid.map(({ outcome }) => outcome),
			Array.from({ length: 30 }, () => 'created'),
		);
		assert.equal((await stage.sandbox.transactions()).length, 30);
	});

	contactsOnlyThisMachine();
});
