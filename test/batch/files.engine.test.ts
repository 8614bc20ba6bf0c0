/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- runs outside n8n */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { useService } from '../engine/service';
import { BANK, reported } from './batch';

/** Files of these regions, as a firm there has them. */
interface Region {
	/** What no file has: where the money comes from, and what it is for. */
	defaultValues: IDataObject;
	bankNames: Record<string, string>;
	layouts: Layout[];
}

/** A file as the reading node gives it, with what has to be paid, or words of the question. */
interface Layout {
	name: string;
	settings?: {
		defaultValues?: IDataObject;
		bankNames?: Record<string, string>;
		fullName?: string;
		documentSuffix?: string;
		accountSeparators?: string;
		headerRow?: number;
	};
	/** Its rows as items of named columns. A cell that is null is missing. */
	columns?: string[];
	rows?: unknown[][];
	/** Its rows as Extract From File gives them with Header Row off. */
	sheet?: unknown[][];
	/** First name, last name, document, account, bank, amount, currency. */
	payments?: Array<Array<string | number>>;
	asked?: string[];
}

/** The files in a folder of fixtures, by region. */
function regionsIn(name: string): Map<string, Region> {
	const folder = join(__dirname, '..', 'fixtures', name);
	return new Map(
		readdirSync(folder).map((file) => [
			file.replace('.json', ''),
			JSON.parse(readFileSync(join(folder, file), 'utf8')) as Region,
		]),
	);
}

function itemsOf({ columns = [], rows = [], sheet }: Layout): IDataObject[] {
	if (sheet) return sheet.map((row) => ({ row: row as IDataObject[] }));
	return rows.map(
		(cells) =>
			Object.fromEntries(
				columns.map((header, index) => [header, cells[index]]).filter(([, cell]) => cell !== null),
			) as IDataObject,
	);
}

/** The form, without a hand on it beyond Bank Names, Full Name, Document Suffix and Default Values. */
function parametersOf({ settings = {} }: Layout, region: Region): INodeParameters {
	const { defaultValues, bankNames, ...reading } = settings;
	const names = { ...region.bankNames, ...bankNames };
	return {
		...BANK,
		referenceSource: 'generated',
		batchId: 'layout',
		defaultValues: { ...region.defaultValues, ...defaultValues } as INodeParameters,
		dryRun: true,
		options: {
			bankNames: { bank: Object.entries(names).map(([name, code]) => ({ name, code })) },
			...reading,
		},
	};
}

const service = useService();

/** The payments that would be sent, or what the node asks instead. */
async function read(layout: Layout, region: Region): Promise<{ payments?: unknown; said: string }> {
	const result = await service.run(parametersOf(layout, region), { items: itemsOf(layout) });
	const { error } = result;
	if (error) {
		const said = [
			error.message,
			error.description,
			...reported(result).map(({ message }) => message),
		];
		return { said: said.join('\n') };
	}
	const ready = result.json.filter(({ request }) => request !== undefined);
	const payments = ready.map(({ request }) => {
		const { transaction } = (request as { body: { transaction: IDataObject } }).body;
		return [
			transaction.first_name,
			transaction.last_name ?? '',
			transaction.destination_id_number,
			transaction.destination_account,
			transaction.bank_code,
			transaction.amount,
			transaction.currency_type,
		];
	});
	return { payments, said: '' };
}

type Verdict = 'paid right' | 'asked' | 'WRONG';

/** Wrong is a payment that is not meant. A question is never wrong, but may be the wrong one. */
async function verdict(
	layout: Layout,
	region: Region,
): Promise<{ verdict: Verdict; isExpected: boolean; said: string }> {
	const { payments, said } = await read(layout, region);
	if (payments === undefined) {
		return {
			verdict: 'asked',
			isExpected: layout.asked?.every((words) => said.includes(words)) ?? false,
			said,
		};
	}
	const isRight = JSON.stringify(payments) === JSON.stringify(layout.payments);
	return {
		verdict: isRight ? 'paid right' : 'WRONG',
		isExpected: isRight,
		said: JSON.stringify(payments),
	};
}

test.each([
	// Of which so many have to be paid without a question.
	{ folder: 'layouts', floor: 30 },
	// Layouts of which the node knew nothing, and that would have been paid wrong or were asked about without need.
	{ folder: 'unseenLayouts', floor: 0 },
])('pays the $folder right or asks about them, and pays none wrong', async ({ folder, floor }) => {
	const lines: string[] = [];
	const unexpected: unknown[] = [];
	const counts: Record<Verdict, number> = { 'paid right': 0, asked: 0, WRONG: 0 };
	for (const [country, region] of regionsIn(folder)) {
		for (const layout of region.layouts) {
			const found = await verdict(layout, region);
			counts[found.verdict]++;
			lines.push(`${found.verdict.padEnd(10)}  ${country}: ${layout.name}`);
			if (!found.isExpected) unexpected.push([layout.name, found.verdict, found.said]);
		}
	}
	const score = Object.entries(counts).map(([name, count]) => `${count} ${name}`);
	process.stdout.write(`${lines.join('\n')}\n${lines.length} ${folder}: ${score.join(', ')}\n`);
	expect(counts.WRONG).toBe(0);
	expect(unexpected).toEqual([]);
	expect(counts['paid right']).toBeGreaterThanOrEqual(floor);
});
