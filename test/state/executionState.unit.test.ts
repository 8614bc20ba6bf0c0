import type { IExecuteFunctions } from 'n8n-workflow';

import { ExecutionState } from '../../nodes/state/executionState';

/** An execution whose node has run so often. What n8n keeps is JSON. */
class Loop {
	private kept = {};

	run(index: number): ExecutionState {
		this.kept = JSON.parse(JSON.stringify(this.kept)) as object;
		const context = {
			getContext: () => this.kept,
			evaluateExpression: () => index,
			getExecutionId: () => 'execution-1',
		};
		return new ExecutionState(context as unknown as IExecuteFunctions, 'endpoint');
	}
}

test.each([
	[1, 10],
	[10, 1],
	[2, 12],
])('keeps the items of run %d and run %d apart', (one, other) => {
	const loop = new Loop();
	for (const run of [one, other])
		loop.run(run).sending(`key-${run}`, 0, { material: '', reference: `r-${run}`, body: {} });
	loop.run(one).forget(`key-${one}`);

	expect(loop.run(one).sentFor(0)).toBeUndefined();
	expect(loop.run(other).sentFor(0)).toMatchObject({ reference: `r-${other}`, run: other });
});
