import type { INodeProperties } from 'n8n-workflow';

import { ENVIRONMENTS } from '../service/baseUrl';
import { DEFAULT_TIMEOUT_SECONDS } from '../service/transport';
import type { MoneyEndpoint } from './endpoint';

/** The collection of options of every money operation. */
export const OPTIONS = 'options';

export const DEFAULT_CONCURRENCY = 10;
export const CONCURRENCY = { min: 1, max: 100 };

/** The most is an hour: longer than any service, shorter than what a timer can hold. */
export const TIMEOUT = { min: 1, max: 3_600 };

export const NO_LIMIT = 0;
export const RATE = { min: NO_LIMIT, max: 1_000 };

/** The options that an endpoint offers: those that can act on it. */
export function optionProperties(endpoint: MoneyEndpoint): INodeProperties[] {
	const usual: Record<string, boolean> = { rememberSent: endpoint.paysOut };
	const offered = optionsFor(endpoint).map(({ property }) =>
		property.name in usual ? { ...property, default: usual[property.name] } : property,
	);
	return [...(endpoint.options ?? []), ...offered].sort((a, b) =>
		a.displayName.localeCompare(b.displayName),
	);
}

/** What the editor calls an option. */
export function labelOf(name: string): string {
	return BATCH_OPTIONS.find(({ property }) => property.name === name)?.property.displayName ?? name;
}

/** The options that can act on an endpoint. */
export function optionsFor(endpoint: MoneyEndpoint): BatchOption[] {
	return BATCH_OPTIONS.filter(({ appliesTo: actsOn }) => actsOn(endpoint));
}

interface BatchOption {
	property: INodeProperties;
	appliesTo: (endpoint: MoneyEndpoint) => boolean;
}

const always = (property: INodeProperties): BatchOption => ({ property, appliesTo: () => true });

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

export const BATCH_OPTIONS: BatchOption[] = [
	always({
		displayName: 'Approval Code',
		name: 'approvalCode',
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
		appliesTo: ({ balance }) => balance !== undefined,
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
			{ name: 'Dot', value: 'dot', description: '1,234.56 and 1234.56' },
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
			'Whether to check all items and output the exact requests, without sending any. Each item also has the totals of all, and the fingerprint for Approval Code.',
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
			displayName: 'Duplicate Payments',
			name: 'duplicatePayments',
			type: 'options',
			options: [
				{
					name: 'Allow',
					value: 'allow',
					description: 'Pay each of them; generated references count them',
				},
				{
					name: 'Reject',
					value: 'reject',
					description: 'Refuse all but the first as bad items: they may be copied lines',
				},
			],
			default: 'reject',
			description:
				'What to do with items that agree in recipient, amount and description, unless a given reference or Key Columns tells them apart. What an AI agent has sent in this execution is not sent again under another reference.',
		},
		appliesTo: ({ duplicateFields: recipient }) => recipient !== undefined,
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
			displayName: 'Required Environment',
			name: 'requiredEnvironment',
			type: 'options',
			options: ENVIRONMENTS,
			default: 'production',
			description:
				'Send nothing when the Environment of the credential is another one, or is not stated. It compares what the credential says: the service has no way to confirm it.',
		},
		appliesTo: ({ paysOut }) => paysOut,
	},
	always({
		displayName: 'References to Pay Again',
		name: 'referencesToPayAgain',
		type: 'string',
		typeOptions: { rows: 3 },
		default: '',
		placeholder: 'e.g. 5f0c6f6e-3b1d-4f7e-9a53-0c1d2e3f4a5b',
		description:
			'References that you have looked up and that the service did not create, one in each line. A single <code>*</code> stands for all, also for those that were paid. Set If Already Sent back to Skip after the run.',
		displayOptions: { show: { ifAlreadySent: ['payAgain'] } },
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
		displayName: 'If Already Sent',
		name: 'ifAlreadySent',
		type: 'options',
		options: [
			{
				name: 'Skip',
				value: 'skip',
				description: 'Send the other items; the outcome of these is alreadySent',
			},
			{
				name: 'Pay Again',
				value: 'payAgain',
				description: 'Send those that you name in the option References to Pay Again',
			},
			{
				name: 'Stop',
				value: 'stop',
				description: 'Send nothing at all when one of the items was sent before',
			},
		],
		default: 'skip',
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
