import type { Ledger } from '../../nodes/ledger/ledger';
import type { StoredEntries } from '../../nodes/ledger/storedEntries';
import type { IExecuteFunctions, INode } from 'n8n-workflow';

import type { LockedResult } from '../../nodes/ledger/workflowLock';
import { Clock, seeded } from './clock';
import { Database } from './database';
import { Sources, type Package } from './package';
import { Computer, Process } from './process';

/*
 * What the package stores in n8n's database, without the nodes around it: processes of n8n call the ledger
 * and the deduplication of events themselves.
 */

type ClaimedEvents = Parameters<Package['claimEvents']>[1];

const computer = new Computer(new Sources());

let simulations = 0;

/** Longer than anything takes that is in flight. */
const IDLE_MS = 10 * 60_000;

interface Settings {
	/** The milliseconds that the next query takes. */
	nextLatency?: () => number;
	/** Everything random in the package comes from it. */
	seed?: number;
	/** Empty for a workflow that was not saved. */
	workflowId?: string;
}

/** Claims payments, and returns the keys of those that were there. */
export async function recordKeys(ledger: Ledger, keys: string[]): Promise<Set<string>> {
	const known = await ledger.claim(
		keys.map((key) => ({ key, digest: 'digest' })),
		(found) =>
			new Map(keys.filter((key) => found.get(key)?.reads === 'none').map((key) => [key, 0])),
	);
	return new Set(keys.filter((key) => known.get(key)?.reads !== 'none'));
}

/** Processes of n8n on one database. A new simulation ends the processes of the one before. */
export class StateSimulation {
	readonly clock = new Clock();

	readonly database: Database;

	private readonly random: () => number;

	constructor({
		nextLatency = () => 0,
		seed = 1,
		workflowId = `workflow-${++simulations}`,
	}: Settings = {}) {
		computer.clear();
		this.random = seeded(seed);
		const workflow = { id: workflowId, active: true };
		this.database = new Database(workflow, {}, nextLatency, () => undefined);
	}

	/** The key of the row of processed items that the nodes of the workflow share: the lock. */
	get lockRow(): string {
		return `${this.database.workflow.id} `;
	}

	/** The key of the row of processed items that belongs to a node. */
	rowOf(nodeId: string): string {
		return `${this.database.workflow.id} n:${nodeId}`;
	}

	/** @param random the random numbers of the process, from 0 to 1 */
	newProcess(random = this.random): Process {
		return new Process(this.clock, random, computer);
	}

	/** The ledger of a node, as an execution in a process has it. */
	ledger(nodeId: string, process = this.newProcess()): Ledger {
		return new process.package.Ledger(this.entries(nodeId, process), {
			scope: 'account',
			payeeScope: 'payees',
			duplicateWindowDays: 3,
		});
	}

	/** The entries of a node, as an execution in a process has them. */
	entries(nodeId: string, process = this.newProcess()): StoredEntries {
		return new process.package.StoredEntries(this.contextOf(process, nodeId));
	}

	/** Claims events for an execution of a trigger in a process. */
	async claim(process: Process, nodeId: string, events: ClaimedEvents): Promise<boolean[]> {
		return await process.package.claimEvents(this.contextOf(process, nodeId), events);
	}

	/** Does work in a process while it holds the lock of the workflow. */
	async withLock<T>(process: Process, work: () => Promise<T>): Promise<T> {
		return (await this.inTurn(process, work)).value;
	}

	/** Does the same, and returns with the value whether the lock was held alone. */
	async inTurn<T>(process: Process, work: () => Promise<T>): Promise<LockedResult<T>> {
		return await process.package.withWorkflowLock(this.contextOf(process, ''), work);
	}

	/** Lets time pass until the work is done. */
	async finish<T>(work: Promise<T>): Promise<T> {
		return await this.clock.finish(work);
	}

	/** Lets time pass until nothing is in flight. What a killed process was doing never ends. */
	async untilIdle(): Promise<void> {
		await this.clock.finish(this.clock.pause(IDLE_MS));
	}

	private contextOf(process: Process, nodeId: string): IExecuteFunctions {
		const { database } = this;
		const node = { id: nodeId } as INode;
		const context = {
			getWorkflow: () => database.workflow,
			getNode: () => node,
			helpers: database.helpersOf(process, node),
		};
		return context as unknown as IExecuteFunctions;
	}
}
