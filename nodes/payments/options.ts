import type { IExecuteFunctions } from 'n8n-workflow';

import { isEmpty, listedNames } from '../fields/validators';
import { addDecimals, parseDecimal, type AmountFormat } from '../fields/money';
import { SIMPLIFY } from '../fields/form';
import { normalizeText } from '../fields/text';
import { ENVIRONMENTS, type Environment } from '../service/baseUrl';
import type { UserMessage } from '../service/messages';
import { DEFAULT_TIMEOUT_SECONDS } from '../service/transport';
import type { MoneyEndpoint } from './endpoint';
import { parseFingerprint, type Fingerprint } from './totals';
import { userMessage } from './messages';
import {
	BATCH_OPTIONS,
	CONCURRENCY,
	DEFAULT_CONCURRENCY,
	labelOf,
	NO_LIMIT,
	optionsFor,
	OPTIONS,
	RATE,
	TIMEOUT,
} from './optionForm';
import type { Refusal } from './payment';
import { expressionFailed, readBatchParameter } from './volatileExpressions';

const DECIMAL: Record<'automatic' | 'comma' | 'dot', AmountFormat | undefined> = {
	automatic: undefined,
	comma: { decimal: ',', isChosen: true },
	dot: { decimal: '.', isChosen: true },
};

/** The options of a batch, checked. */
export interface BatchOptions {
	allowDuplicates: boolean;
	/** Nothing else than the payments that it was made of may be sent. */
	approvalCode?: Fingerprint;
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
	requiredEnvironment?: Environment;
	rememberSent: boolean;
	/** 0 sets no limit. */
	requestsPerSecond: number;
	/** References that a person has made sure of; `*` is all. */
	referencesToPayAgain: string[];
	ifAlreadySent: 'skip' | 'payAgain' | 'stop';
	simplify: boolean;
	timeoutSeconds: number;
}

/**
 * Reads the options of a batch, which are the same for all its items.
 *
 * @returns the options, or why nothing may be sent with them: a switch or a limit that is not
 *   understood must not count as one that is off
 */
export function parseOptions(
	context: IExecuteFunctions,
	endpoint: MoneyEndpoint,
): { options: BatchOptions; refusal?: Refusal } {
	const usual = new OptionReader(endpoint, {}).read();
	const none: Record<string, unknown> = {};
	const shared = readBatchParameter(context, OPTIONS, 'Options', none, labelOf);
	if (!shared.ok) return { options: usual, refusal: shared.refusal };
	const simplify = readBatchParameter<unknown>(context, SIMPLIFY.name, SIMPLIFY.displayName, false);
	if (!simplify.ok) return { options: usual, refusal: simplify.refusal };
	try {
		const raw = context.getNodeParameter(OPTIONS, 0, {}, { rawExpressions: true }) as object;
		// An option whose expression gives nothing counts as set.
		const names = [...Object.keys(raw), ...Object.keys(shared.value)];
		const given = Object.fromEntries(names.map((name) => [name, shared.value[name]]));
		const options = new OptionReader(endpoint, given).read();
		return {
			options: { ...options, simplify: toBoolean(simplify.value, SIMPLIFY.displayName) },
		};
	} catch (error) {
		// Whatever it is: with the usual options instead, payments would be sent that nobody has let through.
		const { told = expressionFailed('Options', error) } = error as Partial<InvalidOption>;
		return { options: usual, refusal: told };
	}
}

/** An option that is not what it has to be. */
class InvalidOption extends Error {
	constructor(readonly told: UserMessage) {
		super(told.message);
	}
}

const YES = ['true', 'yes', 'sí', 'si', 'on', '1'];
const NO = ['false', 'no', 'off', '0'];

/** Whether a switch that was checked is on. */
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
			if (type === 'boolean' && this.has(name)) toBoolean(this.given[name], displayName);
		}
		const rememberSent = this.isOn('rememberSent', this.endpoint.paysOut);
		const ifAlreadySent = this.choice('ifAlreadySent', ['skip', 'payAgain', 'stop']);
		if (ifAlreadySent === 'stop' && !rememberSent) {
			throw new InvalidOption(
				userMessage('rememberSentIsOff', {
					option: labelOf('ifAlreadySent'),
					memory: labelOf('rememberSent'),
				}),
			);
		}
		return {
			allowDuplicates: this.choice('duplicatePayments', ['reject', 'allow']) === 'allow',
			approvalCode: this.fingerprint('approvalCode'),
			checkBalance: this.isOn('checkBalance', false),
			concurrency: this.number('concurrency', DEFAULT_CONCURRENCY, CONCURRENCY, true),
			decimalSeparator: DECIMAL[this.choice('decimalSeparator', ['automatic', 'comma', 'dot'])],
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
			requiredEnvironment: this.has('requiredEnvironment')
				? this.choice(
						'requiredEnvironment',
						ENVIRONMENTS.map(({ value }) => value),
					)
				: undefined,
			rememberSent,
			requestsPerSecond: this.number('requestsPerSecond', NO_LIMIT, RATE, false),
			referencesToPayAgain: ifAlreadySent === 'payAgain' ? this.references() : [],
			ifAlreadySent,
			simplify: false,
			timeoutSeconds: this.number('timeout', DEFAULT_TIMEOUT_SECONDS, TIMEOUT, false),
		};
	}

	/**
	 * Refuses a control that does not apply to this operation, because it would look as if it did. The editor
	 * keeps it in the options when the operation is changed.
	 */
	private refuseUseless(): void {
		const offered = optionsFor(this.endpoint);
		for (const option of BATCH_OPTIONS) {
			const { name, displayName } = option.property;
			if (!this.has(name) || offered.includes(option)) continue;
			if (NO.includes(toWord(this.given[name]))) continue;
			const operation = this.endpoint.name;
			throw new InvalidOption(
				userMessage('optionNotApplicable', { option: displayName, operation }),
			);
		}
	}

	private has(name: string): boolean {
		return Object.hasOwn(this.given, name);
	}

	private isOn(name: string, usual: boolean): boolean {
		return this.has(name) ? toBoolean(this.given[name], labelOf(name)) : usual;
	}

	private choice<T extends string>(name: string, choices: T[]): T {
		if (!this.has(name)) return choices[0];
		const value = this.given[name];
		const choice = choices.find((one) => one === value);
		if (choice !== undefined) return choice;
		throw new InvalidOption(
			userMessage('notAnOption', {
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
		throw new InvalidOption(
			userMessage('notInRange', {
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
			throw new InvalidOption(userMessage('noTotal', { option: labelOf(name) }));
		}
		const sums = new Map<string, string>();
		for (const entry of entries as unknown[]) {
			const { currency, amount } = (entry ?? {}) as { currency?: unknown; amount?: unknown };
			const key = String(currency ?? '')
				.trim()
				.toUpperCase();
			if (key === '') {
				throw new InvalidOption(userMessage('noCurrency', { option: labelOf(name) }));
			}
			const label = `${labelOf(name)} for ${key}`;
			sums.set(key, addDecimals([sums.get(key) ?? '0', toDecimal(amount, label)]));
		}
		return sums;
	}

	private fingerprint(name: string): Fingerprint | undefined {
		if (!this.has(name)) return undefined;
		const value = this.given[name];
		if (isEmpty(value) || normalizeText(String(value)) === '') {
			throw new InvalidOption(userMessage('approvalCodeEmpty', { option: labelOf(name) }));
		}
		const fingerprint = parseFingerprint(value);
		if (fingerprint) return fingerprint;
		throw new InvalidOption(
			userMessage('approvalCodeInvalid', { option: labelOf(name), value: shown(value) }),
		);
	}

	private references(): string[] {
		const list = listedNames(this.given.referencesToPayAgain);
		if (list.length) return list;
		throw new InvalidOption(
			userMessage('noReferencesToPayAgain', { option: labelOf('referencesToPayAgain') }),
		);
	}
}

function toDecimal(value: unknown, label: string): string {
	const decimal = parseDecimal(value);
	if (decimal.ok && !decimal.text.startsWith('-')) return decimal.text;
	throw new InvalidOption(
		userMessage('notAnAmount', {
			option: label,
			value: shown(value),
			hint: decimal.ok ? 'Enter 0 or more, or remove the option.' : (decimal.told.hint ?? ''),
		}),
	);
}
