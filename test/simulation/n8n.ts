import type { IDataObject, IExecuteFunctions, INode, INodeExecutionData } from 'n8n-workflow';

import type { MessageCode } from '../../nodes/messages/userMessage';
import type { Clock } from './clock';
import type { Database } from './database';
import type { Network } from './network';
import type { Process } from './process';

/** What is reported for a row: in an item, in the error or in the log. Whom and what it pays is missing in the log. */
export interface Reported {
	/** The index of the row among the input items of all runs. */
	item: number;
	outcome: string;
	reference: string;
	code?: MessageCode;
	transactionId?: string;
	/** The service's status of the transaction. */
	status?: string;
	/** The amount that the row is reported with; empty if it may not be the one that was sent. */
	amount?: string;
	/** Also empty then. */
	payee?: string;
	message?: string;
	/** When the node reported it. */
	at: number;
}

/** What the node itself reports for a row. */
type NodeReport = Omit<Reported, 'at'>;

/** What n8n has stored of an execution. A retry continues from it. */
export interface Stored {
	/** The node's context, as JSON. */
	context: string;
	/** The next run of the node. */
	run: number;
}

const FROM_THE_START: Stored = { context: '{}', run: 0 };

/** The progress of a running execution. */
interface Progress {
	context: object;
	/** The next run of the node. */
	run: number;
	reported: Reported[];
	/** Whether the node is running or waits for its next try. Then a retry has nothing to continue from. */
	isRunning: boolean;
}

/** What a node does when it is executed. */
export type Work = (this: IExecuteFunctions, process: Process) => Promise<INodeExecutionData[]>;

export type Status = 'running' | 'success' | 'error' | 'canceled' | 'crashed';

/** One execution: the runs of one node. */
export class Execution {
	status: Status = 'running';

	/** What it has reported when it has ended. */
	readonly reported: Reported[] = [];

	/** What "Retry execution" continues from. Until it has ended, that is where it began itself. */
	stored: Stored;

	/** The items of the last run of the node, by output. */
	outputs: INodeExecutionData[][] = [];

	endedAt = Infinity;

	/** Whether somebody has pressed Stop. */
	isStopped = false;

	/** Whether the node has had all its runs. */
	isFinished = false;

	/** The node's hints, of all its tries. */
	readonly hints: string[] = [];

	/** What the editor shows above the output of each run, by its number. A further try replaces it. */
	readonly shownHints = new Map<number, string[]>();

	/** The error that ended it. */
	error?: { message: string; description?: string | null };

	/** The invariants that the node violated while it ran. */
	readonly violations: string[] = [];

	/** Resolves when it has ended, in any way. */
	readonly ended: Promise<void>;

	readonly abort = new AbortController();

	private tellEnd = (): void => {};

	/**
	 * @param runs the items of each run of the node; a loop has many
	 * @param from the execution that this one retries
	 */
	constructor(
		readonly id: string,
		readonly process: Process,
		readonly node: INode,
		readonly runs: IDataObject[][],
		readonly startedAt: number,
		readonly from?: Execution,
	) {
		this.stored = from?.stored ?? FROM_THE_START;
		this.ended = new Promise((resolve) => {
			this.tellEnd = resolve;
		});
	}

	end(status: Status, at: number): void {
		if (this.status !== 'running') return;
		this.status = status;
		this.endedAt = at;
		this.tellEnd();
	}

	/** Whether n8n offers "Retry execution". */
	get isRetriable(): boolean {
		return this.status !== 'running' && !this.isFinished;
	}

	/** The executions whose state is stored with it, the newest first. */
	get remembered(): Execution[] {
		const isCutOff = this.status === 'crashed' || this.isStopped;
		return [...(isCutOff ? [] : [this]), ...(this.from?.remembered ?? [])];
	}

	/** The number of items in the runs before one. */
	itemsBefore(run: number): number {
		return this.runs.slice(0, run).reduce((sum, { length }) => sum + length, 0);
	}
}

/** The part of n8n's engine that a node depends on (`workflow-execute.js` of n8n-core). */
export class N8n {
	readonly executions: Execution[] = [];

	constructor(
		private readonly clock: Clock,
		readonly database: Database,
		private readonly network: Network,
		private readonly work: Work,
	) {}

	/** Starts a new execution, or retries one with the current settings of the node. */
	start(process: Process, node: INode, runs: IDataObject[][], from?: Execution): Execution {
		const id = `execution-${this.executions.length + 1}`;
		const execution = new Execution(id, process, node, runs, this.clock.now, from);
		this.executions.push(execution);
		void this.run(execution, execution.stored);
		return execution;
	}

	/** The executions of a killed process have crashed. Nothing more of them is stored. */
	crash(process: Process): void {
		for (const execution of this.executions) {
			if (execution.process === process) execution.end('crashed', this.clock.now);
		}
	}

	/**
	 * Stops an execution, or ends it at its time limit. The node goes on in the background. At a time limit n8n stores the
	 * state of the execution. After Stop it stores the execution as it was when it began.
	 */
	async cancel(execution: Execution, by: 'stop' | 'timeLimit' = 'stop'): Promise<void> {
		if (execution.abort.signal.aborted || this.saving.has(execution)) return;
		execution.abort.abort();
		await this.save(execution, 'canceled', { isStopped: by === 'stop' });
	}

	private readonly saving = new Set<Execution>();

	private readonly progress = new Map<Execution, Progress>();

	private async run(execution: Execution, { context: stored, run: first }: Stored): Promise<void> {
		const { process, runs } = execution;
		const context = JSON.parse(stored) as object;
		const progress: Progress = { context, run: first, reported: [], isRunning: false };
		this.progress.set(execution, progress);
		await this.database.query(process);
		while (progress.run < runs.length) {
			if (execution.abort.signal.aborted) return;
			progress.isRunning = true;
			execution.outputs = [];
			const { items, error } = await this.tries(execution, context, progress.run);
			progress.isRunning = false;
			const before = execution.itemsBefore(progress.run);
			if (error !== undefined) {
				if (execution.abort.signal.aborted) return;
				execution.error = error as Error;
				progress.reported.push(...this.now(saidByError(error, before)));
				return await this.save(execution, 'error');
			}
			progress.run++;
			if (execution.abort.signal.aborted) return;
			execution.outputs = outputsOf(execution.node, items);
			progress.reported.push(...this.now(saidByItems(execution.outputs.flat(), before)));
		}
		// A stopped execution has an error, which stays when it is retried.
		const status = execution.from?.isStopped === true ? 'error' : 'success';
		await this.save(execution, status, { isFinished: true });
	}

	/** Retry On Fail. A first item with an `error` also counts as a failure. It ignores Stop. */
	private async tries(
		execution: Execution,
		context: object,
		run: number,
	): Promise<{ items: INodeExecutionData[]; error?: unknown }> {
		const { process, node } = execution;
		const most = node.retryOnFail === true ? Math.min(5, Math.max(2, node.maxTries ?? 3)) : 1;
		const wait = node.waitBetweenTries ?? 1_000;
		let items: INodeExecutionData[] = [];
		let error: unknown;
		for (let number = 0; number < most; number++) {
			if (number > 0) await process.pause(wait);
			error = undefined;
			const functions = this.functionsFor(execution, context, run);
			const execute = async () => {
				execution.shownHints.set(run, []);
				return await this.work.call(functions, process);
			};
			try {
				items = await execute();
				while (isFailure(items) && number !== most - 1) {
					await process.pause(wait);
					items = await execute();
					number++;
				}
				break;
			} catch (thrown) {
				error = thrown;
				if (functions.continueOnFail()) {
					// n8n passes the input on in place of an output.
					execution.outputs = [functions.getInputData()];
					execution.violations.push(
						`threw, so n8n passes the input on as if it were paid: ${thrown}`,
					);
				}
			}
		}
		return { items, error };
	}

	private async save(
		execution: Execution,
		status: Status,
		{ isStopped = false, isFinished = false } = {},
	): Promise<void> {
		this.saving.add(execution);
		await this.database.query(execution.process);
		if (execution.status !== 'running') return;
		Object.assign(execution, { isStopped, isFinished });
		const progress = this.progress.get(execution);
		if (progress && !isStopped) {
			const { context, run, isRunning } = progress;
			// A retry of an execution whose node was running runs nothing.
			execution.stored = {
				context: JSON.stringify(context),
				run: isRunning ? execution.runs.length : run,
			};
		}
		execution.reported.push(...(progress?.reported ?? []));
		this.progress.delete(execution);
		execution.end(status, this.clock.now);
	}

	private now(said: NodeReport[]): Reported[] {
		return said.map((one) => ({ ...one, at: this.clock.now }));
	}

	/** The functions that n8n gives a node. */
	private functionsFor(execution: Execution, context: object, run: number): IExecuteFunctions {
		const { process, node, id, abort, runs } = execution;
		const { database, network } = this;
		const items = runs[run].map((json, item) => ({ json, pairedItem: { item } }));
		const before = execution.itemsBefore(run);
		const functions = {
			getInputData: () => items,
			getNodeParameter: (
				path: string,
				item: number,
				fallback: unknown,
				{ rawExpressions = false } = {},
			) => {
				const value = valueAt(node.parameters, path) ?? fallback;
				const isExpression = typeof value === 'string' && value.startsWith('=');
				return isExpression && !rawExpressions
					? evaluated(value.slice(1), items[item]?.json, run)
					: value;
			},
			evaluateExpression: (text: string, item: number) => evaluated(text, items[item]?.json, run),
			continueOnFail: () => (node.onError ?? 'stopWorkflow') !== 'stopWorkflow',
			getExecutionCancelSignal: () => abort.signal,
			isToolExecution: () => false,
			getMode: () => 'trigger',
			getExecutionId: () => id,
			getTimezone: () => 'UTC',
			getNode: () => node,
			getParentNodes: () => [],
			getWorkflow: () => database.workflow,
			getContext: () => context,
			getCredentials: async () => await database.readCredential(process, node),
			addExecutionHints: (...hints: Array<{ message: string }>) => {
				for (const { message } of hints) {
					execution.hints.push(message);
					execution.shownHints.get(run)?.push(message);
				}
			},
			logger: {
				warn: (message: string) => execution.reported.push(...this.now(saidByLog(message, before))),
			},
			helpers: {
				...database.helpersOf(process, node),
				...network.helpersOf({ process, origin: id, node, database }, abort),
			},
		};
		return functions as unknown as IExecuteFunctions;
	}
}

type Expression = (json: unknown, run: number) => unknown;

/** The expressions by their code: each is compiled once. */
const expressions = new Map<string, Expression>();

/** The value of a text with expressions: that of its code if there is nothing else in it, otherwise a text. */
function evaluated(text: string, json: unknown, run: number): unknown {
	const valueOf = (code: string): unknown => {
		let expression = expressions.get(code);
		if (!expression) {
			// eslint-disable-next-line @n8n/community-nodes/no-dangerous-functions -- an expression of a scenario, as n8n runs it
			expression = new Function('$json', '$runIndex', `return (${code})`) as Expression;
			expressions.set(code, expression);
		}
		return expression(json, run);
	};
	const parts = text.split(/\{\{([^]*?)\}\}/);
	return parts.length === 3 && parts[0] === '' && parts[2] === ''
		? valueOf(parts[1])
		: parts.map((part, index) => (index % 2 ? String(valueOf(part)) : part)).join('');
}

/** Whether the items of a node count as a failure in n8n. */
function isFailure([first]: INodeExecutionData[]): boolean {
	const error: unknown = first?.json.error;
	return error !== undefined && error !== null && error !== false;
}

/** The items at the output, and at the error output if there is one (`handleNodeErrorOutput`). */
function outputsOf({ onError }: INode, items: INodeExecutionData[]): INodeExecutionData[][] {
	if (onError !== 'continueErrorOutput') return [items];
	const isError = ({ error, json }: INodeExecutionData) =>
		error ??
		(json.error && Object.keys(json).every((key) => ['error', 'message', 'details'].includes(key)));
	return [items.filter((item) => !isError(item)), items.filter(isError)];
}

/** The value of a parameter, also of one in a collection or a list: `columnMapping.column[0].header`. */
export function valueAt(parameters: unknown, path: string): unknown {
	return path
		.split(/\.|\[|\]\.?/)
		.reduce((value, name) => (value as IDataObject | undefined)?.[name], parameters);
}

function saidByItems(items: INodeExecutionData[], before: number): NodeReport[] {
	return items.map(({ json, pairedItem }) => {
		const fields = (typeof json.error === 'object' ? json.error : json) as unknown as NodeReport;
		return { ...fields, item: before + (pairedItem as { item: number }).item };
	});
}

function saidByError(error: unknown, before: number): NodeReport[] {
	const { rows } = (error as { context?: { rows?: NodeReport[] } }).context ?? {};
	return (rows ?? []).map((row) => ({ ...row, item: before + row.item }));
}

const LOGGED =
	/^Partner Payments: row \d+ \(item (\d+)\) (\S+) (created|unknown|already sent): (.*)$/;

function saidByLog(message: string, before: number): NodeReport[] {
	const [, item, reference, words, detail] = LOGGED.exec(message) ?? [];
	if (item === undefined) return [];
	const outcome = words === 'already sent' ? 'alreadySent' : words;
	const transactionId = outcome === 'created' ? detail : undefined;
	return [{ item: before + Number(item), outcome, reference, transactionId }];
}
