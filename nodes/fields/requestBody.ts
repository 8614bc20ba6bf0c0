import type { IDataObject } from 'n8n-workflow';

import type { FieldValue, Values } from './checks';
import type { Field } from './field';

/** The request body for checked values, in the order and spelling of the service. */
export function toBody(fields: Field[], values: Values): IDataObject {
	const body: IDataObject = {};
	for (const { name, to } of fields) {
		const value: FieldValue | undefined = values[name];
		if (value !== undefined && to !== undefined) setAt(body, to, value);
	}
	return body;
}

/** Sets `value` at a dotted path (`transaction.amount`) of a request body. */
function setAt(body: IDataObject, path: string, value: FieldValue): void {
	const [key, ...rest] = path.split('.');
	if (rest.length === 0) {
		body[key] = value;
		return;
	}
	body[key] ??= {};
	setAt(body[key] as IDataObject, rest.join('.'), value);
}
