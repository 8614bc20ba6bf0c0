import { SIMPLIFY } from '../../fields/form';
import { LANGUAGE, LANGUAGES } from '../../report/language';
import { booleanOption, choiceOption } from './option';

/** What an output item has. */
export const OUTPUT = {
	includeInput: booleanOption({
		displayName: 'Output: Include Input Columns',
		description: 'Whether to keep the columns of the input item in the result',
	}),
	language: choiceOption(LANGUAGES, {
		displayName: `Output: ${LANGUAGE.displayName}`,
		description:
			'The language of <code>summary</code> in a dry run, and of the messages about rows',
		unset: 'en',
	}),
	simplify: booleanOption({
		displayName: `Output: ${SIMPLIFY.displayName}`,
		description: SIMPLIFY.description,
		appliesTo: ({ simplified }) => simplified !== undefined,
	}),
};
