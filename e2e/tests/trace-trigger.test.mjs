/** The trigger in a real n8n behaves as the recorded trace says. */
import { describe } from 'node:test';
import { useStage } from './support.mjs';
import { follow, options, SCENARIOS } from './trace-trigger-support.mjs';

describe('the trigger in a real n8n, as the recorded trace says', () => {
	const stage = useStage('trace-trigger', options);
	follow(SCENARIOS, () => stage);
});
