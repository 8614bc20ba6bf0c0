import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import path from 'node:path';
import { startBrowser } from '../harness/browser.mjs';
import { useStage } from './support.mjs';
import { until } from './trigger-support.mjs';

/**
 * @typedef {import('../harness/stage.mjs').Stage} Stage
 * @typedef {Awaited<ReturnType<typeof startBrowser>>} Browser
 */

/**
 * Opens a form of n8n's signed-in users. n8n asks once for permission to share the user with it.
 *
 * @param {import('playwright-core').Page} page
 * @param {string} address
 */
export async function openSignedInForm(page, address) {
	await page.goto(address);
	const [button, allow] = [page.locator('#submit-btn'), page.getByTestId('consent-allow-button')];
	await button.or(allow).waitFor();
	if (await allow.isVisible()) await allow.click();
	await button.waitFor();
}

/**
 * Answers what the pages of a desk ask about its file: of a list the choice that fits, or else the first; of several
 * choices the last, which is none of them.
 *
 * @param {import('playwright-core').Page} page
 * @param {{ next: string, send: string }} buttons of the pages of questions, and of the page with the decision
 * @param {RegExp} [choice]
 */
export async function answerQuestions(page, { next, send }, choice = /(?!)/) {
	const button = page.getByRole('button', { name: next });
	const end = page.getByRole('button', { name: send });
	for (;;) {
		await button.or(end).first().waitFor();
		if (!(await button.isVisible())) return;
		const hash = await page.locator('input[type=hidden]').first().getAttribute('value');
		await answerPage(page, { next }, choice);
		// Every page has the same address.
		await page.waitForFunction((old) => {
			const shown = globalThis.document.querySelector('input[type=hidden]');
			return shown?.getAttribute('value') !== old && globalThis.document.querySelector('h1');
		}, hash);
	}
}

/**
 * Sends the answers of one page.
 *
 * @param {import('playwright-core').Page} page
 * @param {{ next: string }} buttons
 * @param {RegExp} choice
 */
export async function answerPage(page, { next }, choice) {
	for (const list of await page.locator('select').all()) {
		const options = await list.locator('option').allInnerTexts();
		await list.selectOption({
			index: Math.max(
				1,
				options.findIndex((one) => choice.test(one)),
			),
		});
	}
	for (const group of await page.locator('.multiselect').all())
		await group.locator('input[type=checkbox]').last().check();
	await page.getByRole('button', { name: next }).click();
}

/**
 * Decides on the page of a desk.
 *
 * @param {import('playwright-core').Page} page
 * @param {string} decision how the option begins
 * @returns the option
 */
export async function chooseDecision(page, decision) {
	const list = page.locator('select');
	const options = await list.locator('option').allInnerTexts();
	const option = options.find((one) => one.startsWith(decision)) ?? '';
	await list.selectOption(option);
	return option;
}

/**
 * Ends the wait at the report that a page shows, which looks up the payments, and shows the next report.
 *
 * @param {import('playwright-core').Page} page
 */
export async function lookAgain(page) {
	const address = page.url();
	const status = new URL(address);
	status.pathname += '/n8n-execution-status';
	await fetch(address, { method: 'POST' });
	await until(
		async () => ['form-waiting', 'success'].includes(await (await fetch(status)).text()),
		'there is a report',
	);
	await page.goto(address);
}

/**
 * A stage and a browser for all tests of a file.
 *
 * @param {string} name of the folder for logs, data and pictures
 * @param {(stage: Stage, browser: Browser) => Promise<import('playwright-core').Page>} openPage
 * @param {Parameters<typeof useStage>[1]} [options]
 */
export function useBrowser(name, openPage, options) {
	const stage = useStage(name, options);
	/** @type {Browser} */
	let browser;
	/** @type {import('playwright-core').Page} */
	let page;
	before(
		async () => {
			browser = await startBrowser();
			page = await openPage(stage, browser);
		},
		{ timeout: 600_000 },
	);
	after(async () => {
		await browser?.close();
	});

	/**
	 * A test that saves a screenshot if it fails.
	 *
	 * @param {string} title
	 * @param {(t: import('node:test').TestContext) => unknown} run
	 */
	function inBrowser(title, run) {
		it(title, async (t) => {
			try {
				await run(t);
			} catch (error) {
				const name = title.replace(/\W+/g, '-').slice(0, 80);
				// The test's page, and the forms that a workflow opened.
				for (const [index, shown] of page.context().pages().entries()) {
					const file = path.join(stage.folder, `${name}${index || ''}.png`);
					const taken = await shown
						.screenshot({ path: file, timeout: 10_000 })
						.catch(() => undefined);
					if (taken)
						error.message += `\nThe page at that moment: ${path.relative(process.cwd(), file)}`;
				}
				throw error;
			}
		});
	}

	/** Runs last: only n8n and the sandbox were contacted. */
	function contactsOnlyThisMachine() {
		it('contacts nothing but n8n and the sandbox', () => {
			const known = [stage.n8n.url, new URL(stage.sandbox.baseUrl).origin];
			const answered = [...browser.answered];
			assert.ok(answered.length > 0);
			assert.deepEqual(
				answered.filter((origin) => !known.includes(origin)),
				[],
			);
		});
	}

	return { stage, inBrowser, contactsOnlyThisMachine };
}
