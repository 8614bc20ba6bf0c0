import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { isEmpty } from '../fields/checks';
import { columnName } from '../fields/field';
import { parseDecimal } from '../fields/money';
import { showValue } from '../fields/problem';
import { referenceKey } from '../fields/text';
import type { ExecutionMemory } from '../memory/executionMemory';
import type { SentReferences } from '../memory/sentReferences';
import { isObject, textIn } from '../service/answers';
import { serviceMessage, toServiceError, type ServiceError } from '../service/errors';
import type { Service } from '../service/transport';
import type { MoneyEndpoint } from './endpoint';
import { agentLikeness } from './likeness';
import type { BatchOptions } from './options';
import {
	end,
	endNotSent,
	type EndedPayment,
	type NotPaid,
	type OpenPayment,
	type Result,
	type Row,
} from './payment';
import { createdResult, LOOK_UP, maySendAgain, sentBefore, STOPPED_BEFORE_SENDING } from './settle';

/** Waiting for a 429: a service that names no time gets a longer pause each time. */
const MAX_PAUSES = 5;
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 60_000;

/** A pause is cut into such pieces, so that a cancelled execution does not wait it out. */
const NAP_MS = 250;
const SHORT_NAP_MS = 25;

/** States in which a transaction pays nothing, although it exists (section 3.1), however spelt. */
const ENDED_BADLY = /fail|reject|expire|cancel|declin/i;

/** More decimals than any amount has. */
const MAX_PLACES = 8;

/** What sending needs. */
export interface SendContext {
	context: IExecuteFunctions;
	endpoint: MoneyEndpoint;
	options: BatchOptions;
	service: Service;
	memory: ExecutionMemory;
	/** The same, where an AI agent calls the node as a tool. */
	agent?: ExecutionMemory;
	/** Left out where sent references are not remembered. */
	sent?: SentReferences;
	/** Stop after the first row that is not created; otherwise all rows are tried. */
	stopOnFault: boolean;
}

/**
 * The stage that pays: at most `concurrency` requests at once, each reference written down before and
 * sent at most once. What is under way when the batch stops is waited for, so that every row ends in a
 * known outcome or in `unknown`.
 *
 * @returns every payment, ended, in their order
 */
export async function send(open: OpenPayment[], parts: SendContext): Promise<EndedPayment[]> {
	return await new Sending(open, parts).run();
}

class Sending {
	private readonly ended = new Map<OpenPayment, EndedPayment>();

	/** Not written down yet, and written down but not under way. */
	private waiting: OpenPayment[];

	private readonly cleared: OpenPayment[] = [];

	private writing?: Promise<void>;

	/** References that may exist already, and are sent again because a person said so. */
	private readonly remembered = new Set<string>();

	/** Why no further row is sent. */
	private stopped?: { message: string; advice?: string };

	/** No request starts before this time: the pace, or what a 429 asked for. */
	private nextStart = 0;

	private pausedUntil = 0;

	/** Pauses that were made, and how many of them since the service last took a request. */
	private pauses = 0;

	private pausesInARow = 0;

	/** After a pause one request asks for all whether the service takes some again. */
	private isAsking = false;

	/** 401 answers since the last one of another kind, each of them after a login that succeeded. */
	private tokensRefused = 0;

	constructor(
		private readonly open: OpenPayment[],
		private readonly parts: SendContext,
	) {
		this.waiting = [...open];
	}

	async run(): Promise<EndedPayment[]> {
		const worker = async () => {
			for (let payment = await this.next(); payment; payment = await this.next()) {
				this.ended.set(payment, end(payment, await this.pay(payment.row)));
			}
		};
		const { concurrency } = this.parts.options;
		await Promise.all(Array.from({ length: Math.min(concurrency, this.open.length) }, worker));
		await this.writing;
		for (const { row } of this.cleared) {
			if (!this.remembered.has(row.key)) this.parts.sent?.forget(row.key);
		}
		// What is not written now stays remembered: a row too many, never one too few.
		const settled = this.parts.sent?.settle().catch(() => undefined);
		// n8n stores what became of an execution that it ends for only a moment longer.
		if (!this.isCancelled()) await settled;
		const known = await this.lookUpHeld();
		return this.open.map((payment) => this.ended.get(payment) ?? this.endHeld(payment, known));
	}

	/** Which of the rows that were not reached were sent before: nobody must take these for unpaid. */
	private async lookUpHeld(): Promise<Set<string>> {
		const held = this.open.filter((payment) => !this.ended.has(payment));
		if (held.length === 0 || !this.parts.sent || this.isCancelled()) return new Set();
		const keys = held.map(({ row }) => row.key);
		return await this.parts.sent.lookUp(keys).catch(() => new Set<string>());
	}

	private endHeld(payment: OpenPayment, known: Set<string>): EndedPayment {
		const { key } = payment.row;
		return this.remembered.has(key) || known.has(key)
			? end(payment, sentBefore(payment.row, this.parts.options))
			: endNotSent(payment, this.stopped ?? CANCELLED);
	}

	/** The next payment whose reference is written down; nothing when no further one is to be sent. */
	private async next(): Promise<OpenPayment | undefined> {
		for (;;) {
			if (this.isStopped()) return undefined;
			if (this.cleared.length < this.parts.options.concurrency && this.waiting.length) {
				this.writing ??= this.writeDown().finally(() => (this.writing = undefined));
			}
			const payment = this.cleared.shift();
			if (payment) return payment;
			if (!this.writing) return undefined;
			await this.writing;
		}
	}

	/** Writes the next references down, before any of them is sent. */
	private async writeDown(): Promise<void> {
		const { sent, options } = this.parts;
		const chunk = this.waiting.splice(0, Math.max(sent?.chunkSize ?? 0, options.concurrency));
		try {
			const known = await sent?.record(chunk.map(({ row }) => row.key));
			// Another execution has sent it since this one asked.
			if (options.sentBefore === 'stop' && known?.size) this.stopped ??= STOPPED_BEFORE_SENDING;
			for (const payment of chunk) {
				if (known?.has(payment.row.key) && !maySendAgain(options, payment.row)) {
					this.ended.set(payment, end(payment, sentBefore(payment.row, options)));
				} else this.cleared.push(payment);
				if (known?.has(payment.row.key)) this.remembered.add(payment.row.key);
			}
		} catch (error) {
			this.stopped ??= {
				message: `Not sent, because n8n could not store which references are sent (${(error as Error).message})`,
				advice: 'Look whether n8n’s database works, then run the workflow again.',
			};
		}
	}

	private async pay(row: Row): Promise<Result> {
		const { memory, sent, stopOnFault } = this.parts;
		const mayExist = this.remembered.has(row.key) || memory.get(row.key) !== undefined;
		const result = await this.request(row);
		if (result.outcome === 'created' || result.outcome === 'ready') return result;

		// A refusal now may mean that the earlier attempt did create it. That is no new fault.
		const isRefused = result.outcome === 'rejected' || result.httpStatus === 409;
		if (stopOnFault && !(mayExist && isRefused)) {
			this.stopped ??= this.isCancelled() ? CANCELLED : FAILED_BEFORE;
		}
		if (mayExist) return stillUnknown(result);
		if (result.outcome !== 'unknown') {
			memory.forget(row.key);
			sent?.forget(row.key);
		}
		return result;
	}

	private async request(row: Row): Promise<Result> {
		const { agent, endpoint, memory, service } = this.parts;
		const { reference, key, body, itemIndex } = row;
		for (;;) {
			if (!(await this.waitForTurn())) {
				return { outcome: 'notSent', reference, ...(this.stopped ?? CANCELLED) };
			}
			const likeness = agent && agentLikeness(endpoint, row);
			memory.sending(key, itemIndex, { reference, body, likeness });
			const { pauses } = this;
			const asksForAll = this.pausesInARow > 0;
			try {
				const answer = await service.request({ method: 'POST', path: endpoint.path, body });
				this.pausesInARow = 0;
				this.tokensRefused = 0;
				return await this.answered(row, answer);
			} catch (error) {
				const fault = toServiceError(error);
				this.tokensRefused = fault.status === 401 ? this.tokensRefused + 1 : 0;
				if (this.tokensRefused === MAX_TOKENS_REFUSED) this.stopped ??= TOKENS_REFUSED;
				if (fault.isLogin) this.endBy(fault);
				// A 429 is a refusal: nothing was created, so sending again is safe.
				if (fault.status !== 429 || !this.pause(fault, pauses)) return failed(reference, fault);
			} finally {
				if (asksForAll) this.isAsking = false;
			}
		}
	}

	/** Ends the batch because there is no login. */
	private endBy({ message, advice, status }: ServiceError): void {
		const { memory, service } = this.parts;
		this.stopped ??= { message, advice };
		// Unless it was only out of reach, the runs of a loop and Retry On Fail need not try it again.
		if (status !== undefined) memory.loginRefused(service.account, message);
	}

	/**
	 * Lets all wait after a 429.
	 *
	 * @param before pauses when the request started: one that was under way with others that made a
	 *   pause meanwhile makes none of its own
	 * @returns false when the service asked for it too often
	 */
	private pause({ retryAfterMs }: ServiceError, before: number): boolean {
		if (this.pauses > before) return true;
		if (this.pausesInARow === MAX_PAUSES) {
			this.stopped ??= TOO_MANY_REQUESTS;
			return false;
		}
		const wait = retryAfterMs ?? FIRST_PAUSE_MS * 2 ** this.pausesInARow;
		this.pauses++;
		this.pausesInARow++;
		this.pausedUntil = Date.now() + Math.min(wait, MAX_PAUSE_MS);
		return true;
	}

	private async answered(row: Row, answer: unknown): Promise<Result> {
		const { context, endpoint, memory } = this.parts;
		const doubt = this.doubtOf(row, answer);
		if (doubt) return doubt;
		const { transactionId } = endpoint.created(answer as IDataObject) ?? { transactionId: '' };
		memory.created(row.key, transactionId, answer as IDataObject);
		return await createdResult(context, endpoint, row, answer as IDataObject);
	}

	/** Why an answer of success does not say that this row was created. */
	private doubtOf({ reference, key, body }: Row, answer: unknown): NotPaid | undefined {
		const { endpoint, memory } = this.parts;
		const said = serviceMessage(answer);
		const doubt = (message: string, facts: Partial<NotPaid> = {}): NotPaid => ({
			outcome: 'unknown',
			reference,
			...facts,
			message: `${message}${said === '' ? '' : `: ${said}`}`,
			advice: LOOK_UP,
		});
		const created = isObject(answer) ? endpoint.created(answer) : undefined;
		const { success, statusCode } = (answer ?? {}) as IDataObject;
		if (String(success).toLowerCase() === 'false' || Number(statusCode) >= 400) {
			return doubt('The service answered that it did not succeed, though with a status of success');
		}
		if (!created) {
			return doubt(
				'The service answered with success, but without the transaction identifier that belongs there',
			);
		}
		const field = endpoint.fields.find(({ name }) => name === endpoint.reference.field);
		const echo = field && textIn(answer, columnName(field));
		if (echo !== undefined && referenceKey(echo) !== key) {
			return doubt(
				`The service answered for another reference, ${showValue(echo)}, so what became of this one is not known`,
			);
		}
		const owner = memory.ownerOf(created.transactionId);
		if (owner !== undefined && owner !== key) {
			return doubt(
				`The service answered with transaction ${created.transactionId}, which belongs to the reference ${owner}, so what became of this one is not known`,
			);
		}
		const other = otherValue(endpoint, body, answer as IDataObject);
		if (other !== undefined) {
			return doubt(
				`The service answered with transaction ${created.transactionId} and another ${other} than was sent`,
				{ transactionId: created.transactionId, status: created.status },
			);
		}
		// The bank payout states it of each transaction; one for the whole counts as well.
		const status = [created.status, textIn(answer, 'status') ?? ''].find((one) =>
			ENDED_BADLY.test(one),
		);
		if (status !== undefined) {
			const words = created.message === '' || said !== '' ? '' : `: ${created.message}`;
			return doubt(
				`The service created transaction ${created.transactionId} and answered at once with the status ${status}${words}`,
				{ transactionId: created.transactionId, status },
			);
		}
		return undefined;
	}

	/** Waits until a request may start; false when it may not start any more. */
	private async waitForTurn(): Promise<boolean> {
		const { requestsPerSecond } = this.parts.options;
		let start = 0;
		if (requestsPerSecond > 0) {
			start = Math.max(Date.now(), this.nextStart);
			this.nextStart = start + 1000 / requestsPerSecond;
		}
		for (;;) {
			if (this.isStopped()) return false;
			const wait = Math.max(start, this.pausedUntil) - Date.now();
			if (wait <= 0 && !this.isAsking) {
				this.isAsking = this.pausesInARow > 0;
				return true;
			}
			await sleep(Math.min(Math.max(wait, SHORT_NAP_MS), NAP_MS));
		}
	}

	private isStopped(): boolean {
		return this.stopped !== undefined || this.isCancelled();
	}

	private isCancelled(): boolean {
		return this.parts.context.getExecutionCancelSignal()?.aborted === true;
	}
}

/** One may be a fault of the moment; after so many the account would log in once more for each row. */
const MAX_TOKENS_REFUSED = 3;

const TOKENS_REFUSED = {
	message: 'Not sent, because the service refused each new access token (status 401)',
	advice:
		'Check the Partner Payments credential with its test button, and the rights of the account.',
};

const TOO_MANY_REQUESTS = {
	message: 'Not sent, because the service went on refusing further requests (status 429)',
	advice: 'Run the workflow again later, or send fewer at once.',
};

const CANCELLED = { message: 'Not sent, because the execution was cancelled' };
const FAILED_BEFORE = { message: 'Not sent, because an earlier item did not succeed' };

/** The name of a value that the service repeats otherwise than it was sent, where it repeats all. */
function otherValue(
	{ repeats = [] }: MoneyEndpoint,
	body: IDataObject,
	answer: IDataObject,
): string | undefined {
	const same = (value: unknown) => {
		const decimal = parseDecimal(value, MAX_PLACES);
		return decimal.ok ? decimal.text : String(value).toLowerCase();
	};
	return repeats.find((name) => !isEmpty(answer[name]) && same(answer[name]) !== same(body[name]));
}

function failed(reference: string, fault: ServiceError): NotPaid {
	return {
		outcome: fault.outcome,
		reference,
		message: fault.message,
		advice: fault.outcome === 'unknown' ? LOOK_UP : fault.advice,
		httpStatus: fault.status,
	};
}

function stillUnknown(result: NotPaid): NotPaid {
	return {
		...result,
		outcome: 'unknown',
		message: `An earlier attempt may have created it, and sending it again did not settle that. ${result.message}`,
		advice: LOOK_UP,
	};
}
