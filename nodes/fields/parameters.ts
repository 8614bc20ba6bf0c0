import type { IExecuteFunctions } from 'n8n-workflow';

import type { ReadField } from './checkFields';
import type { Field } from './field';

/** Gives the value of a parameter (`amount`, or `additionalFields.country`) for one item. */
type ReadParameter = (path: string) => unknown;

/** After so many items whose expressions could not be evaluated together, it is not tried any more. */
const MAX_FAILURES = 3;

/** n8n throws for a parameter that is missing (it is hidden), unless it gets a fallback. */
const NOTHING = null;

/**
 * Reads parameters of many items. n8n takes about 0.3 ms for each expression of each item, nearly
 * all of it for setting the stage, so expressions are evaluated together: as one list, once an item.
 * That makes 5.4 s of CPU time of 32 s, for 10,000 rows with nine expressions each. Where it does not
 * work out, each is evaluated on its own, so the values and the errors are n8n's.
 *
 * @param paths the parameters that will be asked for
 * @returns a reader for an item
 */
export function parameterReaders(
	context: IExecuteFunctions,
	paths: string[],
): (itemIndex: number) => ReadParameter {
	const raw = new Map<string, unknown>(
		paths.map((path) => [
			path,
			context.getNodeParameter(path, 0, NOTHING, { rawExpressions: true }),
		]),
	);
	const together = paths.flatMap((path) => {
		const code = soleExpression(raw.get(path));
		return code === undefined ? [] : [{ path, code }];
	});
	// Each on lines of its own: an expression may end in a comment.
	const list = `{{ [\n${together.map(({ code }) => `(${code}\n)`).join(',\n')}\n] }}`;
	// Where one may change what the others read, their order counts.
	const codes = JSON.stringify([...raw.values()].filter((value) => !isPlain(value)));
	const mayChange = CHANGES.test(codes.replaceAll('"=', '"'));
	let failures = together.length < 2 || mayChange ? MAX_FAILURES : 0;
	const compared = new Set<string>();

	const alone = (path: string, itemIndex: number): unknown =>
		context.getNodeParameter(path, itemIndex, '');

	const evaluate = (itemIndex: number): Map<string, unknown> | undefined => {
		if (failures >= MAX_FAILURES) return undefined;
		try {
			const values: unknown = context.evaluateExpression(list, itemIndex);
			if (Array.isArray(values) && values.length === together.length) {
				failures = 0;
				return new Map(together.map(({ path }, index) => [path, values[index] as unknown]));
			}
		} catch {
			// Evaluated one by one below, which tells which of them it was.
		}
		failures++;
		return undefined;
	};

	/**
	 * The first item with values of such kinds is read both ways: expressions that do not give the same in
	 * company stay alone from then on.
	 */
	const compare = (values: Map<string, unknown>, itemIndex: number) => {
		const kinds = [...values.values()].map((value) => (value === null ? 'null' : typeof value));
		if (compared.has(kinds.join())) return;
		compared.add(kinds.join());
		for (const [path, value] of values) {
			if (isForN8n(value)) continue;
			try {
				if ((value ?? '') === (alone(path, itemIndex) ?? '')) continue;
			} catch {
				// It throws when it is asked for.
			}
			failures = MAX_FAILURES;
		}
	};

	return (itemIndex) => {
		let evaluated: Map<string, unknown> | undefined;
		let isTried = false;
		return (path) => {
			const value = raw.get(path);
			if (isPlain(value)) return value;
			if (!isTried) {
				isTried = true;
				evaluated = evaluate(itemIndex);
				if (evaluated) compare(evaluated, itemIndex);
				if (failures >= MAX_FAILURES) evaluated = undefined;
			}
			return evaluated?.has(path) && !isForN8n(evaluated.get(path))
				? evaluated.get(path)
				: alone(path, itemIndex);
		};
	};
}

/** Whether a parameter holds no expression. Lists and objects may hold one inside. */
function isPlain(value: unknown): boolean {
	return typeof value === 'string'
		? !value.startsWith('=')
		: typeof value !== 'object' || value === null;
}

/** What may change an item while it is read: an assignment, or a method that does. */
const CHANGES =
	/(?<![=!<>])=(?![=>])|\+\+|--|\bdelete\b|\b(push|pop|shift|unshift|splice|sort|reverse|fill|copyWithin|assign|define\w+|set\w*|add|clear)\s*\(/;

/**
 * The code of a parameter that is one expression and nothing else: `={{ code }}`. One that reads
 * other parameters stays alone, because it may mean its neighbours.
 */
function soleExpression(value: unknown): string | undefined {
	const code = typeof value === 'string' ? /^=\{\{([^]*)\}\}$/.exec(value)?.[1] : undefined;
	return code === undefined || code.trim() === '' || /\{\{|\}\}|\$parameter/.test(code)
		? undefined
		: code;
}

/** Dates and lists are for n8n to put into their usual form, and functions for it to refuse. */
function isForN8n(value: unknown): boolean {
	return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

/** The parameter that holds the optional fields of an operation. */
export const COLLECTION = 'additionalFields';

/**
 * Readers of the node's own parameters, for an item each.
 *
 * @param pathOf where the value of a field is; optional fields are in a collection
 */
export function fieldReaders(
	context: IExecuteFunctions,
	fields: Field[],
	pathOf: (field: Field) => string = inCollection(COLLECTION),
): (itemIndex: number) => ReadField {
	const readers = parameterReaders(context, fields.map(pathOf));
	return (itemIndex) => {
		const read = readers(itemIndex);
		return (field) => plainValue(read(pathOf(field)));
	};
}

/** Where fields are whose optional ones are in this collection. */
export function inCollection(collection: string): (field: Field) => string {
	return ({ name, optional }) => (optional ? `${collection}.${name}` : name);
}

/** The value of a parameter, also of one that was picked from a list. */
export function plainValue(raw: unknown): unknown {
	return typeof raw === 'object' && raw !== null && '__rl' in raw && 'value' in raw
		? raw.value
		: raw;
}
