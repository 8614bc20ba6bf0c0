/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- runs outside n8n */
import { createHash, hash, timingSafeEqual } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as n8nWorkflow from 'n8n-workflow';
import type { ICredentialType, INodeType } from 'n8n-workflow';
import ts from 'typescript';

import { applyPatch, type Patch } from './patch';
import type { createBank } from '../../nodes/PartnerPayments/resources/payout/createBank';
import type { createCrypto } from '../../nodes/PartnerPayments/resources/payout/createCrypto';
import type { createQr } from '../../nodes/PartnerPayments/resources/payout/createQr';
import type { createQr as createQrDeposit } from '../../nodes/PartnerPayments/resources/deposit/createQr';
import type { fundConversions } from '../../nodes/PartnerPayments/resources/payout/fundConversions';
import type { getAll } from '../../nodes/PartnerPayments/resources/webhookLog/getAll';
import type { replay } from '../../nodes/PartnerPayments/resources/webhookLog/replay';
import type { DailyLimit } from '../../nodes/batch/dailyLimit';
import type { claimEvents } from '../../nodes/PartnerPaymentsTrigger/deduplication';
import type { Ledger } from '../../nodes/ledger/ledger';
import type { StoredEntries } from '../../nodes/ledger/storedEntries';
import type { withWorkflowLock } from '../../nodes/ledger/workflowLock';
import type { Service } from '../../nodes/service/transport';
import type { readCoverage } from '../../nodes/logs/coverage';
import type { TransactionSearch } from '../../nodes/logs/transactionSearch';
import type { ColumnMap, mapColumns } from '../../nodes/fields/headers';
import type { Field } from '../../nodes/fields/field';
import type * as text from '../../nodes/fields/text';
import type { MessageCode } from '../../nodes/messages/userMessage';

/*
 * The package's code as a simulated process has it. Each process loads the sources itself, so no two processes share
 * the state of a module. The code gets simulated time and random numbers and can reach nothing else. The simulation
 * imports the package only here.
 */

/** What the simulation uses of the package. */
export interface Package {
	Ledger: typeof Ledger;
	StoredEntries: typeof StoredEntries;
	claimEvents: typeof claimEvents;
	withWorkflowLock: typeof withWorkflowLock;
	createBank: typeof createBank;
	createCrypto: typeof createCrypto;
	createQr: typeof createQr;
	createQrDeposit: typeof createQrDeposit;
	fundConversions: typeof fundConversions;
	getManyLogs: typeof getAll;
	replay: typeof replay;
	DailyLimit: typeof DailyLimit;
	PartnerPaymentsApi: new () => ICredentialType;
	PartnerPaymentsTrigger: new () => INodeType;
	Service: typeof Service;
	readCoverage: typeof readCoverage;
	TransactionSearch: typeof TransactionSearch;
}

/** The code of a message of the trigger. */
export type EventCode = MessageCode;

const FILES: Record<keyof Package, string> = {
	Ledger: 'nodes/ledger/ledger.ts',
	StoredEntries: 'nodes/ledger/storedEntries.ts',
	claimEvents: 'nodes/PartnerPaymentsTrigger/deduplication.ts',
	withWorkflowLock: 'nodes/ledger/workflowLock.ts',
	createBank: 'nodes/PartnerPayments/resources/payout/createBank.ts',
	createCrypto: 'nodes/PartnerPayments/resources/payout/createCrypto.ts',
	createQr: 'nodes/PartnerPayments/resources/payout/createQr.ts',
	createQrDeposit: 'nodes/PartnerPayments/resources/deposit/createQr.ts',
	fundConversions: 'nodes/PartnerPayments/resources/payout/fundConversions.ts',
	getManyLogs: 'nodes/PartnerPayments/resources/webhookLog/getAll.ts',
	replay: 'nodes/PartnerPayments/resources/webhookLog/replay.ts',
	DailyLimit: 'nodes/batch/dailyLimit.ts',
	PartnerPaymentsApi: 'credentials/PartnerPaymentsApi.credentials.ts',
	PartnerPaymentsTrigger: 'nodes/PartnerPaymentsTrigger/PartnerPaymentsTrigger.node.ts',
	Service: 'nodes/service/transport.ts',
	readCoverage: 'nodes/logs/coverage.ts',
	TransactionSearch: 'nodes/logs/transactionSearch.ts',
};

/** What has another name in its file. */
const EXPORTED_AS: Partial<Record<keyof Package, string>> = {
	createQrDeposit: 'createQr',
	getManyLogs: 'getAll',
};

/** The time and the random numbers of a process, in place of JavaScript's own. */
export interface Host {
	now(): number;
	/** The error of its clock in milliseconds. */
	readonly offset: number;
	/** How long the machine had been running when the scenario began, in milliseconds. */
	readonly uptime?: number;
	/** Runs something later. The function that it returns cancels that. */
	in(ms: number, run: () => void): () => void;
	random(): number;
}

const ROOT = join(__dirname, '../..');

/** The moment at which every scenario begins. */
export const BEGINNING = Date.UTC(2026, 10, 22);

type Module = { exports: Record<string, unknown> };
type Compiled = (
	exports: Module['exports'],
	require: (name: string) => unknown,
	module: Module,
	...globals: unknown[]
) => void;

/** The globals that the code gets from its host. */
const GLOBALS = ['setTimeout', 'clearTimeout', 'Date', 'performance', 'Math', 'AbortSignal'];

/** What is known is forgotten when it is more than this. */
const MAX_KNOWN = 20_000;

const MAX_KNOWN_COLUMNS = 1_000;

/** A function of one text that gives again what it gave for the same text. */
function remembering<T>(work: (text: string) => T): (text: string) => T {
	const known = new Map<string, T>();
	return (text) => {
		let value = known.get(text);
		if (value === undefined) {
			if (known.size >= MAX_KNOWN) known.clear();
			value = work(text);
			known.set(text, value);
		}
		return value;
	};
}

/** What `mapColumns` finds depends on what it is given alone. Only the misspelled names point at a process's fields. */
class KnownColumns {
	private readonly known = new Map<string, ColumnMap>();

	/** The lists of fields as text, without their functions, which no column depends on: each has a number. */
	private readonly texts: string[] = [];

	private readonly numbers = new WeakMap<Field[], number>();

	/** `mapColumns`, which gives again what any process found in the same. */
	remembering(work: typeof mapColumns): typeof mapColumns {
		return (headers, fields, chosen = new Map()) => {
			const key = JSON.stringify([this.numberOf(fields), headers, [...chosen]]);
			let found = this.known.get(key);
			if (!found) {
				if (this.known.size >= MAX_KNOWN_COLUMNS) this.known.clear();
				found = work(headers, fields, chosen);
				this.known.set(key, found);
			}
			return found;
		};
	}

	private numberOf(fields: Field[]): number {
		let number = this.numbers.get(fields);
		if (number === undefined) {
			const text = JSON.stringify(fields);
			number = this.texts.indexOf(text);
			if (number === -1) number = this.texts.push(text) - 1;
			this.numbers.set(fields, number);
		}
		return number;
	}
}

/**
 * The compiled files by their text: each is compiled once, also for several sets of patches. It is a global because
 * mutation testing loads this module again for each test file, but shares the globals.
 */
const shared = globalThis as { compiledSources?: Map<string, Compiled> };
const compiled = (shared.compiledSources ??= new Map());

/** The sources, with patches. */
export class Sources {
	private readonly texts = new Map<string, string>();

	/** The functions of texts that all processes share, because they depend on nothing else and take the most time. */
	private sharedTexts?: Pick<typeof text, 'normalizeWord' | 'wordsOf'>;

	private readonly knownColumns = new KnownColumns();

	/**
	 * @param patches in addition to the seeded bug that the tests have to notice, if there is one (`noticed.ts`)
	 * @throws Error if a patch does not fit its file
	 */
	constructor(patches: readonly Patch[] = []) {
		const { seededBug } = globalThis as { seededBug?: Patch };
		for (const patch of [...(seededBug ? [seededBug] : []), ...patches]) {
			this.texts.set(patch.file, applyPatch(this.textOf(patch.file), patch));
		}
	}

	/**
	 * Loads the code for a process.
	 *
	 * @returns the code, and a function that makes it forget that it ran executions: no time ends that
	 */
	load(host: Host): { package: Package; forget: () => void } {
		const globals = globalsOf(host);
		const external: Record<string, unknown> = {
			'n8n-workflow': {
				...n8nWorkflow,
				sleep: async (ms: number) => await new Promise<void>((done) => host.in(ms, done)),
			},
			'node:crypto': {
				createHash,
				hash,
				timingSafeEqual,
				randomBytes: (size: number) =>
					Buffer.from(Array.from({ length: size }, () => Math.floor(host.random() * 256))),
				randomUUID: () => `${host.random()} ${host.random()}`,
			},
		};
		const modules = new Map<string, Module>();
		const run = (file: string, module: Module) => {
			const require = (name: string): unknown => {
				if (name.startsWith('.')) return load(sourceOf(join(dirname(file), name)));
				if (name in external) return external[name];
				throw new Error(`${file} needs ${name}, which is not simulated`);
			};
			this.compiled(file)(module.exports, require, module, ...globals);
			this.remember(file, module.exports);
		};
		const load = (file: string): Module['exports'] => {
			const known = modules.get(file);
			if (known) return known.exports;
			const module: Module = { exports: {} };
			modules.set(file, module);
			run(file, module);
			return module.exports;
		};
		const names = Object.keys(FILES) as Array<keyof Package>;
		const loaded = names.map((name) => [name, load(FILES[name])[EXPORTED_AS[name] ?? name]]);
		const busy: Module = { exports: load(LOAD) };
		return {
			package: Object.fromEntries(loaded) as never,
			// The other modules call what it exports by then.
			forget: () => run(LOAD, busy),
		};
	}

	/** Makes pure functions remember their results. Another process, or another patch, cannot tell. */
	private remember(file: string, exports: Module['exports']): void {
		if (file === 'nodes/fields/text.ts') {
			const { normalizeWord, wordsOf } = exports as typeof text;
			this.sharedTexts ??= {
				normalizeWord: remembering(normalizeWord),
				wordsOf: remembering(wordsOf),
			};
			Object.assign(exports, this.sharedTexts);
		}
		if (file === 'nodes/fields/headers.ts')
			exports.mapColumns = this.knownColumns.remembering(exports.mapColumns as typeof mapColumns);
	}

	private textOf(file: string): string {
		let text = this.texts.get(file);
		if (text === undefined) {
			text = readFileSync(join(ROOT, file), 'utf8');
			this.texts.set(file, text);
		}
		return text;
	}

	private compiled(file: string): Compiled {
		const text = this.textOf(file);
		let code = compiled.get(text);
		if (!code) {
			const { outputText } = ts.transpileModule(text, {
				compilerOptions: {
					target: ts.ScriptTarget.ES2022,
					module: ts.ModuleKind.CommonJS,
					esModuleInterop: true,
				},
			});
			// eslint-disable-next-line @n8n/community-nodes/no-dangerous-functions -- the sources of this package, with other globals
			code = new Function(
				...['exports', 'require', 'module', ...GLOBALS],
				`${outputText}\n//# sourceURL=${file}`,
			) as Compiled;
			compiled.set(text, code);
		}
		return code;
	}
}

/** How many deliveries a process is busy with, and whether it runs executions. */
const LOAD = 'nodes/PartnerPaymentsTrigger/load.ts';

const WITHOUT_ZONE = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?$/;

/** The values for `GLOBALS`. */
function globalsOf(host: Host): unknown[] {
	class SimulatedDate extends Date {
		constructor(...values: []) {
			if (values.length > 0) super(...values);
			else super(SimulatedDate.now());
		}

		/** A machine in Bolivia: a date and time without a zone is that of the machine. */
		static override parse(text: string): number {
			return Date.parse(WITHOUT_ZONE.test(text) ? `${text}-04:00` : text);
		}

		static override now(): number {
			return BEGINNING + host.now() + host.offset;
		}
	}
	// It has only the part of a signal that the package uses, and costs nothing once nobody listens.
	const timeout = (ms: number) => {
		let takeBack = () => {};
		return {
			addEventListener: (_: 'abort', run: () => void) => {
				takeBack = host.in(ms, run);
			},
			removeEventListener: () => takeBack(),
		};
	};
	return [
		(run: () => void, ms = 0) => host.in(ms, run),
		(takeBack?: () => void) => takeBack?.(),
		SimulatedDate,
		{
			now: () => host.now() + (host.uptime ?? 0),
			eventLoopUtilization: () => ({ utilization: 0 }),
		},
		Object.assign(Object.create(Math) as Math, { random: () => host.random() }),
		{ timeout, any: (signals: AbortSignal[]) => AbortSignal.any(signals) },
	];
}

/** The file of a module, which may be a folder. */
function sourceOf(module: string): string {
	return existsSync(join(ROOT, `${module}.ts`)) ? `${module}.ts` : join(module, 'index.ts');
}
