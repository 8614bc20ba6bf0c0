require('./blocks');

/**
 * A typical payout node for comparison: for each item it reads its parameters, sends the request with
 * n8n's helper and waits for the response. It validates nothing beforehand. With On Error set to continue, it returns an
 * item's error and goes on, as n8n's documentation for nodes says.
 */
const FIELDS = [
	'entity_type',
	'first_name',
	'last_name',
	'destination_id_number',
	'bank_code',
	'destination_account',
	'amount',
	'currency_type',
	'description',
	'funding_source',
	'external_reference',
];

class BenchPeer {
	description = {
		displayName: 'Usual Payout Node',
		name: 'benchPeer',
		group: ['output'],
		version: 1,
		description: 'Pays one item after the other',
		defaults: { name: 'Usual Payout Node' },
		inputs: ['main'],
		outputs: ['main'],
		credentials: [{ name: 'partnerPaymentsApi', required: true }],
		properties: [
			{ displayName: 'URL', name: 'url', type: 'string', default: '' },
			...FIELDS.map((name) => ({ displayName: name, name, type: 'string', default: '' })),
			{
				displayName: 'Additional Fields',
				name: 'additionalFields',
				type: 'collection',
				default: {},
				options: ['country', 'document_type'].map((name) => ({
					displayName: name,
					name,
					type: 'string',
					default: '',
				})),
			},
		],
	};

	/** @this {import('n8n-workflow').IExecuteFunctions} */
	async execute() {
		const output = [];
		for (const [index, { json }] of this.getInputData().entries()) {
			try {
				output.push({ json: await pay.call(this, index), pairedItem: { item: index } });
			} catch (error) {
				if (!this.continueOnFail()) throw error;
				output.push({ json, error, pairedItem: { item: index } });
			}
		}
		return [output];
	}
}

/**
 * Pays an item.
 *
 * @this {import('n8n-workflow').IExecuteFunctions}
 * @param {number} index
 */
async function pay(index) {
	const given = Object.fromEntries(
		FIELDS.map((name) => [name, this.getNodeParameter(name, index)]),
	);
	const { funding_source, external_reference, amount, ...transfer } = given;
	const more = this.getNodeParameter('additionalFields', index, {});
	return await this.helpers.httpRequestWithAuthentication.call(this, 'partnerPaymentsApi', {
		method: 'POST',
		url: String(this.getNodeParameter('url', index)),
		body: {
			funding_source,
			external_reference,
			transaction: { ...transfer, amount: Number(amount), ...more },
		},
		json: true,
	});
}

module.exports = { BenchPeer };
