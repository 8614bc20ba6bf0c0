require('./blocks');

/**
 * A typical payout node for comparison: for each item it reads its parameters, sends the request with
 * n8n's helper and waits for the response. It validates nothing beforehand.
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
		for (let index = 0; index < this.getInputData().length; index++) {
			const given = Object.fromEntries(
				FIELDS.map((name) => [name, this.getNodeParameter(name, index)]),
			);
			const { funding_source, external_reference, amount, ...transfer } = given;
			const more = this.getNodeParameter('additionalFields', index, {});
			const answer = await this.helpers.httpRequestWithAuthentication.call(
				this,
				'partnerPaymentsApi',
				{
					method: 'POST',
					url: String(this.getNodeParameter('url', index)),
					body: {
						funding_source,
						external_reference,
						transaction: { ...transfer, amount: Number(amount), ...more },
					},
					json: true,
				},
			);
			output.push({ json: answer, pairedItem: { item: index } });
		}
		return [output];
	}
}

module.exports = { BenchPeer };
