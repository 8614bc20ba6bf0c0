/** A headless Chromium that reaches only this machine. */
import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { chromium, selectors } from 'playwright-core';

/** The environment variable with the path of the browser, if it is not found. */
const BROWSER_VARIABLE = 'PARTNER_PAYMENTS_CHROMIUM';

const USUAL_NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

const FLAGS = [
	// Chromium's sandbox doesn't run as root, as tests do in containers. The pages come from this machine only.
	'--no-sandbox',
	'--disable-gpu',
	'--disable-quic',
	'--no-first-run',
	'--disable-background-networking',
	'--disable-component-update',
	'--disable-sync',
	// Blocks every other host. Routing requests through Playwright would do that too, but disables the cache,
	// without which the editor opens many times slower.
	'--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
];

/** The attribute that marks parts of n8n's editor for tests. */
selectors.setTestIdAttribute('data-test-id');

/** The browser of this machine. */
function findChromium() {
	const wanted = process.env[BROWSER_VARIABLE];
	const candidates = wanted
		? [wanted]
		: (process.env.PATH ?? '')
				.split(path.delimiter)
				.flatMap((folder) => USUAL_NAMES.map((name) => path.join(folder, name)));
	const found = candidates.find(isExecutable);
	if (found) return found;
	const reason = wanted
		? `${BROWSER_VARIABLE} is ${wanted}, which cannot be run`
		: 'There is no Chromium on the PATH';
	throw new Error(
		`${reason}. Install Chromium (Debian: apt-get install chromium), or set ${BROWSER_VARIABLE} to its full path.`,
	);
}

/** @param {string} file */
function isExecutable(file) {
	try {
		accessSync(file, constants.X_OK);
		return true;
	} catch {
		return false;
	}
}

/** The time limit for any action, on a busy machine. */
const ACTION_MS = 180_000;

/** Start the browser. Its pages are opened with `openPage`. */
export async function startBrowser() {
	const browser = await chromium.launch({
		executablePath: findChromium(),
		args: FLAGS,
		timeout: ACTION_MS,
	});
	return new Browser(browser);
}

class Browser {
	#browser;

	/** @param {import('playwright-core').Browser} browser */
	constructor(browser) {
		this.#browser = browser;
		/** The origins that pages requested. */
		this.asked = new Set();
		/** The origins that answered. */
		this.answered = new Set();
	}

	/**
	 * Opens a page with its own cookies and storage.
	 *
	 * @param {object} [options]
	 * @param {{ width: number, height: number }} [options.viewport]
	 */
	async openPage({ viewport = { width: 1280, height: 800 } } = {}) {
		const context = await this.#browser.newContext({
			viewport,
			// Transitions would delay every click.
			reducedMotion: 'reduce',
			locale: 'en-US',
			timezoneId: 'UTC',
			// The listeners below don't get its requests.
			serviceWorkers: 'block',
		});
		context.on('request', (request) => {
			const { protocol, origin } = new URL(request.url());
			if (protocol.startsWith('http')) this.asked.add(origin);
		});
		context.on('response', (response) => {
			const { protocol, origin } = new URL(response.url());
			if (protocol.startsWith('http')) this.answered.add(origin);
		});
		context.setDefaultTimeout(ACTION_MS);
		return await context.newPage();
	}

	async close() {
		await this.#browser.close();
	}
}
