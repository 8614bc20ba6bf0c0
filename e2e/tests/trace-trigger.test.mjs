/** The trigger in a real n8n behaves as the recorded trace says. */
import { describe } from 'node:test';
import { chosenVersion, N8N_VERSIONS } from '../harness/versions.mjs';
import { useStage } from './support.mjs';
import { follow, options, SCENARIOS } from './trace-trigger-support.mjs';

const skip = chosenVersion() !== N8N_VERSIONS[0] && 'only the newest is simulated';

describe('the trigger in a real n8n, as the recorded trace says', { skip }, () => {
	const stage = useStage('trace-trigger', options);
	follow(SCENARIOS, () => stage);
});
