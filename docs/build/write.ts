/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- runs outside n8n */
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { renderPages } from './codes';

/** Writes what is generated in the guides: `npm run docs`. */
const ROOT = resolve(__dirname, '../..');

for (const [path, text] of renderPages()) {
	writeFileSync(join(ROOT, path), text);
}
