import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { collection, textProperty } from '../../../fields/form';
import { withoutFormula } from '../../../report/csv';
import { TEXTS } from '../../../messages/userMessage';
import { LANGUAGE, timeText, toLanguage, type Language } from '../../../report/language';
import { makeReport } from '../../../report/page';
import { cellsOf, readRows, type ReportRow } from '../../../report/reportRow';
import { shownText } from '../../../report/shownText';
import { COLUMNS } from '../../../report/verdicts';
import { exactNumber } from '../../../fields/money';
import { isObject } from '../../../service/json';
import { objectsIn } from '../../../service/responses';
import type { BatchOperation } from '../../operations/operation';

const REPORT = { output: ['report'] };

/**
 * Makes a report of the results of payments, and of Get Status. It needs no service. It never fails because of a
 * row: whatever was paid has to be reported.
 */
export const createReport: BatchOperation = {
	value: 'createReport',
	name: 'Create Report',
	action: 'Create report of transactions',
	description:
		'Make a page to keep and print from the results of payouts, deposits and Get Status, with what happened to each row',
	properties: [
		{
			displayName: 'Output',
			name: 'output',
			type: 'options',
			noDataExpression: true,
			options: [
				{
					name: 'Report',
					value: 'report',
					description: 'One item with the report as a file and as texts',
				},
				{
					name: 'Rows',
					value: 'rows',
					description: 'An item for each row, in the order of the file, for Convert to File',
				},
			],
			default: 'report',
			description: 'What to make',
		},
		{ ...LANGUAGE, name: 'language' },
		textProperty('Title', 'title', {
			placeholder: 'e.g. Payroll November 2026',
			description: 'The title of the report',
			displayOptions: { show: REPORT },
		}),
		{
			...collection('Options', [
				textProperty('File Name', 'fileName', {
					default: 'report.html',
					description: 'The name of the file',
				}),
				textProperty('Subtitle', 'subtitle', {
					placeholder: 'e.g. Approved by Ana Rojas',
					description: 'A line below the title',
				}),
			]),
			displayOptions: { show: REPORT },
		},
	],
	output: {
		count: 'integer',
		made: 'integer',
		toReview: 'integer',
		counts: [{ verdict: 'string', label: 'string', count: 'integer' }],
		totals: [
			{
				currency: 'string',
				verdict: 'string',
				label: 'string',
				count: 'integer',
				amount: 'string',
			},
		],
		unknownAmounts: 'integer',
		notLookedUp: 'integer',
		toFund: [
			{
				amount: 'string',
				asset: 'string',
				blockchain: 'string',
				address: 'string',
				count: 'integer',
				unknownAmounts: 'integer',
			},
		],
		text: 'string',
		html: 'string',
	},
	async execute() {
		const items = this.getInputData();
		const language = toLanguage(this.getNodeParameter('language', 0, 'en'));
		const rows = readRows(
			items.map(({ json }) => json),
			language,
		);
		if (this.getNodeParameter('output', 0, 'report') === 'rows') {
			return rows.map((row) => ({
				json: rowJson(row, language),
				pairedItem: { item: row.itemIndex },
			}));
		}
		const text = (name: string) => {
			const value: unknown = this.getNodeParameter(name, 0, '');
			return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
		};
		const fileName = text('options.fileName').slice(0, MAX_TEXT) || 'report.html';
		const report = makeReport(rows, {
			language,
			title: text('title').slice(0, MAX_TEXT),
			subtitle: shownText(text('options.subtitle')),
			costs: costsIn(items),
			time: timeText(Date.now(), this.getTimezone(), language),
			timeZone: this.getTimezone(),
			csvName: `${fileName.replace(/\.\w{1,8}$/, '')}.csv`,
		});
		const content = Buffer.from(report.html);
		const file = await this.helpers.prepareBinaryData(content, fileName, 'text/html');
		const pairedItem = items.map((_item, item) => ({ item }));
		return [{ json: { ...report }, binary: { data: file }, pairedItem }];
	},
};

/** What a dry run has estimated: each of its items has it. */
function costsIn(items: readonly INodeExecutionData[]): string[] {
	const summary = items.map(({ json }) => json.summary).find(isObject);
	return objectsIn(summary?.costs).map(({ text }) => shownText(String(text)));
}

/** More than a title or a file name has. */
const MAX_TEXT = 200;

/** A row for a spreadsheet, whose columns have names in its language. An amount is a number if that is exact. */
function rowJson(row: ReportRow, language: Language): IDataObject {
	const cells = cellsOf(row, language);
	const { columns } = TEXTS[language].report;
	const amount = exactNumber(row.amount);
	return Object.fromEntries(
		COLUMNS.map((column) => [
			columns[column],
			column === 'amount' && row.amount !== ''
				? (amount ?? cells.amount)
				: column === 'row'
					? (row.row ?? '')
					: // n8n writes them into files.
						withoutFormula(cells[column]),
		]),
	);
}
