/** The n8n versions that the package is tested with. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ExpectedError } from './errors.mjs';
import { E2E_DIR } from './paths.mjs';

/** The environment variable that chooses one of them. The default is the newest. */
export const N8N_VARIABLE = 'PARTNER_PAYMENTS_N8N';

/** The newest version known to run and the oldest supported one, each with a folder for its manifest and lock file. */
const MANIFEST_DIRS = new Map(
	[E2E_DIR, path.join(E2E_DIR, 'n8n-1')].map((dir) => {
		const { dependencies } = JSON.parse(readFileSync(path.join(dir, 'package.json'), 'utf8'));
		return [dependencies.n8n, dir];
	}),
);

/** The newest first. */
export const N8N_VERSIONS = [...MANIFEST_DIRS.keys()];

/** The version in the environment variable, or the newest. */
export function chosenVersion() {
	return process.env[N8N_VARIABLE] || N8N_VERSIONS[0];
}

/**
 * The folder with the manifest and the lock file of a version.
 *
 * @param {string} version
 */
export function manifestDirOf(version) {
	const dir = MANIFEST_DIRS.get(version);
	if (dir) return dir;
	throw new ExpectedError(`There is no n8n ${version} here, only ${N8N_VERSIONS.join(' and ')}.`);
}
