/** The contestants and their workflows: each reads the same rows from the same spreadsheet, then pays. */
import { inForm } from '../test/fixtures/form.cjs';
import { FULL_STORE } from './processedItems.mjs';

export const BANK_PAYOUT = '/v3/transactions/payouts/bank';

/** The parameters of both payout nodes with a value of the row, by column. */
const PARAMETERS = {
	entity_type: 'entityType',
	first_name: 'firstName',
	last_name: 'lastName',
	destination_id_number: 'destinationIdNumber',
	bank_code: 'bankCode',
	destination_account: 'destinationAccount',
	amount: 'amount',
	currency_type: 'currencyType',
	description: 'description',
	funding_source: 'fundingSource',
	external_reference: 'externalReference',
};

const ADDITIONAL = { country: 'country', document_type: 'documentType' };

/** @typedef {Pick<import('../e2e/harness/n8n.mjs').WorkflowNode, 'name' | 'type' | 'typeVersion' | 'parameters'>} PayingNode */

/**
 * @typedef {object} Contestant
 * @property {string} id
 * @property {string} title
 * @property {boolean} [oneAtATime] its time is the number of rows times the service's latency, at least
 * @property {number} [bareConcurrency] it is the bare client, with so many requests at once
 * @property {(baseUrl: string) => { nodes: PayingNode[], connections?: object }} [payment] the part of the workflow after
 *   the rows; its first node gets them
 * @property {boolean} [reportsOutcomes] its output says `created` for every row
 * @property {number} [storeEntries] how many entries the ledger of its node has before the run
 */

/** A new node reads the delivery logs before it pays, whose time is that of `columns-logs` beside `columns`. */
const NO_LOGS = { checkDeliveryLogs: 0 };

/** @type {Contestant[]} in the order in which they run in each round */
export const CONTESTANTS = [
	{
		id: 'columns',
		title: 'This node, Map Automatically, without delivery logs',
		reportsOutcomes: true,
		payment: () => ({ nodes: [thisNode({ mappingMode: 'autoMapInputData' }, undefined, NO_LOGS)] }),
	},
	{
		id: 'columns-logs',
		title: 'This node, Map Automatically, default settings: a new node reads the delivery logs',
		reportsOutcomes: true,
		payment: () => ({ nodes: [thisNode({ mappingMode: 'autoMapInputData' })] }),
	},
	{
		id: 'columns-full',
		title: 'This node, Map Automatically, without delivery logs, full ledger',
		reportsOutcomes: true,
		storeEntries: FULL_STORE,
		payment: () => ({ nodes: [thisNode({ mappingMode: 'autoMapInputData' }, undefined, NO_LOGS)] }),
	},
	...[1, 10, 50].map((concurrency) => ({
		id: `columns-${concurrency}`,
		title: `This node, Map Automatically, concurrency ${concurrency}`,
		oneAtATime: concurrency === 1,
		reportsOutcomes: true,
		payment: () => ({ nodes: [thisNode({ mappingMode: 'autoMapInputData' }, concurrency)] }),
	})),
	{
		id: 'columns-10-forgetful',
		title: 'This node, Map Automatically, concurrency 10, Remember Sent References off',
		reportsOutcomes: true,
		payment: () => ({
			nodes: [thisNode({ mappingMode: 'autoMapInputData' }, 10, { rememberSent: false })],
		}),
	},
	...[1, 10, 50].map((concurrency) => ({
		id: `fields-${concurrency}`,
		title: `This node, Map Each Column Manually, concurrency ${concurrency}`,
		oneAtATime: concurrency === 1,
		reportsOutcomes: true,
		payment: () => ({
			nodes: [
				thisNode(
					{
						mappingMode: 'defineBelow',
						...expressions({ ...PARAMETERS, ...ADDITIONAL }),
					},
					concurrency,
				),
			],
		}),
	})),
	{
		id: 'http',
		title: 'HTTP Request node',
		payment: (baseUrl) => ({ nodes: [httpRequest(baseUrl)] }),
	},
	{
		id: 'loop',
		title: 'Loop Over Items (1) + HTTP Request node',
		oneAtATime: true,
		payment: (baseUrl) => ({
			nodes: [
				{
					name: 'Loop Over Items',
					type: 'n8n-nodes-base.splitInBatches',
					typeVersion: 3,
					parameters: { batchSize: 1, options: {} },
				},
				httpRequest(baseUrl),
			],
			connections: {
				'Loop Over Items': { main: [[], [to('HTTP Request')]] },
				// Also from its error output, if it has one.
				'HTTP Request': { main: [[to('Loop Over Items')], [to('Loop Over Items')]] },
			},
		}),
	},
	{
		id: 'peer',
		title: 'A payout node written the usual way, one at a time',
		oneAtATime: true,
		payment: (baseUrl) => ({
			nodes: [
				{
					name: 'Usual Payout Node',
					type: 'CUSTOM.benchPeer',
					typeVersion: 1,
					parameters: {
						url: `${baseUrl}${BANK_PAYOUT}`,
						...expressions(sameNames(PARAMETERS)),
						additionalFields: expressions(sameNames(ADDITIONAL)),
					},
				},
			],
		}),
	},
	...[1, 10, 50].map((concurrency) => ({
		id: `bare-${concurrency}`,
		title: `Bare Node http client, concurrency ${concurrency}`,
		oneAtATime: concurrency === 1,
		bareConcurrency: concurrency,
	})),
];

/** @param {number} [concurrency] without it, it adapts to the service */
function thisNode(parameters, concurrency, options = {}) {
	return {
		name: 'Partner Payments',
		type: 'n8n-nodes-partner-payments.partnerPayments',
		typeVersion: 1,
		parameters: inForm({
			resource: 'payout',
			operation: 'createBank',
			referenceSource: 'given',
			...parameters,
			options: { ...(concurrency !== undefined && { concurrency }), ...options },
		}),
	};
}

/** As a user configures it: the credential, and one expression for the body. By default it sends all items at once. */
function httpRequest(baseUrl) {
	const transfer = Object.keys({ ...PARAMETERS, ...ADDITIONAL })
		.filter((column) => !['funding_source', 'external_reference'].includes(column))
		.map((column) =>
			column === 'amount' ? 'amount: Number($json.amount)' : `${column}: $json.${column}`,
		);
	return {
		name: 'HTTP Request',
		type: 'n8n-nodes-base.httpRequest',
		typeVersion: 4.5,
		parameters: {
			method: 'POST',
			url: `${baseUrl}${BANK_PAYOUT}`,
			authentication: 'predefinedCredentialType',
			nodeCredentialType: 'partnerPaymentsApi',
			sendBody: true,
			specifyBody: 'json',
			jsonBody: `={{ {
	funding_source: $json.funding_source,
	external_reference: $json.external_reference,
	transaction: { ${transfer.join(', ')} }
} }}`,
			options: {},
		},
	};
}

function expressions(parameters) {
	return Object.fromEntries(
		Object.entries(parameters).map(([column, name]) => [name, `={{ $json.${column} }}`]),
	);
}

function sameNames(parameters) {
	return Object.fromEntries(Object.keys(parameters).map((column) => [column, column]));
}

function to(node) {
	return { node, type: 'main', index: 0 };
}

const MANUAL_TRIGGER = { type: 'n8n-nodes-base.manualTrigger', typeVersion: 1, parameters: {} };

/**
 * The whole workflow of a contestant.
 *
 * @param {Contestant} contestant
 * @param {object} setting
 * @param {string} setting.baseUrl
 * @param {string} setting.csvFile
 * @param {{ id: string, name: string }} setting.credential
 * @param {Record<string, any>} [setting.trigger] instead of a manual one
 * @param {Record<string, any>} [setting.nodeSettings] of the nodes that pay, such as `retryOnFail`
 * @param {object} [setting.settings] of the workflow
 */
export function workflowOf(
	contestant,
	{ baseUrl, csvFile, credential, trigger = MANUAL_TRIGGER, nodeSettings = {}, settings = {} },
) {
	const { nodes, connections } = paymentOf(contestant, baseUrl);
	const before = [
		{ name: 'Start', ...trigger },
		{
			name: 'Read File',
			type: 'n8n-nodes-base.readWriteFile',
			typeVersion: 1.1,
			parameters: { operation: 'read', fileSelector: csvFile, options: {} },
		},
		{
			name: 'Rows',
			type: 'n8n-nodes-base.extractFromFile',
			typeVersion: 1.1,
			parameters: { operation: 'csv', options: {} },
		},
	];
	const needsCredential = ({ type }) => !/\.(splitInBatches)$/.test(type);
	return {
		name: contestant.title,
		nodes: [
			...before,
			...nodes.map((node) => ({
				...node,
				...(needsCredential(node) && {
					...nodeSettings,
					credentials: { partnerPaymentsApi: credential },
				}),
			})),
		].map((node, index) => ({
			id: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
			position: [index * 220, 0],
			...node,
		})),
		connections: {
			Start: { main: [[to('Read File')]] },
			'Read File': { main: [[to('Rows')]] },
			Rows: { main: [[to(nodes[0].name)]] },
			...connections,
		},
		settings: { executionOrder: 'v1', ...settings },
	};
}

/**
 * The names of the paying nodes.
 *
 * @param {Contestant} contestant
 */
export function payingNodes(contestant) {
	return paymentOf(contestant, '').nodes.map(({ name }) => name);
}

/** @param {Contestant} contestant one that pays in n8n */
function paymentOf({ id, payment }, baseUrl) {
	if (!payment) throw new Error(`${id} pays without n8n`);
	return payment(baseUrl);
}
