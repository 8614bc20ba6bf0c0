import communityNodes from '@n8n/eslint-plugin-community-nodes';
import tseslint from 'typescript-eslint';

import layers from './eslint.layers.mjs';

/** Promises that nobody waits for: what fails in them is lost, or ends the process. */
const PROMISES = {
	'@typescript-eslint/await-thenable': 'error',
	'@typescript-eslint/no-floating-promises': 'error',
	'@typescript-eslint/no-misused-promises': 'error',
};

/** Files with the types that a tsconfig gives them. */
const typed = (files, project) => ({
	files,
	languageOptions: {
		parser: tseslint.parser,
		parserOptions: { project, tsconfigRootDir: import.meta.dirname },
	},
	// Comments in the code name n8n's rules. Their own run says which of those comments are needless.
	plugins: { '@typescript-eslint': tseslint.plugin, '@n8n/community-nodes': communityNodes },
	linterOptions: { reportUnusedDisableDirectives: 'off' },
});

/**
 * What this project asks of its code, its layers among it, beyond n8n's own rules, which are in eslint.config.mjs. n8n's command line takes no
 * other rules there.
 */
export default [
	{ ignores: ['dist/', '.demo/', '.stryker/', '**/results/'] },
	...layers,
	{
		...typed(['**/*.ts'], 'tsconfig.check.json'),
		rules: {
			...PROMISES,
			'@typescript-eslint/no-unsafe-argument': 'error',
			'@typescript-eslint/no-unsafe-assignment': 'error',
			'@typescript-eslint/no-unsafe-call': 'error',
			'@typescript-eslint/no-unsafe-member-access': 'error',
			'@typescript-eslint/no-unsafe-return': 'error',
			'@typescript-eslint/switch-exhaustiveness-check': [
				'error',
				{ considerDefaultExhaustiveForUnions: true },
			],
			'@typescript-eslint/no-non-null-assertion': 'error',
			'@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
			eqeqeq: 'error',
		},
	},
	{
		files: ['nodes/**/*.ts'],
		rules: {
			'no-restricted-syntax': [
				'error',
				...[
					'NewExpression[callee.name=/^(Node\\w+|Service|Login)Error$/] > :matches(Literal, TemplateLiteral)',
					'CallExpression[callee.property.name=/^(warn|info)$/] > :matches(Literal, TemplateLiteral)',
					'CallExpression[callee.property.name="addExecutionHints"] Property[key.name="message"] > :matches(Literal, TemplateLiteral)',
				].map((selector) => ({
					selector,
					message: 'What a user is told stands in nodes/messages/.',
				})),
			],
		},
	},
	{
		files: ['test/**/*.ts'],
		rules: {
			// Jest's matchers are any, and stand where values are expected.
			'@typescript-eslint/no-unsafe-assignment': 'off',
			'@typescript-eslint/no-unsafe-return': 'off',
		},
	},
	{
		...typed(['e2e/**/*.mjs', 'bench/**/*.mjs'], 'tsconfig.js.json'),
		rules: {
			...PROMISES,
			'@typescript-eslint/no-floating-promises': [
				'error',
				// node:test waits for its tests itself.
				{
					allowForKnownSafeCalls: [
						{ from: 'package', package: 'node:test', name: ['describe', 'it', 'suite', 'test'] },
					],
				},
			],
			eqeqeq: 'error',
		},
	},
];
