/**
 * An external hook of n8n (EXTERNAL_HOOK_FILES) for tests: POST /own/:service runs a node with the service that n8n's
 * assistant or its agents use for that. They have no other API than a language model.
 */
const { createRequire } = require('node:module');
const { text } = require('node:stream/consumers');

const ofN8n = createRequire(process.argv[1]);
const { Container } = ofN8n('@n8n/di');

/** How a node is run outside a saved workflow, with the node, the project and the user. */
const SERVICES = {
	assistant: async ({ type, typeVersion, parameters, credentials }, projectId, user) => {
		const { ExecuteNodeService } = ofN8n('../dist/node-execution/execute-node.service');
		return await Container.get(ExecuteNodeService).run(user, {
			projectId,
			type,
			version: typeVersion,
			config: { parameters, credentials },
		});
	},
	agent: async ({ type, typeVersion, parameters, credentials }, projectId) => {
		const { EphemeralNodeExecutor } = ofN8n('../dist/node-execution/ephemeral-node-executor');
		return await Container.get(EphemeralNodeExecutor).executeInline({
			projectId,
			nodeType: `${type}Tool`,
			nodeTypeVersion: typeVersion,
			nodeParameters: parameters,
			credentialDetails: credentials,
			inputData: [{ json: {} }],
		});
	},
};

module.exports = {
	n8n: {
		ready: [
			async ({ app }) => {
				const { ProjectRepository, UserRepository } = ofN8n('@n8n/db');
				app.post('/own/:service', async (request, response) => {
					const [user] = await Container.get(UserRepository).find({ relations: ['role'] });
					const project = await Container.get(ProjectRepository).getPersonalProjectForUserOrFail(
						user.id,
					);
					const node = request.body?.type ? request.body : JSON.parse(await text(request));
					response.json(await SERVICES[request.params.service](node, project.id, user));
				});
			},
		],
	},
};
