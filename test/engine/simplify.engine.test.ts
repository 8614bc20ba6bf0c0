import { type INodeParameters } from 'n8n-workflow';

import { CRYPTO, QR_DEPOSIT } from './samples';
import { useService } from './service';

const service = useService();

/** n8n’s guideline: the most fields of a simplified output. */
const MAX_FIELDS = 10;

test.each<[string, () => INodeParameters, string[]]>([
	[
		'a QR deposit',
		() => QR_DEPOSIT,
		[
			'outcome',
			'payee',
			'amount',
			'currency',
			'message',
			'reference',
			'transactionId',
			'status',
			'calculatedFiatAmount',
			'fiatCurrency',
		],
	],
	[
		'a crypto payout',
		() => ({ ...CRYPTO, walletId: [...service.business.wallets.keys()][0] }),
		[
			'outcome',
			'payee',
			'amount',
			'currency',
			'message',
			'reference',
			'transactionId',
			'status',
			'walletId',
			'blockchain',
		],
	],
])('returns the most useful fields of %s with Simplify', async (_, parameters, fields) => {
	const whole = await service.run(parameters());
	service.renew();
	const { json, outputs } = await service.run({ ...parameters(), simplify: true });

	expect(Object.keys(whole.json[0]).length).toBeGreaterThan(MAX_FIELDS);
	expect(Object.keys(json[0])).toEqual(fields);
	expect(fields.length).toBeLessThanOrEqual(MAX_FIELDS);
	expect(Object.keys(outputs[0][0].binary ?? {})).toEqual(
		Object.keys(whole.outputs[0][0].binary ?? {}),
	);
});

test('keeps the image as text in a simplified item with Include Base64', async () => {
	const { json } = await service.run({
		...QR_DEPOSIT,
		simplify: true,
		options: { includeBase64: true },
	});

	expect(json[0].qrCodeBase64).toMatch(/^data:image\/png;base64,/);
});

test('keeps the input columns in a simplified item with Include Input Columns', async () => {
	const { json } = await service.run(
		{ ...QR_DEPOSIT, simplify: true, options: { includeInput: true } },
		{ items: [{ order: 42 }] },
	);

	expect(json[0]).toMatchObject({ order: 42, outcome: 'created' });
});
