/**
 * Logs what n8n does with the trigger: its calls, their modes and results, one line each. The same code observes a real
 * n8n and the simulated one, so that their lines can be compared.
 */
'use strict';

const { numbered } = require('./probe.cjs');

/** @typedef {(line: string) => void} Log */

/** Lines of different lanes may come in any order, also in the real n8n. */
const LANES = ['person', 'hooks', 'trigger', 'webhook', 'execution', 'n8n'];

const HOOKS = ['checkExists', 'create', 'delete'];

/** @param {string[]} items */
const listed = (items) => items.sort().join(', ') || 'nothing';

/** @param {any} context */
const storedBy = (context) => listed(Object.keys(context.getWorkflowStaticData('node')));

/** @param {any[][]} output */
const many = ([items]) => `${items.length} ${items.length === 1 ? 'item' : 'items'}`;

/**
 * @param {string} name
 * @param {(this: any) => Promise<unknown>} hook
 * @param {Log} log
 */
const watchedHook = (name, hook, log) =>
	/** @this {any} */
	async function () {
		const asked = `hooks: ${name} (${this.getMode()}, ${this.getActivationMode()}), stored ${storedBy(this)}`;
		try {
			const result = await hook.call(this);
			log(`${asked} → ${result}, stores ${storedBy(this)}`);
			return result;
		} catch (error) {
			log(`${asked} → fails`);
			throw error;
		}
	};

/**
 * The context of `trigger()`, with what it does logged.
 *
 * @param {any} context
 * @param {Log} log
 */
function watchedContext(context, log) {
	const registerCron = (/** @type {any[]} */ ...args) => {
		log('trigger: schedules its checks');
		return context.helpers.registerCron(...args);
	};
	const emit = (/** @type {any[]} */ ...args) => {
		const [items, , done] = args;
		log(`trigger: emits ${many(items)}`);
		done?.promise.then(
			(/** @type {any} */ { status }) => log(`trigger: is told of the end: ${status}`),
			() => log('trigger: is told that nothing began'),
		);
		return context.emit(...args);
	};
	return new Proxy(Object.create(context), {
		get(_, name) {
			if (name === 'emit') return emit;
			if (name === 'helpers') return { ...context.helpers, registerCron };
			const value = context[name];
			return typeof value === 'function' ? value.bind(context) : value;
		},
	});
}

/**
 * The trigger node with its calls logged.
 *
 * @param {new () => any} Trigger
 * @param {Log} log
 * @returns {new () => any}
 */
const watchedTrigger = (Trigger, log) =>
	class extends Trigger {
		constructor() {
			super();
			const own = /** @type {any} */ (this);
			const { trigger, webhook, execute } = own;
			const hooks = own.webhookMethods.default;
			own.webhookMethods = {
				default: Object.fromEntries(
					HOOKS.map((name) => [name, watchedHook(name, hooks[name], log)]),
				),
			};
			/** @this {any} */
			own.trigger = async function () {
				log(`trigger: begins (${this.getMode()}, ${this.getActivationMode()})`);
				const response = await trigger.call(watchedContext(this, log));
				log('trigger: is ready');
				const { closeFunction } = response ?? {};
				return {
					...response,
					async closeFunction() {
						await closeFunction?.call(this);
						log('trigger: is closed');
					},
				};
			};
			/** @this {any} */
			own.webhook = async function () {
				const asked = `webhook: gets a delivery (${this.getMode()}), stored ${storedBy(this)}`;
				const response = await webhook.call(this);
				log(`${asked} → ${response.workflowData ? 'starts an execution' : 'starts nothing'}`);
				return response;
			};
			/** @this {any} */
			own.execute = async function () {
				const id = `<execution ${this.getExecutionId()}>`;
				log(`execution: ${id} begins (${this.getMode()}) with ${many([this.getInputData()])}`);
				try {
					const output = await execute.call(this);
					log(`execution: ${id} gives ${many(output)}`);
					return output;
				} catch (error) {
					log(`execution: ${id} throws ${/** @type {any} */ (error).context?.code}`);
					throw error;
				}
			};
		}
	};

/**
 * Lines that are the same whenever the same happens: lane by lane between two actions of a person, and with names
 * instead of identifiers.
 *
 * @param {string[]} lines
 * @returns {string[]}
 */
function byLane(lines) {
	/** @type {string[][]} */
	const parts = [];
	for (const line of lines) {
		// What else is written in a real n8n, such as its requests, is compared for payments.
		if (line.startsWith('person:')) parts.push([]);
		if (LANES.includes(line.split(':')[0])) parts.at(-1)?.push(line);
	}
	const laneOf = (/** @type {string} */ line) => LANES.indexOf(line.split(':')[0]);
	return numbered(parts.flatMap((part) => part.toSorted((a, b) => laneOf(a) - laneOf(b))));
}

module.exports = { watchedTrigger, byLane };
