const { createHash } = require('node:crypto');
const { readFileSync } = require('node:fs');
const { default: tsJest } = require('ts-jest');

const transformer = tsJest.createTransformer(
	require('../../jest.config.js').transform['^.+\\.ts$'][1],
);

/**
 * Gives tests the sources with a seeded bug (`noticed.ts`).
 *
 * @param replaced the file of the changed code, by the path of what it stands for
 */
exports.createTransformer = ({ replaced = {} }) => {
	const codeOf = (source, path) =>
		path in replaced ? readFileSync(replaced[path], 'utf8') : source;
	return {
		process: (source, path, options) => transformer.process(codeOf(source, path), path, options),
		// What a bug does not change is compiled once for all of them.
		getCacheKey: (source, path, { instrument }) =>
			createHash('sha256')
				.update(JSON.stringify([path, instrument, codeOf(source, path)]))
				.digest('hex'),
	};
};
