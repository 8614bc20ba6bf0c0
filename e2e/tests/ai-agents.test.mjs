/** The payout node as a tool of n8n's AI agent with a scripted model. The requests to the sandbox are the evidence. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { readExample } from '../harness/examples.mjs';
import { startMailbox } from '../harness/mailbox.mjs';
import { startModel } from '../harness/model.mjs';
import { ROOT_DIR } from '../harness/paths.mjs';
import { partnerPayments, useStage } from './support.mjs';
import { until } from './trigger-support.mjs';

const stage = useStage('ai-agents', { sandboxArgs: ['--state-clock', '0'] });

/** n8n's approval page ignores bots, so this is a browser's user agent. */
const BROWSER = {
	'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/130 Safari/537.36',
};

/** The descriptions that the guide proposes for the payout tool and its reference field. */
const [TOOL_DESCRIPTION, FIELD_DESCRIPTION] = [
	...readFileSync(path.join(ROOT_DIR, 'docs/ai-agents.md'), 'utf8').matchAll(
		/```text\n(.*?)\n```/gs,
	),
].map(([, text]) => text.replaceAll('\n', ' '));

let model, mailbox, modelCredential, mailCredential;

describe('an AI agent', () => {
	before(async () => {
		[model, mailbox] = await Promise.all([startModel(), startMailbox()]);
		modelCredential = await stage.n8n.createCredential({
			name: 'Scripted model',
			type: 'openAiApi',
			data: { apiKey: 'none', url: model.url },
		});
		mailCredential = await stage.n8n.createCredential({
			name: 'Mailbox',
			type: 'smtp',
			data: {
				user: '',
				password: '',
				host: '127.0.0.1',
				port: mailbox.port,
				secure: false,
				disableStartTls: true,
			},
		});
	});
	after(() => {
		model?.stop();
		mailbox?.stop();
	});
	beforeEach(async () => {
		await stage.sandbox.reset();
		mailbox.messages.length = 0;
	});

	/** The payments that the sandbox created, with reference and amount. */
	const paid = async () =>
		(await stage.sandbox.transactions()).map(({ reference, amount }) => ({ reference, amount }));

	const credentialOf = ({ id, name }, type) => ({ [type]: { id, name } });

	describe('a payout tool whose fields the model fills in', () => {
		const ask = (key, description) => `={{ $fromAI('${key}', '${description}', 'string') }}`;
		let id;

		// A node of its own for each test: it remembers what it has paid to whom.
		beforeEach(async () => {
			const tool = partnerPayments(stage, {
				descriptionType: 'manual',
				toolDescription: TOOL_DESCRIPTION,
				resource: 'payout',
				operation: 'createBank',
				referenceSource: 'given',
				entityType: 'company',
				firstName: 'Imprenta Illimani',
				destinationIdNumber: '1023456021',
				bankCode: '1001',
				destinationAccount: ask('account', 'Account of the supplier'),
				amount: ask('amount', 'Amount in BOB'),
				currencyType: 'BOB',
				description: 'Printing',
				externalReference: ask('reference', FIELD_DESCRIPTION),
			});
			const node = (name, type, typeVersion, parameters, more = {}) => ({
				id: name,
				name,
				type,
				typeVersion,
				parameters,
				position: [0, 0],
				...more,
			});
			const to = (name, type) => ({ [type]: [[{ node: name, type, index: 0 }]] });
			({ id } = await stage.n8n.createWorkflow({
				name: 'An agent that pays',
				nodes: [
					node('Start', 'n8n-nodes-base.manualTrigger', 1, {}),
					node('Agent', '@n8n/n8n-nodes-langchain.agent', 3, {
						promptType: 'define',
						text: 'Pay it.',
						options: {},
					}),
					node(
						'Model',
						'@n8n/n8n-nodes-langchain.lmChatOpenAi',
						1.2,
						{ model: { __rl: true, mode: 'id', value: 'scripted' }, options: {} },
						{ credentials: credentialOf(modelCredential, 'openAiApi') },
					),
					{ ...node('Pay'), ...tool, type: `${tool.type}Tool` },
				],
				connections: {
					Start: to('Agent', 'main'),
					Model: to('Agent', 'ai_languageModel'),
					Pay: to('Agent', 'ai_tool'),
				},
			}));
		});

		const payment = (reference, changes = {}) => [
			{ tool: 'Pay', input: { account: '0012345678', amount: '1250.50', reference, ...changes } },
		];
		// n8n ends the workflow if a tool fails. The requests to the service count.
		const run = async (...responses) => {
			model.script(...responses, 'Done.');
			return await stage.n8n.runWorkflow(id);
		};

		it('pays once if the model calls it several times with the same reference', async () => {
			const reference = randomUUID();
			await run(payment(reference), payment(reference));
			assert.deepEqual(await paid(), [{ reference, amount: '1250.50' }]);

			await run(payment(reference));
			assert.equal((await paid()).length, 1);
		});

		it('pays once when the model calls it twice in one turn', async () => {
			const reference = randomUUID();
			await run([...payment(reference), ...payment(reference)]);
			assert.equal((await paid()).length, 1);
		});
	});

	describe('the example "Agent that pays invoices"', () => {
		const F_1042 = '7d0f3c52-8a3e-4a55-9d7c-1f8f5e0a1042';
		let id;

		before(async () => {
			const workflow = readExample('agent-pays-invoices', stage);
			for (const node of workflow.nodes) {
				if (node.name === 'OpenAI Chat Model')
					node.credentials = credentialOf(modelCredential, 'openAiApi');
				if (node.name === 'Ask a person') node.credentials = credentialOf(mailCredential, 'smtp');
			}
			({ id } = await stage.n8n.createWorkflow(workflow));
		});

		const pay = (invoice) => [
			{ tool: 'Pay_invoice', input: { toolParameters: { invoice }, hitlParameters: {} } },
		];
		let started;
		const start = async (...responses) => {
			model.script(...responses, 'Done.');
			mailbox.messages.length = 0;
			return (started = await stage.n8n.startWorkflow(id));
		};
		const mail = async (number = 1) => {
			const message = await until(() => mailbox.messages[number - 1], 'a person is asked');
			// It is sent shortly before n8n waits for the click.
			await until(
				async () => (await stage.n8n.getExecution(started)).status === 'waiting',
				'n8n waits for a click',
			);
			return message;
		};
		const decide = async (message, approved) => {
			const links = [...message.matchAll(/href="([^"]+)"/g)].map(([, url]) =>
				url.replaceAll('&amp;', '&'),
			);
			const link = links.find((url) => url.includes(`approved=${approved}`));
			const answer = await fetch(link, { headers: BROWSER });
			assert.equal(answer.status, 200);
		};
		const ending = async (execution) => {
			const ended = await stage.n8n.waitForExecution(execution);
			assert.equal(ended.status, 'success', ended.error?.message);
			return model.toolAnswers;
		};

		it('pays after a person approves and not before', async () => {
			const execution = await start(pay('F-1042'));
			const message = await mail();
			for (const fact of ['F-1042', 'BOB 830.00', 'Transportes Sajama', '4001002003']) {
				assert.ok(message.includes(fact), `${fact} in ${message}`);
			}
			assert.deepEqual(await paid(), []);
			await decide(message, true);
			const [answer] = await ending(execution);
			assert.deepEqual(await paid(), [{ reference: F_1042, amount: '830.00' }]);
			assert.match(answer, /"outcome":"created"/);
		});

		it('pays nothing that a person rejects, and reports it to the model', async () => {
			const execution = await start(pay('F-1041'));
			await decide(await mail(), false);
			const [answer] = await ending(execution);
			assert.deepEqual(await paid(), []);
			assert.match(answer, /rejected the tool call/);
		});
	});
});
