import type { Resource } from '../operations/operation';
import { get as getAccount } from './account/get';
import { create as createClient } from './businessClient/create';
import { getAll as getClients } from './businessClient/getAll';
import { createQr as createQrDeposit } from './deposit/createQr';
import { createBank } from './payout/createBank';
import { createCrypto } from './payout/createCrypto';
import { createQr as createQrPayout } from './payout/createQr';
import { fundConversions } from './payout/fundConversions';
import { getBalances } from './payout/getBalances';
import { readPaymentFile } from './payout/readPaymentFile';
import { getAll as getQuotes } from './quote/getAll';
import { createReport } from './transaction/createReport';
import { getAll as getTransactions } from './transaction/getAll';
import { getStatus } from './transaction/getStatus';
import { reconcile } from './transaction/reconcile';
import { addAsset } from './wallet/addAsset';
import { getAll as getWallets } from './wallet/getAll';
import { create as createWebhook } from './webhook/create';
import { get as getWebhook } from './webhook/get';
import { getAll as getWebhooks } from './webhook/getAll';
import { update as updateWebhook } from './webhook/update';
import { getAll as getWebhookLogs } from './webhookLog/getAll';
import { replay } from './webhookLog/replay';

/** The resources and their operations, in the order in which the editor lists the resources. */
export const RESOURCES: Resource[] = [
	{ value: 'account', name: 'Account', operations: [getAccount] },
	{
		value: 'businessClient',
		name: 'Business Client',
		operations: [createClient, getClients],
	},
	{ value: 'deposit', name: 'Deposit', operations: [createQrDeposit] },
	{
		value: 'payout',
		name: 'Payout',
		operations: [
			createBank,
			createCrypto,
			createQrPayout,
			fundConversions,
			getBalances,
			readPaymentFile,
		],
	},
	{ value: 'quote', name: 'Quote', operations: [getQuotes] },
	{
		value: 'transaction',
		name: 'Transaction',
		operations: [createReport, getTransactions, getStatus, reconcile],
	},
	{ value: 'wallet', name: 'Wallet', operations: [addAsset, getWallets] },
	{
		value: 'webhook',
		name: 'Webhook',
		operations: [createWebhook, getWebhook, getWebhooks, updateWebhook],
	},
	{ value: 'webhookLog', name: 'Webhook Log', operations: [getWebhookLogs, replay] },
];
