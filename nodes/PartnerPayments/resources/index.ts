import type { Resource } from '../operations/operation';
import { get as getAccount } from './account/get';
import { create as createClient } from './businessClient/create';
import { getAll as getClients } from './businessClient/getAll';
import { createQr as createDeposit } from './deposit/createQr';
import { createBank } from './payout/createBank';
import { createCrypto } from './payout/createCrypto';
import { createQr } from './payout/createQr';
import { getBalances } from './payout/getBalances';
import { getAll as getQuotes } from './quote/getAll';
import { getAll as getTransactions } from './transaction/getAll';
import { getStatus } from './transaction/getStatus';
import { addAsset } from './wallet/addAsset';
import { getAll as getWallets } from './wallet/getAll';
import { create as createWebhook } from './webhook/create';
import { get as getWebhook } from './webhook/get';
import { getAll as getWebhooks } from './webhook/getAll';
import { update as updateWebhook } from './webhook/update';
import { getAll as getLogs } from './webhookLog/getAll';
import { replay } from './webhookLog/replay';

/** All operations by resource, in the order in which the editor lists resources. */
export const RESOURCES: Resource[] = [
	{ value: 'account', name: 'Account', operations: [getAccount] },
	{ value: 'businessClient', name: 'Business Client', operations: [createClient, getClients] },
	{ value: 'deposit', name: 'Deposit', operations: [createDeposit] },
	{
		value: 'payout',
		name: 'Payout',
		operations: [createBank, createCrypto, createQr, getBalances],
	},
	{ value: 'quote', name: 'Quote', operations: [getQuotes] },
	{ value: 'transaction', name: 'Transaction', operations: [getTransactions, getStatus] },
	{ value: 'wallet', name: 'Wallet', operations: [addAsset, getWallets] },
	{
		value: 'webhook',
		name: 'Webhook',
		operations: [createWebhook, getWebhook, getWebhooks, updateWebhook],
	},
	{ value: 'webhookLog', name: 'Webhook Log', operations: [getLogs, replay] },
];
