import type { Resource } from '../operations/operation';
import { accountResource } from './account';
import { businessClientResource } from './businessClient';
import { depositResource } from './deposit';
import { payoutResource } from './payout';
import { quoteResource } from './quote';
import { transactionResource } from './transaction';
import { walletResource } from './wallet';
import { webhookResource } from './webhook';
import { webhookLogResource } from './webhookLog';

/** The resources, in the order in which the editor lists them. */
export const RESOURCES: Resource[] = [
	accountResource,
	businessClientResource,
	depositResource,
	payoutResource,
	quoteResource,
	transactionResource,
	walletResource,
	webhookResource,
	webhookLogResource,
];
