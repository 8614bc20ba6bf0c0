import type {
	IAuthenticate,
	ICredentialDataDecryptedObject,
	ICredentialTestRequest,
	ICredentialType,
	IDataObject,
	IHttpRequestHelper,
	INodeProperties,
} from 'n8n-workflow';

import { ENVIRONMENTS } from '../nodes/service/baseUrl';
import { authorize, renewToken, TOKEN_PROPERTY } from '../nodes/service/session';

/** Logs in with email and password (section 5). n8n stores the token. */
export class PartnerPaymentsApi implements ICredentialType {
	name = 'partnerPaymentsApi';

	displayName = 'Partner Payments API';

	icon = {
		light: 'file:../icons/partnerPayments.svg',
		dark: 'file:../icons/partnerPayments.dark.svg',
	} as const;

	documentationUrl =
		'https://github.com/partner-payments/n8n-nodes-partner-payments/blob/main/docs/credentials.md';

	properties: INodeProperties[] = [
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. https://sandbox.partner.example/api',
			hint: 'Sandbox and production have different addresses. Only production moves real money.',
			description: 'Address of the service, including its api prefix',
		},
		{
			displayName: 'Environment',
			name: 'environment',
			type: 'options',
			// A default of the other two could name the wrong environment.
			options: [{ name: 'Not Stated', value: '' }, ...ENVIRONMENTS],
			default: '',
			description:
				'Whether Base URL moves real money. Reports of payments show it, and the option Required Environment of a payout compares it. The service cannot confirm it.',
		},
		{
			displayName: 'Email',
			name: 'email',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. payments@example.com',
			description: 'Email of the partner user who logs in',
		},
		{
			displayName: 'Password',
			name: 'password',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			description: 'Password of the partner user who logs in',
		},
		{
			displayName: 'Login Version',
			name: 'loginVersion',
			type: 'options',
			options: [
				{ name: 'V1', value: 'v1' },
				{ name: 'V2', value: 'v2' },
			],
			default: 'v2',
			description: 'Version of the login. Keep V2 unless the service says otherwise.',
		},
		{
			displayName: 'Allow Insecure HTTP',
			name: 'allowInsecureHttp',
			type: 'boolean',
			default: false,
			description:
				'Whether to allow a Base URL that begins with http:// on another machine. The password and the token then travel unencrypted. This machine (localhost) is always allowed.',
		},
		{
			displayName: 'Session Token',
			name: TOKEN_PROPERTY,
			type: 'hidden',
			// Without `password`, n8n would send the token to the browser (`redact` in
			// `credentials.service.js` of n8n).
			typeOptions: { expirable: true, password: true },
			default: '',
		},
	];

	async preAuthentication(
		this: IHttpRequestHelper,
		credentials: ICredentialDataDecryptedObject,
	): Promise<IDataObject> {
		return await renewToken(this.helpers, credentials);
	}

	authenticate: IAuthenticate = async (credentials, requestOptions) =>
		authorize(credentials, requestOptions);

	test: ICredentialTestRequest = {
		request: {
			baseURL: '={{ $credentials.baseUrl.trim().replace(/\\/+$/, "") }}',
			url: '/v2/wallets',
		},
	};
}
