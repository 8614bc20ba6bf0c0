import { createHash } from 'node:crypto';

import type { ReferenceForm } from './endpoint';

/** The namespace of this package's references. It must never change: references would change with it. */
const NAMESPACE = '6f0d2a52-93f5-5b0c-8a37-2f4c9d1e7b60';

/**
 * A reference that is the same whenever the parts are the same (a UUID version 5, RFC 9562).
 *
 * @param parts what identifies the payment: endpoint, batch, and the row's keys or content
 * @param form the length that the endpoint allows: 36 characters, or 32 without hyphens
 */
export function generatedReference(parts: unknown[], form: ReferenceForm): string {
	const hash = createHash('sha1')
		.update(Buffer.from(NAMESPACE.replaceAll('-', ''), 'hex'))
		.update(JSON.stringify(parts))
		.digest()
		.subarray(0, 16);
	hash[6] = (hash[6] & 0x0f) | 0x50;
	hash[8] = (hash[8] & 0x3f) | 0x80;
	const hex = hash.toString('hex');
	return form === 'hex32'
		? hex
		: [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join(
				'-',
			);
}
