import { approvalTexts, readyText, type Approval } from '../../nodes/report/approval';

const ANA = {
	row: 7,
	payee: 'Ana $& <b>',
	amount: '2520.50',
	currency: 'BOB',
	paidTo: '1014 00123',
};

const approval = (more: Partial<Approval> = {}): Approval => ({
	count: 1,
	ready: 1,
	alreadySent: 0,
	isStoreEmpty: false,
	unknownAmounts: 0,
	totals: [{ currency: 'BOB', fundingSource: 'balance', count: 1, amount: '2520.5' }],
	fundingSources: ['balance'],
	readyText: '1 payment, 2,520.50 BOB',
	repeatedText: '',
	costs: [],
	environment: 'production',
	host: 'partner.example',
	listed: [{ ...ANA, notes: [] }],
	notPaid: [],
	rejection: '',
	...more,
});

test('says what is paid, in which money, and to whom', () => {
	const { html, text } = approvalTexts(approval(), 'en');
	expect(html).toContain('<h2>1 payment, 2,520.50 BOB</h2>');
	expect(html).toContain('Production: real money.');
	expect(html).toContain('<br />1014 00123 </td> <td>2,520.50 BOB</td>');
	expect(text).toContain('- Row 7, Ana $& <b>, 2,520.50 BOB');
});

test('lets no text of a row become markup, or a pattern of n8n’s replacement', () => {
	const { html } = approvalTexts(approval(), 'en');
	expect(html).toContain('Ana $\u2060&amp; &lt;b&gt;');
	expect(html).not.toMatch(/\$[&'`$]/);
});

test.each(['en', 'es'] as const)('says first what would be paid again (%s)', (language) => {
	const again = approval({
		repeatedText: '1 payment, 2,520.50 BOB',
		listed: [{ ...ANA, notes: ['duplicate'] }],
	});
	const { html, text } = approvalTexts(again, language);
	expect(html.split('AGAIN').length + html.split('OTRA VEZ').length).toBe(4);
	expect(text.split('\n')[1]).toMatch(/AGAIN if you approve|si apruebas todo, .* OTRA VEZ/i);
});

const ROW = { row: 8, payee: 'Luz', amount: '', currency: '', reason: 'Account is missing' };

test.each<[string, Partial<Approval>]>([
	['All of this was paid before', { alreadySent: 1 }],
	['There is nothing to pay', {}],
	['No row can be paid now', { alreadySent: 1, notPaid: [ROW] }],
	['Maximum Totals allows 1 BOB', { rejection: 'Maximum Totals allows 1 BOB' }],
])('is headed “%s” if nothing can be paid for that reason', (title, more) => {
	const { html } = approvalTexts(approval({ ready: 0, listed: [], ...more }), 'en');
	expect(html).toContain(`<h2>${title}</h2>`);
});

test('says a reason once for all rows that have it', () => {
	const notPaid = [ROW, { ...ROW, row: 9 }, { ...ROW, row: 10, reason: 'Amount is missing' }];
	const { html } = approvalTexts(approval({ notPaid }), 'en');
	expect(html.split('Account is missing')).toHaveLength(2);
	expect(html).toContain('<h3>3 rows are not paid now</h3>');
});

test.each([
	[1, [['BOB', '5']], 'es', '1 pago, 5,00 BOB'],
	[2, [], 'en', '2 payments'],
] as const)('writes %d payments as an approver reads them', (count, totals, language, text) => {
	expect(readyText(count, totals, language)).toBe(text);
});
