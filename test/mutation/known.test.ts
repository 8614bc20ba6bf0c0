/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- runs outside n8n */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { declarationsOf } from './declarations.cjs';

const ROOT = join(__dirname, '../..');

const known = JSON.parse(readFileSync(join(__dirname, 'known.json'), 'utf8')) as {
	held: string[];
	survivors: Record<string, Array<{ in: string }>>;
};

test.each(known.held)('known.json holds a file that exists to 90 %%: %s', (file) => {
	expect(existsSync(join(ROOT, file))).toBe(true);
});

test.each(Object.entries(known.survivors))(
	'known.json names declarations that %s has',
	(file, survivors) => {
		const source = readFileSync(join(ROOT, file), 'utf8');
		const names = declarationsOf(source).map(({ name }) => name);
		expect(names).toEqual(expect.arrayContaining(survivors.map((survivor) => survivor.in)));
	},
);
