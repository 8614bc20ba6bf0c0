/** The environment of the demo and the end-to-end tests: the sandbox, n8n with the package, a credential. */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { connectN8n, startN8n } from './n8n.mjs';
import { installPackage } from './package.mjs';
import { startSandbox } from './sandbox.mjs';

/** @typedef {Awaited<ReturnType<typeof startStage>>} Stage */

/**
 * Starts the sandbox, and n8n with the package and a credential for the sandbox.
 *
 * @param {object} options
 * @param {import('./install.mjs').Installation} options.installation
 * @param {string} [options.address] of an n8n that has the package and runs already
 * @param {string} options.folder an empty folder for all data and logs
 * @param {import('./package.mjs').Packed} [options.packed]
 * @param {number} [options.n8nPort]
 * @param {number} [options.sandboxPort]
 * @param {string[]} [options.sandboxArgs]
 * @param {Record<string, string>} [options.env] for n8n
 */
export async function startStage({
	installation,
	address,
	folder,
	packed,
	n8nPort,
	sandboxPort,
	sandboxArgs,
	env,
}) {
	const filesFolder = path.join(folder, 'files');
	const userFolder = path.join(folder, 'n8n');
	mkdirSync(filesFolder, { recursive: true });
	mkdirSync(userFolder, { recursive: true });

	if (!address) await installPackage(userFolder, packed);

	const logs = path.join(folder, 'logs');
	const starting = /** @type {const} */ ([
		startSandbox({
			logFile: path.join(logs, 'sandbox.log'),
			port: sandboxPort,
			args: sandboxArgs,
		}),
		address
			? connectN8n({ url: address })
			: startN8n({
					installation,
					userFolder,
					port: n8nPort,
					filesFolders: [filesFolder],
					logFile: path.join(logs, 'n8n.log'),
					env,
				}),
	]);
	try {
		const [sandbox, n8n] = await Promise.all(starting);
		return {
			sandbox,
			n8n,
			/** The credential in n8n. */
			credential: await n8n.createCredential(sandbox.credential()),
			/** For all data and logs. */
			folder,
			/** The folder that workflows may read and write. */
			filesFolder,
			async stop() {
				await n8n.stop();
				await sandbox.stop();
			},
		};
	} catch (error) {
		for (const started of await Promise.allSettled(starting)) {
			if (started.status === 'fulfilled') await started.value.stop();
		}
		throw error;
	}
}
