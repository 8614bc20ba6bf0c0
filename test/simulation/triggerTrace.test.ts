/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- runs outside n8n */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { Clock, cycle, seeded } from './clock';
import { Database } from './database';
import { EventService, type ApiFaultName } from './eventService';
import { Network } from './network';
import { Sources } from './package';
import { Computer, Process } from './process';
import { byLane, watchedTrigger } from './trace/triggerProbe.cjs';
import {
	QUEUE_SCENARIOS,
	SCENARIOS,
	type Action,
	type Scenario,
} from './trace/triggerScenarios.cjs';
import type { TransactionEvent } from './transactionEvents';
import { Installation, type Workflow } from './trigger';

/*
 * The simulated n8n is put through what the real one was put through when the trace of the trigger was recorded (`npm run
 * e2e -- --only trace-trigger --record`), with the same eyes on it. Where it differs, it is the simulation that is wrong.
 */

const RECORDED = JSON.parse(
	readFileSync(join(__dirname, 'trace/triggerRecorded.json'), 'utf8'),
) as Record<string, Record<string, string[]>>;

const computer = new Computer(new Sources());

/** Longer than whatever follows an action, and shorter than the time between two checks for missed events. */
const AFTERMATH_MS = 5 * 60_000;

const LISTENS_MS = 60_000;

/** In queue mode. */
const WORKERS = 2;

const PAYLOAD = {
	externalReference: 'reference',
	status: 'completed_transaction',
	transactionType: 'withdrawal_crypto',
	details: { transactionId: 'transaction', amount: '1', asset: 'USDC' },
};

const EVENT: TransactionEvent = {
	name: 'an event',
	mark: '',
	status: PAYLOAD.status,
	transaction: { id: 'transaction', reference: 'reference', type: '', statuses: [] },
	isNamed: true,
	hasReference: true,
	date: 0,
	payload: PAYLOAD,
	respelled: PAYLOAD,
};

/** A scenario in the simulated n8n. */
class Happening {
	private readonly clock = new Clock();

	private readonly random = seeded(1);

	private readonly written: string[] = [];

	private readonly service: EventService;

	private readonly installation: Installation;

	private readonly workflow: Workflow;

	private fault: ApiFaultName | undefined;

	private serviceFails = false;

	private handler: Action['handler'];

	private readonly ended = new Set<string>();

	constructor(
		private readonly scenario: Scenario,
		private readonly isQueue: boolean,
	) {
		this.service = new EventService(
			this.clock,
			{
				offset: 0,
				order: 'newest',
				isRowForEach: false,
				counts: false,
				retries: [],
				namesId: true,
				addsSlash: false,
				rowsBefore: 0,
				tokenLifetime: 1e12,
				requestsPerMinute: 0,
				nextFault: () => this.fault,
				nextLoginFault: () => undefined,
				nextMishap: () => undefined,
				nextOddity: () => undefined,
				nextChange: () => undefined,
				nextLatency: cycle([10]),
			},
			(delivery, answer) => this.installation.receive(delivery, answer),
			() => {},
		);
		const receive = this.service.receive.bind(this.service);
		this.service.receive = (request, reply) => {
			const isRegistration = request.method === 'POST' && request.path === '/v2/webhooks';
			this.fault = this.serviceFails
				? '500'
				: scenario.rejects && isRegistration
					? '403'
					: undefined;
			receive(request, reply);
		};
		this.workflow = {
			id: scenario.name,
			name: scenario.name,
			triggers: [],
			isPublished: false,
			isFailed: false,
			staticData: '{}',
		};
		this.workflow.triggers.push({
			name: 'the trigger',
			node: {
				id: 'trigger',
				name: 'On Event',
				type: 'n8n-nodes-partner-payments.partnerPaymentsTrigger',
				typeVersion: 1.1,
				position: [0, 0],
				webhookId: 'webhook-id',
				credentials: { partnerPaymentsApi: { id: 'credential', name: 'Credential' } },
				parameters: { events: ['completed_transaction'], checkForMissedEvents: 'everyHour' },
			},
			workflow: this.workflow,
			isRouted: false,
		});
		const credential = {
			baseUrl: 'https://service.example/api',
			email: `${scenario.name}@example.com`,
			password: 'secret',
			loginVersion: 'v2',
			environment: '',
			sessionToken: '',
		};
		this.installation = new Installation(
			'n8n',
			isQueue,
			'https://n8n.example',
			this.clock,
			new Database({ id: '', active: true }, credential, cycle([1]), () => undefined),
			new Network(this.clock, this.service, cycle([10]), () => false),
			() => this.newProcess(),
			{
				nextHandlerMs: () => (this.handler === 'hangs' ? Infinity : 100),
				nextFailure: () => this.handler === 'fails',
				nextIsListed: () => true,
			},
		);
		this.installation.workflows.push(this.workflow);
	}

	async lines(): Promise<string[]> {
		await this.clock.finish(this.happen());
		return byLane(this.written);
	}

	private readonly tell = (line: string): void => {
		this.written.push(line);
	};

	private newProcess(): Process {
		const process = new Process(this.clock, this.random, computer);
		const { PartnerPaymentsTrigger } = process.package;
		const watched = {
			PartnerPaymentsTrigger: watchedTrigger(PartnerPaymentsTrigger, this.tell) as never,
		};
		return Object.assign(process, { package: { ...process.package, ...watched } });
	}

	private async happen(): Promise<void> {
		this.start();
		for (const action of this.scenario.actions) {
			this.handler = action.handler ?? this.handler;
			this.serviceFails = action.serviceFails ?? this.serviceFails;
			this.tell(`person: ${action.is}`);
			this.act(action.is);
			await this.clock.pause(action.is === 'listen' ? LISTENS_MS / 2 : AFTERMATH_MS);
			this.tellEnds();
			if (this.workflow.isFailed) this.tell('n8n: the publication fails');
		}
	}

	/** Starts what is not running. */
	private start(): void {
		this.installation.start();
		while (this.isQueue && this.installation.workers.length < WORKERS) this.installation.work();
	}

	private act(is: Action['is']): void {
		const { installation, workflow } = this;
		const [trigger] = workflow.triggers;
		switch (is) {
			case 'publish':
				return installation.publish(workflow);
			case 'unpublish':
				return installation.unpublish(workflow);
			case 'listen':
				return void installation.listen(trigger, LISTENS_MS);
			case 'stop listening':
				// It ends by itself.
				return;
			case 'event':
			case 'event again':
				return this.service.happen(EVENT);
			case 'stop':
				return void installation.stop();
			case 'kill':
				return installation.main?.kill();
			case 'kill worker':
				return installation.executions[0].process?.kill();
			case 'start':
				this.handler = undefined;
				return this.start();
			case 'retry':
				this.handler = undefined;
				return installation.retry(installation.executions[0]);
		}
	}

	private tellEnds(): void {
		for (const { id, status } of this.installation.executions) {
			if (this.ended.has(id) || ['new', 'running', 'lost'].includes(status)) continue;
			this.ended.add(id);
			this.tell(`n8n: ends <execution ${id}>: ${status === 'dropped' ? 'error' : status}`);
		}
	}
}

/** The simulated n8n is n8n 2. If a publication fails, n8n 1 does not try again, and starts no trigger. */
const isDifferent = (n8n: string, { rejects = false }: Scenario): boolean =>
	n8n.startsWith('1.') && rejects;

describe.each(Object.keys(RECORDED))('the simulated n8n treats the trigger like n8n %s', (n8n) => {
	const isQueue = n8n.endsWith('in queue mode');
	const scenarios = isQueue ? QUEUE_SCENARIOS : SCENARIOS;

	test.each(scenarios.filter((one) => !isDifferent(n8n, one)))('$name', async (scenario) => {
		const lines = await new Happening(scenario, isQueue).lines();
		expect(lines).toEqual(RECORDED[n8n][scenario.name]);
	});
});
