import { fieldChoices, FIELDS_TO_INCLUDE, OUTPUT_MODES, selectedFields } from '../../fields/output';
import { LANGUAGE, LANGUAGES } from '../../report/language';
import { booleanOption, choiceOption, option } from './option';

/** What an output item has. */
export const OUTPUT = {
	includeInput: booleanOption({
		displayName: 'Output: Include Input Columns',
		description: 'Whether to keep the columns of the input item in the result',
	}),
	includeBase64: booleanOption({
		displayName: 'Output: Include Base64',
		description: 'Whether to keep the image as base64 text (qrCodeBase64) in the JSON, too',
		appliesTo: ({ toItem }) => toItem !== undefined,
	}),
	language: choiceOption(LANGUAGES, {
		displayName: `Output: ${LANGUAGE.displayName}`,
		description:
			'The language of <code>summary</code> in a dry run, and of the messages about rows',
		unset: () => 'en',
	}),
	output: choiceOption(OUTPUT_MODES, {
		displayName: 'Output: Fields',
		default: 'simplified',
		description:
			'What an item has. Unset, an AI agent gets Simplified, others Raw. A payment that failed keeps all fields.',
	}),
	fieldsToInclude: option(
		'multiOptions',
		{
			...FIELDS_TO_INCLUDE,
			displayName: `Output: ${FIELDS_TO_INCLUDE.displayName}`,
			choices: ({ output }) => fieldChoices(output),
			unset: () => [],
		},
		selectedFields,
	),
};
