import type { FastifyServerOptions } from 'fastify';
import type { FastifySchemaValidationError } from 'fastify/types/schema';
import { evmAddress, tronAddress } from './addresses';
import { ServiceError } from './errors';
import { hasAtMostDecimals } from './money';

/** Formats the schemas may name, and how a message speaks of them. */
const formats = {
	uuid: {
		accepts: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i,
		inWords: 'a UUID',
	},
	email: { accepts: /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/, inWords: 'an email' },
	digits: { accepts: /^[0-9]+$/, inWords: 'digits only' },
	httpUrl: { accepts: isHttpUrl, inWords: 'an http or https URL' },
	time: {
		accepts: /^([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]$/,
		inWords: 'a time in the format HH:MM:SS',
	},
	cryptoAmount: {
		accepts: /^(?=.*[1-9])[0-9]+(\.[0-9]{1,8})?$/,
		inWords: 'a positive decimal with at most 8 decimal places',
	},
	evmAddress: { accepts: evmAddress, inWords: 'an address of the blockchain' },
	tronAddress: { accepts: tronAddress, inWords: 'an address of the blockchain' },
	pageNumber: { accepts: /^[1-9][0-9]{0,8}$/, inWords: 'a number from 1' },
	pageLimit: { accepts: /^([1-9][0-9]?|100)$/, inWords: 'a number from 1 to 100' },
};

type FormatName = keyof typeof formats;

function isHttpUrl(text: string): boolean {
	return /^https?:\/\//i.test(text) && URL.canParse(text);
}

/** Strict validation: nothing is converted, dropped or filled in, and every fault is found at once. */
export const ajvOptions: NonNullable<FastifyServerOptions['ajv']> = {
	customOptions: {
		coerceTypes: false,
		useDefaults: false,
		removeAdditional: false,
		allErrors: true,
		strictTypes: false,
		strictRequired: false,
	},
	// Not as a plugin: the framework's own formats would be added after it and replace ours.
	onCreate(ajv) {
		for (const [name, { accepts }] of Object.entries(formats)) ajv.addFormat(name, accepts);
		ajv.addKeyword({
			keyword: 'maxDecimals',
			type: 'number',
			schemaType: 'number',
			validate: (places: number, value: number) => hasAtMostDecimals(value, places),
		});
	},
};

/** The field an error speaks of, as its sender knows it: `transaction.amount`. */
function fieldOf({ instancePath }: FastifySchemaValidationError, child?: unknown): string {
	const path = instancePath.split('/').slice(1);
	return (typeof child === 'string' ? [...path, child] : path).join('.');
}

function problem(error: FastifySchemaValidationError): string {
	const field = fieldOf(error) || 'body';
	const params = error.params as Record<string, unknown>;
	switch (error.keyword) {
		case 'required':
			return `${fieldOf(error, params.missingProperty)} is required`;
		case 'additionalProperties':
			return `property ${fieldOf(error, params.additionalProperty)} should not exist`;
		case 'type':
			return `${field} must be ${params.type === 'object' || params.type === 'array' ? 'an' : 'a'} ${String(params.type)}`;
		case 'enum':
			return `${field} must be one of the following values: ${(params.allowedValues as string[]).join(', ')}`;
		case 'format':
			return `${field} must be ${formats[params.format as FormatName].inWords}`;
		case 'minLength':
			return params.limit === 1
				? `${field} should not be empty`
				: `${field} must be longer than or equal to ${String(params.limit)} characters`;
		case 'maxLength':
			return `${field} must be shorter than or equal to ${String(params.limit)} characters`;
		case 'minimum':
			return `${field} must not be less than ${String(params.limit)}`;
		case 'maxDecimals':
			return `${field} must be a multiple of 0.01`;
		default:
			return `${field} ${error.message ?? 'is invalid'}`;
	}
}

/** The faults of a request in words, each once. */
export function problems(errors: FastifySchemaValidationError[]): string[] {
	// A failed condition is reported beside the fault that it led to.
	const faults = errors.filter(({ keyword }) => keyword !== 'if');
	return [...new Set(faults.map(problem))];
}

/** Refuses fields that do not belong to a request under the funding source it names. */
export function refuseFields(body: object, names: string[]): void {
	const sent = names.filter((name) => Object.hasOwn(body, name));
	if (sent.length > 0) {
		throw new ServiceError(
			400,
			sent.map((name) => `property ${name} should not exist for this funding source`),
		);
	}
}
