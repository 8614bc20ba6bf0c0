import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { isEmpty, listedNames } from '../../../fields/validators';
import { parameterReaders, plainValue } from '../../../fields/parameters';
import { showValue } from '../../../fields/validateFields';
import { idempotencyKey, normalizeText, normalizeWord } from '../../../fields/text';
import { isObject } from '../../../service/responses';
import type { UserMessage } from '../../../service/messages';
import { toOperationError } from '../../../service/errors';
import { userMessage } from '../../operations/messages';

/** Outcomes of rows that the service may have created: it has, if they are in its logs. */
export const UNKNOWN_OUTCOMES = ['unknown', 'alreadySent'];

/** Outcomes of rows that created nothing and never will: only another attempt could. */
export const NEVER_CREATED = ['rejected', 'notSent'];

/** Outcomes of rows that created nothing, also those of a dry run, which may still be sent. */
export const NOT_CREATED = [...NEVER_CREATED, 'ready'];

/** What is asked for: a reference, a transaction ID, or both. A text that may be either is taken for both. */
export interface Lookup {
	reference: string;
	transactionId: string;
	/** What to show as reference and transaction ID where the logs name none. */
	own: { reference: string; transactionId: string };
	/** What a payment operation said of the row. */
	outcome: string;
	/** The row's own columns, which stay. */
	columns: IDataObject;
}

/** What each item asks for, or why that cannot be told. */
export function readItems(context: IExecuteFunctions): Array<Lookup[] | Error> {
	const findBy = String(context.getNodeParameter('findBy', 0, 'input'));
	const inputs = context.getInputData();
	const readers = parameterReaders(context, [
		findBy === 'list' ? 'referencesOrIds' : 'referenceOrId',
	]);
	const items = inputs.map(({ json }, itemIndex): Lookup[] | Error => {
		try {
			if (findBy === 'list') return readList(readers(itemIndex)('referencesOrIds'));
			const row = readRow(json);
			if (findBy === 'input') return [checked(row)];
			const name = readName(plainValue(readers(itemIndex)('referenceOrId')));
			const { reference, transactionId } = row;
			const own = transactionId === '' ? { reference: reference || name, transactionId } : row.own;
			return [{ ...row, own, reference: name, transactionId: name }];
		} catch (error) {
			if (!(error instanceof InvalidLookup)) return error as Error;
			return toOperationError(context.getNode(), error.told, itemIndex);
		}
	});
	// Nothing is read for a batch that stops at its first fault.
	const fault = items.find((item) => item instanceof Error);
	if (fault instanceof Error && !context.continueOnFail()) throw fault;
	return items;
}

/** An item that does not say what it asks for. */
class InvalidLookup extends Error {
	constructor(readonly told: UserMessage) {
		super(told.message);
	}
}

function readName(raw: unknown): string {
	if (typeof raw === 'object' && raw !== null) {
		reject(userMessage('lookupNotText', { value: showValue(raw) }));
	}
	if (isEmpty(raw)) {
		reject(userMessage('lookupMissing'));
	}
	return normalizeText(String(raw));
}

function readList(raw: unknown): Lookup[] {
	const names = listedNames(raw);
	if (names.length === 0) {
		reject(userMessage('lookupsMissing'));
	}
	const each = new Map(names.map((name) => [idempotencyKey(name), name]));
	return [...each.values()].map((name) => ({
		reference: name,
		transactionId: name,
		own: { reference: name, transactionId: '' },
		outcome: '',
		columns: {},
	}));
}

/** Columns by their names without blanks, hyphens and underscores, the first one that is filled. */
const ID_COLUMNS = ['transactionid'];
const REFERENCE_COLUMNS = ['externalreference', 'referenceid', 'reference'];

/** What a row says of itself, in the columns of a payment operation or of another source. */
function readRow(json: IDataObject): Lookup {
	const { error, ...columns } = json;
	// On the error output of n8n a payment operation has the fields of a fault only in `error`.
	const fault = isObject(error) && 'outcome' in error ? error : {};
	const outcome = textOf(fault.outcome ?? json.outcome);
	const isPayment = [...UNKNOWN_OUTCOMES, ...NOT_CREATED, 'created'].includes(outcome);
	const byColumn = new Map<string, string>();
	for (const [name, value] of Object.entries({ ...columns, ...(isPayment ? fault : {}) })) {
		const text = textOf(value);
		if (text !== '') byColumn.set(normalizeWord(name), text);
	}
	const first = (names: string[]) =>
		names.map((name) => byColumn.get(name)).find((text) => text !== undefined) ?? '';
	const transactionId = first(ID_COLUMNS);
	// `reference` is what was sent; a column of the file with another name may be something else.
	const reference = first(isPayment ? [...REFERENCE_COLUMNS].reverse() : REFERENCE_COLUMNS);
	// What was said of a row is out of date once it has been looked up.
	const others = { ...columns };
	delete others.code;
	delete others.hint;
	return {
		transactionId,
		reference,
		own: { reference, transactionId },
		outcome: isPayment ? outcome : '',
		columns: isPayment ? others : columns,
	};
}

function checked(row: Lookup): Lookup {
	const { outcome, reference, transactionId } = row;
	// A row of a payment operation without a reference was never sent.
	if (reference === '' && transactionId === '' && !NOT_CREATED.includes(outcome)) {
		reject(userMessage('itemWithoutReference'));
	}
	return row;
}

function textOf(value: unknown): string {
	return typeof value === 'string' || typeof value === 'number' ? normalizeText(String(value)) : '';
}

function reject(told: UserMessage): never {
	throw new InvalidLookup(told);
}
