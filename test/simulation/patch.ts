import ts from 'typescript';

/**
 * A change of a source file, which breaks the package on purpose. `find` is a pattern over the tokens of the
 * code, so formatting does not matter, and `$name` in it matches any identifier: renaming a local variable does
 * not touch a pattern. The same `$name` in `find` is the same identifier, and `replace` may use it.
 */
export interface Patch {
	/** Path below the root. */
	file: string;
	find: string;
	replace: string;
}

interface Token {
	text: string;
	start: number;
	end: number;
}

/** The tokens of a piece of code, without comments. */
function tokensOf(code: string): Token[] {
	const source = ts.createSourceFile('code.ts', code, ts.ScriptTarget.ES2022, true);
	const tokens: Token[] = [];
	const visit = (node: ts.Node): void => {
		if (ts.isJSDoc(node)) return;
		const children = node.getChildren(source);
		if (children.length > 0) children.forEach(visit);
		else if (node.end > node.getStart(source)) {
			tokens.push({ text: node.getText(source), start: node.getStart(source), end: node.end });
		}
	};
	visit(source);
	return tokens;
}

/**
 * The tokens of a pattern, which may be any piece of code, also one with unbalanced brackets. A scanner does not
 * know where a regular expression or a template may begin, so patterns have none.
 */
function patternOf(find: string): string[] {
	const scanner = ts.createScanner(ts.ScriptTarget.ES2022, true, ts.LanguageVariant.Standard, find);
	const texts: string[] = [];
	for (let kind = scanner.scan(); kind !== ts.SyntaxKind.EndOfFileToken; kind = scanner.scan()) {
		// The scanner leaves it to a parser whether `>=` is one token.
		if (kind === ts.SyntaxKind.GreaterThanToken) scanner.reScanGreaterToken();
		texts.push(scanner.getTokenText());
	}
	return texts;
}

const isIdentifier = (text: string): boolean => /^[A-Za-z_]\w*$/.test(text);

/** The identifiers that a pattern's names match at a place of the code; undefined if it does not match there. */
function matchAt(tokens: Token[], at: number, pattern: string[]): Map<string, string> | undefined {
	const names = new Map<string, string>();
	for (const [index, wanted] of pattern.entries()) {
		const text = tokens[at + index]?.text;
		if (text === undefined) return undefined;
		if (!wanted.startsWith('$')) {
			if (text !== wanted) return undefined;
			continue;
		}
		if (!isIdentifier(text) || (names.get(wanted) ?? text) !== text) return undefined;
		names.set(wanted, text);
	}
	return names;
}

/**
 * Changes code in the one place that a patch describes.
 *
 * @throws Error if there is no such place or more than one
 */
export function applyPatch(code: string, { file, find, replace }: Patch): string {
	const tokens = tokensOf(code);
	const pattern = patternOf(find);
	const found = tokens.flatMap((_, at) => {
		const names = matchAt(tokens, at, pattern);
		return names ? [{ at, names }] : [];
	});
	if (found.length !== 1) {
		throw new Error(
			`${file} has ${found.length} places, instead of one, that match the pattern: ${find}\n` +
				'Has the code moved to another file, or has a function or property another name?',
		);
	}
	const [{ at, names }] = found;
	const text = replace.replace(/\$[A-Za-z_]\w*/g, (name) => {
		const identifier = names.get(name);
		if (identifier === undefined) throw new Error(`${file}: the pattern has no ${name}: ${find}`);
		return identifier;
	});
	return code.slice(0, tokens[at].start) + text + code.slice(tokens[at + pattern.length - 1].end);
}
