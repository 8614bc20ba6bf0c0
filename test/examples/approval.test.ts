import type { IDataObject } from 'n8n-workflow';
import { readExample, workflowOf } from './examples';

const NOT_PAID = 'Report that nothing was paid (replace me)';

const example = readExample('approve-payroll');
const workflow = workflowOf(example);

/** Evaluates an expression of the example in n8n, with an item as its input. */
const evaluate = (expression: unknown, json: IDataObject) =>
	workflow.expression.getParameterValue(
		String(expression),
		null,
		0,
		0,
		'Approved?',
		[{ json }],
		'trigger',
		{},
	);

const parametersOf = (name: string) => workflow.nodes[name].parameters;

/** The nodes behind an output. */
const after = (name: string, output = 0) =>
	(example.connections[name].main[output] ?? []).map(({ node }) => node);

/** Whether the condition of an If node holds. */
const conditionOf = (name: string, json: IDataObject) => {
	const { conditions } = parametersOf(name).conditions as unknown as {
		conditions: [{ leftValue: string }];
	};
	return evaluate(conditions[0].leftValue, json);
};

const reasonOf = (json: IDataObject) => {
	const { assignments } = parametersOf(NOT_PAID).assignments as unknown as {
		assignments: Array<{ name: string; value: string }>;
	};
	return evaluate(assignments.find(({ name }) => name === 'message')?.value, json);
};

const submittedAt = '2026-11-26T08:00:00Z';

/** What the form's node emits without an answer: its input. */
const UNANSWERED = { subject: 'Payroll 2026-11 needs your approval', message: '', form: '' };

test.each([
	[{ 'Your name': 'Rosa Mamani', Decision: 'Approve', submittedAt }, true],
	[{ 'Your name': ' ', Decision: 'Approve', submittedAt }, false],
	[{ 'Your name': 'Rosa Mamani', Decision: 'Reject', submittedAt }, false],
	[UNANSWERED, false],
])('the answer %p approves the payroll: %p', (answer, expected) => {
	expect(conditionOf('Approved?', answer)).toBe(expected);
});

test.each([
	[{ ready: 2, invalidRows: 0 }, true],
	[{ ready: 0, invalidRows: 0 }, false],
	[{ ready: 2, invalidRows: 1 }, false],
	[undefined, false],
])('with the summary %j somebody is asked: %p', (summary, expected) => {
	expect(conditionOf('Anything to pay?', summary ? { summary } : {})).toBe(expected);
	expect([after('Anything to pay?'), after('Anything to pay?', 1)]).toEqual([
		['Ask for approval (replace me)'],
		[NOT_PAID],
	]);
});

test('nothing is paid after the time limit, which the report says', () => {
	expect(parametersOf('Wait for the decision')).toMatchObject({
		resume: 'form',
		limitWaitTime: true,
		resumeAmount: 2,
		resumeUnit: 'days',
	});
	expect(after('Wait for the decision')).toEqual(['Say what happens']);
	expect(after('Say what happens')).toEqual(['Approved?']);
	expect(after('Approved?', 1)).toEqual([NOT_PAID]);
	expect(reasonOf(UNANSWERED)).toBe('Nobody decided in time.');
});
