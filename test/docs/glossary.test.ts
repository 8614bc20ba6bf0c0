/* eslint-disable @n8n/community-nodes/no-restricted-imports -- runs outside n8n */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import ts from 'typescript';

import { MESSAGES } from '../../docs/build/codes';
import { documents, ROOT } from './markdown';

/**
 * A word that means something else in this field, or that a native writer would not use here, and the word
 * that the project uses. Only unambiguous words are listed: a person still reads what is written.
 */
interface Avoided {
	words: RegExp;
	use: string;
	/** Names only, since prose needs the word in its usual sense; or prose only. */
	only?: 'names' | 'prose';
}

const AVOIDED: Avoided[] = [
	// One word for one meaning: these are the former words for what has a standard one.
	{ words: /advice/, use: 'hint' },
	{ words: /refus(?:e[sd]?|als?|ing)/, use: 'reject, rejection' },
	{ words: /s(?:ay|ays|aid|aying) no/, use: 'reject' },
	{ words: /breaks? (?:a|the|several) rules?/, use: 'is invalid' },
	{ words: /settle[sd]?|settling/, use: 'reconcile; a settlement is money that arrived' },
	{ words: /sent before|send again is/, use: 'already sent, pay again' },
	{ words: /doubt(?:s|ful)?/, use: 'unknown' },
	{ words: /identical|likeness|alike/, use: 'duplicate' },
	{ words: /pac(?:e|ing)/, use: 'rate limit, concurrency' },
	{ words: /under way/, use: 'in flight' },
	{ words: /asks for all/, use: 'probe' },
	{ words: /upkeep/, use: 'repair' },
	{ words: /catch(?:es|ing)? up|caught up/, use: 'check for missed events, poll' },
	{ words: /look(?:s|ing)? back/, use: 'lookback window' },
	{ words: /g(?:ive|ives|iven|ave|iving) out/, use: 'emit, return' },
	{ words: /hand(?:s|ed|ing)? over/, use: 'emit, pass' },
	{ words: /not ?seen/, use: 'notFound', only: 'names' },
	{ words: /unstable/, use: 'volatile' },
	{ words: /worlds?|deeds?|planted faults?/, use: 'scenario, operation, seeded bug' },
	{ words: /judged?|judgements?/, use: 'check' },
	{ words: /other values/, use: 'conflict', only: 'names' },
	{ words: /memory/, use: 'idempotency store, execution state', only: 'names' },
	{ words: /turn|patience/, use: 'lock, lease, timeout', only: 'names' },
	{ words: /vocabulary/, use: 'enums', only: 'names' },
	{ words: /controls?|controlled/, use: 'validation', only: 'names' },
	{ words: /arrival/, use: 'delivery', only: 'names' },

	{
		words: /row source|fields below/,
		use: 'a label that is in the editor today',
	},

	// Words of translated English.
	{ words: /anew/, use: 'again, new' },
	{ words: /beside/, use: 'next to, in addition to' },
	{ words: /bears?/, use: 'handles, has' },
	{ words: /bec(?:ome|omes|ame) of/, use: 'outcome, status, what happened to' },
	{ words: /(?:come|comes|came) to (?:its|their|an) end/, use: 'end, final', only: 'prose' },
	{ words: /all the same/, use: 'still', only: 'prose' },
	{ words: /as it comes/, use: 'unchanged', only: 'prose' },
	{ words: /at the (?:most|least)/, use: 'at most, at least', only: 'prose' },
	{ words: /by chance/, use: 'random', only: 'prose' },
	{ words: /in words/, use: 'as text', only: 'prose' },
	{ words: /is another one/, use: 'changes, differs', only: 'prose' },
	{ words: /many at once/, use: 'in parallel', only: 'prose' },
	{ words: /no remedy/, use: 'has no effect', only: 'prose' },
	{ words: /of (?:its|their) own/, use: 'its own …', only: 'prose' },
	{ words: /says so/, use: 'reports it', only: 'prose' },
	{ words: /stands? for/, use: 'means, is', only: 'prose' },
	{ words: /tells/, use: 'says, shows', only: 'prose' },
	{ words: /use[sd]? up/, use: 'affects, takes', only: 'prose' },
	{ words: /without a word/, use: 'silently', only: 'prose' },
];

/** The avoided words of a text, each with its line and the words to use, as a failure shows them. */
function avoidedIn(text: string, kind: 'names' | 'prose'): Array<{ line: number; hit: string }> {
	return AVOIDED.filter(({ only }) => only === undefined || only === kind)
		.flatMap(({ words, use }) => {
			const source = words.source.replaceAll(' ', '\\s+');
			const hits = text.matchAll(new RegExp(`(?<![\\w-])(?:${source})(?!\\w)`, 'gi'));
			return [...hits].map(({ index, 0: hit }) => ({
				line: text.slice(0, index).split('\n').length,
				hit: `“${hit.replace(/\s+/g, ' ')}” (use: ${use})`,
			}));
		})
		.sort((a, b) => a.line - b.line);
}

/** The same without lines, for a text on one line. */
const found = (text: string, kind: 'names' | 'prose') =>
	avoidedIn(text, kind).map(({ hit }) => hit);

/** `sentBefore` as `sent before`. */
const wordsIn = (name: string) =>
	name.replace(/(?<=[a-z\d])(?=[A-Z])/g, ' ').replace(/[_$]+/g, ' ');

const SOURCES = ['nodes', 'credentials'].flatMap((folder) =>
	(readdirSync(join(ROOT, folder), { recursive: true }) as string[])
		.filter((file) => file.endsWith('.ts'))
		.map((file) => join(folder, file)),
);

interface Placed {
	place: string;
	text: string;
}

/** The comments of a source file. */
function commentsIn(code: string): Array<{ line: number; text: string }> {
	const comments = new Map<number, string>();
	const collect = (pos: number, end: number) => comments.set(pos, code.slice(pos, end));
	const source = ts.createSourceFile('code.ts', code, ts.ScriptTarget.Latest, true);
	const visit = (node: ts.Node): void => {
		ts.forEachLeadingCommentRange(code, node.getFullStart(), collect);
		ts.forEachTrailingCommentRange(code, node.getEnd(), collect);
		node.getChildren(source).forEach(visit);
	};
	visit(source);
	return [...comments].map(([pos, text]) => ({
		line: code.slice(0, pos).split('\n').length,
		text,
	}));
}

/** The names, texts and comments of the published code, each with where it is. */
function publishedWords() {
	const names = new Map<string, string>();
	const texts: Placed[] = [];
	const comments: Placed[] = [];
	for (const file of SOURCES) {
		names.set(basename(file, '.ts'), file);
		const code = readFileSync(join(ROOT, file), 'utf8');
		for (const { line, text } of commentsIn(code)) {
			// The asterisk at the start of a line is no part of a sentence.
			const prose = text.replace(/\n\s*\*/g, '\n');
			comments.push({ place: `${file}:${line}`, text: prose });
		}
		const source = ts.createSourceFile(file, code, ts.ScriptTarget.Latest, true);
		const visit = (node: ts.Node): void => {
			if (ts.isImportDeclaration(node)) return;
			const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
			const place = `${file}:${line + 1}`;
			if (ts.isIdentifier(node) && !names.has(node.text)) names.set(node.text, place);
			if (
				ts.isStringLiteralLike(node) ||
				ts.isTemplateHead(node) ||
				ts.isTemplateMiddleOrTemplateTail(node)
			) {
				texts.push({ place, text: node.text });
			}
			ts.forEachChild(node, visit);
		};
		visit(source);
	}
	return { names, texts, comments };
}

const { names, texts, comments } = publishedWords();

test('no message has a word that the project avoids', () => {
	const hits = MESSAGES.flatMap(({ code, text, hint = '' }) =>
		found(`${text} ${hint}`, 'prose').map((hit) => `${code}: ${hit}`),
	);
	expect(hits).toEqual([]);
});

test('no text of the published code has a word that the project avoids', () => {
	expect(texts.length).toBeGreaterThan(1000);
	// A text without a blank is a key or a value, which names something.
	const hits = texts.flatMap(({ place, text }) =>
		(text.includes(' ') ? found(text, 'prose') : found(wordsIn(text), 'names')).map(
			(hit) => `${place}: ${hit}`,
		),
	);
	expect(hits).toEqual([]);
});

test('no comment of the published code has a word that the project avoids', () => {
	expect(comments.length).toBeGreaterThan(500);
	const hits = comments.flatMap(({ place, text }) =>
		found(text, 'prose').map((hit) => `${place}: ${hit}`),
	);
	expect(hits).toEqual([]);
});

test('no name of the published code, its files included, has a word that the project avoids', () => {
	expect(names.size).toBeGreaterThan(1000);
	const hits = [...names].flatMap(([name, place]) =>
		found(wordsIn(name), 'names').map((hit) => `${place}: ${name}, ${hit}`),
	);
	expect(hits).toEqual([]);
});

const GUIDES = documents().map(({ path }) => path);
const isSpanish = (path: string) => path.startsWith(join('docs', 'es'));

test.each(GUIDES.filter((path) => !isSpanish(path)))(
	'%s has no word that the project avoids',
	(path) => {
		const text = readFileSync(join(ROOT, path), 'utf8');
		const hits = avoidedIn(text, 'prose').map(({ line, hit }) => `${path}:${line}: ${hit}`);
		expect(hits).toEqual([]);
	},
);

// A finance office in Bolivia says código de aprobación, pago por confirmar, registrar and cobro con QR.
const AVOIDED_IN_SPANISH =
	/\bhuellas?\b|aver[ií]gu[ae]|\bdudos[oa]s?\b|\bdar de alta\b|\bdep[oó]sitos? con QR\b/gi;

test.each(GUIDES.filter(isSpanish))('%s uses the words of a finance office', (path) => {
	const text = readFileSync(join(ROOT, path), 'utf8');
	expect(text.match(AVOIDED_IN_SPANISH)).toBeNull();
});

test('no note or name of an example has a word that the project avoids', () => {
	const folder = join(ROOT, 'examples');
	const hits = readdirSync(folder)
		.filter((file) => file.endsWith('.json'))
		.flatMap((file) => {
			const { name, nodes } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as {
				name: string;
				nodes: Array<{ name: string; notes?: string; parameters: { content?: unknown } }>;
			};
			const written = nodes.flatMap((node) => [node.name, node.notes, node.parameters.content]);
			return [name, ...written]
				.filter((text) => typeof text === 'string')
				.flatMap((text) => found(text, 'prose').map((hit) => `${file}: ${hit}`));
		});
	expect(hits).toEqual([]);
});
