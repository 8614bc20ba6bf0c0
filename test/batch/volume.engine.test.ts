import { useService } from '../engine/service';
import { BANK, bank, bankRow, bankRows, created, references, rowName } from './batch';

const service = useService({ duplicateReferences: 'accept' });

test('creates 3,000 rows once each, and returns them in order', async () => {
	const count = 3_000;
	const result = await service.run(bank({ concurrency: 50 }), {
		items: bankRows(count),
	});

	expect(result.error).toBeUndefined();
	expect(result.json.map(({ reference }) => reference)).toEqual(references(count));
	expect(result.json.every(({ outcome }) => outcome === 'created')).toBe(true);
	expect(created(service).sort()).toEqual(references(count));
	expect(service.sandbox.core.traffic.counters().logins).toBe(1);
	expect(service.sandbox.core.traffic.counters().maxInFlight).toBeLessThanOrEqual(50);
}, 180_000);

test('sends nothing if the last of 10,000 rows is invalid', async () => {
	const items = [...bankRows(9_999), bankRow(9_999, { amount: '-1' })];
	const result = await service.run(BANK, { items });
	expect(service.sandbox.core.traffic.requests()).toEqual([]);
	expect(result.error?.description).toContain(`${rowName(9_999, { amount: '-1' })}: Amount ("-1")`);
});

test('makes a readable message about 10,000 invalid rows', async () => {
	const items = Array.from({ length: 10_000 }, (_, number) => bankRow(number, { amount: '-1' }));
	const result = await service.run(BANK, { items });
	expect(result.error?.message).toContain('Invalid items: 10000 of 10000');
	expect(String(result.error?.description).length).toBeLessThan(200_000);
	expect(result.error?.description).toContain('… and 9000 more that were not sent.');
});
