import action from '../../nodes/PartnerPayments/PartnerPayments.node.json';
import trigger from '../../nodes/PartnerPaymentsTrigger/PartnerPaymentsTrigger.node.json';
import { PartnerPayments } from '../../nodes/PartnerPayments/PartnerPayments.node';
import { PartnerPaymentsTrigger } from '../../nodes/PartnerPaymentsTrigger/PartnerPaymentsTrigger.node';

const CODEX = [
	{ codex: action, version: new PartnerPayments().description.version },
	{ codex: trigger, version: new PartnerPaymentsTrigger().description.version },
];

const withoutAccents = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '');

describe.each(CODEX)('the codex of $codex.node', ({ codex: { alias, nodeVersion }, version }) => {
	test('has the version of the node', () => {
		expect(Number(nodeVersion)).toBe(version);
	});

	test('has each alias once, and each with an accent also without', () => {
		expect(alias).toEqual([...new Set(alias)]);
		expect(alias).toEqual(expect.arrayContaining(alias.map(withoutAccents)));
	});
});

test.each([
	'nomina',
	'cotizacion',
	'codigo QR',
	'webhook',
	'account',
	'client',
	'ACH',
	'cuenta',
	'beneficiario',
])('the node panel finds the action node by %s', (word) => {
	expect(action.alias).toContain(word);
});

test('the node panel does not find the action node by what it cannot do', () => {
	expect(action.alias).not.toContain('refund');
});
