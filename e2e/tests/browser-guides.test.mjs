/**
 * The guides for a first hour, followed word by word in both languages: a word that is not on the screen fails. What the
 * sandbox received is the evidence.
 */
import assert from 'node:assert/strict';
import { cpSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe } from 'node:test';
import { Editor } from '../harness/editor.mjs';
import { deleteTable, readExample } from '../harness/examples.mjs';
import { Reader, readSteps } from '../harness/guide.mjs';
import { EXAMPLES_DIR, ROOT_DIR } from '../harness/paths.mjs';
import { useBrowser } from './browser-support.mjs';
import { figuresTable } from './support.mjs';

const PAYOUTS = '/v3/transactions/payouts/bank';

/** Both editions, with the name of the desk and the headings of the parts. */
const EDITIONS = [
	{
		language: 'English',
		folder: 'docs',
		desk: { example: 'payroll-desk', name: 'Payroll desk', heading: /desk/ },
	},
	{
		language: 'Spanish',
		folder: 'docs/es',
		desk: { example: 'mesa-de-planillas', name: 'Mesa de planillas', heading: /mesa/ },
	},
];

/** Everything but the installation of the package, which needs npm's registry. */
const AFTER_INSTALLATION = /^[2-9]\. /;
const FILE_HEADING = /file|archivo/;

describe('the guides for a first hour', () => {
	let page, editor;
	const { stage, inBrowser, contactsOnlyThisMachine } = useBrowser(
		'browser-guides',
		async (started, browser) => {
			page = await browser.openPage();
			editor = new Editor(page, started.n8n);
			await editor.signIn();
			return page;
		},
		{
			// Payments are final at once.
			sandboxArgs: ['--state-clock', '1'],
			// Their 600 events come at once, too, and n8n would be offline for its editor for a while.
			env: { N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true' },
		},
	);
	const figures = figuresTable('Guides followed word by word', [
		{ title: 'guide', value: ({ guide }) => guide },
		{ title: 'steps', right: true, value: ({ steps }) => steps },
		{ title: 'clicks', right: true, value: ({ clicks }) => clicks },
		{ title: 'entries', right: true, value: ({ entries }) => entries },
		{ title: 'minutes', right: true, value: ({ minutes }) => minutes },
	]);

	/** Payouts that reached the sandbox. */
	const sent = async () =>
		(await stage.sandbox.requests({ method: 'POST', path: PAYOUTS })).filter(
			({ status }) => status === 201,
		);

	/** Follows the steps of a guide, and counts what they take. */
	async function follow(title, reader, steps) {
		assert.ok(steps.length > 0, title);
		const started = Date.now();
		for (const step of steps) await reader.follow(step);
		const minutes = ((Date.now() - started) / 60_000).toFixed(1);
		figures.push({
			guide: title,
			steps: steps.length,
			clicks: reader.clicks,
			entries: reader.entries,
			minutes,
		});
	}

	for (const { language, folder } of EDITIONS) {
		inBrowser(`getting started, in ${language}: the first payment is made, once`, async () => {
			await stage.sandbox.reset();
			const { baseUrl, email, password } = stage.sandbox;
			const known = { 'Base URL': baseUrl, Email: email, Password: password };
			await page.goto(`${stage.n8n.url}/home/workflows`);
			const guide = path.join(ROOT_DIR, folder, 'getting-started.md');
			const steps = readSteps(guide, { sections: AFTER_INSTALLATION });
			await follow(`Getting started, ${language}`, new Reader(page, { known }), steps);

			const [payout, ...others] = await sent();
			assert.deepEqual(others, []);
			assert.equal(payout.body.transaction.last_name, 'Flores Condori');
		});
	}

	for (const { language, folder, desk } of EDITIONS) {
		for (const order of [
			[FILE_HEADING, desk.heading],
			[desk.heading, FILE_HEADING],
		]) {
			const first = order[0] === FILE_HEADING ? 'the file' : 'the desk';
			inBrowser(`the demo, in ${language}, ${first} first: pays everybody once`, async () => {
				await stage.sandbox.reset();
				const addresses = await demoWorkflows(desk);
				const guide = path.join(ROOT_DIR, folder, 'demo.md');
				const steps = order.flatMap((sections) => readSteps(guide, { sections }));
				await follow(`Demo, ${first} first, ${language}`, new Reader(page, { addresses }), steps);

				const { duplicates } = await stage.sandbox.counters();
				assert.equal(duplicates, 0);
				assert.equal((await sent()).length, 240);
			});
		}
	}

	/** Workflows that the tests have published. */
	const published = [];

	/** The workflows as `npm run demo` prepares them, and their addresses by name. */
	async function demoWorkflows(desk) {
		// n8n publishes no second workflow with the webhooks of the first.
		for (const id of published.splice(0)) await stage.n8n.deactivate(id);
		for (const file of readdirSync(EXAMPLES_DIR).filter((name) => /\.(csv|xlsx)$/.test(name))) {
			cpSync(path.join(EXAMPLES_DIR, file), path.join(stage.filesFolder, file));
		}
		const address = async (name) => {
			const example = readExample(name, stage);
			// A second instead of minutes.
			for (const { type, parameters } of example.nodes)
				if (type.endsWith('.wait')) Object.assign(parameters, { amount: 1, unit: 'seconds' });
			// What was answered before is not asked again.
			const table = example.nodes.find(({ parameters }) => parameters.tableName);
			if (table) await deleteTable(stage.n8n, table.parameters.tableName);
			const { id } = await stage.n8n.createWorkflow(example);
			published.push(id);
			return `${stage.n8n.url}/workflow/${id}`;
		};
		return {
			'Pay and report': await address('pay-and-report'),
			[desk.name]: await address(desk.example),
		};
	}

	contactsOnlyThisMachine();
});
