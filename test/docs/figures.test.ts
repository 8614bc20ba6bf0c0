/* eslint-disable @n8n/community-nodes/no-restricted-imports -- runs outside n8n */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { readFigures, renderFigures } from '../../docs/build/figures';
import { ROOT } from './markdown';

test.each([...renderFigures()])('%s has the figures that were measured', (path, text) => {
	expect(readFileSync(join(ROOT, path), 'utf8')).toBe(text);
});

test('other figures would change both pages', () => {
	const figures = readFigures();
	const [atOnce, later] = figures.payouts.runs;
	atOnce.node.seconds = 123.4;
	later.node.inFlight = 49;
	later.httpRequest.inFlight = 21;
	figures.scenarios.payments = 1_234_567;
	const [english, spanish] = [...renderFigures(figures).values()];
	expect(english).toContain('**123.4 s**');
	expect(english).toMatch(/after 50 ms \(49 in flight\).* \(21 in flight\)/);
	expect(english).toContain('1,234,567 random scenarios');
	expect(spanish).toContain('**123,4 s**');
	expect(spanish).toMatch(/50 ms \(49 solicitudes en curso\).* \(21 solicitudes en curso\)/);
	expect(spanish).toContain('1.234.567 escenarios');
});

test('other results of the crash test would change the guide', () => {
	const figures = readFigures();
	const [{ results }] = figures.crashTest.runs;
	results[0].found.columns = { twice: 12, lost: 34, unreported: 56, open: 78 };
	expect(renderFigures(figures).get('docs/reliability.md')).toContain('12 / 34 / 56 (78)');
});

test('the README names both windows in which a payment may be made twice', () => {
	const [english, spanish] = [...renderFigures().values()];
	expect(english).toMatch(/Remove Duplicates in queue mode, and .* more than 40 seconds/);
	expect(spanish).toMatch(/Remove Duplicates en modo de colas, y .* más de 40 segundos/);
});

test('the README says nothing about speed or scenarios but these figures', () => {
	for (const path of ['README.md', 'docs/es/README.md']) {
		const text = readFileSync(join(ROOT, path), 'utf8');
		const outside = text.replace(/<!-- figures: begin -->[^]*<!-- figures: end -->/, '');
		expect(outside).not.toMatch(/\d ?(s|ms)\b|random scenario|escenarios al azar/);
	}
});
