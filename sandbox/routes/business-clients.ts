import { randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { Core } from '../core';
import { filled, strictObject } from '../schemas';
import type { BusinessClient } from '../state';

type NewClient = Pick<BusinessClient, 'name' | 'email' | 'type' | 'country'>;

// The required fields are not documented. Here all are.
const newClient = strictObject(
	{
		name: filled,
		email: { type: 'string', format: 'email' },
		type: { type: 'string', enum: ['individual', 'company'] },
		country: { type: 'string', minLength: 2, maxLength: 4 },
	},
	['name', 'email', 'type', 'country'],
);

/** Clients of the business (sections 4.2 and 4.3). */
export function businessClientRoutes(app: FastifyInstance, { settings }: Core): void {
	app.post<{ Body: NewClient }>('/v2/business-clients', {
		schema: { body: newClient },
		handler({ business, body: { name, email, type, country } }, reply) {
			const clientId = randomUUID();
			business.clients.push({
				id: clientId,
				name,
				type,
				status: 'Pending',
				country,
				email,
				externalClientId: null,
			});
			void reply.code(settings.successStatus);
			return { clientId, clientLink: `https://verification.example/onboarding/${clientId}` };
		},
	});

	app.get('/v2/business-clients', ({ business }) => business.clients);
}
