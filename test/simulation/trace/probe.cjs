/**
 * Logs what n8n passes to the bank payout operation and to the credential, and what they do with it: one line for each
 * call, in order. The same code observes a real n8n and the simulated one, so that their lines can be compared.
 *
 * Times are left out, and `normalised` replaces identifiers by names.
 */
'use strict';

const { WORKS } = require('./works.cjs');

/** @typedef {(line: string) => void} Log */

/** More entries than a scenario has rows are those of the lock (`workflowLock.ts`), whose number is random. */
const FEWEST_OF_A_MARK = 40;

/** Calls that show nothing about n8n: the node asks many times who and where it is, and for its input. */
const IGNORED_CALLS = [
	'getNode',
	'getWorkflow',
	'getExecutionId',
	'getMode',
	'getParentNodes',
	'getInputData',
	'addExecutionHints',
];

/**
 * @param {unknown} value
 * @returns {string}
 */
const shown = (value) => JSON.stringify(value) ?? 'nothing';

/** @param {number} count */
const many = (count) => (count < FEWEST_OF_A_MARK ? String(count) : 'a mark');

/**
 * A call of a helper and its result as text.
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
 * The results of a node's calls as text. All other results are logged as JSON.
 *
 * @type {Record<string, (result: any) => string>}
 */
const GIVEN = {
	getContext: contextOf,
	getCredentials: ({ sessionToken }) => (sessionToken ? 'with a token' : 'without a token'),
	getExecutionCancelSignal: ({ aborted }) => (aborted ? 'aborted' : 'not aborted'),
};

/**
 * What the package, or a work, stores in the context of an execution.
 *
 * @param {any} [context]
 * @returns {string}
 */
function contextOf(context = {}) {
	// The package has one entry for each endpoint, by its path.
	const {
		payments = {},
		items: _,
		skipped: __,
		transactions: ___,
		rateLimit: ____,
		...others
	} = Object.assign(
		{},
		...Object.entries(context).map(([name, value]) =>
			name.startsWith('/') ? value : { [name]: value },
		),
	);
	const kept = Object.values(payments).map(
		({ reference, outcome, answer }) =>
			`${reference} ${outcome}${answer ? ' with its answer' : ''}`,
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
 * @property {Log} log
 * @property {string} asked
 * @property {(result: any) => string} given
 */

/**
 * Logs the result of a function.
 *
 * @param {() => any} work
 * @param {Words & { isLogged: (result: any) => boolean }} words
 */
function watchedCall(work, { who, log, asked, given, isLogged }) {
	const result = work();
	if (isLogged(result)) log(`${who}: ${asked} → ${given(result)}`);
	return result;
}

/**
 * Logs the start and the result, or the failure, of an asynchronous function.
 *
 * @param {() => Promise<any>} work
 * @param {Words} words
 */
async function watchedWork(work, { who, log, asked, given }) {
	log(`${who}: ${asked} …`);
	try {
		const result = await work();
		log(`${who}: ${asked} → ${given(result)}`);
		return result;
	} catch (error) {
		// For a failure of n8n's database, the status is enough.
		const { httpCode } = /** @type {any} */ (error);
		log(`${who}: ${asked} → fails${httpCode ? `: ${failureOf(error)}` : ''}`);
		throw error;
	}
}

/**
 * Parameters of all items are read in the same way, so those of the first item are enough.
 *
 * @param {string} name
 * @param {any[]} args
 */
const isIgnored = (name, args) =>
	IGNORED_CALLS.includes(name) || (name === 'getNodeParameter' && args[1] !== 0);

/**
 * A parameter that is not set and a signal that was not given are not logged.
 *
 * @param {string} name
 * @param {any[]} args
 * @param {any} result
 */
function hasNews(name, args, result) {
	if (name === 'getNodeParameter') return shown(result) !== shown(args[2]);
	return name !== 'getExecutionCancelSignal' || result.aborted;
}

/**
 * @param {any} helpers
 * @param {any} context
 * @param {Log} log
 */
const watchedHelpers = (helpers, context, log) =>
	new Proxy(helpers, {
		get(_, /** @type {string} */ name) {
			const words = HELPERS[name];
			if (!words) return helpers[name];
			return (/** @type {any[]} */ ...args) =>
				watchedWork(() => helpers[name].apply(context, args), {
					who: 'node',
					log,
					asked: words.asked(...args),
					given: words.given,
				});
		},
	});

/**
 * The context of a node, with its calls logged.
 *
 * @param {any} context
 * @param {Log} log
 */
const watchedContext = (context, log) =>
	// Not a proxy of the context itself: some of its properties are read-only, and a proxy must not replace them.
	new Proxy(Object.create(context), {
		get(_, /** @type {string} */ name) {
			const value = context[name];
			if (name === 'helpers') return watchedHelpers(value, context, log);
			if (name === 'logger') {
				return { ...value, warn: () => log('node: warns in the log') };
			}
			if (typeof value !== 'function') return value;
			return (/** @type {any[]} */ ...args) => {
				if (isIgnored(name, args)) return value.apply(context, args);
				const of = name === 'getNodeParameter' && args[3]?.rawExpressions ? ', as written' : '';
				const work = () => value.apply(context, args);
				const words = {
					who: 'node',
					log,
					asked: `${name}${typeof args[0] === 'string' ? ` ${args[0]}` : ''}${of}`,
					given: GIVEN[name] ?? shown,
				};
				if (name === 'getCredentials') return watchedWork(work, words);
				const isLogged = (/** @type {any} */ result) => hasNews(name, args, result);
				return watchedCall(work, { ...words, isLogged });
			};
		},
	});

/** @param {any} row */
const outcomeOf = ({ outcome, error }) => error?.outcome ?? outcome ?? shown(error);

/**
 * Logs what an operation does. If the node's notes name a work, that runs instead.
 *
 * @param {(this: any) => Promise<any[]>} execute
 * @param {Log} log
 */
const watchedExecute = (execute, log) =>
	/** @this {any} */
	async function () {
		log(`n8n: runs the node in <execution ${this.getExecutionId()}>`);
		const work = WORKS[this.getNode().notes] ?? execute;
		try {
			const items = await work.call(watchedContext(this, log));
			log(`node: gives ${items.map(({ json }) => outcomeOf(json)).join(', ')}`);
			return items;
		} catch (error) {
			const rows = /** @type {any} */ (error).context?.rows ?? [];
			log(`node: throws ${[failureOf(error), ...rows.map(outcomeOf)].join(', ')}`);
			throw error;
		}
	};

/**
 * @param {new () => any} Credential
 * @param {Log} log
 */
const watchedCredential = (Credential, log) =>
	class extends Credential {
		constructor() {
			super();
			const own = /** @type {Record<string, (...args: any[]) => any>} */ (this);
			const { authenticate, preAuthentication } = own;
			own.authenticate = async (/** @type {any[]} */ ...args) => {
				log(`credential: authenticates ${args[0].sessionToken ? 'with' : 'without'} a token`);
				return await authenticate.apply(own, args);
			};
			/** @this {any} */
			own.preAuthentication = async function (/** @type {any} */ data) {
				return await watchedWork(() => preAuthentication.call(this, data), {
					who: 'credential',
					log,
					asked: `is asked for a token, ${data.sessionToken ? 'having one' : 'having none'}`,
					given: (result) => Object.keys(result).join(', '),
				});
			};
		}
	};

const NODE = 'the node';

/**
 * Whether everything that was started is logged as ended, so that no more lines follow by themselves.
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
		// What a killed process started never ends.
		else if (line === 'person: kills n8n') begun = [];
		else if (begun.includes(call)) begun.splice(begun.indexOf(call), 1);
	}
	return begun.length === 0;
}

/**
 * How an execution ended, what the last run of the node output, and what n8n stores.
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

const STORE_CALL = /^node: (counts|records|removes|clears) /;

/**
 * Moves to the end what is stored after the execution was cancelled: nothing waits for it, so its time varies.
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
		const isOfStore = line.startsWith('database: ') || STORE_CALL.test(line);
		(isCancelled && isOfStore ? late : ordered).push(line);
	}
	return ordered;
}

/**
 * Sorts the lines of store calls that run at the same time: which of them the database answers first varies.
 *
 * @param {string[]} lines
 * @returns {string[]}
 */
function sortedTogether(lines) {
	/** @type {string[]} */
	const ordered = [];
	/** @type {string[]} */
	const together = [];
	let calls = 0;
	for (const line of lines) {
		const isCall = STORE_CALL.test(line);
		if (isCall && line.endsWith(' …')) calls++;
		(calls > 1 || together.length > 0 ? together : ordered).push(line);
		if (isCall && line.includes(' → ')) calls--;
		// A call ends with its execution at the latest.
		if (line.startsWith('n8n: ')) calls = 0;
		if (calls === 0) ordered.push(...together.splice(0).sort());
	}
	return [...ordered, ...together];
}

/**
 * Lines with the numbers of executions, in the order in which they appear, instead of their identifiers.
 *
 * @param {string[]} lines
 * @returns {string[]}
 */
function numbered(lines) {
	/** @type {Map<string, number>} */
	const executions = new Map();
	return lines.map((line) =>
		line.replace(/<execution ([^>]+)>/g, (_, id) => {
			if (!executions.has(id)) executions.set(id, executions.size + 1);
			return `execution ${executions.get(id)}`;
		}),
	);
}

/**
 * Lines that are the same whenever the same happens: in a fixed order, and with names instead of identifiers.
 *
 * @param {string[]} lines
 * @returns {string[]}
 */
const normalised = (lines) =>
	numbered(sortedTogether(inOrder(lines))).map((line) =>
		line.replace(/00000000-0000-4000-8000-0*(\d+)/g, 'row $1'),
	);

module.exports = {
	watchedExecute,
	watchedCredential,
	pathIn,
	endOf,
	isQuiet,
	normalised,
	numbered,
};
