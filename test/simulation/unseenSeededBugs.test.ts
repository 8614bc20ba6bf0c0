/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- runs outside n8n */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import ts from 'typescript';

import { applyPatch } from './patch';
import { SEEDED_BUGS, type SeededBug } from './seededBugs';
import { UNSEEN_BUGS } from './unseenSeededBugs';

const ROOT = resolve(__dirname, '../..');

const NOT_COMPILING = ['noSuchFunction([', 'noSuchFunction([],'].map((replace) => ({
	...UNSEEN_BUGS[0],
	replace,
}));

const patchedFile = ({ file }: SeededBug): string => join(ROOT, file);

/**
 * The compiler's complaints about the file that a seeded bug changes, with the bug in it. One program has a copy of the
 * file for each bug, next to the files as they are: types that they share are checked once.
 */
function createCompiler(bugs: SeededBug[]): (bug: SeededBug) => string[] {
	const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), (path) =>
		ts.sys.readFile(path),
	) as { config: unknown };
	const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
	// A bug may take away the only use of a name.
	Object.assign(options, { noUnusedLocals: false, noUnusedParameters: false });
	const codes = new Map<string, string>();
	const copies = new Map<SeededBug, string>();
	const copyWith = (bug: SeededBug): string => {
		const path = patchedFile(bug);
		const copy = path.replace(/\.ts$/, `.${codes.size}.ts`);
		codes.set(copy, applyPatch(readFileSync(path, 'utf8'), bug));
		copies.set(bug, copy);
		return copy;
	};
	for (const bug of bugs) {
		try {
			copyWith(bug);
		} catch {
			// It matches no place or several: its test throws this again.
		}
	}
	const readFile = (path: string): string | undefined => codes.get(path) ?? ts.sys.readFile(path);
	const service = ts.createLanguageService({
		getCompilationSettings: () => options,
		getCurrentDirectory: () => ROOT,
		getDefaultLibFileName: ts.getDefaultLibFilePath,
		getScriptFileNames: () => [...codes.keys()],
		getScriptVersion: () => '0',
		getScriptSnapshot: (path) => {
			const code = readFile(path);
			return code === undefined ? undefined : ts.ScriptSnapshot.fromString(code);
		},
		fileExists: (path) => codes.has(path) || ts.sys.fileExists(path),
		readFile,
		directoryExists: (path) => ts.sys.directoryExists(path),
		getDirectories: (path) => ts.sys.getDirectories(path),
	});
	return (bug) => {
		const path = copies.get(bug) ?? copyWith(bug);
		return [...service.getSyntacticDiagnostics(path), ...service.getSemanticDiagnostics(path)].map(
			({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'),
		);
	};
}

describe('an unseen seeded bug', () => {
	let complaints: (bug: SeededBug) => string[];

	beforeAll(() => {
		complaints = createCompiler([...UNSEEN_BUGS, ...NOT_COMPILING]);
	});

	test.each(UNSEEN_BUGS)('matches one place of the code and compiles: $name', (bug) => {
		expect(complaints(bug)).toEqual([]);
	});

	test('the compiler notices a bug that does not compile', () => {
		for (const bug of NOT_COMPILING) expect(complaints(bug)).not.toEqual([]);
	});

	test('the unseen seeded bugs have distinct names and replacements', () => {
		const all = [...UNSEEN_BUGS, ...Object.values(SEEDED_BUGS).flat()];
		expect(UNSEEN_BUGS.length).toBeGreaterThanOrEqual(75);
		expect(new Set(UNSEEN_BUGS.map(({ name }) => name)).size).toBe(UNSEEN_BUGS.length);
		for (const { name, file, find, replace } of UNSEEN_BUGS) {
			const same = all.filter((one) => one.name === name || isSame(one, { file, find, replace }));
			expect(same).toHaveLength(1);
		}
	});
});

function isSame(a: Omit<SeededBug, 'name'>, b: Omit<SeededBug, 'name'>): boolean {
	return a.file === b.file && a.find === b.find && a.replace === b.replace;
}
