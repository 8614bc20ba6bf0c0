import { grouped } from '../fields/grouped';
import { fill, TEXTS } from '../messages/userMessage';
import { capitalized } from '../fields/text';
import { dataLink, toCsv } from './csv';
import { type Figures, figuresOf } from './figures';
import { Html, html } from '../fields/html';
import { moneyText } from '../fields/money';
import { localTime, moneyWithCurrency, type Language } from './language';
import { cellsOf, sumText, type ReportRow } from './reportRow';
import { STYLE } from './style';
import { COLUMNS, needsReview, TO_DO, VERDICTS, type Column, type Verdict } from './verdicts';

/** What a report says besides its rows. */
export interface ReportOptions {
	language: Language;
	/** Empty for the usual one. */
	title: string;
	/** A line below the title. */
	subtitle: string;
	/** When it was made, as people write it. */
	time: string;
	/** Of the times in the CSV file. */
	timeZone: string;
	/** The name of the CSV file in it. */
	csvName: string;
	/** What a dry run has estimated. */
	costs: readonly string[];
}

/** A report in its forms. */
export interface Report extends Figures {
	/** A page that needs nothing else, for a browser or a printer. */
	html: string;
	/** The figures and the rows to look at, for a message. */
	text: string;
}

/** How a verdict looks. */
const TONES: Record<Verdict, 'good' | 'going' | 'wait' | 'bad' | 'none'> = {
	conflict: 'bad',
	twice: 'bad',
	unclear: 'bad',
	unknown: 'wait',
	failed: 'bad',
	rejected: 'bad',
	notSent: 'bad',
	fundingUnknown: 'wait',
	waitsForFunds: 'wait',
	unconfirmed: 'wait',
	repeated: 'wait',
	onItsWay: 'going',
	created: 'going',
	alreadySent: 'going',
	ready: 'none',
	arrived: 'good',
};

/** More rows would keep a browser busy. The CSV file has all of them. */
const MAX_ROWS = 5_000;

/** More rows would not fit a message. */
const MAX_LISTED = 50;

/** Makes a report of rows. */
export function makeReport(rows: readonly ReportRow[], options: ReportOptions): Report {
	const figures = figuresOf(rows, options.language);
	const texts = TEXTS[options.language].report;
	const csv = toCsv(
		[
			COLUMNS.map((column) =>
				column === 'since' ? `${texts.columns.since} (${options.timeZone})` : texts.columns[column],
			),
			...rows.map((row) => {
				const cells = csvCells(row, options);
				return COLUMNS.map((column) => cells[column]);
			}),
		],
		options.language,
	);
	const urgent = toLookFirst(rows);
	return {
		...figures,
		html: page(rows, urgent, figures, csv, options),
		text: summaryText(urgent, figures, options),
	};
}

/** The rows that somebody has to look at, the most urgent first. */
function toLookFirst(rows: readonly ReportRow[]): ReportRow[] {
	return VERDICTS.filter(needsReview).flatMap((verdict) =>
		rows.filter((row) => row.verdict === verdict),
	);
}

function csvCells(row: ReportRow, { language, timeZone }: ReportOptions): Record<Column, string> {
	const cells = { ...cellsOf(row, language), since: localTime(row.since, timeZone) };
	return language === 'es' ? { ...cells, amount: cells.amount.replace('.', ',') } : cells;
}

function page(
	rows: readonly ReportRow[],
	urgent: readonly ReportRow[],
	figures: Figures,
	csv: string,
	options: ReportOptions,
): string {
	const { language, subtitle, time, csvName } = options;
	const texts = TEXTS[language].report;
	const title = options.title || texts.title;
	const more = rows.length - MAX_ROWS;
	return html`<!doctype html>
		<html lang="${language}">
			<head>
				<meta charset="utf-8" />
				<meta name="viewport" content="width=device-width, initial-scale=1" />
				<meta
					http-equiv="Content-Security-Policy"
					content="default-src 'none'; style-src 'unsafe-inline'"
				/>
				<title>${title}</title>
				<style>
					${new Html(STYLE)}
				</style>
			</head>
			<body>
				<main>
					<header>
						<div>
							<h1>${title}</h1>
							${subtitle === '' ? undefined : html`<p class="subtitle">${subtitle}</p>`}
							<p class="time">${fill(texts.made, { time })}</p>
						</div>
						<a class="download" download="${csvName}" href="${dataLink(csv, 'text/csv')}"
							>${texts.download}</a
						>
					</header>
					${headline(figures, language)} ${bar(figures, language)} ${totalsTable(figures, language)}
					${sums(figures, options).map(
						([title, texts]) =>
							html`<section class="funding">
								<h2>${title}</h2>
								<ul>
									${texts.map((text) => html`<li>${text}</li>`)}
								</ul>
							</section>`,
					)}
					${urgentSection(urgent, language)}
					<section>
						<h2>${texts.allRows}</h2>
						${table(rows.slice(0, MAX_ROWS), language, false)}${
							more > 0
								? html`<p class="time">${fill(texts.moreRows, { count: more })}</p>`
								: undefined
						}
					</section>
					<footer>
						<p><span>${texts.preparedBy}</span></p>
						<p><span>${texts.approvedBy}</span></p>
					</footer>
				</main>
			</body>
		</html> `.text;
}

function headline(figures: Figures, language: Language): Html {
	const [made, toReview, ...others] = headlineTexts(figures, language);
	return html`<p class="headline">
		<b>${made}</b> <b class="${figures.toReview > 0 ? 'bad' : 'good'}">${toReview}</b>
		${others.map((text) => html`<span>${text}</span>`)}
	</p>`;
}

/** How many payments there are, how many of them somebody has to look at, and what the figures leave out. */
function headlineTexts(figures: Figures, language: Language): string[] {
	const { toReview, unknownAmounts, notLookedUp } = figures;
	const texts = TEXTS[language].report;
	return [
		madeText(figures, language),
		toReview > 0 ? counted(toReview, texts.toReview) : texts.allFine,
		...(unknownAmounts > 0 ? [fill(texts.unknownAmounts, { count: unknownAmounts })] : []),
		...(notLookedUp > 0 ? [fill(texts.notLookedUp, { count: notLookedUp })] : []),
	];
}

/** How many payments were made. Only those of a dry run are counted as rows. */
function madeText({ count, made, counts }: Figures, language: Language): string {
	const { payments, madeOf } = TEXTS[language].report;
	const isDryRun = counts.some(({ verdict }) => verdict === 'ready');
	return made === count || isDryRun ? counted(count, payments) : fill(madeOf, { made, count });
}

function counted(count: number, [one, many]: readonly [string, string]): string {
	return `${count} ${count === 1 ? one : many}`;
}

function bar({ counts }: Figures, language: Language): Html {
	const { labels } = TEXTS[language].report;
	// Good news first, as a bar is read from the left.
	const inOrder = [...counts].reverse();
	return html`<div class="bar">
			${inOrder.map(
				({ verdict, count }) =>
					html`<i
						class="${TONES[verdict]}"
						style="flex-grow:${count}"
						title="${labels[verdict]}: ${count}"
					></i>`,
			)}
		</div>
		<ul class="legend">
			${inOrder.map(
				({ verdict, count }) =>
					html`<li class="${TONES[verdict]}">${labels[verdict]} <b>${count}</b></li>`,
			)}
		</ul>`;
}

/** The totals by verdict, with a column for each currency. */
function totalsTable(figures: Figures, language: Language): Html | undefined {
	const { counts, totals } = figures;
	const { labels, columns, count: heading } = TEXTS[language].report;
	const currencies = [...new Set(totals.map(({ currency }) => currency))];
	if (currencies.length === 0) return undefined;
	return html`<table class="totals">
		<thead>
			<tr>
				<th>${capitalized(columns.verdict)}</th>
				<th class="number">${heading}</th>
				${currencies.map((currency) => html`<th class="number">${currency}</th>`)}
			</tr>
		</thead>
		<tbody>
			${[...counts].reverse().map(
				({ verdict, count }) =>
					html`<tr>
						<td class="${TONES[verdict]}">${labels[verdict]}</td>
						<td class="number">${count}</td>
						${currencies.map(
							(currency) =>
								html`<td class="number">${totalOf(figures, verdict, currency, language)}</td>`,
						)}
					</tr> `,
			)}
		</tbody>
	</table>`;
}

function totalOf({ totals }: Figures, verdict: Verdict, currency: string, language: Language) {
	const total = totals.find((one) => one.verdict === verdict && one.currency === currency);
	return total ? moneyText(total.amount, language) : '';
}

/** The crypto that payments wait for, and what a dry run has estimated, if anything. */
function sums({ toFund }: Figures, { language, costs }: ReportOptions) {
	const all: Array<[string, readonly string[]]> = [
		[TEXTS[language].report.toFund, toFund.map((funds) => sumText(funds, language))],
		[TEXTS[language].cost.label, costs],
	];
	return all.filter(([, texts]) => texts.length > 0);
}

/** The rows to look at, below what to do about them. A message that several of them have stands above them, once. */
function urgentSection(urgent: readonly ReportRow[], language: Language): Html | undefined {
	if (urgent.length === 0) return undefined;
	const { lookFirst, labels } = TEXTS[language].report;
	const groups = grouped(urgent, ({ verdictText, message }) => `${verdictText} ${message}`);
	const shared = [...groups.values()].filter(
		([{ verdictText, message }, ...others]) => others.length > 0 && !verdictText.includes(message),
	);
	const said = new Set(shared.flat());
	const rows = urgent.map((row) => (said.has(row) ? { ...row, message: '' } : row));
	return html`<section class="urgent">
		<h2>${lookFirst}</h2>
		${toDo(urgent, language).map((text) => html`<p>${text}</p>`)}
		${shared.map(([{ verdict, message }]) => html`<p>${labels[verdict]}: ${message}</p>`)}
		${table(rows, language, true)}
	</section>`;
}

/** What somebody can do about rows, by what helps. */
function toDo(urgent: readonly ReportRow[], language: Language): string[] {
	const texts = TEXTS[language].report;
	const byHelp = grouped(urgent, ({ verdict }) => TO_DO[verdict]);
	return [...byHelp].flatMap(([help, rows]) => {
		const labels = new Set(rows.map(({ verdict }) => texts.labels[verdict]));
		return help ? [`${[...labels].join(', ')}: ${texts.toDo[help]}`] : [];
	});
}

function table(rows: readonly ReportRow[], language: Language, isLong: boolean): Html {
	const { columns } = TEXTS[language].report;
	const heading = (column: Column, type?: string) =>
		html`<th${type === undefined ? undefined : html` class="${type}"`}>${capitalized(columns[column])}</th>`;
	return html`<table class="rows">
		<thead>
			<tr>
				${heading('verdict')}${heading('payee')}${heading('amount', 'number')}${heading('paidTo')}${heading('row', 'number')}
				<th>${TEXTS[language].report.reference}</th>
			</tr>
		</thead>
		<tbody>
			${rows.map((row) => tableRow(row, language, isLong))}
		</tbody>
	</table>`;
}

/** A row. The rows to look at have the reason as well. */
function tableRow(row: ReportRow, language: Language, isLong: boolean): Html {
	const { verdict, payee, amount, currency, paidTo, row: number, reference } = row;
	const isShort = !isLong && verdict !== 'waitsForFunds';
	const detail = isLong ? detailOf(row) : '';
	return html`<tr>
			<td class="verdict ${TONES[verdict]}">
				${isShort ? TEXTS[language].report.labels[verdict] : row.verdictText}
			</td>
			<td>${payee}</td>
			<td class="number">${moneyWithCurrency(amount, currency, language)}</td>
			<td class="account">${paidTo}</td>
			<td class="number">${number}</td>
			<td class="code">${reference}</td>
		</tr>
		${
			detail === ''
				? undefined
				: html`<tr class="detail">
						<td colspan="6">${detail}</td>
					</tr> `
		}`;
}

/** What the verdict does not say. */
function detailOf({ verdictText, message, transactionId }: ReportRow): string {
	return [...(verdictText.includes(message) ? [] : [message]), transactionId]
		.filter((text) => text !== '')
		.join(' · ');
}

/** A verdict. Of a row that does not say whom it pays, with the message, which does. */
function reasonOf({ verdictText, payee, message }: ReportRow): string {
	return payee !== '' || verdictText.includes(message) ? verdictText : `${verdictText}. ${message}`;
}

/** A row as people find it: its number and its payee. */
function nameOf({ row, payee, reference }: ReportRow, language: Language): string {
	return [
		...(row === undefined ? [] : [`${TEXTS[language].report.row} ${row}`]),
		payee === '' ? reference : payee,
	]
		.filter((text) => text !== '')
		.join(', ');
}

function summaryText(
	urgent: readonly ReportRow[],
	figures: Figures,
	options: ReportOptions,
): string {
	const { language, title, subtitle } = options;
	const texts = TEXTS[language].report;
	const money = (verdict: Verdict) =>
		figures.totals
			.filter((total) => total.verdict === verdict)
			.map(({ amount, currency }) => moneyWithCurrency(amount, currency, language))
			.join(', ');
	return [
		title || texts.title,
		...(subtitle === '' ? [] : [subtitle]),
		headlineTexts(figures, language).join(' · '),
		...[...figures.counts].reverse().map(({ verdict, count }) => {
			const total = money(verdict);
			return `${texts.labels[verdict]}: ${count}${total === '' ? '' : ` (${total})`}`;
		}),
		...sums(figures, options).flatMap(([title, texts]) => texts.map((text) => `${title}: ${text}`)),
		...(urgent.length === 0 ? [] : ['', `${texts.lookFirst}:`]),
		...toDo(urgent, language),
		...urgent.slice(0, MAX_LISTED).map((row) => {
			const total = moneyWithCurrency(row.amount, row.currency, language);
			const name = nameOf(row, language);
			return `- ${total === '' ? name : `${name}, ${total}`}: ${reasonOf(row)}`;
		}),
		...(urgent.length > MAX_LISTED
			? [fill(texts.moreToReview, { count: urgent.length - MAX_LISTED })]
			: []),
	].join('\n');
}
