/**
 * Which layer of the published code may import from which, besides from itself. The picture is in
 * CONTRIBUTING.md. That no files import each other in a circle, test/package/layers.test.ts looks after.
 *
 * @type {Record<string, string[]>}
 */
const LAYERS = {
	messages: [],
	service: [],
	fields: ['service'],
	ledger: ['service'],
	logs: ['service', 'fields', 'ledger'],
	sheet: ['service', 'fields'],
	report: ['service', 'fields'],
	reference: ['service', 'fields', 'ledger'],
	batch: ['service', 'fields', 'ledger', 'logs', 'report', 'reference'],
	'PartnerPayments/operations': ['service', 'fields', 'batch'],
	'PartnerPayments/resources': [
		'service',
		'fields',
		'batch',
		'reference',
		'sheet',
		'report',
		'logs',
		'operations',
	],
	'PartnerPayments/listSearch': ['service', 'report', 'logs', 'operations', 'resources'],
	PartnerPaymentsTrigger: ['service', 'fields', 'ledger', 'logs'],
	'../credentials': ['service'],
};

const folderOf = (layer) => layer.split('/').at(-1);

const FOLDERS = [...Object.keys(LAYERS).map(folderOf), 'PartnerPayments'];

/** An import that leads out of a file's own folder, into one of these. */
const into = (folders) => `^(\\.\\./)+(nodes/)?(${folders.join('|')})(/|$)`;

export default Object.entries(LAYERS).map(([layer, below]) => {
	// Every layer says something to people.
	const allowed = ['messages', ...below];
	return {
		files: [`nodes/${layer}/**/*.ts`.replace('nodes/../', '')],
		rules: {
			'no-restricted-imports': [
				'error',
				{
					patterns: [
						{
							regex: into(
								FOLDERS.filter((name) => name !== folderOf(layer) && !allowed.includes(name)),
							),
							message: `${folderOf(layer)}/ may import only from ${['itself', ...allowed].join(', ')}: see Layers in CONTRIBUTING.md.`,
						},
					],
				},
			],
		},
	};
});
