import type { FastifyInstance } from 'fastify';
import type { Core } from '../core';
import { ServiceError } from '../errors';
import { allQuotes, pairs, quotedTypes } from '../rates';

/** Exchange quotes (section 4.8). */
export function quoteRoutes(app: FastifyInstance, { clock, settings }: Core): void {
	app.get<{ Querystring: Record<string, unknown> }>('/v2/quotes', ({ query }) => {
		// Checked here, not by a schema, because the parameter names are settings.
		const allowed: Record<string, string[]> = {
			[settings.quotePairParameter]: pairs,
			[settings.quoteTypeParameter]: quotedTypes,
		};
		const problems = Object.entries(query).flatMap(([name, value]) => {
			if (!Object.hasOwn(allowed, name)) return `property ${name} should not exist`;
			const values = allowed[name];
			const known = values.includes(value as string);
			return known ? [] : `${name} must be one of the following values: ${values.join(', ')}`;
		});
		if (problems.length > 0) throw new ServiceError(400, problems);

		const { [settings.quotePairParameter]: pair, [settings.quoteTypeParameter]: type } = query;
		return allQuotes(clock.text(), settings.quoteSwingPercent).filter(
			(quote) =>
				(pair === undefined || quote.pair === pair) &&
				(type === undefined || quote.transactionType === type),
		);
	});
}
