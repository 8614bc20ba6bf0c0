const { createHash } = require('node:crypto');
const { readFileSync } = require('node:fs');
const { default: tsJest } = require('ts-jest');

const transformer = tsJest.createTransformer(
	require('../../jest.config.js').transform['^.+\\.ts$'][1],
);

/** What test/engine/built.ts has in place of the package that was built: its sources. */
const BUILT = [
	"import { PartnerPayments } from '../../nodes/PartnerPayments/PartnerPayments.node';",
	"import { PartnerPaymentsTrigger } from '../../nodes/PartnerPaymentsTrigger/PartnerPaymentsTrigger.node';",
	"import { PartnerPaymentsApi } from '../../credentials/PartnerPaymentsApi.credentials';",
	'export const built = { PartnerPayments, PartnerPaymentsTrigger, PartnerPaymentsApi };',
].join('\n');

/**
 * Gives tests the sources with a seeded bug (`noticed.ts`), without a build.
 *
 * @param replaced the file of the changed code, by the path of what it stands for
 */
exports.createTransformer = ({ replaced = {} }) => {
	const codeOf = (source, path) => {
		if (path.endsWith('/test/engine/built.ts')) return BUILT;
		return path in replaced ? readFileSync(replaced[path], 'utf8') : source;
	};
	return {
		process: (source, path, options) => transformer.process(codeOf(source, path), path, options),
		// What a bug does not change is compiled once for all of them.
		getCacheKey: (source, path, { instrument }) =>
			createHash('sha256')
				.update(JSON.stringify([path, instrument, codeOf(source, path)]))
				.digest('hex'),
	};
};
