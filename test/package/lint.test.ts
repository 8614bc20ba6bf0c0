/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- runs beside n8n, not in it */
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

const read = (file: string): string => readFileSync(file, 'utf8');

/** n8n's command line, which authors of a package that wants to be verified have to lint it with. */
const configs = dirname(require.resolve('@n8n/node-cli/eslint'));

test('n8n’s lint rules are as n8n has them: its command line refuses any others', () => {
	const expected = resolve(configs, '../template/templates/shared/default/eslint.config.mjs');
	expect(read(resolve(__dirname, '../../eslint.config.mjs'))).toBe(read(expected));
});
