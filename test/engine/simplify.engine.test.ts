import { type INodeParameters } from 'n8n-workflow';

import { TOOL_TYPE } from './runNode';
import { BANK_MINIMAL, CRYPTO, QR_DEPOSIT, QR_PAYOUT } from './samples';
import { useService } from './service';

const service = useService();

/** n8n’s guideline: the most fields of a simplified output. */
const MAX_FIELDS = 10;

const OUTCOME = ['outcome', 'payee', 'amount', 'currency', 'message', 'reference'];

test.each<[string, () => INodeParameters, string[]]>([
	['a bank payout', () => BANK_MINIMAL, ['deposit_address', 'amount_deposit']],
	['a QR payout', () => QR_PAYOUT, ['amount_deposit']],
	['a QR deposit', () => QR_DEPOSIT, ['calculatedFiatAmount', 'fiatCurrency']],
	[
		'a crypto payout',
		() => ({ ...CRYPTO, walletId: [...service.business.wallets.keys()][0] }),
		['blockchain', 'walletId'],
	],
])('gives an AI agent the most useful fields of %s', async (_, parameters, fields) => {
	const whole = await service.run(parameters());
	service.renew();
	const { json, outputs } = await service.run(parameters(), { nodeType: TOOL_TYPE });

	expect(Object.keys(whole.json[0]).length).toBeGreaterThan(MAX_FIELDS);
	expect(Object.keys(json[0])).toEqual([...OUTCOME, 'transactionId', 'status', ...fields]);
	expect(outputs[0][0].binary?.data.fileName).toBe(whole.outputs[0][0].binary?.data.fileName);
});

test('returns the selected fields, the image as text and the input columns together', async () => {
	const { json } = await service.run(
		{
			...QR_DEPOSIT,
			options: {
				output: 'selectedFields',
				fieldsToInclude: ['country', 'qrCodeBase64'],
				includeBase64: true,
				includeInput: true,
			},
		},
		{ items: [{ order: 42 }] },
	);

	expect(json[0]).toEqual({
		order: 42,
		outcome: 'created',
		message: expect.any(String) as string,
		reference: QR_DEPOSIT.referenceId,
		// What tells the next payment node that it exists.
		payee: '',
		amount: '350.50',
		currency: 'BOB',
		transactionId: expect.any(String) as string,
		country: 'BO',
		qrCodeBase64: expect.stringMatching(/^data:image\/png;base64,/) as string,
	});
});
