import { startAgain, TRIGGER } from './trigger-support.mjs';

/** Stops n8n, does something, and starts n8n again. */
export async function whileStopped(stage, work, settings) {
	await stage.n8n.stop();
	const result = await work();
	await startAgain(stage, settings);
	return result;
}

/**
 * The trigger's error in a failed execution.
 *
 * @param {import('../harness/n8n.mjs').N8n} n8n
 * @param {{ id: string }} execution
 */
export async function complaintOf(n8n, { id }) {
	const { message, description } = (await n8n.getExecution(id)).nodeError(TRIGGER);
	return `${message} ${description ?? ''}`;
}

/**
 * Runs "Execute step" of a node in a workflow with a Manual Trigger.
 *
 * @param {import('../harness/n8n.mjs').N8n} n8n
 * @param {string} id
 * @param {string} node
 */
export async function executeStep(n8n, id, node) {
	const workflowData = await n8n.rest('GET', `/workflows/${id}`);
	const { name } = workflowData.nodes.find(({ type }) => type.endsWith('.manualTrigger'));
	const { executionId } = await n8n.rest('POST', `/workflows/${id}/run`, {
		workflowData,
		triggerToStartFrom: { name },
		destinationNode: { nodeName: node, mode: 'inclusive' },
	});
	return await n8n.waitForExecution(executionId);
}
