import type { IDataObject } from 'n8n-workflow';

import { readCoverage } from '../../nodes/logs/coverage';
import { serviceWith, webhook } from '../operations/context';

afterEach(() => jest.restoreAllMocks());

const coverage = async (webhooks: IDataObject[], isCertain?: boolean) =>
	await readCoverage(serviceWith([], webhooks).service, isCertain);

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

	test.each(['INACTIVE', 'Disabled', 'DELETED', 'inactive'])(
		'are not those of one that is %s',
		async (status) => {
			expect(await coverage([webhook(['completed'], status)])).toEqual({
				hasWebhook: true,
				covered: [],
				missing: FINAL,
			});
		},
	);

	test.each([
		['PAUSED', ' (webhook status PAUSED)'],
		['', ' (webhook status unknown)'],
	])(
		'may be those of one whose status is %j, unless it has to be certain',
		async (status, note) => {
			const webhooks = [{ ...webhook(['completed'], status), updatedAt: '2026-11-02T00:00:00Z' }];
			expect((await coverage(webhooks)).covered).toEqual([
				{ status: 'completed_transaction', note },
			]);
			expect((await coverage(webhooks, true)).covered).toEqual([]);
			const active = [...webhooks, webhook(['completed'], 'active')];
			expect((await coverage(active)).covered).toEqual([
				{ status: 'completed_transaction', note: '' },
			]);
			expect((await coverage(active, true)).missing).toEqual(FINAL.slice(1));
		},
	);
});
