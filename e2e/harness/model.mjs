/**
 * A scripted language model: a local server that implements OpenAI's chat completions.
 * It records what the agent sends, which is what a real model would see.
 */
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { listen } from './ports.mjs';

/**
 * One response of the model: its final text, or the tools that it calls.
 *
 * @typedef {string | Array<{ tool: string, input: object }>} Response
 */

export async function startModel() {
	const model = new ScriptedModel();
	await model.start();
	return model;
}

class ScriptedModel {
	/**
	 * The bodies of the requests in the order of arrival.
	 *
	 * @type {any[]}
	 */
	requests = [];

	/** @type {Response[]} */
	#script = [];
	#calls = 0;
	#server = createServer((request, response) => void this.#answer(request, response));

	async start() {
		this.url = `http://127.0.0.1:${await listen(this.#server)}/v1`;
	}

	/**
	 * The responses to the next requests.
	 *
	 * @param {Response[]} responses
	 */
	script(...responses) {
		this.#script = responses;
		this.requests = [];
	}

	/** The tools' answers as the model got them, in the order of the calls. */
	get toolAnswers() {
		const { messages = [] } = this.requests.at(-1) ?? {};
		return messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
	}

	/** The tools that the model was offered, by name. */
	get tools() {
		const { tools = [] } = this.requests.at(0) ?? {};
		return new Map(tools.map(({ function: offered }) => [offered.name, offered]));
	}

	stop() {
		this.#server.closeAllConnections();
		this.#server.close();
	}

	async #answer(request, response) {
		const body = JSON.parse((await text(request)) || '{}');
		this.requests.push(body);
		const scripted = this.#script.shift() ?? 'The script has ended.';
		const message =
			typeof scripted === 'string'
				? { role: 'assistant', content: scripted }
				: { role: 'assistant', content: '', tool_calls: scripted.map((call) => this.#call(call)) };
		const reason = typeof scripted === 'string' ? 'stop' : 'tool_calls';
		const common = { id: 'chatcmpl-scripted', created: 0, model: body.model };
		if (!body.stream) {
			response.setHeader('content-type', 'application/json');
			response.end(
				JSON.stringify({
					...common,
					object: 'chat.completion',
					choices: [{ index: 0, message, finish_reason: reason }],
					usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
				}),
			);
			return;
		}
		response.setHeader('content-type', 'text/event-stream');
		const tell = (choice) =>
			response.write(
				`data: ${JSON.stringify({ ...common, object: 'chat.completion.chunk', choices: [{ index: 0, ...choice }] })}\n\n`,
			);
		tell({ delta: message, finish_reason: null });
		tell({ delta: {}, finish_reason: reason });
		response.end('data: [DONE]\n\n');
	}

	#call({ tool, input }, index) {
		this.#calls += 1;
		return {
			index,
			id: `call_${this.#calls}`,
			type: 'function',
			function: { name: tool, arguments: JSON.stringify(input) },
		};
	}
}
