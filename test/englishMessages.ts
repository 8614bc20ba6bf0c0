// eslint-disable-next-line @n8n/community-nodes/no-restricted-imports -- outside n8n; @types/jest lacks addEqualityTesters
import { expect } from '@jest/globals';

import { without } from './without';

/**
 * An expected message without Spanish stands for its English, whether the message has Spanish or not:
 * `spanishMessages.engine.test.ts` and the tests of the guides look at the Spanish.
 */
expect.addEqualityTesters([
	function ignoreSpanish(received: unknown, expected: unknown, testers) {
		if (!isObject(received) || !isObject(expected)) return undefined;
		if (!('es' in received) || 'es' in expected) return undefined;
		return this.equals(without(received, 'es'), expected, testers);
	},
]);

/** Not an error: a copy would lose its message. */
function isObject(value: unknown): value is { es?: unknown } {
	return typeof value === 'object' && value !== null && !(value instanceof Error);
}
