import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { before, describe } from 'node:test';
import { useBrowser } from './browser-support.mjs';
import { partnerPayments, runNode } from './support.mjs';
import { until } from './trigger-support.mjs';

const { resolve } = createRequire(import.meta.url);
const AXE = readFileSync(resolve('axe-core/axe.min.js'), 'utf8');

const BALANCES = '/v2/transactions/payouts/balance';

/** @import { Locator, Page } from 'playwright-core' */

describe('the console of the sandbox', () => {
	/** @type {Page} */
	let page;

	const { stage, inBrowser, contactsOnlyThisMachine } = useBrowser(
		'browser-console',
		async ({ sandbox }, browser) => {
			page = await browser.openPage();
			await page.goto(sandbox.consoleUrl);
			return page;
		},
		{ sandboxArgs: ['--state-clock', '0'] },
	);

	const button = (name, /** @type {Page | Locator} */ within = page) =>
		within.getByRole('button', { name, exact: true });
	const dialog = (title) => page.getByRole('dialog', { name: title });
	const row = (table, text) =>
		page.getByRole('table', { name: table }).getByRole('row').filter({ hasText: text });
	const transaction = (reference) => row('Transactions, newest first', reference);

	/** Creates a QR deposit with the node in n8n. */
	async function createDeposit(referenceId) {
		const execution = await runNode(
			stage,
			partnerPayments(stage, {
				resource: 'deposit',
				operation: 'createQr',
				fiatAmount: '150.50',
				referenceId,
			}),
		);
		assert.equal(execution.status, 'success', execution.error?.message);
	}

	async function statusOf(reference) {
		const [{ status }] = await stage.sandbox.transactions({ reference });
		return status;
	}

	/** The violations that the accessibility checker finds. */
	async function accessibilityFaults() {
		const { violations } = await page.evaluate(() => globalThis.axe.run());
		return violations.flatMap(({ id, nodes }) =>
			nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
		);
	}

	describe('with the mouse', () => {
		inBrowser('reads "Live", and sees a new transaction without reloading', async () => {
			await page.getByRole('status').getByText('Live').waitFor();
			await page.evaluate(() => (globalThis.isFirstPage = true));
			await createDeposit('order-1');
			await transaction('order-1').getByText('Pending').waitFor();
			assert.equal(await page.evaluate(() => globalThis.isFirstPage), true);
		});

		inBrowser('clicks "Pay" in the row of a QR deposit, which completes it', async () => {
			await button('Pay QR deposit order-1').click();
			await transaction('order-1').getByText('Completed').waitFor();
			assert.equal(await statusOf('order-1'), 'completed_transaction');
		});

		inBrowser('clicks "Open" and "Failed", which fails the transaction', async () => {
			await createDeposit('order-2');
			await button('Open QR deposit order-2').click();
			const details = dialog('Transaction');
			await details.getByRole('img', { name: 'QR code of the deposit order-2' }).waitFor();
			await button('Failed', details).click();
			await details.getByText('Changed to Failed.').waitFor();
			await button('Close', details).click();
			await transaction('order-2').getByText('Failed').waitFor();
			assert.equal(await statusOf('order-2'), 'failed_transaction');
		});

		inBrowser('adds a fault, which the node meets once', async () => {
			const form = page.getByRole('form', { name: 'Inject a fault' });
			await form.getByLabel('Fault', { exact: true }).selectOption('Status');
			await form.getByLabel('Status', { exact: true }).fill('418');
			await form.getByLabel('Path').fill(BALANCES);
			await button('Add fault', form).click();
			await row('Faults in force', 'Status 418').getByText('0 of 1').waitFor();

			const getBalances = partnerPayments(stage, { resource: 'payout', operation: 'getBalances' });
			const failed = await runNode(stage, getBalances);
			assert.equal(failed.status, 'error');
			await row('Faults in force', 'Status 418').getByText('1 of 1').waitFor();
			await row('Requests that the service received', BALANCES).getByText('418').waitFor();
			const { status } = await runNode(stage, getBalances);
			assert.equal(status, 'success');
		});
	});

	describe('with the keyboard alone', () => {
		const focused = () =>
			page.evaluate(() => {
				const { ariaLabel, textContent, id } = globalThis.document.activeElement;
				return ariaLabel ?? (textContent.trim() || id);
			});

		/** Presses Tab until that element has the focus. */
		async function tabTo(name) {
			const passed = [];
			for (let presses = 0; presses < 200; presses++) {
				await page.keyboard.press('Tab');
				passed.push(await focused());
				if (passed.at(-1) === name) return;
			}
			assert.fail(`Tab does not reach "${name}": ${passed.join(' | ')}`);
		}

		before(async () => {
			await stage.sandbox.clearFaults();
			await createDeposit('order-3');
			await transaction('order-3').waitFor();
			await page.locator('body').focus();
		});

		inBrowser('pays a deposit, opens it, expires it and returns to its row', async () => {
			await tabTo('Pay QR deposit order-3');
			await page.keyboard.press('Enter');
			await transaction('order-3').getByText('Completed').waitFor();

			// "Pay" is gone, and the focus has moved to the next button.
			await until(async () => (await focused()) === 'Open QR deposit order-3', 'focus moves on');
			await page.keyboard.press('Enter');
			await dialog('Transaction').waitFor();
			await tabTo('Expired');
			await page.keyboard.press('Space');
			await dialog('Transaction').getByText('Changed to Expired.').waitFor();
			assert.equal(await statusOf('order-3'), 'expired_transaction');
			await page.keyboard.press('Escape');
			await dialog('Transaction').waitFor({ state: 'hidden' });
			assert.equal(await focused(), 'Open QR deposit order-3');
		});
	});

	describe('for accessibility', () => {
		before(() => page.evaluate(AXE));

		for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
			inBrowser(
				`has a label for everything and enough contrast in ${colorScheme} mode`,
				async () => {
					await page.emulateMedia({ colorScheme });
					assert.deepEqual(await accessibilityFaults(), []);
					await button('Open QR deposit order-1').click();
					await dialog('Transaction').waitFor();
					assert.deepEqual(await accessibilityFaults(), []);
					await page.keyboard.press('Escape');
					await dialog('Transaction').waitFor({ state: 'hidden' });
				},
			);
		}

		inBrowser('fits a screen of 320 pixels', async () => {
			await page.setViewportSize({ width: 320, height: 640 });
			const width = await page.evaluate(() => globalThis.document.documentElement.scrollWidth);
			assert.ok(width <= 320, `${width} pixels wide`);
			assert.deepEqual(await accessibilityFaults(), []);
		});
	});

	describe('the network', () => contactsOnlyThisMachine());
});
