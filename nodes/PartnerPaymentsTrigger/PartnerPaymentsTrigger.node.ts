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
import { checkExists, create, deactivate } from './registration';
import { SIMPLIFY } from '../fields/form';
import { CREDENTIAL } from '../service/transport';
import { TRANSACTION_EVENTS, TRANSACTION_TYPES } from '../service/enums';

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
		// 1.1 is the same node. For version 1 of any node, n8n evaluates an option of its own Webhook node at
		// every delivery (`parseRequestBody` in `webhook-helpers.js` of n8n).
		version: [1, 1.1],
		defaultVersion: 1.1,
		subtitle: '={{ $parameter["events"].join(", ") }}',
		// The node panel shows the action node and its trigger as one entry, with this text for both.
		description:
			'Pay out to banks, QR codes and crypto wallets, collect by QR code, and start when a payment changes its status',
		defaults: { name: 'Partner Payments Trigger' },
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
				options: TRANSACTION_EVENTS,
				default: ['completed_transaction'],
				required: true,
				description: 'Which changes of a transaction start the workflow',
			},
			{
				displayName: 'Start Workflow',
				name: 'startWorkflow',
				type: 'options',
				options: [
					{
						name: 'Once for Each Event',
						value: 'eachEvent',
						description: 'At once, when an event is delivered',
					},
					{
						name: 'Once for All New Events',
						value: 'allNewEvents',
						description:
							'As often as Catch Up says, with all new events as items. Deliveries are only answered, so it survives a flood.',
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
						description: 'What is not delivered is missed, and nothing repairs the webhook',
					},
				],
				default: 'every5Minutes',
				description:
					'How often to read the service’s logs for events that did not arrive, and to repair the webhook',
			},
			SIMPLIFY,
			{
				displayName: 'Verify Deliveries',
				name: 'verification',
				type: 'options',
				options: [
					{
						name: 'API Key Header',
						value: 'apiKey',
						description:
							'A random key that the service keeps with the webhook and sends in a header whose name you know',
					},
					{
						name: 'Callback Secret',
						value: 'callbackSecret',
						description: 'A random secret in the address that the service calls',
					},
					{
						name: 'Callback Secret and API Key Header',
						value: 'both',
						description: 'Both must be right',
					},
					{
						name: 'None',
						value: 'none',
						description: 'Anyone who knows the address can start the workflow',
					},
				],
				default: 'callbackSecret',
				description:
					'How a delivery shows that it comes from the service. What is not verified is answered 401 and starts nothing.',
			},
			{
				displayName: 'API Key Header Name',
				name: 'verificationHeader',
				type: 'string',
				default: '',
				required: true,
				placeholder: 'e.g. x-api-key',
				description: 'Header in which the service sends the API key. Ask the service for its name.',
				displayOptions: { show: { verification: ['apiKey', 'both'] } },
			},
			{
				displayName: 'On Deactivation',
				name: 'onDeactivation',
				type: 'options',
				options: [
					{
						name: 'Keep Registered',
						value: 'keep',
						description:
							'Events that come meanwhile are logged as not delivered, and given out when the workflow is published again, as far as Lookback Window reaches',
					},
					{
						name: 'Switch Off',
						value: 'switchOff',
						description:
							'Set another status at the service. Events that come meanwhile are neither delivered nor logged, also while a change is published.',
					},
				],
				default: 'keep',
				description:
					'What becomes of the webhook at the service, which offers no way to delete one',
			},
			{
				displayName: 'Filters',
				name: 'filters',
				type: 'collection',
				placeholder: 'Add Filter',
				default: {},
				options: [
					{
						displayName: 'Other Transaction Types',
						name: 'otherTransactionTypes',
						type: 'string',
						default: '',
						placeholder: 'e.g. withdrawal_card, deposit_card',
						description: 'Types that are not in the list, separated by commas',
					},
					{
						displayName: 'Transaction Types',
						name: 'transactionTypes',
						type: 'multiOptions',
						options: TRANSACTION_TYPES,
						default: [],
						description: 'Only events of these types of transaction',
					},
				],
			},
			{
				displayName: 'Options',
				name: 'options',
				type: 'collection',
				placeholder: 'Add Option',
				default: {},
				options: [
					{
						displayName: 'Description',
						name: 'description',
						type: 'string',
						default: '',
						placeholder: 'e.g. Accounting workflow',
						description:
							'Name of the webhook at the service. Left empty, the name of the workflow is used.',
					},
					{
						displayName: 'Lookback Window (Hours)',
						name: 'lookbackHours',
						type: 'number',
						typeOptions: { minValue: 2 },
						default: 24,
						description:
							'How old an event may be that catching up gives out. Up to 20,000 events are looked at.',
					},
					{
						displayName: 'Status When Switched Off',
						name: 'offStatus',
						type: 'string',
						default: 'INACTIVE',
						description:
							'Status that switches a webhook off: the service documents ACTIVE only. Also set when listening for a test event ends.',
					},
				],
			},
		],
	};

	webhookMethods = {
		default: {
			async checkExists(this: IHookFunctions): Promise<boolean> {
				return await checkExists(this);
			},
			async create(this: IHookFunctions): Promise<boolean> {
				return await create(this);
			},
			async delete(this: IHookFunctions): Promise<boolean> {
				return await deactivate(this);
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
