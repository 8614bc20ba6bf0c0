import type { IDataObject } from 'n8n-workflow';

/** Whether a value is a JSON object, not a list, text, number or null. */
export function isObject(value: unknown): value is IDataObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object that a value is, or whose JSON text it is; undefined if it is something else. */
export function parseObject(value: unknown): IDataObject | undefined {
	try {
		const isText = typeof value === 'string' || Buffer.isBuffer(value);
		const parsed: unknown = isText ? JSON.parse(value.toString()) : value;
		return isObject(parsed) ? parsed : undefined;
	} catch {
		return undefined;
	}
}
