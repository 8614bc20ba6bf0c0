/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- runs outside n8n */
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

const read = (file: string): string => readFileSync(file, 'utf8');

/** n8n’s command line, with which authors must lint a package before n8n verifies it. */
const configs = dirname(require.resolve('@n8n/node-cli/eslint'));

test('uses n8n’s lint rules unchanged, because n8n’s command line rejects any others', () => {
	const expected = resolve(configs, '../template/templates/shared/default/eslint.config.mjs');
	expect(read(resolve(__dirname, '../../eslint.config.mjs'))).toBe(read(expected));
});
