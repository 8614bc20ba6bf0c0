import { fill, TEXTS } from '../messages/userMessage';
import { grouped } from '../fields/grouped';
import { dollarsAsText } from '../fields/text';
import { type Html, html, htmlTable } from '../fields/html';
import type { Environment } from '../service/baseUrl';
import { replaceCharacters } from '../service/outsideText';
import type { Cost } from './costText';
import { moneyWithCurrency, type Language } from './language';
import { sumText } from './reportRow';
import type { FundingSum } from './toFund';

/** The figures of a batch before it is paid. Amounts are canonical decimals. */
export type ApprovalFigures = {
	/** All payments that may be made, including those that were already sent. */
	count: number;
	/** Those that would be sent now. */
	ready: number;
	/** Those that another execution of the node sent: they are not sent again. */
	alreadySent: number;
	/** Whether the node has sent nothing before. A copied node begins empty. */
	isStoreEmpty: boolean;
	/** Payments whose amount is unknown: no total includes them. */
	unknownAmounts: number;
	totals: Array<{ currency: string; fundingSource: string; count: number; amount: string }>;
	/** What the payments fund, by asset and blockchain. Missing if they are no fundings. */
	toFund?: FundingSum[];
	/** What the conversions that would be sent now cost, by asset. */
	costs: Cost[];
	/** Which money it is, as the credential says; empty if it does not. */
	environment: Environment | '';
	/** Empty if no credential could be read. */
	host: string;
	/** What would be sent now, as text: `40 payments, 163,712.37 BOB`. */
	readyText: string;
};

/** What a person has to know before a batch is paid. */
export interface Approval extends ApprovalFigures {
	/** What would be sent now is paid from them. */
	fundingSources: readonly string[];
	/** What of it repeats an earlier payment, as text; empty if nothing does. */
	repeatedText: string;
	/** Everybody who would be paid now, with what a person should look at. */
	listed: Array<
		Line & { paidTo: string; notes: Array<'duplicate' | 'account' | 'payee' | 'again'> }
	>;
	/** The rows that are not paid, each with its reason. */
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

/** As many rows as a payment file may have: its approver sees everybody. */
const MAX_LISTED = 20_000;

/** More rows would not fit a message. */
const MAX_IN_TEXT = 100;

/** Payments as text, by which a person approves them: `40 payments, 163,712.37 BOB`. */
export function readyText(
	count: number,
	totals: ReadonlyArray<readonly [currency: string, amount: string]>,
	language: Language,
): string {
	const [one, many] = TEXTS[language].report.payments;
	return [
		`${count} ${count === 1 ? one : many}`,
		...totals.map(([currency, amount]) => moneyWithCurrency(amount, currency, language)),
	].join(', ');
}

/**
 * What a person reads before a batch is paid: as HTML with the few tags that n8n's form pages keep, and as plain text.
 */
export function approvalTexts(
	approval: Approval,
	language: Language,
): { html: string; text: string } {
	const { listed, notPaid, ready } = approval;
	const texts = TEXTS[language].approval;
	const notes = notesOf(approval, language);
	const figures = figureLines(approval, language);
	const more = (count: number, max: number) => fill(texts.more, { count: count - max });
	const title = ready > 0 ? approval.readyText : titleOfNothing(approval, language);
	const page = html`<h2>${title}</h2>
		${
			approval.repeatedText === ''
				? undefined
				: html`<p><b>${repeatedNote(approval, language)}</b></p>`
		}${notes.map((note) => html`<p>${note}</p>`)}
		${htmlTable(figures)}
		${
			listed.length === 0
				? undefined
				: html`<h3>${texts.everybody}</h3>
						<div>
							<table>
								<thead>
									<tr>
										${texts.columns.map((column) => html`<th>${column}</th>`)}
									</tr>
								</thead>
								<tbody>
									${listed.slice(0, MAX_LISTED).map((line) => listedRow(line, language))}
								</tbody>
							</table>
						</div>
						${listed.length > MAX_LISTED ? html`<p>${more(listed.length, MAX_LISTED)}</p>` : undefined}`
		}
		${
			notPaid.length === 0
				? undefined
				: html`<h3>${notPaidTitle(notPaid.length, language)}</h3>
						${[...grouped(notPaid, ({ reason }) => reason)].map(
							([reason, lines]) =>
								html`<p><b>${reason}</b></p>
									${htmlTable(lines.slice(0, MAX_LISTED).map((line) => [lineText(line, language)]))}`,
						)}`
		}`;
	return {
		html: dollarsAsText(page.text),
		text: [
			title,
			...(approval.repeatedText === '' ? [] : [repeatedNote(approval, language)]),
			...notes,
			...figures.map(([name, value]) => `${name}: ${value}`),
			...section(
				texts.everybody,
				listed.map((line) => [lineText(line, language), ...noteTexts(line, language)].join(', ')),
			),
			...section(
				notPaidTitle(notPaid.length, language),
				notPaid.map((line) => `${lineText(line, language)}: ${line.reason}`),
			),
		].join('\n'),
	};

	function section(heading: string, lines: string[]): string[] {
		if (lines.length === 0) return [];
		return [
			'',
			`${heading}:`,
			...lines.slice(0, MAX_IN_TEXT).map((line) => `- ${line}`),
			...(lines.length > MAX_IN_TEXT ? [more(lines.length, MAX_IN_TEXT)] : []),
		];
	}
}

/** Why there is nothing to approve. Nobody may take a paid file for an unpaid one. */
function titleOfNothing({ rejection, alreadySent, notPaid }: Approval, language: Language): string {
	const texts = TEXTS[language].approval;
	if (rejection !== '') return rejection;
	if (notPaid.length > 0) return texts.nothingPayable;
	return alreadySent > 0 ? texts.allSent : texts.nothingToPay;
}

const repeatedNote = ({ repeatedText }: Approval, language: Language): string =>
	fill(TEXTS[language].approval.repeated, { repeated: repeatedText });

function notesOf(
	{ ready, isStoreEmpty, environment, host }: Approval,
	language: Language,
): string[] {
	const texts = TEXTS[language].approval;
	return [
		...(environment === ''
			? host === ''
				? []
				: [fill(texts.unknownMoney, { host })]
			: [texts[environment]]),
		...(isStoreEmpty && ready > 0 ? [texts.firstRun] : []),
	];
}

/** Payee, account and notes below one another: n8n's pages take no widths, and a phone has room for three columns. */
function listedRow(line: Approval['listed'][number], language: Language): Html {
	const { row, payee, paidTo, amount, currency } = line;
	const notes = noteTexts(line, language).join(', ');
	return html`<tr>
		<td>${row}</td>
		<td>
			${breakable(payee)}${paidTo === '' ? undefined : html`<br />${breakable(paidTo)}`}${
				notes === '' ? undefined : html`<br /><b>${notes}</b>`
			}
		</td>
		<td>${moneyWithCurrency(amount, currency, language)}</td>
	</tr>`;
}

/** A longer word is wider than a phone. No number of an account has more digits. */
const WORD = /\S{20}(?=\S)/g;

/** A text whose long words can be broken, by a space without width. */
const breakable = (text: string): string => replaceCharacters(text, WORD, '$&\u200b');

const noteTexts = ({ notes }: Approval['listed'][number], language: Language): string[] =>
	notes.map((note) => TEXTS[language].approval[note]);

function notPaidTitle(count: number, language: Language): string {
	const { notPaidRow, notPaidRows } = TEXTS[language].approval;
	return count === 1 ? notPaidRow : fill(notPaidRows, { count });
}

function figureLines(approval: Approval, language: Language): Array<[string, string]> {
	const { count, ready, alreadySent, unknownAmounts } = approval;
	const texts = TEXTS[language].approval;
	const number = (name: string, value: number): Array<[string, string]> =>
		value > 0 ? [[name, String(value)]] : [];
	return [
		...(ready < count
			? approval.totals.map(({ amount, currency, count: payments }): [string, string] => [
					texts.inFile,
					readyText(payments, [[currency, amount]], language),
				])
			: []),
		...number(texts.alreadySent, alreadySent),
		...approval.fundingSources.map((source): [string, string] => [
			texts.fundedFrom,
			sourceText(source, language),
		]),
		...(approval.toFund ?? []).map((funds): [string, string] => [
			TEXTS[language].report.toFund,
			sumText(funds, language),
		]),
		...approval.costs.map(({ text }): [string, string] => [TEXTS[language].cost.label, text]),
		...number(texts.unknownAmounts, unknownAmounts),
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
