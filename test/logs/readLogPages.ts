import type { IDataObject } from 'n8n-workflow';

import { LogReader, type LogFilters, type LogRange } from '../../nodes/logs/logReader';
import type { Service } from '../../nodes/service/transport';

/** The entries of the delivery logs, one by one. */
export async function* readLogPages(
	service: Service,
	filters: LogFilters,
	range: LogRange = {},
): AsyncGenerator<IDataObject> {
	for await (const logs of new LogReader(service, filters, range).pages()) yield* logs;
}
