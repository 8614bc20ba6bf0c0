/** The example workflows, made ready for an n8n that was started here. */
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { EXAMPLES_DIR } from './paths.mjs';

/** The folder that the examples name: n8n's own for files, in its Docker image. */
const USUAL_FILES_FOLDER = '/home/node/.n8n-files';

/** Names of the example workflows, without `.json`. */
export function exampleNames() {
	return readdirSync(EXAMPLES_DIR)
		.filter((file) => file.endsWith('.json'))
		.map((file) => path.basename(file, '.json'))
		.sort();
}

/**
 * An example workflow with the files folder and the credential filled in, which a user does by hand.
 *
 * @param {string} name
 * @param {{ filesFolder: string, credential: { id: string, name: string, type: string } }} settings
 */
export function readExample(name, { filesFolder, credential }) {
	const text = readFileSync(path.join(EXAMPLES_DIR, `${name}.json`), 'utf8');
	// Escaped, because it goes into JSON text.
	const folder = JSON.stringify(filesFolder).slice(1, -1);
	const workflow = JSON.parse(text.replaceAll(USUAL_FILES_FOLDER, folder));
	for (const node of workflow.nodes) {
		if (!node.credentials?.[credential.type]) continue;
		node.credentials[credential.type] = { id: credential.id, name: credential.name };
	}
	return workflow;
}
