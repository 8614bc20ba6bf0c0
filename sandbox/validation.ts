import type { FastifyServerOptions } from 'fastify';
import type { FastifySchemaValidationError } from 'fastify/types/schema';
import { evmAddress, tronAddress } from './addresses';
import { ServiceError } from './errors';
import { hasAtMostDecimals } from './money';

/** The formats of the schemas, with their descriptions in messages. */
const formats = {
	uuid: {
		accepts: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i,
		description: 'a UUID',
	},
	email: { accepts: /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/, description: 'an email' },
	digits: { accepts: /^[0-9]+$/, description: 'digits only' },
	httpUrl: { accepts: isHttpUrl, description: 'an http or https URL' },
	time: {
		accepts: /^([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]$/,
		description: 'a time in the format HH:MM:SS',
	},
	cryptoAmount: {
		accepts: /^(?=.*[1-9])[0-9]+(\.[0-9]{1,8})?$/,
		description: 'a positive decimal with at most 8 decimal places',
	},
	evmAddress: { accepts: evmAddress, description: 'an address of the blockchain' },
	tronAddress: { accepts: tronAddress, description: 'an address of the blockchain' },
	pageNumber: { accepts: /^[1-9][0-9]{0,8}$/, description: 'a number from 1' },
	pageLimit: { accepts: /^([1-9][0-9]?|100)$/, description: 'a number from 1 to 100' },
};

type FormatName = keyof typeof formats;

function isHttpUrl(text: string): boolean {
	return /^https?:\/\//i.test(text) && URL.canParse(text);
}

/** Strict validation: nothing is converted, dropped or filled in, and all errors are found at once. */
export const ajvOptions: NonNullable<FastifyServerOptions['ajv']> = {
	customOptions: {
		coerceTypes: false,
		useDefaults: false,
		removeAdditional: false,
		allErrors: true,
		strictTypes: false,
		strictRequired: false,
	},
	// Not as a plugin: the framework would add its own formats later and replace ours.
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

/** The path of an error's field: `transaction.amount`. */
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
			return `${field} must be ${formats[params.format as FormatName].description}`;
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

/** The validation errors of a request as messages, each once. */
export function problems(errors: FastifySchemaValidationError[]): string[] {
	// A failed condition is reported in addition to the error that it caused.
	const faults = errors.filter(({ keyword }) => keyword !== 'if');
	return [...new Set(faults.map(problem))];
}

/** Rejects fields that do not belong to the request's funding source. */
export function rejectFields(body: object, names: string[]): void {
	const sent = names.filter((name) => Object.hasOwn(body, name));
	if (sent.length > 0) {
		throw new ServiceError(
			400,
			sent.map((name) => `property ${name} should not exist for this funding source`),
		);
	}
}
