import { createHash } from 'node:crypto';

import { normalizeText } from '../fields/text';
import { readyText } from '../report/approval';
import { environmentName, type Target } from '../service/baseUrl';
import { MAX_EXAMINED } from '../service/outsideText';
import type { MoneyEndpoint } from './endpoint';
import type { Facts } from './facts';
import { flagToken, type Flagged } from './flags';
import type { Row } from './payment';
import { totalsOf } from './totals';

/** The parts of a fingerprint's text. */
export interface Fingerprint {
	/** All of it: `40 payments, 12,345.60 BOB, Production, 3f2a…`. */
	text: string;
	/** What a person reads of it. */
	figures: string;
	/** The hash of the account and the requests. */
	hash: string;
	/** The flagged rows that the dry run showed: see `flagToken`. */
	shown: ReadonlySet<string>;
}

/**
 * The text that a person approves and that identifies these payments: count, totals and
 * environment to read, and a SHA-256 over the account and the exact requests. So what was approved in
 * the sandbox is not approved in production, nor for another account's money. The order of the rows does
 * not count, nor which of them were sent already, so that an interrupted run can be finished with the same
 * approval.
 *
 * @param payments all payable rows, including those that were already sent
 * @param target undefined if no credential can be read: the fingerprint then approves nothing
 * @param flagged the rows that are shown as flagged, so that an approval allows them
 */
export function fingerprint(
	{ path }: Pick<MoneyEndpoint, 'path'>,
	payments: Array<Pick<Facts, 'money'> & { row: Pick<Row, 'idempotencyKey' | 'body'> }>,
	target?: Pick<Target, 'account' | 'environment'>,
	flagged: Flagged[] = [],
): Fingerprint {
	const hash = createHash('sha256');
	hash.update(`${JSON.stringify([target?.account ?? ''])}\n`);
	for (const { body } of payments.map(({ row }) => row).sort(byReference)) {
		hash.update(`${JSON.stringify([path, body])}\n`);
	}
	const unknown = payments.filter(({ money }) => !money).length;
	const totals = [...totalsOf(payments)].sort(([a], [b]) => (a < b ? -1 : 1));
	const figures = [
		readyText(payments.length, totals, 'en'),
		...(unknown === 0 ? [] : [`${unknown} of an unknown amount`]),
	];
	if (target?.environment) figures.push(environmentName(target.environment));
	const hex = hash.digest('hex');
	const tokens = flagged.slice(0, MAX_SHOWN_FLAGS).map(flagToken).sort();
	const code = tokens.length === 0 ? hex : `${hex}.${tokens.join('')}`;
	return {
		text: [...figures, code].join(', '),
		figures: figures.join(', '),
		hash: hex,
		shown: new Set(tokens),
	};
}

/** More flags would make the text too long to copy: the rows of the others stay unapproved. */
const MAX_SHOWN_FLAGS = 90;

/** Sorts by character code, which is the same everywhere: the order of an alphabet depends on the locale. */
function byReference(a: Pick<Row, 'idempotencyKey'>, b: Pick<Row, 'idempotencyKey'>): number {
	return a.idempotencyKey < b.idempotencyKey ? -1 : 1;
}

/**
 * Parses a fingerprint that a person has copied. Surrounding blanks, line breaks and invisible characters
 * do not matter.
 *
 * @returns undefined if it is not a fingerprint
 */
export function parseFingerprint(value: unknown): Fingerprint | undefined {
	if (typeof value !== 'string') return undefined;
	const text = normalizeText(value);
	if (text.length > MAX_EXAMINED) return undefined;
	const parts = text.split(', ');
	const code = /^([\da-f]{64})(?:\.((?:[\da-f]{8})+))?$/.exec(parts.pop() ?? '');
	if (!code || !/^\d+ payments?$/.test(parts[0] ?? '')) return undefined;
	const [, hash, tokens = ''] = code;
	return {
		text,
		figures: parts.join(', '),
		hash,
		shown: new Set(tokens.match(/.{8}/g)),
	};
}
