/** A trigger of another package that passes on what it gets, for comparison. */
class BenchTrigger {
	description = {
		displayName: 'Usual Trigger',
		name: 'benchTrigger',
		group: ['trigger'],
		version: 1,
		description: 'Starts a workflow with what it gets',
		defaults: { name: 'Usual Trigger' },
		inputs: [],
		outputs: ['main'],
		webhooks: [
			{ name: 'default', httpMethod: 'POST', responseMode: 'onReceived', path: 'webhook' },
		],
		properties: [],
	};

	webhookMethods = {
		default: {
			checkExists: async () => true,
			create: async () => true,
			delete: async () => true,
		},
	};

	/** @this {import('n8n-workflow').IWebhookFunctions} */
	async webhook() {
		return { workflowData: [this.helpers.returnJsonArray(this.getBodyData())] };
	}
}

module.exports = { BenchTrigger };
