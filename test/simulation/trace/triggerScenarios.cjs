/** The scenarios of the trigger that run in a real n8n and in the simulated one. */
'use strict';

/**
 * What a person, the machine or the service does. The next follows when n8n has done what `then` names.
 *
 * - publish, unpublish, listen and stop listening: in the editor
 * - event: a transaction completes; `again`: the same event once more
 * - stop, kill and start: n8n; in queue mode, kill: main, kill worker: the one that runs the first execution, and
 *   start: whatever has ended
 * - retry: of the first execution
 *
 * @typedef {object} Action
 * @property {'publish' | 'unpublish' | 'listen' | 'stop listening' | 'event' | 'event again' | 'stop' | 'kill' | 'kill worker' | 'start' | 'retry'} is
 * @property {string[]} [then] parts of lines
 * @property {'fails' | 'hangs'} [handler] how the rest of the workflow behaves from here on
 * @property {boolean} [serviceFails] from here on
 */

/**
 * @typedef {object} Scenario
 * @property {string} name
 * @property {Action[]} actions
 * @property {boolean} [rejects] the service rejects new webhooks
 */

const BEGINS = ['hooks: checkExists', 'trigger: is ready'];
const HANDLED = ['webhook: ', 'execution: <', 'n8n: ends'];

/** @type {Action} */
const PUBLISH = { is: 'publish', then: BEGINS };

/** @type {Action} */
const UNPUBLISH = { is: 'unpublish', then: ['hooks: delete', 'trigger: is closed'] };

/** @type {Action} */
const START = { is: 'start', then: BEGINS };

/** @type {Action} */
const EVENT = { is: 'event', then: HANDLED };

/** @type {Action} */
const LISTEN = { is: 'listen', then: ['hooks: c'] };

/** @type {Action} */
const STOP_LISTENING = { is: 'stop listening', then: ['hooks: delete'] };

/** @type {Scenario[]} */
const SCENARIOS = [
	{
		name: 'a workflow is published and unpublished, twice',
		actions: [PUBLISH, UNPUBLISH, PUBLISH, UNPUBLISH],
	},
	{
		name: 'the service rejects the registration',
		rejects: true,
		actions: [{ is: 'publish', then: ['n8n: the publication fails'] }],
	},
	{ name: 'n8n is stopped and started', actions: [PUBLISH, { is: 'stop' }, START] },
	{ name: 'n8n is killed and started', actions: [PUBLISH, { is: 'kill' }, START] },
	{
		name: 'the service fails when n8n starts',
		actions: [PUBLISH, { is: 'kill' }, { ...START, serviceFails: true, then: BEGINS }],
	},
	{
		name: 'somebody listens for a test event of an unpublished workflow',
		actions: [LISTEN, STOP_LISTENING, LISTEN, STOP_LISTENING],
	},
	{
		name: 'somebody listens for a test event of a published workflow',
		actions: [PUBLISH, LISTEN, STOP_LISTENING],
	},
	{
		name: 'an event is delivered, and once more',
		actions: [PUBLISH, EVENT, { is: 'event again', then: HANDLED }],
	},
	{
		name: 'an event is missed while n8n is down',
		actions: [
			PUBLISH,
			{ is: 'kill' },
			{ is: 'event' },
			{ is: 'start', then: [...BEGINS, 'n8n: ends', 'trigger: is told'] },
		],
	},
	{
		name: 'the rest of the workflow fails, and the execution is retried',
		actions: [PUBLISH, { ...EVENT, handler: 'fails' }, { is: 'retry', then: ['n8n: ends'] }],
	},
];

/** In queue mode, with two workers and a webhook processor. @type {Scenario[]} */
const QUEUE_SCENARIOS = [
	{
		name: 'a workflow is published and unpublished',
		actions: [PUBLISH, UNPUBLISH],
	},
	{
		name: 'main is killed and started',
		actions: [PUBLISH, { is: 'kill' }, START],
	},
	{
		name: 'an event is delivered, and once more',
		actions: [PUBLISH, EVENT, { is: 'event again', then: HANDLED }],
	},
	{
		name: 'the rest of the workflow fails, and the execution is retried',
		actions: [PUBLISH, { ...EVENT, handler: 'fails' }, { is: 'retry', then: ['n8n: ends'] }],
	},
	{
		name: 'a worker is killed before the rest of the workflow ends, and the execution is retried',
		actions: [
			PUBLISH,
			{ is: 'event', handler: 'hangs', then: ['webhook: ', ' gives '] },
			{ is: 'kill worker', then: ['n8n: ends'] },
			{ is: 'start' },
			{ is: 'retry', then: ['n8n: ends'] },
		],
	},
];

module.exports = { SCENARIOS, QUEUE_SCENARIOS };
