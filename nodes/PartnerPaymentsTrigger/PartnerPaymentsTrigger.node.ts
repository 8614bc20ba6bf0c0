import type {
	IExecuteFunctions,
	IHookFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
	ITriggerFunctions,
	ITriggerResponse,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { poll } from './poll';
import { receive } from './receive';
import { emitNew } from './emit';
import { endTest, register } from './registration';
import { collection, SIMPLIFY } from '../fields/form';
import { CREDENTIAL } from '../service/transport';
import { ALL_EVENTS, TRANSACTION_EVENTS, TRANSACTION_TYPES } from '../service/enums';

/** The trigger: starts a workflow when a transaction changes its status (section 6). */
export class PartnerPaymentsTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Partner Payments Trigger',
		name: 'partnerPaymentsTrigger',
		icon: {
			light: 'file:../../icons/partnerPayments.svg',
			dark: 'file:../../icons/partnerPayments.dark.svg',
		},
		group: ['trigger'],
		// Not 1: for version 1 of any node, n8n evaluates an option of n8n’s Webhook node at every delivery
		// (`parseRequestBody` in `webhook-helpers.js` of n8n).
		version: 1.1,
		subtitle: '={{ $parameter["events"].join(", ") }}',
		// The node panel shows the action node and its trigger as one entry, with this text for both.
		description:
			'Pay out to banks, QR codes and crypto wallets, collect by QR code, and start when a payment changes its status',
		defaults: { name: 'Partner Payments Trigger' },
		builderHint: {
			searchHint:
				'Publish it with All Events before the first payment: Get Status reads what its webhook logged.',
		},
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: CREDENTIAL, required: true }],
		webhooks: [
			{
				name: 'default',
				httpMethod: 'POST',
				responseMode: 'onReceived',
				// Empty: the answer is what `webhook` gives.
				responseData: '',
				path: 'webhook',
			},
		],
		properties: [
			{
				displayName: 'Trigger On',
				name: 'events',
				type: 'multiOptions',
				options: [ALL_EVENTS, ...TRANSACTION_EVENTS],
				default: ['completed_transaction'],
				required: true,
			},
			{
				displayName: 'Start Workflow',
				name: 'startWorkflow',
				type: 'options',
				options: [
					{
						name: 'Once for All New Events',
						value: 'allNewEvents',
						description:
							'At each check for missed events, with all new events as items: best for many events',
					},
					{
						name: 'Once for Each Event',
						value: 'eachEvent',
						description: 'As soon as an event is delivered',
					},
				],
				default: 'eachEvent',
				description: 'How often the workflow runs',
			},
			{
				displayName: 'Check for Missed Events',
				name: 'checkForMissedEvents',
				type: 'options',
				options: [
					{ name: 'Every 15 Minutes', value: 'every15Minutes' },
					{ name: 'Every 5 Minutes', value: 'every5Minutes' },
					{ name: 'Every Hour', value: 'everyHour' },
					{ name: 'Every Minute', value: 'everyMinute' },
					{
						name: 'Never',
						value: 'never',
						description: 'Undelivered events are missed, and nothing repairs the webhook',
					},
				],
				default: 'every5Minutes',
				description:
					'How often to look for undelivered events in the service’s logs, and to repair the webhook',
			},
			collection('Filters', [
				{
					displayName: 'Transaction Types',
					name: 'transactionTypes',
					type: 'multiOptions',
					options: TRANSACTION_TYPES,
					default: [],
					description: 'Only events of these transaction types',
				},
			]),
			collection('Options', [
				{
					displayName: 'Lookback Window (Hours)',
					name: 'lookbackHours',
					type: 'number',
					typeOptions: { minValue: 2 },
					default: 168,
					description:
						'How far back the first check after a start looks for missed events. Each check covers up to 4,000 events.',
				},
				SIMPLIFY,
				{
					displayName: 'Verify Deliveries',
					name: 'verifyDeliveries',
					type: 'boolean',
					default: true,
					description:
						'Whether a delivery needs the secret of the registered address. If this is off, anyone who knows the address can start the workflow.',
				},
			]),
		],
	};

	webhookMethods = {
		default: {
			async checkExists(this: IHookFunctions): Promise<boolean> {
				return await register(this);
			},
			async create(this: IHookFunctions): Promise<boolean> {
				return await register(this);
			},
			async delete(this: IHookFunctions): Promise<boolean> {
				return await endTest(this);
			},
		},
	};

	async trigger(this: ITriggerFunctions): Promise<ITriggerResponse> {
		return await poll(this);
	}

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		return await receive(this);
	}

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return [await emitNew(this)];
	}
}
