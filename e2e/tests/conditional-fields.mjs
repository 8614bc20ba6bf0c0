/**
 * What a form shows for one value of a parameter and not for its other values, form by form. It is written from the
 * service's conditions, not derived from the node: the browser tests choose every value and look.
 */

const PAYOUT_BANK_FIELDS = [
	'entityType',
	'firstName',
	'lastName',
	'destinationIdNumber',
	'bankCode',
	'destinationAccount',
	'amount',
	'currencyType',
	'description',
	'fundingSource',
	'additionalFields',
];

/** What all forms that move money have in common. The other fields are there only for "Fields Below". */
const batch = (reference, fields) => [
	{
		parameter: 'referenceSource',
		shows: { given: [reference], generated: ['batchId', 'keyColumns'] },
	},
	{
		parameter: 'rowSource',
		shows: {
			fields: [reference, ...fields],
			columns: ['columnNames', 'columnDefaults', 'columnsNotice'],
		},
	},
];

const LIST = [{ parameter: 'returnAll', shows: { false: ['limit'], true: [] } }];

/** Each form with the conditions in it: parameter, value, and what this value shows. The first value is the default. */
export const ACTION_FORMS = [
	{
		form: { resource: 'deposit', operation: 'createQr' },
		conditions: [
			{
				parameter: 'fundingSource',
				shows: {
					balance: ['fiatAmount'],
					conversion: [
						'fundingSourceNotice',
						'cryptoAmount',
						'asset',
						'blockchain',
						'depositAddress',
					],
				},
			},
			...batch('referenceId', [
				'fundingSource',
				'fiatAmount',
				'fiatCurrency',
				'country',
				'additionalFields',
			]),
		],
	},
	{
		form: { resource: 'payout', operation: 'createBank' },
		conditions: [
			{ parameter: 'fundingSource', shows: { balance: [], conversion: ['fundingSourceNotice'] } },
			{
				parameter: 'currencyType',
				shows: {
					BOB: [],
					CLP: ['currencyTypeNotice'],
					COP: ['currencyTypeNotice'],
					PEN: ['currencyTypeNotice'],
					USD: ['currencyTypeNotice'],
				},
			},
			...batch('externalReference', PAYOUT_BANK_FIELDS),
		],
	},
	{
		form: { resource: 'payout', operation: 'createCrypto' },
		conditions: batch('externalReference', [
			'walletId',
			'blockchain',
			'destinationWallet',
			'asset',
			'amount',
		]),
	},
	{
		form: { resource: 'payout', operation: 'createQr' },
		conditions: [
			{
				parameter: 'fundingSource',
				shows: { balance: [], conversion: ['fundingSourceNotice', 'amount'] },
			},
			{ parameter: 'qrSource', shows: { text: ['image'], binary: ['binaryPropertyName'] } },
			...batch('externalReference', [
				'qrSource',
				'image',
				'fundingSource',
				'assetDeposit',
				'blockchain',
			]),
		],
	},
	{ form: { resource: 'businessClient', operation: 'getAll' }, conditions: LIST },
	{ form: { resource: 'quote', operation: 'getAll' }, conditions: LIST },
	{ form: { resource: 'transaction', operation: 'getAll' }, conditions: LIST },
	{
		form: { resource: 'transaction', operation: 'getStatus' },
		conditions: [
			{
				parameter: 'findBy',
				shows: { field: ['referenceOrId'], input: [], list: ['referencesOrIds'] },
			},
		],
	},
	{ form: { resource: 'wallet', operation: 'getAll' }, conditions: LIST },
	{ form: { resource: 'webhook', operation: 'getAll' }, conditions: LIST },
	{ form: { resource: 'webhookLog', operation: 'getAll' }, conditions: LIST },
	{
		form: { resource: 'webhookLog', operation: 'replay' },
		conditions: [
			{
				parameter: 'replayBy',
				shows: { period: ['from', 'to'], transactions: ['transactions'] },
			},
		],
	},
];

export const TRIGGER_CONDITIONS = [
	{
		parameter: 'verification',
		shows: {
			callbackSecret: [],
			apiKey: ['verificationHeader'],
			none: [],
			both: ['verificationHeader'],
		},
	},
];
