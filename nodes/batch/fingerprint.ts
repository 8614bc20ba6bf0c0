import { createHash } from 'node:crypto';

import { compareDecimals } from '../fields/money';
import { normalizeText } from '../fields/text';
import { moneyWithCurrency } from '../report/language';
import { environmentName, ENVIRONMENTS, type Target } from '../service/baseUrl';
import { inEachLanguage, type Language, phrase, TEXTS, type Words } from '../messages/userMessage';
import { MAX_EXAMINED } from '../service/outsideText';
import type { MoneyEndpoint } from './endpoint';
import { FLAG_NAMES, FLAGS, flagToken, type Flag } from './flags';
import type { Row } from './payment';
import { canonicalAmount, formatMoney, totalsOf } from './totals';

/** The parts of a fingerprint's text. */
export interface Fingerprint {
	/** All of it: `40 payments, 12,345.60 BOB, 2 duplicates, Production, 3f2a…`. */
	text: string;
	/** The same without the flags, which depend on what was sent when the dry run ran. */
	plain: string;
	/** The flagged rows that the dry run showed: see `flagToken`. */
	shown: ReadonlySet<string>;
	count: number;
	/** How many of the payments have an unknown amount. */
	unknownAmounts: number;
	/** By currency, as canonical decimals. */
	totals: Map<string, string>;
	/** The environment's name; left out when the credential states none. */
	environment?: string;
}

/**
 * The text that a person approves and that identifies these payments: count, totals and
 * environment to read, and a SHA-256 over the account and the exact requests. So what was approved in
 * the sandbox is not approved in production, nor for another account's money. The order of the rows does
 * not count, nor which of them were sent already, so that an interrupted run can be finished with the same
 * approval.
 *
 * @param rows all payable rows, including those that were already sent
 * @param target undefined if no credential can be read: the fingerprint then approves nothing
 * @param flagged the rows that are shown as flagged, so that an approval allows them
 */
export function fingerprint(
	endpoint: Pick<MoneyEndpoint, 'path' | 'amount'>,
	rows: Array<Pick<Row, 'idempotencyKey' | 'values' | 'body'>>,
	target?: Pick<Target, 'account' | 'environment'>,
	flagged: Array<{ flag: Flag; row: Pick<Row, 'idempotencyKey'> }> = [],
): Fingerprint {
	const hash = createHash('sha256');
	hash.update(`${JSON.stringify([target?.account ?? ''])}\n`);
	for (const { body } of [...rows].sort(byReference)) {
		hash.update(`${JSON.stringify([endpoint.path, body])}\n`);
	}
	const totals = totalsOf(endpoint, rows);
	const figures = {
		count: rows.length,
		unknownAmounts: rows.filter(({ values }) => endpoint.amount(values) === undefined).length,
		totals: new Map([...totals].sort(([a], [b]) => (a < b ? -1 : 1))),
		...(target?.environment && { environment: environmentName(target.environment) }),
	};
	const parts = (hash: string, flags: string[]) =>
		[
			payments(figures.count),
			...[...figures.totals].map(([currency, amount]) => formatMoney(amount, currency)),
			...(figures.unknownAmounts ? [`${figures.unknownAmounts}${OF_UNKNOWN_AMOUNT}`] : []),
			...flags,
			...(figures.environment === undefined ? [] : [figures.environment]),
			hash,
		].join(', ');
	const hex = hash.digest('hex');
	const tokens = flagged
		.slice(0, MAX_SHOWN_FLAGS)
		.map(({ flag, row }) => flagToken(flag, row))
		.sort();
	return {
		text: parts(
			[hex, tokens.join('')].filter((part) => part !== '').join('.'),
			flagCounts(flagged),
		),
		plain: parts(hex, []),
		shown: new Set(tokens),
		...figures,
	};
}

/** More flags would make the text too long to copy: the rows of the others stay unapproved. */
const MAX_SHOWN_FLAGS = 90;

/** The flags as text: `2 duplicates`, `1 changed account`. */
function flagCounts(flagged: Array<{ flag: Flag }>): string[] {
	return FLAG_NAMES.flatMap((name) => {
		const { length } = flagged.filter(({ flag }) => flag === name);
		return length === 0 ? [] : `${length}${length === 1 ? FLAGS[name].one : FLAGS[name].many}`;
	});
}

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
	const [first, ...parts] = text.split(', ');
	const last = parts.pop() ?? '';
	const [, hash, tokens = ''] = /^([\da-f]{64})(?:\.((?:[\da-f]{8})+))?$/.exec(last) ?? [];
	const [, count] = /^(\d+) payments?$/.exec(first) ?? [];
	if (count === undefined || hash === undefined) return undefined;

	const plain = parts.filter((part) => !isFlagCount(part));
	const read: Fingerprint = {
		text,
		plain: [first, ...plain, hash].join(', '),
		shown: new Set(tokens.match(/.{8}/g)),
		count: Number(count),
		unknownAmounts: 0,
		totals: new Map(),
	};
	for (const part of plain) {
		if (ENVIRONMENTS.some(({ name }) => name === part)) {
			read.environment = part;
			continue;
		}
		if (part.endsWith(OF_UNKNOWN_AMOUNT)) {
			read.unknownAmounts = Number.parseInt(part, 10) || 0;
			continue;
		}
		const [, amount, currency] = /^([\d,]+(?:\.\d+)?) (\w+)$/.exec(part) ?? [];
		const decimal = canonicalAmount(amount?.replaceAll(',', ''));
		if (decimal === undefined) return undefined;
		read.totals.set(currency, decimal);
	}
	return read;
}

function isFlagCount(part: string): boolean {
	return FLAG_NAMES.some((name) =>
		[FLAGS[name].one, FLAGS[name].many].some((label) => part.endsWith(label)),
	);
}

/** How the approved payments differ from the present ones, with both figures, as far as their texts show. */
export function fingerprintDifferences(approved: Fingerprint, now: Fingerprint): Words[] {
	const found: Words[] = [];
	const differ = (then: (language: Language) => string, have: (language: Language) => string) =>
		found.push(
			phrase('approvedAndNow', { approved: inEachLanguage(then), now: inEachLanguage(have) }),
		);
	if (approved.environment !== now.environment) {
		differ(
			(language) => approved.environment ?? phrase('noEnvironment')[language],
			(language) => now.environment ?? phrase('noEnvironment')[language],
		);
	}
	if (approved.count !== now.count) {
		differ(
			(language) =>
				`${approved.count} ${TEXTS[language].report.payments[approved.count === 1 ? 0 : 1]}`,
			() => String(now.count),
		);
	}
	for (const currency of new Set([...approved.totals.keys(), ...now.totals.keys()])) {
		const [then, have] = [approved.totals.get(currency) ?? '0', now.totals.get(currency) ?? '0'];
		if (compareDecimals(then, have) === 0) continue;
		const money = (amount: string) => (language: Language) =>
			language === 'en'
				? formatMoney(amount, currency)
				: moneyWithCurrency(amount, currency, language);
		differ(money(then), money(have));
	}
	if (approved.unknownAmounts !== now.unknownAmounts) {
		differ(
			(language) => `${approved.unknownAmounts}${phrase('ofUnknownAmount')[language]}`,
			() => String(now.unknownAmounts),
		);
	}
	return found;
}

const OF_UNKNOWN_AMOUNT = phrase('ofUnknownAmount').en;

function payments(count: number): string {
	return `${count} payment${count === 1 ? '' : 's'}`;
}
