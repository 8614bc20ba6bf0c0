import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * An empty folder for one run of this process. Folders of finished runs are removed; a run that is still
 * going on keeps its folder.
 *
 * @param {string} parent
 * @param {string} name
 * @returns {string} `name` in `parent`, with a number behind it while another process uses that
 */
export function claimFolder(parent, name) {
	mkdirSync(parent, { recursive: true });
	const isOfName = (entry) => entry === name || new RegExp(`^${name}-\\d+$`).test(entry);
	for (const entry of readdirSync(parent).filter(isOfName)) {
		const folder = path.join(parent, entry);
		if (!isInUse(folder)) rmSync(folder, { recursive: true, force: true });
	}
	for (const candidate of [name, `${name}-${process.pid}`]) {
		const folder = path.join(parent, candidate);
		try {
			mkdirSync(folder);
			writeFileSync(path.join(folder, 'pid'), String(process.pid));
			return folder;
		} catch (error) {
			if (error.code !== 'EEXIST') throw error;
		}
	}
	throw new Error(`${path.join(parent, name)} is in use`);
}

/** @param {string} folder */
function isInUse(folder) {
	try {
		process.kill(Number(readFileSync(path.join(folder, 'pid'), 'utf8')), 0);
		return true;
	} catch (error) {
		return error.code === 'EPERM';
	}
}
