/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- runs outside n8n */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import ts from 'typescript';

import { applyPatch } from './patch';
import { SEEDED_BUGS, type SeededBug } from './seededBugs';
import { UNSEEN_BUGS } from './unseenSeededBugs';

const ROOT = resolve(__dirname, '../..');

const patchedFile = ({ file }: SeededBug): string => join(ROOT, file);

/** The compiler's complaints about the file that a seeded bug changes, with the bug in it. */
function createCompiler(): (bug: SeededBug) => string[] {
	const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), (path) =>
		ts.sys.readFile(path),
	) as { config: unknown };
	const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
	// A bug may take away the only use of a name.
	Object.assign(options, { noUnusedLocals: false, noUnusedParameters: false });
	const files = [...new Set(UNSEEN_BUGS.map(patchedFile))];
	let patched = { path: '', code: '', version: 0 };
	const service = ts.createLanguageService({
		getCompilationSettings: () => options,
		getCurrentDirectory: () => ROOT,
		getDefaultLibFileName: ts.getDefaultLibFilePath,
		getScriptFileNames: () => files,
		getScriptVersion: (path) => (path === patched.path ? String(patched.version) : '0'),
		getScriptSnapshot: (path) => {
			const code = path === patched.path ? patched.code : ts.sys.readFile(path);
			return code === undefined ? undefined : ts.ScriptSnapshot.fromString(code);
		},
		fileExists: (path) => ts.sys.fileExists(path),
		readFile: (path) => ts.sys.readFile(path),
		directoryExists: (path) => ts.sys.directoryExists(path),
		getDirectories: (path) => ts.sys.getDirectories(path),
	});
	return (bug) => {
		const path = patchedFile(bug);
		const code = applyPatch(readFileSync(path, 'utf8'), bug);
		patched = { path, code, version: patched.version + 1 };
		return [...service.getSyntacticDiagnostics(path), ...service.getSemanticDiagnostics(path)].map(
			({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'),
		);
	};
}

describe('an unseen seeded bug', () => {
	let complaints: (bug: SeededBug) => string[];

	beforeAll(() => {
		complaints = createCompiler();
	});

	test.each(UNSEEN_BUGS)('matches one place of the code and compiles: $name', (bug) => {
		expect(complaints(bug)).toEqual([]);
	});

	test('the compiler notices a bug that does not compile', () => {
		const [bug] = UNSEEN_BUGS;
		expect(complaints({ ...bug, replace: 'noSuchFunction([' })).not.toEqual([]);
		expect(complaints({ ...bug, replace: 'noSuchFunction([],' })).not.toEqual([]);
	});

	test('eighty seeded bugs have distinct names and replacements', () => {
		const all = [...UNSEEN_BUGS, ...Object.values(SEEDED_BUGS).flat()];
		expect(UNSEEN_BUGS).toHaveLength(80);
		expect(new Set(UNSEEN_BUGS.map(({ name }) => name)).size).toBe(80);
		for (const { name, file, find, replace } of UNSEEN_BUGS) {
			const same = all.filter((one) => one.name === name || isSame(one, { file, find, replace }));
			expect(same).toHaveLength(1);
		}
	});
});

function isSame(a: Omit<SeededBug, 'name'>, b: Omit<SeededBug, 'name'>): boolean {
	return a.file === b.file && a.find === b.find && a.replace === b.replace;
}
