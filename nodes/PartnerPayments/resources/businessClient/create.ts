import { email, textBetween } from '../../../fields/checks';
import { choiceField, textField } from '../../../fields/field';
import { sendOperation } from '../../../shared/operation';
import { BUSINESS_CLIENTS_PATH, CLIENT_TYPES } from './businessClient';

const COUNTRY_CODE = { min: 2, max: 4 };

/** Section 4.2: `POST /v2/business-clients`. */
export const create = sendOperation({
	value: 'create',
	name: 'Create',
	action: 'Create business client',
	description:
		'Create a client and start its identity verification. Use it once for each new client: the output has the link that the client opens. The service offers no way to delete a client.',
	path: BUSINESS_CLIENTS_PATH,
	output: { clientId: 'string', clientLink: 'string' },
	fields: [
		textField({
			name: 'name',
			label: 'Name',
			to: 'name',
			required: true,
			placeholder: 'e.g. Comercial Illimani S.R.L.',
			description: 'Name of the client',
		}),
		textField({
			name: 'email',
			label: 'Email',
			to: 'email',
			required: true,
			check: email(),
			placeholder: 'e.g. maria@example.com',
			description: 'Email address of the client',
		}),
		choiceField({
			name: 'type',
			label: 'Type',
			to: 'type',
			required: true,
			options: CLIENT_TYPES,
			default: 'individual',
			description: 'Whether the client is a person or a company',
		}),
		textField({
			name: 'country',
			label: 'Country',
			to: 'country',
			required: true,
			check: textBetween(COUNTRY_CODE.min, COUNTRY_CODE.max),
			placeholder: 'e.g. BO',
			description: `Country code of the client, ${COUNTRY_CODE.min} to ${COUNTRY_CODE.max} characters`,
		}),
	],
});
