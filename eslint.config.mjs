import communityNodes from '@n8n/eslint-plugin-community-nodes';
import nodesBase from 'eslint-plugin-n8n-nodes-base';
import tseslint from 'typescript-eslint';

import layers from './eslint.layers.mjs';

/** Rules of a preset of eslint-plugin-n8n-nodes-base, whose presets are in the format before ESLint 9. */
const nodesBaseRules = (preset) => nodesBase.configs[preset].rules;

export default [
	{ ignores: ['dist/', 'node_modules/', '**/node_modules/', 'coverage/', '.demo/', '**/results/'] },
	{
		files: ['**/*.ts'],
		languageOptions: { parser: tseslint.parser },
		plugins: { '@typescript-eslint': tseslint.plugin },
		rules: {
			'@typescript-eslint/no-explicit-any': 'error',
			'@typescript-eslint/no-non-null-assertion': 'error',
			'@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
			'no-console': 'error',
			eqeqeq: 'error',
		},
	},
	{ files: ['sandbox/**', 'test/**'], rules: { 'no-console': 'off' } },
	...layers,

	// n8n's two rule sets, each on the files that it is made for.
	{
		...communityNodes.configs.recommended,
		files: ['nodes/**/*.ts', 'credentials/**/*.ts', 'package.json'],
	},
	{
		files: ['package.json'],
		languageOptions: { parser: tseslint.parser, parserOptions: { extraFileExtensions: ['.json'] } },
		plugins: { 'n8n-nodes-base': nodesBase },
		rules: nodesBaseRules('community'),
	},
	{
		files: ['credentials/**/*.ts'],
		plugins: { 'n8n-nodes-base': nodesBase },
		rules: nodesBaseRules('credentials'),
	},
	{
		files: ['nodes/**/*.ts'],
		plugins: { 'n8n-nodes-base': nodesBase },
		rules: nodesBaseRules('nodes'),
	},
];
