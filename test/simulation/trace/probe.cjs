/**
 * Tells what n8n gives to the bank payout operation and to the credential, and what these do with it, one line for each
 * call, in their order. The same code looks on in a real n8n and in the simulated one, so that their lines can be compared.
 *
 * Neither times nor identifiers are told: `named` puts names in their places.
 */
'use strict';

const { WORKS } = require('./works.cjs');

/** @typedef {(line: string) => void} Tell */

/** More entries than a scenario has rows are those of the lock (`workflowLock.ts`), whose number is random. */
const FEWEST_OF_A_MARK = 40;

/** What says nothing of n8n: who the node is, asked for many times over. */
const NOT_TOLD = ['getNode', 'getWorkflow', 'getExecutionId', 'addExecutionHints'];

/**
 * @param {unknown} value
 * @returns {string}
 */
const shown = (value) => JSON.stringify(value) ?? 'nothing';

/** @param {number} count */
const many = (count) => (count < FEWEST_OF_A_MARK ? String(count) : 'a mark');

/**
 * What a helper is asked for, and what it gives, in words.
 *
 * @type {Record<string, { asked: (...args: any[]) => string, given: (result: any) => string }>}
 */
const HELPERS = {
	checkProcessedAndRecord: {
		asked: (entries, scope, { mode, maxEntries }) =>
			`records ${many(entries.length)} for the ${scope} (${mode}${maxEntries ? `, at most ${maxEntries}` : ''})`,
		given: (result) => `${many(result.new.length)} new, ${many(result.processed.length)} known`,
	},
	removeProcessed: {
		asked: (entries, scope) => `removes ${many(entries.length)} for the ${scope}`,
		given: () => 'removed',
	},
	clearAllProcessedItems: {
		asked: (scope) => `clears all for the ${scope}`,
		given: () => 'cleared',
	},
	getProcessedDataCount: {
		asked: (scope) => `counts those of the ${scope}`,
		given: (count) => many(count),
	},
	httpRequestWithAuthentication: {
		asked: (_type, { method, url }) => `requests ${method} ${pathIn(url)}`,
		given: ({ statusCode }) => `answer ${statusCode}`,
	},
};

/** @param {string} url */
const pathIn = (url) => url.replace(/^.*?\/api\/+/, '/');

/**
 * What a node's calls give, in words; everything else is told as JSON.
 *
 * @type {Record<string, (result: any) => string>}
 */
const GIVEN = {
	getInputData: (items) => `${items.length} items`,
	getContext: contextOf,
	getCredentials: ({ sessionToken }) => (sessionToken ? 'with a token' : 'without a token'),
	getExecutionCancelSignal: ({ aborted }) => (aborted ? 'aborted' : 'not aborted'),
};

/**
 * What the package, or a work, keeps in the context of an execution.
 *
 * @param {any} [context]
 * @returns {string}
 */
function contextOf(context = {}) {
	const { payments = {}, items: _, transactions: __, occurrences: ___, ...others } = context;
	const kept = Object.values(payments).map(
		({ reference, outcome, answer, executionId }) =>
			`${reference} ${outcome}${answer ? ' with its answer' : ''} by <execution ${executionId}>`,
	);
	for (const [name, value] of Object.entries(others)) kept.push(`${name} ${shown(value)}`);
	return kept.join(', ') || 'nothing';
}

/** @param {any} error */
const failureOf = (error) =>
	error.httpCode ? `${error.constructor.name} ${error.httpCode}` : error.constructor.name;

/**
 * @typedef {object} Words
 * @property {string} who
 * @property {Tell} tell
 * @property {string} asked
 * @property {(result: any) => string} given
 */

/**
 * Lets a function tell what it gives, or that it fails.
 *
 * @param {() => any} work
 * @param {Words & { isTold: (result: any) => boolean }} words
 */
function watchedCall(work, { who, tell, asked, given, isTold }) {
	const result = work();
	if (isTold(result)) tell(`${who}: ${asked} → ${given(result)}`);
	return result;
}

/**
 * The same of one that takes its time.
 *
 * @param {() => Promise<any>} work
 * @param {Words} words
 */
async function watchedWork(work, { who, tell, asked, given }) {
	tell(`${who}: ${asked} …`);
	try {
		const result = await work();
		tell(`${who}: ${asked} → ${given(result)}`);
		return result;
	} catch (error) {
		// Of n8n's database nobody looks at more than that.
		const { httpCode } = /** @type {any} */ (error);
		tell(`${who}: ${asked} → fails${httpCode ? `: ${failureOf(error)}` : ''}`);
		throw error;
	}
}

/**
 * All items are asked for in the same way; what there is to tell of hints are their words.
 *
 * @param {string} name
 * @param {any[]} args
 */
const isOfNoInterest = (name, args) =>
	NOT_TOLD.includes(name) || (name === 'getNodeParameter' && args[1] !== 0);

/**
 * A parameter of which n8n has nothing, and a signal that nobody gave, say nothing.
 *
 * @param {string} name
 * @param {any[]} args
 * @param {any} result
 */
function isWorthTelling(name, args, result) {
	if (name === 'getNodeParameter') return shown(result) !== shown(args[2]);
	return name !== 'getExecutionCancelSignal' || result.aborted;
}

/**
 * @param {any} helpers
 * @param {any} context
 * @param {Tell} tell
 */
const watchedHelpers = (helpers, context, tell) =>
	new Proxy(helpers, {
		get(_, /** @type {string} */ name) {
			const words = HELPERS[name];
			if (!words) return helpers[name];
			return (/** @type {any[]} */ ...args) =>
				watchedWork(() => helpers[name].apply(context, args), {
					who: 'node',
					tell,
					asked: words.asked(...args),
					given: words.given,
				});
		},
	});

/**
 * What a node is given, as the node sees it.
 *
 * @param {any} context
 * @param {Tell} tell
 */
const watchedContext = (context, tell) =>
	// Not of the context itself: some of its properties are fixed, and a proxy must not give others for them.
	new Proxy(Object.create(context), {
		get(_, /** @type {string} */ name) {
			const value = context[name];
			if (name === 'helpers') return watchedHelpers(value, context, tell);
			if (name === 'logger') {
				return { ...value, warn: () => tell('node: warns in the log') };
			}
			if (typeof value !== 'function') return value;
			return (/** @type {any[]} */ ...args) => {
				if (isOfNoInterest(name, args)) return value.apply(context, args);
				const of = name === 'getNodeParameter' && args[3]?.rawExpressions ? ', as written' : '';
				const work = () => value.apply(context, args);
				const words = {
					who: 'node',
					tell,
					asked: `${name}${typeof args[0] === 'string' ? ` ${args[0]}` : ''}${of}`,
					given: GIVEN[name] ?? shown,
				};
				if (name === 'getCredentials') return watchedWork(work, words);
				const isTold = (/** @type {any} */ result) => isWorthTelling(name, args, result);
				return watchedCall(work, { ...words, isTold });
			};
		},
	});

/** @param {any} row */
const outcomeOf = ({ outcome, error }) => error?.outcome ?? outcome ?? shown(error);

/**
 * Lets an operation tell what it does; where the node's notes name another work, it does that.
 *
 * @param {(this: any) => Promise<any[]>} execute
 * @param {Tell} tell
 */
const watchedExecute = (execute, tell) =>
	/** @this {any} */
	async function () {
		tell(`n8n: runs the node in <execution ${this.getExecutionId()}>`);
		const work = WORKS[this.getNode().notes] ?? execute;
		try {
			const items = await work.call(watchedContext(this, tell));
			tell(`node: gives ${items.map(({ json }) => outcomeOf(json)).join(', ')}`);
			return items;
		} catch (error) {
			const rows = /** @type {any} */ (error).context?.rows ?? [];
			tell(`node: throws ${[failureOf(error), ...rows.map(outcomeOf)].join(', ')}`);
			throw error;
		}
	};

/**
 * @param {new () => any} Credential
 * @param {Tell} tell
 */
const watchedCredential = (Credential, tell) =>
	class extends Credential {
		constructor() {
			super();
			const own = /** @type {Record<string, (...args: any[]) => any>} */ (this);
			const { authenticate, preAuthentication } = own;
			own.authenticate = async (/** @type {any[]} */ ...args) => {
				tell(`credential: authenticates ${args[0].sessionToken ? 'with' : 'without'} a token`);
				return await authenticate.apply(own, args);
			};
			/** @this {any} */
			own.preAuthentication = async function (/** @type {any} */ data) {
				return await watchedWork(() => preAuthentication.call(this, data), {
					who: 'credential',
					tell,
					asked: `is asked for a token, ${data.sessionToken ? 'having one' : 'having none'}`,
					given: (result) => Object.keys(result).join(', '),
				});
			};
		}
	};

const NODE = 'the node';

/**
 * Whether everything that was begun is told to have ended: nothing more comes by itself.
 *
 * @param {string[]} lines
 * @returns {boolean}
 */
function isQuiet(lines) {
	/** @type {string[]} */
	let begun = [];
	for (const line of lines) {
		const isEndOfNode = /^node: (gives|throws) /.test(line);
		const call = isEndOfNode ? NODE : line.split(' → ')[0];
		if (line.endsWith(' …')) begun.push(line.slice(0, -2));
		else if (line.startsWith('n8n: runs the node')) begun.push(NODE);
		// What was begun in a process that was killed never ends.
		else if (line === 'person: kills n8n') begun = [];
		else if (begun.includes(call)) begun.splice(begun.indexOf(call), 1);
	}
	return begun.length === 0;
}

/**
 * How an execution has ended, what the last run of the node handed on, and what n8n keeps.
 *
 * @param {{ id: string, status: string, outputs: number[][], context: unknown }} end
 * @returns {string}
 */
function endOf({ id, status, outputs, context }) {
	return `n8n: ends <execution ${id}>: ${[
		status,
		...outputs.flatMap((items, output) =>
			items.length ? [`items ${items.join(', ')} at output ${output + 1}`] : [],
		),
		`context ${contextOf(context)}`,
	].join('; ')}`;
}

const MEMORY = /^(database:|node: (counts|records|removes|clears)) /;

/**
 * Puts behind the rest what is written down once the execution is cancelled: nobody waits for it, so it comes at any
 * time.
 *
 * @param {string[]} lines
 * @returns {string[]}
 */
function inOrder(lines) {
	/** @type {string[]} */
	const ordered = [];
	/** @type {string[]} */
	const late = [];
	let isCancelled = false;
	for (const line of lines) {
		if (line.endsWith(' → aborted')) isCancelled = true;
		if (line.startsWith('n8n: ends')) {
			isCancelled = false;
			ordered.push(...late.splice(0));
		}
		(isCancelled && MEMORY.test(line) ? late : ordered).push(line);
	}
	return ordered;
}

/**
 * Lines that are the same whenever the same happens: in an order that is not chance, and with names in the places of
 * identifiers.
 *
 * @param {string[]} lines
 * @returns {string[]}
 */
function normalised(lines) {
	/** @type {Map<string, number>} */
	const executions = new Map();
	return inOrder(lines).map((line) =>
		line
			.replace(/<execution ([^>]+)>/g, (_, id) => {
				if (!executions.has(id)) executions.set(id, executions.size + 1);
				return `execution ${executions.get(id)}`;
			})
			.replace(/00000000-0000-4000-8000-0*(\d+)/g, 'row $1'),
	);
}

module.exports = { watchedExecute, watchedCredential, pathIn, endOf, isQuiet, normalised };
