import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { IdempotencyStore, type Intent, type Known } from '../../nodes/ledger/idempotencyStore';
import type { MoneyEndpoint } from '../../nodes/batch/endpoint';
import { runBatch } from '../../nodes/batch/runBatch';
import { LoginError, toServiceError } from '../../nodes/service/errors';
import { Service } from '../../nodes/service/transport';
import { NODE } from '../engine/node';
import { groupOptions } from '../fixtures/options.cjs';
import { CRYPTO, knownOf } from './builders';

// These tests replace the idempotency store with their own.
jest.mock('../../nodes/ledger/idempotencyStore', () => ({
	...jest.requireActual<object>('../../nodes/ledger/idempotencyStore'),
	IdempotencyStore: jest.fn(),
}));

/** An endpoint that pays from a balance. */
const WITH_BALANCE: MoneyEndpoint = {
	...CRYPTO,
	balance: { path: '/balances', of: () => ({ fiat: 'USDC', type: 'usual' }) },
};

const TARGET = {
	credential: 'Partner',
	host: 'partner.example',
	environment: 'sandbox',
	account: 'account-1',
} as const;

/** The input item of a letter: `A` is reference A, whose key is `a`. */
const inputOf = (reference: string, more: IDataObject = {}): IDataObject => ({
	blockchain: 'Polygon',
	destinationWallet: '0x52908400098527886E0F7030069857D2E4169EE7',
	amount: '10.50',
	asset: 'USDC',
	walletId: '11111111-1111-4111-8111-111111111111',
	externalReference: reference,
	...more,
});

const REJECTED = toServiceError({ response: { status: 422, data: { message: 'Said' } } });

interface Given {
	input?: IDataObject[];
	options?: IDataObject;
	endpoint?: MoneyEndpoint;
	continueOnFail?: boolean;
	/** The response of the service for a reference; otherwise the payment is created. */
	answers?: Record<string, unknown>;
	/** Why no connection to the service is possible. */
	noService?: Error;
	/** Keys of references that another execution of the node has sent, or the error of the look-up. */
	known?: string[] | Error;
	isAvailable?: boolean;
	dropped?: number;
	type?: string;
	/** The expression of the reference. */
	referenceBy?: string;
	isCancelled?: boolean;
	hasSignal?: boolean;
	/** What n8n’s context keeps for the node in this execution. */
	stored?: object;
}

/** Pays the payments of some letters. */
async function paying(letters: string, given: Given = {}) {
	const input = given.input ?? [...letters].map((letter) => inputOf(letter));
	const events: string[] = [];
	const hints: unknown[] = [];
	const warnings: string[] = [];
	const stored = given.stored ?? {};

	const request = jest.fn(async ({ method, body }: { method: string; body?: IDataObject }) => {
		await Promise.resolve();
		if (method === 'GET') return [{ fiat: 'USDC', type: 'usual', balance: '1000' }];
		const reference = String(body?.externalReference);
		events.push(`send ${reference}`);
		const answer = given.answers?.[reference] ?? { transactionId: `transaction-${reference}` };
		if (answer instanceof Error) throw answer;
		return answer;
	});
	const connect = jest.spyOn(Service, 'connect').mockImplementation(async () => {
		if (given.noService) throw given.noService;
		return await Promise.resolve({ account: TARGET.account, target: TARGET, request } as never);
	});
	const ask = async (intents: Intent[], event: string): Promise<Map<string, Known>> => {
		events.push(`${event} ${intents.map(({ key }) => key).join()}`);
		const { known = [] } = given;
		if (known instanceof Error) throw known;
		return await Promise.resolve(knownOf(intents, known));
	};
	jest.mocked(IdempotencyStore).mockImplementation(
		() =>
			({
				chunkSize: 80,
				isAvailable: given.isAvailable ?? true,
				dropped: given.dropped ?? 0,
				record: async (intents: Intent[], choose: (known: Map<string, Known>) => unknown) => {
					const known = await ask(intents, 'record');
					await choose(known);
					return known;
				},
				recordAgain: async () => await Promise.resolve(new Map()),
				forget: (key: string) => events.push(`forget ${key}`),
				flush: async () => await Promise.resolve(),
				lookUp: async (intents: Intent[]) => await ask(intents, 'look up'),
			}) as unknown as IdempotencyStore,
	);
	const { options = {}, referenceBy = '={{ $json.externalReference }}' } = given;
	const groups: IDataObject = {
		beforeSending: {},
		duplicates: {},
		sending: {},
		reading: {},
		...groupOptions(options),
	};
	const parameter = (
		path: string,
		item: number,
		fallback: unknown,
		{ rawExpressions = false } = {},
	): unknown => {
		if (path in groups) return groups[path];
		if (path === 'referenceSource') return 'given';
		if (rawExpressions && path === 'externalReference') return referenceBy;
		if (!(path in (input[item] ?? {}))) return fallback;
		return rawExpressions ? `={{ $json.${path} }}` : input[item][path];
	};
	const context = {
		getInputData: () => input.map((json) => ({ json })),
		getNode: () => ({ ...NODE, type: given.type ?? NODE.type }),
		getNodeParameter: parameter,
		evaluateExpression: (code: string) => {
			if (code.includes('$runIndex')) return 0;
			// Only references based on the time are evaluated here: all others are read one by one.
			if (code.includes('plus({ days: 1 })')) return 'tomorrow';
			if (code.includes('$now.')) return 'today';
			throw new Error(code);
		},
		continueOnFail: () => given.continueOnFail ?? false,
		getContext: () => stored,
		getExecutionId: () => 'execution-1',
		getExecutionCancelSignal: () =>
			given.hasSignal === false ? undefined : { aborted: given.isCancelled ?? false },
		addExecutionHints: (hint: unknown) => hints.push(hint),
		logger: { warn: (message: string) => warnings.push(message) },
	} as unknown as IExecuteFunctions;

	let items: INodeExecutionData[] = [];
	let error: (Error & { context: { code?: string; rows?: IDataObject[] } }) | undefined;
	try {
		items = await runBatch(context, given.endpoint ?? CRYPTO);
	} catch (thrown) {
		error = thrown as typeof error;
	}
	const rows = error ? (error.context.rows ?? []) : items.map(({ json }) => json);
	return {
		context,
		items,
		error,
		events,
		hints,
		warnings,
		stored,
		connect,
		request,
		sent: events.flatMap((event) => /^send (.*)/.exec(event)?.[1] ?? []).join(''),
		outcomes: rows.map(({ reference, outcome, code }) =>
			[reference, outcome, code].filter((part) => part !== undefined).join(' '),
		),
	};
}

beforeEach(() => void jest.clearAllMocks());
afterEach(() => void jest.restoreAllMocks());

describe('running a batch', () => {
	test('does nothing without items', async () => {
		const { items, hints, connect } = await paying('');
		expect(items).toEqual([]);
		expect(hints).toEqual([]);
		expect(connect).not.toHaveBeenCalled();
	});

	test('connects with the timeout of the options', async () => {
		const { connect, context } = await paying('A', { options: { timeout: 7 } });
		expect(connect.mock.calls).toEqual([[context, { timeoutSeconds: 7 }]]);
	});

	test('opens the store of its account and endpoint, and records references as it sends', async () => {
		const { context, events } = await paying('AB', { options: { concurrency: 1 } });
		expect(jest.mocked(IdempotencyStore).mock.calls).toEqual([
			[
				context,
				{
					scope: 'account-1 /v2/transactions/payouts/crypto',
					payeeScope: `${TARGET.environment ?? ''} /v2/transactions/payouts/crypto`,
					duplicateWindowDays: 3,
				},
			],
		]);
		expect(events).toEqual(['record a,b', 'send A', 'send B']);
	});
});

describe('rejected batches', () => {
	const all = (code: string): string[] => ['A', 'B'].map((letter) => `${letter} notSent ${code}`);

	test('sends nothing without a credential', async () => {
		const noService = new LoginError({
			code: 'baseUrlInvalid',
			message: 'No address',
			hint: 'Ask',
		});
		const { error, outcomes, sent } = await paying('AB', { noService });
		expect(outcomes).toEqual(all('baseUrlInvalid'));
		expect(error?.message).toBe('Nothing was sent. No address. Ask.');
		expect(sent).toBe('');
		expect(jest.mocked(IdempotencyStore)).not.toHaveBeenCalled();
	});

	test('looks up references no more often than needed', async () => {
		const { events } = await paying('AB', { options: { dryRun: true, expectedCount: 3 } });
		expect(events).toEqual(['look up a,b', 'look up a,b']);
		const rejected = await paying('AB', {
			options: { dryRun: true, requiredEnvironment: 'production' },
		});
		expect(rejected.events).toEqual(['look up a,b']);
		expect(rejected.outcomes).toEqual(all('wrongEnvironment'));
	});
});

describe('rows that were already sent', () => {
	test('looks up already sent rows before a dry run', async () => {
		const { outcomes, events } = await paying('AB', { known: ['a'], options: { dryRun: true } });
		expect(outcomes).toEqual(['A alreadySent alreadySent', 'B ready dryRun']);
		expect(events).toEqual(['look up a,b']);
	});

	test('looks up already sent rows before it compares the balance', async () => {
		const { outcomes, events } = await paying('AB', {
			known: ['a'],
			options: { checkBalance: true },
			endpoint: WITH_BALANCE,
		});
		expect(outcomes).toEqual(['A alreadySent alreadySent', 'B created']);
		expect(events).toEqual(['look up a,b', 'record b', 'send B']);
	});

	test('stops the batch with Stop if the store cannot be read', async () => {
		const { outcomes, error, sent } = await paying('AB', {
			known: new Error('disk full'),
			options: { ifAlreadySent: 'stop' },
		});
		expect(outcomes).toEqual(['A notSent storeUnreadable', 'B notSent storeUnreadable']);
		expect(error?.message).toMatch(
			/^Nothing was sent\. n8n could not look up which references were already sent \(disk full\)\./,
		);
		expect(sent).toBe('');
	});
});

describe('dry runs', () => {
	const dryRun = { dryRun: true };

	const noService = new LoginError({ code: 'baseUrlInvalid', message: 'No address' });

	test('makes a dry run without a credential', async () => {
		const { items, outcomes, error } = await paying('AB', { options: dryRun, noService });
		expect(error).toBeUndefined();
		expect(outcomes).toEqual(['A ready dryRun', 'B ready dryRun']);
		expect(items[0].json.summary).toMatchObject({ environment: '', host: '' });
	});

	test.each<[string, IDataObject]>([
		['it checks the balance', { checkBalance: true }],
		['it checks the environment', { requiredEnvironment: 'sandbox' }],
	])('needs a credential for a dry run if %s', async (_, more) => {
		const { outcomes } = await paying('A', {
			options: { ...dryRun, ...more },
			endpoint: WITH_BALANCE,
			noService,
		});
		expect(outcomes).toEqual(['A notSent baseUrlInvalid']);
	});
});

describe('cancelled executions', () => {
	test('logs no cancellation without a cancel signal', async () => {
		const { warnings, outcomes } = await paying('A', { hasSignal: false });
		expect(warnings).toEqual([]);
		expect(outcomes).toEqual(['A created']);
	});
});

describe('warnings', () => {
	const warning = (start: string) => [
		{ message: expect.stringMatching(new RegExp(`^${start}`)) as string, type: 'warning' },
	];

	test('warns without a store, and in a batch that fails', async () => {
		const { hints, error } = await paying('A', {
			referenceBy: '={{ $json.id + $today }}',
			options: { rememberSent: false },
			answers: { A: REJECTED },
		});
		expect(error).toBeDefined();
		expect(hints).toEqual(warning('External Reference depends on the date'));
	});
});
