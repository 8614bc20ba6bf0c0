/** The trigger in a real n8n in queue mode behaves as the recorded trace says. */
import { describe } from 'node:test';
import { useQueueStage } from './queue-support.mjs';
import { follow, options, QUEUE_SCENARIOS } from './trace-trigger-support.mjs';

describe('the trigger in a real n8n in queue mode, as the recorded trace says', () => {
	const use = useQueueStage('trace-trigger-queue', options);
	follow(QUEUE_SCENARIOS, () => use.stage, 'in queue mode');
});
