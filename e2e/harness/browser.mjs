/** A headless Chromium, which reaches nothing but this machine. */
import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { chromium, selectors } from 'playwright-core';

/** Environment variable that names the browser, where it is not found by itself. */
const BROWSER_VARIABLE = 'PARTNER_PAYMENTS_CHROMIUM';

const USUAL_NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

const FLAGS = [
	// Chromium refuses to run as root, as tests do in containers, with its sandbox. It shows pages of this machine only.
	'--no-sandbox',
	'--disable-gpu',
	'--disable-quic',
	'--no-first-run',
	'--disable-background-networking',
	'--disable-component-update',
	'--disable-sync',
	// Nothing finds its way out. Routing requests through Playwright would do so too, but at the price of the cache,
	// without which the editor takes many times longer to open.
	'--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
];

/** The name by which n8n's editor marks its parts for tests. */
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

/** Start the browser. Its pages are opened with `openPage`. */
export async function startBrowser() {
	const browser = await chromium.launch({ executablePath: findChromium(), args: FLAGS });
	return new Browser(browser);
}

class Browser {
	#browser;

	/** @param {import('playwright-core').Browser} browser */
	constructor(browser) {
		this.#browser = browser;
		/** Origins that pages asked for something. */
		this.asked = new Set();
		/** Those that answered. */
		this.answered = new Set();
	}

	/**
	 * Open a page with cookies and storage of its own.
	 *
	 * @param {object} [options]
	 * @param {{ width: number, height: number }} [options.viewport]
	 */
	async openPage({ viewport = { width: 1280, height: 800 } } = {}) {
		const context = await this.#browser.newContext({
			viewport,
			// Transitions would only make every click wait.
			reducedMotion: 'reduce',
			locale: 'en-US',
			timezoneId: 'UTC',
			// Its requests are not told to the listeners below.
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
		return await context.newPage();
	}

	async close() {
		await this.#browser.close();
	}
}
