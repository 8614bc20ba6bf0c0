import type { IExecuteFunctions, INodeProperties, NodeParameterValue } from 'n8n-workflow';

import { isEmpty } from '../../fields/validators';
import { rawParameter } from '../../fields/parameters';
import { forPage, type UserMessage, userMessage } from '../../messages/userMessage';
import type { MoneyEndpoint } from '../endpoint';
import { expressionFailed, readBatchParameter } from '../../reference/expressions';
import { CHECK } from './check';
import { DUPLICATES } from './duplicates';
import { type BatchOption, invalid, type InvalidOption, toBoolean } from './option';
import { OUTPUT } from './output';
import { SENDING } from './sending';
import { VALUES } from './values';

export type { PayAgainRequests } from './duplicates';
export { isOn } from './option';

/** The collection that has them in the form. */
export const COLLECTION = 'options';

/** All options, by parameter name. */
const OPTIONS = { ...CHECK, ...DUPLICATES, ...SENDING, ...VALUES, ...OUTPUT };

type OptionName = keyof typeof OPTIONS;

const NAMES = Object.keys(OPTIONS) as OptionName[];

/** The switch of the form that is no option, because everybody needs it. */
export const DRY_RUN: INodeProperties = {
	displayName: 'Dry Run',
	name: 'dryRun',
	type: 'boolean',
	default: false,
	hint: 'On: checks everything and sends nothing',
	builderHint: {
		propertyHint:
			'On for the first run of this node, off after a person has approved: an expression that compares $runIndex with 0',
	},
	description:
		'Whether to validate all items and output the exact requests without sending any. Each item also has the totals, and the fingerprint for Approval Code.',
};

/**
 * The options of a batch, validated. `undefined` means that nobody set the option. Totals and amounts are
 * canonical decimals, totals by currency.
 */
export type BatchOptions = {
	[Name in OptionName]: ReturnType<(typeof OPTIONS)[Name]['parse']>;
} & { dryRun: boolean };

/** Whether a person asked for payments to be made again. */
export function paysAgain({ ifAlreadySent }: Pick<BatchOptions, 'ifAlreadySent'>): boolean {
	return ifAlreadySent.startsWith('payAgain');
}

/** The options that apply to an endpoint, for the form. */
export function optionProperties(endpoint: MoneyEndpoint): INodeProperties[] {
	return NAMES.filter((name) => applies(name, endpoint)).map((name) => {
		const { property, choices } = OPTIONS[name] as BatchOption<unknown>;
		return {
			...property,
			name,
			default: property.default ?? (unsetValue(name, endpoint) as NodeParameterValue),
			...(choices && { options: choices(endpoint) }),
		};
	});
}

function applies(name: OptionName, endpoint: MoneyEndpoint): boolean {
	return (OPTIONS[name] as BatchOption<unknown>).appliesTo?.(endpoint) ?? true;
}

/** The label of an option in the editor. */
function labelOf(name: OptionName): string {
	return OPTIONS[name].property.displayName;
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
	const defaults = parseAll(endpoint, {}, false);
	const read = (path: string, label: string, fallback?: boolean) => {
		const shared = readBatchParameter<unknown>(context, path, label, fallback);
		if (!shared.ok) throw invalid(shared.error);
		return shared.value;
	};
	try {
		const own = (endpoint.options ?? []).map(
			({ name, displayName }) => [name, displayName] as const,
		);
		const set = rawParameter(context, COLLECTION, {}) as object;
		const names = NAMES.filter((name) => applies(name, endpoint));
		const given = [...names.map((name) => [name, labelOf(name)] as const), ...own]
			// An option whose expression is empty counts as set.
			.filter(([name]) => Object.hasOwn(set, name))
			.map(([name, label]) => [name, read(`${COLLECTION}.${name}`, label)] as const);
		const dryRun = read(DRY_RUN.name, DRY_RUN.displayName, false);
		return { options: parseAll(endpoint, Object.fromEntries(given), dryRun) };
	} catch (error) {
		// Whatever was thrown: with the defaults, payments would be sent that nobody has approved.
		const { userMessage: message = expressionFailed('Options', error) } =
			error as Partial<InvalidOption>;
		return { options: defaults, error: forPage(message) };
	}
}

/** @throws InvalidOption */
function parseAll(
	endpoint: MoneyEndpoint,
	all: Record<string, unknown>,
	dryRun: unknown,
): BatchOptions {
	const isDryRun = toBoolean(dryRun, DRY_RUN.displayName);
	const given = relevantOptions(all, isDryRun);
	for (const { name, displayName, type } of endpoint.options ?? []) {
		if (type === 'boolean' && Object.hasOwn(given, name)) toBoolean(given[name], displayName);
	}
	const parsed = NAMES.map((name) => [name, parseOption(name, given, endpoint)]);
	const options = { ...Object.fromEntries(parsed), dryRun: isDryRun } as BatchOptions;
	if (options.dailyLimit && !options.rememberSent) {
		const values = { option: labelOf('dailyLimit'), other: labelOf('rememberSent') };
		throw invalid(userMessage('rememberSentIsOff', values));
	}
	return options;
}

/**
 * Without what another option makes meaningless. A node that first checks and then pays, in a loop, has no approval
 * yet when it checks, and a dry run needs none. References to Pay Again counts only with Pay Again, which needs it.
 */
function relevantOptions(all: Record<string, unknown>, dryRun: boolean): Record<string, unknown> {
	const { approvalCode, referencesToPayAgain, ...others } = all;
	return {
		...others,
		...(Object.hasOwn(all, 'approvalCode') &&
			!(dryRun && isEmpty(approvalCode)) && { approvalCode }),
		...(all.ifAlreadySent === 'payAgain' && { referencesToPayAgain }),
	};
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
