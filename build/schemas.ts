/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- runs outside n8n */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

import type { Output } from '../nodes/fields/form';
import { EVENT } from '../nodes/logs/event';
import { RESOURCES } from '../nodes/PartnerPayments/resources';

/** The part of JSON Schema that n8n's editor reads. */
export interface Schema {
	type: string;
	properties?: Record<string, Schema>;
	items?: Schema;
}

/**
 * The fields of every output, which the editor offers before a node has run.
 *
 * @returns the schemas by the paths, below `nodes/`, where n8n looks for them
 */
export function outputSchemas(): Map<string, Schema> {
	const schemas = new Map([['PartnerPaymentsTrigger/__schema__/v1.1.0.json', schemaOf(EVENT)]]);
	for (const { value: resource, operations } of RESOURCES) {
		for (const { value: operation, output } of operations) {
			const path = `PartnerPayments/__schema__/v1.0.0/${resource}/${operation}.json`;
			schemas.set(path, schemaOf(output));
		}
	}
	return schemas;
}

/** An output's shape as a schema. */
function schemaOf(shape: Output[string]): Schema {
	if (typeof shape === 'string') return { type: shape };
	if (Array.isArray(shape)) return { type: 'array', items: schemaOf(shape[0]) };
	const properties = Object.entries(shape).map(([field, inner]) => [field, schemaOf(inner)]);
	return { type: 'object', properties: Object.fromEntries(properties) as Schema['properties'] };
}

/** Adds the schemas to a build. */
function write(): void {
	for (const [path, schema] of outputSchemas()) {
		const file = join(resolve(__dirname, '../dist/nodes'), path);
		mkdirSync(dirname(file), { recursive: true });
		writeFileSync(file, JSON.stringify(schema));
	}
}

if (require.main === module) write();
