/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- runs beside n8n, not in it */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import ts from 'typescript';

const ROOT = resolve(__dirname, '..');

/** A regular expression of the published code. */
export interface Pattern {
	file: string;
	source: string;
	flags: string;
}

/** Every regular expression of the published code, and every place that makes one from text. */
export function publishedPatterns(): { patterns: Pattern[]; constructed: string[] } {
	const patterns: Pattern[] = [];
	const constructed: string[] = [];
	for (const folder of ['nodes', 'credentials']) {
		for (const name of readdirSync(join(ROOT, folder), { recursive: true }).map(String)) {
			if (!name.endsWith('.ts')) continue;
			const path = join(ROOT, folder, name);
			const file = relative(ROOT, path);
			const visit = (node: ts.Node): void => {
				if (ts.isRegularExpressionLiteral(node)) {
					const end = node.text.lastIndexOf('/');
					patterns.push({
						file,
						source: node.text.slice(1, end),
						flags: node.text.slice(end + 1),
					});
				}
				if (ts.isIdentifier(node) && node.text === 'RegExp' && !ts.isTypeReferenceNode(node.parent))
					constructed.push(file);
				ts.forEachChild(node, visit);
			};
			visit(ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true));
		}
	}
	return { patterns, constructed };
}

const MAX_SEARCHED = 10_000;

/** What patterns of the published code have seen. */
export interface Examined {
	/** The length of the longest text that a pattern has seen. */
	longest: number;
	/** The pattern that has seen it. */
	by: string;
	/** The characters of all texts that patterns have seen; a text counts each time. */
	total: number;
}

/**
 * Counts the characters that the patterns of the published code see while `work` runs. JavaScript's methods of texts
 * and patterns all end in `RegExp.prototype.exec`.
 *
 * @param exempt patterns that are not counted
 */
export async function examined(
	work: () => Promise<unknown>,
	exempt: (pattern: Pattern) => boolean = () => false,
): Promise<Examined> {
	const { patterns } = publishedPatterns();
	// `split` makes its own copy of a pattern, with the flag `y`.
	const nameOf = ({ source, flags }: Pick<Pattern, 'source' | 'flags'>) =>
		`/${source}/${flags.replace('y', '')}`;
	const watched = new Set(patterns.filter((one) => !exempt(one)).map(nameOf));
	const seen: Examined = { longest: 0, by: '', total: 0 };
	const { exec } = RegExp.prototype;
	RegExp.prototype.exec = function (this: RegExp, text: string) {
		const name = nameOf(this);
		if (watched.has(name)) {
			const { length } = String(text);
			seen.total += length;
			if (length > seen.longest) Object.assign(seen, { longest: length, by: name });
			// A pattern that is slow fails the test, and does not keep it busy for hours.
			if (length > MAX_SEARCHED) return exec.call(this, String(text).slice(0, MAX_SEARCHED));
		}
		return exec.call(this, text);
	};
	try {
		await work();
	} finally {
		RegExp.prototype.exec = exec;
	}
	return seen;
}
