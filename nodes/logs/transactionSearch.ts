import { idempotencyKey } from '../fields/text';
import { PENDING_STATUSES } from '../service/enums';
import { HOUR_MS } from '../service/time';
import type { Service } from '../service/transport';
import { readLogs, TransactionIndex } from './transactions';
import type { Reading, Transaction, TransactionName } from './transactions';

/**
 * How many more pages are read for the first events of the transactions, once the final ones are known. Not all
 * webhooks cover the first events.
 */
const MAX_HISTORY_PAGES = 3;

/** The first status of a transaction (section 3.1). */
const [FIRST_STATUS] = PENDING_STATUSES;

/** How much earlier than its first event a transaction may have another one in the logs: attempts may fail, clocks differ. */
const OUT_OF_ORDER_MS = HOUR_MS / 2;

/**
 * Looks transactions up in the delivery logs: what the service has logged of some payments. Finding nothing doesn't
 * prove that there is no payment.
 */
export class TransactionSearch extends TransactionIndex {
	constructor(private readonly names: readonly TransactionName[]) {
		const keys = (texts: string[]) =>
			new Set(texts.filter((text) => text !== '').map(idempotencyKey));
		super({
			references: keys(names.map(({ reference }) => reference)),
			transactionIds: keys(names.map(({ transactionId }) => transactionId)),
		});
	}

	/**
	 * Reads the logs. It ends early if the newest entries come first, and all that is awaited is final or has its
	 * first event.
	 *
	 * @param since where reading may end (milliseconds since 1970; see `LogRange`)
	 * @param awaited those for which reading goes on until they are final; all by default
	 * @throws ServiceError if the logs can't be read
	 */
	async read(
		service: Service,
		{ since, awaited = this.names }: { since: number; awaited?: readonly TransactionName[] },
	): Promise<Reading> {
		const open = [...awaited];
		const incomplete = [...this.names];
		const undated = [...awaited];
		let firstEvent = Infinity;
		let historyPages = 0;
		return await readLogs(service, this, {
			since: () => {
				this.dropWhile(undated, (transaction) => {
					const time = transaction.isFinal ? Infinity : firstEventOf(transaction);
					firstEvent = Math.min(firstEvent, time ?? Infinity);
					return time !== undefined;
				});
				const isDated = undated.length === 0 && firstEvent < Infinity;
				return isDated ? Math.max(since, firstEvent - OUT_OF_ORDER_MS) : since;
			},
			isEnough: () => {
				this.dropWhile(open, ({ isFinal }) => isFinal);
				if (open.length > 0) return false;
				this.dropWhile(incomplete, (transaction) => firstEventOf(transaction) !== undefined);
				return incomplete.length === 0 || ++historyPages > MAX_HISTORY_PAGES;
			},
		});
	}

	/** Drops the last names of a list while their transactions pass a test, so that each is looked up a few times only. */
	private dropWhile(names: TransactionName[], isDone: (transaction: Transaction) => boolean): void {
		for (let name = names.at(-1); name !== undefined; name = names.at(-1)) {
			const found = this.find(name);
			if (found.length === 0 || !found.every(isDone)) return;
			names.pop();
		}
	}
}

/** When a transaction was created (milliseconds since 1970), if the logs say it. */
function firstEventOf({ history }: Transaction): number | undefined {
	const first = history.find(({ status }) => status === FIRST_STATUS);
	return first && Date.parse(first.at);
}
