import { FINAL_STATUSES, PENDING_STATUSES } from './enums';

/**
 * What the status of a new transaction says (section 3.1):
 * - `alive`: a documented one that pays, or none at all
 * - `undocumented`: nobody knows what it means
 * - `failed`: it pays nothing, although it exists
 */
export type StatusKind = 'alive' | 'undocumented' | 'failed';

/** From bad to good. */
const KINDS: StatusKind[] = ['failed', 'undocumented', 'alive'];

/** Parts of words for states in which no money moves, or moves back, in English and Spanish. */
const FAILURE =
	/fail|unsuccess|reject|refus|expir|cadu[cq]|cancel|declin|den(?:y|ied|eg)|negad|error|revers|revert|extorn|roll(?:ed)?_?back|refund|return|devuel|bounce|void|annul|anula|abort|terminat|withdrawn|invalid|block(?!chain)|bloque|rechaz|rehus|desestim|fall(?:o|id)|venc|chargeback|clawback|insuff|unauthori|forbidden|time_?d?_?out/;

/** The status that Get Status gives to what is not in the logs. */
export const NOT_FOUND = 'notFound';

/** Longer than any status. */
const MAX_STATUS = 100;

/** A status in any letter case, with blanks or hyphens for underscores, with or without `_transaction`. */
function wordOf(status: string): string {
	const key = status
		.slice(0, MAX_STATUS)
		.trim()
		.toLowerCase()
		.replace(/[\s_-]+/g, '_');
	return key.replace(/_transaction$/, '');
}

const DOCUMENTED = [...PENDING_STATUSES, ...FINAL_STATUSES].map(wordOf);

export function statusKind(status: string): StatusKind {
	const word = wordOf(status);
	if (FAILURE.test(word)) return 'failed';
	return word === '' || DOCUMENTED.includes(word) ? 'alive' : 'undocumented';
}

/** Whether a transaction no longer waits for what its answer asked for. Nobody knows it of an undocumented status. */
export function hasMovedOn(status: string): boolean {
	const kind = statusKind(status);
	return kind === 'failed' || (kind === 'alive' && !['', 'pending'].includes(wordOf(status)));
}

/** A status as text; empty if there is none. Anything that is not text is none of the documented ones. */
export function statusText(status: unknown): string {
	if (status === undefined || status === null) return '';
	return (typeof status === 'string' ? status : JSON.stringify(status)).slice(0, MAX_STATUS);
}

/** The first of those whose status is the worst. */
export function worstStatus<T extends { status: string }>(
	transactions: readonly T[],
): T | undefined {
	return KINDS.map((kind) => transactions.find(({ status }) => statusKind(status) === kind)).find(
		(one) => one !== undefined,
	);
}
