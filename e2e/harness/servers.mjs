/** Shared by PostgreSQL and Redis, which have to be installed on the machine. */
import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { ExpectedError } from './errors.mjs';

/**
 * The path of a program.
 *
 * @param {string} name
 * @param {{ folders?: string[], debianPackage: string, brewPackage: string }} options `folders` are looked at before
 *   those of PATH; the packages are what to install when it is in none of them
 */
export function findProgram(name, { folders = [], debianPackage, brewPackage }) {
	for (const folder of [...folders, ...(process.env.PATH ?? '').split(path.delimiter)]) {
		if (!folder) continue;
		const file = path.join(folder, name);
		try {
			accessSync(file, constants.X_OK);
			return file;
		} catch {
			// Try the next folder.
		}
	}
	throw new ExpectedError(
		`n8n's queue mode needs ${name}, which is not on this machine. ` +
			`Install it (Debian and Ubuntu: apt-get install ${debianPackage}; macOS: brew install ${brewPackage}).`,
	);
}
