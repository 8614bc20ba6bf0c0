import { type INodeParameters } from 'n8n-workflow';

import { QR_PAYOUT } from './samples';
import { useService } from './service';

const service = useService();

const PAYOUTS: INodeParameters = {
	...QR_PAYOUT,
	image: '={{ $json.reference }}',
	externalReference: '={{ $json.reference }}',
};

const itemsOf = (name: string) =>
	Array.from({ length: 40 }, (_, index) => ({ reference: `${name}-${index}` }));

const pay = async (id: string, name = id) =>
	await service.run(PAYOUTS, {
		items: itemsOf(name),
		onError: 'continueRegularOutput',
		node: { credentials: { partnerPaymentsApi: { id, name: id } } },
	});

const logins = () => service.sandbox.core.traffic.counters().logins;

/** A login of the same user by something else, such as another worker of n8n. */
const logInElsewhere = () => service.sandbox.core.tokens.issue(service.business);

/** Expects that all rows of these batches were created, each once. */
function expectAllCreated(...results: Array<Awaited<ReturnType<typeof pay>>>): void {
	for (const { json } of results)
		expect(json.map(({ outcome }) => outcome)).toEqual(Array(40).fill('created'));
	expect(service.sandbox.core.transactions.counters()).toEqual({
		transactionsCreated: 40 * results.length,
		duplicates: 0,
	});
}

afterEach(() => {
	const { tokens } = service.sandbox.core;
	delete (tokens as Partial<typeof tokens>).issue;
	delete (tokens as Partial<typeof tokens>).holder;
});

/** The service knows only the newest token of a user, and two credentials have that user's login. */
beforeEach(() => {
	const { tokens } = service.sandbox.core;
	const { issue } = Object.getPrototypeOf(tokens) as typeof tokens;
	tokens.issue = (business) => {
		tokens.revoke(service.email);
		return issue.call(tokens, business);
	};
	for (const id of ['first', 'second']) service.credentials.save(id, service.login);
});

describe('two credentials with the same login, at a service that knows only the newest token', () => {
	test('share one login', async () => {
		const first = await pay('first');
		const second = await pay('second');

		expectAllCreated(first, second);
		expect(logins()).toBe(1);
	});

	test('pay every row if something else logs in while a batch runs', async () => {
		await service.sandbox.admin.addFault({
			match: { path: '/v2/transactions/payouts/qr' },
			times: 'always',
			fault: { type: 'latency', ms: 20 },
		});
		let others = 0;
		const { tokens } = service.sandbox.core;
		const { holder } = Object.getPrototypeOf(tokens) as typeof tokens;
		let count = 0;
		tokens.holder = (authorization) => {
			if (++count % 25 === 0) {
				logInElsewhere();
				others++;
			}
			return holder.call(tokens, authorization);
		};

		const result = await pay('first');

		expectAllCreated(result);
		expect(others).toBeGreaterThan(0);
		expect(logins()).toBeLessThanOrEqual(others + 1);
	});
});
