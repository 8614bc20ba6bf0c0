import { fill, TEXTS } from '../messages/userMessage';
import { html } from './html';
import { moneyWithCurrency, type Language } from './language';
import { fundingText } from './reportRow';
import type { FundingSum } from './toFund';

/** What a person has to know before a batch is paid. Amounts are canonical decimals. */
export interface Approval {
	/** How many rows can be paid, and how many of them would be sent now. */
	count: number;
	ready: number;
	alreadySent: number;
	newPayees: number;
	/** Whether the node has sent nothing before. */
	isStoreEmpty: boolean;
	unknownAmounts: number;
	totals: Array<{ currency: string; fundingSource: string; count: number; amount: string }>;
	/** What would be sent now. */
	readyTotals: Array<{ currency: string; count: number; amount: string }>;
	largest: Array<{ row: number; payee: string; amount: string; currency: string }>;
	/** What the payments fund, if they are fundings. */
	toFund?: readonly FundingSum[];
	costs: Array<{ asset: string; text: string }>;
	/** What the columns were taken for. Missing if the values do not come from columns. */
	reading: { columns: string; banks: string[]; rows: string[] } | undefined;
	/** The environment and the host; empty if they are not known. */
	target: string;
	/** The rows to look at, and the rows that are not paid, each with its reason. */
	flagged: Array<Line & { reason: 'duplicate' | 'account' | 'payee' }>;
	notPaid: Array<Line & { reason: string }>;
	/** Why nothing can be paid; empty if something can be. */
	rejection: string;
}

/** A row as people find it. */
interface Line {
	row: number;
	payee: string;
	amount: string;
	currency: string;
}

/** More rows would not fit a page or a message. */
const MAX_ROWS = 100;

/**
 * What a person reads before a batch is paid: as HTML with the few tags that n8n's form pages keep, and as plain text.
 */
export function approvalTexts(
	approval: Approval,
	language: Language,
): { html: string; text: string } {
	const { flagged, notPaid, ready, reading } = approval;
	const texts = TEXTS[language].approval;
	const figures = figureLines(approval, language);
	const notes = [
		...(ready === 0 ? [approval.rejection || texts.nothingToPay] : []),
		...(approval.isStoreEmpty ? [texts.firstRun] : []),
	];
	const lists = [
		{
			title: notPaidTitle(notPaid.length, language),
			rows: notPaid.map((line) => [lineText(line, language), line.reason]),
		},
		{
			title: texts.flagged,
			rows: flagged.map((line) => [lineText(line, language), texts[line.reason]]),
		},
	].filter(({ rows }) => rows.length > 0);
	const ends = [
		[texts.columns, reading?.columns ?? ''],
		[texts.banks, reading?.banks.join('; ') ?? ''],
		[texts.rows, reading?.rows.join('; ') ?? ''],
	].filter(([, value]) => value !== '');
	const more = (count: number) => fill(texts.more, { count: count - MAX_ROWS });
	return {
		html: html`${notes.map((note) => html`<p>${note}</p>`)}
			<table>
				<tbody>
					${figures.map(
						([name, value]) =>
							html`<tr>
								<td>${name}</td>
								<td>${value}</td>
							</tr>`,
					)}
				</tbody>
			</table>
			${lists.map(
				({ title, rows }) =>
					html`<h3>${title}</h3>
						<table>
							<tbody>
								${rows.slice(0, MAX_ROWS).map(
									([name, reason]) =>
										html`<tr>
											<td>${name}</td>
											<td>${reason}</td>
										</tr>`,
								)}
							</tbody>
						</table>
						${rows.length > MAX_ROWS ? html`<p>${more(rows.length)}</p>` : undefined}`,
			)}${ends.map(([name, value]) => html`<p>${name}: ${value}</p>`)}`.text,
		text: [
			...notes,
			...figures.map(([name, value]) => `${name}: ${value}`),
			...lists.flatMap(({ title, rows }) => [
				'',
				`${title}:`,
				...rows.slice(0, MAX_ROWS).map(([name, reason]) => `- ${name}: ${reason}`),
				...(rows.length > MAX_ROWS ? [more(rows.length)] : []),
			]),
			'',
			...ends.map(([name, value]) => `${name}: ${value}`),
		].join('\n'),
	};
}

function notPaidTitle(count: number, language: Language): string {
	const { notPaidRow, notPaidRows } = TEXTS[language].approval;
	return count === 1 ? notPaidRow : fill(notPaidRows, { count });
}

function figureLines(approval: Approval, language: Language): Array<[string, string]> {
	const { count, ready, alreadySent, newPayees, isStoreEmpty, unknownAmounts, target } = approval;
	const texts = TEXTS[language].approval;
	const number = (name: string, value: number): Array<[string, string]> =>
		value > 0 ? [[name, String(value)]] : [];
	const money = (amount: string, currency: string) => moneyWithCurrency(amount, currency, language);
	const environment = target === '' ? [] : [[texts.environment, target] as [string, string]];
	// The file could not be read: its lines are no payments.
	if (approval.rejection !== '' && approval.totals.length === 0) return environment;
	const now = approval.readyTotals.map(({ amount, currency }) => money(amount, currency));
	return [
		...environment,
		[texts.payments, String(count)],
		...approval.totals.map(
			({ amount, currency, fundingSource, count: payments }): [string, string] => [
				`${texts.total} ${currency}`.trim(),
				[
					money(amount, currency),
					...(fundingSource === ''
						? []
						: [fill(texts.from, { fundingSource: sourceText(fundingSource, language) })]),
					`(${payments})`,
				].join(' '),
			],
		),
		...(ready < count && ready > 0
			? [[texts.sentNow, [String(ready), ...now].join(', ')] as [string, string]]
			: []),
		...(approval.toFund ?? []).map((funds): [string, string] => [
			TEXTS[language].report.toFund,
			fundingText(funds, language),
		]),
		...approval.costs.map(({ text }): [string, string] => [TEXTS[language].cost.label, text]),
		...number(texts.alreadySent, alreadySent),
		...(isStoreEmpty ? [] : number(texts.newPayees, newPayees)),
		...number(texts.unknownAmounts, unknownAmounts),
		...approval.largest.map((line): [string, string] => [
			`${texts.largest} ${line.currency}`.trim(),
			lineText(line, language),
		]),
	];
}

/** A funding source. A wallet keeps its ID. */
function sourceText(source: string, language: Language): string {
	return source === 'balance' || source === 'conversion'
		? TEXTS[language].approval[source]
		: source;
}

/** A row as people find it: `Row 2, Maria Quispe, 900.00 BOB`. */
function lineText({ row, payee, amount, currency }: Line, language: Language): string {
	return [
		fill(TEXTS[language].approval.row, { row }),
		payee,
		moneyWithCurrency(amount, currency, language),
	]
		.filter((text) => text !== '')
		.join(', ');
}
