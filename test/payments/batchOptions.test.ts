import type { IExecuteFunctions } from 'n8n-workflow';

import type { MoneyEndpoint } from '../../nodes/payments/endpoint';
import { isOn, parseOptions, type BatchOptions } from '../../nodes/payments/options';
import { OPTION_GROUPS } from '../fixtures/options.cjs';
import { BANK, CRYPTO, DEPOSIT } from './direct';

/** Options as they are read from a node; test/payments/options.test.ts sees what they do in n8n. */

/** A parameter of the node: its value for each item, and how it stands in the workflow. */
interface Parameter {
	values: unknown[];
	raw?: unknown;
}

/** A node with these parameters. One that it does not have is read as the fallback, as n8n does. */
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

/** Options in the groups of the form: their values for each item, and how they stand in the workflow. */
const groupsOf = (values: unknown[], raw?: object): Record<string, Parameter> =>
	Object.fromEntries(
		Object.entries(OPTION_GROUPS).map(([group, names]) => {
			const inGroup = (value: unknown) =>
				value instanceof Error
					? value
					: Object.fromEntries(
							Object.entries(value as object).filter(([name]) => names.includes(name)),
						);
			return [
				group,
				{ values: values.map(inGroup), ...(raw !== undefined && { raw: inGroup(raw) }) },
			];
		}),
	);

const read = (options: object, endpoint = BANK): ReturnType<typeof parseOptions> =>
	parseOptions(nodeWith(groupsOf([options])), endpoint);

/** The options that are read, of which nothing may be wrong. */
function optionsOf(options: object, endpoint = BANK): BatchOptions {
	const { options: given, error } = read(options, endpoint);
	expect(error).toBeUndefined();
	return given;
}

const USUAL: BatchOptions = {
	duplicatePayments: 'reject',
	approvalCode: undefined,
	checkBalance: false,
	concurrency: 10,
	decimalSeparator: undefined,
	dryRun: false,
	expectedCount: undefined,
	expectedTotals: undefined,
	includeInput: false,
	maximumAmount: undefined,
	maximumTotals: undefined,
	requiredEnvironment: undefined,
	rememberSent: true,
	requestsPerSecond: 0,
	referencesToPayAgain: [],
	ifAlreadySent: 'skip',
	simplify: false,
	timeout: 60,
};

/** The usual options, and why nothing may be sent. */
const refused = (code: string, message: string, hint: string) => ({
	options: USUAL,
	error: { code, message, hint },
});

const neither = (option: string, value: string) =>
	refused(
		'notYesOrNo',
		`${option} is ${value}, which is neither true nor false`,
		'Turn it on or off, or use an expression that gives true or false.',
	);

const differs = (field: string, first: string, value: string, number: number) =>
	refused(
		'differsFromRowToRow',
		`${field} is ${first} for row 1 (item 0), but ${value} for row ${number} (item ${number - 1})`,
		'Use one value for all items of a batch, or pay the items in separate batches.',
	);

const HASH = '0123456789abcdef'.repeat(4);

describe('without any option', () => {
	test('a payout has the usual ones', () => {
		expect(parseOptions(nodeWith({}), BANK)).toStrictEqual({ options: USUAL });
		expect(read({})).toStrictEqual({ options: USUAL });
	});

	test('what pays nothing out remembers nothing', () => {
		expect(read({}, DEPOSIT)).toStrictEqual({ options: { ...USUAL, rememberSent: false } });
	});
});

test('all options are read', () => {
	expect(
		optionsOf({
			approvalCode: `2 payments, 7 BOB, ${HASH}`,
			checkBalance: true,
			concurrency: 3,
			decimalSeparator: 'comma',
			dryRun: true,
			expectedCount: 2,
			expectedTotals: { total: [{ currency: 'BOB', amount: '7' }] },
			duplicatePayments: 'allow',
			includeInput: true,
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
		duplicatePayments: 'allow',
		approvalCode: {
			text: `2 payments, 7 BOB, ${HASH}`,
			count: 2,
			unknownAmounts: 0,
			totals: new Map([['BOB', '7']]),
		},
		checkBalance: true,
		concurrency: 3,
		decimalSeparator: { decimal: ',', isChosen: true },
		dryRun: true,
		expectedCount: 2,
		expectedTotals: new Map([['BOB', '7']]),
		includeInput: true,
		maximumAmount: '5.5',
		maximumTotals: new Map([['USD', '9']]),
		requiredEnvironment: 'sandbox',
		rememberSent: false,
		requestsPerSecond: 4.5,
		referencesToPayAgain: ['a', 'b'],
		ifAlreadySent: 'payAgain',
		simplify: false,
		timeout: 90,
	});
});

describe('an expression', () => {
	const withExpressions = (raw: object, ...values: unknown[]) =>
		parseOptions(nodeWith(groupsOf(values, raw), values.length), BANK);

	test('that gives nothing counts as set', () => {
		expect(withExpressions({ dryRun: '={{ $json.dry }}' }, {})).toEqual(
			neither('Dry Run', 'empty'),
		);
	});

	test('that gives an entry of its own counts as set, too', () => {
		expect(withExpressions({}, { dryRun: 'maybe' })).toEqual(neither('Dry Run', '"maybe"'));
	});

	test('that gives the same for all items is read', () => {
		const raw = { dryRun: '={{ $json.dry }}' };
		const { options, error } = withExpressions(raw, { dryRun: 'yes' }, { dryRun: 'yes' });
		expect(error).toBeUndefined();
		expect(options).toEqual({ ...USUAL, dryRun: true });
	});

	test('that differs from item to item is refused, with the name of its option', () => {
		const raw = { timeout: '={{ $json.timeout }}', dryRun: true };
		const first = { timeout: 30, dryRun: true };
		expect(withExpressions(raw, first, first, { ...first, timeout: 31 })).toEqual(
			differs('Timeout (Seconds)', '30', '31', 3),
		);
	});

	test('that cannot be evaluated is refused', () => {
		expect(withExpressions({ dryRun: '={{ $json.dry }}' }, new Error('No such node'))).toEqual(
			refused(
				'expressionFails',
				'Before Sending cannot be evaluated (No such node)',
				'Correct the expression.',
			),
		);
	});

	test('that gives what no text can show is refused', () => {
		const endless: Record<string, unknown> = {};
		endless.self = endless;
		expect(withExpressions({ dryRun: '={{ $json }}' }, { dryRun: endless })).toMatchObject({
			options: USUAL,
			error: { code: 'expressionFails' },
		});
	});
});

describe('Simplify', () => {
	const simplified = (raw: unknown, ...values: unknown[]) =>
		parseOptions(
			nodeWith(
				{ ...groupsOf(values.map(() => ({ dryRun: true }))), simplify: { values, raw } },
				values.length,
			),
			BANK,
		);

	test.each<[unknown, boolean]>([
		[true, true],
		['yes', true],
		[false, false],
		['off', false],
	])('as %j is %p, beside the options', (value, simplify) => {
		expect(simplified(value, value)).toStrictEqual({
			options: { ...USUAL, dryRun: true, simplify },
		});
	});

	test('as another word is refused', () => {
		expect(simplified('perhaps', 'perhaps')).toEqual(neither('Simplify', '"perhaps"'));
	});

	test('has to be the same for all items', () => {
		expect(simplified('={{ $json.short }}', true, false)).toEqual(
			differs('Simplify', 'true', 'false', 2),
		);
	});
});

describe('a switch', () => {
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

	test.each(YES)('as %j is on', (value) => {
		expect(isOn(value)).toBe(true);
		expect(optionsOf({ dryRun: value }).dryRun).toBe(true);
	});

	test.each(NO)('as %j is off', (value) => {
		expect(isOn(value)).toBe(false);
		expect(optionsOf({ rememberSent: value }).rememberSent).toBe(false);
	});

	test.each(NEITHER)('as %p is neither, and shown as %s', (value, shown) => {
		expect(isOn(value)).toBe(false);
		expect(read({ dryRun: value })).toEqual(neither('Dry Run', shown));
	});

	test.each([
		['checkBalance', 'Check Balance First'],
		['includeInput', 'Include Input Columns'],
		['rememberSent', 'Remember Sent References'],
	])('%s is named %s', (name, label) => {
		expect(read({ [name]: 'x' })).toEqual(neither(label, '"x"'));
	});

	test('of the operation alone has to be clear, too', () => {
		expect(read({ includeBase64: 'x' }, DEPOSIT).error).toEqual(
			neither('Include Base64', '"x"').error,
		);
		expect(read({ includeBase64: 'yes' }, DEPOSIT).error).toBeUndefined();
	});

	test('is no other entry of the operation alone', () => {
		const [own] = DEPOSIT.options?.reading ?? [];
		const endpoint: MoneyEndpoint = {
			...DEPOSIT,
			options: { reading: [{ ...own, type: 'string' }] },
		};
		expect(read({ includeBase64: 'x' }, endpoint).error).toBeUndefined();
	});
});

describe('a choice', () => {
	test.each([
		['ifAlreadySent', 'If Already Sent', 'skip, payAgain, stop'],
		['duplicatePayments', 'Duplicate Payments', 'reject, allow'],
		['decimalSeparator', 'Decimal Separator', 'automatic, comma, dot'],
		['requiredEnvironment', 'Required Environment', 'production, sandbox'],
	])('of %s that there is not is refused', (name, label, choices) => {
		for (const [value, shown] of [
			['other', '"other"'],
			['', 'empty'],
			[true, 'true'],
		]) {
			expect(read({ [name]: value })).toEqual(
				refused(
					'notAnOption',
					`${label} is ${String(shown)}, which is not one of its choices`,
					`Choose one from the list, or use an expression that gives ${choices}.`,
				),
			);
		}
	});

	test.each(['production', 'sandbox'])('of the environment may be %s', (requiredEnvironment) => {
		expect(optionsOf({ requiredEnvironment }).requiredEnvironment).toBe(requiredEnvironment);
	});

	test.each<[string, BatchOptions['decimalSeparator']]>([
		['automatic', undefined],
		['comma', { decimal: ',', isChosen: true }],
		['dot', { decimal: '.', isChosen: true }],
	])('of a decimal separator may be %s', (decimalSeparator, format) => {
		expect(optionsOf({ decimalSeparator }).decimalSeparator).toEqual(format);
	});

	test.each<[string, boolean]>([
		['reject', false],
		['allow', true],
	])('of identical payments may be to %s them', (duplicatePayments, isAllowed) => {
		expect(optionsOf({ duplicatePayments }).duplicatePayments === 'allow').toBe(isAllowed);
	});
});

describe('a number', () => {
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
		['expectedCount', 'expectedCount', 0, 0],
		['expectedCount', 'expectedCount', '2', 2],
		['expectedCount', 'expectedCount', 1_000_000, 1_000_000],
	])('for %s gives %s from %j: %d', (name, option, value, number) => {
		expect(optionsOf({ [name]: value })[option]).toBe(number);
	});

	const WHOLE = 'Enter a whole number from';
	test.each<[string, string, unknown, string, string]>([
		['concurrency', 'Concurrency', 0, '0', `${WHOLE} 1 to 100`],
		['concurrency', 'Concurrency', 101, '101', `${WHOLE} 1 to 100`],
		['concurrency', 'Concurrency', 1.5, '1.5', `${WHOLE} 1 to 100`],
		['expectedCount', 'Expected Count', -1, '-1', `${WHOLE} 0 to 1000000`],
		['expectedCount', 'Expected Count', 1_000_001, '1000001', `${WHOLE} 0 to 1000000`],
		['expectedCount', 'Expected Count', '1.5', '"1.5"', `${WHOLE} 0 to 1000000`],
		['expectedCount', 'Expected Count', 'two', '"two"', `${WHOLE} 0 to 1000000`],
		['expectedCount', 'Expected Count', NaN, 'null', `${WHOLE} 0 to 1000000`],
		// Each of these is 0 or 1 for JavaScript.
		['expectedCount', 'Expected Count', '', 'empty', `${WHOLE} 0 to 1000000`],
		['expectedCount', 'Expected Count', ' ', 'empty', `${WHOLE} 0 to 1000000`],
		['expectedCount', 'Expected Count', null, 'empty', `${WHOLE} 0 to 1000000`],
		['expectedCount', 'Expected Count', [], 'empty', `${WHOLE} 0 to 1000000`],
		['expectedCount', 'Expected Count', [1], '[1]', `${WHOLE} 0 to 1000000`],
		['expectedCount', 'Expected Count', true, 'true', `${WHOLE} 0 to 1000000`],
	])('for %s that is none is refused: %s %j', (name, label, value, shown, hint) => {
		expect(read({ [name]: value })).toEqual(
			refused('notInRange', `${label} is ${shown}`, `${hint}, or remove the option.`),
		);
	});

	test.each<[string, string, unknown, string, string]>([
		['timeout', 'Timeout (Seconds)', 0.99, '0.99', '1 to 3600'],
		['timeout', 'Timeout (Seconds)', 3_600.5, '3600.5', '1 to 3600'],
		['timeout', 'Timeout (Seconds)', '1,5', '"1,5"', '1 to 3600'],
		['requestsPerSecond', 'Requests per Second', -0.1, '-0.1', '0 to 1000'],
		['requestsPerSecond', 'Requests per Second', 1_001, '1001', '0 to 1000'],
	])('for %s may have decimals, with a dot: %s %j', (name, label, value, shown, range) => {
		expect(read({ [name]: value })).toEqual(
			refused(
				'notInRange',
				`${label} is ${shown}`,
				`Enter a number from ${range}, with a dot before decimals, or remove the option.`,
			),
		);
	});
});

describe('an amount', () => {
	test.each<[unknown, string]>([
		[0, '0'],
		['-0', '0'],
		[100.5, '100.5'],
		['1,250.00', '1250'],
	])('%j is the most of one item', (maximumAmount, decimal) => {
		expect(optionsOf({ maximumAmount }).maximumAmount).toBe(decimal);
	});

	test.each<[unknown, string, string]>([
		[-1, '-1', 'Enter 0 or more, or remove the option.'],
		[
			'1.250,00',
			'"1.250,00"',
			'Use thousands separators only as in 1,250.00. Use a dot before the decimals, for example 1250.50.',
		],
		[null, 'empty', 'Use a dot before the decimals, for example 1250.50.'],
	])('%j is none', (maximumAmount, shown, hint) => {
		expect(read({ maximumAmount })).toEqual(
			refused('notAnAmount', `Maximum Amount is ${shown}`, hint),
		);
	});
});

describe.each([
	['expectedTotals', 'Expected Totals'],
	['maximumTotals', 'Maximum Totals'],
] as const)('totals: %s', (name, label) => {
	test('are by currency, in capitals, and those of one currency come together', () => {
		const total = [
			{ currency: ' bob ', amount: '1,000.10' },
			{ currency: 'USD', amount: 0 },
			{ currency: 'BOB', amount: 0.2 },
		];
		expect([...(optionsOf({ [name]: { total } })[name] ?? [])]).toEqual([
			['BOB', '1000.3'],
			['USD', '0'],
		]);
	});

	test.each([null, undefined, '', 'BOB 5', {}, { total: [] }, { total: { currency: 'BOB' } }])(
		'%j are none',
		(given) => {
			expect(read({ [name]: given })).toEqual(
				refused(
					'noTotal',
					`${label} has no total`,
					'Add a total with its currency and amount, or remove the option.',
				),
			);
		},
	);

	test.each([null, {}, { amount: 5 }, { currency: ' ', amount: 5 }, { currency: null, amount: 5 }])(
		'need a currency, and %j has none',
		(entry) => {
			expect(read({ [name]: { total: [entry] } })).toEqual(
				refused('noCurrency', `${label} has no currency`, 'Enter one, such as BOB.'),
			);
		},
	);

	test('need an amount for each currency', () => {
		const total = [
			{ currency: 'BOB', amount: '5' },
			{ currency: 'usd', amount: '-5' },
		];
		expect(read({ [name]: { total } })).toEqual(
			refused('notAnAmount', `${label} for USD is "-5"`, 'Enter 0 or more, or remove the option.'),
		);
	});
});

describe('an approval', () => {
	test.each([null, undefined, '', ' \n', '\u200b', [], ['']])(
		'that is empty is none: %j',
		(value) => {
			expect(read({ approvalCode: value })).toEqual(
				refused(
					'approvalCodeEmpty',
					'Approval Code is empty, so nothing is approved',
					'Enter the fingerprint of an approved dry run, or remove the option.',
				),
			);
		},
	);

	test.each<[unknown, string]>([
		['approved', '"approved"'],
		[true, 'true'],
		[HASH, `"${HASH.slice(0, 59)}`],
	])('that is no fingerprint is refused: %j', (value, shown) => {
		expect(read({ approvalCode: value })).toEqual(
			refused(
				'approvalCodeInvalid',
				`Approval Code is ${shown}, which is not a fingerprint`,
				'Copy summary.fingerprint of a dry run completely, from its count to its last character.',
			),
		);
	});
});

describe('what was sent before', () => {
	test('stops the batch only where it is remembered', () => {
		const wrong = refused(
			'rememberSentIsOff',
			'If Already Sent cannot stop anything while Remember Sent References is off',
			'Turn on Remember Sent References.',
		);
		expect(read({ ifAlreadySent: 'stop', rememberSent: false })).toEqual(wrong);
		expect(read({ ifAlreadySent: 'stop' }, DEPOSIT).error).toEqual(wrong.error);
		expect(optionsOf({ ifAlreadySent: 'stop' }).ifAlreadySent).toBe('stop');
		expect(optionsOf({ ifAlreadySent: 'skip', rememberSent: false }).rememberSent).toBe(false);
	});

	test('is sent again only where it is named', () => {
		for (const referencesToPayAgain of [undefined, '', ' \n ', []]) {
			expect(read({ ifAlreadySent: 'payAgain', referencesToPayAgain })).toEqual(
				refused(
					'noReferencesToPayAgain',
					'References to Pay Again is empty',
					'Enter the references that were not created, or set If Already Sent to Skip.',
				),
			);
		}
		expect(
			optionsOf({ ifAlreadySent: 'payAgain', referencesToPayAgain: '*' }).referencesToPayAgain,
		).toEqual(['*']);
	});

	test.each(['skip', 'stop'])('is not sent again with %s, whatever is named', (sentBefore) => {
		expect(optionsOf({ sentBefore, referencesToPayAgain: 'a' }).referencesToPayAgain).toEqual([]);
	});
});

describe('a control that cannot act', () => {
	test.each<[MoneyEndpoint, string, unknown, string, string]>([
		[CRYPTO, 'checkBalance', true, 'Check Balance First', 'Create Crypto Payout'],
		[CRYPTO, 'checkBalance', 'maybe', 'Check Balance First', 'Create Crypto Payout'],
		[CRYPTO, 'checkBalance', undefined, 'Check Balance First', 'Create Crypto Payout'],
		[DEPOSIT, 'requiredEnvironment', 'production', 'Required Environment', 'Create QR Deposit'],
		[DEPOSIT, 'duplicatePayments', 'reject', 'Duplicate Payments', 'Create QR Deposit'],
	])('is refused: %#', (endpoint, name, value, option, operation) => {
		expect(read({ [name]: value }, endpoint).error).toEqual({
			code: 'optionNotApplicable',
			message: `${option} does not apply to ${operation}`,
			hint: 'Remove the option.',
		});
	});

	test.each([false, 'no', 'OFF', '0'])('may be off: %j', (checkBalance) => {
		expect(optionsOf({ checkBalance }, CRYPTO).checkBalance).toBe(false);
	});

	test('keeps none from acting that comes behind it', () => {
		expect(optionsOf({ checkBalance: false, dryRun: true }, CRYPTO).dryRun).toBe(true);
		expect(
			read({ checkBalance: false, requiredEnvironment: 'production' }, DEPOSIT).error,
		).toMatchObject({
			code: 'optionNotApplicable',
		});
	});
});

test('what is wrong leaves nothing of the other options', () => {
	expect(read({ dryRun: true, concurrency: 50, includeInput: true, timeout: 0 }).options).toEqual(
		USUAL,
	);
});
