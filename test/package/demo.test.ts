/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- runs outside n8n */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import ts from 'typescript';

const ROOT = join(__dirname, '../..');

/** All that a file imports as it is loaded, also through others: packages, and files below the root. */
function importedBy(file: string, seen = new Set<string>()): Set<string> {
	const { importedFiles } = ts.preProcessFile(readFileSync(join(ROOT, file), 'utf8'));
	// `import()` is preprocessed, too, but happens later.
	const source = readFileSync(join(ROOT, file), 'utf8');
	for (const { fileName, pos } of importedFiles) {
		if (/import\s*\(\s*['"]?$/.test(source.slice(Math.max(0, pos - 20), pos + 1))) continue;
		const isOwn = fileName.startsWith('.');
		const found = isOwn ? join(dirname(file), fileName) : fileName;
		if (seen.has(found)) continue;
		seen.add(found);
		if (isOwn && found.endsWith('.mjs')) importedBy(found, seen);
	}
	return seen;
}

test('the demo begins before anything is installed: it imports files of its own and Node.js alone', () => {
	const all = [...importedBy('e2e/demo.mjs')];
	expect(all.length).toBeGreaterThan(15);
	expect(all.filter((name) => !name.startsWith('node:') && !name.startsWith('e2e/'))).toEqual([]);
});
