import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { HOUR_MS } from './clock';
import { AMOUNTS } from './paymentLogs';
import type { FaultName } from './service';

/*
 * The scenario of decisions: people pay files one after the other, with every option that decides what is sent, and the
 * service answers each payment as the scenario says. Nothing else fails. A model of what the guides promise, which
 * shares no code with the package, says of each row what must become of it.
 */

export const DAY_MS = 24 * HOUR_MS;

/** The amounts in cents. None is so much larger than another that the package asks whether a separator was lost. */
const CENTS = [75_000, 125_000, 125_050, 45_010, 99_999, 200_000];

const PURPOSES = ['Salary November 2026', 'Bonus'];

const PAYEES = 6;

const row = fc.record({
	/** What identifies the payment, unless the payee does. */
	key: fc.nat(7),
	payee: fc.nat(PAYEES - 1),
	account: fc.constantFrom<number[]>(0, 0, 0, 1),
	cents: fc.constantFrom(...CENTS),
	purpose: fc.constantFrom<number[]>(0, 0, 1),
	/** How key and reference are spelled. */
	spelling: fc.constantFrom(0, 0, 0, 1, 2),
	/** Whether the row has no bank. */
	isBad: fc.constantFrom(...Array<boolean>(23).fill(false), true),
});

/** Most files have each payee and key once: otherwise a node that stops on errors sends nothing. */
const file = fc.oneof(
	{ weight: 1, arbitrary: fc.array(row, { minLength: 1, maxLength: 6 }) },
	...(['payee', 'key'] as const).map((name) => ({
		weight: 2,
		arbitrary: fc.uniqueArray(row, { minLength: 1, maxLength: 5, selector: (one) => one[name] }),
	})),
);

export type Row = typeof row extends fc.Arbitrary<infer One> ? One : never;

/** How the service answers a payment, request by request, and the outcomes that the guides allow for it. */
export const ANSWERS = {
	created: { faults: [], outcomes: ['created'] },
	rejected: { faults: ['422'], outcomes: ['rejected'] },
	'not found': { faults: ['404'], outcomes: ['rejected'] },
	broken: { faults: ['reset after'], outcomes: ['unknown'] },
	'failed, created': { faults: ['500, created'], outcomes: ['unknown'] },
	unavailable: { faults: ['503'], outcomes: ['unknown'] },
	'no success': { faults: ['success that is none'], outcomes: ['rejected', 'unknown'] },
	'error in a success': { faults: ['error in a success'], outcomes: ['rejected', 'unknown'] },
	'too many at first': { faults: ['429, in two seconds'], outcomes: ['created'] },
	'too many twice': { faults: ['429', '429, in two seconds'], outcomes: ['created'] },
	'always too many': {
		faults: Array<FaultName>(40).fill('429'),
		outcomes: ['rejected', 'notSent'],
	},
} satisfies Record<string, { faults: FaultName[]; outcomes: string[] }>;

export type AnswerName = keyof typeof ANSWERS;

const answer = fc.oneof(
	{ weight: 3, arbitrary: fc.constant('created' as const) },
	{ weight: 2, arbitrary: fc.constantFrom(...(Object.keys(ANSWERS) as AnswerName[])) },
);

export const NO_LIMIT = { is: 'none' as const, more: 0 };

/** A limit that one run has, as it compares with what the file has: in cents, or in rows. */
const limit = fc.oneof(
	{ weight: 6, arbitrary: fc.constant(NO_LIMIT) },
	{
		weight: 5,
		arbitrary: fc.record({
			is: fc.constantFrom(
				'maximumAmount' as const,
				'maximumTotal' as const,
				'expectedTotal' as const,
				'expectedCount' as const,
				'balance' as const,
			),
			more: fc.constantFrom<number[]>(0, 0, 1, -1),
		}),
	},
);

/** What a person approved before: nothing is asked for, or these rows in this form. */
const APPROVALS = [
	'none',
	'these rows',
	'other order',
	'other amount',
	'swapped amounts',
	'other environment',
] as const;

const run = fc.record({
	after: fc.constantFrom(
		'at once' as const,
		'at once' as const,
		'hour' as const,
		'day' as const,
		'8 days' as const,
	),
	/** Whether the rows are those of the run before, some of them changed, and whether its failed execution is retried. */
	rows: fc.oneof(
		{ weight: 2, arbitrary: fc.record({ are: fc.constant('new' as const), list: file }) },
		{
			weight: 3,
			arbitrary: fc.record({
				are: fc.constantFrom('those before' as const, 'a retry' as const),
				changes: fc.array(
					fc.constantFrom('nothing', 'nothing', 'amount', 'account', 'purpose', 'payee'),
					{ minLength: 1, maxLength: 3 },
				),
			}),
		},
	),
	batch: fc.constantFrom(0, 0, 1),
	node: fc.constantFrom(0, 0, 0, 1, 2),
	limit,
	approval: fc.oneof(
		{ weight: 6, arbitrary: fc.constant('none' as const) },
		{ weight: 2, arbitrary: fc.constantFrom(...APPROVALS) },
	),
	dryRun: fc.constantFrom(...Array<boolean>(6).fill(false), true),
	checkDeliveryLogs: fc.constantFrom(false, false, false, true),
	/** The rows in each run of a loop; 0 means no loop. */
	perRun: fc.constantFrom(0, 0, 0, 0, 2),
	/** The answers to payments, by payee. */
	answers: fc.array(answer, { minLength: 1, maxLength: 4 }),
});

export type Run = typeof run extends fc.Arbitrary<infer One> ? One : never;

export const scenario = fc.record({
	settings: fc.record({
		references: fc.constantFrom('payee' as const, 'key' as const, 'given' as const),
		/** How amounts are written: as numbers, or as texts with these separators. */
		amounts: fc.constantFrom(
			'number' as const,
			'dot' as const,
			'comma' as const,
			'dots, comma' as const,
			'commas, dot' as const,
			'chosen comma' as const,
			'mixed' as const,
		),
		/** The names of the columns, and whether the amount has one that somebody chose beside one with a usual name. */
		columns: fc.constantFrom('own' as const, 'usual' as const, 'chosen' as const),
		onError: fc.constantFrom('stopWorkflow' as const, 'continueRegularOutput' as const),
		concurrency: fc.constantFrom<Array<number | undefined>>(1, 1, 2, 3, undefined),
		requestsPerSecond: fc.constantFrom(0, 0, 0, 2),
		duplicatePayments: fc.constantFrom('reject' as const, 'reject' as const, 'allow', 'report'),
		accountChanges: fc.constantFrom('report' as const, 'hold' as const, 'reject' as const, 'off'),
		ifAlreadySent: fc.constantFrom(
			'skip' as const,
			'skip' as const,
			'skip' as const,
			'skip' as const,
			'stop',
		),
		/** In cents; 0 means no limit. */
		dailyLimit: fc.constantFrom(0, 0, 0, 0, 250_050, 400_000, 1_000_000),
	}),
	runs: fc.array(run, { minLength: 2, maxLength: 6 }),
	service: fc.record({
		latency: fc.constantFrom(0, 7, 300),
		logs: fc.record({
			amounts: fc.constantFrom(...AMOUNTS.filter((one) => one !== 'bare')),
			/** Whether each payment fails. */
			fails: fc.array(fc.constantFrom(false, false, true), { minLength: 1, maxLength: 4 }),
		}),
	}),
	/** The seed of everything random in the package. */
	seed: fc.noBias(fc.integer()),
});

export type Scenario = typeof scenario extends fc.Arbitrary<infer One> ? One : never;

export type Settings = Scenario['settings'];

export const LOG_DAYS = 31;

const separate = (whole: number, separator: string): string =>
	String(whole).replace(/\B(?=(\d{3})+$)/g, separator);

/** The cell of an amount. */
function amountCell(cents: number, amounts: Settings['amounts']): string | number {
	const whole = Math.floor(cents / 100);
	const rest = cents % 100 === 0 ? '' : String(cents % 100).padStart(2, '0');
	const joined = (thousands: string, decimal: string) =>
		separate(whole, thousands) + (rest === '' ? '' : decimal + rest);
	switch (amounts) {
		case 'number':
			return cents / 100;
		case 'dot':
			return joined('', '.');
		case 'comma':
			return joined('', ',');
		case 'commas, dot':
			return joined(',', '.');
		case 'mixed':
			return rest === '' ? joined('.', '.') : joined('', '.');
		default:
			return joined('.', ',');
	}
}

/** The rows whose amount may be read in two ways: nothing in its column shows which separator is which. */
export function ambiguousIn(rows: Row[], { amounts }: Settings): Set<Row> {
	if (amounts === 'number' || amounts === 'chosen comma') return new Set();
	const cellOf = ({ cents }: Row) => String(amountCell(cents, amounts));
	const isUnclear = (one: Row) => /^\d{1,3}[.,]\d{3}$/.test(cellOf(one));
	const isProof = (one: Row) => /[.,]/.test(cellOf(one)) && !isUnclear(one);
	// If the others have a dot before their decimals, a dot before three digits is no clearer.
	const isClear = amounts !== 'mixed' && rows.some(isProof);
	return new Set(isClear ? [] : rows.filter(isUnclear));
}

const FIRST_DOCUMENT = 812_345;

export const documentOf = ({ payee }: Row): string => String(FIRST_DOCUMENT + payee);

const accountOf = ({ payee, account }: Row): string => `00${1_000 + 10 * payee + account}`;

const keyCell = ({ key, spelling }: Row): string =>
	[`L-${key}`, `L-${key} `, ` l-${key}`][spelling];

/** What identifies the payment of a row. */
export function identityOf(one: Row, batch: number, { references }: Settings): string {
	return `${references === 'payee' ? `payee ${one.payee}` : `key ${one.key}`} of batch ${batch}`;
}

export function givenReference({ key, spelling }: Row, batch: number): string {
	const reference = `abcdefab-000${batch}-4000-8000-${String(key).padStart(12, '0')}`;
	return spelling === 1 ? reference.toUpperCase() : reference;
}

/** The usual names of columns. */
const USUAL: Record<string, string> = {
	first_name: 'Nombres',
	last_name: 'Apellidos',
	destination_id_number: 'CI',
	bank_code: 'Código de banco',
	destination_account: 'Número de cuenta',
	amount: 'Monto',
	currency_type: 'Moneda',
	description: 'Glosa',
	funding_source: 'Fuente de fondos',
	external_reference: 'Referencia externa',
};

export function itemOf(one: Row, batch: number, settings: Settings): IDataObject {
	const { references, amounts, columns } = settings;
	const item: IDataObject = {
		...(references === 'given' && { external_reference: givenReference(one, batch) }),
		...(references === 'key' && { legajo: keyCell(one) }),
		first_name: 'María José',
		last_name: `Quispe ${one.payee}`,
		destination_id_number: documentOf(one),
		bank_code: one.isBad ? '' : '0010',
		destination_account: accountOf(one),
		amount: amountCell(one.cents, amounts),
		currency_type: 'BOB',
		description: PURPOSES[one.purpose],
		funding_source: 'balance',
	};
	if (columns === 'usual') {
		return Object.fromEntries(
			Object.entries(item).map(([name, value]) => [USUAL[name] ?? name, value]),
		);
	}
	if (columns === 'chosen') {
		const { amount, ...others } = item;
		return { ...others, Neto: amount, Monto: amountCell(one.cents * 2, amounts) };
	}
	return item;
}

/** The request of a row; its reference is any if the package generates it. */
export function bodyOf(one: Row, reference: string): IDataObject {
	return {
		transaction: {
			first_name: 'María José',
			last_name: `Quispe ${one.payee}`,
			destination_id_number: documentOf(one),
			bank_code: '0010',
			destination_account: accountOf(one),
			amount: one.cents / 100,
			currency_type: 'BOB',
			description: PURPOSES[one.purpose],
		},
		funding_source: 'balance',
		external_reference: reference,
	};
}

export const total = (rows: Row[]): number => rows.reduce((sum, { cents }) => sum + cents, 0);

/** What moves: payee, account and amount. Under one reference, anything else is a conflict. */
export const isSameMoney = (a: Row, b: Row): boolean =>
	a.payee === b.payee && a.account === b.account && a.cents === b.cents;

/** Two payments that are most likely one which was copied. */
export const isDuplicate = (a: Row, b: Row): boolean =>
	a.payee === b.payee && a.cents === b.cents && a.purpose === b.purpose;

/** A row with another value. */
export function changed(one: Row, change: string): Row {
	switch (change) {
		case 'amount':
			return { ...one, cents: CENTS[(CENTS.indexOf(one.cents) + 1) % CENTS.length] };
		case 'account':
			return { ...one, account: 1 - one.account };
		case 'purpose':
			return { ...one, purpose: 1 - one.purpose };
		case 'payee':
			return { ...one, payee: (one.payee + 1) % PAYEES };
		default:
			return one;
	}
}

/** How the service answers the payment of a request. */
export function answerTo({ transaction }: IDataObject, run: Run): AnswerName {
	const { destination_id_number } = transaction as IDataObject;
	return answerToPayee(Number(destination_id_number) - FIRST_DOCUMENT, run);
}

export const answerToPayee = (payee: number, { answers }: Run): AnswerName =>
	answers[payee % answers.length];
