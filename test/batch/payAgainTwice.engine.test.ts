import { useProcessedItems } from '../engine/processedItems';
import { useQuickSleep } from '../engine/quickSleep';
import { useService } from '../engine/service';
import { bank, bankRows, created, outcomes, references } from './batch';

const service = useService({ duplicateReferences: 'accept' });
useQuickSleep();
useProcessedItems();

test('pays a reference once that is listed under Pay Again and that this node has never sent', async () => {
	const options = { ifAlreadySent: 'payAgain', referencesToPayAgain: references(1).join('\n') };
	const runs: unknown[] = [];
	for (let run = 1; run <= 3; run++)
		runs.push(outcomes(await service.run(bank(options), { items: bankRows(1) })));
	expect(created(service)).toEqual(references(1));
	expect(runs).toEqual([['created'], ['alreadySent'], ['alreadySent']]);
});
