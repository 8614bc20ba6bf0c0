import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { toServiceError, type ServiceError } from '../../shared/errors';
import type { Service } from '../../shared/transport';
import type { MoneyEndpoint } from './endpoint';
import type { Ledger } from './ledger';
import { LOOK_UP, type RowResult } from './outcome';
import type { Row } from './rows';
import { createdResult } from './settle';

/** Waiting for a 429: a service that names no time gets a longer pause each time. */
const MOST_ATTEMPTS = 6;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/** A pause is cut into such pieces, so that a cancelled execution does not wait it out. */
const NAP_MS = 250;

export interface SendOptions {
	concurrency: number;
	/** 0 sets no limit. */
	requestsPerSecond: number;
	/** Stop after the first row that is not created; otherwise all rows are tried. */
	stopOnFault: boolean;
}

/**
 * Sends rows that were checked, at most `concurrency` at once, each at most once. What is under way
 * when the batch stops is waited for, so that every row ends in a known outcome or in `unknown`.
 *
 * @returns a result for every row, in their order
 */
export async function sendRows(
	context: IExecuteFunctions,
	endpoint: MoneyEndpoint,
	service: Service,
	ledger: Ledger,
	rows: Row[],
	options: SendOptions,
): Promise<RowResult[]> {
	const batch = new Sending(context, endpoint, service, ledger, options);
	const results: RowResult[] = new Array<RowResult>(rows.length);
	let next = 0;
	const worker = async () => {
		while (next < rows.length) {
			const position = next++;
			results[position] = await batch.row(rows[position]);
		}
	};
	await Promise.all(Array.from({ length: Math.min(options.concurrency, rows.length) }, worker));
	return results;
}

class Sending {
	private readonly signal?: AbortSignal;

	private faulted = false;

	/** No request starts before this time: the pace, or what a 429 asked for. */
	private nextStart = 0;

	private pausedUntil = 0;

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly endpoint: MoneyEndpoint,
		private readonly service: Service,
		private readonly ledger: Ledger,
		private readonly options: SendOptions,
	) {
		this.signal = context.getExecutionCancelSignal();
	}

	async row(row: Row): Promise<RowResult> {
		const { path } = this.endpoint;
		const isSecondAttempt = this.ledger.get(path, row.reference) !== undefined;
		const result = await this.send(row);
		if (result.outcome === 'created') return result;

		// A refusal now may mean that the earlier attempt did create it. That is no new fault.
		const isRefusedAgain = isSecondAttempt && result.outcome === 'rejected';
		if (this.options.stopOnFault && !isRefusedAgain) this.faulted = true;
		if (isSecondAttempt) return stillUnknown(result);
		if (result.outcome !== 'unknown') this.ledger.forget(path, row.reference);
		return result;
	}

	private async send(row: Row): Promise<RowResult> {
		const { path } = this.endpoint;
		const { reference, body } = row;
		for (let attempt = 1; ; attempt++) {
			const held = await this.waitForTurn();
			if (held) return { outcome: 'notSent', reference, message: held };

			if (!this.ledger.get(path, reference)) this.ledger.sending(path, reference, body);
			try {
				const answer = await this.service.request({ method: 'POST', path, body });
				return await this.answered(row, answer);
			} catch (error) {
				const fault = toServiceError(error);
				// A 429 is a refusal: nothing was created, so sending again is safe.
				if (fault.status !== 429 || attempt === MOST_ATTEMPTS) return failed(reference, fault);
				const pause = fault.retryAfterMs ?? FIRST_PAUSE_MS * 2 ** (attempt - 1);
				this.pausedUntil = Math.max(
					this.pausedUntil,
					Date.now() + Math.min(pause, LONGEST_PAUSE_MS),
				);
			}
		}
	}

	private async answered(row: Row, answer: unknown): Promise<RowResult> {
		const { reference } = row;
		const isObject = typeof answer === 'object' && answer !== null && !Array.isArray(answer);
		if (!isObject || !this.endpoint.created(answer as IDataObject)) {
			return {
				outcome: 'unknown',
				reference,
				message:
					'The service answered with success, but without the transaction identifier that belongs there',
				advice: LOOK_UP,
			};
		}
		this.ledger.created(this.endpoint.path, reference, answer as IDataObject);
		return await createdResult(this.context, this.endpoint, row, answer as IDataObject);
	}

	/** Waits until a request may start; gives the reason when it may not start any more. */
	private async waitForTurn(): Promise<string | undefined> {
		const { requestsPerSecond } = this.options;
		let start = 0;
		if (requestsPerSecond > 0) {
			start = Math.max(Date.now(), this.nextStart);
			this.nextStart = start + 1000 / requestsPerSecond;
		}
		for (;;) {
			if (this.signal?.aborted) return 'Not sent, because the execution was cancelled';
			if (this.faulted) return 'Not sent, because an earlier item did not succeed';
			const wait = Math.max(start, this.pausedUntil) - Date.now();
			if (wait <= 0) return undefined;
			await sleep(Math.min(wait, NAP_MS));
		}
	}
}

function failed(reference: string, fault: ServiceError): RowResult {
	return {
		outcome: fault.outcome,
		reference,
		message: fault.message,
		advice: fault.outcome === 'unknown' ? LOOK_UP : fault.advice,
		httpStatus: fault.status,
	};
}

function stillUnknown(result: RowResult): RowResult {
	if (result.outcome === 'created') return result;
	return {
		...result,
		outcome: 'unknown',
		message: `An earlier attempt ended unknown, and sending again did not settle it. ${result.message}`,
		advice: LOOK_UP,
	};
}
