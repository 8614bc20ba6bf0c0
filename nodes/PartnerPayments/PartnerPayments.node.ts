import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { toOperationError } from '../service/errors';
import { CREDENTIAL } from '../service/transport';
import { LISTS } from './listSearch/lists';
import { userMessage } from '../messages/userMessage';
import { eachItem, resourceProperties } from './operations/operation';
import { RESOURCES } from './resources';

/** The operations with several outputs, by their values. */
const SPLIT = Object.fromEntries(
	RESOURCES.flatMap(({ operations }) => operations).flatMap((operation) =>
		'outputs' in operation ? [[operation.value, operation.outputs]] : [],
	),
);

/** One output, or those of the operation. n8n evaluates it in the editor and when it runs the node. */
const OUTPUTS =
	`={{ (${JSON.stringify(SPLIT)}[$parameter["operation"]] ?? [""]).map((displayName) => ({ type: "main", displayName })) }}` as const;

/** The action node: every endpoint of the service, by resource and operation. */
export class PartnerPayments implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Partner Payments',
		name: 'partnerPayments',
		icon: {
			light: 'file:../../icons/partnerPayments.svg',
			dark: 'file:../../icons/partnerPayments.dark.svg',
		},
		group: ['transform'],
		version: 1,
		subtitle: '={{ $parameter["operation"] + ": " + $parameter["resource"] }}',
		description: 'Pay out to banks, QR codes and crypto wallets, and collect payments by QR code',
		defaults: { name: 'Partner Payments' },
		usableAsTool: true,
		// For workflows that n8n's AI builds.
		builderHint: {
			searchHint:
				'Pay in this order: the payout node with Dry Run on, a person who approves summary.html, the same node again with Dry Run off and Approval Code set to summary.fingerprint. The reference must stay the same whenever the workflow runs: Generated From Batch ID, or an identifier from the data. created does not mean arrived: publish a Partner Payments Trigger first, and add Transaction > Get Status.',
		},
		inputs: [NodeConnectionTypes.Main],
		outputs: OUTPUTS,
		credentials: [
			{
				name: CREDENTIAL,
				required: true,
				// These need no service.
				displayOptions: { hide: { operation: ['createReport', 'readPaymentFile'] } },
			},
		],
		properties: [
			{
				displayName: 'Resource',
				name: 'resource',
				type: 'options',
				noDataExpression: true,
				options: RESOURCES.map(({ name, value }) => ({ name, value })),
				default: 'payout',
			},
			...RESOURCES.flatMap(resourceProperties),
		],
	};

	methods = { listSearch: LISTS };

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const resource = this.getNodeParameter('resource', 0);
		const operation = this.getNodeParameter('operation', 0);
		const chosen = RESOURCES.find(({ value }) => value === resource)?.operations.find(
			({ value }) => value === operation,
		);
		if (!chosen) {
			throw toOperationError(this, userMessage('noSuchOperation', { resource, operation }));
		}
		if ('executeOutputs' in chosen) return await chosen.executeOutputs.call(this);
		return [await ('execute' in chosen ? chosen.execute.call(this) : eachItem(this, chosen))];
	}
}
