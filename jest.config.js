/** Tests load the sources; only those in test/package need the build in dist/. */
module.exports = {
	// n8n's engine is loaded once for a process, not once for each file.
	runtime: '<rootDir>/test/sharedPackages.cjs',
	testEnvironment: '<rootDir>/test/sharedGlobals.cjs',
	roots: ['<rootDir>/test'],
	testMatch: ['**/*.test.ts'],
	globalSetup: '<rootDir>/test/folder.ts',
	globalTeardown: '<rootDir>/test/folderAfter.ts',
	setupFiles: ['<rootDir>/test/environment.ts'],
	setupFilesAfterEnv: ['<rootDir>/test/englishMessages.ts'],
	// Each file on its own is enough to run it: types are checked by `npm run typecheck`.
	transform: {
		'^.+\\.ts$': [
			'ts-jest',
			{
				tsconfig: {
					isolatedModules: true,
					target: 'es2022',
					module: 'commonjs',
					esModuleInterop: true,
				},
			},
		],
	},
	// The first test of a file may load n8n, which takes long on a busy machine.
	testTimeout: 60_000,
	maxWorkers: '100%',
	// What a test file leaves in memory slows the next ones down: a new worker needs a fifth less CPU.
	workerIdleMemoryLimit: '800MB',
};
