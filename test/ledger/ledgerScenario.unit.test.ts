/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-dangerous-functions -- the tests run outside n8n, and run changed sources */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import ts from 'typescript';

import { Ledger } from '../../nodes/ledger/ledger';
import { runsOr, SEED } from '../random';
import { applyPatch } from '../simulation/patch';
import { randomFrom, runScenario, type LedgerClass } from './ledgerScenario';

const RUNS = runsOr(300);

/** How many scenarios may take to notice a seeded bug. */
const MOST = 100_000;

const FILE = 'nodes/ledger/ledger.ts';

/** Returns the first promise that a ledger breaks. */
async function firstBroken(
	Class: LedgerClass,
	{ runs, seed, accidents }: { runs: number; seed: number; accidents: number },
): Promise<string | undefined> {
	const next = randomFrom(seed);
	for (let number = 0; number < runs; number++) {
		const own = next(2 ** 31);
		const [broken] = await runScenario(Class, randomFrom(own), accidents);
		if (broken !== undefined) return `${broken} (scenario ${number}, seed ${own})`;
	}
	return undefined;
}

test.each([0, 1])(
	`the ledger keeps its promises with %i accident(s) for each reference (${RUNS} scenarios, seed ${SEED})`,
	async (accidents) => {
		expect(await firstBroken(Ledger, { runs: RUNS, seed: SEED, accidents })).toBeUndefined();
	},
	RUNS * 50 + 60_000,
);

/** The ledger with a change of its source. */
function withBug(find: string, replace: string): LedgerClass {
	const code = applyPatch(readFileSync(join(__dirname, '../..', FILE), 'utf8'), {
		file: FILE,
		find,
		replace,
	});
	const { outputText } = ts.transpileModule(code, {
		compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 },
	});
	const exported = {} as { Ledger: LedgerClass };
	const run = new Function('exports', 'require', outputText) as (...all: unknown[]) => void;
	const folder = join(__dirname, '../..', dirname(FILE));
	run(exported, (name: string) => jest.requireActual<object>(join(folder, name)));
	return exported.Ledger;
}

/** What each changes. */
const BUGS: Record<string, [find: string, replace: string]> = {
	'asks for both halves at once': ['$proof[0],', '...$proof,'],
	'takes the first half for both': [
		"if (proof.every(has)) return { ...known, reads: 'alreadySent'",
		"if (has(proof[0])) return { ...known, reads: 'alreadySent'",
	],
	'takes an open attempt for success': [
		"purpose.every(has) ? 'unknown' : 'otherPurpose'",
		"purpose.every(has) ? 'alreadySent' : 'otherPurpose'",
	],
	'removes slots with a release': [
		'for (const entry of own) removed.add(entry);',
		'for (const entry of [...own, ...(this.added.has(own[0]) ? [own[0].replace(/ open$/, "")] : [])]) removed.add(entry);',
	],
	'removes what was proved with a release': [
		'own: [open, ...(isByOthers',
		'own: [open, ...proof, ...(isByOthers',
	],
	'stops at an attempt that is not open': [
		'left = left.filter((one) => there.has(',
		'left = left.filter((one) => sent.has(one) && there.has(',
	],
	'counts the first open attempt': [
		'if (there.has(this.attempt(one, number).open))',
		'if (!sent.has(one) && there.has(this.attempt(one, number).open))',
	],
	'records after sending': [
		'await this.ask(missing, asked);',
		'void (async () => { for (let i = 0; i < 30; i++) await Promise.resolve(); await this.ask(missing, asked).catch(() => undefined); })();',
	],
	'skips the slots before a request': [
		'slots: Array.from({ length: number + 1 }, (_, index) => this.slot(intent, index)),',
		'slots: [this.slot(intent, number)],',
	],
	'leaves what it asked': ['[...asked].filter((entry) => !kept.has(entry));', '[];'],
	'removes what it keeps': ['[...asked].filter((entry) => !kept.has(entry));', '[...asked];'],
	'forgets the requests': ['...NEVER_SENT, request }', '...NEVER_SENT, request: 0 }'],
	'records a request as the payment itself': [
		'claims.set(intent.key, this.claimOf(intent, attempt));',
		"claims.set(intent.key, this.claimOf(intent, reads === 'none' ? 0 : attempt));",
	],
	'proves what the service rejected': [
		'this.released.set(key, claim);',
		'for (const entry of claim.proof) this.toAdd.add(entry);',
	],
	'never writes a proof': [
		'claim.isProved = true;',
		'for (const entry of claim.proof) this.toAdd.delete(entry);',
	],
	'takes the latest day of a claim': ['entriesOf(one).findIndex(', 'entriesOf(one).findLastIndex('],
};

test.each(Object.entries(BUGS))(
	'notices a ledger that %s',
	async (_, [find, replace]) => {
		const bug = withBug(find, replace);
		const most = { runs: MOST, seed: SEED };
		const broken =
			(await firstBroken(bug, { ...most, accidents: 0 })) ??
			(await firstBroken(bug, { ...most, accidents: 1 }));
		expect(broken).toBeDefined();
	},
	300_000,
);
