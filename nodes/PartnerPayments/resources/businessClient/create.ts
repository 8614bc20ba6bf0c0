import { emailAddress, textBetween } from '../../../fields/validators';
import { choiceField, textField } from '../../../fields/field';
import { toProperties } from '../../../fields/form';
import { objectIn } from '../../../service/responses';
import type { Operation } from '../../operations/operation';
import { requestBody } from '../../operations/itemParameters';
import { BUSINESS_CLIENTS_PATH, CLIENT_TYPES } from './shared';

const COUNTRY_CODE = { min: 2, max: 4 };

const FIELDS = [
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
		validate: emailAddress(),
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
		validate: textBetween(COUNTRY_CODE.min, COUNTRY_CODE.max),
		placeholder: 'e.g. BO',
		description: `Country code of the client, ${COUNTRY_CODE.min} to ${COUNTRY_CODE.max} characters`,
	}),
];

/** Section 4.2: `POST /v2/business-clients`. */
export const create: Operation = {
	value: 'create',
	name: 'Create',
	action: 'Create business client',
	description:
		'Create a client and get the link for its identity verification. Use it once for each new client: a client cannot be deleted.',
	properties: toProperties(FIELDS),
	output: { clientId: 'string', clientLink: 'string' },
	async executeItem(service, itemIndex) {
		const body = requestBody(this, FIELDS, itemIndex);
		const path = BUSINESS_CLIENTS_PATH;
		return [{ json: objectIn(await service.request({ method: 'POST', path, body })) }];
	},
};
