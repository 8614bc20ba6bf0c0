import { RESOURCES } from '../../nodes/PartnerPayments/resources';
import { runBatch } from '../../nodes/batch/runBatch';
import { nodeWith } from './context';

jest.mock('../../nodes/batch/runBatch', () => ({ runBatch: jest.fn() }));

const OPERATIONS = RESOURCES.flatMap(({ value: resource, operations }) =>
	operations.map((operation) => ({ name: `${resource}.${operation.value}`, operation })),
);

test.each([
	['deposit.createQr', '/v2/transactions/deposit/qr'],
	['payout.createBank', '/v3/transactions/payouts/bank'],
	['payout.createCrypto', '/v2/transactions/payouts/crypto'],
	['payout.createQr', '/v2/transactions/payouts/qr'],
	['payout.fundConversions', '/v2/transactions/payouts/crypto'],
])('%s pays its input as one batch, to %s', async (name, path) => {
	const operation = OPERATIONS.find((one) => one.name === name)?.operation;
	if (!operation || !('execute' in operation)) throw new Error(`No operation ${name}`);
	const paid = [{ json: { outcome: 'created' } }];
	jest.mocked(runBatch).mockResolvedValueOnce(paid);
	const context = nodeWith({}, [{}, {}]);
	expect(await operation.execute.call(context)).toBe(paid);
	expect(runBatch).toHaveBeenCalledWith(context, expect.objectContaining({ path }));
});
