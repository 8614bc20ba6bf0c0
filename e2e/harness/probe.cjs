/**
 * Traces n8n from inside: its calls to the package, its storage and its requests, as lines in the file
 * in TRACE_FILE. n8n loads it with `node --require`.
 */
'use strict';

const diagnostics = require('node:diagnostics_channel');
const { appendFileSync } = require('node:fs');
const Module = require('node:module');
const {
	pathIn,
	watchedCredential,
	watchedExecute,
} = require('../../test/simulation/trace/probe.cjs');
const { watchedTrigger } = require('../../test/simulation/trace/triggerProbe.cjs');

/** @param {string} line */
const tell = (line) => appendFileSync(process.env.TRACE_FILE ?? '', `${line}\n`);

const API = /^\/api\/+v\d/;

/** @param {any} request */
const isOurs = ({ path }) => API.test(path);

diagnostics.subscribe('http.client.request.start', ({ request }) => {
	if (isOurs(request)) tell(`network: ${request.method} ${pathIn(request.path)}`);
});
diagnostics.subscribe('http.client.response.finish', ({ request, response }) => {
	if (isOurs(request)) tell(`network: ${response.statusCode}`);
});

/**
 * @param {string} sql
 * @param {unknown} parameters
 */
function tellStatement(sql, parameters) {
	const [, verb, table] =
		/^\s*(SELECT|INSERT|UPDATE|DELETE)\b.*?"(processed_data|credentials_entity)"/s.exec(sql) ?? [];
	if (table === 'processed_data') {
		const isOfNode = [parameters].flat().some((one) => /^n:/.test(String(one)));
		tell(`database: ${verb} processed items of the ${isOfNode ? 'node' : 'workflow'}`);
	} else if (table && verb === 'UPDATE') tell('database: UPDATE the credential');
}

/**
 * What a node executes, without its choice of the operation: the simulated n8n begins with the operation.
 *
 * @param {(this: any) => Promise<any[][]>} execute
 * @param {any} context that is not watched
 */
const operationOf = (execute, context) =>
	/** @this {any} */
	async function () {
		const getNodeParameter = (/** @type {string} */ name, /** @type {any[]} */ ...rest) =>
			(['resource', 'operation'].includes(name) ? context : this).getNodeParameter(name, ...rest);
		const get = (/** @type {any} */ target, /** @type {string} */ key) =>
			key === 'getNodeParameter' ? getNodeParameter : target[key];
		const [items] = await execute.call(new Proxy(this, { get }));
		return items;
	};

/** Patches for loaded modules, by the end of their names. */
const WATCHED = {
	'PartnerPayments.node'(exports) {
		const { execute } = exports.PartnerPayments.prototype;
		exports.PartnerPayments.prototype.execute = async function () {
			if (this.getNodeParameter('operation', 0) !== 'createBank') return await execute.call(this);
			return [await watchedExecute(operationOf(execute, this), tell).call(this)];
		};
	},
	'PartnerPaymentsApi.credentials'(exports) {
		exports.PartnerPaymentsApi = watchedCredential(exports.PartnerPaymentsApi, tell);
	},
	'PartnerPaymentsTrigger.node'(exports) {
		exports.PartnerPaymentsTrigger = watchedTrigger(exports.PartnerPaymentsTrigger, tell);
	},
	sqlite3({ Database }) {
		for (const name of ['run', 'all', 'get']) {
			const own = Database.prototype[name];
			Database.prototype[name] = function (sql, ...rest) {
				tellStatement(sql, rest[0]);
				return own.call(this, sql, ...rest);
			};
		}
	},
};

/** @type {any} */
const modules = Module;
const load = modules._load;
const seen = new Set();
modules._load = function (request, ...rest) {
	const exports = load.call(this, request, ...rest);
	const name = /([^/\\]+?)(\.js)?$/.exec(request)?.[1] ?? '';
	if (Object.hasOwn(WATCHED, name) && !seen.has(exports)) {
		seen.add(exports);
		WATCHED[name](exports);
	}
	return exports;
};
