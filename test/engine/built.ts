import type { ICredentialType, INodeType } from 'n8n-workflow';

/** The package as n8n loads it. */
interface BuiltPackage {
	PartnerPayments: new () => INodeType;
	PartnerPaymentsTrigger: new () => INodeType;
	PartnerPaymentsApi: new () => ICredentialType;
}

// What a user installs is JavaScript without declarations: `npm run build` comes first.
export const built = jest.requireActual<BuiltPackage>('../../index.js');
