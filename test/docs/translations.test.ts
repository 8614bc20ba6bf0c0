import { readDocument, resolveTarget, type Document } from './markdown';

const PAIRS = [
	['README.md', 'docs/es/README.md'],
	['docs/demo.md', 'docs/es/demo.md'],
	['docs/getting-started.md', 'docs/es/getting-started.md'],
	['docs/examples.md', 'docs/es/examples.md'],
	['docs/stablecoins.md', 'docs/es/stablecoins.md'],
	['docs/payouts-from-spreadsheets.md', 'docs/es/payouts-from-spreadsheets.md'],
	['docs/troubleshooting.md', 'docs/es/troubleshooting.md'],
	['docs/reference/codes.md', 'docs/es/reference/codes.md'],
	['examples/payroll-desk.json', 'examples/mesa-de-planillas.json'],
];

/** A translated file counts as the same target as its original. */
const original = (path: string) => PAIRS.find(([, translated]) => translated === path)?.[0] ?? path;

/** Where the links lead, without the headings that they name. */
const pathsOf = ({ path: from, targets }: Document) =>
	targets.map((target) =>
		target.startsWith('https:') ? target : resolveTarget(from, target).path,
	);

/** Links, without those between the languages of one text. */
const targetsOf = (document: Document) =>
	pathsOf(document)
		.map(original)
		.filter((target) => target !== original(document.path))
		.sort();

/** Commands, without the comments, which are translated. */
const blocksOf = ({ blocks }: Document) =>
	blocks.map(({ language, text }) => [language, text.replace(/ +# .*$/gm, '')]);

/** The payroll that each edition of the demo pays. */
const PAYROLLS = [
	['docs/demo.md', '2026-11'],
	['docs/es/demo.md', 'planilla-2026-11'],
];

const payrollNames = PAYROLLS.map(([, name]) => name);

/** Names of columns and values that stand alone in code: they are the same in every language. */
const codesOf = ({ codes }: Document) =>
	[...new Set(codes)].filter((code) => !payrollNames.includes(code)).sort();

/** The column with the translation of the English message before it, which the editor shows. */
const TRANSLATION = 'en español';

/** How many rows and columns each table has, without a column that only the translation has. */
const sizesOf = ({ tables }: Document) =>
	tables.map(({ rows }) => [
		rows.length,
		rows[0].filter((title) => !(title === TRANSLATION && rows[0].includes('mensaje'))).length,
	]);

describe.each(PAIRS.filter(([path]) => path.endsWith('.md')))(
	'%s and %s',
	(path, translatedPath) => {
		const [english, translated] = [readDocument(path), readDocument(translatedPath)];

		test('lead to each other', () => {
			expect(pathsOf(english)).toContain(translatedPath);
			expect(pathsOf(translated)).toContain(path);
		});

		test('have the same headings, by level', () => {
			const levels = ({ headings }: Document) => headings.map(({ level }) => level);
			expect(levels(translated)).toEqual(levels(english));
		});

		test('have the same links', () => {
			expect(targetsOf(translated)).toEqual(targetsOf(english));
		});

		test('have the same commands', () => {
			expect(blocksOf(translated)).toEqual(blocksOf(english));
		});

		test('name the same columns, values and files', () => {
			expect(codesOf(translated)).toEqual(codesOf(english));
		});

		test('have tables of the same size', () => {
			expect(sizesOf(translated)).toEqual(sizesOf(english));
		});
	},
);

test('the editions of the demo name different payrolls, so that both desks can pay the file', () => {
	const named = PAYROLLS.map(([path]) =>
		readDocument(path).codes.filter((code) => /\d{4}-\d\d$/.test(code)),
	);
	expect(named).toEqual(payrollNames.map((name) => [name]));
});

test('the Spanish guide to messages has the English message of each code', () => {
	const messagesIn = (path: string, title: string) =>
		readDocument(path).tables.flatMap(({ rows: [head, ...rows] }) =>
			head.includes(title) ? rows.map((cells) => [cells[0], cells[head.indexOf(title)]]) : [],
		);
	const english = messagesIn('docs/reference/codes.md', 'message');
	expect(english.length).toBeGreaterThan(180);
	expect(messagesIn('docs/es/reference/codes.md', 'mensaje')).toEqual(english);
});
