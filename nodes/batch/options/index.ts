import type { IExecuteFunctions, INodeProperties, NodeParameterValue } from 'n8n-workflow';

import { isEmpty } from '../../fields/validators';
import { rawParameter } from '../../fields/parameters';
import { forPage, type UserMessage } from '../../messages/userMessage';
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

const ALL = Object.entries<BatchOption<unknown>>(OPTIONS);

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
	[Name in keyof typeof OPTIONS]: ReturnType<(typeof OPTIONS)[Name]['parse']>;
} & { dryRun: boolean };

/** The options that apply to an endpoint, for the form. */
export function optionProperties(endpoint: MoneyEndpoint): INodeProperties[] {
	return optionsFor(endpoint).map(([name, { property, unset, choices }]) => ({
		...property,
		name,
		default: property.default ?? (unset?.(endpoint) as NodeParameterValue),
		...(choices && { options: choices(endpoint) }),
	}));
}

const optionsFor = (endpoint: MoneyEndpoint) =>
	ALL.filter(([, { appliesTo }]) => appliesTo?.(endpoint) ?? true);

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
	const unset = Object.fromEntries(ALL.map(([name, option]) => [name, option.unset?.(endpoint)]));
	const defaults = { ...unset, dryRun: false } as BatchOptions;
	const read = (path: string, label: string, fallback?: boolean) => {
		const shared = readBatchParameter<unknown>(context, path, label, fallback);
		if (!shared.ok) throw invalid(shared.error);
		return shared.value;
	};
	try {
		const set = rawParameter(context, COLLECTION, {}) as object;
		// An option whose expression is empty counts as set.
		const inForm = optionsFor(endpoint).filter(([name]) => Object.hasOwn(set, name));
		const given = new Map(
			inForm.map(([name, { property }]) => [
				name,
				read(`${COLLECTION}.${name}`, property.displayName),
			]),
		);
		const { name, displayName } = DRY_RUN;
		const dryRun = toBoolean(read(name, displayName, false), displayName);
		// A node that first checks and then pays, in a loop, has no approval yet when it checks.
		if (dryRun && isEmpty(given.get('approvalCode'))) given.delete('approvalCode');
		// It counts only with Pay Again, which needs it.
		const again = given.get('referencesToPayAgain');
		if (given.get('ifAlreadySent') === 'payAgain') given.set('referencesToPayAgain', again);
		else given.delete('referencesToPayAgain');
		const parsed = ALL.filter(([name]) => given.has(name)).map(([name, { property, parse }]) => [
			name,
			parse(given.get(name), property.displayName),
		]);
		return { options: { ...defaults, ...Object.fromEntries(parsed), dryRun } as BatchOptions };
	} catch (error) {
		// Whatever was thrown: with the defaults, payments would be sent that nobody has approved.
		const { userMessage: message = expressionFailed('Options', error) } =
			error as Partial<InvalidOption>;
		return { options: defaults, error: forPage(message) };
	}
}
