import type { IExecuteFunctions, INodeProperties, NodeParameterValue } from 'n8n-workflow';

import type { ReadingSettings } from '../fields/field';
import { rawParameter } from '../fields/parameters';
import type { NAME_ORDERS } from '../fields/personNames';
import { bankCode, bankNameKey, isEmpty, listedNames } from '../fields/validators';
import { addDecimals, compareDecimals, parseDecimal } from '../fields/money';
import { entries, SIMPLIFY } from '../fields/form';
import { idempotencyKey, normalizeText } from '../fields/text';
import { LANGUAGE, LANGUAGES } from '../report/language';
import { ENVIRONMENTS, type Environment } from '../service/baseUrl';
import type { UserMessage } from '../service/messages';
import { DEFAULT_TIMEOUT_SECONDS } from '../service/transport';
import type { MoneyEndpoint } from './endpoint';
import { START } from './limiter';
import { expressionFailed, readBatchParameter } from './expressions';
import { parseFingerprint, type Fingerprint } from './fingerprint';
import { userMessage } from './messages';

/** The groups of options in the form: each is a separate collection. */
export const OPTION_GROUPS = {
	beforeSending: 'Before Sending',
	duplicates: 'Duplicates',
	sending: 'Sending',
	reading: 'Reading',
} as const;

type OptionGroup = keyof typeof OPTION_GROUPS;

/** An option of a batch: its place and look in the form, how its value is parsed, and where it applies. */
interface BatchOption<T> {
	group: OptionGroup;
	/** Without `default`, the form begins with the value of an option that is not set. */
	property: Look & Pick<INodeProperties, 'type'>;
	/**
	 * @param label the option's label in the editor
	 * @throws InvalidOption
	 */
	parse(value: unknown, label: string): T;
	/** The value of an option that is not set: undefined by default. */
	unset?: T | ((endpoint: MoneyEndpoint) => T);
	/** Missing if the option applies to every endpoint. */
	appliesTo?(endpoint: MoneyEndpoint): boolean;
}

type Look = Pick<INodeProperties, 'displayName'> & Partial<Omit<INodeProperties, 'name' | 'type'>>;

/** An option whose type is known. */
type Definition<T> = Pick<BatchOption<T>, 'group' | 'unset' | 'appliesTo'> & Look;

/** An option with an invalid value. */
class InvalidOption extends Error {
	constructor(readonly userMessage: UserMessage) {
		super(userMessage.message);
	}
}

function option<T>(
	type: INodeProperties['type'],
	{ group, unset, appliesTo, ...look }: Definition<T>,
	parse: BatchOption<T>['parse'],
): BatchOption<T> {
	return { group, property: { ...look, type }, parse, unset, appliesTo };
}

const booleanOption = (definition: Definition<boolean>): BatchOption<boolean> =>
	option('boolean', { ...definition, unset: definition.unset ?? false }, toBoolean);

const numberOption = <T extends number | undefined>(
	range: Range,
	definition: Definition<T | number>,
): BatchOption<T | number> =>
	option<T | number>(
		'number',
		{ ...definition, typeOptions: { minValue: range.min, maxValue: range.max } },
		(value, label) => toNumber(value, label, range),
	);

interface Choice<T> {
	name: string;
	value: T;
	description?: string;
}

/** @param options the choices, in alphabetical order */
const choiceOption = <T extends string, Unset extends T | undefined>(
	options: ReadonlyArray<Choice<T>>,
	definition: Definition<Unset>,
): BatchOption<T | Unset> =>
	option<T | Unset>('options', { ...definition, options: [...options] }, (value, label) =>
		toChoice(
			value,
			label,
			options.map((choice) => choice.value),
		),
	);

/** An hour: longer than any service takes, shorter than what a timer can hold. */
const MAX_TIMEOUT_SECONDS = 3_600;
const MAX_CONCURRENCY = 100;
const NO_RATE_LIMIT = 0;
const MAX_RATE = 1_000;
const MAX_COUNT = 1_000_000;
const DEFAULT_LOG_DAYS = 31;
const MAX_LOG_DAYS = 366;
/** Less than what `DailySpending` can count. */
const MAX_DAILY_LIMIT = 100_000_000_000;
const DEFAULT_WINDOW_DAYS = 3;
const MAX_WINDOW_DAYS = 31;

/** Whether two rows can pay one payee the same. Each result of another payment is its own payment. */
function hasDuplicates({ payee, fromResults }: MoneyEndpoint): boolean {
	return payee !== undefined && !fromResults;
}

/** Whether a person asked for payments to be made again. */
export function paysAgain({ ifAlreadySent }: Pick<BatchOptions, 'ifAlreadySent'>): boolean {
	return ifAlreadySent === 'payAgain';
}

/** When the values come from columns. */
const FROM_COLUMNS = { show: { '/mappingMode': ['autoMapInputData'] } };

/** The look of an option with an amount for each currency. */
const amounts = (label: string) =>
	entries(label, 'total', [
		{
			displayName: 'Currency',
			name: 'currency',
			type: 'string',
			default: '',
			placeholder: 'e.g. BOB',
		},
		{
			displayName: 'Amount',
			name: 'amount',
			type: 'string',
			default: '',
			placeholder: 'e.g. 125000.50',
		},
	]);

/** All options, by parameter name. */
const OPTIONS = {
	approvalCode: option<Fingerprint | undefined>(
		'string',
		{
			group: 'beforeSending',
			displayName: 'Approval Code',
			default: '',
			placeholder: 'e.g. 40 payments, 12,345.60 BOB, 3f2a…',
			builderHint: { propertyHint: 'summary.fingerprint of the dry run that a person approved' },
			description:
				'The <code>summary.fingerprint</code> of a dry run that was approved. If it is empty or doesn’t match these payments, nothing is sent.',
		},
		toFingerprint,
	),
	checkBalance: booleanOption({
		group: 'beforeSending',
		displayName: 'Check Balance First',
		description:
			'Whether to send nothing if the payout balance does not cover the total per currency. Items funded by conversion do not count.',
		appliesTo: ({ balance }) => balance !== undefined,
	}),
	checkDeliveryLogs: numberOption<undefined>(
		{ min: 0, max: MAX_LOG_DAYS, isWhole: true },
		{
			group: 'beforeSending',
			displayName: 'Check Delivery Logs',
			default: DEFAULT_LOG_DAYS,
			description:
				'How many days of the service’s delivery logs to search before sending. An item whose reference is in them counts as already sent, whoever sent it. An item that is not in them may still have been sent. Without this option, the last three days are searched if it is not certain what was sent. 0 never searches.',
			unset: ({ fromResults }) => (fromResults ? DEFAULT_LOG_DAYS : undefined),
		},
	),
	dailyLimit: option<Map<string, string> | undefined>(
		'fixedCollection',
		{
			group: 'beforeSending',
			displayName: 'Daily Limit (This Node)',
			default: {},
			...amounts('Total'),
			description:
				'The most that all executions of this node may pay on a day, per currency. If these items would go above it, or there is another currency, nothing is sent. A day begins at midnight in the time zone of the workflow.',
			appliesTo: ({ paysOut }) => paysOut,
		},
		toDailyLimits,
	),
	dryRun: booleanOption({
		group: 'beforeSending',
		displayName: 'Dry Run',
		builderHint: {
			propertyHint:
				'On for the first run of this node, off after a person has approved: an expression that compares $runIndex with 0',
		},
		description:
			'Whether to validate all items and output the exact requests without sending any. Each item also has the totals, and the fingerprint for Approval Code.',
	}),
	maximumAmount: option<string | undefined>(
		'number',
		{
			group: 'beforeSending',
			displayName: 'Maximum Amount',
			typeOptions: { minValue: 0 },
			default: 0,
			description:
				'The largest amount of an item. An item with a larger or unknown amount is rejected before anything is sent.',
		},
		toDecimal,
	),
	maximumTotals: option<Map<string, string> | undefined>(
		'fixedCollection',
		{
			group: 'beforeSending',
			displayName: 'Maximum Totals',
			default: {},
			...amounts('Total'),
			description:
				'The largest total of all items, per currency. If a total is larger, or there is another currency, nothing is sent.',
		},
		toTotals,
	),
	requiredEnvironment: choiceOption<Environment, undefined>(ENVIRONMENTS, {
		group: 'beforeSending',
		displayName: 'Required Environment',
		default: 'production',
		description:
			'Send nothing if the credential states another Environment or none. The service has no way to confirm what the credential states.',
		appliesTo: ({ paysOut }) => paysOut,
	}),
	accountChanges: choiceOption(
		[
			{
				name: 'Hold',
				value: 'hold',
				description: 'Send the other items, and these only if approved',
			},
			{ name: 'Off', value: 'off', description: 'Remember no payees' },
			{ name: 'Reject', value: 'reject', description: 'Send nothing if there is such an item' },
			{ name: 'Report', value: 'report', description: 'Send these items and name them in a hint' },
		],
		{
			group: 'duplicates',
			displayName: 'Account Changes',
			description:
				'What to do with items whose payee was paid before, but never to this account. Hold sends an item if Approval Code is that of a dry run which showed it.',
			unset: 'report',
			appliesTo: ({ hasAccounts }) => hasAccounts === true,
		},
	),
	duplicatePayments: choiceOption(
		[
			{ name: 'Allow', value: 'allow', description: 'Pay each of them' },
			{
				name: 'Reject',
				value: 'reject',
				description: 'Reject all but the first: they may be copied rows',
			},
			{ name: 'Report', value: 'report', description: 'Pay each of them and name them in a hint' },
		],
		{
			group: 'duplicates',
			displayName: 'Duplicate Payments',
			description:
				'What to do with items that have the same payee, amount and description as another item, or as a payment of the last days, whatever their references. An AI agent cannot pay the same payee and amount twice in an execution.',
			unset: ({ reportsDuplicates }) => (reportsDuplicates ? 'report' : 'reject'),
			appliesTo: hasDuplicates,
		},
	),
	duplicateWindow: numberOption<number>(
		{ min: 0, max: MAX_WINDOW_DAYS, isWhole: true },
		{
			group: 'duplicates',
			displayName: 'Duplicate Window (Days)',
			description:
				'How many days back duplicates are found for certain. Payments that are twice as old never count. 0 compares only the items of one execution.',
			unset: DEFAULT_WINDOW_DAYS,
			appliesTo: hasDuplicates,
		},
	),
	ifAlreadySent: choiceOption(
		[
			{
				name: 'Pay Again',
				value: 'payAgain',
				description: 'Pay the ones that you enter in References to Pay Again',
			},
			{
				name: 'Skip',
				value: 'skip',
				description: 'Send the other items. The outcome of these is alreadySent.',
			},
			{
				name: 'Stop',
				value: 'stop',
				description: 'Send nothing if any of the items was already sent',
			},
		],
		{
			group: 'duplicates',
			displayName: 'If Already Sent',
			description: 'What to do with items whose reference an earlier execution of this node sent',
			unset: 'skip',
		},
	),
	referencesToPayAgain: option<PayAgainRequests>(
		'string',
		{
			group: 'duplicates',
			displayName: 'References to Pay Again',
			typeOptions: { rows: 3 },
			default: '',
			placeholder: 'e.g. 5f0c6f6e-3b1d-…',
			description:
				'References that you looked up and that the service did not create, one per line. Each is paid again once; <code>#2</code> after a reference asks for a second time.',
			displayOptions: { show: { ifAlreadySent: ['payAgain'] } },
			unset: () => new Map<string, number>(),
		},
		toReferences,
	),
	rememberSent: booleanOption({
		group: 'duplicates',
		displayName: 'Remember Sent References',
		description:
			'Whether this node remembers which references it sent, so that no later execution sends them again. A copy of the node remembers nothing.',
		unset: ({ paysOut }) => paysOut,
	}),
	concurrency: numberOption<undefined>(
		{ min: 1, max: MAX_CONCURRENCY, isWhole: true },
		{
			group: 'sending',
			displayName: 'Concurrency',
			default: START,
			description:
				'How many requests are in flight at once. 1 sends strictly in order. Without this option, the number adapts to the service: it starts at 10, and grows to at most 200 while answers keep up.',
		},
	),
	requestsPerSecond: numberOption<number>(
		{ min: NO_RATE_LIMIT, max: MAX_RATE },
		{
			group: 'sending',
			displayName: 'Requests per Second',
			description: 'How many requests may start per second. 0 sets no limit.',
			unset: NO_RATE_LIMIT,
		},
	),
	timeout: numberOption<number>(
		{ min: 1, max: MAX_TIMEOUT_SECONDS },
		{
			group: 'sending',
			displayName: 'Timeout (Seconds)',
			description:
				'How long to wait for the response to a request. After that the outcome of the item is unknown.',
			unset: DEFAULT_TIMEOUT_SECONDS,
		},
	),
	accountSeparators: choiceOption(
		[
			{ name: 'Keep', value: 'keep', description: 'Send the account as it is written' },
			{ name: 'Reject', value: 'reject', description: 'Send no such item' },
			{ name: 'Remove', value: 'remove', description: 'Send the digits and letters only' },
		],
		{
			group: 'reading',
			displayName: 'Account Separators',
			description:
				'What to do with hyphens, dots and spaces in account numbers. Ask the service how it takes them.',
			unset: 'reject',
			appliesTo: (endpoint) => adjusts(endpoint, 'accountSeparators'),
		},
	),
	bankNames: option<ReadonlyMap<string, string> | undefined>(
		'fixedCollection',
		{
			group: 'reading',
			displayName: 'Bank Names',
			default: {},
			...entries('Bank', 'bank', [
				{
					displayName: 'Name',
					name: 'name',
					type: 'string',
					default: '',
					placeholder: 'e.g. Banco Unión',
					description: 'Name of the bank as the input has it',
				},
				{
					displayName: 'Code',
					name: 'code',
					type: 'string',
					default: '',
					placeholder: 'e.g. 1014',
					description: 'Code of the bank in the list of the service',
				},
			]),
			description:
				'The code of each bank by the name that the input has for it. Case, accents, punctuation and words such as Banco and S.A. do not matter. A name without a code is not sent.',
			appliesTo: (endpoint) => adjusts(endpoint, 'bankNames'),
		},
		toBankNames,
	),
	decimalSeparator: choiceOption(
		[
			{
				name: 'Automatic',
				value: 'automatic',
				description:
					'As the values of an input column prove, otherwise a dot. An ambiguous amount is rejected.',
			},
			{ name: 'Comma', value: 'comma', description: '1.234,56 and 1234,56' },
			{ name: 'Dot', value: 'dot', description: '1,234.56 and 1234.56' },
		],
		{
			group: 'reading',
			displayName: 'Decimal Separator',
			description: 'The character before the decimals in amounts that are text',
			unset: 'automatic',
			appliesTo: ({ fromResults }) => !fromResults,
		},
	),
	documentSuffix: choiceOption(
		[
			{ name: 'Reject', value: 'reject', description: 'Send no item with such a document' },
			{
				name: 'Remove Issuing Place',
				value: 'removePlace',
				description: 'Send 1498123 for 1498123 LP. A complement such as -1A is rejected.',
			},
		],
		{
			group: 'reading',
			displayName: 'Document Suffix',
			description: 'What to do with the place of issue behind the number of a document',
			unset: 'reject',
			appliesTo: (endpoint) => adjusts(endpoint, 'documentSuffix'),
		},
	),
	fullName: choiceOption<keyof typeof NAME_ORDERS, undefined>(
		[
			{ name: 'Names First, One Surname', value: 'namesFirst1', description: 'Ana María Rojas' },
			{
				name: 'Names First, Two Surnames',
				value: 'namesFirst2',
				description: 'Ana María Rojas Vargas',
			},
			{
				name: 'Surnames First, One Surname',
				value: 'surnamesFirst1',
				description: 'Rojas Ana María',
			},
			{
				name: 'Surnames First, Two Surnames',
				value: 'surnamesFirst2',
				description: 'Rojas Vargas Ana María',
			},
		],
		{
			group: 'reading',
			displayName: 'Full Name',
			default: 'surnamesFirst2',
			description:
				'How to split a column with whole names, if there is none with surnames. The dry run shows an example.',
			displayOptions: FROM_COLUMNS,
			appliesTo: ({ wholeName }) => wholeName !== undefined,
		},
	),
	headerRow: numberOption<undefined>(
		{ min: 1, max: MAX_COUNT, isWhole: true },
		{
			group: 'reading',
			displayName: 'Header Row',
			default: 1,
			description:
				'The number of the input item with the column names, counted from 1. Not needed if Header Row is off in the node that reads the file: then this node finds the row.',
			displayOptions: FROM_COLUMNS,
		},
	),
	language: choiceOption(LANGUAGES, {
		group: 'reading',
		displayName: LANGUAGE.displayName,
		description:
			'The language of <code>summary</code> in a dry run, and of the messages about rows',
		unset: 'en',
	}),
	includeInput: booleanOption({
		group: 'reading',
		displayName: 'Include Input Columns',
		description: 'Whether to keep the columns of the input item in the result',
	}),
};

/** Whether an endpoint has a field that an option changes. */
function adjusts({ fields }: MoneyEndpoint, name: keyof ReadingSettings): boolean {
	return fields.some(({ adjustable }) => adjustable?.option === name);
}

type OptionName = keyof typeof OPTIONS;

const NAMES = Object.keys(OPTIONS) as OptionName[];

/**
 * The options of a batch, validated. `undefined` means that nobody set the option. Totals and amounts are
 * canonical decimals, totals by currency.
 */
export type BatchOptions = {
	[Name in OptionName]: ReturnType<(typeof OPTIONS)[Name]['parse']>;
} & { simplify: boolean };

/** The groups of options of an endpoint for the form: the options that apply, and those of the endpoint itself. */
export function optionProperties(endpoint: MoneyEndpoint): INodeProperties[] {
	return Object.entries(OPTION_GROUPS).map(([group, displayName]) => ({
		displayName,
		name: group,
		type: 'collection',
		placeholder: 'Add Option',
		default: {},
		options: [
			...NAMES.filter((name) => OPTIONS[name].group === group && applies(name, endpoint)).map(
				(name) => ({
					...OPTIONS[name].property,
					name,
					default:
						OPTIONS[name].property.default ?? (unsetValue(name, endpoint) as NodeParameterValue),
				}),
			),
			...(endpoint.options?.[group] ?? []),
		].sort((a, b) => a.displayName.localeCompare(b.displayName)),
	}));
}

function applies(name: OptionName, endpoint: MoneyEndpoint): boolean {
	return (OPTIONS[name] as BatchOption<unknown>).appliesTo?.(endpoint) ?? true;
}

/** The label of an option in the editor. */
function labelOf(name: string): string {
	return OPTIONS[name as OptionName]?.property.displayName ?? name;
}

/**
 * Parses the options of a batch, which are the same for all its items.
 *
 * @returns the options, or the defaults with the message that says why nothing may be sent: a switch or a
 *   limit that cannot be parsed must not count as one that is off
 */
export function parseOptions(
	context: IExecuteFunctions,
	endpoint: MoneyEndpoint,
): { options: BatchOptions; error?: UserMessage } {
	const defaults = parseAll(endpoint, {});
	const given: Record<string, unknown> = {};
	for (const [group, label] of Object.entries(OPTION_GROUPS)) {
		const none: Record<string, unknown> = {};
		const shared = readBatchParameter(context, group, label, none, labelOf);
		if (!shared.ok) return { options: defaults, error: shared.error };
		const raw = rawParameter(context, group, {}) as object;
		// An option whose expression is empty counts as set.
		for (const name of [...Object.keys(raw), ...Object.keys(shared.value)]) {
			given[name] = shared.value[name];
		}
	}
	const simplify = readBatchParameter<unknown>(context, SIMPLIFY.name, SIMPLIFY.displayName, false);
	if (!simplify.ok) return { options: defaults, error: simplify.error };
	try {
		return {
			options: {
				...parseAll(endpoint, given),
				simplify: toBoolean(simplify.value, SIMPLIFY.displayName),
			},
		};
	} catch (error) {
		// Whatever was thrown: with the defaults, payments would be sent that nobody has approved.
		const { userMessage: message = expressionFailed('Options', error) } =
			error as Partial<InvalidOption>;
		return { options: defaults, error: message };
	}
}

/** @throws InvalidOption */
function parseAll(endpoint: MoneyEndpoint, all: Record<string, unknown>): BatchOptions {
	const given = relevantOptions(all);
	rejectInapplicable(endpoint, given);
	for (const { name, displayName, type } of Object.values(endpoint.options ?? {}).flat()) {
		if (type === 'boolean' && Object.hasOwn(given, name)) toBoolean(given[name], displayName);
	}
	const options = Object.fromEntries(
		NAMES.map((name) => [name, parseOption(name, given, endpoint)]),
	) as BatchOptions;
	if (!options.rememberSent) {
		if (options.dailyLimit) throw needsStore('dailyLimit');
		if (options.ifAlreadySent === 'stop') throw needsStore('ifAlreadySent');
	}
	return { ...options, simplify: false };
}

/**
 * Without what another option makes meaningless. A node that first checks and then pays, in a loop, has no approval
 * yet when it checks, and a dry run needs none. References to Pay Again counts only with Pay Again, which needs it.
 */
function relevantOptions(all: Record<string, unknown>): Record<string, unknown> {
	const { approvalCode, referencesToPayAgain, ...others } = all;
	return {
		...others,
		...(Object.hasOwn(all, 'approvalCode') &&
			!(isOn(all.dryRun) && isEmpty(approvalCode)) && { approvalCode }),
		...(all.ifAlreadySent === 'payAgain' && { referencesToPayAgain }),
	};
}

function needsStore(name: OptionName): InvalidOption {
	return new InvalidOption(
		userMessage('rememberSentIsOff', { option: labelOf(name), other: labelOf('rememberSent') }),
	);
}

/** @throws InvalidOption */
function parseOption(
	name: OptionName,
	given: Record<string, unknown>,
	endpoint: MoneyEndpoint,
): unknown {
	const { parse } = OPTIONS[name] as BatchOption<unknown>;
	return Object.hasOwn(given, name)
		? parse(given[name], labelOf(name))
		: unsetValue(name, endpoint);
}

function unsetValue(name: OptionName, endpoint: MoneyEndpoint): unknown {
	const { unset } = OPTIONS[name] as BatchOption<unknown>;
	return typeof unset === 'function'
		? (unset as (endpoint: MoneyEndpoint) => unknown)(endpoint)
		: unset;
}

/**
 * Rejects an option that does not apply to this operation, because it would look as if it did. The editor
 * keeps it when the operation is changed.
 */
function rejectInapplicable(endpoint: MoneyEndpoint, given: Record<string, unknown>): void {
	for (const name of NAMES) {
		if (!Object.hasOwn(given, name) || applies(name, endpoint)) continue;
		if (NO.includes(toWord(given[name]))) continue;
		throw new InvalidOption(
			userMessage('optionNotApplicable', { option: labelOf(name), operation: endpoint.name }),
		);
	}
}

const YES = ['true', 'yes', 'sí', 'si', 'on', '1'];
const NO = ['false', 'no', 'off', '0'];

/** Whether a switch whose value was validated is on. */
export function isOn(value: unknown): boolean {
	return YES.includes(toWord(value));
}

function toWord(value: unknown): string {
	return String(value).trim().normalize('NFC').toLowerCase();
}

/** A switch in any clear form: an expression gives a text or a number as easily as a boolean. */
function toBoolean(value: unknown, label: string): boolean {
	if (isOn(value)) return true;
	if (NO.includes(toWord(value))) return false;
	throw new InvalidOption(userMessage('notYesOrNo', { option: label, value: shown(value) }));
}

const MAX_SHOWN_CHARACTERS = 60;

function shown(value: unknown): string {
	return isEmpty(value)
		? 'empty'
		: (JSON.stringify(value) ?? String(value)).slice(0, MAX_SHOWN_CHARACTERS);
}

function toChoice<T extends string>(value: unknown, label: string, choices: readonly T[]): T {
	const choice = choices.find((one) => one === value);
	if (choice !== undefined) return choice;
	throw new InvalidOption(
		userMessage('notAnOption', { option: label, value: shown(value), choices: choices.join(', ') }),
	);
}

interface Range {
	min: number;
	max: number;
	isWhole?: boolean;
}

function toNumber(value: unknown, label: string, { min, max, isWhole = false }: Range): number {
	const isText = typeof value === 'string' && !isEmpty(value);
	const number = typeof value === 'number' || isText ? Number(value) : NaN;
	if (number >= min && number <= max && (!isWhole || Number.isInteger(number))) return number;
	throw new InvalidOption(
		userMessage('notInRange', {
			option: label,
			value: shown(value),
			kind: isWhole ? 'whole ' : '',
			min,
			max,
			hint: isWhole ? '' : ', with a dot before decimals',
		}),
	);
}

function toTotals(value: unknown, label: string): Map<string, string> {
	const entries = (value as { total?: unknown } | null | undefined)?.total;
	if (!Array.isArray(entries) || entries.length === 0) {
		throw new InvalidOption(userMessage('noTotal', { option: label }));
	}
	const totals = new Map<string, string>();
	for (const entry of entries as unknown[]) {
		const { currency, amount } = (entry ?? {}) as { currency?: unknown; amount?: unknown };
		const key = String(currency ?? '')
			.trim()
			.toUpperCase();
		if (key === '') throw new InvalidOption(userMessage('noCurrency', { option: label }));
		const amounts = [totals.get(key) ?? '0', toDecimal(amount, `${label} for ${key}`)];
		totals.set(key, addDecimals(amounts));
	}
	return totals;
}

function toBankNames(value: unknown, label: string): ReadonlyMap<string, string> {
	const entries = (value as { bank?: unknown } | null | undefined)?.bank ?? [];
	const validate = bankCode();
	const codes = new Map<string, string>();
	for (const entry of Array.isArray(entries) ? (entries as unknown[]) : [undefined]) {
		const { name, code } = (entry ?? {}) as { name?: unknown; code?: unknown };
		const key = bankNameKey(String(name ?? ''));
		const valid = validate(code, {});
		if (key === '' || isEmpty(code) || !valid.ok)
			throw new InvalidOption(
				userMessage('bankNameInvalid', { option: label, name: shown(name), code: shown(code) }),
			);
		const text = String(valid.value);
		if ((codes.get(key) ?? text) !== text)
			throw new InvalidOption(userMessage('bankNameTwice', { option: label, name: shown(name) }));
		codes.set(key, text);
	}
	return codes;
}

function toDailyLimits(value: unknown, label: string): Map<string, string> {
	const limits = toTotals(value, label);
	for (const [currency, limit] of limits) {
		const max = MAX_DAILY_LIMIT;
		if (compareDecimals(limit, String(max)) > 0) {
			throw new InvalidOption(
				userMessage('notInRange', {
					option: `${label} for ${currency}`,
					value: limit,
					kind: '',
					min: 0,
					max,
					hint: '',
				}),
			);
		}
	}
	return limits;
}

function toDecimal(value: unknown, label: string): string {
	const decimal = parseDecimal(value);
	if (decimal.ok && !decimal.value.startsWith('-')) return decimal.value;
	throw new InvalidOption(
		userMessage('notAnAmount', {
			option: label,
			value: shown(value),
			hint: decimal.ok ? 'Enter 0 or more, or remove the option.' : (decimal.error.hint ?? ''),
		}),
	);
}

function toFingerprint(value: unknown, label: string): Fingerprint {
	if (isEmpty(value) || normalizeText(String(value)) === '') {
		throw new InvalidOption(userMessage('approvalCodeEmpty', { option: label }));
	}
	const fingerprint = parseFingerprint(value);
	if (fingerprint) return fingerprint;
	throw new InvalidOption(
		userMessage('approvalCodeInvalid', { option: label, value: shown(value) }),
	);
}

/** Which references a person wants to be paid again, by idempotency key: how many times in total. */
export type PayAgainRequests = ReadonlyMap<string, number>;

function toReferences(value: unknown, label: string): PayAgainRequests {
	const lines = listedNames(value);
	if (lines.length === 0) {
		throw new InvalidOption(userMessage('noReferencesToPayAgain', { option: label }));
	}
	const times = new Map<string, number>();
	for (const line of lines) {
		const mark = line.lastIndexOf(' #');
		const number = mark === -1 ? NaN : Number(line.slice(mark + 2));
		const isNumbered = Number.isInteger(number) && number > 0;
		const key = idempotencyKey(isNumbered ? line.slice(0, mark) : line);
		times.set(key, Math.max(times.get(key) ?? 0, isNumbered ? number : 1));
	}
	return times;
}
