/**
 * Starts a real n8n and drives it as the editor does, through its REST interface.
 *
 * It works with every n8n version: where they differ, the running n8n's responses decide.
 */
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ExpectedError } from './errors.mjs';
import { findPort } from './ports.mjs';
import { runProcess, startProcess, waitForOutput } from './processes.mjs';

/**
 * A stored credential.
 *
 * @typedef {{ id: string, name: string, type: string }} Credential
 */

/**
 * A node of a workflow, as n8n stores it; n8n has further settings.
 *
 * @typedef {object} WorkflowNode
 * @property {string} id
 * @property {string} name
 * @property {string} type
 * @property {number} typeVersion
 * @property {number[]} position
 * @property {Record<string, any>} parameters
 * @property {Record<string, { id: string, name: string }>} [credentials]
 * @property {string} [webhookId]
 * @property {string} [onError]
 * @property {boolean} [disabled]
 */

/**
 * A workflow as it is exported and imported.
 *
 * @typedef {object} Workflow
 * @property {string} name
 * @property {WorkflowNode[]} nodes
 * @property {Record<string, any>} connections
 * @property {object} [settings]
 * @property {object} [pinData]
 * @property {object} [meta]
 */

/**
 * An output item of a node.
 *
 * @typedef {{ json: any, binary?: any, pairedItem?: any }} Item
 */

/** An error response of n8n. */
class N8nError extends Error {
	/**
	 * @param {string} message
	 * @param {number} status
	 * @param {string} answer
	 */
	constructor(message, status, answer) {
		super(message);
		this.status = status;
		this.answer = answer;
	}
}

/** The owner of an n8n that was started here. It listens on loopback and is removed afterwards. */
export const DEFAULT_OWNER = {
	email: 'demo@example.com',
	password: 'Demo-only-password-1',
	firstName: 'Demo',
	lastName: 'Owner',
};

const READY = {
	start: /Editor is now accessible/,
	worker: /n8n worker is now ready/i,
	webhook: /Webhook listener waiting for requests/i,
};

/** Settings for an n8n that makes no external requests and stores everything in its own folder. */
const QUIET = {
	NODE_ENV: 'production',
	N8N_LISTEN_ADDRESS: '127.0.0.1',
	N8N_HOST: '127.0.0.1',
	N8N_PROTOCOL: 'http',
	N8N_SECURE_COOKIE: 'false',
	N8N_ENFORCE_SETTINGS_FILE_PERMISSIONS: 'true',
	N8N_RUNNERS_BROKER_LISTEN_ADDRESS: '127.0.0.1',
	EXECUTIONS_DATA_SAVE_ON_SUCCESS: 'all',
	EXECUTIONS_DATA_SAVE_ON_ERROR: 'all',
	EXECUTIONS_DATA_SAVE_MANUAL_EXECUTIONS: 'true',
	// Disables telemetry, surveys and notifications.
	N8N_DIAGNOSTICS_ENABLED: 'false',
	N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
	N8N_VERSION_NOTIFICATIONS_WHATS_NEW_ENABLED: 'false',
	N8N_DYNAMIC_BANNERS_ENABLED: 'false',
	N8N_TEMPLATES_ENABLED: 'false',
	N8N_PERSONALIZATION_ENABLED: 'false',
	N8N_HIRING_BANNER_ENABLED: 'false',
	N8N_LICENSE_AUTO_RENEW_ENABLED: 'false',
	N8N_AI_ENABLED: 'false',
	// Loads community packages from disk, without lookup or installation.
	N8N_COMMUNITY_PACKAGES_ENABLED: 'true',
	N8N_VERIFIED_PACKAGES_ENABLED: 'false',
	N8N_UNVERIFIED_PACKAGES_ENABLED: 'true',
	N8N_REINSTALL_MISSING_PACKAGES: 'false',
};

/** Modules of n8n that fetch data from n8n's servers at every start. n8n exits if one doesn't exist. */
const UNWANTED_MODULES = ['mcp-registry'];

/** The environment variables that n8n needs. Others could change its behaviour. */
const INHERITED = /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_.*|TZ|TMPDIR|TEMP|TMP|SYSTEMROOT)$/i;

/**
 * Start n8n and wait until it is ready.
 *
 * @param {object} options
 * @param {import('./install.mjs').Installation} options.installation
 * @param {string} options.userFolder n8n keeps all its data in `.n8n` inside it
 * @param {number} [options.port] any free one unless given
 * @param {string[]} [options.filesFolders] folders whose files workflows may read and write
 * @param {Record<string, string>} [options.env] further environment variables, which win
 * @param {'start' | 'worker' | 'webhook'} [options.command]
 * @param {typeof DEFAULT_OWNER} [options.owner]
 * @param {string} [options.logFile]
 * @param {number} [options.timeoutMs]
 */
export async function startN8n({
	installation,
	userFolder,
	port,
	filesFolders = [],
	env = {},
	command = 'start',
	owner = DEFAULT_OWNER,
	logFile = path.join(userFolder, `n8n-${command}.log`),
	timeoutMs = 600_000,
}) {
	mkdirSync(userFolder, { recursive: true });
	const ownPort = port ?? (await findPort());
	const inherited = Object.fromEntries(
		Object.entries(process.env).filter(([name]) => INHERITED.test(name)),
	);
	const settings = {
		cwd: userFolder,
		env: {
			...inherited,
			...QUIET,
			// n8n starts its task runners with the first `node` on the path.
			PATH: [path.dirname(installation.node), process.env.PATH].join(path.delimiter),
			N8N_DISABLED_MODULES: presentModules(installation, UNWANTED_MODULES).join(','),
			N8N_USER_FOLDER: userFolder,
			N8N_PORT: String(ownPort),
			N8N_RUNNERS_BROKER_PORT: String(await findPort()),
			...(filesFolders.length ? { N8N_RESTRICT_FILE_ACCESS_TO: filesFolders.join(';') } : {}),
			...env,
		},
	};
	const child = startProcess(installation.node, [installation.bin, command], {
		name: command === 'start' ? 'n8n' : `n8n ${command}`,
		logFile,
		...settings,
	});
	try {
		await waitForOutput(child, READY[command], { timeoutMs });
		const url = `http://127.0.0.1:${ownPort}`;
		const { version } = installation;
		const n8n = new N8n({ child, settings, installation, version, url, owner });
		if (command === 'start') await n8n.signIn();
		return n8n;
	} catch (error) {
		await child.stop();
		throw error;
	}
}

/**
 * Connects to an n8n that somebody else has started: it has the package and reaches this machine's loopback addresses,
 * and its owner is `owner`, or it has none yet.
 *
 * @param {{ url: string, owner?: typeof DEFAULT_OWNER }} options
 */
export async function connectN8n({ url, owner = DEFAULT_OWNER }) {
	const notHere = () => {
		throw new ExpectedError(
			`The n8n at ${url} was not started here: run this test without --address.`,
		);
	};
	const child = /** @type {any} */ ({
		logs: () => '',
		stop: async () => {},
		kill: notHere,
		get logFile() {
			return notHere();
		},
	});
	// It has no installation here.
	const n8n = new N8n(/** @type {any} */ ({ child, url, owner }));
	await n8n.signIn();
	n8n.version = (await n8n.rest('GET', '/settings')).versionCli;
	return n8n;
}

/**
 * @param {import('./install.mjs').Installation} installation
 * @param {string[]} names
 */
function presentModules(installation, names) {
	const modules = path.join(installation.dir, 'node_modules/n8n/dist/modules');
	return names.filter((name) => existsSync(path.join(modules, name)));
}

/** A running n8n. */
export class N8n {
	#child;
	#settings;

	/** The session cookie. */
	#cookie = '';

	/**
	 * @param {object} options
	 * @param {import('./processes.mjs').Process} options.child
	 * @param {{ cwd: string, env: NodeJS.ProcessEnv }} options.settings that it was started with
	 * @param {import('./install.mjs').Installation} options.installation
	 * @param {string} options.version
	 * @param {string} options.url
	 * @param {typeof DEFAULT_OWNER} options.owner
	 */
	constructor({ child, settings, installation, version, url, owner }) {
		this.#child = child;
		this.#settings = settings;
		this.installation = installation;
		this.version = version;
		this.url = url;
		this.port = Number(new URL(url).port);
		this.owner = owner;
	}

	get logFile() {
		return this.#child.logFile;
	}

	get pid() {
		return this.#child.pid;
	}

	get whenEnded() {
		return this.#child.whenEnded;
	}

	get hasEnded() {
		return this.#child.ended !== undefined;
	}

	/**
	 * n8n's log, or its last lines.
	 *
	 * @param {number} [lines]
	 */
	logs(lines) {
		return this.#child.logs(lines);
	}

	/** @param {Parameters<import('./processes.mjs').Process['stop']>[0]} [options] */
	/** Waits until n8n's log matches. */
	waitForOutput(pattern) {
		return waitForOutput(this.#child, pattern);
	}

	stop(options) {
		return this.#child.stop(options);
	}

	/**
	 * Runs another n8n command on the same data.
	 *
	 * @param {string[]} args
	 */
	async command(...args) {
		const { node, bin } = this.installation;
		const name = `n8n ${args[0]}`;
		const logFile = `${this.logFile}.${args[0].replace(':', '-')}`;
		await runProcess(node, [bin, ...args], { name, logFile, ...this.#settings });
	}

	/**
	 * Kills it without letting it finish anything.
	 *
	 * @param {NodeJS.Signals} [signal]
	 */
	kill(signal) {
		return this.#child.kill(signal);
	}

	/** Signs in as the owner, and creates the owner first if there is none. */
	async signIn() {
		const settings = await this.rest('GET', '/settings');
		if (settings.userManagement?.showSetupOnFirstLoad) {
			await this.rest('POST', '/owner/setup', this.owner);
		} else {
			const { email, password } = this.owner;
			// The first field's name differs between versions; each ignores the other's.
			await this.rest('POST', '/login', { emailOrLdapLoginId: email, email, password });
		}
	}

	/**
	 * Call n8n's own REST interface, as its editor does.
	 *
	 * @param {string} method
	 * @param {string} route
	 * @param {unknown} [body]
	 * @returns {Promise<any>} the answer's `data`
	 */
	async rest(method, route, body) {
		const response = await this.fetch(`/rest${route}`, {
			method,
			headers: {
				...(this.#cookie ? { cookie: this.#cookie } : {}),
				...(body === undefined ? {} : { 'content-type': 'application/json' }),
			},
			body: body === undefined ? undefined : JSON.stringify(body),
		});
		const cookie = response.headers.getSetCookie().find((entry) => entry.startsWith('n8n-auth='));
		if (cookie) this.#cookie = cookie.split(';')[0];
		const text = await response.text();
		if (!response.ok) {
			const { status } = response;
			throw new N8nError(`n8n: ${method} ${route} answered ${status}: ${text}`, status, text);
		}
		return text ? JSON.parse(text).data : undefined;
	}

	/**
	 * An unauthenticated request to this n8n, for instance to a webhook of a workflow.
	 *
	 * @param {string} route
	 * @param {RequestInit} [init]
	 */
	async fetch(route, init) {
		// A connection for each request: n8n may close one while it is reused, and a POST must not be sent twice.
		const headers = new Headers(init?.headers);
		headers.set('connection', 'close');
		return await fetch(`${this.url}${route}`, { ...init, headers });
	}

	/**
	 * The node types or credential types that the editor offers.
	 *
	 * @returns {Promise<any[]>}
	 */
	async types(kind = 'nodes') {
		const response = await this.fetch(`/types/${kind}.json`, {
			headers: { cookie: this.#cookie },
		});
		if (!response.ok) throw new Error(`n8n: /types/${kind}.json answered ${response.status}`);
		return /** @type {any} */ (await response.json());
	}

	/**
	 * @param {{ name: string, type: string, data: object }} credential
	 * @returns {Promise<Credential>}
	 */
	async createCredential({ name, type, data }) {
		return await this.rest('POST', '/credentials', { name, type, data });
	}

	/**
	 * @param {string} id
	 * @param {{ name: string, type: string, data: object }} credential
	 */
	async updateCredential(id, { name, type, data }) {
		return await this.rest('PATCH', `/credentials/${id}`, { name, type, data });
	}

	/**
	 * What the button for testing a credential in the editor does. Only stored credentials can be tested.
	 *
	 * @param {Credential & { data: object }} credential
	 */
	async testCredential({ id, name, type, data }) {
		return await this.rest('POST', '/credentials/test', { credentials: { id, name, type, data } });
	}

	/**
	 * Imports a workflow as the editor does, without its id and active flag.
	 *
	 * @param {Workflow} workflow
	 */
	async createWorkflow({ name, nodes, connections, settings = {}, pinData, meta }) {
		return await this.rest('POST', '/workflows', {
			// Without it, n8n 1 stores nothing.
			active: false,
			name,
			nodes,
			connections,
			settings,
			...(pinData ? { pinData } : {}),
			...(meta ? { meta } : {}),
		});
	}

	/**
	 * @param {string} id
	 * @param {Partial<Workflow>} changes
	 */
	async updateWorkflow(id, changes) {
		const current = await this.rest('GET', `/workflows/${id}`);
		return await this.rest('PATCH', `/workflows/${id}`, {
			name: current.name,
			nodes: current.nodes,
			connections: current.connections,
			settings: current.settings,
			versionId: current.versionId,
			...changes,
		});
	}

	/**
	 * Activate (publish) a workflow and wait until its triggers are registered.
	 *
	 * From 2.41, n8n answers before it registers, and reports the result elsewhere.
	 *
	 * @param {string} id
	 * @param {{ timeoutMs?: number }} [options]
	 */
	async activate(id, { timeoutMs = 120_000 } = {}) {
		const { versionId, settings } = await this.rest('GET', `/workflows/${id}`);
		try {
			await this.rest('POST', `/workflows/${id}/activate`, { versionId });
		} catch (error) {
			if (error.status !== 404) throw error;
			await this.rest('PATCH', `/workflows/${id}`, { active: true, versionId, settings });
		}
		const deadline = Date.now() + timeoutMs;
		for (;;) {
			const publication = await this.publicationStatus(id);
			if (!publication || publication.status === 'published') return publication;
			if (['failed', 'partial'].includes(publication.status) || Date.now() > deadline) {
				throw new Error(`n8n: the workflow was not published: ${JSON.stringify(publication)}`);
			}
			await sleep(100);
		}
	}

	/** @param {string} id */
	async deactivate(id) {
		const { versionId, settings } = await this.rest('GET', `/workflows/${id}`);
		try {
			return await this.rest('POST', `/workflows/${id}/deactivate`, {});
		} catch (error) {
			if (error.status !== 404) throw error;
			return await this.rest('PATCH', `/workflows/${id}`, { active: false, versionId, settings });
		}
	}

	/**
	 * The result of registering a workflow's triggers. Undefined if n8n registers before it answers.
	 *
	 * @param {string} id
	 */
	async publicationStatus(id) {
		const read = async () => await this.rest('GET', `/workflows/${id}/publication-status`);
		try {
			const publication = await read();
			// n8n asks at once whether it still registers and what came of it: if it ends between the two, the answer is
			// "ended" with the result of the registration before.
			return publication.status === 'in_progress' ? publication : await read();
		} catch (error) {
			if (error.status === 404) return undefined;
			throw error;
		}
	}

	/**
	 * Start a workflow from one of its triggers as the editor's button does; returns the execution's id.
	 *
	 * @param {string} id
	 * @param {{ trigger?: string }} [options]
	 * @returns {Promise<string>}
	 */
	async startWorkflow(id, { trigger } = {}) {
		const workflow = await this.rest('GET', `/workflows/${id}`);
		const start = trigger ?? workflow.nodes.find((node) => /manualTrigger$/.test(node.type))?.name;
		if (!start) throw new Error(`The workflow ${workflow.name} has no manual trigger`);
		const { executionId } = await this.rest('POST', `/workflows/${id}/run`, {
			// n8n 1 runs what it is sent; n8n 2 runs what is stored and ignores this.
			workflowData: workflow,
			triggerToStartFrom: { name: start },
		});
		return executionId;
	}

	/**
	 * Run a workflow and wait for its end.
	 *
	 * @param {string} id
	 * @param {{ trigger?: string, timeoutMs?: number }} [options]
	 */
	async runWorkflow(id, { trigger, ...wait } = {}) {
		return await this.waitForExecution(await this.startWorkflow(id, { trigger }), wait);
	}

	/**
	 * "Retry execution" of a failed execution, with the workflow as it was or as it is now.
	 *
	 * @param {string} id
	 * @param {{ loadWorkflow?: boolean, timeoutMs?: number }} [options]
	 */
	async retryExecution(id, { loadWorkflow = false, ...wait } = {}) {
		const { id: retried, executionId } = await this.rest('POST', `/executions/${id}/retry`, {
			loadWorkflow,
		});
		return await this.waitForExecution(retried ?? executionId, wait);
	}

	/** @param {string} id */
	async stopExecution(id) {
		return await this.rest('POST', `/executions/${id}/stop`);
	}

	/**
	 * Executions of a workflow, the newest first, without their data.
	 *
	 * @param {string} workflowId
	 * @returns {Promise<any[]>}
	 */
	async listExecutions(workflowId) {
		const filter = encodeURIComponent(JSON.stringify({ workflowId }));
		const { results } = await this.rest('GET', `/executions?filter=${filter}&limit=50`);
		return results;
	}

	/**
	 * On a busy machine, n8n may briefly report that its database is not ready.
	 *
	 * @param {string} id
	 */
	async #executionNow(id) {
		try {
			return await this.rest('GET', `/executions/${id}`);
		} catch (error) {
			if (error.status !== 503) throw error;
			return { status: 'unknown' };
		}
	}

	/**
	 * @param {string} id
	 * @param {{ timeoutMs?: number }} [options]
	 */
	async waitForExecution(id, { timeoutMs = 600_000 } = {}) {
		const deadline = Date.now() + timeoutMs;
		for (let pause = 50; ; pause = Math.min(pause * 1.5, 1_000)) {
			const execution = await this.#executionNow(id);
			if (!['new', 'running', 'waiting', 'unknown'].includes(execution.status)) {
				return await this.#completed(await this.#readExecution(execution));
			}
			if (Date.now() > deadline) {
				throw new Error(`n8n: execution ${id} is still ${execution.status} after ${timeoutMs} ms`);
			}
			await sleep(pause);
		}
	}

	/**
	 * n8n 1 stores the status of an execution before its data. A crashed one has no data.
	 *
	 * @param {Execution} execution
	 * @param {{ timeoutMs?: number }} [options]
	 */
	async #completed(execution, { timeoutMs = 2_000 } = {}) {
		const deadline = Date.now() + timeoutMs;
		let latest = execution;
		while (!latest.isComplete && Date.now() < deadline) {
			await sleep(50);
			latest = await this.getExecution(execution.id);
		}
		return latest;
	}

	/**
	 * @param {string} id
	 * @returns {Promise<Execution>}
	 */
	async getExecution(id) {
		return await this.#readExecution(await this.rest('GET', `/executions/${id}`));
	}

	/**
	 * The content of an item's binary property, wherever n8n stores it.
	 *
	 * @param {{ data: string, id?: string }} binary
	 */
	async readBinary({ data, id }) {
		if (!id) return Buffer.from(data, 'base64');
		const response = await this.fetch(
			`/rest/binary-data?id=${encodeURIComponent(id)}&action=download`,
			{ headers: { cookie: this.#cookie } },
		);
		if (!response.ok) throw new Error(`n8n: binary data ${id} answered ${response.status}`);
		return Buffer.from(await response.arrayBuffer());
	}

	async #readExecution(raw) {
		// Only here: the demo begins before anything is installed.
		const { parse } = await import('flatted');
		// The stored form has every value once and refers to it by position.
		const data = typeof raw.data === 'string' ? parse(raw.data) : raw.data;
		return new Execution({ ...raw, data });
	}
}

/** A finished execution. */
export class Execution {
	/** @param {{ id: string, status: string, mode: string, startedAt: string, stoppedAt: string, workflowId: string, data: any }} stored */
	constructor({ id, status, mode, startedAt, stoppedAt, workflowId, data }) {
		this.id = id;
		this.status = status;
		this.mode = mode;
		this.startedAt = startedAt;
		this.stoppedAt = stoppedAt;
		this.workflowId = workflowId;
		this.data = data;
	}

	/** Its duration in milliseconds. */
	get duration() {
		return Date.parse(this.stoppedAt) - Date.parse(this.startedAt);
	}

	/** The error that ended the execution, if any. */
	get error() {
		return this.data?.resultData?.error;
	}

	/** Whether its data is stored. */
	get isComplete() {
		const { error, lastNodeExecuted } = this.data?.resultData ?? {};
		return Boolean(this.status === 'success' ? lastNodeExecuted : error);
	}

	/**
	 * Every run of a node, in order.
	 *
	 * @param {string} node
	 * @returns {any[]}
	 */
	runs(node) {
		return this.data?.resultData?.runData?.[node] ?? [];
	}

	/**
	 * The items of one output of a node's last run, or of a given run.
	 *
	 * @param {string} node
	 * @param {{ output?: number, run?: number }} [options]
	 * @returns {Item[]}
	 */
	items(node, { output = 0, run = -1 } = {}) {
		return this.runs(node).at(run)?.data?.main?.[output] ?? [];
	}

	/**
	 * The same items, only their JSON.
	 *
	 * @param {string} node
	 * @param {{ output?: number, run?: number }} [options]
	 */
	json(node, options) {
		return this.items(node, options).map((item) => item.json);
	}

	/**
	 * The error of a node.
	 *
	 * @param {string} node
	 * @param {{ run?: number }} [options]
	 */
	nodeError(node, { run = -1 } = {}) {
		return this.runs(node).at(run)?.error;
	}
}
