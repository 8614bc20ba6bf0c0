/** Shared parts of still and animated pictures of a page. */
import { statSync } from 'node:fs';
import path from 'node:path';
import { ROOT_DIR } from './paths.mjs';

/** @typedef {'light' | 'dark'} Scheme */

/** The editor's temporary messages. */
const STYLE = '.el-notification { display: none !important }';

/**
 * Takes a picture in each colour scheme, which the editor and the console follow.
 *
 * @template {Scheme} S
 * @param {import('playwright-core').Page} page
 * @param {import('playwright-core').Page | import('playwright-core').Locator} target the page, or a part of it
 * @param {readonly S[]} schemes
 * @param {(scheme: S) => string} fileOf where the picture is written to
 */
export async function takePictures(page, target, schemes, fileOf) {
	for (const scheme of schemes) {
		await page.emulateMedia({ colorScheme: scheme });
		const file = fileOf(scheme);
		await target.screenshot({ path: file, animations: 'disabled', caret: 'hide', style: STYLE });
	}
}

/** Prints the size of a picture, and throws if it is too large for a guide. */
export function checkSize(file, maxBytes) {
	const { size } = statSync(file);
	process.stdout.write(`${path.relative(ROOT_DIR, file)}  ${Math.round(size / 1000)} kB\n`);
	if (size > maxBytes) throw new Error(`${file} is larger than ${maxBytes} bytes`);
}
