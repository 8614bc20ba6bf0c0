import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { isEmpty, isUuid } from '../fields/checks';
import { addDecimals, parseDecimal, type AmountFormat } from '../fields/money';
import { SIMPLIFY } from '../fields/simplify';
import { sameText } from '../fields/text';
import { ENVIRONMENTS, type Environment } from '../service/environment';
import type { Told } from '../service/message';
import { DEFAULT_TIMEOUT_SECONDS } from '../service/transport';
import type { MoneyEndpoint } from './endpoint';
import { readFingerprint, type Fingerprint } from './fingerprint';
import { tell } from './messages';
import type { Refusal } from './payment';
import { sameForAll } from './sameForAll';

/** The collection of options of every money operation. */
export const OPTIONS = 'options';

const DEFAULT_CONCURRENCY = 10;
const CONCURRENCY = { min: 1, max: 100 };

/** The most is an hour: longer than any service, shorter than what a timer can hold. */
const TIMEOUT = { min: 1, max: 3_600 };

const DECIMAL: Record<'automatic' | 'comma' | 'point', AmountFormat | undefined> = {
	automatic: undefined,
	comma: { decimal: ',', isChosen: true },
	point: { decimal: '.', isChosen: true },
};

const NO_LIMIT = 0;
const RATE = { min: NO_LIMIT, max: 1_000 };

/** The options of a batch, checked. */
export interface BatchOptions {
	allowIdentical: boolean;
	/** Nothing else than the payments that it was made of may be sent. */
	approvedFingerprint?: Fingerprint;
	checkBalance: boolean;
	concurrency: number;
	/** How amounts are written; left out where their columns have to prove it. */
	decimalSeparator?: AmountFormat;
	dryRun: boolean;
	expectedCount?: number;
	/** By currency, as canonical decimals. */
	expectedTotals?: Map<string, string>;
	includeInput: boolean;
	/** As a canonical decimal. */
	maximumAmount?: string;
	maximumTotals?: Map<string, string>;
	/** Nothing is sent with a credential of another environment. */
	onlyIn?: Environment;
	rememberSent: boolean;
	/** 0 sets no limit. */
	requestsPerSecond: number;
	/** References that a person has made sure of; `*` is all. */
	sendAgain: string[];
	sentBefore: 'leaveOut' | 'sendAgain' | 'stop';
	simplify: boolean;
	timeoutSeconds: number;
}

/** The options that an endpoint offers: those that can act on it. */
export function optionProperties(endpoint: MoneyEndpoint): INodeProperties[] {
	const usual: Record<string, boolean> = { rememberSent: endpoint.paysOut };
	const offered = offeredBy(endpoint).map(({ property }) =>
		property.name in usual ? { ...property, default: usual[property.name] } : property,
	);
	return [...(endpoint.options ?? []), ...offered].sort((a, b) =>
		a.displayName.localeCompare(b.displayName),
	);
}

/**
 * Reads the options of a batch, which are the same for all its items.
 *
 * @returns the options, or why nothing may be sent with them: a switch or a limit that is not
 *   understood must not count as one that is off
 */
export function readOptions(
	context: IExecuteFunctions,
	endpoint: MoneyEndpoint,
): { options: BatchOptions; refusal?: Refusal } {
	const usual = new OptionReader(endpoint, {}).read();
	const none: Record<string, unknown> = {};
	const shared = sameForAll(context, OPTIONS, 'Options', none, labelOf);
	if (!shared.ok) return { options: usual, refusal: shared.refusal };
	const simplify = sameForAll<unknown>(context, SIMPLIFY.name, SIMPLIFY.displayName, false);
	if (!simplify.ok) return { options: usual, refusal: simplify.refusal };
	try {
		const raw = context.getNodeParameter(OPTIONS, 0, {}, { rawExpressions: true }) as object;
		// An option whose expression gives nothing is there all the same.
		const names = [...Object.keys(raw), ...Object.keys(shared.value)];
		const given = Object.fromEntries(names.map((name) => [name, shared.value[name]]));
		const options = new OptionReader(endpoint, given).read();
		return {
			options: { ...options, simplify: toSwitch(simplify.value, SIMPLIFY.displayName) },
		};
	} catch (error) {
		return { options: usual, refusal: (error as WrongOption).told };
	}
}

/** An option that is not what it has to be. */
class WrongOption extends Error {
	constructor(readonly told: Told) {
		super(told.message);
	}
}

const YES = ['true', 'yes', 'sí', 'si', 'on', '1'];
const NO = ['false', 'no', 'off', '0'];

/** Whether a switch that was checked is on. */
export function isOn(value: unknown): boolean {
	return YES.includes(asWord(value));
}

function asWord(value: unknown): string {
	return String(value).trim().normalize('NFC').toLowerCase();
}

/** A switch in any clear form: an expression gives a text or a number as easily as a boolean. */
function toSwitch(value: unknown, label: string): boolean {
	if (isOn(value)) return true;
	if (NO.includes(asWord(value))) return false;
	throw new WrongOption(tell('notYesOrNo', { option: label, value: shown(value) }));
}

function shown(value: unknown): string {
	return isEmpty(value) ? 'empty' : (JSON.stringify(value) ?? String(value)).slice(0, 60);
}

class OptionReader {
	constructor(
		private readonly endpoint: MoneyEndpoint,
		private readonly given: Record<string, unknown>,
	) {}

	/** @throws WrongOption */
	read(): BatchOptions {
		this.refuseUseless();
		for (const { name, displayName, type } of this.endpoint.options ?? []) {
			if (type === 'boolean' && this.has(name)) toSwitch(this.given[name], displayName);
		}
		const rememberSent = this.isOn('rememberSent', this.endpoint.paysOut);
		const sentBefore = this.choice('sentBefore', ['leaveOut', 'sendAgain', 'stop']);
		if (sentBefore === 'stop' && !rememberSent) {
			throw new WrongOption(
				tell('nothingRemembered', {
					option: labelOf('sentBefore'),
					memory: labelOf('rememberSent'),
				}),
			);
		}
		return {
			allowIdentical: this.choice('identicalPayments', ['refuse', 'allow']) === 'allow',
			approvedFingerprint: this.fingerprint('approvedFingerprint'),
			checkBalance: this.isOn('checkBalance', false),
			concurrency: this.number('concurrency', DEFAULT_CONCURRENCY, CONCURRENCY, true),
			decimalSeparator: DECIMAL[this.choice('decimalSeparator', ['automatic', 'comma', 'point'])],
			dryRun: this.isOn('dryRun', false),
			expectedCount: this.has('expectedCount')
				? this.number('expectedCount', 0, { min: 0, max: 1_000_000 }, true)
				: undefined,
			expectedTotals: this.totals('expectedTotals'),
			includeInput: this.isOn('includeInput', false),
			maximumAmount: this.has('maximumAmount')
				? toDecimal(this.given.maximumAmount, labelOf('maximumAmount'))
				: undefined,
			maximumTotals: this.totals('maximumTotals'),
			onlyIn: this.has('onlyIn')
				? this.choice(
						'onlyIn',
						ENVIRONMENTS.map(({ value }) => value),
					)
				: undefined,
			rememberSent,
			requestsPerSecond: this.number('requestsPerSecond', NO_LIMIT, RATE, false),
			sendAgain: sentBefore === 'sendAgain' ? this.references() : [],
			sentBefore,
			simplify: false,
			timeoutSeconds: this.number('timeout', DEFAULT_TIMEOUT_SECONDS, TIMEOUT, false),
		};
	}

	/** A control that cannot act must not look as if it did: n8n keeps it when the operation is changed. */
	private refuseUseless(): void {
		const offered = offeredBy(this.endpoint);
		for (const option of BATCH_OPTIONS) {
			const { name, displayName } = option.property;
			if (!this.has(name) || offered.includes(option)) continue;
			if (NO.includes(asWord(this.given[name]))) continue;
			const operation = this.endpoint.name;
			throw new WrongOption(tell('cannotAct', { option: displayName, operation }));
		}
	}

	private has(name: string): boolean {
		return Object.hasOwn(this.given, name);
	}

	private isOn(name: string, usual: boolean): boolean {
		return this.has(name) ? toSwitch(this.given[name], labelOf(name)) : usual;
	}

	private choice<T extends string>(name: string, choices: T[]): T {
		if (!this.has(name)) return choices[0];
		const value = this.given[name];
		const choice = choices.find((one) => one === value);
		if (choice !== undefined) return choice;
		throw new WrongOption(
			tell('notAnOption', {
				option: labelOf(name),
				value: shown(value),
				choices: choices.join(', '),
			}),
		);
	}

	private number(
		name: string,
		usual: number,
		{ min, max }: { min: number; max: number },
		isWhole: boolean,
	): number {
		if (!this.has(name)) return usual;
		const value = this.given[name];
		const isText = typeof value === 'string' && !isEmpty(value);
		const number = typeof value === 'number' || isText ? Number(value) : NaN;
		if (number >= min && number <= max && (!isWhole || Number.isInteger(number))) return number;
		throw new WrongOption(
			tell('notInRange', {
				option: labelOf(name),
				value: shown(value),
				kind: isWhole ? 'whole ' : '',
				min,
				max,
				hint: isWhole ? '' : ', with a dot before decimals',
			}),
		);
	}

	private totals(name: string): Map<string, string> | undefined {
		if (!this.has(name)) return undefined;
		const entries = (this.given[name] as { total?: unknown } | null | undefined)?.total;
		if (!Array.isArray(entries) || entries.length === 0) {
			throw new WrongOption(tell('noTotal', { option: labelOf(name) }));
		}
		const sums = new Map<string, string>();
		for (const entry of entries as unknown[]) {
			const { currency, amount } = (entry ?? {}) as { currency?: unknown; amount?: unknown };
			const key = String(currency ?? '')
				.trim()
				.toUpperCase();
			if (key === '') {
				throw new WrongOption(tell('noCurrency', { option: labelOf(name) }));
			}
			const label = `${labelOf(name)} for ${key}`;
			sums.set(key, addDecimals([sums.get(key) ?? '0', toDecimal(amount, label)]));
		}
		return sums;
	}

	private fingerprint(name: string): Fingerprint | undefined {
		if (!this.has(name)) return undefined;
		const value = this.given[name];
		if (isEmpty(value) || sameText(String(value)) === '') {
			throw new WrongOption(tell('approvalEmpty', { option: labelOf(name) }));
		}
		const fingerprint = readFingerprint(value);
		if (fingerprint) return fingerprint;
		throw new WrongOption(tell('notAFingerprint', { option: labelOf(name), value: shown(value) }));
	}

	/** One in each line, for a reference may hold blanks and commas; UUIDs may share a line. */
	private references(): string[] {
		const value = this.given.sendAgain;
		const list = (Array.isArray(value) ? value : [value])
			.flatMap((entry) => String(entry ?? '').split(/[\r\n]+/))
			.flatMap((line) => {
				const parts = line.split(/[\s,;]+/).filter((part) => part !== '');
				return parts.every(isUuid) ? parts : [line.trim()];
			})
			.filter((entry) => entry !== '');
		if (list.length) return list;
		throw new WrongOption(tell('nothingToSendAgain', { option: labelOf('sendAgain') }));
	}
}

function toDecimal(value: unknown, label: string): string {
	const decimal = parseDecimal(value);
	if (decimal.ok && !decimal.text.startsWith('-')) return decimal.text;
	throw new WrongOption(
		tell('notAnAmount', {
			option: label,
			value: shown(value),
			advice: decimal.ok ? 'Enter 0 or more, or remove the option.' : (decimal.told.advice ?? ''),
		}),
	);
}

function labelOf(name: string): string {
	return BATCH_OPTIONS.find(({ property }) => property.name === name)?.property.displayName ?? name;
}

function offeredBy(endpoint: MoneyEndpoint): BatchOption[] {
	return BATCH_OPTIONS.filter(({ actsOn }) => actsOn(endpoint));
}

interface BatchOption {
	property: INodeProperties;
	actsOn: (endpoint: MoneyEndpoint) => boolean;
}

const always = (property: INodeProperties): BatchOption => ({ property, actsOn: () => true });

function totalsProperty(name: string, label: string, description: string): INodeProperties {
	return {
		displayName: label,
		name,
		type: 'fixedCollection',
		typeOptions: { multipleValues: true },
		placeholder: 'Add Total',
		default: {},
		description,
		options: [
			{
				displayName: 'Total',
				name: 'total',
				values: [
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
				],
			},
		],
	};
}

const BATCH_OPTIONS: BatchOption[] = [
	always({
		displayName: 'Approved Fingerprint',
		name: 'approvedFingerprint',
		type: 'string',
		default: '',
		placeholder: 'e.g. 40 payments, 12,345.60 BOB, 3f2a…',
		description:
			'The <code>summary.fingerprint</code> of a dry run that was approved. If it is empty, or of anything else than these payments, nothing is sent.',
	}),
	{
		property: {
			displayName: 'Check Balance First',
			name: 'checkBalance',
			type: 'boolean',
			default: false,
			description:
				'Whether to send nothing when the payout balance does not cover the total per currency. Items that are funded by conversion do not count.',
		},
		actsOn: ({ balance }) => balance !== undefined,
	},
	always({
		displayName: 'Concurrency',
		name: 'concurrency',
		type: 'number',
		typeOptions: { minValue: CONCURRENCY.min, maxValue: CONCURRENCY.max },
		default: DEFAULT_CONCURRENCY,
		description: 'How many requests are under way at once. 1 sends strictly in order.',
	}),
	always({
		displayName: 'Decimal Separator',
		name: 'decimalSeparator',
		type: 'options',
		options: [
			{
				name: 'Automatic',
				value: 'automatic',
				description:
					'Input columns: as the column itself proves it. Otherwise a point. What can be read as two amounts is refused.',
			},
			{ name: 'Comma', value: 'comma', description: '1.234,56 and 1234,56' },
			{ name: 'Point', value: 'point', description: '1,234.56 and 1234.56' },
		],
		default: 'automatic',
		description: 'What stands before the decimals in amounts that are text',
	}),
	always({
		displayName: 'Dry Run',
		name: 'dryRun',
		type: 'boolean',
		default: false,
		description:
			'Whether to check all items and output the exact requests, without sending any. Each item also has the totals of all, and the fingerprint for Approved Fingerprint.',
	}),
	always({
		displayName: 'Expected Count',
		name: 'expectedCount',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 1,
		description: 'Number of items that you expect. With any other number, nothing is sent.',
	}),
	always(
		totalsProperty(
			'expectedTotals',
			'Expected Totals',
			'Total per currency that you expect. With any other total, or another currency, nothing is sent.',
		),
	),
	{
		property: {
			displayName: 'Identical Payments',
			name: 'identicalPayments',
			type: 'options',
			options: [
				{
					name: 'Allow',
					value: 'allow',
					description: 'Pay each of them; generated references count them',
				},
				{
					name: 'Refuse',
					value: 'refuse',
					description: 'Refuse all but the first as bad items: they may be copied lines',
				},
			],
			default: 'refuse',
			description:
				'What to do with items that agree in recipient, amount and, where there is one, description. A given reference, or Key Columns, tells payments apart by itself, but not for an AI agent: what its tool has sent in this execution is not sent again under another reference.',
		},
		actsOn: ({ recipient }) => recipient !== undefined,
	},
	always({
		displayName: 'Include Input Columns',
		name: 'includeInput',
		type: 'boolean',
		default: false,
		description: 'Whether to keep the columns of the input item beside the result',
	}),
	always({
		displayName: 'Maximum Amount',
		name: 'maximumAmount',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: 0,
		description:
			'An item with a larger amount, or with one that is not known, is refused before anything is sent',
	}),
	always(
		totalsProperty(
			'maximumTotals',
			'Maximum Totals',
			'The most that all items may come to, per currency. With more, or with any other currency, nothing is sent.',
		),
	),
	{
		property: {
			displayName: 'Only In',
			name: 'onlyIn',
			type: 'options',
			options: ENVIRONMENTS,
			default: 'production',
			description:
				'Send nothing when the Environment of the credential is another one, or is not stated. It compares what the credential says: the service has no way to confirm it.',
		},
		actsOn: ({ paysOut }) => paysOut,
	},
	always({
		displayName: 'References to Send Again',
		name: 'sendAgain',
		type: 'string',
		typeOptions: { rows: 3 },
		default: '',
		placeholder: 'e.g. 5f0c6f6e-3b1d-4f7e-9a53-0c1d2e3f4a5b',
		description:
			'References that you have looked up and that the service did not create, one in each line. A single <code>*</code> stands for all, also for those that were paid. Set Sent Before back to Leave Out after the run.',
		displayOptions: { show: { sentBefore: ['sendAgain'] } },
	}),
	always({
		displayName: 'Remember Sent References',
		name: 'rememberSent',
		type: 'boolean',
		default: true,
		description:
			'Whether this node remembers which references it sent, so that no later execution sends one of them again. A copy of the node remembers nothing.',
	}),
	always({
		displayName: 'Requests per Second',
		name: 'requestsPerSecond',
		type: 'number',
		typeOptions: { minValue: RATE.min, maxValue: RATE.max },
		default: NO_LIMIT,
		description: 'The most requests that are started in a second. 0 sets no limit.',
	}),
	always({
		displayName: 'Sent Before',
		name: 'sentBefore',
		type: 'options',
		options: [
			{
				name: 'Leave Out',
				value: 'leaveOut',
				description: 'Send the other items; the outcome of these is sentBefore',
			},
			{
				name: 'Send Again',
				value: 'sendAgain',
				description: 'Send those that you name in the option References to Send Again',
			},
			{
				name: 'Stop Before Sending',
				value: 'stop',
				description: 'Send nothing at all when one of the items was sent before',
			},
		],
		default: 'leaveOut',
		description: 'What to do with items whose reference an earlier execution of this node sent',
	}),
	always({
		displayName: 'Timeout (Seconds)',
		name: 'timeout',
		type: 'number',
		typeOptions: { minValue: TIMEOUT.min, maxValue: TIMEOUT.max },
		default: DEFAULT_TIMEOUT_SECONDS,
		description:
			'How long to wait for the answer to a request. After that the outcome of the item is unknown.',
	}),
];
