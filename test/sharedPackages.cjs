const { compileFunction } = require('node:vm');
const { createRequire, isBuiltin } = require('node:module');
const { default: Runtime } = require('jest-runtime');

/**
 * Loads installed packages once for a process and not once for each test file: n8n's engine takes seconds. What belongs
 * to this project is loaded again for each file as usual. Goes with `sharedGlobals.cjs`, as packages and tests have to
 * share their `Error` and `Date`.
 */
class SharedPackages extends Runtime {
	constructor(...all) {
		super(...all);
		const { executor } = this;
		executor.compile = (source, filename) =>
			compileFunction(source, executor.injectedModuleParameters, { filename });
	}

	requireModule(from, moduleName, ...rest) {
		if (moduleName && /^[@\w]/.test(moduleName) && !isBuiltin(moduleName)) {
			return createRequire(from)(moduleName);
		}
		return super.requireModule(from, moduleName, ...rest);
	}
}

module.exports = SharedPackages;
