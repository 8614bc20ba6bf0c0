/** The n8n versions that the package is tested with. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ExpectedError } from './errors.mjs';
import { E2E_DIR } from './paths.mjs';

/** Environment variable that chooses one of them; without it the newest is taken. */
export const N8N_VARIABLE = 'PARTNER_PAYMENTS_N8N';

/** Each has a folder with its manifest and lock file: the newest that is known to run, and the oldest supported. */
const MANIFEST_DIRS = new Map(
	[E2E_DIR, path.join(E2E_DIR, 'n8n-1')].map((dir) => {
		const { dependencies } = JSON.parse(readFileSync(path.join(dir, 'package.json'), 'utf8'));
		return [dependencies.n8n, dir];
	}),
);

/** The newest first. */
export const N8N_VERSIONS = [...MANIFEST_DIRS.keys()];

/** The version that was chosen by the environment variable, or the newest. */
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
