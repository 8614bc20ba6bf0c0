import type { IDataObject } from 'n8n-workflow';

import { readCoverage } from '../../nodes/logs/coverage';
import { serviceWith, webhook } from '../operations/context';

afterEach(() => jest.restoreAllMocks());

const coverage = async (webhooks: IDataObject[]) =>
	await readCoverage(serviceWith([], webhooks).service);

const FINAL = [
	'completed_transaction',
	'reject_transaction',
	'failed_transaction',
	'expired_transaction',
];

describe('the final statuses that no webhook covers', () => {
	test('are all without a webhook', async () => {
		expect(await coverage([])).toEqual({ hasWebhook: false, missing: FINAL });
	});

	test('are those that none of the webhooks covers', async () => {
		const webhooks = [
			webhook(['completed', 'pending', 'failed']),
			webhook(['completed', 'expired']),
		];
		expect(await coverage(webhooks)).toEqual({
			hasWebhook: true,
			missing: ['reject_transaction'],
		});
	});

	test.each(['INACTIVE', 'Disabled', 'PAUSED', ''])(
		'include those of one whose status is “%s”',
		async (status) => {
			expect(await coverage([webhook(['completed'], status)])).toEqual({
				hasWebhook: true,
				missing: FINAL,
			});
		},
	);
});
