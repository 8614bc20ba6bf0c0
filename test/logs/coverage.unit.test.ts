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

describe('the final statuses that webhooks cover', () => {
	test('are none without a webhook', async () => {
		expect(await coverage([])).toEqual({ hasWebhook: false, covered: [], missing: FINAL });
	});

	test('are those of all webhooks together, with the time since when one is unchanged', async () => {
		const webhooks = [
			{ ...webhook(['completed', 'pending', 'failed']), updatedAt: '2026-11-03T00:00:00Z' },
			{ ...webhook(['completed']), updatedAt: '2026-11-02T00:00:00Z' },
			webhook(['completed', 'expired']),
		];
		expect(await coverage(webhooks)).toEqual({
			hasWebhook: true,
			covered: [
				{
					status: 'completed_transaction',
					note: ' (unchanged since 2026-11-02T00:00:00Z)',
				},
				{ status: 'failed_transaction', note: ' (unchanged since 2026-11-03T00:00:00Z)' },
				{ status: 'expired_transaction', note: '' },
			],
			missing: ['reject_transaction'],
		});
	});

	test.each(['INACTIVE', 'Disabled', 'PAUSED', ''])(
		'are not those of one whose status is “%s”',
		async (status) => {
			expect(await coverage([webhook(['completed'], status)])).toEqual({
				hasWebhook: true,
				covered: [],
				missing: FINAL,
			});
		},
	);
});
