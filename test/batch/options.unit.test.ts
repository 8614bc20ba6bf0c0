import type { IExecuteFunctions } from 'n8n-workflow';

import type { MoneyEndpoint } from '../../nodes/batch/endpoint';
import { parseOptions, type BatchOptions } from '../../nodes/batch/options';
import { isOn } from '../../nodes/batch/options/option';
import { BANK, CRYPTO, DEPOSIT, NO_REQUESTS, payAgain } from './builders';

/** Options as the node reads them; test/batch/options.test.ts checks their effect in n8n. */

/** A parameter of the node: its value for each item, and its raw value in the workflow. */
interface Parameter {
	values: unknown[];
	raw?: unknown;
}

/** A node with these parameters. A missing one is read as the fallback, as n8n does. */
function nodeWith(parameters: Record<string, Parameter>, items = 1): IExecuteFunctions {
	const context = {
		getInputData: () => Array.from({ length: items }, () => ({ json: {} })),
		getNodeParameter: (
			path: string,
			itemIndex: number,
			fallback: unknown,
			{ rawExpressions = false } = {},
		) => {
			if (!Object.hasOwn(parameters, path)) return fallback;
			const { values, raw = values[0] } = parameters[path];
			if (rawExpressions) return raw;
			const value = values[itemIndex];
			if (value instanceof Error) throw value;
			return value;
		},
	};
	return context as unknown as IExecuteFunctions;
}

/** Options as the form has them: their values for each item, and their raw values. */
function optionsIn(values: unknown[], raw = values[0] as object): Record<string, Parameter> {
	const parameterOf = (name: string) => ({
		values: values.map((value) =>
			value instanceof Error ? value : (value as Record<string, unknown>)[name],
		),
		raw: (raw as Record<string, unknown>)[name],
	});
	const names = Object.keys(raw);
	return {
		options: { values: [], raw },
		...Object.fromEntries(
			names.map((name) => [name === 'dryRun' ? name : `options.${name}`, parameterOf(name)]),
		),
	};
}

const read = (options: object, endpoint = BANK): ReturnType<typeof parseOptions> =>
	parseOptions(nodeWith(optionsIn([options])), endpoint);

/** The parsed options, which must be valid. */
function optionsOf(options: object, endpoint = BANK): BatchOptions {
	const { options: given, error } = read(options, endpoint);
	expect(error).toBeUndefined();
	return given;
}

const USUAL: BatchOptions = {
	bankNames: undefined,
	duplicatePayments: 'reject',
	approvalCode: undefined,
	checkBalance: false,
	checkDeliveryLogs: undefined,
	concurrency: undefined,
	dailyLimit: undefined,
	dryRun: false,
	includeBase64: false,
	includeInput: false,
	language: 'en',
	maximumAmount: undefined,
	maximumTotals: undefined,
	requiredEnvironment: undefined,
	rememberSent: true,
	requestsPerSecond: 0,
	referencesToPayAgain: NO_REQUESTS,
	accountChanges: 'report',
	duplicateWindow: 3,
	fieldsToInclude: [],
	ifAlreadySent: 'skip',
	output: undefined,
	timeout: 60,
};

/** The default options, and why nothing may be sent. */
const rejected = (code: string, message: string, hint: string) => ({
	options: USUAL,
	error: { code, message, hint },
});

const empty = (option: string) =>
	rejected('optionEmpty', `${option} is empty or incomplete`, 'Complete it, or remove the option.');

const unclear = (option: string, value: string) =>
	rejected(
		'notAnOption',
		`${option} is ${value}, which is not one of its choices`,
		'Choose one, or use an expression that gives true, false.',
	);

const differs = (field: string, first: string, value: string, number: number) =>
	rejected(
		'differsFromRowToRow',
		`${field} is ${first} for row 1 (item 0), but ${value} for row ${number} (item ${number - 1})`,
		'Use one value for all items of a batch, or pay the items in separate batches.',
	);

const HASH = '0123456789abcdef'.repeat(4);

describe('defaults', () => {
	test('uses the default options for a payout', () => {
		expect(parseOptions(nodeWith({}), BANK)).toStrictEqual({ options: USUAL });
		expect(read({})).toStrictEqual({ options: USUAL });
	});

	test('remembers no references by default if the operation pays nothing out', () => {
		expect(read({}, DEPOSIT)).toStrictEqual({ options: { ...USUAL, rememberSent: false } });
	});
});

test('reads all options', () => {
	expect(
		optionsOf({
			bankNames: { bank: [{ name: 'Banco Unión', code: '1014' }] },
			approvalCode: `2 payments, 7 BOB, ${HASH}`,
			checkBalance: true,
			checkDeliveryLogs: 7,
			concurrency: 3,
			dryRun: true,
			accountChanges: 'hold',
			duplicatePayments: 'allow',
			duplicateWindow: 7,
			includeInput: true,
			language: 'es',
			maximumAmount: 5.5,
			maximumTotals: { total: [{ currency: 'USD', amount: 9 }] },
			requiredEnvironment: 'sandbox',
			rememberSent: false,
			requestsPerSecond: 4.5,
			referencesToPayAgain: 'a\nb',
			ifAlreadySent: 'payAgain',
			timeout: 90,
		}),
	).toStrictEqual({
		bankNames: new Map([['union', '1014']]),
		duplicatePayments: 'allow',
		approvalCode: {
			text: `2 payments, 7 BOB, ${HASH}`,
			figures: '2 payments, 7 BOB',
			hash: HASH,
			shown: new Set(),
		},
		checkBalance: true,
		checkDeliveryLogs: 7,
		concurrency: 3,
		dailyLimit: undefined,
		dryRun: true,
		includeBase64: false,
		includeInput: true,
		language: 'es',
		maximumAmount: '5.5',
		maximumTotals: new Map([['USD', '9']]),
		requiredEnvironment: 'sandbox',
		rememberSent: false,
		requestsPerSecond: 4.5,
		referencesToPayAgain: payAgain('a', 'b'),
		accountChanges: 'hold',
		duplicateWindow: 7,
		fieldsToInclude: [],
		ifAlreadySent: 'payAgain',
		output: undefined,
		timeout: 90,
	});
});

describe('options set by an expression', () => {
	const withExpressions = (raw: object, ...values: unknown[]) =>
		parseOptions(nodeWith(optionsIn(values, raw), values.length), BANK);

	test('rejects an expression that gives nothing', () => {
		expect(withExpressions({ dryRun: '={{ $json.dry }}' }, {})).toEqual(
			unclear('Dry Run', 'empty'),
		);
	});

	test('accepts an expression with the same value for all items', () => {
		const raw = { dryRun: '={{ $json.dry }}' };
		const { options, error } = withExpressions(raw, { dryRun: 'yes' }, { dryRun: 'yes' });
		expect(error).toBeUndefined();
		expect(options).toEqual({ ...USUAL, dryRun: true });
	});

	test('rejects an expression that differs between items, and names its option', () => {
		const raw = { timeout: '={{ $json.timeout }}', dryRun: true };
		const first = { timeout: 30, dryRun: true };
		expect(withExpressions(raw, first, first, { ...first, timeout: 31 })).toEqual(
			differs('Sending: Timeout (Seconds)', '30', '31', 3),
		);
	});

	test('rejects an expression that cannot be evaluated', () => {
		expect(withExpressions({ dryRun: '={{ $json.dry }}' }, new Error('No such node'))).toEqual(
			rejected(
				'expressionFails',
				'Dry Run cannot be evaluated (No such node)',
				'Correct the expression.',
			),
		);
	});

	test('rejects an expression whose value cannot be shown as text', () => {
		const endless: Record<string, unknown> = {};
		endless.self = endless;
		expect(withExpressions({ dryRun: '={{ $json }}' }, { dryRun: endless })).toMatchObject({
			options: USUAL,
			error: { code: 'expressionFails' },
		});
	});
});

describe('switches', () => {
	const YES = [true, 'true', ' TRUE ', 'yes', 'Yes', 'sí', 'SÍ', 'si', 'si\u0301', 'on', '1', 1];
	const NO = [false, 'false', ' False ', 'no', 'NO', 'off', '0', 0];
	const NEITHER: Array<[unknown, string]> = [
		['', 'empty'],
		[' \u200b', 'empty'],
		[null, 'empty'],
		[undefined, 'empty'],
		[[], 'empty'],
		['maybe', '"maybe"'],
		['true!', '"true!"'],
		[2, '2'],
		[{}, '{}'],
		[Symbol('on'), 'Symbol(on)'],
		['-'.repeat(59), `"${'-'.repeat(59)}`],
	];

	test.each(YES)('reads %j as on', (value) => {
		expect(isOn(value)).toBe(true);
		expect(optionsOf({ dryRun: value }).dryRun).toBe(true);
	});

	test.each(NO)('reads %j as off', (value) => {
		expect(isOn(value)).toBe(false);
		expect(optionsOf({ rememberSent: value }).rememberSent).toBe(false);
	});

	test.each(NEITHER)('rejects %p as a switch, and shows it as %s', (value, shown) => {
		expect(isOn(value)).toBe(false);
		expect(read({ dryRun: value })).toEqual(unclear('Dry Run', shown));
	});

	test.each([
		['checkBalance', 'Check: Balance'],
		['includeInput', 'Output: Include Input Columns'],
		['rememberSent', 'Duplicates: Remember Sent References'],
	])('names the switch %s by its label %s', (name, label) => {
		expect(read({ [name]: 'x' })).toEqual(unclear(label, '"x"'));
	});

	test('validates a switch that only one operation has', () => {
		expect(read({ includeBase64: 'x' }, DEPOSIT).error).toEqual(
			unclear('Output: Include Base64', '"x"').error,
		);
		expect(read({ includeBase64: 'yes' }, DEPOSIT).error).toBeUndefined();
	});
});

describe('choices', () => {
	test.each([
		['ifAlreadySent', 'Duplicates: If Already Sent', 'payAgain, payAgainIfNotInLogs, skip'],
		['duplicatePayments', 'Duplicates: Same Payee and Amount', 'allow, reject, report'],
		['accountChanges', 'Check: Account Changes', 'hold, off, reject, report'],
		['requiredEnvironment', 'Check: Required Environment', 'production, sandbox'],
		['output', 'Output: Fields', 'raw, selectedFields, simplified'],
	])('rejects an unknown choice of %s', (name, label, choices) => {
		for (const [value, shown] of [
			['other', '"other"'],
			['', 'empty'],
			[true, 'true'],
		]) {
			expect(read({ [name]: value })).toEqual(
				rejected(
					'notAnOption',
					`${label} is ${String(shown)}, which is not one of its choices`,
					`Choose one, or use an expression that gives ${choices}.`,
				),
			);
		}
	});

	test.each(['production', 'sandbox'])('accepts %s as the environment', (requiredEnvironment) => {
		expect(optionsOf({ requiredEnvironment }).requiredEnvironment).toBe(requiredEnvironment);
	});

	test.each<[string, boolean]>([
		['reject', false],
		['allow', true],
	])('accepts %s for duplicate payments', (duplicatePayments, isAllowed) => {
		expect(optionsOf({ duplicatePayments }).duplicatePayments === 'allow').toBe(isAllowed);
	});
});

describe('numbers', () => {
	test.each<[string, keyof BatchOptions, unknown, number]>([
		['concurrency', 'concurrency', 1, 1],
		['concurrency', 'concurrency', 100, 100],
		['timeout', 'timeout', 1, 1],
		['timeout', 'timeout', 1.5, 1.5],
		['timeout', 'timeout', ' 90 ', 90],
		['timeout', 'timeout', 3_600, 3_600],
		['requestsPerSecond', 'requestsPerSecond', 0, 0],
		['requestsPerSecond', 'requestsPerSecond', '0.5', 0.5],
		['requestsPerSecond', 'requestsPerSecond', 1_000, 1_000],
	])('reads %s as %s from %j: %d', (name, option, value, number) => {
		expect(optionsOf({ [name]: value })[option]).toBe(number);
	});

	const WHOLE = 'Enter a whole number from';
	test.each<[string, string, unknown, string, string]>([
		['concurrency', 'Sending: Concurrency', 0, '0', `${WHOLE} 1 to 100`],
		['concurrency', 'Sending: Concurrency', 101, '101', `${WHOLE} 1 to 100`],
		['concurrency', 'Sending: Concurrency', 1.5, '1.5', `${WHOLE} 1 to 100`],
		// JavaScript reads each of these as 0 or 1.
	])('rejects an invalid number for %s: %s %j', (name, label, value, shown, hint) => {
		expect(read({ [name]: value })).toEqual(
			rejected('notInRange', `${label} is ${shown}`, `${hint}, or remove the option.`),
		);
	});

	test.each<[string, string, unknown, string, string]>([
		['timeout', 'Sending: Timeout (Seconds)', 0.99, '0.99', '1 to 3600'],
		['timeout', 'Sending: Timeout (Seconds)', 3_600.5, '3600.5', '1 to 3600'],
		['timeout', 'Sending: Timeout (Seconds)', '1,5', '"1,5"', '1 to 3600'],
		['requestsPerSecond', 'Sending: Requests per Second', -0.1, '-0.1', '0 to 1000'],
		['requestsPerSecond', 'Sending: Requests per Second', 1_001, '1001', '0 to 1000'],
	])('names the range and the dot for %s: %s %j', (name, label, value, shown, range) => {
		expect(read({ [name]: value })).toEqual(
			rejected(
				'notInRange',
				`${label} is ${shown}`,
				`Enter a number from ${range}, with a dot before decimals, or remove the option.`,
			),
		);
	});
});

describe('Maximum Amount', () => {
	test.each<[unknown, string]>([
		[0, '0'],
		['-0', '0'],
		[100.5, '100.5'],
		['1,250.00', '1250'],
	])('accepts %j as the maximum amount', (maximumAmount, decimal) => {
		expect(optionsOf({ maximumAmount }).maximumAmount).toBe(decimal);
	});

	test.each<[unknown, string, string]>([
		[-1, '-1', 'Enter 0 or more, or remove the option.'],
		[
			'1.250,00',
			'"1.250,00"',
			'Write it without thousands separators, and with any number of decimals but 3, such as 1250.50.',
		],
		[
			null,
			'empty',
			'Remove currency signs and words. Use a dot before the decimals, for example 1250.50.',
		],
	])('rejects %j as the maximum amount', (maximumAmount, shown, hint) => {
		expect(read({ maximumAmount })).toEqual(
			rejected('notAnAmount', `Check: Maximum Amount is ${shown}`, hint),
		);
	});
});

describe.each([
	['maximumTotals', 'Check: Maximum Totals'],
	['dailyLimit', 'Check: Daily Limit (This Node)'],
] as const)('totals: %s', (name, label) => {
	test('takes the lowest amount of each currency, in upper case', () => {
		const total = [
			{ currency: ' bob ', amount: '1,000.10' },
			{ currency: 'USD', amount: 0 },
			{ currency: 'BOB', amount: 0.2 },
			{ currency: 'USD', amount: 1 },
		];
		expect([...(optionsOf({ [name]: { total } })[name] ?? [])]).toEqual([
			['BOB', '0.2'],
			['USD', '0'],
		]);
	});

	test.each([
		...[null, undefined, '', 'BOB 5', {}, { total: [] }, { total: { currency: 'BOB' } }],
		...[null, {}, { amount: 5 }, { currency: ' ', amount: 5 }].map((entry) => ({ total: [entry] })),
	])('rejects %j, which has no entry with a currency', (given) => {
		expect(read({ [name]: given })).toEqual(empty(label));
	});

	test('rejects a total without a valid amount', () => {
		const total = [
			{ currency: 'BOB', amount: '5' },
			{ currency: 'usd', amount: '-5' },
		];
		expect(read({ [name]: { total } })).toEqual(
			rejected('notAnAmount', `${label} for USD is "-5"`, 'Enter 0 or more, or remove the option.'),
		);
	});
});

describe('Approval Code', () => {
	test.each([null, undefined, '', ' \n', '\u200b', []])(
		'rejects an empty approval code: %j',
		(value) => {
			expect(read({ approvalCode: value })).toEqual(empty('Check: Approval Code'));
		},
	);

	test('needs no approval code in a dry run', () => {
		for (const approvalCode of [null, '', ' ']) {
			expect(read({ dryRun: true, approvalCode })).toEqual(read({ dryRun: true }));
		}
	});

	test.each<[unknown, string]>([
		['approved', '"approved"'],
		[true, 'true'],
		[HASH, `"${HASH.slice(0, 59)}`],
	])('rejects an approval code that is no fingerprint: %j', (value, shown) => {
		expect(read({ approvalCode: value })).toEqual(
			rejected(
				'approvalCodeInvalid',
				`Check: Approval Code is ${shown}, which is not a fingerprint`,
				'Copy summary.fingerprint of a dry run completely, from its count to its last character.',
			),
		);
	});
});

describe('Duplicates: If Already Sent', () => {
	test('rejects Pay Again without references', () => {
		for (const referencesToPayAgain of [undefined, '', ' \n ', []]) {
			expect(read({ ifAlreadySent: 'payAgain', referencesToPayAgain })).toEqual(
				empty('Duplicates: References to Pay Again'),
			);
		}
	});

	test.each([
		['a', new Map([['a', 1]])],
		['A #2\na', new Map([['a', 2]])],
		['a # 2', new Map([['a', 2]])],
		['a #2 b #1', new Map([['a #2 b', 1]])],
	])('reads %j as a request to pay again', (referencesToPayAgain, requests) => {
		const chosen = optionsOf({ ifAlreadySent: 'payAgain', referencesToPayAgain });
		expect(chosen.referencesToPayAgain).toEqual(requests);
	});

	test.each(['a#2', 'a #', 'a #0', 'a #1.5', 'a #2 b'])('rejects %j', (referencesToPayAgain) => {
		const { error } = read({ ifAlreadySent: 'payAgain', referencesToPayAgain });
		expect(error).toMatchObject({ code: 'payAgainUnclear' });
	});

	test('ignores References to Pay Again with Skip', () => {
		const given = { ifAlreadySent: 'skip', referencesToPayAgain: 'a' };
		expect(optionsOf(given).referencesToPayAgain).toEqual(NO_REQUESTS);
	});
});

test.each<[MoneyEndpoint, string, unknown]>([
	[CRYPTO, 'checkBalance', true],
	[CRYPTO, 'checkBalance', 'maybe'],
	[DEPOSIT, 'requiredEnvironment', 'production'],
	[DEPOSIT, 'dailyLimit', { total: [] }],
])('ignores an option of another operation, as n8n does: %#', (endpoint, name, value) => {
	expect(read({ [name]: value }, endpoint)).toEqual(read({}, endpoint));
});

test('returns the default options if one is invalid', () => {
	expect(read({ dryRun: true, concurrency: 50, includeInput: true, timeout: 0 }).options).toEqual(
		USUAL,
	);
});
