/* eslint-disable @n8n/community-nodes/no-restricted-imports -- runs outside n8n */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { documents, readDocument, resolveTarget, ROOT, type Document } from './markdown';

const all = documents();
const isExternal = (target: string) => /^[a-z]+:/i.test(target);

/** What the targets of a document break, as texts: an empty list passes, and a failure says where. */
function broken(
	{ path: from, targets }: Document,
	complaint: (target: string) => string | undefined,
) {
	return targets.flatMap((target) => {
		const reason = complaint(target);
		return reason === undefined ? [] : [`${from}: ${target} ${reason}`];
	});
}

test('every relative link leads to a file, and to a heading where it names one', () => {
	const complaint = (from: string) => (target: string) => {
		if (isExternal(target)) return undefined;
		const { path, anchor } = resolveTarget(from, target);
		const file = join(ROOT, path);
		if (path.startsWith('..') || !existsSync(file)) return 'does not exist';
		if (anchor === undefined) return undefined;
		if (!statSync(file).isFile() || !path.endsWith('.md')) return 'has an anchor, and is no text';
		return readDocument(path).headings.some((heading) => heading.anchor === anchor)
			? undefined
			: 'names no heading';
	};
	expect(all.flatMap((document) => broken(document, complaint(document.path)))).toEqual([]);
});

test('every other link is a safe address', () => {
	const complaint = (target: string) =>
		!isExternal(target) || (URL.canParse(target) && target.startsWith('https://'))
			? undefined
			: 'is not an https address';
	expect(all.flatMap((document) => broken(document, complaint))).toEqual([]);
});

test.each([
	['docs', 'docs'],
	['docs/reference', 'docs'],
	['docs/es', 'docs/es'],
])('every guide in %s is listed in the index of %s', (folder, indexFolder) => {
	const index = readDocument(`${indexFolder}/README.md`);
	const guides = all
		.map(({ path }) => path)
		.filter((path) => dirname(path) === folder && path !== index.path);
	const listed = index.targets.map((target) => resolveTarget(index.path, target).path);
	expect(guides.filter((path) => !listed.includes(path))).toEqual([]);
});

test('every picture is shown somewhere', () => {
	const shown = new Set(
		all.flatMap(({ path, targets }) => targets.map((target) => resolveTarget(path, target).path)),
	);
	const pictures = readdirSync(join(ROOT, 'docs/images')).map((file) => join('docs/images', file));
	expect(pictures.filter((picture) => !shown.has(picture))).toEqual([]);
});
