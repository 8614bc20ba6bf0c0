import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { toServiceError } from '../../shared/errors';
import {
	checkFields,
	parameterReader,
	problemText,
	toBody,
	toProperties,
	type Problem,
} from '../../shared/fields';
import type { Operation } from '../../shared/operation';
import type { Values } from '../../shared/rules';
import { Service } from '../../shared/transport';
import type { MoneyEndpoint } from './endpoint';
import { badRow, countsText, errorDetails, rowFields, type RowResult } from './outcome';

/** One input item, read and checked. */
interface Row {
	itemIndex: number;
	reference: string;
	values: Values;
	body: IDataObject;
	problems: Problem[];
}

/**
 * The operation for an endpoint that moves money. Every such operation goes through here, so what
 * this folder promises holds for all of them: all rows are checked before the first is sent, a
 * payment is never sent twice, and every row ends in an outcome that is reported.
 */
export function moneyOperation(endpoint: MoneyEndpoint): Operation {
	const { value, name, action, description } = endpoint;
	return {
		value,
		name,
		action,
		description,
		properties: [
			...toProperties(endpoint.fields),
			...(endpoint.properties ?? []),
			...(endpoint.options
				? [
						{
							displayName: 'Options',
							name: 'options',
							type: 'collection' as const,
							placeholder: 'Add Option',
							default: {},
							options: endpoint.options,
						},
					]
				: []),
		],
		async execute() {
			return await runBatch(this, endpoint);
		},
	};
}

async function runBatch(
	context: IExecuteFunctions,
	endpoint: MoneyEndpoint,
): Promise<INodeExecutionData[]> {
	const rows: Row[] = [];
	for (let itemIndex = 0; itemIndex < context.getInputData().length; itemIndex++) {
		rows.push(await readRow(context, endpoint, itemIndex));
	}
	markDuplicates(rows, endpoint);

	const goesOn = context.continueOnFail();
	const bad = rows.filter(({ problems }) => problems.length);
	if (bad.length && !goesOn) throw badRowsError(context, bad, rows.length);

	const service = await Service.connect(context);
	const results: RowResult[] = [];
	let stopped = false;
	for (const row of rows) {
		if (row.problems.length) results.push(badRow(row.reference, row.problems));
		else if (stopped) results.push(notSent(row));
		else {
			const result = await send(context, service, endpoint, row);
			results.push(result);
			stopped = result.outcome !== 'created' && !goesOn;
		}
	}
	if (stopped) throw stoppedError(context, results);
	return results.map((result, itemIndex) => toOutput(result, itemIndex));
}

async function readRow(
	context: IExecuteFunctions,
	endpoint: MoneyEndpoint,
	itemIndex: number,
): Promise<Row> {
	const { fields, reference } = endpoint;
	const { values, problems } = checkFields(fields, parameterReader(context, fields, itemIndex));
	problems.push(...((await endpoint.readBinary?.(context, values, itemIndex)) ?? []));
	return {
		itemIndex,
		reference: String(values[reference.field] ?? ''),
		values,
		body: toBody(fields, values),
		problems,
	};
}

function markDuplicates(rows: Row[], { fields, reference }: MoneyEndpoint): void {
	const label = fields.find(({ name }) => name === reference.field)?.label ?? reference.field;
	const first = new Map<string, number>();
	for (const row of rows) {
		if (row.reference === '') continue;
		const key = row.reference.toLowerCase();
		const earlier = first.get(key);
		if (earlier === undefined) first.set(key, row.itemIndex);
		else {
			row.problems.push({
				field: label,
				value: JSON.stringify(row.reference),
				rule: `is the same as in item ${earlier}`,
				fix: 'Give every payment a reference of its own.',
			});
		}
	}
}

async function send(
	context: IExecuteFunctions,
	service: Service,
	endpoint: MoneyEndpoint,
	{ itemIndex, reference, body }: Row,
): Promise<RowResult> {
	try {
		const answer = await service.request({ method: 'POST', path: endpoint.path, body });
		const created =
			typeof answer === 'object' && answer !== null
				? endpoint.created(answer as IDataObject)
				: undefined;
		if (!created) {
			return {
				outcome: 'unknown',
				reference,
				message: 'The service accepted the request, but its answer has no transaction identifier',
				advice: 'It may have been created. Look the reference up before sending it again.',
			};
		}
		const json = answer as IDataObject;
		const item = (await endpoint.toItem?.(context, json, itemIndex, reference)) ?? { json };
		return { outcome: 'created', reference, created, item };
	} catch (error) {
		const fault = toServiceError(error);
		return {
			outcome: fault.outcome,
			reference,
			message: fault.message,
			advice: fault.advice,
			httpStatus: fault.status,
		};
	}
}

function notSent({ reference }: Row): RowResult {
	return {
		outcome: 'notSent',
		reference,
		message: 'Not sent, because an earlier item did not succeed',
	};
}

function toOutput(result: RowResult, itemIndex: number): INodeExecutionData {
	const pairedItem = { item: itemIndex };
	if (result.outcome === 'created') {
		return {
			...result.item,
			json: { ...result.item.json, ...rowFields(result) },
			pairedItem,
		};
	}
	// Only `error` and `message`: with any other key n8n takes the item for a success.
	return { json: { error: errorDetails(result), message: result.message }, pairedItem };
}

function badRowsError(context: IExecuteFunctions, bad: Row[], total: number): NodeOperationError {
	const lines = bad.map(
		({ itemIndex, problems }) => `[Item ${itemIndex}] ${problems.map(problemText).join(' ')}`,
	);
	return new NodeOperationError(
		context.getNode(),
		bad.length === 1
			? lines[0]
			: `${bad.length} of ${total} items break a rule, so nothing was sent`,
		{
			itemIndex: bad[0].itemIndex,
			description: bad.length === 1 ? 'Nothing was sent.' : lines.join('\n'),
		},
	);
}

function stoppedError(context: IExecuteFunctions, results: RowResult[]): NodeOperationError {
	const itemIndex = results.findIndex(({ outcome }) => outcome !== 'created');
	const result = results[itemIndex];
	const error = new NodeOperationError(
		context.getNode(),
		`[Item ${itemIndex}] ${result.outcome === 'created' ? '' : result.message}`,
		{
			itemIndex,
			description: [
				result.outcome === 'created' ? '' : (result.advice ?? ''),
				`Of ${results.length} items: ${countsText(results)}.`,
				...results.map(
					(row, index) =>
						`[Item ${index}] ${row.reference}: ${row.outcome}${row.outcome === 'created' ? ` ${row.created.transactionId}` : ''}`,
				),
			].join('\n'),
		},
	);
	error.context.rows = results.map((row, index) => ({ item: index, ...rowFields(row) }));
	return error;
}
